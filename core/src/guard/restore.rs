//! Snapshots of a guard, and finding the place of a restored one in the host's list again (S3).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::sync::Reading;
use super::{Guard, Mode, ObserveOptions};
use crate::digest::{self, Compact, Digest};
use crate::error::Result;
use crate::event::{Event, Presence};
use crate::ledger::Ledger;
use crate::log;
use crate::ordered::Map;
use crate::policy::Policy;
use crate::reads;
use crate::receipt::Receipt;
use crate::shape;
use crate::snapshot::{self, LogRecord, OpenEvent, Snapshot, Texts};
use crate::state::State;

/// How a snapshot is restored.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RestoreOptions {
    /// The key the snapshot was written with.
    pub key: Option<String>,
    /// What each source declares now, by source: the truth at this load (R10).
    pub rules: Option<Map<String, Vec<String>>>,
    /// The policy now in force; the snapshot's own where none is given.
    pub policy: Option<Policy>,
    /// The oldest generation to accept: an older snapshot was rolled back.
    pub min_generation: Option<u64>,
    /// What to do with a snapshot that cannot be used.
    pub on_bad_state: OnBadState,
}

reads! { RestoreOptions default { key, rules, policy, min_generation, on_bad_state } }

/// What to do with a snapshot that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnBadState {
    /// Say so.
    #[default]
    Raise,
    /// Begin anew from the policy, the rules and the messages given.
    Rebuild,
}

reads! { OnBadState: Raise, Rebuild }

/// A restored guard.
#[derive(Debug, Clone)]
pub struct Restored {
    /// The guard.
    pub guard: Guard,
    /// How its state fits the host's list.
    pub verdict: RestoreVerdict,
}

/// How a snapshot fits the host's list.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RestoreVerdict {
    /// `attached`, `longer`, `shorter` (cut at its end), `trimmed` (messages before the last that is known are gone),
    /// `edited`, `other` (nothing of it is known), `empty`, `detached` (no messages given) or `rebuilt`.
    pub outcome: String,
    /// The first message, by its index, that is not known to be as before, where the list is `shorter`, `edited`, `other`
    /// or `empty`.
    pub first_divergence: Option<u32>,
    /// Spans of the segments that the list no longer bears out: they are void, and their events stand whole again.
    pub void: Vec<(u32, u32)>,
    /// What was noticed, by stable names.
    pub flags: Vec<String>,
    /// The place in the log of each message given.
    pub seqs: Vec<u32>,
}

impl Guard {
    /// The guard's state as a small JSON text. With `detach`, texts of rules and segments are left to a store.
    ///
    /// # Errors
    /// `invalid_argument` for an empty key, `guard_closed`.
    pub fn snapshot(&mut self, key: Option<&[u8]>, detach: bool) -> Result<Snapshot> {
        self.open()?;
        let record = self.pending.clone().unwrap_or_else(|| self.record());
        let texts = if detach { Texts::Detached } else { Texts::Inline };
        snapshot::write(&self.state, record, self.scope.as_deref(), key, texts)
    }

    /// Digests of the texts that a snapshot has in a store.
    ///
    /// # Errors
    /// `snapshot_unreadable`.
    pub fn texts_needed(text: &str) -> Result<Vec<String>> {
        snapshot::texts_needed(text)
    }

