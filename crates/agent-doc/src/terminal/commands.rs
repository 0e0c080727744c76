//! Lines that begin with a slash. Never sends one to the model.

use std::path::Path;

use agent::history::History;
use agent::permission::Mode;
use agent::turn::Event as TurnInput;
use anyhow::Result;
use tui::{Event, Notice};
use workspace::conversation::Transcripts;

use super::chat::mode_name;
use super::console::{Console, Flow};
use super::host::ChatHost;
use super::past::show_past;
use super::{page, work};
use crate::arguments::permissions::RuleScope;
use crate::refusal::Refusal;
use crate::replace::{Destination, replace};
use crate::rules::parsed;
use crate::wiring::model;
use crate::{input, moment};

/// All of them: the name, what follows it, and what it does.
pub(super) const COMMANDS: &[(&str, &str, &str)] = &[
    ("help", "", "keys and commands"),
    ("model", "[NAME]", "who answers; with a name, from now on"),
    ("mode", "[NAME]", "what runs unasked: default, accept-edits, plan, dont-ask"),
    ("permissions", "[remove RULE]", "the rules with their files; remove takes one away"),
    ("sessions", "", "conversations of this project"),
    ("resume", "ID", "go on with another conversation"),
    ("new", "", "begin a new conversation"),
    ("compact", "[WORDS]", "make the conversation shorter, minding these words"),
    ("continue", "", "let the agent go on"),
    ("rewind", "", "go back to before a prompt"),
    ("export", "[FILE]", "write the conversation to a file"),
    ("doc", "FILE [WORDS]", "answer a session document; words become its next prompt"),
    ("run", "OBJECTIVE", "start a run of several agents and follow it"),
    ("quit", "", "leave"),
];

impl ChatHost {
    pub(super) fn command(&mut self, name: &str, rest: &str, console: &mut Console) -> Flow {
        let is_quiet =
            matches!(name, "help" | "?" | "mode" | "permissions" | "sessions" | "export" | "quit" | "exit");
        if (console.is_busy() || self.is_under_way()) && !is_quiet {
            // It stays with the person: who knows what it would mean when the agent is done.
            let words = format!("/{name} is for when the agent is done; esc stops it");
            console.apply(Event::Told(Notice::Warning, words));
            console.apply(Event::Restored(format!("/{name} {rest}").trim_end().to_owned()));
            return Flow::On;
        }
        let done = match name {
            "quit" | "exit" => return Flow::Leave,
            "help" | "?" => {
                console.apply(Event::Page(page::help()));
                Ok(())
            }
            "model" => self.model(rest, console),
            "mode" => self.mode(rest, console),
            "permissions" => self.permissions(rest, console),
            "sessions" => self.sessions(console),
            "resume" => self.resume(rest, console),
            "new" | "clear" => self.fresh(console),
            "compact" => {
                self.begin(TurnInput::CompactAsked(rest.to_owned()), console);
                Ok(())
            }
            "continue" => {
                self.begin(TurnInput::Continued, console);
                Ok(())
            }
            "rewind" => {
                self.list_prompts(console);
                Ok(())
            }
            "export" => self.export(rest, console),
            "doc" => self.document(rest, console),
            "run" => self.start_run(rest, console),
            _ => Err(Refusal::new(format!("there is no command /{name}"), near(name)).into()),
        };
        if let Err(error) = done {
            let remedy = error.downcast_ref::<Refusal>().map(|refusal| format!("; {}", refusal.remedy()));
            console.apply(Event::Told(Notice::Error, format!("{error:#}{}", remedy.unwrap_or_default())));
        }
        Flow::On
    }

    fn model(&mut self, name: &str, console: &mut Console) -> Result<()> {
        if name.is_empty() {
            let text = format!(
                "The model is **{}**. `/model NAME` takes another one; `agent-doc models` lists them.",
                self.talk.model
            );
            console.apply(Event::Page(text));
            return Ok(());
        }
        let chosen = model::choose(Some(name), &self.talk.settings, None)?;
        chosen.model.id().clone_into(&mut self.talk.model);
        self.talk.conversation.set_model(chosen.model, &chosen.name);
        console.apply(Event::Model(self.talk.model.clone()));
        console.apply(Event::Told(Notice::Note, format!("from now on {} answers", self.talk.model)));
        Ok(())
    }

    fn mode(&mut self, name: &str, console: &mut Console) -> Result<()> {
        let modes = [Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::DontAsk];
        let listed = modes.map(mode_name).join(", ");
        if name.is_empty() {
            let now = mode_name(self.talk.policy.mode());
            console.apply(Event::Told(Notice::Note, format!("the mode is {now}, of {listed}")));
            return Ok(());
        }
        let mode = modes.into_iter().find(|mode| mode_name(*mode) == name);
        let mode = mode.ok_or_else(|| {
            Refusal::new(format!("there is no mode '{name}'"), format!("take one of {listed}"))
        })?;
        self.set_mode(mode, console);
        Ok(())
    }

