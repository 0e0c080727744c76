//! Checks the MCP client against servers of others. Never passes if one of them cannot be started.
//!
//! `mcp_conformance mcp FOLDER`: FOLDER holds the packages of npm. One line of JSON is printed for each check.

#![expect(clippy::print_stdout, reason = "the lines are read by whoever runs the checks")]

use std::future::Future;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent::StreamController;
use agent::message::{Part, ToolCall};
use agent::permission::{Mode, Places, Policy, Verdict};
use agent::tool::{Output, RunScope};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tools::mcp::{ServerSettings, Servers, Surroundings, Way};
use tools::sandbox::cleaned;
use tools::web::Key;

/// A cancelled call must be over after this.
const SOON: Duration = Duration::from_secs(1);
/// A server must answer after this, or not at all.
const PATIENCE: Duration = Duration::from_secs(30);
const SECRET: &str = "sk-canary-of-a-person";

type Outcome = Result<String, String>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = match arguments.as_slice() {
        [name, folder] if name == "mcp" => PathBuf::from(folder),
        _ => {
            report("it runs", Err("usage: mcp_conformance mcp FOLDER".to_owned()));
            return ExitCode::FAILURE;
        }
    };
    let outcome = tokio::runtime::Runtime::new().map_err(|error| error.to_string()).and_then(|runtime| {
        runtime.block_on(async {
            everything_over_stdio(&folder).await?;
            everything_over_http(&folder).await?;
            filesystem(&folder).await
        })
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            report("it runs", Err(why));
            ExitCode::FAILURE
        }
    }
}

async fn everything_over_stdio(folder: &Path) -> Result<(), String> {
    let script = script(folder, "server-everything")?;
    // Nobody else has this argument, so the process can be found by it.
    let mark = format!("conformance-{}", std::process::id());
    let way = Way::Child {
        command: "node".to_owned(),
        arguments: [&script, "stdio", &mark].map(str::to_owned).into(),
        environment: vec![("CONFORMANCE_TOKEN".to_owned(), Key::new(SECRET.to_owned()))],
    };
    let table = Table::start("everything, stdio", way, folder).await?;
    table.check("list", table.lists(&["echo", "get-sum", "trigger-long-running-operation"]));
    table.everyday().await;
    let before = pid(&mark)?;
    table.check("cancel", table.cancelled().await);
    let same = pid(&mark)? == before;
    table.check("cancel keeps the server", said(same, &format!("process {before}")));
    let broken = table.broken(|| kill(&before)).await;
    table.check("kill in the middle of a call", broken);
    table.check("the next call starts it again", table.echoes().await);
    let again = pid(&mark)?;
    table.check("as another process", said(again != before, &format!("{before}, then {again}")));
    table.servers.stop().await;
    table.check("it ends with us", said(pid(&mark).is_err(), "no process is left"));
    Ok(())
}

async fn everything_over_http(folder: &Path) -> Result<(), String> {
    let script = script(folder, "server-everything")?;
    let port = free_port()?;
    let mut node = Node::start(&script, port)?;
    let way = Way::Http {
        url: format!("http://127.0.0.1:{port}/mcp"),
        headers: vec![("Authorization".to_owned(), Key::new(format!("Bearer {SECRET}")))],
    };
    let table = Table::start("everything, streamable HTTP", way, folder).await?;
    table.check("list", table.lists(&["echo", "get-sum", "trigger-long-running-operation"]));
    table.everyday().await;
    table.check("cancel", table.cancelled().await);
    table.check("cancel keeps the server", table.echoes().await);
    let broken = table.broken(|| node.stop()).await;
    table.check("kill in the middle of a call", broken);
    node = Node::start(&script, port)?;
    table.check("the next call reaches it again", table.echoes().await);
    node.stop();
    Ok(())
}

