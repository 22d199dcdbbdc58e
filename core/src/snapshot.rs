//! A guard's state as a small JSON text: rules, task state, segments, and digests of what is not folded yet.
//!
//! The texts of events stay with the host. The texts of rules and segments may be left out too ([`Texts::Detached`]) and
//! kept in a store under their digest. The seal is a SHA-256 over the body, which protects against accident, or an HMAC,
//! which protects against change by others. It does not depend on the order of keys.

mod rows;

use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::Sha256;

use crate::digest::{self, Compact, Digest};
use crate::error::{Code, Error, Result};
use crate::json;
use crate::ledger::{Ledger, Segment};
use crate::meter::Meter;
use crate::ordered::{Map, Set};
use crate::policy::Policy;
use crate::reads;
use crate::registry::Registry;
use crate::rule::{Change, Held};
use crate::shape::Shape;
use crate::state::State;
use crate::task::TaskState;
use crate::trust::Trust;
use crate::window;
use rows::{HeldRow, RevisionRow, RuleRow, SegmentRow, is_zero};

/// The version of the snapshot's form.
pub const SCHEMA_VERSION: u32 = 1;

/// Where the texts of rules and segments go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    /// Into the snapshot.
    Inline,
    /// Into the host's store, by digest.
    Detached,
}

/// A snapshot and, where they were detached, the texts to store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Snapshot {
    /// The JSON text.
    pub text: String,
    /// Texts by the hexadecimal digest they are asked for again; empty where they are in the snapshot.
    pub texts: Map<String, String>,
}

/// What of the log a snapshot holds: enough to find its place in the host's list again.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LogRecord {
    /// Events on the branch.
    pub len: u32,
    /// Events of the head.
    pub head: u32,
    /// User events observed.
    pub turns: u32,
    /// User events before the cut.
    pub turns_at_cut: u32,
    /// Chain digest before the cut.
    pub chain: Digest,
    /// Events that are not folded: kept ones and the tail.
    pub open: Vec<OpenEvent>,
    /// Digest of the first message behind the head, where it is folded and no store has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Compact>,
    /// Runs of events that the host's list no longer has, inclusive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<(u32, u32)>,
    /// Chain digest of the events before the cut that the list still has, where some were removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listed: Option<Digest>,
    /// Places of our own text, handed back by the host.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replayed: Vec<u32>,
    /// Places of events that were purged: their text is not taken in again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forgotten: Vec<u32>,
    /// Digests of the events from the head on, as far as they are known. Not in the snapshot: a store has them.
    #[serde(skip)]
    pub known: Vec<Digest>,
}

reads! { LogRecord { len, head, turns, turns_at_cut, chain, open } { first, removed, listed, replayed, forgotten, known } }

impl LogRecord {
    /// What is known of the event at `seq`, if it is not folded. Open events are in order.
    #[must_use]
    pub fn open_at(&self, seq: u32) -> Option<&OpenEvent> {
        self.open.binary_search_by_key(&seq, |open| open.seq).ok().and_then(|at| self.open.get(at))
    }

    /// The digest of an event, as far as it is known.
    #[must_use]
    pub fn digest_at(&self, seq: u32) -> Option<Digest> {
        self.open_at(seq).map(|open| open.digest.0).or_else(|| self.known.get(seq.checked_sub(self.head)? as usize).copied())
    }

    /// Takes in the digests of a segment's events, if `chain`, that of what is known, shows them to be those of the history.
    fn learn(&mut self, segment: &Segment, list: &str, chain: &mut Digest) {
        let (head, proven) = (self.head, self.known.len());
        for seq in head.saturating_add(u32::try_from(proven).unwrap_or(u32::MAX))..segment.from {
            // what is kept between segments is open
            let open = self.open_at(seq).map(|open| open.digest.0);
            self.known.extend(open);
        }
        self.known.extend(list.lines().filter_map(Compact::parse));
        let longer = self.known.iter().skip(proven).fold(*chain, |chain, digest| chain.chain(*digest));
        if longer.short() == segment.prefix && self.known.len() == (segment.to + 1).saturating_sub(head) as usize {
            *chain = longer;
        } else {
            self.known.truncate(proven);
        }
    }
}

/// An event that is not folded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct OpenEvent {
    /// Its place.
    pub seq: u32,
    /// Digest of the host's message.
    pub digest: Compact,
    /// Trust and source, where they are not what the role says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<(Trust, String)>,
    /// On whose behalf it was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
}

reads! { OpenEvent { seq, digest } { origin, principal } }

