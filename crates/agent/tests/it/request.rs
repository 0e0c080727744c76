//! Any list of messages becomes a request that providers accept.

use std::sync::Arc;

use agent::message::{Block, Image, Message, Part, Role, ToolResult, Verbatim};
use agent::model::{Breakpoint, Request};
use agent::request::{Ending, build, validate};
use expect_test::{Expect, expect};
use proptest::prelude::*;

use crate::kit::{setup, shown};

fn made(messages: Vec<Message>, ending: Ending) -> Request {
    let messages: Vec<Arc<Message>> = messages.into_iter().map(Arc::new).collect();
    build(&setup().frame, &messages, 1000, ending)
}

fn check(messages: Vec<Message>, expected: Expect) {
    let request = made(messages, Ending::Person);
    validate(&request, Ending::Person).unwrap();
    expected.assert_eq(&shown(&request.messages));
}

fn user(text: &str) -> Message {
    Message::user(vec![Block::text(text)])
}

fn result(id: &str, text: &str) -> Block {
    Block::ToolResult(ToolResult::success(id, text))
}

#[test]
fn an_open_call_is_answered() {
    check(
        vec![user("Go."), Message::assistant(vec![Block::call("t1", "Grep", "{}")]), user("Well?")],
        expect![[r#"
            U[T("Go.")]
            A[TU(t1,Grep,{})]
            U[TRe(t1,"Session ended before this tool finished. It may have done a part of its work."), T("Well?")]
        "#]],
    );
}

#[test]
fn results_come_first_and_in_the_order_of_the_calls() {
    check(
        vec![
            user("Go."),
            Message::assistant(vec![Block::call("a", "Grep", "{}"), Block::call("b", "Grep", "{}")]),
            Message::user(vec![Block::text("Oh."), result("b", "B")]),
            Message::user(vec![result("a", "A"), result("c", "stray")]),
        ],
        expect![[r#"
            U[T("Go.")]
            A[TU(a,Grep,{}), TU(b,Grep,{})]
            U[TR(a,"A"), TR(b,"B"), T("Oh.")]
        "#]],
    );
}

#[test]
fn words_behind_a_call_move_in_front_of_it_and_thoughts_keep_their_order() {
    let thinking = |text: &str| Block::Thinking { text: text.to_owned(), signature: "S".to_owned() };
    check(
        vec![
            user("Go."),
            Message::assistant(vec![
                thinking("1"),
                Block::call("a", "Grep", "{}"),
                thinking("2"),
                Block::text("So."),
            ]),
            Message::user(vec![result("a", "A")]),
        ],
        expect![[r#"
            U[T("Go.")]
            A[Thinking("1",S), Thinking("2",S), T("So."), TU(a,Grep,{})]
            U[TR(a,"A")]
        "#]],
    );
}

#[test]
fn a_conversation_begins_and_ends_with_the_person() {
    check(
        vec![
            Message::assistant(vec![Block::text("Hello.")]),
            Message::assistant(vec![Block::text("Still there?")]),
        ],
        expect![[r#"
            U[T("(The beginning of this conversation was not kept.)")]
            A[T("Hello."), T("Still there?")]
            U[T("Continue.")]
        "#]],
    );
    check(
        vec![],
        expect![[r#"
        U[T("Continue.")]
    "#]],
    );
}

#[test]
fn blank_words_unsigned_thoughts_and_stray_results_are_left_out() {
    check(
        vec![
            Message::user(vec![Block::text(" "), result("x", "stray"), Block::text("Go.")]),
            Message::assistant(vec![Block::Thinking { text: "hm".into(), signature: String::new() }]),
            Message::user(vec![result("y", "stray")]),
            Message::assistant(vec![Block::text("")]),
        ],
        expect![[r#"
            U[T("Go.")]
        "#]],
    );
}

#[test]
fn a_call_by_an_impossible_name_can_be_sent_back() {
    check(
        vec![
            user("Go."),
            Message::assistant(vec![Block::call("a", "do it!", "{}"), Block::call("a", "Grep", "{}")]),
            Message::user(vec![result("a", "1"), result("a", "2")]),
        ],
        expect![[r#"
            U[T("Go.")]
            A[TU(a,do_it_,{}), TU(a_2,Grep,{})]
            U[TR(a,"1"), TR(a_2,"2")]
        "#]],
    );
}

#[test]
fn sound_messages_are_shared_and_not_copied() {
    let messages: Vec<Arc<Message>> = [
        user("Go."),
        Message::assistant(vec![Block::text("Hm."), Block::call("a", "Grep", "{}")]),
        Message::user(vec![result("a", "A"), Block::text("And?")]),
    ]
    .map(Arc::new)
    .into();
    let request = build(&setup().frame, &messages, 1, Ending::Person);
    assert!(messages.iter().zip(&request.messages).all(|(one, other)| Arc::ptr_eq(one, other)));
    let marks = [Breakpoint::Tools, Breakpoint::System, Breakpoint::Message(0), Breakpoint::Message(2)];
    assert_eq!(request.cache, marks);
}

#[test]
fn a_paused_conversation_ends_with_the_model() {
    let messages = vec![user("Go."), Message::assistant(vec![Block::text("Wait.")])];
    let request = made(messages, Ending::Paused);
    validate(&request, Ending::Paused).unwrap();
    assert_eq!(
        validate(&request, Ending::Person).unwrap_err().to_string(),
        "message 2: the last message is the person's"
    );
}

/// Each rule of the providers is broken once.
#[test]
fn the_validator_hears_each_broken_rule() {
    let call = |id: &str| Message::assistant(vec![Block::call(id, "Grep", "{}")]);
    let back = |id: &str| Message::user(vec![result(id, "x")]);
    let thinking = Block::Thinking { text: "x".into(), signature: "S".into() };
    let cases: Vec<(&str, Vec<Message>)> = vec![
        ("there is no message", vec![]),
        ("the first message is the person's", vec![Message::assistant(vec![Block::text("x")]), user("x")]),
        ("the roles take turns", vec![user("x"), user("y")]),
        ("a message says something", vec![Message::user(vec![])]),
        ("each block fits its role", vec![user(" ")]),
        ("each block fits its role", vec![Message::user(vec![Block::call("a", "Grep", "{}")])]),
        (
            "each block fits its role",
            vec![
                user("x"),
                Message::assistant(vec![Block::Thinking { text: "x".into(), signature: String::new() }]),
                user("y"),
            ],
        ),
        ("thoughts alone", vec![user("x"), Message::assistant(vec![thinking]), user("y")]),
        ("each call of the message before", vec![user("x"), call("a"), user("y")]),
        ("each call of the message before", vec![user("x"), call("a"), back("b")]),
        ("each call of the message before", vec![back("a")]),
        (
            "results stand first",
            vec![user("x"), call("a"), Message::user(vec![Block::text("y"), result("a", "x")])],
        ),
        ("the ids of calls are unique", vec![user("x"), call("a"), back("a"), call("a"), back("a")]),
        ("a call has an id", vec![user("x"), call(""), back("")]),
        (
            "no text follows a call",
            vec![
                user("x"),
                Message::assistant(vec![Block::call("a", "Grep", "{}"), Block::text("x")]),
                back("a"),
            ],
        ),
        (
            "a result says something",
            vec![
                user("x"),
                call("a"),
                Message::user(vec![Block::ToolResult(ToolResult {
                    call: "a".into(),
                    content: vec![],
                    is_error: false,
                })]),
            ],
        ),
        (
            "the name of a called tool",
            vec![user("x"), Message::assistant(vec![Block::call("a", "a b", "{}")]), back("a")],
        ),
    ];
    for (rule, messages) in cases {
        let mut request = made(vec![user("x")], Ending::Person);
        request.cache.clear();
        request.messages = messages.into_iter().map(Arc::new).collect();
        let error = validate(&request, Ending::Person).unwrap_err();
        assert!(error.rule.starts_with(rule), "{} is not {rule}", error.rule);
    }
}

#[test]
fn the_validator_looks_at_tools_and_marks_too() {
    let broken = |change: &dyn Fn(&mut Request)| {
        let mut request = made(vec![user("x")], Ending::Person);
        change(&mut request);
        validate(&request, Ending::Person).unwrap_err().rule
    };
    assert_eq!(broken(&|request| request.output_max = 0), "the answer needs room");
    assert_eq!(broken(&|request| request.cache.reverse()), "marks for the cache stand in order");
    assert_eq!(broken(&|request| request.cache = vec![Breakpoint::Message(1)]), "a mark lies behind the end");
    let tool = setup().frame.tools[0].clone();
    assert_eq!(
        broken(&|request| request.tools = vec![tool.clone(), tool.clone()].into()),
        "two tools have one name"
    );
}

fn any_block() -> impl Strategy<Value = Block> {
    let id = || prop::sample::select(vec!["a", "b", "c", "a_2", ""]);
    let text = || prop::sample::select(vec!["", " ", "x", "y"]);
    prop_oneof![
        text().prop_map(Block::text),
        (id(), prop::sample::select(vec!["Grep", "", "no such\u{e9}"]))
            .prop_map(|(id, name)| Block::call(id, name, "{")),
        (id(), text()).prop_map(|(id, text)| {
            let content = vec![Part::Text(text.to_owned())];
            Block::ToolResult(ToolResult { call: id.to_owned(), content, is_error: false })
        }),
        id().prop_map(|id| Block::ToolResult(ToolResult {
            call: id.to_owned(),
            content: vec![],
            is_error: true
        })),
        text().prop_map(|text| Block::Thinking { text: "t".into(), signature: text.trim().to_owned() }),
        text().prop_map(|text| Block::RedactedThinking { data: text.trim().to_owned() }),
        Just(Block::Image(Image { media_type: "image/png".into(), base64: "AA==".into() })),
        Just(Block::Opaque(Verbatim { provider: "p".into(), json: "{}".into() })),
    ]
}

fn any_message() -> impl Strategy<Value = Message> {
    let role = prop_oneof![Just(Role::User), Just(Role::Assistant)];
    (role, prop::collection::vec(any_block(), 0..5)).prop_map(|(role, content)| Message { role, content })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn any_history_becomes_a_valid_request(messages in prop::collection::vec(any_message(), 0..8), paused: bool) {
        let ending = if paused { Ending::Paused } else { Ending::Person };
        let request = made(messages, ending);
        prop_assert_eq!(validate(&request, ending), Ok(()));
        let again = build(&setup().frame, &request.messages, 1000, ending);
        prop_assert_eq!(request.messages, again.messages);
    }
}
