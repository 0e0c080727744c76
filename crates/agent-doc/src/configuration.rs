//! What the person wants, from flags, the environment, the project's file and their own. Never lets a project decide where
//! words are sent, and never reads a key further than to see that it is there.

mod agents;
mod file;
mod servers;
mod setting;

use std::path::{Path, PathBuf};

use anyhow::Result;
use workspace::sidecar::FOLDER;

pub(crate) use agents::{Configured, Kind};
pub(crate) use servers::ServerEntry;
pub(crate) use setting::{SETTINGS, Setting};

use crate::refusal::Refusal;
use crate::trust::Trust;
use file::Contents;

/// The file's name, in the project's state folder and in the person's own.
const NAME: &str = "config.toml";

/// Where a value comes from, the weakest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// It is what we think fit.
    Default,
    /// A line of a file.
    File { path: PathBuf, line: usize },
    /// A variable of the environment.
    Variable(&'static str),
}

/// A setting as it holds now.
#[derive(Debug, Clone)]
pub(crate) struct Value {
    pub(crate) setting: &'static Setting,
    /// Nothing, if it is not set and there is no default.
    pub(crate) text: Option<String>,
    pub(crate) origin: Origin,
}

/// All settings as they hold now.
#[derive(Debug, Clone)]
pub(crate) struct Configuration {
    values: Vec<Value>,
    agents: Vec<Configured>,
    servers: Vec<ServerEntry>,
}

/// Where settings are looked for.
pub(crate) struct Sources<'a> {
    /// The person's own file.
    pub(crate) person: Option<PathBuf>,
    /// The project's file, and what it holds, if the person trusts that.
    pub(crate) project: Option<(PathBuf, String)>,
    /// The environment.
    pub(crate) variable: &'a dyn Fn(&str) -> Option<String>,
}

/// Whose file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scope {
    Person,
    Project,
}

impl Configuration {
    /// The settings for work in `folder`, as this process finds them.
    pub(crate) fn of(folder: &Path) -> Result<Configuration> {
        let variable = |name: &str| std::env::var(name).ok();
        let whole = std::path::absolute(folder.join("."))?;
        let root = workspace::sidecar::root_of(&whole.join(NAME)).to_owned();
        // A project that comes from elsewhere could choose who hears the person's words, and at what price.
        let file = project_file(&root.canonicalize().unwrap_or(root));
        let project = Trust::of_person().text_of(&file).map(|text| (file, text));
        Configuration::load(&Sources { person: person_file(&variable), project, variable: &variable })
    }

    /// What the text of a project's file sets.
    pub(crate) fn of_text(path: &Path, text: &str) -> Result<Vec<(&'static str, String)>> {
        let found = file::parse(path, text, Scope::Project)?.settings;
        Ok(found.into_iter().map(|found| (found.setting.key, found.text)).collect())
    }

    /// The settings that these sources give.
    pub(crate) fn load(sources: &Sources<'_>) -> Result<Configuration> {
        let mut values: Vec<Value> = SETTINGS
            .iter()
            .map(|setting| Value {
                setting,
                text: setting.default.map(str::to_owned),
                origin: Origin::Default,
            })
            .collect();
        let (mut agents, mut servers) = (Vec::new(), Vec::new());
        let mut put_all = |path: &Path, contents: Contents| {
            agents.extend(contents.agents);
            servers.extend(contents.servers);
            for found in contents.settings {
                let origin = Origin::File { path: path.to_owned(), line: found.line };
                put(&mut values, found.setting, found.text, origin);
            }
        };
        if let Some(path) = &sources.person {
            put_all(path, file::read(path, Scope::Person)?);
        }
        if let Some((path, text)) = &sources.project {
            put_all(path, file::parse(path, text, Scope::Project)?);
        }
        for setting in &SETTINGS {
            let Some(name) = setting.variable else { continue };
            let given = (sources.variable)(name).filter(|text| !text.trim().is_empty());
            let Some(text) = given else { continue };
            let text = setting.shape.accepts(text.trim()).map_err(|wrong| {
                Refusal::new(
                    format!("{name} is {wrong}"),
                    format!("set {name} to {}", setting.shape.wanted()),
                )
            })?;
            put(&mut values, setting, text, Origin::Variable(name));
        }
        Ok(Configuration { values, agents, servers })
    }

    /// All of them, in the order of the table.
    pub(crate) fn values(&self) -> &[Value] {
        &self.values
    }

    /// The outside agents that the person set up, in the order of their file.
    pub(crate) fn agents(&self) -> &[Configured] {
        &self.agents
    }

    /// The MCP servers, which only the person's own file can name.
    pub(crate) fn servers(&self) -> &[ServerEntry] {
        &self.servers
    }

    /// What a setting holds.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.values.iter().find(|value| value.setting.key == key)?.text.as_deref()
    }

    /// What a setting holds that is a number.
    pub(crate) fn number(&self, key: &str) -> Option<u32> {
        self.text(key)?.parse().ok()
    }
}

/// The file of the project below `root`.
pub(crate) fn project_file(root: &Path) -> PathBuf {
    root.join(FOLDER).join(NAME)
}

/// The person's own file, where programs of this system look for such.
pub(crate) fn person_file(variable: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let is_whole = |path: &PathBuf| path.is_absolute();
    let folder = variable("XDG_CONFIG_HOME").map(PathBuf::from).filter(is_whole);
    let folder = folder.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".config")).filter(is_whole));
    Some(folder?.join("agent-doc").join(NAME))
}

fn put(values: &mut [Value], setting: &'static Setting, text: String, origin: Origin) {
    if let Some(value) = values.iter_mut().find(|value| value.setting.key == setting.key) {
        (value.text, value.origin) = (Some(text), origin);
    }
}
