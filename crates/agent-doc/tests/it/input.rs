use std::io::{Seek as _, SeekFrom, Write as _};

use expect_test::expect;

use crate::scratch::{Scratch, told};

#[test]
fn a_missing_file_is_named() {
    Scratch::new().check(
        &["outline", "notes.md"],
        expect![[r#"
            exit 2
            ! error: notes.md does not exist
            !   help: check the path, and the folder you are in
        "#]],
    );
}

#[test]
fn a_folder_is_no_file() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("notes")).unwrap();
    scratch.check(
        &["outline", "notes"],
        expect![[r#"
        exit 2
        ! error: notes is a folder
        !   help: name a markdown file in it
    "#]],
    );
}

#[test]
fn bytes_that_are_no_text_are_refused_with_their_place() {
    let scratch = Scratch::new();
    scratch.write("latin.md", b"# Caf\xe9\n");
    scratch.write("binary.md", b"one\ntwo \0\n");
    scratch.write("wide.md", b"\xff\xfe#\0");
    scratch.check(
        &["outline", "latin.md"],
        expect![[r#"
        exit 2
        ! error: latin.md: line 1: byte 5 is not UTF-8
        !   help: save the file as UTF-8 or remove that byte
    "#]],
    );
    scratch.check(
        &["section", "list", "binary.md"],
        expect![[r#"
        exit 2
        ! error: binary.md: line 2: byte 8 is NUL, so this is no text file
        !   help: restore the file or remove that byte
    "#]],
    );
    scratch.check(
        &["section", "read", "wide.md", "A"],
        expect![[r#"
        exit 2
        ! error: wide.md is UTF-16
        !   help: save it as UTF-8 and try again
    "#]],
    );
}

#[test]
fn a_merge_of_what_is_no_text_writes_nothing() {
    let scratch = Scratch::with(&[("base.md", "a\n"), ("mine.md", "b\n")]);
    scratch.write("agent.md", b"a\n\xff\n");
    scratch.check(
        &["merge", "base.md", "agent.md", "mine.md", "-o", "mine.md"],
        expect![[r#"
            exit 2
            ! error: agent.md: line 2: byte 2 is not UTF-8
            !   help: save the file as UTF-8 or remove that byte
        "#]],
    );
    assert_eq!(scratch.read("mine.md"), "b\n");
}

#[test]
fn standard_input_is_named_in_errors() {
    let output = Scratch::new().run_with_input(&["outline", "-"], b"\xff");
    expect![[r#"
        exit 2
        ! error: standard input: line 1: byte 0 is not UTF-8
        !   help: save the file as UTF-8 or remove that byte
    "#]]
    .assert_eq(&told(&output));
}

#[test]
fn a_file_that_nobody_can_have_written_is_refused() {
    let scratch = Scratch::new();
    let mut file = std::fs::File::create(scratch.path("huge.md")).unwrap();
    file.seek(SeekFrom::Start(64 * 1024 * 1024)).unwrap();
    file.write_all(b"!").unwrap();
    scratch.check(
        &["outline", "huge.md"],
        expect![[r#"
        exit 2
        ! error: huge.md is larger than 64 MiB
        !   help: split it; agent-doc works on texts that people write
    "#]],
    );
}

#[cfg(unix)]
#[test]
fn a_file_without_permission_is_refused() {
    use std::os::unix::fs::PermissionsExt;

    let scratch = Scratch::with(&[("notes.md", "# A\n")]);
    std::fs::set_permissions(scratch.path("notes.md"), PermissionsExt::from_mode(0o000)).unwrap();
    // Root may read anything, and then there is nothing to refuse.
    if std::fs::read(scratch.path("notes.md")).is_err() {
        scratch.check(
            &["outline", "notes.md"],
            expect![[r#"
            exit 2
            ! error: cannot read notes.md: Permission denied (os error 13)
            !   help: ask its owner for permission to read it
        "#]],
        );
    }
}