async fn filesystem(folder: &Path) -> Result<(), String> {
    let script = script(folder, "server-filesystem")?;
    let place = folder.join("files");
    std::fs::create_dir_all(&place).map_err(|error| error.to_string())?;
    let place = place.canonicalize().map_err(|error| error.to_string())?;
    let inside = |name: &str| place.join(name).display().to_string();
    let way = Way::Child {
        command: "node".to_owned(),
        arguments: vec![script, place.display().to_string()],
        environment: Vec::new(),
    };
    let table = Table::start("filesystem, stdio", way, folder).await?;
    table.check("list", table.lists(&["read_text_file", "write_file", "list_directory"]));
    let note = json!({ "path": inside("note.md"), "content": "# Words\n" });
    table.check("call", table.call("write_file", note).await.text(|text| text.contains("note.md")));
    let read = table.call("read_text_file", json!({ "path": inside("note.md") })).await;
    table.check("call again", read.text(|text| text.trim_end() == "# Words"));
    let outside = table.call("read_text_file", json!({ "path": "/etc/hostname" })).await;
    table.check("an error of the tool", outside.error(|text| text.contains("denied")));
    std::fs::write(place.join("long.txt"), "a line of words\n".repeat(131_072))
        .map_err(|error| error.to_string())?;
    let long = table.call("read_text_file", json!({ "path": inside("long.txt") })).await;
    table.check(
        "two megabytes are cut and kept",
        long.text(|text| text.len() < 31_000 && text.contains("artifacts/")),
    );
    Ok(())
}

/// One server and its rows.
struct Table {
    about: &'static str,
    servers: Servers,
}

/// What a call gave.
struct Called {
    output: Output,
}

impl Table {
    async fn start(about: &'static str, way: Way, folder: &Path) -> Result<Self, String> {
        let settings =
            ServerSettings { name: "other".to_owned(), way, secrets: vec![Key::new(SECRET.to_owned())] };
        let ours = ("OPENAI_API_KEY".into(), "sk-canary-of-ours".into());
        let surroundings = Surroundings {
            folder: folder.to_owned(),
            environment: cleaned(std::env::vars_os().chain([ours])),
            artifacts: folder.join("artifacts"),
        };
        let servers = Servers::start(vec![settings], &surroundings).await;
        match servers.warnings() {
            [] => Ok(Self { about, servers }),
            warnings => Err(format!("{about}: {}", warnings.join("; "))),
        }
    }

    fn check(&self, what: &str, outcome: Outcome) {
        report(&format!("{}: {what}", self.about), outcome);
    }

    fn lists(&self, wanted: &[&str]) -> Outcome {
        let names: Vec<&str> = self.servers.tools().iter().map(|tool| tool.spec().name.as_str()).collect();
        let has = |name: &&str| names.contains(&format!("mcp__other__{name}").as_str());
        said(wanted.iter().all(has), &format!("{} tools", names.len()))
    }

    /// What each kind of answer becomes.
    async fn everyday(&self) {
        self.check("call", self.echoes().await);
        let wrong = self.call("get-sum", json!({ "a": "many" })).await;
        self.check("wrong arguments are an error", wrong.error(|text| text.contains("Invalid arguments")));
        let image = self.call("get-tiny-image", json!({})).await;
        let images = image.output.content.iter().filter(|part| matches!(part, Part::Image(_))).count();
        self.check("an image", said(images == 1, &format!("{images} image")));
        let structured = self.call("get-structured-content", json!({ "location": "New York" })).await;
        self.check("structured content", structured.text(|text| text.contains("temperature")));
        let environment = self.call("get-env", json!({})).await;
        let is_clean = environment.text(|text| text.contains("PATH") && !text.contains("sk-canary"));
        self.check("no key is in its answers", is_clean.map(|_| "its environment has none".to_owned()));
    }

    async fn echoes(&self) -> Outcome {
        self.call("echo", json!({ "message": "hello" })).await.text(|text| text == "Echo: hello")
    }

    /// Stops a call when its first progress was reported.
    async fn cancelled(&self) -> Outcome {
        let controller = StreamController::new();
        let stop = controller.clone();
        let begun = Instant::now();
        let mut stopped = begun;
        let called = self.long(&controller, async {
            stopped = Instant::now();
            stop.abort();
        });
        let called = called.await?;
        let took = stopped.elapsed();
        let words = called.error(|text| text == "[Interrupted by user]")?;
        said(took < SOON, &format!("{words} after {} ms", took.as_millis()))
    }

    /// Kills the server when the first progress was reported.
    async fn broken(&self, kill: impl FnOnce()) -> Outcome {
        let called = self.long(&StreamController::new(), async { kill() }).await?;
        called.error(|text| {
            text.contains("the MCP server 'other'") && text.contains("in the middle of the call")
        })
    }

