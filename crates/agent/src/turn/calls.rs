//! Moves the calls of an answer on. Never asks a person and never runs a tool itself: it says what to ask and what to run.

use super::event::{CallKey, Effect, EndReason, Note};
use super::guard::Circle;
use super::step::{Move, State};
use super::{Phase, Turn};
use crate::message::{ToolCall, ToolResult};
use crate::permission::Claim;
use crate::tool::Output;

/// What the model gets for a call behind which the turn ended, because the model ran in a circle.
const STUCK: &str = "Not executed: the same was called again and again.";

impl Turn {
    /// Does all that can be done now.
    pub(super) fn advance(&mut self, effects: &mut Vec<Effect>) {
        while self.phase == Phase::Working {
            let Some(step) = &mut self.step else { return };
            match step.next_move() {
                Move::Wait => return,
                Move::Begin(key, call) => self.begin(key, call, effects),
                Move::Run(key, permit) => effects.push(Effect::Run { key, permit }),
                Move::Finished => self.finish_step(effects),
            }
        }
    }

    /// Lets the tool look at a call, if there is such a tool and the input is an object.
    fn begin(&mut self, key: CallKey, call: ToolCall, effects: &mut Vec<Effect>) {
        if !self.setup.frame.tools.iter().any(|tool| tool.name == call.name) {
            let words = self.unknown_tool(&call.name);
            self.settle(key, ToolResult::error(call.id, words));
            if self.guard.called_unknown() == Circle::Stuck {
                self.halt(EndReason::Stuck, STUCK, effects);
            }
        } else if let Err(error) = call.arguments() {
            self.settle(key, ToolResult::error(call.id, error.to_string()));
        } else {
            effects.push(Effect::Inspect { key, call });
        }
    }

    fn unknown_tool(&self, name: &str) -> String {
        let known: Vec<&str> = self.setup.frame.tools.iter().map(|tool| tool.name.as_str()).collect();
        format!("Error: tool `{name}` not found. Available tools: {}", known.join(", "))
    }

    /// A call is done, unless it already was.
    pub(super) fn settle(&mut self, key: CallKey, result: ToolResult) {
        let slot = self.step.as_mut().and_then(|step| step.slot(key));
        if let Some(slot) = slot.filter(|slot| !matches!(slot.state, State::Done(_))) {
            slot.state = State::Done(result);
        }
    }

    /// A tool said what a call would touch.
    pub(super) fn inspected(
        &mut self,
        key: CallKey,
        claim: Result<Claim, String>,
        effects: &mut Vec<Effect>,
    ) {
        let Some(step) = &mut self.step else { return };
        let was_cut = step.was_cut;
        let slot = step.slot(key).filter(|slot| matches!(slot.state, State::Inspecting));
        let Some(call) = slot.map(|slot| slot.call.clone()) else {
            return effects.push(self.ignored("inspected"));
        };
        match claim {
            Ok(claim) => self.weigh(key, call, claim, effects),
            Err(words) => {
                let cut = if was_cut { " (the output limit was reached)" } else { "" };
                self.settle(key, ToolResult::error(call.id, format!("{words}{cut}")));
            }
        }
        self.advance(effects);
    }

    /// A tool finished.
    pub(super) fn tool_finished(&mut self, key: CallKey, output: Output, effects: &mut Vec<Effect>) {
        if self.take_output(key, output) {
            self.advance(effects);
        } else {
            effects.push(self.ignored("tool_finished"));
        }
    }

    /// The task of a tool died, while it ran or while it only looked at the call.
    pub(super) fn tool_lost(&mut self, key: CallKey, effects: &mut Vec<Effect>) {
        let slot = self.step.as_mut().and_then(|step| step.slot(key));
        match slot.filter(|slot| matches!(slot.state, State::Inspecting)) {
            Some(slot) => {
                slot.state = State::Done(lost().into_result(slot.call.id.clone()));
                self.advance(effects);
            }
            None => self.tool_finished(key, lost(), effects),
        }
    }

    /// Keeps what a running tool gave back. Says no if it does not run.
    pub(super) fn take_output(&mut self, key: CallKey, output: Output) -> bool {
        let slot = self.step.as_mut().and_then(|step| step.slot(key));
        let Some(slot) = slot.filter(|slot| matches!(slot.state, State::Running(_))) else { return false };
        slot.state = State::Done(output.into_result(slot.call.id.clone()));
        true
    }

    /// All calls are done: their results go out as one message, with what the person said meanwhile.
    fn finish_step(&mut self, effects: &mut Vec<Effect>) {
        let Some(step) = self.step.take() else { return };
        let notice = step.notice.clone();
        let mut content = step.into_results("");
        content.extend(notice.map(crate::message::Block::text));
        content.extend(self.queue.take_next_step());
        self.commit_user(content, effects);
        self.ask(effects);
    }

    /// Tells that a call did not run.
    pub(super) fn note_denial(&mut self, tool: &str, words: &str, effects: &mut Vec<Effect>) {
        self.denials.push(format!("{tool}: {words}"));
        effects.push(Effect::Note(Note::Denied { tool: tool.to_owned(), words: words.to_owned() }));
    }
}

/// The task of a tool died.
pub(super) fn lost() -> Output {
    Output::error("internal error: the tool ended without a result")
}
