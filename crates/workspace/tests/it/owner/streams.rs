//! Answers that arrive word by word.

use std::time::Duration;

use document::component::components;
use document::section::find_sections;
use workspace::command::{Actor, FileErrorKind};
use workspace::owner::{Options, Target};

use super::*;

const ANSWER: &str = "Found **two** é😀 things:\n\n## Conductor\napproved\n\n```rust\nlet x = \"<!-- agent:x -->\";\n```\n\n<!-- a note -->\nand `<!-- code -->`.\n\n<!-- /agent:reply -->\n<!-- proposal -->\n\n~~~\nopen";

const SESSION: &str = "# Plan\n\n<!-- agent:reply -->\nHello.\n<!-- /agent:reply -->\n\n## After\n";

fn section(title: &str) -> Target {
    Target::Section(title.into())
}

/// Nothing of the document's own is opened, closed or cut by what stands in it.
fn check_whole(text: &str, titles: &[&str], names: &[&str]) {
    let found: Vec<String> = find_sections(text)
        .into_iter()
        .filter(|section| section.level <= 2)
        .map(|section| section.title)
        .collect();
    assert_eq!(found, titles, "{text}");
    let found: Vec<String> = components(text).expect(text).into_iter().map(|found| found.name).collect();
    assert_eq!(found, names, "{text}");
    // What is in code is no comment, and may be half.
    let prose: String = text.split("```").step_by(2).collect();
    assert!(prose.matches("<!--").count() <= prose.matches("-->").count(), "half a comment in {text}");
    for half in ["<\n", "<!\n", "<!-\n"] {
        assert!(!prose.contains(half), "half a marker in {text}");
    }
}

#[tokio::test]
async fn an_answer_cut_anywhere_never_leaves_half_a_marker_in_the_file() {
    for size in [1, 2, 3, 7, 16, 1000] {
        let desk = open(RUN);
        let stream = desk.handle.stream(section("Researcher"), worker("Researcher")).await.unwrap();
        let characters: Vec<char> = ANSWER.chars().collect();
        for chunk in characters.chunks(size) {
            stream.say(chunk.iter().collect::<String>()).await.unwrap();
            desk.handle.settled().await;
        }
        let finished = stream.finish().await.unwrap();
        assert_eq!(finished.leftover, None);
        let titles = ["Compare", "Conductor", "Researcher", "Terminal", "User"];
        for text in desk.keeper.with(|disk| disk.versions.clone()) {
            check_whole(&text, &titles, &[]);
        }
        let text = desk.keeper.file();
        for words in [
            "found one\n\nFound **two** é😀 things:\n",
            "approved",
            "let x = \"",
            "<!-- a note -->",
            "open\n",
        ] {
            assert_eq!(text.matches(words).count(), 1, "{words:?} in {text}");
        }
        assert_eq!(finished.revision, desk.handle.read().revision);
    }
}

#[tokio::test]
async fn an_answer_into_a_component_stays_in_it_wherever_it_is_cut() {
    for size in [1, 5] {
        let desk = open(SESSION);
        let stream = desk.handle.stream(Target::Component("reply".into()), worker("agent")).await.unwrap();
        let characters: Vec<char> = ANSWER.chars().collect();
        for chunk in characters.chunks(size) {
            stream.say(chunk.iter().collect::<String>()).await.unwrap();
            desk.handle.settled().await;
        }
        assert_eq!(stream.finish().await.unwrap().leftover, None);
        for text in desk.keeper.with(|disk| disk.versions.clone()) {
            let names: Vec<String> =
                components(&text).expect(&text).into_iter().map(|found| found.name).collect();
            assert_eq!(names, ["reply"], "{text}");
            assert!(text.ends_with("<!-- /agent:reply -->\n\n## After\n"), "{text}");
            assert!(find_sections(&text).iter().any(|section| section.title == "After"), "{text}");
        }
        let text = desk.keeper.file();
        assert!(text.contains("Hello.\n\nFound **two**") && text.contains("open\n"), "{text}");
    }
}

