//! What of a pane is the answer, and what is the frame around it: boxes, input line, status, spinner, the prompt itself. Never
//! takes words for a frame because of what they say, only because of how and where they stand.

/// How far above the bottom an input line is looked for, in lines that are not blank.
const INPUT_REACH: usize = 8;
/// Signs that stand before what a person types.
const INPUT_SIGNS: [char; 3] = ['>', '❯', '›'];
/// Signs that stand before what an agent says.
const BULLETS: [char; 2] = ['⏺', '●'];
/// How many lines find the end of what was there before.
const ANCHOR_LINES: usize = 3;

/// What a pane showed before it was asked.
pub(super) struct Before {
    body: Vec<String>,
    /// The last line, which in a plain program is its prompt.
    last: Option<String>,
}

/// What a pane shows now.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct View {
    /// The answer so far.
    pub(super) text: String,
    /// Whether it waits for the next prompt.
    pub(super) is_ready: bool,
    /// Whether it says that it is working, and that a key stops it.
    pub(super) is_busy: bool,
}

impl View {
    /// What will not change any more: all but the last line.
    pub(super) fn settled(&self) -> &str {
        self.text.rfind('\n').and_then(|end| self.text.get(..=end)).unwrap_or_default()
    }
}

impl Before {
    pub(super) fn of(screen: &str) -> Self {
        let lines = lines_of(screen);
        let last = lines.last().filter(|line| is_prompt(line)).map(|line| (*line).to_owned());
        let body = split(&lines, last.as_deref()).body.into_iter().map(str::to_owned).collect();
        Self { body, last }
    }

    /// The answer to `prompt` in what the pane shows now.
    pub(super) fn view(&self, screen: &str, prompt: &str) -> View {
        let lines = lines_of(screen);
        let Split { body, is_ready, is_busy } = split(&lines, self.last.as_deref());
        let new = body.get(self.known(&body)..).unwrap_or_default();
        let text = unframed(without_echo(new, prompt, self.last.as_deref()));
        View { text, is_ready, is_busy }
    }

    /// How many lines were there before. The history of a pane loses its beginning when it is full.
    fn known(&self, now: &[&str]) -> usize {
        let same = self.body.iter().zip(now).take_while(|(old, new)| old == *new).count();
        if same * 2 >= self.body.len() {
            return same;
        }
        let anchor = self.body.get(self.body.len().saturating_sub(ANCHOR_LINES)..).unwrap_or_default();
        let found = now.windows(anchor.len().max(1)).rposition(|window| window.iter().eq(anchor.iter()));
        found.map_or(same, |place| place + anchor.len())
    }
}

struct Split<'a> {
    body: Vec<&'a str>,
    is_ready: bool,
    is_busy: bool,
}

/// The lines, without blank ones at the end.
fn lines_of(screen: &str) -> Vec<&str> {
    screen.trim_end().lines().map(str::trim_end).collect()
}

/// Cuts off what stands at the bottom: the input line with its box, what is below it, and a spinner above it.
fn split<'a>(lines: &[&'a str], prompt_line: Option<&str>) -> Split<'a> {
    let below = lines.iter().rposition(|line| is_input(line) || Some(*line) == prompt_line);
    let filled_below = |at: usize| lines.iter().skip(at).filter(|line| !line.is_empty()).count();
    let input = below.filter(|at| filled_below(*at) <= INPUT_REACH);
    let mut end = input.unwrap_or(lines.len());
    let mut is_busy = lines.iter().skip(end).any(|line| says_how_to_stop(line));
    while let Some(line) = end.checked_sub(1).and_then(|above| lines.get(above)) {
        let is_spinning = is_spinner(line);
        if !line.is_empty() && !is_border(line) && !is_spinning && !says_how_to_stop(line) {
            break;
        }
        is_busy |= is_spinning || says_how_to_stop(line);
        end -= 1;
    }
    Split { body: lines.get(..end).unwrap_or_default().to_vec(), is_ready: input.is_some(), is_busy }
}

/// A line at the bottom where a program that draws no frame waits: it ends with a sign and says little else.
fn is_prompt(line: &str) -> bool {
    line.chars().count() <= 40 && line.ends_with(['>', '$', '#', '%', ':', '❯', '›', '?'])
}

fn is_input(line: &str) -> bool {
    let inner = line.trim().trim_matches(['│', '┃', '|']).trim();
    let mut letters = inner.chars();
    letters.next().is_some_and(|sign| INPUT_SIGNS.contains(&sign))
        && letters.next().is_none_or(char::is_whitespace)
}

/// A line that draws and says nothing.
fn is_border(line: &str) -> bool {
    let mut letters = line.chars().filter(|letter| !letter.is_whitespace()).peekable();
    letters.peek().is_some() && letters.all(|letter| ('\u{2500}'..='\u{259f}').contains(&letter))
}

/// A line inside a box.
fn is_boxed(line: &str) -> bool {
    let line = line.trim();
    line.chars().count() > 2 && line.starts_with(['│', '┃']) && line.ends_with(['│', '┃'])
}

