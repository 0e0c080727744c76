//! Opens a conversation in the terminal and closes it when the person leaves. Never takes the terminal before all else went well.

use std::path::Path;
use std::sync::Arc;

use agent::permission::Mode;
use anyhow::Result;

use super::asking::Person;
use super::console::{self, Console};
use super::host::ChatHost;
use crate::arguments::{Chat, ChatMode};
use crate::command::chat::beginning;
use crate::wiring::talk::{self, Wish};
use crate::wiring::turns;
use crate::{Outcome, output};

/// Letters of a name that are enough to find a conversation again.
const NAME_CHARS: usize = 13;

/// Opens a conversation and goes on with it until the person leaves.
pub(super) async fn run(given: &Chat) -> Result<Outcome> {
    let (mailbox, messages) = console::mailbox();
    let wish = Wish {
        model: given.model.as_deref(),
        record: given.record.as_deref(),
        mode: mode(given),
        allow: &given.allow,
        beginning: beginning(given),
        asker: Some(Arc::new(Person { mailbox: mailbox.clone() })),
    };
    let talk = talk::open(wish, turns::watched_caps).await?;
    let mut console = if given.plain {
        Console::plain(messages)
    } else {
        Console::open(&talk.sidecar.private_folder("logs")?.join("terminal.log"), messages)?
    };
    let mut chat = ChatHost::new(talk, mailbox);
    chat.greet(&mut console);
    let code = console.run(&mut chat).await;
    drop(console);
    if let Some(id) = chat.close_all().await {
        let name: String = id.chars().take(NAME_CHARS).collect();
        output::notice(&format!("'agent-doc chat --resume {name}' goes on here"));
    }
    Ok(Outcome::Code(code))
}

fn mode(given: &Chat) -> Mode {
    match given.mode {
        _ if given.plan => Mode::Plan,
        Some(ChatMode::Plan) => Mode::Plan,
        Some(ChatMode::AcceptEdits) => Mode::AcceptEdits,
        Some(ChatMode::DontAsk) => Mode::DontAsk,
        Some(ChatMode::Default) | None => Mode::Default,
    }
}

/// The name of a mode, as it is typed.
pub(super) fn mode_name(mode: Mode) -> &'static str {
    match mode {
        Mode::Default => "default",
        Mode::AcceptEdits => "accept-edits",
        Mode::Plan => "plan",
        Mode::DontAsk => "dont-ask",
        Mode::Bypass => "bypass",
    }
}

/// A path as a person writes it.
pub(super) fn shown(path: &Path) -> String {
    let home = std::env::var_os("HOME").map(std::path::PathBuf::from);
    match home.and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned)) {
        Some(rest) => format!("~/{}", rest.display()),
        None => path.display().to_string(),
    }
}
