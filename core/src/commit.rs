//! Takes the summaries back: checks them, replaces what cannot be taken, rebuilds the ledger and proves the window.
//!
//! [`apply`] reads a state and returns the next one's parts; the caller puts them in only when everything held.

mod writer;

use crate::check::{authority, coverage, presence};
use crate::error::{Code, Error, Result};
use crate::json;
use crate::ledger::{Ledger, Origin};
use crate::markers::Markers;
use crate::meter::Round;
use crate::ordered::Map;
use crate::plan::{self, How, Plan};
use crate::receipt::{Finding, Method, SegmentCounts};
use crate::registry::Registry;
use crate::repair::{self, Evidence, Rules};
use crate::state::State;
use crate::summary::Summary;
use crate::tokens;
use writer::{Answered, Writer};

/// The answers to a plan's requests; `None` where the call failed.
pub type Summaries = Map<String, Option<Summary>>;

/// Where the summaries of a plan come from.
#[derive(Debug, Clone, Copy)]
pub enum Answers<'a> {
    /// From the host, one for each request.
    Given(&'a Summaries),
    /// From the built-in summarizer, by choice.
    BuiltIn,
}

/// What a commit puts in the place of the old state's parts.
#[derive(Debug, Clone)]
pub struct Committed {
    /// The new ledger; its memory pieces are still to be rendered.
    pub ledger: Ledger,
    /// The registry with every active rule in the block.
    pub registry: Registry,
    /// What the checks found.
    pub findings: Vec<Finding>,
    /// The sentences they found it in.
    pub evidence: Vec<Evidence>,
    /// How the new summaries came about.
    pub method: Method,
    /// Segments by what was done with them.
    pub segments: SegmentCounts,
    /// What the answers to the requests came to, for events that were not summarized before.
    pub round: Option<Round>,
}

/// Checks a plan against the state it is to change (P3).
///
/// # Errors
/// `stale_plan` where another commit, a rule, the policy or the history came between.
pub fn check_base(state: &State, plan: &Plan) -> Result<()> {
    let stale = |why: &str| Err(Error::new(Code::StalePlan, why));
    if plan.version != plan::VERSION || !plan.is_sealed() {
        return stale("the plan is not as it was made");
    }
    if plan.base.ledger != state.ledger.digest() {
        return stale("another compaction came between");
    }
    if plan.base.policy != plan::policy_digest(state) {
        return stale("the policy changed");
    }
    if plan.cut > state.log.len() || plan.head != state.log.head() || plan.base.chain != state.log.chain(plan.cut) {
        return stale("the history before the cut changed");
    }
    if plan.rules.iter().any(|digest| state.registry.get(*digest).is_none_or(|rule| !rule.status.is_active())) {
        return stale("a rule in a planned span is no longer in force");
    }
    Ok(())
}

/// Checks that exactly the requests of the plan are answered.
///
/// # Errors
/// `unknown_request`, `missing_summary`.
pub fn check_answers(plan: &Plan, answers: Answers<'_>) -> Result<()> {
    let Answers::Given(summaries) = answers else { return Ok(()) };
    if let Some(unknown) = summaries.keys().find(|id| !plan.requests.iter().any(|request| request.id == **id)) {
        let shown: String = unknown.chars().filter(char::is_ascii_alphanumeric).take(16).collect();
        return Err(Error::new(Code::UnknownRequest, format!("the plan has no request `{shown}`")));
    }
    if let Some(missing) = plan.requests.iter().find(|request| !summaries.contains_key(&request.id)) {
        return Err(Error::new(Code::MissingSummary, format!("request `{}` is not answered", missing.id)));
    }
    Ok(())
}

/// Makes the new ledger and registry of a plan and its summaries.
///
/// # Errors
/// Those of [`check_base`] and [`check_answers`]; `coverage_hole`, `broken_pair`, `invariant_lost`.
pub fn apply(state: &State, plan: &Plan, answers: Answers<'_>) -> Result<Committed> {
    check_base(state, plan)?;
    check_answers(plan, answers)?;
    let spans: Vec<(u32, u32)> = plan.segments.iter().map(|planned| (planned.from, planned.to)).collect();
    let division = coverage::Division { head: plan.head, spans: &spans, kept: &plan.kept, cut: plan.cut };
    coverage::tiles(division, &state.log)?;
    let fresh: Vec<(u32, u32)> = plan.segments.iter().filter(|p| p.how != How::Reuse).map(|p| (p.from, p.to)).collect();
    coverage::pairs(division, &fresh, &state.log)?;

    let (markers, withheld) = (Markers::of(&state.registry)?, Markers::tombstones(&state.registry)?);
    let memory = if matches!(answers, Answers::Given(_)) { told(state) } else { String::new() };
    // what says the new value of a corrected rule contradicts nothing
    let mut in_force = state.registry.active();
    let amended: Vec<_> = in_force.iter().filter_map(|rule| rule.amends).collect();
    in_force.retain(|rule| !amended.contains(&rule.digest));
    let rules = Rules::of(in_force, &memory);
    let mut writer = Writer {
        state,
        plan,
        answers,
        markers,
        rules,
        findings: Vec::new(),
        evidence: Vec::new(),
        answered: Answered::default(),
        taken: Vec::new(),
    };
    let mut segments = Vec::with_capacity(plan.segments.len());
    let mut counts = SegmentCounts::default();
    let (mut by_model, mut by_code) = (0, 0);
    for planned in &plan.segments {
        let mut segment = writer.segment(planned)?;
        // whatever wrote it, labels and lines of ours included: a replaced rule is in no segment (R8)
        if withheld.found_in(&segment.text) {
            segment.text = withheld.replace(&segment.text);
            segment.tokens = tokens::estimate(&segment.text);
        }
        match planned.how {
            How::Reuse => counts.reused += 1,
            _ if planned.remade => counts.remade += 1,
            _ => counts.new += 1,
        }
        if planned.how == How::Summarize {
            by_model += u32::from(segment.origin != Origin::Extractive);
            by_code += u32::from(segment.origin != Origin::Model);
        }
        segments.push(segment);
    }
    let method = match (by_model, by_code) {
        (0, 0) => Method::None,
        (_, 0) => Method::Model,
        (0, _) => Method::Extractive,
        _ => Method::Mixed,
    };
    let mut registry = state.registry.clone();
    registry.pin_all();
    let missing = presence::missing(registry.block(), &registry.active());
    if !missing.is_empty() {
        return Err(Error::new(Code::InvariantLost, format!("{} rules are missing from the rebuilt window", missing.len()))
            .with("missing", json::value(&missing)));
    }
    let (mut findings, evidence, round) = (writer.findings, writer.evidence, writer.answered.round());
    repair::findings(&evidence, &mut findings);
    if by_model > 0 {
        let unread = writer.rules.unread().map(|name| Finding::new("fate_unchecked", name, "none"));
        findings.extend(unread);
    }
    let ledger = Ledger {
        segments,
        kept: plan.kept.clone(),
        cut: plan.cut,
        pieces: Vec::new(),
        round: state.ledger.round + 1,
        shelf: state.ledger.shelf.clone(),
    };
    Ok(Committed { ledger, registry, findings, evidence, method, segments: counts, round })
}

/// What the segments tell, without our labels.
fn told(state: &State) -> String {
    let texts: Vec<&str> = state.ledger.segments.iter().map(|segment| segment.text.as_str()).collect();
    authority::without_labels(&texts.join("\n"))
}
