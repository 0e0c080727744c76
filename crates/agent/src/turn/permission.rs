//! Who decides about a call: the policy, or a person. Never lets a call run that neither allowed.

use super::Turn;
use super::event::{CallKey, Effect, EndReason, Note, QuestionId, TimerId};
use super::guard::Circle;
use super::step::{Asking, State};
use crate::message::{INTERRUPT_EXPLANATION, NOT_EXECUTED, ToolCall, ToolResult};
use crate::permission::{
    Answer, Basis, Behavior, Claim, Mode, Pattern, PermissionDecision, Question, Rule, Scope, Verdict, Why,
    denied,
};

/// Cuts the explanation where a person's own words take over.
const STOP: &str = " STOP what you are doing";

impl Turn {
    /// Asks the policy about a call.
    pub(super) fn weigh(&mut self, key: CallKey, call: ToolCall, claim: Claim, effects: &mut Vec<Effect>) {
        let circle = self.guard.called(&call);
        let policy = &self.setup.policy;
        let verdict = policy.weigh(call.clone(), claim.clone());
        match (verdict, circle) {
            (Verdict::Refused(refused), _) => self.refuse(key, call, &refused.words, effects),
            (_, Circle::Stuck) => {
                self.halt(EndReason::Stuck, "Not executed: the same was called again and again.", effects);
            }
            (_, Circle::Repeats) if policy.mode() == Mode::DontAsk => {
                let words =
                    "Not executed: this is the same call as before, with the same input. Try something else.";
                self.refuse(key, call, words, effects);
            }
            (_, Circle::Repeats) => {
                let question = Question { always: None, ..policy.question(call, claim, Why::Repeats) };
                self.pose(key, question, effects);
            }
            (Verdict::MustAsk(question), Circle::No) => self.pose(key, *question, effects),
            (Verdict::Allowed(permit), Circle::No) => self.set_state(key, State::Granted(Box::new(permit))),
        }
    }

    fn set_state(&mut self, key: CallKey, state: State) {
        if let Some(slot) = self.step.as_mut().and_then(|step| step.slot(key)) {
            slot.state = state;
        }
    }

    fn refuse(&mut self, key: CallKey, call: ToolCall, words: &str, effects: &mut Vec<Effect>) {
        self.note_denial(&call.name, words, effects);
        self.settle(key, ToolResult::error(call.id, words));
    }

    fn pose(&mut self, key: CallKey, question: Question, effects: &mut Vec<Effect>) {
        let id = QuestionId(self.next_id());
        let timer = self.setup.caps.question_timeout.map(|after| (TimerId(self.next_id()), after));
        effects.push(Effect::Pose { id, question: Box::new(question.clone()) });
        effects.extend(timer.map(|(timer, after)| Effect::SetTimer { timer, after }));
        let timer = timer.map(|(timer, _)| timer);
        self.set_state(key, State::Asking(Box::new(Asking { id, timer, question })));
    }

    /// A person answered.
    pub(super) fn answered(&mut self, id: QuestionId, answer: &Answer, effects: &mut Vec<Effect>) {
        let taken = self.step.as_mut().and_then(|step| step.take_question(|asking| asking.id == id));
        let Some((key, asking)) = taken else { return effects.push(self.ignored("answered")) };
        effects.push(Effect::Close(id));
        let call = asking.question.call.id.clone();
        match self.decided(asking.question, answer, effects) {
            Some(state) => {
                self.set_state(key, state);
                self.advance(effects);
            }
            None => {
                self.settle(key, ToolResult::interrupt(call));
                self.halt(EndReason::Waiting, NOT_EXECUTED, effects);
            }
        }
    }

    /// What becomes of the call; none if everything stops.
    fn decided(&mut self, question: Question, answer: &Answer, effects: &mut Vec<Effect>) -> Option<State> {
        let Question { call, claim, always, never, .. } = question;
        let words = answer.words.trim();
        match answer.decision {
            PermissionDecision::Allow => {
                self.guard.approved();
                Some(State::Granted(Box::new(self.setup.policy.grant(call, claim, Basis::Once))))
            }
            PermissionDecision::AlwaysAllow => {
                self.guard.approved();
                let basis = if always.is_some() { Basis::Always } else { Basis::Once };
                if always.is_none() {
                    effects.push(Effect::Note(Note::Warning(
                        "no rule can cover this call, so it is allowed this once".to_owned(),
                    )));
                }
                // A rule that comes with the project cannot allow.
                let scope = if answer.scope == Scope::Project { Scope::Local } else { answer.scope };
                self.keep_rules(Behavior::Allow, always, scope, effects);
                Some(State::Granted(Box::new(self.setup.policy.grant(call, claim, basis))))
            }
            PermissionDecision::Wait if words.is_empty() => None,
            PermissionDecision::Wait => {
                let explanation = INTERRUPT_EXPLANATION.split(STOP).next().unwrap_or_default();
                let text = format!("{explanation} To tell you how to proceed, the user said:\n{words}");
                self.note_denial(&call.name, &text, effects);
                Some(State::Done(ToolResult::error(call.id, text)))
            }
            PermissionDecision::Never => {
                self.keep_rules(Behavior::Deny, never, answer.scope, effects);
                let text = denied(&call, &claim);
                self.note_denial(&call.name, &text, effects);
                Some(State::Done(ToolResult::error(call.id, text)))
            }
        }
    }

    fn keep_rules(
        &mut self,
        behavior: Behavior,
        patterns: Option<Vec<Pattern>>,
        scope: Scope,
        effects: &mut Vec<Effect>,
    ) {
        for pattern in patterns.into_iter().flatten() {
            let rule = Rule { behavior, pattern, scope };
            self.setup.policy.add(rule.clone());
            effects.push(Effect::SaveRule(rule));
        }
    }

    /// Nobody answered in time: that is a no.
    pub(super) fn question_expired(&mut self, timer: TimerId, effects: &mut Vec<Effect>) {
        let taken =
            self.step.as_mut().and_then(|step| step.take_question(|asking| asking.timer == Some(timer)));
        let Some((key, asking)) = taken else { return effects.push(self.ignored("timer_rang")) };
        effects.push(Effect::Close(asking.id));
        let words = "Not executed: nobody answered the question whether this may run.";
        self.refuse(key, asking.question.call, words, effects);
        self.advance(effects);
    }
}