    fn permissions(&mut self, rest: &str, console: &mut Console) -> Result<()> {
        let Some(rule) = rest.strip_prefix("remove").map(str::trim).filter(|rule| !rule.is_empty()) else {
            console.apply(Event::Page(page::rules(&self.talk.files.read_all()?, &self.talk.policy)));
            return Ok(());
        };
        let mut told = Vec::new();
        for scope in [RuleScope::User, RuleScope::Project, RuleScope::Local] {
            // A rule that allows cannot stand in the file of the project, and that is no error here.
            let Ok(parsed) = parsed(rule, scope) else { continue };
            let file = self.talk.files.read(scope)?;
            if file.remove(&parsed)? {
                told.push(format!("removed '{parsed}' from {}", super::chat::shown(&file.path)));
            }
            if self.talk.policy.remove(&parsed) && told.is_empty() {
                told.push(format!("'{parsed}' is no longer in force"));
            }
        }
        let session = self.talk.policy.rules().iter().find(|known| known.to_string() == rule).cloned();
        if let Some(session) = session
            && self.talk.policy.remove(&session)
        {
            told.push(format!("'{session}' is no longer in force"));
        }
        if told.is_empty() {
            let what = format!("the rule '{rule}' stands nowhere");
            return Err(Refusal::new(what, "/permissions lists them; write it as it stands there").into());
        }
        self.enforce();
        console.apply(Event::Told(Notice::Note, told.join("; ")));
        Ok(())
    }

    fn sessions(&mut self, console: &mut Console) -> Result<()> {
        let listed = Transcripts::at(&self.talk.sidecar.sessions()).list()?;
        console.apply(Event::Page(page::sessions(&listed, self.talk.conversation.id())));
        Ok(())
    }

    fn resume(&mut self, name: &str, console: &mut Console) -> Result<()> {
        let transcripts = Transcripts::at(&self.talk.sidecar.sessions());
        let (transcript, records) = transcripts.resume(name)?;
        let history = History::replay(records);
        let past = history.messages().to_vec();
        self.talk.conversation.move_to(transcript, history);
        console.apply(Event::Reset("another conversation goes on here".to_owned()));
        show_past(&past, console);
        Ok(())
    }

    fn fresh(&mut self, console: &mut Console) -> Result<()> {
        let transcripts = Transcripts::at(&self.talk.sidecar.sessions());
        self.talk.conversation.move_to(transcripts.begin(moment::now())?, History::new());
        console.apply(Event::Reset("a new conversation begins here; the last one is kept".to_owned()));
        Ok(())
    }

    fn export(&mut self, name: &str, console: &mut Console) -> Result<()> {
        let messages = self.talk.conversation.history().map(|history| history.messages().to_vec());
        let messages = messages.filter(|messages| !messages.is_empty());
        let messages = messages.ok_or_else(|| Refusal::new("nothing was said yet", "ask something first"))?;
        let id: String = self.talk.conversation.id().chars().take(13).collect();
        let name = if name.is_empty() { format!("conversation-{id}.md") } else { name.to_owned() };
        let path = self.talk.folder.join(&name);
        if path.exists() {
            return Err(Refusal::new(format!("{name} is there already"), "name another file").into());
        }
        replace(&Destination::find(&path)?, &page::exported(&messages), None)?;
        console.apply(Event::Told(Notice::Note, format!("written to {}", input::shown(Path::new(&name)))));
        Ok(())
    }

    fn document(&mut self, rest: &str, console: &mut Console) -> Result<()> {
        let (name, said) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        if name.is_empty() {
            return Err(Refusal::new(
                "no document is named",
                "write /doc FILE, or /doc FILE and what to ask in it",
            )
            .into());
        }
        let order = work::Order {
            path: self.talk.folder.join(name),
            said: said.trim().to_owned(),
            documents: self.talk.opened.documents.clone(),
            desk: self.desk(),
        };
        console.apply(Event::Said(format!("/doc {rest}")));
        self.begin_work(console, |mailbox, stop| tokio::spawn(work::answer_document(order, mailbox, stop)));
        Ok(())
    }

    fn start_run(&mut self, objective: &str, console: &mut Console) -> Result<()> {
        if objective.is_empty() {
            return Err(
                Refusal::new("the run has no objective", "write /run and what is to be found out").into()
            );
        }
        let errand = work::Errand {
            root: self.talk.root.clone(),
            documents: self.talk.opened.documents.clone(),
            objective: objective.to_owned(),
            desk: self.desk(),
        };
        console.apply(Event::Said(format!("/run {objective}")));
        self.begin_work(console, |mailbox, stop| tokio::spawn(work::conduct(errand, mailbox, stop)));
        Ok(())
    }
}

/// What somebody may have meant.
fn near(name: &str) -> String {
    let likeness = |known: &str| strsim::jaro_winkler(known, name);
    let best = COMMANDS.iter().max_by(|one, other| likeness(one.0).total_cmp(&likeness(other.0)));
    match best.filter(|(known, ..)| likeness(known) > 0.8) {
        Some((known, ..)) => format!("did you mean /{known}? /help lists all"),
        None => "/help lists all".to_owned(),
    }
}
