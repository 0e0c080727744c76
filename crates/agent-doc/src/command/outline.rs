//! `agent-doc outline`: what a document holds, at a glance. Never prints content.
//!
//! The JSON is a promise, kept in the guide: fields are added, none is renamed or taken away.

use anyhow::Result;
use document::component::{Component, Mode, components};
use document::frontmatter::Frontmatter;
use document::section::{find_sections, is_proposal, outline};
use serde::Serialize;

use super::visible;
use crate::arguments::Outline;
use crate::lines::{Lines, last_place};
use crate::{input, output};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report {
    file: String,
    headings: Vec<HeadingRow>,
    components: Vec<ComponentRow>,
    problems: Vec<String>,
}

#[derive(Debug, Serialize)]
struct HeadingRow {
    level: u8,
    title: String,
    line: usize,
    start: usize,
    end: usize,
    words: usize,
    tokens: usize,
    proposal: bool,
}

#[derive(Debug, Serialize)]
struct ComponentRow {
    name: String,
    mode: &'static str,
    depth: usize,
    line: usize,
    end_line: usize,
    start: usize,
    end: usize,
}

pub(crate) fn run(given: &Outline) -> Result<()> {
    let text = input::read(&given.file)?;
    let report = report(input::shown(&given.file), &text);
    if given.json {
        return output::print_json(&report);
    }
    if report.headings.is_empty() && report.components.is_empty() {
        output::notice(&format!("{} holds no text", report.file));
    }
    output::print(table(&report).as_bytes())?;
    for problem in &report.problems {
        output::notice(&format!("warning: {}: {problem}", report.file));
    }
    Ok(())
}

fn report(file: String, text: &str) -> Report {
    let proposals: Vec<usize> = find_sections(text)
        .iter()
        .filter(|section| is_proposal(section))
        .map(|section| section.start)
        .collect();
    let headings = outline(text).into_iter().map(|heading| HeadingRow {
        proposal: heading.level > 0 && proposals.binary_search(&heading.start).is_ok(),
        level: heading.level,
        title: heading.title,
        line: heading.line,
        start: heading.start,
        end: heading.end,
        words: heading.words,
        tokens: heading.tokens,
    });
    let settings = Frontmatter::parse(text).diagnostics.into_iter();
    let mut problems: Vec<String> =
        settings.map(|found| format!("line {}: {}", found.line, found.message)).collect();
    let components = match components(text) {
        Ok(found) => component_rows(text, &found),
        Err(error) => {
            problems.push(error.to_string());
            Vec::new()
        }
    };
    Report { file, headings: headings.collect(), components, problems }
}

fn component_rows(text: &str, found: &[Component]) -> Vec<ComponentRow> {
    let last = |component: &Component| last_place(text, component.open.start, component.close.end);
    let places = found.iter().flat_map(|component| [component.open.start, last(component)]);
    let lines = Lines::of(text, places);
    let row = |component: &Component| ComponentRow {
        name: component.name.clone(),
        mode: match component.mode() {
            Mode::Replace => "replace",
            Mode::Append => "append",
            Mode::Prepend => "prepend",
        },
        depth: component.depth,
        line: lines.line(component.open.start),
        end_line: lines.line(last(component)),
        start: component.open.start,
        end: component.close.end,
    };
    found.iter().map(row).collect()
}

/// Headings and components in the order of the document, one a line.
fn table(report: &Report) -> String {
    let mut rows = Vec::with_capacity(report.headings.len() + report.components.len());
    for heading in &report.headings {
        rows.push((heading.start, heading_line(heading)));
    }
    let mut headings = report.headings.iter().peekable();
    let mut level = 0;
    for component in &report.components {
        while let Some(heading) = headings.next_if(|heading| heading.start <= component.start) {
            level = heading.level;
        }
        rows.push((component.start, component_line(component, usize::from(level))));
    }
    rows.sort_by_key(|(start, _)| *start);
    if rows.is_empty() {
        return String::new();
    }
    let header = " LINE   WORDS  TOKENS\n".to_owned();
    rows.into_iter().fold(header, |table, (_, row)| table + &row)
}

fn heading_line(row: &HeadingRow) -> String {
    let indent = "  ".repeat(usize::from(row.level.saturating_sub(1)));
    let rank = "#".repeat(usize::from(row.level));
    let gap = if row.level == 0 { "" } else { " " };
    let mark = if row.proposal { "  [proposal]" } else { "" };
    let title = visible(&row.title);
    format!("{:5} {:7} {:7}  {indent}{rank}{gap}{title}{mark}\n", row.line, row.words, row.tokens)
}

/// A component stands one step further in than the heading before it.
fn component_line(row: &ComponentRow, level: usize) -> String {
    let indent = "  ".repeat(level + row.depth);
    let name = visible(&row.name);
    format!("{:5} {:>7} {:>7}  {indent}[component {name}: {}]\n", row.line, "", "", row.mode)
}
