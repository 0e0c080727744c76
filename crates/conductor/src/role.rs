//! Who can work in a run: two roles that are always there, and those that a project describes in `.agent-doc/workers`. Never reads
//! a file, and never lets a description widen what rules allow: a role names the tools it has, and rules weigh each call.

use std::ops::RangeInclusive;
use std::time::Duration;

use document::frontmatter::{body, text_of};

/// The longest name of a worker.
pub const NAME_MAX: usize = 40;
/// The longest instructions.
const INSTRUCTIONS_MAX: usize = 32 * 1024;
/// Names that are sections of others.
const TAKEN: [&str; 2] = ["conductor", "user"];

/// Tools of one who looks things up.
const LOOKING: [&str; 6] = ["Read", "Grep", "Glob", "List", "WebFetch", "WebSearch"];
/// Tools of one who runs commands.
const RUNNING: [&str; 5] = ["Bash", "BashOutput", "KillBash", "Read", "List"];

/// Someone who can work in a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Role {
    /// The name, which is also the title of its section.
    pub name: String,
    /// The tools it may call, beside those of the document.
    pub tools: Vec<String>,
    /// The model it thinks with, if it is not the one of the run.
    pub model: Option<String>,
    /// How many requests to its model one prompt of it may take.
    pub turns_max: Option<u32>,
    /// How many tokens its model may write in one attempt.
    pub tokens_max: Option<u64>,
    /// How long one attempt may take.
    pub time_max: Option<Duration>,
    /// What it is told about its work.
    pub instructions: String,
}

/// What is wrong with the description of a role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RoleError {
    /// The name cannot be a title.
    #[error(
        "{0:?} is no name of a worker: use up to {NAME_MAX} letters, digits, blanks, \"-\" and \"_\", and not \"Conductor\" or \"User\""
    )]
    Name(String),
    /// A key holds what it cannot.
    #[error("`{key}` must be {wanted}")]
    Key {
        /// The key.
        key: &'static str,
        /// What it may hold.
        wanted: &'static str,
    },
    /// It says nothing.
    #[error("there are no instructions below the frontmatter; say what the worker does")]
    Silent,
    /// It says too much.
    #[error("the instructions have more than 32 KiB; shorten them")]
    TooLong,
}

impl Role {
    /// Looks things up in files and on the web.
    #[must_use]
    pub fn researcher() -> Role {
        Role {
            name: "Researcher".to_owned(),
            tools: LOOKING.map(str::to_owned).to_vec(),
            model: None,
            turns_max: None,
            tokens_max: None,
            time_max: None,
            instructions: "You look things up: files of the project first, then the web where you may. Quote what you found \
                with its place, as path:line or address."
                .to_owned(),
        }
    }

    /// Runs commands.
    #[must_use]
    pub fn terminal() -> Role {
        Role {
            name: "Terminal".to_owned(),
            tools: RUNNING.map(str::to_owned).to_vec(),
            model: None,
            turns_max: None,
            tokens_max: None,
            time_max: None,
            instructions: "You find things out by running commands: count, build, test, measure. Say which command gave which \
                result, and keep long output out of the document."
                .to_owned(),
        }
    }

    /// Those that are always there.
    #[must_use]
    pub fn standing() -> Vec<Role> {
        vec![Self::researcher(), Self::terminal()]
    }

    /// A role from its description: keys `name`, `tools`, `model`, `turns`, `tokens` and `minutes` in the frontmatter, instructions
    /// below. `stem` is the name of the file, for one that says no name.
    ///
    /// # Errors
    ///
    /// [`RoleError`] that names what to mend.
    pub fn parse(stem: &str, text: &str) -> Result<Role, RoleError> {
        let name = text_of(text, "name").unwrap_or_else(|| stem.to_owned());
        let name = name.trim().to_owned();
        if !is_name(&name) {
            return Err(RoleError::Name(name.chars().take(NAME_MAX).collect()));
        }
        let wanted = "one line, such as \"Read, Grep, Bash\"";
        let tools = match text_of(text, "tools") {
            Some(line) => names(&line).ok_or(RoleError::Key { key: "tools", wanted })?,
            None if document::frontmatter::has_key(text, "tools") => {
                return Err(RoleError::Key { key: "tools", wanted });
            }
            None => LOOKING.map(str::to_owned).to_vec(),
        };
        let turns_max = number(text, "turns", 1..=1000, "a number from 1 to 1000")?;
        let tokens_max = number(text, "tokens", 1..=100_000_000, "a number from 1 to 100000000")?;
        let minutes = number(text, "minutes", 1..=1440, "a number from 1 to 1440")?;
        let instructions = body(text).trim().to_owned();
        match instructions.len() {
            0 => Err(RoleError::Silent),
            length if length > INSTRUCTIONS_MAX => Err(RoleError::TooLong),
            _ => Ok(Role {
                name,
                tools,
                model: text_of(text, "model"),
                turns_max: turns_max.and_then(|turns| turns.try_into().ok()),
                tokens_max,
                time_max: minutes.map(|minutes| Duration::from_secs(minutes * 60)),
                instructions,
            }),
        }
    }

