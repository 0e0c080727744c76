//! A writer that is killed at random moments. Never kills anything but the child that it started.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use document::{Author, Document};
use workspace::SharedText;
use workspace::store::{Options, StoredFile, flush, united};

use super::editor::{Dice, START, missing};

/// The word that makes this program the writer.
pub(super) const CHILD: &str = "write-for-ever";
/// So many kills share one file, so that it stays as long as documents are.
const KILLS_PER_FILE: usize = 100;

/// Kills `count` writers and looks at what each left behind.
pub(super) fn run(count: usize) -> Result<()> {
    let (mut dice, mut kills, mut acknowledged, mut lost) = (Dice(0xdead), 0, 0, 0);
    while kills < count {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("plan.md");
        std::fs::write(&path, START)?;
        let mut lines = Vec::new();
        for _ in 0..KILLS_PER_FILE.min(count - kills) {
            lines.extend(killed(&path, Duration::from_micros(1_000 + dice.below(15_000)))?);
            let text = std::fs::read_to_string(&path)?;
            let is_whole = text.starts_with("# Plan\n\n") && text.ends_with("end\n");
            ensure!(is_whole, "a kill left half a document: {text:?}");
            kills += 1;
        }
        recover(&path)?;
        lost += missing(&std::fs::read_to_string(&path)?, &lines);
        acknowledged += lines.len();
        let left = std::fs::read_dir(folder.path())?.count() - 1;
        ensure!(left == 0, "{left} files were left over after recovery");
    }
    println!("{kills} kills: 0 documents damaged; {acknowledged} lines acknowledged, {lost} lost");
    ensure!(lost == 0, "{lost} acknowledged lines were lost");
    Ok(())
}

/// The lines that a writer acknowledged before it was killed.
fn killed(path: &Path, after: Duration) -> Result<Vec<String>> {
    let mut child = Command::new(std::env::current_exe()?)
        .args(["soak", CHILD])
        .arg(path)
        .stdout(Stdio::piped())
        .spawn()?;
    std::thread::sleep(after);
    child.kill()?;
    child.wait()?;
    let mut said = String::new();
    child.stdout.take().context("the child has no output")?.read_to_string(&mut said)?;
    let whole = said.rsplit_once('\n').map_or("", |(whole, _)| whole);
    Ok(whole.lines().map(str::to_owned).collect())
}

/// The child: writes lines, and says each one when it is in the file.
pub(super) fn write_for_ever(arguments: &[&str]) -> Result<ExitCode> {
    let path = arguments.first().context("which file?")?;
    let (mut file, mut document, mut in_file) = recover(Path::new(path))?;
    let (person, agent) = (Author::new("person"), Author::new("agent"));
    let process = std::process::id();
    let mut dice = Dice(u64::from(process) + 1);
    for number in 0.. {
        let line = dice.line(&format!("agent{process}x"), number);
        let at = document.text().rfind("end\n").context("the document has no end")?;
        document.edit(at..at, &format!("{line}\n"), &agent)?;
        flush(&mut document, &mut in_file, &mut file, &person)?;
        std::io::stdout().write_all(format!("{line}\n").as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn recover(path: &Path) -> Result<(StoredFile, Document, SharedText)> {
    let person = Author::new("person");
    let opened = StoredFile::open(path, Options::default())?;
    let (mut file, mut in_file) = (opened.file, opened.text);
    let mut document = Document::open(&*in_file, &person);
    for leftover in opened.leftovers {
        let all = united(document.text(), &leftover);
        document.absorb_displaced(&all, &person);
    }
    flush(&mut document, &mut in_file, &mut file, &person)?;
    file.leftovers_absorbed()?;
    Ok((file, document, in_file))
}
