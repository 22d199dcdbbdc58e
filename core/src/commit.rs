//! Takes the summaries back: checks them, replaces what cannot be taken, rebuilds the ledger and proves the window.
//!
//! [`apply`] reads a state and returns the next one's parts; the caller puts them in only when everything held.

use std::borrow::Cow;

use crate::check::{coverage, presence};
use crate::error::{Code, Error, Result};
use crate::extract;
use crate::json;
use crate::ledger::{Ledger, Origin, Segment};
use crate::markers::Markers;
use crate::ordered::Map;
use crate::plan::{self, How, Plan, Planned, Request};
use crate::receipt::{Finding, Method, SegmentCounts};
use crate::registry::Registry;
use crate::request::{self, EventLine, Packer};
use crate::state::State;
use crate::summary::{self, Summary};
use crate::text::ident::required;
use crate::tokens;
use crate::trust::Trust;

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

/// Most identifiers appended to one segment.
const IDENTIFIERS: usize = 24;

/// What a commit puts in the place of the old state's parts.
#[derive(Debug, Clone)]
pub struct Committed {
    /// The new ledger; its memory pieces are still to be rendered.
    pub ledger: Ledger,
    /// The registry with every active rule in the block.
    pub registry: Registry,
    /// What the checks found.
    pub findings: Vec<Finding>,
    /// How the new summaries came about.
    pub method: Method,
    /// Segments by what was done with them.
    pub segments: SegmentCounts,
    /// Tokens of new summaries, events they stand for and tokens of those events.
    pub density: Option<(u32, u32, u32)>,
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
    let mut writer = Writer { state, plan, answers, markers, withheld, findings: Vec::new() };
    let mut segments = Vec::with_capacity(plan.segments.len());
    let mut counts = SegmentCounts::default();
    let (mut by_model, mut by_code, mut density) = (0, 0, (0_u32, 0_u32, 0_u32));
    for planned in &plan.segments {
        let mut segment = writer.segment(planned)?;
        // whatever wrote it, labels and lines of ours included: a replaced rule is in no segment (R8)
        if writer.withheld.found_in(&segment.text) {
            segment.text = writer.withheld.replace(&segment.text);
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
            density.0 = density.0.saturating_add(segment.tokens);
            density.1 = density.1.saturating_add(segment.to + 1 - segment.from);
            density.2 = density.2.saturating_add(plan::source_tokens(state, segment.from, segment.to));
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
    let findings = writer.findings;
    let ledger = Ledger {
        segments,
        kept: plan.kept.clone(),
        cut: plan.cut,
        pieces: Vec::new(),
        round: state.ledger.round + 1,
        shelf: state.ledger.shelf.clone(),
    };
    Ok(Committed { ledger, registry, findings, method, segments: counts, density: (density.1 > 0).then_some(density) })
}

struct Writer<'a> {
    state: &'a State,
    plan: &'a Plan,
    answers: Answers<'a>,
    markers: Markers,
    withheld: Markers,
    findings: Vec<Finding>,
}

impl Writer<'_> {
    fn segment(&mut self, planned: &Planned) -> Result<Segment> {
        match planned.how {
            How::Reuse => self.reused(planned),
            How::Summarize => Ok(self.summarized(planned)),
            How::Extract => Ok(self.extracted(planned)),
            How::Line => {
                let trust = self.lowest_trust(planned);
                Ok(plan::segment(self.state, planned, plan::code_line(planned.to + 1 - planned.from), Origin::Line, trust))
            }
            How::Foreign => Ok(self.foreign(planned)),
        }
    }

    fn reused(&mut self, planned: &Planned) -> Result<Segment> {
        let found = self.state.ledger.segments.iter().find(|segment| segment.from == planned.from && segment.to == planned.to);
        let mut segment = found.cloned().ok_or_else(|| Error::new(Code::CoverageHole, "the plan re-uses a segment that is gone"))?;
        if self.plan.lacks(segment.from, segment.to) {
            // its originals are not here: it stays as it is, and the window says so (P10)
            segment.frozen = true;
            self.findings.push(Finding::new("degraded", segment.id(), "kept"));
        }
        Ok(segment)
    }

