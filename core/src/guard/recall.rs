//! Giving originals back, and letting text go: recall, paging, forgetting, forking.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Guard, Mode};
use crate::digest::{self, Digest};
use crate::error::{Code, Error, Result};
use crate::event::{Event, Presence, Role};
use crate::knowledge;
use crate::ledger::{Origin, Segment};
use crate::markers::Markers;
use crate::ordered::{Map, Set};
use crate::receipt::Receipt;
use crate::request;
use crate::shape;
use crate::state::State;
use crate::tokens;
use crate::trust::Trust;

/// An event as recalled. Text of rules no longer in force stands as a marker (R8).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Recalled {
    /// Its place in the log.
    pub seq: u32,
    /// Its role.
    pub role: Role,
    /// Trust of the message as a whole.
    pub trust: Trust,
    /// Name of the producer.
    pub source: String,
    /// User events before it.
    pub turn: u32,
    /// Its text; none where it is not here.
    pub text: Option<String>,
    /// Whether the text is here, paged out, or gone.
    pub presence: Presence,
    /// Digest of the host's message: the key of the original in a store.
    pub digest: Digest,
}

impl Guard {
    /// The events of a span, first and last inclusive, as they were said.
    ///
    /// # Errors
    /// `unknown_event` for a span that the log does not have.
    pub fn recall(&self, span: (u32, u32)) -> Result<Vec<Recalled>> {
        self.open()?;
        let (from, to) = span;
        if from > to || to >= self.state.log.len() {
            return Err(
                Error::new(Code::UnknownEvent, format!("the log has no events {from} to {to}")).with("events", self.state.log.len())
            );
        }
        let withheld = Markers::tombstones(&self.state.registry)?;
        Ok(self.state.log.range(from, to + 1).iter().map(|event| recalled(event, &withheld)).collect())
    }

    /// The `k` events whose words fit a query best, the best first; of a span, where one is given. Only text that is here is
    /// searched.
    ///
    /// # Errors
    /// Those of [`Guard::recall`]; `invalid_argument` where `k` is zero.
    pub fn search(&self, query: &str, span: Option<(u32, u32)>, k: u32) -> Result<Vec<Recalled>> {
        self.open()?;
        if k == 0 {
            return Err(Error::argument("`k` is zero"));
        }
        let last = self.state.log.len().checked_sub(1);
        let Some(span) = span.or_else(|| last.map(|last| (0, last))) else { return Ok(Vec::new()) };
        let mut all: Vec<Option<Recalled>> = self.recall(span)?.into_iter().map(Some).collect();
        let texts: Vec<&str> = all.iter().map(|event| event.as_ref().and_then(|event| event.text.as_deref()).unwrap_or_default()).collect();
        let found = knowledge::search(&texts, query, k as usize);
        Ok(found.into_iter().filter_map(|at| all.get_mut(at).and_then(Option::take)).collect())
    }

    /// Lets the text of folded events before `before_seq` go; digests stay. Returns their places: the host may now drop
    /// its own copies where a store has them.
    ///
    /// # Errors
    /// `guard_closed`, `tail_not_attached`.
    pub fn page_out(&mut self, before_seq: u32) -> Result<Vec<u32>> {
        self.attached()?;
        let end = before_seq.min(self.state.ledger.cut);
        let folded: Vec<u32> = self.state.log.here(end).filter(|seq| self.state.ledger.covering(*seq).is_some()).collect();
        for seq in &folded {
            self.state.log.drop_text(*seq, Presence::PagedOut);
        }
        Ok(folded)
    }

    /// Brings text back: messages by their place, each compared with the digest that was observed. Where a restore found
    /// no digest of an event in the host's list, the chain stands for it: then all messages up to the end of a segment
    /// are needed, from the first one behind the head on.
    ///
    /// # Errors
    /// `unknown_event`, `digest_mismatch`, and those of reading a message; then nothing was changed.
    pub fn page_in(&mut self, messages: &Map<u32, Value>) -> Result<Vec<u32>> {
        self.attached()?;
        let mut given: Vec<(u32, Digest)> = Vec::with_capacity(messages.len());
        let mut known = true;
        for (seq, message) in messages {
            shape::shallow(std::slice::from_ref(message))?;
            let event = self.state.log.event(*seq).ok_or_else(|| Error::new(Code::UnknownEvent, format!("the log has no event {seq}")))?;
            let digest = digest::of_message(message);
            known &= is_observed(event, digest);
            given.push((*seq, digest));
        }
        let proven = if known { 0 } else { self.proven(&given) };
        let mut read = Vec::with_capacity(messages.len());
        for ((seq, digest), message) in given.into_iter().zip(messages.values()) {
            let Some(event) = self.state.log.event(seq) else { continue };
            if seq >= proven && !is_observed(event, digest) {
                return Err(Error::new(Code::DigestMismatch, format!("message {seq} is not shown to be the one that was observed"))
                    .with("seq", seq));
            }
            if matches!(event.presence, Presence::PagedOut | Presence::Missing) {
                let (_, mut arrival, _) = self.read(message, digest, &super::ObserveOptions::default())?;
                self.recollect(&mut arrival);
                read.push((seq, arrival));
            }
        }
        let mut back = Vec::with_capacity(read.len());
        for (seq, arrival) in read {
            self.state.log.restore_text(seq, arrival);
            back.push(seq);
        }
        self.state.log.rechain(proven);
        for seq in &back {
            self.hold_again(*seq);
        }
        if self.state.log.has_text(0, self.state.log.len()) {
            self.state.registry.all_held_again();
        }
        let (log, mut whole) = (&self.state.log, false);
        for segment in self.state.ledger.segments.iter_mut().filter(|segment| segment.frozen && segment.origin != Origin::Foreign) {
            segment.frozen = !log.has_text(segment.from, segment.to);
            whole |= !segment.frozen;
        }
        if whole {
            self.renotice();
        }
        Ok(back)
    }

