//! That insertions made at once are those made one after another, and never half of them.

use super::insert_each;

fn one_by_one(text: &str, insertions: &[(usize, &str)]) -> String {
    let mut text = text.to_owned();
    for (at, inserted) in insertions {
        text.insert_str(*at, inserted);
    }
    text
}

#[test]
fn it_is_as_if_each_was_put_in_by_itself() {
    for insertions in [
        vec![],
        vec![(0, "a")],
        vec![(9, "end"), (0, "beginning")],
        vec![(4, "first"), (4, "before it"), (3, ""), (1, "é")],
    ] {
        let mut text = "xéyz 123".to_owned();
        assert!(insert_each(&mut text, &insertions), "{insertions:?}");
        assert_eq!(text, one_by_one("xéyz 123", &insertions));
    }
}

#[test]
fn what_does_not_fit_changes_nothing() {
    for insertions in [vec![(2, "in a letter")], vec![(99, "far")], vec![(1, "a"), (3, "behind")]] {
        let mut text = "xéyz".to_owned();
        assert!(!insert_each(&mut text, &insertions), "{insertions:?}");
        assert_eq!(text, "xéyz");
    }
}
