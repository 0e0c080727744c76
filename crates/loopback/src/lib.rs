//! A web server on the loopback interface whose every byte waits for the test. Never sends anything by itself, so a race is
//! decided by the test and not by the machine. Never part of the product.
//!
//! ```text
//! let server = loopback::Server::start().await?;
//! // … a client posts to `server.url()` …
//! let mut exchange = server.accept().await?;
//! assert_eq!(exchange.request.path, "/v1/messages");
//! exchange.begin(200, &[("content-type", "text/event-stream")]).await?;
//! exchange.send(b"data: 1\n\n").await?;
//! exchange.end().await
//! ```

mod request;

use std::io::Result;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

pub use request::Request;

/// A server that waits for connections.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
}

impl Server {
    /// Takes a free port of this machine.
    pub async fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        Ok(Self { listener, address })
    }

    /// Its address, without a slash at the end.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The next request, read to its end. The client gets nothing until the test says so.
    pub async fn accept(&self) -> Result<Exchange> {
        let (mut stream, _) = self.listener.accept().await?;
        stream.set_nodelay(true)?;
        let request = Request::read(&mut stream).await?;
        Ok(Exchange { request, stream })
    }
}

/// One request and the connection that waits for its answer. Dropping it cuts the connection.
#[derive(Debug)]
pub struct Exchange {
    /// What the client sent.
    pub request: Request,
    stream: TcpStream,
}

impl Exchange {
    /// Sends the status and the headers. The body follows in pieces.
    pub async fn begin(&mut self, status: u16, headers: &[(&str, &str)]) -> Result<()> {
        let mut head =
            format!("HTTP/1.1 {status} Status\r\ntransfer-encoding: chunked\r\nconnection: close\r\n");
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        self.raw(head.as_bytes()).await
    }

    /// Sends one piece of the body.
    pub async fn send(&mut self, piece: &[u8]) -> Result<()> {
        if piece.is_empty() {
            return Ok(());
        }
        let mut chunk = format!("{:x}\r\n", piece.len()).into_bytes();
        chunk.extend_from_slice(piece);
        chunk.extend_from_slice(b"\r\n");
        self.raw(&chunk).await
    }

    /// Sends bytes as they are, for servers that break the rules.
    pub async fn raw(&mut self, bytes: &[u8]) -> Result<()> {
        self.stream.write_all(bytes).await?;
        self.stream.flush().await
    }

    /// Ends the body as the rules say.
    pub async fn end(mut self) -> Result<()> {
        self.raw(b"0\r\n\r\n").await?;
        self.stream.shutdown().await
    }

    /// Sends a whole answer.
    pub async fn answer(mut self, status: u16, headers: &[(&str, &str)], body: &[u8]) -> Result<()> {
        self.begin(status, headers).await?;
        self.send(body).await?;
        self.end().await
    }

    /// Waits until the client has closed its side.
    pub async fn closed(&mut self) -> Result<()> {
        let mut rest = [0; 1024];
        loop {
            match self.stream.read(&mut rest).await {
                Ok(0) => return Ok(()),
                Ok(_) => {}
                // A connection that is reset is closed too.
                Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }
}
