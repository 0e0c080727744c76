//! Several processes on one project: the daemon's socket, what is said over it, and who is the owner.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::Child;

use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use workspace::command::{Actor, FileCommand, FileResult, Reply, Request};
use workspace::daemon::{Client, ClientError, Daemon, DaemonError, PROTOCOL};
use workspace::hub::Hub;
use workspace::owner::Options;
use workspace::project;
use workspace::reach::Reach;

use crate::child;

const START: &str = "# Run\n\n## Log\n\n## End\n";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plan.md"), START).unwrap();
    folder
}

fn append(line: &str) -> Request {
    let (path, section) = ("plan.md".to_owned(), "Log".to_owned());
    FileCommand::AppendSection { path, section, content: line.to_owned() }.by(Actor::User("ann".to_owned()))
}

fn is_written(reply: &Reply) -> bool {
    matches!(reply.result, FileResult::Written { .. })
}

/// How often each line stands in the section of the log, and that nothing else does.
fn count(folder: &Path, lines: &[String]) -> (usize, usize, usize) {
    let text = fs::read_to_string(folder.join("plan.md")).unwrap();
    let log = text.split_once("## Log\n").unwrap().1.split_once("## End\n").unwrap().0;
    let found: Vec<&str> = log.lines().filter(|line| !line.is_empty()).collect();
    let times = |line: &String| found.iter().filter(|found| *found == line).count();
    let missing = lines.iter().filter(|line| times(line) == 0).count();
    let doubled = lines.iter().filter(|line| times(line) > 1).count();
    let strange = found.iter().filter(|found| !lines.iter().any(|line| line == *found)).count();
    (missing, doubled, strange)
}

/// A daemon in this process, until it is told to end.
struct Serving {
    runtime: Runtime,
    hub: Hub,
    end: oneshot::Sender<()>,
    daemon: tokio::task::JoinHandle<()>,
    socket: PathBuf,
}

fn serve(root: &Path) -> Serving {
    let runtime = Runtime::new().unwrap();
    let _entered = runtime.enter();
    let hub = project::open(root, Options::default()).unwrap();
    let daemon = Daemon::listen(hub.clone()).unwrap();
    let (end, ended) = oneshot::channel();
    let socket = daemon.socket().to_owned();
    let daemon = runtime.spawn(daemon.run(async { drop(ended.await) }));
    drop(_entered);
    Serving { runtime, hub, end, daemon, socket }
}

impl Serving {
    fn end(self) {
        self.end.send(()).unwrap();
        self.runtime.block_on(async {
            self.daemon.await.unwrap();
            self.hub.shutdown().await;
        });
    }
}

/// The daemon of a folder in a process of its own, until it is killed.
fn serve_for_ever(root: &str) {
    let serving = serve(Path::new(root));
    println!("ready");
    serving.runtime.block_on(serving.daemon).unwrap();
}

/// Says `lines` on the socket and gives what comes back until the daemon closes.
fn talk(socket: &Path, lines: &[u8]) -> Vec<String> {
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.write_all(lines).unwrap();
    stream.shutdown(std::net::Shutdown::Write).unwrap();
    BufReader::new(stream).lines().map(Result::unwrap).collect()
}

fn greeting(protocol: u32) -> String {
    format!("{{\"agent_doc\":\"0\",\"protocol\":{protocol},\"process\":1}}\n")
}

