//! An answer from its first byte to its last, with a limit on every wait. Never tries again: an error says whether that
//! makes sense, and the caller decides.

use std::collections::VecDeque;
use std::pin::Pin;
use std::time::Duration;

use agent::model::{ModelError, ModelEvent, ModelStream};
use futures_util::{Stream, StreamExt as _, stream};

use crate::answer::{Answer, Progress};
use crate::failure::cut;
use crate::http::Timeouts;

/// How long we wait for something more once the answer is whole. Some servers never close the connection.
const AFTERWARDS: Duration = Duration::from_secs(2);

/// The bytes of an answer, cut anywhere. An error is told in words.
pub type Body = Pin<Box<dyn Stream<Item = Result<Vec<u8>, String>> + Send>>;

/// Reads `body` as an answer. Dropping the stream drops the body, which closes its connection.
pub fn decode(body: Body, answer: Answer, timeouts: Timeouts) -> ModelStream {
    let reading = Reading { body, answer, timeouts, told: VecDeque::new(), any: false, over: false };
    Box::pin(stream::unfold(reading, |mut reading| async move {
        let item = reading.next().await?;
        Some((item, reading))
    }))
}

struct Reading {
    body: Body,
    answer: Answer,
    timeouts: Timeouts,
    /// Events that the caller has not taken yet.
    told: VecDeque<Result<ModelEvent, ModelError>>,
    /// Whether any byte has come.
    any: bool,
    over: bool,
}

impl Reading {
    async fn next(&mut self) -> Option<Result<ModelEvent, ModelError>> {
        loop {
            if let Some(item) = self.told.pop_front() {
                return Some(item);
            }
            if self.over {
                return None;
            }
            match tokio::time::timeout(self.patience(), self.body.next()).await {
                Ok(Some(Ok(bytes))) => self.take(&bytes),
                Ok(None) => self.finish(None),
                Ok(Some(Err(error))) => self.finish(Some(cut(error))),
                Err(_) => self.finish(Some(self.silence())),
            }
        }
    }

    fn patience(&self) -> Duration {
        match self.answer.progress() {
            Progress::Whole | Progress::Over => AFTERWARDS,
            Progress::More if self.any => self.timeouts.idle,
            Progress::More => self.timeouts.first_byte,
        }
    }

    fn silence(&self) -> ModelError {
        cut(format!("nothing came for {} s", self.patience().as_secs()))
    }

    fn take(&mut self, bytes: &[u8]) {
        self.any = true;
        let mut events = Vec::new();
        let fed = self.answer.feed(bytes, &mut events);
        self.told.extend(events.into_iter().map(Ok));
        match fed {
            Ok(Progress::Over) => self.over = true,
            Ok(Progress::More | Progress::Whole) => {}
            Err(error) => self.fail(error),
        }
    }

    /// The body has ended, well or with `error`. An answer that was whole before does not mind.
    fn finish(&mut self, error: Option<ModelError>) {
        self.over = true;
        match error {
            Some(error) if self.answer.progress() == Progress::More => self.fail(error),
            Some(_) | None => {
                let mut events = Vec::new();
                let finished = self.answer.finish(&mut events);
                self.told.extend(events.into_iter().map(Ok));
                if let Err(error) = finished {
                    self.fail(error);
                }
            }
        }
    }

    fn fail(&mut self, error: ModelError) {
        self.over = true;
        self.told.push_back(Err(error));
    }
}
