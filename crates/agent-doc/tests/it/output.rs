use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use crate::scratch::Scratch;

/// A reader that takes one line and leaves, as `head -1` does.
fn check(scratch: &Scratch, arguments: &[&str], code: i32) {
    let mut command = scratch.command(arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    let mut reader = BufReader::with_capacity(64, child.stdout.take().unwrap());
    reader.read_line(&mut first).unwrap();
    drop(reader);
    let output = child.wait_with_output().unwrap();
    assert!(!first.is_empty());
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "{arguments:?}");
    assert_eq!(output.status.code(), Some(code), "{arguments:?}");
}

#[test]
fn a_reader_that_leaves_early_hears_no_complaint() {
    // More than a pipe holds, so that the program is still writing when the reader leaves.
    let long = "# Title\n\nwords\n\n".repeat(20_000);
    let scratch = Scratch::with(&[("long.md", &long)]);
    check(&scratch, &["outline", "long.md"], 0);
    check(&scratch, &["outline", "long.md", "--json"], 0);
    check(&scratch, &["section", "list", "long.md"], 0);
    check(&scratch, &["merge", "long.md", "long.md", "long.md"], 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    use expect_test::expect;

    use crate::scratch::told;

    let scratch = Scratch::with(&[("notes.md", "# A\n")]);
    let full = std::fs::File::create("/dev/full").unwrap();
    let output = scratch.command(&["outline", "notes.md"]).stdout(full).output().unwrap();
    expect![[r#"
        exit 2
        ! error: cannot write to standard output: No space left on device (os error 28)
        !   help: look whether the disk is full, or whether what reads the output still can
    "#]]
    .assert_eq(&told(&output));
}
