//! The history as observed: hash-chained, with the host's edits as new branches.
//!
//! An event's `seq` is its place on the present branch. An edit cuts the branch and goes on from there, so the chain
//! digest of a place tells whether two histories agree up to it. The head (the host's leading system messages) is
//! outside the chain: a host may change its own prompt without losing a summary.

use crate::cut::{CallFlag, Calls};
use crate::digest::Digest;
use crate::event::{Event, Message, Part, Pieces, Presence, Role};
use crate::ordered::Set;
use crate::text::sentinel;
use crate::trust::Trust;

/// What a message is observed with.
#[derive(Debug, Clone)]
pub struct Arrival {
    /// The message as its shape reads it.
    pub message: Message,
    /// Digest of the host's message.
    pub digest: Digest,
    /// Trust of the message as a whole.
    pub trust: Trust,
    /// Name of the producer.
    pub source: String,
    /// On whose behalf a user spoke.
    pub principal: Option<String>,
    /// Estimated price.
    pub tokens: u32,
    /// Whether the host named the source.
    pub named: bool,
    /// Whether it was purged before and stands in a list that is read again.
    pub forgotten: bool,
}

/// The events of one run.
#[derive(Debug, Clone, Default)]
pub struct Log {
    events: Vec<Event>,
    head: usize,
    turns: u32,
    calls: Calls,
    /// Places that the host's list has, ascending: all but the ones taken out of it.
    listed: Vec<u32>,
    /// Places whose text is elsewhere and may come back.
    away: Set<u32>,
    /// Places behind the head whose text is here.
    here: Set<u32>,
    /// Places with a text that imitates our marks.
    imitating: Set<u32>,
    /// Places with another compactor's summary.
    foreign: Set<u32>,
}

impl Log {
    /// All events of the branch, in order of `seq`.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The event at `seq`.
    #[must_use]
    pub fn event(&self, seq: u32) -> Option<&Event> {
        self.events.get(seq as usize)
    }

    /// The events of `[from, to)`; empty where the log has none.
    #[must_use]
    pub fn range(&self, from: u32, to: u32) -> &[Event] {
        let end = (to as usize).min(self.events.len());
        self.events.get(from as usize..end).unwrap_or_default()
    }

    /// Places that the host's list has, in its order, as far as the guard knows.
    #[must_use]
    pub fn listed(&self) -> &[u32] {
        &self.listed
    }

    /// Whether no text of `[from, to]` is away.
    #[must_use]
    pub fn has_text(&self, from: u32, to: u32) -> bool {
        self.away.from_key(&from).next().is_none_or(|away| *away > to)
    }

    /// Places whose text is elsewhere and may come back, ascending.
    pub fn away(&self) -> impl Iterator<Item = u32> {
        self.away.iter().copied()
    }

    /// Places before `end` and behind the head whose text is here.
    pub fn here(&self, end: u32) -> impl Iterator<Item = u32> {
        self.here.iter().copied().take_while(move |seq| *seq < end)
    }

    /// Whether a text of the event imitates our marks.
    #[must_use]
    pub fn imitates(&self, seq: u32) -> bool {
        self.imitating.contains(&seq)
    }

    /// Places with another compactor's summary, ascending.
    pub fn foreign(&self) -> impl Iterator<Item = u32> {
        self.foreign.iter().copied()
    }

    /// Events on the branch.
    #[must_use]
    pub fn len(&self) -> u32 {
        u32::try_from(self.events.len()).unwrap_or(u32::MAX)
    }

    /// Whether nothing was observed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Leading system and developer messages.
    #[must_use]
    pub fn head(&self) -> u32 {
        u32::try_from(self.head).unwrap_or(u32::MAX)
    }

    /// User events observed so far.
    #[must_use]
    pub fn turns(&self) -> u32 {
        self.turns
    }

    /// Chain digest of the events before `seq`, the head left out.
    #[must_use]
    pub fn chain(&self, seq: u32) -> Digest {
        seq.checked_sub(1).and_then(|last| self.event(last)).map_or_else(Digest::default, |event| event.chain)
    }

    /// Events whose calls wait for a result.
    #[must_use]
    pub fn open_calls(&self, dead_call_events: u32) -> Vec<u32> {
        self.calls.open(self.len(), dead_call_events)
    }