    /// A call that takes long, and what is to happen in the middle of it.
    async fn long(
        &self,
        controller: &StreamController,
        then: impl Future<Output = ()>,
    ) -> Result<Called, String> {
        let heard = Arc::new(Notify::new());
        let call = self.run(
            "trigger-long-running-operation",
            json!({ "duration": 60, "steps": 600 }),
            controller,
            &heard,
        );
        let middle = async {
            heard.notified().await;
            then.await;
        };
        let both = async { tokio::join!(call, middle).0 };
        tokio::time::timeout(PATIENCE, both).await.map_err(|_| "the call did not end".to_owned())
    }

    async fn call(&self, name: &str, input: Value) -> Called {
        self.run(name, input, &StreamController::new(), &Arc::new(Notify::new())).await
    }

    async fn run(
        &self,
        name: &str,
        input: Value,
        controller: &StreamController,
        heard: &Arc<Notify>,
    ) -> Called {
        let name = format!("mcp__other__{name}");
        let failed = |words: String| Called { output: Output::error(words) };
        let Some(tool) = self.servers.tools().iter().find(|tool| tool.spec().name == name) else {
            return failed(format!("there is no {name}"));
        };
        let call = ToolCall { id: "1".to_owned(), name, input: input.to_string(), verbatim: None };
        let claim = match tool.inspect(&call).await {
            Ok(claim) => claim,
            Err(words) => return failed(words),
        };
        let policy = Policy::new(Mode::Bypass, Places::default(), Vec::new());
        let Verdict::Allowed(permit) = policy.weigh(call, claim) else {
            return failed("not allowed".to_owned());
        };
        let told = heard.clone();
        let report = Arc::new(move |_: &str| told.notify_one());
        let scope = RunScope { controller: controller.clone(), report };
        Called { output: tool.run(permit, scope).await }
    }
}

impl Called {
    fn words(&self) -> String {
        self.output.clone().into_result("1").text()
    }

    fn text(&self, fits: impl Fn(&str) -> bool) -> Outcome {
        let words = self.words();
        said(!self.output.is_error && fits(&words), &shortened(&words))
    }

    fn error(&self, fits: impl Fn(&str) -> bool) -> Outcome {
        let words = self.words();
        said(self.output.is_error && fits(&words), &shortened(&words))
    }
}

/// A server that listens on a port, ended with this.
struct Node(Child);

impl Node {
    fn start(script: &str, port: u16) -> Result<Self, String> {
        let mut command = Command::new("node");
        command.args([script, "streamableHttp"]).env_clear().envs(cleaned(std::env::vars_os()));
        command.env("PORT", port.to_string());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let node = Self(command.spawn().map_err(|error| format!("node: {error}"))?);
        let begun = Instant::now();
        while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err() {
            if begun.elapsed() > PATIENCE {
                return Err("the server over HTTP does not listen".to_owned());
            }
            std::thread::yield_now();
        }
        Ok(node)
    }

    fn stop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        self.stop();
    }
}

fn script(folder: &Path, package: &str) -> Result<String, String> {
    let script = folder.join("node_modules/@modelcontextprotocol").join(package).join("dist/index.js");
    if script.is_file() {
        Ok(script.display().to_string())
    } else {
        Err(format!("{} is missing", script.display()))
    }
}

/// A port that is free now. Whoever takes it in between makes the check fail, and it can be run again.
fn free_port() -> Result<u16, String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(|error| error.to_string())?;
    listener.local_addr().map(|address| address.port()).map_err(|error| error.to_string())
}

/// The process that was started with this argument.
fn pid(mark: &str) -> Result<String, String> {
    let entries = std::fs::read_dir("/proc").map_err(|error| error.to_string())?.flatten();
    let own = std::process::id().to_string();
    for entry in entries {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let pid = entry.file_name().to_string_lossy().into_owned();
        if pid != own && String::from_utf8_lossy(&line).contains(mark) {
            return Ok(pid);
        }
    }
    Err(format!("no process has the argument {mark}"))
}

fn kill(pid: &str) {
    Command::new("kill").args(["-KILL", pid]).status().ok();
}

fn shortened(words: &str) -> String {
    let line = words.replace('\n', " ");
    line.get(..line.floor_char_boundary(110)).unwrap_or_default().to_owned()
}

fn said(holds: bool, words: &str) -> Outcome {
    if holds { Ok(words.to_owned()) } else { Err(words.to_owned()) }
}

fn report(check: &str, outcome: Outcome) {
    let (passed, detail) = match outcome {
        Ok(detail) => (true, detail),
        Err(detail) => (false, detail),
    };
    println!("{}", json!({ "check": check, "passed": passed, "detail": detail }));
}
