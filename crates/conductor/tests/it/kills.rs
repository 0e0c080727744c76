//! R01: a process that works on a run is killed at a hundred points, while it makes the run, while workers write, and while the canon
//! is written. The process is this test binary, run again.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use conductor::draft::Draft;
use conductor::limits::Limits;
use conductor::plan::ItemState;
use conductor::record::Record;
use conductor::role::Role;
use conductor::status::Status;

use crate::puppet::{Asked, Puppet, Said, append, finished};
use crate::stage::{Cast, Stage};

const MARK: &str = "CONDUCTOR_TEST_CHILD";
const WORKERS: usize = 8;
/// Findings of each worker; each is a turn, and so is each end.
const FINDINGS: usize = 25;
const KILLS: usize = 50;
/// Set if two workers with one finding each are enough.
const SMALL: &str = "CONDUCTOR_TEST_SMALL";

/// How much is to be done.
#[derive(Clone, Copy)]
struct Scale {
    workers: usize,
    findings: usize,
}

impl Scale {
    const LARGE: Scale = Scale { workers: WORKERS, findings: FINDINGS };
    /// The workers whose sections every run has, so that a run is whole as soon as its document is there.
    const SMALL: Scale = Scale { workers: 2, findings: 1 };

    fn names(self) -> Vec<String> {
        match self.workers {
            2 => ["Researcher", "Terminal"].map(str::to_owned).into(),
            more => (0..more).map(|number| format!("W{number}")).collect(),
        }
    }
}

/// A small generator: the same points each time are enough of a chance.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// A worker that looks what stands in its section and goes on from there. What was acknowledged to it is printed.
fn counting(asked: &Asked, told: &Mutex<BTreeSet<String>>, findings: usize) -> Said {
    let draft = Draft::new(&asked.document(), 0);
    let aim = asked.attribute("aim");
    let line = |number: usize| format!("{} {aim} {number:02}.", asked.worker);
    let shown = draft.section(&asked.worker).unwrap_or_default();
    let before = (0..findings).take_while(|number| shown.contains(&line(*number))).count();
    let mut next = before;
    for (tool, _, failed) in &asked.steps {
        if tool == "AppendSection" && !failed {
            // The owner has said that it is written.
            if told.lock().unwrap().insert(line(next)) {
                println!("ack {}", line(next));
            }
            next += 1;
        }
    }
    match (next < findings, asked.done("Finished")) {
        (true, _) => append(asked, &line(next)),
        (false, 0) => finished("all findings"),
        _ => Said::Words("Done.".to_owned()),
    }
}

fn cast(scale: Scale) -> Cast {
    let told = Arc::new(Mutex::new(BTreeSet::new()));
    let role = |name: String| Role { name, ..Role::researcher() };
    let roles = scale.names().into_iter().map(role).collect();
    let limits = Limits { turns_max: 100_000, attempts_max: 1000, ..Limits::default() };
    Cast { roles, limits, ..Cast::new(Puppet::new(move |asked| counting(asked, &told, scale.findings))) }
}

#[test]
fn the_process_that_is_killed() {
    let Some(folder) = std::env::var_os(MARK) else { return };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let scale = if std::env::var_os(SMALL).is_some() { Scale::SMALL } else { Scale::LARGE };
        let stage = Stage::of(Path::new(&folder), &cast(scale));
        println!("begun");
        let known = stage.runs.list(0, 10).await.unwrap();
        let id = match known.first() {
            None => {
                let names = scale.names();
                let workers: Vec<&str> = names.iter().map(String::as_str).collect();
                stage.start_with("count", &workers).await
            }
            Some(run) => stage.runs.resume(&run.id).await.unwrap().id,
        };
        println!("ready {id}");
        let record = stage.ended(&id).await;
        println!("end {}", record.status.words());
        stage.runs.close().await;
        stage.documents.close().await;
    });
}

/// The process, begun in this folder.
fn begin(folder: &Path, scale: Scale) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    if scale.workers == Scale::SMALL.workers {
        command.env(SMALL, "1");
    }
    command.args(["--exact", "kills::the_process_that_is_killed", "--nocapture"]).env(MARK, folder);
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn r01_a_run_of_eight_workers_that_is_killed_at_fifty_points_loses_and_doubles_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged: BTreeSet<String> = BTreeSet::new();
    let mut status = None;
    let mut chance = Chance(0x2545_f491_4f6c_dd1d);
    for kill in 0..=KILLS {
        let mut child = begin(folder.path(), Scale::LARGE);
        let patience = if kill < KILLS { usize::try_from(chance.below(7)).unwrap() } else { usize::MAX };
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut seen = 0;
        for line in lines.map_while(Result::ok) {
            if let Some(line) = line.strip_prefix("ack ") {
                acknowledged.insert(line.to_owned());
            }
            if let Some(ended) = line.strip_prefix("end ") {
                status = Some(ended.to_owned());
            }
            seen += usize::from(line.starts_with("ack ") || line.starts_with("ready "));
            if seen > patience {
                break;
            }
        }
        child.kill().unwrap();
        child.wait().unwrap();
        check_halfway(folder.path(), Scale::LARGE);
        if kill >= KILLS {
            break;
        }
        assert!(status.is_none(), "the run was over after {kill} kills");
    }
    assert_eq!(status.as_deref(), Some("completed"));
    check_whole(folder.path(), Scale::LARGE, &acknowledged);
}

