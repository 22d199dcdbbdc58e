//! Trigger, plan, commit, window, assertion: one turn of the cycle, each step with its receipt.

use serde_json::Value;

use super::Guard;
use crate::check::presence::{self, Outgoing};
use crate::commit::{self, Answers, Committed, Summaries};
use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::event::{Part, Role};
use crate::markers::Markers;
use crate::ordered::Map;
use crate::plan::{self, Plan};
use crate::receipt::{Alarm, Finding, Outcome, Receipt};
use crate::rule::{RevisionKind, Rule};
use crate::shape::{self, Shape};
use crate::task::Sections;
use crate::tokens;
use crate::trigger::{self, Asked, Situation, Verdict};
use crate::trust::receipt_name;
use crate::window::{self, Window};

/// How a notice begins.
const NOTICE: &str = "[memory notice]";

impl Guard {
    /// Whether to compact now, and why.
    ///
    /// # Errors
    /// `guard_closed`, `tail_not_attached`.
    pub fn should_compact(&mut self) -> Result<Verdict> {
        self.attached()?;
        let verdict = self.verdict(None);
        let (reason, used) = (verdict.reason.clone(), verdict.used);
        let findings = self.state.meter.implausible().map(|told| Finding::new("usage_implausible", told.to_string(), "none"));
        let findings = findings.into_iter().collect();
        self.receipt = Receipt { reason, tokens_in: used, tokens_out: used, findings, ..self.blank_receipt() };
        Ok(verdict)
    }

    fn verdict(&self, asked: Option<Asked>) -> Verdict {
        let meter = &self.state.meter;
        let situation = Situation {
            enabled: self.state.policy.enabled,
            used: meter.used(),
            open_calls: !self.state.log.open_calls(self.state.policy.dead_call_events).is_empty(),
            boundary: meter.boundary(),
            last_commit: meter.last_commit(),
            new_tokens: meter.since_commit(),
            asked,
        };
        trigger::decide(&self.state.limits, situation)
    }

    /// The window as it is now, without compacting. Its receipt says so; [`Guard::receipt`] stays that of the last decision.
    ///
    /// # Errors
    /// `guard_closed`, `tail_not_attached`.
    pub fn window(&self) -> Result<Window> {
        self.attached()?;
        let used = self.state.meter.used();
        let findings = self.window_findings()?;
        let receipt = Receipt {
            outcome: Outcome::Rendered,
            reason: "window".to_owned(),
            tokens_in: used,
            tokens_out: used,
            findings,
            ..self.blank_receipt()
        };
        Ok(self.render(receipt))
    }

    /// The window as it is, with the receipt of the decision it comes from.
    fn render(&self, mut receipt: Receipt) -> Window {
        let (slots, system) = window::slots(&self.state);
        let n = u32::try_from(slots.len()).unwrap_or(u32::MAX);
        receipt.messages_out = n;
        if receipt.outcome != Outcome::Compacted {
            receipt.messages_in = n;
        }
        Window { slots, system, pinned: self.state.registry.block().to_owned(), receipt }
    }

    /// Plans a compaction now, whatever the trigger says. A plan without segments to make changes nothing.
    ///
    /// # Errors
    /// `pinned_over_budget`, `fixed_part_over_budget`, `originals_unavailable`, `guard_closed`, `tail_not_attached`.
    pub fn plan(&mut self, asked: Option<Asked>) -> Result<Plan> {
        self.attached()?;
        let verdict = self.verdict(asked);
        let reason = if verdict.compact { verdict.reason } else { "requested".to_owned() };
        plan::make(&self.state, &reason)
    }

    /// Takes the summaries of a plan back and rebuilds the window; `None` where the call failed.
    ///
    /// # Errors
    /// `stale_plan`, `unknown_request`, `missing_summary`, `coverage_hole`, `broken_pair`, `invariant_lost`; then
    /// nothing was changed.
    pub fn commit(&mut self, plan: &Plan, summaries: &Summaries) -> Result<Window> {
        let mut spoken = summaries.clone();
        for (_, summary) in spoken.iter_mut() {
            if let Some(summary) = summary {
                summary.leave_thinking_out();
            }
        }
        self.commit_answers(plan, Answers::Given(&spoken))
    }

