//! Who can work in a run: two roles that are always there, and those that a project describes in `.agent-doc/workers`. Never reads
//! a file, and never lets a description widen what rules allow: a role names the tools it has, and rules weigh each call.

use document::frontmatter::{body, text_of};

/// The longest name of a worker.
const NAME_MAX: usize = 40;
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

    /// A role from its description: keys `name`, `tools`, `model` and `turns` in the frontmatter, instructions below. `stem` is the
    /// name of the file, for one that says no name.
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
        let turns_max = match text_of(text, "turns") {
            Some(number) => {
                let number = number.trim().parse().ok().filter(|number| (1..=1000).contains(number));
                Some(number.ok_or(RoleError::Key { key: "turns", wanted: "a number from 1 to 1000" })?)
            }
            None => None,
        };
        let instructions = body(text).trim().to_owned();
        match instructions.len() {
            0 => Err(RoleError::Silent),
            length if length > INSTRUCTIONS_MAX => Err(RoleError::TooLong),
            _ => Ok(Role { name, tools, model: text_of(text, "model"), turns_max, instructions }),
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
fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_');
    let begins = name.chars().next().is_some_and(char::is_alphanumeric);
    begins
        && name.chars().all(fits)
        && name.chars().count() <= NAME_MAX
        && !TAKEN.contains(&name.to_lowercase().as_str())
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
    use super::{Role, RoleError};

    #[test]
    fn a_role_is_read_from_its_frontmatter_and_body() {
        let text = "---\nname: Critic\ntools: Read, Grep\nmodel: offline\nturns: 5\n---\nDoubt everything.\n";
        let role = Role::parse("critic", text).unwrap();
        assert_eq!((role.name.as_str(), role.turns_max), ("Critic", Some(5)));
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
        assert!(told("A", "---\nturns: many\n---\nx").contains("from 1 to 1000"));
        assert_eq!(Role::parse("A", &"x".repeat(40_000)), Err(RoleError::TooLong));
    }
}
