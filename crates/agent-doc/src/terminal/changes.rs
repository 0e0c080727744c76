//! What a call would change in a file, line by line. Reads the file as it is now, and never writes it.

use std::path::Path;

use agent::message::ToolCall;
use document::diff::diff_lines;
use serde_json::{Map, Value};
use tui::{Change, ChangeLine, Sign};
use workspace::conversation::TurnEvent;

/// Larger files are not compared.
const FILE_MAX: u64 = 4 << 20;
/// Lines around a change.
const AROUND: usize = 3;

/// The change that an event is about: of a call that is asked about, or that begins. Asked for before the call runs, since then it
/// cannot be told any more.
pub(super) fn beside(event: &TurnEvent, root: &Path) -> Option<Change> {
    match event {
        TurnEvent::Asked { question, .. } => of(&question.call, root),
        TurnEvent::ToolStarted { call, .. } => of(call, root),
        _ => None,
    }
}

/// The change that a call makes, if it is one that edits a file.
pub(super) fn of(call: &ToolCall, root: &Path) -> Option<Change> {
    let input = call.arguments().ok()?;
    let name = input.get("file_path")?.as_str()?;
    let path = root.join(name);
    let is_small = std::fs::metadata(&path).map_or(true, |found| found.is_file() && found.len() <= FILE_MAX);
    let before = if is_small { std::fs::read_to_string(&path).unwrap_or_default() } else { return None };
    let after = match call.name.as_str() {
        "Write" => input.get("content")?.as_str()?.to_owned(),
        "Edit" => edited(&before, &input)?,
        "MultiEdit" => {
            let edits = input.get("edits")?.as_array()?;
            edits.iter().try_fold(before.clone(), |text, edit| edited(&text, edit.as_object()?))?
        }
        _ => return None,
    };
    let shown = path.strip_prefix(root).unwrap_or(&path).display().to_string();
    Some(between(&shown, &before, &after))
}

fn edited(text: &str, edit: &Map<String, Value>) -> Option<String> {
    let (old, new) = (edit.get("old_string")?.as_str()?, edit.get("new_string")?.as_str()?);
    if old.is_empty() || !text.contains(old) {
        return None;
    }
    let is_all = edit.get("replace_all").and_then(Value::as_bool).unwrap_or_default();
    Some(if is_all { text.replace(old, new) } else { text.replacen(old, new, 1) })
}

/// The lines that differ, with some around them.
pub(super) fn between(path: &str, before: &str, after: &str) -> Change {
    let mut lines: Vec<ChangeLine> = Vec::new();
    let number = |text: &str, at: usize| text.get(..at).unwrap_or_default().matches('\n').count() + 1;
    let mut kept_to = 1;
    let hunks = diff_lines(before, after);
    let count = after.lines().count();
    for hunk in &hunks {
        let (old_first, new_first) = (number(before, hunk.old.start), number(after, hunk.new.start));
        let removed = before.get(hunk.old.clone()).unwrap_or_default();
        let added = after.get(hunk.new.clone()).unwrap_or_default();
        keep(&mut lines, after, kept_to, new_first.saturating_sub(AROUND).max(kept_to), new_first);
        lines.extend(numbered(Sign::Removed, old_first, removed));
        lines.extend(numbered(Sign::Added, new_first, added));
        let behind = new_first + added.lines().count();
        let until = (behind + AROUND).min(count + 1);
        let next = hunks.iter().map(|other| number(after, other.new.start)).find(|first| *first > new_first);
        let until = next.map_or(until, |next| until.min(next.max(behind)));
        keep(&mut lines, after, behind, behind, until);
        kept_to = until;
    }
    Change { path: path.to_owned(), lines }
}

/// The lines of `text` from `first` up to `end`, with a gap if some from `from` on are left out.
fn keep(lines: &mut Vec<ChangeLine>, text: &str, from: usize, first: usize, end: usize) {
    if first > from && !lines.is_empty() {
        lines.push(ChangeLine { sign: Sign::Gap, number: 0, text: String::new() });
    }
    let kept = text.lines().enumerate().skip(first.saturating_sub(1)).take(end.saturating_sub(first));
    lines.extend(kept.map(|(index, line)| ChangeLine {
        sign: Sign::Kept,
        number: index + 1,
        text: line.to_owned(),
    }));
}

fn numbered(sign: Sign, first: usize, text: &str) -> impl Iterator<Item = ChangeLine> {
    (first..).zip(text.lines()).map(move |(number, line)| ChangeLine { sign, number, text: line.to_owned() })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn check(before: &str, after: &str, expect: &expect_test::Expect) {
        let change = between("x", before, after);
        let shown = change.lines.iter().map(|line| {
            let sign = match line.sign {
                Sign::Added => '+',
                Sign::Removed => '-',
                Sign::Kept => ' ',
                Sign::Gap => '~',
            };
            format!("{} {sign} {}\n", line.number, line.text)
        });
        expect.assert_eq(&shown.collect::<String>());
    }

    #[test]
    fn lines_that_changed_stand_between_those_around_them() {
        let before: String = (1..30).map(|line| format!("line {line}\n")).collect();
        let after = before.replace("line 5\n", "five\nand\n").replace("line 20\n", "");
        check(
            &before,
            &after,
            &expect![[r#"
            2   line 2
            3   line 3
            4   line 4
            5 - line 5
            5 + five
            6 + and
            7   line 6
            8   line 7
            9   line 8
            0 ~ 
            18   line 17
            19   line 18
            20   line 19
            20 - line 20
            21   line 21
            22   line 22
            23   line 23
        "#]],
        );
    }

    #[test]
    fn a_new_file_is_all_new() {
        check(
            "",
            "a\nb",
            &expect![[r#"
            1 + a
            2 + b
        "#]],
        );
    }

    #[test]
    fn what_a_call_changes_can_be_told_only_before_it_runs() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.txt");
        std::fs::write(&file, "one\ntwo\n").unwrap();
        let input = serde_json::json!({ "file_path": "x.txt", "old_string": "two", "new_string": "2" });
        let call = ToolCall {
            id: "1".to_owned(),
            name: "Edit".to_owned(),
            input: input.to_string(),
            verbatim: None,
        };
        let signs = of(&call, folder.path()).unwrap().lines.into_iter().map(|line| line.sign);
        assert_eq!(signs.collect::<Vec<_>>(), [Sign::Kept, Sign::Removed, Sign::Added]);
        std::fs::write(&file, "one\n2\n").unwrap();
        assert_eq!(of(&call, folder.path()), None);
    }
}
