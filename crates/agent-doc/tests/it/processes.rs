//! Many processes write one document: through the daemon, by the lock, and while one takes over from the other.

use std::process::Output;

use crate::child;
use crate::scratch::{Scratch, told};

const PROCESSES: usize = 8;
const APPENDS: usize = 100;
const START: &str = "# Run\n\n## Log\n\n## End\n";

fn run_all(scratch: &Scratch) -> Vec<Output> {
    std::thread::scope(|scope| {
        let run = |process: usize| {
            let appends = (0..APPENDS).map(move |number| {
                let line = format!("process {process} line {number} is whole");
                scratch.run(&["section", "append", "draft.md", "Log", &line])
            });
            appends.collect::<Vec<Output>>()
        };
        let workers: Vec<_> = (0..PROCESSES).map(|process| scope.spawn(move || run(process))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    })
}

/// Each line is there exactly once, whole, and those of one process are in their order.
fn check(scratch: &Scratch, outputs: &[Output]) {
    for output in outputs {
        assert!(output.status.success(), "{}", told(output));
    }
    let text = scratch.read("draft.md");
    let log = text.split_once("## Log\n").unwrap().1.split_once("## End\n").unwrap().0;
    let mut lines: Vec<&str> = log.lines().filter(|line| !line.is_empty()).collect();
    for process in 0..PROCESSES {
        let start = format!("process {process} ");
        let own: Vec<&str> = lines.iter().copied().filter(|line| line.starts_with(&start)).collect();
        let wanted: Vec<String> =
            (0..APPENDS).map(|number| format!("{start}line {number} is whole")).collect();
        assert_eq!(own, wanted);
    }
    println!("{} appends of {PROCESSES} processes, {} lines", outputs.len(), lines.len());
    lines.retain(|line| !line.starts_with("process "));
    assert_eq!((lines, scratch.names()), (vec![], vec![".agent-doc".to_owned(), "draft.md".to_owned()]));
    let history = told(&scratch.run(&["history", "draft.md", "--json"]));
    assert_eq!(history.matches("\"revision\"").count(), PROCESSES * APPENDS);
}

#[test]
fn appends_of_many_processes_are_forwarded_to_the_daemon_each_once() {
    let scratch = Scratch::with(&[("draft.md", START)]);
    let daemon = child::own(&scratch.path(""));
    let outputs = run_all(&scratch);
    drop(daemon);
    check(&scratch, &outputs);
}

#[test]
fn appends_of_many_processes_take_the_lock_one_after_another() {
    let scratch = Scratch::with(&[("draft.md", START)]);
    let outputs = run_all(&scratch);
    check(&scratch, &outputs);
}

#[test]
fn a_request_of_the_same_name_is_done_once_whoever_owns_the_document() {
    let scratch = Scratch::with(&[("draft.md", START)]);
    let append = || told(&scratch.run(&["section", "append", "draft.md", "Log", "Once.", "--request", "a1"]));
    let first = append();
    assert!(first.starts_with("exit 0"), "{first}");
    assert_eq!(append(), first);
    let daemon = child::own(&scratch.path(""));
    assert_eq!(append(), first);
    let edit = ["section", "edit", "draft.md", "Log", "--old", "Once.", "--new", "Just once."];
    assert!(scratch.run(&edit).status.success());
    let refused = told(&scratch.run(&["section", "append", "draft.md", "Logg", "Nowhere."]));
    assert!(refused.starts_with("exit 2\n! error: draft.md: ") && refused.contains("\"Log\""), "{refused}");
    drop(daemon);
    assert_eq!(append(), first);
    assert_eq!(scratch.read("draft.md").matches("once.").count(), 1);
}
