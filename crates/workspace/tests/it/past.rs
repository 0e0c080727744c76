//! A random past of a document, with the text after each operation kept beside it.

use document::{Author, Edit};
use workspace::journal::Checkpoint;
use workspace::keeper::{Entry, InFile, Save};

use crate::dice::Dice;

const WORDS: &[&str] = &["word ", "é", "\u{1f600}", "\n", "a line\n", "two\nlines\n", "\r\n", "", "x"];
const AUTHORS: &[&str] = &["ann", "ben", "claude"];
pub(crate) const START: &str = "# Plan\n\nFirst é line.\nSecond line.\n";

pub(crate) struct Past {
    pub(crate) entries: Vec<Entry>,
    /// The text at the beginning and after each operation.
    pub(crate) texts: Vec<String>,
}

impl Past {
    pub(crate) fn random(count: usize, seed: u64) -> Past {
        let mut dice = Dice::new(seed);
        let mut past = Past { entries: Vec::new(), texts: vec![START.to_owned()] };
        let mut revision = 0;
        for number in 0..count {
            let mut text = past.texts.last().unwrap().clone();
            let edits: Vec<Edit> = (0..=dice.below(3)).map(|_| random_edit(&mut dice, &mut text)).collect();
            revision += edits.len() as u64;
            past.entries.push(Entry {
                revision,
                author: Author::new(dice.pick(AUTHORS)),
                time: 1000 + number as u64 * 10,
                section: (dice.below(4) == 0).then(|| "Plan".to_owned()),
                request: (dice.below(2) == 0).then(|| format!("request-{number}")),
                edits,
                file: random_file(&mut dice, revision),
            });
            past.texts.push(text);
        }
        past
    }

    pub(crate) fn checkpoint() -> Checkpoint {
        Checkpoint::new(0, START, &Author::new("owner"), 1000)
    }
}

fn random_file(dice: &mut Dice, revision: u64) -> InFile {
    let save = || Save { edits: vec![Edit { range: 0..0, text: "late\n".to_owned() }], is_displaced: true };
    let written = (dice.below(3) == 0).then_some(revision);
    InFile { written, perhaps: written.map(|_| revision), save: (dice.below(4) == 0).then(save) }
}

fn random_edit(dice: &mut Dice, text: &mut String) -> Edit {
    let (one, other) = (dice.place(text), dice.place(text));
    let start = one.min(other);
    // Mostly short cuts, so that the text lives.
    let mut end = if dice.below(5) == 0 { one.max(other) } else { (start + dice.below(6)).min(text.len()) };
    while !text.is_char_boundary(end) {
        end += 1;
    }
    let inserted: String = (0..dice.below(4)).map(|_| dice.pick(WORDS)).collect();
    text.replace_range(start..end, &inserted);
    Edit { range: start..end, text: inserted }
}
