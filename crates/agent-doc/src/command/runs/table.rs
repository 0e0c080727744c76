//! Runs as a person reads them. Never reads one itself.

use conductor::draft::Proposal;
use conductor::{Outline, View, document_of};

use crate::command::visible;
use crate::moment;

/// Characters of a proposal that are shown.
const PROPOSAL_CHARS: usize = 70;
/// Decisions that are shown.
const DECISIONS_MAX: usize = 10;

/// One line for each run.
pub(super) fn list(runs: &[Outline]) -> String {
    if runs.is_empty() {
        return "there is no run yet; begin one with 'agent-doc conduct OBJECTIVE'\n".to_owned();
    }
    let mut table = format!("{:36}  {:18}  {:19}  OBJECTIVE\n", "RUN", "STATUS", "BEGUN (UTC)");
    for run in runs {
        let what = if run.objective.is_empty() {
            run.why.clone().unwrap_or_default()
        } else {
            run.objective.clone()
        };
        let begun = if run.begun == 0 { String::new() } else { moment::shown(run.begun) };
        table.push_str(&format!(
            "{:36}  {:18}  {begun:19}  {}\n",
            run.id,
            run.status.words(),
            visible(&what)
        ));
    }
    table
}

/// All about one run.
pub(super) fn run(view: &View, proposals: &[Proposal]) -> String {
    let record = &view.record;
    let one_line = |text: &str| visible(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    let mut text = format!(
        "{}\n\nrun       {}\ndocument  {}\n",
        one_line(&record.objective),
        record.id,
        document_of(&record.id)
    );
    let why = record.why.as_ref().map(|why| format!(": {}", one_line(why))).unwrap_or_default();
    text.push_str(&format!("status    {}{why}\n", record.status.words()));
    let spent = record.spent;
    text.push_str(&format!(
        "spent     {} model calls, {} tokens, {} s\n",
        spent.turns,
        spent.tokens,
        spent.milliseconds / 1000
    ));
    text.push_str("\nworkers\n");
    for worker in &record.workers {
        let line = view.lines.get(&worker.name).cloned().unwrap_or_default();
        let merged =
            worker.merged.map(|revision| format!("merged at revision {revision}")).unwrap_or_default();
        text.push_str(
            format!("  {:16} {:8} {merged} {}", worker.name, worker.phase.words(), one_line(&line))
                .trim_end(),
        );
        text.push('\n');
    }
    for guest in &record.guests {
        let merged =
            guest.merged.map(|revision| format!("merged at revision {revision}")).unwrap_or_default();
        text.push_str(
            format!("  {:16} {:8} joined from outside {merged}", guest.name, guest.phase.words()).trim_end(),
        );
        text.push('\n');
    }
    text.push_str("\nplan\n");
    for item in &record.plan {
        let state = format!("{:?}", item.state).to_lowercase();
        text.push_str(&format!(
            "  {:3} {:10} {:16} {}\n",
            item.id,
            state,
            item.worker,
            one_line(&item.objective)
        ));
    }
    if !record.decisions.is_empty() {
        text.push_str("\ndecided\n");
        let skipped = record.decisions.len().saturating_sub(DECISIONS_MAX);
        record
            .decisions
            .iter()
            .skip(skipped)
            .for_each(|words| text.push_str(&format!("  {}\n", one_line(words))));
    }
    if !proposals.is_empty() {
        text.push_str("\nproposals\n");
        for proposal in proposals {
            let words: String = one_line(&proposal.text).chars().take(PROPOSAL_CHARS).collect();
            text.push_str(&format!("  {} {:16} {words}\n", proposal.id, proposal.author));
        }
    }
    text
}
