//! standfast keeps an AI agent's rules alive through context compaction.
//!
//! Rules stand outside the region that is summarized; the engine decides when and where to compact, hands the caller a plan
//! to summarize, and proves afterwards that every rule, tool pair and event is accounted for, or refuses. It has no I/O,
//! clock, randomness or callbacks: the caller brings the messages and the model.
//!
//! - [`Guard`] is the façade: observe or sync messages, declare rules, ask [`Guard::should_compact`], then [`Guard::plan`],
//!   summarize, [`Guard::commit`]; [`Guard::assert_window`] is the last thing before a model call. Its page has an example.
//! - [`Policy`] holds the budgets; [`Plan`], [`Window`], [`Receipt`] and [`Rule`] are plain data, the same in every language.
//! - [`Error`] has a stable [`Code`], a class and a hint.
//! - [`published`] is the functional core of the published guide, for hosts that keep their own context.
//!
//! The modules stand in the order of the data's path; each imports only from those above it.

#![forbid(unsafe_code)]
// The wasm file is built for size, but for the functions that read every byte; see npm/build.mjs.
#![cfg_attr(standfast_hot, feature(optimize_attribute))]

// words
pub mod error;
pub mod ordered;
pub mod bytes;
pub mod json;
pub mod digest;
pub mod trust;
pub mod event;
pub mod item;
pub mod policy;
pub mod tokens;
pub mod text;
// in
pub mod shape;
pub mod cut;
pub mod log;
pub mod triage;
pub mod prompt;
pub mod pinned;
pub mod admission;
pub mod rule;
pub mod registry;
pub mod task;
// the cycle
pub mod trigger;
pub mod meter;
pub mod ledger;
pub mod state;
pub mod receipt;
pub mod markers;
pub mod request;
pub mod plan;
pub mod summary;
pub mod extract;
pub mod check;
pub mod repair;
pub mod commit;
pub mod window;
pub mod snapshot;
// knowledge bases
pub mod knowledge;
// façades
pub mod guard;
pub mod audit;
pub mod published;

pub use audit::{
    AuditCounts, AuditCoverage, AuditPlace, AuditReport, ClaimFault, ClaimFinding, ClaimKind, DecisionFault, DecisionFinding, Difference,
    DifferenceKind, DriftReport, IdentifierFault, IdentifierFinding, NewText, PairFault, PairFinding, RuleFate, Session, SessionCompaction,
    SessionFormat, SessionReport, SessionRound, SessionRule, Survival, audit_compaction, audit_session, check_authority, check_decisions,
    check_drift, check_idempotence, check_identifiers, read_session,
};
pub use check::fate::{Fate, FateKind, audit};
pub use commit::Summaries;
pub use error::{Class, Code, Error, Result};
pub use event::{Presence, Role};
pub use extract::of_request as extract_text;
pub use guard::{DeclareOptions, Guard, ObserveOptions, Observed, Recalled, RestoreOptions, RestoreVerdict, Restored, Synced};
pub use item::{Knowledge, Tier};
pub use knowledge::{
    CompactMode, Compacted, Decomposition, FoundItem, ItemForm, ItemOutcome, KnowledgeIndex, KnowledgePart, PartTooLarge, Retrieved, Unsafe,
};
pub use ledger::SegmentView;
pub use plan::{Need, Plan, Request};
pub use policy::{Fraction, Limits, Policy};
pub use receipt::{Alarm, Finding, Receipt};
pub use repair::Evidence;
pub use rule::{Change, Held, Review, Rule, RulesDiff, Status};
pub use shape::Shape;
pub use snapshot::Snapshot;
pub use summary::Summary;
pub use task::{Polarity, TaskState};
pub use tokens::estimate as count_tokens;
pub use triage::{Contribution, Deontic, Explanation, Given, Item, ItemKind, OperatingPoint, Scores, classify_items, triage};
pub use trigger::{Asked, Boundary, Verdict};
pub use trust::Trust;
pub use window::{Rendered, Slot, Window};
