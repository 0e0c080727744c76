//! `agent-doc show`: a document as it was. Never changes anything.

use anyhow::Result;

use crate::arguments::Show;
use crate::output;
use crate::past::Past;

pub(crate) fn run(given: &Show) -> Result<()> {
    let past = Past::find(&given.file)?;
    let text = past.text_at(&past.history()?, given.revision)?;
    output::print(text.as_bytes())
}
