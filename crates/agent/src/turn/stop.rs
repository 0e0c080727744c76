//! Ends a turn at any moment. Never leaves a call without a result, and never starts anything once it was told to stop.

use super::compact::Cause;
use super::event::{CallKey, Effect, EndReason, Ended, Purpose, TimerId};
use super::reply::Finished;
use super::{Phase, Turn};
use crate::history::Record;
use crate::message::{Block, INTERRUPT_TOOL, INTERRUPT_USER, ToolResult};
use crate::tool::Output;

/// What the model gets for a call that had not begun.
const NOT_BEGUN: &str = "Not executed: interrupted by user";

/// What it gets for a tool that was stopped and did not say in time what it had.
const LOST: &str = "[Interrupted by user] The tool was stopped. It may have done a part of its work.";

impl Turn {
    /// The person stopped the turn.
    pub(super) fn abort(&mut self, effects: &mut Vec<Effect>) {
        match self.phase {
            Phase::Ready => self.end(EndReason::Interrupted, effects),
            Phase::Streaming(stream) | Phase::Summarising(stream) => {
                effects.push(Effect::StopStream(stream));
                self.interrupt_answer(effects);
            }
            Phase::Waiting(_) => self.interrupt_answer(effects),
            Phase::Working => self.halt(EndReason::Interrupted, NOT_BEGUN, effects),
            Phase::Stopping(_) => self.conclude(effects),
            Phase::Ended => {}
        }
    }

    /// Keeps what the model said so far and marks where it was stopped.
    fn interrupt_answer(&mut self, effects: &mut Vec<Effect>) {
        let reply = std::mem::take(&mut self.reply);
        let summing = self.purpose == Purpose::Summary;
        let silent = summing || (reply.is_blank() && self.partial.is_none());
        if let (true, Some(prompt)) = (silent, self.fresh.take()) {
            self.withdraw(prompt, effects);
        } else if summing && self.cause == Cause::Person {
            // The person spoke to us and not to the model.
        } else if summing {
            self.commit_user(vec![Block::text(INTERRUPT_USER)], effects);
        } else {
            let finished =
                Some(reply.finish()).filter(Finished::says_something).or_else(|| self.partial.take());
            let calls = finished.map(|finished| self.commit_answer(finished, effects)).unwrap_or_default();
            let mark = if calls.is_empty() { INTERRUPT_USER } else { INTERRUPT_TOOL };
            let result = |id: String| Block::ToolResult(ToolResult::error(id, NOT_BEGUN));
            let mut content: Vec<Block> = calls.into_iter().map(|adopted| result(adopted.call.id)).collect();
            content.push(Block::text(mark));
            self.commit_user(content, effects);
        }
        self.end(EndReason::Interrupted, effects);
    }

    /// The model never saw the prompt, so the person gets it back.
    fn withdraw(&mut self, prompt: Vec<Block>, effects: &mut Vec<Effect>) {
        self.history.apply(&Record::Withdrawn);
        effects.push(Effect::Commit(Record::Withdrawn));
        effects.push(Effect::Restore(prompt));
    }

    /// Stops the tools; what has not begun never will. Waits a moment for what they have so far.
    pub(super) fn halt(&mut self, why: EndReason, words: &str, effects: &mut Vec<Effect>) {
        self.why = why;
        let Some(step) = &mut self.step else { return self.conclude(effects) };
        effects.extend(step.question().map(Effect::Close));
        step.drop_rest(words);
        if !step.is_running() {
            return self.conclude(effects);
        }
        let timer = TimerId(self.next_id());
        effects.push(Effect::StopTools);
        effects.push(Effect::SetTimer { timer, after: self.setup.caps.stop_grace });
        self.phase = Phase::Stopping(timer);
    }

    /// A stopped tool gave back what it had.
    pub(super) fn collect(&mut self, key: CallKey, mut output: Output, effects: &mut Vec<Effect>) {
        output.is_error = true;
        if !self.take_output(key, output) {
            effects.push(self.ignored("tool_finished"));
        } else if self.step.as_ref().is_none_or(|step| !step.is_running()) {
            self.conclude(effects);
        }
    }

    /// Answers all calls and ends.
    pub(super) fn conclude(&mut self, effects: &mut Vec<Effect>) {
        let mut content = self.step.take().map(|step| step.into_results(LOST)).unwrap_or_default();
        if matches!(self.why, EndReason::Interrupted | EndReason::Waiting) {
            content.push(Block::text(INTERRUPT_TOOL));
        }
        self.commit_user(content, effects);
        self.end(self.why.clone(), effects);
    }

    /// The turn is over.
    pub(super) fn end(&mut self, reason: EndReason, effects: &mut Vec<Effect>) {
        self.phase = Phase::Ended;
        effects.push(Effect::End(Ended {
            reason,
            iterations: self.iterations,
            usage: self.usage,
            denials: std::mem::take(&mut self.denials),
            queued: self.queue.take_all(),
        }));
    }
}