    /// Restores a guard. Without `messages` its rules can be read, but no window can be built until `sync`.
    ///
    /// # Errors
    /// `snapshot_*`, `stale_snapshot`, `log_expired`, those of the policy, of `set_rules` and of `sync`.
    pub fn restore(text: &str, options: &RestoreOptions, messages: Option<&[Value]>, texts: &Map<String, String>) -> Result<Restored> {
        let key = options.key.as_deref().map(str::as_bytes);
        let blank = |stored: Policy| State::new(options.policy.clone().unwrap_or(stored), None);
        let (mut guard, rebuilt) = match snapshot::read(text, key, options.min_generation, texts, blank) {
            Ok(loaded) => {
                let guard = Self {
                    state: loaded.state,
                    receipt: Receipt::default(),
                    evidence: Vec::new(),
                    mode: Mode::Detached,
                    scope: loaded.scope,
                    pending: Some(loaded.log),
                };
                (guard, false)
            }
            Err(error) if options.on_bad_state == OnBadState::Raise => return Err(error),
            Err(_) => (Self::new(options.policy.clone().unwrap_or_default(), None)?, true),
        };
        for (source, rules) in options.rules.iter().flatten() {
            guard.set_rules(source, rules)?;
        }
        shape::shallow(messages.unwrap_or_default())?;
        let (mut verdict, mut outcome) = (RestoreVerdict::default(), "detached");
        if let Some(messages) = messages {
            let digests: Vec<Digest> = messages.iter().map(digest::of_message).collect();
            let record = guard.pending.clone().unwrap_or_default();
            let covered = guard.state.ledger.covered();
            outcome = guard.attach(messages, &digests)?;
            if messages.is_empty() && record.len > 0 {
                outcome = "empty";
            }
            guard.declare_head(&mut verdict.flags);
            let reading = Reading::behind(outcome, &record);
            let synced = guard.sync_digested(0, messages, &digests, &ObserveOptions::default(), reading)?;
            if synced.appended > 0 && outcome == "attached" {
                outcome = "longer";
            }
            if !matches!(outcome, "attached" | "longer" | "trimmed") {
                verdict.first_divergence = u32::try_from(synced.seqs.len() - synced.observed.len()).ok();
            }
            let stands = guard.state.ledger.covered();
            verdict.void = covered.into_iter().filter(|span| !stands.contains(span)).collect();
            verdict.seqs = synced.seqs;
        }
        if rebuilt {
            outcome = "rebuilt";
        }
        let flags = [
            (rebuilt || !guard.degraded().is_empty(), "degraded"),
            (outcome == "trimmed", "source_removed"),
            (guard.state.registry.held_counted() > 0, "held_counted"),
            (guard.state.system_told && guard.state.system.is_none(), "system_not_given"),
        ];
        verdict.flags.extend(flags.into_iter().filter(|(is, _)| *is).map(|(_, flag)| flag.to_owned()));
        outcome.clone_into(&mut verdict.outcome);
        Ok(Restored { guard, verdict })
    }

    /// What of the log a snapshot holds.
    fn record(&self) -> LogRecord {
        let log = &self.state.log;
        let cut = self.state.ledger.cut.max(log.head());
        let kept = self.state.ledger.kept.iter().filter_map(|seq| log.event(*seq));
        let open = kept.chain(log.range(cut, log.len())).filter(|event| event.listed).map(|event| {
            let usual = log::origin(&event.message, false);
            let as_usual = event.trust == usual.0 && (event.source == usual.1 || event.source.starts_with("tool:"));
            OpenEvent {
                seq: event.seq,
                digest: Compact(event.digest),
                origin: (!as_usual).then(|| (event.trust, event.source.clone())),
                principal: event.principal.clone(),
            }
        });
        let folded = log.range(log.head(), cut);
        let listed = folded.iter().filter(|event| event.listed).fold(Digest::default(), |chain, event| chain.chain(event.digest));
        let mut removed: Vec<(u32, u32)> = Vec::new();
        for event in log.events().iter().filter(|event| !event.listed) {
            match removed.last_mut() {
                Some((_, to)) if *to + 1 == event.seq => *to = event.seq,
                _ => removed.push((event.seq, event.seq)),
            }
        }
        let places = |wanted| log.events().iter().filter(|event| event.presence == wanted).map(|event| event.seq).collect();
        LogRecord {
            len: log.len(),
            head: log.head(),
            turns: log.turns(),
            turns_at_cut: log.event(cut).map_or(log.turns(), |event: &Event| event.turn),
            chain: log.chain(cut),
            open: open.collect(),
            first: folded
                .first()
                .filter(|event| event.listed && event.presence != Presence::Missing && self.state.ledger.covering(event.seq).is_some())
                .map(|event| Compact(event.digest)),
            known: folded.iter().take_while(|event| event.presence != Presence::Missing).map(|event| event.digest).collect(),
            listed: (listed != log.chain(cut)).then_some(listed),
            removed,
            replayed: places(Presence::Replayed),
            forgotten: places(Presence::Forgotten),
        }
    }

