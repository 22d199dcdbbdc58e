//! The single checks: identifiers, decisions and claims of a summary, as typed findings with their evidence.

use serde_json::{Map, Value};

use super::report::{
    AuditPlace, ClaimFault, ClaimFinding, ClaimKind, DecisionFault, DecisionFinding, DriftReport, IdentifierFault, IdentifierFinding,
};
use super::side::{Piece, Side};
use crate::check::authority::{self, Claim, Said, Standing};
use crate::check::decisions::{self, Decision, Fault};
use crate::check::drift::survival;
use crate::check::identifiers::{self, Source};
use crate::check::statement::statements;
use crate::error::{Error, Result};
use crate::event::Part;
use crate::item::Span;
use crate::json;
use crate::task::Polarity;
use crate::text::ident::required;
use crate::text::pattern::Pattern;
use crate::trust::{Trust, of_source};

/// Texts one below the other, and where each stands.
#[derive(Default)]
pub(super) struct Joined {
    pub(super) text: String,
    /// Where each begins.
    starts: Vec<(usize, AuditPlace)>,
}

impl Joined {
    pub(super) fn of<'p>(pieces: impl Iterator<Item = &'p Piece<'p>>) -> Self {
        let mut all = Self::default();
        for piece in pieces.filter(|piece| !piece.text.is_empty()) {
            if !all.text.is_empty() {
                all.text.push_str("\n\n");
            }
            all.starts.push((all.text.len(), piece.place()));
            all.text.push_str(piece.text);
        }
        all
    }

    /// A summary that stands nowhere.
    fn alone(text: &str) -> Self {
        Self { text: text.to_owned(), starts: Vec::new() }
    }

    fn place(&self, at: usize) -> Option<AuditPlace> {
        let before = self.starts.partition_point(|(start, _)| *start <= at);
        before.checked_sub(1).and_then(|last| self.starts.get(last)).map(|(_, place)| *place)
    }

    /// Where a part of the text begins.
    fn offset(&self, part: &str) -> usize {
        part.as_ptr().addr().saturating_sub(self.text.as_ptr().addr())
    }
}

/// What stands before the names of our own memory message.
const LABELS: &[&str] = &["[turns ", "[rule ", "[held "];

/// The identifiers of a summary that its source does not have; `needed` are those it should have somewhere in `whole`.
pub(super) fn identifiers(summary: &Joined, source: &[(Trust, &str)], needed: &[&str], whole: &str) -> Vec<IdentifierFinding> {
    let found = identifiers::check(&summary.text, &Source::of(source));
    let sentences = if found.is_empty() { Vec::new() } else { statements(&summary.text) };
    let mut out = Vec::new();
    for finding in found {
        let Span { start, end } = finding.span;
        // the labels of our own memory message
        if summary.text.get(..start).is_some_and(|head| LABELS.iter().any(|label| head.ends_with(label))) {
            continue;
        }
        let sentence = sentences.get(sentences.partition_point(|sentence| sentence.span.end < end));
        let sentence = sentence.map(|sentence| sentence.span).filter(|sentence| sentence.start <= start).unwrap_or(finding.span);
        let mut origins = Vec::new();
        for origin in finding.origins {
            origins.push(origin.to_owned());
        }
        out.push(IdentifierFinding {
            fault: if finding.fault == identifiers::Fault::Changed { IdentifierFault::Changed } else { IdentifierFault::Invented },
            text: finding.text.to_owned(),
            origins,
            evidence: around(&summary.text, sentence, finding.span).to_owned(),
            place: summary.place(start),
        });
    }
    let mut told: Vec<String> = out.iter().flat_map(|finding| finding.origins.iter().cloned()).collect();
    told.sort_unstable();
    for text in identifiers::missing(whole, needed) {
        // a changed one is told once
        if told.binary_search_by(|origin| origin.as_str().cmp(text)).is_ok() {
            continue;
        }
        let (text, origins, evidence) = (text.to_owned(), Vec::new(), String::new());
        out.push(IdentifierFinding { fault: IdentifierFault::Missing, text, origins, evidence, place: None });
    }
    out
}

