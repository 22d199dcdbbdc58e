//! The façade: one value that observes a run, keeps its rules and compacts its window.
//!
//! A [`Guard`] holds a [`State`] and nothing else. Its methods are grouped by what they are about: `observe` and `sync`
//! take the history in, `said` finds the rules in it, `rules` changes the registry, `cycle` is trigger, plan, commit, window and assertion, `recall`
//! gives originals back and lets text go.

mod alarms;
mod cycle;
mod observe;
mod recall;
mod restore;
mod rules;
mod said;
mod sync;

pub(crate) use observe::price;
pub use observe::{ObserveOptions, Observed};
pub use recall::Recalled;
pub use restore::{RestoreOptions, RestoreVerdict, Restored};
pub use rules::DeclareOptions;
pub use sync::Synced;

use crate::error::{Code, Error, Result};
use crate::ledger::{Ledger, SegmentView};
use crate::log::Log;
use crate::policy::Policy;
use crate::receipt::{Receipt, RuleCounts};
use crate::repair::Evidence;
use crate::shape::Shape;
use crate::snapshot::LogRecord;
use crate::state::State;
use crate::task::TaskState;

/// Keeps the rules of one run alive through compaction.
///
/// ```
/// use serde_json::json;
/// use standfast::{Guard, Policy, DeclareOptions, ObserveOptions};
///
/// let mut guard = Guard::new(Policy::for_window(8_000), None)?;
/// guard.declare("Never issue a refund above GBP 500 without a human approver.", &DeclareOptions::default())?;
/// for turn in 0..200 {
///     let options = ObserveOptions::default();
///     guard.observe(&json!({"role": "user", "content": format!("Please look at batch {turn}.")}), &options)?;
///     guard.observe(&json!({"role": "assistant", "content": format!("Batch {turn} is fine, nothing unusual in its rows.")}), &options)?;
/// }
/// assert!(guard.should_compact()?.compact);
/// let plan = guard.plan(None)?;
/// let summaries = plan.requests.iter().map(|request| (request.id.clone(), None)).collect();
/// let window = guard.commit(&plan, &summaries)?;
/// assert!(window.pinned.contains("Never issue a refund above GBP 500 without a human approver."));
/// # Ok::<(), standfast::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Guard {
    pub(crate) state: State,
    pub(crate) receipt: Receipt,
    /// What the checks of the last commit found, with the sentences.
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) mode: Mode,
    /// Label of the rules declared in a forked guard.
    pub(crate) scope: Option<String>,
    /// Where in the host's list a restored guard belongs, until the list is given.
    pub(crate) pending: Option<LogRecord>,
}

/// Whether a guard can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// It can.
    Open,
    /// It was restored without the host's messages: rules can be read, no window can be built.
    Detached,
    /// It was closed.
    Closed,
}

impl Guard {
    /// A guard for a new run. `shape` is taken from the first messages where it is not given.
    ///
    /// # Errors
    /// `window_unknown`, `invalid_policy`, `invalid_pattern`.
    pub fn new(policy: Policy, shape: Option<Shape>) -> Result<Self> {
        let state = State::new(policy, shape)?;
        Ok(Self { state, receipt: Receipt::default(), evidence: Vec::new(), mode: Mode::Open, scope: None, pending: None })
    }

    /// The policy with what followed from the window. `tail_tokens` stays open where it was: the tail then follows the last
    /// user message.
    #[must_use]
    pub fn policy(&self) -> Policy {
        self.state.policy.resolved(&self.state.limits)
    }

    /// The host's message shape, once known.
    #[must_use]
    pub fn shape(&self) -> Option<Shape> {
        self.state.shape
    }

    /// Goal, plan, decisions and open questions.
    #[must_use]
    pub fn task(&self) -> &TaskState {
        &self.state.task
    }

    /// The record of the last decision.
    #[must_use]
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// What the checks of the last commit found, each with its sentence: the text behind the receipt's findings. In memory
    /// only; no snapshot, receipt or error carries it.
    #[must_use]
    pub fn evidence(&self) -> &[Evidence] {
        &self.evidence
    }

    /// Accepted summaries in order of their spans.
    #[must_use]
    pub fn segments(&self) -> Vec<SegmentView> {
        self.state.ledger.segments.iter().map(SegmentView::from).collect()
    }

    /// Spans known only through a summary whose originals are gone, inclusive.
    #[must_use]
    pub fn degraded(&self) -> Vec<(u32, u32)> {
        self.state.degraded()
    }

    /// Ends the guard: its log may be dropped by the host's store from here on. Every later call is `guard_closed`.
    pub fn close(&mut self) {
        self.mode = Mode::Closed;
        self.state.log = Log::default();
        self.state.ledger = Ledger::default();
    }

    pub(crate) fn open(&self) -> Result<()> {
        match self.mode {
            Mode::Closed => Err(Error::new(Code::GuardClosed, "the guard was closed")),
            _ => Ok(()),
        }
    }

    pub(crate) fn attached(&self) -> Result<()> {
        self.open()?;
        match self.mode {
            Mode::Detached => Err(Error::new(Code::TailNotAttached, "the host's messages were not given since the restore")),
            _ => Ok(()),
        }
    }

    pub(crate) fn rule_counts(&self) -> RuleCounts {
        let registry = &self.state.registry;
        let (declared, promoted, overflow) = registry.counts();
        RuleCounts { declared, promoted, held: registry.held_count(), overflow }
    }
}
