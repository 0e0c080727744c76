//! The crate's one integration binary: behavior seen from outside, one module per feature.

mod contain;
mod frontmatter;
mod frontmatter_edit;
mod generate;
mod proposal;
mod section;
mod section_random;
mod text;
