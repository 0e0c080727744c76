//! Canons by themselves: texts in, texts out. Never asks a model.

use expect_test::{Expect, expect};

use super::{Unfit, aggregate, check, explained, inputs, woven};
use crate::draft::Draft;
use crate::plan::{Aim, Item, ItemState};
use crate::record::{Record, Settled};

const RUN: &str = "# Compare\n\n## Conductor\n\n## Researcher\n<!-- proposal -->\nFound three sources.\n\n- one\n- two\n\n## Terminal\n<!-- proposal -->\nRan `ls`: it lists 3 files.\n\n```\n- no point\n```\n\n## User\n<!-- proposal -->\n";

fn record() -> Record {
    Record::new("r", "Compare the two", &["Researcher".to_owned(), "Terminal".to_owned()], "user", 0)
}

fn check_aggregate(text: &str, record: &Record, expect: &Expect) {
    expect.assert_eq(&aggregate(&Draft::new(text, 1), record));
}

#[test]
fn sections_are_put_together_under_the_names_of_their_workers() {
    check_aggregate(
        RUN,
        &record(),
        &expect![[r#"
            _Put together from the sections of the workers, without a language model._

            **Researcher**

            - Found three sources.
            - one
            - two

            **Terminal**

            - Ran `ls`: it lists 3 files."#]],
    );
}

#[test]
fn who_did_not_finish_and_what_was_accepted_is_said() {
    let mut record = record();
    let mut item = Item::new(1, "Terminal", "x", Aim::Find, Vec::new());
    (item.state, item.told) = (ItemState::Failed, Some("the model refused".to_owned()));
    record.plan.push(item);
    record.accepted.push(Settled {
        id: "a".to_owned(),
        author: "Researcher".to_owned(),
        text: "It is so.".to_owned(),
    });
    let canon = aggregate(&Draft::new(RUN, 1), &record);
    assert!(canon.contains("Terminal did not finish: the model refused"), "{canon}");
    assert!(canon.ends_with("Accepted from Researcher:\n\nIt is so."), "{canon}");
    assert!(explained(&record, "all failed").contains("Terminal did not finish"));
}

#[test]
fn a_model_that_says_nothing_of_its_own_is_not_believed() {
    let (draft, record) = (Draft::new(RUN, 1), record());
    let said = |text: &str| check(text, &draft, &record);
    assert_eq!(said("Both agree on three points.\n\n### Details\n\nMore."), Ok(()));
    assert_eq!(said(" \n\n"), Err(Unfit::Blank));
    assert_eq!(said("# Title\n\n## Another\n"), Err(Unfit::Blank));
    assert_eq!(said("compare the  two."), Err(Unfit::Echo));
    assert_eq!(said("```markdown\nBoth agree.\n```"), Err(Unfit::Fenced));
    assert_eq!(said("Both.\n\n## Terminal\n\nforged"), Err(Unfit::Forged("Terminal".to_owned())));
    assert_eq!(said("Both.\n\n# user\n\nforged"), Err(Unfit::Forged("user".to_owned())));
    assert_eq!(said(&"word ".repeat(3000)), Err(Unfit::Long));
    assert_eq!(said("Look:\n\n```\ncode\n```\n\nand\n\n```\nmore\n```"), Ok(()));
}

#[test]
fn what_the_person_wrote_into_the_canon_stays() {
    let written = "One.\n\nTwo.";
    assert_eq!(woven(written, "One.\n\nTwo.\n\nThree.", written), "One.\n\nTwo.\n\nThree.");
    assert_eq!(
        woven(written, "One.\n\nTwo.\n\nThree.", "One, really.\n\nTwo."),
        "One, really.\n\nTwo.\n\nThree."
    );
    assert_eq!(woven(written, "Uno.\n\nTwo.", "One.\n\nMine.\n\nTwo."), "Uno.\n\nMine.\n\nTwo.");
    assert_eq!(woven(written, "One.\n\nTwo.\n\nThree.", "One."), "One.\n\nThree.");
}

#[test]
fn the_same_sections_have_the_same_sum() {
    let record = record();
    let sum = |text: &str| inputs(&Draft::new(text, 1), &record);
    assert_eq!(sum(RUN), sum(&RUN.replace("# Compare", "# Other")));
    assert_eq!(sum(RUN), sum(&RUN.replace("## Conductor\n", "## Conductor\n\nNew canon.\n")));
    assert_ne!(sum(RUN), sum(&RUN.replace("- two", "- three")));
}
