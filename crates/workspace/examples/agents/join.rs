//! Agents and editors of others come to our server: they read the document of a run, write their own section, are refused elsewhere,
//! and are shown a conflict; what they found is part of the canon. None of them is ours.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;

use crate::case::Case;
use crate::model::{JOIN, Model};

/// A start of one of these programs on a busy machine, with some calls.
const ANSWER_MAX: Duration = Duration::from_secs(180);
/// How much is shown of what went wrong.
const ANSWER_SHOWN: usize = 600;
/// What the run is about that they join. It works by rules, so that its document is the same each time.
const OBJECTIVE: &str = "what is there in this folder?";

/// What a guest and a person wrote.
const BOTH: &str = "Written by a guest, and by a person.";

/// The two ways to talk that the inspector knows.
const ERAS: [(&str, &str); 2] = [("legacy", "with a handshake"), ("modern", "without one")];

/// An editor's side, by the makers of the protocol: it asks twice and allows one command.
const EDITOR: &str = r#"
import asyncio, os, sys, acp
from acp.schema import AllowedOutcome
class Editor(acp.Client):
    said, asked = "", []
    async def session_update(self, session_id, update, **more):
        if update.session_update == "agent_message_chunk": self.said += update.content.text
    async def request_permission(self, session_id, tool_call, options, **more):
        self.asked.append(tool_call.title)
        yes = next(option for option in options if option.kind == "allow_once")
        return acp.RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=yes.option_id))
async def main():
    editor = Editor()
    async with acp.spawn_agent_process(editor, sys.argv[1], "acp", *sys.argv[3:], env=os.environ) as (agent, _):
        hello = await agent.initialize(protocol_version=acp.PROTOCOL_VERSION)
        session = await agent.new_session(cwd=sys.argv[2], mcp_servers=[])
        for prompt in ["EDITOR: make the file", "And now?"]:
            answer = await agent.prompt(session_id=session.session_id, prompt=[acp.text_block(prompt)])
            assert answer.stop_reason == "end_turn", answer
    assert hello.agent_info.name == "agent-doc", hello
    print(repr(editor.said), editor.asked)
asyncio.run(main())
"#;

/// A run, and the project in which it lies.
struct Place {
    folder: PathBuf,
    /// The run's name.
    run: String,
    /// What its document read before the guest came.
    before: String,
}

impl Place {
    /// A new run in the project of `case`, which has ended; a guest still has a part in it.
    async fn of(case: &Case, program: &Path) -> Result<Place, String> {
        let folder = case.home.path().join("project");
        for old in ["runs", ".agent-doc"] {
            if folder.join(old).exists() {
                std::fs::remove_dir_all(folder.join(old)).unwrap();
            }
        }
        let mut place = Place { folder, run: String::new(), before: String::new() };
        let given = ["conduct", OBJECTIVE, "--model", "offline"].map(str::to_owned);
        run(case, &place, &program.display().to_string(), &given).await?;
        let entry = std::fs::read_dir(place.folder.join("runs")).unwrap().next().ok_or("there is no run")?;
        place.run = entry.unwrap().file_name().into_string().unwrap();
        place.before = place.text();
        Ok(place)
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.folder.join("runs").join(&self.run).join("draft.md")).unwrap()
    }

    /// A person replaces words with an editor.
    fn save(&self, old: &str, new: &str) {
        let path = self.folder.join("runs").join(&self.run).join("draft.md");
        std::fs::write(path, self.text().replacen(old, new, 1)).unwrap();
    }

    /// The section of `name` is there as a proposal, and nothing else has changed.
    fn check(&self, name: &str, words: &str) -> Result<(), String> {
        let section = format!("## {name}\n<!-- proposal -->\n{words}\n\n## User");
        let text = self.text();
        let is_so = text == self.before.replacen("## User", &section, 1);
        if is_so { Ok(()) } else { Err(format!("the document is {text:?}")) }
    }

    /// The conductor brings the words of the guest into the canon.
    async fn check_canon(&self, case: &Case, program: &Path, words: &str) -> Result<(), String> {
        let given = ["runs", "resume", &self.run].map(str::to_owned);
        run(case, self, &program.display().to_string(), &given).await?;
        let text = self.text();
        let canon = text.split("\n## ").find(|section| section.starts_with("Conductor"));
        let is_in = canon.is_some_and(|canon| canon.contains(words));
        if is_in { Ok(()) } else { Err(format!("the canon lacks the guest: {text:?}")) }
    }
}

