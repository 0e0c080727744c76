//! `agent-doc serve`: the documents of a folder in a browser. Never listens anywhere but on this machine, and never beside another
//! process that owns the documents.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use agent::StreamController;
use anyhow::{Context as _, Result};
use tokio::sync::oneshot;
use web::wire::KeyGiven;
use web::{Desk, Key, ModelNote, Options, Role, ServeError, Server, Token};
use workspace::address::{Address, Other};
use workspace::daemon::{Daemon, DaemonError};
use workspace::documents::Documents;
use workspace::hub::Hub;
use workspace::project;
use workspace::sidecar::root_of;

use crate::arguments::Serve;
use crate::arguments::permissions::RuleScope;
use crate::configuration::Configuration;
use crate::prices::Prices;
use crate::refusal::Refusal;
use crate::rules::RuleFiles;
use crate::wiring::model::{self, OFFLINE};
use crate::wiring::page_runs::PageRuns;
use crate::wiring::page_turns::PageTurns;
use crate::wiring::runs::{self, Purpose};
use crate::{Outcome, input, output, reach, signals};

/// How long a server that runs may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) fn run(given: &Serve) -> Result<Outcome> {
    let runtime = tokio::runtime::Runtime::new().context("no thread can be started")?;
    let done = runtime.block_on(serve(given));
    runtime.shutdown_background();
    done
}

async fn serve(given: &Serve) -> Result<Outcome> {
    let place = Place::of(&given.path)?;
    let name = input::shown(&given.path);
    let hub = project::open(&place.root, workspace::owner::Options::default()).with_context(|| {
        Refusal::new(format!("{name} cannot be served"), "look at the folder, or run 'agent-doc doctor'")
    })?;
    // Other commands write through this process while it runs.
    let daemon = match Daemon::listen(hub.clone()) {
        Ok(daemon) => daemon,
        Err(DaemonError::Running { process }) => return served_already(given, &place, process),
        Err(error) => {
            let refusal = Refusal::new(
                format!("the documents of {name} cannot be opened here"),
                "look at the folder '.agent-doc' of the project, or run 'agent-doc doctor'",
            );
            return Err(anyhow::Error::new(error).context(refusal));
        }
    };
    let desk = Desk::new(&rules_place(&place.root));
    let turns = PageTurns::new(hub.clone(), desk.clone());
    let runs = conducting(&place.root, &hub, &desk).await;
    let behind = Behind { turns: &turns, runs: runs.as_ref(), desk };
    let (server, token) = bound(given, &place, hub, behind).await?;
    let stop = StreamController::new();
    let signal = signals::listen(stop.clone());
    show(given, &web::link(server.port(), &token, place.document.as_deref()))?;
    output::notice("The Writer is open to whoever has this link, on this machine only. Ctrl-C ends it.");
    if !web::is_writer_built() {
        output::notice(
            "The Writer's page was not built, so documents can only be read: install Node.js and build again.",
        );
    }
    let (end, ended) = oneshot::channel::<()>();
    let serving = async {
        let stopped = async {
            stop.subscribe().await;
            // What was said so far is brought into the documents while their owners are still there.
            turns.close().await;
            if let Some(runs) = runs {
                runs.close().await;
            }
        };
        server.run(stopped).await;
        drop(end);
    };
    tokio::join!(serving, daemon.run(async { drop(ended.await) }));
    signal.abort();
    Ok(Outcome::Done)
}

/// Who stands behind the pages.
struct Behind<'a> {
    turns: &'a PageTurns,
    runs: Option<&'a runs::Opened>,
    desk: Desk,
}

/// Runs through the documents of this server. Where something is wrong with the settings, documents are served all the same.
async fn conducting(root: &Path, hub: &Hub, desk: &Desk) -> Option<runs::Opened> {
    match runs::open(root, Documents::through(hub.clone()), Purpose::Serve(desk)).await {
        Ok(opened) => Some(opened),
        Err(error) => {
            output::notice(&format!("warning: no runs can be begun here: {error:#}"));
            None
        }
    }
}

/// A server with the port and the secrets of the last time, so that a page that is still open finds its way back.
async fn bound(given: &Serve, place: &Place, hub: Hub, behind: Behind<'_>) -> Result<(Server, Token)> {
    let last = Address::find(&place.root);
    let keys = match last.as_ref().filter(|_| !given.new_token).and_then(known) {
        Some(keys) => keys,
        None => vec![Key { token: Token::random()?, role: Role::Person }],
    };
    let wanted = given.port.or(last.as_ref().map(|last| last.port)).unwrap_or_default();
    let port = Arc::new(AtomicU16::new(wanted));
    let model = model_note(&place.root);
    let options = Options {
        port: wanted,
        keys: keys.clone(),
        keep: keep(place.root.clone(), Arc::clone(&port)),
        person: reach::PERSON.to_owned(),
        runs: behind.runs.map(|opened| {
            let prices = Configuration::of(&place.root).ok().and_then(|settings| Prices::of(&settings));
            Arc::new(PageRuns::new(opened.runs.clone(), model.name.clone(), prices))
                as Arc<dyn web::runs::Runs>
        }),
        turns: Some(Arc::new(behind.turns.clone())),
        desk: behind.desk,
        model,
    };
    let server = match Server::bind(hub.clone(), options.clone()).await {
        // Nobody asked for the last port by name, so any other will do.
        Err(ServeError::Port { .. }) if given.port.is_none() => {
            Server::bind(hub, Options { port: 0, ..options }).await
        }
        bound => bound,
    };
    let server = server.with_context(|| {
        Refusal::new(format!("port {wanted} cannot be used"), "choose another with '--port'")
    })?;
    port.store(server.port(), Ordering::Relaxed);
    noted(server.port(), &keys).note(&place.root)?;
    let token = keys.into_iter().find(|key| key.role == Role::Person).map(|key| key.token);
    Ok((server, token.context("there is no secret")?))
}

