//! standfast keeps an AI agent's rules alive through context compaction.

#![forbid(unsafe_code)]

// words
pub mod error;
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
pub mod commit;
pub mod window;
pub mod snapshot;
// façades
pub mod guard;
pub mod published;

pub use commit::Summaries;
pub use error::{Class, Code, Error, Result};
pub use event::{Presence, Role};
pub use extract::of_request as extract_text;
pub use guard::{DeclareOptions, Guard, ObserveOptions, Observed, Recalled, RestoreOptions, RestoreVerdict, Restored, Synced};
pub use ledger::SegmentView;
pub use plan::{Plan, Request};
pub use policy::{Fraction, Limits, Policy};
pub use receipt::{Alarm, Finding, Receipt};
pub use rule::{Change, Held, Review, Rule, RulesDiff, Status};
pub use shape::Shape;
pub use snapshot::Snapshot;
pub use summary::Summary;
pub use task::{Polarity, TaskState};
pub use tokens::estimate as count_tokens;
pub use trigger::{Asked, Boundary, Verdict};
pub use trust::Trust;
pub use window::{Slot, Window};
