//! Generated documents and edits of them: the same on every machine. Never random beyond its own small generator.

/// What a generated document is made of; about two letters in a hundred are not ASCII.
const BLOCKS: &[&str] = &[
    "## Section {n}\n\n",
    "Paragraph {n} says what the plan is, why it was made, and who agreed to it in the end.\nIts second line goes on about number {n} for a while — für alle, 日本語 included.\n\n",
    "- item {n} of the list\n- [ ] task {n} that is still open\n- [x] task {n} that is done\n\n",
    "| name | value |\n|---|---|\n| row {n} | {n}.5 |\n| row {n} again | é{n} |\n\n",
    "```rust\nfn step_{n}(input: &str) -> usize {\n    input.len() + {n}\n}\n```\n\n",
    "> Somebody asked about {n}, and nobody knew the answer until the evening.\n\n",
];

/// A markdown document of about `length` bytes.
pub(super) fn page(length: usize) -> String {
    let mut text = String::with_capacity(length + 256);
    let mut number = 0_usize;
    while text.len() < length {
        let block = BLOCKS.get(number % BLOCKS.len()).copied().unwrap_or_default();
        text.push_str(&block.replace("{n}", &number.to_string()));
        number += 1;
    }
    text
}

/// The text with a line changed at 10, 50 and 90 percent. `stamp` makes the change another one each time.
pub(super) fn three_lines_changed(text: &str, stamp: usize) -> String {
    let mut changed = text.to_owned();
    for percent in [90, 50, 10] {
        let middle = changed.floor_char_boundary(changed.len() / 100 * percent);
        let start = changed
            .get(middle..)
            .and_then(|rest| rest.find('\n'))
            .map_or(changed.len(), |newline| middle + newline + 1);
        let end = changed
            .get(start..)
            .and_then(|rest| rest.find('\n'))
            .map_or(changed.len(), |newline| start + newline);
        changed.replace_range(start..end, &format!("A person wrote this line, number {stamp}."));
    }
    changed
}

/// Two hundred bytes of an agent.
pub(super) fn answer() -> String {
    "The agent goes on with its answer, word by word. ".repeat(5).split_at(199).0.to_owned() + "\n"
}

/// A line of an agent, numbered, of `length` bytes or as few as its number needs.
pub(super) fn line(number: usize, length: usize) -> String {
    let mut line = format!("Step {number} is done; the agent says what it found ");
    while line.len() < length {
        line.push_str("and what it will look at next ");
    }
    // All of it is ASCII, so that it can be cut anywhere.
    line.truncate(length.saturating_sub(1).max(12));
    line + "\n"
}

#[cfg(test)]
mod tests {
    use super::{answer, line, page, three_lines_changed};

    #[test]
    fn a_line_is_as_long_as_asked_for() {
        for length in [20, 90, 300] {
            assert_eq!(line(7, length).len(), length);
        }
        assert_eq!(line(7, 0), "Step 7 is do\n");
    }

    #[test]
    fn three_lines_differ_and_no_others() {
        let text = page(20_000);
        let changed = three_lines_changed(&text, 1);
        let differing = text.lines().zip(changed.lines()).filter(|(a, b)| a != b).count();
        assert_eq!((differing, text.lines().count()), (3, changed.lines().count()));
        assert_eq!(answer().len(), 200);
    }
}
