use document::Author;
use workspace::blame::{BlamedLine, blame};
use workspace::journal::{Checkpoint, edits_between};
use workspace::keeper::{Entry, InFile};

use crate::past::{Past, START};

/// Who wrote each byte, kept the plain way.
fn expected(past: &Past) -> Vec<BlamedLine> {
    let first = (0, "owner".to_owned(), 1000);
    let mut bytes: Vec<(u64, String, u64)> = vec![first; START.len()];
    for entry in &past.entries {
        let who = (entry.revision, entry.author.name().to_owned(), entry.time);
        for edit in &entry.edits {
            bytes.splice(edit.range.clone(), vec![who.clone(); edit.text.len()]);
        }
    }
    let mut lines = Vec::new();
    let mut at = 0;
    for (index, line) in past.texts.last().unwrap().split_inclusive('\n').enumerate() {
        let content =
            line.strip_suffix('\n').map_or(line, |rest| rest.strip_suffix('\r').unwrap_or(rest)).len();
        let looked = if content == 0 { line.len() } else { content };
        let (revision, author, time) =
            bytes[at..at + looked].iter().max_by_key(|byte| byte.0).unwrap().clone();
        lines.push(BlamedLine { line: index + 1, author: Author::new(author), revision, time });
        at += line.len();
    }
    lines
}

#[test]
fn each_line_has_the_author_that_wrote_its_bytes() {
    for seed in 0..300 {
        let past = Past::random(1 + usize::try_from(seed).unwrap() % 60, seed);
        assert_eq!(blame(&past.entries, &Past::checkpoint()), expected(&past), "seed {seed}");
    }
}

#[test]
fn a_line_put_between_two_others_leaves_them_to_their_author() {
    let checkpoint = Checkpoint::new(0, "one\nthree\n", &Author::new("ann"), 1);
    let entry = Entry {
        revision: 1,
        author: Author::new("ben"),
        time: 2,
        section: None,
        request: None,
        edits: edits_between("one\nthree\n", "one\ntwo\nthree\n"),
        file: InFile::default(),
    };
    let lines = blame(&[entry], &checkpoint);
    let names: Vec<&str> = lines.iter().map(|line| line.author.name()).collect();
    assert_eq!(names, ["ann", "ben", "ann"]);
}

#[test]
fn an_empty_text_has_no_lines() {
    assert_eq!(blame(&[], &Checkpoint::new(0, "", &Author::new("ann"), 1)), []);
}
