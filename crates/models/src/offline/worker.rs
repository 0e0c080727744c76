//! A worker of a run, by rules: it looks or runs commands, adds what it found to its own section a part at a time, reads what others
//! found, and says that it is done. Never writes in the section of another, and never says what no tool has shown.

mod counts;
mod relation;

use std::sync::Arc;

use agent::message::{Message, Role};

use super::conversation::{Conversation, said};
use super::plan::{Action, quoted};
use super::toolbox::{Call, Toolbox};
use super::{findings, report, words};

/// What stands under findings, so that nobody takes rules for thoughts.
const NOTE: &str = "_Found by fixed rules, without a language model._";
/// How many words of an objective a command looks for.
const LOOKED_FOR: usize = 2;
/// Files whose lines are counted.
const COUNTED: usize = 6;
/// Files that are read, and lines quoted from each.
const FILES_MAX: usize = 6;
const QUOTES_MAX: usize = 3;

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
        let is_prompt =
            |message: &Arc<Message>| message.role == Role::User && said(message).contains("<assignment ");
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

    /// Looks: where the words stand, then at the files with most of them, one of each folder.
    fn look(&self, toolbox: &Toolbox<'_>) -> Option<Action> {
        let named = words::paths(&self.conversation.asked);
        let keywords = self.keywords();
        if self.conversation.steps.is_empty() {
            let count = if keywords.is_empty() { None } else { toolbox.count(&keywords) };
            let list = toolbox.list(".").filter(|_| keywords.is_empty());
            let calls: Vec<Call> = count.into_iter().chain(list).collect();
            let why = "I look where the words stand.".to_owned();
            return (!calls.is_empty()).then_some(Action::Do { why, calls });
        }
        let counted = self
            .conversation
            .results("Grep")
            .flat_map(|step| counts::lines(&step.output))
            .collect::<Vec<_>>();
        if self.appends() == 0 {
            return self.append(&counts::places(&counted, &keywords), toolbox);
        }
        let read = self.conversation.results("Read").count();
        if self.conversation.has_used("Read") || (counted.is_empty() && named.is_empty()) {
            let is_told = self.appends() > 1 || read == 0;
            return if is_told {
                None
            } else {
                self.append(&format!("{}\n\n{NOTE}", self.quotes(&keywords)), toolbox)
            };
        }
        // A file that the person named may have the most words too; it is read once.
        let mut files = named;
        let best = counts::best(&counted, FILES_MAX).into_iter().filter(|best| !files.contains(best));
        let best: Vec<String> = best.collect();
        files.extend(best);
        files.truncate(FILES_MAX);
        let calls: Vec<Call> = files.iter().filter_map(|file| toolbox.read(file)).collect();
        (!calls.is_empty()).then(|| Action::Do { why: format!("I read {}.", quoted(&files)), calls })
    }

    fn keywords(&self) -> Vec<String> {
        let mut keywords = words::keywords(&self.conversation.asked);
        keywords.retain(|word| word.chars().all(|letter| letter.is_alphanumeric() || letter == '_'));
        keywords.truncate(LOOKED_FOR);
        keywords
    }

    /// The best lines of the files that were read.
    fn quotes(&self, keywords: &[String]) -> String {
        let mut parts = Vec::new();
        for step in self.conversation.results("Read") {
            let lines = findings::file(step.argument(&["path", "file_path", "file"]), &step.output);
            let lines: Vec<&findings::Quote> = lines.iter().collect();
            let best = report::best(&lines, keywords)
                .into_iter()
                .take(QUOTES_MAX)
                .map(|quote| format!("- {}", report::shown(quote)));
            parts.extend(best);
        }
        let about = quoted(keywords);
        if parts.is_empty() {
            "The files that I read say nothing about it.".to_owned()
        } else {
            format!("What the files say about {about}:\n\n{}", parts.join("\n"))
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
        let keywords = self.keywords();
        if keywords.is_empty() {
            return vec!["ls".to_owned()];
        }
        let search = counts::search(&keywords);
        let files =
            self.conversation.results("Bash").find(|step| step.argument(&["command", "cmd"]) == search);
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
