//! The same work by our program and by the older one, in turns. Never takes a result of ours on trust: what it wrote is looked at.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use super::super::measure::{Cost, child, median};
use super::super::page::{answer, three_lines_changed};
use super::first_text;
use super::floor::{self, Floor};
use super::stage::{Mode, Stage, document};

const ROUNDS: usize = 11;

/// What an agent says at once: all of it in one value, or in lines.
const AT_ONCE: &str = r#"
case "$*" in *stream-json*) echo '{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"It is so."}]},"session_id":"s"}' ;; esac
echo '{"type":"result","subtype":"success","is_error":false,"result":"It is so.","session_id":"s"}'"#;

/// What both took.
pub(super) struct Pair {
    pub(super) ours: Cost,
    pub(super) peer: Cost,
}

/// The two programs.
pub(super) struct Programs {
    ours: PathBuf,
    peer: PathBuf,
    folder: PathBuf,
}

impl Programs {
    /// Ours lies beside the program that measures, the older one where the automation has installed it. Ours is put in a place of its own
    /// as that one was: a file just as the linker left it lies in memory in small pieces, and takes longer to start.
    pub(super) fn find(folder: &Path) -> Result<Programs> {
        let built = std::env::current_exe()?.with_file_name("agent-doc");
        let peer = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/bin/agent-doc");
        for program in [&built, &peer] {
            ensure!(
                program.is_file(),
                "{} is not there; 'cargo xtask bench session' brings it",
                program.display()
            );
        }
        let ours = folder.join("agent-doc");
        fs::copy(&built, &ours).context("cannot install our program")?;
        Ok(Programs { ours, peer: peer.canonicalize()?, folder: folder.to_owned() })
    }

    /// What a person sees of their change of three lines.
    pub(super) fn diff(&self, length: usize) -> Result<Pair> {
        let stages = self.stages("diff", AT_ONCE)?;
        let text = document(Mode::Stream, length, length / 10);
        for stage in &stages {
            stage.save(&text)?;
            stage.measured(&["write", "notes.md", "--stream"], &answer())?;
            stage.save(&three_lines_changed(&stage.text()?, 0))?;
        }
        in_turns(&stages, |stage, _| stage.measured(&["diff", "notes.md"], ""))
    }

    /// An answer to a document in which three lines changed meanwhile.
    pub(super) fn write(&self, length: usize) -> Result<Pair> {
        let stages = self.stages("write", AT_ONCE)?;
        let text = document(Mode::Stream, length, length / 10);
        in_turns(&stages, |stage, round| {
            stage.forget()?;
            stage.save(&text)?;
            stage.measured(&["write", "notes.md", "--stream"], "The first answer.\n")?;
            let (baseline, before) = (stage.beside("baseline"), stage.text()?);
            fs::write(&baseline, &before)?;
            stage.save(&three_lines_changed(&before, round))?;
            let baseline = baseline.to_str().context("the folder's name is no text")?;
            let cost =
                stage.measured(&["write", "notes.md", "--stream", "--baseline-file", baseline], &answer())?;
            if !stage.is_of(&self.ours) {
                // The older program mixes the letters of both sides now and then; what it costs is shown all the same.
                return Ok(cost);
            }
            let after = stage.text()?;
            ensure!(after.contains(answer().trim_end()), "the answer is not in the document");
            ensure!(
                after.contains(&format!("A person wrote this line, number {round}.")),
                "the person's line is gone"
            );
            Ok(cost)
        })
    }

    /// A whole turn with git and an agent that answers at once, without what the agent itself costs.
    pub(super) fn run(&self, length: usize) -> Result<Pair> {
        let stages = self.stages("run", AT_ONCE)?;
        let text = document(Mode::Append, length, 0);
        for stage in &stages {
            stage.save(&text)?;
        }
        let whole = in_turns(&stages, |stage, round| {
            let cost = stage.measured(&["run", "notes.md"], "")?;
            let text = stage.text()?;
            ensure!(text.matches("It is so.").count() == round + 1, "the answer is not in the document once");
            stage.save(&format!("{text}Question number {round} is this one?\n"))?;
            Ok(cost)
        })?;
        let [ours, _] = &stages;
        let prompt = ours.beside("prompt");
        fs::write(&prompt, &text)?;
        let alone = in_turns(&stages, |stage, _| {
            let mut command = Command::new(stage.agent());
            child(command.stdin(File::open(&prompt)?).stdout(Stdio::null()))
        })?;
        Ok(Pair { ours: less(whole.ours, alone.ours), peer: less(whole.peer, alone.peer) })
    }

    /// How long the first words of an agent take to the eyes of a person.
    pub(super) fn first_text(&self, length: usize) -> Result<Pair> {
        let stages = self.stages("stream", "")?;
        let text = document(Mode::Stream, length, length / 10);
        in_turns(&stages, |stage, _| {
            stage.forget()?;
            stage.save(&text)?;
            first_text::measure(stage)
        })
    }

    /// What a merged write costs whoever does it.
    pub(super) fn floor(&self, length: usize) -> Result<Floor> {
        floor::measure(&self.ours, &self.folder.join("floor"), length)
    }

    fn stages(&self, name: &str, script: &str) -> Result<[Stage; 2]> {
        let folder = self.folder.join(name);
        Ok([
            Stage::new(&self.ours, &folder.join("ours"), script)?,
            Stage::new(&self.peer, &folder.join("peer"), script)?,
        ])
    }
}

fn in_turns(stages: &[Stage; 2], mut work: impl FnMut(&Stage, usize) -> Result<Cost>) -> Result<Pair> {
    let [ours, peer] = stages;
    let (mut of_ours, mut of_peer) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        of_ours.push(work(ours, round).context("ours")?);
        of_peer.push(work(peer, round).context("the peer")?);
    }
    Ok(Pair { ours: middle(&of_ours)?, peer: middle(&of_peer)? })
}

pub(super) fn middle(costs: &[Cost]) -> Result<Cost> {
    let wall = median(costs.iter().map(|cost| cost.wall).collect()).context("no rounds")?;
    let cpu = median(costs.iter().map(|cost| cost.cpu).collect()).context("no rounds")?;
    Ok(Cost { wall, cpu })
}

fn less(whole: Cost, part: Cost) -> Cost {
    Cost { wall: whole.wall.saturating_sub(part.wall), cpu: whole.cpu.saturating_sub(part.cpu) }
}