    /// The event whose call a further result of `id` belongs to.
    #[must_use]
    pub fn answered(&self, id: &str) -> Option<u32> {
        self.calls.answered(id)
    }

    /// The event whose open call a result of `id` would answer.
    #[must_use]
    pub fn caller(&self, id: &str) -> Option<u32> {
        self.calls.caller(id)
    }

    /// Marks an event as our own text, which is not paged.
    pub(crate) fn set_replayed(&mut self, seq: u32) {
        if let Some(event) = self.events.get_mut(seq as usize) {
            event.presence = Presence::Replayed;
            self.here.remove(&seq);
            self.foreign.remove(&seq);
        }
    }

    /// Whether a message of this role would still belong to the head.
    #[must_use]
    pub fn in_head(&self, message: &Message) -> bool {
        message.role.is_system() && self.events.len() == self.head
    }

    /// Adds an event to the end of the branch.
    pub fn append(&mut self, arrival: Arrival) -> (u32, Vec<CallFlag>) {
        let in_head = self.in_head(&arrival.message);
        self.append_to(arrival, in_head)
    }

    /// Adds an event to the head or behind it, whatever stands before it.
    pub(crate) fn append_to(&mut self, mut arrival: Arrival, in_head: bool) -> (u32, Vec<CallFlag>) {
        let seq = self.len();
        let before = self.chain(seq);
        let chain = if in_head { before } else { before.chain(arrival.digest) };
        let flags = self.calls.observe(seq, &arrival.message);
        let turn = self.turns;
        if arrival.message.is_user_turn() {
            self.turns += 1;
        }
        if in_head {
            self.head += 1;
        } else {
            self.here.insert(seq);
        }
        self.listed.push(seq);
        self.look_at(seq, &arrival.message);
        arrival.message.parts.shrink_to_fit();
        self.events.push(Event {
            seq,
            message: arrival.message,
            trust: arrival.trust,
            source: arrival.source,
            principal: arrival.principal,
            digest: arrival.digest,
            chain,
            tokens: arrival.tokens,
            turn,
            presence: Presence::Here,
            listed: true,
            pieces: Pieces::default(),
        });
        (seq, flags)
    }

    /// Notes whether a message imitates our marks, and whether it is another compactor's.
    fn look_at(&mut self, seq: u32, message: &Message) {
        if message.read_texts().any(|(_, text)| sentinel::has_imitation(text)) {
            self.imitating.insert(seq);
        } else {
            self.imitating.remove(&seq);
        }
        if message.has_summary() {
            self.foreign.insert(seq);
        } else {
            self.foreign.remove(&seq);
        }
    }

    /// Exchanges a message of the head; places and chain stay.
    pub fn replace_head(&mut self, seq: u32, arrival: Arrival) {
        if (seq as usize) < self.head {
            self.look_at(seq, &arrival.message);
        }
        if (seq as usize) < self.head
            && let Some(event) = self.events.get_mut(seq as usize)
        {
            event.message = arrival.message;
            event.pieces = Pieces::default();
            event.digest = arrival.digest;
            event.tokens = arrival.tokens;
            event.presence = Presence::Here;
        }
    }

    /// Leaves the events from `seq` on: a new branch starts there.
    pub fn truncate(&mut self, seq: u32) {
        self.events.truncate(seq as usize);
        self.listed.truncate(self.listed.partition_point(|listed| *listed < seq));
        self.away.cut(&seq);
        self.here.cut(&seq);
        self.imitating.cut(&seq);
        self.foreign.cut(&seq);
        self.head = self.head.min(self.events.len());
        self.turns = self.events.last().map_or(0, |last| last.turn + u32::from(last.message.is_user_turn()));
        self.calls = Calls::of(&self.events);
    }

    /// Marks an event as taken out of the host's list.
    pub fn mark_removed(&mut self, seq: u32) {
        if let Ok(at) = self.listed.binary_search(&seq) {
            self.listed.remove(at);
        }
        if let Some(event) = self.events.get_mut(seq as usize) {
            event.listed = false;
            if event.presence == Presence::Here {
                event.presence = Presence::SourceRemoved;
            }
        }
    }

