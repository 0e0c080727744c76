//! Every limit of the crate, in one place. Never read from a configuration: what a model can be told to widen is no limit.

use std::time::Duration;

/// How long a command may run if the model does not say.
pub const TIMEOUT_DEFAULT: Duration = Duration::from_secs(120);
/// How long a command may run at most.
pub const TIMEOUT_MAX: Duration = Duration::from_secs(600);
/// How long a command gets to clean up after being told to end, before it is killed.
pub const GRACE: Duration = Duration::from_millis(300);
/// How long output is waited for after a command has ended.
pub const DRAIN: Duration = Duration::from_millis(500);
/// Commands that may run in the background at once.
pub const BACKGROUND_MAX: usize = 16;
/// The longest command.
pub const COMMAND_MAX: usize = 100_000;

/// What a model gets of one output, in bytes: half from the beginning, half from the end.
pub const SHOWN_MAX: usize = 30_000;
/// A line is held back this long to see whether it is drawn over.
pub const LINE_HELD_MAX: usize = 16_384;
/// What is kept of one output on the disk.
pub const ARTIFACT_MAX: u64 = 256 << 20;

/// Lines of a file in one reading.
pub const READ_LINES: usize = 2_000;
/// What is shown of one line, in characters.
pub const LINE_SHOWN_MAX: usize = 2_000;
/// What a reading may hold in all, in bytes.
pub const READ_SHOWN_MAX: usize = 200_000;
/// The largest file that can be edited or written.
pub const EDIT_MAX: u64 = 16 << 20;
/// The largest image that is passed on.
pub const IMAGE_MAX: u64 = 5 << 20;
/// Edits in one call.
pub const EDITS_MAX: usize = 200;

/// Paths in one answer.
pub const PATHS_MAX: usize = 1_000;
/// Matching lines in one answer.
pub const MATCHES_MAX: usize = 1_000;
/// Files and folders that one search looks at.
pub const WALK_MAX: usize = 1_000_000;
/// Lines of context around a match.
pub const CONTEXT_MAX: usize = 50;
/// The longest pattern.
pub const PATTERN_MAX: usize = 10_000;

/// Tasks in a list of tasks.
pub const TASKS_MAX: usize = 200;
/// Questions in one call, and answers to choose from.
pub const QUESTIONS_MAX: usize = 4;
/// Answers to choose from.
pub const CHOICES_MAX: usize = 8;

/// What is read of a page.
pub const PAGE_MAX: usize = 8 << 20;
/// What a model gets of a page, in bytes.
pub const PAGE_SHOWN_MAX: usize = 60_000;
/// How long a page is waited for.
pub const PAGE_TIMEOUT: Duration = Duration::from_secs(30);
/// Redirections that are followed.
pub const REDIRECTS_MAX: usize = 5;
/// Results of a search of the web.
pub const HITS_MAX: usize = 20;

/// Files that one checkpoint looks at.
pub const CHECKPOINT_FILES_MAX: usize = 50_000;
/// The largest file that a checkpoint keeps.
pub const CHECKPOINT_FILE_MAX: u64 = 16 << 20;

/// How long an MCP server may take until it has listed its tools. The conversation waits for it.
pub const SERVER_START_TIMEOUT: Duration = Duration::from_secs(20);
/// How often in a row an MCP server is started without having answered a call.
pub const SERVER_STARTS_MAX: u32 = 4;
/// How long a call of an MCP server may take.
pub const SERVER_CALL_TIMEOUT: Duration = TIMEOUT_MAX;
/// The longest message of an MCP server.
pub const SERVER_MESSAGE_MAX: usize = 16 << 20;
/// What is kept of the last words of an MCP server, in bytes.
pub const SERVER_WORDS_MAX: usize = 1_000;
/// Tools that one MCP server may offer.
pub const SERVER_TOOLS_MAX: usize = 100;
/// Pages on which an MCP server may list them.
pub const SERVER_PAGES_MAX: usize = 50;
/// The longest name of a tool; providers take no longer ones.
pub const TOOL_NAME_MAX: usize = 64;
/// What a model gets of the description of a foreign tool, in bytes.
pub const DESCRIPTION_MAX: usize = 2_048;
/// The largest schema of a foreign tool, in bytes.
pub const SCHEMA_MAX: usize = 32_768;
/// Images in the answer of a foreign tool.
pub const IMAGES_MAX: usize = 8;
