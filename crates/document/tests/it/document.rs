//! One living document: anchors, saves of stale editors, authors, revisions, sessions and saved state.

use crate::random::Random;
use crate::web_peer::WebPeer;
use document::{Author, Document, EditError, StateError, UpdateError};

fn anna() -> Author {
    Author::new("anna")
}

fn agent() -> Author {
    Author::new("agent")
}

/// A document in which an agent has begun to answer below the question.
fn answering() -> (Document, document::Anchor) {
    let mut document = Document::open("# Plan\n\nWhat now?\n\n", &anna());
    let anchor = document.anchor_at(document.text().len()).unwrap();
    document.insert_at(anchor, "The answer ", &agent()).unwrap();
    document.publish();
    (document, anchor)
}

#[test]
fn a_save_that_saw_the_beginning_of_an_answer_keeps_the_rest_of_it() {
    let (mut document, anchor) = answering();
    document.insert_at(anchor, "is 42.\n", &agent()).unwrap();
    let absorbed = document.absorb("# The plan\n\nWhat now?\n\nThe answer ", &anna());
    assert_eq!(document.text(), "# The plan\n\nWhat now?\n\nThe answer is 42.\n");
    assert!(!absorbed.is_in_file);
}

#[test]
fn a_save_of_a_buffer_from_before_the_answer_keeps_the_answer() {
    let (mut document, anchor) = answering();
    document.insert_at(anchor, "is 42.\n", &agent()).unwrap();
    document.publish();
    document.absorb("# Plan\n\nWhat now, really?\n\n", &anna());
    assert_eq!(document.text(), "# Plan\n\nWhat now, really?\n\nThe answer is 42.\n");
}

#[test]
fn a_line_that_its_writer_deletes_again_stays_deleted() {
    let mut document = Document::open("one\n", &anna());
    document.absorb("one\ntwo\n", &anna());
    document.absorb("one\n", &anna());
    assert_eq!(document.text(), "one\n");
}

#[test]
fn a_typo_fixed_in_streamed_text_stays_fixed() {
    let (mut document, anchor) = answering();
    document.insert_at(anchor, "is anwser 42", &agent()).unwrap();
    document.publish();
    document.insert_at(anchor, " and more.\n", &agent()).unwrap();
    document.absorb("# Plan\n\nWhat now?\n\nThe answer is answer 42", &anna());
    assert_eq!(document.text(), "# Plan\n\nWhat now?\n\nThe answer is answer 42 and more.\n");
}

#[test]
fn text_inserted_right_at_an_anchor_comes_to_stand_behind_it() {
    let mut document = Document::open("a\n", &anna());
    let anchor = document.anchor_at(2).unwrap();
    document.edit(2..2, "person\n", &anna()).unwrap();
    document.insert_at(anchor, "agent\n", &agent()).unwrap();
    assert_eq!(document.text(), "a\nagent\nperson\n");
}

#[test]
fn an_anchor_goes_where_its_text_goes_and_can_be_released() {
    let mut document = Document::open("head\ntail\n", &anna());
    let anchor = document.anchor_at(5).unwrap();
    document.edit(0..4, "a longer head", &anna()).unwrap();
    assert_eq!(document.position(anchor), Some(14));
    document.edit(0..document.text().len(), "", &anna()).unwrap();
    assert_eq!(document.position(anchor), Some(0));
    document.release(anchor);
    assert_eq!(document.insert_at(anchor, "x", &agent()), Err(EditError::NoAnchor));
}

#[test]
fn agent_text_takes_the_line_ending_of_the_document() {
    let mut document = Document::open("one\r\ntwo\r\n", &anna());
    let anchor = document.anchor_at(10).unwrap();
    document.insert_at(anchor, "three\nfour\n", &agent()).unwrap();
    assert_eq!(document.text(), "one\r\ntwo\r\nthree\r\nfour\r\n");
}

#[test]
fn a_range_that_cuts_a_character_is_refused() {
    let mut document = Document::open("é", &anna());
    assert_eq!(document.edit(1..1, "x", &anna()), Err(EditError::OutOfText { start: 1, end: 1, length: 2 }));
    assert!(document.anchor_at(9).is_err());
}

