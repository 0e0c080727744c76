//! Random documents whose every word has an identity, so that a test knows exactly what must survive.
//! Never draws from the clock: a seed gives the same document on every machine.

/// A small generator of random numbers (`SplitMix64`).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x5DEE_CE66)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True in `percent` of a hundred draws.
    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// Hands out words that occur nowhere else.
#[derive(Default)]
pub(crate) struct Words(usize);

impl Words {
    pub(crate) fn next(&mut self, owner: char) -> String {
        self.0 += 1;
        let ornament = match self.0 % 23 {
            0 => "é",
            1 => "日本",
            2 => "👍🏽",
            _ => "",
        };
        format!("{owner}{}{ornament}", self.0)
    }

    pub(crate) fn number(&mut self) -> usize {
        self.0 += 1;
        self.0
    }

    pub(crate) fn line(&mut self, random: &mut Random, owner: char) -> Line {
        let words = (0..random.between(1, 9)).map(|_| self.next(owner)).collect();
        Line { base: None, words }
    }
}

/// One line: which line of the base it is, if any, and its words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) base: Option<usize>,
    pub(crate) words: Vec<String>,
}

impl Line {
    pub(crate) fn text(&self) -> String {
        self.words.join(" ")
    }
}

/// The text of some lines, with or without a final line break.
pub(crate) fn print(lines: &[Line], ending: &str, is_ended: bool) -> String {
    let mut text = String::new();
    for (at, line) in lines.iter().enumerate() {
        text.push_str(&line.text());
        if is_ended || at + 1 < lines.len() {
            text.push_str(ending);
        }
    }
    text
}

/// A base of some lines with blank ones between them.
pub(crate) fn base(random: &mut Random, words: &mut Words) -> Vec<Line> {
    let mut lines = Vec::new();
    for at in 0..random.between(1, 14) {
        let mut line =
            if random.chance(20) { Line { base: None, words: Vec::new() } } else { words.line(random, 'b') };
        line.base = Some(at);
        lines.push(line);
    }
    lines
}
