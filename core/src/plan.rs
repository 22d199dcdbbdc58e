//! What a compaction will do, as plain data: which events stay, which spans are summarized, and the requests for the host.
//!
//! [`make`] reads a state and changes nothing. A plan is JSON and may be committed in another process; it is bound to
//! the history up to its cut, the ledger and the policy it was made from.

mod levels;
mod needs;

use serde::Serialize;

use levels::{LINE_TOKENS, fit};
pub use needs::Need;

use crate::cut;
use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::event::{Event, Presence};
use crate::json;
use crate::ledger::{Origin, Segment};
use crate::markers::Markers;
use crate::ordered::{Map, Set};
use crate::policy::{Idempotence, OnDegraded};
use crate::prompt;
use crate::reads;
use crate::request::{self, Packer};
use crate::state::{State, is_shown};
use crate::text::shared::SharedText;
use crate::tokens;

/// The version of the plan's form.
pub const VERSION: u32 = 1;
/// Smallest budget of a request; below, a span is known by one line.
pub const SMALLEST_BUDGET: u32 = 64;
/// Price of the fixed wording of a request.
const PROMPT_TOKENS: u32 = 300;

/// One text to summarize. `prompt` is ready to be sent to a model; `text` is what it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The key of the answer in `commit`.
    pub id: String,
    /// First and last event, inclusive.
    pub span: (u32, u32),
    /// One JSON line per event: seq, turn, role, trust, text. Rules stand as markers.
    pub text: SharedText,
    /// Instructions and text, ready to be sent.
    pub prompt: SharedText,
    /// Size of the summary in tokens; 1.25 times as much is still taken.
    pub budget_tokens: u32,
    /// The request that this one repeats word for word, to see whether both answers say the same.
    #[serde(default)]
    pub repeats: Option<String>,
}

reads! { Request { id, span, text, prompt, budget_tokens } { repeats } }

/// How a planned segment comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// Taken over byte for byte.
    #[default]
    Reuse,
    /// From the answers to its requests.
    Summarize,
    /// By the built-in summarizer, without a request: too small to pay for, or nothing to summarize.
    Extract,
    /// One line written by code.
    Line,
    /// Another compactor's summary, taken over as external text.
    Foreign,
}

reads! { How: Reuse, Summarize, Extract, Line, Foreign }

/// One segment of the ledger after the commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Planned {
    /// First event.
    pub from: u32,
    /// Last event, inclusive.
    pub to: u32,
    /// How often its events were summarized before.
    pub level: u32,
    /// How it comes about.
    pub how: How,
    /// Its requests.
    pub requests: Vec<String>,
    /// Size of its text.
    pub budget_tokens: u32,
    /// Whether it stands for events that were summarized before.
    pub remade: bool,
}

reads! { Planned { from, to, level, how, requests, budget_tokens, remade } }

/// What a plan was made from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Base {
    /// Chain digest of the log before the cut.
    pub chain: Digest,
    /// Digest of the ledger.
    pub ledger: Digest,
    /// Digest of the policy.
    pub policy: Digest,
}

reads! { Base { chain, ledger, policy } }

/// A compaction that has not happened yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Version of this form.
    pub version: u32,
    /// Digest of the plan itself.
    pub id: String,
    /// Why it is made.
    pub reason: String,
    /// First event of the new tail.
    pub cut: u32,
    /// Events of the head.
    pub head: u32,
    /// Events before the cut that stay whole.
    pub kept: Vec<u32>,
    /// The segments after the commit, in order.
    pub segments: Vec<Planned>,
    /// What the host is asked to summarize.
    pub requests: Vec<Request>,
    /// Originals that are needed and not here: page them in and plan again. A plan that is committed as it is leaves the
    /// segments over them as they are, marked as degraded.
    pub needs: Vec<Need>,
    /// Rules in force that stand in the planned spans; if one is replaced, the plan is stale.
    pub rules: Vec<Digest>,
    /// Items of the planned spans by outcome.
    pub items: Map<String, u32>,
    /// Spans whose text had to be shortened.
    pub shortened: Vec<(u32, u32)>,
    /// Whether the last legal group alone is larger than the tail's budget.
    pub tail_over_budget: bool,
    /// What it was made from.
    pub base: Base,
}

reads! { Plan { version, id, reason, cut, head, kept, segments, requests, needs, rules, items, shortened, tail_over_budget, base } }

