//! Everyone at once: people with fresh and stale editors, agents that stream, and web peers, in random order.

use std::collections::{HashMap, HashSet, VecDeque};

use document::{Anchor, Author, Document};

use crate::random::{Random, Words};
use crate::web_peer::WebPeer;

const SEQUENCES: u64 = 2_000;
const STEPS: usize = 50;

/// How the lines of a document look. Each has a word that stands nowhere else, so that a test knows what must survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// No two lines share a word.
    Prose,
    /// Entries of a list that differ in one word.
    List,
    Log,
    Table,
    /// Open tasks, and boxes with nothing behind them, which are equal.
    Tasks,
    /// Entries that differ in a number.
    Numbers,
}

impl Kind {
    fn word(self, words: &mut Words, owner: char) -> String {
        match self {
            Kind::Numbers => words.number().to_string(),
            Kind::Prose | Kind::List | Kind::Log | Kind::Table | Kind::Tasks => words.next(owner),
        }
    }

    /// The line that a word stands in.
    fn around(self, word: &str) -> String {
        match self {
            Kind::Prose => word.to_owned(),
            Kind::List => format!("- item {word} of the list"),
            Kind::Log => format!("2026-11-16 12:00 INFO request {word} was served in 3 ms"),
            Kind::Table => format!("| row | {word} | done |"),
            Kind::Tasks => format!("- [ ] {word}"),
            Kind::Numbers => format!("Step {word} as before"),
        }
    }

    /// A line of its own that other lines may be equal to.
    fn equal(self) -> Option<&'static str> {
        match self {
            Kind::Tasks => Some("- [ ]\n"),
            Kind::Table => Some("| --- | --- | --- |\n"),
            Kind::Prose | Kind::List | Kind::Log | Kind::Numbers => None,
        }
    }
}

/// A person's editor: a buffer that was loaded at some time, and maybe edited since.
#[derive(Default)]
struct Editor {
    buffer: String,
    is_dirty: bool,
    /// What this person deleted in the buffer since it was loaded or saved.
    deleted: Vec<String>,
}

struct Agent {
    author: Author,
    anchor: Anchor,
    /// What it has yet to write of its line.
    rest: VecDeque<String>,
}

/// A web peer, and what it has not heard yet.
struct Peer {
    peer: WebPeer,
    inbox: VecDeque<Vec<u8>>,
}

struct World {
    kind: Kind,
    random: Random,
    words: Words,
    document: Document,
    file: String,
    /// Who wrote the file last.
    saver: Author,
    editors: Vec<Editor>,
    agents: Vec<Agent>,
    peers: Vec<Peer>,
    next_client: u64,
    written: HashSet<String>,
    deleted: HashSet<String>,
    lines_deleted: usize,
    lines_back: usize,
    watched: Vec<String>,
    /// What a save took away that nobody had deleted, even if it came back later.
    vanished: Vec<String>,
}

impl World {
    fn new(seed: u64, kind: Kind) -> World {
        let (mut random, mut words) = (Random::new(seed), Words::default());
        let mut file = String::from("# Title\n\n");
        for _ in 0..random.between(3, 12) {
            match kind {
                Kind::Prose => file.push_str(&words.line(&mut random, 'b').text()),
                alike => file.push_str(&alike.around(&alike.word(&mut words, 'b'))),
            }
            file.push_str(if random.chance(25) { "\n\n" } else { "\n" });
        }
        let mut document = Document::open(&file, &Author::new("base"));
        let agents =
            (0..random.between(1, 2)).map(|number| agent(number, &mut document, &mut random)).collect();
        let written = file.split_whitespace().map(str::to_owned).collect();
        World {
            kind,
            editors: (0..random.between(1, 2))
                .map(|_| Editor { buffer: file.clone(), ..Editor::default() })
                .collect(),
            agents,
            peers: Vec::new(),
            next_client: 1_000,
            written,
            deleted: HashSet::new(),
            lines_deleted: 0,
            lines_back: 0,
            watched: Vec::new(),
            vanished: Vec::new(),
            random,
            words,
            document,
            file,
            saver: Author::new("base"),
        }
    }

    fn step(&mut self) {
        match self.random.below(20) {
            0..=5 => self.agent_streams(),
            6..=7 => self.flush(),
            8 => self.person_loads(),
            9..=11 => self.person_edits(),
            12..=13 => {
                let at = self.random.below(self.editors.len());
                self.person_saves(at);
            }
            14 => self.peer_joins_or_leaves(),
            15..=17 => self.peer_types(),
            _ => self.deliver(),
        }
    }

