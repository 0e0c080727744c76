//! The command gate. Never lets a line of the lists of attacks run unasked, and never asks about more than one in twenty of the others.

pub(crate) mod attacks;
mod benign;
mod claim;
mod glued;
mod real;
mod repository;
mod scratch;
mod shown;
mod verdict;
