//! What an event says: rules that are put in force or change others, texts to be held, entries of the task state.

use super::observe::is_memory;
use super::{DeclareOptions, Guard, Observed};
use crate::admission;
use crate::digest::Digest;
use crate::event::{Presence, Role};
use crate::item::{Span, Zone};
use crate::ordered::Set;
use crate::pinned;
use crate::prompt::FRAMES;
use crate::registry::{self, Before, Changed, Origin, Promotion, QUOTED, changes_around, is_correction, only_lifts};
use crate::rule::{Rule, Status};
use crate::shape::{self, Shape};
use crate::state::State;
use crate::triage::{self, PASSING};
use crate::trust::{INVARIANT_SOURCES, Trust};

/// The source of rules that the head declares by its form.
pub(super) const HEAD_SOURCE: &str = "head_constraints";

/// How many messages before a correction are looked at for what it is about.
const LOOKBACK: usize = 8;

/// Longest sentence beside a rule that is read for a word of change, in bytes.
const BESIDE: usize = 80;

impl Guard {
    pub(super) fn triage(&mut self, seq: u32, turn: u32, in_head: bool, flags: &mut Vec<String>, observed: &mut Observed) {
        let Some(event) = self.state.log.event(seq) else { return };
        if is_memory(&event.message) {
            return;
        }
        if in_head {
            self.declare_head(flags);
            return;
        }
        let (trust, source, principal) = (event.trust, event.source.clone(), event.principal.clone());
        let texts: Vec<(Trust, String)> = event.message.read_texts().map(|(part, text)| (part.trust(trust), text.to_owned())).collect();
        if self.state.log.imitates(seq) {
            flags.push("block_imitation".to_owned());
        }
        let origin = |trust, source| Origin { trust, source, seq, turn, principal: principal.as_deref() };
        for (trust, text) in &texts {
            let declared = triage::declared(text);
            if !declared.is_empty() && *trust != Trust::Operator {
                // whoever may not declare does not do so by a fence
                flags.push("self_declared_fence".to_owned());
            }
            // a document's metadata is nobody's own words
            let front = if declared.is_empty() { None } else { text.strip_prefix("---").and_then(|rest| rest.find("\n---")) };
            let front = front.map_or(0, |at| at + 3);
            let always = trust.has_authority() && INVARIANT_SOURCES.contains(&source.as_str());
            match *trust {
                Trust::Operator if !declared.is_empty() => {
                    for rule in declared {
                        self.declare_said(&rule, &source, seq, flags);
                    }
                    self.own_rules(text, front, origin(*trust, &source), flags, observed);
                }
                trust if always => {
                    let whole = Span::new(0, text.len());
                    if !(trust == Trust::User && self.rescind(text, whole, origin(trust, &source), flags)) {
                        self.promote(text, whole, origin(trust, &source), flags, observed);
                    }
                }
                Trust::Operator | Trust::User => {
                    for found in self.own_rules(text, front, origin(*trust, &source), flags, observed) {
                        let span = found.of(text);
                        let restricts = triage::restricts(span);
                        observed.held += u32::from(self.state.registry.hold(span, origin(Trust::External, QUOTED), restricts));
                    }
                }
                Trust::External => {
                    for found in registry::said(text, Role::Tool, Trust::External, &self.state.pattern) {
                        let span = found.span.of(text);
                        observed.held +=
                            u32::from(self.state.registry.hold(span, origin(Trust::External, &source), triage::restricts(span)));
                    }
                }
                Trust::Agent => self.absorb(seq, text, &source, flags),
            }
        }
    }

