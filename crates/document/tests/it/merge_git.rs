//! The merge with markers beside git's own, and our diffs in git's hands. Never compares how a conflict is cut, only that
//! nothing which git merges becomes a conflict here.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use document::diff::unified;
use document::merge::{NoticeKind, merge_diff3};

use crate::merge_random::{case, count};

const CASES: u64 = 2_000;
const PATCHES: u64 = 40;

/// A folder that is gone when the test is over, also after a failure.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&folder).unwrap();
        Scratch(folder)
    }

    fn git(&self, arguments: &[&str]) -> Output {
        Command::new("git")
            .args(arguments)
            .current_dir(&self.0)
            .env("GIT_CEILING_DIRECTORIES", &self.0)
            .output()
            .expect("git is installed")
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

#[test]
fn what_git_merges_is_no_conflict_here() {
    let scratch = Scratch::new("merge-beside-git");
    let (mut git_clean, mut only_here) = (0, 0);
    for seed in 0..CASES {
        let case = case(seed);
        let [base, ours, theirs] = &case.texts;
        if theirs.is_empty() {
            continue;
        }
        for (name, text) in [("base", base), ("ours", ours), ("theirs", theirs)] {
            scratch.write(name, text);
        }
        let git = scratch.git(&["merge-file", "-p", "--diff3", "ours", "base", "theirs"]);
        let merged = merge_diff3(base, ours, theirs);
        let is_clean = !merged.notices.iter().any(|notice| notice.kind == NoticeKind::Conflict);
        if !git.status.success() {
            only_here += u64::from(is_clean);
            continue;
        }
        git_clean += 1;
        let by_git = String::from_utf8(git.stdout).unwrap();
        let told = format!(
            "seed {seed}\n--- base\n{base}\n--- ours\n{ours}\n--- theirs\n{theirs}\n--- here\n{}\n--- git\n{by_git}",
            merged.text
        );
        assert!(is_clean, "{told}");
        let here = count(merged.text.split_whitespace());
        // A line that one side moved and the other deleted is back with git; here it stays deleted.
        let is_deleted = |word: &str| base.contains(word) && !(ours.contains(word) && theirs.contains(word));
        for (word, times) in count(by_git.split_whitespace()) {
            let stands = here.get(word).is_some_and(|here| *here >= times);
            assert!(stands || is_deleted(word), "{word}: {told}");
        }
    }
    println!("{git_clean} merged by git and here, {only_here} more merged only here, of {CASES}");
    assert!(git_clean > CASES / 20 && only_here > 0);
}

#[test]
fn git_applies_our_diffs() {
    let scratch = Scratch::new("patch-by-git");
    for seed in 0..PATCHES {
        let [old, new, _] = case(seed).texts;
        if old.is_empty() || new.is_empty() || old == new {
            continue;
        }
        scratch.write("text", &old);
        scratch.write("patch", &format!("--- a/text\n+++ b/text\n{}", unified(&old, &new, 3)));
        let git = scratch.git(&["apply", "--whitespace=nowarn", "patch"]);
        let complaint = String::from_utf8_lossy(&git.stderr).into_owned();
        assert!(git.status.success(), "seed {seed}: {complaint}");
        assert_eq!(fs::read_to_string(scratch.0.join("text")).unwrap(), new, "seed {seed}");
    }
}

#[test]
fn markers_have_the_shape_that_every_tool_knows() {
    let check = |ending: &str| {
        let text = |lines: &[&str]| lines.iter().map(|line| format!("{line}{ending}")).collect::<String>();
        let merged = merge_diff3(
            &text(&["before", "old words", "after"]),
            &text(&["before", "what the agent says", "after"]),
            &text(&["before", "mine", "after"]),
        );
        let expected = text(&[
            "before",
            "<<<<<<< agent-response",
            "what the agent says",
            "||||||| original",
            "old words",
            "=======",
            "mine",
            ">>>>>>> your-edits",
            "after",
        ]);
        assert_eq!(merged.text, expected);
        let conflicts: Vec<(NoticeKind, usize)> =
            merged.notices.iter().map(|notice| (notice.kind, notice.line)).collect();
        assert_eq!(conflicts, [(NoticeKind::Conflict, 2)]);
    };
    check("\n");
    check("\r\n");
}
