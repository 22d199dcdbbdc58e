//! Standing directives in a user's turn, told from one-off requests.
//!
//! A sentence is read by named cues: how long it holds and for how much ("from now on", "each", "whenever"), whom it binds (the
//! agent's answers, or a product), whether its act is done once, and whose words it is. What the cues count is in
//! `weights.txt` and what single words count in `words.bin`, tables that `bench/directives/train.py` writes; the sum decides. Most sentences are told by it to be no
//! directive, and so are rule-shaped ones that are talk about a product, a request for now, or reported.

mod lexicon;
mod model;
mod reading;
mod words;

use super::{Candidate, LONGEST, span};
use crate::item::{Span, Zone};
use crate::text::pattern::{Cue, Pattern};
use crate::text::skeleton::skeleton;
use crate::text::words::listed;
use model::{Bits, model};
use reading::{Sentence, language};
use words::Counts;

/// What a sentence must come to: 0 is the cross-validated line.
const STANDING: i32 = 0;
/// What a sentence of a document must come to: in a long text most sentences are about its subject.
const STANDING_IN_DOCUMENT: i32 = 18;
/// More sentences than this are a document.
const DOCUMENT: usize = 12;
/// Below this a rule-shaped sentence is no rule.
const ONCE: i32 = -20;

/// How a sentence of a user's turn was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The sentence.
    pub span: Span,
    /// What its cues and those around it come to; from 0 on it is a standing directive.
    pub score: i32,
    /// The cue that speaks most for a directive.
    pub cue: &'static str,
    /// The names of its features.
    pub features: Vec<String>,
    /// The keys of its words and pairs of words.
    pub words: Vec<u32>,
}

/// A sentence with its sum and its strongest cue.
struct Scored {
    span: Span,
    score: i32,
    cue: usize,
    /// Something in it speaks plainly against a directive.
    denied: bool,
}

fn scored(text: &str, document: &span::Document<'_>) -> (Vec<Scored>, Vec<Sentence>) {
    let model = model();
    let mut sentences = Vec::new();
    for (span, quoted) in document.own_sentences() {
        sentences.push(Sentence::of(text, span, &quoted));
    }
    let language = language(&sentences);
    for sentence in &mut sentences {
        model.read(sentence, language);
    }
    model.places(&mut sentences);
    let all: Vec<(Bits, Counts)> = sentences.iter().map(|sentence| (sentence.bits, sentence.counts)).collect();
    let mut out = Vec::with_capacity(sentences.len());
    for (sentence, (score, cue)) in sentences.iter().zip(model.scores(&all)) {
        out.push(Scored { span: sentence.span, score, cue, denied: model.denies(&sentence.bits) });
    }
    (out, sentences)
}

/// Whether a sentence says who alone may do something: that holds until it is taken back.
fn reserves(sentence: &str) -> bool {
    const ONLY: &str = "only nur seul seule seuls seules solo somente apenas so";
    const MAY: &str = "may darf durfen peut peuvent puede pueden pode podem";
    const STATES: &str = "be have sein haben etre avoir ser estar tener ter";
    let folded = skeleton(sentence);
    let mut words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    if !words.next().is_some_and(|first| listed(ONLY, first)) {
        return false;
    }
    let mut words = words.take(8).skip_while(|word| !listed(MAY, word));
    words.next().is_some() && words.next().is_some_and(|act| !listed(STATES, act))
}

/// How each sentence of a text that a user says in own words is read: what was counted, and what it comes to.
#[must_use]
pub fn readings(text: &str) -> Vec<Reading> {
    let document = span::Document::of(text);
    let (scored, sentences) = scored(text, &document);
    let model = model();
    let mut out = Vec::with_capacity(scored.len());
    for (found, sentence) in scored.iter().zip(&sentences) {
        let mut features = Vec::new();
        for at in 0..model.size() {
            if sentence.bits.has(at) {
                let (place, class) = model.name(at);
                features.push(if place == "2" { [class, place].concat() } else { [place, class].concat() });
            }
        }
        out.push(Reading { span: found.span, score: found.score, cue: model.name(found.cue).1, features, words: sentence.words() });
    }
    out
}

/// The rule-shaped places and the standing directives of a text that a user says.
///
/// ```
/// # use standfast::{text::pattern::Pattern, triage::spoken};
/// let text = "We clean up the bucket today. Before you delete anything, show me the list. Start with the logs.";
/// let found = spoken(text, &Pattern::published());
/// assert_eq!(found.iter().map(|found| found.span.of(text)).collect::<Vec<_>>(), ["Before you delete anything, show me the list."]);
/// assert!(spoken("Don't send it yet, I want to read it once more.", &Pattern::published()).is_empty());
/// ```
#[must_use]
pub fn spoken(text: &str, pattern: &Pattern) -> Vec<Candidate> {
    let mut cues = pattern.all(text);
    if text.len() > LONGEST {
        let mut found = if cues.is_empty() { Vec::new() } else { span::widen(text, &cues) };
        super::announced::mark(text, &mut found);
        return found;
    }
    let document = span::Document::of(text);
    let (scored, _) = scored(text, &document);
    let once = |cue: &Cue| {
        let at = scored.partition_point(|sentence| sentence.span.end <= cue.span.start);
        scored.get(at).is_some_and(|sentence| sentence.span.start <= cue.span.start && sentence.denied && sentence.score < ONCE)
    };
    let long = scored.len() > DOCUMENT;
    // a long text may be somebody's rules: what is rule-shaped in it stays so
    if pattern.is_published() && !long {
        cues.retain(|cue| !once(cue));
    }
    let least = if long { STANDING_IN_DOCUMENT } else { STANDING };
    for sentence in scored.iter().filter(|sentence| sentence.score >= least || reserves(sentence.span.of(text))) {
        if sentence.span.of(text).ends_with([':', '：']) {
            // what it announces follows
            continue;
        }
        let at = sentence.span.start;
        let end = at + sentence.span.of(text).chars().next().map_or(0, char::len_utf8);
        cues.push(Cue { name: model().name(sentence.cue).1, span: Span::new(at, end) });
    }
    if pattern.is_published() && document.is_laid_out() {
        cues.extend(document.constraints());
    }
    cues.sort_by_key(|cue| cue.span.start);
    let mut found = document.widen(&cues);
    found.retain(|found| found.zone == Zone::Own || pattern.find(found.span.of(text)).is_some());
    super::announced::mark(text, &mut found);
    found
}
