//! The output of a program while it arrives: its beginning and its end in memory, all of it in a file if it is long. Never
//! holds more than a few limits' worth of bytes, whatever comes.

mod shown;

use std::collections::VecDeque;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;

pub use shown::{plain, visible};

use crate::limits::{ARTIFACT_MAX, LINE_HELD_MAX, SHOWN_MAX};

const HEAD_MAX: usize = SHOWN_MAX / 2;
const TAIL_MAX: usize = SHOWN_MAX - HEAD_MAX;
/// What is shown of a line that is being drawn, in characters.
const LAST_LINE_MAX: usize = 200;
/// One byte in so many may be no text before the whole is called binary.
const BINARY_SHARE: u64 = 20;

/// Takes bytes as they come; says at any time what a model should see of them.
#[derive(Debug)]
pub struct Capture {
    artifact: Artifact,
    /// All that was taken, as it came.
    taken: u64,
    /// Bytes that no text holds.
    odd: u64,
    line: Vec<u8>,
    /// The line ends in a carriage return; what follows decides what it means.
    returned: bool,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// What stands in `head` and `tail` or has fallen out between them.
    passed: u64,
}

/// A look at an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// What the model gets.
    pub text: String,
    /// Where all of it lies, if it is more than the text.
    pub artifact: Option<PathBuf>,
}

impl Capture {
    /// Output too long to be shown goes into `artifact`, a file that must not exist yet.
    pub fn new(artifact: PathBuf) -> Self {
        Self {
            artifact: Artifact { path: artifact, file: None, written: 0, failure: None },
            taken: 0,
            odd: 0,
            line: Vec::new(),
            returned: false,
            head: Vec::new(),
            tail: VecDeque::new(),
            passed: 0,
        }
    }

    /// Takes the next bytes, cut anywhere.
    pub fn take(&mut self, bytes: &[u8]) {
        self.taken += bytes.len() as u64;
        self.odd += bytes.iter().filter(|byte| is_odd(**byte)).count() as u64;
        self.artifact.append(bytes);
        for piece in bytes.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            self.take_piece(piece);
        }
    }

    /// How many bytes were taken.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// The line that is being drawn, or the one before it.
    pub fn last_line(&self) -> String {
        let tail = if self.tail.is_empty() { self.head.clone() } else { self.tail.iter().copied().collect() };
        let line = if self.line.is_empty() { &tail } else { &self.line };
        let text = plain(line);
        let last = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        last.chars().take(LAST_LINE_MAX).collect()
    }

    /// All so far. Whatever is left out, is said, with the place where it can be read.
    pub fn view(&mut self) -> View {
        self.view_since(0)
    }

    /// A mark for [`Capture::view_since`]: what comes after now.
    pub fn mark(&mut self) -> u64 {
        self.settle();
        self.passed
    }

    /// What came after `mark`.
    pub fn view_since(&mut self, mark: u64) -> View {
        self.settle();
        if self.is_binary() {
            self.artifact.keep();
            let text =
                format!("[binary output of {} bytes is not shown; {}]", self.taken, self.artifact.told());
            return self.finished(text, true);
        }
        let (begin, omitted, end) = self.pieces(mark);
        let (begin, end) = (cut_behind(&begin), cut_before(&end));
        let mut text = plain(begin);
        if omitted > 0 {
            let all = self.artifact.told();
            text.push_str(&format!("\n… {omitted} bytes are left out here; {all} …\n"));
        }
        text.push_str(&plain(end));
        if std::str::from_utf8(begin).is_err() || std::str::from_utf8(end).is_err() {
            text.push_str("\n[bytes that are no UTF-8 are shown as \u{fffd}]");
        }
        self.finished(text, omitted > 0)
    }

    fn finished(&self, text: String, is_partial: bool) -> View {
        let is_kept = is_partial && matches!(self.artifact.file, Some(Waiting::OnDisk(_)));
        View { text, artifact: is_kept.then(|| self.artifact.path.clone()) }
    }

    fn is_binary(&self) -> bool {
        self.odd * BINARY_SHARE > self.taken
    }

    /// The beginning after `mark`, how many bytes are missing, and the end.
    fn pieces(&self, mark: u64) -> (Vec<u8>, u64, Vec<u8>) {
        let tail_from = self.passed - self.tail.len() as u64;
        let skip = |from: u64| usize::try_from(mark.saturating_sub(from)).unwrap_or(usize::MAX);
        let begin: Vec<u8> = self.head.iter().copied().skip(skip(0)).collect();
        let end: Vec<u8> = self.tail.iter().copied().skip(skip(tail_from)).collect();
        let missing_from = mark.max(self.head.len() as u64);
        (begin, tail_from.saturating_sub(missing_from), end)
    }

    fn take_piece(&mut self, piece: &[u8]) {
        if self.returned && piece != b"\n" {
            // The cursor went back to the beginning of the line, and now something else is drawn there.
            self.line.clear();
        }
        self.returned = false;
        match piece.split_last() {
            Some((b'\r', text)) => {
                self.hold(text);
                self.returned = true;
            }
            Some((b'\n', text)) => {
                self.hold(text);
                self.line.push(b'\n');
                self.settle_line();
            }
            Some(_) | None => self.hold(piece),
        }
    }

    fn hold(&mut self, text: &[u8]) {
        self.line.extend_from_slice(text);
        if self.line.len() > LINE_HELD_MAX {
            self.settle_line();
        }
    }

    /// Whoever looks now sees the line that is being drawn.
    fn settle(&mut self) {
        self.returned = false;
        self.settle_line();
    }

    fn settle_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.passed += line.len() as u64;
        let room = HEAD_MAX.saturating_sub(self.head.len());
        let (head, rest) = line.split_at(room.min(line.len()));
        self.head.extend_from_slice(head);
        let rest = rest.get(rest.len().saturating_sub(TAIL_MAX)..).unwrap_or_default();
        self.tail.extend(rest);
        let excess = self.tail.len().saturating_sub(TAIL_MAX);
        self.tail.drain(..excess);
        self.line = line;
        self.line.clear();
    }
}

