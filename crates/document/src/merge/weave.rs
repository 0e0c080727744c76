//! Lays the changes of two sides over their base and decides, place by place, whose text stands there.
//! Never cuts a line of either side where both touched it.

use std::ops::Range;

use super::cluster::{Cluster, Clusters, Operation, operations};
use super::combine::{Place, combine};
use super::{Notice, NoticeKind, diff3};
use crate::diff::{Hunk, line_end, line_start, slice};
use crate::markdown;

/// One side of a merge: its text, and what it changed in the base.
pub(crate) struct Side<'a> {
    pub(crate) text: &'a str,
    operations: Vec<Operation>,
}

impl<'a> Side<'a> {
    pub(crate) fn new(base: &str, text: &'a str, hunks: Vec<Hunk>) -> Side<'a> {
        Side { text, operations: operations(base, text, hunks) }
    }

    /// What this side wrote: bytes of its text, in order.
    pub(super) fn written(&self) -> Vec<Range<usize>> {
        self.operations.iter().map(|operation| operation.new.clone()).collect()
    }
}

/// One place of the base that the merge changes, with the same place in both sides.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) base: Range<usize>,
    pub(crate) ours: Range<usize>,
    pub(crate) theirs: Range<usize>,
    pub(crate) take: Take,
}

/// Whose text stands at a changed place.
#[derive(Debug)]
pub(crate) enum Take {
    Ours,
    Theirs,
    Text(String),
}

/// What to do where both sides changed the same words.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// The whole lines of both stand.
    KeepBoth,
    /// Conflict markers show both and the original.
    Diff3,
}

/// The decided merge: what changes in the base, and what a person should know.
pub(crate) struct Woven {
    pub(crate) changes: Vec<Change>,
    pub(crate) notices: Vec<Notice>,
}

/// Decides the whole merge. All texts end with a line break or are empty.
pub(crate) fn weave(base: &str, ours: &Side<'_>, theirs: &Side<'_>, style: Style) -> Woven {
    let mut weaver = Weaver {
        base,
        ours: Cursor::new(ours.text),
        theirs: Cursor::new(theirs.text),
        style,
        frontmatter_end: markdown::frontmatter_block(base).map_or(0, |block| block.end),
        merged: Progress::default(),
        woven: Woven { changes: Vec::new(), notices: Vec::new() },
    };
    for cluster in Clusters::new(base, (ours.text, theirs.text), &ours.operations, &theirs.operations) {
        weaver.settle(&cluster);
    }
    weaver.woven
}

struct Weaver<'a> {
    base: &'a str,
    ours: Cursor<'a>,
    theirs: Cursor<'a>,
    style: Style,
    frontmatter_end: usize,
    merged: Progress,
    woven: Woven,
}

/// A side's text, and by how much its positions differ from those of the base at the place reached so far.
struct Cursor<'a> {
    text: &'a str,
    base_at: usize,
    side_at: usize,
}

impl<'a> Cursor<'a> {
    fn new(text: &'a str) -> Cursor<'a> {
        Cursor { text, base_at: 0, side_at: 0 }
    }

    /// Where a place of the base, behind all that was passed, lies in this side.
    fn locate(&self, base: usize) -> usize {
        self.side_at + base.saturating_sub(self.base_at)
    }

    fn pass(&mut self, operation: &Operation) {
        self.base_at = operation.base.end;
        self.side_at = operation.new.end;
    }
}

/// How many lines the merged text has so far, counted only when a notice asks for it.
#[derive(Default)]
struct Progress {
    changes_counted: usize,
    base_at: usize,
    lines: usize,
}

impl Weaver<'_> {
    fn settle(&mut self, cluster: &Cluster<'_>) {
        if cluster.ours.is_empty() || cluster.theirs.is_empty() || !cluster.is_contested() {
            self.take_each(cluster);
        } else if cluster.base.is_empty() {
            self.join(cluster);
        } else {
            self.settle_contested(cluster);
        }
    }

