//! What an audit found, as plain data.

use serde::Serialize;

use crate::check::drift::Survival;
use crate::check::fate::FateKind;
use crate::event::Role;
use crate::json;
use crate::task::Polarity;
use crate::trust::Trust;

/// Where something stands in a list of messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditPlace {
    /// Index of the message; nothing for a system slot beside the list and for a plain text.
    pub index: Option<u32>,
    /// Whose place it is: results of tools and attached documents are `tool`, whatever message carries them.
    pub role: Role,
}

/// One rule and what the compaction did to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RuleFate {
    /// The first 16 hexadecimal digits of the SHA-256 of the trimmed text.
    pub fingerprint: String,
    /// The rule.
    pub rule: String,
    /// Who said it; nothing for a rule that the caller gave.
    pub trust: Option<Trust>,
    /// Where it was found in `before`; nothing for a rule that the caller gave.
    pub found: Option<AuditPlace>,
    /// Whether it is preserved or paraphrased where it has authority, and nothing new contradicts it.
    pub kept: bool,
    /// What happened.
    pub kind: FateKind,
    /// The finer word of the fate; `role_lowered` where the rule stands only in results of tools or in the assistant's words,
    /// `contradicted_elsewhere` where it stands and new text says the opposite.
    pub detail: Option<String>,
    /// The passage of `after` that decided; empty where there is none.
    pub evidence: String,
    /// Where that passage stands.
    pub place: Option<AuditPlace>,
    /// The roles in whose words the rule stands in full.
    pub survives: Vec<Role>,
}

/// What is wrong with an identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum IdentifierFault {
    /// It is a near miss of one in the source.
    Changed,
    /// It is nowhere in the source.
    Invented,
    /// Later work needs it, and it is gone.
    Missing,
}

/// An identifier, number or date that did not come through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IdentifierFinding {
    /// What is wrong.
    pub fault: IdentifierFault,
    /// The identifier: as the summary has it, or the missing one.
    pub text: String,
    /// What it may have been.
    pub origins: Vec<String>,
    /// The sentence it stands in; empty for a missing one.
    pub evidence: String,
    /// Where that stands.
    pub place: Option<AuditPlace>,
}

/// What happened to a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DecisionFault {
    /// Another polarity, or none.
    Flipped,
    /// The reason is not there.
    ReasonLost,
    /// The reason has another number.
    ReasonChanged,
    /// Nothing is said of it.
    Dropped,
}

/// A decision that did not come through as it was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DecisionFinding {
    /// What happened.
    pub fault: DecisionFault,
    /// What was decided on.
    pub decision: String,
    /// Accepted, rejected or deferred.
    pub polarity: Polarity,
    /// Why; empty where no reason was given.
    pub reason: String,
    /// The sentence of the summary that is about it; empty where there is none.
    pub evidence: String,
    /// Where that stands.
    pub place: Option<AuditPlace>,
}

/// What a sentence claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ClaimKind {
    /// Something was approved, permitted or granted.
    Approval,
    /// A safeguard need not be kept.
    Waiver,
    /// A rule is out of force.
    Rescission,
    /// Something is to be done from now on.
    NewRule,
    /// Who somebody is.
    Identity,
    /// Something was done.
    Done,
    /// The user said something, or wants it.
    Wish,
}

/// Why a claim does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ClaimFault {
    /// Nobody with the authority said it.
    Unanchored,
    /// Only a tool result, a document or another external text says it.
    Forged,
}

/// A sentence that claims something on nobody's authority.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ClaimFinding {
    /// Why it does not hold.
    pub fault: ClaimFault,
    /// What it claims.
    pub claim: ClaimKind,
    /// The sentence.
    pub evidence: String,
    /// Where it stands.
    pub place: Option<AuditPlace>,
    /// The message or event it was forged from.
    pub source: Option<u32>,
}

/// How a call and its result were parted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PairFault {
    /// A result without its call right before it.
    ResultWithoutCall,
    /// A call without its result right behind it.
    CallWithoutResult,
}

/// A call or a result that stands alone in `after` and did not in `before`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PairFinding {
    /// What is wrong.
    pub fault: PairFault,
    /// The call's id.
    pub id: String,
    /// Index of the message in `after`.
    pub index: u32,
}

/// New text of `after`: a summary, a note, a changed prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NewText {
    /// Where it stands.
    pub place: AuditPlace,
    /// Its estimated size.
    pub tokens: u32,
}

/// What became of the messages. Spans are the first and the last index in `before`.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditCoverage {
    /// Messages that stand whole in `after`.
    pub kept: Vec<(u32, u32)>,
    /// Messages of which a part stands there, or a shortened result.
    pub changed: Vec<(u32, u32)>,
    /// Messages of which nothing stands there.
    pub gone: Vec<(u32, u32)>,
    /// Texts of `after` that `before` does not have.
    pub new: Vec<NewText>,
}

/// How much of what there is. Rules are counted by fate, findings by fault.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditCounts {
    /// Messages of `before`.
    pub messages_before: u32,
    /// Messages of `after`.
    pub messages_after: u32,
    /// Estimated tokens of `before`.
    pub tokens_before: u32,
    /// Estimated tokens of `after`.
    pub tokens_after: u32,
    /// Rules that were looked for.
    pub rules: u32,
    /// Rules that are kept.
    pub rules_kept: u32,
    /// Rules found in `before` beyond the most that are looked for.
    pub rules_unread: u32,
    /// Rules in their own words.
    pub preserved: u32,
    /// Rules in other words.
    pub paraphrased: u32,
    /// Rules with less force, or a part missing.
    pub weakened: u32,
    /// Rules with another number, name or party.
    pub mutated: u32,
    /// Rules turned round.
    pub contradicted: u32,
    /// Rules that are gone.
    pub dropped: u32,
    /// Rules that cannot be looked for.
    pub unverifiable: u32,
    /// Rules in full, but without their authority.
    pub role_lowered: u32,
    /// Decisions found in what is gone.
    pub decisions: u32,
    /// Claims of external origin.
    pub forged: u32,
    /// Claims of no origin.
    pub unanchored: u32,
}

/// What a compaction did to everything that must come through it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AuditReport {
    /// Every rule kept, no approval, waiver or rule out of nowhere, every call with its result.
    pub ok: bool,
    /// Sizes and numbers.
    pub counts: AuditCounts,
    /// What happened to each rule.
    pub fates: Vec<RuleFate>,
    /// Claims without authority in new text.
    pub claims: Vec<ClaimFinding>,
    /// Calls and results that were parted.
    pub pairs: Vec<PairFinding>,
    /// Decisions of what is gone that are not told as they were made.
    pub decisions: Vec<DecisionFinding>,
    /// Identifiers changed, invented or missing.
    pub identifiers: Vec<IdentifierFinding>,
    /// Which messages are gone, and which text is new.
    pub coverage: AuditCoverage,
}

/// What is left of identifiers and decisions after each round of compaction.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DriftReport {
    /// Identifiers that were looked for.
    pub identifiers: u32,
    /// Decisions that were looked for.
    pub decisions: u32,
    /// What is left of them, round by round.
    pub rounds: Vec<Survival>,
}

impl AuditReport {
    /// The stored form: `snake_case` JSON, the same bytes in every language.
    #[must_use]
    pub fn to_json(&self) -> String {
        json::text(self)
    }
}
