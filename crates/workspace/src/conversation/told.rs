//! What happens in a turn, for whoever watches. Never goes to the model.

use agent::history::Record;
use agent::message::{Block, ToolCall};
use agent::model::ModelEvent;
use agent::permission::{Question, Rule};
use agent::tool::Output;
use agent::turn::{CallKey, Ended, Note, QuestionId};

/// One thing that happened.
#[derive(Debug, Clone)]
pub enum TurnEvent {
    /// The model says something.
    Model(ModelEvent),
    /// What was shown of the answer is void; it is tried again.
    Superseded,
    /// A record is in the transcript, on the disk.
    Committed(Record),
    /// A person must decide.
    Asked {
        /// The question's name.
        id: QuestionId,
        /// What it is about.
        question: Box<Question>,
    },
    /// A question is settled, by whomever.
    Settled(QuestionId),
    /// A tool begins.
    ToolStarted {
        /// The call.
        key: CallKey,
        /// Its bytes.
        call: ToolCall,
    },
    /// A tool tells how far it is.
    ToolReported {
        /// The call.
        key: CallKey,
        /// What it tells.
        line: String,
    },
    /// A tool is done.
    ToolFinished {
        /// The call.
        key: CallKey,
        /// What came of it.
        output: Output,
    },
    /// A rule is in force, and kept for later unless there is a reason against it.
    RuleMade {
        /// The rule.
        rule: Rule,
        /// Why it holds for this session only.
        not_kept: Option<String>,
    },
    /// Words that the model never got go back to the person.
    Restored(Vec<Block>),
    /// Something that may be of interest.
    Note(Note),
    /// The turn is over. Nothing follows.
    Ended(Ended),
}
