//! The document of a run as it reads at one revision. Never changes it, and never takes the first of two sections.

use document::Revision;
use document::section::{PROPOSAL_MARKER, SectionError, find_sections, is_proposal, locate};
use document::text::{lines, split_ending};

use crate::role;
use workspace::SharedText;

/// The section of the canon.
pub const CANON: &str = "Conductor";
/// The section of the person.
pub const PERSON: &str = "User";

/// A text and its revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The whole text.
    pub text: SharedText,
    /// Its revision.
    pub revision: Revision,
}

/// Why a section cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trouble {
    /// There is none.
    Missing,
    /// There are several, on these lines.
    Several(Vec<usize>),
    /// An unclosed marker hides it, on this line.
    Hidden(usize),
}

impl Trouble {
    /// What a person reads about the section of this title.
    #[must_use]
    pub fn words(&self, title: &str) -> String {
        match self {
            Self::Missing => format!("the section {title:?} is gone"),
            Self::Several(lines) => {
                let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
                let count = lines.len();
                format!(
                    "there are {count} sections {title:?}, on lines {}; leave one of them",
                    lines.join(", ")
                )
            }
            Self::Hidden(line) => {
                format!("the marker on line {line} is not closed and hides {title:?}; close it")
            }
        }
    }
}

/// A block of a worker's section, which the person can take into the canon or turn down.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Proposal {
    /// Its name, made of its words and its author.
    pub id: String,
    /// Who wrote it.
    pub author: String,
    /// Its words, byte for byte.
    pub text: String,
}

impl Draft {
    /// A text at a revision.
    #[must_use]
    pub fn new(text: &str, revision: Revision) -> Draft {
        Draft { text: text.into(), revision }
    }

    /// What the section of a title says, without its proposal marker and without blanks around it.
    ///
    /// # Errors
    ///
    /// [`Trouble`] if there is not exactly one.
    pub fn section(&self, title: &str) -> Result<String, Trouble> {
        match locate(&self.text, title) {
            Ok(section) => Ok(unmarked(&section.content).trim().to_owned()),
            Err(SectionError::NotFound { .. }) => Err(Trouble::Missing),
            Err(SectionError::Multiple { lines, .. }) => Err(Trouble::Several(lines)),
            Err(SectionError::UnclosedMarker { line }) => Err(Trouble::Hidden(line)),
        }
    }

    /// The canon; nothing if it cannot be read.
    #[must_use]
    pub fn canon(&self) -> String {
        self.section(CANON).unwrap_or_default()
    }

    /// A sum of what the section of a title says. One that cannot be read is as one that says nothing.
    #[must_use]
    pub fn sum_of(&self, title: &str) -> String {
        sum(&self.section(title).unwrap_or_default())
    }

    /// The lines of the section of the person, and whether each is ended.
    #[must_use]
    pub fn person_lines(&self) -> Vec<(String, bool)> {
        let Ok(section) = locate(&self.text, PERSON) else { return Vec::new() };
        let ended = |line: &str| {
            let (words, ending) = split_ending(line);
            (words.to_owned(), !ending.is_empty())
        };
        lines(&section.content).map(ended).collect()
    }

    /// The title of the run.
    #[must_use]
    pub fn title(&self) -> String {
        find_sections(&self.text)
            .into_iter()
            .find(|section| section.level == 1)
            .map(|section| section.title)
            .unwrap_or_default()
    }

    /// The second-level sections, in their order.
    #[must_use]
    pub fn titles(&self) -> Vec<String> {
        let sections = find_sections(&self.text).into_iter();
        sections.filter(|section| section.level == 2).map(|section| section.title).collect()
    }

    /// The titles of marked sections that say something and are of none of these: agents of others write there. A section that the
    /// person made has no marker, and is the person's.
    #[must_use]
    pub fn guests(&self, known: &[String]) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        for section in find_sections(&self.text) {
            let is_known = |name: &String| name.eq_ignore_ascii_case(&section.title);
            let is_guest = section.level == 2
                && is_proposal(&section)
                && role::is_name(&section.title)
                && !unmarked(&section.content).trim().is_empty();
            if is_guest && !known.iter().any(is_known) && !found.iter().any(is_known) {
                found.push(section.title);
            }
        }
        found
    }

    /// Whether the section of a title is marked as proposals.
    #[must_use]
    pub fn is_proposed(&self, title: &str) -> bool {
        find_sections(&self.text).iter().any(|section| section.title == title && is_proposal(section))
    }

    /// The blocks of a worker's section.
    #[must_use]
    pub fn proposals(&self, worker: &str) -> Vec<Proposal> {
        let content = self.section(worker).unwrap_or_default();
        let blocks = blocks(&content).into_iter();
        blocks
            .map(|text| Proposal { id: proposal_id(worker, &text), author: worker.to_owned(), text })
            .collect()
    }

    /// The text with an empty section for each of these workers that has none: before that of the person, else at the end. None if
    /// all have one.
    #[must_use]
    pub fn with_sections(&self, workers: &[String]) -> Option<String> {
        let titles: Vec<String> = self.titles().iter().map(|title| title.to_lowercase()).collect();
        let missing: Vec<&String> =
            workers.iter().filter(|worker| !titles.contains(&worker.to_lowercase())).collect();
        if missing.is_empty() {
            return None;
        }
        let (mut before, mut after) = (self.text.to_string(), String::new());
        // Where there are two, either will do: only the place is meant.
        let person = find_sections(&self.text)
            .into_iter()
            .find(|section| section.level == 2 && section.title == PERSON);
        if let Some(person) = person {
            after = before.split_off(person.start);
        }
        let mut made: String = missing
            .iter()
            .map(|worker| {
                if worker.as_str() == CANON {
                    format!("## {worker}\n\n")
                } else {
                    format!("## {worker}\n{PROPOSAL_MARKER}\n\n")
                }
            })
            .collect();
        if after.is_empty() {
            made.truncate(made.trim_end().len());
            made.push('\n');
        }
        let gap = if before.ends_with("\n\n") || before.is_empty() {
            ""
        } else if before.ends_with('\n') {
            "\n"
        } else {
            "\n\n"
        };
        Some([before.as_str(), gap, &made, &after].concat())
    }
}

