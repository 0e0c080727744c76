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

/// The first block or item of `text`, which consists of whole lines, if it is certainly over.
pub(super) fn first(text: &str) -> Option<Unit> {
    let mut block: Option<Block> = None;
    let (mut depth, mut items) = (0_usize, 0_usize);
    for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
        if depth == 0 && !matches!(event, Event::End(_)) {
            if let Some(block) = &block {
                return over(text, block).or_else(|| unit(text, range.start, false));
            }
            block = Some(Block { end: range.end, kind: kind(&event) });
        }
        match event {
            Event::Start(Tag::Item) if depth == 1 => {
                items += 1;
                if items == 2 {
                    return unit(text, range.start, true);
                }
                depth += 1;
            }
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    over(text, &block?)
}

/// The first block of a text.
struct Block {
    end: usize,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Finished with its line.
    Heading,
    /// Goes on after an empty line.
    Lasting,
    /// Finished by an empty line.
    Other,
}

fn kind(event: &Event<'_>) -> Kind {
    match event {
        Event::Start(Tag::Heading { .. }) => Kind::Heading,
        Event::Start(Tag::List(_) | Tag::CodeBlock(_) | Tag::HtmlBlock) | Event::Html(_) => Kind::Lasting,
        _ => Kind::Other,
    }
}

/// A block that nothing behind it can change. What follows an empty line is not looked at, so that it does not matter what has come.
fn over(text: &str, block: &Block) -> Option<Unit> {
    let line = text.get(..block.end)?.ends_with('\n');
    let after = if line { block.end } else { block.end + text.get(block.end..)?.find('\n')? + 1 };
    let next = text.get(after..).and_then(|rest| rest.split_inclusive('\n').next());
    let is_blank = next.is_some_and(|next| next.ends_with('\n') && next.trim().is_empty());
    match block.kind {
        Kind::Heading => Some(Unit { length: after, is_item: false }),
        Kind::Other if is_blank => Some(Unit { length: after, is_item: false }),
        Kind::Other | Kind::Lasting => None,
    }
}

/// What follows begins at the start of a line.
fn unit(text: &str, start: usize, is_item: bool) -> Option<Unit> {
    let length = text.get(..start)?.rfind('\n').map_or(0, |end| end + 1);
    (length > 0).then_some(Unit { length, is_item })
}
