//! The tools that a model can call, one file each. Never runs one without a permit.

mod bash;
mod bash_output;
mod kill_bash;

pub use bash::Bash;
pub use bash_output::BashOutput;
pub use kill_bash::KillBash;
