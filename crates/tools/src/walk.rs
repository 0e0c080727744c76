//! Going through the files of a workspace as people see them: without what git ignores, without git's own files and ours. Never
//! follows a link.

use std::path::Path;

use ignore::WalkBuilder;

use crate::sandbox::PROTECTED;

/// A walk from `root` down.
pub(crate) fn walker(root: &Path) -> WalkBuilder {
    let mut walk = WalkBuilder::new(root);
    // Files whose name begins with a dot are files of the project. A .gitignore counts without a repository, too.
    walk.hidden(false).require_git(false).follow_links(false).same_file_system(false);
    walk.filter_entry(|entry| {
        entry.depth() == 0 || !entry.file_name().to_str().is_some_and(|name| PROTECTED.contains(&name))
    });
    walk
}
