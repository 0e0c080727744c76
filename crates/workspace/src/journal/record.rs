//! What a record of the journal says, as JSON, so that a person can read it with any viewer. Never changes the meaning of a
//! field: a new meaning is a new format number. The text of a checkpoint follows its JSON as it is, after a line end: a long one is
//! then read and written at the speed of copying it.

use std::borrow::Cow;

use document::{Author, Edit, Revision};
use serde::{Deserialize, Serialize};

use super::history::Checkpoint;
use crate::blame::Span;
use crate::keeper::{Done, Entry, InFile, Save};

/// The format that is written here.
const FORMAT: u32 = 2;
/// The format that has the text of a checkpoint in the JSON.
const FORMAT_INSIDE: u32 = 1;

/// What stands between the JSON and the text.
const TEXT_FOLLOWS: u8 = b'\n';
/// What the JSON of a checkpoint has about, without its spans.
const HEAD_BYTES: usize = 256;

/// One record, read.
#[derive(Debug)]
pub(super) enum Record {
    /// Where the text follows the JSON, it is not read: the record ends with so many bytes of it.
    Checkpoint {
        checkpoint: Checkpoint,
        follows: Option<usize>,
    },
    Entry(Entry),
    /// A checkpoint of a format that a later program writes.
    Unknown,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Written<'a> {
    Checkpoint(WrittenCheckpoint<'a>),
    Entry(WrittenEntry<'a>),
}

#[derive(Serialize, Deserialize)]
struct WrittenCheckpoint<'a> {
    format: u32,
    #[serde(default)]
    revision: Revision,
    #[serde(default)]
    floor: Revision,
    #[serde(default)]
    time: u64,
    /// Only in the first format; else the text follows.
    #[serde(default, skip_serializing_if = "str::is_empty")]
    text: Cow<'a, str>,
    /// Length, author, revision and time.
    #[serde(default)]
    spans: Vec<(usize, Cow<'a, str>, Revision, u64)>,
    /// Author, name, revision and bytes of requests.
    #[serde(default)]
    done: Vec<WrittenDone<'a>>,
}

#[derive(Serialize, Deserialize)]
struct WrittenEntry<'a> {
    revision: Revision,
    author: Cow<'a, str>,
    time: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    section: Option<Cow<'a, str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    request: Option<Cow<'a, str>>,
    /// Start, end, and what stands there now.
    edits: Vec<WrittenEdit<'a>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    written: Option<Revision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    perhaps: Option<Revision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    save: Option<WrittenSave<'a>>,
}

type WrittenDone<'a> = (Cow<'a, str>, Cow<'a, str>, Revision, usize);

type WrittenEdit<'a> = (usize, usize, Cow<'a, str>);

#[derive(Serialize, Deserialize)]
struct WrittenSave<'a> {
    displaced: bool,
    edits: Vec<WrittenEdit<'a>>,
}

pub(super) fn write_checkpoint(checkpoint: &Checkpoint) -> serde_json::Result<Vec<u8>> {
    let spans = checkpoint
        .spans
        .iter()
        .map(|span| (span.length, Cow::Borrowed(span.author.name()), span.revision, span.time))
        .collect();
    let mut bytes = Vec::with_capacity(checkpoint.text.len() + HEAD_BYTES);
    let head = Written::Checkpoint(WrittenCheckpoint {
        format: FORMAT,
        revision: checkpoint.revision,
        floor: checkpoint.floor,
        time: checkpoint.time,
        text: Cow::Borrowed(""),
        spans,
        done: checkpoint.requests.iter().map(written_done).collect(),
    });
    serde_json::to_writer(&mut bytes, &head)?;
    bytes.push(TEXT_FOLLOWS);
    bytes.extend_from_slice(checkpoint.text.as_bytes());
    Ok(bytes)
}

pub(super) fn write_entry(entry: &Entry) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Written::Entry(WrittenEntry {
        revision: entry.revision,
        author: Cow::Borrowed(entry.author.name()),
        time: entry.time,
        section: entry.section.as_deref().map(Cow::Borrowed),
        request: entry.request.as_deref().map(Cow::Borrowed),
        edits: entry.edits.iter().map(written_edit).collect(),
        written: entry.file.written,
        perhaps: entry.file.perhaps,
        save: entry.file.save.as_ref().map(|save| WrittenSave {
            displaced: save.is_displaced,
            edits: save.edits.iter().map(written_edit).collect(),
        }),
    }))
}

fn written_edit(edit: &Edit) -> WrittenEdit<'_> {
    (edit.range.start, edit.range.end, Cow::Borrowed(&*edit.text))
}

fn read_edit((start, end, text): WrittenEdit<'_>) -> Edit {
    Edit { range: start..end, text: text.into_owned() }
}

fn written_done(done: &Done) -> WrittenDone<'_> {
    (Cow::Borrowed(done.author.name()), Cow::Borrowed(&*done.request), done.revision, done.bytes)
}

fn read_done((author, request, revision, bytes): WrittenDone<'_>) -> Done {
    Done { author: Author::new(author), request: request.into_owned(), revision, bytes }
}

fn read_save(save: WrittenSave<'_>) -> Save {
    Save { edits: save.edits.into_iter().map(read_edit).collect(), is_displaced: save.displaced }
}

/// The JSON of a record, and what follows it. JSON that is written on one line has no line end in it.
fn parts(content: &[u8]) -> (&[u8], Option<&[u8]>) {
    let mut parts = content.splitn(2, |byte| *byte == TEXT_FOLLOWS);
    (parts.next().unwrap_or_default(), parts.next())
}

/// Reads a record; nothing if it is none.
pub(super) fn read(content: &[u8]) -> Option<Record> {
    let (head, text) = parts(content);
    match serde_json::from_slice(head).ok()? {
        Written::Checkpoint(written) if !matches!(written.format, FORMAT | FORMAT_INSIDE) => {
            Some(Record::Unknown)
        }
        Written::Checkpoint(written) => {
            let span = |(length, author, revision, time): (usize, Cow<'_, str>, Revision, u64)| Span {
                length,
                author: Author::new(author),
                revision,
                time,
            };
            let checkpoint = Checkpoint {
                revision: written.revision,
                floor: written.floor,
                time: written.time,
                text: written.text.into_owned(),
                spans: written.spans.into_iter().map(span).collect(),
                requests: written.done.into_iter().map(read_done).collect(),
            };
            Some(Record::Checkpoint { checkpoint, follows: text.map(<[u8]>::len) })
        }
        Written::Entry(written) => Some(Record::Entry(Entry {
            revision: written.revision,
            author: Author::new(written.author),
            time: written.time,
            section: written.section.map(Cow::into_owned),
            request: written.request.map(Cow::into_owned),
            edits: written.edits.into_iter().map(read_edit).collect(),
            file: InFile {
                written: written.written,
                perhaps: written.perhaps,
                save: written.save.map(read_save),
            },
        })),
    }
}
