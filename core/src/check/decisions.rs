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

use std::borrow::Cow;

use self::polarity::{Clauses, NAMED, Reading, clauses};
use super::lexicon::{CHANGES, COMPLETES, DECIDES, DOUBTS, LATER, MAY_WAIT, NEGATES, PUTS_OFF, REFUSES, RETAINS, STAYS, TAKES};
use super::statement::{Statement, halves, statements, unquoted};
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
    Told::of(summary).check(decisions)
}

/// A text that decisions are looked for in, read once for several questions.
pub struct Told<'a> {
    sentences: Vec<Sentence<'a>>,
    /// Each stem with its sentences.
    places: Postings,
}

impl<'a> Told<'a> {
    /// Reads a text.
    #[must_use]
    pub fn of(text: &'a str) -> Self {
        let mut told = Self { sentences: Vec::new(), places: Postings::default() };
        for statement in statements(text) {
            let text = statement.span.of(text);
            let clauses = clauses(text);
            let stems = sorted(clauses.stems());
            told.places.add_all(&stems, told.sentences.len());
            told.sentences.push(Sentence { text, clauses, stems });
        }
        told.places.seal();
        told
    }

    /// As [`check`].
    #[must_use]
    pub fn check(&self, decisions: &[Decision<'_>]) -> Vec<Finding<'a>> {
        self.check_about(decisions, &decisions.iter().map(Topic::of).collect::<Vec<_>>())
    }

    /// The same where it is known what the decisions are about.
    #[must_use]
    pub fn check_about(&self, decisions: &[Decision<'_>], topics: &[Topic]) -> Vec<Finding<'a>> {
        let Self { sentences, places } = self;
        let mut out = Vec::new();
        let mut owners = Postings::default();
        for (number, topic) in topics.iter().enumerate() {
            owners.add_all(&topic.stems, number);
        }
        owners.seal();
        let weight = |stem: Stem| {
            let owners = owners.between(stem, stem).len().clamp(1, 4);
            WEIGHT / (owners * owners).min(12) as u32
        };
        for (number, (decision, topic)) in decisions.iter().zip(topics).enumerate() {
            let mut total = 0;
            for stem in &topic.stems {
                total += weight(*stem);
            }
            let mut best = 0;
            let mut about: Vec<usize> = Vec::new();
            for (at, score) in places.near(&topic.stems, &weight) {
                if score > best {
                    about.clear();
                    best = score;
                }
                if score == best && about.len() < 8 {
                    about.push(at as usize);
                }
            }
            // a whole sentence as a topic need not come back in thirds
            let dropped = best * 3 < total && best < 2 * WEIGHT;
            let evidence = about.first().and_then(|at| sentences.get(*at)).map_or("", |sentence| sentence.text);
            let fault = if dropped { Some(Fault::Dropped) } else { judge(decision, topic, sentences, &about) };
            if let Some(fault) = fault
                && total > 0
            {
                out.push(Finding { decision: number, fault, evidence: if dropped { "" } else { evidence } });
            }
        }
        out
    }
}

/// The decisions of a text that are its author's: sentences that say that something was chosen, refused or put off.
#[must_use]
pub fn decisions(text: &str) -> Vec<Decision<'_>> {
    told(text).into_iter().map(|(_, decision)| decision).collect()
}

/// Whether [`told`] may find something in a text that was refused, put off or said to be decided; not what was only taken up.
/// Fast.
#[must_use]
pub fn may_tell(text: &str) -> bool {
    polarity::may_decide(text, false)
}

/// The same with the whole sentence of each.
#[must_use]
pub fn told(text: &str) -> Vec<(&str, Decision<'_>)> {
    told_in(text, &statements(text))
}

/// The same of a text that is cut into statements already.
pub(crate) fn told_in<'t>(text: &'t str, statements: &[Statement]) -> Vec<(&'t str, Decision<'t>)> {
    let mut out = Vec::new();
    deciding(text, statements, &mut |clauses| out.push((clauses.line(), read_as(&clauses))));
    out
}

/// Shows the sentences that decide, one by one.
fn deciding<'t>(text: &'t str, statements: &[Statement], show: &mut dyn FnMut(Clauses<'t>)) {
    for statement in halves(text, statements) {
        if statement.zone == Zone::Own {
            let clauses = match unquoted(text, statement) {
                Cow::Borrowed(own) => polarity::decides(own),
                Cow::Owned(own) => polarity::decides(&own).map(|_| clauses(statement.span.of(text))),
            };
            clauses.into_iter().for_each(&mut *show);
        }
    }
}

/// The sentences of a text that decide, read once for several questions.
pub struct Deciding<'a>(Vec<(&'a str, Polarity, Vec<Stem>)>);

