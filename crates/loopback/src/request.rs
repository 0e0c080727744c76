//! What a client sent. Never understands more of HTTP than our own clients use: a body with a length.

use std::io::{Error, ErrorKind, Result};

use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

/// The most bytes of a request; a test that sends more is wrong.
const REQUEST_BYTES_MAX: usize = 64 * 1024 * 1024;

/// What a client sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Such as `POST`.
    pub method: String,
    /// With the query.
    pub path: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body, which is text.
    pub body: String,
}

impl Request {
    /// The value of a header; empty if there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    pub(crate) async fn read(stream: &mut TcpStream) -> Result<Self> {
        let mut bytes = Vec::new();
        let head = loop {
            if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break end;
            }
            more(stream, &mut bytes).await?;
        };
        let (head_bytes, _) = bytes.split_at(head);
        let mut request = Self::head(&String::from_utf8_lossy(head_bytes));
        let length: usize = request.header("content-length").parse().unwrap_or(0);
        while bytes.len() < head + 4 + length {
            more(stream, &mut bytes).await?;
        }
        let body = bytes.get(head + 4..head + 4 + length).unwrap_or_default();
        request.body = String::from_utf8_lossy(body).into_owned();
        Ok(request)
    }

    fn head(text: &str) -> Self {
        let mut lines = text.split("\r\n");
        let mut first = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
        let (method, path) = (first.next().unwrap_or_default(), first.next().unwrap_or_default());
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        };
        Self { method, path, headers: lines.filter_map(header).collect(), body: String::new() }
    }
}

async fn more(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Result<()> {
    if bytes.len() > REQUEST_BYTES_MAX {
        return Err(Error::new(ErrorKind::InvalidData, "the request is too large for a test"));
    }
    if stream.read_buf(bytes).await? == 0 {
        return Err(Error::new(ErrorKind::UnexpectedEof, "the client left in the middle of its request"));
    }
    Ok(())
}
