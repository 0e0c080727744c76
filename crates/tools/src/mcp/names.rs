//! The names by which a model and rules know foreign tools: `mcp__server__tool`. Never lets a name of one server be read as one
//! of another.

use crate::limits::TOOL_NAME_MAX;

/// The longest name of a server, so that there is room for those of its tools.
const SERVER_NAME_MAX: usize = 24;

/// Whether a server can be called so: up to 24 letters, digits, `-` and single `_`. A double one separates names, and rules
/// such as `mcp__a` must not be about a server `a__b`.
pub fn is_server_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    (1..=SERVER_NAME_MAX).contains(&name.len())
        && name.chars().all(fits)
        && !name.contains("__")
        && !name.starts_with('_')
        && !name.ends_with('_')
}

/// How the model calls a tool of a server. What providers do not take becomes `_`, and what is too long is cut.
pub(super) fn tool_name(server: &str, tool: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let letters = tool.chars().map(|letter| if fits(letter) { letter } else { '_' });
    format!("mcp__{server}__").chars().chain(letters).take(TOOL_NAME_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::{is_server_name, tool_name};

    #[test]
    fn a_name_of_a_server_holds_no_separator() {
        assert!(["git", "my-server_2", "A"].into_iter().all(is_server_name));
        let bad = ["", "a__b", "_a", "a_", "a b", "a.b", "é", "a/b", "abcdefghijklmnopqrstuvwxy"];
        assert!(!bad.into_iter().any(is_server_name));
    }

    #[test]
    fn a_name_of_a_tool_is_one_that_providers_take() {
        assert_eq!(tool_name("git", "log"), "mcp__git__log");
        assert_eq!(tool_name("git", "log/all é\u{202e}"), "mcp__git__log_all___");
        assert_eq!(tool_name("git", &"x".repeat(100)).len(), 64);
    }
}
