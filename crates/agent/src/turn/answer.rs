//! An answer of the model while it comes and when it is whole. Never acts on a part of it: tools run only when all has arrived.

use std::collections::HashSet;

use super::continuation::{Next, cut_notice, needs_continuation};
use super::event::{Effect, EndReason, Note};
use super::reply::Finished;
use super::setup::CUTS_MAX;
use super::step::Step;
use super::{Phase, Turn};
use crate::message::{Block, Message, StopReason, ToolCall, ToolResult};
use crate::model::{ModelError, ModelEvent};
use crate::request::unused_id;

impl Turn {
    /// The model said something.
    pub(super) fn hear(&mut self, event: ModelEvent, effects: &mut Vec<Effect>) {
        if !self.reply.hear(&event) {
            let error =
                ModelError::Rejected { message: "the answer is longer than any model writes".to_owned() };
            effects.extend(self.stream().map(Effect::StopStream));
            return self.fail(error, 0.0, effects);
        }
        match event {
            ModelEvent::Stopped { reason, detail } => self.answered_whole(&reason, detail, effects),
            ModelEvent::Unknown { .. } => {}
            shown => effects.push(Effect::Show(shown)),
        }
    }

    fn answered_whole(&mut self, reason: &StopReason, detail: Option<String>, effects: &mut Vec<Effect>) {
        self.paused = false;
        // Also an answer without a word is one: from here on something may stand behind the prompt.
        self.fresh = None;
        let reply = std::mem::take(&mut self.reply);
        let usage = reply.usage();
        self.usage = self.usage.plus(usage);
        self.forget_trouble();
        let finished = reply.finish();
        let next = needs_continuation(&finished, reason);
        if !matches!(next, Next::Cut | Next::WindowFull) {
            self.cuts = 0;
        }
        let cut_call = finished.cut_call.clone();
        let finished = if next == Next::Refused { finished.words_only() } else { finished };
        let calls = self.commit_answer(finished, effects);
        if *reason == StopReason::ModelContextWindowExceeded {
            self.budget.force();
        }
        self.budget.measured(usage);
        effects.extend(self.budget.percent().map(|percent| Effect::Note(Note::Context { percent })));
        match next {
            Next::Tools => self.begin_step(calls, reason, cut_call.as_deref(), effects),
            Next::Complete => self.complete(effects),
            Next::Cut | Next::WindowFull => self.go_on_after_cut(cut_call.as_deref(), effects),
            Next::Pause => {
                self.paused = true;
                self.ask(effects);
            }
            Next::Refused => self.end(EndReason::Refused(detail), effects),
            Next::Unclear => self.end_unclear(&calls, reason, effects),
        }
    }

    /// Adds an answer to the conversation, if it says something. Gives back its calls; the second of two with one id is marked.
    pub(super) fn commit_answer(&mut self, finished: Finished, effects: &mut Vec<Effect>) -> Vec<Adopted> {
        if !finished.says_something() {
            return Vec::new();
        }
        let mut names = HashSet::new();
        let mut calls = Vec::new();
        let mut content = finished.blocks;
        for block in &mut content {
            let Block::ToolUse(call) = block else { continue };
            let twice = !call.id.is_empty() && names.contains(&call.id);
            let id = unused_id(&call.id, |id| names.contains(id) || self.history.knows_call(id));
            names.insert(call.id.clone());
            names.insert(id.clone());
            if id != call.id {
                // The provider's own form of the call bears the old id.
                *call = ToolCall { id, name: call.name.clone(), input: call.input.clone(), verbatim: None };
            }
            calls.push(Adopted { call: call.clone(), twice });
        }
        self.fresh = None;
        self.commit(Message::assistant(content), effects);
        calls
    }

    fn begin_step(
        &mut self,
        calls: Vec<Adopted>,
        reason: &StopReason,
        cut_call: Option<&str>,
        effects: &mut Vec<Effect>,
    ) {
        let was_cut = matches!(reason, StopReason::MaxTokens | StopReason::ModelContextWindowExceeded);
        let twice: Vec<bool> = calls.iter().map(|adopted| adopted.twice).collect();
        let mut step = Step::new(self.next_id(), calls.into_iter().map(|adopted| adopted.call).collect());
        step.was_cut = was_cut;
        step.notice = cut_call.filter(|_| was_cut).map(|tool| cut_notice(Some(tool)));
        step.reject_twice(&twice);
        if was_cut {
            self.output_max = self.setup.limits.output_max.max(self.output_max);
        }
        self.step = Some(step);
        self.phase = Phase::Working;
        self.advance(effects);
    }

    /// The model has said all; the person may have said more.
    fn complete(&mut self, effects: &mut Vec<Effect>) {
        let more = self.queue.take_next_step();
        if more.is_empty() {
            return self.end(EndReason::Completed, effects);
        }
        self.commit_user(more, effects);
        self.ask(effects);
    }

    fn go_on_after_cut(&mut self, cut_call: Option<&str>, effects: &mut Vec<Effect>) {
        self.cuts += 1;
        if self.cuts > CUTS_MAX {
            return self.end(EndReason::CutOff, effects);
        }
        self.output_max = self.setup.limits.output_max.max(self.output_max);
        let mut content = vec![Block::text(cut_notice(cut_call))];
        content.extend(self.queue.take_next_step());
        self.commit_user(content, effects);
        self.ask(effects);
    }

    fn end_unclear(&mut self, calls: &[Adopted], reason: &StopReason, effects: &mut Vec<Effect>) {
        let words = format!("Not executed: the model stopped for an unknown reason ({reason}).");
        let result =
            |adopted: &Adopted| Block::ToolResult(ToolResult::error(adopted.call.id.clone(), words.clone()));
        self.commit_user(calls.iter().map(result).collect(), effects);
        self.end(EndReason::Unclear(reason.to_string()), effects);
    }
}

/// A call that is part of the conversation.
#[derive(Debug)]
pub(super) struct Adopted {
    pub(super) call: ToolCall,
    /// Whether a call before it in the same answer bore the same id.
    twice: bool,
}
