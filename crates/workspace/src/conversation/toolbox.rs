//! The tools of a conversation, by name. Never holds two of one name.

use std::sync::Arc;

use agent::model::ToolSpec;
use agent::permission::Policy;
use agent::tool::Tool;

/// Some tools.
#[derive(Clone, Default)]
pub struct Toolbox {
    tools: Vec<Arc<dyn Tool>>,
}

impl Toolbox {
    /// A box of these tools. Of two with one name, the first stays.
    pub fn new(tools: impl IntoIterator<Item = Arc<dyn Tool>>) -> Toolbox {
        let mut toolbox = Toolbox::default();
        for tool in tools {
            if toolbox.find(&tool.spec().name).is_none() {
                toolbox.tools.push(tool);
            }
        }
        toolbox
    }

    /// How the model sees them: without those that a rule denies altogether.
    pub fn specs(&self, policy: &Policy) -> Arc<[ToolSpec]> {
        let seen = self.tools.iter().map(|tool| tool.spec()).filter(|spec| !policy.hides(&spec.name));
        seen.cloned().collect()
    }

    /// The tool of a name.
    pub(super) fn find(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.iter().find(|tool| tool.spec().name == name)
    }
}