impl Plan {
    /// Whether the commit would change nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.segments.iter().all(|planned| planned.how == How::Reuse)
    }

    /// Whether the plan lacks originals of `[from, to]`.
    #[must_use]
    pub fn lacks(&self, from: u32, to: u32) -> bool {
        self.needs.iter().any(|need| from <= need.seq && need.seq <= to)
    }

    pub(crate) fn seal(mut self) -> Self {
        self.id = self.digest().name();
        self
    }

    /// Whether the plan is as it was made.
    #[must_use]
    pub fn is_sealed(&self) -> bool {
        let whole = |request: &Request| prompt::is_prompt(&request.prompt, &request.text, request.budget_tokens);
        self.requests.iter().all(whole) && self.digest().name() == self.id
    }

    /// A digest of all but the id. Prompts follow from the texts.
    fn digest(&self) -> Digest {
        let Self { version, id: _, reason, cut, head, kept, segments, requests, needs, rules, items, shortened, tail_over_budget, base } =
            self;
        let requests: Vec<_> = requests.iter().map(|r| (r.id.as_str(), r.span, r.text.digest(), r.budget_tokens, &r.repeats)).collect();
        let all = (version, reason, cut, head, kept, segments, requests, needs, rules, items, shortened, tail_over_budget, base);
        Digest::of(json::text(&all))
    }
}

/// The digest of a policy, for plans.
#[must_use]
pub fn policy_digest(state: &State) -> Digest {
    Digest::of(json::text(&state.policy))
}

/// Plans a compaction.
///
/// # Errors
/// `pinned_over_budget`, `fixed_part_over_budget`, `originals_unavailable` (with `on_degraded = "refuse"`).
pub fn make(state: &State, reason: &str) -> Result<Plan> {
    let spare = check_budgets(state)?;
    let (cut, tail_over_budget) = choose_cut(state);
    let kept = choose_kept(state, cut);
    // first as if every original were here: what that plan lacks is what the host is asked for
    let mut segments = lay_out(state, cut, &kept, true);
    fit(state, &mut segments, state.limits.segments, true);
    let needs = needs::lacking(state, &segments);
    if !needs.is_empty() {
        if state.policy.on_degraded == OnDegraded::Refuse {
            let message = format!("{} events must be summarized anew and their originals are not here", needs.len());
            return Err(Error::new(Code::OriginalsUnavailable, message).with("needs", json::value(&needs)));
        }
        // without them: a segment that waits for its originals may take what the fixed part of the window has left
        segments = lay_out(state, cut, &kept, false);
        fit(state, &mut segments, state.limits.segments.saturating_add(spare.min(state.limits.segments / 2)), false);
    }
    let plan = Plan {
        version: VERSION,
        id: String::new(),
        reason: reason.to_owned(),
        cut,
        head: state.log.head(),
        kept,
        segments,
        requests: Vec::new(),
        needs,
        rules: Vec::new(),
        items: Map::new(),
        shortened: Vec::new(),
        tail_over_budget,
        base: Base { chain: state.log.chain(cut), ledger: state.ledger.digest(), policy: policy_digest(state) },
    };
    Ok(write_requests(state, plan)?.seal())
}

/// Checks the budgets. Returns how many tokens the fixed part of the window has left beside them.
fn check_budgets(state: &State) -> Result<u32> {
    let limits = &state.limits;
    let active = state.registry.active_tokens();
    if active > limits.pinned {
        return Err(Error::new(Code::PinnedOverBudget, format!("active rules need {active} tokens, pinned_tokens is {}", limits.pinned))
            .with("needed", active)
            .with("pinned_tokens", limits.pinned)
            .with("largest", json::value(&state.registry.largest())));
    }
    let task = tokens::estimate(&state.task.render(crate::task::Sections::Filled));
    let fixed = active.saturating_add(task).saturating_add(limits.segments).saturating_add(limits.held).saturating_add(limits.notices());
    if fixed > limits.fixed_part {
        return Err(Error::new(Code::FixedPartOverBudget, format!("the fixed part would take {fixed} of {} tokens", limits.window))
            .with("needed", fixed)
            .with("allowed", limits.fixed_part)
            .with("task_state", task));
    }
    Ok(limits.fixed_part - fixed)
}

