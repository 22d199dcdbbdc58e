//! What a compaction did, whoever made it: two lists of messages, before and after.
//!
//! [`audit_compaction`] reads both, of any shape and not necessarily of the same, finds the rules that were in force and says
//! what became of each, with the passage that decided and where it stands; which claims of new text rest on nobody's
//! authority; which identifiers and decisions did not come through; which calls lost their results; which messages are gone.
//! [`AuditReport`] is plain data and, by its `Display`, a text to be read. [`check_identifiers`], [`check_decisions`] and
//! [`check_authority`] are the single checks, for one summary; [`check_drift`] looks at the memory after several rounds,
//! [`check_idempotence`] at two summaries of one span. [`audit_session`] reads a session file of an agent, with the
//! compactions that stand in it.
//!
//! Unlike receipts, a report carries text: the caller's own.
//!
//! ```
//! # use serde_json::json;
//! # use standfast::{FateKind, audit_compaction};
//! let before = json!([
//!     {"role": "user", "content": "Never restart the billing host during the day."},
//!     {"role": "assistant", "content": "Understood. The host is healthy."},
//!     {"role": "user", "content": "Now look at the mail queue."},
//! ]);
//! let after = json!([
//!     {"role": "user", "content": "Summary: the host is healthy. Try to avoid restarts of the billing host."},
//!     {"role": "user", "content": "Now look at the mail queue."},
//! ]);
//! let report = audit_compaction(&before, &after, None)?;
//! assert!(!report.ok && report.fates[0].kind == FateKind::Weakened);
//! assert_eq!(report.coverage.gone, [(0, 1)]);
//! # Ok::<(), standfast::Error>(())
//! ```

mod call;
mod checks;
mod fields;
mod matched;
mod render;
mod replaced;
mod report;
mod rules;
mod session;
#[cfg(test)]
mod session_tests;
mod side;
#[cfg(test)]
mod tests;
mod transcript;

use serde_json::Value;

pub use call::{CALLS, call};
pub use checks::{check_authority, check_decisions, check_drift, check_identifiers};
pub use report::{
    AuditCounts, AuditCoverage, AuditPlace, AuditReport, ClaimFault, ClaimFinding, ClaimKind, DecisionFault, DecisionFinding, DriftReport,
    IdentifierFault, IdentifierFinding, NewText, PairFault, PairFinding, RuleFate,
};

pub use session::{SessionReport, SessionRound, SessionRule, audit_session};
pub use transcript::{Session, SessionCompaction, SessionFormat, read_session};

pub use crate::check::drift::Survival;
pub use crate::check::idempotence::{Difference, What as DifferenceKind, compare as check_idempotence};

use crate::check::authority::Said;
use crate::check::fate::FateKind;
use crate::check::statement::statements;
use crate::error::{Code, Error, Result};
use crate::event::Role;
use crate::ordered::Set;
use crate::registry::MAX_RULES;
use crate::text::ident::required;
use crate::trust::Trust;
use checks::{Joined, NEEDED, claims, decided, identifiers, is_own, made_in, said, sources};
use matched::{Matched, pairs};
use rules::{Rules, SUPERSEDED, Texts};
use side::{Piece, Side};

/// Audits a compaction. Each side is a list of messages, a request with `messages` and perhaps `system`, or a text. Without
/// `rules`, those of `before` count: what the operator and the user said in their own words and the published pattern finds.
/// Those that the user replaced or took back in `before` are told as `superseded` and need not come through.
///
/// # Errors
/// `invalid_argument` for a side that is none of these, `too_many_rules` for more than 4,096 given ones; `unknown_shape`,
/// `unknown_role`, `invalid_message`, `too_deep` and `too_large` for messages that cannot be read.
pub fn audit_compaction(before: &Value, after: &Value, rules: Option<&[String]>) -> Result<AuditReport> {
    if rules.is_some_and(|rules| rules.len() > MAX_RULES) {
        return Err(Error::new(Code::TooManyRules, format!("at most {MAX_RULES} rules are audited")));
    }
    let (before, after) = (Side::read(before, "before")?, Side::read(after, "after")?);
    let matched = Matched::of(&before, &after);
    let found = rules.map_or_else(|| Rules::found(&matched.before), Rules::given);
    let mut report = AuditReport { coverage: matched.coverage(&before), pairs: pairs(&before, &after), ..AuditReport::default() };
    let mut texts = Texts::of(&matched);
    for rule in &found.all {
        let mut fate = texts.fate(rule);
        if rule.replaced {
            (fate.kept, fate.detail) = (true, Some(SUPERSEDED.to_owned()));
        }
        report.fates.push(fate);
    }
    report.counts.rules_unread = found.unread;
    new_text(&matched, rules.unwrap_or_default(), &mut report);
    sum_up(&before, &after, &mut report);
    Ok(report)
}

