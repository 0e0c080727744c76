//! The only writer of documents. It puts a new text in the place of an old one so that a crash leaves one of the two whole, and
//! it looks at what it displaced, because that may be a save which nobody had read.
//!
//! Never decides what the text is, never believes half a save, and never removes a file that may hold words it has not handed on.

mod disk;
mod file;
mod write;
mod held;
mod quiet;
mod name;
mod leftover;
mod flush;
mod revise;
mod create;
mod small;
mod capability;
mod real;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod elsewhere;

pub use capability::{Capabilities, capabilities};
pub use create::create;
pub use disk::{Disk, Glimpse, Kind, Like, Look};
pub use file::{Opened, Options, Remark, StoredFile};
pub use flush::{Flushed, flush};
pub use leftover::{left_beside, united};
pub use quiet::Patience;
pub use real::RealDisk;
pub use revise::{Revised, revise};
pub use small::{replace_small, set_aside};
pub(crate) use write::is_full;
