//! Documents that are answered when they are saved, by editors of all kinds.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent::StreamController;
use tempfile::TempDir;
use workspace::session::agent::{Agent, Answering, Ask, Said, Tell};
use workspace::session::turn::{Git, Manner};
use workspace::session::watching::{self, Event, Options, State, status};

/// How long a test waits for something that must happen, in steps.
const STEPS_MAX: usize = 4000;
const STEP: Duration = Duration::from_millis(5);
const APPEND: &str = "---\nsession: a\nagent_doc_mode: append\n---\n## User\n\n";
const STREAM: &str =
    "---\nsession: a\nagent_doc_mode: stream\n---\n<!-- agent:exchange -->\n<!-- /agent:exchange -->\n";

/// Answers with a number, and may save the document itself in the middle of that.
struct Counting {
    asked: Mutex<Vec<String>>,
    meddles: Option<PathBuf>,
}

impl Agent for Counting {
    fn name(&self) -> &str {
        "counting"
    }

    fn answer<'a>(&'a self, ask: Ask, _stop: StreamController, tell: &'a mut Tell) -> Answering<'a> {
        let number = {
            let mut asked = self.asked.lock().unwrap();
            asked.push(ask.prompt);
            asked.len()
        };
        if let Some(path) = &self.meddles {
            let text = std::fs::read_to_string(path).unwrap();
            std::fs::write(path, format!("{text}\nI was here, number {number}.\n")).unwrap();
        }
        tell(Said::Text(format!("Answer {number}.\n")));
        Box::pin(async { Ok(()) })
    }
}

struct Watched {
    folder: TempDir,
    agent: Arc<Counting>,
    stop: StreamController,
    task: tokio::task::JoinHandle<()>,
    told: Arc<Mutex<Vec<String>>>,
}

impl Watched {
    async fn begin(files: &[(&str, &str)], meddles: Option<&str>) -> Watched {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".agent-doc")).unwrap();
        for (name, text) in files {
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let root = folder.path().canonicalize().unwrap();
        let meddles = meddles.map(|name| root.join(name));
        let agent = Arc::new(Counting { asked: Mutex::default(), meddles });
        let (stop, told) = (StreamController::new(), Arc::new(Mutex::new(Vec::new())));
        let (ends, tells, answers) = (stop.clone(), Arc::clone(&told), Arc::clone(&agent));
        let task = tokio::spawn(async move {
            let mut tell = |event: Event| tells.lock().unwrap().push(format!("{event:?}"));
            watching::watch(&root, &[], options(answers), ends, &mut tell).await.unwrap();
        });
        let watched = Watched { folder, agent, stop, task, told };
        watched
            .until("it watches", || {
                watched.told.lock().unwrap().iter().any(|told| told.starts_with("Watching"))
            })
            .await;
        watched
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    fn asked(&self) -> usize {
        self.agent.asked.lock().unwrap().len()
    }

    async fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        for _ in 0..STEPS_MAX {
            if is_so() {
                return;
            }
            tokio::time::sleep(STEP).await;
        }
        panic!("{what}: never; told {:#?}", self.told.lock().unwrap());
    }

    /// Waits until the document is answered so often, and nobody works on it.
    async fn answered(&self, name: &str, count: u64) {
        let root = self.folder.path().canonicalize().unwrap();
        let is_so = || {
            let status = status(&root).unwrap_or_default();
            status.documents.get(name).is_some_and(|one| one.answered == count && one.state == State::Idle)
        };
        self.until(&format!("{name} answered {count} times"), is_so).await;
    }

    /// Waits for the state of a document.
    async fn state(&self, name: &str, is_it: impl Fn(&State) -> bool) {
        let root = self.folder.path().canonicalize().unwrap();
        let is_so =
            || status(&root).unwrap_or_default().documents.get(name).is_some_and(|one| is_it(&one.state));
        self.until(&format!("{name} in that state"), is_so).await;
    }

    /// Has another document saved and answered, so that everything that was saved before it has been looked at.
    async fn everything_is_seen(&self, round: usize) {
        let name = format!("other-{round}.md");
        std::fs::write(self.path(&name), format!("{APPEND}And this?\n")).unwrap();
        self.answered(&name, 1).await;
    }

    async fn end(self) {
        self.stop.abort();
        self.task.await.unwrap();
        assert!(status(self.folder.path()).is_none());
    }
}

fn options(agent: Arc<Counting>) -> Options {
    Options {
        debounce: Duration::from_millis(50),
        // Long enough that a test can save again before the second look.
        recheck: Duration::from_secs(2),
        max_cycles: 3,
        agent: Arc::new(move |_, _| Ok(Arc::clone(&agent) as Arc<dyn Agent>)),
        manner: Arc::new(|pace| {
            static TURNS: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
            let turn = TURNS.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let id = format!("turn-{turn}");
            Manner {
                model: None,
                git: Git::Off,
                pace,
                target: None,
                by: "a test",
                stamp: String::new(),
                id,
                now: turn,
            }
        }),
        clock: || 1,
    }
}