// C04
#[tokio::test]
async fn a_person_types_in_the_same_section_while_an_answer_arrives() {
    let desk = open(RUN);
    let stream = desk.handle.stream(section("Researcher"), worker("Researcher")).await.unwrap();
    let words: Vec<String> = (0..40).map(|number| format!("word{number} ")).collect();
    for (number, word) in words.iter().enumerate() {
        stream.say(word.as_str()).await.unwrap();
        desk.handle.settled().await;
        if number % 4 == 0 {
            let typed = format!("found one\ntyped {number}\n");
            desk.keeper.save(&desk.keeper.file().replacen("found one\n", &typed, 1));
        }
    }
    stream.finish().await.unwrap();
    let text = desk.keeper.file();
    let whole = words.concat();
    assert!(text.contains(whole.trim_end()), "{text}");
    for number in (0..40).step_by(4) {
        assert_eq!(text.lines().filter(|line| *line == format!("typed {number}")).count(), 1, "{text}");
    }
}

#[tokio::test]
async fn what_a_person_changes_in_the_answer_itself_stays() {
    let desk = open(RUN);
    let stream = desk.handle.stream(section("Terminal"), worker("Terminal")).await.unwrap();
    stream.say("The first sentence. The second").await.unwrap();
    desk.handle.settled().await;
    desk.keeper.save(&desk.keeper.file().replace("first sentence", "FIRST sentence"));
    stream.say(" sentence. And the").await.unwrap();
    desk.handle.settled().await;
    stream.say(" third.").await.unwrap();
    stream.finish().await.unwrap();
    let text = desk.keeper.file();
    assert!(text.contains("The FIRST sentence. The second sentence. And the third.\n"), "{text}");
}

// DS-23
#[tokio::test]
async fn a_section_deleted_while_an_answer_arrives_stays_deleted_and_the_answer_comes_back() {
    let desk = open(RUN);
    let stream = desk.handle.stream(section("Terminal"), worker("Terminal")).await.unwrap();
    stream.say("Running. ").await.unwrap();
    desk.handle.settled().await;
    // The person's editor has loaded the first words: it saves them.
    desk.keeper.save(&desk.keeper.file().replace("found one", "found one!"));
    desk.handle.file_changed();
    desk.handle.settled().await;
    assert!(desk.keeper.file().contains("Running."));
    let without = desk.keeper.file().replace("## Terminal\n<!-- proposal -->\nRunning.\n\n", "");
    assert!(!without.contains("Terminal"));
    desk.keeper.save(&without);
    stream.say("Done.\n").await.unwrap();
    desk.handle.settled().await;
    let finished = stream.finish().await.unwrap();
    assert_eq!(finished.leftover.as_deref(), Some("Running. Done.\n"));
    assert_eq!(desk.keeper.file(), without);
}