/// A sign that turns, and what the agent is about, which is not finished.
fn is_spinner(line: &str) -> bool {
    let line = line.trim();
    let turns = |sign: char| ('\u{2800}'..='\u{28ff}').contains(&sign) || "✻✽✶✳✢✺∗·*◐◓◑◒".contains(sign);
    line.starts_with(turns)
        && line.chars().nth(1).is_some_and(char::is_whitespace)
        && line.contains(['…', '('])
}

fn says_how_to_stop(line: &str) -> bool {
    let line = line.to_lowercase();
    line.contains("esc to interrupt") || line.contains("esc to cancel") || line.contains("ctrl+c to stop")
}

/// Takes the prompt away that the program repeats, perhaps behind its own prompt line. It may have wrapped or shortened it.
fn without_echo<'a, 'b>(new: &'b [&'a str], prompt: &str, prompt_line: Option<&str>) -> &'b [&'a str] {
    let squashed = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    let prompt = squashed(prompt);
    let (mut rest, mut skipped) = (prompt.as_str(), 0);
    for line in new {
        let line = prompt_line.and_then(|prompt| line.strip_prefix(prompt)).unwrap_or(line);
        let inner =
            line.trim_start_matches(|c: char| c.is_whitespace() || INPUT_SIGNS.contains(&c) || c == '│');
        let is_shortened = inner.starts_with("[Pasted text") || inner.starts_with("… +");
        match rest.strip_prefix(squashed(inner.trim_end_matches('│')).as_str()) {
            Some(left) => rest = left,
            None if is_shortened => {}
            None => break,
        }
        skipped += 1;
    }
    new.get(skipped..).unwrap_or_default()
}

/// The words without boxes, bullets and results of tools.
fn unframed(lines: &[&str]) -> String {
    let (mut text, mut is_indented) = (Vec::new(), false);
    for line in lines {
        if is_boxed(line) || is_border(line) || line.trim_start().starts_with('⎿') {
            continue;
        }
        if let Some(said) = line.strip_prefix(BULLETS) {
            is_indented = true;
            let said = said.trim_start();
            if !is_call(said) {
                text.push(said);
            }
        } else if is_indented {
            text.push(line.strip_prefix("  ").unwrap_or(line));
        } else {
            text.push(line);
        }
    }
    text.join("\n").trim_matches('\n').to_owned()
}

/// A tool and what it is given, as agents show it.
fn is_call(line: &str) -> bool {
    let name = line.split('(').next().unwrap_or_default();
    line.ends_with(')')
        && name.len() < line.len()
        && !name.is_empty()
        && name.chars().all(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::{Before, View};

    const IDLE: &str = "╭────────────╮\n│ Welcome!   │\n╰────────────╯\n\n⏺ Old answer.\n\n────────────\n❯ \n────────────\n  ? for shortcuts\n";

    fn check(screen: &str, text: &str, is_ready: bool, is_busy: bool) {
        let expected = View { text: text.to_owned(), is_ready, is_busy };
        assert_eq!(Before::of(IDLE).view(screen, "What is\nthe plan?"), expected);
    }

    #[test]
    fn an_agent_with_a_frame_that_works_and_then_waits() {
        let old =
            "╭────────────╮\n│ Welcome!   │\n╰────────────╯\n\n⏺ Old answer.\n\n❯ What is\n  the plan?\n\n";
        let frame = "\n────────────\n❯ \n────────────\n  ? for shortcuts\n";
        check(&format!("{old}✻ Thinking… (3s · esc to interrupt)\n{frame}"), "", true, true);
        check(
            &format!("{old}⏺ First line\n  second\n\n✻ Thinking… (4s)\n{frame}"),
            "First line\nsecond",
            true,
            true,
        );
        let tool = "⏺ I look.\n\n⏺ Bash(ls)\n  ⎿  a\n\n⏺ Done:\n\n  • one\n    two\n";
        check(&format!("{old}{tool}{frame}"), "I look.\n\n\nDone:\n\n• one\n  two", true, false);
    }

    #[test]
    fn a_plain_program_that_repeats_what_is_typed() {
        let before = Before::of("hello\n42\nyou>\n");
        let view = |screen: &str| before.view(screen, "why?");
        let now = |text: &str, is_ready| View { text: text.to_owned(), is_ready, is_busy: false };
        assert_eq!(view("hello\n42\nyou> why?\nBecause.\n"), now("Because.", false));
        assert_eq!(view("hello\n42\nyou> why?\nBecause.\nSo.\nyou>\n"), now("Because.\nSo.", true));
        assert_eq!(before.view("hello\n42\nyou> a\nb\nC.\nyou>\n", "a\nb"), now("C.", true));
    }

    #[test]
    fn a_pane_that_forgot_its_beginning_still_shows_only_what_is_new() {
        let old: Vec<String> = (0..50).map(|line| format!("old {line}")).collect();
        let before = Before::of(&format!("{}\n> \n", old.join("\n")));
        let now = format!("{}\n> why\nBecause.\n> \n", old[20..].join("\n"));
        assert_eq!(before.view(&now, "why").text, "Because.");
    }
}
