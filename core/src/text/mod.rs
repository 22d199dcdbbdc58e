//! Reading text: what it looks like, where its parts are, and whether it imitates us.
//!
//! [`scan`] tiles a document into items, [`pattern`] finds rule-shaped words, [`sentinel`] knows our own marks and
//! their imitations, [`skeleton`] folds look-alikes away, [`literals`] searches for many texts at once. Everything is linear in the text and works on byte spans of
//! the original.

mod block;
pub mod frame;
pub mod ident;
pub mod literals;
pub mod pattern;
mod regex;
pub mod scan;
pub mod sentence;
pub mod sentinel;
pub mod shared;
pub mod skeleton;
mod skeleton_table;
mod tags;
pub(crate) mod vocabulary;
pub(crate) mod words;
mod zone;