    /// Commits a plan with the built-in extractive summaries: no model, nothing to wait for.
    ///
    /// # Errors
    /// As [`Guard::commit`].
    pub fn commit_extractive(&mut self, plan: &Plan) -> Result<Window> {
        self.commit_answers(plan, Answers::BuiltIn)
    }

    fn commit_answers(&mut self, plan: &Plan, answers: Answers<'_>) -> Result<Window> {
        self.attached()?;
        let committed = match commit::apply(&self.state, plan, answers) {
            Ok(committed) => committed,
            Err(error) => {
                self.note_loss(&error);
                return Err(error);
            }
        };
        if plan.is_empty() {
            self.defer(plan);
            let used = self.state.meter.used();
            let receipt = Receipt {
                outcome: Outcome::NothingToDo,
                reason: plan.reason.clone(),
                tokens_in: used,
                tokens_out: used,
                alarms: self.size_alarms(),
                ..self.blank_receipt()
            };
            let window = self.render(receipt);
            self.receipt = window.receipt.clone();
            return Ok(window);
        }
        let block_before = self.state.registry.block_digest();
        let messages_in = u32::try_from(window::slots(&self.state).0.len()).unwrap_or(u32::MAX);
        let tokens_in = self.state.meter.used();
        let Committed { ledger, registry, mut findings, evidence, method, segments, round } = committed;
        self.evidence = evidence;
        self.state.registry = registry;
        let old = std::mem::replace(&mut self.state.ledger, ledger);
        let notices = self.notices();
        self.state.ledger.pieces = window::memory(&self.state, &self.state.ledger, &notices);
        self.state.generation += 1;
        let estimate = self.state.window_tokens();
        let boundary = plan.reason.starts_with("boundary:").then_some(true).or((plan.reason == "headroom_backstop").then_some(false));
        self.state.meter.committed(estimate, boundary, round);
        findings.extend(self.window_findings()?);
        if plan.tail_over_budget {
            findings.push(Finding::new("tail_over_budget", plan.cut.to_string(), "kept"));
        }
        if tokens::estimate(&self.state.task.render(Sections::Filled)) > self.state.limits.task_state {
            findings.push(Finding::new("task_state_large", "task", "none"));
        }
        let mut shortened = self.state.ledger.shortened();
        shortened.extend(&plan.shortened);
        shortened.sort_unstable();
        shortened.dedup();
        let receipt = Receipt {
            outcome: Outcome::Compacted,
            reason: plan.reason.clone(),
            method,
            messages_in,
            tokens_in,
            tokens_out: self.state.meter.used(),
            stable_prefix_tokens: self.stable_prefix(block_before, &old.pieces),
            segments,
            shortened,
            items: plan.items.clone(),
            findings,
            alarms: self.alarms(&old),
            ..self.blank_receipt()
        };
        let window = self.render(receipt);
        self.receipt = window.receipt.clone();
        Ok(window)
    }

    /// Marks the segments as degraded that a plan which changes nothing else leaves as they are.
    fn defer(&mut self, plan: &Plan) {
        let (log, mut deferred) = (&self.state.log, false);
        for segment in self.state.ledger.segments.iter_mut().filter(|segment| !segment.frozen) {
            segment.frozen = plan.lacks(segment.from, segment.to) && !log.has_text(segment.from, segment.to);
            deferred |= segment.frozen;
        }
        if deferred {
            self.state.generation += 1;
            self.renotice();
        }
    }

    /// Brings the notices of the memory message up to date, and nothing else of it.
    pub(super) fn renotice(&mut self) {
        let notices = self.notices();
        let pieces = &mut self.state.ledger.pieces;
        let Some(closing) = pieces.pop() else { return };
        if pieces.last().is_some_and(|last| last.starts_with(NOTICE)) {
            pieces.pop();
        }
        if !notices.is_empty() {
            pieces.push(notices.join("\n"));
        }
        pieces.push(closing);
        let estimate = self.state.window_tokens();
        self.state.meter.rebase(estimate);
    }

