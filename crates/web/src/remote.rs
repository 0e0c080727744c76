//! The way from another command to a server that has the documents open: one request over the loopback address. Never waits
//! long, and never sends the secret anywhere else.

use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::time::Duration;

use workspace::address::Address;

use crate::wire::{Done, Problem, SectionCall, VersionText};

/// How long the server may take.
const CONNECT: Duration = Duration::from_millis(500);
const ANSWER: Duration = Duration::from_secs(30);
/// The longest answer that is read.
const ANSWER_MAX: u64 = 64 << 20;

/// What the server said.
#[derive(Debug)]
pub enum Said {
    /// It was done.
    Done(Done),
    /// It was not done.
    Refused(Problem),
}

/// A server that runs for a project.
#[derive(Debug)]
pub struct Remote {
    address: Address,
}

impl Remote {
    /// The server of the project, if one answers.
    #[must_use]
    pub fn find(root: &Path) -> Option<Remote> {
        let remote = Remote { address: Address::find(root)? };
        // Another program may have the port by now; it does not know the secret, and is not told it before it answers as ours.
        let (status, body) = remote.ask("GET", "/api/home", None, "").ok()?;
        (status == 200 && body.contains("\"documents\"")).then_some(remote)
    }

    /// The revision of a document now.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if the server does not answer.
    pub fn revision(&self, path: &str) -> io::Result<u64> {
        let (_, body) =
            self.ask("GET", &format!("/api/document?path={}", crate::server::escaped(path)), None, "")?;
        let version: VersionText = serde_json::from_str(&body)?;
        Ok(version.revision)
    }

    /// Has a section written.
    ///
    /// # Errors
    ///
    /// [`io::Error`] if the server does not answer.
    pub fn section(&self, call: &SectionCall, base: u64) -> io::Result<Said> {
        let (status, body) = self.ask("POST", "/api/section", Some(base), &serde_json::to_string(call)?)?;
        Ok(if status == 200 {
            Said::Done(serde_json::from_str(&body)?)
        } else {
            Said::Refused(serde_json::from_str(&body)?)
        })
    }

    fn ask(&self, method: &str, path: &str, base: Option<u64>, body: &str) -> io::Result<(u16, String)> {
        let Address { port, token } = &self.address;
        let mut stream =
            TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, *port)), CONNECT)?;
        stream.set_read_timeout(Some(ANSWER))?;
        stream.set_write_timeout(Some(ANSWER))?;
        let base = base.map(|base| format!("if-match: \"{base}\"\r\n")).unwrap_or_default();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: {length}\r\n{base}connection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body.as_bytes())?;
        let mut answer = Vec::new();
        stream.take(ANSWER_MAX).read_to_end(&mut answer)?;
        parsed(&answer).ok_or_else(|| io::ErrorKind::InvalidData.into())
    }
}

/// Status and body of an answer that is sent in one piece.
fn parsed(answer: &[u8]) -> Option<(u16, String)> {
    let at = answer.windows(4).position(|window| window == b"\r\n\r\n")?;
    let head = std::str::from_utf8(answer.get(..at)?).ok()?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some((status, String::from_utf8(answer.get(at + 4..)?.to_vec()).ok()?))
}
