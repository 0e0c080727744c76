//! Where a command runs, and which paths lie inside. Never looks at the disk: paths are compared as text, and links are the
//! sandbox's matter.

use super::reason::Reason;
use super::repository::Repository;
use super::secret::Secrets;

/// Where a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Folders that may be read, absolute: that of the workspace, and what the person added.
    pub roots: Vec<String>,
    /// The folder in which the command starts, absolute.
    pub folder: String,
    /// The person's home folder, which a tilde stands for.
    pub home: Option<String>,
    /// What is known of the repository that git would find in the folder.
    pub repository: Repository,
}

impl Place {
    /// A workspace whose commands start in its root, and whose repository nobody has looked at.
    pub fn of_workspace(root: &str) -> Self {
        let root = tidied("/", root);
        let repository = Repository::Unseen;
        Self { roots: vec![root.clone()], folder: root, home: None, repository }
    }
}

/// What may be read wherever it lies: it holds nothing.
const EMPTY: &[&str] = &["/dev/null", "/dev/stdin"];

/// `path` as seen from `folder`, without `.`, `..` and doubled slashes. Like the shell's `cd -L`, it does not follow links.
pub(super) fn tidied(folder: &str, path: &str) -> String {
    let start = if path.starts_with('/') { "" } else { folder };
    let mut names: Vec<&str> = Vec::new();
    for name in start.split('/').chain(path.split('/')) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}

/// Whether a path stays inside, wherever the command may stand by then.
pub(super) fn check(path: &str, folders: &[String], place: &Place, secrets: &Secrets) -> Option<Reason> {
    if path == "-" || EMPTY.contains(&path) {
        return None;
    }
    for folder in folders {
        let whole = tidied(folder, path);
        if !place.roots.iter().any(|root| is_beneath(&whole, root)) {
            return Some(Reason::Outside(path.to_owned()));
        }
        // Only what lies below the root counts: a workspace in a folder with such a name is no secret.
        let inside = place
            .roots
            .iter()
            .filter_map(|root| whole.strip_prefix(root.as_str()))
            .min_by_key(|rest| rest.len());
        if inside.unwrap_or(&whole).split('/').any(|name| secrets.hold(name)) {
            return Some(Reason::Secret(path.to_owned()));
        }
    }
    None
}

/// A pattern may match more than it seems to: names with a leading dot, and the folder above.
pub(super) fn check_pattern(pattern: &str) -> Option<Reason> {
    let hidden = pattern.split('/').any(|name| {
        let dotted = name.starts_with('.') || name.starts_with("\\.") || name.starts_with('[');
        dotted && name.contains(['*', '?', '['])
    });
    hidden.then(|| Reason::Unknown(pattern.to_owned()))
}

fn is_beneath(path: &str, root: &str) -> bool {
    let root = root.strip_suffix('/').unwrap_or(root);
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
