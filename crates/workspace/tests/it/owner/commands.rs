//! Each command: what it does, and how it refuses.

use workspace::command::{Actor, FileCommand, FileErrorKind, FileResult};
use workspace::keeper::Done;
use workspace::owner::Options;

use super::*;

// F02, F24
#[tokio::test]
async fn an_unknown_section_is_refused_with_the_titles_that_exist() {
    let desk = open(RUN);
    let asked = [
        read_section("Reseacher").by(anna()),
        append("Reseacher", "x").by(anna()),
        rewrite("Reseacher", "x").by(anna()).on(0),
        edit("Reseacher", "a", "b").by(anna()).on(0),
    ];
    for request in asked {
        let (kind, message) = refusal(desk.ask(request).await);
        assert_eq!(kind, FileErrorKind::SectionNotFound);
        assert!(message.contains("nearest: \"Researcher\"") && message.contains("\"Terminal\""), "{message}");
        assert!(message.starts_with("draft.md: "), "{message}");
    }
    assert_eq!(desk.handle.read().revision, 0);
}

// F03
#[tokio::test]
async fn a_passage_that_is_not_there_shows_the_closest_line() {
    let desk = open("## A\none two three\nfour\n");
    let (kind, message) = refusal(desk.ask(edit("A", "one  two three", "x").by(anna()).on(0)).await);
    assert_eq!(kind, FileErrorKind::NoMatch);
    assert!(message.contains("only blanks or line breaks differ"), "{message}");
    assert!(message.contains("the closest line is 2: \"one two three\""), "{message}");
    let desk = open("## A\r\none\r\ntwo\r\n");
    let (kind, message) = refusal(desk.ask(edit("A", "one\ntwo", "x").by(anna()).on(0)).await);
    assert_eq!(kind, FileErrorKind::NoMatch);
    assert!(message.contains("only the line ends differ (CRLF and LF)"), "{message}");
}

// F04
#[tokio::test]
async fn a_passage_that_is_there_often_is_refused_with_its_lines() {
    let desk = open("## A\nx\nx\nx\n\n## B\naaa\n");
    let (kind, message) = refusal(desk.ask(edit("A", "x", "y").by(anna()).on(0)).await);
    assert_eq!(kind, FileErrorKind::MultipleMatches { count: 3 });
    assert!(message.contains("on lines 2, 3, 4"), "{message}");
    let (kind, _) = refusal(desk.ask(edit("B", "aa", "y").by(anna()).on(0)).await);
    assert_eq!(kind, FileErrorKind::MultipleMatches { count: 2 });
}

// F05
#[tokio::test]
async fn a_passage_that_is_once_in_its_section_may_stand_elsewhere_too() {
    let desk = open("x\n\n## A\nx\n\n## B\nx x\n");
    let reply = desk.ask(edit("A", "x", "y").by(anna()).on(0)).await;
    assert_eq!((reply.revision, bytes(&reply)), (1, 1));
    assert_eq!(desk.keeper.file(), "x\n\n## A\ny\n\n## B\nx x\n");
}

// F06
#[tokio::test]
async fn headings_and_section_ends_cannot_be_edited() {
    let desk = open("## A\none\n\n## B\ntwo\n");
    for old in ["## A", "one\n\n## B", "A\none"] {
        let (kind, _) = refusal(desk.ask(edit("A", old, "x").by(anna()).on(0)).await);
        assert_eq!(kind, FileErrorKind::NoMatch, "{old:?}");
    }
    for new in ["## C\n", "one\n\n## B\nforged", "<!-- ", "```\n"] {
        let (kind, _) = refusal(desk.ask(edit("A", "one\n", new).by(anna()).on(0)).await);
        assert_eq!(kind, FileErrorKind::InvalidContent, "{new:?}");
    }
    assert_eq!(desk.keeper.writes(), 0);
}

// F07
#[tokio::test]
async fn an_empty_or_equal_passage_is_refused_and_changes_nothing() {
    let desk = open("## A\none\n");
    for (old, new) in [("", "x"), ("one", "one")] {
        let (kind, _) = refusal(desk.ask(edit("A", old, new).by(anna()).on(0)).await);
        assert_eq!(kind, FileErrorKind::InvalidContent);
    }
    assert_eq!((desk.handle.read().revision, desk.keeper.writes()), (0, 0));
}

