//! Session documents in real repositories, committed by real git.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;
use workspace::git::{Branched, Committed, GitError, NotCommitted, Repository, branch_name, subject};

use crate::child;

/// A repository in a folder of its own, with settings that no machine's own can disturb.
pub(crate) struct Repo {
    _folder: Option<TempDir>,
    pub(crate) root: PathBuf,
}

impl Repo {
    pub(crate) fn empty() -> Repo {
        let folder = tempfile::tempdir().unwrap();
        let repo = Repo { root: folder.path().canonicalize().unwrap(), _folder: Some(folder) };
        repo.git(&["init", "-q", "-b", "main"]);
        repo.git(&["config", "user.name", "Ann"]);
        repo.git(&["config", "user.email", "ann@example.com"]);
        repo
    }

    /// One with a file in a first commit.
    pub(crate) fn new() -> Repo {
        let repo = Repo::empty();
        repo.write("code.rs", "fn main() {}\n");
        repo.git(&["add", "code.rs"]);
        repo.git(&["commit", "-q", "-m", "begin"]);
        repo
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = self.try_git(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
    }

    fn try_git(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new("git");
        command
            .arg("-C")
            .arg(&self.root)
            .args(["-c", "protocol.file.allow=always"])
            .args(arguments)
            .output()
            .unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        let whole = self.root.join(path);
        fs::create_dir_all(whole.parent().unwrap()).unwrap();
        fs::write(&whole, text).unwrap();
        whole
    }

    pub(crate) fn commit(&self, path: &str, text: &str) -> Committed {
        let whole = self.write(path, text);
        let repository = Repository::of(&whole).unwrap().unwrap();
        repository.commit(text, &subject(&whole, "2026-11-16 09:30:00")).unwrap()
    }

    /// What the last commit changed.
    fn touched(&self) -> String {
        self.git(&["show", "--format=", "--name-only", "HEAD"])
    }

    fn status(&self) -> String {
        self.git(&["status", "--porcelain"])
    }
}

fn is_made(committed: &Committed) -> bool {
    matches!(committed, Committed::Made { is_index_told: true, .. })
}

#[test]
fn only_the_document_is_committed_and_what_is_staged_stays_staged() {
    let repo = Repo::new();
    repo.write("code.rs", "fn main() { todo() }\n");
    repo.write("staged.txt", "not yet\n");
    repo.git(&["add", "code.rs", "staged.txt"]);
    repo.write("loose.txt", "never added\n");
    assert!(is_made(&repo.commit("notes/plan.md", "# Plan\n")));
    assert_eq!(repo.touched(), "notes/plan.md");
    assert_eq!(repo.git(&["show", "HEAD:notes/plan.md"]), "# Plan");
    assert_eq!(repo.status(), "M  code.rs\nA  staged.txt\n?? loose.txt");
    assert_eq!(repo.git(&["log", "-1", "--format=%s|%an"]), "agent-doc(plan): 2026-11-16 09:30:00|Ann");
    assert_eq!(repo.commit("notes/plan.md", "# Plan\n"), Committed::Unchanged);
    assert!(is_made(&repo.commit("notes/plan.md", "# Plan\n\nMore.\n")));
    assert_eq!(repo.status(), "M  code.rs\nA  staged.txt\n?? loose.txt");
    assert_eq!(repo.git(&["fsck", "--strict"]), "");
}

#[test]
fn trees_are_those_that_git_makes_itself_whatever_the_repository_is_like() {
    let kinds: [(&str, &[&[&str]]); 5] = [
        ("plain", &[]),
        ("packed", &[&["repack", "-adq"], &["pack-refs", "--all"]]),
        ("shared", &[&["config", "core.sharedRepository", "group"]]),
        ("replaced", &[&["commit", "-q", "--allow-empty", "-m", "second"], &["replace", "--graft", "HEAD"]]),
        ("sha256", &[]),
    ];
    for (kind, commands) in kinds {
        let repo = Repo::empty();
        if kind == "sha256" {
            fs::remove_dir_all(repo.root.join(".git")).unwrap();
            repo.git(&["init", "-q", "-b", "main", "--object-format=sha256"]);
            repo.git(&["config", "user.name", "Ann"]);
            repo.git(&["config", "user.email", "ann@example.com"]);
        }
        // A folder sorts as if its name ended with a slash.
        for path in ["a/x.md", "a-b.md", "a.md", "a0.md", "A.md", "zoo/deep/er.md", "é.md"] {
            repo.write(path, path);
        }
        std::os::unix::fs::symlink("a.md", repo.root.join("link")).unwrap();
        fs::set_permissions(repo.root.join("a0.md"), fs::Permissions::from_mode(0o755)).unwrap();
        repo.git(&["add", "."]);
        repo.git(&["commit", "-q", "-m", "begin"]);
        for command in commands {
            repo.git(command);
        }
        for (path, text) in [
            ("a.md", "one\n"),
            ("a/plan.md", "two\n"),
            ("a/plan.md", "three\n"),
            ("zoo/deep/new/plan.md", "four\n"),
            ("empty.md", ""),
        ] {
            assert!(is_made(&repo.commit(path, text)), "{kind}: {path}");
            let own = repo.git(&["rev-parse", "HEAD^{tree}"]);
            assert_eq!(own, repo.git(&["write-tree"]), "{kind}: {path}");
            assert_eq!(repo.git(&["show", &format!("HEAD:{path}")]), text.trim_end(), "{kind}");
        }
        assert_eq!(repo.git(&["fsck", "--strict", "--no-dangling"]), "", "{kind}");
        assert_eq!(repo.status(), "", "{kind}");
    }
}

#[test]
fn an_answer_that_follows_shows_as_uncommitted() {
    let repo = Repo::new();
    repo.commit("plan.md", "Question?\n");
    repo.write("plan.md", "Question?\n\nAnswer.\n");
    assert_eq!(repo.status(), " M plan.md");
    assert_eq!(repo.git(&["diff", "--numstat"]), "2\t0\tplan.md");
}

#[test]
fn no_program_of_the_repository_runs() {
    let repo = Repo::new();
    let trap = repo.root.join("trap.sh");
    let sprung =
        repo.root.parent().unwrap().join(format!("{}-sprung", repo.root.file_name().unwrap().display()));
    fs::write(&trap, format!("#!/bin/sh\necho \"$0 $@\" >> '{}'\ncat\n", sprung.display())).unwrap();
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    let program = trap.to_str().unwrap();
    for hook in [
        "pre-commit",
        "commit-msg",
        "post-commit",
        "reference-transaction",
        "post-index-change",
        "post-checkout",
        "pre-auto-gc",
    ] {
        fs::copy(&trap, repo.root.join(".git/hooks").join(hook)).unwrap();
    }
    for (key, value) in [
        ("filter.evil.clean", program),
        ("filter.evil.process", program),
        ("filter.evil.required", "true"),
        ("core.fsmonitor", program),
        ("core.sshCommand", program),
        ("core.editor", program),
        ("core.pager", program),
        ("diff.external", program),
        ("diff.evil.textconv", program),
        ("gpg.program", program),
        ("commit.gpgSign", "true"),
        ("credential.helper", program),
    ] {
        repo.git(&["config", key, value]);
    }
    repo.write(".gitattributes", "*.md filter=evil diff=evil\n");
    for number in 0..3 {
        assert!(is_made(&repo.commit("plan.md", &format!("# Plan {number}\n"))));
    }
    let repository = Repository::of(&repo.root.join("plan.md")).unwrap().unwrap();
    repository.take_branch("agent-doc/plan").unwrap();
    repository.clean().unwrap();
    assert_eq!(fs::read_to_string(&sprung).ok(), None);
    // The traps work: git itself springs them.
    repo.try_git(&["commit", "-q", "--allow-empty", "-m", "ordinary"]);
    assert!(fs::metadata(&sprung).is_ok());
    fs::remove_file(sprung).unwrap();
}

#[test]
fn what_git_does_to_texts_by_itself_it_does_wherever_the_repository_says_so() {
    for place in [".gitattributes", "notes/.gitattributes", ".git/info/attributes"] {
        let repo = Repo::new();
        repo.write(place, "*.md working-tree-encoding=ISO-8859-1\n");
        assert!(is_made(&repo.commit("notes/plan.md", "# Größe\n")));
        // Each of the two bytes of a letter is a letter of its own in that encoding.
        assert_eq!(repo.git(&["show", "HEAD:notes/plan.md"]), "# GrÃ¶Ã\u{9f}e", "{place}");
    }
}

#[test]
fn an_index_that_another_git_has_locked_does_not_stop_the_commit() {
    let repo = Repo::new();
    repo.write(".git/index.lock", "");
    let made = repo.commit("plan.md", "# Plan\n");
    assert!(matches!(made, Committed::Made { is_index_told: false, .. }), "{made:?}");
    fs::remove_file(repo.root.join(".git/index.lock")).unwrap();
    assert!(is_made(&repo.commit("plan.md", "# Plan\n\nMore.\n")));
    assert_eq!(repo.status(), "");
}

#[test]
fn an_empty_repository_gets_its_first_commit() {
    let repo = Repo::empty();
    repo.write("staged.txt", "not yet\n");
    repo.git(&["add", "staged.txt"]);
    assert!(is_made(&repo.commit("a/b/plan.md", "# Plan\n")));
    assert_eq!(repo.touched(), "a/b/plan.md");
    assert_eq!(repo.status(), "A  staged.txt");
    assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "1");
}

