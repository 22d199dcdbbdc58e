//! Do the decisions of a source stand in its summary with their polarity and their reason?
//!
//! [`check`] aligns each decision with the sentence of the summary that has most of its topic, and compares what that
//! sentence says of it: `flipped` (rejected became accepted, postponed became decided, or the polarity is not said any
//! more), `reason_lost`, `reason_changed`, `dropped`. [`decisions`] finds the decisions of a text.
//!
//! ```
//! # use standfast::{check::decisions::{check, decisions, Fault}, Polarity};
//! let made = decisions("We rejected the second queue because it doubles the latency.");
//! assert_eq!(made[0].polarity, Polarity::Rejected);
//! assert!(check(&made, "No second queue: latency would double.").is_empty());
//! assert_eq!(check(&made, "The second queue doubles the latency.")[0].fault, Fault::Flipped);
//! ```

mod polarity;
#[cfg(test)]
mod tests;

use self::polarity::{Clause, Reading, clauses, reads};
use super::lexicon::{DOUBTS, MAY_WAIT, NEGATES, PUTS_OFF, REFUSES, TAKES};
use super::statement::{halves, statements, unquoted};
use super::stems::{Postings, Stem, count, has, is_number, sorted, stems};
use crate::item::Zone;
use crate::task::Polarity;

/// A decision and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision<'a> {
    /// What was decided on; the whole sentence where nothing shorter is known.
    pub topic: &'a str,
    /// Accepted, rejected or deferred.
    pub polarity: Polarity,
    /// Why; empty where nothing was said.
    pub reason: &'a str,
}

/// What happened to a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Another polarity, or none.
    Flipped,
    /// The reason is not there.
    ReasonLost,
    /// The reason has another number.
    ReasonChanged,
    /// Nothing is said of it.
    Dropped,
}

/// A decision that did not come through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding<'a> {
    /// Its place among the decisions.
    pub decision: usize,
    /// What happened.
    pub fault: Fault,
    /// The sentence of the summary it is about; empty where there is none.
    pub evidence: &'a str,
}

/// Weight of a stem that only one decision has; what two have tells them little apart.
const WEIGHT: u32 = 12;

/// The decisions that a summary does not render as they were made.
#[must_use]
pub fn check<'a>(decisions: &[Decision<'_>], summary: &'a str) -> Vec<Finding<'a>> {
    let mut out = Vec::new();
    let mut topics = Vec::new();
    let mut owners = Postings::default();
    for (number, decision) in decisions.iter().enumerate() {
        let topic = topic_of(decision);
        for stem in &topic {
            owners.add(*stem, number);
        }
        topics.push(topic);
    }
    owners.seal();
    let mut sentences: Vec<Sentence<'a>> = Vec::new();
    let mut places = Postings::default();
    for statement in statements(summary) {
        let text = statement.span.of(summary);
        let stems = sorted(stems(text));
        for stem in &stems {
            places.add(*stem, sentences.len());
        }
        sentences.push(Sentence { text, clauses: clauses(text), stems });
    }
    places.seal();
    let weight = |stem: Stem| {
        let owners = u32::try_from(owners.between(stem, stem).len()).unwrap_or(WEIGHT).clamp(1, 4);
        WEIGHT / (owners * owners).min(WEIGHT)
    };
    for (number, (decision, topic)) in decisions.iter().zip(&topics).enumerate() {
        let total: u32 = topic.iter().map(|stem| weight(*stem)).sum();
        let scored = places.near(topic, &weight);
        let best = scored.iter().map(|(_, score)| *score).max().unwrap_or_default();
        let mut evidence = "";
        // a whole sentence as a topic need not come back in thirds
        let fault = if best * 3 < total && best < 2 * WEIGHT {
            Some(Fault::Dropped)
        } else {
            let mut about = Vec::new();
            for (at, score) in scored {
                if score == best && about.len() < 8 {
                    about.push(usize::try_from(at).unwrap_or(usize::MAX));
                }
            }
            evidence = about.first().and_then(|at| sentences.get(*at)).map_or("", |sentence| sentence.text);
            judge(decision, topic, &sentences, &about)
        };
        if let Some(fault) = fault.filter(|_| total > 0) {
            out.push(Finding { decision: number, fault, evidence });
        }
    }
    out
}

