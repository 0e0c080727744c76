//! Sessions that outlive the process: saved and loaded while peers are away. Never trusts the text alone; each peer's own must agree.

use document::{Author, Document};

use crate::random::Random;
use crate::web_peer::WebPeer;

const WORDS: &[&str] = &["plan ", "für ", "日本語\n", "🦀 ", "a\n", "- item\n"];

fn restarted(document: &Document) -> Document {
    let again = Document::decode(&document.encode()).unwrap();
    assert_eq!(again.text(), document.text());
    assert_eq!(again.epoch(), document.epoch());
    assert_eq!(again.provenance(), document.provenance());
    again
}

/// Replaces some characters at some place by a word or a long passage.
fn edit(document: &mut Document, random: &mut Random, author: &Author) {
    let text = document.text();
    let start = text.floor_char_boundary(random.below(text.len() + 1));
    let end = text.ceil_char_boundary((start + random.below(30)).min(text.len()));
    let word = WORDS[random.below(WORDS.len())];
    let words = if random.chance(5) { word.repeat(2000) } else { word.to_owned() };
    document.edit(start..end, &words, author).unwrap();
}

#[test]
fn peers_and_documents_agree_through_any_number_of_restarts() {
    let authors = [Author::new("anna"), Author::new("agent")];
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut document = Document::open("Ein Anfang — 日本語 🦀.\n".repeat(400), &authors[0]);
        document.open_session();
        let peer = WebPeer::join(&document, 77, "web");
        for _ in 0..40 {
            match random.below(4) {
                0 => document = restarted(&document),
                1 => {
                    let place: usize = peer.text().chars().take(random.below(8)).map(char::len_utf16).sum();
                    peer.sends(&peer.types(place as u32, "w"), &mut document).unwrap();
                }
                _ => {
                    let author = &authors[random.below(2)];
                    edit(&mut document, &mut random, author);
                }
            }
            document.drain_updates().iter().for_each(|update| peer.hear(update));
            assert_eq!(peer.text(), document.text(), "seed {seed}");
        }
        assert_eq!(WebPeer::join(&document, 78, "new").text(), document.text(), "seed {seed}");
    }
}

#[test]
fn a_peer_that_comes_back_late_gets_all_that_was_written_since_the_restart() {
    let agent = Author::new("agent");
    let mut document = Document::open("# Plan\n", &agent);
    document.open_session();
    let peer = WebPeer::join(&document, 77, "web");
    let update = peer.types(0, "> ");
    let mut document = restarted(&document);
    for number in 0..1500 {
        let end = document.text().len();
        document.edit(end..end, &format!("line {number}\n"), &agent).unwrap();
    }
    let mut document = restarted(&document);
    peer.sends(&update, &mut document).unwrap();
    peer.hear(&document.update_since(None).unwrap());
    assert_eq!(peer.text(), document.text());
    assert!(document.text().starts_with("> # Plan\nline 0\n") && document.text().ends_with("line 1499\n"));
}
