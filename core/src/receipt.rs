//! The record of one decision, "not now" included: sizes, ids, digests, findings and alarms; never any text.

use serde::{Deserialize, Serialize};

use crate::ordered::Map;
use crate::reads;

/// What came of a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Not now.
    #[default]
    Continue,
    /// A window was asked for between compactions.
    Rendered,
    /// The window was rebuilt.
    Compacted,
    /// There was nothing to fold.
    NothingToDo,
    /// A rule was missing.
    InvariantLost,
}

reads! { Outcome: Continue, Rendered, Compacted, NothingToDo, InvariantLost }

/// How the new summaries came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// No summary was needed.
    #[default]
    None,
    /// All by the caller's model.
    Model,
    /// All by the built-in extractive summarizer.
    Extractive,
    /// Some of each.
    Mixed,
}

reads! { Method: None, Model, Extractive, Mixed }

/// Something a check found, and what was done about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// A stable name, such as `summarizer_failed` or `block_imitation`.
    pub kind: String,
    /// The request, segment, rule or event it is about: an id, never a text.
    pub about: String,
    /// What was done: `extractive`, `removed`, `restored`, `appended`, `neutralized`, `kept`, `applied`, `held`, `notice`,
    /// `none`.
    pub repair: String,
    /// How often.
    pub count: u32,
}

/// Something a person should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Alarm {
    /// `invariant_lost`, `window_over_size`, `rules_overflow`, `summary_dropped`, `boundary_ratio`, `untested_round` or `drift`.
    pub kind: String,
    /// `page` or `warn`.
    pub severity: String,
    /// What was measured, as a short text of numbers.
    pub detail: String,
}

/// Rules by status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuleCounts {
    /// Declared and in force.
    pub declared: u32,
    /// Promoted and in force.
    pub promoted: u32,
    /// Held external texts.
    pub held: u32,
    /// Promotions over budget.
    pub overflow: u32,
}

/// Segments by what the compaction did with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SegmentCounts {
    /// Made for newly folded events.
    pub new: u32,
    /// Taken over byte for byte.
    pub reused: u32,
    /// Made anew from their events.
    pub remade: u32,
}

/// The record of one decision. All fields are in every receipt; sizes are estimated tokens.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Receipt {
    /// Compactions committed so far, this one included.
    pub round: u32,
    /// What came of it.
    pub outcome: Outcome,
    /// Why: `boundary:task_completed`, `headroom_backstop`, `continue`, `in_flight`, ...
    pub reason: String,
    /// How the new summaries came about.
    pub method: Method,
    /// Messages in the window before.
    pub messages_in: u32,
    /// Messages in the window after.
    pub messages_out: u32,
    /// Tokens before.
    pub tokens_in: u32,
    /// Tokens after.
    pub tokens_out: u32,
    /// User events observed so far.
    pub turn_index: u32,
    /// Rules by status.
    pub rules: RuleCounts,
    /// SHA-256 of the pinned block; empty without rules.
    pub pinned_digest: String,
    /// Tokens at the start of the window that are byte for byte as before.
    pub stable_prefix_tokens: u32,
    /// Segments by what was done with them.
    pub segments: SegmentCounts,
    /// Spans of events that the segments stand for, inclusive.
    pub covered: Vec<(u32, u32)>,
    /// Spans whose text had to be shortened before it was summarized, or is known by one line only.
    pub shortened: Vec<(u32, u32)>,
    /// Items of newly folded events by outcome: summarized, pinned, held, `task_state`, dropped, shortened, withheld.
    pub items: Map<String, u32>,
    /// What the checks found.
    pub findings: Vec<Finding>,
    /// Spans known only through a summary whose originals are gone.
    pub degraded: Vec<(u32, u32)>,
    /// Rule-shaped texts that nobody declared, by source. A name that is not the engine's own is told by its kind and its
    /// fingerprint: `tool:3e8f…` is a tool.
    pub undeclared: Map<String, u32>,
    /// What a person should know.
    pub alarms: Vec<Alarm>,
}

impl Finding {
    pub(crate) fn new(kind: &str, about: impl Into<String>, repair: &str) -> Self {
        Self { kind: kind.to_owned(), about: about.into(), repair: repair.to_owned(), count: 1 }
    }
}
