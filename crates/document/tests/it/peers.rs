//! Everyone at once: people with fresh and stale editors, agents that stream, and web peers, in random order.

use std::collections::{HashMap, HashSet, VecDeque};

use document::{Anchor, Author, Document};

use crate::random::{Random, Words};
use crate::web_peer::WebPeer;

const SEQUENCES: u64 = 2_000;
const STEPS: usize = 50;

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
}

/// A web peer, and what it has not heard yet.
struct Peer {
    peer: WebPeer,
    inbox: VecDeque<Vec<u8>>,
}

struct World {
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
}

impl World {
    fn new(seed: u64) -> World {
        let (mut random, mut words) = (Random::new(seed), Words::default());
        let mut file = String::from("# Title\n\n");
        for _ in 0..random.between(3, 12) {
            file.push_str(&words.line(&mut random, 'b').text());
            file.push_str(if random.chance(25) { "\n\n" } else { "\n" });
        }
        let mut document = Document::open(&file, &Author::new("base"));
        let agents =
            (0..random.between(1, 2)).map(|number| agent(number, &mut document, &mut random)).collect();
        let written = file.split_whitespace().map(str::to_owned).collect();
        World {
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
        for _ in 0..self.random.between(1, 4) {
            let word = self.words.next('a');
            text.push_str(&word);
            text.push_str(if self.random.chance(25) { "\n" } else { " " });
            self.written.insert(word);
        }
        let Agent { anchor, author } = &self.agents[at];
        self.document.insert_at(*anchor, &text, author).unwrap();
        self.broadcast();
    }

    /// The file is read and taken in, then written, as the owner of the file does it.
    fn flush(&mut self) {
        let (file, saver) = (self.file.clone(), self.saver.clone());
        self.document.absorb(&file, &saver);
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
        let editor = &mut self.editors[at];
        let mut lines: Vec<String> = editor.buffer.split_inclusive('\n').map(str::to_owned).collect();
        let place = self.random.below(lines.len() + 1);
        editor.is_dirty = true;
        let solid: Vec<usize> = (0..lines.len()).filter(|&line| !lines[line].trim().is_empty()).collect();
        match self.random.below(10) {
            0..=4 => {
                let word = self.words.next('p');
                self.written.insert(word.clone());
                if place > 0 && !lines[place - 1].ends_with('\n') {
                    lines[place - 1].push('\n');
                }
                lines.insert(place, format!("{word}\n"));
            }
            5..=8 if !solid.is_empty() => {
                let line = *self.random.pick(&solid);
                let word = self.words.next('p');
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
            self.lines_deleted += 1;
            self.watched.push(line);
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
        let word = self.words.next('w');
        self.written.insert(word.clone());
        let peer = &self.peers[at].peer;
        let seen = peer.text();
        let mut borders: Vec<usize> = seen.match_indices('\n').map(|(at, _)| at + 1).collect();
        borders.push(0);
        let border = *self.random.pick(&borders);
        let unit = seen[..border].encode_utf16().count() as u32;
        let update = peer.types(unit, &format!("{word}\n"));
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
        for word in self.document.text().split_whitespace() {
            *counts.entry(word).or_insert(0) += 1;
        }
        counts.values().filter(|&&count| count > 1).count()
    }
}

fn agent(number: usize, document: &mut Document, random: &mut Random) -> Agent {
    let mut places: Vec<usize> = document.text().match_indices('\n').map(|(at, _)| at + 1).collect();
    places.retain(|&at| at > 0);
    let at = *random.pick(&places);
    Agent { author: Author::new(format!("agent-{number}")), anchor: document.anchor_at(at).unwrap() }
}

#[test]
fn nobody_loses_a_word_and_all_end_with_the_same_text() {
    let (mut deleted, mut back, mut words, mut doubled) = (0, 0, 0, 0);
    for seed in 0..SEQUENCES {
        let mut world = World::new(seed);
        for _ in 0..STEPS {
            world.step();
        }
        world.settle(seed);
        let lost = world.lost();
        assert!(lost.is_empty(), "seed {seed}: lost {lost:?}\n{}", world.document.text());
        deleted += world.lines_deleted;
        back += world.lines_back;
        words += world.written.len();
        doubled += world.doubled();
    }
    println!("{back} of {deleted} deleted lines came back; {doubled} of {words} words stand twice");
    assert!(back * 50 <= deleted, "{back} of {deleted} deleted lines came back");
    assert!(doubled * 50 <= words, "{doubled} of {words} words stand twice");
}