/// Most bytes of a sentence that are shown before and behind what was found: one sentence may hold thousands of findings.
const SHOWN: usize = 400;

/// The part of a sentence around what was found in it.
fn around(text: &str, sentence: Span, found: Span) -> &str {
    let (mut from, mut to) = (sentence.start.max(found.start.saturating_sub(SHOWN)), sentence.end.min(found.end + SHOWN));
    while !text.is_char_boundary(from) {
        from += 1;
    }
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    Span::new(from, to).of(text)
}

/// The decisions that neither a summary nor what stands beside it tells as they were made.
pub(super) fn decided(made: &[Decision<'_>], summary: &Joined, beside: &str) -> Vec<DecisionFinding> {
    let mut found = decisions::check(made, &summary.text);
    if !found.is_empty() && !beside.is_empty() {
        let mut faulty = Vec::new();
        for finding in &found {
            faulty.extend(made.get(finding.decision).cloned());
        }
        let mut still = Vec::new();
        for finding in decisions::check(&faulty, beside) {
            still.extend(found.get(finding.decision).cloned());
        }
        found = still;
    }
    let mut out = Vec::new();
    for finding in found {
        let Some(decision) = made.get(finding.decision) else { continue };
        out.push(DecisionFinding {
            fault: match finding.fault {
                Fault::Flipped => DecisionFault::Flipped,
                Fault::ReasonLost => DecisionFault::ReasonLost,
                Fault::ReasonChanged => DecisionFault::ReasonChanged,
                Fault::Dropped => DecisionFault::Dropped,
            },
            decision: decision.topic.trim().to_owned(),
            polarity: decision.polarity,
            reason: decision.reason.to_owned(),
            evidence: finding.evidence.to_owned(),
            place: if finding.evidence.is_empty() { None } else { summary.place(summary.offset(finding.evidence)) },
        });
    }
    out
}

/// The claims of a summary that must not stand.
pub(super) fn claims(summary: &Joined, said: &[Said<'_>]) -> Vec<ClaimFinding> {
    let mut out = Vec::new();
    for finding in authority::check(&summary.text, said) {
        let (fault, source) = match finding.standing {
            Standing::Unanchored => (ClaimFault::Unanchored, None),
            Standing::Forged { seq } => (ClaimFault::Forged, Some(seq)),
            _ => continue,
        };
        out.push(ClaimFinding {
            fault,
            claim: match finding.claim {
                Claim::Approval => ClaimKind::Approval,
                Claim::Waiver => ClaimKind::Waiver,
                Claim::Rescission => ClaimKind::Rescission,
                Claim::NewRule => ClaimKind::NewRule,
                Claim::Identity => ClaimKind::Identity,
                Claim::Done => ClaimKind::Done,
                Claim::Wish => ClaimKind::Wish,
            },
            evidence: finding.sentence.to_owned(),
            place: summary.place(finding.span.start),
            source,
        });
    }
    out
}

/// Identifiers that a summary must carry, in a report.
pub(super) const NEEDED: usize = 24;

/// Whether a piece is somebody's words, so that decisions and identifiers in it are theirs.
pub(super) fn is_own(piece: &Piece<'_>) -> bool {
    piece.trust >= Trust::Agent && matches!(piece.part, Part::Text(_))
}

/// The decisions that are told in pieces; what is rule-shaped, and said by who can make a rule, is a rule.
pub(super) fn made_in<'p>(pieces: impl Iterator<Item = &'p Piece<'p>>) -> Vec<Decision<'p>> {
    let pattern = Pattern::published();
    let mut out = Vec::new();
    for piece in pieces.filter(|piece| is_own(piece)) {
        for (line, decision) in decisions::told(piece.text) {
            if !piece.trust.has_authority() || pattern.find(line).is_none() {
                out.push(decision);
            }
        }
    }
    out
}

/// What was said, piece by piece, with the index of its message.
pub(super) fn said<'p>(pieces: &'p [Piece<'_>]) -> Vec<Said<'p>> {
    let mut out = Vec::new();
    for piece in pieces {
        let seq = piece.index.unwrap_or(0);
        out.push(Said { text: piece.text, trust: piece.trust, seq, turn: piece.turn });
    }
    out
}

/// Texts with their trust, for the source of identifiers.
pub(super) fn sources<'p>(pieces: &[Piece<'p>]) -> Vec<(Trust, &'p str)> {
    pieces.iter().map(|piece| (piece.trust, piece.text)).collect()
}

/// One of the events that a check was given, where they are no messages.
struct Plain<'v> {
    text: &'v str,
    trust: Trust,
    /// Its decision, where it tells one.
    decision: Option<Decision<'v>>,
}

