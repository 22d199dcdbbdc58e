//! What the compactions of a session did to its rules: each rule with the round it died in.

use serde::Serialize;
use serde_json::Value;

use super::audit_compaction;
use super::report::{AuditPlace, AuditReport};
use super::rules::{ELSEWHERE, Rules};
use super::side::Side;
use super::transcript::{SessionFormat, read_session};
use crate::check::fate::FateKind;
use crate::error::Result;
use crate::json::object;
use crate::trust::Trust;

/// A rule and how it fared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionRule {
    /// The first 16 hexadecimal digits of the SHA-256 of the trimmed text.
    pub fingerprint: String,
    /// The rule.
    pub rule: String,
    /// Who said it; nothing for a rule that the caller gave.
    pub trust: Option<Trust>,
    /// Where it was said first; nothing for a rule that the caller gave.
    pub found: Option<AuditPlace>,
    /// The first compaction it went through, from 0; nothing where there was none.
    pub since: Option<u32>,
    /// The compaction that lost it and after which it never stood again, from 0; nothing where it stands.
    pub lost: Option<u32>,
    /// What happened to it there, or in the last compaction.
    pub kind: FateKind,
    /// The finer word of that.
    pub detail: Option<String>,
    /// The passage that decided; empty where there is none.
    pub evidence: String,
}

/// One compaction of a session.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionRound {
    /// How many messages came before it.
    pub at: u32,
    /// What set it off, where the file says so.
    pub trigger: Option<String>,
    /// Whether a part of what came of it can be read by the provider alone. What is not found is unverifiable then.
    pub sealed: bool,
    /// What it did, from window to window. Its rules are those said so far, in order.
    pub report: AuditReport,
}

/// What the compactions of a session did.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionReport {
    /// Whether no rule is lost.
    pub ok: bool,
    /// What kind of file it is.
    pub format: SessionFormat,
    /// Messages in it, without summaries.
    pub messages: u32,
    /// Lines that could not be read.
    pub unread: u32,
    /// Rules that went through a compaction.
    pub judged: u32,
    /// Those of them that are lost; what nobody can verify is not.
    pub lost: u32,
    /// Every rule, in the order they were said.
    pub rules: Vec<SessionRule>,
    /// Every compaction, in order.
    pub rounds: Vec<SessionRound>,
}

/// Audits the compactions that a session file tells of. Without `rules`, those of the session count: what the operator and
/// the user said in their own words and the published pattern finds.
///
/// # Errors
/// Those of [`read_session`] and [`audit_compaction`].
pub fn audit_session(text: &str, rules: Option<&[String]>) -> Result<SessionReport> {
    let mut session = read_session(text)?;
    let system = session.system.take();
    let messages = Value::from(session.messages);
    let list = |messages: Vec<Value>| match &system {
        Some(system) => object([("system", system.clone()), ("messages", messages.into())]),
        None => messages.into(),
    };
    let whole = list(messages.as_array().cloned().unwrap_or_default());
    let side = Side::read(&whole, "session")?;
    let pieces = side.pieces();
    let found = rules.map_or_else(|| Rules::found(&pieces), Rules::given);
    let mut report = SessionReport {
        ok: false,
        format: session.format,
        messages: side.length,
        unread: session.unread,
        judged: 0,
        lost: 0,
        rules: Vec::new(),
        rounds: Vec::new(),
    };
    for rule in &found.all {
        let said = rule.said.first().and_then(|at| pieces.get(*at));
        report.rules.push(SessionRule {
            fingerprint: rule.digest.name(),
            rule: rule.text.to_owned(),
            trust: said.map(|piece| piece.trust),
            found: said.map(super::side::Piece::place),
            since: None,
            lost: None,
            kind: FateKind::Preserved,
            detail: None,
            evidence: String::new(),
        });
    }
    let all = messages.as_array().map(Vec::as_slice).unwrap_or_default();
    let (mut window, mut from) = (Vec::new(), 0);
    for (round, compaction) in (0_u32..).zip(session.compactions) {
        let to = compaction.at as usize;
        window.extend_from_slice(all.get(from..to).unwrap_or_default());
        from = to;
        let mut texts = Vec::new();
        for rule in &report.rules {
            if rule.found.is_none_or(|found| found.index.is_none_or(|index| index < compaction.at)) {
                texts.push(rule.rule.clone());
            }
        }
        let after = list(compaction.after.clone());
        let mut made = audit_compaction(&list(std::mem::take(&mut window)), &after, Some(&texts))?;
        if compaction.sealed {
            unseal(&mut made);
        }
        for (rule, fate) in report.rules.iter_mut().zip(&made.fates) {
            rule.since.get_or_insert(round);
            // what new text contradicts stands all the same
            if fate.kept || fate.detail.as_deref() == Some(ELSEWHERE) {
                rule.lost = None;
            } else if rule.lost.is_some() {
                continue; // told where it died
            } else if fate.kind != FateKind::Unverifiable {
                rule.lost = Some(round);
            }
            (rule.kind, rule.detail, rule.evidence) = (fate.kind, fate.detail.clone(), fate.evidence.clone());
        }
        window = compaction.after;
        report.rounds.push(SessionRound { at: compaction.at, trigger: compaction.trigger, sealed: compaction.sealed, report: made });
    }
    for rule in &report.rules {
        report.judged += u32::from(rule.since.is_some());
        report.lost += u32::from(rule.lost.is_some());
    }
    report.ok = report.lost == 0;
    Ok(report)
}

/// What is not found in a window that cannot be read whole may stand in the rest of it.
fn unseal(report: &mut AuditReport) {
    for fate in &mut report.fates {
        if fate.kind == FateKind::Dropped {
            (fate.kind, fate.detail) = (FateKind::Unverifiable, Some("sealed".to_owned()));
            report.counts.dropped -= 1;
            report.counts.unverifiable += 1;
        }
    }
}