/// The content of a section without its proposal marker.
fn unmarked(content: &str) -> &str {
    let trimmed = content.trim_start();
    let inner = trimmed.strip_prefix("<!--").and_then(|rest| rest.split_once("-->"));
    match inner {
        Some((name, rest)) if name.trim().eq_ignore_ascii_case("proposal") => rest,
        Some(_) | None => content,
    }
}

/// The blocks of a text: parts between blank lines, where a fence or a list is one part.
fn blocks(content: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    let (mut fence, mut is_open): (Option<String>, bool) = (None, false);
    for line in content.lines() {
        let mark: String =
            line.trim_start().chars().take_while(|letter| matches!(letter, '`' | '~')).collect();
        let is_fence = mark.len() >= 3;
        let goes_on = fence.is_some() || line.starts_with([' ', '\t']);
        match (line.trim().is_empty() && fence.is_none(), blocks.last_mut()) {
            (true, _) => is_open = false,
            (false, Some(block)) if is_open || goes_on => {
                block.push_str(if is_open { "\n" } else { "\n\n" });
                block.push_str(line);
                is_open = true;
            }
            (false, _) => {
                blocks.push(line.to_owned());
                is_open = true;
            }
        }
        if is_fence {
            fence = match fence {
                None => Some(mark),
                Some(open) if mark.starts_with(&open) => None,
                open => open,
            };
        }
    }
    blocks
}

/// The name of a proposal.
#[must_use]
pub(crate) fn proposal_id(author: &str, text: &str) -> String {
    let mut id = sum(&format!("{author}\0{}", squeezed(text)));
    id.truncate(8);
    id
}

/// Words without what does not change them: blanks and line breaks.
#[must_use]
pub(crate) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A number that is the same for the same text, on every machine.
#[must_use]
pub(crate) fn sum(text: &str) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in text.bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::{Draft, Trouble};

    const RUN: &str = "# Compare\n\n## Conductor\n\n## Researcher\n<!-- proposal -->\nOne.\n\n- a\n- b\n\n```\nx\n\ny\n```\n\n## User\n<!-- proposal -->\n/also";

    #[test]
    fn sections_read_without_their_marker() {
        let draft = Draft::new(RUN, 3);
        assert_eq!(draft.section("researcher").unwrap(), "One.\n\n- a\n- b\n\n```\nx\n\ny\n```");
        assert_eq!((draft.canon().as_str(), draft.title().as_str()), ("", "Compare"));
        assert_eq!(draft.section("Terminal"), Err(Trouble::Missing));
        assert_eq!(draft.person_lines().last(), Some(&("/also".to_owned(), false)));
    }

    #[test]
    fn blocks_are_whole() {
        let proposals = Draft::new(RUN, 3).proposals("Researcher");
        let texts: Vec<&str> = proposals.iter().map(|proposal| proposal.text.as_str()).collect();
        assert_eq!(texts, ["One.", "- a\n- b", "```\nx\n\ny\n```"]);
        assert!(proposals.iter().all(|proposal| proposal.id.len() == 8));
    }

    fn check_made(text: &str, workers: &[&str], expect: &Expect) {
        let workers: Vec<String> = workers.iter().map(|name| (*name).to_owned()).collect();
        expect
            .assert_eq(&Draft::new(text, 0).with_sections(&workers).unwrap_or_else(|| "nothing".to_owned()));
    }

    #[test]
    fn a_section_that_is_missing_comes_before_that_of_the_person() {
        check_made(
            "# T\n\n## Conductor\n\n## User\n<!-- proposal -->\nwords\n",
            &["Critic", "conductor"],
            &expect![[r#"
                # T

                ## Conductor

                ## Critic
                <!-- proposal -->

                ## User
                <!-- proposal -->
                words
            "#]],
        );
        check_made(
            "# T",
            &["Critic"],
            &expect![[r#"
                # T

                ## Critic
                <!-- proposal -->
            "#]],
        );
        check_made("# T\n\n## Critic\n", &["CRITIC"], &expect!["nothing"]);
    }
}