    /// Promotes the rules of a text in the author's own words and takes back what they take back; returns the places of
    /// rules in somebody else's, and in the first `front` bytes.
    fn own_rules(&mut self, text: &str, front: usize, origin: Origin<'_>, flags: &mut Vec<String>, observed: &mut Observed) -> Vec<Span> {
        let mut promoted: Vec<Span> = Vec::new();
        let mut quoted = Vec::new();
        let user = origin.trust == Trust::User;
        // words beside an imitation of our marks are taken less freely
        let event = self.state.log.event(origin.seq).filter(|_| !self.state.log.imitates(origin.seq));
        let role = event.map_or(Role::System, |event| event.message.role);
        for found in registry::said(text, role, origin.trust, &self.state.pattern) {
            if found.zone == Zone::Own && found.span.start >= front {
                promoted.push(found.span);
                if found.cue == PASSING {
                    let changed = self.state.registry.pass(found.span.of(text), origin);
                    self.note_change(&changed, flags);
                    continue;
                }
                let shaped = !user || self.state.pattern.find(found.span.of(text)).is_some();
                // what only takes an older rule back is no rule
                let changes = !shaped && self.state.registry.has_rules();
                let takes_back = || found.cue == "change" && !triage::releases(found.span.of(text)).is_empty();
                let said = |rule: &Rule| {
                    let own = found.span.of(text);
                    rule.status.is_active() && rule.text.len() > own.len() && rule.text.contains(own)
                };
                if !shaped && self.state.registry.all().any(said) {
                    continue;
                }
                let lifts = user && only_lifts(found.span.of(text));
                if (changes || lifts) && (self.rescind(text, found.span, origin, flags) || lifts || takes_back()) {
                    continue;
                }
                if user && self.correct(text, found.span, origin, flags, observed) {
                    continue;
                }
                let before = observed.promoted.len();
                self.promote(text, found.span, origin, flags, observed);
                if !shaped && observed.promoted.len() > before {
                    flags.push(format!("directive:{}", found.cue));
                }
            } else {
                quoted.push(found.span);
            }
        }
        if user && self.state.registry.has_rules() {
            for found in triage::corrections(text, &is_correction) {
                if promoted.iter().all(|span| span.end <= found.span.start || found.span.end <= span.start) {
                    self.correct(text, found.span, origin, flags, observed);
                    promoted.push(found.span);
                }
            }
            for found in triage::releases(text) {
                let apart = promoted.iter().all(|span| span.end <= found.span.start || found.span.end <= span.start);
                if apart && found.zone == Zone::Own {
                    self.rescind(text, found.span, origin, flags);
                }
            }
        }
        quoted
    }

    /// Takes back what a sentence takes back; says whether it did or would.
    fn rescind(&mut self, text: &str, span: Span, origin: Origin<'_>, flags: &mut Vec<String>) -> bool {
        let limits = self.state.limits;
        let changed = self.state.registry.rescind(span.of(text), origin, &limits);
        self.note_change(&changed, flags);
        !changed.retired.is_empty() || changed.asked || changed.unclear
    }

    /// Corrects the value of an older rule by a sentence that names the new one; says whether it does.
    fn correct(&mut self, text: &str, span: Span, origin: Origin<'_>, flags: &mut Vec<String>, observed: &mut Observed) -> bool {
        let State { registry, log, limits, .. } = &mut self.state;
        let own = Before { seq: origin.seq, user: true, text: text.get(..span.start).unwrap_or_default() };
        let earlier = log.range(0, origin.seq).iter().rev().filter(|event| event.trust != Trust::External).take(LOOKBACK);
        let said = earlier.flat_map(|event| event.message.read_texts().map(move |(_, text)| (event, text)));
        let said = said.map(|(event, text)| Before { seq: event.seq, user: event.message.role == Role::User, text });
        let before: Vec<Before<'_>> = [own].into_iter().chain(said).collect();
        let Some(done) = registry.correct(span.of(text), origin, limits, &before) else { return false };
        if let Some(name) = done.amended {
            flags.extend(["undeclared_rule".to_owned(), "rule_amended".to_owned()]);
            observed.promoted.push(name);
        }
        self.note_change(&done.changed, flags);
        if done.unfit {
            self.keep_whole(origin.seq, flags);
        }
        true
    }

    /// Declares a rule that an operator's message declares by its form. One that cannot be keeps its event whole (R3).
    fn declare_said(&mut self, rule: &str, source: &str, seq: u32, flags: &mut Vec<String>) {
        let options = DeclareOptions { source: source.to_owned(), ..DeclareOptions::default() };
        if let Err(error) = self.declare(rule, &options) {
            flags.push(error.code().as_str().to_owned());
            self.keep_whole(seq, flags);
        }
    }

