//! One agent program with a home of its own, in which it is told to ask the model on the loopback interface.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use serde_json::json;
use workspace::outside::Spec;

/// Whoever is root is refused by some agents; this user is nobody.
const NOBODY: &str = "65534";

pub(crate) struct Case {
    pub(crate) spec: Spec,
    pub(crate) version: String,
    /// Its home, and in it the folder that it works in.
    pub(crate) home: tempfile::TempDir,
    /// What this agent cannot, and says itself: its own session is not found again.
    pub(crate) cannot_resume: Option<&'static str>,
    /// What its processes have in their environment.
    pub(crate) mark: String,
}

impl Case {
    pub(crate) fn of(name: &str, commands: &Path, url: &str) -> Self {
        let home = tempfile::Builder::new().prefix("agents-").tempdir().unwrap();
        let path = home.path().display().to_string();
        settle(home.path(), url);
        let mark = format!("CONFORMANCE_HOME={path}");
        let mut spec = Spec::built_in(name).unwrap();
        let program = std::mem::take(&mut spec.command);
        let mut words = environment(&path, commands, url, &mark);
        words.push(program.clone());
        // Gemini CLI takes no settings from a folder that nobody trusts, and asks for trust where nobody can answer.
        if program == "gemini" {
            words.push("--skip-trust".to_owned());
        }
        let version = version(&words);
        words.append(&mut spec.args);
        let is_root = rustix::process::geteuid().is_root();
        if name == "acp:claude" && is_root {
            let mut lowered: Vec<String> =
                ["--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "env"].map(str::to_owned).into();
            lowered.append(&mut words);
            (spec.command, words) = ("setpriv".to_owned(), lowered);
        } else {
            spec.command = "env".to_owned();
        }
        spec.args = words;
        // Seen in version 0.61.0, whose command resumes well.
        let cannot_resume = (name == "acp:gemini").then_some("No previous sessions found");
        Self { spec, version, home, cannot_resume, mark }
    }
}

fn environment(home: &str, commands: &Path, url: &str, mark: &str) -> Vec<String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut words: Vec<String> = [
        ("HOME", home),
        ("PATH", &format!("{}:{path}", commands.display())),
        ("TMPDIR", &format!("{home}/tmp")),
        ("XDG_CONFIG_HOME", &format!("{home}/.config")),
        ("XDG_DATA_HOME", &format!("{home}/.local/share")),
        ("XDG_STATE_HOME", &format!("{home}/.local/state")),
        ("XDG_CACHE_HOME", &format!("{home}/.cache")),
        ("ANTHROPIC_BASE_URL", url),
        ("ANTHROPIC_API_KEY", "sk-none"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("OPENAI_API_KEY", "sk-none"),
        ("GEMINI_API_KEY", "none"),
        ("GOOGLE_GEMINI_BASE_URL", url),
        ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
        ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
    ]
    .iter()
    .map(|(name, value)| format!("{name}={value}"))
    .collect();
    words.push(mark.to_owned());
    words
}

/// The settings that the agents read.
fn settle(home: &Path, url: &str) {
    let write = |name: &str, text: String| {
        let path = home.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let codex = format!(
        "model = \"loop\"\nmodel_provider = \"loop\"\n\n[model_providers.loop]\nname = \"loop\"\nbase_url = \"{url}/v1\"\n\
         wire_api = \"responses\"\nenv_key = \"OPENAI_API_KEY\"\n"
    );
    write(".codex/config.toml", codex);
    let gemini = json!({
        "security": { "auth": { "selectedType": "gemini-api-key" } },
        "privacy": { "usageStatisticsEnabled": false },
        "general": { "disableAutoUpdate": true },
        "model": { "name": "gemini-2.5-pro" },
    });
    write(".gemini/settings.json", gemini.to_string());
    let opencode = json!({
        "model": "loop/loop",
        "small_model": "loop/loop",
        "autoupdate": false,
        "share": "disabled",
        "provider": { "loop": {
            "npm": "@ai-sdk/openai-compatible",
            "name": "loop",
            "options": { "baseURL": format!("{url}/v1"), "apiKey": "none" },
            "models": { "loop": { "name": "loop" } },
        } },
    });
    write(".config/opencode/opencode.json", opencode.to_string());
    write("project/README.md", "# A project\n".to_owned());
    write("tmp/.keep", String::new());
    open_to_all(home);
}

/// The agent may run as nobody.
fn open_to_all(folder: &Path) {
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o777)).unwrap();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() {
            open_to_all(&entry.path());
        } else {
            std::fs::set_permissions(entry.path(), std::fs::Permissions::from_mode(0o666)).unwrap();
        }
    }
}

fn version(words: &[String]) -> String {
    let output = Command::new("env").args(words).arg("--version").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let is_number = |word: &&str| word.starts_with(|first: char| first.is_ascii_digit());
    text.split_whitespace().find(is_number).unwrap_or("?").to_owned()
}
