//! Listens, and puts guard, routes and pages together. Never serves before the address is known to be the loopback one.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use workspace::hub::Hub;

use crate::comments::Book;
use crate::desk::Desk;
use crate::key::{Keep, Key, Keys};
use crate::once::Once;
use crate::runs::{Runs, Started};
use crate::turns::Turns;
use crate::watching::Watching;
use crate::{assets, connections, guard, routes};
use workspace::token::Token;

/// The longest body of a request.
const BODY_MAX: usize = 16 << 20;
/// How many pages may be connected.
const SOCKETS_MAX: usize = 512;
/// How many may look through the folder at once.
const LOOKING_MAX: usize = 2;

/// How to serve.
#[derive(Clone)]
pub struct Options {
    /// The port; zero for any that is free.
    pub port: u16,
    /// The secrets that let somebody in.
    pub keys: Vec<Key>,
    /// Writes the secrets down when they change.
    pub keep: Keep,
    /// The name of the one who saves files.
    pub person: String,
    /// Whoever conducts runs, if anybody does.
    pub runs: Option<Arc<dyn Runs>>,
    /// Whoever answers session documents, if anybody does.
    pub turns: Option<Arc<dyn Turns>>,
    /// Where agents ask what they may do.
    pub desk: Desk,
    /// Who thinks.
    pub model: ModelNote,
}

/// The model that answers, for people to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelNote {
    /// Its name.
    pub name: String,
    /// It is the built-in planner, because there is no key.
    pub is_offline: bool,
}

/// Why nothing can be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The port is taken, or not ours to take.
    #[error("port {port} cannot be used")]
    Port {
        /// The port.
        port: u16,
        /// What the system said.
        #[source]
        source: io::Error,
    },
}

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) hub: Hub,
    pub(crate) keys: Keys,
    pub(crate) person: String,
    pub(crate) runs: Option<Arc<dyn Runs>>,
    /// Runs that were begun, and what else was asked of runs, by the names of the requests.
    pub(crate) starts: Once<Started>,
    pub(crate) steered: Once<u64>,
    pub(crate) turns: Option<Arc<dyn Turns>>,
    pub(crate) desk: Desk,
    pub(crate) book: Book,
    pub(crate) model: ModelNote,
    /// The names that the server answers to.
    pub(crate) hosts: [String; 3],
    pub(crate) sockets: Arc<Semaphore>,
    pub(crate) looking: Semaphore,
    pub(crate) watching: Watching,
}

/// A server that has its port.
pub struct Server {
    listener: TcpListener,
    port: u16,
    options: Options,
    hub: Hub,
}

impl Server {
    /// Takes the port.
    ///
    /// # Errors
    ///
    /// [`ServeError`] if it is taken.
    pub async fn bind(hub: Hub, options: Options) -> Result<Server, ServeError> {
        let port = options.port;
        let failed = |source| ServeError::Port { port, source };
        let listener =
            TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).await.map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        Ok(Server { listener, port, options, hub })
    }

    /// The port that was taken.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Serves until `stop` is done, then has everything written.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let Server { listener, port, options, hub } = self;
        let names = ["127.0.0.1", "localhost", "[::1]"];
        let shared = Arc::new(Shared {
            hub: hub.clone(),
            keys: Keys::new(options.keys, options.keep),
            person: options.person,
            runs: options.runs,
            starts: Once::default(),
            steered: Once::default(),
            turns: options.turns,
            desk: options.desk,
            book: Book::new(hub.clone()),
            model: options.model,
            hosts: names.map(|name| format!("{name}:{port}")),
            sockets: Arc::new(Semaphore::new(SOCKETS_MAX)),
            looking: Semaphore::new(LOOKING_MAX),
            watching: Watching::start(&hub),
        });
        let app = Router::new()
            .merge(routes::router())
            .fallback(get(assets::page))
            .layer(DefaultBodyLimit::max(BODY_MAX))
            .layer(from_fn_with_state(Arc::clone(&shared), guard::guard))
            .with_state(shared);
        let stop = async {
            stop.await;
            // Closing the documents ends their pages' sockets, which the server would wait for.
            hub.shutdown().await;
        };
        connections::serve(listener, app, stop).await;
        hub.shutdown().await;
    }
}

/// The link to the first page of a server, or to a document. What follows `#` is never sent, so it is in no log.
#[must_use]
pub fn link(port: u16, token: &Token, document: Option<&str>) -> String {
    let path = document.map(|path| format!("write?path={}", escaped(path))).unwrap_or_default();
    format!("http://127.0.0.1:{port}/{path}#token={}", token.secret())
}

/// A path as it may stand in a query.
fn escaped(path: &str) -> String {
    let mut shown = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            shown.push(char::from(byte));
        } else {
            shown.push_str(&format!("%{byte:02X}"));
        }
    }
    shown
}
