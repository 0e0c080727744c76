//! A model that does what a test wants: a function from what it is asked to what it says.

use std::sync::{Arc, Mutex};

use agent::message::{Block, Role, StopReason, Usage};
use agent::model::{Limits, Model, ModelError, ModelEvent, ModelStream, Request};
use futures_util::{FutureExt as _, StreamExt as _, stream};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// What each answer takes.
pub(crate) const USAGE: Usage = Usage { input: 100, output: 10, cache_read: 0, cache_write: 0 };

/// What a puppet says.
pub(crate) enum Said {
    /// Some words, and the end of its turn.
    Words(String),
    /// Calls of tools.
    Calls(Vec<(&'static str, Value)>),
    /// The same as another, but not before somebody says so.
    After(Arc<Notify>, Box<Said>),
    /// Nothing, for ever.
    Never,
    /// An error that is not worth another try.
    Fails(String),
}

/// A call that adds to the section of a worker.
pub(crate) fn append(asked: &Asked, content: &str) -> Said {
    Said::Calls(vec![("AppendSection", asked.append(content))])
}

/// The call that ends an assignment.
pub(crate) fn finished(summary: &str) -> Said {
    Said::Calls(vec![("Finished", json!({ "summary": summary }))])
}

type Play = dyn Fn(&Asked) -> Said + Send + Sync;

/// A model that does what a test wants.
#[derive(Clone)]
pub(crate) struct Puppet {
    play: Arc<Play>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

/// What a puppet is asked.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    /// The worker, or nothing if the conductor asks.
    pub(crate) worker: String,
    /// The latest prompt.
    pub(crate) prompt: String,
    /// The tools that were called since, with what they gave and whether they failed.
    pub(crate) steps: Vec<(String, String, bool)>,
    /// What was said to it since the prompt.
    pub(crate) told: Vec<String>,
    /// The tools that it has.
    pub(crate) tools: Vec<String>,
    /// How many messages there are.
    pub(crate) place: usize,
}

impl Asked {
    fn of(request: &Request) -> Asked {
        let system = &request.system;
        let worker = system.split_once("You are ").and_then(|(_, rest)| rest.split_once(", one of several"));
        let text = |block: &Block| match block {
            Block::Text(text) => Some(text.text.clone()),
            _ => None,
        };
        let texts = |index: usize| -> Vec<String> {
            request.messages[index].content.iter().filter_map(text).collect()
        };
        let is_prompt = |index: &usize| {
            request.messages[*index].role == Role::User
                && texts(*index).iter().any(|text| text.contains("<assignment "))
        };
        let begin = (0..request.messages.len()).rev().find(is_prompt).unwrap_or(0);
        let (mut steps, mut told) = (Vec::new(), Vec::new());
        for index in begin..request.messages.len() {
            let message = &request.messages[index];
            for call in message.calls() {
                let result = request
                    .messages
                    .get(index + 1)
                    .and_then(|next| next.results().find(|one| one.call == call.id));
                let result = result.unwrap();
                steps.push((call.name.clone(), result.text(), result.is_error));
            }
            if index > begin && message.role == Role::User {
                told.extend(texts(index));
            }
        }
        Asked {
            worker: worker.map(|(name, _)| name.rsplit('\n').next().unwrap().to_owned()).unwrap_or_default(),
            prompt: texts(begin)
                .into_iter()
                .find(|text| text.contains("<assignment "))
                .unwrap_or_else(|| texts(begin).join("\n")),
            steps,
            told,
            tools: request.tools.iter().map(|tool| tool.name.clone()).collect(),
            place: request.messages.len(),
        }
    }

    /// An attribute of the assignment.
    pub(crate) fn attribute(&self, name: &str) -> String {
        let rest = self.prompt.split_once(&format!(" {name}=\"")).unwrap_or_default().1;
        rest.split('"').next().unwrap_or_default().to_owned()
    }

    /// The document as it was shown.
    pub(crate) fn document(&self) -> String {
        let rest = self.prompt.split_once("<document>\n").unwrap_or_default().1;
        rest.rsplit_once("\n</document>").unwrap_or_default().0.to_owned()
    }

    /// How often a tool worked since the prompt.
    pub(crate) fn done(&self, tool: &str) -> usize {
        self.steps.iter().filter(|(name, _, failed)| name == tool && !failed).count()
    }

    pub(crate) fn append(&self, content: &str) -> Value {
        json!({ "file_path": self.attribute("document"), "section": self.worker, "content": content })
    }

    /// Whether the conductor wants a plan.
    pub(crate) fn is_plan(&self) -> bool {
        self.worker.is_empty() && self.prompt.starts_with("Plan this run")
    }
}

impl Puppet {
    pub(crate) fn new(play: impl Fn(&Asked) -> Said + Send + Sync + 'static) -> Puppet {
        Puppet { play: Arc::new(play), asked: Arc::default() }
    }

    /// All that it was asked.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// What one worker was asked.
    pub(crate) fn asked_as(&self, worker: &str) -> Vec<Asked> {
        self.asked().into_iter().filter(|asked| asked.worker == worker).collect()
    }
}

fn events(said: Said, place: usize) -> ModelStream {
    let (blocks, reason) = match said {
        Said::Words(words) => (vec![Block::text(words)], StopReason::EndTurn),
        Said::Calls(calls) => {
            let call = |(index, (name, input)): (usize, (&str, Value))| {
                Block::call(format!("call_{place}_{index}"), name, input.to_string())
            };
            (calls.into_iter().enumerate().map(call).collect(), StopReason::ToolUse)
        }
        Said::After(when, then) => {
            let later = async move {
                when.notified().await;
                events(*then, place)
            };
            return Box::pin(later.into_stream().flatten());
        }
        Said::Never => return Box::pin(stream::pending()),
        Said::Fails(message) => return Box::pin(stream::iter([Err(ModelError::Rejected { message })])),
    };
    let mut events = vec![Ok(ModelEvent::Started { id: "puppet".to_owned() })];
    events
        .extend(blocks.into_iter().enumerate().map(|(index, block)| Ok(ModelEvent::Block { index, block })));
    events.push(Ok(ModelEvent::Usage(USAGE)));
    events.push(Ok(ModelEvent::Stopped { reason, detail: None }));
    Box::pin(stream::iter(events))
}

impl Model for Puppet {
    fn id(&self) -> &'static str {
        "puppet"
    }

    fn limits(&self) -> Limits {
        Limits { context_window: 10_000_000, output_max: 8192 }
    }

    fn stream(&self, request: Request) -> ModelStream {
        let asked = Asked::of(&request);
        self.asked.lock().unwrap().push(asked.clone());
        events((self.play)(&asked), asked.place)
    }
}
