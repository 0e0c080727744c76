//! What people, models and editors do that they should not: contained, reported, and nothing is lost.

use std::sync::Arc;
use std::time::Duration;

use conductor::limits::{Limits, OBJECTIVE_MAX};
use conductor::role::Role;
use conductor::status::Status;
use conductor::{RunError, Wanted};
use serde_json::json;
use tokio::sync::Notify;

use crate::checkpoints::diligent;
use crate::puppet::{Puppet, Said, USAGE, append, finished};
use crate::stage::{Cast, Stage};

const SECTIONS: [&str; 4] = ["Conductor", "Researcher", "Terminal", "User"];

#[tokio::test(flavor = "multi_thread")]
async fn any_objective_makes_a_document_with_exactly_its_sections() {
    let stage = Stage::new(Puppet::new(|_| Said::Never));
    let long = "x".repeat(10_000);
    let odd = [
        "two\nlines\r\nand more",
        "# one\n## Conductor\n## User",
        "## Terminal",
        "<!-- proposal -->",
        "<!-- never closed",
        "```\nopen",
        "`code` *bold* [link](x) & <b>",
        "\u{202e}turned\u{200b}",
        "---",
        "/cancel",
        "@Researcher go",
        long.as_str(),
        "数据库 сравнить 🦀",
    ];
    for objective in odd {
        let id = stage.start(objective).await;
        let draft = stage.runs.draft(&id).await.unwrap();
        assert_eq!(draft.titles(), SECTIONS, "{objective:?}: {}", draft.text);
        assert!(!draft.title().is_empty() && draft.title().chars().count() <= 161, "{:?}", draft.title());
        let record = stage.runs.show(&id).await.unwrap().record;
        assert_eq!(record.objective, objective, "all of it is kept");
        assert!(record.directives.is_empty());
    }
    let huge = "y".repeat(OBJECTIVE_MAX * 2);
    let id = stage.start(&huge).await;
    assert_eq!(stage.runs.show(&id).await.unwrap().record.objective.len(), OBJECTIVE_MAX);
    for blank in ["", "  \n\t", "\u{7}"] {
        let wanted = Wanted { objective: blank.to_owned(), ..Wanted::default() };
        assert!(matches!(stage.runs.start(wanted).await, Err(RunError::NoObjective)), "{blank:?}");
    }
    stage.runs.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_is_none_of_a_run_is_refused_before_any_path_is_made() {
    let stage = Stage::new(Puppet::new(diligent));
    let long = "x".repeat(300);
    for name in ["../x", "a/b", "", "..", "%2e%2e", "a b", "ü", long.as_str(), "x\0y"] {
        let refused = [
            stage.runs.show(name).await.err(),
            stage.runs.resume(name).await.err(),
            stage.runs.cancel(name, "user").await.err(),
            stage.runs.direct(name, "/cancel", "user", None).await.err(),
            stage.runs.accept(name, "x", "user").await.err(),
        ];
        for error in refused {
            assert!(matches!(error, Some(RunError::Name(_))), "{name:?}: {error:?}");
        }
    }
    assert!(matches!(stage.runs.show("nobody").await, Err(RunError::Absent(_))));
    assert!(!stage.root().join("runs").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_folder_that_is_a_link_is_no_run() {
    let stage = Stage::new(Puppet::new(diligent));
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("draft.md"), "# secret\n").unwrap();
    std::fs::create_dir(stage.root().join("runs")).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), stage.root().join("runs/linked")).unwrap();
    assert!(matches!(stage.runs.resume("linked").await, Err(RunError::Absent(_))));
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 1, "nothing was written there");
}

