use std::fs;
use std::path::Path;

use tempfile::TempDir;
use workspace::journal::{Checkpoint, Journal};
use workspace::lock::TurnLock;
use workspace::pending::{Pending, Response, Target};
use workspace::sidecar::{Sidecar, SidecarError, root_of};
use workspace::snapshot::Snapshot;

use crate::child;

#[test]
fn state_follows_a_document_that_is_renamed() {
    let root = tempfile::tempdir().unwrap();
    let sidecar = Sidecar::open(root.path()).unwrap();
    fs::write(root.path().join("a.md"), "---\nsession: s\n---\n").unwrap();
    let before = sidecar.paths_for(Path::new("a.md"), Some("s")).unwrap();
    fs::rename(root.path().join("a.md"), root.path().join("b.md")).unwrap();
    let again = Sidecar::open(root.path()).unwrap();
    assert_eq!(again.paths_for(Path::new("b.md"), Some("s")).unwrap(), before);
    assert_eq!(again.paths_for(Path::new("./b.md"), None).unwrap(), before);
    assert_ne!(again.paths_for(Path::new("a.md"), None).unwrap(), before);
}

#[test]
fn a_copy_has_state_of_its_own() {
    let root = tempfile::tempdir().unwrap();
    let sidecar = Sidecar::open(root.path()).unwrap();
    for name in ["a.md", "copy.md"] {
        fs::write(root.path().join(name), "---\nsession: s\n---\n").unwrap();
    }
    let original = sidecar.paths_for(Path::new("a.md"), Some("s")).unwrap();
    assert_ne!(sidecar.paths_for(Path::new("copy.md"), Some("s")).unwrap(), original);
    assert_eq!(sidecar.paths_for(Path::new("a.md"), Some("s")).unwrap(), original);
}

#[test]
fn a_damaged_index_is_kept_aside() {
    let root = tempfile::tempdir().unwrap();
    let sidecar = Sidecar::open(root.path()).unwrap();
    let plain = sidecar.paths_for(Path::new("a.md"), Some("s")).unwrap();
    let index = root.path().join(".agent-doc/index.json");
    for bad in ["{", r#"{"sessions":{"s":{"key":"../../etc","path":"a.md"}}}"#] {
        fs::write(&index, bad).unwrap();
        assert_eq!(sidecar.paths_for(Path::new("a.md"), Some("s")).unwrap(), plain);
    }
    assert_eq!(fs::read_to_string(root.path().join(".agent-doc/index.json.damaged-1")).unwrap(), "{");
}

#[test]
fn a_path_out_of_the_project_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let sidecar = Sidecar::open(root.path()).unwrap();
    for path in ["../a.md", "", "a/../../b.md"] {
        let refused = sidecar.paths_for(Path::new(path), None);
        assert!(matches!(refused, Err(SidecarError::Outside { .. })), "{path}");
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_leads_elsewhere_is_refused() {
    let (root, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    std::os::unix::fs::symlink(elsewhere.path(), root.path().join(".agent-doc")).unwrap();
    assert!(matches!(Sidecar::open(root.path()), Err(SidecarError::Io { .. })));
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

// FT-17
#[test]
fn a_newer_folder_is_refused_and_not_a_byte_of_it_is_changed() {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().join(".agent-doc");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("version"), "2\n").unwrap();
    let refused = Sidecar::open(root.path());
    assert!(matches!(refused, Err(SidecarError::Newer { found: 2, .. })), "{refused:?}");
    assert!(Sidecar::find(root.path()).is_err());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
    assert_eq!(fs::read_to_string(folder.join("version")).unwrap(), "2\n");
}

#[test]
fn a_project_without_the_folder_stays_without() {
    let root = tempfile::tempdir().unwrap();
    assert!(Sidecar::find(root.path()).unwrap().is_none());
    assert_eq!(fs::read_dir(root.path()).unwrap().count(), 0);
}

#[test]
fn the_root_is_the_nearest_folder_with_a_project() {
    let top = tempfile::tempdir().unwrap();
    fs::create_dir_all(top.path().join("repository/.git")).unwrap();
    fs::create_dir_all(top.path().join("repository/docs/.agent-doc")).unwrap();
    fs::create_dir_all(top.path().join("repository/src/deep")).unwrap();
    let root = |file: &str| root_of(&top.path().join(file)).strip_prefix(top.path()).unwrap().to_owned();
    assert_eq!(root("repository/docs/a.md"), Path::new("repository/docs"));
    assert_eq!(root("repository/src/deep/a.md"), Path::new("repository"));
}

#[test]
fn a_snapshot_is_kept_as_it_is() {
    let (_root, paths) = used();
    let snapshot = Snapshot::at(&paths.snapshot);
    snapshot.set("\u{feff}text\r\nno end").unwrap();
    assert_eq!(snapshot.get().unwrap().unwrap(), "\u{feff}text\r\nno end");
    snapshot.clear().unwrap();
    snapshot.clear().unwrap();
    assert_eq!(snapshot.get().unwrap(), None);
    fs::write(&paths.snapshot, [0xff, 0xfe]).unwrap();
    assert_eq!(snapshot.get().unwrap(), None);
    assert!(paths.snapshot.with_extension("md.damaged-1").exists());
}

/// A project in which every kind of file was written.
fn used() -> (TempDir, workspace::sidecar::DocumentPaths) {
    let root = tempfile::tempdir().unwrap();
    let sidecar = Sidecar::open(root.path()).unwrap();
    let paths = sidecar.paths_for(Path::new("a.md"), Some("s")).unwrap();
    let checkpoint = Checkpoint::new(0, "", &document::Author::new("ann"), 0);
    drop(Journal::begin(&paths.journal, checkpoint).unwrap());
    Snapshot::at(&paths.snapshot).set("text").unwrap();
    let response = Response::new("id", "claude", Target::End, "", 0);
    Pending::at(&paths.pending_dir).put(&response).unwrap();
    drop(TurnLock::take(&paths.lock, "test", 0).unwrap());
    (root, paths)
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_whatever_the_umask_says() {
    use std::os::unix::fs::PermissionsExt as _;

    fn check(path: &Path) -> usize {
        let found = fs::symlink_metadata(path).unwrap();
        let wanted = if found.is_dir() { 0o700 } else { 0o600 };
        assert_eq!(found.permissions().mode() & 0o7777, wanted, "{}", path.display());
        if !found.is_dir() {
            return 1;
        }
        fs::read_dir(path).unwrap().map(|entry| check(&entry.unwrap().path())).sum()
    }

    if child::is_child() {
        let (root, _) = used();
        assert_eq!(check(&root.path().join(".agent-doc")), 8);
        return;
    }
    for umask in ["000", "022", "077", "277"] {
        let test = "sidecar::only_the_owner_may_read_whatever_the_umask_says";
        child::run_after(&format!("umask {umask}"), test);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_anybody_may_write_in_is_nobodys_project() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("inner");
    fs::create_dir_all(folder.path().join(".agent-doc")).unwrap();
    fs::create_dir(&inner).unwrap();
    let file = inner.join("a.md");
    assert_eq!(workspace::sidecar::root_of(&file), folder.path());
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(workspace::sidecar::root_of(&file), inner);
}
