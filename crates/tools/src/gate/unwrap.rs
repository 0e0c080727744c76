//! What a wrapper such as `timeout` or `sudo` starts. Never overlooks a program because of an option it does not know: then
//! every word that may be the program counts.

use super::part::Word;
use super::table::Wrapper;

/// What stands inside a wrapper.
pub(super) struct Inside<'a> {
    /// Where the wrapped command may begin; more than one if an option is not known.
    pub(super) commands: Vec<&'a [Word]>,
    /// Whether every word before it is on the list of the wrapper.
    pub(super) is_listed: bool,
}

/// Takes the options and operands of a wrapper away.
pub(super) fn inside<'a>(wrapper: &Wrapper, words: &'a [Word]) -> Inside<'a> {
    let mut rest = words;
    let mut is_listed = true;
    let mut operands = wrapper.operands;
    let mut commands = Vec::new();
    while let Some((first, after)) = rest.split_first() {
        let Some(text) = first.known() else {
            // A wrapper's own operand may be anything; a program that only the shell can name is judged as that.
            if operands == 0 {
                break;
            }
            is_listed = false;
            operands -= 1;
            rest = after;
            continue;
        };
        if text == "--" {
            rest = after;
            break;
        } else if text.len() > 1 && text.starts_with('-') {
            rest = match option(wrapper, text) {
                Some(Takes::Nothing) => after,
                Some(Takes::Next) => after.get(1..).unwrap_or_default(),
                None => {
                    is_listed = false;
                    // The next word may be the value of this option, or the command.
                    commands.push(after);
                    after
                }
            };
        } else if wrapper.variables && text.contains('=') {
            is_listed = false;
            rest = after;
        } else if operands > 0 {
            operands -= 1;
            rest = after;
        } else {
            break;
        }
    }
    // After `--` operands may still stand before the command.
    commands.push(rest.get(operands..).unwrap_or_default());
    commands.retain(|command| !command.is_empty());
    Inside { commands, is_listed }
}

enum Takes {
    Nothing,
    Next,
}

fn option(wrapper: &Wrapper, text: &str) -> Option<Takes> {
    let listed = |list: &[String], name: &str| list.iter().any(|known| known == name);
    if wrapper.numbers && text.bytes().skip(1).all(|byte| byte.is_ascii_digit()) {
        return Some(Takes::Nothing);
    }
    if let Some((name, _)) = text.split_once('=').filter(|_| text.starts_with("--")) {
        return listed(&wrapper.values, name).then_some(Takes::Nothing);
    }
    if listed(&wrapper.flags, text) {
        return Some(Takes::Nothing);
    }
    if listed(&wrapper.values, text) {
        return Some(Takes::Next);
    }
    // The value of a one-letter option may be joined to it: `-n5`, `-oL`.
    let short = text.get(..2).filter(|short| !text.starts_with("--") && listed(&wrapper.values, short));
    short.map(|_| Takes::Nothing)
}