#[test]
fn every_change_has_a_number_an_author_and_a_way_back() {
    let mut document = Document::open("one\n", &anna());
    document.edit(0..3, "two", &agent()).unwrap();
    document.absorb("two\nthree\n", &anna());
    assert_eq!(document.revision(), 2);
    assert_eq!(document.text_at(0).as_deref(), Some("one\n"));
    assert_eq!(document.text_at(1).as_deref(), Some("two\n"));
    assert_eq!(document.text_at(3), None);
    let authors: Vec<String> = document.history().iter().map(|version| version.author.to_string()).collect();
    assert_eq!(authors, ["anna", "agent"]);
    let wrote: Vec<(&str, String)> = document
        .provenance()
        .into_iter()
        .map(|span| (&document.text()[span.range], span.author.to_string()))
        .collect();
    assert_eq!(wrote, [("two", "agent".into()), ("\nthree\n", "anna".into())]);
}

#[test]
fn a_marked_text_can_be_had_again_though_its_author_goes_on() {
    let agent = Author::new("agent");
    let mut document = Document::open("one\n", &Author::new("anna"));
    document.edit(4..4, "two\n", &agent).unwrap();
    let mark = document.mark();
    document.edit(8..8, "three\n", &agent).unwrap();
    document.edit(0..4, "", &agent).unwrap();
    assert_eq!(document.text(), "two\nthree\n");
    assert_eq!(document.text_at(mark).as_deref(), Some("one\ntwo\n"));
}

#[test]
fn an_edit_that_changes_nothing_is_no_revision() {
    let mut document = Document::open("same\n", &anna());
    document.edit(0..4, "same", &agent()).unwrap();
    document.absorb("same\n", &anna());
    assert_eq!(document.revision(), 0);
}

#[test]
fn a_web_peer_and_an_agent_write_at_the_same_time() {
    let (mut document, anchor) = answering();
    document.open_session();
    let peer = WebPeer::join(&document, 77, "web");
    let update = peer.types(6, " of ours 👍");
    document.insert_at(anchor, "is 42.\n", &agent()).unwrap();
    peer.sends(&update, &mut document).unwrap();
    for update in document.drain_updates() {
        peer.hear(&update);
    }
    assert_eq!(document.text(), "# Plan of ours 👍\n\nWhat now?\n\nThe answer is 42.\n");
    assert_eq!(peer.text(), document.text());
    assert!(document.provenance().iter().any(|span| span.author.name() == "web"));
}

#[test]
fn a_web_peer_gets_many_insertions_in_one_update() {
    let mut document = Document::open("one\ntwo é\nthree\n", &anna());
    document.open_session();
    let peer = WebPeer::join(&document, 77, "web");
    let (first, second) = (agent(), Author::new("other"));
    for round in 0..3 {
        // One after another at one place, by the same author and by others.
        let end = document.text().len();
        let insertions = [
            (end, "end 👍\n", &first),
            (end, "before it\n", &second),
            (4, "again\n", &first),
            (0, "top\n", &second),
            (0, "very top\n", &first),
        ];
        document.insert_each(&insertions).unwrap();
        let updates = document.drain_updates();
        assert_eq!(updates.len(), 1);
        peer.hear(&updates[0]);
        assert_eq!(peer.text(), document.text(), "round {round}");
    }
    let update = peer.types(0, "typed ");
    peer.sends(&update, &mut document).unwrap();
    assert_eq!(document.text(), peer.text());
}

#[test]
fn a_peer_cannot_write_in_anothers_name() {
    let (mut document, _) = answering();
    document.open_session();
    let peer = WebPeer::join(&document, 77, "web");
    let update = peer.types(0, "forged");
    let refused = document.apply_update(&update, 78, &peer.author);
    assert_eq!(refused, Err(UpdateError::Forged { client: 77 }));
    peer.sends(&update, &mut document).unwrap();
    let again = peer.types(0, "more");
    assert_eq!(document.apply_update(&again, 77, &anna()), Err(UpdateError::Forged { client: 77 }));
}

#[test]
fn an_update_that_came_too_early_is_refused_and_can_be_sent_again() {
    let (mut document, _) = answering();
    document.open_session();
    let peer = WebPeer::join(&document, 77, "web");
    let first = peer.types(0, "a");
    let second = peer.types(1, "b");
    assert_eq!(peer.sends(&second, &mut document), Err(UpdateError::Gap));
    peer.sends(&first, &mut document).unwrap();
    peer.sends(&second, &mut document).unwrap();
    peer.sends(&second, &mut document).unwrap();
    assert!(document.text().starts_with("ab# Plan"));
}

