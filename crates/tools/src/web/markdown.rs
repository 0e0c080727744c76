//! HTML as markdown. Never lets a page decide how deep we go: one that is nested without end is shown without its markup.

use htmd::HtmlToMarkdown;

/// Deeper pages are not taken apart: each level takes some of the stack.
const DEPTH_MAX: usize = 500;
/// Holds no words for a reader.
const SKIPPED: &[&str] = &["script", "style", "noscript", "svg", "iframe", "template", "object", "head"];
/// Elements that end by themselves.
const SHALLOW: &[&str] = &[
    "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "option",
    "p", "param", "source", "td", "th", "tr", "track", "wbr",
];

pub(super) fn of(html: &str) -> String {
    if depth(html) > DEPTH_MAX {
        return words(html);
    }
    let converter = HtmlToMarkdown::builder().skip_tags(SKIPPED.to_vec()).build();
    converter.convert(html).unwrap_or_else(|_| words(html))
}

/// How deep elements are nested, at least.
fn depth(html: &str) -> usize {
    let (mut open, mut deepest) = (0_usize, 0);
    for tag in html.split('<').skip(1) {
        if tag.starts_with('/') {
            open = open.saturating_sub(1);
            continue;
        }
        let name: String = tag.chars().take_while(char::is_ascii_alphanumeric).take(16).collect();
        if !name.is_empty() && !SHALLOW.contains(&name.to_ascii_lowercase().as_str()) {
            open += 1;
            deepest = deepest.max(open);
        }
    }
    deepest
}

/// What stands between the tags.
fn words(html: &str) -> String {
    let pieces = html.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, words)| words));
    pieces.map(str::trim).filter(|words| !words.is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_page_becomes_markdown_without_its_scripts() {
        let html = "<html><head><title>t</title></head><body><h1>Title</h1><script>evil()</script>\
                    <p>Some <b>bold</b> <a href=\"/x\">link</a></p><ul><li>one<li>two</ul></body></html>";
        let text = of(html);
        assert!(
            text.starts_with("# Title") && text.contains("**bold** [link](/x)") && text.contains("two"),
            "{text}"
        );
        assert!(!text.contains("evil"));
    }

    #[test]
    fn a_page_that_is_nested_without_end_is_still_read() {
        let html = "<div>".repeat(200_000) + "deep";
        assert_eq!(of(&html), "deep");
        let html = "<ul><li>".repeat(100_000) + "deep";
        assert_eq!(of(&html), "deep");
    }
}