/// Most held texts that a snapshot carries: the newest.
const HELD_ROWS: usize = 64;
/// Most bytes of held texts that stand in the snapshot itself.
const HELD_BYTES: usize = 16_384;

#[derive(Serialize)]
#[serde(deny_unknown_fields)]
struct Body {
    generation: u64,
    policy: Value,
    shape: Option<Shape>,
    scope: Option<String>,
    log: LogRecord,
    rules: Vec<RuleRow>,
    held: Vec<HeldRow>,
    #[serde(default, skip_serializing_if = "is_zero")]
    held_counted: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    this_turn: Option<(u32, u32)>,
    changes: Vec<Change>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    revisions: Vec<RevisionRow>,
    #[serde(default, skip_serializing_if = "is_zero")]
    revisions_counted: u32,
    #[serde(default, skip_serializing_if = "is_zero")]
    overflow_counted: u32,
    undeclared: Map<String, u32>,
    task: TaskState,
    segments: Vec<SegmentRow>,
    kept: Vec<u32>,
    cut: u32,
    round: u32,
    pieces: Vec<String>,
    meter: Meter,
    long_rules: Vec<u32>,
    absorbed: Vec<u32>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    named: Vec<(String, Trust, String)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    forgotten: Vec<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    system_told: bool,
}

reads! { Body { generation, policy, log, rules, held, changes, undeclared, task, segments, kept, cut, round, pieces, meter, long_rules, absorbed } { shape, scope, held_counted, this_turn, revisions, revisions_counted, overflow_counted, named, forgotten, system_told } }

#[derive(Serialize)]
#[serde(deny_unknown_fields)]
struct Sealed {
    schema_version: u32,
    seal: String,
    body: Value,
}

reads! { Sealed { schema_version, seal, body } }

/// What a snapshot was read into.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The state, with an empty log.
    pub state: State,
    /// Where in the host's list it belongs.
    pub log: LogRecord,
    /// Label of the rules declared in a forked guard.
    pub scope: Option<String>,
}

/// Writes a snapshot.
///
/// # Errors
/// `invalid_argument` for an empty key.
pub fn write(state: &State, mut log: LogRecord, scope: Option<&str>, key: Option<&[u8]>, texts: Texts) -> Result<Snapshot> {
    let mut store = Map::new();
    let mut keep = |digest: Digest, text: &str| match texts {
        Texts::Inline => Some(text.to_owned()),
        Texts::Detached => {
            store.insert(digest.hex(), text.to_owned());
            None
        }
    };
    let rules = state.registry.all().map(|rule| RuleRow::of(rule, keep(rule.digest, &rule.text))).collect();
    let segments = state.ledger.segments.iter().map(|segment| {
        let digest = Digest::of(&segment.text);
        let text = keep(digest, &segment.text);
        SegmentRow::of(segment, text, digest)
    });
    let segments = segments.collect();
    let all_held = state.registry.all_held();
    let mut room = HELD_BYTES;
    let fits = |held: &&&Held| {
        let size = if texts == Texts::Inline { held.text.len() } else { 0 };
        let fits = size <= room;
        room -= if fits { size } else { 0 };
        fits
    };
    let held: Vec<HeldRow> =
        all_held.iter().take(HELD_ROWS).filter(fits).map(|held| HeldRow::of(held, keep(held.digest, &held.text))).collect();
    let revisions = state.registry.revisions().map(|revision| {
        let known = state.registry.get(revision.digest).is_some();
        RevisionRow::of(revision, if known { None } else { keep(revision.digest, &revision.text) })
    });
    let revisions = revisions.collect();
    let left = u32::try_from(all_held.len() - held.len()).unwrap_or(u32::MAX);
    if texts == Texts::Detached {
        log.first = None; // the store has it
        for segment in &state.ledger.segments {
            if let Some(list) = digests_of(&log, segment.from, segment.to) {
                store.insert(digests_key(&segment.prefix), list);
            }
        }
    }
    let body = Body {
        generation: state.generation,
        policy: changed_fields(&state.policy),
        shape: state.shape,
        scope: scope.map(str::to_owned),
        log,
        rules,
        held,
        held_counted: state.registry.held_counted().saturating_add(left),
        this_turn: Some(state.registry.this_turn()).filter(|(_, promoted)| *promoted > 0),
        changes: state.registry.changes().to_vec(),
        revisions,
        revisions_counted: state.registry.revisions_counted(),
        overflow_counted: state.registry.overflow_counted(),
        undeclared: state.registry.undeclared().clone(),
        task: state.task.clone(),
        segments,
        kept: state.ledger.kept.clone(),
        cut: state.ledger.cut,
        round: state.ledger.round,
        pieces: state.ledger.pieces.iter().skip(state.ledger.segments.len()).cloned().collect(),
        meter: state.meter.clone(),
        long_rules: state.long_rules.clone(),
        absorbed: state.absorbed.iter().copied().collect(),
        named: state.named.iter().map(|(digest, (trust, source))| (Compact(*digest).text(), *trust, source.clone())).collect(),
        forgotten: state.forgotten.iter().map(|digest| Compact(*digest).text()).collect(),
        system_told: state.system_told,
    };
    // a value has its keys in order
    let body = json::value(&body);
    let seal = seal(&body, key)?;
    let text = json::text(&Sealed { schema_version: SCHEMA_VERSION, seal, body });
    Ok(Snapshot { text, texts: store })
}