    /// Puts the host's messages under a restored state as far as they are the ones it was made from. What comes after is
    /// left to `sync`. Says how the list fits.
    ///
    /// # Errors
    /// Those of reading a message; then nothing was changed.
    pub(super) fn attach(&mut self, messages: &[Value], digests: &[Digest]) -> Result<&'static str> {
        let Some(record) = self.pending.clone() else { return Ok("attached") };
        let mut next = self.clone();
        next.mode = Mode::Open;
        next.pending = None;
        let outcome = next.lay_under(&record, messages, digests)?;
        if next.state.log.has_text(0, next.state.log.len()) {
            next.state.registry.all_held_again();
        }
        next.state.pin_unsaid();
        *self = next;
        Ok(outcome)
    }

    fn lay_under(&mut self, record: &LogRecord, messages: &[Value], digests: &[Digest]) -> Result<&'static str> {
        // user turns are counted again as the messages come in
        self.state.log.set_turns(0);
        let listed = |seq: &u32| record.removed.iter().all(|(from, to)| !(from..=to).contains(&seq));
        let heads: Vec<u32> = (0..record.head).filter(listed).collect();
        let head = messages.iter().take_while(|message| is_system(message)).count().min(heads.len());
        let mut places: Vec<Place> = heads.into_iter().zip(0..head).collect();
        let cut = self.state.ledger.cut.max(record.head);
        let mut chains = vec![Digest::default()];
        for digest in digests.iter().skip(head) {
            chains.push(chains.last().copied().unwrap_or_default().chain(*digest));
        }
        // the list may lack messages of the head; everything behind it is counted from where the head ended
        let chain_at = |seq: u32| seq.checked_sub(record.head).and_then(|at| chains.get(at as usize)).copied();
        let index_of = |seq: u32| (seq.saturating_sub(record.head)) as usize + head;
        let here: Vec<u32> = (record.head..cut).filter(listed).collect();
        let whole = chains.get(here.len()).copied() == Some(record.listed.unwrap_or(record.chain));
        let folded = if whole {
            let end = head + here.len();
            Some((here.into_iter().zip(head..).collect(), end))
        } else {
            fit_folded(digests, head, here.len(), record, &self.state.ledger)
        };
        let knows_one = || record.open.iter().any(|open| digests.contains(&open.digest.0));
        if let Some((found, from)) = folded {
            places.extend(found);
            let fit = fit_tail(&mut places, digests, from, record, cut);
            let by = if whole { By::Chain } else { By::Digests };
            self.append_placed(messages, digests, &places, fit.end, by, record)?;
            let outcome = match fit {
                _ if !whole => "trimmed",
                Fit { end, next, .. } if end < record.len => match next < messages.len() {
                    true if end == record.head && !knows_one() => "other",
                    true => "edited",
                    false => "shorter",
                },
                Fit { removed: true, .. } => "trimmed",
                Fit { .. } => "attached",
            };
            if fit.end < record.len {
                self.leave(fit.end);
            }
            return Ok(outcome);
        }
        // the longest run of segments whose history the list still has
        let fits = |to: u32, prefix: &str| chain_at(to + 1).is_some_and(|chain| chain.short() == prefix);
        let end = self.state.ledger.segments.iter().rev().find(|segment| fits(segment.to, &segment.prefix));
        let end = end.map_or(record.head, |segment| segment.to + 1);
        let first = record.first.map(|first| first.0).or_else(|| record.digest_at(record.head));
        let begins = end > record.head || first.is_none_or(|first| digests.get(head) == Some(&first));
        let until = self.state.ledger.segments.iter().find(|segment| segment.to >= end).map_or(record.len, |segment| segment.to + 1);
        let mut rest = (end..until).zip(digests.get(index_of(end)..).unwrap_or_default());
        let outcome = match () {
            () if messages.len() <= index_of(end) => "shorter",
            () if !begins && !knows_one() => "other",
            // the list ends before the next digest of the chain, and as far as is known it was so
            () if begins
                && messages.len() < index_of(until)
                && rest.all(|(seq, digest)| record.digest_at(seq).is_none_or(|known| known == *digest)) =>
            {
                "shorter"
            }
            () => "edited",
        };
        places.extend((record.head..end).zip(head..));
        self.append_placed(messages, digests, &places, end, By::Segments, record)?;
        self.leave(end);
        Ok(outcome)
    }

    /// `exact`: it is surely the event of the snapshot, and not shown if it was not shown then.
    fn append_one(&mut self, message: &Value, digest: Digest, seq: u32, record: &LogRecord, exact: bool) -> Result<()> {
        let (shape, mut arrival, _) = self.read(message, digest, &ObserveOptions::default())?;
        self.state.shape = self.state.shape.or(shape);
        self.recollect(&mut arrival);
        self.name_tool(&mut arrival);
        if let Some(open) = record.open_at(seq) {
            if let Some((trust, source)) = &open.origin {
                (arrival.trust, arrival.source) = (*trust, source.clone());
            }
            arrival.principal.clone_from(&open.principal);
        }
        let placed = |places: &[u32]| exact && places.binary_search(&seq).is_ok();
        let ours = placed(&record.replayed) || self.replays(&arrival.message);
        // of equal messages some may have been purged: their places say which, where they are known
        let forgotten = if exact { placed(&record.forgotten) } else { self.state.forgotten.contains(&arrival.digest) };
        // a system message that stands first now may have stood behind others that are gone
        let in_head = seq < record.head;
        if !in_head && self.state.log.in_head(&arrival.message) {
            (arrival.trust, arrival.source) = log::origin(&arrival.message, false);
        }
        self.state.log.append_to(arrival, in_head);
        if forgotten {
            self.state.log.drop_text(seq, Presence::Forgotten);
        } else if ours {
            self.state.log.set_replayed(seq);
        } else {
            self.hold_again(seq);
        }
        Ok(())
    }

    /// Puts the events before `end` into the log; place-holders stand for what is not in the list. Where the folded part
    /// is not whole, its messages cannot be compared one by one, so no summary is made anew from them.
    fn append_placed(
        &mut self,
        messages: &[Value],
        digests: &[Digest],
        places: &[Place],
        end: u32,
        by: By,
        record: &LogRecord,
    ) -> Result<()> {
        let cut = self.state.ledger.cut.max(record.head);
        // where the list was not whole, what the record says of a place may be meant of another message
        let exact = by != By::Segments || record.listed.is_none();
        let mut places = places.iter().peekable();
        for seq in 0..end {
            let at = places.next_if(|(placed, _)| *placed == seq).map(|(_, at)| *at);
            match at.and_then(|at| messages.get(at).zip(digests.get(at))) {
                Some((message, digest)) => {
                    let sure = by != By::Digests || record.digest_at(seq) == Some(*digest);
                    self.append_one(message, *digest, seq, record, seq >= record.head && sure && exact)?;
                    if (record.head..cut).contains(&seq) && !sure {
                        // it may be another message than the one that was folded: a rule in it must not be missed
                        self.triage_said(seq);
                        if self.state.log.event(seq).is_some_and(|event| event.presence == Presence::Here) {
                            self.state.log.drop_text(seq, Presence::Missing);
                        }
                    }
                }
                None => self.state.log.push_missing(seq < record.head, record.digest_at(seq)),
            }
            if seq + 1 == cut {
                self.state.log.set_chain(record.chain);
                self.state.log.set_turns(record.turns_at_cut);
            }
        }
        if end == record.len {
            self.state.log.set_turns(record.turns);
        }
        let log = &self.state.log;
        for segment in self.state.ledger.segments.iter_mut().filter(|segment| segment.stale) {
            segment.frozen |= log.range(segment.from, segment.to + 1).iter().any(|event| event.presence == Presence::Missing);
        }
        Ok(())
    }

    fn leave(&mut self, seq: u32) {
        self.abandon(seq);
        self.state.long_rules.retain(|long| *long < seq);
        self.state.absorbed.retain(|absorbed| *absorbed < seq);
        self.state.generation += 1;
        self.refresh();
    }
}

