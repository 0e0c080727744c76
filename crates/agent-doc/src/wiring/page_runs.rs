//! Runs for pages: what a page asks of them, in the words of the conductor. Never decides anything.

use std::sync::Arc;

use conductor::record::Record;
use conductor::status::{Phase, Status};
use conductor::{Happening, Outline, RunError, Runs as Conducted, View, Wanted, document_of};
use futures_util::stream;
use web::runs::{
    Asked, Decision, Directive, Objective, Proposal, Run, RunEvents, RunRefusal, RunRefusalKind, Runs,
    Started, Worker,
};
use workspace::command::FileErrorKind;

use crate::prices::Prices;
use crate::reach::PERSON;

/// How many runs are told at once.
const LISTED_MAX: usize = 200;

/// The runs of a project.
pub(crate) struct PageRuns {
    runs: Conducted,
    show: Show,
}

/// What is said of a run that its record does not hold.
#[derive(Clone)]
struct Show {
    /// Who thinks where the person wants nobody in particular.
    model: String,
    prices: Option<Prices>,
}

impl PageRuns {
    pub(crate) fn new(runs: Conducted, model: String, prices: Option<Prices>) -> PageRuns {
        PageRuns { runs, show: Show { model, prices } }
    }
}

impl Runs for PageRuns {
    fn start(&self, wanted: Objective) -> Asked<'_, Started> {
        Box::pin(async move {
            let wanted = Wanted { objective: wanted.text, workers: wanted.workers, model: None };
            let conductor::Started { id, path, revision } =
                self.runs.start(wanted).await.map_err(|error| refused(&error))?;
            Ok(Started { id, path, revision, status: Status::Queued })
        })
    }

    fn list(&self) -> Asked<'_, Vec<Run>> {
        Box::pin(async {
            let listed = self.runs.list(0, LISTED_MAX).await.map_err(|error| refused(&error))?;
            Ok(listed.into_iter().map(|outline| outlined(outline, &self.show.model)).collect())
        })
    }

    fn show<'a>(&'a self, id: &'a str) -> Asked<'a, Run> {
        Box::pin(async move {
            let mut run = shown(&self.runs, id, &self.show).await.map_err(|error| refused(&error))?;
            let listed = self.runs.list(0, LISTED_MAX).await.map_err(|error| refused(&error))?;
            run.is_live = listed.iter().any(|outline| outline.id == run.id && outline.is_live);
            Ok(run)
        })
    }

    fn cancel<'a>(&'a self, id: &'a str) -> Asked<'a, ()> {
        Box::pin(async move { self.runs.cancel(id, PERSON).await.map_err(|error| refused(&error)) })
    }

    fn resume<'a>(&'a self, id: &'a str) -> Asked<'a, ()> {
        Box::pin(async move { self.runs.resume(id).await.map(drop).map_err(|error| refused(&error)) })
    }

    fn stop<'a>(&'a self, id: &'a str, worker: &'a str) -> Asked<'a, ()> {
        Box::pin(async move { self.runs.stop(id, worker, PERSON).await.map_err(|error| refused(&error)) })
    }

    fn direct<'a>(&'a self, id: &'a str, directive: Directive) -> Asked<'a, ()> {
        Box::pin(async move {
            let Directive { text, request } = directive;
            self.runs.direct(id, &text, PERSON, request.as_deref()).await.map_err(|error| refused(&error))
        })
    }

    fn decide<'a>(&'a self, id: &'a str, decision: Decision) -> Asked<'a, u64> {
        Box::pin(async move {
            let chosen = match decision.proposal {
                Some(one) => vec![one],
                None => {
                    let all = self.runs.proposals(id).await.map_err(|error| refused(&error))?;
                    all.into_iter().map(|proposal| proposal.id).collect()
                }
            };
            for proposal in chosen {
                let done = if decision.is_accepted {
                    self.runs.accept(id, &proposal, PERSON).await
                } else {
                    self.runs.reject(id, &proposal, PERSON).await
                };
                done.map_err(|error| refused(&error))?;
            }
            Ok(self.runs.draft(id).await.map_err(|error| refused(&error))?.revision)
        })
    }

    fn listen(&self) -> RunEvents {
        let begin = (self.runs.subscribe(None), self.runs.clone(), self.show.clone());
        Box::pin(stream::unfold(begin, |(mut events, runs, show)| async move {
            loop {
                let event = events.next().await?;
                if event.happening == Happening::Resync {
                    // What was missed is in what comes next.
                    continue;
                }
                if let Ok(run) = shown(&runs, &event.run, &show).await {
                    return Some((Arc::new(run), (events, runs, show)));
                }
            }
        }))
    }
}

