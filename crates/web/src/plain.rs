//! A document as inert HTML, made here: for the page that stands in where the Writer is not built, and for export. Never lets
//! through markup of the document itself, a script, or anything that would be fetched.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// What the links of a document may begin with.
const SCHEMES: [&str; 3] = ["http://", "https://", "mailto:"];
/// Nesting beyond this is shown as it is written: browsers themselves give up on it.
const DEPTH_MAX: usize = 100;

/// The body of a page that shows the document.
pub(crate) fn rendered(text: &str) -> String {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_YAML_STYLE_METADATA_BLOCKS;
    let mut depth = 0_usize;
    let mut deepest = 0;
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = depth.max(deepest);
    }
    let mut body = String::with_capacity(text.len() * 2);
    if deepest > DEPTH_MAX {
        let events = [
            Event::Start(Tag::CodeBlock(pulldown_cmark::CodeBlockKind::Indented)),
            Event::Text(text.into()),
            Event::End(TagEnd::CodeBlock),
        ];
        html::push_html(&mut body, events.into_iter());
    } else {
        let mut place = Place::default();
        let events = Parser::new_ext(text, options).filter_map(|event| place.shown(event));
        html::push_html(&mut body, events);
    }
    body
}

/// Where in the document the reader of events is.
#[derive(Default)]
struct Place {
    heading: Option<HeadingLevel>,
    /// The rank of the section that is a proposal.
    proposal: Option<HeadingLevel>,
    is_settings: bool,
}

impl Place {
    /// The event as it is shown: settings are no text, a proposal has a label, and only in one of them are words struck out.
    fn shown<'e>(&mut self, event: Event<'e>) -> Option<Event<'e>> {
        match event {
            Event::Start(Tag::MetadataBlock(_)) => self.is_settings = true,
            Event::End(TagEnd::MetadataBlock(_)) => {
                self.is_settings = false;
                return None;
            }
            Event::Start(Tag::Heading { level, .. }) => {
                self.heading = Some(level);
                self.proposal = self.proposal.filter(|proposal| level > *proposal);
            }
            Event::Html(ref markup) if is_marker(markup) && self.heading.is_some() => {
                self.proposal = self.heading;
                return Some(Event::Html(LABEL.into()));
            }
            Event::Start(Tag::Strikethrough) | Event::End(TagEnd::Strikethrough)
                if self.proposal.is_none() =>
            {
                return Some(Event::Text("~~".into()));
            }
            _ => {}
        }
        (!self.is_settings).then(|| inert(event))
    }
}

/// What stands below the heading of a proposal.
const LABEL: &str = "<p><strong>Proposal</strong></p>\n";

/// Whether a comment says that its section is a proposal.
fn is_marker(markup: &str) -> bool {
    let inside = markup.trim().strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
    inside.is_some_and(|inside| inside.trim() == "proposal")
}

fn inert(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Html(markup) | Event::InlineHtml(markup) => Event::Text(markup),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: safe(dest_url), title, id })
        }
        // An image would be fetched; its words are shown instead.
        Event::Start(Tag::Image { .. }) => Event::Start(Tag::Emphasis),
        Event::End(TagEnd::Image) => Event::End(TagEnd::Emphasis),
        other => other,
    }
}

fn safe(url: CowStr<'_>) -> CowStr<'_> {
    let lower = url.trim_start().to_ascii_lowercase();
    let is_local =
        lower.starts_with('#') || !lower.contains(':') && !lower.starts_with("//") && !lower.contains('\\');
    if is_local || SCHEMES.iter().any(|scheme| lower.starts_with(scheme)) { url } else { CowStr::from("#") }
}

/// The page that stands in: it shows documents to read, and says what is missing.
pub(crate) const PAGE: &str = include_str!("plain.html");

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::rendered;

    #[test]
    fn hostile_markdown_is_inert() {
        let text = "<script>a()</script>\n\n[x](javascript:a) [y](//evil) [z](https://fine.example) \
            ![i](https://track.example/p.png) <img src=x onerror=a()>\n";
        expect![[r##"
            &lt;script&gt;a()&lt;/script&gt;
            <p><a href="#">x</a> <a href="#">y</a> <a href="https://fine.example">z</a> <em>i</em> &lt;img src=x onerror=a()&gt;</p>
        "##]]
        .assert_eq(&rendered(text));
    }

    #[test]
    fn settings_are_no_heading_and_proposals_are_told_apart() {
        let text = "---\nagent: offline\n---\n\n# Plan\n\n~~Ten~~ Nine.\n\n## Researcher\n<!-- proposal -->\n\n~~Old.~~ New.\n\n\
            ## Done\n\n~~Canon.~~ <!-- proposal -->\n";
        expect![[r"
            <h1>Plan</h1>
            <p>~~Ten~~ Nine.</p>
            <h2>Researcher</h2>
            <p><strong>Proposal</strong></p>
            <p><del>Old.</del> New.</p>
            <h2>Done</h2>
            <p>~~Canon.~~ &lt;!-- proposal --&gt;</p>
        "]]
        .assert_eq(&rendered(text));
    }

    #[test]
    fn a_document_cannot_write_the_label_itself() {
        assert!(!rendered("<p><strong>Proposal</strong></p>\n").contains("<strong>"));
    }

    #[test]
    fn lists_without_end_are_shown_as_they_are_written() {
        let text = (0..5000).map(|depth| format!("{}- x\n", "  ".repeat(depth))).collect::<String>();
        assert!(rendered(&text).starts_with("<pre><code>- x"));
    }
}
