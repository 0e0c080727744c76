//! Going back. Never touches what is git's.

use std::process::Command;
use std::sync::Arc;

use serde_json::json;
use tools::checkpoint::{Checkpoints, Restored};
use tools::files::{DirectWriter, Files};
use tools::tool::Write;

use crate::desk::Desk;

fn restored(desk: &Desk, from: u64) -> Restored {
    desk.checkpoints.restore(from, &DirectWriter::default()).unwrap()
}

#[tokio::test]
async fn what_a_command_changed_made_and_removed_is_taken_back() {
    let desk = Desk::new();
    desk.write("changed", "old\n");
    desk.write("removed", "was here\n");
    desk.write("deep/kept", "same\n");
    desk.bash("echo new > changed; rm removed; mkdir more; echo x > more/made").await.ok();
    let records = desk.checkpoints.records().unwrap();
    let changed: Vec<&str> = records[0].changes.iter().map(|change| change.path.as_str()).collect();
    assert_eq!((records.len(), changed), (1, vec!["changed", "more/made", "removed"]));
    let outcome = restored(&desk, 1);
    assert_eq!((outcome.restored.len(), outcome.kept.len()), (3, 0));
    assert_eq!((desk.read("changed").as_str(), desk.read("removed").as_str()), ("old\n", "was here\n"));
    assert!(!desk.root.join("more/made").exists());
    assert_eq!(desk.checkpoints.records().unwrap(), []);
}

#[tokio::test]
async fn edits_and_commands_are_taken_back_down_to_a_record() {
    let desk = Desk::new();
    desk.call("Write", json!({ "file_path": "a", "content": "1\n" })).await.ok();
    desk.bash("echo 2 > a").await.ok();
    desk.call("Read", json!({ "file_path": "a" })).await.ok();
    desk.call("Edit", json!({ "file_path": "a", "old_string": "2", "new_string": "3" })).await.ok();
    assert_eq!(desk.checkpoints.records().unwrap().len(), 3);
    restored(&desk, 3);
    assert_eq!(desk.read("a"), "2\n");
    restored(&desk, 1);
    assert!(!desk.root.join("a").exists());
}

#[tokio::test]
async fn what_a_person_wrote_since_is_left_alone() {
    let desk = Desk::new();
    desk.write("mine", "old\n");
    desk.write("other", "old\n");
    desk.bash("echo agent > mine; echo agent > other; echo x > made").await.ok();
    desk.write("mine", "person\n");
    desk.write("made", "person\n");
    let outcome = restored(&desk, 1);
    assert_eq!(
        outcome,
        Restored { restored: vec!["other".to_owned()], kept: vec!["made".to_owned(), "mine".to_owned()] }
    );
    assert_eq!((desk.read("mine").as_str(), desk.read("made").as_str()), ("person\n", "person\n"));
}

#[tokio::test]
async fn git_does_not_notice() {
    let desk = Desk::new();
    desk.write("a", "old\n");
    let git = |arguments: &str| {
        let output = Command::new("git")
            .args(arguments.split(' '))
            .current_dir(&desk.root)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    git("init -q");
    git("add a");
    git("-c user.name=n -c user.email=e commit -q -m first");
    desk.write("staged", "staged\n");
    git("add staged");
    let state = || {
        (
            git("status --porcelain"),
            git("rev-parse HEAD"),
            git("stash list"),
            std::fs::read(desk.root.join(".git/index")).unwrap(),
        )
    };
    let before = state();
    desk.bash("echo new > a; rm staged").await.ok();
    restored(&desk, 1);
    assert_eq!(state(), before);
}

#[tokio::test]
async fn records_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let desk = Desk::new();
    desk.write("a", "secret\n");
    desk.bash("echo b > a").await.ok();
    let store = desk.folder.path().join("checkpoints");
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o077;
    assert_eq!(mode(&store.join("objects")), 0);
    let mut objects = std::fs::read_dir(store.join("objects")).unwrap().flatten();
    assert!(objects.all(|object| mode(&object.path()) == 0));
}

#[tokio::test]
async fn two_sessions_in_one_workspace_take_no_number_twice() {
    let desk = Desk::new();
    let kept = desk.folder.path().canonicalize().unwrap().join("checkpoints");
    let other = Checkpoints::new(desk.root.clone(), kept).unwrap();
    let files = Files::new(desk.root.clone(), Arc::new(DirectWriter::default()), Some(other));
    let write = |path: &str| json!({ "file_path": path, "content": "x\n" });
    desk.call("Write", write("a")).await.ok();
    desk.run(&Write::new(files), write("b")).await.ok();
    desk.call("Write", write("c")).await.ok();
    let records = desk.checkpoints.records().unwrap();
    let noted: Vec<(u64, &str)> = records.iter().map(|record| (record.id, record.label.as_str())).collect();
    assert_eq!(noted, [(1, "edit a"), (2, "edit b"), (3, "edit c")]);
    assert!(records.iter().all(|record| record.at > 0));
}