/// Runs every guest and prints a row for each.
pub(crate) async fn all(commands: &Path, program: &Path, python: &Path) {
    let model = Model::start().await;
    let case = |name| Case::of(name, commands, &model.url());
    let inspector = case("claude");
    for (era, how) in ERAS {
        let told = inspected(&inspector, commands, program, era).await;
        row(&format!("inspector by its streams, {how}"), told);
        row(&format!("inspector by HTTP, {how}"), by_http(&inspector, commands, program, era).await);
    }
    let guest = case("claude");
    row(&format!("claude {}", guest.version), claude(&guest, &model, program).await);
    let guest = case("codex");
    row(&format!("codex {}", guest.version), codex(&guest, &model, program).await);
    row("editor of PyPI by ACP", editor(&case("claude"), &model, program, python).await);
}

fn row(check: &str, outcome: Result<String, String>) {
    let passed = outcome.is_ok();
    let detail = outcome.unwrap_or_else(|told| told);
    println!("{}", json!({ "check": check, "passed": passed, "detail": detail }));
}

/// The inspector of the protocol's makers lists the tools, writes, is refused, and comes too late.
async fn inspected(case: &Case, commands: &Path, program: &Path, era: &str) -> Result<String, String> {
    let place = Place::of(case, program).await?;
    let name = program.display().to_string();
    let server = [&name, "mcp", &place.run, "--as", "Inspector", "--protocol-era", era].map(str::to_owned);
    let told = inspect_all(case, commands, &place, &server).await?;
    inspect(
        case,
        commands,
        &place,
        &server,
        &["tools/call", "--tool-name", "finished", "--tool-arg", "summary=One line."],
    )
    .await?;
    place.check_canon(case, program, BOTH).await?;
    Ok(format!("{told}; said that it is done, and is in the canon"))
}

async fn by_http(case: &Case, commands: &Path, program: &Path, era: &str) -> Result<String, String> {
    let place = Place::of(case, program).await?;
    let mut command = Command::new(program);
    command.args(["mcp", &place.run, "--as", "Inspector", "--http", "0"]).current_dir(&place.folder);
    let mut serving = command.stdout(std::process::Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let mut lines = BufReader::new(serving.stdout.take().unwrap()).lines();
    let url = lines.next_line().await.unwrap().ok_or("it does not listen")?;
    let header = lines.next_line().await.unwrap().ok_or("it has no token")?;
    let server = [&url, "--transport", "http", "--protocol-era", era].map(str::to_owned);
    let refused = inspect(case, commands, &place, &server, &["tools/list"]).await;
    if refused.is_ok() {
        return Err("it answers one who does not know the token".to_owned());
    }
    let server = [&server[..], &["--header".to_owned(), header]].concat();
    let told = inspect_all(case, commands, &place, &server).await;
    serving.kill().await.unwrap();
    told.map(|told| format!("{told}; without the token refused"))
}

async fn inspect_all(
    case: &Case,
    commands: &Path,
    place: &Place,
    server: &[String],
) -> Result<String, String> {
    let call = |words: &[&str]| -> Vec<String> {
        let tool = ["tools/call", "--tool-name"].into_iter().chain(words.iter().copied());
        tool.map(str::to_owned).collect()
    };
    let ask = async |words: &[String]| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        inspect(case, commands, place, server, &words).await
    };
    let tools = ask(&["tools/list".to_owned()]).await?;
    let count = tools["tools"].as_array().map_or(0, Vec::len);
    ask(&call(&["append_section", "--tool-arg", "content=Written by a guest."])).await?;
    place.check("Inspector", "Written by a guest.")?;
    let not_mine =
        call(&["append_section", "--tool-arg", "content=Not mine.", "--tool-arg", "section=Conductor"]);
    let read = ask(&call(&["read_section", "--tool-arg", "section=Inspector"])).await?;
    let revision = revision_in(&read.to_string()).ok_or(format!("there is no revision in {read}"))?;
    // Somebody else writes there between the guest's reading and its writing.
    place.save("Written by a guest.", BOTH);
    let based = format!("revision={revision}");
    let late = call(&["write_section", "--tool-arg", "content=Too late.", "--tool-arg", &based]);
    for (words, expected) in [(not_mine, ["Forbidden: ", ""]), (late, ["Conflict: ", BOTH])] {
        match ask(&words).await {
            Err(told) if expected.iter().all(|part| told.contains(part)) => {}
            other => return Err(format!("{words:?}: {other:?} and not {expected:?}")),
        }
    }
    place.check("Inspector", BOTH)?;
    Ok(format!("{count} tools; wrote its section; refused elsewhere; shown a person's words by a conflict"))
}

/// The revision that a reading tells.
fn revision_in(told: &str) -> Option<u64> {
    let after = told.split_once("revision ")?.1;
    after.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok()
}