/// Where a rule is kept that an answer makes, for people to read.
fn rules_place(root: &Path) -> String {
    let Ok(file) = RuleFiles::of(root).and_then(|files| files.read(RuleScope::Local)) else {
        return "your own rules for this project".to_owned();
    };
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    match home.and_then(|home| file.path.strip_prefix(home).map(Path::to_owned).ok()) {
        Some(inner) => format!("~/{}", inner.display()),
        None => file.path.display().to_string(),
    }
}

/// Who would answer, for the page to say. What is wrong with the settings is said by whoever answers.
fn model_note(root: &Path) -> ModelNote {
    let chosen = Configuration::of(root).and_then(|settings| model::choose(None, &settings, None));
    match chosen {
        Ok(chosen) => ModelNote { is_offline: chosen.name == OFFLINE, name: chosen.name },
        Err(_) => ModelNote::default(),
    }
}

/// The secrets of the last time; none if they are not of our form.
fn known(last: &Address) -> Option<Vec<Key>> {
    let person = Key { token: Token::known(&last.token)?, role: Role::Person };
    let others = last.others.iter().filter_map(|other| {
        let role = other.worker.clone().map_or(Role::Reader, Role::Worker);
        Some(Key { token: Token::known(&other.token)?, role })
    });
    Some(std::iter::once(person).chain(others).collect())
}

/// Writes secrets down when they change.
fn keep(root: PathBuf, port: Arc<AtomicU16>) -> web::Keep {
    Arc::new(move |keys: &[Key]| {
        if noted(port.load(Ordering::Relaxed), keys).note(&root).is_err() {
            output::notice("warning: the new secrets cannot be kept; they end with this server");
        }
    })
}

fn noted(port: u16, keys: &[Key]) -> Address {
    let mut address = Address { port, token: String::new(), others: Vec::new(), process: std::process::id() };
    for Key { token, role } in keys {
        let token = token.secret().to_owned();
        match role {
            Role::Person => address.token = token,
            Role::Reader => address.others.push(Other { token, worker: None }),
            Role::Worker(name) => address.others.push(Other { token, worker: Some(name.clone()) }),
        }
    }
    address
}

/// There is a server, so its link is shown; or another command has the documents open.
fn served_already(given: &Serve, place: &Place, process: u32) -> Result<Outcome> {
    let noted = Address::find(&place.root).filter(|noted| noted.process == process);
    let Some((port, token)) = noted.and_then(|noted| Some((noted.port, Token::known(&noted.token)?))) else {
        let what = format!("process {process} has the documents of {} open", input::shown(&given.path));
        return Err(Refusal::new(what, "wait until it has ended, or end it, then try again").into());
    };
    let token = if given.new_token { renewed(port, &token)? } else { token };
    show(given, &web::link(port, &token, place.document.as_deref()))?;
    output::notice(&format!("Process {process} serves this folder already."));
    Ok(Outcome::Done)
}

/// Has the server that runs make its secrets anew. The old link is what lets us ask.
fn renewed(port: u16, token: &Token) -> Result<Token> {
    let failed = || Refusal::new("the server that runs did not make a new secret", "end it, then try again");
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).with_context(failed)?;
    stream.set_read_timeout(Some(PATIENCE)).with_context(failed)?;
    let head = format!("POST /api/keys/renew HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n");
    let secret = format!("authorization: Bearer {}\r\n", token.secret());
    let rest = "content-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}";
    stream.write_all(format!("{head}{secret}{rest}").as_bytes()).with_context(failed)?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).with_context(failed)?;
    let given =
        answer.split_once("\r\n\r\n").and_then(|(_, body)| serde_json::from_str::<KeyGiven>(body).ok());
    given.and_then(|given| Token::known(&given.token)).with_context(failed)
}

fn show(given: &Serve, link: &str) -> Result<()> {
    output::print(format!("{link}\n").as_bytes())?;
    if !given.no_open {
        open(link);
    }
    Ok(())
}

/// What is to be shown.
struct Place {
    root: PathBuf,
    /// Relative to the root.
    document: Option<String>,
}

impl Place {
    fn of(path: &Path) -> Result<Place> {
        let name = input::shown(path);
        let whole = path.canonicalize().with_context(|| {
            Refusal::new(format!("{name} does not exist"), "check the path, and the folder you are in")
        })?;
        if whole.is_dir() {
            return Ok(Place { root: root_of(&whole.join("any")).to_owned(), document: None });
        }
        let root = root_of(&whole).to_owned();
        let relative = whole.strip_prefix(&root).unwrap_or(&whole).to_str().map(str::to_owned);
        let document = relative.ok_or_else(|| {
            Refusal::new(format!("the name of {name} is not UTF-8"), "rename the file, then try again")
        })?;
        Ok(Place { root, document: Some(document) })
    }
}

/// Shows the link in the person's browser. Where that is not possible they have it on the terminal.
fn open(link: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = Stdio::null;
    drop(Command::new(program).arg(link).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn());
}