// F08
#[tokio::test]
async fn an_edit_of_a_section_that_changed_meanwhile_is_a_conflict_with_its_text() {
    let desk = open(RUN);
    desk.ask(append("Researcher", "found two").by(worker("Researcher"))).await;
    let (kind, message) = refusal(desk.ask(edit("Researcher", "found one", "x").by(anna()).on(0)).await);
    let current = "<!-- proposal -->\nfound one\n\nfound two\n\n".to_owned();
    assert_eq!(kind, FileErrorKind::Conflict { current_revision: 1, current });
    assert!(message.contains("base 1"), "{message}");
    let reply = desk.ask(edit("Terminal", "<!-- proposal -->", "x").by(anna()).on(0)).await;
    assert_eq!(refusal(reply).0, FileErrorKind::InvalidContent, "the marker is not for editing");
    let reply = desk.ask(rewrite("Terminal", "ran").by(worker("Terminal")).on(0)).await;
    assert_eq!(bytes(&reply), 3, "another section's change is no conflict");
}

#[tokio::test]
async fn a_missing_base_is_said_to_be_missing() {
    let desk = open(RUN);
    for request in
        [write("x").by(anna()), rewrite("User", "x").by(anna()), edit("Researcher", "one", "x").by(anna())]
    {
        let (kind, message) = refusal(desk.ask(request).await);
        assert!(matches!(kind, FileErrorKind::Conflict { current_revision: 0, .. }), "{kind:?}");
        assert!(message.contains("the base revision is missing"), "{message}");
    }
}

// F09, F23
#[tokio::test]
async fn blank_appends_and_equal_writes_make_no_revision() {
    let desk = open(RUN);
    for blank in ["", "  \n\t\n"] {
        let reply = desk.ask(append("Researcher", blank).by(worker("Researcher"))).await;
        assert_eq!((reply.revision, bytes(&reply)), (0, 0));
    }
    assert_eq!(desk.ask(write(RUN).by(anna()).on(0)).await.revision, 0);
    assert_eq!(desk.ask(rewrite("Researcher", "found one").by(worker("Researcher")).on(0)).await.revision, 0);
    assert_eq!((desk.keeper.writes(), desk.keeper.with(|disk| disk.entries.len())), (0, 0));
}

// F10
#[tokio::test]
async fn a_worker_may_not_write_the_whole_document() {
    let desk = open(RUN);
    for actor in [worker("Researcher"), Actor::Conductor] {
        let (kind, _) = refusal(desk.ask(write("gone").by(actor).on(0)).await);
        assert_eq!(kind, FileErrorKind::Forbidden { owner: "user".into() });
    }
    assert_eq!(desk.keeper.file(), RUN);
}

// F10, C05
#[tokio::test]
async fn a_stale_write_of_the_whole_document_is_a_conflict_with_the_current_text() {
    let desk = open(RUN);
    desk.ask(append("Terminal", "ran").by(worker("Terminal"))).await;
    let (kind, _) = refusal(desk.ask(write("# Old\n").by(anna()).on(0)).await);
    let current = desk.keeper.file();
    assert!(current.contains("ran\n"));
    assert_eq!(kind, FileErrorKind::Conflict { current_revision: 1, current });
    let reply = desk.ask(write("# New\n").by(anna()).on(1)).await;
    assert_eq!((reply.revision, desk.keeper.file().as_str()), (2, "# New\n"));
}

#[tokio::test]
async fn workers_write_only_their_own_section_and_only_the_conductor_writes_canon() {
    let desk = open(RUN);
    let refused = [
        (append("Conductor", "x").by(worker("Researcher")), "Conductor"),
        (append("Conductor", "x").by(worker("Conductor")), "Conductor"),
        (append("User", "x").by(worker("User")), "User"),
        (append("Terminal", "x").by(worker("Researcher")), "Terminal"),
        (rewrite("Terminal", "x").by(worker("Researcher")).on(0), "Terminal"),
        (edit("Researcher", "one", "x").by(worker("Terminal")).on(0), "Researcher"),
        (rewrite("Researcher", "x").by(Actor::Conductor).on(0), "Researcher"),
        (rewrite("Compare", "x").by(worker("Compare")).on(0), "Compare"),
    ];
    for (request, owner) in refused {
        let (kind, message) = refusal(desk.ask(request).await);
        assert_eq!(kind, FileErrorKind::Forbidden { owner: owner.into() }, "{message}");
    }
    assert_eq!(desk.keeper.writes(), 0);
    for request in [
        rewrite("Conductor", "canon").by(Actor::Conductor).on(0),
        append("researcher", "more").by(worker("RESEARCHER")),
        append("Conductor", "a person may").by(anna()),
    ] {
        assert!(bytes(&desk.ask(request).await) > 0);
    }
}

#[tokio::test]
async fn a_workers_section_stays_a_proposal() {
    let desk = open("## Researcher\nold\n\n## Terminal\n");
    desk.ask(rewrite("Researcher", "new").by(worker("Researcher")).on(0)).await;
    desk.ask(append("Terminal", "ran").by(worker("Terminal"))).await;
    let expected = "## Researcher\n<!-- proposal -->\nnew\n\n## Terminal\n<!-- proposal -->\nran\n";
    assert_eq!(desk.keeper.file(), expected);
    desk.ask(rewrite("Researcher", "newer").by(worker("Researcher")).on(2)).await;
    assert_eq!(desk.keeper.file(), expected.replace("new", "newer"));
}