    /// Up to where these messages, in their places, are those of the history: its chain says so at the end of a segment.
    fn proven(&self, given: &[(u32, Digest)]) -> u32 {
        let (log, ledger) = (&self.state.log, &self.state.ledger);
        let (mut chain, mut proven) = (Digest::default(), 0);
        for event in log.range(log.head(), ledger.cut) {
            // places ascend
            chain = match given.binary_search_by_key(&event.seq, |(seq, _)| *seq).ok().and_then(|at| given.get(at)) {
                Some((_, digest)) => chain.chain(*digest),
                None if event.presence == Presence::Missing => break,
                None => chain.chain(event.digest),
            };
            let ends = |segment: &Segment| segment.to == event.seq && segment.prefix == chain.short();
            if ledger.covering(event.seq).is_some_and(ends) || event.seq + 1 == ledger.cut && log.chain(ledger.cut) == chain {
                proven = event.seq + 1;
            }
        }
        proven
    }

    /// Purges the text of events for good, each call together with its results. Segments that stand for them lose their
    /// text at once and are made anew, without these events, at the next compaction. They are left out as well
    /// where the list is read again, after an edit or a restore, unless an equal message stayed. The host takes them out of
    /// its own list and store.
    ///
    /// # Errors
    /// `unknown_event`; then nothing was changed.
    pub fn forget(&mut self, seqs: &[u32]) -> Result<Vec<u32>> {
        self.attached()?;
        if let Some(unknown) = seqs.iter().find(|seq| **seq >= self.state.log.len()) {
            return Err(Error::new(Code::UnknownEvent, format!("the log has no event {unknown}")));
        }
        let all = self.with_partners(seqs);
        for seq in &all {
            self.state.forgotten.extend(self.state.log.event(*seq).map(|event| event.digest));
            self.state.log.drop_text(*seq, Presence::Forgotten);
        }
        let gone: Vec<u32> = all.iter().copied().collect();
        for segment in &mut self.state.ledger.segments {
            if gone.iter().any(|seq| segment.covers(*seq)) {
                segment.text = "Forgotten on request; to be summarized anew.".to_owned();
                segment.tokens = tokens::estimate(&segment.text);
                segment.origin = Origin::Extractive;
                segment.stale = true;
            }
        }
        // a kept event stays in its place, not shown, until the next compaction folds it
        self.state.ledger.shelf.clear();
        self.state.pin_unsaid();
        let log = &self.state.log;
        let unread = !log.has_text(0, log.len());
        self.state.registry.forget(&gone, |text| State::last_place(log, text), unread);
        self.state.long_rules.retain(|seq| !all.contains(seq));
        self.state.generation += 1;
        self.refresh();
        Ok(gone)
    }

    /// The events and all that answers or asks them.
    fn with_partners(&self, seqs: &[u32]) -> Set<u32> {
        let log = &self.state.log;
        let mut holders: Map<&str, Vec<usize>> = Map::new();
        for (at, event) in log.events().iter().enumerate() {
            for id in event.message.ids() {
                holders.change(id, Vec::new(), |all| all.push(at));
            }
        }
        let mut all = Set::new();
        let mut left: Vec<usize> = seqs.iter().map(|seq| *seq as usize).collect();
        while let Some(event) = left.pop().and_then(|at| log.events().get(at)) {
            if all.insert(event.seq) {
                for id in event.message.ids() {
                    // whoever has an id is reached once by it
                    left.append(&mut holders.remove(id).unwrap_or_default());
                }
            }
        }
        all
    }

    /// A guard for a sub-agent: it inherits every active rule and cannot change them; its log is its own. `scope` is the
    /// label of the rules declared in it.
    ///
    /// # Errors
    /// `guard_closed`.
    pub fn fork(&self, scope: Option<&str>) -> Result<Self> {
        self.open()?;
        let mut state = State::new(self.state.policy.clone(), self.state.shape)?;
        state.registry = self.state.registry.inherit();
        let estimate = state.window_tokens();
        state.meter.rebase(estimate);
        Ok(Self {
            state,
            receipt: Receipt::default(),
            evidence: Vec::new(),
            mode: Mode::Open,
            scope: scope.map(str::to_owned),
            pending: None,
        })
    }
}

/// An event as it is given back.
fn recalled(event: &Event, withheld: &Markers) -> Recalled {
    let here = matches!(event.presence, Presence::Here | Presence::SourceRemoved);
    let text = here.then(|| request::runs(event).into_iter().map(|run| withheld.replace(&run.text)).collect::<Vec<_>>().join("\n"));
    Recalled {
        seq: event.seq,
        role: event.message.role,
        trust: event.trust,
        source: event.source.clone(),
        turn: event.turn,
        text,
        presence: event.presence,
        digest: event.digest,
    }
}

/// Whether a message is the one of an event, as far as its digest is known.
fn is_observed(event: &Event, digest: Digest) -> bool {
    event.presence != Presence::Missing && event.digest == digest
}
