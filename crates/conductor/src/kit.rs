//! What runs need of the world: who can work, with which model and tools, and who thinks for the conductor. Never chooses any of it:
//! the binary does.

use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use agent::model::{Effort, Model};
use agent::permission::Policy;
use agent::tool::Tool;
use agent::turn::Caps;
use workspace::conversation::KeepRule;
use workspace::outside::PermissionDesk;

use crate::limits::Limits;
use crate::role::Role;

/// Where a worker works.
#[derive(Debug, Clone)]
pub struct Post {
    /// The run.
    pub run: String,
    /// What it is.
    pub role: Role,
    /// The document, from the root of the project.
    pub document: String,
    /// Where long output of its tools goes.
    pub artifacts: PathBuf,
    /// The model that the person wants for the run, if the role names none.
    pub model: Option<String>,
}

/// What a worker works with.
#[derive(Clone)]
pub struct Kit {
    /// Who thinks.
    pub model: Arc<dyn Model>,
    /// Its name at the provider.
    pub model_name: String,
    /// All that it could call; the role says what of it.
    pub tools: Vec<Arc<dyn Tool>>,
    /// What may run.
    pub policy: Policy,
    /// Who is asked about what the policy does not decide; nobody, and it does not run.
    pub desk: Option<Arc<dyn PermissionDesk>>,
    /// Who keeps rules.
    pub rules: Arc<dyn KeepRule>,
    /// How hard it thinks.
    pub thinking: Effort,
    /// How far one prompt of it may go.
    pub caps: Caps,
    /// What it is told about the project.
    pub preamble: String,
}

/// A kit on its way.
pub type Equipping = Pin<Box<dyn Future<Output = Result<Kit, String>> + Send>>;
/// Equips a worker. The error is for the person.
pub type Equip = Arc<dyn Fn(Post) -> Equipping + Send + Sync>;

/// Who plans and merges.
#[derive(Clone)]
pub enum Thinker {
    /// A language model, and its name at the provider.
    Model(Arc<dyn Model>, String),
    /// Nobody: everybody looks, and sections are put together by rules.
    Rules,
}

/// Who thinks in a run for which the person wants this model.
pub type Think = Arc<dyn Fn(Option<&str>) -> Result<Thinker, String> + Send + Sync>;

/// What runs need of the world.
#[derive(Clone)]
pub struct Settings {
    /// Who can work.
    pub roles: Vec<Role>,
    /// Equips workers.
    pub equip: Equip,
    /// Who plans and merges.
    pub think: Think,
    /// How far a run may go.
    pub limits: Limits,
    /// Who wants runs, and whose saves are taken in.
    pub person: String,
    /// Milliseconds since 1970.
    pub clock: fn() -> u64,
}
