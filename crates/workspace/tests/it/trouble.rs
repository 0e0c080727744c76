//! What happens to a document's path and disk while agents write: each time a clear message, no word lost, and the other document
//! goes on as if nothing were.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use workspace::command::FileErrorKind;
use workspace::owner::Target;

use crate::dice::Dice;
use crate::site::{PLAN, Site, append, is_written, journal_path, log, options, refusal};

fn has(text: &str, line: &str) -> bool {
    text.lines().filter(|found| *found == line).count() == 1
}

/// A project with a document that is about to have trouble and one that is not, each with an answer arriving.
async fn two() -> Site {
    let site = Site::with(&[("plan.md", PLAN), ("other.md", PLAN)]);
    assert!(is_written(&site.append("plan.md", "before").await));
    assert!(is_written(&site.append("other.md", "before").await));
    site
}

/// Makes trouble in the middle of an answer. The caller must hear of it, get its words back or see them written when the trouble is
/// over, and the other document must not notice.
async fn check(trouble: impl Fn(&Path), mend: impl Fn(&Path), kind: FileErrorKind, says: &[&str]) {
    let site = two().await;
    let (plan, other) = (site.document("plan.md").await, site.document("other.md").await);
    let target = || Target::Section("Log".into());
    let answer = plan.stream(target(), log()).await.unwrap();
    let other_answer = other.stream(target(), log()).await.unwrap();
    answer.say("first words of the answer ").await.unwrap();
    plan.settled().await;

    trouble(&site.path("plan.md"));
    answer.say("and its end").await.unwrap();
    other_answer.say("another answer").await.unwrap();
    let (found, message) = refusal(&site.append("plan.md", "in trouble").await);
    assert_eq!(found, kind, "{message}");
    for part in says {
        assert!(message.contains(part), "{part:?} is missing in {message:?}");
    }
    assert!(message.starts_with("plan.md: "), "{message}");
    assert!(is_written(&site.append("other.md", "meanwhile").await));
    other_answer.finish().await.unwrap();
    assert!(has(&site.text("other.md"), "meanwhile") && has(&site.text("other.md"), "another answer"));
    let text = plan.read().text;
    assert!(has(&text, "before"), "the text is not kept: {text:?}");
    let finished = answer.finish().await.unwrap();
    assert_eq!(finished.leftover.as_deref(), Some("first words of the answer and its end"));

    mend(&site.path("plan.md"));
    assert!(is_written(&site.append("plan.md", "after").await));
    let text = site.text("plan.md");
    for line in ["before", "after"] {
        assert!(has(&text, line), "{line:?} is missing in {text:?}");
    }
    assert!(!text.contains("in trouble"), "what was refused is there: {text:?}");
    let folder = site.close().await;
    let strays: Vec<String> =
        crate::store::names(folder.path()).into_iter().filter(|name| name.contains(".agent-doc-")).collect();
    assert_eq!(strays, [""; 0]);
}

fn set_aside(path: &Path) {
    fs::rename(path, path.with_extension("aside")).unwrap();
}

fn put_back(path: &Path) {
    fs::rename(path.with_extension("aside"), path).unwrap();
}

// F18, FT-3
#[tokio::test]
async fn a_document_is_deleted_in_the_middle_of_an_answer() {
    check(set_aside, put_back, FileErrorKind::NotFound, &["gone", "kept for recovery", "restore the file"])
        .await;
}

// F18, FT-2
#[tokio::test]
async fn a_document_is_made_read_only_in_the_middle_of_an_answer() {
    let mode = |mode| move |path: &Path| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    check(
        mode(0o444),
        mode(0o644),
        FileErrorKind::IoError,
        &["read-only", "make it writable", "nothing was changed"],
    )
    .await;
}

// F18
#[tokio::test]
async fn a_document_is_replaced_by_a_folder_in_the_middle_of_an_answer() {
    let trouble = |path: &Path| {
        set_aside(path);
        fs::create_dir(path).unwrap();
    };
    let mend = |path: &Path| {
        fs::remove_dir(path).unwrap();
        put_back(path);
    };
    check(trouble, mend, FileErrorKind::IoError, &["is a folder now", "move it away"]).await;
}

