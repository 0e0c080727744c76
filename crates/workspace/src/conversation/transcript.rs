//! What was said in a conversation, one line for each record, on the disk before anybody is told. Never changes a line that
//! was written, and never lets two processes write one file.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufRead as _, BufReader, ErrorKind, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use agent::history::{History, Record};
use agent::message::{Block, Message, Role};
use agent::turn::Ended;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::private;

/// The version of the format. A newer one is not touched.
const FORMAT: u32 = 1;
/// How much of the first prompt is shown in a list.
const TITLE_CHARS: usize = 80;

/// A transcript that this process may add to.
#[derive(Debug)]
pub struct Transcript {
    id: String,
    path: PathBuf,
    file: File,
}

/// One line.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// The first line.
    Begun(Begun),
    /// Something was said.
    Record(Record),
    /// A turn is over. For statistics; the conversation does not need it.
    Ended(Closing),
}

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    /// The version of the format.
    pub format: u32,
    /// The conversation's name.
    pub id: String,
    /// The conversation that it was forked from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

/// How a turn went, and with whom.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// The model.
    pub model: String,
    /// How it went.
    pub how: Ended,
}

#[derive(Serialize, Deserialize)]
struct Line {
    /// Milliseconds since 1970.
    at: u64,
    #[serde(flatten)]
    entry: Entry,
}

/// A conversation in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// Its name.
    pub id: String,
    /// When it was last written.
    pub modified: SystemTime,
    /// What the person wanted at first.
    pub title: String,
}

/// Why a transcript could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    /// There is none of this name.
    #[error("there is no conversation '{0}'; 'agent-doc chat --continue' goes on with the last one")]
    Absent(String),
    /// Several names begin so.
    #[error("several conversations begin with '{0}'; give more of the name")]
    Ambiguous(String),
    /// Another process has it.
    #[error("conversation {0} is open in another process; end it there, or begin another one")]
    Held(String),
    /// A line in the middle is damaged.
    #[error("{}:{line}: the line cannot be read; what stands before it can be kept by removing it and all after it", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, counted from one.
        line: usize,
    },
    /// It was written by a newer program.
    #[error("{} is of format {format}, newer than this program; update agent-doc", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        format: u32,
    },
    /// The system said no.
    #[error("{} cannot be used", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        #[source]
        source: io::Error,
    },
    /// A turn that uses it has not ended well.
    #[error("the conversation was given up; open it again")]
    Closed,
}

/// The conversations of a project.
#[derive(Debug, Clone)]
pub struct Transcripts {
    folder: PathBuf,
}

impl Transcripts {
    /// The conversations that are kept in `folder`.
    pub fn at(folder: &Path) -> Transcripts {
        Transcripts { folder: folder.to_owned() }
    }

    /// A new one.
    ///
    /// # Errors
    ///
    /// [`TranscriptError`] if it cannot be made.
    pub fn begin(&self, at: u64) -> Result<Transcript, TranscriptError> {
        self.make(None, at)
    }

