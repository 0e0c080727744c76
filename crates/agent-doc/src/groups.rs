//! The commands in help, in groups by what they are for. Never knows what a command does: titles and words come from the
//! definition of the command line.

use clap::Command;

/// The command that the parser itself brings.
pub(crate) const HELP: &str = "help";

/// The groups in reading order. A command that is in none of them is shown under the last heading.
const GROUPS: &[(&str, &[&str])] = &[
    ("Work with an agent in a document", &["run", "stream", "watch", "init", "write", "commit", "clean"]),
    ("Let several agents work on one document", &["conduct", "runs"]),
    ("Look after a session document", &["patch", "convert", "compact", "reset"]),
    ("Read and write a document", &["serve", "outline", "section"]),
    ("Bring versions together", &["merge"]),
    (
        "See the past and bring it back",
        &["history", "show", "diff", "blame", "restore", "recover", "checkpoints"],
    ),
    ("Let agents and editors of others in", &["mcp", "acp"]),
    ("Talk to an agent", &["chat", "follow", "models", "stats"]),
    ("Say what agents may do", &["permissions", "trust"]),
    ("Set up", &["doctor", "config", "completions", "man"]),
];

/// `definition` with help that shows its commands in groups.
pub(crate) fn arranged(definition: Command) -> Command {
    let commands = listed(&definition);
    let header = *definition.get_styles().get_header();
    definition.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{commands}{header}Options:{header:#}\n{{options}}{{after-help}}"
    ))
}

/// One heading for each group and one line for each command.
fn listed(definition: &Command) -> String {
    let styles = definition.get_styles();
    let (header, literal) = (*styles.get_header(), *styles.get_literal());
    // `agent-doc help` says what `--help` says.
    let commands: Vec<&Command> =
        definition.get_subcommands().filter(|command| command.get_name() != HELP).collect();
    let width = commands.iter().map(|command| command.get_name().len()).max();
    let width = width.unwrap_or_default();
    let mut text = String::new();
    let last = GROUPS.len().saturating_sub(1);
    for (index, (title, names)) in GROUPS.iter().enumerate() {
        text.push_str(&format!("{header}{title}:{header:#}\n"));
        let belongs = |command: &&&Command| {
            names.contains(&command.get_name()) || (index == last && is_in_no_group(command.get_name()))
        };
        for command in commands.iter().filter(belongs) {
            let name = command.get_name();
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            text.push_str(&format!("  {literal}{name:width$}{literal:#}  {about}\n"));
        }
        text.push('\n');
    }
    text
}

fn is_in_no_group(name: &str) -> bool {
    GROUPS.iter().all(|(_, names)| !names.contains(&name))
}