    fn agent_streams(&mut self) {
        let at = self.random.below(self.agents.len());
        let mut text = String::new();
        for _ in 0..self.random.between(1, if self.kind == Kind::Prose { 4 } else { 12 }) {
            if self.kind == Kind::Prose {
                let end = if self.random.chance(25) { "\n" } else { " " };
                let word = self.words.next('a');
                text.push_str(&format!("{word}{end}"));
                self.written.insert(word);
                continue;
            }
            if self.agents[at].rest.is_empty() {
                let line = self.new_line('a');
                self.agents[at].rest.extend(line.split_inclusive(' ').map(str::to_owned));
            }
            let piece = self.agents[at].rest.pop_front().unwrap();
            self.written.extend(piece.split_whitespace().map(str::to_owned));
            text.push_str(&piece);
        }
        let Agent { anchor, author, .. } = &self.agents[at];
        self.document.insert_at(*anchor, &text, author).unwrap();
        self.broadcast();
    }

    /// A new line of some author, and a few times one that others may be equal to.
    fn new_line(&mut self, owner: char) -> String {
        match self.kind.equal() {
            Some(equal) if self.random.chance(25) => equal.to_owned(),
            _ => format!("{}\n", self.kind.around(&self.kind.word(&mut self.words, owner))),
        }
    }

    /// The file is read and taken in, then written, as the owner of the file does it.
    fn flush(&mut self) {
        let (file, saver) = (self.file.clone(), self.saver.clone());
        let before = self.document.text().to_owned();
        self.document.absorb(&file, &saver);
        let after: HashSet<&str> = self.document.text().split_whitespace().collect();
        let is_gone = |word: &&str| {
            self.written.contains(*word) && !self.deleted.contains(*word) && !after.contains(word)
        };
        let words = before.split_whitespace().chain(file.split_whitespace());
        self.vanished.extend(words.filter(is_gone).map(str::to_owned));
        self.file = self.document.text().to_owned();
        self.document.publish();
        self.broadcast();
    }

    fn person_loads(&mut self) {
        let at = self.random.below(self.editors.len());
        let editor = &mut self.editors[at];
        if !editor.is_dirty {
            editor.buffer = self.file.clone();
        }
    }

    fn person_edits(&mut self) {
        let at = self.random.below(self.editors.len());
        // Most editors load what changed on disk while their buffer is clean.
        if !self.editors[at].is_dirty && self.random.chance(60) {
            self.editors[at].buffer = self.file.clone();
        }
        let (line, word) = (self.new_line('p'), self.kind.word(&mut self.words, 'p'));
        let editor = &mut self.editors[at];
        let mut lines: Vec<String> = editor.buffer.split_inclusive('\n').map(str::to_owned).collect();
        let place = self.random.below(lines.len() + 1);
        editor.is_dirty = true;
        let solid: Vec<usize> = (0..lines.len()).filter(|&line| !lines[line].trim().is_empty()).collect();
        match self.random.below(10) {
            0..=4 => {
                self.written.extend(line.split_whitespace().map(str::to_owned));
                if place > 0 && !lines[place - 1].ends_with('\n') {
                    lines[place - 1].push('\n');
                }
                lines.insert(place, line);
            }
            5..=8 if !solid.is_empty() => {
                let line = *self.random.pick(&solid);
                self.written.insert(word.clone());
                let end = lines[line].trim_end().len();
                lines[line].insert_str(end, &format!(" {word}"));
            }
            _ if !solid.is_empty() => {
                let line = *self.random.pick(&solid);
                editor.deleted.push(lines.remove(line));
            }
            _ => {}
        }
        editor.buffer = lines.concat();
    }

    fn person_saves(&mut self, at: usize) {
        if !self.editors[at].is_dirty {
            return;
        }
        // The owner takes in what stands in the file before it can be saved over; it writes nothing in between.
        self.file = self.editors[at].buffer.clone();
        let editor = &mut self.editors[at];
        editor.is_dirty = false;
        self.saver = Author::new(format!("person-{at}"));
        for line in editor.deleted.drain(..) {
            self.deleted.extend(line.split_whitespace().map(str::to_owned));
            if self.kind.equal() != Some(line.as_str()) {
                self.lines_deleted += 1;
                self.watched.push(line);
            }
        }
        self.flush();
        // A line that someone else changed meanwhile stays in their version; one that nobody touched must be gone.
        let text: HashSet<&str> = self.document.text().lines().map(str::trim).collect();
        let is_back = |line: &String| text.contains(line.trim());
        self.lines_back += self.watched.drain(..).filter(is_back).count();
    }

    fn peer_joins_or_leaves(&mut self) {
        if self.peers.len() < 2 && self.random.chance(70) {
            self.next_client += 1;
            self.document.open_session();
            self.broadcast();
            let name = format!("peer-{}", self.next_client);
            let peer = WebPeer::join(&self.document, self.next_client, &name);
            self.peers.push(Peer { peer, inbox: VecDeque::new() });
        } else if !self.peers.is_empty() {
            self.peers.remove(0);
            if self.peers.is_empty() {
                self.document.close_session();
            }
        }
    }

