use expect_test::expect;

use crate::scratch::{Scratch, told};

const NOTES: &str = "\
---
session: abc
---
Before it begins.

# Plan

## Researcher
<!-- proposal -->
Found a \u{1f600}.

### Sources
- one

## Status
<!-- agent:status -->
Ready.
<!-- /agent:status -->
";

#[test]
fn headings_stand_as_a_tree_with_lines_and_sizes() {
    Scratch::with(&[("notes.md", NOTES)]).check(
        &["outline", "notes.md"],
        expect![[r#"
        exit 0
         LINE   WORDS  TOKENS
            4       3       5  (preamble)
            6      23      34  # Plan
            8      12      17    ## Researcher  [proposal]
           12       4       5      ### Sources
           15       9      16    ## Status
           16                      [component status: replace]
    "#]],
    );
}

#[test]
fn json_has_every_field_that_the_guide_promises() {
    let text = "Hi.\n## A\n<!-- proposal -->\n<!-- agent:log -->\nx\n<!-- /agent:log -->\n";
    Scratch::with(&[("notes.md", text)]).check(
        &["outline", "notes.md", "--json"],
        expect![[r#"
        exit 0
        {
          "file": "notes.md",
          "headings": [
            {
              "level": 0,
              "title": "(preamble)",
              "line": 1,
              "start": 0,
              "end": 4,
              "words": 1,
              "tokens": 1,
              "proposal": false
            },
            {
              "level": 2,
              "title": "A",
              "line": 2,
              "start": 4,
              "end": 68,
              "words": 12,
              "tokens": 16,
              "proposal": true
            }
          ],
          "components": [
            {
              "name": "log",
              "mode": "append",
              "depth": 0,
              "line": 4,
              "end_line": 6,
              "start": 27,
              "end": 67
            }
          ],
          "problems": []
        }
    "#]],
    );
}

#[test]
fn broken_components_are_a_warning_beside_the_outline() {
    let scratch = Scratch::with(&[("notes.md", "# A\n<!-- agent:status -->\n")]);
    scratch.check(&["outline", "notes.md"], expect![[r#"
        exit 0
         LINE   WORDS  TOKENS
            1       5       7  # A
        ! warning: notes.md: component `status` opens on line 2 and never closes; add `<!-- /agent:status -->` after its text
    "#]]);
    scratch.check(
        &["outline", "notes.md", "--json"],
        expect![[r#"
        exit 0
        {
          "file": "notes.md",
          "headings": [
            {
              "level": 1,
              "title": "A",
              "line": 1,
              "start": 0,
              "end": 26,
              "words": 5,
              "tokens": 7,
              "proposal": false
            }
          ],
          "components": [],
          "problems": [
            "component `status` opens on line 2 and never closes; add `<!-- /agent:status -->` after its text"
          ]
        }
    "#]],
    );
}

#[test]
fn an_empty_file_says_so() {
    Scratch::with(&[("notes.md", "\n")]).check(
        &["outline", "notes.md"],
        expect![[r#"
        exit 0
        ! notes.md holds no text
    "#]],
    );
}

#[test]
fn a_title_cannot_move_the_cursor() {
    let scratch = Scratch::with(&[("notes.md", "# A\u{1b}[2Jb\n")]);
    scratch.check(
        &["outline", "notes.md"],
        expect![[r#"
        exit 0
         LINE   WORDS  TOKENS
            1       2       3  # A\u{1b}[2Jb
    "#]],
    );
}

#[test]
fn windows_lines_are_counted_once() {
    let output = Scratch::new().run_with_input(&["outline", "-"], NOTES.replace('\n', "\r\n").as_bytes());
    let told = told(&output);
    assert!(told.contains("\n    8 ") && told.contains("\n   16 "), "{told}");
}

#[test]
fn settings_that_cannot_be_read_are_told_with_their_line_and_the_headings_still_shown() {
    let text = "---\nbomb: &a [x, x]\nmodel: *a\nagent_doc_mode: loud\n---\n# Title\n";
    Scratch::with(&[("notes.md", text)]).check(&["outline", "notes.md"], expect![[r#"
        exit 0
         LINE   WORDS  TOKENS
            6       2       2  # Title
        ! warning: notes.md: line 3: `model` must be plain text, but is an alias, which is not followed; it is ignored
        ! warning: notes.md: line 4: `agent_doc_mode` must be one of append, template, stream, not "loud"; it is ignored
    "#]]);
}