    /// Nobody stands in the other's way: every change of both sides is made, the same one once.
    fn take_each(&mut self, cluster: &Cluster<'_>) {
        let (mut ours, mut theirs) = (cluster.ours.iter().peekable(), cluster.theirs.iter().peekable());
        loop {
            let (operation, take) = match (ours.peek(), theirs.peek()) {
                (Some(a), Some(b)) if b.precedes(a) => (*b, Take::Theirs),
                (Some(a), _) => (*a, Take::Ours),
                (None, Some(b)) => (*b, Take::Theirs),
                (None, None) => return,
            };
            let base = operation.base.clone();
            let start = (self.ours.locate(base.start), self.theirs.locate(base.start));
            match take {
                Take::Theirs => {
                    theirs.next();
                    self.theirs.pass(operation);
                }
                Take::Ours | Take::Text(_) => {
                    ours.next();
                    self.ours.pass(operation);
                    // A change at the same place that is not contested is the same change.
                    let is_same = |other: &&Operation| {
                        other.base == base && !other.inserts_lines() && !operation.inserts_lines()
                    };
                    if let Some(same) = theirs.next_if(is_same) {
                        self.theirs.pass(same);
                    }
                }
            }
            let end = (self.ours.locate(base.end), self.theirs.locate(base.end));
            self.woven.changes.push(Change { base, ours: start.0..end.0, theirs: start.1..end.1, take });
        }
    }

    /// Both inserted lines at one place.
    fn join(&mut self, cluster: &Cluster<'_>) {
        let span = self.span(cluster);
        let place = self.place(&cluster.base, "");
        let combined =
            combine(slice(self.ours.text, span.0.clone()), slice(self.theirs.text, span.1.clone()), &place);
        self.tell_dropped(&cluster.base, combined.dropped, &span);
        self.woven.changes.push(Change {
            base: cluster.base.clone(),
            ours: span.0,
            theirs: span.1,
            take: Take::Text(combined.text),
        });
    }

    /// The cluster's lines in both sides; passes all of its operations.
    fn span(&mut self, cluster: &Cluster<'_>) -> (Range<usize>, Range<usize>) {
        let start = (self.ours.locate(cluster.base.start), self.theirs.locate(cluster.base.start));
        cluster.ours.iter().for_each(|operation| self.ours.pass(operation));
        cluster.theirs.iter().for_each(|operation| self.theirs.pass(operation));
        let end = (self.ours.locate(cluster.base.end), self.theirs.locate(cluster.base.end));
        (start.0..end.0, start.1..end.1)
    }