// F18
#[tokio::test]
async fn a_document_is_replaced_by_a_pipe_in_the_middle_of_an_answer() {
    let trouble = |path: &Path| {
        set_aside(path);
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    let mend = |path: &Path| {
        fs::remove_file(path).unwrap();
        put_back(path);
    };
    check(trouble, mend, FileErrorKind::IoError, &["is no regular file", "move it away"]).await;
}

// F16, F17
#[tokio::test]
async fn a_document_is_replaced_by_a_link_out_of_the_root_in_the_middle_of_an_answer() {
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.md");
    fs::write(&secret, "secret\n").unwrap();
    let trouble = |path: &Path| {
        set_aside(path);
        symlink(&secret, path).unwrap();
    };
    let mend = |path: &Path| {
        fs::remove_file(path).unwrap();
        put_back(path);
    };
    check(trouble, mend, FileErrorKind::IoError, &["is a link now"]).await;
    assert_eq!(fs::read_to_string(&secret).unwrap(), "secret\n");
}

#[tokio::test]
async fn a_document_grows_past_the_limit_by_somebody_elses_hand() {
    let trouble = |path: &Path| {
        fs::copy(path, path.with_extension("aside")).unwrap();
        fs::write(path, "x".repeat((16 << 20) + 1)).unwrap();
    };
    check(
        trouble,
        put_back,
        FileErrorKind::TooLarge,
        &["16777217 bytes", "the limit is 16777216", "shorten the file"],
    )
    .await;
}

#[tokio::test]
async fn a_document_becomes_no_text_in_the_middle_of_an_answer() {
    let trouble = |path: &Path| {
        fs::copy(path, path.with_extension("aside")).unwrap();
        fs::write(path, b"\xff\xfe\x00").unwrap();
    };
    check(trouble, put_back, FileErrorKind::InvalidContent, &["repair the file"]).await;
}

#[tokio::test]
async fn an_answer_that_would_fill_the_document_past_its_limit_comes_back_whole() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["plan.md", "other.md"] {
        fs::write(folder.path().join(name), PLAN).unwrap();
    }
    let limited = workspace::owner::Options { document_max: 64 << 10, ..options() };
    let hub = workspace::project::open(folder.path(), limited).unwrap();
    let plan = hub.document("plan.md").await.unwrap();
    let answer = plan.stream(Target::Section("Log".into()), log()).await.unwrap();
    let (mut said, line) = (String::new(), format!("{}\n", "word ".repeat(199)));
    for _ in 0..100 {
        answer.say(line.clone()).await.unwrap();
        said.push_str(&line);
        plan.settled().await;
    }
    assert!(is_written(&hub.execute(append("other.md", "meanwhile").by(log())).await));
    let finished = answer.finish().await.unwrap();
    assert_eq!(finished.leftover, Some(said));
    let length = fs::metadata(folder.path().join("plan.md")).unwrap().len();
    assert!(length > 60 << 10 && length <= 64 << 10, "{length}");
    let (kind, message) = refusal(&plan.execute(append("plan.md", &line).by(log())).await);
    assert_eq!(kind, FileErrorKind::TooLarge, "{message}");
    hub.shutdown().await;
}

