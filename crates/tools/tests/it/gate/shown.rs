//! What a person sees before they decide. Never shows less than will run.

use expect_test::{Expect, expect};
use tools::gate::{Gate, Place};

fn check(line: &str, expected: Expect) {
    let weighed = Gate::new().unwrap().weigh(line, &Place::of_workspace("/w"));
    assert_eq!(weighed.text, line);
    expected.assert_eq(&weighed.shown());
}

#[test]
fn what_cannot_be_seen_is_written_out() {
    check("ls \u{202e}a\u{200b}b\u{e0041}", expect![[r"ls \u{202e}a\u{200b}b\u{e0041}"]]);
    check("ls\r\u{1b}[8m\u{7}\u{0}", expect![[r"ls\u{d}\u{1b}[8m\u{7}\u{0}"]]);
    check("a\tb", expect![[r"a\u{9}b"]]);
}

#[test]
fn blanks_cannot_push_anything_out_of_sight() {
    check(&format!("ls{}; rm x", " ".repeat(500)), expect![[r"ls \u{20}*500 ; rm x"]]);
}

#[test]
fn lines_stay_lines_and_letters_stay_letters() {
    check("cat größe.md\nls", expect!["cat größe.md\nls"]);
}