/// Events: messages of any shape, or else objects with `text` and perhaps `trust` or `source`, or decisions.
enum Events<'v> {
    Messages(Side),
    Plain(Vec<Plain<'v>>),
}

fn events<'v>(value: &'v Value, name: &str) -> Result<Events<'v>> {
    match value {
        Value::Array(items) if items.iter().any(|item| item.is_string() || plain_object(item).is_some()) => {
            let mut all = Vec::new();
            for item in items {
                all.push(plain(item).ok_or_else(|| Error::argument(format!("`{name}` mixes messages and other events")))?);
            }
            Ok(Events::Plain(all))
        }
        _ => Side::read(value, name).map(Events::Messages),
    }
}

/// An object that is no message and has a text or a decision.
fn plain_object(item: &Value) -> Option<&Map<String, Value>> {
    let object = item.as_object().filter(|object| !object.contains_key("role"))?;
    (object.get("text").is_some_and(Value::is_string) || object.contains_key("polarity")).then_some(object)
}

fn plain(item: &Value) -> Option<Plain<'_>> {
    if let Value::String(text) = item {
        return Some(Plain { text, trust: Trust::Agent, decision: None });
    }
    let object = plain_object(item)?;
    let field = |names: [&str; 2]| names.iter().find_map(|name| object.get(*name)?.as_str()).unwrap_or_default();
    let trust: Option<Trust> = object.get("trust").and_then(|trust| json::read(trust.clone()).ok());
    let trust = trust.unwrap_or_else(|| object.get("source").and_then(Value::as_str).map_or(Trust::Agent, of_source));
    let text = field(["text", "text"]);
    let topic = field(["topic", "what"]);
    let polarity = Polarity::parse(field(["polarity", "polarity"])).ok();
    let topic = if topic.is_empty() { text } else { topic };
    let decision = polarity.map(|polarity| Decision { topic, polarity, reason: field(["reason", "why"]) });
    Some(Plain { text, trust, decision })
}

/// The identifiers, numbers and dates of a summary that were changed or invented, and those of `needed` that it does not
/// have. `source` is a text, or events as for [`check_authority`].
///
/// ```
/// # use serde_json::json;
/// # use standfast::{IdentifierFault, check_identifiers};
/// let found = check_identifiers(&json!("Ticket OPS-1180 is closed."), "OPS-1108 is closed.", &[])?;
/// assert_eq!((found[0].fault, found[0].origins[0].as_str()), (IdentifierFault::Changed, "OPS-1180"));
/// # Ok::<(), standfast::Error>(())
/// ```
///
/// # Errors
/// `unknown_shape`, `unknown_role`, `invalid_message`, `invalid_argument`, `too_deep`, `too_large`.
pub fn check_identifiers(source: &Value, summary: &str, needed: &[String]) -> Result<Vec<IdentifierFinding>> {
    let joined = Joined::alone(summary);
    let needed: Vec<&str> = needed.iter().map(String::as_str).collect();
    Ok(match events(source, "source")? {
        Events::Messages(side) => identifiers(&joined, &sources(&side.pieces()), &needed, summary),
        Events::Plain(events) => {
            let texts: Vec<(Trust, &str)> = events.iter().map(|event| (event.trust, event.text)).collect();
            identifiers(&joined, &texts, &needed, summary)
        }
    })
}

