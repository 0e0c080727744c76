//! What happens beside the text of a document: the run that it is the draft of, and the turn that answers it. Never tells of another
//! document.

use std::pin::Pin;
use std::sync::Arc;

use futures_core::Stream;

use crate::routes::run_of;
use crate::runs::{Run, RunEvents};
use crate::server::Shared;
use crate::turns::{Turn, TurnEvents};
use crate::wire::WireEvent;

/// A place in what happens beside one document.
pub(crate) struct Beside {
    path: String,
    runs: Option<RunEvents>,
    turns: Option<TurnEvents>,
}

impl Beside {
    /// How things are, and what happens from then on. Listened to first, so that nothing is missed in between.
    pub(crate) async fn of(shared: &Shared, path: &str) -> (Vec<WireEvent>, Beside) {
        let beside = Beside {
            path: path.to_owned(),
            runs: shared.runs.as_ref().map(|runs| runs.listen()),
            turns: shared.turns.as_ref().map(|turns| turns.listen()),
        };
        let run = run_of(shared, path).await.map(|run| WireEvent::Run { run: (&run).into() });
        let turn = shared.turns.as_ref().and_then(|turns| turns.show(path));
        let turn = turn.map(|turn| WireEvent::Turn { turn: (&*turn).into() });
        (run.into_iter().chain(turn).collect(), beside)
    }

    /// The next thing that a page should know.
    pub(crate) async fn next(&mut self) -> WireEvent {
        loop {
            let event = tokio::select! {
                run = next(&mut self.runs) => self.of_run(&run),
                turn = next(&mut self.turns) => self.of_turn(&turn),
            };
            if let Some(event) = event {
                return event;
            }
        }
    }

    fn of_run(&self, run: &Run) -> Option<WireEvent> {
        (run.path == self.path).then(|| WireEvent::Run { run: run.into() })
    }

    fn of_turn(&self, turn: &Turn) -> Option<WireEvent> {
        (turn.path == self.path).then(|| WireEvent::Turn { turn: turn.into() })
    }
}

/// The next thing of a stream; never, where there is none or it has ended.
pub(crate) async fn next<T>(stream: &mut Option<Pin<Box<dyn Stream<Item = Arc<T>> + Send>>>) -> Arc<T> {
    if let Some(stream) = stream
        && let Some(thing) = std::future::poll_fn(|context| stream.as_mut().poll_next(context)).await
    {
        return thing;
    }
    std::future::pending().await
}
