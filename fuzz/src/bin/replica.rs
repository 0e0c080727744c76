//! Any bytes can be offered as a saved document or as an update of a peer, and so can damaged bytes of a real one.
//! Never lets bad bytes be more than an error: the text stays a text, and somebody wrote each part of it.
#![no_main]

use document::{Author, Document};
use libfuzzer_sys::fuzz_target;

const TEXT: &str = "# Plan\n\nOne 😀 two é.\r\n- three\n";
/// The client number of the updates in the corpus.
const PEER: u64 = 7;

fuzz_target!(|bytes: &[u8]| {
    offer_raw(bytes);
    offer_state(bytes);
    offer_damaged(bytes);
});

fn anna() -> Author {
    Author::new("anna")
}

/// The bytes as they are, to an empty document and to one with text.
fn offer_raw(bytes: &[u8]) {
    for text in ["", TEXT] {
        let mut document = Document::open(text, &anna());
        document.open_session();
        offer(&mut document, bytes, PEER);
        offer(&mut document, bytes, PEER);
    }
    if let Ok(document) = Document::decode(bytes) {
        check(&document);
    }
}

/// A real saved document with some of its bytes changed.
fn offer_state(bytes: &[u8]) {
    let mut document = Document::open(TEXT, &anna());
    if bytes.len().is_multiple_of(2) {
        document.open_session();
    }
    edit(&mut document, bytes, &Author::new("agent"));
    document.publish();
    let anchor = document.anchor_at(0).expect("a text begins somewhere");
    document.insert_at(anchor, "Über 👍🏽\n", &anna()).expect("the anchor is of this document");
    let mut state = document.encode();
    let whole = Document::decode(&state).expect("what was encoded can be decoded");
    assert_eq!(whole.text(), document.text());
    damage(&mut state, bytes);
    if let Ok(document) = Document::decode(&state) {
        check(&document);
        let again = Document::decode(&document.encode()).expect("what was encoded can be decoded");
        assert_eq!(again.text(), document.text());
    }
    check(&Document::resume(&state, TEXT, &anna()));
}

/// Real updates of a peer, first damaged and then whole.
fn offer_damaged(bytes: &[u8]) {
    let mut document = Document::open(TEXT, &anna());
    document.open_session();
    let mut peer = Document::decode(&document.encode()).expect("what was encoded can be decoded");
    // An update that only deletes does not say whose it is; the first one inserts.
    let author = Author::new("peer");
    peer.edit(0..0, "typed ", &author).expect("a text begins somewhere");
    edit(&mut peer, bytes, &author);
    let updates = peer.drain_updates();
    let client = updates.first().map_or(PEER, |update| client_of(update));
    for update in &updates {
        let mut damaged = update.clone();
        damage(&mut damaged, bytes);
        let mut other = Document::decode(&document.encode()).expect("what was encoded can be decoded");
        offer(&mut other, &damaged, client);
        offer(&mut other, &damaged, client_of(&damaged));
        offer(&mut document, update, client);
    }
    if document.epoch().is_some() {
        assert_eq!(document.text(), peer.text(), "whole updates in order make both alike");
    }
}

fn offer(document: &mut Document, update: &[u8], client: u64) {
    let mut followed = document.text().to_owned();
    if let Ok(edits) = document.apply_update(update, client, &Author::new("peer")) {
        for edit in edits {
            followed.replace_range(edit.range, &edit.text);
        }
    }
    assert_eq!(followed, document.text(), "the edits tell the change");
    check(document);
    document.open_session();
    let whole = document.update_since(None).expect("a session is open");
    assert!(!whole.is_empty());
}

/// Somebody wrote each part of the text, and what is kept of older versions can be read.
fn check(document: &Document) {
    let mut at = 0;
    for span in document.provenance() {
        assert_eq!(span.range.start, at);
        at = span.range.end;
        assert!(document.text().is_char_boundary(at));
    }
    assert_eq!(at, document.text().len());
    for version in document.history() {
        document.text_at(version.revision);
    }
}

/// A few edits that the bytes choose.
fn edit(document: &mut Document, bytes: &[u8], author: &Author) {
    for choice in bytes.chunks_exact(3).take(6) {
        let length = document.text().len();
        let place = |byte: u8| document.text().floor_char_boundary(usize::from(byte) * (length + 1) / 256);
        let (start, end) = (place(choice[0]), place(choice[1]));
        let text = ["", "é", "😀", "word ", "\n"][usize::from(choice[2]) % 5];
        let range = start.min(end)..start.max(end).min(start.min(end) + 8);
        let range = range.start..document.text().floor_char_boundary(range.end).max(range.start);
        document.edit(range, text, author).expect("the range lies on characters");
    }
}

/// Changes some bytes, or cuts the end off.
fn damage(target: &mut Vec<u8>, bytes: &[u8]) {
    for choice in bytes.rchunks_exact(3).take(4) {
        if target.is_empty() {
            return;
        }
        let at = usize::from(u16::from_le_bytes([choice[0], choice[1]])) % target.len();
        match choice[2] {
            0 => target.truncate(at),
            1 => target.insert(at, choice[0]),
            2 => drop(target.remove(at)),
            change => target[at] ^= change,
        }
    }
}

/// The number after those of clients and blocks: who wrote the first block of an update.
fn client_of(update: &[u8]) -> u64 {
    let mut at = 0;
    let mut number = || {
        let mut value = 0_u64;
        for shift in (0..63).step_by(7) {
            let byte = update.get(at).copied().unwrap_or_default();
            at += 1;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    };
    number();
    number();
    number()
}
