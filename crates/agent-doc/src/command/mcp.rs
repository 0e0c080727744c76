//! `agent-doc mcp`: a server of the Model Context Protocol before one document. Never writes to standard output but for the protocol,
//! or but for the address when it listens.

use std::path::{Path, PathBuf};

use agent::StreamController;
use anyhow::{Context as _, Result};
use conductor::{check_guest, document_of};
use join::{Door, Listening, serve_http, serve_lines};
use tokio::io::{stdin, stdout};
use workspace::documents::Documents;
use workspace::owner::Options;
use workspace::token::Token;

use super::runs::root;
use super::section_write::located;
use crate::arguments::Mcp;
use crate::refusal::Refusal;
use crate::wiring::runs::{self, Opened, Purpose, told};
use crate::{Outcome, input, moment, output, signals};

pub(crate) fn run(given: &Mcp) -> Result<Outcome> {
    let runtime = tokio::runtime::Runtime::new().context("no thread can be started")?;
    let outcome = runtime.block_on(async {
        let stop = StreamController::new();
        let signal = signals::listen(stop.clone());
        let (door, opened) = door(given).await?;
        let served = serve(given, door, &stop).await;
        match opened {
            Behind::Run(opened) => opened.close().await,
            Behind::Document(documents) => documents.close().await,
        }
        served?;
        Ok(if stop.is_aborted() { Outcome::Code(signal.await?) } else { Outcome::Done })
    });
    // Standard input cannot be given up by the thread that reads it.
    runtime.shutdown_background();
    outcome
}

/// What stands behind a door, to be let go of.
enum Behind {
    Document(Documents),
    Run(Box<Opened>),
}

/// The way in to what is meant.
async fn door(given: &Mcp) -> Result<(Door, Behind)> {
    let (root, meant) = meant(&given.document)?;
    let documents = Documents::new(root.clone(), Options::default());
    let session = format!("mcp-{:x}-{}", moment::now(), std::process::id());
    let open = |path: &str| {
        Door::new(documents.clone(), path, given.name.as_deref(), &session)
            .map_err(|error| Refusal::new(error.to_string(), "give another one with --as"))
    };
    let id = match meant {
        Meant::Document(path) => return Ok((open(&path)?, Behind::Document(documents))),
        Meant::Run(id) => id,
    };
    let opened = runs::open(&root, documents.clone(), Purpose::Look).await?;
    let view = opened.runs.show(&id).await.map_err(|error| told(&error))?;
    if let Some(name) = &given.name {
        check_guest(&view.record, name).map_err(|error| told(&error))?;
    }
    let id = &view.record.id;
    let door = open(&document_of(id))?.of_run(opened.runs.clone(), id);
    Ok((door, Behind::Run(Box::new(opened))))
}

/// What a person names.
enum Meant {
    /// A document, by its path from the root.
    Document(String),
    /// A run, by its name or the beginning of it.
    Run(String),
}

/// The project, and what of it is meant: a file that is there, else a run if it could be the name of one.
fn meant(given: &Path) -> Result<(PathBuf, Meant)> {
    let could_be_run =
        |name: &&str| name.bytes().all(|letter| letter.is_ascii_alphanumeric() || b"-_".contains(&letter));
    let is_free = !given.exists() && !input::is_standard(given);
    if let Some(name) = given.to_str().filter(could_be_run).filter(|_| is_free) {
        return Ok((root()?, Meant::Run(name.to_owned())));
    }
    let (root, path) = located(given)?;
    let root = root.canonicalize().context("the project cannot be found")?;
    let id = path.strip_prefix("runs/").and_then(|rest| rest.strip_suffix("/draft.md"));
    let meant = match id.filter(|id| could_be_run(id)) {
        Some(id) => Meant::Run(id.to_owned()),
        None => Meant::Document(path),
    };
    Ok((root, meant))
}

async fn serve(given: &Mcp, door: Door, stop: &StreamController) -> Result<()> {
    let Some(port) = given.http else {
        return tokio::select! {
            served = serve_lines(&door, stdin(), stdout()) => served.context(Refusal::new(
                "the client does not speak the Model Context Protocol",
                "this command is for clients such as 'claude mcp add'; see 'agent-doc mcp --help'",
            )),
            () = stop.subscribe() => Ok(()),
        };
    };
    let listening = Listening::on(port).await.with_context(|| {
        Refusal::new(format!("port {port} cannot be had"), "give another one with --http, or 0 for any")
    })?;
    let token = Token::random().context("the system has no randomness for a token")?;
    let told = format!("{}\nAuthorization: Bearer {}\n", listening.url(), token.secret());
    output::print(told.as_bytes())?;
    let stop = stop.clone();
    serve_http(listening, door, token, async move { stop.subscribe().await })
        .await
        .context("the server ended")
}
