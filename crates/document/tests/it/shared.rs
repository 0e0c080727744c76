//! Texts that the document and others hold in one copy. Never trusts that they are equal: all that a document knows is compared with
//! one that makes every edit in a text of its own.

use std::sync::Arc;

use document::diff::diff;
use document::{Anchor, Author, Document, Edit};

use crate::random::{Random, Words};

const WORLDS: u64 = 300;
const STEPS: usize = 40;

/// The same document twice: one is given whole texts, the other one their edits.
struct Twins {
    random: Random,
    words: Words,
    whole: Document,
    edited: Document,
    anchors: Vec<(Anchor, Anchor)>,
}

impl Twins {
    fn new(seed: u64) -> Twins {
        let start = "# Plan\n\none é two 日本 three\nfour\n\nend\n";
        let person = Author::new("person");
        Twins {
            random: Random::new(seed),
            words: Words::default(),
            whole: Document::open_shared(Arc::new(start.to_owned()), &person),
            edited: Document::open(start, &person),
            anchors: Vec::new(),
        }
    }

    fn author(&mut self) -> Author {
        Author::new(*self.random.pick(&["person", "agent", "worker"]))
    }

    /// The text with a few lines changed, put in or taken out.
    fn changed(&mut self) -> String {
        let mut lines: Vec<String> = self.whole.text().split_inclusive('\n').map(str::to_owned).collect();
        for _ in 0..self.random.between(1, 4) {
            let at = self.random.below(lines.len() + 1);
            match (self.random.below(4), lines.get_mut(at)) {
                (0, Some(_)) => drop(lines.remove(at)),
                (1 | 2, Some(line)) => {
                    let half = line.floor_char_boundary(line.len() / 2);
                    line.insert_str(half, &format!(" {} ", self.words.next('c')));
                }
                _ => lines.insert(at, format!("{} line\n", self.words.next('n'))),
            }
        }
        lines.concat()
    }

    fn step(&mut self) {
        let author = self.author();
        let new = Arc::new(self.changed());
        let held = Arc::clone(self.whole.shared_text());
        let before = self.whole.text().to_owned();
        match self.random.below(4) {
            0 => {
                assert_eq!(self.whole.absorb_shared(&new, &author), self.edited.absorb(&new, &author));
            }
            1 => {
                let edits = self.whole.become_text(&new, &author);
                assert_eq!(edits, one_by_one(&mut self.edited, &new, &author));
                assert!(Arc::ptr_eq(&new, self.whole.shared_text()));
            }
            2 => {
                let at = before.floor_char_boundary(self.random.below(before.len() + 1));
                self.anchors.push((self.whole.anchor_at(at).unwrap(), self.edited.anchor_at(at).unwrap()));
            }
            _ => {
                let word = self.words.next('w');
                if let Some((whole, edited)) = self.anchors.last().copied() {
                    let edit = self.whole.insert_at(whole, &word, &author).unwrap();
                    assert_eq!(edit, self.edited.insert_at(edited, &word, &author).unwrap());
                }
                self.whole.publish();
                self.edited.publish();
            }
        }
        assert_eq!(*held, before, "a text that others hold was changed");
        self.compare();
    }

    fn compare(&self) {
        let (whole, edited) = (&self.whole, &self.edited);
        assert_eq!(whole.text(), edited.text());
        assert_eq!(whole.provenance(), edited.provenance());
        assert_eq!(whole.revision(), edited.revision());
        assert_eq!(whole.history(), edited.history());
        for version in whole.history() {
            assert_eq!(whole.text_at(version.revision), edited.text_at(version.revision));
        }
        for (a, b) in &self.anchors {
            assert_eq!(whole.position(*a), edited.position(*b));
        }
    }
}

fn one_by_one(document: &mut Document, new: &str, author: &Author) -> Vec<Edit> {
    let hunks = diff(document.text(), new).into_iter().rev();
    hunks.map(|hunk| document.edit(hunk.old, &new[hunk.new], author).unwrap()).collect()
}

#[test]
fn a_text_that_is_taken_whole_is_the_same_as_one_that_is_edited() {
    for seed in 0..WORLDS {
        let mut twins = Twins::new(seed);
        for _ in 0..STEPS {
            twins.step();
        }
        // A session is made of the index alone, so it tells whether the index fits the text.
        twins.whole.open_session();
        let update = twins.whole.update_since(None).unwrap();
        twins.edited.open_session();
        assert_eq!(update.len(), twins.edited.update_since(None).unwrap().len(), "seed {seed}");
    }
}

#[test]
fn a_save_to_which_nothing_comes_is_not_copied() {
    let person = Author::new("person");
    let mut document = Document::open("one\ntwo\n", &person);
    let saved = Arc::new("one\nnew\ntwo\n".to_owned());
    document.absorb_shared(&saved, &person);
    assert!(Arc::ptr_eq(&saved, document.shared_text()));
    document.edit(0..0, "zero\n", &person).unwrap();
    assert_eq!((document.text(), saved.as_str()), ("zero\none\nnew\ntwo\n", "one\nnew\ntwo\n"));
}

#[test]
fn while_peers_are_there_a_whole_text_comes_as_edits_that_they_hear() {
    let (person, agent) = (Author::new("person"), Author::new("agent"));
    let mut document = Document::open("one\ntwo\nthree\n", &person);
    document.open_session();
    document.drain_updates();
    document.become_text(&Arc::new("one and\ntwo\nthree more\n".to_owned()), &agent);
    assert_eq!(document.text(), "one and\ntwo\nthree more\n");
    assert_eq!(document.drain_updates().len(), 2);
}

#[test]
fn a_whole_text_gets_the_documents_line_ending() {
    let person = Author::new("person");
    let mut document = Document::open("one\r\ntwo\r\n", &person);
    let edits = document.become_text(&Arc::new("one\r\nnew\ntwo\r\n".to_owned()), &person);
    assert_eq!(document.text(), "one\r\nnew\r\ntwo\r\n");
    assert_eq!(edits, [Edit { range: 5..5, text: "new\r\n".to_owned() }]);
}
