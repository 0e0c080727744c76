//! The Writer's server as a process of a test. Never outlives the test.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::scratch::Scratch;

/// A server; killed when a test fails.
pub(crate) struct Serving {
    child: Child,
    pub(crate) link: String,
    _rest: BufReader<ChildStdout>,
}

impl Drop for Serving {
    fn drop(&mut self) {
        // One that has ended is not there to be killed.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Serving {
    pub(crate) fn start(scratch: &Scratch, arguments: &[&str]) -> Serving {
        Serving::spawned(scratch.command(&[&["serve", "--no-open"], arguments].concat()))
    }

    pub(crate) fn spawned(mut command: Command) -> Serving {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut rest = BufReader::new(child.stdout.take().unwrap());
        let mut link = String::new();
        rest.read_line(&mut link).unwrap();
        Serving { child, link: link.trim_end().to_owned(), _rest: rest }
    }

    pub(crate) fn address(&self) -> &str {
        self.link.strip_prefix("http://").unwrap().split('/').next().unwrap()
    }

    pub(crate) fn token(&self) -> &str {
        self.link.rsplit("#token=").next().unwrap()
    }

    pub(crate) fn get(&self, path: &str) -> String {
        self.ask(&format!("GET {path}"), "")
    }

    /// Sends an object as JSON.
    pub(crate) fn post(&self, path: &str, object: &serde_json::Value) -> String {
        let object = object.to_string();
        let length = object.len();
        let more = format!("content-type: application/json\r\ncontent-length: {length}\r\n");
        self.ask(&format!("POST {path}"), &format!("{more}\r\n{object}"))
    }

    /// What is answered to a line, with more headers and a body if it has one.
    fn ask(&self, line: &str, more: &str) -> String {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        let (host, token) = (self.address(), self.token());
        let more = if more.is_empty() { "\r\n" } else { more };
        let request = format!(
            "{line} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n{more}"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Kills it where it stands.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Ends it as a system ends its services. The exit code.
    pub(crate) fn end(mut self) -> Option<i32> {
        let kill = Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(kill.success());
        self.child.wait().unwrap().code()
    }
}
