//! The checks that a commit and an outgoing request must pass, one file per question.

pub mod coverage;
pub mod fate;
pub mod presence;