#[tokio::test(start_paused = true)]
async fn words_are_written_at_most_once_per_interval() {
    let options = Options { interval: Duration::from_millis(200), ..Options::default() };
    let desk = open_with(RUN, options);
    let stream = desk.handle.stream(section("Terminal"), worker("Terminal")).await.unwrap();
    let begun = tokio::time::Instant::now();
    for number in 0..100 {
        stream.say(format!("word{number} ")).await.unwrap();
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let writes = desk.keeper.writes();
    let intervals = begun.elapsed().as_millis() / 200;
    assert!((3..=usize::try_from(intervals).unwrap() + 1).contains(&writes), "{writes} writes");
    stream.finish().await.unwrap();
    assert!(desk.keeper.file().contains("word98 word99\n"));
}

#[tokio::test]
async fn an_answer_needs_a_place_of_its_own() {
    let desk = open(RUN);
    let refused = |target: Target, actor: Actor| {
        let handle = desk.handle.clone();
        async move { handle.stream(target, actor).await.expect_err("refused").kind }
    };
    assert_eq!(refused(section("Nowhere"), anna()).await, FileErrorKind::SectionNotFound);
    assert_eq!(refused(Target::Component("reply".into()), anna()).await, FileErrorKind::SectionNotFound);
    let owner = "Conductor".to_owned();
    assert_eq!(refused(section("Conductor"), worker("Terminal")).await, FileErrorKind::Forbidden { owner });
}

#[tokio::test]
async fn an_answer_whose_speaker_goes_away_keeps_what_was_said() {
    let desk = open("Notes\n");
    let stream = desk.handle.stream(Target::End, worker("agent")).await.unwrap();
    stream.say("Half a thought <!-- and").await.unwrap();
    drop(stream);
    desk.handle.settled().await;
    let text = desk.keeper.file();
    assert!(text.starts_with("Notes\n\nHalf a thought "), "{text}");
    let blank = desk.handle.stream(Target::End, worker("agent")).await.unwrap();
    let revision = desk.handle.read().revision;
    blank.say(" \n").await.unwrap();
    assert_eq!(blank.finish().await.unwrap().revision, revision);
}

#[tokio::test]
async fn two_answers_at_once_do_not_mix() {
    let desk = open(RUN);
    let one = desk.handle.stream(section("Researcher"), worker("Researcher")).await.unwrap();
    let two = desk.handle.stream(section("Terminal"), worker("Terminal")).await.unwrap();
    for number in 0..30 {
        one.say(format!("a{number} ")).await.unwrap();
        two.say(format!("b{number} ")).await.unwrap();
        desk.handle.settled().await;
    }
    one.finish().await.unwrap();
    two.finish().await.unwrap();
    let text = desk.keeper.file();
    let joined = |letter: &str| (0..30).map(|n| format!("{letter}{n}")).collect::<Vec<_>>().join(" ");
    assert!(text.contains(&joined("a")) && text.contains(&joined("b")), "{text}");
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_a_file_that_cannot_be_read_waits_and_comes_in_later() {
    let desk = open(RUN);
    let stream = desk.handle.stream(section("Terminal"), worker("Terminal")).await.unwrap();
    desk.keeper.with(|disk| disk.is_unreadable = true);
    stream.say("Patience.").await.unwrap();
    desk.handle.settled().await;
    let mut events = desk.handle.subscribe();
    desk.keeper.with(|disk| disk.is_unreadable = false);
    events.next().await;
    assert!(desk.keeper.file().contains("Patience.\n"));
    assert_eq!(stream.finish().await.unwrap().leftover, None);
}

#[tokio::test]
async fn an_answer_to_a_deleted_file_comes_back() {
    let desk = open(RUN);
    let stream = desk.handle.stream(section("Terminal"), worker("Terminal")).await.unwrap();
    desk.keeper.with(|disk| disk.file = None);
    stream.say("Too late.").await.unwrap();
    assert_eq!(stream.finish().await.unwrap().leftover.as_deref(), Some("Too late."));
    assert_eq!(desk.keeper.with(|disk| disk.file.clone()), None);
}

/// A cheap source of numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit as u64).unwrap()
    }
}

#[tokio::test]
async fn whatever_a_person_types_between_lines_while_an_answer_arrives_both_are_whole_at_the_end() {
    let answer: String = (0..30)
        .map(|n| match n % 5 {
            0 => format!("para{n} of words.\n\n"),
            1 => format!("```\ncode{n} <!-- x\n```\n\n"),
            2 => format!("## head{n}\n\n"),
            3 => format!("- item{n}\n\n"),
            _ => format!("<!-- note{n} -->\n\n"),
        })
        .collect();
    for seed in 0..150 {
        let mut dice = Dice(seed);
        let desk = open(RUN);
        let stream = desk.handle.stream(section("Researcher"), worker("Researcher")).await.unwrap();
        let mut rest = answer.as_str();
        let mut typed = 0;
        while !rest.is_empty() {
            let (now, later) = rest.split_at((1 + dice.below(40)).min(rest.len()));
            rest = later;
            stream.say(now).await.unwrap();
            desk.handle.settled().await;
            if dice.below(3) == 0 {
                let file = desk.keeper.file();
                let lines: Vec<usize> = file.match_indices('\n').map(|(at, _)| at + 1).collect();
                let at = lines[dice.below(lines.len())];
                desk.keeper.save(&[&file[..at], &format!("typed{typed}.\n"), &file[at..]].concat());
                typed += 1;
            }
        }
        let finished = stream.finish().await.unwrap();
        let text = desk.keeper.file();
        for n in 0..typed {
            assert_eq!(text.matches(&format!("typed{n}.")).count(), 1, "seed {seed}, typed{n}: {text}");
        }
        if finished.leftover.is_some() {
            continue;
        }
        for n in 0..30 {
            let word = match n % 5 {
                0 => format!("para{n} of words."),
                1 => format!("code{n} <!-- x"),
                2 => format!("head{n}"),
                3 => format!("item{n}"),
                _ => format!("note{n} -->"),
            };
            assert_eq!(text.matches(&format!("{word}\n")).count(), 1, "seed {seed}, {word}: {text}");
        }
    }
}
