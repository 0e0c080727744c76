use std::path::Path;

use document::Author;
use expect_test::expect;
use workspace::journal::{Journal, edits_between};
use workspace::keeper::{Entry, InFile};
use workspace::sidecar::Sidecar;

use crate::scratch::{Scratch, told};

const TEXTS: [&str; 4] = [
    "# Plan\n\nShip it.\n",
    "# Plan\n\nShip it in May.\n",
    "# Plan\n\nShip it in May.\n\nDone.\n",
    "# Plan\n\nShip it in June.\n\nDone.\n",
];
const START: u64 = 1_700_000_000_000;

/// A document with three operations; the last of them is what the file holds.
fn scratch() -> Scratch {
    let scratch = Scratch::with(&[("notes.md", TEXTS[3])]);
    drop(journal(&scratch, "notes.md", None));
    scratch
}

fn journal(scratch: &Scratch, name: &str, session: Option<&str>) -> Journal {
    let sidecar = Sidecar::open(&scratch.path("")).unwrap();
    let paths = sidecar.paths_for(Path::new(name), session).unwrap();
    let (mut journal, _) =
        Journal::open_or_begin(&paths.journal, TEXTS[0], &Author::new("ann"), START).unwrap();
    for (index, author) in ["ben", "claude", "ann"].into_iter().enumerate() {
        let number = index as u64 + 1;
        journal
            .append(Entry {
                revision: number * 2,
                author: Author::new(author),
                time: START + number * 60_000,
                section: (author == "claude").then(|| "Plan".to_owned()),
                request: (author == "claude").then(|| "turn-1".to_owned()),
                edits: edits_between(TEXTS[index], TEXTS[index + 1]),
                file: InFile::default(),
            })
            .unwrap();
    }
    journal.settle(6).unwrap();
    journal
}