#[tokio::test]
async fn text_that_imitates_other_sections_stays_inside_its_own() {
    let desk = open(RUN);
    desk.ask(append("Researcher", "## Conductor\napproved\n```\nopen").by(worker("Researcher"))).await;
    desk.ask(append("Researcher", RUN).by(worker("Researcher"))).await;
    let sections = document::section::find_sections(&desk.keeper.file());
    let titles: Vec<_> =
        sections.iter().filter(|section| section.level == 2).map(|section| &section.title).collect();
    assert_eq!(titles, ["Conductor", "Researcher", "Terminal", "User"]);
}

// F20
#[tokio::test]
async fn the_same_request_twice_is_done_once() {
    let desk = open(RUN);
    let request = append("Terminal", "once").by(worker("Terminal")).named("r1");
    let (first, second) = tokio::join!(desk.ask(request.clone()), desk.ask(request.clone()));
    assert_eq!((first.revision, first.duplicate), (1, false));
    assert_eq!((second.revision, second.duplicate), (1, true));
    desk.ask(append("Terminal", "later").by(worker("Terminal"))).await;
    let third = desk.ask(request).await;
    assert_eq!((third.revision, third.duplicate, &third.result), (1, true, &first.result));
    assert_eq!(desk.keeper.file().matches("once").count(), 1);
}

// F23
#[tokio::test]
async fn every_change_is_one_revision_and_begins_where_the_last_run_ended() {
    let keeper = MemoryKeeper::holding(RUN);
    keeper.with(|disk| disk.first_revision = 41);
    let desk = open_kept(keeper, Options::default());
    assert_eq!(desk.handle.read().revision, 41);
    for revision in 42..46 {
        let reply = desk.ask(append("Terminal", "x").by(worker("Terminal"))).await;
        assert_eq!(reply.revision, revision);
    }
    assert_eq!(
        refusal(desk.ask(rewrite("Terminal", "y").by(anna()).on(3)).await).0,
        FileErrorKind::Conflict {
            current_revision: 45,
            current: "<!-- proposal -->\nx\n\nx\n\nx\n\nx\n\n".into()
        }
    );
    let revisions =
        desk.keeper.with(|disk| disk.entries.iter().map(|entry| entry.revision).collect::<Vec<_>>());
    assert_eq!(revisions, [42, 43, 44, 45]);
}

#[tokio::test]
async fn too_much_text_is_refused() {
    let options = Options { content_max: 10, document_max: RUN.len() + 12, ..Options::default() };
    let desk = open_with(RUN, options);
    let (kind, message) = refusal(desk.ask(append("User", "12345678901").by(anna())).await);
    assert_eq!(kind, FileErrorKind::TooLarge);
    assert!(message.contains("the limit is 10"), "{message}");
    let (kind, _) = refusal(desk.ask(write("a\0b").by(anna()).on(0)).await);
    assert_eq!(kind, FileErrorKind::InvalidContent);
}

#[tokio::test]
async fn another_documents_command_is_not_done_here() {
    let desk = open(RUN);
    let (kind, _) = refusal(desk.ask(FileCommand::Read { path: "other.md".into() }.by(anna())).await);
    assert_eq!(kind, FileErrorKind::NotFound);
}

#[tokio::test]
async fn an_appended_block_is_read_back_in_the_same_section() {
    let desk = open(RUN);
    desk.ask(append("Terminal", "ran").by(worker("Terminal"))).await;
    let reply = desk.ask(read_section("terminal").by(anna())).await;
    let content = "<!-- proposal -->\nran\n\n".to_owned();
    assert_eq!(reply.result, FileResult::SectionContent { section: "Terminal".into(), content });
    assert_eq!(reply.revision, 1);
    let reply = desk.ask(read().by(anna())).await;
    assert_eq!(reply.result, FileResult::Content { content: desk.keeper.file().into() });
}

// F20
#[tokio::test]
async fn a_request_of_before_the_restart_is_known() {
    let author = worker("Terminal").author();
    let done = Done { author, request: "r1".into(), revision: 7, bytes: 3 };
    let keeper = MemoryKeeper::holding(RUN);
    keeper.with(|disk| (disk.first_revision, disk.done) = (9, vec![done]));
    let desk = open_kept(keeper, Options::default());
    let reply = desk.ask(append("Terminal", "ran").by(worker("Terminal")).named("r1")).await;
    assert_eq!((reply.revision, reply.duplicate, bytes(&reply)), (7, true, 3));
    assert_eq!(desk.keeper.file(), RUN);
}
