//! A span of a text with its retention tier and, where known, its knowledge type.

use serde::Serialize;

use crate::reads;

/// Retention of an item in a compacted window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// T0: verbatim and outside the summarized region.
    Invariant,
    /// T1: lossless in structure.
    TaskState,
    /// T2: freely summarized.
    #[default]
    Episodic,
    /// T3: dropped before summarizing.
    Discardable,
}

reads! { Tier: Invariant, TaskState, Episodic, Discardable }

/// What kind of knowledge an item is, and with that how much of it a compaction may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Knowledge {
    /// Bounds what the agent may do, with harm if broken: stands word for word.
    Constraint,
    /// How to do a task: may be reworded if the same is executed.
    Procedural,
    /// Stated as fact: may be shortened within a bounded distance in meaning.
    #[default]
    Belief,
    /// A soft guideline of style, naming or tone: may be merged and summarized.
    Preference,
    /// Something that happened, or the state of work at one time: may be dropped.
    Episodic,
}

reads! { Knowledge: Constraint, Procedural, Belief, Preference, Episodic }

/// Byte offsets of a span inside one text; half open. Never leaves the crate: callers get the quoted text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// The span from `start` to `end`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The text of the span; empty where the offsets do not fit `text`.
    #[must_use]
    pub fn of(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    /// Length in bytes.
    #[must_use]
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether the span holds nothing.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

/// Whose words a span of a text is (T2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Zone {
    /// The author's own words.
    Own,
    /// Fenced code, block quotes, tagged or attached documents, forwarded mail, pasted tool output, and what follows
    /// a hand-over line: somebody else's words, external whatever the author's trust.
    Quoted,
}
