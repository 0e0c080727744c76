//! The `agent-doc` binary: arguments, configuration, wiring. Never holds a rule of merging or of markdown.

fn main() {}