impl<'a> Deciding<'a> {
    /// Reads a text.
    #[must_use]
    pub fn of(text: &'a str) -> Self {
        let mut lines = Vec::new();
        deciding(text, &statements(text), &mut |clauses| {
            let polarity = clauses.reads(&[], false).alone();
            if polarity != Polarity::Deferred {
                lines.push((clauses.line(), polarity, sorted(clauses.stems())));
            }
        });
        Self(lines)
    }

    /// The same without the sentences that turn round none of the decisions `known`.
    #[must_use]
    pub fn only(mut self, known: &[&[Topic]]) -> Self {
        let turning = self.turning(known);
        self.0.retain(|(line, ..)| turning.contains(line));
        self
    }

    /// The sentences that turn round one of the decisions `known`: they are about all that it is about, and take what was
    /// rejected or reject what was taken. Where it was decided both ways before, neither is turned round.
    #[must_use]
    pub fn turning(&self, known: &[&[Topic]]) -> Vec<&'a str> {
        let mut out = Vec::new();
        for (line, polarity, stems) in &self.0 {
            let about = |was: &&Topic| was.stems.len() > 1 && was.stems.iter().all(|stem| has(stems, *stem));
            let known = known.iter().flat_map(|known| known.iter());
            let mut same = known.filter(|was| was.polarity != Polarity::Deferred).filter(about).peekable();
            if same.peek().is_some() && same.all(|was| was.polarity != *polarity) {
                out.push(*line);
            }
        }
        out
    }
}

/// What the decisions of a text are about.
#[must_use]
pub fn topics(text: &str) -> Vec<Topic> {
    told(text).iter().map(|(_, decision)| Topic::of(decision)).collect()
}

/// A text that is known to tell one decision.
#[must_use]
pub fn read(text: &str) -> Decision<'_> {
    read_as(&clauses(text))
}

fn read_as<'a>(clauses: &Clauses<'a>) -> Decision<'a> {
    let (topic, reason) = polarity::split_reason(clauses);
    Decision { topic, polarity: clauses.reads(&[], false).alone(), reason }
}

/// What a decision is about.
#[derive(Debug, Clone)]
pub struct Topic {
    /// What was decided.
    polarity: Polarity,
    /// The stems that name it, without the words that say what became of it. Sorted.
    stems: Vec<Stem>,
    /// Whether it is itself a refusal.
    refusal: bool,
    /// What its words say.
    source: Reading,
}

impl Topic {
    /// Reads a decision.
    #[must_use]
    pub fn of(decision: &Decision<'_>) -> Self {
        let clauses = clauses(decision.topic);
        let mut named = clauses.topic();
        if named.is_empty() {
            named = sorted(stems(decision.topic));
        }
        let refusal = polarity::is_refusal(&clauses);
        Self { polarity: decision.polarity, stems: named, refusal, source: clauses.reads(&[], refusal) }
    }
}

/// One sentence of the summary.
struct Sentence<'a> {
    text: &'a str,
    clauses: Clauses<'a>,
    /// Sorted.
    stems: Vec<Stem>,
}

fn judge(decision: &Decision<'_>, topic: &Topic, sentences: &[Sentence<'_>], about: &[usize]) -> Option<Fault> {
    let mut kept = false;
    for at in about {
        let Some(sentence) = sentences.get(*at) else { continue };
        let mut read = sentence.clauses.reads(&topic.stems, topic.refusal);
        let whole = |sentence: &Sentence<'_>| sentence.clauses.reads(&[], topic.refusal);
        if let Some(next) = sentences.get(at + 1).filter(|next| next.clauses.goes_on()) {
            // it says that the topic waits, not that it goes on with what is next
            let far = whole(next).far;
            read.far |= if far & (PUTS_OFF | LATER) == 0 { far & !MAY_WAIT } else { far };
        }
        // "Rejected: the second queue"
        if let Some(label) = at.checked_sub(1).and_then(|before| sentences.get(before)).filter(|label| label.text.ends_with(':')) {
            read.near |= whole(label).near;
        }
        kept |= keeps(decision.polarity, read, topic.source, topic.refusal) && !changes_places(decision.topic, sentence.text);
    }
    if kept { reason_fault(decision, &topic.stems, sentences, about) } else { Some(Fault::Flipped) }
}