// FT-4
#[tokio::test]
async fn a_document_that_is_moved_in_the_middle_of_an_answer_is_followed_by_its_session() {
    let text = format!("---\nagent_doc_session: 6f2c\n---\n{PLAN}");
    for to in ["moved.md", "below/moved.md"] {
        let site = Site::with(&[("plan.md", &text), ("other.md", PLAN)]);
        fs::create_dir(site.path("below")).unwrap();
        assert!(is_written(&site.append("plan.md", "before").await));
        let loaded = site.text("plan.md");
        let plan = site.document("plan.md").await;
        let answer = plan.stream(Target::Section("Log".into()), log()).await.unwrap();
        answer.say("an answer on its way").await.unwrap();
        plan.settled().await;
        fs::rename(site.path("plan.md"), site.path(to)).unwrap();
        let (kind, message) = refusal(&site.append("plan.md", "to the old name").await);
        assert_eq!(kind, FileErrorKind::NotFound, "{message}");
        assert_eq!(answer.finish().await.unwrap().leftover.as_deref(), Some("an answer on its way"));
        let reply = site.append(to, "to the new name").await;
        assert!(is_written(&reply) && reply.revision == 3, "{reply:?}");
        assert_eq!(site.append(to, "before").await.revision, 1, "the request is not known any more");
        // An editor that loaded the document under its old name saves it under the new one.
        site.save(to, &loaded.replacen("# Plan\n", "# Plan\n\na thought\n", 1)).await;
        let text = site.text(to);
        for line in ["before", "to the new name", "a thought"] {
            assert!(has(&text, line), "{line:?} is missing in {text:?}");
        }
        assert!(!site.path("plan.md").exists(), "the old name is there again");
        assert!(is_written(&site.append("other.md", "meanwhile").await));
        site.close().await;
    }
}

// FT-4
#[tokio::test]
async fn a_document_without_a_session_that_is_moved_is_neither_written_nor_made_again() {
    for to in ["moved.md", "below/moved.md"] {
        let site = two().await;
        fs::create_dir(site.path("below")).unwrap();
        let (plan, inode) = (site.document("plan.md").await, inode(&site.path("plan.md")));
        let answer = plan.stream(Target::Section("Log".into()), log()).await.unwrap();
        fs::rename(site.path("plan.md"), site.path(to)).unwrap();
        let text = site.text(to);
        answer.say("an answer on its way").await.unwrap();
        let (kind, message) = refusal(&site.append("plan.md", "to the old name").await);
        assert_eq!(kind, FileErrorKind::NotFound, "{message}");
        assert!(message.contains("restore the file, or write its text to a new one"), "{message}");
        assert_eq!(answer.finish().await.unwrap().leftover.as_deref(), Some("an answer on its way"));
        assert!(!site.path("plan.md").exists(), "the old name is there again");
        assert_eq!((site.text(to), self::inode(&site.path(to))), (text, inode), "the moved file was touched");

        // Under its new name it is a document like any other, and its old name is free for another.
        assert!(is_written(&site.append(to, "to the new name").await));
        fs::write(site.path("plan.md"), PLAN).unwrap();
        assert!(is_written(&site.append("plan.md", "to another document").await));
        let texts = (site.text(to), site.text("plan.md"));
        assert!(has(&texts.0, "before") && has(&texts.0, "to the new name"), "{texts:?}");
        assert!(has(&texts.1, "to another document") && !texts.0.contains("another"), "{texts:?}");
        assert!(is_written(&site.append("other.md", "meanwhile").await));
        site.close().await;
    }
}

fn inode(path: &Path) -> u64 {
    std::os::unix::fs::MetadataExt::ino(&fs::metadata(path).unwrap())
}

#[tokio::test]
async fn a_damaged_journal_is_kept_and_the_documents_go_on() {
    let mut dice = Dice::new(11);
    let site = two().await;
    for line in 0..10 {
        site.append("plan.md", &format!("line {line}")).await;
    }
    let mut folder = site.close().await;
    let (journal, plan) = (journal_path(folder.path(), "plan.md"), folder.path().join("plan.md"));
    let (whole, text) = (fs::read(&journal).unwrap(), fs::read_to_string(&plan).unwrap());
    let mut kept = 0;
    for round in 0..200 {
        let mut bytes = whole.clone();
        if round % 2 == 0 {
            let at = dice.below(bytes.len());
            bytes[at] ^= 1 << dice.below(8);
        } else {
            bytes.truncate(dice.below(bytes.len()));
        }
        fs::write(&journal, &bytes).unwrap();
        fs::write(&plan, &text).unwrap();
        let site = Site::in_folder(folder);
        assert_eq!(*site.document("plan.md").await.read().text, *text, "round {round}");
        assert!(is_written(&site.append("plan.md", &format!("after {round}")).await), "round {round}");
        assert!(is_written(&site.append("other.md", &format!("after {round}")).await), "round {round}");
        folder = site.close().await;
        for name in crate::store::names(journal.parent().unwrap()) {
            if name.contains("damaged") {
                kept += 1;
                fs::remove_file(journal.parent().unwrap().join(name)).unwrap();
            }
        }
    }
    println!("200 damaged journals: the file was what it was each time, damaged bytes kept {kept} times");
    assert!(kept > 100, "{kept} {:?}", crate::store::names(journal.parent().unwrap()));
}

