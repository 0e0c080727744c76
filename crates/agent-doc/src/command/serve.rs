//! `agent-doc serve`: the documents of a folder in a browser. Never listens anywhere but on this machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use tokio::sync::oneshot;
use web::{Options, ServeError, Server, Token};
use workspace::address::Address;
use workspace::daemon::Daemon;
use workspace::project;
use workspace::sidecar::root_of;

use crate::arguments::Serve;
use crate::refusal::Refusal;
use crate::{input, output};

pub(crate) fn run(given: &Serve) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(given))
}

async fn serve(given: &Serve) -> Result<()> {
    let (root, document) = located(&given.path)?;
    let options = workspace::owner::Options::default();
    let person = options.person.name().to_owned();
    let hub = project::open(&root, options).with_context(|| {
        Refusal::new(
            format!("{} cannot be served", input::shown(&given.path)),
            "look at the folder, or run 'agent-doc doctor'",
        )
    })?;
    // Other commands write through this process while it runs.
    let daemon = Daemon::listen(hub.clone()).with_context(|| {
        let what = format!("the documents of {} cannot be opened here", input::shown(&given.path));
        Refusal::new(what, "end the agent-doc that has them open, or use its link")
    })?;
    let last = Address::find(&root);
    let token = match last.as_ref().filter(|_| !given.new_token).and_then(|last| Token::known(&last.token)) {
        // A page that is still open finds its way back.
        Some(token) => token,
        None => Token::random()?,
    };
    let wanted = given.port.or(last.as_ref().map(|last| last.port)).unwrap_or_default();
    let with = |port| Options { port, token: token.clone(), person: person.clone() };
    let server = match Server::bind(hub.clone(), with(wanted)).await {
        // Nobody asked for the last port by name, so any other will do.
        Err(ServeError::Port { .. }) if given.port.is_none() => Server::bind(hub, with(0)).await,
        bound => bound,
    };
    let server = server.with_context(|| {
        Refusal::new(format!("port {wanted} cannot be used"), "choose another with '--port'")
    })?;
    Address { port: server.port(), token: token.secret().to_owned() }.note(&root)?;
    let link = server.link(document.as_deref());
    output::print(format!("{link}\n").as_bytes())?;
    output::notice("The Writer is open to whoever has this link, on this machine only. Ctrl-C ends it.");
    if !web::is_writer_built() {
        output::notice(
            "The Writer's page was not built, so documents can only be read: install Node.js and build again.",
        );
    }
    if !given.no_open {
        open(&link);
    }
    let (end, ended) = oneshot::channel::<()>();
    let serve = async {
        let served = server.run(stopped()).await;
        drop(end);
        served
    };
    let (served, ()) = tokio::join!(serve, daemon.run(async { drop(ended.await) }));
    Ok(served?)
}

/// Waits until somebody ends the program: by the keyboard, or as systems end their services.
async fn stopped() {
    #[cfg(unix)]
    if let Ok(mut ended) = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
        tokio::select! {
            _ = ended.recv() => return,
            Ok(()) = tokio::signal::ctrl_c() => return,
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        // Without a signal to wait for there is no other end than being killed.
        std::future::pending::<()>().await;
    }
}

/// The root of the project, and the document if one was named.
fn located(path: &Path) -> Result<(PathBuf, Option<String>)> {
    let name = input::shown(path);
    let place = path.canonicalize().with_context(|| {
        Refusal::new(format!("{name} does not exist"), "check the path, and the folder you are in")
    })?;
    if place.is_dir() {
        return Ok((root_of(&place.join("document.md")).to_owned(), None));
    }
    let root = root_of(&place).to_owned();
    let relative = place.strip_prefix(&root).unwrap_or(&place).to_str().map(str::to_owned);
    let relative = relative.ok_or_else(|| {
        Refusal::new(format!("the name of {name} is not UTF-8"), "rename the file, then try again")
    })?;
    Ok((root, Some(relative)))
}

/// Shows the link in the person's browser. Where that is not possible they have it on the terminal.
fn open(link: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = Stdio::null;
    drop(Command::new(program).arg(link).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn());
}
