//! A server over a folder of its own, and plain requests to it. Never talks to anything but the loopback address.

use std::path::PathBuf;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use web::{Options, Server, Token};
use workspace::project;

pub(crate) const TEXT: &str = "# Plan\n\nShip it.\n\n## Researcher\n<!-- proposal -->\n";

pub(crate) struct Desk {
    pub(crate) port: u16,
    pub(crate) token: String,
    folder: TempDir,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Desk {
    pub(crate) async fn open() -> Desk {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("plan.md"), TEXT).unwrap();
        let hub = project::open(folder.path(), workspace::owner::Options::default()).unwrap();
        let token = Token::random().unwrap();
        let options = Options { port: 0, token: token.clone(), person: "user".to_owned() };
        let server = Server::bind(hub, options).await.unwrap();
        let (stop, stopped) = oneshot::channel();
        let port = server.port();
        let task = tokio::spawn(async move {
            server
                .run(async {
                    stopped.await.unwrap();
                })
                .await
                .unwrap();
        });
        Desk { port, token: token.secret().to_owned(), folder, stop, task }
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.folder.path().join("plan.md")
    }

    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Sends a head as it is, and a body.
    pub(crate) async fn send(&self, head: &str, body: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
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
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n",
            self.host(),
            self.token
        );
        self.send(&head, body).await
    }

    pub(crate) async fn close(self) {
        self.stop.send(()).unwrap();
        self.task.await.unwrap();
    }
}
