//! `agent-doc completions`: what a shell needs to complete our commands. Never installs anything.

use anyhow::Result;

use crate::arguments::{Completions, definition};
use crate::output;

pub(crate) fn run(given: &Completions) -> Result<()> {
    let mut script = Vec::new();
    let mut definition = definition();
    let name = definition.get_name().to_owned();
    clap_complete::generate(given.shell, &mut definition, name, &mut script);
    output::print(&script)
}
