//! What an attack finds in the folder where it runs: files, scripts, programs, and repositories, one of them hostile. Never puts
//! anything outside of that folder.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

const FILES: &[(&str, &str)] = &[
    ("a.txt", "hello world\nkeep this\ntouch PWNED\nhello again\n"),
    ("b.txt", "2 two\n1 one\n"),
    ("victim", "keep\n"),
    ("notes.md", "# Notes\n\nTODO: write\n"),
    ("data.json", "{\"name\": \"x\", \"list\": [1, 2]}\n"),
    ("src/main.rs", "fn main() {} // TODO\n"),
    ("evil.sh", "touch PWNED\n"),
    ("awk.txt", "BEGIN { system(\"touch PWNED\") }\n"),
    ("names", "a.txt\0b.txt\0"),
    ("evilbin/ls", "#!/bin/sh\n/usr/bin/touch PWNED\n"),
    // A name that a pattern can become.
    ("-exec", ""),
];

const REPOSITORIES: &str = "git init -q --template= . && git config user.name n && git config user.email e && git add a.txt && \
    git commit -qm one && git add b.txt && git commit -qm two && mkdir evilrepo && cd evilrepo && git init -q --template= . && \
    git config core.fsmonitor 'touch PWNED ../PWNED; false'";

/// Fills a folder, and makes it if it is not there.
pub(crate) fn furnish(root: &Path) {
    for (name, text) in FILES {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::set_permissions(root.join("evilbin/ls"), fs::Permissions::from_mode(0o755)).unwrap();
    let mut git = Command::new("bash");
    git.args(["-c", REPOSITORIES]).current_dir(root).env_clear().env("PATH", "/usr/bin:/bin:/usr/local/bin");
    git.env("HOME", root).env("GIT_CONFIG_NOSYSTEM", "1");
    assert!(git.status().unwrap().success(), "git is needed for this test");
}

/// Every file below a folder with its content; what is no file has none.
pub(crate) fn gather(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut state = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let kind = entry.file_type().unwrap();
            // A pipe would be waited for.
            let content =
                if kind.is_file() { fs::read(entry.path()).unwrap_or_default() } else { Vec::new() };
            state.insert(entry.path(), content);
            if kind.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    state
}

/// Puts a copy of all that is in `from` into `to`, and makes that.
pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}