/// A byte that stands in no text: a control character that draws nothing.
fn is_odd(byte: u8) -> bool {
    byte < 0x20 && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x07 | 0x08 | 0x0c | 0x1b)
}

/// `bytes` without a letter that is cut at its end.
fn cut_behind(bytes: &[u8]) -> &[u8] {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => bytes.get(..error.valid_up_to()).unwrap_or(bytes),
        Ok(_) | Err(_) => bytes,
    }
}

/// `bytes` without a letter that is cut at its beginning.
fn cut_before(bytes: &[u8]) -> &[u8] {
    let continued = bytes.iter().take(3).take_while(|byte| **byte & 0xc0 == 0x80).count();
    bytes.get(continued..).unwrap_or(bytes)
}

/// The whole output on the disk. The first bytes wait in memory: most outputs are short and need no file.
#[derive(Debug)]
struct Artifact {
    path: PathBuf,
    file: Option<Waiting>,
    written: u64,
    failure: Option<io::ErrorKind>,
}

#[derive(Debug)]
enum Waiting {
    InMemory(Vec<u8>),
    OnDisk(File),
}

impl Artifact {
    fn append(&mut self, bytes: &[u8]) {
        let room = usize::try_from(ARTIFACT_MAX.saturating_sub(self.written)).unwrap_or(usize::MAX);
        let bytes = bytes.get(..room).unwrap_or(bytes);
        self.written += bytes.len() as u64;
        if self.failure.is_some() || bytes.is_empty() {
            return;
        }
        if let Err(error) = self.write(bytes) {
            self.failure = Some(error.kind());
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.file.get_or_insert_with(|| Waiting::InMemory(Vec::new())) {
            Waiting::InMemory(waiting) if waiting.len() + bytes.len() <= SHOWN_MAX => {
                waiting.extend_from_slice(bytes);
            }
            Waiting::InMemory(waiting) => {
                let mut file = create(&self.path)?;
                file.write_all(waiting)?;
                file.write_all(bytes)?;
                self.file = Some(Waiting::OnDisk(file));
            }
            Waiting::OnDisk(file) => file.write_all(bytes)?,
        }
        Ok(())
    }

    /// Brings what waits in memory to the disk.
    fn keep(&mut self) {
        let Some(Waiting::InMemory(waiting)) = &self.file else { return };
        match create(&self.path).and_then(|mut file| file.write_all(waiting).map(|()| file)) {
            Ok(file) => self.file = Some(Waiting::OnDisk(file)),
            Err(error) => self.failure = Some(error.kind()),
        }
    }

    /// Where all of it is, in words.
    fn told(&self) -> String {
        let place = self.path.display();
        match self.failure {
            Some(kind) => format!("the whole output could not be kept ({kind})"),
            None if self.written >= ARTIFACT_MAX => {
                format!("the first {} MB are in {place}", ARTIFACT_MAX >> 20)
            }
            None => format!("the whole output is in {place}"),
        }
    }
}

fn create(path: &std::path::Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests;