#[tokio::test(flavor = "multi_thread")]
async fn somebody_who_is_nobody_cannot_work() {
    let stage = Stage::new(Puppet::new(diligent));
    let wanted = Wanted { objective: "x".to_owned(), workers: vec!["Nobody".to_owned()], model: None };
    let refused = stage.runs.start(wanted).await.unwrap_err().to_string();
    assert_eq!(refused, "there is no worker \"Nobody\"; there are Researcher, Terminal");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_prints_the_whole_document_into_its_section_forges_nothing() {
    let puppet = Puppet::new(|asked| match (asked.done("AppendSection"), asked.done("Finished")) {
        (0, _) => append(asked, &asked.document()),
        (1, _) => append(asked, &format!("```\n{}", asked.document())),
        (_, 0) => finished("printed"),
        _ => Said::Words("Done.".to_owned()),
    });
    let stage = Stage::new(puppet);
    let (id, record) = stage.run("compare").await;
    assert_eq!(record.status, Status::Completed, "{record:#?}");
    let draft = stage.runs.draft(&id).await.unwrap();
    assert_eq!(draft.titles(), SECTIONS, "{}", draft.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fence_or_comment_that_a_worker_never_closes_hides_nobody() {
    for open in [
        "```\nnever closed",
        "<!-- never closed",
        "<pre>\nnever",
        "~~~~ x\nnever",
        "<details>\n\nnever",
        "text\n---",
        "- list\n  > quote",
    ] {
        let puppet = Puppet::new(move |asked| match (asked.done("AppendSection"), asked.done("Finished")) {
            (0, _) => append(asked, open),
            (1, _) => append(asked, "Plain words."),
            (_, 0) => finished("opened"),
            _ => Said::Words("Done.".to_owned()),
        });
        let stage = Stage::new(puppet);
        let (id, record) = stage.run("compare").await;
        assert_eq!(record.status, Status::Completed, "{open:?}: {record:#?}");
        let draft = stage.runs.draft(&id).await.unwrap();
        assert_eq!(draft.titles(), SECTIONS, "{open:?}: {}", draft.text);
        assert!(draft.section("Terminal").unwrap().contains("Plain words."));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_finishes_without_writing_is_not_believed() {
    let puppet = Puppet::new(|asked| match asked.steps.last() {
        None => finished("all done, trust me"),
        Some((_, told, true)) => {
            assert!(told.contains("nothing was added to the section"), "{told}");
            Said::Words("But I am done.".to_owned())
        }
        Some(_) => Said::Words("Done.".to_owned()),
    });
    let stage = Stage::new(puppet);
    let (id, record) = stage.run("compare").await;
    assert_eq!(record.status, Status::Failed, "{record:#?}");
    assert!(record.why.as_ref().unwrap().contains("without writing anything"), "{record:#?}");
    assert!(stage.section(&id, "Conductor").await.contains("did not finish"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_never_finishes_is_stopped_by_its_budget() {
    let puppet = Puppet::new(|asked| append(asked, &format!("More {}.", asked.place)));
    let limits = Limits { turns_max: 120, ..Limits::default() };
    let stage = Stage::with(&Cast { limits, ..Cast::new(puppet.clone()) });
    let (id, record) = stage.run("compare").await;
    assert_eq!(record.status, Status::Failed, "{record:#?}");
    assert!(record.why.as_ref().unwrap().contains("which is its limit"), "{record:#?}");
    // A model that takes no time is a little ahead of the record.
    assert!(puppet.asked().len() < 800, "{}", puppet.asked().len());
    let (asked, answers) = (puppet.asked().len() as u64, record.spent.tokens / USAGE.output);
    let turns = u64::from(record.spent.turns);
    assert!(answers <= turns && turns <= asked, "each is counted once: {answers}, {turns}, {asked}");
    // A stop may break off one answer of each.
    assert!(turns - answers <= record.workers.len() as u64, "{answers} of {turns} answers have tokens");
    assert!(stage.file(&id).contains("More 1."), "what it wrote is kept");
    assert!(
        stage.section(&id, "Conductor").await.contains("Researcher did not finish"),
        "{}",
        stage.file(&id)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_took_what_its_description_allows_is_stopped_and_that_is_said() {
    let endless = Puppet::new(|asked| append(asked, &format!("More {}.", asked.place)));
    let of_tokens = Role { tokens_max: Some(35), ..Role::researcher() };
    let of_time = Role { time_max: Some(Duration::from_millis(1)), ..Role::researcher() };
    for (role, puppet, why) in [
        (of_tokens, endless, "Researcher wrote 40 tokens, and its description allows 35"),
        (of_time, Puppet::new(|_| Said::Never), "Researcher worked for as long as its description allows"),
    ] {
        let stage = Stage::with(&Cast { roles: vec![role], ..Cast::new(puppet.clone()) });
        let id = stage.start_with("compare", &["Researcher"]).await;
        let record = stage.ended(&id).await;
        assert_eq!(record.status, Status::Failed, "{record:#?}");
        assert!(record.why.as_ref().unwrap().contains(why), "{record:#?}");
        assert!(puppet.asked().len() <= 4, "it is not tried again: {}", puppet.asked().len());
        assert!(stage.section(&id, "Conductor").await.contains(why), "{}", stage.file(&id));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_section_that_is_full_takes_no_more() {
    let puppet = Puppet::new(|asked| match asked.steps.last() {
        Some((name, _, false)) if name == "Finished" => Said::Words("Done.".to_owned()),
        Some((_, told, true)) if told.contains("would have more than") => finished("full"),
        _ => append(asked, &format!("{} {}", asked.place, "word ".repeat(200))),
    });
    let limits = Limits { section_max: 5000, ..Limits::default() };
    let stage = Stage::with(&Cast { limits, ..Cast::new(puppet) });
    let id = stage.start_with("compare", &["Researcher"]).await;
    let record = stage.ended(&id).await;
    assert_eq!(record.status, Status::Completed, "{record:#?}");
    assert!(stage.section(&id, "Researcher").await.len() <= 5000);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_asks_the_person_and_goes_on_with_the_answer() {
    let puppet = Puppet::new(|asked| {
        let is_answered = asked.prompt.contains("the second one");
        match (asked.worker.as_str(), is_answered, asked.steps.len()) {
            ("Researcher", false, 0) => Said::Calls(vec![(
                "Finished",
                json!({ "summary": "unsure", "question": "Which of the two?" }),
            )]),
            ("Researcher", false, _) => Said::Words("I wait.".to_owned()),
            _ => diligent(asked),
        }
    });
    let stage = Stage::new(puppet);
    let id = stage.start_with("compare", &["Researcher"]).await;
    let view = stage.until(&id, |view| view.record.status == Status::WaitingForUser).await;
    assert_eq!(view.record.why.as_deref(), Some("Researcher asks: Which of the two?"));
    stage.runs.direct(&id, "@Researcher the second one", "user", None).await.unwrap();
    let record = stage.ended(&id).await;
    assert_eq!(record.status, Status::Completed, "{record:#?}");
    assert!(stage.section(&id, "Researcher").await.contains("finding 2."));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directive_in_the_middle_of_a_run_ends_it() {
    let stage =
        Stage::new(Puppet::new(
            |asked| if asked.steps.is_empty() { append(asked, "First.") } else { Said::Never },
        ));
    let id = stage.start("compare").await;
    let text = stage.until_text(&id, |text| text.matches("First.").count() == 2).await;
    stage.save(&id, &format!("{text}/cancel\n"));
    let record = stage.ended(&id).await;
    assert_eq!(record.status, Status::Cancelled, "{record:#?}");
    let text = stage.file(&id);
    assert!(
        text.contains("> Taken: `/cancel` → the run ends") && text.matches("First.").count() == 2,
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_role_of_the_project_has_its_own_section_and_only_its_own_tools() {
    let critic = Role::parse("Critic", "---\ntools: Read\n---\nDoubt everything.").unwrap();
    let puppet = Puppet::new(diligent);
    let roles = Role::standing().into_iter().chain([critic]).collect();
    let stage = Stage::with(&Cast { roles, ..Cast::new(puppet.clone()) });
    let id = stage.start_with("compare", &["critic", "Terminal"]).await;
    let record = stage.ended(&id).await;
    assert_eq!(record.status, Status::Completed, "{record:#?}");
    let draft = stage.runs.draft(&id).await.unwrap();
    assert_eq!(draft.titles(), ["Conductor", "Researcher", "Terminal", "Critic", "User"], "{}", draft.text);
    assert!(draft.section("Critic").unwrap().contains("Critic find finding 1."));
    let asked = puppet.asked_as("Critic");
    assert!(
        asked[0].tools.contains(&"AppendSection".to_owned()) && !asked[0].tools.contains(&"Bash".to_owned())
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_person_takes_everything_away_and_the_run_still_ends() {
    let go = Arc::new(Notify::new());
    let gate = Arc::clone(&go);
    let puppet = Puppet::new(move |asked| {
        match (asked.worker.as_str(), asked.attribute("aim").as_str(), asked.steps.len()) {
            ("Terminal", "find", 0) => {
                Said::After(Arc::clone(&gate), Box::new(append(asked, "Terminal at last.")))
            }
            _ => diligent(asked),
        }
    });
    let stage = Stage::new(puppet);
    let id = stage.start("compare").await;
    stage.until_text(&id, |text| text.contains("Researcher find finding 2.")).await;
    stage.save(&id, "# nothing left\n");
    stage.until_text(&id, |text| text.contains("# nothing left") && text.contains("## Terminal")).await;
    let record = stage.ended_with(&id, &go).await;
    assert!(record.status.is_final(), "{record:#?}");
    let text = stage.file(&id);
    assert!(text.contains("# nothing left") && text.contains("Terminal at last."), "{text}");
    assert!(stage.runs.draft(&id).await.unwrap().section("Terminal").is_ok());
}
