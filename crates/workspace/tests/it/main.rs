//! The crate's one integration binary: behavior seen from outside, one module per feature.

mod editor;
mod simulated;
mod store;
mod store_crash;
mod store_faults;
mod store_metadata;
mod store_races;
mod store_steps;
mod store_vim;
