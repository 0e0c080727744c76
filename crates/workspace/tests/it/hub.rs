//! Documents of one root: which paths are paths, how runs begin, what listeners hear.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use document::section::find_sections;
use tempfile::TempDir;
use workspace::command::{Actor, FileCommand, FileErrorKind, FileResult, Reply};
use workspace::event::{ChangeKind, Event};
use workspace::hub::{Hub, KeeperFactory};
use workspace::keeper::Keeper;
use workspace::owner::{Options, Waits};

use crate::files::keepers;
use crate::memory_keeper::{Disk, Fault, MemoryKeeper};

fn hub() -> (TempDir, Hub) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("root")).unwrap();
    let hub =
        Hub::open_root(&folder.path().join("root"), keepers(), Arc::new(|_| Options::default())).unwrap();
    (folder, hub)
}

fn anna() -> Actor {
    Actor::User("anna".into())
}

fn kind(reply: &Reply) -> FileErrorKind {
    match &reply.result {
        FileResult::Error { kind, message } => {
            assert!(!message.contains("/tmp"), "{message}");
            kind.clone()
        }
        other => panic!("expected a refusal, got {other:?}"),
    }
}

/// All names beneath a folder, so that a test can say that nothing was touched.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        names.push(path.display().to_string());
        if path.is_dir() && !path.is_symlink() {
            names.extend(self::names(&path));
        }
    }
    names.sort();
    names
}

async fn create(hub: &Hub, run_id: &str, objective: &str) -> Reply {
    let command = FileCommand::CreateRunDocument { run_id: run_id.into(), objective: objective.into() };
    hub.execute(command.by(Actor::Conductor)).await
}

// F14, F24
#[tokio::test]
async fn paths_that_lead_elsewhere_are_refused_and_nothing_is_touched() {
    let (folder, hub) = hub();
    std::fs::write(folder.path().join("x"), "secret").unwrap();
    let before = names(folder.path());
    let paths = [
        "/etc/passwd",
        "../x",
        "runs/../../x",
        "runs/./../..",
        "C:\\x",
        "c:x",
        "\\\\srv\\s",
        "..\\..\\x",
        "%2e%2e/x",
        "%2E%2e%2fx",
        "a\0b",
        "a%00b",
        "",
        "  ",
        ".",
        "./",
        "a/",
        "a/..",
        "a%5cb",
        "..",
        ".agent-doc/x.md",
        "a/.Agent-Doc/x.md",
        ".git/hooks/x.md",
        ".GIT/x.md",
        "%2egit/x.md",
    ];
    for path in paths {
        assert_eq!(hub.document(path).await.unwrap_err().kind, FileErrorKind::PathTraversal, "{path:?}");
        for content in ["x", ""] {
            let command = FileCommand::Write { path: path.into(), content: content.into() };
            assert_eq!(
                kind(&hub.execute(command.by(anna())).await),
                FileErrorKind::PathTraversal,
                "{path:?}"
            );
        }
    }
    assert_eq!(
        hub.document("%252e%252e/x").await.unwrap_err().kind,
        FileErrorKind::NotFound,
        "decoded once only"
    );
    assert_eq!(names(folder.path()), before);
}

// F01
#[tokio::test]
async fn a_missing_document_is_not_found_and_not_made() {
    let (folder, hub) = hub();
    for command in [
        FileCommand::Read { path: "a/b.md".into() },
        FileCommand::ReadSection { path: "a/b.md".into(), section: "A".into() },
        FileCommand::AppendSection { path: "a/b.md".into(), section: "A".into(), content: "x".into() },
    ] {
        assert_eq!(kind(&hub.execute(command.by(anna())).await), FileErrorKind::NotFound);
    }
    assert_eq!(names(&folder.path().join("root")), Vec::<String>::new());
    assert_eq!(hub.documents(), Vec::<String>::new());
}

// F15, F16
#[tokio::test]
async fn links_out_of_the_root_are_refused() {
    let (folder, hub) = hub();
    let (root, outside) = (folder.path().join("root"), folder.path().join("outside"));
    std::fs::create_dir_all(root.join("runs")).unwrap();
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("secret.md"), "secret").unwrap();
    std::fs::write(root.join("inside.md"), "inside").unwrap();
    symlink(&outside, root.join("runs/link")).unwrap();
    symlink(folder.path().join("absent"), root.join("runs/dangling")).unwrap();
    symlink(outside.join("secret.md"), root.join("draft.md")).unwrap();
    symlink(outside.join("absent.md"), root.join("dangling.md")).unwrap();
    symlink("inside.md", root.join("alias.md")).unwrap();
    let before = names(folder.path());
    for path in [
        "runs/link/secret.md",
        "runs/link/new.md",
        "runs/dangling/new.md",
        "draft.md",
        "dangling.md",
        "alias.md",
    ] {
        assert_eq!(hub.document(path).await.unwrap_err().kind, FileErrorKind::PathTraversal, "{path}");
        let command = FileCommand::Write { path: path.into(), content: "forged".into() };
        assert_eq!(kind(&hub.execute(command.by(anna())).await), FileErrorKind::PathTraversal, "{path}");
    }
    assert_eq!(names(folder.path()), before);
    assert_eq!(std::fs::read_to_string(outside.join("secret.md")).unwrap(), "secret");
    assert_eq!(
        kind(&hub.execute(FileCommand::Read { path: "runs".into() }.by(anna())).await),
        FileErrorKind::IoError
    );
}

