//! Whether a script of `sed` only prints. Never follows the whole language: what is not one of a few plain commands does not pass.

/// A list of commands, each with at most two addresses: print, delete, quit, number, substitute.
pub(super) fn only_prints(script: &str) -> bool {
    let mut rest = script;
    if script.contains(['\n', '{', '}']) {
        return false;
    }
    loop {
        let Some(after) = command(rest.trim_start_matches([' ', ';'])) else {
            return false;
        };
        let after = after.trim_start_matches(' ');
        if after.is_empty() {
            return true;
        }
        let Some(next) = after.strip_prefix(';') else {
            return false;
        };
        rest = next;
    }
}

/// What follows one command. `None` if it is none of the plain ones.
fn command(text: &str) -> Option<&str> {
    if text.is_empty() {
        return Some(text);
    }
    let mut rest = address(text)?;
    if let Some(second) = rest.strip_prefix(',') {
        let second = second.trim_start_matches(' ');
        let after = address(second.strip_prefix(['+', '~']).unwrap_or(second))?;
        rest = (after.len() < second.len()).then_some(after)?;
    }
    let rest = rest.trim_start_matches(' ');
    let rest = rest.strip_prefix('!').unwrap_or(rest).trim_start_matches(' ');
    let mut letters = rest.chars();
    match letters.next()? {
        'p' | 'd' | 'P' | 'D' | 'n' | 'N' | 'g' | 'G' | 'h' | 'H' | 'x' | '=' => Some(letters.as_str()),
        'q' | 'Q' => Some(letters.as_str().trim_start_matches(|letter: char| letter.is_ascii_digit())),
        's' => substitution(letters.as_str()),
        _ => None,
    }
}

/// What follows an address; the same text if there is none.
fn address(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix('/') {
        return Some(until(rest, '/')?.trim_start_matches('I'));
    }
    if let Some(rest) = text.strip_prefix('$') {
        return Some(rest);
    }
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    match rest.strip_prefix('~').filter(|_| rest.len() < text.len()) {
        Some(step) => Some(step.trim_start_matches(|letter: char| letter.is_ascii_digit())),
        None => Some(rest),
    }
}

fn substitution(text: &str) -> Option<&str> {
    // Not a colon: between brackets it has a meaning of its own.
    let delimiter = text.chars().next().filter(|letter| "/|#,@!%_".contains(*letter))?;
    let pattern = text.get(1..)?;
    let replacement = until(pattern, delimiter)?;
    let flags = until(replacement, delimiter)?;
    // Not `e`, which runs the line; not `w`, which writes it; not `m`, which nobody needs here.
    Some(flags.trim_start_matches(|letter: char| letter.is_ascii_digit() || "gpiI".contains(letter)))
}

/// What follows the first such letter that has no backslash before it and does not stand in brackets.
fn until(text: &str, end: char) -> Option<&str> {
    let mut letters = text.chars();
    loop {
        match letters.next()? {
            '\\' => {
                letters.next()?;
            }
            letter if letter == end => return Some(letters.as_str()),
            '[' => letters = brackets(letters.as_str(), end)?.chars(),
            _ => {}
        }
    }
}

/// What follows the brackets that were just opened. Versions of `sed` differ about odd ones, and in a replacement there are
/// none: what could be read in two ways does not pass.
fn brackets(text: &str, end: char) -> Option<&str> {
    let text = text.strip_prefix('^').unwrap_or(text);
    if let Some(class) = text.strip_prefix("[:") {
        return class.trim_start_matches(|letter: char| letter.is_ascii_lowercase()).strip_prefix(":]]");
    }
    let (inside, after) = text.split_once(']')?;
    let is_plain = !inside.is_empty() && !inside.contains(['[', '\\', end]);
    is_plain.then_some(after)
}
