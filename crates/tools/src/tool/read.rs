//! The tool that reads files. Never holds more of a large file than what it shows.

mod page;

use std::path::Path;

use agent::StreamController;
use agent::message::{Image, Part, ToolCall};
use agent::model::ToolSpec;
use agent::permission::{Claim, PathAccess, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;

use super::blocking;
use crate::files::{Files, Opened, opened, read_whole};
use crate::limits::{EDIT_MAX, IMAGE_MAX, READ_LINES};
use page::Page;

/// Reads a file and gives back its lines with their numbers, 2000 from the beginning if you do not say which.
///
/// A line number and a tab stand before each line and are not part of it. PNG, JPEG, GIF and WebP images are shown as
/// images. A file must be read before it is changed with Edit, `MultiEdit` or Write. For a folder, use List.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadInput {
    /// The file, from the root of the workspace or absolute.
    file_path: String,
    /// The number of the first line to read, counted from 1.
    offset: Option<u64>,
    /// How many lines to read.
    limit: Option<u64>,
}

/// `Read`.
pub struct Read {
    spec: ToolSpec,
    files: Files,
}

impl Read {
    /// Reads files of this session.
    pub fn new(files: Files) -> Self {
        Self { spec: spec::<ReadInput>("Read"), files }
    }
}

impl Tool for Read {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move {
            let input: ReadInput = parsed(call)?;
            if input.limit == Some(0) {
                return Err("InputValidationError: `limit`: it is 0; ask for at least one line".to_owned());
            }
            self.files.claim("file_path", &input.file_path, PathAccess::Read)
        })
    }

    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output> {
        let files = self.files.clone();
        blocking(move || read(&files, &permit, &scope.controller).unwrap_or_else(Output::error))
    }
}

fn read(files: &Files, permit: &Permit, controller: &StreamController) -> Result<Output, String> {
    let input: ReadInput = parsed(permit.call())?;
    let path = Files::permitted(permit)?;
    let shown = files.shown(&path);
    let unreadable = |error: std::io::Error| format!("{shown} cannot be read: {error}");
    let (file, length) = match opened(&path).map_err(unreadable)? {
        Opened::File(file, length) => (file, length),
        Opened::Folder => return Err(format!("{shown} is a folder; use List to see what is in it")),
        Opened::Other => return Err(format!("{shown} is a pipe, a socket or a device, and is not read")),
        Opened::Missing => return Err(files.missing(&path)),
    };
    let first = input.offset.unwrap_or(1).max(1);
    let lines = usize::try_from(input.limit.unwrap_or(u64::MAX)).unwrap_or(usize::MAX).min(READ_LINES);
    let mut page = Page::new(first, lines);
    if length > EDIT_MAX {
        // Too large to be held, and so too large to be edited: nothing is remembered.
        return page.fill(file, controller).map_err(unreadable)?.finished(&shown, length);
    }
    let content = read_whole(file, EDIT_MAX).map_err(unreadable)?;
    if let Some(media_type) = image_type(&content) {
        return image(&shown, &content, media_type);
    }
    files.remember(&path, &content);
    page.fill(content.as_slice(), controller).map_err(unreadable)?.finished(&shown, length)
}

fn image(shown: &str, content: &[u8], media_type: &str) -> Result<Output, String> {
    if content.len() as u64 > IMAGE_MAX {
        return Err(format!(
            "{shown} is an image of {} bytes; make it smaller than {IMAGE_MAX} bytes first",
            content.len()
        ));
    }
    let image = Image { media_type: media_type.to_owned(), base64: STANDARD.encode(content) };
    let told = format!("{shown}: {media_type}, {} bytes", content.len());
    Ok(Output { content: vec![Part::Text(told), Part::Image(image)], is_error: false })
}

/// By the first bytes; a name can say anything.
pub(crate) fn image_type(content: &[u8]) -> Option<&'static str> {
    match content {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// For other tools that show a part of a file.
pub(super) fn numbered(text: &str, first: usize) -> String {
    let lines = text.lines().enumerate();
    lines.map(|(index, line)| format!("{:>6}\t{}\n", first + index, crate::output::visible(line))).collect()
}

/// Whether a path is one that a tool can change, and what is wrong if not.
pub(super) fn check_single_name(path: &Path, shown: &str) -> Result<(), String> {
    use std::os::unix::fs::MetadataExt as _;
    match path.symlink_metadata() {
        Ok(metadata) if metadata.is_file() && metadata.nlink() > 1 => Err(format!(
            "{shown} has other names (hard links), perhaps outside of the workspace; copy it, then change the copy"
        )),
        Ok(_) | Err(_) => Ok(()),
    }
}
