//! What happens beside the text of a document: the run that it is the draft of, the turn that answers it, what agents ask the
//! person, and what people say about passages. Never tells of another document, and never tells a reader what is asked: the answer is not theirs.

use std::pin::Pin;
use std::sync::Arc;

use futures_core::Stream;
use tokio::sync::watch;

use crate::comments::Commented;
use crate::desk::{Asked, Open};
use crate::key::Role;
use crate::routes::run_of;
use crate::runs::{Run, RunEvents};
use crate::server::Shared;
use crate::turns::{Turn, TurnEvents};
use crate::wire::{WireEvent, WireWaiting};

/// A place in what happens beside one document.
pub(crate) struct Beside {
    path: String,
    runs: Option<RunEvents>,
    turns: Option<TurnEvents>,
    questions: Option<watch::Receiver<Open>>,
    comments: watch::Receiver<u64>,
    /// The comments that the page knows.
    said: Option<Arc<Commented>>,
    /// The names of the questions that the page knows.
    asked: Vec<String>,
}

impl Beside {
    /// How things are, and what happens from then on. Listened to first, so that nothing is missed in between.
    pub(crate) async fn of(shared: &Shared, path: &str, role: &Role) -> (Vec<WireEvent>, Beside) {
        let mut beside = Beside {
            path: path.to_owned(),
            runs: shared.runs.as_ref().map(|runs| runs.listen()),
            turns: shared.turns.as_ref().map(|turns| turns.listen()),
            questions: (*role == Role::Person).then(|| shared.desk.listen()),
            comments: shared.book.listen(),
            said: shared.book.latest(path),
            asked: Vec::new(),
        };
        let run = run_of(shared, path).await.map(|run| WireEvent::Run { run: (&run).into() });
        let turn = shared.turns.as_ref().and_then(|turns| turns.show(path));
        let turn = turn.map(|turn| WireEvent::Turn { turn: (&*turn).into() });
        let open = beside.questions.as_mut().map(|open| Arc::clone(&open.borrow_and_update()));
        let asked = open.and_then(|open| beside.of_questions(&open));
        let said = shared.book.of(path).await.ok().filter(|said| !said.comments.is_empty());
        let said = said.map(|said| of_comments(&said));
        (run.into_iter().chain(turn).chain(asked).chain(said).collect(), beside)
    }

    /// The next thing that a page should know.
    pub(crate) async fn next(&mut self, shared: &Shared) -> WireEvent {
        loop {
            let event = tokio::select! {
                run = next(&mut self.runs) => self.of_run(&run),
                turn = next(&mut self.turns) => self.of_turn(&turn),
                open = latest(&mut self.questions) => self.of_questions(&open),
                Ok(()) = self.comments.changed() => self.of_book(shared),
            };
            if let Some(event) = event {
                return event;
            }
        }
    }

    fn of_book(&mut self, shared: &Shared) -> Option<WireEvent> {
        self.comments.borrow_and_update();
        let said = shared.book.latest(&self.path)?;
        let is_known = self.said.as_ref().is_some_and(|known| Arc::ptr_eq(known, &said));
        let event = (!is_known).then(|| of_comments(&said));
        self.said = Some(said);
        event
    }

    fn of_run(&self, run: &Run) -> Option<WireEvent> {
        (run.path == self.path).then(|| WireEvent::Run { run: run.into() })
    }

    fn of_turn(&self, turn: &Turn) -> Option<WireEvent> {
        (turn.path == self.path).then(|| WireEvent::Turn { turn: turn.into() })
    }

    fn of_questions(&mut self, open: &[Arc<Asked>]) -> Option<WireEvent> {
        let own = || open.iter().filter(|asked| asked.document == self.path);
        let asked: Vec<String> = own().map(|asked| asked.id.clone()).collect();
        let questions = own().map(|asked| (&**asked).into()).collect();
        let is_news = asked != self.asked;
        self.asked = asked;
        is_news.then_some(WireEvent::Questions { questions })
    }
}

fn of_comments(said: &Commented) -> WireEvent {
    WireEvent::Comments { revision: said.revision, comments: said.comments.clone() }
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

/// The questions when they are others than before; never, where nobody listens to them.
pub(crate) async fn latest(questions: &mut Option<watch::Receiver<Open>>) -> Open {
    if let Some(questions) = questions
        && questions.changed().await.is_ok()
    {
        return Arc::clone(&questions.borrow_and_update());
    }
    std::future::pending().await
}

/// In which documents somebody waits for an answer.
pub(crate) fn waiting(open: &[Arc<Asked>]) -> Vec<WireWaiting> {
    let mut documents: Vec<WireWaiting> = Vec::new();
    for asked in open {
        match documents.iter_mut().find(|known| known.path == asked.document) {
            Some(known) => known.count += 1,
            None => documents.push(WireWaiting { path: asked.document.clone(), count: 1 }),
        }
    }
    documents
}
