//! Runs for pages: what a page asks of them, in the words of the conductor. Never decides anything.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use conductor::record::Record;
use conductor::status::{Phase, Status};
use conductor::{Happening, Outline, RunError, Runs as Conducted, View, Wanted, document_of};
use futures_util::stream;
use web::runs::{
    Asked, Cost, Decision, Directive, Objective, Proposal, Run, RunEvents, RunRefusal, RunRefusalKind, Runs,
    Started, Worker,
};
use workspace::command::FileErrorKind;

use crate::prices::Prices;
use crate::reach::PERSON;

/// How many runs are told at once.
const LISTED_MAX: usize = 200;
/// Of how many workers it is remembered how long they worked.
const SPELLS_MAX: usize = 4096;

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
    spells: Arc<Mutex<Spells>>,
}

/// When each worker of a run began its last piece of work, and when it was seen to be done with it.
type Spells = BTreeMap<(String, String), (u64, Option<u64>)>;

impl Show {
    fn cost(&self, usage: &agent::message::Usage) -> Option<Cost> {
        let prices = self.prices.as_ref()?;
        let amount = prices.cost(usage);
        (amount > 0.0).then(|| Cost { amount, currency: prices.currency.clone() })
    }

    /// From when to when a worker worked. The record does not say when it was done, so the moment counts at which that is first told.
    fn spell(
        &self,
        run: &str,
        worker: &str,
        since: Option<u64>,
        is_working: bool,
    ) -> (Option<u64>, Option<u64>) {
        let mut spells = self.spells.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (run.to_owned(), worker.to_owned());
        if spells.len() >= SPELLS_MAX && !spells.contains_key(&key) {
            spells.pop_first();
        }
        if let Some(since) = since
            && spells.get(&key).is_none_or(|(begun, _)| *begun != since)
        {
            spells.insert(key.clone(), (since, None));
        }
        let Some((begun, done)) = spells.get_mut(&key) else { return (None, None) };
        *done = if is_working { None } else { done.or_else(now) };
        (Some(*begun), *done)
    }
}

/// Milliseconds since 1970.
fn now() -> Option<u64> {
    let passed = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(passed.as_millis()).ok()
}

impl PageRuns {
    pub(crate) fn new(runs: Conducted, model: String, prices: Option<Prices>) -> PageRuns {
        PageRuns { runs, show: Show { model, prices, spells: Arc::default() } }
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
            let mut absent = None;
            let mut is_any = false;
            for proposal in decision.proposals {
                let done = if decision.is_accepted {
                    self.runs.accept(id, &proposal, PERSON).await
                } else {
                    self.runs.reject(id, &proposal, PERSON).await
                };
                match done {
                    Ok(_) => is_any = true,
                    // Somebody else decided on it, or its worker took it back. The others stand.
                    Err(error @ RunError::NoProposal(_)) => absent = Some(error),
                    Err(error) => return Err(refused(&error)),
                }
            }
            if let Some(error) = absent.filter(|_| !is_any) {
                return Err(refused(&error));
            }
            Ok(self.runs.draft(id).await.map_err(|error| refused(&error))?.revision)
        })
    }

    fn listen(&self) -> RunEvents {
        let begin = (self.runs.subscribe(None), VecDeque::new(), self.runs.clone(), self.show.clone());
        Box::pin(stream::unfold(begin, |(mut events, mut missed, runs, show)| async move {
            loop {
                let run = match missed.pop_front() {
                    Some(run) => run,
                    None => {
                        let event = events.next().await?;
                        if event.happening == Happening::Resync {
                            // The last word of a run may be among what was missed, so all of them are shown again.
                            missed = listed(&runs).await;
                            continue;
                        }
                        event.run
                    }
                };
                if let Ok(run) = shown(&runs, &run, &show).await {
                    return Some((Arc::new(run), (events, missed, runs, show)));
                }
            }
        }))
    }
}

/// The names of the latest runs.
async fn listed(runs: &Conducted) -> VecDeque<Arc<str>> {
    let outlines = runs.list(0, LISTED_MAX).await.unwrap_or_default();
    outlines.into_iter().map(|outline| outline.id.into()).collect()
}

async fn shown(runs: &Conducted, id: &str, show: &Show) -> Result<Run, RunError> {
    let View { record, lines, since } = runs.show(id).await?;
    let proposals = runs.proposals(&record.id).await.unwrap_or_default();
    let worker = |worker: &conductor::record::Worker| {
        let known = since.get(&worker.name).copied();
        let (since, until) = show.spell(&record.id, &worker.name, known, worker.phase == Phase::Working);
        let usage = &worker.usage;
        Worker {
            name: worker.name.clone(),
            phase: worker.phase,
            doing: lines.get(&worker.name).cloned().unwrap_or_default(),
            since,
            until,
            input: Some(usage.input + usage.cache_read + usage.cache_write).filter(|tokens| *tokens > 0),
            tokens: Some(usage.output).filter(|tokens| *tokens > 0),
            cost: show.cost(usage),
            question: worker.question.clone(),
        }
    };
    let guest = |guest: &conductor::record::Guest| Worker {
        name: guest.name.clone(),
        phase: guest.phase,
        doing: String::new(),
        since: None,
        until: None,
        input: None,
        tokens: None,
        cost: None,
        question: None,
    };
    let workers: Vec<Worker> =
        record.workers.iter().map(worker).chain(record.guests.iter().map(guest)).collect();
    let Record { id, objective, status, why, begun, updated, spent, model: wanted, .. } = &*record;
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
        cost: total(&workers),
        workers,
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

/// What all workers cost together.
fn total(workers: &[Worker]) -> Option<Cost> {
    let costs = || workers.iter().filter_map(|worker| worker.cost.as_ref());
    let currency = costs().next()?.currency.clone();
    Some(Cost { amount: costs().map(|cost| cost.amount).sum(), currency })
}

/// A run of a list: who works, and not how far each of them is.
fn outlined(outline: Outline, model: &str) -> Run {
    let Outline { id, objective, status, why, workers, begun, is_live } = outline;
    let worker = |name| Worker {
        name,
        phase: if status.is_final() { Phase::Done } else { Phase::Idle },
        doing: String::new(),
        since: None,
        until: None,
        input: None,
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
        cost: None,
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