    /// A web peer types a line at some place of what it sees now.
    fn peer_types(&mut self) {
        if self.peers.is_empty() {
            return;
        }
        let at = self.random.below(self.peers.len());
        let line = self.new_line('w');
        self.written.extend(line.split_whitespace().map(str::to_owned));
        let peer = &self.peers[at].peer;
        let seen = peer.text();
        let mut borders: Vec<usize> = seen.match_indices('\n').map(|(at, _)| at + 1).collect();
        borders.push(0);
        let border = *self.random.pick(&borders);
        let unit = seen[..border].encode_utf16().count() as u32;
        let update = peer.types(unit, &line);
        peer.sends(&update, &mut self.document).unwrap();
        for (other, peer) in self.peers.iter_mut().enumerate() {
            if other != at {
                peer.inbox.push_back(update.clone());
            }
        }
        self.broadcast();
    }

    fn broadcast(&mut self) {
        for update in self.document.drain_updates() {
            for peer in &mut self.peers {
                peer.inbox.push_back(update.clone());
            }
        }
    }

    fn deliver(&mut self) {
        for peer in &mut self.peers {
            while let Some(update) = peer.inbox.pop_front() {
                peer.peer.hear(&update);
            }
        }
    }

    /// Everyone saves, everything is delivered; then all hold the same text.
    fn settle(&mut self, seed: u64) {
        for at in 0..self.editors.len() {
            self.person_saves(at);
        }
        self.flush();
        self.deliver();
        for peer in &self.peers {
            assert_eq!(peer.peer.text(), self.document.text(), "seed {seed}: a peer differs");
        }
        let covered: usize = self.document.provenance().iter().map(|span| span.range.len()).sum();
        assert_eq!(covered, self.document.text().len(), "seed {seed}: every byte has an author");
    }

    fn lost(&self) -> Vec<&String> {
        let text: HashSet<&str> = self.document.text().split_whitespace().collect();
        let must_stand = |word: &&String| !self.deleted.contains(*word);
        self.written.iter().filter(must_stand).filter(|word| !text.contains(word.as_str())).collect()
    }

    fn doubled(&self) -> usize {
        let mut counts: HashMap<&str, usize> = HashMap::new();
        let pattern = self.kind.around("");
        let is_own = |word: &&str| {
            word.contains(char::is_alphanumeric) && !pattern.split_whitespace().any(|common| common == *word)
        };
        for word in self.document.text().split_whitespace().filter(is_own) {
            *counts.entry(word).or_insert(0) += 1;
        }
        counts.values().filter(|&&count| count > 1).count()
    }
}

fn agent(number: usize, document: &mut Document, random: &mut Random) -> Agent {
    let mut places: Vec<usize> = document.text().match_indices('\n').map(|(at, _)| at + 1).collect();
    places.retain(|&at| at > 0);
    let at = *random.pick(&places);
    Agent {
        author: Author::new(format!("agent-{number}")),
        anchor: document.anchor_at(at).unwrap(),
        rest: VecDeque::new(),
    }
}

/// What came of many sequences.
#[derive(Default)]
struct Tally {
    words: usize,
    deleted: usize,
    back: usize,
    doubled: usize,
}

fn check(kind: Kind) {
    let mut tally = Tally::default();
    for seed in 0..SEQUENCES {
        let mut world = World::new(seed, kind);
        for _ in 0..STEPS {
            world.step();
        }
        world.settle(seed);
        let lost = world.lost();
        assert!(lost.is_empty(), "{kind:?}, seed {seed}: lost {lost:?}\n{}", world.document.text());
        assert!(
            world.vanished.is_empty(),
            "{kind:?}, seed {seed}: {:?} was gone for a while",
            world.vanished
        );
        tally.deleted += world.lines_deleted;
        tally.back += world.lines_back;
        tally.words += world.written.len();
        tally.doubled += world.doubled();
    }
    let Tally { words, deleted, back, doubled } = tally;
    assert!(back * 50 <= deleted, "{back} of {deleted} deleted lines came back");
    assert!(doubled * 50 <= words, "{doubled} of {words} words stand twice");
}

#[test]
fn nobody_loses_a_word_and_all_end_with_the_same_text() {
    check(Kind::Prose);
}

#[test]
fn nobody_loses_an_entry_of_a_list() {
    check(Kind::List);
}

#[test]
fn nobody_loses_a_line_of_a_log() {
    check(Kind::Log);
}

#[test]
fn nobody_loses_a_row_of_a_table() {
    check(Kind::Table);
}

#[test]
fn nobody_loses_a_task_among_empty_ones() {
    check(Kind::Tasks);
}

#[test]
fn nobody_loses_a_line_that_differs_in_a_number() {
    check(Kind::Numbers);
}