    /// Whether it has this tool.
    #[must_use]
    pub fn has(&self, tool: &str) -> bool {
        let is_it = |known: &String| {
            known == tool
                || (known.starts_with("mcp__") && tool.strip_prefix(known.trim_end_matches('*')).is_some())
        };
        self.tools.iter().any(is_it)
    }
}

/// Whether the title of a section can be this name, and the name be called in a directive.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    let begins = name.chars().next().is_some_and(char::is_alphanumeric);
    begins
        && name.chars().all(fits)
        && name.chars().count() <= NAME_MAX
        && !TAKEN.contains(&name.to_lowercase().as_str())
}

/// The number behind a key, if it is there.
fn number(
    text: &str,
    key: &'static str,
    range: RangeInclusive<u64>,
    wanted: &'static str,
) -> Result<Option<u64>, RoleError> {
    let Some(value) = text_of(text, key) else { return Ok(None) };
    let number = value.trim().parse().ok().filter(|number| range.contains(number));
    number.map(Some).ok_or(RoleError::Key { key, wanted })
}

fn names(line: &str) -> Option<Vec<String>> {
    let names: Vec<String> =
        line.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    let fits =
        |name: &String| name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-*".contains(letter));
    (!names.is_empty() && names.iter().all(fits)).then_some(names)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Role, RoleError};

    #[test]
    fn a_role_is_read_from_its_frontmatter_and_body() {
        let text = "---\nname: Critic\ntools: Read, Grep\nmodel: offline\nturns: 5\ntokens: 9000\nminutes: 2\n---\nDoubt everything.\n";
        let role = Role::parse("critic", text).unwrap();
        assert_eq!((role.name.as_str(), role.turns_max), ("Critic", Some(5)));
        assert_eq!((role.tokens_max, role.time_max), (Some(9000), Some(Duration::from_secs(120))));
        assert_eq!(role.tools, ["Read", "Grep"]);
        assert!(role.has("Read") && !role.has("Bash"));
        assert_eq!(
            (role.model.as_deref(), role.instructions.as_str()),
            (Some("offline"), "Doubt everything.")
        );
    }

    #[test]
    fn a_role_without_frontmatter_has_the_name_of_its_file() {
        let role = Role::parse("Critic", "Doubt everything.").unwrap();
        assert_eq!(role.name, "Critic");
        assert!(!role.has("Bash"), "only looking is given unasked");
    }

    #[test]
    fn a_description_that_cannot_be_is_refused_with_what_to_mend() {
        let told = |stem: &str, text: &str| Role::parse(stem, text).unwrap_err().to_string();
        for name in ["User", "conductor", "a/b", "## x", "", "<!-- x"] {
            assert!(matches!(Role::parse(name, "words"), Err(RoleError::Name(_))), "{name}");
        }
        assert_eq!(Role::parse("A", "---\nname: B\n---\n"), Err(RoleError::Silent));
        assert!(told("A", "---\ntools: [Read]\n---\nx").contains("tools"));
        for limit in ["turns: many", "turns: 0", "tokens: -1", "tokens: 1.5", "minutes: 1 h", "minutes: 9999"]
        {
            let (key, _) = limit.split_once(':').unwrap();
            let said = told("A", &format!("---\n{limit}\n---\nx"));
            assert!(said.starts_with(&format!("`{key}` must be a number from 1 to ")), "{said}");
        }
        assert_eq!(Role::parse("A", &"x".repeat(40_000)), Err(RoleError::TooLong));
    }
}