/// The fields of a policy that are not as by default.
fn changed_fields(policy: &Policy) -> Value {
    let (given, usual) = (json::value(policy), json::value(&Policy::default()));
    match given {
        Value::Object(fields) => {
            let same: Vec<&str> =
                fields.iter().filter(|(name, value)| usual.get(name) == Some(value)).map(|(name, _)| name.as_str()).collect();
            Value::Object(json::without(fields.clone(), &same))
        }
        other => other,
    }
}

fn seal(body: &Value, key: Option<&[u8]>) -> Result<String> {
    let text = json::text(body);
    let Some(key) = key else { return Ok(format!("sha256:{}", Digest::of(text).hex())) };
    if key.is_empty() {
        return Err(Error::argument("`key` is empty"));
    }
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(|_| Error::argument("`key` cannot be used"))?;
    mac.update(text.as_bytes());
    Ok(format!("hmac-sha256:{}", digest::hex(&mac.finalize().into_bytes())))
}

fn unsealed(text: &str, key: Option<&[u8]>) -> Result<Body> {
    let unreadable = || Error::new(Code::SnapshotUnreadable, "the text is not a whole snapshot");
    let value = json::parse(text, json::DEPTH).ok_or_else(unreadable)?;
    let version = value.get("schema_version").and_then(Value::as_u64).ok_or_else(unreadable)?;
    if version != u64::from(SCHEMA_VERSION) {
        return Err(Error::new(
            Code::SnapshotVersion,
            format!("the snapshot has version {version}, this standfast reads {SCHEMA_VERSION}"),
        )
        .with("version", version));
    }
    let sealed: Sealed = json::read(value).map_err(|_| unreadable())?;
    match (key, sealed.seal.starts_with("hmac-sha256:")) {
        (Some(_), false) => return Err(Error::new(Code::SnapshotKey, "the snapshot was written without a key")),
        (None, true) => return Err(Error::new(Code::SnapshotKey, "the snapshot was written with a key")),
        _ => {}
    }
    if !same_text(&seal(&sealed.body, key)?, &sealed.seal) {
        let code = if key.is_some() { Code::SnapshotKey } else { Code::SnapshotAltered };
        return Err(Error::new(code, "the seal does not fit the snapshot"));
    }
    json::read(sealed.body).map_err(|_| unreadable())
}

/// Compares two seals in a time that does not depend on where they differ.
fn same_text(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |differs, (x, y)| differs | (x ^ y)) == 0
}

/// Under which key a store has the digests of the events before the end of a segment: they follow from its history, so
/// that every guard that shares it asks for the same.
fn digests_key(prefix: &str) -> String {
    Digest::of(format!("digests of {prefix}")).hex()
}

/// The digests of a segment's events, one a line; nothing where one is not known.
fn digests_of(log: &LogRecord, from: u32, to: u32) -> Option<String> {
    let mut list = String::new();
    for seq in from..=to {
        list.push_str(&Compact(log.digest_at(seq)?).text());
        list.push('\n');
    }
    Some(list)
}

/// Digests of the texts that a snapshot has in a store, or may have there.
///
/// # Errors
/// `snapshot_unreadable`.
pub fn texts_needed(text: &str) -> Result<Vec<String>> {
    let unreadable = || Error::new(Code::SnapshotUnreadable, "the text is not a whole snapshot");
    let value = json::parse(text, json::DEPTH).ok_or_else(unreadable)?;
    let body = value.get("body").ok_or_else(unreadable)?;
    let (mut keys, mut rules) = (Vec::new(), Set::new());
    for part in ["rules", "revisions", "held", "segments"] {
        let rows = body.get(part).and_then(Value::as_array);
        if rows.is_none() && part != "revisions" {
            return Err(unreadable());
        }
        for row in rows.into_iter().flatten() {
            let field = |name: &str| row.get(name).and_then(Value::as_str);
            let digest = field("digest");
            // a revision of a rule that stands there has its text
            let known = part == "revisions" && digest.is_some_and(|digest| rules.contains(digest));
            if part == "rules" {
                rules.extend(digest);
            }
            if known || row.get("text").is_some() {
                continue;
            }
            // a segment's prefix is its history
            keys.extend(field("prefix").map(digests_key));
            keys.extend(digest.and_then(Compact::parse).map(Digest::hex));
        }
    }
    Ok(keys)
}

