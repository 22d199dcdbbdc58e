//! The host's whole list at every call: what is new, what was edited, what was taken out (S1).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Guard, Mode, ObserveOptions, Observed};
use crate::digest::{self, Digest};
use crate::error::{Error, Result};
use crate::event::Presence;
use crate::log::Arrival;
use crate::markers::Markers;
use crate::ordered::Set;
use crate::registry::Place;
use crate::rule::Rule;
use crate::shape;
use crate::snapshot::LogRecord;
use crate::state::State;
use crate::window;

/// What the host's list changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Synced {
    /// Messages that are new at the end.
    pub appended: u32,
    /// Messages that stand where others were before.
    pub edited: u32,
    /// Messages that are gone.
    pub removed: u32,
    /// First index of the host's list that is not as before.
    pub first_divergence: Option<u32>,
    /// The place in the log of each message given, from the first that was given on.
    pub seqs: Vec<u32>,
    /// What came of the messages that are new or edited.
    pub observed: Vec<Observed>,
}

/// Whether the messages of a list may have been observed before, by a guard that was restored since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading<'r> {
    /// Only where the list leaves the branch.
    New,
    /// None: they follow what the snapshot knows. But trust is remembered.
    After,
    /// Any of them; what the snapshot knows says which.
    Again(&'r LogRecord),
}

impl<'r> Reading<'r> {
    /// How to read what stands behind the messages that were attached to a snapshot.
    pub(super) fn behind(outcome: &str, record: &'r LogRecord) -> Self {
        if outcome == "attached" { Self::After } else { Self::Again(record) }
    }
}

/// How a list continues the log.
struct Comparison {
    /// Place in the log of each given message that is as before.
    same: Vec<u32>,
    /// Places in the log that the host's list no longer has, before the last that is as before.
    removed: Vec<u32>,
    /// Where the branch is left, if it is.
    leave: Option<u32>,
}

impl Guard {
    /// Takes the host's whole list in. The first `unchanged` messages are known to be as at the last call and need not
    /// be given; `messages` holds the rest.
    ///
    /// # Errors
    /// Those of [`Guard::observe`]; then nothing was changed. `invalid_argument` if `unchanged` is more than was synced.
    pub fn sync(&mut self, unchanged: u32, messages: &[Value], options: &ObserveOptions) -> Result<Synced> {
        self.open()?;
        shape::shallow(messages)?;
        if self.mode == Mode::Detached && unchanged > 0 {
            return Err(Error::argument("`unchanged` must be 0 for the first list after a restore"));
        }
        let digests: Vec<Digest> = messages.iter().map(digest::of_message).collect();
        if self.mode == Mode::Detached {
            // on a copy: a list that cannot be read leaves the guard detached, as it was
            let mut next = self.clone();
            let record = next.pending.clone().unwrap_or_default();
            let reading = Reading::behind(next.attach(messages, &digests)?, &record);
            next.declare_head(&mut Vec::new());
            let synced = next.sync_digested(0, messages, &digests, options, reading)?;
            *self = next;
            return Ok(synced);
        }
        self.sync_digested(unchanged, messages, &digests, options, Reading::New)
    }

    pub(super) fn sync_digested(
        &mut self,
        unchanged: u32,
        messages: &[Value],
        digests: &[Digest],
        options: &ObserveOptions,
        reading: Reading<'_>,
    ) -> Result<Synced> {
        let Some(known) = self.state.log.listed().get(unchanged as usize..).map(<[u32]>::to_vec) else {
            return Err(Error::argument("`unchanged` is more than the guard has seen"));
        };
        if known.len() == digests.len() && known.iter().zip(digests).all(|(seq, digest)| self.digest_at(*seq) == Some(*digest)) {
            return Ok(Synced { seqs: known, ..Synced::default() });
        }
        let compared = self.compare(&known, digests, messages);
        // read everything that is new before anything is changed
        let new = messages.iter().zip(digests.iter().copied()).skip(compared.same.len());
        let first = unchanged as usize + compared.same.len();
        let mut arrivals = self.read_all(new, first, options, compared.leave)?;
        if reading != Reading::New || compared.leave.is_some() {
            arrivals.iter_mut().for_each(|(arrival, _)| self.recollect(arrival));
        }
        if compared.leave.is_some() || matches!(reading, Reading::Again(_)) {
            self.mark_forgotten(&mut arrivals, reading);
        }
        Ok(self.take_list(unchanged, &known, compared, arrivals, messages, options))
    }

    /// Marks the messages that were purged before. Where an equal one stayed, its text was not to go, and which of them
    /// the host has taken out of its list does not show.
    fn mark_forgotten(&self, arrivals: &mut [(Arrival, Vec<String>)], reading: Reading<'_>) {
        let log = self.state.log.events().iter().filter(|event| event.presence != Presence::Forgotten);
        let mut stays: Set<Digest> = log.map(|event| event.digest).filter(|digest| self.state.forgotten.contains(digest)).collect();
        if let Reading::Again(record) = reading {
            let open = record.open.iter().filter(|open| record.forgotten.binary_search(&open.seq).is_err());
            stays.extend(open.map(|open| open.digest.0));
        }
        for (arrival, _) in arrivals {
            arrival.forgotten = self.state.forgotten.contains(&arrival.digest) && !stays.contains(&arrival.digest);
        }
    }

