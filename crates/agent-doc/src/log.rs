//! The log of this project, in `.agent-doc/logs`. Never writes to the terminal, and never a key: what is logged are names,
//! counts and outcomes. `RUST_LOG` says how much.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use tracing_subscriber::EnvFilter;
use workspace::sidecar::Sidecar;

use crate::{moment, output};

/// A file for each day; older ones go.
const FILES_MAX: usize = 14;
/// What is written when nobody says otherwise. Libraries log what they like, headers with keys among it: they are left out.
const USUAL: &str = "off,agent_doc=info,agent=info,models=info,tools=info,workspace=info,conductor=info";
/// Whose words may be in the log, whatever `RUST_LOG` says.
const OURS: &[&str] = &["agent_doc", "agent", "models", "tools", "workspace", "conductor", "web", "tui"];

/// Begins to log. A log that cannot be written is no reason to refuse work.
pub(crate) fn begin(sidecar: &Sidecar) {
    let day = moment::shown(moment::now());
    let name = format!("agent-doc.{}.log", day.split(' ').next().unwrap_or_default());
    let opened = sidecar.private_folder("logs").and_then(|folder| Ok((open(&folder, &name)?, folder)));
    let (file, folder) = match opened {
        Ok(opened) => opened,
        Err(error) => {
            let folder = sidecar.folder().display();
            return output::notice(&format!("there is no log in {folder}: {error}"));
        }
    };
    tidy_up(&folder);
    let wanted = std::env::var("RUST_LOG").unwrap_or_default();
    let (filter, refused) = match EnvFilter::try_new(limited(&wanted)) {
        Ok(filter) => (filter, None),
        Err(error) => (EnvFilter::new(USUAL), Some(error)),
    };
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(false)
        .with_writer(Mutex::new(file))
        .with_timer(tracing_subscriber::fmt::time::SystemTime)
        .finish();
    if tracing::subscriber::set_global_default(subscriber).is_err() {
        // One log for each process; the first one is kept.
    }
    if let Some(error) = refused {
        output::notice(&format!("RUST_LOG is not understood and was left out: {error}"));
    }
}

fn open(folder: &Path, name: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(folder.join(name))
}

/// What `RUST_LOG` asks for, of our own crates alone: others write whole requests when they are asked for much.
fn limited(wanted: &str) -> String {
    let wanted = wanted.trim();
    if wanted.is_empty() {
        return USUAL.to_owned();
    }
    let is_level = |word: &str| word.parse::<tracing::Level>().is_ok() || word == "off";
    let directives = wanted.split(',').map(str::trim).flat_map(|directive| {
        let target = directive.split(['=', '[', ':']).next().unwrap_or_default();
        if is_level(directive) {
            OURS.iter().map(|ours| format!("{ours}={directive}")).collect()
        } else if OURS.contains(&target) {
            vec![directive.to_owned()]
        } else {
            Vec::new()
        }
    });
    std::iter::once("off".to_owned()).chain(directives).collect::<Vec<_>>().join(",")
}

/// Takes the oldest days away.
fn tidy_up(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let is_log = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "log");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_log).collect();
    files.sort();
    let spare = files.len().saturating_sub(FILES_MAX);
    for file in files.into_iter().take(spare) {
        if fs::remove_file(file).is_err() {
            // Another process was quicker.
        }
    }
}

#[cfg(test)]
mod tests {
    use super::limited;

    #[test]
    fn a_wish_for_everything_is_one_for_our_own_words() {
        assert!(limited("trace").starts_with("off,agent_doc=trace,agent=trace,models=trace"));
        assert_eq!(limited("hyper=trace,models=debug"), "off,models=debug");
        assert_eq!(limited("models::http=debug"), "off,models::http=debug");
    }

    #[test]
    fn without_a_wish_the_usual_is_logged() {
        assert_eq!(limited(" "), super::USUAL);
    }
}
