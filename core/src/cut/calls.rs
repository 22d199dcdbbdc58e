//! Which calls are answered, which are open, and which are dead.

use crate::event::{Event, Message, Part, Role};
use crate::ordered::Map;
use crate::shape::LEGACY_CALL;

/// Something odd about the calls of an observed message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallFlag {
    /// A result whose call was never seen.
    OrphanResult(String),
    /// A second result of an answered call.
    DuplicateResult(String),
    /// A call with an id that an earlier call had. It counts as a new call.
    ReusedId(String),
}

/// An event with unanswered calls.
#[derive(Debug, Clone, Default)]
struct Batch {
    unanswered: u32,
    /// The first later assistant event that left calls of this batch unanswered.
    passed: Option<u32>,
}

/// Follows calls and their results while a history grows, each message in O(log n). Approvals count as calls: the
/// request opens, the response answers.
#[derive(Debug, Clone, Default)]
pub struct Calls {
    /// For each id seen, the events with an open call of that id. A result answers the latest.
    known: Map<String, Vec<u32>>,
    /// For each id answered, the event whose call was answered last.
    answered: Map<String, u32>,
    open: Map<u32, Batch>,
    /// Open batches that no assistant event has passed yet.
    fresh: Vec<u32>,
}

/// The kind of a call that a tool answers.
pub(super) const CALL: &str = "call";

/// A part's place in the play of calls: whether it opens or answers, the kind and the id. Approvals have ids of their own.
pub(super) fn tie(part: &Part) -> Option<(Tie, (&'static str, &str))> {
    match part {
        Part::Call { id, .. } => Some((Tie::Opens, (CALL, id))),
        Part::Result { id, .. } => Some((Tie::Answers, (CALL, id))),
        Part::Approval { id, response: false } => Some((Tie::Opens, ("approval", id))),
        Part::Approval { id, response: true } => Some((Tie::Answers, ("approval", id))),
        _ => None,
    }
}

/// Which end of a pair a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tie {
    Opens,
    Answers,
}

impl Calls {
    /// The calls of a whole history.
    #[must_use]
    pub fn of(events: &[Event]) -> Self {
        let mut calls = Self::default();
        for event in events {
            calls.observe(event.seq, &event.message);
        }
        calls
    }

    /// Takes in the next message and says what is odd about it.
    pub fn observe(&mut self, seq: u32, message: &Message) -> Vec<CallFlag> {
        let mut flags = Vec::new();
        let mut opened = false;
        for (tie, (kind, id)) in message.parts.iter().filter_map(tie) {
            let key = format!("{kind} {id}");
            match (tie, self.known.get_mut(&key)) {
                (Tie::Opens, known) => {
                    if known.is_some() && !id.starts_with(LEGACY_CALL) {
                        flags.push(CallFlag::ReusedId(id.to_owned()));
                    }
                    self.known.change(key, Vec::new(), |calls| calls.push(seq));
                    self.open.change(seq, Batch::default(), |batch| batch.unanswered += 1);
                    opened = true;
                }
                (Tie::Answers, None) => flags.push(CallFlag::OrphanResult(id.to_owned())),
                (Tie::Answers, Some(known)) => match known.pop() {
                    None => flags.push(CallFlag::DuplicateResult(id.to_owned())),
                    Some(call) => {
                        self.answer(call);
                        self.answered.insert(key, call);
                    }
                },
            }
        }
        if message.role == Role::Assistant {
            for passed in self.fresh.drain(..) {
                if let Some(batch) = self.open.get_mut(&passed) {
                    batch.passed = Some(seq);
                }
            }
        }
        if opened {
            self.fresh.push(seq);
        }
        flags
    }

    fn answer(&mut self, call: u32) {
        if let Some(batch) = self.open.get_mut(&call) {
            batch.unanswered = batch.unanswered.saturating_sub(1);
            if batch.unanswered == 0 {
                self.open.remove(&call);
            }
        }
    }

    /// The event whose open call a result of `id` would answer.
    #[must_use]
    pub fn caller(&self, id: &str) -> Option<u32> {
        self.known.get(&format!("call {id}"))?.last().copied()
    }

    /// The event whose call a further result of `id` belongs to.
    #[must_use]
    pub fn answered(&self, id: &str) -> Option<u32> {
        self.answered.get(&format!("call {id}")).copied()
    }

    /// The calling events with an unanswered call, after `at` events, without the dead ones: a call is dead after a
    /// later assistant event that left it unanswered and `dead_call_events` more events.
    #[must_use]
    pub fn open(&self, at: u32, dead_call_events: u32) -> Vec<u32> {
        let dead = |batch: &Batch| batch.passed.is_some_and(|passed| at.saturating_sub(passed.saturating_add(1)) >= dead_call_events);
        // the older a batch, the earlier it was passed: the dead come first, and they may be many
        let mut open: Vec<u32> = self.open.iter().rev().take_while(|(_, batch)| !dead(batch)).map(|(seq, _)| *seq).collect();
        open.reverse();
        open
    }
}