/// Where the tail starts, and whether it is larger than its budget.
fn choose_cut(state: &State) -> (u32, bool) {
    let from = state.ledger.cut.max(state.log.head());
    let events: Vec<&Event> = state.log.range(from, state.log.len()).iter().filter(|event| is_shown(event)).collect();
    let mut budget = state.limits.tail;
    if !state.limits.tail_given {
        let last_user = events.iter().rev().find(|event| event.message.is_user_turn()).map_or(0, |event| event.tokens);
        budget = budget.max(last_user.min(state.limits.backstop / 4));
    }
    let chosen = cut::choose(&events, 0, budget);
    match chosen.and_then(|chosen| events.get(chosen.index).map(|event| (event.seq, chosen.over_budget))) {
        Some(cut) => cut,
        None => (from, false),
    }
}

/// Events before the cut that stay whole (W3). What was kept before stays while its reason lasts; everything else before
/// the old cut is folded for good.
fn choose_kept(state: &State, cut: u32) -> Vec<u32> {
    let start = state.ledger.cut.max(state.log.head());
    let before = state.ledger.kept.iter().filter_map(|seq| state.log.event(*seq)).filter(|event| event.seq < start);
    let fresh = state.log.range(start, state.log.len());
    let events: Vec<&Event> = before.chain(fresh).filter(|event| is_shown(event)).collect();
    let mut stays = state.log.open_calls(state.policy.dead_call_events);
    stays.extend(&state.long_rules);
    stays.sort_unstable();
    let end = events.partition_point(|event| event.seq < cut);
    cut::kept(&events, 0, end, &stays).into_iter().filter_map(|at| events.get(at).map(|event| event.seq)).collect()
}

/// Segments as they would be without regard to their size. `all`: as if every original were here.
fn lay_out(state: &State, cut: u32, kept: &[u32], all: bool) -> Vec<Planned> {
    let mut laid: Vec<Planned> = Vec::new();
    for segment in &state.ledger.segments {
        let (from, to) = (segment.from, segment.to);
        let reuse =
            Planned { from, to, level: segment.level, how: How::Reuse, requests: Vec::new(), budget_tokens: segment.tokens, remade: false };
        if segment.stale && (all || segment.origin == Origin::Line || state.is_available(from, to)) {
            let how = match segment.origin {
                Origin::Line => How::Line,
                Origin::Foreign => How::Foreign,
                _ => How::Summarize,
            };
            laid.push(Planned { how, budget_tokens: segment.tokens.max(SMALLEST_BUDGET), remade: true, ..reuse });
        } else {
            laid.push(reuse);
        }
    }
    let mut run: Option<(u32, u32)> = None;
    let mut runs = Vec::new();
    // only kept events of earlier rounds and what lies between the old and the new cut can be uncovered
    let fresh = state.ledger.cut.max(state.log.head())..cut;
    for seq in state.ledger.kept.iter().copied().filter(|seq| *seq < fresh.start).chain(fresh.clone()) {
        let covered = kept.contains(&seq) || state.ledger.covering(seq).is_some();
        let foreign = state.log.event(seq).is_some_and(|event| event.message.has_summary() && event.presence == Presence::Here);
        match run {
            Some((from, to)) if !covered && !foreign && seq == to + 1 => run = Some((from, seq)),
            _ => {
                runs.extend(run.take().map(|span| (span, false)));
                if foreign && !covered {
                    runs.push(((seq, seq), true));
                } else {
                    run = (!covered).then_some((seq, seq));
                }
            }
        }
    }
    runs.extend(run.map(|span| (span, false)));
    let total: u64 = runs.iter().map(|((from, to), _)| u64::from(source_tokens(state, *from, *to))).sum();
    let summary = state.limits.summary_of(total);
    for ((from, to), foreign) in runs {
        let source = source_tokens(state, from, to);
        let share = u64::from(summary) * u64::from(source) / total.max(1);
        let budget = u32::try_from(share).unwrap_or(u32::MAX).max(SMALLEST_BUDGET);
        let how = match () {
            () if foreign => How::Foreign,
            () if source <= SMALLEST_BUDGET => How::Extract,
            () => How::Summarize,
        };
        let budget_tokens = if how == How::Extract { source.max(16) } else { budget };
        laid.push(Planned { from, to, level: 0, how, requests: Vec::new(), budget_tokens, remade: false });
    }
    laid.sort_unstable_by_key(|planned| planned.from);
    laid
}

pub(crate) fn source_tokens(state: &State, from: u32, to: u32) -> u32 {
    state.log.range(from, to + 1).iter().map(|event| event.tokens).fold(0, u32::saturating_add)
}

fn request_limit(state: &State) -> u32 {
    state.limits.summarizer_window.saturating_sub(PROMPT_TOKENS).max(SMALLEST_BUDGET * 2)
}