/// The decisions of the events that a summary does not tell as they were made: with another polarity, without their reason,
/// or not at all. Events are as for [`check_authority`], or decisions: objects with `polarity`, `topic` and `reason`.
///
/// # Errors
/// As [`check_identifiers`].
pub fn check_decisions(events: &Value, summary: &str) -> Result<Vec<DecisionFinding>> {
    let joined = Joined::alone(summary);
    Ok(match self::events(events, "events")? {
        Events::Messages(side) => {
            let pieces = side.pieces();
            decided(&made_in(pieces.iter()), &joined, "")
        }
        Events::Plain(events) => decided(&plainly_made(&events), &joined, ""),
    })
}

fn plainly_made<'v>(events: &[Plain<'v>]) -> Vec<Decision<'v>> {
    let mut made = Vec::new();
    for event in events {
        match &event.decision {
            Some(decision) => made.push(decision.clone()),
            None if event.trust >= Trust::Agent => made.extend(decisions::decisions(event.text)),
            None => {}
        }
    }
    made
}

/// What is left of the identifiers and the decisions of `events` in the memory after each round, and whether it becomes
/// thinner. Events are as for [`check_decisions`]; without `needed` identifiers those count that a summary must carry.
///
/// ```
/// # use serde_json::json;
/// # use standfast::check_drift;
/// let rounds = ["Ticket OPS-1180 is open.", "A ticket is open."].map(str::to_owned);
/// let report = check_drift(&json!("Ticket OPS-1180 was opened."), &rounds, &[])?;
/// assert_eq!(report.rounds[1].lost, ["OPS-1180"]);
/// # Ok::<(), standfast::Error>(())
/// ```
///
/// # Errors
/// As [`check_identifiers`].
pub fn check_drift(events: &Value, rounds: &[String], needed: &[String]) -> Result<DriftReport> {
    let events = self::events(events, "events")?;
    let (pieces, made);
    let mut texts;
    match &events {
        Events::Messages(side) => {
            pieces = side.pieces();
            (made, texts) = (made_in(pieces.iter()), sources(&pieces));
        }
        Events::Plain(events) => {
            (made, texts) = (plainly_made(events), events.iter().map(|event| (event.trust, event.text)).collect());
        }
    }
    let mut needed: Vec<&str> = needed.iter().map(String::as_str).collect();
    if needed.is_empty() {
        needed = required(texts.iter().copied().filter(|(trust, _)| *trust >= Trust::Agent), NEEDED);
    }
    // what a round must have, or was decided, is nothing new in it
    texts.extend(needed.iter().map(|text| (Trust::Agent, *text)));
    for decision in &made {
        texts.extend([(Trust::Agent, decision.topic), (Trust::Agent, decision.reason)]);
    }
    let rounds: Vec<&str> = rounds.iter().map(String::as_str).collect();
    let count = |all: usize| u32::try_from(all).unwrap_or(u32::MAX);
    Ok(DriftReport { identifiers: count(needed.len()), decisions: count(made.len()), rounds: survival(&rounds, &needed, &made, &texts) })
}

/// The sentences of a summary that claim an approval, a waiver, that a rule is out of force, a new rule, who somebody is or
/// that something was done, and that nobody with the authority said. Events are messages of any shape, a request with
/// `messages`, a text, or objects with `text` and `trust` or `source`; without either they are the agent's.
///
/// # Errors
/// As [`check_identifiers`].
pub fn check_authority(events: &Value, summary: &str) -> Result<Vec<ClaimFinding>> {
    let joined = Joined::alone(summary);
    Ok(match self::events(events, "events")? {
        Events::Messages(side) => claims(&joined, &said(&side.pieces())),
        Events::Plain(events) => {
            let mut said = Vec::new();
            for (seq, event) in (0..).zip(&events) {
                said.push(Said { text: event.text, trust: event.trust, seq, turn: 0 });
            }
            claims(&joined, &said)
        }
    })
}