/// What was chosen and what it was chosen over.
fn chosen(sentence: &str) -> Option<(Vec<Stem>, Vec<Stem>)> {
    let parts = [" over ", " instead of ", " rather than ", " statt ", " plutôt que "].iter().find_map(|mark| sentence.split_once(mark));
    parts.map(|(one, other)| (sorted(stems(one)), sorted(stems(other))))
}

/// Whether "A over B" became "B over A".
fn changes_places(source: &str, summary: &str) -> bool {
    let Some(((one, other), (first, second))) = chosen(source).zip(chosen(summary)) else { return false };
    let nearer = |side: &[Stem], to: &[Stem], than: &[Stem]| count(side, to) > count(side, than);
    nearer(&first, &other, &one) && nearer(&second, &one, &other)
}

/// Whether what a summary says of a topic is what was decided.
fn keeps(polarity: Polarity, read: Reading, source: Reading, refusal: bool) -> bool {
    let near = |class: u64| read.near & class != 0;
    let far = |class: u64| read.far & class != 0;
    let about = |class: u64| source.near & class != 0;
    // what stays is not changed, and what is changed does not stay
    let stays = |class: u64| near(class) && !about(STAYS | RETAINS);
    match polarity {
        // what is given up does not stay, nor is it not given up
        Polarity::Accepted if refusal => {
            let taken_back = near(NAMED) && near(NEGATES);
            !(taken_back || stays(STAYS | RETAINS) || near(PUTS_OFF | DOUBTS))
        }
        Polarity::Accepted if stays(STAYS | RETAINS) && about(CHANGES) && !near(TAKES) => false,
        Polarity::Accepted if about(STAYS | RETAINS) && !about(CHANGES) && far(CHANGES) && !far(STAYS | RETAINS) => false,
        // a topic that is itself a refusal ("no force pushes") is accepted by refusing
        Polarity::Accepted => !near(REFUSES | NEGATES | PUTS_OFF | DOUBTS) || about(REFUSES | NEGATES | PUTS_OFF),
        Polarity::Rejected => {
            near(REFUSES | NEGATES) || (stays(STAYS) && !near(TAKES)) || (far(REFUSES | NEGATES) && !near(TAKES | PUTS_OFF))
        }
        Polarity::Deferred if far(COMPLETES) && !far(PUTS_OFF | NEGATES) => false,
        Polarity::Deferred => {
            let decided = near(TAKES) || (near(DECIDES) && !near(NEGATES));
            (near(PUTS_OFF | MAY_WAIT) || (far(PUTS_OFF | MAY_WAIT) && !decided)) && !near(REFUSES)
        }
    }
}

fn reason_fault(decision: &Decision<'_>, topic: &[Stem], sentences: &[Sentence<'_>], about: &[usize]) -> Option<Fault> {
    let mut around = Vec::new();
    for at in about {
        for sentence in sentences.get(at.saturating_sub(1)..sentences.len().min(at + 2)).unwrap_or_default() {
            around.extend_from_slice(&sentence.stems);
        }
    }
    let around = sorted(around);
    let (mut wanted, mut held, mut numbers, mut right) = (0, 0, Vec::new(), false);
    for stem in stems(decision.reason) {
        if !has(topic, stem) {
            let known = has(&around, stem);
            wanted += 1;
            held += usize::from(known);
            if is_number(stem) {
                numbers.push(stem);
                right |= known;
            }
        }
    }
    if held * 4 < wanted {
        return Some(Fault::ReasonLost);
    }
    // its number is not there, and another one is
    let other = around.iter().any(|stem| is_number(*stem) && !numbers.contains(stem) && !topic.contains(stem));
    (!numbers.is_empty() && other && !right).then_some(Fault::ReasonChanged)
}
