//! The commits of a session made one.

use workspace::git::{Cleaned, Repository, Unsquashable};

use crate::git::Repo;

fn clean(repo: &Repo, path: &str) -> Cleaned {
    Repository::of(&repo.root.join(path)).unwrap().unwrap().clean().unwrap()
}

fn session(repo: &Repo, from: usize, count: usize) {
    for number in from..from + count {
        repo.commit("plan.md", &format!("# Plan\n\nStep {number}.\n"));
    }
}

fn other(repo: &Repo, path: &str, text: &str) {
    repo.write(path, text);
    repo.git(&["add", path]);
    let date = "2020-02-03T04:05:06+0100";
    repo.git(&[
        "-c",
        "user.name=Bob",
        "commit",
        "-q",
        "-m",
        &format!("change {path}"),
        "--date",
        date,
        "--",
        path,
    ]);
}

fn subjects(repo: &Repo) -> Vec<String> {
    repo.git(&["log", "--reverse", "--format=%an: %s"])
        .lines()
        .map(|line| line.replace(" 2026-11-16 09:30:00", ""))
        .collect()
}

#[test]
fn only_the_sessions_own_commits_become_one() {
    let repo = Repo::new();
    session(&repo, 0, 2);
    other(&repo, "code.rs", "fn main() { one() }\n");
    session(&repo, 2, 2);
    other(&repo, "sub/other.rs", "// two\n");
    repo.commit("second.md", "# Second\n");
    repo.write("staged.txt", "not yet\n");
    repo.git(&["add", "staged.txt"]);
    repo.write("code.rs", "fn main() { loose() }\n");
    let (status, before) = (repo.git(&["status", "--porcelain"]), repo.git(&["rev-parse", "HEAD"]));
    let cleaned = clean(&repo, "plan.md");
    assert!(matches!(cleaned, Cleaned::Squashed { from: 4, into: 1, .. }), "{cleaned:?}");
    let expected = [
        "Ann: begin",
        "Bob: change code.rs",
        "Ann: agent-doc(plan):",
        "Bob: change sub/other.rs",
        "Ann: agent-doc(second):",
    ];
    assert_eq!(subjects(&repo), expected);
    assert_eq!(repo.git(&["status", "--porcelain"]), status);
    assert_eq!(repo.git(&["diff", &before, "HEAD"]), "");
    assert_eq!(repo.git(&["show", "--format=", "--name-only", "HEAD~2"]), "plan.md");
    assert_eq!(repo.git(&["log", "--format=%aI", "-1", "HEAD~3"]), "2020-02-03T04:05:06+01:00");
    assert_eq!(clean(&repo, "plan.md"), Cleaned::Nothing);
    assert_eq!(repo.git(&["fsck", "--strict"]), "");
    // All of it can be brought back.
    repo.git(&["update-ref", "HEAD", &before]);
    assert_eq!(subjects(&repo).len(), 8);
}

#[test]
fn a_session_that_began_the_repository_is_cleaned_too() {
    let repo = Repo::empty();
    session(&repo, 0, 3);
    assert!(matches!(clean(&repo, "plan.md"), Cleaned::Squashed { from: 3, into: 1, .. }));
    assert_eq!(subjects(&repo), ["Ann: agent-doc(plan):"]);
    assert_eq!(repo.git(&["show", "HEAD:plan.md"]), "# Plan\n\nStep 2.");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
}

#[test]
fn a_commit_of_somebody_else_that_changes_the_document_stays_where_it_is() {
    let repo = Repo::new();
    session(&repo, 0, 2);
    other(&repo, "plan.md", "# Plan\n\nBob's.\n");
    session(&repo, 5, 3);
    assert!(matches!(clean(&repo, "plan.md"), Cleaned::Squashed { from: 5, into: 2, .. }));
    let expected = ["Ann: begin", "Ann: agent-doc(plan):", "Bob: change plan.md", "Ann: agent-doc(plan):"];
    assert_eq!(subjects(&repo), expected);
    assert_eq!(
        repo.git(&["show", "HEAD~2:plan.md", "HEAD~1:plan.md"]),
        "# Plan\n\nStep 1.\n# Plan\n\nBob's."
    );
}

#[test]
fn a_commit_that_only_looks_like_one_of_the_session_is_somebody_elses() {
    let repo = Repo::new();
    session(&repo, 0, 1);
    repo.write("code.rs", "fn main() { two() }\n");
    repo.write("plan.md", "# Plan\n\nBoth.\n");
    repo.git(&["commit", "-q", "-a", "-m", "agent-doc(plan): by hand"]);
    assert_eq!(clean(&repo, "plan.md"), Cleaned::Nothing);
    assert_eq!(clean(&Repo::new(), "code.rs"), Cleaned::Nothing);
}

#[test]
fn what_others_may_have_is_not_rewritten() {
    let repo = Repo::new();
    session(&repo, 0, 2);
    let oldest = repo.git(&["rev-parse", "HEAD~1"]);
    repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD~1"]);
    assert_eq!(clean(&repo, "plan.md"), Cleaned::Not(Unsquashable::Pushed(oldest)));
    assert_eq!(subjects(&repo).len(), 3);
    // What was pushed before the session began is in nobody's way.
    repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD~2"]);
    assert!(matches!(clean(&repo, "plan.md"), Cleaned::Squashed { from: 2, into: 1, .. }));
}

#[test]
fn a_history_with_merges_or_signatures_is_not_rewritten() {
    let repo = Repo::new();
    session(&repo, 0, 2);
    repo.git(&["checkout", "-q", "-b", "side", "HEAD~1"]);
    other(&repo, "code.rs", "fn main() { side() }\n");
    repo.git(&["checkout", "-q", "main"]);
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    let merge = repo.git(&["rev-parse", "HEAD"]);
    session(&repo, 4, 1);
    assert_eq!(clean(&repo, "plan.md"), Cleaned::Not(Unsquashable::Merged(merge)));

    let repo = Repo::new();
    session(&repo, 0, 2);
    let raw = repo.git(&["cat-file", "commit", "HEAD"]);
    let signed = raw.replacen(
        "\n\n",
        "\ngpgsig -----BEGIN PGP SIGNATURE-----\n x\n -----END PGP SIGNATURE-----\n\n",
        1,
    );
    let kept = repo.write(".git/raw", &signed);
    let signed = repo.git(&["hash-object", "-t", "commit", "-w", kept.to_str().unwrap()]);
    repo.git(&["update-ref", "HEAD", &signed]);
    assert_eq!(clean(&repo, "plan.md"), Cleaned::Not(Unsquashable::Signed(signed)));
}