    fn digest_at(&self, seq: u32) -> Option<Digest> {
        self.state.log.event(seq).map(|event| event.digest)
    }

    fn compare(&self, known: &[u32], digests: &[Digest], messages: &[Value]) -> Comparison {
        let head = self.state.log.head();
        let (mut same, mut removed) = (Vec::new(), Vec::new());
        let mut at = 0;
        for (index, digest) in digests.iter().enumerate() {
            let Some(seq) = known.get(at).copied() else { break };
            let fits = |seq: &u32| self.digest_at(*seq) == Some(*digest);
            let new_head = seq < head && messages.get(index).is_some_and(is_system);
            if fits(&seq) || new_head {
                same.push(seq);
                at += 1;
                continue;
            }
            // not here: taken out before it, or edited
            let Some(skip) = known.get(at..).and_then(|rest| rest.iter().position(fits)) else { break };
            removed.extend(known.get(at..at + skip).unwrap_or_default());
            same.extend(known.get(at + skip));
            at += skip + 1;
        }
        let leave = known.get(at).copied();
        Comparison { same, removed, leave }
    }

    fn read_all<'m>(
        &self,
        messages: impl Iterator<Item = (&'m Value, Digest)>,
        first: usize,
        options: &ObserveOptions,
        leave: Option<u32>,
    ) -> Result<Vec<(Arrival, Vec<String>)>> {
        let messages = messages.enumerate().map(|(at, message)| (first + at, message));
        // what belongs to the head, and the shape, depend on the messages before: read those on a copy
        let leaves_head = leave.is_some_and(|seq| seq <= self.state.log.head());
        let undecided = leaves_head || self.state.shape.is_none() || self.state.log.len() == self.state.log.head();
        if !undecided {
            return messages
                .map(|(at, (message, digest))| {
                    let (_, arrival, flags) = self.read(message, digest, options).map_err(|error| error.at(at))?;
                    Ok((arrival, flags))
                })
                .collect();
        }
        let mut copy = self.clone();
        if let Some(seq) = leave {
            copy.state.log.truncate(seq);
        }
        let mut read = Vec::with_capacity(messages.size_hint().0);
        for (at, (message, digest)) in messages {
            let (shape, arrival, flags) = copy.read(message, digest, options).map_err(|error| error.at(at))?;
            copy.state.shape = copy.state.shape.or(shape);
            copy.state.log.append(arrival.clone());
            read.push((arrival, flags));
        }
        Ok(read)
    }

    fn take_list(
        &mut self,
        unchanged: u32,
        known: &[u32],
        compared: Comparison,
        arrivals: Vec<(Arrival, Vec<String>)>,
        messages: &[Value],
        options: &ObserveOptions,
    ) -> Synced {
        let mut synced = Synced::default();
        let before = known.len();
        if self.state.shape.is_none() {
            self.state.shape =
                messages.iter().find_map(|message| self.read(message, Digest::default(), options).ok().and_then(|(shape, _, _)| shape));
        }
        for (seq, message) in compared.same.iter().zip(messages) {
            if *seq >= self.state.log.head() {
                break;
            }
            let digest = digest::of_message(message);
            if self.digest_at(*seq) != Some(digest)
                && let Ok((_, arrival, _)) = self.read(message, digest, options)
            {
                synced.edited += 1;
                let replayed = self.replays(&arrival.message);
                self.state.log.replace_head(*seq, arrival);
                if replayed {
                    self.state.log.set_replayed(*seq);
                }
            }
        }
        if synced.edited > 0 {
            self.declare_head(&mut Vec::new());
        }
        let diverges = compared.same.iter().zip(known).position(|(a, b)| a != b).unwrap_or(compared.same.len());
        if !compared.removed.is_empty() || compared.leave.is_some() {
            synced.first_divergence = u32::try_from(diverges).ok().map(|index| unchanged + index);
        }
        if !compared.removed.is_empty() {
            synced.removed += u32::try_from(compared.removed.len()).unwrap_or(u32::MAX);
            for seq in &compared.removed {
                self.state.log.mark_removed(*seq);
            }
        }
        let mut refreshed = false;
        if let Some(seq) = compared.leave {
            let gone = u32::try_from(before - compared.same.len() - compared.removed.len()).unwrap_or(u32::MAX);
            let new = u32::try_from(arrivals.len()).unwrap_or(u32::MAX);
            synced.edited += gone.min(new);
            synced.removed += gone.saturating_sub(new);
            if arrivals.iter().any(|(arrival, _)| self.is_our_memory(&arrival.message)) {
                // the host goes on from our window: what is folded is in it, and the rules said there stay
                self.state.registry.keep_said(|at| self.state.ledger.covering(at).is_some());
            }
            refreshed = self.leave_branch(seq);
        }
        let replaced = synced.edited;
        synced.seqs = compared.same;
        for (arrival, mut flags) in arrivals {
            let observed = self.take(arrival, &mut flags);
            synced.seqs.push(observed.seq);
            synced.observed.push(observed);
        }
        let new = u32::try_from(synced.observed.len()).unwrap_or(u32::MAX);
        synced.appended = if compared.leave.is_some() { new.saturating_sub(replaced) } else { new };
        let log = &self.state.log;
        let revived = self.state.ledger.revive(log.len(), |seq| log.chain(seq));
        self.mark_replaced(&revived);
        let unfolded = compared.leave.is_some() && self.unfold_last_user();
        self.state.pin_unsaid();
        if refreshed || unfolded || !revived.is_empty() {
            // what arrived may have said or replaced rules again
            self.refresh();
        } else if synced.edited > 0 || synced.removed > 0 {
            let estimate = self.state.window_tokens();
            self.state.meter.rebase(estimate);
        }
        synced
    }