#[test]
fn a_command_is_forwarded_and_answered() {
    let folder = folder();
    let serving = serve(folder.path());
    let mode = fs::metadata(&serving.socket).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o600);
    assert_eq!(serving.socket, folder.path().canonicalize().unwrap().join(".agent-doc/daemon.sock"));
    serving.runtime.block_on(async {
        let mut client = Client::find(folder.path()).await.unwrap().unwrap();
        assert_eq!(client.process(), std::process::id());
        let reply = client.execute(&append("one").named("a")).await.unwrap();
        assert!(is_written(&reply) && !reply.duplicate, "{reply:?}");
        let again = client.execute(&append("one").named("a")).await.unwrap();
        assert!(again.duplicate && again.revision == reply.revision, "{again:?}");
        let read = FileCommand::Read { path: "plan.md".to_owned() }.by(Actor::System);
        let FileResult::Content { content } = client.execute(&read).await.unwrap().result else {
            panic!("no content");
        };
        assert_eq!(*content, *fs::read_to_string(folder.path().join("plan.md")).unwrap());
        let outside = FileCommand::Read { path: "../plan.md".to_owned() }.by(Actor::System);
        let refused = client.execute(&outside).await.unwrap();
        assert!(matches!(refused.result, FileResult::Error { .. }), "{refused:?}");
    });
    let socket = serving.socket.clone();
    serving.end();
    assert!(!socket.exists());
    assert_eq!(count(folder.path(), &["one".to_owned()]), (0, 0, 0));
}

#[test]
fn what_is_not_understood_is_refused_and_the_daemon_goes_on() {
    let folder = folder();
    let serving = serve(folder.path());
    let cases: [(Vec<u8>, &str); 5] = [
        (b"GET / HTTP/1.1\n".to_vec(), "no greeting"),
        (greeting(PROTOCOL + 1).into_bytes(), "use the same version"),
        (format!("{}{{\"call\":1}}\n", greeting(PROTOCOL)).into_bytes(), "no call"),
        ([greeting(PROTOCOL).as_bytes(), &[0xff, b'\n']].concat(), "no call"),
        (format!("{{\"agent_doc\":\"{}\"}}\n", "x".repeat(5000)).into_bytes(), "no greeting"),
    ];
    for (said, expected) in cases {
        let heard = talk(&serving.socket, &said);
        assert!(
            heard[0].contains("\"agent_doc\":\"0.1.0\"") && heard[0].contains("\"protocol\":1"),
            "{heard:?}"
        );
        assert!(heard.len() == 2 && heard[1].contains("refused") && heard[1].contains(expected), "{heard:?}");
    }
    assert_eq!(talk(&serving.socket, greeting(PROTOCOL).as_bytes()).len(), 1);
    serving.runtime.block_on(async {
        let mut client = Client::find(folder.path()).await.unwrap().unwrap();
        assert!(is_written(&client.execute(&append("one")).await.unwrap()));
    });
    serving.end();
}

#[test]
fn a_stale_socket_is_noticed_and_replaced() {
    let folder = folder();
    serve(folder.path()).end();
    let socket = folder.path().join(".agent-doc/daemon.sock");
    drop(UnixListener::bind(&socket).unwrap());
    assert!(socket.exists());
    let runtime = Runtime::new().unwrap();
    runtime.block_on(async {
        assert!(Client::find(folder.path()).await.unwrap().is_none());
        let mut reach = Reach::open(folder.path(), Options::default()).await.unwrap();
        assert!(is_written(&reach.execute(append("by lock")).await.unwrap()));
        reach.close().await;
    });
    let serving = serve(folder.path());
    runtime.block_on(async {
        let mut client = Client::find(folder.path()).await.unwrap().unwrap();
        assert!(is_written(&client.execute(&append("forwarded")).await.unwrap()));
    });
    serving.end();
    assert_eq!(count(folder.path(), &["by lock".to_owned(), "forwarded".to_owned()]), (0, 0, 0));
}

#[test]
fn there_is_one_daemon_and_the_second_is_told_which() {
    let folder = folder();
    let serving = serve(folder.path());
    let _entered = serving.runtime.enter();
    let second = Daemon::listen(serving.hub.clone());
    assert!(matches!(second, Err(DaemonError::Running { process }) if process == std::process::id()));
    drop(_entered);
    serving.end();
    serve(folder.path()).end();
}

