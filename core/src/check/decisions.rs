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
use super::statement::{halves, statements, unquoted};
use super::stems::{Stem, StemSet, stems};
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
const WEIGHT: usize = 12;

/// The decisions that a summary does not render as they were made.
#[must_use]
pub fn check<'a>(decisions: &[Decision<'_>], summary: &'a str) -> Vec<Finding<'a>> {
    let topics: Vec<Vec<Stem>> = decisions.iter().map(|decision| topic_of(decision)).collect();
    let mut all: Vec<Stem> = topics.iter().flatten().copied().collect();
    all.sort_unstable();
    let sentences: Vec<Sentence<'a>> = statements(summary).into_iter().map(|statement| Sentence::of(statement.span.of(summary))).collect();
    let index = postings(&sentences);
    let mut out = Vec::new();
    for (number, (decision, topic)) in decisions.iter().zip(&topics).enumerate() {
        let owners = |stem: &Stem| all.partition_point(|s| s <= stem) - all.partition_point(|s| s < stem);
        let weight = |stem: &Stem| WEIGHT / owners(stem).clamp(1, WEIGHT).pow(2).min(WEIGHT);
        let total: usize = topic.iter().map(weight).sum();
        if total == 0 {
            continue;
        }
        let scored = score(topic, &weight, &sentences, &index);
        let best = scored.iter().map(|(_, score)| *score).max().unwrap_or_default();
        // a whole sentence as a topic need not come back in thirds
        if best * 3 < total && best < 2 * WEIGHT {
            out.push(Finding { decision: number, fault: Fault::Dropped, evidence: "" });
            continue;
        }
        let about: Vec<usize> = scored.iter().filter(|(_, score)| *score == best).map(|(at, _)| *at).take(8).collect();
        let topic = StemSet::from(topic.clone());
        let fault = judge(decision, &topic, &sentences, &about);
        let first = about.first().and_then(|at| sentences.get(*at));
        out.extend(fault.zip(first).map(|(fault, sentence)| Finding { decision: number, fault, evidence: sentence.text }));
    }
    out
}

/// The decisions of a text that are its author's: sentences that say that something was chosen, refused or put off.
#[must_use]
pub fn decisions(text: &str) -> Vec<Decision<'_>> {
    let mut out = Vec::new();
    let own = statements(text).into_iter().filter(|statement| statement.zone == Zone::Own);
    for statement in own.flat_map(|statement| halves(text, statement)) {
        let sentence = statement.span.of(text);
        if !polarity::decides(&unquoted(text, statement)) {
            continue;
        }
        out.push(read(sentence));
    }
    out
}

/// A text that is known to tell one decision.
#[must_use]
pub fn read(text: &str) -> Decision<'_> {
    let (topic, reason) = polarity::split_reason(text);
    Decision { topic, polarity: reads(&clauses(text), None, false).alone(), reason }
}

