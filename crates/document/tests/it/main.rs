//! The crate's one integration binary: behavior seen from outside, one module per feature.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of a test may fail it; clippy exempts only the test functions themselves"
)]

mod contain;
mod frontmatter;
mod frontmatter_edit;
mod generate;
mod proposal;
mod section;
mod section_random;
mod text;
