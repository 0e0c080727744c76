//! The gate before shell commands: what may run unasked, and why the rest may not.
//!
//! Never runs anything and never repairs a command: the text that was weighed is the text that runs. It only decides
//! whether to ask. What stops damage is the sandbox.

mod part;
mod reason;
mod place;
mod repository;
mod look;
mod claim;

mod letters;
mod scan;
mod stages;
mod word;
mod deep;
mod judge;
mod nested;
mod unwrap;
mod check;
mod sed;
mod secret;
mod table;

pub use part::{Part, Value, Weighed, Word};
pub use place::Place;
pub use reason::Reason;
pub use repository::Repository;
pub use table::TableError;

use agent::permission::Claim;
use deep::Grammar;
use judge::Judge;
use scan::Simple;
use table::Table;

/// Longer commands are asked about: nobody reads them at a glance.
const LENGTH_MAX: usize = 10_000;
/// The system starts no program with a longer argument, so there is no need to look at it.
const LENGTH_PARSED_MAX: usize = 128 * 1024;
/// More parts than this are asked about.
const PARTS_MAX: usize = 50;

/// Weighs commands against the table of what only reads.
#[derive(Debug)]
pub struct Gate {
    table: Table,
    grammar: Grammar,
}

impl Gate {
    /// The gate with the table that is shipped.
    ///
    /// # Errors
    /// The table cannot be read, which a test rules out.
    pub fn new() -> Result<Self, TableError> {
        Ok(Self { table: Table::shipped()?, grammar: Grammar::default() })
    }

    /// Weighs a command that would run in `place`.
    pub fn weigh(&self, text: &str, place: &Place) -> Weighed {
        let mut reasons = Vec::new();
        if text.len() > LENGTH_MAX {
            reasons.push(Reason::TooLong);
        }
        reasons.extend(letters::strange(text));
        let parts =
            if text.len() > LENGTH_PARSED_MAX { Vec::new() } else { self.parts(text, place, &mut reasons) };
        if parts.len() > PARTS_MAX {
            reasons.push(Reason::TooManyParts);
        }
        if parts.is_empty() && reasons.is_empty() {
            reasons.push(Reason::Empty);
        }
        Weighed { text: text.to_owned(), parts, reasons }
    }

    /// The command as the rules of people see it.
    pub fn claim(&self, weighed: &Weighed) -> Claim {
        claim::of(weighed, &self.table)
    }

    fn parts(&self, text: &str, place: &Place, reasons: &mut Vec<Reason>) -> Vec<Part> {
        let home = place.home.as_deref();
        let mut judge = Judge::new(&self.table, &self.grammar, place);
        if let Some(simples) = self.plain_pipeline(text, home) {
            for simple in simples {
                judge.weigh(text.get(simple.range.clone()).unwrap_or_default(), &simple);
            }
            return judge.parts;
        }
        // A long command is asked about anyway; what rules forbid is found without the grammar.
        let tree = if text.len() > LENGTH_MAX { None } else { self.grammar.parse(text) };
        let Some(tree) = tree else {
            reasons.push(Reason::Unparsable);
            for (text, simple) in deep::crude(text, home) {
                judge.weigh(&text, &simple);
            }
            return judge.parts;
        };
        match scan::simples(text, &tree, home) {
            Ok(simples) => {
                for simple in simples {
                    judge.weigh(text.get(simple.range.clone()).unwrap_or_default(), &simple);
                }
            }
            Err(reason) => {
                let mut found = deep::simples_in(text, &tree, home);
                if reason == Reason::Unparsable {
                    found.extend(deep::crude(text, home));
                }
                reasons.push(reason);
                for (text, simple) in found {
                    judge.weigh(&text, &simple);
                }
            }
        }
        judge.parts
    }

    /// The commands of a pipeline of plain commands, each parsed by itself; none if the text is anything else.
    fn plain_pipeline(&self, text: &str, home: Option<&str>) -> Option<Vec<Simple>> {
        if text.len() > LENGTH_MAX {
            return None;
        }
        let mut found = Vec::new();
        for range in stages::stages(text)? {
            let stage = text.get(range.clone())?;
            let simples = scan::simples(stage, &self.grammar.parse(stage)?, home).ok()?;
            let [mut simple] = <[Simple; 1]>::try_from(simples).ok()?;
            simple.range = simple.range.start + range.start..simple.range.end + range.start;
            found.push(simple);
        }
        Some(found)
    }
}

#[cfg(test)]
mod tests {
    use super::{Gate, scan, stages};

    /// Pieces of pipelines, harmless and not.
    const PIECES: &[&str] = &[
        "ls",
        "cat a b",
        "grep -n 'x|y' f",
        "sort",
        "rm -rf x",
        "sudo id",
        "X=1 env",
        "time ls",
        "if true",
        "then",
        "[[ a ]]",
        "echo \"a b\"",
        "tee out",
        "xargs rm",
        "> f",
        "cat < f",
        "2> f ls",
        "a=b",
        "-x",
        "'quoted' a",
        "sh -c 'ls | sh'",
        "f() x",
        "coproc x",
        "case x in",
        "do",
        "! ls",
        "{ ls",
        "ls }",
        "*.rs",
        "~/x",
        "[ a = b ]",
        "exec 3<f",
        "function f",
    ];

    #[test]
    fn stages_by_themselves_are_what_they_are_in_the_whole() {
        let gate = Gate::new().unwrap();
        let mut compared = 0;
        for one in PIECES {
            for two in PIECES {
                for three in ["head -5", "sh", "wc -l 2>/dev/null"] {
                    let text = format!("{one} | {two} | {three}");
                    let Some(parts) = gate.plain_pipeline(&text, None) else { continue };
                    let whole = scan::simples(&text, &gate.grammar.parse(&text).unwrap(), None);
                    assert_eq!(format!("{whole:?}"), format!("Ok({parts:?})"), "{text}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 1000 && stages::stages("ls").is_none(), "{compared}");
    }
}
