//! Attacks on the gate, run as if there were no gate. Each runs in four places at once: outside of the workspace, in what belongs to
//! git, in what belongs to us, and where commands may write, which shows that it really ran. Never lets one run for long.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent::StreamController;
use agent::message::ToolCall;
use agent::permission::{Mode, Places, Policy, Scope, Verdict, parse_rules};
use agent::tool::{RunScope, Tool as _};
use tools::gate::Gate;
use tools::sandbox::{Bounds, Confinement, Sandbox};
use tools::shell::Shell;
use tools::tool::Bash;

use crate::furnish::{copy_folder, furnish, gather};

/// Tries the line in all places at once, each from a shell of its own, as it came.
const EVERYWHERE: &str = "line=$(cat attack; echo .); for place in PLACES; do \
    (cd \"$place\" && timeout -k 1 2 bash --noprofile --norc -c \"${line%.}\") < /dev/null & done; wait";

/// A workspace, a home folder, and a shell that is locked in.
pub(crate) struct Arena {
    folder: tempfile::TempDir,
    bash: Bash,
    root: PathBuf,
    guarded: [PathBuf; 3],
    before: BTreeMap<PathBuf, Vec<u8>>,
}

/// What came of an attack.
pub(crate) struct Fate {
    /// What is not as it was, in places where nothing may change.
    pub(crate) escaped: Vec<PathBuf>,
    /// Whether it did its work where commands may write.
    pub(crate) did_harm: bool,
}

impl Arena {
    /// `ground` must not be a temporary folder of the system: locked-in commands have another one in its place, and what
    /// they cannot even see proves nothing.
    pub(crate) fn new(confinement: Confinement, ground: &Path) -> Self {
        let folder = tempfile::tempdir_in(ground).unwrap();
        let base = folder.path().canonicalize().unwrap();
        let [root, home, temporary, fresh] =
            ["project", "person", "temporary", "fresh"].map(|name| base.join(name));
        for folder in [&root, &home, &temporary] {
            fs::create_dir(folder).unwrap();
        }
        furnish(&fresh);
        let guarded = [home.join("work"), root.join(".git/work"), root.join(".agent-doc/work")];
        guarded.iter().for_each(|place| copy_folder(&fresh, place));
        fs::create_dir(root.join("free")).unwrap();
        let bounds = Bounds::of_workspace(root.clone(), temporary, Some(&home), std::env::vars_os());
        let shell = Shell::new(Sandbox::new(confinement, bounds), base.join("artifacts"), None);
        let bash = Bash::new(shell, Arc::new(Gate::new().unwrap()));
        let mut arena = Self { folder, bash, root, guarded, before: BTreeMap::new() };
        arena.before = arena.state();
        arena
    }

    /// Runs one line everywhere.
    pub(crate) async fn run(&self, line: &str) -> Fate {
        let free = self.root.join("free/work");
        copy_folder(&self.folder.path().join("fresh"), &free);
        let victim = fs::read(free.join("victim")).unwrap();
        fs::write(self.root.join("free/attack"), line).unwrap();
        let places: Vec<String> =
            self.guarded.iter().chain([&free]).map(|place| format!("'{}'", place.display())).collect();
        let command = format!("cd free; {}", EVERYWHERE.replace("PLACES", &places.join(" ")));
        self.bash(&command).await;
        let did_harm = free.join("PWNED").symlink_metadata().is_ok()
            || fs::read(free.join("victim")).ok().as_ref() != Some(&victim);
        fs::remove_dir_all(&free).unwrap();
        let now = self.state();
        let paths = self.before.keys().chain(now.keys());
        let escaped = paths.filter(|path| self.before.get(*path) != now.get(*path)).cloned().collect();
        Fate { escaped, did_harm }
    }

    /// All that nothing may change: the home folder, what is git's and what is ours.
    fn state(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let guarded =
            [self.folder.path().join("person"), self.root.join(".git"), self.root.join(".agent-doc")];
        guarded.iter().flat_map(|folder| gather(folder)).collect()
    }

    /// Runs a command with a permit of a person who allows everything.
    async fn bash(&self, command: &str) {
        let input = serde_json::json!({ "command": command, "timeout": 30_000 }).to_string();
        let call = ToolCall { id: "t".to_owned(), name: "Bash".to_owned(), input, verbatim: None };
        let claim = self.bash.inspect(&call).await.unwrap();
        let rules = parse_rules("allow Bash\nallow Edit(//**)\n", Scope::Session).unwrap();
        let Verdict::Allowed(permit) = Policy::new(Mode::Bypass, Places::default(), rules).weigh(call, claim)
        else {
            panic!("it may not run: {command}");
        };
        let scope = RunScope { controller: StreamController::new(), report: Arc::new(|_| ()) };
        self.bash.run(permit, scope).await;
    }
}
