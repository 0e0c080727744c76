//! Random documents made of the fragments that trouble a parser most, from a fixed seed.

/// A small generator of numbers (xorshift), so that every run sees the same documents.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(limit).unwrap()).unwrap()
    }

    pub(crate) fn pick<'p>(&mut self, choices: &[&'p str]) -> &'p str {
        choices[self.below(choices.len())]
    }

    /// Up to `count_max` fragments in a row.
    pub(crate) fn soup(&mut self, count_max: usize) -> String {
        let count = self.below(count_max) + 1;
        (0..count).map(|_| self.pick(FRAGMENTS)).collect()
    }

    /// A document whose components pair up, with soup around and inside them. It may still not parse: soup can hide
    /// a marker.
    pub(crate) fn document(&mut self) -> String {
        let mut text = String::from(self.pick(&["", "\u{feff}", "---\na: 1\n---\n", "# Title\r\n"]));
        for name in ["alpha", "beta", "gamma"] {
            text.push_str(&self.mild(4));
            let line_break = self.pick(&["\n", "\r\n", "", " \n", "\n\n"]);
            text.push_str(&format!("<!-- agent:{name} -->{line_break}"));
            text.push_str(&self.mild(4));
            if self.below(4) == 0 {
                text.push_str(&format!(
                    "<!-- agent:in-{name} -->\n{}<!-- /agent:in-{name} -->\n",
                    self.mild(2)
                ));
            }
            text.push_str(self.pick(&["", "\n", "\r\n", "\n  ", "\n> "]));
            text.push_str(&format!("<!-- /agent:{name} -->{}", self.pick(&["\n", "\r\n", " tail\n", ""])));
        }
        text.push_str(&self.mild(3));
        text
    }

    fn mild(&mut self, count_max: usize) -> String {
        let count = self.below(count_max);
        (0..count).map(|_| self.pick(MILD)).collect()
    }
}

/// Whole constructs.
const MILD: &[&str] = &[
    "word ",
    "Zeile mit Umlaut äöü\n",
    "日本語の行\r\n",
    "\n",
    "\r\n",
    "```\n<!-- agent:alpha -->\n```\n",
    "~~~~ text\n<!-- /agent:beta -->\n~~~~\n",
    "`<!-- agent:x -->` ",
    "    <!-- agent:indented -->\n",
    "<!-- note -->\n",
    "<!-- a longer\n\nnote -->\n",
    "- item\n",
    "- item\n  more\n",
    "> quote\n",
    "| a | b |\n|---|---|\n",
    "<div>\n",
    "</div>\n",
    "# Heading\n",
    "[//]: # (aside)\n",
    "<!-- proposal -->\n",
    "👩‍👩‍👧\n",
    "1. one\n",
    "***\n",
    "&lt;!-- agent:x -->\n",
];

/// Whole and broken constructs.
pub(crate) const FRAGMENTS: &[&str] = &[
    "word ",
    "ä日👩‍👧",
    "\n",
    "\r\n",
    "\r",
    "\n\n",
    "    ",
    "\t",
    "> ",
    "- ",
    "1. ",
    "```",
    "```\n",
    "````rust\n",
    "~~~\n",
    "`",
    "``",
    "<!--",
    "-->",
    "--",
    "<!",
    "<!-->",
    "<!--->",
    "<!-- agent:alpha -->",
    "<!-- agent:alpha -->\n",
    "<!-- /agent:alpha -->\n",
    "<!-- agent:beta patch=append -->\n",
    "<!-- /agent:beta -->",
    "<!-- agent:alpha",
    "<!-- /agent:",
    "<!-- agent:a:b -->\n",
    "<!-- patch:alpha -->\n",
    "<!-- /patch:alpha -->\n",
    "<!-- patch:other -->",
    "<!-- note -->",
    "<div>\n",
    "<script>\n",
    "</script>\n",
    "<pre>",
    "<?php ",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE ",
    "<a href=\"",
    "\">",
    "---\n",
    "===\n",
    "## User\n",
    "## Assistant\n",
    "[//]: # (aside)\n",
    "[x]: <y\n",
    "[^1]: note\n",
    "|a|b|\n|-|-|\n",
    "\u{feff}",
    "\\",
    "&",
];
