//! A server over a folder of its own, and plain requests to it. Never talks to anything but the loopback address.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use web::runs::Runs;
use web::{Key, Options, Role, Server, Token};
use workspace::project;

pub(crate) const TEXT: &str = "# Plan\n\nShip it.\n\n## Researcher\n<!-- proposal -->\n";

pub(crate) struct Desk {
    pub(crate) port: u16,
    pub(crate) token: String,
    /// The secrets that were written down last.
    pub(crate) kept: Arc<Mutex<Vec<Key>>>,
    /// Where agents ask.
    pub(crate) questions: web::Desk,
    folder: TempDir,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

impl Desk {
    pub(crate) async fn open() -> Desk {
        Desk::with(None).await
    }

    pub(crate) async fn with(runs: Option<Arc<dyn Runs>>) -> Desk {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("plan.md"), TEXT).unwrap();
        let hub = project::open(folder.path(), workspace::owner::Options::default()).unwrap();
        let token = Token::random().unwrap();
        let kept = Arc::new(Mutex::new(Vec::new()));
        let keep = {
            let kept = Arc::clone(&kept);
            Arc::new(move |keys: &[Key]| *kept.lock().unwrap() = keys.to_vec())
        };
        let keys = vec![Key { token: token.clone(), role: Role::Person }];
        let (person, model) = ("user".to_owned(), web::ModelNote::default());
        let questions = web::Desk::new("the rules of the test");
        let options =
            Options { port: 0, keys, keep, person, runs, turns: None, desk: questions.clone(), model };
        let server = Server::bind(hub, options).await.unwrap();
        let (stop, stopped) = oneshot::channel();
        let port = server.port();
        let task = tokio::spawn(server.run(async { drop(stopped.await) }));
        Desk { port, token: token.secret().to_owned(), kept, questions, folder, stop, task }
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("plan.md")
    }

    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(self.file()).unwrap()
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) async fn connect(&self) -> TcpStream {
        TcpStream::connect(("127.0.0.1", self.port)).await.unwrap()
    }

    /// Sends a head as it is, and a body.
    pub(crate) async fn send(&self, head: &str, body: &str) -> Answer {
        let mut stream = self.connect().await;
        let length = body.len();
        let text = format!("{head}content-length: {length}\r\nconnection: close\r\n\r\n{body}");
        stream.write_all(text.as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    /// A proper request of another program.
    pub(crate) async fn ask(&self, method: &str, path: &str, body: &str) -> Answer {
        self.ask_as(&self.token, &[], (method, path), body).await
    }

    /// A proper request with another secret, and with more headers.
    pub(crate) async fn ask_as(
        &self,
        token: &str,
        headers: &[(&str, &str)],
        (method, path): (&str, &str),
        body: &str,
    ) -> Answer {
        let more: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let host = self.host();
        let kind = "content-type: application/json\r\n";
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n{kind}{more}"
        );
        self.send(&head, body).await
    }

    pub(crate) async fn close(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap();
    }
}