/// What the inspector prints; an error is what it says of one.
async fn inspect(
    case: &Case,
    commands: &Path,
    place: &Place,
    server: &[String],
    words: &[&str],
) -> Result<Value, String> {
    let mut given: Vec<String> = vec!["--cli".into()];
    given.extend_from_slice(server);
    given.push("--method".into());
    given.extend(words.iter().map(|word| (*word).to_owned()));
    let program = commands.join("mcp-inspector").display().to_string();
    let told = run(case, place, &program, &given).await?;
    serde_json::from_str(&told).map_err(|error| format!("{error}: {told}"))
}

/// Claude Code as a guest: our server is one of its own.
async fn claude(case: &Case, model: &Model, program: &Path) -> Result<String, String> {
    let place = Place::of(case, program).await?;
    let server = json!({ "command": program, "args": ["mcp", place.run, "--as", "Claude"] });
    let servers = json!({ "mcpServers": { "doc": server } }).to_string();
    let given = ["-p", JOIN, "--mcp-config", &servers, "--strict-mcp-config", "--allowedTools", "mcp__doc"];
    let given = given.map(str::to_owned);
    let told = run(case, &place, "claude", &given).await?;
    joined(&place, model, "Claude", &told)
}

/// Codex as a guest: our server is in its settings.
async fn codex(case: &Case, model: &Model, program: &Path) -> Result<String, String> {
    let place = Place::of(case, program).await?;
    let path = case.home.path().join(".codex/config.toml");
    let settings = std::fs::read_to_string(&path).unwrap();
    let server = format!(
        "\n[mcp_servers.doc]\ncommand = {:?}\nargs = [\"mcp\", {:?}, \"--as\", \"Codex\"]\ncwd = {:?}\n\
         default_tools_approval_mode = \"approve\"\n",
        program.display().to_string(),
        place.run,
        place.folder.display().to_string()
    );
    std::fs::write(path, settings + &server).unwrap();
    let given = ["exec", "--json", "--skip-git-repo-check", JOIN].map(str::to_owned);
    let told = run(case, &place, "codex", &given).await?;
    joined(&place, model, "Codex", &told)
}

/// The agent wrote what the model wanted, and the model heard why the rest did not go.
fn joined(place: &Place, model: &Model, name: &str, told: &str) -> Result<String, String> {
    place.check(name, "Written by a guest.").map_err(|wrong| format!("{wrong}; it said {told}"))?;
    let heard = model.heard();
    for expected in [&format!("You write in the section \\\"{name}"), "Forbidden: ", "Conflict: "] {
        if !heard.replace("\\\\", "\\").contains(expected) {
            return Err(format!("the model never heard {expected:?}; the agent said {told}"));
        }
    }
    Ok("read it; wrote its section; refused elsewhere; shown a conflict".to_owned())
}

/// An editor that we did not write talks with our agent.
async fn editor(case: &Case, model: &Model, program: &Path, python: &Path) -> Result<String, String> {
    let place = Place::of(case, program).await?;
    let script = case.home.path().join("editor.py");
    std::fs::write(&script, EDITOR).unwrap();
    let words =
        [script.display().to_string(), program.display().to_string(), place.folder.display().to_string()];
    let given = words.into_iter().chain(["--model".to_owned(), "anthropic/loop".to_owned()]);
    let told = run(case, &place, &python.display().to_string(), &given.collect::<Vec<_>>()).await?;
    let heard = model.heard();
    for expected in ["touch made", "as you wish"] {
        if !told.contains(expected) {
            return Err(format!("the editor never heard {expected:?}, but {told}"));
        }
    }
    if !place.folder.join("made").exists() {
        let at = heard.rfind("tool_result").unwrap_or_default();
        let answer: String = heard.get(at..).unwrap_or_default().chars().take(ANSWER_SHOWN).collect();
        return Err(format!("the command made no file; the model heard {answer}"));
    }
    Ok("two prompts in one session; the person was asked and the command ran".to_owned())
}

/// Runs a program of others with its home, and gives what it printed.
async fn run(case: &Case, place: &Place, program: &str, given: &[String]) -> Result<String, String> {
    let mut command = Command::new("env");
    let environment = case.spec.args.iter().take_while(|word| word.contains('='));
    command.args(environment).arg(program).args(given).current_dir(&place.folder);
    command.stdin(std::process::Stdio::null()).kill_on_drop(true);
    let output = tokio::time::timeout(ANSWER_MAX, command.output()).await;
    let output = output.map_err(|_| format!("{program} did not end"))?.unwrap();
    let told = [output.stdout.as_slice(), output.stderr.as_slice()].map(String::from_utf8_lossy);
    if output.status.success() { Ok(told[0].to_string()) } else { Err(told.concat()) }
}
