//! A conversation in a terminal. What happens is folded into a [`View`], keys become [`Intent`]s, and one [`Screen`] writes. Never
//! asks a model, reads a file or knows an agent: the binary tells it what happens, and does what the person wants.

mod ask;
mod change;
mod code;
mod completion;
mod composer;
mod dialog;
mod event;
mod guard;
mod harmless;
mod key;
mod live;
mod markdown;
mod picker;
mod plain;
mod screen;
mod status;
mod theme;
mod transcript;
mod view;
mod wrap;

pub use ask::{Choice, Question};
pub use change::{Change, ChangeLine, Sign};
pub use completion::Suggestion;
pub use event::{CallId, Delivery, Ending, Event, Intent, Notice, Task, TaskState};
pub use guard::Guard;
pub use harmless::{exact, printed, shown};
pub use key::{Input, read_input};
pub use live::Picture;
pub use markdown::{Markdown, rendered};
pub use plain::Plain;
pub use screen::Screen;
pub use theme::Theme;
pub use view::{Facts, View, command};