    /// Keeps an event whole for a rule in it that cannot stand in the block (R3), unless such events would take too much
    /// of the window: then it is counted like what is over budget (R6).
    fn keep_whole(&mut self, seq: u32, flags: &mut Vec<String>) {
        if self.state.long_rules.last() == Some(&seq) {
            return;
        }
        let limits = &self.state.limits;
        let tokens = |seq: &u32| self.state.log.event(*seq).map_or(0, |event| event.tokens);
        let kept = self.state.long_rules.iter().chain([&seq]).map(tokens).fold(0, u32::saturating_add);
        if kept > limits.fixed_part.max(limits.promoted_max.saturating_mul(2)) {
            self.state.registry.count_overflow();
            flags.push("promotion_overflow".to_owned());
        } else {
            self.state.long_rules.push(seq);
        }
    }

    /// Makes what the head and the system slot declare by their form the whole of what they declare.
    pub(super) fn declare_head(&mut self, flags: &mut Vec<String>) {
        let state = &self.state;
        let head = state.log.range(0, state.log.head()).iter();
        // after a restore not all of it may be here yet
        if state.system_told && state.system.is_none() || head.clone().any(|event| event.presence == Presence::Missing) {
            return;
        }
        let spoken =
            head.filter(|event| event.trust == Trust::Operator && event.presence == Presence::Here && !event.message.foreign_summary);
        let mut texts: Vec<String> = spoken
            .flat_map(|event| event.message.read_texts())
            .filter(|(part, _)| part.trust(Trust::Operator) == Trust::Operator)
            .flat_map(|(_, text)| triage::declared(text))
            .collect();
        for text in shape::system_texts(Shape::Anthropic, &[], self.state.system.as_ref()) {
            texts.extend(triage::declared(&text));
        }
        texts.retain(|text| match admission::admit(text, FRAMES) {
            Ok(_) => true,
            Err(error) => {
                flags.push(error.code().as_str().to_owned());
                false
            }
        });
        let wanted: Set<Digest> = texts.iter().map(|text| Digest::of(pinned::trim(text))).collect();
        let ours = |rule: &Rule| rule.status == Status::Declared && !rule.inherited && rule.declared_by.iter().any(|by| by == HEAD_SOURCE);
        let known: Set<Digest> = self.state.registry.all().filter(|rule| ours(rule)).map(|rule| rule.digest).collect();
        if known == wanted {
            return;
        }
        match self.set_rules(HEAD_SOURCE, &texts) {
            Ok(_) => flags.push("head_constraints".to_owned()),
            Err(error) => flags.push(error.code().as_str().to_owned()),
        }
    }

    /// Looks for rules, and for texts to be held, in an event that was put into the log without being observed.
    pub(super) fn triage_said(&mut self, seq: u32) {
        let Some(event) = self.state.log.event(seq).filter(|event| !is_memory(&event.message)).cloned() else { return };
        for part in event.message.parts.iter().filter(|part| part.trust(event.trust).has_authority()) {
            let all = registry::said(part.text(), event.message.role, part.trust(event.trust), &self.state.pattern);
            for found in all.into_iter().filter(|found| found.zone == Zone::Own && found.cue != PASSING) {
                if !self.state.registry.said_again(pinned::trim(found.span.of(part.text())), seq) {
                    let origin = Origin { trust: event.trust, source: &event.source, seq, turn: event.turn, principal: None };
                    self.promote(part.text(), found.span, origin, &mut Vec::new(), &mut Observed::default());
                }
            }
        }
        self.hold_texts(seq);
    }

    /// Holds what a snapshot had only counted, from an event whose text is here again.
    pub(super) fn hold_again(&mut self, seq: u32) {
        if self.state.registry.held_counted() > 0 && seq >= self.state.log.head() {
            self.hold_texts(seq);
        }
    }

