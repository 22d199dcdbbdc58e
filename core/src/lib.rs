//! standfast keeps an AI agent's rules alive through context compaction.

#![forbid(unsafe_code)]

pub mod digest;
pub mod error;
pub mod event;
pub mod item;
pub mod policy;
pub mod tokens;
pub mod trust;

pub mod text;

pub mod triage;

pub use error::{Class, Code, Error, Result};
pub use policy::{Fraction, Limits, Policy};
pub use trust::Trust;
