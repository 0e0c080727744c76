//! A project of its own for each test, with runs in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use agent::model::{Effort, Model};
use agent::permission::{Mode, Places, Policy, Rule};
use agent::tool::Tool;
use agent::turn::Caps;
use conductor::limits::Limits;
use conductor::record::Record;
use conductor::role::Role;
use conductor::{Equip, Kit, RunEvents, Runs, Settings, Thinker, View, Wanted};
use tempfile::TempDir;
use tokio::sync::Notify;
use workspace::command::{Actor, FileCommand, FileResult, Reply};
use workspace::conversation::KeepRule;
use workspace::documents::Documents;
use workspace::owner::Options;

use crate::puppet::Puppet;

/// How long a test waits for what must come.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

struct Forget;

impl KeepRule for Forget {
    fn keep(&self, _: &Rule) -> Result<(), String> {
        Ok(())
    }
}

/// A clock that counts its questions.
pub(crate) fn clock() -> u64 {
    static TIME: AtomicU64 = AtomicU64::new(1_000_000);
    TIME.fetch_add(1, Ordering::Relaxed)
}

/// What a test can set.
#[derive(Clone)]
pub(crate) struct Cast {
    pub(crate) workers: Puppet,
    /// Plans and merges; nobody if there is none.
    pub(crate) conductor: Option<Puppet>,
    pub(crate) roles: Vec<Role>,
    pub(crate) limits: Limits,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    pub(crate) clock: fn() -> u64,
}

impl Cast {
    pub(crate) fn new(workers: Puppet) -> Cast {
        let roles = Role::standing();
        Cast { workers, conductor: None, roles, limits: Limits::default(), tools: Vec::new(), clock }
    }

    fn settings(&self, root: &Path) -> Settings {
        let (workers, tools, places) = (self.workers.clone(), self.tools.clone(), places(root));
        let equip: Equip = Arc::new(move |_| {
            let kit = Kit {
                model: Arc::new(workers.clone()),
                model_name: "puppet".to_owned(),
                tools: tools.clone(),
                policy: Policy::new(Mode::DontAsk, places.clone(), Vec::new()),
                desk: None,
                rules: Arc::new(Forget),
                thinking: Effort::Off,
                caps: Caps::headless(),
                preamble: "A test.".to_owned(),
            };
            Box::pin(async move { Ok(kit) })
        });
        let conductor = self.conductor.clone();
        let think = move |_: Option<&str>| {
            Ok(match &conductor {
                Some(model) => Thinker::Model(Arc::new(model.clone()) as Arc<dyn Model>, "puppet".to_owned()),
                None => Thinker::Rules,
            })
        };
        Settings {
            roles: self.roles.clone(),
            equip,
            think: Arc::new(think),
            limits: self.limits,
            person: "user".to_owned(),
            clock: self.clock,
        }
    }
}

fn path_of(folder: &Folder) -> PathBuf {
    let path = match folder {
        Folder::Own(folder) => folder.path(),
        Folder::Given(path) => path,
    };
    path.canonicalize().unwrap()
}

fn places(root: &Path) -> Places {
    let root = root.to_str().unwrap().to_owned();
    Places { project: root.clone(), home: None, current: root, also: Vec::new() }
}

/// A project with runs. Dropped, its folder goes if it was made here.
pub(crate) struct Stage {
    folder: Folder,
    pub(crate) documents: Documents,
    pub(crate) runs: Runs,
}

enum Folder {
    Own(TempDir),
    Given(PathBuf),
}

impl Stage {
    pub(crate) fn new(workers: Puppet) -> Stage {
        Stage::with(&Cast::new(workers))
    }

    pub(crate) fn with(cast: &Cast) -> Stage {
        Stage::on(Folder::Own(tempfile::tempdir().unwrap()), cast)
    }

    /// In a folder of somebody else, which may hold runs already.
    pub(crate) fn of(folder: &Path, cast: &Cast) -> Stage {
        Stage::on(Folder::Given(folder.to_owned()), cast)
    }

    fn on(folder: Folder, cast: &Cast) -> Stage {
        let root = path_of(&folder);
        let options = Options { interval: Duration::from_millis(1), ..Options::default() };
        let documents = Documents::new(root.clone(), options);
        let runs = Runs::new(documents.clone(), cast.settings(&root)).unwrap();
        Stage { folder, documents, runs }
    }

    /// Ends everything as a program does that is told to, and begins again.
    pub(crate) async fn restarted(self, cast: &Cast) -> Stage {
        self.runs.close().await;
        self.documents.close().await;
        let Stage { folder, documents, runs } = self;
        drop((documents, runs));
        Stage::on(folder, cast)
    }

