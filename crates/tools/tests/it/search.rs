//! Finding files and lines. Never depends on the order in which threads find them.

use std::sync::Arc;

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use tools::tool::{Glob, Grep};

use crate::desk::Desk;

fn project() -> Desk {
    let desk = Desk::new();
    desk.write(".gitignore", "target/\n*.log\n");
    desk.write("src/main.rs", "fn main() {\n    let answer = 42;\n    println!(\"{answer}\");\n}\n");
    desk.write("src/lib.rs", "pub fn answer() -> u32 {\n    42\n}\n");
    desk.write("target/main.rs", "answer\n");
    desk.write("noise.log", "answer\n");
    desk.write(".github/ci.yml", "answer: yes\n");
    desk.write(".git/config", "answer\n");
    desk.write("docs/notes.md", "The ANSWER is 42.\n");
    desk.write("binary", b"answer\0answer\n");
    desk
}

async fn check(name: &str, input: Value, expected: Expect) {
    let desk = project();
    let said = desk.call(name, input).await;
    let mark = if said.is_error { "error: " } else { "" };
    expected.assert_eq(&format!("{mark}{}", said.text));
}

#[tokio::test]
async fn files_are_found_by_name() {
    check(
        "Glob",
        json!({ "pattern": "*.rs" }),
        expect![[r#"
        src/lib.rs
        src/main.rs
    "#]],
    )
    .await;
    check(
        "Glob",
        json!({ "pattern": "**/*.{yml,md}" }),
        expect![[r#"
        .github/ci.yml
        docs/notes.md
    "#]],
    )
    .await;
    check(
        "Glob",
        json!({ "pattern": "*.rs", "path": "src" }),
        expect![[r#"
        src/lib.rs
        src/main.rs
    "#]],
    )
    .await;
    check("Glob", json!({ "pattern": "*.py" }), expect![[r#"no file fits "*.py""#]]).await;
    check(
        "Glob",
        json!({ "pattern": "a[" }),
        expect!["error: InputValidationError: `pattern`: unclosed character class; missing ']'"],
    )
    .await;
    check(
        "Glob",
        json!({ "pattern": "*", "path": "src/main.rs" }),
        expect!["error: src/main.rs is no folder; give a folder, or leave path out"],
    )
    .await;
}

#[tokio::test]
async fn lines_are_found_by_a_pattern() {
    check(
        "Grep",
        json!({ "pattern": "answer" }),
        expect![[r#"
        .github/ci.yml
        src/lib.rs
        src/main.rs
    "#]],
    )
    .await;
    check(
        "Grep",
        json!({ "pattern": "answer", "output_mode": "content", "-i": true, "glob": "*.{rs,md}" }),
        expect![[r#"
        docs/notes.md:1:The ANSWER is 42.
        src/lib.rs:1:pub fn answer() -> u32 {
        src/main.rs:2:    let answer = 42;
        src/main.rs:3:    println!("{answer}");
    "#]],
    )
    .await;
    check(
        "Grep",
        json!({ "pattern": "answer", "output_mode": "count", "type": "rust" }),
        expect![[r#"
        src/lib.rs:1
        src/main.rs:2
    "#]],
    )
    .await;
    check(
        "Grep",
        json!({ "pattern": "println", "output_mode": "content", "-C": 1 }),
        expect![[r#"
        src/main.rs-2-    let answer = 42;
        src/main.rs:3:    println!("{answer}");
        src/main.rs-4-}
    "#]],
    )
    .await;
    check(
        "Grep",
        json!({ "pattern": "\\{\\s+42", "output_mode": "content", "multiline": true }),
        expect![[r#"
        src/lib.rs:1:pub fn answer() -> u32 {
        src/lib.rs:2:    42
    "#]],
    )
    .await;
    check(
        "Grep",
        json!({ "pattern": "42", "output_mode": "content", "path": "src/lib.rs" }),
        expect![[r#"
        src/lib.rs:2:    42
    "#]],
    )
    .await;
    check("Grep", json!({ "pattern": "nowhere" }), expect!["no match"]).await;
    check(
        "Grep",
        json!({ "pattern": "answer", "output_mode": "content", "head_limit": 1 }),
        expect![[r#"
        .github/ci.yml:1:answer: yes
        [1 of 4 matching lines in 3 files; use a narrower pattern, path or glob]
    "#]],
    )
    .await;
}

#[tokio::test]
async fn a_pattern_that_is_none_is_said() {
    let desk = project();
    let said = desk.call("Grep", json!({ "pattern": "(" })).await.failed();
    assert!(
        said.starts_with("InputValidationError: `pattern`: ") && said.contains("unclosed group"),
        "{said}"
    );
    let said = desk.call("Grep", json!({ "pattern": "x", "type": "klingon" })).await.failed();
    assert!(said.contains("`type`: ") && said.contains("klingon"), "{said}");
    let said = desk.call("Grep", json!({ "pattern": "x", "path": "scr" })).await.failed();
    assert_eq!(said, "there is no file scr; did you mean src?");
    let said = desk.call("Grep", json!({ "pattern": "x", "output_mode": "everything" })).await.failed();
    assert!(said.starts_with("InputValidationError: `output_mode`: unknown variant"), "{said}");
}

#[tokio::test]
async fn what_a_rule_hides_is_not_found() {
    let desk = project();
    desk.write(".env", "KEY=answer\n");
    let veil: tools::search::Veil = Arc::new(|path| path.ends_with(".env"));
    let found =
        desk.run(&Grep::new(desk.files.clone(), veil.clone()), json!({ "pattern": "KEY" })).await.ok();
    assert_eq!(found, "no match");
    let found = desk.run(&Glob::new(desk.files.clone(), veil), json!({ "pattern": ".e*" })).await.ok();
    assert_eq!(found, "no file fits \".e*\"");
}

#[tokio::test]
async fn many_results_are_counted_and_not_all_shown() {
    let desk = Desk::new();
    desk.write("many.txt", "hit\n".repeat(5_000));
    let said = desk.call("Grep", json!({ "pattern": "hit", "output_mode": "content" })).await.ok();
    assert!(
        said.ends_with("[1000 of 5000 matching lines in 1 files; use a narrower pattern, path or glob]\n"),
        "{said}"
    );
    for index in 0..1_010 {
        desk.write(&format!("files/{index:04}"), "");
    }
    let said = desk.call("Glob", json!({ "pattern": "files/*" })).await.ok();
    assert!(said.ends_with("files/0999\n[1000 of 1010 files; use a narrower pattern]\n"));
}

#[tokio::test]
async fn a_folder_is_listed_with_what_is_in_it() {
    let desk = project();
    std::os::unix::fs::symlink("src", desk.root.join("link")).unwrap();
    desk.write("odd\nname", "x");
    let said = desk.call("List", json!({})).await.ok();
    expect![[r#"
        .git/
        .github/
        .gitignore  14
        binary  14
        docs/
        link -> src
        noise.log  7
        odd<U+000A>name  1
        src/
        target/"#]]
    .assert_eq(&said);
    let said = desk.call("List", json!({ "path": "docs/notes.md" })).await.failed();
    assert!(said.starts_with("docs/notes.md cannot be listed: "), "{said}");
}

#[tokio::test]
async fn a_list_of_tasks_is_kept_for_the_person() {
    let desk = Desk::new();
    let todo = |status: &str| json!({ "todos": [{ "content": "build", "status": "completed" }, { "content": "test", "status": status }] });
    assert_eq!(desk.call("Todo", todo("in_progress")).await.ok(), "the list is kept: 1 of 2 tasks are open");
    let said = desk.call("Todo", todo("soon")).await.failed();
    assert!(said.starts_with("InputValidationError: `todos[1].status`: unknown variant `soon`"), "{said}");
}
