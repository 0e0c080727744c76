//! Rooms for long texts in a process that does one thing and ends. Never needed for a right result: a system that does not know what is
//! meant here has each room made anew, as always.
//!
//! The C library has the kernel make a room for each long text, small page by small page, and take it away when it is free. For a text of
//! 1 MB that is 245 pages, which take longer than most of what is done with the text
//! (`docs/decisions/long-texts-in-large-pages.md`).

use std::hint::black_box;
use std::sync::Once;

/// Rooms up to this length are used again.
const ROOM: usize = 8 << 20;

/// Prepares for long texts: from now on their rooms are parts of one, which is used again and lies in large pages. What is not touched of
/// it costs nothing. Once is enough; asking again does nothing.
pub fn prepare() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // A room that was free once tells the C library that rooms of this length come and go: they are then parts of its own.
        drop(black_box(Vec::<u8>::with_capacity(ROOM)));
        let mut room = black_box(Vec::<u8>::with_capacity(ROOM));
        let start = in_large_pages(&mut room);
        drop(room);
        // What lies before the first large page is given to nobody, so that the first text begins in that one.
        black_box(Vec::<u8>::with_capacity(start)).leak();
    });
}

/// Asks for large pages in what is free of the room, and says where the first of them begins there.
#[cfg(target_os = "linux")]
fn in_large_pages(room: &mut Vec<u8>) -> usize {
    crate::kernel::prefer_large_pages(room.spare_capacity_mut())
}

#[cfg(not(target_os = "linux"))]
fn in_large_pages(_: &mut Vec<u8>) -> usize {
    0
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{ROOM, in_large_pages, prepare};
    use crate::kernel::LARGE_PAGE;

    /// What the kernel says of the memory at this address, in its own abbreviations.
    fn flags_at(address: usize) -> String {
        let map = fs::read_to_string("/proc/self/smaps").unwrap();
        let mut is_there = false;
        for line in map.lines() {
            let range = line.split_once(' ').and_then(|(range, _)| range.split_once('-'));
            let bounds = range.map(|(start, end)| [start, end].map(|end| usize::from_str_radix(end, 16)));
            if let Some([Ok(start), Ok(end)]) = bounds {
                is_there = (start..end).contains(&address);
            } else if let Some(flags) = line.strip_prefix("VmFlags: ").filter(|_| is_there) {
                return flags.to_owned();
            }
        }
        panic!("there is no memory at {address:x}");
    }

    #[test]
    fn a_room_is_asked_for_in_large_pages_and_keeps_its_words() {
        let mut room = vec![b'a'; 5];
        room.reserve_exact(ROOM);
        let start = in_large_pages(&mut room);
        assert!(start < LARGE_PAGE);
        let has_large_pages = Path::new("/sys/kernel/mm/transparent_hugepage").exists();
        let flags = flags_at(room.as_ptr().addr() + room.len() + start);
        assert_eq!(flags.split(' ').any(|flag| flag == "hg"), has_large_pages, "{flags}");
        assert_eq!(room, *b"aaaaa");
    }

    #[test]
    fn one_that_is_smaller_than_a_large_page_is_left_as_it_is() {
        let mut room = Vec::with_capacity(LARGE_PAGE - 1);
        in_large_pages(&mut room);
        room.push(1);
        assert_eq!(room, [1]);
    }

    #[test]
    fn the_next_long_texts_lie_in_what_was_prepared() {
        prepare();
        prepare();
        let texts = ["a", "b", "c"].map(|letter| letter.repeat(1_000_000));
        let [first, last] = [&texts[0], &texts[2]].map(|text| text.as_ptr().addr());
        assert!(first % LARGE_PAGE < 64, "the first begins with a large page: {first:x}");
        assert!((first..first + ROOM).contains(&last), "{first:x} {last:x}");
        assert!(texts.iter().all(|text| text.len() == 1_000_000));
    }
}
