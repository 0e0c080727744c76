//! What a server answers, as the output of a tool. Never gives a model more than any other tool may, and keeps the whole text
//! in a file as others do.

use std::os::unix::fs::DirBuilderExt as _;
use std::path::PathBuf;

use agent::message::{Image, Part};
use agent::tool::Output;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock, ResourceContents};

use super::words::{short, without_secrets};
use crate::limits::{IMAGE_MAX, IMAGES_MAX};
use crate::output::Capture;
use crate::tool::image_type;
use crate::web::Key;

/// Kinds are added every year.
const UNKNOWN: &str = "[a part of a kind that is not known here is not passed on]";

/// An answer on its way to the model.
#[derive(Default)]
struct Reading {
    text: String,
    images: Vec<Image>,
}

/// The output of a call. The whole of a long one goes into `artifact`.
pub(super) fn output(result: CallToolResult, secrets: &[Key], artifact: PathBuf) -> Output {
    let is_error = result.is_error.unwrap_or(false);
    let mut reading = Reading::default();
    if let (true, Some(structured)) = (result.content.is_empty(), &result.structured_content) {
        reading.line(&structured.to_string());
    }
    for block in result.content {
        reading.take(block);
    }
    let text = shown(&without_secrets(reading.text, secrets), artifact);
    let mut content = vec![Part::Text(text)];
    content.extend(reading.images.into_iter().map(Part::Image));
    Output { content, is_error }
}

impl Reading {
    fn take(&mut self, block: ContentBlock) {
        match block {
            ContentBlock::Text(text) => self.line(&text.text),
            ContentBlock::Image(image) => self.image(&image.data, &image.mime_type),
            ContentBlock::Audio(audio) => {
                self.line(&format!("[sound ({}) is not passed on]", short(&audio.mime_type)));
            }
            ContentBlock::Resource(embedded) => self.resource(embedded.resource),
            ContentBlock::ResourceLink(link) => {
                self.line(&format!("[resource {}: {}]", short(&link.name), short(&link.uri)));
            }
            _ => self.line(UNKNOWN),
        }
    }

    fn resource(&mut self, resource: ResourceContents) {
        match resource {
            ResourceContents::TextResourceContents { uri, text, .. } => {
                self.line(&format!("[resource {}]", short(&uri)));
                self.line(&text);
            }
            ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                self.line(&format!("[resource {}]", short(&uri)));
                self.image(&blob, mime_type.as_deref().unwrap_or("unknown"));
            }
            _ => self.line(UNKNOWN),
        }
    }

    /// By its first bytes: one image that a provider does not take spoils the whole conversation.
    fn image(&mut self, base64: &str, claimed: &str) {
        let claimed = short(claimed);
        // Four letters are three bytes.
        let bytes = (base64.len() / 4 * 3) as u64;
        if bytes > IMAGE_MAX || self.images.len() >= IMAGES_MAX {
            return self.line(&format!("[{claimed} of {bytes} bytes is too much and is not passed on]"));
        }
        let decoded = STANDARD.decode(base64).unwrap_or_default();
        match image_type(&decoded) {
            Some(media_type) => {
                let base64 = base64.to_owned();
                self.images.push(Image { media_type: media_type.to_owned(), base64 });
            }
            None => self.line(&format!("[{claimed} of {bytes} bytes is no image that can be passed on]")),
        }
    }

    fn line(&mut self, text: &str) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }
}

fn shown(text: &str, artifact: PathBuf) -> String {
    if let Some(folder) = artifact.parent() {
        // Answers may hold what nobody else should read. If it cannot be made, the capture says that nothing was kept.
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).ok();
    }
    let mut capture = Capture::new(artifact);
    capture.take(text.as_bytes());
    capture.view().text
}