#[test]
fn without_a_session_there_is_nothing_for_peers() {
    let (mut document, _) = answering();
    assert_eq!(document.update_since(None), Err(UpdateError::NoSession));
    assert_eq!(document.open_session(), 1);
    assert_eq!(document.open_session(), 1);
    document.close_session();
    assert_eq!(document.open_session(), 2);
}

#[test]
fn a_document_goes_on_after_a_restart_with_its_anchors_versions_and_peers() {
    for has_peers in [false, true] {
        let (mut document, anchor) = answering();
        let epoch = has_peers.then(|| document.open_session());
        let known = has_peers.then(|| WebPeer::join(&document, 77, "web"));
        document.insert_at(anchor, "is ", &agent()).unwrap();
        let mut document = Document::decode(&document.encode()).unwrap();
        assert_eq!(document.epoch(), epoch);
        document.insert_at(anchor, "42.\n", &agent()).unwrap();
        document.absorb("# Plan\n\nWhat now, really?\n\nThe answer ", &anna());
        assert_eq!(document.text(), "# Plan\n\nWhat now, really?\n\nThe answer is 42.\n");
        if let Some(peer) = known {
            peer.sends(&peer.types(0, "> "), &mut document).unwrap();
            assert!(document.text().starts_with("> # Plan"));
        }
    }
}

#[test]
fn what_was_edited_while_nobody_looked_is_taken_in_at_the_start() {
    let (document, anchor) = answering();
    let state = document.encode();
    let mut document = Document::resume(&state, "# Plan B\n\nWhat now?\n\nThe answer ", &anna());
    document.insert_at(anchor, "is 42.\n", &agent()).unwrap();
    assert_eq!(document.text(), "# Plan B\n\nWhat now?\n\nThe answer is 42.\n");
    let fresh = Document::resume(b"no state at all", "the file\n", &anna());
    assert_eq!(fresh.text(), "the file\n");
}

#[test]
fn damaged_state_is_an_error_and_never_a_document() {
    let (mut document, _) = answering();
    document.open_session();
    let state = document.encode();
    let mut random = Random::new(1);
    for at in 0..state.len() {
        let mut damaged = state.clone();
        damaged[at] ^= 1 << random.below(8);
        assert!(Document::decode(&damaged).is_err(), "byte {at}");
        assert!(Document::decode(&state[..at]).is_err(), "cut at {at}");
    }
    assert_eq!(Document::decode(b"").err(), Some(StateError::UnknownVersion));
}

#[test]
fn what_a_displaced_save_held_is_not_taken_for_deleted_by_the_next_one() {
    let (person, agent) = (Author::new("person"), Author::new("agent"));
    let mut document = Document::open("# Plan\n\nend\n", &person);
    document.edit(8..8, "The agent answers.\n", &agent).unwrap();
    document.publish();
    // The save came just before the answer was written, and came out of the file unread.
    document.absorb_displaced("# Plan\nBuy apples today.\n\nend\n", &person);
    // The person's editor loaded the file with the answer and without those words, and saves again.
    document.absorb("# Plan\nCall grandmother tomorrow.\n\nThe agent answers.\nend\n", &person);
    let text = document.text();
    for words in ["Buy apples today.\n", "Call grandmother tomorrow.\n", "The agent answers.\n"] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn an_author_whose_unfinished_line_was_deleted_begins_a_new_one() {
    for (written, saved) in [("- one\n- ", "# Plan\n- one"), ("- one\n", "# Plan\n- one")] {
        let mut document = Document::open("# Plan\n", &anna());
        let anchor = document.anchor_at(document.text().len()).unwrap();
        document.insert_at(anchor, written, &agent()).unwrap();
        document.publish();
        document.absorb(saved, &anna());
        document.insert_at(anchor, "[two](#b)\n", &agent()).unwrap();
        assert_eq!(document.text(), "# Plan\n- one\n[two](#b)\n");
    }
}

#[test]
fn two_entries_with_one_number_both_stand() {
    for base in ["1. get up\n2. have tea\n", "# Plan\n\n"] {
        let mut document = Document::open(base, &anna());
        let anchor = document.anchor_at(document.text().len()).unwrap();
        document.insert_at(anchor, "3. walk\n", &agent()).unwrap();
        document.publish();
        document.insert_at(anchor, "4. read\n", &agent()).unwrap();
        document.publish();
        document.absorb(&format!("{base}3. sing along\n"), &anna());
        assert_eq!(document.text(), format!("{base}3. walk\n4. read\n3. sing along\n"));
    }
}