/// The decisions of a text that are its author's: sentences that say that something was chosen, refused or put off.
#[must_use]
pub fn decisions(text: &str) -> Vec<Decision<'_>> {
    told(text).into_iter().map(|(_, decision)| decision).collect()
}

/// The same with the whole sentence of each.
#[must_use]
pub fn told(text: &str) -> Vec<(&str, Decision<'_>)> {
    let mut out = Vec::new();
    for statement in halves(text) {
        if statement.zone == Zone::Own && polarity::decides(&unquoted(text, statement)) {
            let line = statement.span.of(text);
            out.push((line, read(line)));
        }
    }
    out
}

/// A text that is known to tell one decision.
#[must_use]
pub fn read(text: &str) -> Decision<'_> {
    let (topic, reason) = polarity::split_reason(text);
    Decision { topic, polarity: reads(&clauses(text), &[], false).alone(), reason }
}

/// The stems that name the decision: of its topic, without the words that say what became of it. Sorted.
fn topic_of(decision: &Decision<'_>) -> Vec<Stem> {
    let mut all = Vec::new();
    for clause in clauses(decision.topic) {
        clause.topic(&mut all);
    }
    sorted(if all.is_empty() { stems(decision.topic) } else { all })
}

/// One sentence of the summary.
struct Sentence<'a> {
    text: &'a str,
    clauses: Vec<Clause<'a>>,
    /// Sorted.
    stems: Vec<Stem>,
}

fn judge(decision: &Decision<'_>, topic: &[Stem], sentences: &[Sentence<'_>], about: &[usize]) -> Option<Fault> {
    let refusal = polarity::is_refusal(decision.topic);
    let source = reads(&clauses(decision.topic), &[], refusal);
    let mut kept = false;
    for at in about {
        let Some(sentence) = sentences.get(*at) else { continue };
        let mut read = reads(&sentence.clauses, topic, refusal);
        if let Some(next) = sentences.get(at + 1).filter(|next| next.clauses.first().is_some_and(Clause::goes_on)) {
            read.far |= reads(&next.clauses, &[], refusal).far;
        }
        kept |= keeps(decision.polarity, read, source);
    }
    if kept { reason_fault(decision, topic, sentences, about) } else { Some(Fault::Flipped) }
}

/// Whether what a summary says of a topic is what was decided.
fn keeps(polarity: Polarity, read: Reading, source: Reading) -> bool {
    let near = |class: u64| read.near & class != 0;
    let far = |class: u64| read.far & class != 0;
    match polarity {
        // a topic that is itself a refusal ("no force pushes") is accepted by refusing
        Polarity::Accepted => !near(REFUSES | NEGATES | PUTS_OFF | DOUBTS) || source.near & (REFUSES | NEGATES | PUTS_OFF) != 0,
        Polarity::Rejected => near(REFUSES | NEGATES) || (far(REFUSES | NEGATES) && !near(TAKES | PUTS_OFF)),
        Polarity::Deferred => (near(PUTS_OFF | MAY_WAIT) || (far(PUTS_OFF | MAY_WAIT) && !near(TAKES))) && !near(REFUSES),
    }
}

fn reason_fault(decision: &Decision<'_>, topic: &[Stem], sentences: &[Sentence<'_>], about: &[usize]) -> Option<Fault> {
    let mut wanted = stems(decision.reason);
    wanted.retain(|stem| !has(topic, *stem));
    let mut around = Vec::new();
    for at in about {
        for sentence in sentences.iter().skip(at.saturating_sub(1)).take(2 + usize::from(*at > 0)) {
            around.extend_from_slice(&sentence.stems);
        }
    }
    let around = sorted(around);
    let held = count(&around, &wanted);
    if held * 4 < wanted.len() {
        return Some(Fault::ReasonLost);
    }
    // its number is not there, and another one is
    let mut mine = wanted.clone();
    mine.retain(|stem| is_number(*stem));
    let other = around.iter().any(|stem| is_number(*stem) && !mine.contains(stem) && !topic.contains(stem));
    (!mine.is_empty() && other && count(&around, &mine) == 0).then_some(Fault::ReasonChanged)
}
