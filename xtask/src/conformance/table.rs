//! The table of what passed. Never leaves a failure without its reason.

use std::fmt::Write as _;

use serde_json::Value;

/// One check.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    entry: String,
    check: String,
    pub(super) passed: bool,
    detail: String,
}

impl Row {
    pub(super) fn failed(entry: &str, check: &str, detail: &str) -> Self {
        Self { entry: entry.to_owned(), check: check.to_owned(), passed: false, detail: detail.to_owned() }
    }

    /// Reads a line that the program of the checks printed; other lines are talk.
    pub(super) fn read(entry: &str, line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let word = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let passed = value.get("passed")?.as_bool()?;
        Some(Self {
            entry: entry.to_owned(),
            check: word("check")?,
            passed,
            detail: word("detail").unwrap_or_default(),
        })
    }
}

/// The table, and the number of rows that passed.
pub(super) fn shown(rows: &[Row]) -> String {
    let width =
        |text: fn(&Row) -> &str| rows.iter().map(|row| text(row).chars().count()).max().unwrap_or_default();
    let (entries, checks) = (width(|row| &row.entry), width(|row| &row.check));
    let mut text = String::new();
    for Row { entry, check, passed, detail } in rows {
        let word = if *passed { "passed" } else { "FAILED" };
        // Writing to a String cannot fail.
        writeln!(text, "{entry:<entries$}  {check:<checks$}  {word}  {detail}").ok();
    }
    let passed = rows.iter().filter(|row| row.passed).count();
    write!(text, "{passed} passed, {} failed", rows.len() - passed).ok();
    text
}

#[cfg(test)]
mod tests {
    use super::{Row, shown};

    #[test]
    fn a_line_of_a_check_becomes_a_row_and_talk_does_not() {
        let row = Row::read("sse", r#"{"check":"a.sse","passed":true,"detail":"12 cuts"}"#).unwrap();
        let failed = Row::failed("llama", "it runs", "no python3");
        assert_eq!(Row::read("sse", "Loading…"), None);
        assert_eq!(
            shown(&[row, failed]),
            "sse    a.sse    passed  12 cuts\nllama  it runs  FAILED  no python3\n1 passed, 1 failed"
        );
    }
}