    /// Asserts that every rule stands in an outgoing request; the last thing before the model is called.
    ///
    /// # Errors
    /// `invariant_lost` with the fingerprints that are missing; `too_deep`.
    pub fn assert_window(&mut self, messages: &[Value], system: Option<&Value>) -> Result<Vec<Finding>> {
        self.open()?;
        shape::shallow(messages)?;
        shape::shallow(system.map(std::slice::from_ref).unwrap_or_default())?;
        let shape = self.state.shape.unwrap_or(Shape::Openai);
        let system_texts = shape::system_texts(shape, messages, system);
        let memory = self.state.ledger.pieces.join("\n\n");
        let mut other = shape::all_texts(messages);
        other.retain(|text| *text != memory && !self.state.ledger.pieces.contains(text));
        let active = self.state.registry.active();
        let (pinned, fresh): (Vec<&Rule>, Vec<&Rule>) = active.into_iter().partition(|rule| rule.pinned);
        let said = if fresh.is_empty() { Vec::new() } else { said(shape, messages) };
        let outgoing = Outgoing { system: &system_texts, other: &other, said: &said };
        let result = presence::assert_request(outgoing, self.state.registry.block(), &pinned, &fresh);
        if let Err(error) = &result {
            self.note_loss(error);
        }
        result
    }

    fn note_loss(&mut self, error: &Error) {
        if error.code() == Code::InvariantLost {
            let alarm = Alarm { kind: "invariant_lost".to_owned(), severity: "page".to_owned(), detail: error.message().to_owned() };
            let receipt =
                Receipt { outcome: Outcome::InvariantLost, reason: "assertion".to_owned(), alarms: vec![alarm], ..self.blank_receipt() };
            self.receipt = receipt;
        }
    }

    /// What every receipt says whatever was decided.
    fn blank_receipt(&self) -> Receipt {
        let registry = &self.state.registry;
        let mut undeclared = Map::new();
        for (source, count) in registry.undeclared() {
            undeclared.change(receipt_name(source), 0, |all| *all += *count);
        }
        Receipt {
            round: self.state.ledger.round,
            reason: "continue".to_owned(),
            turn_index: self.state.log.turns(),
            rules: self.rule_counts(),
            pinned_digest: if registry.block().is_empty() { String::new() } else { registry.block_digest().hex() },
            covered: self.state.ledger.covered(),
            shortened: self.state.ledger.shortened(),
            degraded: self.state.degraded(),
            undeclared,
            ..Receipt::default()
        }
    }

    /// What is worth saying about the host's own messages in the window (W5, R8), and held texts known by number only.
    fn window_findings(&self) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        let counted = self.state.registry.held_counted();
        if counted > 0 {
            findings.push(Finding::new("held_counted", counted.to_string(), "none"));
        }
        // rules of users that no block can hold: too long, or with characters that hide (R3, R5)
        findings.extend(self.state.long_rules.iter().map(|seq| Finding::new("rule_kept_in_message", seq.to_string(), "kept")));
        // changes of rules that a person has not seen yet (R7)
        for revision in self.state.registry.revisions() {
            let repair = if revision.kind == RevisionKind::Loosened { "applied" } else { "held" };
            findings.push(Finding::new(revision.kind.as_str(), revision.old.name(), repair));
        }
        let more = self.state.registry.revisions_counted();
        if more > 0 {
            findings.push(Finding::new("revisions_counted", more.to_string(), "none"));
        }
        let withheld = Markers::tombstones(&self.state.registry)?;
        for event in self.state.shown() {
            let replaced = event.message.read_texts().any(|(_, text)| withheld.found_in(text));
            if self.state.log.imitates(event.seq) {
                findings.push(Finding::new("block_imitation", event.seq.to_string(), "none"));
            }
            if replaced {
                findings.push(Finding::new("replaced_rule_in_tail", event.seq.to_string(), "notice"));
            }
        }
        Ok(findings)
    }

    /// The notices of the memory message: a line for each kind, within `Limits::notices`.
    pub(super) fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        let (mut spans, mut first) = (Vec::new(), None);
        let segments = &self.state.ledger.segments;
        for (at, segment) in segments.iter().enumerate().filter(|(_, segment)| segment.frozen) {
            let from = *first.get_or_insert(segment.turns.0);
            if segments.get(at + 1).is_none_or(|next| !next.frozen) {
                spans.push(format!("{from}-{}", segment.turns.1));
                first = None;
            }
        }
        if !spans.is_empty() {
            let turns = self.listed(spans);
            notices.push(format!(
                "{NOTICE} Turns {turns} are known only through a lossy summary; do not rely on details from them, ask or re-read."
            ));
        }
        let overflow = self.rule_counts().overflow;
        if overflow > 0 {
            notices.push(format!("{NOTICE} {overflow} rules said in conversation did not fit and are not in force; read them in the review queue or by recall."));
        }
        if let Ok(withheld) = Markers::tombstones(&self.state.registry) {
            let mut names = crate::ordered::Set::new();
            for event in self.state.shown() {
                for part in &event.message.parts {
                    names.extend(withheld.all_in(part.text()).map(|(digest, _)| digest.name()));
                }
            }
            if !names.is_empty() {
                let names = self.listed(names.iter().cloned().collect());
                notices.push(format!("{NOTICE} Rules that still stand in messages below and are no longer in force: {names}."));
            }
        }
        notices
    }

    /// The last of `names` that fit into a notice, and how many more there are.
    fn listed(&self, mut names: Vec<String>) -> String {
        let (mut shown, mut size) = (0, 0);
        for name in names.iter().rev() {
            size += tokens::estimate(name) + 1;
            // one always stands there
            if shown > 0 && size > self.state.limits.window / 100 {
                break;
            }
            shown += 1;
        }
        let more = names.len().saturating_sub(shown);
        let mut listed = names.split_off(more);
        if more > 0 {
            listed.push(format!("[{more} more]"));
        }
        listed.join(", ")
    }

    /// Tokens at the start of the window that are as before a commit: the head, the block where it is the same, and then
    /// the pieces of the memory message up to the first that is not.
    fn stable_prefix(&self, block_before: Digest, pieces_before: &[String]) -> u32 {
        let registry = &self.state.registry;
        let head = self.state.log.range(0, self.state.log.head()).iter().map(|event| event.tokens).sum();
        if registry.block_digest() != block_before {
            return head;
        }
        let same = pieces_before.iter().zip(&self.state.ledger.pieces).take_while(|(before, now)| before == now);
        let pieces: u32 = same.map(|(_, piece)| tokens::estimate(piece)).sum();
        head.saturating_add(registry.block_tokens()).saturating_add(pieces)
    }
}

