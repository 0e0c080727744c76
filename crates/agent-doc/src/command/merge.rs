//! `agent-doc merge`: three files in, one text out. Never writes before all three are read, and never hides a place where
//! both sides changed the same words.

use anyhow::Result;
use document::merge::{Notice, NoticeKind, merge, merge_diff3};

use crate::arguments::{Merge, Style};
use crate::refusal::Refusal;
use crate::replace::{self, Destination};
use crate::{Outcome, input, output};

pub(crate) fn run(given: &Merge) -> Result<Outcome> {
    let paths = [&given.base, &given.ours, &given.theirs];
    if paths.iter().filter(|path| input::is_standard(path)).count() > 1 {
        let remedy = "give '-' once, and the others as files";
        return Err(Refusal::new("standard input can be only one of the three texts", remedy).into());
    }
    let base = input::read(&given.base)?;
    let ours = input::read(&given.ours)?;
    let theirs = input::read(&given.theirs)?;
    let merged = match given.style {
        Style::Crdt => merge(&base, &ours, &theirs),
        Style::Diff3 => merge_diff3(&base, &ours, &theirs),
    };
    match given.output.as_deref().filter(|path| !input::is_standard(path)) {
        None => output::print(merged.text.as_bytes())?,
        Some(path) => {
            let destination = Destination::find(path)?;
            let texts = [&base, &ours, &theirs];
            let read = paths.iter().zip(texts).find(|(path, _)| destination.is(path));
            replace::replace(&destination, &merged.text, read.map(|(_, text)| text.as_str()))?;
        }
    }
    tell(&merged.notices, given.name.as_deref());
    let has_conflict = merged.notices.iter().any(|notice| notice.kind == NoticeKind::Conflict);
    Ok(if has_conflict { Outcome::Conflicts } else { Outcome::Done })
}

/// One line on standard error for each notice.
fn tell(notices: &[Notice], name: Option<&str>) {
    let file = name.map(|name| format!("{name}: ")).unwrap_or_default();
    for notice in notices {
        let what = match notice.kind {
            NoticeKind::BothChanged => "both changed this line; both versions are kept",
            NoticeKind::DeletedAndChanged => {
                "one side deleted what the other changed; the changed text is kept"
            }
            NoticeKind::PersonKept => "both set this; the value of THEIRS is kept",
            NoticeKind::EmptySave => "THEIRS is empty and was taken for an unfinished save; OURS is kept",
            NoticeKind::Conflict => "both changed this; resolve the conflict between the markers",
        };
        output::notice(&format!("{file}line {}: {what}", notice.line));
    }
}
