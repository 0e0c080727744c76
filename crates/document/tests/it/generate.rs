//! Random documents from a seed: the same seed gives the same document on every machine. Never reads a clock.

/// A small generator of numbers, good enough to shuffle fragments.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }

    pub(crate) fn pick<'f>(&mut self, fragments: &[&'f str]) -> &'f str {
        fragments[self.below(fragments.len())]
    }

    /// Up to `most` fragments one after the other.
    pub(crate) fn joined(&mut self, fragments: &[&str], most: usize) -> String {
        let count = self.below(most + 1);
        (0..count).map(|_| self.pick(fragments)).collect()
    }
}

/// What markdown is made of, whole and broken.
pub(crate) const MARKDOWN: &[&str] = &[
    "# One\n",
    "## Two\n",
    "### Three\n",
    "## A\n",
    "## B",
    "##",
    "###### Six\n",
    "   ## Indented\n",
    "    ## code\n",
    "text\n",
    "text",
    "more words here.\n",
    "\n",
    "\n\n\n",
    "\r\n",
    "\r",
    "---\n",
    "===\n",
    "-",
    "- item\n",
    "> quote\n",
    "> ## q\n",
    "```\n",
    "~~~\n",
    "````rust\n",
    "`",
    "<!-- proposal -->\n",
    "<!-- proposal -->",
    "<!--proposal--> tail\n",
    "<!-- proposal\n",
    "<!--",
    "-->\n",
    "<pre>\n",
    "</pre>\n",
    "<details>\n\n",
    "</details>\n",
    "<div>\n",
    "| a | b |\n|---|---|\n",
    "é",
    "漢字",
    "😀",
    "e\u{301}",
    "\u{200b}",
    "\u{feff}",
    "\u{a0}",
    "\t",
    "  ",
    "[a]: b\n",
    "[^1]: note\n",
    "[^1]",
    "**bold**",
    "&amp;",
    "\\",
    "1. one\n",
    "key: value\n",
    "\0",
];

/// A random document of markdown fragments.
pub(crate) fn markdown(seed: u64) -> String {
    Random::new(seed).joined(MARKDOWN, 24)
}
