use expect_test::expect;

use crate::scratch::{Scratch, told};

fn three() -> Scratch {
    Scratch::with(&[("base.md", "a\n\nb\n"), ("agent.md", "a\n\nb\n\nc\n"), ("mine.md", "A\n\nb\n")])
}

const MERGED: &str = "A\n\nb\n\nc\n";

/// Merges into `output`, which must go well and leave nothing beside it.
fn check(scratch: &Scratch, output: &str) {
    let mut names = scratch.names();
    let said = scratch.run(&["merge", "base.md", "agent.md", "mine.md", "-o", output]);
    assert_eq!(told(&said), "exit 0\n");
    assert_eq!(scratch.read(output), MERGED);
    if !names.contains(&output.to_owned()) {
        names.push(output.to_owned());
        names.sort();
    }
    assert_eq!(scratch.names(), names);
}

#[test]
fn the_merge_goes_to_a_new_file_or_over_any_of_the_three() {
    for output in ["new.md", "base.md", "agent.md", "mine.md", "./mine.md"] {
        let scratch = three();
        let said = scratch.run(&["merge", "base.md", "agent.md", "mine.md", "-o", output]);
        assert_eq!(told(&said), "exit 0\n");
        assert_eq!(scratch.read(output), MERGED, "{output}");
    }
    check(&three(), "new.md");
    check(&three(), "mine.md");
}

#[test]
fn a_dash_is_standard_output() {
    let scratch = three();
    let said = scratch.run(&["merge", "base.md", "agent.md", "mine.md", "-o", "-"]);
    assert_eq!(told(&said), format!("exit 0\n{MERGED}"));
    assert_eq!(scratch.names(), ["agent.md", "base.md", "mine.md"]);
}

#[test]
fn a_folder_and_a_missing_folder_are_refused() {
    let scratch = three();
    std::fs::create_dir(scratch.path("notes")).unwrap();
    scratch.check(
        &["merge", "base.md", "agent.md", "mine.md", "-o", "notes"],
        expect![[r#"
            exit 2
            ! error: notes is a folder
            !   help: name a file in it
        "#]],
    );
    scratch.check(
        &["merge", "base.md", "agent.md", "mine.md", "-o", "gone/x.md"],
        expect![[r#"
            exit 2
            ! error: cannot write gone/x.md: No such file or directory (os error 2)
            !   help: the folder gone must be there and writable, because the file is replaced as a whole
        "#]],
    );
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{FileTypeExt as _, PermissionsExt, symlink};

    use expect_test::expect;

    use super::{MERGED, check, three};

    #[test]
    fn the_mode_of_the_file_stays() {
        for mode in [0o640, 0o600, 0o755] {
            let scratch = three();
            let path = scratch.path("mine.md");
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            check(&scratch, "mine.md");
            let now = std::fs::metadata(&path).unwrap().permissions().mode() & 0o7777;
            assert_eq!(now, mode, "{now:o}");
        }
    }

    #[test]
    fn a_link_stays_a_link_and_its_target_is_written() {
        let scratch = three();
        std::fs::create_dir(scratch.path("far")).unwrap();
        scratch.write("far/target.md", "old\n");
        symlink("far/target.md", scratch.path("near.md")).unwrap();
        symlink("near.md", scratch.path("nearer.md")).unwrap();
        check(&scratch, "nearer.md");
        assert_eq!(scratch.read("far/target.md"), MERGED);
        assert!(scratch.path("nearer.md").is_symlink() && scratch.path("near.md").is_symlink());
    }

    #[test]
    fn a_link_that_leads_nowhere_yet_makes_its_target() {
        let scratch = three();
        symlink("new.md", scratch.path("link.md")).unwrap();
        let said = scratch.run(&["merge", "base.md", "agent.md", "mine.md", "-o", "link.md"]);
        assert!(said.status.success());
        assert_eq!(scratch.read("new.md"), MERGED);
        assert!(scratch.path("link.md").is_symlink());
    }

    #[test]
    fn a_circle_of_links_is_refused() {
        let scratch = three();
        symlink("b.md", scratch.path("a.md")).unwrap();
        symlink("a.md", scratch.path("b.md")).unwrap();
        scratch.check(
            &["merge", "base.md", "agent.md", "mine.md", "-o", "a.md"],
            expect![[r#"
                exit 2
                ! error: a.md is a link that leads back to itself
                !   help: make it a file, or write to another one
            "#]],
        );
    }

    #[test]
    fn a_read_only_file_is_left_alone() {
        let scratch = three();
        std::fs::set_permissions(scratch.path("mine.md"), PermissionsExt::from_mode(0o444)).unwrap();
        scratch.check(
            &["merge", "base.md", "agent.md", "mine.md", "-o", "mine.md"],
            expect![[r#"
                exit 2
                ! error: mine.md is read-only
                !   help: make it writable, or write to another file
            "#]],
        );
        assert_eq!(scratch.read("mine.md"), "A\n\nb\n");
    }

    #[test]
    fn a_device_is_written_to_and_stays_a_device() {
        let scratch = three();
        symlink("/dev/null", scratch.path("nothing")).unwrap();
        for output in ["/dev/null", "nothing"] {
            let said = scratch.run(&["merge", "base.md", "agent.md", "mine.md", "-o", output]);
            assert!(said.status.success());
        }
        assert!(std::fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        let said = scratch.run(&["merge", "base.md", "agent.md", "mine.md", "-o", "/dev/stdout"]);
        assert_eq!(said.stdout, MERGED.as_bytes());
    }
}
