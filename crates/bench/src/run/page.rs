//! A page of the Writer that only listens, over a real socket: when it saw each line, beside the way to the server and back. Never
//! writes, and never waits for a line without end.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use futures_util::{SinkExt as _, StreamExt as _};
use memchr::memmem;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::{WebSocketStream, client_async};
use web::{Key, ModelNote, Options, Role, Server, Token};
use workspace::hub::Hub;

/// How often the way to the server and back is measured.
const PINGS: usize = 200;
/// How long the page waits for the next frame.
const PATIENCE: Duration = Duration::from_secs(30);
/// The number by which the page is known; and what it says first: that it knows nothing.
const CLIENT: u64 = 7;
const KNOWS_NOTHING: [u8; 4] = [0, 0, 1, 0];

/// Which line, of which worker.
pub(super) type Line = (usize, usize);

/// A page that listens.
pub(super) struct Page {
    /// To the server and back, without anything else.
    pub(super) pings: Vec<Duration>,
    seen: JoinHandle<Result<HashMap<Line, Instant>>>,
    server: JoinHandle<()>,
    stop: oneshot::Sender<()>,
}

impl Page {
    /// Starts a server over the documents of `hub` and opens one of them, in which `lines` lines will come.
    pub(super) async fn open(hub: &Hub, path: &str, lines: usize) -> Result<Page> {
        let token = Token::random().context("there is no secret for the page")?;
        let options = Options {
            port: 0,
            keys: vec![Key { token: token.clone(), role: Role::Person }],
            keep: Arc::new(|_: &[Key]| ()),
            person: "user".to_owned(),
            runs: None,
            turns: None,
            desk: web::Desk::new(""),
            model: ModelNote::default(),
        };
        let server = Server::bind(hub.clone(), options).await?;
        let port = server.port();
        let (stop, stopped) = oneshot::channel();
        let server = tokio::spawn(server.run(async { drop(stopped.await) }));
        let mut socket = connected(port, path, token.secret()).await?;
        socket.send(Message::binary(KNOWS_NOTHING.to_vec())).await?;
        let mut pings = Vec::new();
        for _ in 0..PINGS {
            pings.push(ping(&mut socket).await?);
        }
        let seen = tokio::spawn(seen(socket, lines));
        Ok(Page { pings, seen, server, stop })
    }

    /// When each line was seen, once all of them were.
    pub(super) async fn close(self) -> Result<HashMap<Line, Instant>> {
        let seen = self.seen.await.context("the page stopped")??;
        ensure!(self.stop.send(()).is_ok(), "the server stopped before its time");
        self.server.await.context("the server stopped")?;
        Ok(seen)
    }
}

async fn connected(port: u16, path: &str, secret: &str) -> Result<WebSocketStream<TcpStream>> {
    let address = format!("127.0.0.1:{port}");
    let mut request = format!("ws://{address}/ws?path={path}&client={CLIENT}").into_client_request()?;
    let offered = format!("agent-doc, bearer.{secret}");
    request.headers_mut().insert("sec-websocket-protocol", offered.parse()?);
    let stream = TcpStream::connect(&address).await?;
    stream.set_nodelay(true)?;
    Ok(client_async(request, stream).await?.0)
}

async fn ping(socket: &mut WebSocketStream<TcpStream>) -> Result<Duration> {
    let begun = Instant::now();
    socket.send(Message::Ping(Vec::new().into())).await?;
    while !matches!(next(socket).await?, Message::Pong(_)) {}
    Ok(begun.elapsed())
}

async fn seen(mut socket: WebSocketStream<TcpStream>, lines: usize) -> Result<HashMap<Line, Instant>> {
    let mut seen = HashMap::new();
    while seen.len() < lines {
        let frame = next(&mut socket).await?;
        let now = Instant::now();
        match frame {
            Message::Binary(bytes) => {
                for line in lines_in(&bytes) {
                    seen.entry(line).or_insert(now);
                }
            }
            Message::Close(reason) => bail!("the server closed the page: {reason:?}"),
            Message::Text(_) | Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
        }
    }
    Ok(seen)
}

async fn next(socket: &mut WebSocketStream<TcpStream>) -> Result<Message> {
    let next = timeout(PATIENCE, socket.next()).await.context("the page heard nothing for too long")?;
    Ok(next.context("the socket ended")??)
}

/// The lines whose words are in a frame.
fn lines_in(bytes: &[u8]) -> impl Iterator<Item = Line> {
    const MIDDLE: &[u8] = b" line ";
    memmem::find_iter(bytes, MIDDLE).filter_map(|at| {
        let before = bytes.get(..at)?;
        let digits = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let worker = before.get(at - digits..)?;
        let after = bytes.get(at + MIDDLE.len()..)?;
        let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let number = after.get(..digits)?;
        Some((
            std::str::from_utf8(worker).ok()?.parse().ok()?,
            std::str::from_utf8(number).ok()?.parse().ok()?,
        ))
    })
}
