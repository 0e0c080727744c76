//! Where the first block of a text ends, if that is certain. Never calls a block finished that a next line could still change.

use pulldown_cmark::{Event, Options, Parser, Tag};

/// What can be given out.
pub(super) struct Unit {
    /// Its bytes, up to the beginning of what follows.
    pub(super) length: usize,
    /// Whether it is an item, and the next one of the same list follows.
    pub(super) is_item: bool,
}

pub(super) fn options() -> Options {
    Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS
}

/// The first block or item of `text`, which consists of whole lines, if something else has begun behind it.
pub(super) fn first(text: &str) -> Option<Unit> {
    let (mut depth, mut blocks, mut items) = (0_usize, 0_usize, 0_usize);
    let (mut is_list, mut is_heading) = (false, false);
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    blocks += 1;
                    if blocks == 2 {
                        return unit(text, range.start, false);
                    }
                    is_list = matches!(tag, Tag::List(_));
                    is_heading = matches!(tag, Tag::Heading { .. });
                }
                if depth == 1 && is_list {
                    items += 1;
                    if items == 2 {
                        return unit(text, range.start, true);
                    }
                }
                depth += 1;
            }
            Event::End(_) => depth = depth.saturating_sub(1),
            _ if depth == 0 => {
                blocks += 1;
                if blocks == 2 {
                    return unit(text, range.start, false);
                }
            }
            _ => {}
        }
    }
    // A heading is finished with its line, and a paragraph with an empty one.
    let is_over = is_heading || (!is_list && ends(text));
    (blocks == 1 && is_over).then_some(Unit { length: text.len(), is_item: false })
}

/// What follows begins at the start of a line.
fn unit(text: &str, start: usize, is_item: bool) -> Option<Unit> {
    let length = text.get(..start)?.rfind('\n').map_or(0, |end| end + 1);
    (length > 0).then_some(Unit { length, is_item })
}

/// Whether the only block of `text` is certainly over. Indented code and markup go on after an empty line.
fn ends(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let is_indented = first.starts_with("    ") || first.trim_start_matches(' ').starts_with('\t');
    !is_indented && !first.trim_start().starts_with('<') && text.ends_with("\n\n")
}