/// The checks of what is new, and of what is gone.
fn new_text(matched: &Matched<'_>, rules: &[String], report: &mut AuditReport) {
    // what stands in the place of a tool's result is nobody's claim
    let summary = Joined::of(matched.new_pieces().filter(|piece| piece.role != Role::Tool));
    let own = |piece: &&Piece<'_>| is_own(piece);
    let made = made_in(matched.gone());
    let beside = Joined::of(matched.after.iter().zip(&matched.is_new).filter(|(_, new)| !**new).map(|(piece, _)| piece));
    report.counts.decisions = u32::try_from(made.len()).unwrap_or(u32::MAX);
    report.decisions = decided(&made, &summary, &beside.text);
    let mut said = said(&matched.before);
    said.extend(rules.iter().map(|text| Said { text, trust: Trust::Operator, seq: 0, turn: 0 }));
    report.claims = claims(&summary, &said);
    // a rule that is kept in these words is in force
    let mut stated: Set<&str> = Set::new();
    for fate in report.fates.iter().filter(|fate| fate.kept && !report.claims.is_empty()) {
        for sentence in statements(&fate.evidence) {
            stated.insert(sentence.span.of(&fate.evidence));
        }
    }
    report.claims.retain(|claim| !stated.contains(claim.evidence.as_str()));
    let needed = required(matched.gone().filter(own).map(|piece| (piece.trust, piece.text)), NEEDED);
    let whole = format!("{}\n\n{}", summary.text, beside.text);
    let mut sources = sources(&matched.before);
    sources.extend(rules.iter().map(|text| (Trust::Operator, text.as_str())));
    report.identifiers = identifiers(&summary, &sources, &needed, &whole);
}

fn sum_up(before: &Side, after: &Side, report: &mut AuditReport) {
    let counts = &mut report.counts;
    (counts.messages_before, counts.messages_after) = (before.length, after.length);
    (counts.tokens_before, counts.tokens_after) = (before.tokens, after.tokens);
    // what is out of force need not come through
    for fate in report.fates.iter().filter(|fate| fate.detail.as_deref() != Some(SUPERSEDED)) {
        counts.rules += 1;
        counts.rules_kept += u32::from(fate.kept);
        counts.role_lowered += u32::from(fate.detail.as_deref() == Some("role_lowered"));
        *match fate.kind {
            FateKind::Preserved => &mut counts.preserved,
            FateKind::Paraphrased => &mut counts.paraphrased,
            FateKind::Weakened => &mut counts.weakened,
            FateKind::Mutated => &mut counts.mutated,
            FateKind::Contradicted => &mut counts.contradicted,
            FateKind::Dropped => &mut counts.dropped,
            FateKind::Unverifiable => &mut counts.unverifiable,
        } += 1;
    }
    let mut sound = true;
    for claim in &report.claims {
        *if claim.fault == ClaimFault::Forged { &mut counts.forged } else { &mut counts.unanchored } += 1;
        // what was done is no authority; all else a model may not claim by itself
        sound &= claim.fault == ClaimFault::Unanchored && claim.claim == ClaimKind::Done;
    }
    report.ok = sound && counts.rules_kept == counts.rules && counts.rules_unread == 0 && report.pairs.is_empty();
}
