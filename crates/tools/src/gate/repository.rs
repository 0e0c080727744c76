//! Whether the settings of a repository can run programs. Never trusts a setting that is not on the list.

/// Settings that name no program, no file and no other settings. Names in the middle are taken out: `remote.origin.url` is
/// `remote.url`. Everything else may run something: filters, text conversions, monitors, hooks, helpers, includes…
const HARMLESS: &[&str] = &[
    "core.repositoryformatversion",
    "core.filemode",
    "core.bare",
    "core.logallrefupdates",
    "core.ignorecase",
    "core.precomposeunicode",
    "core.symlinks",
    "core.autocrlf",
    "core.eol",
    "core.safecrlf",
    "core.quotepath",
    "core.abbrev",
    "extensions.objectformat",
    "extensions.refstorage",
    "user.name",
    "user.email",
    "remote.url",
    "remote.pushurl",
    "remote.fetch",
    "remote.tagopt",
    "remote.prune",
    "remote.gh-resolved",
    "branch.remote",
    "branch.merge",
    "branch.rebase",
    "branch.pushremote",
    "branch.description",
    "branch.vscode-merge-base",
    "branch.gh-merge-base",
    "pull.rebase",
    "pull.ff",
    "push.default",
    "push.autosetupremote",
    "merge.conflictstyle",
    "diff.algorithm",
    "diff.renames",
    "diff.colormoved",
    "fetch.prune",
    "init.defaultbranch",
    "rerere.enabled",
    "gc.auto",
    "maintenance.auto",
    "maintenance.strategy",
    "color.ui",
    "status.showuntrackedfiles",
    "log.date",
    "tag.sort",
    "branch.sort",
    "column.ui",
];

/// What is known of the repository that git would find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Repository {
    /// Nobody has looked. Git is asked about.
    Unseen,
    /// There is none, or its settings run nothing.
    Plain,
    /// A setting that may run a program.
    Suspect(String),
}

impl Repository {
    /// Judges the text of a repository's own settings (`.git/config`). Those of the person are theirs.
    pub fn of_settings(text: &str) -> Self {
        let mut section = String::new();
        for line in text.lines() {
            let line = line.trim_matches([' ', '\t', '\r']);
            if line.is_empty() || line.starts_with(['#', ';']) {
                continue;
            }
            let setting = if let Some(heading) = line.strip_prefix('[') {
                // A setting may follow its heading on the same line. Nobody writes that, so it is not read.
                let Some(name) = heading.strip_suffix(']').and_then(section_of) else {
                    return Self::Suspect(line.to_owned());
                };
                section = name;
                continue;
            } else {
                let name = line.split(['=', ' ', '\t']).next().unwrap_or_default();
                format!("{section}.{}", name.to_ascii_lowercase())
            };
            // A value that goes on in the next line could hide what that line is.
            if line.ends_with('\\') || !HARMLESS.contains(&setting.as_str()) {
                return Self::Suspect(setting);
            }
        }
        Self::Plain
    }
}

/// The name of a section without the part in quotes: `remote "origin"` is `remote`.
fn section_of(heading: &str) -> Option<String> {
    let (name, rest) = heading.split_once([' ', '\t']).unwrap_or((heading, ""));
    let rest = rest.trim_matches([' ', '\t']);
    // A quote or a backslash inside could end the heading early and set something behind it.
    let inside = rest.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let is_quoted = inside.is_some_and(|inside| !inside.contains(['"', '\\']));
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    (is_name && (rest.is_empty() || is_quoted)).then(|| name.to_ascii_lowercase())
}
