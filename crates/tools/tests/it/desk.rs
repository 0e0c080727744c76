//! A workspace with tools at hand, for tests. Never sleeps: it waits for what the test names.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use agent::StreamController;
use agent::message::{Part, ToolCall};
use agent::permission::{Claim, Mode, Permit, Places, Policy, Scope, Verdict, parse_rules};
use agent::tool::{Output, RunScope, Tool};
use serde_json::Value;
use tools::checkpoint::Checkpoints;
use tools::files::{DirectWriter, Files};
use tools::gate::Gate;
use tools::sandbox::{Bounds, Confinement, Sandbox};
use tools::shell::Shell;
use tools::tool::{Asker, Bash, Inquiry, Outfit};
use tools::web::Web;

/// Where the folders of tests are made. Not among the temporary files of the system: a locked-in command has others in their
/// place, and what it cannot even see it cannot be kept from.
pub(crate) fn ground() -> PathBuf {
    std::env::var_os("TOOLS_TEST_GROUND")
        .map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from)
}

/// A workspace in a folder that goes with it.
pub(crate) struct Desk {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) shell: Shell,
    pub(crate) files: Files,
    pub(crate) checkpoints: Checkpoints,
    pub(crate) controller: StreamController,
    pub(crate) reports: Arc<Mutex<Vec<String>>>,
}

impl Desk {
    /// Commands are locked in as they would be here.
    pub(crate) fn new() -> Self {
        Self::with(Confinement::probe())
    }

    pub(crate) fn with(confinement: Confinement) -> Self {
        Self::furnished(confinement, &[])
    }

    /// The workspace holds these files from the beginning.
    pub(crate) fn furnished(confinement: Confinement, contents: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir_in(ground()).unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (root, home, temporary) = (base.join("project"), base.join("person"), base.join("temporary"));
        for folder in [&root, &home, &temporary] {
            std::fs::create_dir(folder).unwrap();
        }
        for (name, text) in contents {
            std::fs::write(root.join(name), text).unwrap();
        }
        let environment = std::env::vars_os().chain([("MY_API_KEY".into(), "sk-canary".into())]);
        let bounds = Bounds::of_workspace(root.clone(), temporary, Some(&home), environment);
        let checkpoints = Checkpoints::new(root.clone(), base.join("checkpoints")).unwrap();
        let shell =
            Shell::new(Sandbox::new(confinement, bounds), base.join("artifacts"), Some(checkpoints.clone()));
        let files = Files::new(root.clone(), Arc::new(DirectWriter::default()), Some(checkpoints.clone()));
        let controller = StreamController::new();
        Self { folder, root, home, shell, files, checkpoints, controller, reports: Arc::default() }
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    pub(crate) fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root.join(path)).unwrap()
    }

    /// Every tool.
    pub(crate) fn tools(&self) -> Vec<Arc<dyn Tool>> {
        let outfit = Outfit {
            shell: self.shell.clone(),
            gate: Arc::new(Gate::new().unwrap()),
            files: self.files.clone(),
            veil: Arc::new(|_| false),
            tasks: Arc::default(),
            asker: Some(Arc::new(Nobody)),
            web: Web::default(),
            provider: None,
        };
        outfit.tools()
    }

    /// The tool of this name.
    pub(crate) fn tool(&self, name: &str) -> Arc<dyn Tool> {
        self.tools().into_iter().find(|tool| tool.spec().name == name).unwrap()
    }

    /// Runs the tool of this name.
    pub(crate) async fn call(&self, name: &str, input: Value) -> Said {
        self.run(&*self.tool(name), input).await
    }

    pub(crate) fn bash_tool(&self) -> Bash {
        Bash::new(self.shell.clone(), Arc::new(Gate::new().unwrap()))
    }

    pub(crate) async fn bash(&self, command: &str) -> Said {
        self.run(&self.bash_tool(), serde_json::json!({ "command": command })).await
    }

    /// Runs a tool as if the person allowed everything.
    pub(crate) async fn run(&self, tool: &dyn Tool, input: Value) -> Said {
        match self.permit(tool, &input.to_string()).await {
            Ok(permit) => Said::of(tool.run(permit, self.scope()).await),
            Err(words) => Said { text: words, is_error: true, images: 0 },
        }
    }

    pub(crate) async fn permit(&self, tool: &dyn Tool, input: &str) -> Result<Permit, String> {
        let call = call(tool, input);
        let claim = tool.inspect(&call).await?;
        Ok(allowed(call, claim))
    }

    pub(crate) fn scope(&self) -> RunScope {
        let reports = self.reports.clone();
        let report = move |line: &str| reports.lock().unwrap().push(line.to_owned());
        RunScope { controller: self.controller.clone(), report: Arc::new(report) }
    }
}

pub(crate) fn call(tool: &dyn Tool, input: &str) -> ToolCall {
    ToolCall { id: "t1".to_owned(), name: tool.spec().name.clone(), input: input.to_owned(), verbatim: None }
}

/// A person who allows everything, what is git's and ours by name.
fn allowed(call: ToolCall, claim: Claim) -> Permit {
    let rules = "allow Bash\nallow Edit(//**/.git/**)\nallow Edit(//**/.agent-doc/**)\nallow Edit(//**/.git)\n\
        allow Edit(//**/AGENTS.md)\n";
    let rules = parse_rules(rules, Scope::Session).unwrap();
    match Policy::new(Mode::Bypass, Places::default(), rules).weigh(call, claim) {
        Verdict::Allowed(permit) => permit,
        other => panic!("{other:?}"),
    }
}

/// What a model would read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) is_error: bool,
    pub(crate) images: usize,
}

impl Said {
    pub(crate) fn of(output: Output) -> Self {
        let images = output.content.iter().filter(|part| matches!(part, Part::Image(_))).count();
        let result = output.into_result("t1");
        Self { text: result.text(), is_error: result.is_error, images }
    }

    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert!(!self.is_error, "{}", self.text);
        self.text
    }

    #[track_caller]
    pub(crate) fn failed(self) -> String {
        assert!(self.is_error, "{}", self.text);
        self.text
    }
}

/// Waits until a file is there and says what is in it. The test that waits in vain is ended by the runner.
pub(crate) async fn appeared(path: &Path) -> String {
    loop {
        match std::fs::read_to_string(path) {
            Ok(text) if text.ends_with('\n') => return text,
            _ => tokio::task::yield_now().await,
        }
    }
}

/// Whether a process of this machine still runs; a dead one that nobody buried yet does not.
pub(crate) fn is_alive(mark: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(mark))
}

/// Waits for an answer that never comes.
struct Nobody;

impl Asker for Nobody {
    fn ask(&self, _questions: Vec<Inquiry>) -> agent::tool::ToolFuture<'_, Option<Vec<String>>> {
        Box::pin(std::future::pending())
    }
}