#[test]
fn a_root_with_a_long_path_has_a_daemon_too() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("deep".repeat(30)).join("deeper".repeat(20));
    fs::create_dir_all(&root).unwrap();
    fs::write(root.join("plan.md"), START).unwrap();
    let serving = serve(&root);
    assert!(!serving.socket.starts_with(folder.path()));
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode(&serving.socket), mode(serving.socket.parent().unwrap())), (0o600, 0o700));
    serving.runtime.block_on(async {
        let mut client = Client::find(&root.canonicalize().unwrap()).await.unwrap().unwrap();
        assert!(is_written(&client.execute(&append("one")).await.unwrap()));
    });
    let socket = serving.socket.clone();
    serving.end();
    assert!(!socket.exists());
    assert_eq!(count(&root, &["one".to_owned()]), (0, 0, 0));
}

#[test]
fn what_is_no_daemon_is_told_from_one() {
    let folder = folder();
    serve(folder.path()).end();
    let listener = UnixListener::bind(folder.path().join(".agent-doc/daemon.sock")).unwrap();
    let answers = ["no json\n".to_owned(), greeting(PROTOCOL + 7)];
    let other = std::thread::spawn(move || {
        for answer in answers {
            listener.accept().unwrap().0.write_all(answer.as_bytes()).unwrap();
        }
    });
    Runtime::new().unwrap().block_on(async {
        assert!(matches!(Client::find(folder.path()).await, Err(ClientError::NoDaemon(_))));
        let found = PROTOCOL + 7;
        let newer = Client::find(folder.path()).await;
        assert!(matches!(newer, Err(ClientError::Version { found: heard, process: 1 }) if heard == found));
    });
    other.join().unwrap();
}

const KILLS: usize = 100;

fn started(root: &Path) -> Child {
    child::start(
        "daemon::a_daemon_that_is_killed_in_the_middle_loses_and_doubles_nothing",
        root.to_str().unwrap(),
    )
}

#[test]
fn a_daemon_that_is_killed_in_the_middle_loses_and_doubles_nothing() {
    if child::is_child() {
        serve_for_ever(&child::told());
        return;
    }
    let folder = folder();
    let root = folder.path().to_owned();
    let (said, heard) = std::sync::mpsc::channel::<()>();
    let killer = std::thread::spawn(move || {
        let mut daemon = started(&root);
        for kill in 0..KILLS {
            // So many lines later it dies, wherever it is then.
            (0..3 + kill % 4).for_each(|_| heard.recv().unwrap());
            daemon.kill().unwrap();
            daemon.wait().unwrap();
            // Every third time nobody follows for a while, and the lock is taken.
            if kill % 3 == 0 {
                heard.recv().unwrap();
            }
            daemon = started(&root);
        }
        drop(heard);
        daemon
    });
    let lines: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|worker| (worker, said.clone()))
            .map(|(worker, said)| {
                scope.spawn({
                    let root = folder.path().to_owned();
                    move || Runtime::new().unwrap().block_on(work(&root, worker, &said))
                })
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    let mut last = killer.join().unwrap();
    last.kill().unwrap();
    last.wait().unwrap();
    println!("{KILLS} kills of the daemon, {} lines", lines.len());
    assert_eq!(count(folder.path(), &lines), (0, 0, 0));
}

/// Writes lines until nobody counts them any more.
async fn work(root: &Path, worker: usize, said: &std::sync::mpsc::Sender<()>) -> Vec<String> {
    let mut lines = Vec::new();
    for number in 0.. {
        let mut reach = Reach::open(root, Options::default()).await.unwrap();
        let line = format!("worker {worker} line {number} of many");
        let reply = reach.execute(append(&line).named(format!("{worker}-{number}"))).await.unwrap();
        assert!(is_written(&reply), "{reply:?}");
        reach.close().await;
        lines.push(line);
        if said.send(()).is_err() {
            break;
        }
    }
    lines
}
