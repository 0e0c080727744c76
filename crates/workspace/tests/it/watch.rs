//! Saves from outside, as the system or polling tells of them.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tempfile::TempDir;
use tokio::sync::mpsc::Receiver;
use workspace::event::Event;
use workspace::hub::Hub;
use workspace::watch::{Options, Source, Watched, Watcher};

use crate::child;
use crate::files::keepers;

const PATIENCE: Duration = Duration::from_secs(10);

struct Watching {
    folder: TempDir,
    watcher: Watcher,
    heard: Receiver<Watched>,
    is_ours: Arc<AtomicBool>,
}

fn watching(source: Source) -> Watching {
    let folder = tempfile::tempdir().unwrap();
    let options = Options { quiet: Duration::ZERO, poll: Duration::from_millis(50), source };
    let is_ours = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&is_ours);
    let (watcher, heard) = Watcher::start(
        options,
        Arc::new(move |path: &Path| path.ends_with("a.md") && asked.load(Ordering::SeqCst)),
    )
    .unwrap();
    Watching { folder, watcher, heard, is_ours }
}

impl Watching {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    /// Waits until this file is heard of; others may be heard before.
    async fn hear(&mut self, name: &str) {
        let wanted = Watched::FileChanged(self.path(name));
        let heard = async {
            while let Some(watched) = self.heard.recv().await {
                if watched == wanted {
                    return true;
                }
            }
            false
        };
        assert!(tokio::time::timeout(PATIENCE, heard).await.expect("heard in time"));
    }

    /// Saves again and again, as a person would: a new folder must be watched before something in it can be heard.
    async fn save_until_heard(&mut self, name: &str) {
        let wanted = Watched::FileChanged(self.path(name));
        let mut tick = tokio::time::interval(Duration::from_millis(20));
        let found = tokio::time::timeout(PATIENCE, async {
            let mut number = 0;
            loop {
                tokio::select! {
                    _ = tick.tick() => {
                        number += 1;
                        self.write(name, &number.to_string());
                    }
                    watched = self.heard.recv() => if watched.as_ref() == Some(&wanted) { return },
                }
            }
        });
        found.await.expect("heard in time");
    }
}

#[tokio::test]
async fn a_save_by_renaming_is_heard_every_time() {
    let mut watching = watching(Source::System);
    watching.write("a.md", "one");
    let path = watching.path("a.md");
    watching.watcher.watch_document(&path, None).unwrap();
    assert!(!watching.watcher.is_polling());
    for number in 0..5 {
        watching.write(".a.md.swp", &format!("save {number}"));
        std::fs::rename(watching.path(".a.md.swp"), &path).unwrap();
        watching.hear("a.md").await;
    }
}

#[tokio::test]
async fn only_known_documents_of_a_folder_are_heard() {
    let mut watching = watching(Source::System);
    let path = watching.path("a.md");
    watching.watcher.watch_document(&path, Some(Duration::ZERO)).unwrap();
    watching.write("b.md", "other");
    watching.write("a.md", "mine");
    let first = tokio::time::timeout(PATIENCE, watching.heard.recv()).await.unwrap();
    assert_eq!(first, Some(Watched::FileChanged(path)));
}

#[tokio::test]
async fn new_folders_and_moved_files_of_a_root_are_heard() {
    let mut watching = watching(Source::System);
    let root = watching.folder.path().to_owned();
    watching.watcher.watch_root(&root).unwrap();
    watching.write("old.md", "x");
    watching.hear("old.md").await;
    std::fs::create_dir_all(watching.path("runs/one")).unwrap();
    watching.save_until_heard("runs/one/draft.md").await;
    std::fs::rename(watching.path("old.md"), watching.path("runs/one/new.md")).unwrap();
    watching.hear("runs/one/new.md").await;
}

// C09
#[tokio::test]
async fn our_own_writes_are_not_heard() {
    let mut watching = watching(Source::System);
    let path = watching.path("a.md");
    watching.watcher.watch_document(&path, None).unwrap();
    watching.is_ours.store(true, Ordering::SeqCst);
    for number in 0..10 {
        watching.write("a.md", &number.to_string());
    }
    // A second document marks the end of what came before it.
    let end = watching.path("end.md");
    watching.watcher.watch_document(&end, None).unwrap();
    watching.write("end.md", "x");
    let first = tokio::time::timeout(PATIENCE, watching.heard.recv()).await.unwrap();
    assert_eq!(first, Some(Watched::FileChanged(end)));
}

// FT-13
#[tokio::test]
async fn polling_hears_the_same() {
    let mut watching = watching(Source::Polling);
    watching.write("a.md", "one");
    let path = watching.path("a.md");
    watching.watcher.watch_document(&path, None).unwrap();
    assert!(watching.watcher.is_polling());
    watching.write("a.md", "two, and longer");
    watching.hear("a.md").await;
    watching.write("b.md", "one");
    watching.write("a.md", "three, and longer still");
    watching.hear("a.md").await;
}

// FT-13
#[cfg(target_os = "linux")]
#[tokio::test]
async fn where_the_system_has_no_watch_left_changes_are_found_by_looking() {
    if !child::is_child() {
        for limit in ["max_inotify_watches", "max_inotify_instances"] {
            let first = format!("echo 0 > /proc/sys/user/{limit}");
            child::run_apart(
                &first,
                "watch::where_the_system_has_no_watch_left_changes_are_found_by_looking",
            );
        }
        return;
    }
    let mut watching = watching(Source::System);
    watching.write("a.md", "one");
    let root = watching.folder.path().to_owned();
    watching.watcher.watch_root(&root).unwrap();
    assert!(watching.watcher.is_polling());
    watching.write("a.md", "two, and longer");
    watching.hear("a.md").await;
}

// FT-13
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_folder_that_comes_when_no_watch_is_left_is_looked_at() {
    if !child::is_child() {
        let first = "echo 1 > /proc/sys/user/max_inotify_watches";
        return child::run_apart(first, "watch::a_folder_that_comes_when_no_watch_is_left_is_looked_at");
    }
    let mut watching = watching(Source::System);
    let root = watching.folder.path().to_owned();
    watching.watcher.watch_root(&root).unwrap();
    assert!(!watching.watcher.is_polling());
    std::fs::create_dir(watching.path("below")).unwrap();
    watching.save_until_heard("below/a.md").await;
    assert!(watching.watcher.is_polling());
}

// C08
#[tokio::test]
async fn a_save_from_outside_reaches_listeners_of_the_document() {
    let mut watching = watching(Source::System);
    watching.write("a.md", "# A\n");
    let root = watching.folder.path().canonicalize().unwrap();
    let hub = Hub::open_root(&root, keepers(), Arc::new(|_| workspace::owner::Options::default())).unwrap();
    let document = hub.document("a.md").await.unwrap();
    let mut events = document.subscribe();
    watching.watcher.watch_root(&root).unwrap();
    std::fs::write(root.join("a.md"), "# A\n\nsaved\n").unwrap();
    let changed = async {
        loop {
            tokio::select! {
                Some(watched) = watching.heard.recv() => match watched {
                    Watched::FileChanged(path) => hub.file_changed(&path),
                    Watched::Rescan => hub.rescan(),
                },
                event = events.next() => return event,
            }
        }
    };
    let event = tokio::time::timeout(PATIENCE, changed).await.unwrap();
    assert!(matches!(event, Some(Event::Changed(changed)) if changed.revision == 1));
    assert_eq!(&*document.read().text, "# A\n\nsaved\n");
}
