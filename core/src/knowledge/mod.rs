//! Knowledge bases (agent configuration files, policies, memories): within a budget, in parts, and what a question needs of them.
//!
//! [`Compaction`] keeps every rule word for word and fills a budget with what is worth most of the rest; where the rules alone do
//! not fit, the result says so and what. [`Decomposing`] makes parts of a size, each with every rule that holds for it.
//! [`KnowledgeIndex`] finds the rules in scope first, then what fits a question.
//!
//! ```
//! # use standfast::knowledge::{CompactMode, compact};
//! let document = "# Guide\n\n## Never\n\n- Never push to `main`.\n\n## History\n\n- The old server was moved in May.\n";
//! let compacted = compact(document, 24, CompactMode::Safe).unwrap();
//! assert!(compacted.ok && compacted.size <= 24);
//! assert!(compacted.text.unwrap().contains("Never push to `main`."));
//! ```

mod bm25;
mod call;
mod compact;
mod counted;
mod decompose;
mod fill;
mod render;
mod retrieve;
mod scope;
mod shorten;
mod source;
#[cfg(test)]
mod tests;

pub use call::{Work, compact, decompose};
pub use compact::{CompactMode, Compacted, Compaction, ItemForm, ItemOutcome, Unsafe};
pub use decompose::{Decomposing, Decomposition, KnowledgePart, PartTooLarge};
pub use retrieve::{FoundItem, KnowledgeIndex, Retrieved, Vectors, search};