#[test]
fn operations_are_listed_latest_first() {
    let scratch = scratch();
    scratch.check(
        &["history", "notes.md"],
        expect![[r#"
        exit 0
        REVISION  TIME (UTC)           INSERTED  REMOVED  AUTHOR
               6  2023-11-14 22:16:20         4        3  ann
               4  2023-11-14 22:15:20         7        0  claude in Plan
               2  2023-11-14 22:14:20         7        0  ben
               0  2023-11-14 22:13:20                     (the history begins)
    "#]],
    );
    scratch.check(
        &["history", "notes.md", "--limit", "1"],
        expect![[r#"
        exit 0
        REVISION  TIME (UTC)           INSERTED  REMOVED  AUTHOR
               6  2023-11-14 22:16:20         4        3  ann
    "#]],
    );
    scratch.write("notes.md", "# Plan\n");
    scratch.check(
        &["history", "notes.md", "--limit", "1"],
        expect![[r#"
        exit 0
        REVISION  TIME (UTC)           INSERTED  REMOVED  AUTHOR
               6  2023-11-14 22:16:20         4        3  ann
        ! notes.md was changed since; 'agent-doc diff notes.md' shows how
    "#]],
    );
}

#[test]
fn json_has_every_field_that_the_guide_promises() {
    let scratch = scratch();
    scratch.check(
        &["history", "notes.md", "--json", "--limit", "2"],
        expect![[r#"
        exit 0
        {
          "file": "notes.md",
          "first_revision": 0,
          "latest_revision": 6,
          "operations": [
            {
              "revision": 6,
              "time": 1700000180000,
              "author": "ann",
              "section": null,
              "request": null,
              "inserted": 4,
              "removed": 3
            },
            {
              "revision": 4,
              "time": 1700000120000,
              "author": "claude",
              "section": "Plan",
              "request": "turn-1",
              "inserted": 7,
              "removed": 0
            }
          ]
        }
    "#]],
    );
    let told = told(&scratch.run(&["blame", "notes.md", "--json"]));
    expect![[r##"
        exit 0
        {
          "file": "notes.md",
          "lines": [
            {
              "line": 1,
              "revision": 0,
              "time": 1700000000000,
              "author": "ann",
              "text": "# Plan"
    "##]]
    .assert_eq(told.split("    },\n").next().unwrap());
}

#[test]
fn every_revision_is_shown_byte_for_byte() {
    let scratch = scratch();
    for (index, text) in TEXTS.iter().enumerate() {
        let revision = (index * 2).to_string();
        let output = scratch.run(&["show", "notes.md", "--revision", &revision]);
        assert_eq!(String::from_utf8(output.stdout).unwrap(), *text);
    }
    scratch.check(
        &["show", "notes.md", "--revision", "3"],
        expect![[r#"
        exit 2
        ! error: notes.md has no revision 3
        !   help: 'agent-doc history notes.md' lists them; they go from 0 to 6
    "#]],
    );
}

#[test]
fn the_difference_is_from_a_revision_to_the_file_now() {
    let scratch = scratch();
    scratch.check(
        &["diff", "notes.md"],
        expect![[r#"
        exit 0
        ! notes.md is as it was at revision 6
    "#]],
    );
    // The blank that marks an unchanged empty line is what no editor would keep in this file.
    let told = told(&scratch.run(&["diff", "notes.md", "--revision", "0"])).replace("\n \n", "\n.\n");
    expect![[r#"
        exit 0
        --- notes.md	revision 0
        +++ notes.md	now
        @@ -1,3 +1,5 @@
         # Plan
        .
        -Ship it.
        +Ship it in June.
        +
        +Done.
    "#]]
    .assert_eq(&told);
}

#[test]
fn each_line_has_its_author_and_what_is_not_recorded_has_none() {
    let scratch = scratch();
    scratch.write("notes.md", TEXTS[3].to_owned() + "Just typed.\n");
    scratch.check(
        &["blame", "notes.md"],
        expect![[r#"
            exit 0
                   0  2023-11-14 22:13:20  ann                 1  # Plan
                   0  2023-11-14 22:13:20  ann                 2
                   6  2023-11-14 22:16:20  ann                 3  Ship it in June.
                   4  2023-11-14 22:15:20  claude              4
                   4  2023-11-14 22:15:20  claude              5  Done.
                   -                       (not recorded)      6  Just typed.
        "#]],
    );
}

#[test]
fn what_is_restored_can_be_undone_and_a_save_in_between_is_kept() {
    let scratch = scratch();
    scratch.write("notes.md", "# Plan\n\nSaved since.\n");
    let restore = |revision: &str| {
        let arguments = ["restore", "notes.md", "--revision", revision];
        told(&scratch.run(&arguments))
    };
    expect![[r#"
        exit 0
        ! notes.md is as it was at revision 2; to undo this, restore revision 7
    "#]]
    .assert_eq(&restore("2"));
    assert_eq!(scratch.read("notes.md"), TEXTS[1]);
    expect![[r#"
        exit 0
        ! notes.md is as it was at revision 7; to undo this, restore revision 8
    "#]]
    .assert_eq(&restore("7"));
    assert_eq!(scratch.read("notes.md"), "# Plan\n\nSaved since.\n");
    expect![[r#"
        exit 0
        ! notes.md is as it was at revision 7
    "#]]
    .assert_eq(&restore("7"));
    let listed = told(&scratch.run(&["history", "notes.md", "--limit", "3"]));
    let authors: Vec<&str> =
        listed.lines().skip(2).filter_map(|line| line.split_whitespace().last()).collect();
    assert_eq!(authors, ["user", "user", "user"]);
}

#[test]
fn a_deleted_document_comes_back() {
    let scratch = scratch();
    std::fs::remove_file(scratch.path("notes.md")).unwrap();
    assert!(scratch.run(&["restore", "notes.md", "--revision", "6"]).status.success());
    assert_eq!(scratch.read("notes.md"), TEXTS[3]);
}

#[test]
fn history_follows_a_renamed_document() {
    let text = "---\nsession: s1\n---\n";
    let scratch = Scratch::with(&[("notes.md", text)]);
    drop(journal(&scratch, "notes.md", Some("s1")));
    std::fs::rename(scratch.path("notes.md"), scratch.path("plan.md")).unwrap();
    let told = told(&scratch.run(&["show", "plan.md", "--revision", "4"]));
    assert_eq!(told, format!("exit 0\n{}", TEXTS[2]));
}

#[test]
fn a_document_without_a_history_says_so_and_gets_no_folder() {
    let scratch = Scratch::with(&[("notes.md", "text\n")]);
    scratch.check(
        &["history", "notes.md"],
        expect![[r#"
        exit 2
        ! error: notes.md has no history
        !   help: it begins when an agent works on the document; older versions may be in git
    "#]],
    );
    for command in ["show", "restore", "diff"] {
        let output = scratch.run(&[command, "notes.md", "--revision", "1"]);
        assert_eq!(output.status.code(), Some(2), "{command}");
    }
    assert_eq!(scratch.run(&["blame", "notes.md"]).status.code(), Some(2));
    assert_eq!(scratch.names(), ["notes.md"]);
    scratch.check(
        &["history", "-"],
        expect![[r#"
        exit 2
        ! error: standard input has no history
        !   help: name a file
    "#]],
    );
    scratch.check(
        &["history", "notse.md"],
        expect![[r#"
        exit 2
        ! error: notse.md does not exist
        !   help: check the path, and the folder you are in
    "#]],
    );
    scratch.check(
        &["history", "gone/notes.md"],
        expect![[r#"
        exit 2
        ! error: cannot find gone/notes.md: No such file or directory (os error 2)
        !   help: check the path, and the folder you are in
    "#]],
    );
}

#[test]
fn while_another_one_writes_others_read_and_nobody_restores() {
    let scratch = Scratch::with(&[("notes.md", TEXTS[3])]);
    let journal = journal(&scratch, "notes.md", None);
    assert!(scratch.run(&["history", "notes.md"]).status.success());
    scratch.check(
        &["restore", "notes.md", "--revision", "2"],
        expect![[r#"
            exit 2
            ! error: notes.md: another agent-doc has the document open; end that one, or wait for it; nothing was changed
            !   help: 'agent-doc diff notes.md --revision 2' shows what it would change
        "#]],
    );
    assert_eq!(scratch.read("notes.md"), TEXTS[3]);
    drop(journal);
}

#[test]
fn damage_is_told_and_what_stands_before_it_is_shown() {
    let scratch = scratch();
    let folder = scratch.path(".agent-doc/journal");
    let mut paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let path = paths.find(|path| path.extension().is_none()).unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.truncate(bytes.len() - 3);
    std::fs::write(&path, bytes).unwrap();
    let told = told(&scratch.run(&["show", "notes.md", "--revision", "4"]));
    assert!(told.starts_with(&format!("exit 0\n{}", TEXTS[2])), "{told}");
    assert!(told.contains("at the end of its history cannot be read"), "{told}");
}

#[test]
fn a_newer_folder_is_refused_untouched() {
    let scratch = scratch();
    std::fs::write(scratch.path(".agent-doc/version"), "9\n").unwrap();
    let told = told(&scratch.run(&["history", "notes.md"])).replace(scratch.path("").to_str().unwrap(), "");
    expect![[r#"
        exit 2
        ! error: the history of notes.md cannot be used: .agent-doc was written by a newer agent-doc (format 9, this one knows 1); update agent-doc
        !   help: look at the folder '.agent-doc' in the root of the project; the document itself is not touched
    "#]].assert_eq(&told);
}
