//! The tools with which a model reads and writes documents, one file each. Never touches a file: each call goes to the owner of
//! its document, and what others wrote meanwhile is shown and not overwritten.

mod read_document;
mod read_section;
mod append_section;
mod write_section;
mod edit_section;

mod page;
mod scribe;
mod seen;

use std::sync::Arc;

use agent::tool::Tool;

pub use append_section::AppendSection;
pub use edit_section::EditSection;
pub use read_document::ReadDocument;
pub use read_section::ReadSection;
pub use scribe::Scribe;
pub use write_section::WriteSection;

/// All of them, in the order in which a model sees them.
#[must_use]
pub fn all(scribe: &Scribe) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(ReadDocument::new(scribe.clone())),
        Arc::new(ReadSection::new(scribe.clone())),
        Arc::new(AppendSection::new(scribe.clone())),
        Arc::new(WriteSection::new(scribe.clone())),
        Arc::new(EditSection::new(scribe.clone())),
    ]
}