/// Writes the requests of all segments that need a summary.
fn write_requests(state: &State, mut plan: Plan) -> Result<Plan> {
    let markers = Markers::of(&state.registry)?;
    let mut rules = Set::new();
    let mut segments = std::mem::take(&mut plan.segments);
    for planned in segments.iter_mut().filter(|planned| planned.how != How::Reuse) {
        let (events, absorbed) = (state.log.range(planned.from, planned.to + 1), |seq| state.task_absorbed(seq));
        if planned.how == How::Line && planned.remade {
            rules.extend(request::span_rules(events, &markers, absorbed));
            plan.shortened.push((planned.from, planned.to));
            continue;
        }
        let mut packer = Packer::new(if planned.how == How::Summarize { request_limit(state) } else { u32::MAX });
        let span = request::span_text(events, &markers, absorbed, &mut packer);
        rules.extend(span.rules.iter().copied());
        if !planned.remade {
            for (outcome, n) in &span.items {
                plan.items.change(outcome.clone(), 0, |all| *all += n);
            }
        }
        plan.shortened.extend(span.shortened.iter().map(|seq| (*seq, *seq)));
        if planned.how == How::Line {
            plan.shortened.push((planned.from, planned.to));
        }
        if planned.how != How::Summarize {
            continue;
        }
        let packed = packer.finish();
        if packed.is_empty() {
            planned.how = How::Extract;
            planned.budget_tokens = LINE_TOKENS;
            continue;
        }
        let least = u32::try_from(packed.len()).unwrap_or(u32::MAX).saturating_mul(SMALLEST_BUDGET);
        if least > planned.budget_tokens.max(state.limits.segments / 2) {
            // so many requests could not stay within the budget of one summary
            planned.how = How::Extract;
            continue;
        }
        let made = request::prompts(packed, planned.budget_tokens, SMALLEST_BUDGET);
        let opens = |share| markers.found_in(&prompt::opening(share));
        let suspect = markers.may_straddle() || !span.shortened.is_empty() || made.iter().any(|(_, share, _)| opens(*share));
        if suspect && made.iter().any(|(_, _, (prompt, _))| markers.found_in(prompt)) {
            // a rule that reads like our own wording around the text: no request can be made that does not show it
            planned.how = How::Extract;
            continue;
        }
        for (span, share, (prompt, text)) in made {
            let id = format!("r{}", plan.requests.len());
            planned.requests.push(id.clone());
            plan.requests.push(Request { id, span, text, prompt, budget_tokens: share, repeats: None });
        }
    }
    repeat(state.policy.idempotence, state.ledger.round, &mut plan.requests);
    plan.segments = segments;
    plan.rules = rules.into_iter().collect();
    plan.shortened.sort_unstable();
    plan.shortened.dedup();
    Ok(plan)
}

/// Asks for a second summary of one request or of all. Which one is sampled changes from round to round.
fn repeat(idempotence: Idempotence, round: u32, requests: &mut Vec<Request>) {
    let first = requests.len();
    let sampled = usize::try_from(round).unwrap_or_default() % first.max(1);
    for at in 0..first {
        if idempotence == Idempotence::Always || (idempotence == Idempotence::Sample && at == sampled) {
            let again = requests.get(at).map(|r| Request { id: format!("{}b", r.id), repeats: Some(r.id.clone()), ..r.clone() });
            requests.extend(again);
        }
    }
}

/// The line that stands for a span known by its size only.
#[must_use]
pub fn code_line(events: u32) -> String {
    format!("{events} events; their summary was dropped for space, ask or re-read if needed.")
}

/// A summary as it goes into a segment: imitations of our marks neutralized, rule texts as markers.
#[must_use]
pub fn clean_summary(text: &str, markers: &Markers) -> String {
    markers.apply(text.trim()).text.into_owned()
}

/// The segment a planned one becomes.
#[must_use]
pub fn segment(state: &State, planned: &Planned, text: String, origin: Origin, trust: crate::trust::Trust) -> Segment {
    let turn = |seq: u32| state.log.event(seq).map_or(0, |event| event.turn);
    Segment {
        from: planned.from,
        to: planned.to,
        turns: (turn(planned.from), turn(planned.to)),
        level: planned.level,
        tokens: tokens::estimate(&text),
        text,
        trust,
        origin,
        prefix: state.log.chain(planned.to + 1).short(),
        stale: false,
        frozen: origin == Origin::Foreign || !state.is_available(planned.from, planned.to),
        shortened: origin == Origin::Line,
    }
}
