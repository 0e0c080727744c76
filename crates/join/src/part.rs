//! The part that guests have in a run: what limits them, what the person has turned down, and their last word. Never lets one take the
//! name of a worker.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use agent::tool::Output;
use conductor::bounds::objection;
use conductor::limits::GUESTS_MAX;
use conductor::record::Record;
use conductor::{Heard, RunError, Runs, check_guest};

/// Characters of what was turned down that a guest is shown.
const SHOWN_CHARS: usize = 200;

/// The part that guests have in a run. Clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    runs: Runs,
    run: Arc<str>,
    /// How often each guest wrote since it was last done.
    written: Arc<Mutex<BTreeMap<String, u32>>>,
}

impl Part {
    pub(crate) fn new(runs: Runs, run: &str) -> Part {
        Part { runs, run: run.into(), written: Arc::default() }
    }

    /// Why a guest may not add this to its section. It counts as written.
    pub(crate) async fn objection(&self, guest: &str, content: &str) -> Option<String> {
        let known = async { Ok::<_, RunError>((self.record().await?, self.runs.draft(&self.run).await?)) };
        let (record, draft) = match known.await {
            Ok(known) => known,
            Err(error) => return Some(error.to_string()),
        };
        if let Err(taken) = check_guest(&record, guest) {
            return Some(taken.to_string());
        }
        let written = {
            let mut all = self.written.lock().unwrap_or_else(PoisonError::into_inner);
            if all.len() >= GUESTS_MAX && !all.contains_key(guest) {
                return Some(format!("no more than {GUESTS_MAX} guests can write in one run"));
            }
            let count = all.entry(guest.to_owned()).or_default();
            *count += 1;
            *count - 1
        };
        objection(&record, &draft, guest, written, content)
    }

    /// What a guest should know of the run before it writes.
    pub(crate) async fn told(&self, guest: &str) -> String {
        let Ok(record) = self.record().await else { return String::new() };
        let own = record.rejected.iter().filter(|settled| settled.author.eq_ignore_ascii_case(guest));
        let lines: Vec<String> = own.map(|settled| format!("- {}\n", cut(&settled.text))).collect();
        if lines.is_empty() {
            return String::new();
        }
        format!("The person turned this down; do not propose it again:\n{}", lines.concat())
    }

    /// The guest's last word.
    pub(crate) async fn finish(&self, guest: &str, summary: &str) -> Output {
        match self.runs.finished(&self.run, guest, summary).await {
            Ok(heard) => {
                self.written.lock().unwrap_or_else(PoisonError::into_inner).remove(guest);
                Output::success(match heard {
                    Heard::Now => "Accepted. The conductor takes what you found into account.",
                    Heard::Later => {
                        "Accepted. Nobody works on the run now; what you found is taken into account when it goes on."
                    }
                })
            }
            Err(error) => Output::error(format!("not accepted: {error}")),
        }
    }

    async fn record(&self) -> Result<Arc<Record>, RunError> {
        Ok(self.runs.show(&self.run).await?.record)
    }
}

fn cut(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(SHOWN_CHARS).collect()
}
