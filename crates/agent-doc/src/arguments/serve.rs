//! What is typed to open the Writer. Never opens it.

use std::path::PathBuf;

use clap::Args;

/// Write in the browser, together with agents and other editors
///
/// Opens the Writer: a live page for each document of the folder, on this machine only. The link carries a secret; whoever has it can
/// write. What you type is in the file a moment later, and what others save or agents write appears in the page.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc serve
  agent-doc serve notes.md
  agent-doc serve --port 8080 --no-open")]
pub(crate) struct Serve {
    /// The folder, or one document of it
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) path: PathBuf,

    /// The port; without it the last one, or any that is free
    #[arg(long, value_name = "NUMBER")]
    pub(crate) port: Option<u16>,

    /// Print the link without opening a browser
    #[arg(long)]
    pub(crate) no_open: bool,

    /// Make a new secret, so that older links end
    #[arg(long)]
    pub(crate) new_token: bool,
}
