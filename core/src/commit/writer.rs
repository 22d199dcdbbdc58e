//! Writes the segments of a plan, each from its answers or without any.

use std::borrow::Cow;

use crate::check::decisions::{self, Topic};
use crate::check::{authority, idempotence};
use crate::error::{Code, Error, Result};
use crate::event::{Event, Part};
use crate::extract;
use crate::json;
use crate::ledger::{Origin, Segment};
use crate::markers::Markers;
use crate::meter::Round;
use crate::plan::{self, How, Plan, Planned, Request};
use crate::policy::{Check, OnFinding};
use crate::receipt::Finding;
use crate::repair::{self, Against, Evidence, Rules};
use crate::request::{self, EventLine, Packer};
use crate::state::State;
use crate::summary::{self, Summary};
use crate::text::ident::{carried, required};
use crate::tokens;
use crate::trust::Trust;

use super::Answers;

/// Most identifiers appended to one segment.
const IDENTIFIERS: usize = 24;

/// What a commit writes its segments with.
pub(super) struct Writer<'a> {
    pub(super) state: &'a State,
    pub(super) plan: &'a Plan,
    pub(super) answers: Answers<'a>,
    pub(super) markers: Markers,
    pub(super) rules: Rules<'a>,
    pub(super) findings: Vec<Finding>,
    pub(super) evidence: Vec<Evidence>,
    pub(super) answered: Answered,
    /// What the decisions of what was taken so far are about.
    pub(super) taken: Vec<Topic>,
}

/// What is counted for the drift check: answers as they were given, without what our own repairs add.
#[derive(Debug, Default)]
pub(super) struct Answered {
    /// Tokens of the answers of the segment that is being written.
    given: u32,
    tokens: u32,
    events: u32,
    source: u32,
}

impl Answered {
    /// The last segment stands for events that were not summarized before, and all of it was answered.
    fn count(&mut self, state: &State, planned: &Planned) {
        self.tokens = self.tokens.saturating_add(self.given);
        self.events = self.events.saturating_add(planned.to + 1 - planned.from);
        self.source = self.source.saturating_add(plan::source_tokens(state, planned.from, planned.to));
    }

    pub(super) fn round(&self) -> Option<Round> {
        let per = |tokens: u32| u32::try_from(u64::from(tokens) * 1_000 / u64::from(self.events.max(1))).unwrap_or(u32::MAX);
        (self.events > 0).then(|| Round { tokens: per(self.tokens), source: per(self.source) })
    }
}