// F11
#[tokio::test]
async fn a_run_begins_with_its_sections_and_is_never_made_twice() {
    let (folder, hub) = hub();
    let mut events = hub.subscribe();
    let reply = create(&hub, "run-1", "compare rari and dioxus").await;
    assert_eq!(reply.result, FileResult::Created { path: "runs/run-1/draft.md".into() });
    let file = folder.path().join("root/runs/run-1/draft.md");
    let expected = "# compare rari and dioxus\n\n## Conductor\n\n## Researcher\n<!-- proposal -->\n\n## Terminal\n<!-- proposal -->\n\n## User\n<!-- proposal -->\n";
    assert_eq!(std::fs::read_to_string(&file).unwrap(), expected);
    let Some(Event::Changed(changed)) = events.next().await else { panic!("no event") };
    assert_eq!((&*changed.path, changed.kind), ("runs/run-1/draft.md", ChangeKind::Created));
    assert_eq!(kind(&create(&hub, "run-1", "other").await), FileErrorKind::AlreadyExists);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), expected);
    assert_eq!(names(file.parent().unwrap()).len(), 1, "no file is left beside");
}

// F11
#[tokio::test]
async fn of_many_that_make_the_same_run_one_does() {
    let (_folder, hub) = hub();
    let replies = tokio::join!(create(&hub, "r", "a"), create(&hub, "r", "b"), create(&hub, "r", "c"));
    let made = [&replies.0, &replies.1, &replies.2];
    let count = made.iter().filter(|reply| matches!(reply.result, FileResult::Created { .. })).count();
    assert_eq!(count, 1);
}

// F12
#[tokio::test]
async fn any_objective_becomes_a_title_on_one_line() {
    let (folder, hub) = hub();
    let long = "very long ".repeat(1000);
    let objectives = [
        ("a\n## Conductor\nb", "a ## Conductor b"),
        ("# x #", "# x #"),
        ("<!-- hidden", "<!-- hidden"),
        ("<b>x</b> `code` *y*", "<b>x</b> `code` *y*"),
        ("```", "```"),
        ("\u{202e}שלום", "שלום"),
        ("", "Untitled"),
        (" \n\u{200b}", "Untitled"),
        ("&amp; [a](b) \\", "&amp; [a](b) \\"),
        ("---", "---"),
        ("- a\n- b", "- a - b"),
    ];
    for (number, (objective, title)) in objectives.iter().chain(&[(long.as_str(), "")]).enumerate() {
        create(&hub, &format!("r{number}"), objective).await;
        let text =
            std::fs::read_to_string(folder.path().join(format!("root/runs/r{number}/draft.md"))).unwrap();
        let sections = find_sections(&text);
        let titles: Vec<&str> = sections.iter().skip(1).map(|section| section.title.as_str()).collect();
        assert_eq!(titles, ["Conductor", "Researcher", "Terminal", "User"], "{text}");
        assert!(title.is_empty() || sections[0].title == *title, "{text}");
        assert!(text.lines().next().unwrap().chars().count() < 400);
    }
}

// F13
#[tokio::test]
async fn names_of_runs_are_plain_names() {
    let (folder, hub) = hub();
    for run_id in
        ["../x", "a/b", "CON", "com1", "", ".", "..", "a.b", "a b", "é", &"x".repeat(300), "a\\b", "a\0"]
    {
        assert_eq!(kind(&create(&hub, run_id, "x").await), FileErrorKind::PathTraversal, "{run_id:?}");
    }
    assert_eq!(names(&folder.path().join("root")), Vec::<String>::new());
}

#[tokio::test]
async fn a_document_is_opened_once_and_shared_under_all_its_names() {
    let (folder, hub) = hub();
    std::fs::write(folder.path().join("root/a.md"), "## A\n").unwrap();
    let (one, two) = tokio::join!(hub.document("a.md"), hub.document("./a.md"));
    assert_eq!((one.unwrap().path(), two.unwrap().path()), ("a.md", "a.md"));
    assert_eq!(hub.documents(), ["a.md"]);
    let command =
        FileCommand::AppendSection { path: ".//a.md".into(), section: "A".into(), content: "x".into() };
    assert_eq!(hub.execute(command.by(anna())).await.revision, 1);
    hub.shutdown().await;
    assert_eq!(std::fs::read_to_string(folder.path().join("root/a.md")).unwrap(), "## A\nx\n");
    assert_eq!(hub.document("a.md").await.unwrap_err().kind, FileErrorKind::IoError);
}

