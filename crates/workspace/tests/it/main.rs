//! The crate's one integration binary: behavior seen from outside, one module per feature.

mod memory;
mod owner;
