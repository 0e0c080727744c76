//! A text and changes in, a text or a complaint out. Never touches a file.

use super::{Change, applied};

fn change(old: &str, new: &str) -> Change {
    Change { old_string: old.to_owned(), new_string: new.to_owned(), replace_all: false }
}

fn check(text: &str, changes: &[Change], expected: Result<&str, &str>) {
    let outcome = applied(text, changes);
    assert_eq!(outcome.as_ref().map(|changed| changed.text.as_str()).map_err(String::as_str), expected);
}

#[test]
fn a_text_that_stands_there_once_is_replaced() {
    check("one two three\n", &[change("two", "2")], Ok("one 2 three\n"));
    check("a\nb\nc\n", &[change("a\nb", "x"), change("x\nc", "y")], Ok("y\n"));
    check("$1 $0\n", &[change("$1", "$0$0")], Ok("$0$0 $0\n"));
}

#[test]
fn line_endings_stay_what_they_are() {
    check("a\r\nb\r\nc\r\n", &[change("a\nb", "a\nx\nb")], Ok("a\r\nx\r\nb\r\nc\r\n"));
    check("a\r\nb", &[change("b", "b\nc\n")], Ok("a\r\nb\r\nc\r\n"));
    check("a\nb\n", &[change("b", "b\r\nc")], Ok("a\nb\r\nc\n"));
}

#[test]
fn a_text_that_is_not_there_or_there_twice_is_said() {
    check(
        "a\n  b c\n",
        &[change("b  c", "x")],
        Err(
            "String to replace not found in file. Line 2 is like its first line, but not exactly; read it again and copy it.",
        ),
    );
    check(
        "a\n",
        &[change("zz", "x")],
        Err("String to replace not found in file. Read the file again and copy the text exactly."),
    );
    check(
        "a\nb\na\na\n",
        &[change("a", "x")],
        Err(
            "Found 3 matches of the string to replace, the first in lines 1 and 3. Give more lines around it, or set replace_all.",
        ),
    );
    check(
        "a\n",
        &[change("", "x")],
        Err("old_string is empty; give the text to replace, or use Write to make a file"),
    );
    check("a\n", &[change("a", "a")], Err("old_string and new_string are the same; nothing would change"));
}

#[test]
fn one_change_that_does_not_fit_undoes_all() {
    check(
        "a b c\n",
        &[change("a", "1"), change("b", "2"), change("z", "3")],
        Err("edits[2]: String to replace not found in file. Read the file again and copy the text exactly."),
    );
}

#[test]
fn every_place_is_replaced_if_asked_for() {
    let all = Change { replace_all: true, ..change("a", "bb") };
    let changed = applied("a a\na\n", &[all]).unwrap();
    assert_eq!((changed.text.as_str(), changed.places, changed.first), ("bb bb\nbb\n", 3, 0..2));
}
