//! The tools that a guest has: short names, because programs put theirs before them. Never more than the owner of the document
//! allows a worker.

use agent::StreamController;
use agent::message::{Part, ToolCall};
use agent::model::ToolSpec;
use agent::tool::{Output, parsed, spec};
use schemars::JsonSchema;
use serde::Deserialize;
use workspace::section_tools::{Call, Deed, Lines};

use crate::guest::{Entry, Guest};

/// Reads the whole document, in which people and other agents write at this moment, and says its revision.
///
/// Of a long one you get 2000 lines from the beginning if you do not say which.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadDocument {
    /// The number of the first line to read, counted from 1.
    offset: Option<u64>,
    /// How many lines to read.
    limit: Option<u64>,
}

/// Reads one section, without its heading, and says the revision of the document.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadSection {
    /// The title; your own section if you leave it out.
    section: Option<String>,
    /// The number of the first line to read, counted from 1.
    offset: Option<u64>,
    /// How many lines to read.
    limit: Option<u64>,
}

/// Adds a block of markdown at the end of your own section. What others add at the same time stays, so it needs no revision.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AppendSection {
    /// What to add.
    content: String,
    /// The title, if it is not your own section. Sections of others refuse you.
    section: Option<String>,
}

/// Replaces what your own section holds; its heading stays. Read it before.
///
/// If somebody changed it since the revision that you give, nothing is written, and you get what it holds now.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WriteSection {
    /// All that will stand below the heading.
    content: String,
    /// The revision at which you read the section.
    revision: u64,
    /// The title, if it is not your own section. Sections of others refuse you.
    section: Option<String>,
}

/// Replaces one passage of your own section by another. Read it before.
///
/// `old` must stand there exactly as given, and once. If somebody changed the section since the revision that you give, nothing is
/// written, and you get what it holds now.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EditSection {
    /// The passage to replace.
    old: String,
    /// The passage to put there.
    new: String,
    /// The revision at which you read the section.
    revision: u64,
    /// The title, if it is not your own section. Sections of others refuse you.
    section: Option<String>,
}

/// Says that you are done, so that the conductor takes what you wrote into the canon of the run. It is accepted only if you added
/// something to your section since you last said so.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Finished {
    /// What you found, in one sentence.
    summary: String,
}

/// All tools, in the order in which a guest sees them, and whether each only reads. Only in a run there is somebody to be done for.
pub(crate) fn all(is_of_run: bool) -> Vec<(ToolSpec, bool)> {
    let mut all = vec![
        (spec::<ReadDocument>("read_document"), true),
        (spec::<ReadSection>("read_section"), true),
        (spec::<AppendSection>("append_section"), false),
        (spec::<WriteSection>("write_section"), false),
        (spec::<EditSection>("edit_section"), false),
    ];
    if is_of_run {
        all.push((spec::<Finished>("finished"), false));
    }
    all
}

/// Does what a guest calls for. None if there is no such tool.
pub(crate) async fn run(
    entry: &Entry,
    guest: &Guest,
    call: &ToolCall,
    stop: &StreamController,
) -> Option<Output> {
    let named = Call { id: &call.id, tool: &call.name, input: &call.input, stop };
    let done = match call.name.as_str() {
        "read_document" => read_document(entry, guest, call, &named).await,
        "read_section" => read_section(entry, guest, call, &named).await,
        "append_section" => append_section(entry, guest, call, &named).await,
        "write_section" => write_section(entry, guest, call, &named).await,
        "edit_section" => edit_section(entry, guest, call, &named).await,
        "finished" => finished(guest, call).await?,
        _ => return None,
    };
    Some(done.unwrap_or_else(Output::error))
}

type Done = Result<Output, String>;

async fn read_document(entry: &Entry, guest: &Guest, call: &ToolCall, named: &Call<'_>) -> Done {
    let ReadDocument { offset, limit } = parsed(call)?;
    let mut output = guest.scribe.read(named, entry.path(), Lines { offset, limit }).await;
    if let (false, Some(Part::Text(text))) = (output.is_error, output.content.first_mut()) {
        let told = match &guest.part {
            Some(part) => part.told(&guest.name).await,
            None => String::new(),
        };
        *text = format!("You write in the section {:?}.\n{told}{text}", guest.name);
    }
    Ok(output)
}

async fn read_section(entry: &Entry, guest: &Guest, call: &ToolCall, named: &Call<'_>) -> Done {
    let ReadSection { section, offset, limit } = parsed(call)?;
    let section = section.as_ref().unwrap_or(&guest.name);
    Ok(guest.scribe.read_section(named, entry.path(), section, Lines { offset, limit }).await)
}

async fn append_section(entry: &Entry, guest: &Guest, call: &ToolCall, named: &Call<'_>) -> Done {
    let AppendSection { content, section } = parsed(call)?;
    let section = own(guest, section, &content).await?;
    Ok(guest.scribe.append(named, entry.path(), &section, content).await)
}

async fn write_section(entry: &Entry, guest: &Guest, call: &ToolCall, named: &Call<'_>) -> Done {
    let WriteSection { content, revision, section } = parsed(call)?;
    let section = own(guest, section, &content).await?;
    Ok(guest.scribe.replace(named, entry.path(), &section, revision, Deed::Whole(content)).await)
}

async fn edit_section(entry: &Entry, guest: &Guest, call: &ToolCall, named: &Call<'_>) -> Done {
    let EditSection { old, new, revision, section } = parsed(call)?;
    let section = own(guest, section, &new).await?;
    Ok(guest.scribe.replace(named, entry.path(), &section, revision, Deed::Passage { old, new }).await)
}

/// None where nobody conducts: then there is no such tool.
async fn finished(guest: &Guest, call: &ToolCall) -> Option<Done> {
    let part = guest.part.as_ref()?;
    Some(match parsed(call) {
        Ok(Finished { summary }) => Ok(part.finish(&guest.name, &summary).await),
        Err(told) => Err(told),
    })
}

/// The section that is meant, if the guest may add this to it. Its own is there from then on.
async fn own(guest: &Guest, section: Option<String>, content: &str) -> Result<String, String> {
    let section = section.unwrap_or_else(|| guest.name.clone());
    if section.trim().eq_ignore_ascii_case(&guest.name) {
        if let Some(objection) = guest.objection(content).await {
            return Err(objection);
        }
        guest.settle().await?;
    }
    Ok(section)
}
