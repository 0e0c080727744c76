//! What only the inside of a replica shows: the items of a session, and a session that is not of its text.

use super::session::Session;
use super::{Author, Replica, UpdateError, wire};

/// A replica whose agent has written `answers` one behind the other into an open session.
fn answered(text: &str, answers: &[&str]) -> Replica {
    let mut replica = Replica::new(text.to_owned().into(), &Author::new("person"));
    replica.open_session(1);
    let agent = replica.client(&Author::new("agent"));
    for answer in answers {
        let end = replica.text().len();
        replica.edit(end..end, answer, agent);
    }
    replica
}

#[test]
fn no_item_of_a_session_is_long_whatever_is_written_and_however() {
    let (long, short) = ("日本語 und mehr. ".repeat(2000), "zehn Bytes ".repeat(2));
    let cases: &[(&str, Vec<&str>)] =
        &[(&long, vec![]), ("", vec![&long]), ("# Plan\n", vec![&short; 2000]), (&long, vec![&short, &long])];
    for (text, answers) in cases {
        let replica = answered(text, answers);
        let update = replica.update_since(None).unwrap();
        let blocks = wire::read(&update).unwrap().blocks;
        let longest = blocks.iter().filter_map(|block| block.text).map(str::len).max();
        assert!(longest <= Some(4096), "{longest:?}");
        let bytes: usize = blocks.iter().filter_map(|block| block.text).map(str::len).sum();
        assert_eq!(bytes, replica.text().len());
        assert!(blocks.len() <= 8 + bytes / 1024, "{} items for {bytes} bytes", blocks.len());
    }
}

#[test]
fn saved_state_of_another_text_closes_the_session_and_leaves_the_text() {
    let mut replica = answered("# Plan\n", &["answer\n"]);
    let other = answered("something else\n", &[]);
    let state = other.session.as_ref().unwrap().state(other.text()).unwrap();
    replica.session = Some(Session::resume(1, &state));
    assert_eq!(replica.epoch(), Some(1));
    assert_eq!(replica.update_since(None), Err(UpdateError::NoSession));
    assert_eq!(replica.epoch(), None);
    replica.open_session(2);
    assert_eq!(replica.epoch(), Some(2));
    assert_eq!(replica.text(), "# Plan\nanswer\n");
}