#[tokio::test]
async fn a_write_makes_a_document_that_is_not_there() {
    let (folder, hub) = hub();
    let command = FileCommand::Write { path: "notes/new.md".into(), content: "# New\n".into() };
    let refused = hub.execute(command.clone().by(Actor::Worker("w".into()))).await;
    assert_eq!(kind(&refused), FileErrorKind::NotFound);
    assert_eq!(hub.execute(command.by(anna())).await.result, FileResult::Written { bytes: 6 });
    assert_eq!(std::fs::read_to_string(folder.path().join("root/notes/new.md")).unwrap(), "# New\n");
}

// C11
#[tokio::test]
async fn two_runs_at_once_do_not_hear_of_each_others_words() {
    let (_folder, hub) = hub();
    create(&hub, "one", "x").await;
    create(&hub, "two", "x").await;
    let mut events = hub.document("runs/one/draft.md").await.unwrap().subscribe();
    for run in ["two", "one"] {
        let (path, content) = (format!("runs/{run}/draft.md"), format!("words of {run}"));
        let command = FileCommand::AppendSection { path, section: "User".into(), content };
        hub.execute(command.by(anna())).await;
    }
    let Some(Event::Changed(changed)) = events.next().await else { panic!("no event") };
    assert_eq!(&*changed.path, "runs/one/draft.md");
    assert!(!hub.document("runs/one/draft.md").await.unwrap().read().text.contains("words of two"));
}

#[tokio::test]
async fn two_names_of_one_file_lead_to_one_owner() {
    let (folder, hub) = hub();
    let root = folder.path().join("root");
    std::fs::create_dir(root.join("notes")).unwrap();
    std::fs::write(root.join("notes/a.md"), "## A\n").unwrap();
    symlink("notes", root.join("alias")).unwrap();
    assert_eq!(hub.document("alias/a.md").await.unwrap().path(), "notes/a.md");
    let command =
        FileCommand::AppendSection { path: "alias/a.md".into(), section: "A".into(), content: "x".into() };
    assert_eq!(hub.execute(command.by(anna())).await.revision, 1);
    assert_eq!(hub.document("notes/a.md").await.unwrap().read().revision, 1);
    assert_eq!(hub.documents(), ["notes/a.md"]);
}

// F22, FT-18
#[tokio::test]
async fn a_document_whose_owner_broke_down_is_opened_again() {
    for waits in [Waits::Aside, Waits::Here] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.md"), "").unwrap();
        let keeper = MemoryKeeper::holding("## A\n");
        let disk = keeper.clone();
        let keepers: KeeperFactory = Arc::new(move |_| {
            disk.with(Disk::forget);
            Ok(Box::new(disk.clone()) as Box<dyn Keeper>)
        });
        let options = move |_: &str| Options { waits, ..Options::default() };
        let hub = Hub::open_root(folder.path(), keepers, Arc::new(options)).unwrap();
        let append = |content: &str| {
            FileCommand::AppendSection { path: "a.md".into(), section: "A".into(), content: content.into() }
                .by(anna())
        };
        hub.execute(append("one")).await;
        keeper.with(|disk| disk.faults.push_back(Fault::Panic));
        assert_eq!(kind(&hub.execute(append("two")).await), FileErrorKind::IoError);
        assert!(matches!(hub.execute(append("three")).await.result, FileResult::Written { .. }));
        assert_eq!(keeper.file(), "## A\none\n\nthree\n");
        hub.shutdown().await;
    }
}

#[test]
fn a_process_that_does_one_thing_starts_no_thread_for_it() {
    for (waits, is_alone) in [(Waits::Here, true), (Waits::Aside, false)] {
        let threads = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&threads);
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_all().on_thread_start(move || {
            count.fetch_add(1, Ordering::SeqCst);
        });
        runtime.build().unwrap().block_on(async {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("a.md"), "## A\n").unwrap();
            let options = Options { waits, ..Options::default() };
            let hub = workspace::project::open(folder.path(), options).unwrap();
            let append = FileCommand::AppendSection {
                path: "a.md".into(),
                section: "A".into(),
                content: "one".into(),
            };
            assert_eq!(hub.execute(append.by(anna())).await.revision, 1);
            assert_eq!(hub.history("a.md").await.unwrap().entries().len(), 1);
            hub.shutdown().await;
            assert_eq!(std::fs::read_to_string(folder.path().join("a.md")).unwrap(), "## A\none\n");
        });
        assert_eq!(threads.load(Ordering::SeqCst) == 0, is_alone);
    }
}
