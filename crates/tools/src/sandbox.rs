//! Where a command is locked in: the workspace can be written, the rest can be read, keys are out of sight, and the network
//! is off. Never pretends: what cannot be enforced here is said, and then nothing runs unattended.

mod environment;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod landlock;
mod bubblewrap;
mod mask;
#[cfg(target_os = "linux")]
mod privilege;
mod probe;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

pub use environment::cleaned;

use crate::process::{Launch, MARK};
use mask::Masks;

/// Names in the root of a workspace that no command may change: what git runs, and our own settings and records.
pub const PROTECTED: &[&str] = &[".git", ".agent-doc"];

/// What a project tells agents about itself. No command may change it: it would speak to the next session.
const INSTRUCTIONS: &str = "AGENTS.md";

/// Places in the home folder that hold keys. No command can read them.
const SECRETS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".kube",
    ".docker",
    ".netrc",
    ".git-credentials",
    ".npmrc",
    ".pypirc",
    ".password-store",
    ".mozilla",
    ".thunderbird",
    ".config/agent-doc",
    ".config/gcloud",
    ".config/gh",
    ".config/google-chrome",
    ".config/chromium",
    ".config/op",
    ".local/share/keyrings",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".terraform.d",
    ".vault-token",
    ".claude",
    ".codex",
];

/// What a command may touch.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// The workspace. Can be written.
    pub root: PathBuf,
    /// For temporary files. Can be written, and is kept from call to call.
    pub temporary: PathBuf,
    /// Can be read but not written, though they lie in the root. Those that do not exist cannot be made.
    pub protected: Vec<PathBuf>,
    /// Cannot be read.
    pub hidden: Vec<PathBuf>,
    /// All that a command finds in its environment.
    pub environment: Vec<(OsString, OsString)>,
}

impl Bounds {
    /// The usual bounds of a workspace. `environment` is that of our own process; keys are taken out of it.
    pub fn of_workspace(
        root: PathBuf,
        temporary: PathBuf,
        home: Option<&Path>,
        environment: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Self {
        let mut protected: Vec<PathBuf> = PROTECTED.iter().map(|name| root.join(name)).collect();
        let instructions = root.join(INSTRUCTIONS).canonicalize().ok();
        protected.extend(instructions.filter(|path| path.starts_with(&root)));
        let hidden = home.into_iter().flat_map(|home| SECRETS.iter().map(|name| home.join(name))).collect();
        Self { root, temporary, protected, hidden, environment: cleaned(environment) }
    }
}

/// How commands are locked in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// In namespaces of their own, made by this program.
    Bubblewrap(PathBuf),
    /// By rules of the kernel. Nothing can be made or removed directly in the root of the workspace, because its protected
    /// folders could not be told apart otherwise.
    Landlock,
    /// Not at all, for this reason.
    None(String),
}

impl Confinement {
    /// The strongest that works here; tried out, not assumed.
    pub fn probe() -> Self {
        probe::strongest()
    }

    /// One sentence for the person.
    pub fn told(&self) -> String {
        match self {
            Self::Bubblewrap(program) => format!("commands are locked in by {}", program.display()),
            Self::Landlock => {
                "commands are locked in by Landlock, and cannot make files directly in the root of the workspace; \
                 install bubblewrap to lift that"
                    .to_owned()
            }
            Self::None(why) => {
                format!("commands cannot be locked in ({why}), so none runs unasked; install bubblewrap")
            }
        }
    }
}

/// Whether a command may reach other machines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    /// Not even itself.
    Off,
    /// As any program of the person.
    On,
}

/// Makes locked-in programs.
#[derive(Clone, Debug)]
pub struct Sandbox {
    confinement: Confinement,
    bounds: Bounds,
    masks: Masks,
}

impl Sandbox {
    /// Commands will be locked in as `confinement` says.
    pub fn new(confinement: Confinement, bounds: Bounds) -> Self {
        Self { confinement, bounds, masks: Masks::default() }
    }

    /// How commands are locked in.
    pub fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// What commands may touch.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// A program that is locked in when it starts. `mark` is a word that no other call has.
    pub fn launch(
        &self,
        program: &[OsString],
        folder: &Path,
        network: Network,
        mark: &str,
    ) -> io::Result<Launch> {
        let mut launch = match &self.confinement {
            Confinement::Bubblewrap(bwrap) => {
                let masked = self.masks.raise(&self.bounds.protected)?;
                let mut command = Command::new(bwrap);
                command.args(bubblewrap::arguments(&self.bounds, masked.paths(), folder, network));
                command.arg("--").args(program);
                // Nothing of ours is needed by the guard, so it starts in a place that is always there.
                command.current_dir("/");
                Launch {
                    command,
                    confine: kept_from_keyrings(),
                    mark: String::new(),
                    held: Some(Box::new(masked)),
                }
            }
            Confinement::Landlock => Launch {
                command: plain(program, folder),
                confine: self.by_the_kernel(network)?,
                mark: String::new(),
                held: None,
            },
            Confinement::None(_) => {
                Launch { command: plain(program, folder), confine: None, mark: String::new(), held: None }
            }
        };
        launch.command.env_clear().envs(self.bounds.environment.iter().cloned());
        launch.command.env("TMPDIR", self.temporary_inside()).env(MARK, mark);
        mark.clone_into(&mut launch.mark);
        Ok(launch)
    }

    /// The folder for temporary files as a command sees it.
    pub fn temporary_inside(&self) -> &Path {
        match self.confinement {
            Confinement::Bubblewrap(_) => Path::new("/tmp"),
            Confinement::Landlock | Confinement::None(_) => &self.bounds.temporary,
        }
    }

    #[cfg(target_os = "linux")]
    fn by_the_kernel(&self, network: Network) -> io::Result<Option<crate::process::Confine>> {
        let rules = landlock::Rules::of(&self.bounds, network);
        let filter = filter::strict(network)?;
        Ok(Some(Box::new(move || {
            privilege::drop_all()?;
            rules.enforce()?;
            filter::apply(&filter)
        })))
    }

    #[cfg(not(target_os = "linux"))]
    #[expect(clippy::unused_self, reason = "the signature is that of Linux")]
    fn by_the_kernel(&self, _network: Network) -> io::Result<Option<crate::process::Confine>> {
        Err(io::Error::other("Landlock is a part of Linux"))
    }
}

/// Namespaces do not hide the keys that the kernel keeps, so the calls for them are turned off.
#[cfg(target_os = "linux")]
fn kept_from_keyrings() -> Option<crate::process::Confine> {
    Some(Box::new(|| filter::apply(&filter::lenient()?)))
}

#[cfg(not(target_os = "linux"))]
fn kept_from_keyrings() -> Option<crate::process::Confine> {
    None
}

fn plain(program: &[OsString], folder: &Path) -> Command {
    let mut words = program.iter();
    let mut command = Command::new(words.next().cloned().unwrap_or_default());
    command.args(words).current_dir(folder);
    command
}
