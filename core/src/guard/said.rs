//! What an event says: rules that are put in force or change others, texts to be held, entries of the task state.

use super::{Guard, Observed};
use crate::digest::Digest;
use crate::item::{Span, Zone};
use crate::pinned;
use crate::registry::{Changed, Origin, Promotion, QUOTED};
use crate::triage;
use crate::trust::{INVARIANT_SOURCES, Trust};

/// Longest sentence beside a rule that is read for a word of change, in bytes.
const BESIDE: usize = 80;

impl Guard {
    pub(super) fn triage(&mut self, seq: u32, turn: u32, in_head: bool, flags: &mut Vec<String>, observed: &mut Observed) {
        let Some(event) = self.state.log.event(seq) else { return };
        if event.message.foreign_summary || in_head {
            return;
        }
        let (trust, source, principal) = (event.trust, event.source.clone(), event.principal.clone());
        let texts: Vec<(Trust, String)> = event.message.read_texts().map(|(part, text)| (part.trust(trust), text.to_owned())).collect();
        if self.state.log.imitates(seq) {
            flags.push("block_imitation".to_owned());
        }
        let origin = |trust, source| Origin { trust, source, seq, turn, principal: principal.as_deref() };
        for (trust, text) in &texts {
            match *trust {
                trust if trust.has_authority() && INVARIANT_SOURCES.contains(&source.as_str()) => {
                    self.promote(text, Span::new(0, text.len()), origin(trust, &source), flags, observed);
                }
                Trust::Operator | Trust::User => {
                    for found in self.own_rules(text, origin(*trust, &source), flags, observed) {
                        let span = found.of(text);
                        let restricts = triage::restricts(span);
                        observed.held += u32::from(self.state.registry.hold(span, origin(Trust::External, QUOTED), restricts));
                    }
                }
                Trust::External => {
                    for found in triage::candidates(text, &self.state.pattern) {
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
    /// rules in somebody else's.
    fn own_rules(&mut self, text: &str, origin: Origin<'_>, flags: &mut Vec<String>, observed: &mut Observed) -> Vec<Span> {
        let mut promoted: Vec<Span> = Vec::new();
        let mut quoted = Vec::new();
        for found in triage::candidates(text, &self.state.pattern) {
            if found.zone == Zone::Own {
                self.promote(text, found.span, origin, flags, observed);
                promoted.push(found.span);
            } else {
                quoted.push(found.span);
            }
        }
        if origin.trust == Trust::User && self.state.registry.has_promoted() {
            for found in triage::releases(text) {
                let apart = promoted.iter().all(|span| span.end <= found.span.start || found.span.end <= span.start);
                if apart && found.zone == Zone::Own {
                    let before = self.state.block_tokens();
                    let limits = self.state.limits;
                    let changed = self.state.registry.rescind(found.span.of(text), origin, &limits);
                    self.note_change(&changed, before, flags);
                }
            }
        }
        quoted
    }

    /// Looks for rules, and for texts to be held, in an event that was put into the log without being observed.
    pub(super) fn triage_said(&mut self, seq: u32) {
        let Some(event) = self.state.log.event(seq).filter(|event| !event.message.foreign_summary).cloned() else { return };
        for part in event.message.parts.iter().filter(|part| part.trust(event.trust).has_authority()) {
            for found in triage::candidates(part.text(), &self.state.pattern).into_iter().filter(|found| found.zone == Zone::Own) {
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
        let Some(event) = self.state.log.event(seq).filter(|event| !event.message.foreign_summary).cloned() else { return };
        for (part, text) in event.message.read_texts() {
            let trust = part.trust(event.trust);
            let own = trust.has_authority();
            let source = if own { QUOTED } else { event.source.as_str() };
            if trust == Trust::Agent || own && INVARIANT_SOURCES.contains(&event.source.as_str()) {
                continue;
            }
            for found in triage::candidates(text, &self.state.pattern).iter().filter(|found| !own || found.zone != Zone::Own) {
                let span = found.span.of(text);
                let origin = Origin { trust: Trust::External, source, seq, turn: event.turn, principal: None };
                self.state.registry.hold_again(span, origin, triage::restricts(span));
            }
        }
    }

    fn promote(&mut self, whole: &str, span: Span, origin: Origin<'_>, flags: &mut Vec<String>, observed: &mut Observed) {
        let text = span.of(whole);
        let before = self.state.block_tokens();
        let around = [self.beside(sentence_before(whole, span)), self.beside(sentence_behind(whole, span))];
        match self.state.registry.promote(text, around, origin, &self.state.limits) {
            Promotion::Promoted(name, changed) => {
                flags.push("undeclared_rule".to_owned());
                if self.state.registry.get(pinned::fingerprint(text)).is_some_and(|rule| rule.lookalike_of.is_some()) {
                    flags.push("lookalike".to_owned());
                }
                self.note_change(&changed, before, flags);
                observed.promoted.push(name);
            }
            Promotion::Known(_) => {}
            Promotion::Overflow(_) | Promotion::Counted => flags.push("promotion_overflow".to_owned()),
            Promotion::Asked => flags.push("loosening_held".to_owned()),
            Promotion::TooLong => {
                flags.push("rule_span_too_long".to_owned());
                if self.state.long_rules.last() != Some(&origin.seq) {
                    self.state.long_rules.push(origin.seq);
                }
            }
            Promotion::Refused(code) => {
                // it may be a rule although it cannot stand in the block: its event stays whole (R3)
                flags.push(code.as_str().to_owned());
                if self.state.long_rules.last() != Some(&origin.seq) {
                    self.state.long_rules.push(origin.seq);
                }
            }
            Promotion::Tombstone(_) => flags.push("replaced_rule_repeated".to_owned()),
        }
    }

    /// A sentence beside a rule, where it is short and no rule itself.
    fn beside<'t>(&self, sentence: &'t str) -> &'t str {
        if sentence.len() > BESIDE || self.state.pattern.find(sentence).is_some() { "" } else { sentence }
    }

    /// Draws the consequences of what a user's words did to older rules; the block held `before` tokens.
    fn note_change(&mut self, changed: &Changed, before: u32, flags: &mut Vec<String>) {
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
        self.state.meter.shift(before, after);
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
