//! Texts that somebody else counts: the core asks, the caller answers in the same order.

use crate::error::{Error, Result};
use crate::tokens;

/// What is still to be counted.
#[derive(Debug, Default)]
pub(super) struct Asks(pub(super) Vec<String>);

impl Asks {
    /// Takes the counts of what was asked as given; nothing is asked behind it.
    pub(super) fn take(&mut self, counts: &[u32]) -> Result<()> {
        if counts.len() != self.0.len() {
            return Err(Error::argument("there are not as many counts as texts that were to be counted"));
        }
        self.0.clear();
        Ok(())
    }

    /// The counts of the estimator; none where nothing is asked.
    pub(super) fn estimated(&self) -> Option<Vec<u32>> {
        let mut counts = Vec::with_capacity(self.0.len());
        for text in &self.0 {
            counts.push(tokens::estimate(text));
        }
        if counts.is_empty() { None } else { Some(counts) }
    }
}
