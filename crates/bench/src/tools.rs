//! Searches of the tools beside ripgrep on the same tree, and what a long output of a command takes. Never leaves the tree behind.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use agent::StreamController;
use agent::message::ToolCall;
use agent::permission::{Mode, Places, Policy, Verdict};
use agent::tool::{RunScope, Tool as _};
use anyhow::{Context as _, Result, bail, ensure};
use tools::gate::Gate;
use tools::sandbox::{Bounds, Confinement, Sandbox};
use tools::search::{Amount, LineQuery, Scope, glob, grep, path_pattern};
use tools::shell::Shell;
use tools::tool::Bash;

use super::Size;
use super::io::Scratch;
use super::measure::median_of;
use super::table::{Table, ratio, time};

const PATTERN: &str = r"needle_\d+";
/// Searches may take so many times what ripgrep takes.
const SLOWER_MAX: f64 = 1.5;
/// What a long output may take, in kilobytes.
const MEMORY_MAX: u64 = 16 << 10;
const OUTPUT: usize = 50_000_000;

/// Prints one row for each search, and the memory of one command.
pub(crate) fn run(size: Size) -> Result<()> {
    let (files, rounds, output) = match size {
        Size::Full => (50_000, 7, OUTPUT),
        Size::Smoke => (500, 1, OUTPUT / 50),
    };
    let scratch = Scratch::new(crate::folder("tools"))?;
    let root = scratch.folder().join("tree");
    make_tree(&root, files)?;
    let mut table = Table::new(&["search", "files", "found", "ours", "ripgrep", "ours/ripgrep"]);
    let mut is_reached = true;
    for (name, ours, theirs) in searches(&root)? {
        let found = ours()?;
        ensure!(found == theirs()?, "{name}: the two found different things");
        let (mine, peer) = (median_of(rounds, &ours)?, median_of(rounds, &theirs)?);
        is_reached &= mine.wall.as_secs_f64() <= peer.wall.as_secs_f64() * SLOWER_MAX;
        let row = [
            name,
            &files.to_string(),
            &found.to_string(),
            &time(mine.wall),
            &time(peer.wall),
            &ratio(mine.wall, peer.wall),
        ];
        table.row(row.map(str::to_owned));
    }
    println!("{table}");
    let (grown, took) = long_output(scratch.folder(), output)?;
    println!("{} MB of output through Bash: {grown} kB more memory, {}", output / 1_000_000, time(took));
    if size == Size::Full {
        let told = |is_reached: bool| if is_reached { "reached" } else { "NOT reached" };
        println!("{:<11} searches in at most 1.5 times what ripgrep takes", told(is_reached));
        println!("{:<11} 50 MB of output in at most 16 MB of memory", told(grown <= MEMORY_MAX));
    }
    Ok(())
}

type Search = Box<dyn Fn() -> Result<usize>>;

/// Name, ours and ripgrep's; each gives the number of lines or files that it found.
fn searches(root: &Path) -> Result<Vec<(&'static str, Search, Search)>> {
    let scope = Scope::of(root.to_path_buf());
    let named = Scope { glob: Some(path_pattern("*_3.rs").map_err(anyhow::Error::msg)?), ..scope.clone() };
    let query = LineQuery { pattern: PATTERN.to_owned(), ..LineQuery::default() };
    let lines = move || {
        let found = grep(&scope, &query, Amount::Lines).map_err(anyhow::Error::msg)?;
        Ok(found.iter().map(|file| file.lines.len()).sum())
    };
    let paths = move || Ok(glob(&named).map_err(anyhow::Error::msg)?.len());
    let shared = ["--hidden", "--no-require-git", "--glob=!.git", "--no-config"];
    let rg = |more: &[&str]| {
        let words: Vec<String> = shared.iter().chain(more).map(ToString::to_string).collect();
        let root = root.to_path_buf();
        move || {
            let output =
                Command::new("rg").args(&words).arg(&root).output().context("ripgrep is not installed")?;
            Ok(output.stdout.iter().filter(|byte| **byte == b'\n').count())
        }
    };
    Ok(vec![
        ("lines", Box::new(lines), Box::new(rg(&["--line-number", "--no-mmap", "--regexp", PATTERN]))),
        ("files", Box::new(paths), Box::new(rg(&["--files", "--glob=*_3.rs"]))),
    ])
}

/// Folders of a hundred files each, as in a project: most are small, one in a hundred holds what is looked for, some are ignored.
fn make_tree(root: &Path, files: usize) -> Result<()> {
    let text =
        "fn work(input: &str) -> usize {\n    input.lines().filter(|line| !line.is_empty()).count()\n}\n\n"
            .repeat(20);
    for folder in 0..files.div_ceil(100) {
        let path = root.join(format!("part_{}", folder % 20)).join(format!("module_{folder}"));
        fs::create_dir_all(&path)?;
        for file in 0..100 {
            let found = if file == 50 { format!("// needle_{folder}\n") } else { String::new() };
            fs::write(path.join(format!("file_{file}.rs")), format!("{text}{found}"))?;
        }
        fs::write(path.join("out.log"), "needle_1\n")?;
    }
    fs::write(root.join(".gitignore"), "*.log\n")?;
    Ok(())
}

/// Kilobytes by which the peak of our memory rose, and the time.
fn long_output(folder: &Path, length: usize) -> Result<(u64, Duration)> {
    let (root, temporary) = (folder.join("workspace"), folder.join("temporary"));
    fs::create_dir_all(&root)?;
    fs::create_dir_all(&temporary)?;
    let bounds =
        Bounds::of_workspace(root.canonicalize()?, temporary.canonicalize()?, None, std::env::vars_os());
    let shell = Shell::new(Sandbox::new(Confinement::probe(), bounds), folder.join("artifacts"), None);
    let bash = Bash::new(shell, Arc::new(Gate::new()?));
    let input =
        serde_json::json!({ "command": format!("yes 'a line of output' | head -c {length}") }).to_string();
    let call = ToolCall { id: "1".to_owned(), name: "Bash".to_owned(), input, verbatim: None };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let claim = bash.inspect(&call).await.map_err(anyhow::Error::msg)?;
        let policy = Policy::new(Mode::Bypass, Places::default(), Vec::new());
        let Verdict::Allowed(permit) = policy.weigh(call, claim) else { bail!("the command may not run") };
        // From now on the peak is that of the command.
        fs::write("/proc/self/clear_refs", "5")?;
        let (before, begun) = (peak()?, std::time::Instant::now());
        let scope = RunScope { controller: StreamController::new(), report: Arc::new(|_| ()) };
        let output = bash.run(permit, scope).await;
        ensure!(!output.is_error, "{output:?}");
        Ok((peak()?.saturating_sub(before), begun.elapsed()))
    })
}

fn peak() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no peak of memory")?;
    Ok(line.trim().trim_end_matches(" kB").trim().parse()?)
}
