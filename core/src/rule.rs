//! One rule: a text that must stand verbatim, who said it, and whether it is in force.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::reads;
use crate::trust::Trust;

/// Authority of a T0 item. *Active* is declared or promoted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Declared by the host.
    Declared,
    /// Said by operator or user in their own words, found by triage.
    Promoted,
    /// Found, but over the budget of promoted rules: waits for review.
    Overflow,
    /// Replaced by another rule.
    Superseded,
    /// Taken back.
    Revoked,
    /// Turned down in review; not promoted again.
    Rejected,
}

reads! { Status: Declared, Promoted, Overflow, Superseded, Revoked, Rejected }

impl Status {
    /// Whether the rule is in force.
    #[must_use]
    pub fn is_active(self) -> bool {
        matches!(self, Self::Declared | Self::Promoted)
    }

    /// Whether only a tombstone is left.
    #[must_use]
    pub fn is_tombstone(self) -> bool {
        matches!(self, Self::Superseded | Self::Revoked | Self::Rejected)
    }

    /// The text form used on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Declared => "declared",
            Self::Promoted => "promoted",
            Self::Overflow => "overflow",
            Self::Superseded => "superseded",
            Self::Revoked => "revoked",
            Self::Rejected => "rejected",
        }
    }
}

/// A rule of the registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rule {
    /// The first 16 hexadecimal digits of the digest, the name shown in the block.
    pub fingerprint: String,
    /// SHA-256 of the trimmed text.
    pub digest: Digest,
    /// The trimmed text, inner bytes untouched.
    pub text: String,
    /// Whether and how it is in force.
    pub status: Status,
    /// The highest trust it was said with.
    pub trust: Trust,
    /// Everyone who said it, in order of first appearance.
    pub sources: Vec<String>,
    /// The sources that declare it now; each may take back only its own declaration (R10).
    #[serde(skip)]
    pub declared_by: Vec<String>,
    /// User events observed before it was first said; its place in the block.
    pub turn: u32,
    /// Events of the log that say it (promoted rules), at most eight.
    pub seqs: Vec<u32>,
    /// The user it was said by or for, where the host says so.
    pub principal: Option<String>,
    /// The host's own label of where the rule applies.
    pub scope: Option<String>,
    /// Taken over from the guard this one was forked from; cannot be changed here.
    pub inherited: bool,
    /// Whether it stands in the pinned block now; a rule promoted since the last commit stands in its own event.
    pub pinned: bool,
    /// What replaced it.
    pub replaced_by: Option<Digest>,
    /// Why it is no longer in force.
    pub reason: Option<String>,
    /// Another rule with other bytes but the same look.
    pub lookalike_of: Option<String>,
    /// The event in which its user changed it; with that event the change goes.
    #[serde(skip)]
    pub changed_at: Option<u32>,
    /// The rule of which it corrects a value; it stands beside it in the block and goes with it.
    #[serde(skip)]
    pub amends: Option<Digest>,
}

/// Rule-shaped external text, kept as data without authority (R11).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Held {
    /// The first 16 hexadecimal digits of the digest.
    pub fingerprint: String,
    /// SHA-256 of the trimmed text.
    pub digest: Digest,
    /// The trimmed text.
    pub text: String,
    /// Whom it came from, newest first seen.
    pub source: String,
    /// User events observed before it was last seen.
    pub turn: u32,
    /// The event it was last seen in.
    pub seq: u32,
    /// How often it was seen.
    pub count: u32,
    /// Whether it restricts or states a hazard, so that the held block shows it; else only a stub stands there.
    pub restricts: bool,
}

reads! { Held { fingerprint, digest, text, source, turn, seq, count, restricts } }

/// What a user's words do to an older rule, for a person to see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RevisionKind {
    /// It replaced or lifted the rule, which was stricter.
    Loosened,
    /// It would, and waits for a person (`Policy.loosening`).
    Asked,
    /// It may be meant to; both are in force.
    #[default]
    Unclear,
}

reads! { RevisionKind: Loosened, Asked, Unclear }

impl RevisionKind {
    /// Its name in the review queue.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Loosened => "loosened",
            Self::Asked => "loosening",
            Self::Unclear => "unclear_change",
        }
    }
}

/// A change of a user's rule in the user's own words that waits to be seen (R7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revision {
    /// What came of it.
    pub kind: RevisionKind,
    /// The words.
    pub text: String,
    /// SHA-256 of the words.
    pub digest: Digest,
    /// The rule they change.
    pub old: Digest,
    /// The event they were said in.
    pub seq: u32,
    /// User events observed before.
    pub turn: u32,
    /// Who said them.
    pub source: String,
    /// With which trust.
    pub trust: Trust,
    /// On whose behalf.
    pub principal: Option<String>,
    /// They take the rule back, with nothing in its place.
    pub rescinds: bool,
    /// Later events that say them too, at most eight.
    pub again: Vec<u32>,
}

impl Revision {
    /// Another event says it.
    pub(crate) fn said(&mut self, seq: u32) {
        if self.again.len() < 8 && seq != self.seq && !self.again.contains(&seq) {
            self.again.push(seq);
        }
    }
}

/// Something for a person to decide: a held text, an overflow, a look-alike, a change of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Review {
    /// Give this to `approve` or `reject`: it binds text, origin and trust as they were read.
    pub handle: String,
    /// `held`, `promotion_overflow`, `lookalike`, `loosened` (done; to reject it undoes it), `loosening` (waits) or
    /// `unclear_change` (both are in force; to approve it replaces the older).
    pub kind: String,
    /// The text in question.
    pub text: String,
    /// Whom it came from.
    pub source: String,
    /// With which trust.
    pub trust: Trust,
    /// User events observed before it.
    pub turn: u32,
    /// The 16-digit name of the rule that it changes or would change.
    pub about: Option<String>,
}

/// One change of a rule, for the audit trail (R9).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// `supersede`, `revoke`, `approve`, `reject`, or `amend` where a user corrected a value.
    pub action: String,
    /// The rule's 16-digit name.
    pub fingerprint: String,
    /// Who did it.
    pub by: String,
    /// In the name of which source.
    pub source: String,
    /// User events observed before.
    pub turn: u32,
}

reads! { Change { action, fingerprint, by, source, turn } }

/// What a load of a source's rules changed (R10).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RulesDiff {
    /// Names of the rules that are new.
    pub declared: Vec<String>,
    /// Names of the rules that were already in force.
    pub kept: Vec<String>,
    /// Names of the rules that the source no longer has.
    pub revoked: Vec<String>,
}