// FT-17
#[tokio::test]
async fn a_state_folder_of_a_newer_program_is_refused_untouched_and_so_is_one_journal() {
    let site = two().await;
    let folder = site.close().await;
    let journal = journal_path(folder.path(), "plan.md");
    let whole = fs::read(&journal).unwrap();
    let newer = crate::journal::of_a_later_format();
    fs::write(&journal, &newer).unwrap();
    let site = Site::in_folder(folder);
    let (kind, message) = refusal(&site.append("plan.md", "x").await);
    assert_eq!(kind, FileErrorKind::IoError);
    assert!(message.contains("newer agent-doc; update this one"), "{message}");
    assert!(is_written(&site.append("other.md", "meanwhile").await));
    let folder = site.close().await;
    assert_eq!(fs::read(&journal).unwrap(), newer);
    fs::write(&journal, whole).unwrap();

    let version = folder.path().join(".agent-doc/version");
    fs::write(&version, "99\n").unwrap();
    let error = workspace::project::open(folder.path(), options()).err().unwrap();
    let said = error.to_string();
    assert!(said.contains("newer agent-doc (format 99") && said.contains("update agent-doc"), "{said}");
    assert_eq!(fs::read_to_string(&version).unwrap(), "99\n");
    assert!(has(&fs::read_to_string(folder.path().join("plan.md")).unwrap(), "before"));
}

// DS-26
#[tokio::test]
async fn a_project_may_be_opened_by_one_process_at_a_time_and_documents_one_by_one() {
    let site = two().await;
    let second = workspace::project::open(site.folder.path(), options()).unwrap();
    let refused = second.document("plan.md").await.unwrap_err();
    assert!(refused.message.contains("has the document open"), "{}", refused.message);
    assert!(is_written(&site.append("plan.md", "goes on").await));
    fs::write(site.path("third.md"), PLAN).unwrap();
    assert!(is_written(&second.execute(append("third.md", "not open elsewhere").by(log())).await));
    let folder = site.close().await;
    assert!(is_written(&second.execute(append("plan.md", "free again").by(log())).await));
    second.shutdown().await;
    let text = fs::read_to_string(folder.path().join("plan.md")).unwrap();
    assert!(has(&text, "goes on") && has(&text, "free again"));
}

// C10, DS-5
#[test]
fn a_program_that_empties_the_file_and_writes_slowly_is_waited_for() {
    use std::io::Write as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.md");
    fs::write(&path, PLAN).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let (mut rounds, mut partial) = (0, 0);
    let hub = workspace::project::open(folder.path(), options()).unwrap();
    let handle = runtime.block_on(hub.document("plan.md")).unwrap();
    for round in 0..50 {
        let saved =
            fs::read_to_string(&path).unwrap().replacen("# Plan\n", &format!("# Plan\nthought {round}\n"), 1);
        let mut slow = fs::OpenOptions::new().write(true).truncate(true).open(&path).unwrap();
        let waiting = {
            let handle = handle.clone();
            runtime.spawn(async move {
                handle.execute(append("plan.md", &format!("answer {round}")).by(log())).await
            })
        };
        for piece in saved.as_bytes().chunks(saved.len() / 4 + 1) {
            slow.write_all(piece).unwrap();
            std::thread::sleep(std::time::Duration::from_millis(2));
            partial += usize::from(!handle.read().text.ends_with("end\n"));
        }
        drop(slow);
        assert!(is_written(&runtime.block_on(waiting).unwrap()));
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            has(&text, &format!("thought {round}")) && has(&text, &format!("answer {round}")),
            "{text:?}"
        );
        rounds += 1;
    }
    println!("{rounds} slow saves: {partial} half ones shown");
    assert_eq!(partial, 0);
    runtime.block_on(hub.shutdown());
}
