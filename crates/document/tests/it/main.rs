//! The crate's one integration binary: behavior seen from outside, one module per feature.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    clippy::disallowed_methods,
    reason = "tests stop at the first surprise, take expectations by value, and read the clock to see that time is linear"
)]

mod comment;
mod component;
mod contain;
mod document;
mod exchange;
mod fragments;
mod frontmatter;
mod frontmatter_edit;
mod generate;
mod letters;
mod merge_cases;
mod merge_git;
mod merge_large;
mod merge_laws;
mod merge_random;
mod merge_scenarios;
mod patch;
mod peers;
mod proposal;
mod race;
mod random;
mod restart;
mod section;
mod section_random;
mod shared;
mod stream;
mod text;
mod truncation;
mod web_peer;