#[test]
fn a_linked_worktree_and_a_submodule_have_their_own_commits() {
    let repo = Repo::new();
    let other =
        repo.root.parent().unwrap().join(format!("{}-linked", repo.root.file_name().unwrap().display()));
    repo.git(&["worktree", "add", "-q", "-b", "side", other.to_str().unwrap()]);
    let linked = Repo { _folder: None, root: other.clone() };
    assert!(is_made(&linked.commit("plan.md", "# Plan\n")));
    assert_eq!(linked.git(&["log", "--format=%s", "-1"]), "agent-doc(plan): 2026-11-16 09:30:00");
    assert_eq!((repo.git(&["log", "--format=%s"]), linked.status()), ("begin".to_owned(), String::new()));
    // The branch of one worktree is not taken by another.
    let here = Repository::of(&repo.write("plan.md", "# Plan\n")).unwrap().unwrap();
    assert_eq!(here.take_branch("side").unwrap(), Branched::Elsewhere);

    let outer = Repo::new();
    outer.git(&["submodule", "add", "-q", repo.root.to_str().unwrap(), "inner"]);
    outer.git(&["commit", "-q", "-m", "submodule"]);
    let inner = Repo { _folder: None, root: outer.root.join("inner") };
    inner.git(&["config", "user.name", "Ann"]);
    inner.git(&["config", "user.email", "ann@example.com"]);
    assert!(is_made(&inner.commit("plan.md", "# Plan\n")));
    assert_eq!(inner.touched(), "plan.md");
    assert_eq!(outer.git(&["log", "-1", "--format=%s"]), "submodule");
    fs::remove_dir_all(other).unwrap();
}

