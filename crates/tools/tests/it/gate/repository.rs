//! Settings of repositories that can run programs. Never lets one through that is not known to be harmless.

use std::fs;

use tools::gate::Repository;

const PLAIN: &str = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n[remote \"origin\"]\n\
    \turl = https://example.org/x.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\
    \tmerge = refs/heads/main\n; a comment\n# another\n";

#[test]
fn what_git_itself_writes_is_plain() {
    assert_eq!(Repository::of_settings(PLAIN), Repository::Plain);
    assert_eq!(Repository::of_settings(""), Repository::Plain);
}

#[test]
fn a_setting_that_may_run_a_program_is_found() {
    let settings = [
        "[core]\nfsmonitor = x",
        "[core]\n\tFsMonitor=x",
        "[CORE]\nhooksPath = x",
        "[core]\npager = x",
        "[core]\nsshCommand = x",
        "[core]\nattributesFile = x",
        "[core]\nworktree = /",
        "[filter \"x\"]\nclean = x",
        "[diff \"x\"]\ntextconv = x",
        "[diff \"x\"]\ncommand = x",
        "[diff]\nexternal = x",
        "[include]\npath = x",
        "[includeIf \"gitdir:/\"]\npath = x",
        "[alias]\nstatus = !x",
        "[gpg]\nprogram = x",
        "[log]\nshowSignature = true",
        "[extensions]\nworktreeConfig = true",
        "[extensions]\npartialClone = origin",
        "[remote \"x\"]\nuploadpack = x",
        "[remote \"x\"]\npromisor = true",
        "[core] fsmonitor = x",
        "[remote \"x\"] fsmonitor = \"y\"]",
        "[remote \"a\\\"]\nfsmonitor = x",
        "[core.x]\nfsmonitor = y",
        "[branch \"x\"]\ndescription = a \\\nfsmonitor",
        "fsmonitor = x",
        "[core]\n\u{b}fsmonitor = x",
        "\u{feff}[core]\nbare = false",
        "[",
        "[]",
    ];
    for text in settings {
        assert!(matches!(Repository::of_settings(text), Repository::Suspect(_)), "{text}");
    }
}

#[test]
fn the_repository_above_a_folder_counts() {
    let folder = tempfile::tempdir().unwrap();
    let inner = folder.path().join("a/b");
    fs::create_dir_all(&inner).unwrap();
    fs::create_dir(folder.path().join(".git")).unwrap();
    assert_eq!(Repository::look(&inner), Repository::Unseen);
    fs::write(folder.path().join(".git/config"), PLAIN).unwrap();
    assert_eq!(Repository::look(&inner), Repository::Plain);
    fs::write(folder.path().join(".git/config"), "[core]\nfsmonitor = x\n").unwrap();
    assert_eq!(Repository::look(&inner), Repository::Suspect("core.fsmonitor".to_owned()));
}

#[test]
fn a_further_working_folder_has_the_settings_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let (main, second) = (folder.path().join("main/.git"), folder.path().join("second"));
    fs::create_dir_all(main.join("worktrees/second")).unwrap();
    fs::create_dir(&second).unwrap();
    fs::write(main.join("config"), "[core]\nfsmonitor = x\n").unwrap();
    fs::write(main.join("worktrees/second/commondir"), "../..\n").unwrap();
    fs::write(second.join(".git"), "gitdir: ../main/.git/worktrees/second\n").unwrap();
    assert_eq!(Repository::look(&second), Repository::Suspect("core.fsmonitor".to_owned()));
}

#[test]
fn a_folder_that_git_would_take_for_a_repository_is_suspect() {
    let folder = tempfile::tempdir().unwrap();
    let bare = folder.path().join("bare");
    fs::create_dir_all(bare.join("objects")).unwrap();
    fs::write(bare.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    assert!(matches!(Repository::look(&bare), Repository::Suspect(_)));
}