/// Kills processes a moment after they say `word`, each in a folder of its own, and has another one finish the work.
fn killed_after(word: &str, kills: u64, longest: Duration) {
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let mut unfinished = 0;
    for _ in 0..kills {
        let folder = tempfile::tempdir().unwrap();
        let mut acknowledged = BTreeSet::new();
        let mut child = begin(folder.path(), Scale::SMALL);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        for line in lines.by_ref() {
            acknowledged.extend(line.strip_prefix("ack ").map(str::to_owned));
            if line.starts_with(word) {
                break;
            }
        }
        std::thread::sleep(Duration::from_micros(chance.below(longest.as_micros().try_into().unwrap())));
        child.kill().unwrap();
        child.wait().unwrap();
        let rest: Vec<String> = lines.collect();
        acknowledged.extend(rest.iter().filter_map(|line| line.strip_prefix("ack ").map(str::to_owned)));
        unfinished += usize::from(!rest.iter().any(|line| line.starts_with("end ")));
        check_halfway(folder.path(), Scale::SMALL);
        let output = begin(folder.path(), Scale::SMALL).wait_with_output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains("end completed"), "{said}");
        acknowledged.extend(said.lines().filter_map(|line| line.strip_prefix("ack ").map(str::to_owned)));
        check_whole(folder.path(), Scale::SMALL, &acknowledged);
    }
    assert!(unfinished > 0, "all processes had ended before they were killed");
}

#[test]
fn r01_a_process_that_is_killed_while_it_makes_a_run_leaves_none_or_a_whole_one() {
    killed_after("begun", 25, Duration::from_millis(60));
}

#[test]
fn r01_a_process_that_is_killed_while_the_canon_is_written_leaves_one_canon_in_the_end() {
    killed_after("ack ", 25, Duration::from_millis(60));
}

fn read(folder: &Path) -> Option<(String, Record)> {
    // A folder without a document is what is left of a run that nobody was told of; it is in no list.
    let folders = std::fs::read_dir(folder.join("runs")).ok()?.map(|entry| entry.unwrap().path());
    let runs: Vec<_> = folders.filter(|run| run.join("draft.md").is_file()).collect();
    assert!(runs.len() <= 1, "{runs:?}");
    let run = runs.first()?;
    let text = std::fs::read_to_string(run.join("draft.md")).unwrap();
    let record = std::fs::read(run.join("run.json")).ok()?;
    Some((text, serde_json::from_slice(&record).expect("the record is always whole")))
}

/// After each kill the document is whole and the record can be read.
fn check_halfway(folder: &Path, scale: Scale) {
    let Some((text, record)) = read(folder) else { return };
    let titles = Draft::new(&text, 0).titles();
    assert!(scale.names().iter().all(|name| titles.contains(name)), "{titles:?}");
    assert_eq!(titles.iter().collect::<BTreeSet<_>>().len(), titles.len(), "{titles:?}");
    assert_eq!(record.objective, "count");
}

fn check_whole(folder: &Path, scale: Scale, acknowledged: &BTreeSet<String>) {
    let (text, record) = read(folder).unwrap();
    assert_eq!(record.status, Status::Completed);
    assert!(record.plan.iter().all(|item| item.state == ItemState::Done), "{record:#?}");
    let draft = Draft::new(&text, 0);
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for name in scale.names() {
        for line in draft.section(&name).unwrap().lines().filter(|line| !line.is_empty()) {
            *count.entry(line.to_owned()).or_default() += 1;
        }
    }
    let missing: Vec<&String> = acknowledged.iter().filter(|line| !count.contains_key(*line)).collect();
    assert!(missing.is_empty(), "acknowledged and not there: {missing:?}");
    let doubled: Vec<_> = count.iter().filter(|(_, count)| **count != 1).collect();
    assert!(doubled.is_empty(), "{doubled:?}");
    assert_eq!(count.len(), scale.workers * scale.findings * 2, "every finding of both rounds");
    let canon = draft.canon();
    assert!(scale.names().iter().all(|name| canon.contains(&format!("**{name}**"))), "{text}\n{record:#?}");
}
