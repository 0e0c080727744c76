//! The violations that are known and accepted, each with a reason. Never keeps one that no longer applies, so the list
//! can only shrink unless a reviewer sees it grow.

use super::violation::Violation;

/// One exception a line, `file PATH # reason` or `function PATH NAME # reason`; a line that begins with `#` is a comment.
pub(super) const PATH: &str = "xtask/tidy-exceptions.txt";

/// Takes out what `list` accepts; an entry without a reason or without a violation is itself one.
pub(super) fn apply(list: &str, mut violations: Vec<Violation>) -> Vec<Violation> {
    let mut complaints = Vec::new();
    for (index, line) in list.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, reason) = line.split_once('#').unwrap_or((line, ""));
        let before = violations.len();
        violations.retain(|violation| violation.exception.as_deref() != Some(name.trim()));
        if before == violations.len() {
            let what = format!("the exception `{}` is stale", name.trim());
            complaints.push(Violation::new(PATH, index + 1, what, "remove the line"));
        }
        if reason.trim().is_empty() {
            let what = format!("the exception `{}` has no reason", name.trim());
            complaints.push(Violation::new(PATH, index + 1, what, "write `# why` after it"));
        }
    }
    violations.append(&mut complaints);
    violations
}

#[cfg(test)]
mod tests {
    use super::super::violation::{Violation, shown};
    use super::apply;

    fn check(list: &str) -> Vec<String> {
        let long = Violation::new("a.rs", 601, "long", "split").unless("file a.rs".to_owned());
        let word = Violation::new("b.rs", 1, "word", "remove");
        shown(&apply(list, vec![long, word]))
    }

    #[test]
    fn an_accepted_violation_is_silent_and_others_are_not() {
        assert_eq!(check("# comment\n\nfile a.rs # generated\n"), ["b.rs:1: word; remove"]);
    }

    #[test]
    fn a_stale_exception_is_a_violation() {
        assert_eq!(
            check("file a.rs # generated\nfile gone.rs # why\n")[1],
            "xtask/tidy-exceptions.txt:2: the exception `file gone.rs` is stale; remove the line"
        );
    }

    #[test]
    fn an_exception_needs_a_reason() {
        assert_eq!(
            check("file a.rs\n")[1],
            "xtask/tidy-exceptions.txt:1: the exception `file a.rs` has no reason; write `# why` after it"
        );
    }
}