/// Saves as editors do.
fn save(path: &Path, text: &str, by_rename: bool) {
    if by_rename {
        let beside = path.with_extension("md~new");
        std::fs::write(&beside, text).unwrap();
        std::fs::rename(beside, path).unwrap();
    } else {
        std::fs::write(path, text).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_edits_in_a_row_are_answered_once_each_however_they_are_saved() {
    let watched = Watched::begin(&[("notes.md", APPEND)], None).await;
    for number in 1..=10_u64 {
        let text = watched.read("notes.md") + &format!("Question {number}?\n");
        save(&watched.path("notes.md"), &text, number % 2 == 0);
        watched.answered("notes.md", number).await;
    }
    watched.everything_is_seen(0).await;
    let text = watched.read("notes.md");
    for number in 1..=10 {
        assert_eq!(text.matches(&format!("Question {number}?")).count(), 1, "{text}");
        assert_eq!(text.matches(&format!("Answer {number}.")).count(), 1, "{text}");
    }
    assert_eq!(watched.asked(), 11);
    watched.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_document_is_answered_in_its_component() {
    let watched = Watched::begin(&[("notes.md", STREAM)], None).await;
    for number in 1..=3_u64 {
        let text =
            watched.read("notes.md").replace("<!-- /agent", &format!("Question {number}?\n<!-- /agent"));
        save(&watched.path("notes.md"), &text, false);
        watched.answered("notes.md", number).await;
    }
    let text = watched.read("notes.md");
    assert!(text.ends_with("Question 1?\n\nAnswer 1.\nQuestion 2?\n\nAnswer 2.\nQuestion 3?\n\nAnswer 3.\n<!-- /agent:exchange -->\n"), "{text}");
    watched.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_blank_lines_and_what_was_there_before_trigger_nobody() {
    let before = format!("{APPEND}Asked before anybody watched.\n");
    let watched = Watched::begin(&[("notes.md", &before), ("plain.md", "# No session\n")], None).await;
    watched.everything_is_seen(0).await;
    assert_eq!(watched.asked(), 1, "only the other document");
    save(&watched.path("plain.md"), "# No session\n\nMore.\n", false);
    watched.everything_is_seen(1).await;
    assert_eq!(watched.asked(), 2);

    save(&watched.path("notes.md"), &format!("{before}And now?\n"), false);
    watched.answered("notes.md", 1).await;
    let text = watched.read("notes.md");
    for (round, more) in ["<!-- my thoughts -->\n", "\n\n", "[//]: # (later)\n"].into_iter().enumerate() {
        save(&watched.path("notes.md"), &(text.clone() + more), round % 2 == 0);
        watched.everything_is_seen(2 + round).await;
    }
    assert_eq!(watched.asked(), 3 + 3);
    watched.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_changes_the_document_itself_goes_round_three_times_and_a_person_begins_anew() {
    let watched = Watched::begin(&[("notes.md", APPEND)], Some("notes.md")).await;
    save(&watched.path("notes.md"), &format!("{APPEND}Begin!\n"), false);
    watched.state("notes.md", |state| matches!(state, State::Skipped(_))).await;
    assert_eq!(watched.asked(), 4);
    let text = watched.read("notes.md") + "Again!\n";
    save(&watched.path("notes.md"), &text, false);
    watched.until("it goes on", || watched.asked() == 8).await;
    watched.state("notes.md", |state| matches!(state, State::Skipped(_))).await;
    assert_eq!(watched.asked(), 8);
    watched.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn half_a_sentence_and_a_single_letter_are_waited_for() {
    let watched = Watched::begin(&[("notes.md", STREAM)], None).await;
    let with = |words: &str| STREAM.replace("<!-- /agent", &format!("{words}\n<!-- /agent"));
    for (words, rest) in
        [("S", "Save as a draft."), ("Please look at the first", "Please look at the first file.")]
    {
        let before = watched.asked();
        save(&watched.path("notes.md"), &with(words), false);
        watched.state("notes.md", |state| *state == State::Waiting).await;
        save(&watched.path("notes.md"), &with(rest), false);
        watched.until("it is answered", || watched.asked() == before + 1).await;
        watched.state("notes.md", |state| *state == State::Idle).await;
        let asked = watched.agent.asked.lock().unwrap().last().cloned().unwrap();
        assert!(asked.contains(rest), "{asked}");
    }
    watched.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_watchers_of_one_project_are_one_too_many() {
    let watched = Watched::begin(&[("notes.md", APPEND)], None).await;
    let root = watched.folder.path().canonicalize().unwrap();
    let agent = Arc::clone(&watched.agent);
    let second = watching::watch(&root, &[], options(agent), StreamController::new(), &mut |_| {}).await;
    assert!(second.unwrap_err().to_string().contains("owns the documents of this project already"));
    watched.end().await;
}
