//! Each limit at its edge.

use super::super::source::Source;
use super::super::violation::shown;
use super::{check_blob, check_functions, check_lines, check_share};

fn function(body_lines: usize) -> String {
    format!("/// Doc.\n#[test]\nfn long() {{\n{}}}\n", "    call();\n".repeat(body_lines))
}

#[test]
fn a_function_may_have_seventy_lines_and_no_more() {
    assert_eq!(shown(&check_functions("a.rs", &function(68))), [""; 0]);
    assert_eq!(
        shown(&check_functions("a.rs", &function(69))),
        ["a.rs:3: function long has 71 lines, and the limit is 70; name its parts and call them"]
    );
}

#[test]
fn methods_trait_defaults_and_nested_modules_count_too() {
    let long = function(69);
    for around in [
        format!("impl A {{\n{long}}}\n"),
        format!("trait A {{\n{long}}}\n"),
        format!("mod tests {{\n{long}}}\n"),
        format!("fn outer() {{\n{}}}\n", "    let f = || {\n        call()\n    };\n".repeat(23)),
    ] {
        assert_eq!(check_functions("a.rs", &around).len(), 1, "{around}");
    }
}

#[test]
fn what_is_no_rust_is_said_and_not_passed_over() {
    assert_eq!(check_functions("a.rs", "fn (").len(), 1);
}

#[test]
fn a_file_may_have_six_hundred_lines_and_no_more() {
    assert_eq!(check_lines("a.rs", &"\n".repeat(600)), None);
    assert_eq!(
        shown(&check_lines("a.rs", &"\n".repeat(601)).into_iter().collect::<Vec<_>>()),
        ["a.rs:601: 601 lines, and the limit is 600; split it by reason to change"]
    );
}

#[test]
fn one_long_file_in_ten_is_fine_and_two_are_not() {
    let file = |lines| Source { path: "a.rs".to_owned(), text: "\n".repeat(lines), bytes: 0 };
    let mut files: Vec<Source> = (0..9).map(|_| file(400)).collect();
    files.push(file(401));
    assert_eq!(check_share(&files), []);
    files[0] = file(401);
    assert_eq!(check_share(&files).len(), 2);
}

#[test]
fn a_megabyte_is_too_much() {
    assert_eq!(check_blob("a.png", 1_000_000), None);
    assert!(check_blob("a.png", 1_000_001).is_some());
}