/// What shows that messages are the folded ones.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// The chain over all that the list had.
    Chain,
    /// The history of a segment.
    Segments,
    /// Each its own digest, where it is known.
    Digests,
}

/// The place in the log of a message, by its index.
type Place = (u32, usize);

/// Where the messages stand of a list whose folded part is not whole: the tail is found by its digests, the messages
/// before it stand for the last folded events, or where their digests say. `listed`: how many folded events the list
/// had. With the first message that has no place yet. `None` where this is another history.
fn fit_folded(digests: &[Digest], head: usize, listed: usize, record: &LogRecord, ledger: &Ledger) -> Option<(Vec<Place>, usize)> {
    let cut = ledger.cut.max(record.head);
    let known: Vec<&OpenEvent> = record.open.iter().filter(|open| open.seq >= record.head).collect();
    let tail: Vec<Digest> = known.iter().filter(|open| open.seq >= cut).map(|open| open.digest.0).collect();
    let starts = |at: &usize| {
        let given = digests.get(*at..).unwrap_or_default();
        !given.is_empty() && !tail.is_empty() && tail.iter().zip(given).all(|(a, b)| a == b)
    };
    let mut places = Vec::new();
    if cut.saturating_sub(record.head) as usize == record.known.len() {
        // every digest is known: the messages stand where they stood, and then comes the tail
        let (mut next, mut index) = (record.head, head);
        while let Some(digest) = digests.get(index)
            && let Some(seq) = (next..cut).find(|seq| record.digest_at(*seq) == Some(*digest))
        {
            places.push((seq, index));
            (next, index) = (seq + 1, index + 1);
        }
        return digests.get(index).is_some_and(|digest| tail.contains(digest)).then_some((places, index));
    }
    let Some(at) = (head..digests.len()).find(starts) else {
        // something was taken out of the tail as well: only a list that begins with an open event is known again
        let first = known.iter().find(|open| digests.get(head) == Some(&open.digest.0))?;
        let mut from = head;
        for open in known.iter().filter(|open| (first.seq..cut).contains(&open.seq)) {
            if digests.get(from) == Some(&open.digest.0) {
                places.push((open.seq, from));
                from += 1;
            }
        }
        return Some((places, from));
    };
    if at == head + listed {
        return None; // nothing was taken out: another message stands in the place of one
    }
    let mut next = cut;
    for index in (head..at).rev() {
        let same = known.iter().rev().find(|open| open.seq < next && digests.get(index) == Some(&open.digest.0));
        let free = (record.head..next).rev().find(|seq| ledger.covering(*seq).is_some());
        next = same.map(|open| open.seq).or(free)?;
        places.push((next, index));
    }
    places.reverse();
    Some((places, at))
}

/// How far a list has the tail of a record.
struct Fit {
    /// The first event that is not as it was; the length of the log where all are.
    end: u32,
    /// The first message behind what was found.
    next: usize,
    /// Something was taken out in between.
    removed: bool,
}

fn fit_tail(places: &mut Vec<Place>, digests: &[Digest], from: usize, record: &LogRecord, cut: u32) -> Fit {
    let mut fit = Fit { end: record.len, next: from, removed: false };
    let mut tail = record.open.iter().filter(|open| open.seq >= cut);
    while let Some(open) = tail.next() {
        let given = digests.get(fit.next);
        if given == Some(&open.digest.0) {
            places.push((open.seq, fit.next));
            fit.next += 1;
        } else if tail.clone().any(|later| Some(&later.digest.0) == given) {
            fit.removed = true;
        } else {
            fit.end = open.seq;
            break;
        }
    }
    fit
}

fn is_system(message: &Value) -> bool {
    matches!(message.get("role").and_then(Value::as_str), Some("system" | "developer"))
}
