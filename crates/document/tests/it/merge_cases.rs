//! What two people who looked over the merge's shoulder would expect, case by case, with the exact text where there is one.

mod bytes;
mod exchange;
mod line;
mod page;

use document::merge::{Merge, NoticeKind, merge, merge_diff3};
use document::{Author, Document};

/// One case: three texts, and what must be true of the merged one.
struct Row {
    title: &'static str,
    base: String,
    ours: String,
    theirs: String,
    expected: Option<String>,
    times: Vec<(&'static str, usize)>,
    order: Vec<&'static str>,
    contest: Contest,
}

/// Whether both sides changed the same words, so that markers may be written where they are asked for.
#[derive(PartialEq, Eq)]
enum Contest {
    None,
    SameWords,
}

fn row(title: &'static str, [base, ours, theirs]: [&str; 3]) -> Row {
    Row {
        title,
        base: base.to_owned(),
        ours: ours.to_owned(),
        theirs: theirs.to_owned(),
        expected: None,
        times: Vec::new(),
        order: Vec::new(),
        contest: Contest::None,
    }
}

impl Row {
    /// The merged text is just this.
    fn gives(mut self, expected: &str) -> Row {
        self.expected = Some(expected.to_owned());
        self
    }

    /// Each of these stands in the merged text, and not twice.
    fn once(mut self, parts: &[&'static str]) -> Row {
        self.times.extend(parts.iter().map(|part| (*part, 1)));
        self
    }

    fn times(mut self, part: &'static str, count: usize) -> Row {
        self.times.push((part, count));
        self
    }

    fn never(mut self, parts: &[&'static str]) -> Row {
        self.times.extend(parts.iter().map(|part| (*part, 0)));
        self
    }

    /// These stand in this order.
    fn in_order(mut self, parts: &[&'static str]) -> Row {
        self.order = parts.to_vec();
        self
    }

    /// Both sides changed the same words.
    fn contested(mut self) -> Row {
        self.contest = Contest::SameWords;
        self
    }

    /// All texts are what stands in the exchange of a template document.
    fn inside(mut self, frame: fn(&str) -> String) -> Row {
        for text in [&mut self.base, &mut self.ours, &mut self.theirs] {
            *text = frame(text);
        }
        self.expected = self.expected.map(|text| frame(&text));
        self
    }

    /// Everything that is wrong with this case; nothing if all is well.
    fn complaints(&self) -> Vec<String> {
        let merged = merge(&self.base, &self.ours, &self.theirs);
        let mut found = self.complaints_about(&merged.text);
        let marked = merge_diff3(&self.base, &self.ours, &self.theirs);
        found.extend(self.complaint_about_markers(&merged, &marked));
        found
            .into_iter()
            .map(|complaint| format!("{}: {complaint}\n--- merged\n{}", self.title, merged.text))
            .collect()
    }

    fn complaints_about(&self, merged: &str) -> Vec<String> {
        let mut found = Vec::new();
        if let Some(expected) = &self.expected
            && merged != expected
        {
            found.push(format!("expected {expected:?}, got {merged:?}"));
        }
        for (part, count) in &self.times {
            let times = merged.matches(part).count();
            if times != *count {
                found.push(format!("{part:?} stands {times} times, not {count}"));
            }
        }
        let places: Vec<Option<usize>> = self.order.iter().map(|part| merged.find(part)).collect();
        if places.contains(&None) || !places.is_sorted() {
            found.push(format!("{:?} are not in this order", self.order));
        }
        if ["<<<<<<<", "|||||||", ">>>>>>>"].iter().any(|marker| merged.contains(marker)) {
            found.push("there are conflict markers".to_owned());
        }
        found
    }

    fn complaint_about_markers(&self, merged: &Merge, marked: &Merge) -> Option<String> {
        let has_conflict = marked.notices.iter().any(|notice| notice.kind == NoticeKind::Conflict);
        match self.contest {
            Contest::None if marked.text != merged.text => {
                Some(format!("with markers allowed it becomes {:?}", marked.text))
            }
            Contest::SameWords if !has_conflict => Some("nobody is told of the conflict".to_owned()),
            Contest::None | Contest::SameWords => None,
        }
    }
}

/// All complaints of all rows at once.
fn check(rows: &[Row]) {
    let found: Vec<String> = rows.iter().flat_map(Row::complaints).collect();
    assert!(found.is_empty(), "{} complaints\n\n{}", found.len(), found.join("\n\n"));
}

/// A template document with this text in its exchange.
fn template(content: &str) -> String {
    format!(
        "---\nagent_doc_format: template\nagent_doc_write: crdt\n---\n\n# Doc\n\n<!-- agent:exchange -->\n{content}<!-- /agent:exchange -->\n"
    )
}

#[test]
fn changes_of_a_whole_page() {
    check(&page::rows());
}

#[test]
fn changes_around_one_line() {
    check(&line::rows());
}

#[test]
fn a_conversation_in_an_exchange() {
    check(&exchange::rows());
    check(&exchange::components());
}

#[test]
fn characters_endings_and_blanks() {
    check(&bytes::rows());
}

/// An editor that loaded the file before the agent wrote does not delete what it never saw.
#[test]
fn a_stale_buffer_is_saved_over_newer_text() {
    let (person, agent) = (Author::new("person"), Author::new("agent"));
    let mut document = Document::open("q\n\n", &person);
    let anchor = document.anchor_at(3).unwrap();
    document.insert_at(anchor, "Flushed part.\n", &agent).unwrap();
    document.publish();
    document.insert_at(anchor, "Next part.\n", &agent).unwrap();
    document.absorb("q\nanother thought\n\n", &person);
    assert_eq!(document.text(), "q\nanother thought\n\nFlushed part.\nNext part.\n");
}

#[test]
fn an_empty_file_is_a_save_under_way_and_not_a_deletion() {
    for merge in [merge, merge_diff3] {
        let merged = merge("q\n", "q\n\nA\n", "");
        assert_eq!(merged.text, "q\n\nA\n");
        let kinds: Vec<NoticeKind> = merged.notices.iter().map(|notice| notice.kind).collect();
        assert_eq!(kinds, [NoticeKind::EmptySave]);
    }
}
