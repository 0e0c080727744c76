//! `agent-doc section`: the sections of a document, and the text of one. Never chooses between two of one title.
//!
//! The JSON is a promise, kept in the guide: fields are added, none is renamed or taken away.

use std::path::Path;

use anyhow::Result;
use document::section::{Section, SectionError, find_sections, is_proposal, locate};
use serde::Serialize;

use super::visible;
use crate::arguments::{SectionList, SectionRead};
use crate::lines::{Lines, last_place};
use crate::refusal::Refusal;
use crate::{input, output};

/// What `list --json` prints.
#[derive(Debug, Serialize)]
struct Listing {
    file: String,
    sections: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    level: u8,
    title: String,
    line: usize,
    end_line: usize,
    proposal: bool,
}

/// What `read --json` prints.
#[derive(Debug, Serialize)]
struct Reading {
    file: String,
    #[serde(flatten)]
    section: Row,
    content: String,
}

pub(crate) fn list(given: &SectionList) -> Result<()> {
    let text = input::read(&given.file)?;
    let sections = rows(&text, &find_sections(&text));
    let file = input::shown(&given.file);
    if given.json {
        return output::print_json(&Listing { file, sections });
    }
    if sections.is_empty() {
        output::notice(&format!("{file} has no headings"));
    }
    output::print(table(&sections).as_bytes())
}

pub(crate) fn read(given: &SectionRead) -> Result<()> {
    let text = input::read(&given.file)?;
    let found = locate(&text, &given.title).map_err(|error| missing(&given.file, &error))?;
    if !given.json {
        return output::print(found.content.as_bytes());
    }
    let lines = Lines::of(&text, std::iter::once(last_place_of(&text, &found)));
    output::print_json(&Reading {
        file: input::shown(&given.file),
        section: row(&text, &found, &lines),
        content: found.content,
    })
}

fn rows(text: &str, sections: &[Section]) -> Vec<Row> {
    let lines = Lines::of(text, sections.iter().map(|section| last_place_of(text, section)));
    sections.iter().map(|section| row(text, section, &lines)).collect()
}

fn row(text: &str, section: &Section, lines: &Lines) -> Row {
    Row {
        level: section.level,
        title: section.title.clone(),
        line: section.line,
        end_line: lines.line(last_place_of(text, section)),
        proposal: is_proposal(section),
    }
}

fn last_place_of(text: &str, section: &Section) -> usize {
    last_place(text, section.start, section.end)
}

fn table(rows: &[Row]) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut table = "      LINES  STATE     SECTION\n".to_owned();
    for row in rows {
        let lines = match row.end_line {
            end if end > row.line => format!("{}-{end}", row.line),
            _ => row.line.to_string(),
        };
        let state = if row.proposal { "proposal" } else { "canon" };
        let indent = "  ".repeat(usize::from(row.level.saturating_sub(1)));
        let rank = "#".repeat(usize::from(row.level));
        let title = visible(&row.title);
        table.push_str(&format!("{lines:>11}  {state:8}  {indent}{rank} {title}\n"));
    }
    table
}

fn missing(file: &Path, error: &SectionError) -> Refusal {
    let name = input::shown(file);
    match error {
        SectionError::NotFound { title, nearest } => {
            Refusal::new(format!("{name} has no section titled {title:?}"), nearest_help(title, nearest))
        }
        SectionError::Multiple { title, count, lines } => {
            let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
            Refusal::new(
                format!("{name} has {count} sections titled {title:?}, on lines {}", lines.join(", ")),
                "rename all but one of them",
            )
        }
        SectionError::UnclosedMarker { line } => Refusal::new(
            format!("{name}: line {line}: the proposal marker is not closed and hides what follows"),
            "write '<!-- proposal -->' on that line",
        ),
    }
}

fn nearest_help(title: &str, nearest: &[String]) -> String {
    let wanted = title.trim().to_lowercase();
    if let Some(same) = nearest.iter().find(|near| near.to_lowercase() == wanted) {
        return format!("{same:?} is inside another section; name it by its path, 'Parent/{same}'");
    }
    if nearest.is_empty() {
        return "it has no headings; 'agent-doc outline' shows what it holds".to_owned();
    }
    let quoted: Vec<String> = nearest.iter().map(|near| format!("{near:?}")).collect();
    format!("the nearest titles are {}", quoted.join(", "))
}
