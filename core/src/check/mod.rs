//! The checks of a summary, a commit and an outgoing request, one file per question. Each is a pure function.

pub mod authority;
pub mod coverage;
pub mod decisions;
pub mod drift;
pub mod fate;
pub mod idempotence;
pub mod identifiers;
pub(crate) mod lexicon;
pub mod presence;
pub(crate) mod statement;
pub(crate) mod stems;
mod wanted;
