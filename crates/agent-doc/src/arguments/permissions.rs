//! What can be typed about permissions. Never does what was typed.

use clap::{Args, Subcommand, ValueEnum};

/// Say what agents may run and touch, and see why
///
/// A rule is 'deny', 'ask' or 'allow' and what it is about: 'allow Bash(cargo test *)', 'deny Read(~/.ssh/**)'. Deny stands
/// before ask, and ask before allow. Without a rule, commands that only read in the project run unasked, and all others are
/// asked about.
#[derive(Debug, Subcommand)]
#[command(
    defer = true,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  agent-doc permissions list
  agent-doc permissions add 'allow Bash(cargo test *)'
  agent-doc permissions check 'git diff | grep TODO'"
)]
pub(crate) enum PermissionsCommand {
    List(PermissionsList),
    Add(PermissionsAdd),
    Remove(PermissionsRemove),
    Check(PermissionsCheck),
}

/// List all rules with the file that each stands in
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc permissions list
  agent-doc permissions list --json")]
pub(crate) struct PermissionsList {
    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Add a rule
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc permissions add 'allow Bash(cargo test *)'
  agent-doc permissions add 'deny Read(~/.ssh/**)' --scope user")]
pub(crate) struct PermissionsAdd {
    /// The rule, such as 'allow Bash(cargo test *)'
    #[arg(value_name = "RULE")]
    pub(crate) rule: String,

    /// For whom it holds
    #[arg(long, value_enum, default_value_t = RuleScope::Local)]
    pub(crate) scope: RuleScope,
}

/// Remove a rule, wherever it stands
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc permissions remove 'allow Bash(cargo test *)'
  agent-doc permissions remove 'deny Read(~/.ssh/**)' --scope user")]
pub(crate) struct PermissionsRemove {
    /// The rule, as 'agent-doc permissions list' shows it
    #[arg(value_name = "RULE")]
    pub(crate) rule: String,

    /// Remove it only there
    #[arg(long, value_enum)]
    pub(crate) scope: Option<RuleScope>,
}

/// Say whether a command would run, be asked about, or be refused
///
/// Each part of the command is shown with the rule that decides about it. Nothing is run. The exit code is 0 if the command
/// would run unasked, 10 if a person would be asked, 11 if it would be refused, and 2 if that cannot be said.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc permissions check 'git status'
  agent-doc permissions check 'cargo build && rm -rf target' --json")]
pub(crate) struct PermissionsCheck {
    /// The command, as it would be given to the shell
    #[arg(value_name = "COMMAND", allow_hyphen_values = true)]
    pub(crate) command: String,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// For whom a rule holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RuleScope {
    /// You, in all projects
    User,
    /// Everybody who works on this project; such a rule cannot allow anything
    Project,
    /// You, in this project
    Local,
}