    /// One that goes on, under its whole name or the beginning of it, with all that was said. A last line that a crash
    /// left unfinished is dropped.
    ///
    /// # Errors
    ///
    /// [`TranscriptError`]; nothing was changed.
    pub fn resume(&self, name: &str) -> Result<(Transcript, Vec<Record>), TranscriptError> {
        let id = self.find(name)?;
        let path = self.path(&id);
        let failed = |source| TranscriptError::Io { path: path.clone(), source };
        let mut file = private::open_present(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(TranscriptError::Held(id)),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        let (lines, whole) = read(&path)?;
        file.set_len(whole).and_then(|()| file.seek(SeekFrom::End(0))).map_err(failed)?;
        Ok((Transcript { id, path, file }, records(lines)))
    }

    /// A new one that begins with all that was said in another, which is left as it is.
    ///
    /// # Errors
    ///
    /// [`TranscriptError`] if the other cannot be read or the new one not be made.
    pub fn fork(&self, name: &str, at: u64) -> Result<(Transcript, Vec<Record>), TranscriptError> {
        let id = self.find(name)?;
        let records = records(read(&self.path(&id))?.0);
        let transcript = self.begun_with(id, &records, at)?;
        Ok((transcript, records))
    }

    /// A new one that begins with these messages of another, which is left as it is.
    ///
    /// # Errors
    ///
    /// [`TranscriptError`] if the new one cannot be made.
    pub fn branch(
        &self,
        parent: &str,
        messages: &[Arc<Message>],
        at: u64,
    ) -> Result<(Transcript, History), TranscriptError> {
        let records: Vec<Record> = messages.iter().cloned().map(Record::Message).collect();
        let transcript = self.begun_with(parent.to_owned(), &records, at)?;
        Ok((transcript, History::replay(records)))
    }

    fn begun_with(&self, parent: String, records: &[Record], at: u64) -> Result<Transcript, TranscriptError> {
        let mut transcript = self.make(Some(parent), at)?;
        for record in records {
            transcript.put(&Entry::Record(record.clone()), at)?;
        }
        transcript.sync()?;
        Ok(transcript)
    }

    /// All of them, the one that was last written first.
    ///
    /// # Errors
    ///
    /// [`TranscriptError`] if the folder cannot be read.
    pub fn list(&self) -> Result<Vec<Outline>, TranscriptError> {
        let failed = |source| TranscriptError::Io { path: self.folder.clone(), source };
        let listed = match fs::read_dir(&self.folder) {
            Ok(listed) => listed,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(failed(source)),
        };
        let mut outlines = Vec::new();
        for entry in listed {
            let path = entry.map_err(failed)?.path();
            let id = path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
            let Some(id) = id.filter(|_| path.extension().is_some_and(|extension| extension == "jsonl"))
            else {
                continue;
            };
            let modified = fs::metadata(&path).and_then(|metadata| metadata.modified()).map_err(failed)?;
            outlines.push(Outline { id, modified, title: title(&path) });
        }
        outlines.sort_by(|one, other| (other.modified, &other.id).cmp(&(one.modified, &one.id)));
        Ok(outlines)
    }

    /// All entries of one, with when they were written. Others may be writing it.
    ///
    /// # Errors
    ///
    /// [`TranscriptError`] if it cannot be read.
    pub fn entries(&self, id: &str) -> Result<Vec<(u64, Entry)>, TranscriptError> {
        let (lines, _) = read(&self.path(&self.find(id)?))?;
        Ok(lines.into_iter().map(|line| (line.at, line.entry)).collect())
    }

    fn make(&self, parent: Option<String>, at: u64) -> Result<Transcript, TranscriptError> {
        private::create_folder(&self.folder)
            .map_err(|source| TranscriptError::Io { path: self.folder.clone(), source })?;
        let id = Uuid::now_v7().to_string();
        let path = self.path(&id);
        let failed = |source| TranscriptError::Io { path: path.clone(), source };
        let file = private::create(&path).map_err(failed)?;
        file.try_lock().map_err(|_| TranscriptError::Held(id.clone()))?;
        private::sync_folder_of(&path).map_err(failed)?;
        let mut transcript = Transcript { id: id.clone(), path, file };
        transcript.append(&Entry::Begun(Begun { format: FORMAT, id, parent }), at)?;
        Ok(transcript)
    }

    fn find(&self, name: &str) -> Result<String, TranscriptError> {
        let named = self.list()?.into_iter().map(|outline| outline.id);
        let mut found = named.filter(|id| id.starts_with(name));
        match (found.next(), found.next()) {
            (Some(id), None) if !name.is_empty() => Ok(id),
            (Some(_), Some(_)) if !name.is_empty() => Err(TranscriptError::Ambiguous(name.to_owned())),
            _ => Err(TranscriptError::Absent(name.to_owned())),
        }
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.jsonl"))
    }
}

impl Transcript {
    /// The conversation's name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Adds an entry. When this returns it is on the disk.
    ///
    /// # Errors
    ///
    /// [`TranscriptError`]; then it is not, or only a part of it that the next reader drops.
    pub fn append(&mut self, entry: &Entry, at: u64) -> Result<(), TranscriptError> {
        self.put(entry, at)?;
        self.sync()
    }