/// The texts of user and system messages, without tool results and attachments.
fn said(shape: Shape, messages: &[Value]) -> Vec<String> {
    let read = messages.iter().filter_map(|message| shape::read(shape, message, 0).ok());
    let spoken = read.filter(|message| message.role == Role::User || message.role.is_system());
    spoken.flat_map(|message| message.parts).filter_map(|part| if let Part::Text(text) = part { Some(text) } else { None }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guard::ObserveOptions;
    use crate::policy::Policy;
    use crate::summary::Summary;
    use crate::text::scan::READ;

    /// Adds so many turns; gives back how many bytes the user said.
    fn talk(guard: &mut Guard, turns: u32) -> usize {
        let mut said = 0;
        for turn in 0..turns {
            let text = format!("Please look at batch {turn}.\n> it failed\n\n{}", "412 rows are left of it: read them.\n".repeat(20));
            said += text.len();
            for (role, text) in [("user", text), ("assistant", "They were read, no row differs. ".repeat(20))] {
                let message = Value::from_iter([("role", role), ("content", text.as_str())]);
                guard.observe(&message, &ObserveOptions::default()).unwrap();
            }
        }
        said
    }

    /// Plans and commits; gives back how many bytes were scanned for either.
    fn compacted(guard: &mut Guard) -> [usize; 2] {
        let before = READ.get();
        let plan = guard.plan(None).unwrap();
        let planned = READ.get();
        let summary = Some(Summary { text: "Nothing of note.".to_owned(), finish_reason: None });
        let answers: Summaries = plan.requests.iter().map(|request| (request.id.clone(), summary.clone())).collect();
        assert!(!answers.is_empty());
        guard.commit(&plan, &answers).unwrap();
        [planned - before, READ.get() - planned]
    }

    #[test]
    fn whose_words_a_text_is_made_of_is_read_once() {
        let mut guard = Guard::new(Policy::for_window(20_000), None).unwrap();
        let said = talk(&mut guard, 40);
        let [planned, committed] = compacted(&mut guard);
        assert!(planned <= said && planned * 2 > said, "{planned} of {said}");
        // the answer itself, a few times
        assert!(committed < 400, "{committed}");
        let new = talk(&mut guard, 10);
        let [planned, committed] = compacted(&mut guard);
        assert!(planned <= 2 * new && committed < 400, "{planned} and {committed} after {new} more");
    }
}
