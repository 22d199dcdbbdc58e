//! Rules, held texts and segments as a snapshot has them: what is as usual is left out.

use serde::Serialize;

use crate::digest::{Compact, Digest};
use crate::ledger::{Origin, Segment};
use crate::reads;
use crate::rule::{Held, Revision, RevisionKind, Rule, Status};
use crate::tokens;
use crate::trust::Trust;

pub(super) fn is_zero(n: &u32) -> bool {
    *n == 0
}

#[derive(Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleRow {
    pub(super) digest: Compact,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) status: Option<Status>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) trust: Option<Trust>,
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) turn: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) sources: Vec<String>,
    /// All sources of a declared rule, none of another, where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) declared_by: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) seqs: Vec<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) principal: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) scope: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) inherited: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) unpinned: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) replaced_by: Option<Digest>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lookalike_of: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) changed_at: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) amends: Option<Digest>,
}

reads! { RuleRow { digest } { text, status, trust, turn, sources, declared_by, seqs, principal, scope, inherited, unpinned, replaced_by, reason, lookalike_of, changed_at, amends } }

/// Who declares a rule unless the row says otherwise.
fn declarers(status: Status, sources: &[String]) -> &[String] {
    if status == Status::Declared { sources } else { &[] }
}

impl RuleRow {
    pub(super) fn of(rule: &Rule, text: Option<String>) -> Self {
        let usual = rule.sources.len() == 1 && rule.sources.iter().all(|source| source == USUAL_SOURCE);
        Self {
            digest: Compact(rule.digest),
            text,
            status: (rule.status != Status::Declared).then_some(rule.status),
            trust: (rule.trust != Trust::Operator).then_some(rule.trust),
            turn: rule.turn,
            sources: if usual { Vec::new() } else { rule.sources.clone() },
            declared_by: (rule.declared_by != declarers(rule.status, &rule.sources)).then(|| rule.declared_by.clone()),
            seqs: rule.seqs.clone(),
            principal: rule.principal.clone(),
            scope: rule.scope.clone(),
            inherited: rule.inherited,
            unpinned: rule.pinned != rule.status.is_active(),
            replaced_by: rule.replaced_by,
            reason: rule.reason.clone(),
            lookalike_of: rule.lookalike_of.clone(),
            changed_at: rule.changed_at,
            amends: rule.amends,
        }
    }

    pub(super) fn rule(self, text: String) -> Rule {
        let status = self.status.unwrap_or(Status::Declared);
        let sources = if self.sources.is_empty() { vec![USUAL_SOURCE.to_owned()] } else { self.sources };
        Rule {
            fingerprint: self.digest.0.name(),
            digest: self.digest.0,
            text,
            status,
            trust: self.trust.unwrap_or(Trust::Operator),
            declared_by: self.declared_by.unwrap_or_else(|| declarers(status, &sources).to_vec()),
            sources,
            turn: self.turn,
            seqs: self.seqs,
            principal: self.principal,
            scope: self.scope,
            inherited: self.inherited,
            pinned: status.is_active() != self.unpinned,
            replaced_by: self.replaced_by,
            reason: self.reason,
            lookalike_of: self.lookalike_of,
            changed_at: self.changed_at,
            amends: self.amends,
        }
    }
}

/// A held text. What stands in the snapshot is bounded, since nobody says how much a page may hold.
#[derive(Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeldRow {
    pub(super) digest: Compact,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    pub(super) source: String,
    pub(super) turn: u32,
    pub(super) seq: u32,
    pub(super) count: u32,
    pub(super) restricts: bool,
}

reads! { HeldRow { digest, source, turn, seq, count, restricts } { text } }

impl HeldRow {
    pub(super) fn of(held: &Held, text: Option<String>) -> Self {
        let Held { digest, source, turn, seq, count, restricts, .. } = held.clone();
        Self { digest: Compact(digest), text, source, turn, seq, count, restricts }
    }

    pub(super) fn held(self, text: String) -> Held {
        let Self { digest: Compact(digest), source, turn, seq, count, restricts, .. } = self;
        Held { fingerprint: digest.name(), digest, text, source, turn, seq, count, restricts }
    }
}

/// What a user's words do to an older rule. Words that are a rule by now stand in its row.
#[derive(Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RevisionRow {
    pub(super) kind: RevisionKind,
    pub(super) digest: Compact,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    pub(super) old: Compact,
    pub(super) seq: u32,
    pub(super) turn: u32,
    pub(super) source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) principal: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) rescinds: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) again: Vec<u32>,
}

reads! { RevisionRow { kind, digest, old, seq, turn, source } { text, principal, rescinds, again } }

impl RevisionRow {
    pub(super) fn of(revision: &Revision, text: Option<String>) -> Self {
        let Revision { kind, digest, old, seq, turn, source, principal, rescinds, again, .. } = revision.clone();
        Self { kind, digest: Compact(digest), text, old: Compact(old), seq, turn, source, principal, rescinds, again }
    }

    pub(super) fn revision(self, text: String) -> Revision {
        let Self { kind, digest, old, seq, turn, source, principal, rescinds, again, .. } = self;
        // only a user's words change a rule so
        Revision { kind, text, digest: digest.0, old: old.0, seq, turn, source, trust: Trust::User, principal, rescinds, again }
    }
}

/// The source that most declared rules have; rows leave it out.
const USUAL_SOURCE: &str = "policy_loader";

#[derive(Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SegmentRow {
    pub(super) span: (u32, u32),
    pub(super) turns: (u32, u32),
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(super) level: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) digest: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) trust: Option<Trust>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) origin: Option<Origin>,
    pub(super) prefix: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) stale: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) frozen: bool,
}

reads! { SegmentRow { span, turns, prefix } { level, text, digest, trust, origin, stale, frozen } }

impl SegmentRow {
    pub(super) fn of(segment: &Segment, text: Option<String>, digest: Digest) -> Self {
        Self {
            span: (segment.from, segment.to),
            turns: segment.turns,
            level: segment.level,
            digest: text.is_none().then(|| Compact(digest).text()),
            text,
            trust: (segment.trust != Trust::External).then_some(segment.trust),
            origin: (segment.origin != Origin::Model).then_some(segment.origin),
            prefix: segment.prefix.clone(),
            stale: segment.stale,
            frozen: segment.frozen,
        }
    }

    pub(super) fn segment(self, text: String) -> Segment {
        let origin = self.origin.unwrap_or(Origin::Model);
        Segment {
            from: self.span.0,
            to: self.span.1,
            turns: self.turns,
            level: self.level,
            tokens: tokens::estimate(&text),
            text,
            trust: self.trust.unwrap_or(Trust::External),
            origin,
            prefix: self.prefix,
            stale: self.stale,
            frozen: self.frozen,
            shortened: origin == Origin::Line,
        }
    }
}
