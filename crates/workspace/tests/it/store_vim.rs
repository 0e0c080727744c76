//! Real vim against a streaming agent, with both of its ways to save.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use document::{Author, Document};
use workspace::keeper::KeeperError;
use workspace::store::{Options, StoredFile, flush};

use crate::editor::{Dice, missing, sentence};

const SAVES: usize = 60;

/// One vim that loads, adds a line, waits and writes; whether it said that it wrote.
fn vim(path: &Path, backupcopy: &str, line: &str) -> bool {
    let said = path.with_extension("said");
    let command = format!(
        "call append(1, '{line}') | sleep 5m | redir! > {} | silent! write | redir END",
        said.display()
    );
    let status = Command::new("vim")
        .args([
            "-u",
            "NONE",
            "-i",
            "NONE",
            "-n",
            "-E",
            "-s",
            "--cmd",
            &format!("set backupcopy={backupcopy}"),
        ])
        .args(["-c", &command, "-c", "qall!"])
        .arg(path)
        .stdin(std::process::Stdio::null())
        .status();
    status.unwrap();
    std::fs::read_to_string(&said).is_ok_and(|said| said.contains("written"))
}

fn check(backupcopy: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.md");
    std::fs::write(&path, "# Plan\n\nend\n").unwrap();
    let is_over = AtomicBool::new(false);
    let (written, refused, agent_lines) = std::thread::scope(|scope| {
        let editor = scope.spawn(|| {
            let (mut dice, mut written, mut refused) = (Dice::new(3), Vec::new(), 0);
            for number in 0..SAVES {
                let line = sentence("person", number, &mut dice);
                if vim(&path, backupcopy, &line) { written.push(line) } else { refused += 1 }
            }
            is_over.store(true, Ordering::SeqCst);
            (written, refused)
        });
        let (person, agent) = (Author::new("person"), Author::new("agent"));
        let opened = StoredFile::open(&path, Options::default()).unwrap();
        let (mut file, mut in_file) = (opened.file, opened.text);
        let mut document = Document::open(&*in_file, &person);
        let anchor = document.anchor_at(8).unwrap();
        let (mut dice, mut lines) = (Dice::new(5), Vec::new());
        loop {
            let is_last = is_over.load(Ordering::SeqCst);
            if !is_last {
                lines.push(sentence("agent", lines.len(), &mut dice));
                document.insert_at(anchor, &format!("{}\n", lines[lines.len() - 1]), &agent).unwrap();
            }
            match flush(&mut document, &mut in_file, &mut file, &person) {
                Ok(_) if is_last => break,
                Ok(_) | Err(KeeperError::Busy | KeeperError::Gone) => {}
                Err(error) => panic!("{error:?}"),
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let (written, refused) = editor.join().unwrap();
        (written, refused, lines)
    });
    let text = std::fs::read_to_string(&path).unwrap();
    let (lost, agents_lost) = (missing(&text, &written), missing(&text, &agent_lines));
    println!(
        "backupcopy={backupcopy}: vim wrote {} and refused {refused}, the agent wrote {}: {} and {} lost",
        written.len(),
        agent_lines.len(),
        lost.len(),
        agents_lost.len()
    );
    assert!(written.len() > SAVES / 4, "vim wrote only {}", written.len());
    assert_eq!((lost, agents_lost), (vec![], vec![]));
}

// DS-3
#[test]
fn vim_that_writes_in_place_loses_nothing() {
    check("yes");
}

// DS-3
#[test]
fn vim_that_moves_the_file_aside_loses_nothing() {
    check("no");
}
