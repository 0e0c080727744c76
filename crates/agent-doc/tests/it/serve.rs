//! The Writer's server as a process: other commands beside it, a second one, and its end.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::scratch::{Scratch, told};

const PLAN: &str = "# Plan\n\n## Log\n\nOne.\n";

/// A server; killed when a test fails.
struct Serving {
    child: Child,
    link: String,
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
    fn start(scratch: &Scratch, arguments: &[&str]) -> Serving {
        let mut command = scratch.command(&[&["serve", "--no-open"], arguments].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut rest = BufReader::new(child.stdout.take().unwrap());
        let mut link = String::new();
        rest.read_line(&mut link).unwrap();
        Serving { child, link: link.trim_end().to_owned(), _rest: rest }
    }

    fn address(&self) -> &str {
        self.link.strip_prefix("http://").unwrap().split('/').next().unwrap()
    }

    fn token(&self) -> &str {
        self.link.rsplit("#token=").next().unwrap()
    }

    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        let (host, token) = (self.address(), self.token());
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\nconnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Ends it as a system ends its services. The exit code.
    fn end(mut self) -> Option<i32> {
        let kill = Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(kill.success());
        self.child.wait().unwrap().code()
    }
}

#[test]
fn other_commands_write_through_the_server() {
    let scratch = Scratch::with(&[("plan.md", PLAN)]);
    let serving = Serving::start(&scratch, &[]);
    assert!(serving.get("/api/document?path=plan.md").contains("One."));
    let written = scratch.run(&["section", "append", "plan.md", "Log", "Two."]);
    assert!(written.status.success(), "{}", told(&written));
    // The server's own text, not what lies on the disk: it knew at once.
    let read = serving.get("/api/document?path=plan.md");
    assert!(read.contains("Two.") && read.contains("\"revision\":1"), "{read}");
    assert_eq!(scratch.read("plan.md"), "# Plan\n\n## Log\n\nOne.\n\nTwo.\n");
    assert_eq!(serving.end(), Some(0));
    let after = scratch.run(&["section", "append", "plan.md", "Log", "Three."]);
    assert!(after.status.success(), "{}", told(&after));
}

#[test]
fn a_second_server_shows_the_link_of_the_first() {
    let scratch = Scratch::with(&[("plan.md", PLAN)]);
    let serving = Serving::start(&scratch, &["plan.md"]);
    assert!(serving.link.contains("/write?path=plan.md#token="), "{}", serving.link);
    let second = scratch.run(&["serve", "--no-open", "plan.md"]);
    assert!(second.status.success(), "{}", told(&second));
    assert_eq!(String::from_utf8(second.stdout).unwrap().trim_end(), serving.link);
}

#[test]
fn a_page_finds_the_server_again_after_a_restart() {
    let scratch = Scratch::with(&[("plan.md", PLAN)]);
    let serving = Serving::start(&scratch, &[]);
    let (first, old) = (serving.link.clone(), serving.token().to_owned());
    assert_eq!(serving.end(), Some(0));
    let again = Serving::start(&scratch, &[]);
    assert_eq!(again.link, first);
    assert_eq!(again.end(), Some(0));
    let renewed = Serving::start(&scratch, &["--new-token"]);
    assert_ne!(renewed.token(), old);
}

#[test]
fn the_note_of_the_secret_is_for_its_owner_alone() {
    let scratch = Scratch::with(&[("plan.md", PLAN)]);
    let serving = Serving::start(&scratch, &[]);
    let mode = |name: &str| scratch.path(name).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(".agent-doc/server.json"), 0o600);
    assert_eq!(mode(".agent-doc"), 0o700);
    assert_eq!(serving.end(), Some(0));
}