impl Writer<'_> {
    pub(super) fn segment(&mut self, planned: &Planned) -> Result<Segment> {
        match planned.how {
            How::Reuse => self.reused(planned),
            How::Summarize => self.summarized(planned),
            How::Extract => self.extracted(planned),
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
        if self.plan.lacks(segment.from, segment.to) && !self.state.is_available(segment.from, segment.to) {
            // its originals are not here: it stays as it is, and the window says so (P10)
            segment.frozen = true;
            self.findings.push(Finding::new("degraded", segment.id(), "kept"));
        }
        Ok(segment)
    }

    fn summarized(&mut self, planned: &Planned) -> Result<Segment> {
        let (mut texts, mut by_model, mut by_code) = (Vec::new(), false, false);
        let (plan, state) = (self.plan, self.state);
        self.answered.given = 0;
        for request in plan.requests.iter().filter(|request| planned.requests.contains(&request.id)) {
            let events = state.log.range(request.span.0, request.span.1 + 1);
            if let Some(text) = self.taken(request, events)? {
                by_model = true;
                texts.push(text);
            } else {
                by_code = true;
                texts.push(self.checked_extract(&request.text, request.budget_tokens, &request.id, events)?);
            }
        }
        texts.retain(|text| !text.is_empty());
        let origin = match (by_model, by_code) {
            (true, false) => Origin::Model,
            (false, _) => Origin::Extractive,
            (true, true) => Origin::Mixed,
        };
        if origin == Origin::Model && planned.level == 0 && !planned.remade {
            self.answered.count(state, planned);
        }
        let mut text = texts.join("\n");
        self.append_identifiers(planned, &mut text);
        let trust = self.lowest_trust(planned);
        Ok(plan::segment(self.state, planned, text, origin, trust))
    }

    /// The answer to a request, repaired; nothing where the built-in summary is taken instead.
    fn taken(&mut self, request: &Request, events: &[Event]) -> Result<Option<String>> {
        let Answers::Given(summaries) = self.answers else { return Ok(None) };
        let Some(Some(summary)) = summaries.get(&request.id) else {
            self.findings.push(Finding::new("summarizer_failed", &request.id, "extractive"));
            return Ok(None);
        };
        if let Some(why) = summary::refuse(summary, request, &self.markers) {
            self.findings.push(Finding::new(why, &request.id, "extractive"));
            return Ok(None);
        }
        if !self.agrees(request, summary)? {
            return Ok(None);
        }
        let against = Against::of(&self.state.policy, events, &self.rules, &self.state.task.decisions, &self.taken);
        let against = against.after(self.state.log.range(0, request.span.0));
        let repaired = against.repair(summary.text.trim(), &request.id, Some(request.budget_tokens / 4))?;
        self.evidence.extend(repaired.evidence);
        if repaired.text.trim().is_empty() {
            self.findings.push(Finding::new("summary_emptied", &request.id, "extractive"));
            return Ok(None);
        }
        // what a summary leaves out is not for a later one to turn round; the built-in one notes it itself
        self.taken.extend(repaired.told);
        self.answered.given = self.answered.given.saturating_add(tokens::estimate(summary.text.trim()));
        self.taken.extend(decisions::topics(&authority::without_labels(&repaired.text)));
        Ok(Some(plan::clean_summary(&repaired.text, &self.markers)))
    }

    /// Whether the second summary of a span, where one was asked for, says the same.
    fn agrees(&mut self, request: &Request, first: &Summary) -> Result<bool> {
        let twin = self.plan.requests.iter().find(|twin| twin.repeats.as_deref() == Some(&*request.id));
        let (Some(twin), Answers::Given(summaries)) = (twin, self.answers) else { return Ok(true) };
        let second = summaries.get(&twin.id).and_then(Option::as_ref);
        let Some(second) = second.filter(|second| summary::refuse(second, twin, &self.markers).is_none()) else {
            self.findings.push(Finding::new("idempotence_unchecked", &request.id, "none"));
            return Ok(true);
        };
        let differences = idempotence::compare(&first.text, &second.text);
        if differences.is_empty() {
            return Ok(true);
        }
        let on = self.state.policy.on(Check::Idempotence);
        if on == OnFinding::Refuse {
            return Err(repair::refusal(Check::Idempotence, "summaries_differ", &request.id));
        }
        let repair = if on == OnFinding::Repair { "extractive" } else { "none" };
        for difference in differences {
            self.evidence.push(Evidence::new("summaries_differ", &request.id, repair, difference.text));
        }
        Ok(on == OnFinding::Report)
    }

    /// The built-in summary of a request's lines, without what has no anchor.
    fn checked_extract(&mut self, lines: &str, budget: u32, about: &str, events: &[Event]) -> Result<String> {
        let text = extract::of_request(lines, budget);
        let against = Against::of(&self.state.policy, events, &self.rules, &[], &[]);
        let repaired = against.repair(&text, about, None)?;
        let told = against.topics();
        self.evidence.extend(repaired.evidence);
        self.taken.extend(told);
        Ok(repaired.text)
    }

    fn extracted(&mut self, planned: &Planned) -> Result<Segment> {
        let mut packer = Packer::new(u32::MAX);
        let events = self.state.log.range(planned.from, planned.to + 1);
        let span = request::span_text(events, &self.markers, |seq| self.state.task_absorbed(seq), &mut packer);
        let lines = packer.finish().pop().map_or_else(String::new, |packed| packed.text);
        let about = format!("{}-{}", planned.from, planned.to);
        let mut text = self.checked_extract(&lines, planned.budget_tokens, &about, events)?;
        if text.is_empty() {
            text = format!("{} events, nothing to summarize.", planned.to + 1 - planned.from);
        }
        let trust = span.trust.unwrap_or(Trust::External);
        Ok(plan::segment(self.state, planned, text, Origin::Extractive, trust))
    }

    fn foreign(&mut self, planned: &Planned) -> Segment {
        let events = self.state.log.range(planned.from, planned.to + 1);
        let raw: String = events.iter().flat_map(|event| event.message.parts.iter()).map(Part::text).collect::<Vec<_>>().join("\n");
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
        let mut required = required(texts.iter().map(|(trust, run)| (*trust, &**run)), IDENTIFIERS);
        for event in events.iter().filter(|event| event.trust.has_authority()) {
            for part in &event.message.parts {
                // what the user attached is found again by its name, which is nothing but a name
                if let Part::Media { name, .. } = part
                    && !name.contains(char::is_whitespace)
                    && carried(name)
                    && *bare(Cow::Borrowed(name)) == **name
                {
                    required.push(name);
                }
            }
        }
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
        // most spans have a tool's result, and then nobody's words need to be told apart
        if events.iter().any(request::has_external) {
            return Trust::External;
        }
        let runs = events.iter().flat_map(request::runs).map(|run| run.trust);
        runs.min().unwrap_or(Trust::External)
    }
}