    /// Segments that came back say what was in force when they were left: those that stand for replaced rules are to be
    /// made anew.
    fn mark_replaced(&mut self, revived: &[(u32, u32)]) {
        if revived.is_empty() {
            return;
        }
        let replaced: Vec<Rule> = self.state.registry.all().filter(|rule| rule.status.is_tombstone()).cloned().collect();
        for rule in replaced {
            let seqs: Vec<u32> =
                self.seqs_of(&rule).into_iter().filter(|seq| revived.iter().any(|(a, b)| (a..=b).contains(&seq))).collect();
            self.state.ledger.mark_stale(&seqs);
        }
        let Ok(withheld) = Markers::tombstones(&self.state.registry) else { return };
        for segment in self.state.ledger.segments.iter_mut().filter(|segment| revived.contains(&(segment.from, segment.to))) {
            segment.text = withheld.replace(&segment.text);
        }
    }

    /// What stood on a branch from `seq` on, which the log no longer has, is in force no more.
    pub(super) fn abandon(&mut self, seq: u32) {
        let log = &self.state.log;
        let unread = log.events().iter().rev().find(|event| event.message.parts.is_empty() || event.presence == Presence::PagedOut);
        let unread = unread.map(|event| Place { seq: event.seq, turn: event.turn, source: event.source.clone() });
        let revoked = self.state.registry.abandon(seq, |text| State::last_place(log, text), unread.as_ref());
        self.state.ledger.abandon(seq);
        for rule in revoked {
            let seqs = self.seqs_of(&rule);
            self.state.ledger.mark_stale(&seqs);
        }
    }

    /// A list cut back into what is folded shows its last user message again (W3): the segments from there on are void.
    fn unfold_last_user(&mut self) -> bool {
        let last = self.state.log.events().iter().rev().find(|event| event.message.is_user_turn()).map(|event| event.seq);
        let segment = last.and_then(|last| self.state.ledger.covering(last));
        let Some(from) = segment.map(|segment| segment.from).filter(|from| self.state.is_available(*from, self.state.log.len() - 1)) else {
            return false;
        };
        self.state.ledger.abandon(from);
        true
    }

    /// A further result of a folded call shows the call again, or the result would stand alone.
    pub(super) fn unfold_calls(&mut self, seq: u32) {
        let (log, ledger) = (&self.state.log, &self.state.ledger);
        let Some(event) = log.event(seq) else { return };
        let mut from = seq;
        for call in event.message.results().filter_map(|id| log.answered(id)) {
            from = ledger.covering(call).map_or(from, |segment| segment.from.min(from));
        }
        if from < seq && self.state.is_available(from, log.len() - 1) {
            self.state.ledger.unfold(from);
            self.refresh();
        }
    }

    /// Leaves the branch from `seq` on. Whether the memory was rendered anew.
    fn leave_branch(&mut self, seq: u32) -> bool {
        let covered = self.state.ledger.covered();
        self.state.log.truncate(seq);
        self.abandon(seq);
        self.state.long_rules.retain(|long| *long < seq);
        self.state.absorbed.retain(|absorbed| *absorbed < seq);
        self.state.generation += 1;
        let changed = self.state.ledger.covered() != covered;
        if changed {
            self.refresh();
        }
        changed
    }

    /// Renders the memory anew after the history changed under it.
    pub(super) fn refresh(&mut self) {
        if self.state.ledger.round > 0 {
            let notices = self.notices();
            self.state.ledger.pieces = window::memory(&self.state, &self.state.ledger, &notices);
        }
        let estimate = self.state.window_tokens();
        self.state.meter.rebase(estimate);
    }
}

fn is_system(message: &Value) -> bool {
    matches!(message.get("role").and_then(Value::as_str), Some("system" | "developer"))
}