    /// Drops the text of an event; digest, size and place stay.
    pub fn drop_text(&mut self, seq: u32, presence: Presence) {
        if let Some(event) = self.events.get_mut(seq as usize) {
            // the call ids stay: they decide where the history may be cut
            event.message.parts = std::mem::take(&mut event.message.parts).into_iter().filter_map(links).collect();
            event.pieces = Pieces::default();
            event.presence = presence;
            self.imitating.remove(&seq);
            self.here.remove(&seq);
            self.foreign.remove(&seq);
            if matches!(presence, Presence::PagedOut | Presence::Missing) {
                self.away.insert(seq);
            } else {
                self.away.remove(&seq);
            }
        }
    }

    /// Brings the text of an event back. The caller has shown that it is the one.
    pub(crate) fn restore_text(&mut self, seq: u32, arrival: Arrival) {
        self.look_at(seq, &arrival.message);
        self.away.remove(&seq);
        if seq as usize >= self.head {
            self.here.insert(seq);
        }
        if let Some(event) = self.events.get_mut(seq as usize) {
            if event.digest != arrival.digest {
                // a place-holder, or a message that was taken for another
                (event.digest, event.trust, event.source) = (arrival.digest, arrival.trust, arrival.source);
            }
            event.message = arrival.message;
            event.pieces = Pieces::default();
            event.tokens = arrival.tokens;
            event.presence = if event.listed { Presence::Here } else { Presence::SourceRemoved };
        }
    }

    /// Computes anew what follows from the events before `end`: their chain and turns.
    pub(crate) fn rechain(&mut self, end: u32) {
        let (mut chain, mut turn) = (Digest::default(), 0);
        for event in self.events.iter_mut().take(end as usize).skip(self.head) {
            chain = chain.chain(event.digest);
            (event.chain, event.turn) = (chain, turn);
            turn += u32::from(event.message.is_user_turn());
        }
    }

    /// A place-holder for an event of the head or the folded part that the host's list no longer has, with its digest
    /// where it is known.
    pub(crate) fn push_missing(&mut self, in_head: bool, digest: Option<Digest>) {
        let seq = self.len();
        let before = self.chain(seq);
        let presence = if digest.is_some() { Presence::PagedOut } else { Presence::Missing };
        let digest = digest.unwrap_or_default();
        let chain = if in_head { before } else { before.chain(digest) };
        self.head += usize::from(in_head);
        let role = if in_head { Role::System } else { Role::Assistant };
        let message = Message { role, parts: Vec::new(), foreign_summary: false, cache_markers: 0, name: None };
        self.away.insert(seq);
        self.events.push(Event {
            seq,
            message,
            trust: Trust::External,
            source: String::new(),
            principal: None,
            digest,
            chain,
            tokens: 0,
            turn: self.turns,
            presence,
            listed: false,
            pieces: Pieces::default(),
        });
    }

    /// Says which history the last event ends, where the ones before it are not known.
    pub(crate) fn set_chain(&mut self, chain: Digest) {
        if let Some(last) = self.events.last_mut() {
            last.chain = chain;
        }
    }

    pub(crate) fn set_turns(&mut self, turns: u32) {
        self.turns = turns;
    }
}

/// What of a part must outlive its text.
fn links(part: Part) -> Option<Part> {
    match part {
        Part::Call { id, name, .. } => Some(Part::Call { id, name, arguments: String::new() }),
        Part::Result { id, error, .. } => Some(Part::Result { id, text: String::new(), media_tokens: 0, error }),
        Part::Approval { id, response } => Some(Part::Approval { id, response }),
        Part::Text(_) | Part::Attached(_) | Part::Foreign(_) | Part::Reasoning { .. } | Part::Media { .. } => None,
    }
}

/// The trust and source a message has by its role and the source the host names (T1).
#[must_use]
pub fn origin(message: &Message, in_head: bool) -> (Trust, String) {
    if message.foreign_summary {
        return (Trust::External, "foreign_summary".to_owned());
    }
    match message.role {
        Role::System | Role::Developer if in_head => (Trust::Operator, "head".to_owned()),
        Role::System | Role::Developer => (Trust::User, "system".to_owned()),
        Role::User
            if message.parts.iter().all(|part| matches!(part, Part::Result { .. } | Part::Foreign(_))) && !message.parts.is_empty() =>
        {
            (Trust::External, "tool".to_owned())
        }
        Role::User => (Trust::User, "user".to_owned()),
        Role::Assistant => (Trust::Agent, "assistant".to_owned()),
        Role::Tool => (Trust::External, message.name.as_deref().map_or_else(|| "tool".to_owned(), |name| format!("tool:{name}"))),
    }
}
