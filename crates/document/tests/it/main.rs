//! The crate's one integration binary: behavior seen from outside, one module per feature.

mod comment;
mod component;
mod exchange;
mod fragments;
mod patch;
mod stream;
mod truncation;