/// The stems that name the decision: of its topic, without the words that say what became of it.
fn topic_of(decision: &Decision<'_>) -> Vec<Stem> {
    let mut all = Vec::new();
    for clause in clauses(decision.topic) {
        all.extend(clause.topic());
    }
    if all.is_empty() {
        all = stems(decision.topic);
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// One sentence of the summary.
struct Sentence<'a> {
    text: &'a str,
    clauses: Vec<Clause<'a>>,
    stems: Vec<Stem>,
}

impl<'a> Sentence<'a> {
    fn of(text: &'a str) -> Self {
        Self { text, clauses: clauses(text), stems: stems(text) }
    }

    /// Whether it goes on about what the one before it was about.
    fn continues(&self) -> bool {
        self.clauses.first().is_some_and(|clause| clause.goes_on())
    }
}

/// Each stem of the sentences with its sentence, sorted.
fn postings(sentences: &[Sentence<'_>]) -> Vec<(Stem, usize)> {
    let mut out: Vec<(Stem, usize)> = Vec::new();
    for (at, sentence) in sentences.iter().enumerate() {
        out.extend(sentence.stems.iter().map(|stem| (*stem, at)));
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// Most sentences looked at for one stem: a stem that more have says little.
const SENTENCES: usize = 256;

/// The sentences that have something of a topic, with the weight of what they have.
fn score(topic: &[Stem], weight: &dyn Fn(&Stem) -> usize, sentences: &[Sentence<'_>], index: &[(Stem, usize)]) -> Vec<(usize, usize)> {
    let mut hits: Vec<(usize, usize)> = Vec::new();
    for stem in topic {
        for known in stem.forms() {
            let from = index.partition_point(|(other, _)| *other < known.0);
            let same = index.iter().skip(from).take_while(|(other, _)| *other <= known.1).take(SENTENCES);
            hits.extend(same.filter(|(other, _)| other.alike(*stem)).map(|(_, at)| (*at, weight(stem))));
        }
    }
    hits.sort_unstable();
    let mut out: Vec<(usize, usize)> = Vec::new();
    for (at, weight) in hits {
        match out.last_mut() {
            Some((last, sum)) if *last == at => *sum += weight,
            _ => out.push((at, weight)),
        }
    }
    debug_assert!(out.iter().all(|(at, _)| *at < sentences.len()));
    out
}

fn judge(decision: &Decision<'_>, topic: &StemSet, sentences: &[Sentence<'_>], about: &[usize]) -> Option<Fault> {
    let own = polarity::is_refusal(decision.topic);
    let source = reads(&clauses(decision.topic), None, own);
    let mut kept = false;
    for at in about {
        let Some(sentence) = sentences.get(*at) else { continue };
        let mut read = reads(&sentence.clauses, Some(topic), own);
        if let Some(next) = sentences.get(at + 1).filter(|next| next.continues()) {
            read.and(&reads(&next.clauses, None, own));
        }
        kept |= keeps(decision.polarity, &read, &source);
    }
    if !kept {
        return Some(Fault::Flipped);
    }
    reason_fault(decision, topic, sentences, about)
}

/// Whether what a summary says of a topic is what was decided.
fn keeps(polarity: Polarity, read: &Reading, source: &Reading) -> bool {
    match polarity {
        // a topic that is itself a refusal ("no force pushes") is accepted by refusing
        Polarity::Accepted => {
            let other = read.near.refuses() || read.near.puts_off || read.near.doubts;
            !other || source.near.refuses() || source.near.puts_off
        }
        Polarity::Rejected => read.near.refuses() || (read.far.refuses() && !read.near.takes && !read.near.puts_off),
        Polarity::Deferred => {
            let waits = read.near.waits() || (read.far.waits() && !read.near.takes);
            waits && !read.near.drops
        }
    }
}

fn reason_fault(decision: &Decision<'_>, topic: &StemSet, sentences: &[Sentence<'_>], about: &[usize]) -> Option<Fault> {
    let wanted: Vec<Stem> = stems(decision.reason).into_iter().filter(|stem| !topic.has(*stem)).collect();
    if wanted.is_empty() {
        return None;
    }
    let mut around = Vec::new();
    for at in about {
        let from = at.saturating_sub(1);
        around.extend(sentences.iter().skip(from).take(at + 2 - from).flat_map(|sentence| sentence.stems.iter().copied()));
    }
    let digits = |list: &[Stem]| list.iter().copied().filter(|stem| stem.is_number()).collect::<Vec<_>>();
    let (theirs, around) = (digits(&around), StemSet::from(around));
    let held = around.count(&wanted);
    if held * 4 < wanted.len() || held == 0 {
        return Some(Fault::ReasonLost);
    }
    let mine = digits(&wanted);
    let other = |stem: &Stem| !mine.contains(stem) && !topic.has(*stem);
    (!mine.is_empty() && around.count(&mine) == 0 && theirs.iter().any(other)).then_some(Fault::ReasonChanged)
}
