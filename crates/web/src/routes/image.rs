//! Images that stand beside a document. Never serves anything else, nothing out of the folder that is served, nothing hidden, and nothing
//! that could run.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::Deserialize;

use crate::refused::{Answer, Refused};
use crate::server::Shared;

/// The largest image.
const IMAGE_MAX: u64 = 16 << 20;
/// How images of each kind begin. A drawing in SVG can hold scripts and is none of them.
const KINDS: [(&str, &[u8], usize); 5] = [
    ("image/png", b"\x89PNG\r\n\x1a\n", 0),
    ("image/jpeg", b"\xff\xd8\xff", 0),
    ("image/gif", b"GIF8", 0),
    ("image/webp", b"WEBP", 8),
    ("image/avif", b"ftypavi", 4),
];

/// Which image of which document.
#[derive(Debug, Deserialize)]
pub(super) struct WhichImage {
    path: String,
    source: String,
    /// Also one that lies elsewhere in the folder that is served: somebody clicked on it.
    #[serde(default)]
    elsewhere: bool,
}

pub(super) async fn show(
    State(shared): State<Arc<Shared>>,
    Query(which): Query<WhichImage>,
) -> Answer<Response> {
    let document = shared.hub.document(&which.path).await?.path().to_owned();
    let root = shared.hub.root().to_owned();
    let (source, is_wide) = (which.source.clone(), which.elsewhere);
    let read = tokio::task::spawn_blocking(move || image(&root, &document, &source, is_wide)).await;
    let none =
        || Refused::new(StatusCode::NOT_FOUND, format!("{}: there is no such image beside it", which.path));
    let (kind, bytes) = read.ok().and_then(Result::ok).ok_or_else(none)?;
    Ok(([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, "attachment")], bytes).into_response())
}

fn image(root: &Path, document: &str, source: &str, is_wide: bool) -> io::Result<(&'static str, Vec<u8>)> {
    let none = || io::Error::from(io::ErrorKind::NotFound);
    let root = root.canonicalize()?;
    let folder = root.join(document).parent().map(Path::to_path_buf).ok_or_else(none)?.canonicalize()?;
    // Where links lead is looked at as well, so that none leads out.
    let file = folder.join(relative(source).ok_or_else(none)?).canonicalize()?;
    let allowed = if is_wide { &root } else { &folder };
    let inner = file.strip_prefix(allowed).map_err(|_| none())?;
    let from_root = file.strip_prefix(&root).map_err(|_| none())?;
    if is_hidden(inner) || is_hidden(from_root) {
        return Err(none());
    }
    let about = file.metadata()?;
    if !about.is_file() || about.len() > IMAGE_MAX {
        return Err(none());
    }
    let bytes = std::fs::read(&file)?;
    let kind = KINDS.iter().find(|(_, mark, at)| bytes.get(*at..at + mark.len()) == Some(*mark));
    kind.map(|(kind, ..)| (*kind, bytes)).ok_or_else(none)
}

/// A path as it may stand in a document: without a root, a scheme or a place on the net.
fn relative(source: &str) -> Option<PathBuf> {
    let path = Path::new(source);
    let is_plain = path
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir | Component::ParentDir));
    (is_plain && !source.is_empty() && !source.contains('\0')).then(|| path.to_owned())
}

fn is_hidden(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
}