    fn summarized(&mut self, planned: &Planned) -> Segment {
        let (mut texts, mut by_model, mut by_code) = (Vec::new(), false, false);
        let requests: Vec<&Request> = self.plan.requests.iter().filter(|request| planned.requests.contains(&request.id)).collect();
        for request in requests {
            let taken = match self.answers {
                Answers::BuiltIn => Err(None),
                Answers::Given(summaries) => match summaries.get(&request.id) {
                    Some(Some(summary)) => summary::refuse(summary, request, &self.markers).map_or(Ok(summary), |why| Err(Some(why))),
                    _ => Err(Some("summarizer_failed")),
                },
            };
            match taken {
                Ok(summary) => {
                    by_model = true;
                    texts.push(plan::clean_summary(&summary.text, &self.markers));
                }
                Err(why) => {
                    by_code = true;
                    self.findings.extend(why.map(|why| Finding::new(why, &request.id, "extractive")));
                    texts.push(extract::of_request(&request.text, request.budget_tokens));
                }
            }
        }
        texts.retain(|text| !text.is_empty());
        let origin = match (by_model, by_code) {
            (true, false) => Origin::Model,
            (false, _) => Origin::Extractive,
            (true, true) => Origin::Mixed,
        };
        let mut text = texts.join("\n");
        self.append_identifiers(planned, &mut text);
        let trust = self.lowest_trust(planned);
        plan::segment(self.state, planned, text, origin, trust)
    }

    fn extracted(&mut self, planned: &Planned) -> Segment {
        let mut packer = Packer::new(u32::MAX);
        let events = self.state.log.range(planned.from, planned.to + 1);
        let span = request::span_text(events, &self.markers, |seq| self.state.task_absorbed(seq), &mut packer);
        let lines = packer.finish().pop().map_or_else(String::new, |packed| packed.text);
        let mut text = extract::of_request(&lines, planned.budget_tokens);
        if text.is_empty() {
            text = format!("{} events, nothing to summarize.", planned.to + 1 - planned.from);
        }
        let trust = span.trust.unwrap_or(Trust::External);
        plan::segment(self.state, planned, text, Origin::Extractive, trust)
    }

    fn foreign(&mut self, planned: &Planned) -> Segment {
        let events = self.state.log.range(planned.from, planned.to + 1);
        let raw: String =
            events.iter().flat_map(|event| event.message.parts.iter()).map(crate::event::Part::text).collect::<Vec<_>>().join("\n");
        let mut text = plan::clean_summary(&raw, &self.markers);
        if text.is_empty() {
            "A summary by another compactor that only its provider can read.".clone_into(&mut text);
        }
        if tokens::estimate(&text) > planned.budget_tokens {
            let role = Cow::Borrowed("user");
            let line =
                EventLine { seq: planned.from, turn: 0, role, trust: Trust::External, tool: None, error: false, text: Cow::Owned(text) };
            text = extract::of_request(&json::text(&line), planned.budget_tokens);
        }
        self.findings.push(Finding::new("foreign_summary", planned.from.to_string(), "kept"));
        plan::segment(self.state, planned, text, Origin::Foreign, Trust::External)
    }

    /// Appends the identifiers that later steps need and the summary does not have (P9).
    fn append_identifiers(&mut self, planned: &Planned, text: &mut String) {
        let events = self.state.log.range(planned.from, planned.to + 1);
        // external text names none (P9)
        let runs = events.iter().filter(|event| !event.message.foreign_summary).flat_map(request::runs);
        // most texts are taken as they stand, without a copy
        let bare = |text| match text {
            Cow::Borrowed(text) => self.markers.without_markers(self.markers.apply(text).text),
            Cow::Owned(text) => Cow::Owned(self.markers.without_markers(self.markers.apply(&text).text).into_owned()),
        };
        let texts: Vec<(Trust, Cow<'_, str>)> =
            runs.filter(|run| run.trust >= Trust::Agent).map(|run| (run.trust, bare(run.text))).collect();
        let required = required(texts.iter().map(|(trust, run)| (*trust, &**run)), IDENTIFIERS);
        let mut line = String::new();
        let room = planned.budget_tokens / 4;
        for identifier in required.iter().filter(|identifier| !text.contains(**identifier)) {
            let longer = if line.is_empty() { format!("Identifiers: {identifier}") } else { format!("{line}, {identifier}") };
            if tokens::estimate(&longer) > room.max(plan::SMALLEST_BUDGET) {
                break;
            }
            line = longer;
        }
        if line.is_empty() {
            return;
        }
        let whole = format!("{text}\n{line}");
        if tokens::estimate(&whole) > planned.budget_tokens.saturating_add(planned.budget_tokens / 4) {
            self.findings.push(Finding::new("budget_grown", format!("{}-{}", planned.from, planned.to), "kept"));
        }
        whole.trim_start().clone_into(text);
    }

    fn lowest_trust(&self, planned: &Planned) -> Trust {
        let events = self.state.log.range(planned.from, planned.to + 1);
        let parts = events.iter().flat_map(|event| event.message.parts.iter().map(|part| part.trust(event.trust)));
        parts.min().unwrap_or(Trust::External)
    }
}
