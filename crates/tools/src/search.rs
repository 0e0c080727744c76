//! Finding files and lines in a workspace, on all processors. Never shows what git ignores or what a rule hides, and never holds
//! more matches than a limit.

mod collect;
mod lines;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agent::StreamController;
use globset::{GlobBuilder, GlobMatcher};
use ignore::types::TypesBuilder;
use ignore::{DirEntry, WalkBuilder, WalkState};

pub use lines::{Amount, FileMatches, Line, LineQuery, grep};

use crate::limits::{PATTERN_MAX, WALK_MAX};
use crate::walk::walker;
use collect::Gathered;

/// Says which files nobody may see.
pub type Veil = Arc<dyn Fn(&Path) -> bool + Send + Sync>;

/// Where to look.
#[derive(Clone)]
pub struct Scope {
    /// A folder, or one file.
    pub folder: PathBuf,
    /// Only files whose path from the folder fits.
    pub glob: Option<GlobMatcher>,
    /// Only files of this type, such as `rust`.
    pub kind: Option<String>,
    /// Files that are passed over.
    pub veil: Veil,
    /// Ends the search.
    pub controller: StreamController,
}

impl Scope {
    /// All files of a folder.
    pub fn of(folder: PathBuf) -> Self {
        Self {
            folder,
            glob: None,
            kind: None,
            veil: Arc::new(|_| false),
            controller: StreamController::new(),
        }
    }
}

/// A pattern for paths. Without a slash it fits names in any folder.
pub fn path_pattern(pattern: &str) -> Result<GlobMatcher, String> {
    if pattern.is_empty() || pattern.len() > PATTERN_MAX {
        return Err(format!("give a pattern of 1 to {PATTERN_MAX} bytes, such as \"src/**/*.rs\""));
    }
    let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
    let anywhere = if pattern.contains('/') { pattern.to_owned() } else { format!("**/{pattern}") };
    let glob = GlobBuilder::new(&anywhere).literal_separator(true).build();
    glob.map(|glob| glob.compile_matcher()).map_err(|error| error.kind().to_string())
}

/// All files in scope, sorted.
pub fn glob(scope: &Scope) -> Result<Vec<PathBuf>, String> {
    // Sorted as plain text: paths compare name by name, which takes longer than finding them.
    let found =
        each_file(scope, || |entry: &DirEntry, found: &mut Vec<OsString>| found.push(entry.path().into()))?;
    Ok(found.into_iter().map(PathBuf::from).collect())
}

/// Calls what `work` makes for each thread with each file in scope, and gives all that was found, sorted.
fn each_file<T, W>(scope: &Scope, work: impl Fn() -> W + Sync) -> Result<Vec<T>, String>
where
    T: Ord + Send,
    W: FnMut(&DirEntry, &mut Vec<T>) + Send,
{
    let walk = configured(scope)?;
    let (gathered, visited) = (Gathered::default(), AtomicUsize::new(0));
    walk.build_parallel().run(|| {
        let mut work = work();
        let mut found = gathered.sheaf();
        // A matcher of its own: threads that share one wait for each other.
        let holds = scope.filter();
        let visited = &visited;
        Box::new(move |entry| {
            if scope.controller.is_aborted() || visited.fetch_add(1, Ordering::Relaxed) >= WALK_MAX {
                return WalkState::Quit;
            }
            // What cannot be looked at is passed over, as a person would.
            if let Ok(entry) = entry
                && entry.file_type().is_some_and(|kind| kind.is_file())
                && holds(entry.path())
            {
                work(&entry, found.items());
            }
            WalkState::Continue
        })
    });
    if scope.controller.is_aborted() {
        return Err("[Interrupted by user]".to_owned());
    }
    Ok(gathered.sorted())
}

impl Scope {
    /// Whether a file is in scope.
    fn filter(&self) -> impl Fn(&Path) -> bool + Send + use<> {
        let (glob, veil, folder) = (self.glob.clone(), self.veil.clone(), self.folder.clone());
        move |path| {
            let is_named = glob.as_ref().is_none_or(|glob| {
                let inside = path.strip_prefix(&folder).unwrap_or(path);
                glob.is_match(inside)
            });
            is_named && !veil(path)
        }
    }
}

fn configured(scope: &Scope) -> Result<WalkBuilder, String> {
    let mut walk = walker(&scope.folder);
    if let Some(kind) = &scope.kind {
        let mut types = TypesBuilder::new();
        types.add_defaults().select(kind);
        walk.types(types.build().map_err(|error| format!("`type`: {error}; leave it out and use glob"))?);
    }
    Ok(walk)
}
