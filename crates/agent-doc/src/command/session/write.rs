//! `agent-doc write`: an answer from standard input into a document, by the same way as any other. Never puts the same one in twice.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use document::frontmatter::Write as WriteMode;
use serde::Serialize;
use workspace::lock::TurnLock;
use workspace::reach::Reach;
use workspace::session::delivery::{Delivery, DeliveryError, Flushed, Order, Outcome as Delivered, Upto};
use workspace::session::file::SessionFile;
use workspace::session::layout::Layout;
use workspace::sidecar::Sidecar;

use super::found;
use crate::arguments::Write;
use crate::refusal::Refusal;
use crate::{Outcome, input, moment, output, reach};

/// How long to wait for a turn that is under way.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug, Serialize)]
struct Report<'a> {
    document: &'a str,
    revision: Option<u64>,
    merged: bool,
    conflicts: usize,
    notices: &'a [String],
}

pub(crate) fn run(given: &Write) -> Result<Outcome> {
    let file = found(&given.file)?;
    let name = input::shown(&given.file);
    let answer = input::read(Path::new("-"))?;
    if answer.trim().is_empty() {
        return Err(
            Refusal::new("there is no answer on standard input", "pipe the answer into the command").into()
        );
    }
    let baseline = given.baseline_file.as_deref().map(input::read).transpose()?;
    let done = reach::run(&name, &file.root, async |reach| {
        Ok(deliver(reach, &file, given, &answer, baseline).await)
    })?;
    let delivered = done.with_context(|| {
        Refusal::new(
            format!("{name}: the answer is not in the document"),
            format!("mend what is wrong, then 'agent-doc recover {name}' puts it there"),
        )
    })?;
    tell(&name, given, &delivered)?;
    Ok(if delivered.conflicts > 0 { Outcome::Conflicts } else { Outcome::Done })
}

async fn deliver(
    reach: &mut Reach,
    file: &SessionFile,
    given: &Write,
    answer: &str,
    baseline: Option<String>,
) -> Result<Delivered> {
    let sidecar = Sidecar::open(&file.root)?;
    let (current, _) = super::read(reach, &file.path).await?;
    let settings = document::frontmatter::Frontmatter::parse(&current).settings;
    let paths = file.paths(&sidecar, &current)?;
    let now = moment::now();
    let lock = paths.lock.clone();
    let waiting = move || TurnLock::wait(&lock, "agent-doc write", now, PATIENCE);
    let _turn = tokio::task::spawn_blocking(waiting).await.context("the lock cannot be waited for")??;
    let is_earlier = baseline.is_some();
    let baseline = match baseline {
        Some(baseline) => baseline,
        None => super::read(reach, &file.path).await?.0.to_string(),
    };
    let layout = match (given.stream, given.template) {
        (true, _) => Layout::streaming(&baseline, &settings, None)?,
        (false, true) => Layout::Template,
        (false, false) if settings.is_stream() => Layout::streaming(&baseline, &settings, None)?,
        (false, false) => Layout::of(&settings),
    };
    let order = Order {
        id: given.id.clone().unwrap_or_else(|| format!("write-{now:x}-{}", std::process::id())),
        author: given.author.clone(),
        time: now,
        layout,
        write: if given.stream { WriteMode::Crdt } else { settings.write() },
        path: file.path.clone(),
        baseline,
        is_earlier,
    };
    let mut delivery = Delivery::begin(&paths, order)?;
    delivery.say(answer);
    delivery.complete();
    match delivery.flush(reach, Upto::End).await {
        Ok(Flushed::Written | Flushed::Nothing) => Ok(delivery.settle()?),
        Ok(Flushed::NoPlace) => anyhow::bail!("the place of the answer is gone or its markers are broken"),
        Err(error @ DeliveryError::Layout(_)) => {
            // It would never fit, and the caller has it still.
            delivery.abandon()?;
            Err(error.into())
        }
        Err(error) => Err(error.into()),
    }
}

fn tell(name: &str, given: &Write, delivered: &Delivered) -> Result<()> {
    let Delivered { revision, is_merged, conflicts, notices, .. } = delivered;
    if given.json {
        let (revision, merged, conflicts) = (*revision, *is_merged, *conflicts);
        return output::print_json(&Report { document: name, revision, merged, conflicts, notices });
    }
    for notice in notices {
        output::notice(&format!("warning: {notice}"));
    }
    if *conflicts > 0 {
        output::notice("WARNING: Merge conflicts detected.");
    } else if *is_merged {
        output::notice("Merge successful — user edits preserved.");
    }
    match revision {
        Some(revision) => output::notice(&format!("{name}: revision {revision}")),
        None => output::notice(&format!("{name}: nothing to write")),
    }
    Ok(())
}
