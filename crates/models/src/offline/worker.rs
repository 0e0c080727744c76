//! A worker of a run, by rules: it looks or runs commands, adds what it found to its own section a part at a time, reads what others
//! found, and says that it is done. Never writes in the section of another, and never says what no tool has shown.

mod counts;
mod relation;

use std::sync::Arc;

use agent::message::{Message, Role};

use super::conversation::{Conversation, said};
use super::plan::{Action, look_around, look_closer, quoted};
use super::toolbox::{Call, Toolbox};
use super::{findings, report, words};

/// What stands under findings, so that nobody takes rules for thoughts.
const NOTE: &str = "_Found by fixed rules, without a language model._";
/// How many words of an objective a command looks for.
const LOOKED_FOR: usize = 2;
/// Files whose lines are counted.
const COUNTED: usize = 6;

/// What a worker is to do.
struct Assignment {
    worker: String,
    document: String,
    aim: String,
    /// The document as it was shown.
    text: String,
    conversation: Conversation,
}

/// The next step of a worker; none if the conversation is not one of a worker.
pub(super) fn next(messages: &[Arc<Message>], toolbox: &Toolbox<'_>) -> Option<Action> {
    let assignment = Assignment::of(messages)?;
    if !toolbox.has("Finished") || !toolbox.has("AppendSection") {
        return None;
    }
    if assignment.conversation.results("Finished").next().is_some() {
        return Some(Action::Say("Done.".to_owned()));
    }
    let action = match assignment.aim.as_str() {
        "relate" => assignment.relate(toolbox),
        _ if toolbox.has("Bash") => assignment.run(toolbox),
        _ => assignment.look(toolbox),
    };
    action.or_else(|| assignment.finish(toolbox))
}

impl Assignment {
    fn of(messages: &[Arc<Message>]) -> Option<Assignment> {
        let is_prompt = |message: &Arc<Message>| message.role == Role::User && said(message).contains("<assignment ");
        let begin = messages.iter().rposition(is_prompt)?;
        let prompt = messages.get(begin).map(|message| said(message))?;
        let (head, rest) = prompt.split_once("<assignment ")?.1.split_once(">\n")?;
        let attribute = |name: &str| {
            let value = head.split_once(&format!("{name}=\""))?.1.split('"').next()?;
            Some(value.to_owned())
        };
        let (objective, rest) = rest.split_once("\n</assignment>")?;
        let (before, text) = rest.split_once("<document>\n").unwrap_or((rest, ""));
        // What the person said since is part of what is asked.
        let told = before.lines().filter_map(|line| line.strip_prefix("- ")).collect::<Vec<_>>().join("\n");
        let asked = if told.is_empty() { objective.to_owned() } else { format!("{objective}\n{told}") };
        Some(Assignment {
            worker: attribute("worker")?,
            document: attribute("document")?,
            aim: attribute("aim").unwrap_or_default(),
            text: text.rsplit_once("\n</document>").map_or(text, |(text, _)| text).to_owned(),
            conversation: Conversation::since(messages, begin, asked),
        })
    }

    fn appends(&self) -> usize {
        self.conversation.steps.iter().filter(|step| step.tool == "AppendSection").count()
    }

    fn append(&self, content: &str, toolbox: &Toolbox<'_>) -> Option<Action> {
        let call = toolbox.append(&self.document, &self.worker, content)?;
        Some(Action::Do { why: "I add what I found.".to_owned(), calls: vec![call] })
    }

    fn finish(&self, toolbox: &Toolbox<'_>) -> Option<Action> {
        // One who was refused says so and ends; the conductor decides what follows.
        if self.conversation.has_used("Finished") {
            return Some(Action::Say("I have nothing to add.".to_owned()));
        }
        let found = self.appends();
        let call = toolbox.finished(&format!("{} looked by rules and added {found} parts", self.worker))?;
        Some(Action::Do { why: "That is all.".to_owned(), calls: vec![call] })
    }

    /// Looks: the folder and every place of the words, then the best files.
    fn look(&self, toolbox: &Toolbox<'_>) -> Option<Action> {
        let conversation = &self.conversation;
        if conversation.steps.is_empty() {
            return look_around(&conversation.asked, toolbox);
        }
        if self.appends() == 0 {
            return self.append(&self.places(), toolbox);
        }
        if let Some(action) = look_closer(conversation, toolbox) {
            return Some(action);
        }
        if self.appends() == 1 {
            return self.append(&format!("{}\n\n{NOTE}", report::answer(conversation)), toolbox);
        }
        None
    }

    /// Which files hold the words.
    fn places(&self) -> String {
        let keywords = words::keywords(&self.conversation.asked);
        let files = findings::ranked(&self.conversation, &keywords);
        let lines = findings::matches(&self.conversation).len();
        match (keywords.is_empty(), files.is_empty()) {
            (true, _) => "The objective names nothing that can be searched for, so I read what the project says of itself.".to_owned(),
            (false, true) => format!("No file says anything about {}.", quoted(&keywords)),
            (false, false) => {
                let best: Vec<String> = files.iter().take(COUNTED).map(|file| format!("- `{file}`")).collect();
                let about = quoted(&keywords);
                format!("{lines} lines of {} files are about {about}. Most of the words stand in\n\n{}", files.len(), best.join("\n"))
            }
        }
    }

    /// Runs what the person wrote, else counts by commands.
    fn run(&self, toolbox: &Toolbox<'_>) -> Option<Action> {
        let ran: Vec<_> = self.conversation.steps.iter().filter(|step| step.tool == "Bash").collect();
        // Each command is followed by what it showed.
        if let Some(last) = ran.last()
            && self.appends() < ran.len()
        {
            return self.append(&counts::told(last, ran.len() == self.commands().len()), toolbox);
        }
        let command = self.commands().into_iter().nth(ran.len())?;
        let call: Call = toolbox.bash(&command)?;
        Some(Action::Do { why: format!("I run `{command}`."), calls: vec![call] })
    }

    /// The commands for this assignment; a later one may depend on what an earlier one showed.
    fn commands(&self) -> Vec<String> {
        let written = words::commands(&self.conversation.asked);
        if !written.is_empty() {
            return written;
        }
        let mut keywords = words::keywords(&self.conversation.asked);
        keywords.retain(|word| word.chars().all(|letter| letter.is_alphanumeric() || letter == '_'));
        keywords.truncate(LOOKED_FOR);
        if keywords.is_empty() {
            return vec!["ls".to_owned()];
        }
        let search = counts::search(&keywords);
        let files = self.conversation.results("Bash").find(|step| step.argument(&["command", "cmd"]) == search);
        let files = files.map(|step| counts::files(&step.output)).unwrap_or_default();
        let measure = counts::measure(&files, COUNTED);
        std::iter::once(search).chain(measure).collect()
    }

    /// Reads the sections of the others, and says how they go together.
    fn relate(&self, toolbox: &Toolbox<'_>) -> Option<Action> {
        if self.appends() > 0 {
            return None;
        }
        self.append(&relation::of(&self.text, &self.worker), toolbox)
    }
}
