//! Trigger, plan, commit, window, assertion: one turn of the cycle, each step with its receipt.

use serde_json::Value;

use super::Guard;
use crate::check::presence::{self, Outgoing};
use crate::commit::{self, Committed, Summaries};
use crate::digest::Digest;
use crate::error::{Code, Error, Result};
use crate::event::Part;
use crate::extract;
use crate::markers::{Markers, Stands};
use crate::plan::{self, Plan};
use crate::receipt::{Alarm, Finding, Outcome, Receipt};
use crate::rule::Rule;
use crate::shape::{self, Shape};
use crate::task::Sections;
use crate::text::sentinel;
use crate::tokens;
use crate::trigger::{self, Asked, Situation, Verdict};
use crate::window::{self, Window};

impl Guard {
    /// Whether to compact now, and why.
    ///
    /// # Errors
    /// `guard_closed`, `tail_not_attached`.
    pub fn should_compact(&mut self) -> Result<Verdict> {
        self.attached()?;
        let verdict = self.verdict(None);
        self.receipt =
            Receipt { reason: verdict.reason.clone(), tokens_in: verdict.used, tokens_out: verdict.used, ..self.blank_receipt() };
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

    /// The window as it is now, without compacting.
    ///
    /// # Errors
    /// `guard_closed`, `tail_not_attached`.
    pub fn window(&mut self) -> Result<Window> {
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
        self.receipt = receipt;
        Ok(self.render())
    }

    fn render(&mut self) -> Window {
        let (slots, system) = window::slots(&self.state);
        let n = u32::try_from(slots.len()).unwrap_or(u32::MAX);
        self.receipt.messages_out = n;
        if self.receipt.outcome != Outcome::Compacted {
            self.receipt.messages_in = n;
        }
        Window { slots, system, pinned: self.state.registry.block(), receipt: self.receipt.clone() }
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
        self.attached()?;
        let committed = match commit::apply(&self.state, plan, summaries) {
            Ok(committed) => committed,
            Err(error) => {
                self.note_loss(&error);
                return Err(error);
            }
        };
        if plan.is_empty() {
            let used = self.state.meter.used();
            let receipt = Receipt {
                outcome: Outcome::NothingToDo,
                reason: plan.reason.clone(),
                tokens_in: used,
                tokens_out: used,
                ..self.blank_receipt()
            };
            self.receipt = receipt;
            return Ok(self.render());
        }
        let before = self.prefix();
        let messages_in = u32::try_from(window::slots(&self.state).0.len()).unwrap_or(u32::MAX);
        let tokens_in = self.state.meter.used();
        let Committed { ledger, registry, mut findings, method, segments, density } = committed;
        self.state.registry = registry;
        self.state.ledger = ledger;
        let notices = self.notices();
        self.state.ledger.pieces = window::memory(&self.state, &self.state.ledger, &notices);
        self.state.generation += 1;
        let estimate = self.state.window_tokens();
        let boundary = plan.reason.starts_with("boundary:").then_some(true).or((plan.reason == "headroom_backstop").then_some(false));
        let per = |tokens: u32, n: u32| u32::try_from(u64::from(tokens) * 1_000 / u64::from(n.max(1))).unwrap_or(u32::MAX);
        self.state.meter.committed(estimate, boundary, density.map(|(tokens, events, source)| (per(tokens, events), per(tokens, source))));
        findings.extend(self.window_findings()?);
        if plan.tail_over_budget {
            findings.push(Finding::new("tail_over_budget", plan.cut.to_string(), "kept"));
        }
        if tokens::estimate(&self.state.task.render(Sections::Filled)) > self.state.limits.task_state {
            findings.push(Finding::new("task_state_large", "task", "none"));
        }
        let receipt = Receipt {
            outcome: Outcome::Compacted,
            reason: plan.reason.clone(),
            method,
            messages_in,
            tokens_in,
            tokens_out: self.state.meter.used(),
            stable_prefix_tokens: stable(&before, &self.prefix()),
            segments,
            shortened: plan.shortened.clone(),
            items: plan.items.clone(),
            findings,
            alarms: self.alarms(),
            ..self.blank_receipt()
        };
        self.receipt = receipt;
        Ok(self.render())
    }

    /// The built-in extractive summary of one request of a plan.
    ///
    /// # Errors
    /// `unknown_request`.
    pub fn extract(&self, plan: &Plan, request_id: &str) -> Result<String> {
        self.open()?;
        let request = plan.requests.iter().find(|request| request.id == request_id);
        let request = request.ok_or_else(|| Error::new(Code::UnknownRequest, "the plan has no such request"))?;
        Ok(extract::of_request(&request.text, request.budget_tokens))
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
        let other = shape::all_texts(messages);
        let active = self.state.registry.active();
        let (pinned, fresh): (Vec<&Rule>, Vec<&Rule>) = active.into_iter().partition(|rule| rule.pinned);
        let outgoing = Outgoing { system: &system_texts, other: &other };
        let result = presence::assert_request(outgoing, &self.state.registry.block(), &pinned, &fresh);
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
        let block = self.state.registry.block();
        Receipt {
            round: self.state.ledger.round,
            reason: "continue".to_owned(),
            turn_index: self.state.log.turns(),
            rules: self.rule_counts(),
            pinned_digest: if block.is_empty() { String::new() } else { Digest::of(&block).hex() },
            covered: self.state.ledger.covered(),
            degraded: self.state.degraded(),
            undeclared: self.state.registry.undeclared().clone(),
            ..Receipt::default()
        }
    }

    fn alarms(&self) -> Vec<Alarm> {
        let warn = |kind: &str, detail: String| Alarm { kind: kind.to_owned(), severity: "warn".to_owned(), detail };
        let mut alarms = Vec::new();
        if let Some((backstops, boundaries)) = self.state.meter.boundary_ratio() {
            alarms.push(warn("boundary_ratio", format!("{backstops} backstops to {boundaries} boundaries")));
        }
        let (round, tested) = (self.state.ledger.round, self.state.policy.tested_rounds);
        if round > tested {
            alarms.push(warn("untested_round", format!("round {round}, tested {tested}")));
        }
        if let Some((then, now)) = self.state.meter.drift() {
            alarms.push(warn("drift", format!("{now} after {then} summary tokens per thousand events")));
        }
        alarms
    }

    /// What is worth saying about the host's own messages in the window (W5, R8).
    fn window_findings(&self) -> Result<Vec<Finding>> {
        let mut findings = Vec::new();
        let withheld = Markers::tombstones(&self.state.registry)?;
        for event in self.state.shown() {
            let texts = event
                .message
                .parts
                .iter()
                .filter(|part| matches!(part, Part::Text(_) | Part::Attached(_) | Part::Result { .. }))
                .map(Part::text);
            let (mut imitates, mut replaced) = (false, false);
            for text in texts {
                imitates |= sentinel::has_imitation(text);
                replaced |= withheld.apply(text).replaced.iter().any(|(_, stands)| *stands == Stands::Withheld);
            }
            if imitates {
                findings.push(Finding::new("block_imitation", event.seq.to_string(), "none"));
            }
            if replaced {
                findings.push(Finding::new("replaced_rule_in_tail", event.seq.to_string(), "notice"));
            }
        }
        Ok(findings)
    }

    /// The notices of the memory message.
    pub(super) fn notices(&self) -> Vec<String> {
        let mut notices = Vec::new();
        for segment in self.state.ledger.segments.iter().filter(|segment| segment.frozen) {
            let (a, b) = segment.turns;
            notices.push(format!(
                "[memory notice] Turns {a}-{b} are known only through a lossy summary; do not rely on details from them, ask or re-read."
            ));
        }
        let overflow = self.rule_counts().overflow;
        if overflow > 0 {
            notices.push(format!("[memory notice] {overflow} rules said in conversation did not fit and are not in force; read them in the review queue or by recall."));
        }
        if let Ok(withheld) = Markers::tombstones(&self.state.registry) {
            let mut names = std::collections::BTreeSet::new();
            for event in self.state.shown() {
                for part in &event.message.parts {
                    names.extend(withheld.apply(part.text()).replaced.into_iter().map(|(digest, _)| digest.name()));
                }
            }
            notices.extend(
                names.iter().map(|name| format!("[memory notice] Rule {name} still stands in a message below and is no longer in force.")),
            );
        }
        notices
    }

    /// The beginning of the window in pieces, for comparing before and after.
    fn prefix(&self) -> Vec<(Digest, u32)> {
        let head = self.state.log.range(0, self.state.log.head()).iter().map(|event| (event.digest, event.tokens));
        let block = self.state.registry.block();
        let block = (!block.is_empty()).then(|| (Digest::of(&block), tokens::estimate(&block)));
        let pieces = self.state.ledger.pieces.iter().map(|piece| (Digest::of(piece), tokens::estimate(piece)));
        head.chain(block).chain(pieces).collect()
    }
}

/// Tokens of the pieces that are the same from the start on.
fn stable(before: &[(Digest, u32)], after: &[(Digest, u32)]) -> u32 {
    before.iter().zip(after).take_while(|(a, b)| a.0 == b.0).map(|(_, b)| b.1).sum()
}
