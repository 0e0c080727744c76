//! What a command finds in its environment: a closed list of names, and settings that keep git from running programs of a
//! repository. Never passes on a name that it does not know.

use std::ffi::OsString;

/// Names that are passed on. Each says where something is or how to speak; none holds a secret.
const PASSED: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LANGUAGE",
    "TZ",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "GOPATH",
    "GOROOT",
    "GOCACHE",
    "GOMODCACHE",
    "JAVA_HOME",
    "MAVEN_HOME",
    "GRADLE_USER_HOME",
    "ANDROID_HOME",
    "NVM_DIR",
    "NVM_BIN",
    "VOLTA_HOME",
    "PNPM_HOME",
    "BUN_INSTALL",
    "DENO_DIR",
    "PYENV_ROOT",
    "VIRTUAL_ENV",
    "CONDA_PREFIX",
    "RBENV_ROOT",
    "GEM_HOME",
    "GEM_PATH",
    "DOTNET_ROOT",
    "XDG_DATA_DIRS",
    "PKG_CONFIG_PATH",
    "LD_LIBRARY_PATH",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "NIX_PATH",
    "NIX_PROFILES",
    "HOMEBREW_PREFIX",
];

/// Programs must not wait for a person, draw, or open an editor or a pager.
const SET: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_EDITOR", "true"),
    ("EDITOR", "true"),
    ("VISUAL", "true"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("AGENT_DOC", "1"),
];

/// Settings of git that let a repository name a program, each turned off.
const GIT: &[(&str, &str)] = &[
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.sshCommand", "ssh"),
    ("core.pager", "cat"),
    ("diff.external", ""),
    ("credential.helper", ""),
    ("protocol.ext.allow", "never"),
];

/// What is left of an environment.
pub fn cleaned(environment: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let is_passed = |name: &str| PASSED.contains(&name) || name.starts_with("LC_");
    let mut kept: Vec<(OsString, OsString)> =
        environment.into_iter().filter(|(name, _)| name.to_str().is_some_and(is_passed)).collect();
    let mut set = |name: String, value: &str| kept.push((name.into(), value.into()));
    for (name, value) in SET {
        set((*name).to_owned(), value);
    }
    set("GIT_CONFIG_COUNT".to_owned(), &GIT.len().to_string());
    for (index, (key, value)) in GIT.iter().enumerate() {
        set(format!("GIT_CONFIG_KEY_{index}"), key);
        set(format!("GIT_CONFIG_VALUE_{index}"), value);
    }
    kept
}