    fn place<'b>(&self, base: &Range<usize>, removed: &'b str) -> Place<'b> {
        Place { is_frontmatter: base.start > 0 && base.start < self.frontmatter_end, removed }
    }

    /// Both changed the same words: whole lines of both stand, or conflict markers show them.
    fn settle_contested(&mut self, cluster: &Cluster<'_>) {
        let lines = (
            line_operations(self.base, cluster, cluster.ours, &self.ours),
            line_operations(self.base, cluster, cluster.theirs, &self.theirs),
        );
        let span = self.span(cluster);
        let ours = slice(self.ours.text, span.0.clone());
        let theirs = slice(self.theirs.text, span.1.clone());
        let original = slice(self.base, cluster.base.clone());
        let line = self.line_at(cluster.base.start);
        let told = self.woven.notices.len();
        let mut text = self.keep_both(cluster, &lines.0, &lines.1, line);
        if self.style == Style::Diff3
            && !original.trim().is_empty()
            && !self.is_settled(&text, ours, theirs, told)
        {
            self.woven.notices.truncate(told);
            self.tell(NoticeKind::Conflict, line, ours, theirs);
            text = diff3::conflict(ours, original, theirs);
        }
        self.woven.changes.push(Change {
            base: cluster.base.clone(),
            ours: span.0,
            theirs: span.1,
            take: Take::Text(text),
        });
    }

    /// Whether one side's version holds all that the other changed, so that there is nothing to choose.
    fn is_settled(&self, text: &str, ours: &str, theirs: &str, told: usize) -> bool {
        let notices = self.woven.notices.get(told..).unwrap_or_default();
        let is_choice = |notice: &Notice| notice.kind != NoticeKind::BothChanged;
        (text == ours || text == theirs) && !notices.iter().any(is_choice)
    }

    /// Lines of the base that neither side removed stay; between them stand the new lines of both sides, whole.
    fn keep_both(
        &mut self,
        cluster: &Cluster<'_>,
        ours: &[Operation],
        theirs: &[Operation],
        line: usize,
    ) -> String {
        let mut text = String::new();
        let mut run = Run::at(cluster.base.start);
        let (mut ours, mut theirs) = (ours.iter().peekable(), theirs.iter().peekable());
        loop {
            let next = match (ours.peek(), theirs.peek()) {
                (Some(a), Some(b)) if b.precedes(a) => theirs.next().map(|b| (b, false)),
                (Some(_), _) => ours.next().map(|a| (a, true)),
                (None, Some(_)) => theirs.next().map(|b| (b, false)),
                (None, None) => None,
            };
            let Some((operation, is_ours)) = next else { break };
            if operation.base.start > run.base.end {
                self.close(&run, line, &mut text);
                text.push_str(slice(self.base, run.base.end..operation.base.start));
                run = Run::at(operation.base.start);
            }
            run.base.end = run.base.end.max(operation.base.end);
            let (side, into) =
                if is_ours { (&self.ours, &mut run.ours) } else { (&self.theirs, &mut run.theirs) };
            into.get_or_insert_default().push_str(slice(side.text, operation.new.clone()));
        }
        self.close(&run, line, &mut text);
        text.push_str(slice(self.base, run.base.end..cluster.base.end));
        text
    }

    fn close(&mut self, run: &Run, first_line: usize, text: &mut String) {
        let ours = run.ours.as_deref().unwrap_or_default();
        let theirs = run.theirs.as_deref().unwrap_or_default();
        let place = self.place(&run.base, slice(self.base, run.base.clone()));
        let combined = combine(ours, theirs, &place);
        let line = first_line + newlines(text);
        if run.ours.is_some() && run.theirs.is_some() && ours != theirs {
            let kind = if !combined.dropped.is_empty() {
                NoticeKind::PersonKept
            } else if ours.is_empty() || theirs.is_empty() {
                NoticeKind::DeletedAndChanged
            } else {
                NoticeKind::BothChanged
            };
            self.tell(kind, line, ours, theirs);
        }
        text.push_str(&combined.text);
    }

    fn tell(&mut self, kind: NoticeKind, line: usize, ours: &str, theirs: &str) {
        let (ours, theirs) = (ours.to_owned(), theirs.to_owned());
        self.woven.notices.push(Notice { kind, line, ours, theirs });
    }

    fn tell_dropped(&mut self, base: &Range<usize>, dropped: String, span: &(Range<usize>, Range<usize>)) {
        if dropped.is_empty() {
            return;
        }
        let line = self.line_at(base.start);
        let theirs = slice(self.theirs.text, span.1.clone()).to_owned();
        self.woven.notices.push(Notice { kind: NoticeKind::PersonKept, line, ours: dropped, theirs });
    }

    /// The line of the merged text, counted from one, that a place of the base has become.
    fn line_at(&mut self, base: usize) -> usize {
        let changes = self.woven.changes.get(self.merged.changes_counted..).unwrap_or_default();
        for change in changes {
            self.merged.lines += newlines(slice(self.base, self.merged.base_at..change.base.start));
            self.merged.lines += newlines(match &change.take {
                Take::Ours => slice(self.ours.text, change.ours.clone()),
                Take::Theirs => slice(self.theirs.text, change.theirs.clone()),
                Take::Text(text) => text,
            });
            self.merged.base_at = change.base.end;
        }
        self.merged.changes_counted = self.woven.changes.len();
        self.merged.lines += newlines(slice(self.base, self.merged.base_at..base));
        self.merged.base_at = base;
        self.merged.lines + 1
    }
}

/// New lines of both sides with no surviving line of the base between them.
struct Run {
    base: Range<usize>,
    ours: Option<String>,
    theirs: Option<String>,
}

impl Run {
    fn at(base: usize) -> Run {
        Run { base: base..base, ours: None, theirs: None }
    }
}

/// One side's operations in a cluster as operations on whole lines: changed words become the changed line.
fn line_operations(
    base: &str,
    cluster: &Cluster<'_>,
    operations: &[Operation],
    side: &Cursor<'_>,
) -> Vec<Operation> {
    let mut lines: Vec<Operation> = Vec::new();
    let mut cursor = Cursor { text: side.text, base_at: side.base_at, side_at: side.side_at };
    for operation in operations {
        if !operation.is_inline {
            cursor.pass(operation);
            lines.push(operation.clone());
            continue;
        }
        let same_line =
            lines.last_mut().filter(|last| last.is_inline && operation.base.start < last.base.end);
        let Some(last) = same_line else {
            let start = line_start(base, operation.base.start).max(cluster.base.start);
            let end = line_end(base, operation.base.end).min(cluster.base.end);
            let new_start = cursor.locate(start);
            cursor.pass(operation);
            let new = new_start..cursor.locate(end);
            lines.push(Operation { base: start..end, new, is_inline: true });
            continue;
        };
        cursor.pass(operation);
        last.new.end = cursor.locate(last.base.end);
    }
    lines
}

fn newlines(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}