async fn shown(runs: &Conducted, id: &str, show: &Show) -> Result<Run, RunError> {
    let View { record, lines, since } = runs.show(id).await?;
    let proposals = runs.proposals(&record.id).await.unwrap_or_default();
    let worker = |worker: &conductor::record::Worker| Worker {
        name: worker.name.clone(),
        phase: worker.phase,
        doing: lines.get(&worker.name).cloned().unwrap_or_default(),
        since: since.get(&worker.name).copied().filter(|_| worker.phase == Phase::Working),
        tokens: Some(worker.usage.output).filter(|tokens| *tokens > 0),
        cost: show.prices.map(|prices| prices.cost(&worker.usage)).filter(|cost| *cost > 0.0),
        question: worker.question.clone(),
    };
    let guest = |guest: &conductor::record::Guest| Worker {
        name: guest.name.clone(),
        phase: guest.phase,
        doing: String::new(),
        since: None,
        tokens: None,
        cost: None,
        question: None,
    };
    let Record { id, objective, status, why, begun, updated, spent, workers, model: wanted, .. } = &*record;
    Ok(Run {
        id: id.clone(),
        path: document_of(id),
        objective: objective.clone(),
        status: *status,
        // Whoever tells of it works on it, until it is over.
        is_live: !status.is_final(),
        note: why.clone(),
        model: wanted.clone().unwrap_or_else(|| show.model.clone()),
        begun: *begun,
        ended: status.is_final().then_some(*updated),
        tokens: spent.tokens,
        workers: workers.iter().map(worker).chain(record.guests.iter().map(guest)).collect(),
        proposals: proposals
            .into_iter()
            .map(|proposal| Proposal {
                id: proposal.id,
                section: proposal.author.clone(),
                author: proposal.author,
                text: proposal.text,
            })
            .collect(),
    })
}

/// A run of a list: who works, and not how far each of them is.
fn outlined(outline: Outline, model: &str) -> Run {
    let Outline { id, objective, status, why, workers, begun, is_live } = outline;
    let worker = |name| Worker {
        name,
        phase: if status.is_final() { Phase::Done } else { Phase::Idle },
        doing: String::new(),
        since: None,
        tokens: None,
        cost: None,
        question: None,
    };
    Run {
        path: document_of(&id),
        id,
        objective,
        status,
        is_live,
        note: why,
        model: model.to_owned(),
        begun,
        ended: None,
        tokens: 0,
        workers: workers.into_iter().map(worker).collect(),
        proposals: Vec::new(),
    }
}

fn refused(error: &RunError) -> RunRefusal {
    let kind = match error {
        RunError::Absent(_) | RunError::Ambiguous(_) | RunError::Name(_) | RunError::NoProposal(_) => {
            RunRefusalKind::Absent
        }
        RunError::NoObjective
        | RunError::NoWorker(..)
        | RunError::TooMany(_)
        | RunError::Taken(_)
        | RunError::Unreported(_) => RunRefusalKind::Invalid,
        RunError::Held { .. } | RunError::Over { .. } | RunError::Idle(_) => RunRefusalKind::Conflict,
        RunError::Refused(refusal) if refusal.kind == FileErrorKind::NotFound => RunRefusalKind::Absent,
        RunError::Refused(_)
        | RunError::Reach(_)
        | RunError::Io { .. }
        | RunError::Newer { .. }
        | RunError::Closing => RunRefusalKind::Unavailable,
    };
    RunRefusal { kind, message: error.to_string() }
}
