//! `agent-doc mcp`: a server of the Model Context Protocol before one document. Never writes to standard output but for the protocol,
//! or but for the address when it listens.

use std::path::{Path, PathBuf};

use agent::StreamController;
use anyhow::{Context as _, Result};
use join::{Door, Listening, serve_http, serve_lines};
use tokio::io::{stdin, stdout};
use workspace::documents::Documents;
use workspace::owner::Options;
use workspace::token::Token;

use super::section_write::located;
use crate::arguments::Mcp;
use crate::refusal::Refusal;
use crate::{Outcome, moment, output, signals};

pub(crate) fn run(given: &Mcp) -> Result<Outcome> {
    let (root, path) = located(&document(&given.document))?;
    let root = root.canonicalize().context("the project cannot be found")?;
    let documents = Documents::new(root, Options::default());
    let session = format!("mcp-{:x}-{}", moment::now(), std::process::id());
    let door = Door::new(documents.clone(), &path, given.name.as_deref(), &session)
        .map_err(|error| Refusal::new(error.to_string(), "give another one with --as"))?;
    let runtime = tokio::runtime::Runtime::new().context("no thread can be started")?;
    let outcome = runtime.block_on(async {
        let stop = StreamController::new();
        let signal = signals::listen(stop.clone());
        let served = serve(given, door, &stop).await;
        documents.close().await;
        served?;
        Ok(if stop.is_aborted() { Outcome::Code(signal.await?) } else { Outcome::Done })
    });
    // Standard input cannot be given up by the thread that reads it.
    runtime.shutdown_background();
    outcome
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

/// The file that is meant: itself, or the document of a run.
fn document(given: &Path) -> PathBuf {
    let draft = given.to_str().map(conductor::document_of).map(PathBuf::from);
    match draft {
        Some(draft) if !given.exists() && given.components().count() == 1 && draft.exists() => draft,
        _ => given.to_owned(),
    }
}
