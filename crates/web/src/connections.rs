//! Takes connections and speaks HTTP on them. Never lets those who say nothing keep others out: the longest silent one goes first.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tower_service::Service as _;

/// How many connections there may be, sockets of pages not counted.
const CONNECTIONS_MAX: usize = 256;
/// How long a request may take to be said, from its first byte to the end of its headers.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// How long requests that have begun may take to end when the server is told to.
const GRACE: Duration = Duration::from_secs(5);
/// How long to wait when the system has no connection for us, such as when too many files are open.
const PAUSE: Duration = Duration::from_millis(100);

/// Serves until `stop`; then nobody is let in, and what has begun is ended.
pub(crate) async fn serve(listener: TcpListener, app: Router, stop: impl Future<Output = ()>) {
    let (ending, ended) = watch::channel(false);
    let mut tasks = JoinSet::new();
    let mut guests = Guests::default();
    let mut stop = pin!(stop);
    loop {
        tokio::select! {
            biased;
            () = &mut stop => break,
            Some(gone) = tasks.join_next_with_id() => guests.gone(match gone {
                Ok((id, ())) => id,
                Err(error) => error.id(),
            }),
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    let has_asked = Arc::new(AtomicBool::new(false));
                    if guests.have_room() {
                        let task = tasks.spawn(talk(stream, app.clone(), Arc::clone(&has_asked), ended.clone()));
                        guests.come(task, has_asked);
                    }
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            },
        }
    }
    drop(listener);
    ending.send_replace(true);
    let all = async { while tasks.join_next().await.is_some() {} };
    if tokio::time::timeout(GRACE, all).await.is_err() {
        // The rest is cut off; what was acknowledged is on the disk.
    }
}

/// One connection, from its first byte to its last.
async fn talk(stream: TcpStream, app: Router, has_asked: Arc<AtomicBool>, mut ended: watch::Receiver<bool>) {
    // Small frames go at once; gathering them would cost forty milliseconds.
    drop(stream.set_nodelay(true));
    let service = service_fn(move |request: Request<Incoming>| {
        has_asked.store(true, Ordering::Relaxed);
        let answer = app.clone().call(request.map(Body::new));
        async move { Ok::<_, Infallible>(answer.await.unwrap_or_else(|never| match never {})) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIME);
    let mut connection = pin!(http.serve_connection(TokioIo::new(stream), service).with_upgrades());
    tokio::select! {
        // What went wrong on a connection was told there, as far as anybody listened.
        _ended = connection.as_mut() => return,
        _ = ended.wait_for(|has_ended| *has_ended) => connection.as_mut().graceful_shutdown(),
    }
    drop(connection.await);
}

/// The connections, in the order in which they came.
#[derive(Default)]
struct Guests(Vec<Guest>);

struct Guest {
    task: AbortHandle,
    has_asked: Arc<AtomicBool>,
}

impl Guests {
    /// Whether one more may come. If all places are taken, the first who never asked anything gives way.
    fn have_room(&mut self) -> bool {
        if self.0.len() < CONNECTIONS_MAX {
            return true;
        }
        let silent = self.0.iter().position(|guest| !guest.has_asked.load(Ordering::Relaxed));
        let Some(silent) = silent else { return false };
        self.0.remove(silent).task.abort();
        true
    }

    fn come(&mut self, task: AbortHandle, has_asked: Arc<AtomicBool>) {
        self.0.push(Guest { task, has_asked });
    }

    fn gone(&mut self, id: tokio::task::Id) {
        self.0.retain(|guest| guest.task.id() != id);
    }
}
