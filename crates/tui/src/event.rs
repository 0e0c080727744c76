//! What happens in a conversation, and what the person wants. Never says how either looks.

use std::time::Duration;

use crate::ask::Question;
use crate::change::Change;
use crate::completion::Suggestion;

/// One call of a tool.
pub type CallId = u64;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The person said this, and it counts.
    Said(String),
    /// A turn began.
    TurnBegan,
    /// Others are at work, and it is watched until the turn ends. What the person says goes to them at once, and nothing here stops them.
    Watching,
    /// Words of the answer.
    Text(String),
    /// Thoughts before it.
    Thinking(String),
    /// A call is being written. Its arguments are not known yet.
    Preparing(String),
    /// What is being done, for the status line alone.
    Doing(String),
    /// What the model said is whole; what follows is something new.
    Break,
    /// What was said since the last break is void; it is tried again.
    Void,
    /// A tool begins.
    ToolBegan {
        /// The call.
        id: CallId,
        /// The tool.
        tool: String,
        /// What it is called with, on one line.
        title: String,
        /// What it changes, if it changes a file.
        change: Option<Change>,
    },
    /// A tool says how far it is.
    ToolReported {
        /// The call.
        id: CallId,
        /// Its last line.
        line: String,
    },
    /// A tool is done.
    ToolEnded {
        /// The call.
        id: CallId,
        /// What came of it.
        output: String,
        /// Whether it failed.
        is_error: bool,
    },
    /// The list of tasks is so now.
    Tasks(Vec<Task>),
    /// Somebody must decide something.
    Asked(Box<Question>),
    /// A question is settled, by whomever.
    Settled(u64),
    /// Something to be read once.
    Told(Notice, String),
    /// A passage in markdown, such as a list that was asked for.
    Page(String),
    /// How the request goes on after a failure.
    Retrying {
        /// Which attempt comes next.
        attempt: u32,
        /// The last attempt.
        attempts_max: u32,
        /// When.
        after: Duration,
        /// Why.
        reason: String,
    },
    /// Tokens of this turn so far.
    Tokens(u64),
    /// How much of the model's context is used, of a hundred.
    Context(u32),
    /// What all turns cost so far, in thousandths of a cent.
    Cost(u64),
    /// Words go back to the person: the model never got them.
    Restored(String),
    /// The turn is over.
    TurnEnded(Ending),
    /// The name of the model.
    Model(String),
    /// The mode of permissions.
    Mode(String),
    /// What the person may mean by what stands before the cursor.
    Suggested {
        /// What it was asked for.
        query: String,
        /// What is offered.
        suggestions: Vec<Suggestion>,
    },
    /// The prompts that can be gone back to, the last one first.
    Prompts(Vec<String>),
    /// The person came back from their editor.
    Edited(String),
    /// The conversation was begun anew or gone back in; all that stands above is past.
    Reset(String),
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// Well.
    Done,
    /// The person stopped it.
    Stopped(String),
    /// Something is wrong.
    Failed(String),
}

/// How urgent something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// Good to know.
    Note,
    /// Something is odd.
    Warning,
    /// Something did not work.
    Error,
}

/// One of the agent's tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Task {
    /// How far it is.
    pub state: TaskState,
    /// What it is.
    pub text: String,
}

/// How far a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskState {
    /// Not begun.
    Open,
    /// Being done.
    Doing,
    /// Done.
    Done,
}

/// When an agent gets what is said while it works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    /// With its next request.
    NextStep,
    /// When its turn is over.
    AfterTurn,
}

/// What the person wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Intent {
    /// Say this now, in a new turn.
    Say(String),
    /// Say this to the agent while it works, with its next request.
    Steer(String),
    /// Do what a line that began with `/` says.
    Command {
        /// The first word, without the slash.
        name: String,
        /// The rest.
        rest: String,
    },
    /// Stop what is under way.
    Interrupt,
    /// Decide a question.
    Answer {
        /// The question.
        question: u64,
        /// Which of its choices. None is a refusal that is not among them.
        choice: Option<usize>,
        /// What else is said.
        words: String,
    },
    /// Offer what could stand here.
    Complete(String),
    /// Show the prompts that can be gone back to.
    ListPrompts,
    /// Go back to before a prompt, counted from the last one.
    Rewind(usize),
    /// Take another mode of permissions.
    NextMode,
    /// Write the prompt in the person's editor.
    Edit(String),
    /// Leave the program for a while.
    Suspend,
    /// Draw everything anew.
    Redraw,
    /// End the program.
    Leave,
}