    fn put(&mut self, entry: &Entry, at: u64) -> Result<(), TranscriptError> {
        let line = Line { at, entry: entry.clone() };
        let written = serde_json::to_vec(&line).map_err(io::Error::from).and_then(|mut bytes| {
            bytes.push(b'\n');
            let before = self.file.stream_position()?;
            self.file.write_all(&bytes).or_else(|error| {
                // Half a line must not stand before the next one.
                self.file.set_len(before)?;
                self.file.seek(SeekFrom::Start(before))?;
                Err(error)
            })
        });
        written.map_err(|source| self.failed(source))
    }

    fn sync(&self) -> Result<(), TranscriptError> {
        self.file.sync_data().map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> TranscriptError {
        TranscriptError::Io { path: self.path.clone(), source }
    }
}

/// The whole lines of a file, and how long they are together.
fn read(path: &Path) -> Result<(Vec<Line>, u64), TranscriptError> {
    let failed = |source| TranscriptError::Io { path: path.to_owned(), source };
    let mut reader = BufReader::new(File::open(path).map_err(failed)?);
    let (mut lines, mut whole, mut bytes): (Vec<Line>, u64, Vec<u8>) = (Vec::new(), 0, Vec::new());
    for number in 1.. {
        bytes.clear();
        let length = reader.read_until(b'\n', &mut bytes).map_err(failed)?;
        if bytes.last() != Some(&b'\n') {
            break;
        }
        let Ok(line) = serde_json::from_slice::<Line>(&bytes) else {
            return Err(newer(path, &bytes)
                .unwrap_or(TranscriptError::Damaged { path: path.to_owned(), line: number }));
        };
        match &line.entry {
            Entry::Begun(begun) if begun.format > FORMAT => {
                return Err(TranscriptError::Newer { path: path.to_owned(), format: begun.format });
            }
            Entry::Begun(_) | Entry::Record(_) | Entry::Ended(_) => lines.push(line),
        }
        whole += u64::try_from(length).unwrap_or_default();
    }
    Ok((lines, whole))
}

/// Whether a first line that we cannot read is one of a newer format.
fn newer(path: &Path, bytes: &[u8]) -> Option<TranscriptError> {
    let value: serde_json::Value = serde_json::from_slice(bytes).ok()?;
    let format = u32::try_from(value.get("begun")?.get("format")?.as_u64()?).ok()?;
    (format > FORMAT).then(|| TranscriptError::Newer { path: path.to_owned(), format })
}

fn records(lines: Vec<Line>) -> Vec<Record> {
    let entries = lines.into_iter().map(|line| line.entry);
    entries
        .filter_map(|entry| match entry {
            Entry::Record(record) => Some(record),
            Entry::Begun(_) | Entry::Ended(_) => None,
        })
        .collect()
}

/// The first words of the person, on one line.
fn title(path: &Path) -> String {
    let Ok(file) = File::open(path) else {
        return String::new();
    };
    let lines = BufReader::new(file).lines().map_while(Result::ok).take(8);
    let said = lines.filter_map(|line| serde_json::from_str::<Line>(&line).ok()).find_map(|line| {
        let Entry::Record(Record::Message(message)) = line.entry else {
            return None;
        };
        let is_person = message.role == Role::User;
        message.content.iter().filter(|_| is_person).find_map(|block| match block {
            Block::Text(text) => Some(text.text.clone()),
            _ => None,
        })
    });
    let said = said.unwrap_or_default();
    let one_line: Vec<&str> = said.split_whitespace().collect();
    one_line.join(" ").chars().take(TITLE_CHARS).collect()
}
