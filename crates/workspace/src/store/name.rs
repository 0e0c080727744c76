//! Names of the files that the store makes beside a document, and the short sum of a text that they carry. A name alone tells
//! after a crash what the file was for. Never makes a name that an editor would show as a document.

use std::path::Path;

/// Longer names are cut, so that ours stay below the limit of file systems.
const NAME_MAX: usize = 140;
const MARK: &str = ".agent-doc-";
/// Still being written: holds nobody's words but ours.
const UNFINISHED: &str = ".part";
/// Whole: our new text before the exchange, what stood in the file after it.
const WHOLE: &str = ".tmp";

/// What the name of a copy says that is kept while a file is written in place: after a crash it is compared with the file and
/// nothing else.
pub(super) const IN_PLACE: [u64; 2] = [0, 0];

/// The names beside one document.
#[derive(Debug, Clone)]
pub(super) struct Names {
    prefix: String,
}

/// What a name says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meaning {
    pub(super) process: u32,
    pub(super) is_whole: bool,
    /// The sums of the text that was expected in the file and of the one that came in its place.
    pub(super) known: [u64; 2],
}

impl Names {
    pub(super) fn beside(path: &Path) -> Names {
        let raw = path.file_name().unwrap_or_default();
        let name = raw.to_string_lossy();
        let is_exact = raw.to_str().is_some() && name.len() <= NAME_MAX;
        let prefix = if is_exact {
            format!(".{name}{MARK}")
        } else {
            let cut = name.get(..name.floor_char_boundary(NAME_MAX)).unwrap_or_default();
            format!(".{cut}~{:016x}{MARK}", sum(&raw.to_string_lossy()))
        };
        Names { prefix }
    }

    /// The names of a new text: while it is being written, and when it is whole.
    pub(super) fn of(&self, generation: u64, known: [u64; 2]) -> (String, String) {
        let process = std::process::id();
        let [expected, new] = known;
        let stem = format!("{}{process}-{generation:x}.{expected:016x}.{new:016x}", self.prefix);
        (format!("{stem}{UNFINISHED}"), format!("{stem}{WHOLE}"))
    }

    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        let rest = name.strip_prefix(&self.prefix)?;
        let (rest, is_whole) = match rest.strip_suffix(WHOLE) {
            Some(rest) => (rest, true),
            None => (rest.strip_suffix(UNFINISHED)?, false),
        };
        let (process, generation) = rest.split_once('-')?;
        let mut parts = generation.split('.').skip(1).map(|part| u64::from_str_radix(part, 16).ok());
        let known = [parts.next()??, parts.next()??];
        Some(Meaning { process: process.parse().ok()?, is_whole, known })
    }
}

/// A short sum of a text, the same in every run. It tells texts apart that nobody forged.
pub(super) fn sum(text: &str) -> u64 {
    sum_bytes(text.as_bytes())
}

/// The sum of a text that was not looked at yet. In four lanes, because each step waits for the one before it.
pub(super) fn sum_bytes(bytes: &[u8]) -> u64 {
    let mut lanes = LANES;
    let (blocks, rest) = bytes.as_chunks::<32>();
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (lane, word) in lanes.iter_mut().zip(words) {
            *lane = mixed(*lane, u64::from_le_bytes(*word));
        }
    }
    let rest = rest.iter().fold(bytes.len() as u64, |sum, byte| mixed(sum, u64::from(*byte)));
    let sum = lanes.into_iter().fold(rest, mixed);
    sum.wrapping_mul(0xc4ce_b9fe_1a85_ec53) ^ (sum >> 29)
}

const LANES: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0xd6e8_feb8_6659_fd93];

fn mixed(sum: u64, word: u64) -> u64 {
    let sum = (sum ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
    sum ^ (sum >> 32)
}