#[test]
fn a_repository_out_of_the_ordinary_is_found_as_well() {
    let packed = Repo::new();
    packed.git(&["pack-refs", "--all"]);
    assert!(is_made(&packed.commit("notes/plan.md", "# Plan\n")));
    assert_eq!(packed.git(&["rev-list", "--count", "main"]), "2");
    // Its working files are elsewhere, and a document beside its own folder is none of them.
    let elsewhere = Repo::new();
    let files = tempfile::tempdir().unwrap();
    elsewhere.git(&["config", "core.worktree", files.path().to_str().unwrap()]);
    assert!(Repository::of(&elsewhere.write("plan.md", "# Plan\n")).unwrap().is_none());
    let bare = tempfile::tempdir().unwrap();
    elsewhere.git(&["init", "-q", "--bare", bare.path().to_str().unwrap()]);
    fs::write(bare.path().join("plan.md"), "# Plan\n").unwrap();
    assert!(Repository::of(&bare.path().join("plan.md")).unwrap().is_none());
}

#[test]
fn outside_of_git_there_is_no_repository() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.md");
    fs::write(&path, "# Plan\n").unwrap();
    assert!(Repository::of(&path).unwrap().is_none());
    assert!(matches!(Repository::of(&folder.path().join("absent.md")), Err(GitError::Io(_))));
}

#[test]
fn a_detached_head_is_committed_on() {
    let repo = Repo::new();
    repo.git(&["checkout", "-q", "--detach"]);
    assert!(is_made(&repo.commit("plan.md", "# Plan\n")));
    assert_eq!(repo.git(&["log", "--format=%s", "main"]), "begin");
    assert_eq!(repo.git(&["rev-list", "--count", "HEAD"]), "2");
}

#[test]
fn a_person_without_a_name_is_told_how_to_get_one() {
    if !child::is_child() {
        let nobody = "unset GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL EMAIL
            export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null";
        return child::run_after(nobody, "git::a_person_without_a_name_is_told_how_to_get_one");
    }
    let repo = Repo::new();
    repo.git(&["config", "--unset", "user.name"]);
    repo.git(&["config", "--unset", "user.email"]);
    repo.git(&["config", "user.useConfigOnly", "true"]);
    let path = repo.write("plan.md", "# Plan\n");
    let before = repo.git(&["rev-parse", "HEAD"]);
    let error = Repository::of(&path).unwrap().unwrap().commit("# Plan\n", "x").unwrap_err();
    assert!(matches!(error, GitError::Nameless), "{error}");
    assert!(error.to_string().contains("git config --global user.name"));
    assert_eq!(repo.git(&["rev-parse", "HEAD"]), before);
}

#[test]
fn a_merge_that_is_going_on_is_left_to_the_person() {
    let repo = Repo::new();
    repo.write(".git/MERGE_HEAD", &repo.git(&["rev-parse", "HEAD"]));
    assert_eq!(repo.commit("plan.md", "# Plan\n"), Committed::Not(NotCommitted::Underway("a merge")));
    fs::remove_file(repo.root.join(".git/MERGE_HEAD")).unwrap();
    fs::create_dir(repo.root.join(".git/rebase-merge")).unwrap();
    assert_eq!(repo.commit("plan.md", "# Plan\n"), Committed::Not(NotCommitted::Underway("a rebase")));
}