/// Reads a snapshot. `blank` is a state made from the policy in force.
///
/// # Errors
/// `snapshot_unreadable`, `snapshot_altered`, `snapshot_version`, `snapshot_key`, `stale_snapshot`, `log_expired` where a
/// text is neither in the snapshot nor in `texts`.
pub fn read(
    text: &str,
    key: Option<&[u8]>,
    min_generation: Option<u64>,
    texts: &Map<String, String>,
    blank: impl FnOnce(Policy) -> Result<State>,
) -> Result<Loaded> {
    let body = unsealed(text, key)?;
    if min_generation.is_some_and(|least| body.generation < least) {
        return Err(Error::new(Code::StaleSnapshot, format!("the snapshot is of generation {}", body.generation))
            .with("generation", body.generation));
    }
    let policy: Policy =
        json::read(body.policy).map_err(|_| Error::new(Code::SnapshotUnreadable, "the snapshot's policy cannot be read"))?;
    let mut state = blank(policy)?;
    let fetch = |digest: Digest, inline: Option<String>| -> Result<String> {
        let found = inline.or_else(|| texts.get(&digest.hex()).cloned());
        let text = found.ok_or_else(|| Error::new(Code::LogExpired, format!("text `{}` is not in the store", digest.name())))?;
        if Digest::of(&text) == digest {
            Ok(text)
        } else {
            Err(Error::new(Code::SnapshotAltered, format!("text `{}` is not what was stored", digest.name())))
        }
    };
    let mut registry = Registry::default();
    for row in body.rules {
        let text = fetch(row.digest.0, row.text.clone())?;
        registry.reload(row.rule(text));
    }
    let mut held = Vec::with_capacity(body.held.len());
    for row in body.held {
        let text = fetch(row.digest.0, row.text.clone())?;
        held.push(row.held(text));
    }
    registry.reload_rest(held, body.held_counted, body.changes, body.undeclared, body.this_turn.unwrap_or_default());
    let mut revisions = Vec::with_capacity(body.revisions.len());
    for row in body.revisions {
        let known = registry.get(row.digest.0).map(|rule| rule.text.clone());
        let text = fetch(row.digest.0, row.text.clone().or(known))?;
        revisions.push(row.revision(text));
    }
    registry.reload_revisions(revisions, body.revisions_counted, body.overflow_counted);
    let mut segments: Vec<Segment> = Vec::with_capacity(body.segments.len());
    let (mut log, mut chain) = (body.log, Digest::default());
    for row in body.segments {
        let text = match (row.text.clone(), &row.digest) {
            (Some(text), _) => text,
            (None, Some(digest)) => fetch(Compact::parse(digest).unwrap_or_default(), None)?,
            (None, None) => return Err(Error::new(Code::SnapshotUnreadable, "a segment has no text")),
        };
        let segment = row.segment(text);
        let list = texts.get(&digests_key(&segment.prefix)).map_or("", String::as_str);
        log.learn(&segment, list, &mut chain);
        segments.push(segment);
    }
    state.registry = registry;
    state.shape = body.shape;
    state.task = body.task;
    state.generation = body.generation;
    state.meter = body.meter;
    state.long_rules = body.long_rules;
    state.absorbed = body.absorbed.into_iter().collect();
    let origin = |(digest, trust, source): (String, Trust, String)| Some((Compact::parse(&digest)?, (trust, source)));
    state.named = body.named.into_iter().filter_map(origin).collect();
    state.forgotten = body.forgotten.iter().filter_map(|digest| Compact::parse(digest)).collect();
    state.system_told = body.system_told;
    state.log.set_turns(log.turns);
    state.ledger = Ledger { segments, kept: body.kept, cut: body.cut, pieces: Vec::new(), round: body.round, shelf: Map::new() };
    let mut pieces = window::segment_pieces(&state.ledger);
    pieces.extend(body.pieces);
    state.ledger.pieces = pieces;
    Ok(Loaded { state, log, scope: body.scope })
}
