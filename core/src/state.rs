//! Everything a guard knows, as plain values; what a commit replaces.

use serde_json::Value;

use crate::digest::Digest;
use crate::error::Result;
use crate::event::{Event, Presence};
use crate::ledger::Ledger;
use crate::log::Log;
use crate::meter::Meter;
use crate::ordered::{Map, Set};
use crate::policy::{Limits, Policy};
use crate::registry::{Place, QUOTED, Registry};
use crate::shape::Shape;
use crate::task::TaskState;
use crate::text::pattern::Pattern;
use crate::tokens;
use crate::trust::Trust;

/// The state of one run.
#[derive(Debug, Clone)]
pub struct State {
    /// The policy as given.
    pub policy: Policy,
    /// The numbers it comes to.
    pub limits: Limits,
    /// What makes a text rule-shaped.
    pub pattern: Pattern,
    /// The host's message shape, once known.
    pub shape: Option<Shape>,
    /// The host's own system slot, for shapes that have one: a text or a list of text blocks.
    pub system: Option<Value>,
    /// Whether the host ever told its system slot: after a restore it has to be told again.
    pub system_told: bool,
    /// The history.
    pub log: Log,
    /// The rules.
    pub registry: Registry,
    /// Goal, plan, decisions, questions.
    pub task: TaskState,
    /// Accepted summaries.
    pub ledger: Ledger,
    /// How full the window is.
    pub meter: Meter,
    /// Events that stay whole because a rule in them is too long to be pinned (R3).
    pub long_rules: Vec<u32>,
    /// Events of task-state sources whose text went into the task state.
    pub absorbed: Set<u32>,
    /// Trust and source the host gave to messages, where they are below what the role says: they are taken in so again
    /// after an edit or a restore.
    pub named: Map<Digest, (Trust, String)>,
    /// Digests of purged messages: their text is not taken in again.
    pub forgotten: Set<Digest>,
    /// Counts changes that a snapshot must not lose.
    pub generation: u64,
}

/// Whether an event is shown in a window where its place is.
#[must_use]
pub fn is_shown(event: &Event) -> bool {
    event.listed && matches!(event.presence, Presence::Here | Presence::PagedOut | Presence::Missing)
}

impl State {
    /// The state of a new run.
    ///
    /// # Errors
    /// `window_unknown`, `invalid_policy`, `invalid_pattern`.
    pub fn new(policy: Policy, shape: Option<Shape>) -> Result<Self> {
        let limits = policy.limits()?;
        let pattern = match &policy.pattern {
            Some(pattern) => Pattern::custom(pattern)?,
            None => Pattern::published(),
        };
        Ok(Self {
            policy,
            limits,
            pattern,
            shape,
            system: None,
            system_told: false,
            log: Log::default(),
            registry: Registry::default(),
            task: TaskState::default(),
            ledger: Ledger::default(),
            meter: Meter::default(),
            long_rules: Vec::new(),
            absorbed: Set::new(),
            named: Map::new(),
            forgotten: Set::new(),
            generation: 0,
        })
    }

    /// Events of the head, the kept events and the tail that a window shows, in order.
    pub fn shown(&self) -> impl Iterator<Item = &Event> {
        let head = self.log.range(0, self.log.head());
        let kept = self.ledger.kept.iter().filter_map(|seq| self.log.event(*seq));
        let tail = self.log.range(self.ledger.cut.max(self.log.head()), self.log.len());
        head.iter().chain(kept).chain(tail).filter(|event| is_shown(event))
    }

    /// Rules whose own events no window shows any more go into the block at once, not only at the next commit (W2).
    pub fn pin_unsaid(&mut self) {
        let (log, ledger) = (&self.log, &self.ledger);
        let in_place = |seq: u32| seq < log.head() || seq >= ledger.cut || ledger.kept.contains(&seq);
        self.registry.pin_unsaid(|seq| in_place(seq) && log.event(seq).is_some_and(is_shown));
    }

    /// The newest event that has `text`, as the place of a held text.
    #[must_use]
    pub fn last_place(log: &Log, text: &str) -> Option<Place> {
        let found = log.events().iter().rev().find(|event| event.message.parts.iter().any(|part| part.text().contains(text)))?;
        let source = if found.trust.has_authority() { QUOTED.to_owned() } else { found.source.clone() };
        Some(Place { seq: found.seq, turn: found.turn, source })
    }

    /// Estimated tokens of the window as it is now, overhead left out.
    #[must_use]
    pub fn window_tokens(&self) -> u32 {
        let events = self.shown().map(|event| event.tokens).fold(0, u32::saturating_add);
        events.saturating_add(self.block_tokens()).saturating_add(self.memory_tokens())
    }

    /// Estimated tokens of the pinned block.
    #[must_use]
    pub fn block_tokens(&self) -> u32 {
        self.registry.block_tokens()
    }

    /// Estimated tokens of the memory message.
    #[must_use]
    pub fn memory_tokens(&self) -> u32 {
        self.ledger.pieces.iter().map(|piece| tokens::estimate(piece)).fold(0, u32::saturating_add)
    }

    /// Whether the text of `seq` went into the task state.
    #[must_use]
    pub fn task_absorbed(&self, seq: u32) -> bool {
        self.absorbed.contains(&seq)
    }

    /// Whether the text of a span is still here, so that it can be summarized anew.
    #[must_use]
    pub fn is_available(&self, from: u32, to: u32) -> bool {
        self.log.has_text(from, to)
    }

    /// Spans known only through a summary whose originals are gone, another compactor's in the tail included.
    #[must_use]
    pub fn degraded(&self) -> Vec<(u32, u32)> {
        let mut spans: Vec<(u32, u32)> =
            self.ledger.segments.iter().filter(|segment| segment.frozen).map(|segment| (segment.from, segment.to)).collect();
        for seq in self.log.foreign().filter(|seq| self.ledger.covering(*seq).is_none()) {
            spans.insert(spans.partition_point(|(from, _)| *from < seq), (seq, seq));
        }
        spans
    }
}