#[test]
fn names_modes_links_and_line_endings_are_as_git_would_have_them() {
    let repo = Repo::new();
    for path in ["Größe und\tmehr/日本 plan's.md", "-dash.md", "a/*.md", ":(top)x.md", "tail .md"] {
        assert!(is_made(&repo.commit(path, "# Plan\n")), "{path}");
        assert_eq!(
            repo.git(&["-c", "core.quotePath=false", "show", "--format=", "--name-only", "-z", "HEAD"]),
            format!("{path}\0")
        );
    }
    assert_eq!(repo.status(), "");

    repo.write(".gitignore", "secret.md\n");
    repo.git(&["add", ".gitignore"]);
    assert!(is_made(&repo.commit("secret.md", "kept all the same\n")));

    let path = repo.write("run.md", "#!/bin/cat\n");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    repo.git(&["add", "run.md"]);
    repo.git(&["commit", "-q", "-m", "executable", "--", "run.md"]);
    repo.commit("run.md", "#!/bin/cat\nmore\n");
    assert!(repo.git(&["ls-tree", "HEAD", "run.md"]).starts_with("100755"));

    std::os::unix::fs::symlink("run.md", repo.root.join("link.md")).unwrap();
    let linked = Repository::of(&repo.root.join("link.md")).unwrap().unwrap();
    assert_eq!(linked.path(), "run.md");

    repo.git(&["config", "core.autocrlf", "true"]);
    repo.commit("windows.md", "one\r\ntwo\r\n");
    assert_eq!(repo.git(&["cat-file", "blob", "HEAD:windows.md"]), "one\ntwo");
    repo.git(&["add", ".gitignore"]);
    assert_eq!(repo.status().lines().filter(|line| line.contains("windows")).count(), 0);
}

#[test]
fn commits_of_others_at_the_same_moment_are_all_kept() {
    let repo = Repo::new();
    let other = &repo;
    std::thread::scope(|scope| {
        for person in 0..2 {
            scope.spawn(move || {
                for number in 0..15 {
                    let made = other.commit(&format!("plan{person}.md"), &format!("# Plan {number}\n"));
                    assert!(matches!(made, Committed::Made { .. }), "{made:?}");
                }
            });
        }
        for number in 0..15 {
            other.try_git(&["commit", "-q", "--allow-empty", "-m", &format!("ordinary {number}")]);
        }
    });
    let subjects = repo.git(&["log", "--format=%s"]);
    assert_eq!(subjects.lines().filter(|line| line.starts_with("agent-doc(")).count(), 30);
    assert_eq!(repo.git(&["show", "HEAD:plan0.md", "HEAD:plan1.md"]), "# Plan 14\n# Plan 14");
    println!("30 commits of documents among {} in all", subjects.lines().count());
}

#[test]
fn the_branch_of_a_session_is_begun_once_and_used_again() {
    let repo = Repo::new();
    let path = repo.write("My plan.md", "# Plan\n");
    let name = branch_name(Path::new("notes/My plan.md"));
    assert_eq!(name, "agent-doc/My-plan");
    let repository = Repository::of(&path).unwrap().unwrap();
    repo.write("code.rs", "fn main() { changed() }\n");
    assert_eq!(repository.take_branch(&name).unwrap(), Branched::Begun);
    assert_eq!(repository.take_branch(&name).unwrap(), Branched::Already);
    assert_eq!(repo.git(&["branch", "--show-current"]), name);
    assert_eq!(repo.status(), " M code.rs\n?? \"My plan.md\"");
    repo.git(&["checkout", "-q", "main"]);
    assert_eq!(repository.take_branch(&name).unwrap(), Branched::Joined);
    repo.commit("My plan.md", "# Plan\n");
    repo.git(&["checkout", "-q", "main"]);
    repo.write("My plan.md", "# Plan\n");
    assert_eq!(repository.take_branch(&name).unwrap(), Branched::Elsewhere);
    assert_eq!(repo.git(&["branch", "--show-current"]), "main");
    for (document, name) in
        [("...md", "agent-doc/document"), ("a..b~^:.md", "agent-doc/a--b"), ("日本.md", "agent-doc/日本")]
    {
        assert_eq!(branch_name(Path::new(document)), name);
    }
    let fresh = Repo::empty();
    let path = fresh.write("plan.md", "# Plan\n");
    assert_eq!(
        Repository::of(&path).unwrap().unwrap().take_branch("agent-doc/plan").unwrap(),
        Branched::Begun
    );
    fresh.commit("plan.md", "# Plan\n");
    assert_eq!(fresh.git(&["branch", "--show-current"]), "agent-doc/plan");
}
