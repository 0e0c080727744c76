//! From the first words of an agent to the file. Never counts the time that the agent itself takes to begin.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, bail, ensure};

use super::super::measure::{Cost, children};
use super::stage::Stage;

/// How often the file is looked at.
const LOOK: Duration = Duration::from_millis(2);
/// When to give up.
const LOOKS_MAX: usize = 5000;

const FIRST: &str = "These are the first words.";

/// `wall` is the time to the first text, `cpu` what the whole stream took.
pub(super) fn measure(stage: &Stage) -> Result<Cost> {
    let stamp = stage.beside("stamp");
    // The agent waits until its words were seen, so that nothing is written because it ended.
    let (seen, agent) = (stage.beside("seen"), stage.agent());
    for path in [&stamp, &seen] {
        if path.exists() {
            fs::remove_file(path)?;
        }
    }
    let script = format!(
        "#!/bin/sh\ncat > /dev/null\ndate +%s%N > '{}'\n{}\nn=0\nwhile [ ! -e '{}' ] && [ $n -lt 200 ]; do sleep 0.05; n=$((n + 1)); done\n{}\n",
        stamp.display(),
        r#"echo '{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"These are the first words."}]},"session_id":"s"}'"#,
        seen.display(),
        r#"echo '{"type":"result","subtype":"success","is_error":false,"result":"These are the first words.","session_id":"s"}'"#,
    );
    fs::write(&agent, script)?;
    fs::set_permissions(&agent, fs::Permissions::from_mode(0o755))?;
    let mut command = stage.command(&["stream", "notes.md", "--no-git"]);
    let before = children()?;
    let mut child = command.spawn().context("cannot start the measured program")?;
    let shown = shown(stage);
    fs::write(&seen, "")?;
    let status = child.wait()?;
    let cpu = children()?.saturating_sub(before);
    ensure!(status.success(), "the measured program failed with {status}");
    let said = fs::read_to_string(&stamp)?.trim().parse().context("the agent told no time")?;
    Ok(Cost { wall: shown?.saturating_sub(Duration::from_nanos(said)), cpu })
}

/// When the first words were in the file, since 1970.
fn shown(stage: &Stage) -> Result<Duration> {
    for _ in 0..LOOKS_MAX {
        if stage.text()?.contains(FIRST) {
            return Ok(SystemTime::now().duration_since(UNIX_EPOCH)?);
        }
        std::thread::sleep(LOOK);
    }
    bail!("the first words never came")
}