    pub(crate) fn root(&self) -> PathBuf {
        path_of(&self.folder)
    }

    pub(crate) async fn start(&self, objective: &str) -> String {
        self.start_with(objective, &[]).await
    }

    pub(crate) async fn start_with(&self, objective: &str, workers: &[&str]) -> String {
        let workers = workers.iter().map(|name| (*name).to_owned()).collect();
        self.runs.start(Wanted { objective: objective.to_owned(), workers, model: None }).await.unwrap().id
    }

    /// Waits for the end of a run.
    pub(crate) async fn ended(&self, id: &str) -> Arc<Record> {
        let view: View =
            tokio::time::timeout(PATIENCE, self.runs.ended(id)).await.expect("the run does not end").unwrap();
        view.record
    }

    /// The same, while whoever waits at `gate` is let through again and again.
    pub(crate) async fn ended_with(&self, id: &str, gate: &Notify) -> Arc<Record> {
        let pulse = async {
            loop {
                gate.notify_one();
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::select! {
            record = self.ended(id) => record,
            () = pulse => unreachable!(),
        }
    }

    pub(crate) async fn run(&self, objective: &str) -> (String, Arc<Record>) {
        let id = self.start(objective).await;
        let record = self.ended(&id).await;
        (id, record)
    }

    /// The document as it stands in the file.
    pub(crate) fn file(&self, id: &str) -> String {
        std::fs::read_to_string(self.path(id)).unwrap()
    }

    pub(crate) fn path(&self, id: &str) -> PathBuf {
        self.root().join(conductor::document_of(id))
    }

    pub(crate) fn record_path(&self, id: &str) -> PathBuf {
        self.path(id).with_file_name("run.json")
    }

    pub(crate) async fn section(&self, id: &str, title: &str) -> String {
        self.runs.draft(id).await.unwrap().section(title).unwrap()
    }

    /// A command of somebody on the document of a run.
    pub(crate) async fn execute(&self, command: FileCommand, actor: Actor) -> Reply {
        self.documents.execute(command.by(actor)).await.unwrap()
    }

    pub(crate) async fn append(&self, id: &str, section: &str, content: &str, actor: Actor) -> FileResult {
        let (path, section, content) = (conductor::document_of(id), section.to_owned(), content.to_owned());
        self.execute(FileCommand::AppendSection { path, section, content }, actor).await.result
    }

    /// Saves the file as an editor does: another file in its place.
    pub(crate) fn save(&self, id: &str, text: &str) {
        let beside = self.path(id).with_extension("swap");
        std::fs::write(&beside, text).unwrap();
        std::fs::rename(beside, self.path(id)).unwrap();
    }

    /// Waits until what a run shows is so.
    pub(crate) async fn until(&self, id: &str, is_so: impl Fn(&View) -> bool) -> View {
        self.wait(async || {
            let view = self.runs.show(id).await.unwrap();
            is_so(&view).then_some(view)
        })
        .await
    }

    /// Waits until the document of a run reads so.
    pub(crate) async fn until_text(&self, id: &str, is_so: impl Fn(&str) -> bool) -> String {
        self.wait(async || {
            let draft = self.runs.draft(id).await.unwrap();
            is_so(&draft.text).then(|| draft.text.to_string())
        })
        .await
    }

    /// Looks again whenever something happens, or may have.
    async fn wait<T>(&self, look: impl AsyncFn() -> Option<T>) -> T {
        let mut events: RunEvents = self.runs.subscribe(None);
        let waiting = async {
            loop {
                if let Some(found) = look().await {
                    return found;
                }
                // Documents tell elsewhere than runs, so a moment is enough of a sign.
                drop(tokio::time::timeout(Duration::from_millis(10), events.next()).await);
            }
        };
        tokio::time::timeout(PATIENCE, waiting).await.expect("it does not come")
    }
}

/// Who wrote each line of a document last, as its journal says.
pub(crate) fn authors(path: &Path, root: &Path) -> Vec<(String, String)> {
    let sidecar = workspace::sidecar::Sidecar::open(root).unwrap();
    let paths = sidecar.paths_for(path.strip_prefix(root).unwrap(), None).unwrap();
    let (history, _) = workspace::journal::Journal::read(&paths.journal).unwrap();
    let text = history.latest_text().to_owned();
    let lines: Vec<&str> = text.lines().collect();
    history
        .blame()
        .into_iter()
        .map(|blamed| (lines[blamed.line - 1].to_owned(), blamed.author.name().to_owned()))
        .collect()
}