    fn hold_texts(&mut self, seq: u32) {
        let Some(event) = self.state.log.event(seq).filter(|event| !is_memory(&event.message)).cloned() else { return };
        for (part, text) in event.message.read_texts() {
            let trust = part.trust(event.trust);
            let own = trust.has_authority();
            let source = if own { QUOTED } else { event.source.as_str() };
            if trust == Trust::Agent || own && INVARIANT_SOURCES.contains(&event.source.as_str()) {
                continue;
            }
            let all = registry::said(text, event.message.role, trust, &self.state.pattern);
            for found in all.iter().filter(|found| !own || found.zone != Zone::Own) {
                let span = found.span.of(text);
                let origin = Origin { trust: Trust::External, source, seq, turn: event.turn, principal: None };
                self.state.registry.hold_again(span, origin, triage::restricts(span));
            }
        }
    }

    fn promote(&mut self, whole: &str, span: Span, origin: Origin<'_>, flags: &mut Vec<String>, observed: &mut Observed) {
        let text = span.of(whole);
        let State { registry, pattern, limits, .. } = &mut self.state;
        let changes_beside = || {
            [sentence_before(whole, span), sentence_behind(whole, span)].iter().any(|sentence| {
                // a short one that is no rule itself
                sentence.len() <= BESIDE && pattern.find(sentence).is_none() && changes_around(sentence)
            })
        };
        match registry.promote(text, &changes_beside, origin, limits) {
            Promotion::Promoted(name, changed) => {
                flags.push("undeclared_rule".to_owned());
                if self.state.registry.get(pinned::fingerprint(text)).is_some_and(|rule| rule.lookalike_of.is_some()) {
                    flags.push("lookalike".to_owned());
                }
                self.note_change(&changed, flags);
                observed.promoted.push(name);
            }
            Promotion::Known(_) => {}
            Promotion::Overflow(_) | Promotion::Counted => flags.push("promotion_overflow".to_owned()),
            Promotion::Asked => flags.push("loosening_held".to_owned()),
            Promotion::TooLong => {
                flags.push("rule_span_too_long".to_owned());
                self.keep_whole(origin.seq, flags);
            }
            Promotion::Refused(code) => {
                // it may be a rule although it cannot stand in the block: its event stays whole (R3)
                flags.push(code.as_str().to_owned());
                self.keep_whole(origin.seq, flags);
            }
            Promotion::Tombstone(_) => flags.push("replaced_rule_repeated".to_owned()),
        }
    }

    /// Draws the consequences of what a user's words did to older rules.
    fn note_change(&mut self, changed: &Changed, flags: &mut Vec<String>) {
        let noted = [
            (!changed.retired.is_empty(), "rule_replaced"),
            (changed.loosened, "loosened"),
            (changed.asked, "loosening_held"),
            (changed.unclear, "unclear_change"),
        ];
        flags.extend(noted.iter().filter(|(is, _)| *is).map(|(_, flag)| (*flag).to_owned()));
        if changed.retired.is_empty() {
            return;
        }
        let after = self.state.block_tokens();
        self.state.meter.shift(changed.block_before, after);
        self.state.generation += 1;
        self.mark_stale(&changed.retired);
    }

    /// Segments that stand for rules which are in force no more, or again, are to be made anew.
    pub(super) fn mark_stale(&mut self, rules: &[Digest]) {
        for digest in rules {
            let seqs = self.state.registry.get(*digest).map_or_else(Vec::new, |rule| self.seqs_of(rule));
            self.state.ledger.mark_stale(&seqs);
        }
    }
}

const ENDS: [char; 8] = ['.', '!', '?', ':', ';', '\n', '。', '！'];

/// The sentence before a place, in the same paragraph.
fn sentence_before(text: &str, span: Span) -> &str {
    let before = text.get(..span.start).unwrap_or_default();
    let line = before.rsplit("\n\n").next().unwrap_or_default().trim_end().trim_end_matches(ENDS);
    line.rsplit(ENDS).next().unwrap_or_default()
}

/// The sentence behind a place, in the same paragraph.
fn sentence_behind(text: &str, span: Span) -> &str {
    let behind = text.get(span.end..).unwrap_or_default();
    let line = behind.split("\n\n").next().unwrap_or_default().trim_start();
    line.split(ENDS).next().unwrap_or_default()
}
