//! What a sentence says of its topic: taken, refused or put off. Read clause by clause.

use super::super::lexicon::{
    CHANGES, COMPLETES, DECIDES, DOUBTS, ENDS, GOES_ON, JOINS, LATER, MAY_WAIT, NEGATES, NOT_BEFORE, PREDICATE, PUTS_OFF, REASONS, REFUSES,
    SCOPES, TAKES, wide,
};
use super::super::stems::{Known, Stem, add_wide, after, any, before, has, known};
use crate::task::Polarity;

/// A word of refusing that names the topic.
pub(super) const NAMED: u64 = 1 << 63;

/// One clause of a sentence.
pub(super) struct Clause<'a> {
    text: &'a str,
    /// The sentence it stands in.
    whole: &'a str,
    words: Vec<Known>,
    /// In brackets, or after the beginning of a reason: it says nothing of the polarity.
    aside: bool,
}

impl Clause<'_> {
    /// Whether it goes on about what the sentence before was about.
    pub(super) fn goes_on(&self) -> bool {
        self.begins(GOES_ON)
    }

    fn begins(&self, class: u64) -> bool {
        self.words.first().is_some_and(|word| word.is(class))
    }

    /// Adds what the clause is about.
    pub(super) fn topic(&self, out: &mut Vec<Stem>) {
        for word in &self.words {
            if word.stem > 0 && !word.is(REFUSES | NEGATES | PUTS_OFF | TAKES | REASONS | DECIDES) {
                out.push(word.stem);
            }
        }
        add_wide(self.text, out);
    }

    /// What it says. Where the topic is a refusal, a word of refusing names it and says nothing.
    fn says(&self, topic_refuses: bool) -> u64 {
        let words = &self.words;
        let mut says = 0;
        for word in words {
            says |= word.classes;
        }
        if !self.text.is_ascii() {
            says |= wide(self.text);
        }
        if topic_refuses {
            says = (says & !REFUSES) | if says & REFUSES != 0 { NAMED } else { 0 };
        } else if words.iter().position(|word| word.is(REFUSES)).is_some_and(|at| any(before(words, at, 3), NEGATES)) {
            // a refusal that is refused
            says = (says & !(REFUSES | NEGATES)) | TAKES;
        }
        // not only, no doubt, whether or not
        let none = |at: usize| any(after(words, at, 1), SCOPES) || before(words, at, 1).iter().any(|word| word.of(self.whole) == "or");
        if words.iter().enumerate().any(|(at, word)| word.is(NEGATES) && none(at)) {
            says &= !NEGATES;
        }
        if says & NEGATES != 0 && says & NOT_BEFORE != 0 {
            says |= MAY_WAIT;
        }
        if says & TAKES != 0 {
            says &= !DOUBTS;
        }
        says
    }
}

/// What is said in the clauses that hold the topic, and in the whole sentence.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reading {
    pub(super) near: u64,
    pub(super) far: u64,
}

impl Reading {
    /// The polarity of a sentence that stands alone.
    pub(super) fn alone(&self) -> Polarity {
        let has = |class: u64| self.far & class != 0;
        let later = has(LATER) || (has(DECIDES) && has(NOT_BEFORE));
        if has(REFUSES | ENDS) {
            Polarity::Rejected
        } else if has(PUTS_OFF) {
            Polarity::Deferred
        } else if has(TAKES) && !has(NEGATES) {
            Polarity::Accepted
        } else if later {
            Polarity::Deferred
        } else if has(NEGATES) {
            Polarity::Rejected
        } else {
            Polarity::Accepted
        }
    }
}

/// Reads a sentence; without a topic all of its clauses are near.
pub(super) fn reads(clauses: &[Clause<'_>], topic: &[Stem], topic_refuses: bool) -> Reading {
    let mut out = Reading::default();
    let held = |clause: &Clause<'_>| {
        let mut stems = Vec::new();
        clause.topic(&mut stems);
        stems.iter().filter(|stem| has(topic, **stem)).count()
    };
    let most = clauses.iter().map(held).max().unwrap_or_default();
    let mut named = false;
    for clause in clauses {
        let says = clause.says(topic_refuses);
        if clause.aside {
            // an aside may well say that something waits
            out.far |= if says & (PUTS_OFF | MAY_WAIT) == 0 { 0 } else { MAY_WAIT };
            continue;
        }
        let holds = topic.is_empty() || (most > 0 && held(clause) == most);
        if holds || (named && clause.begins(PREDICATE | REFUSES | PUTS_OFF)) {
            out.near |= says;
        }
        named |= holds;
        out.far |= says;
    }
    out
}

/// Cuts a sentence into clauses: at commas, dashes, brackets and colons, at words that join, at the beginning of a reason.
pub(super) fn clauses(sentence: &str) -> Vec<Clause<'_>> {
    let mut out: Vec<Clause<'_>> = Vec::new();
    let (mut at, mut depth) = (0, 0_u32);
    let mut from = 0;
    for word in known(sentence) {
        let gap = sentence.get(at..word.start).unwrap_or_default();
        at = word.end;
        let mut cut = gap.contains(": ") || gap.contains(" - ");
        for c in gap.chars() {
            match c {
                '(' | '（' | '[' => (depth, cut) = (depth + 1, true),
                ')' | '）' | ']' => (depth, cut) = (depth.saturating_sub(1), true),
                ',' | ';' | '–' | '—' | '，' | '、' | '；' | '：' | '。' | '.' | '!' | '?' | '\n' => cut = true,
                _ => {}
            }
        }
        let joins = word.is(JOINS);
        let aside = depth > 0 || word.is(REASONS) || (!cut && !joins && out.last().is_some_and(|clause| clause.aside));
        if cut || joins || word.is(REASONS) || out.is_empty() {
            from = word.start;
            out.push(Clause { text: "", whole: sentence, words: Vec::new(), aside });
        }
        if let Some(clause) = out.last_mut() {
            clause.words.push(word);
            clause.text = sentence.get(from..at).unwrap_or_default();
        }
    }
    if out.is_empty() {
        out.push(Clause { text: sentence, whole: sentence, words: Vec::new(), aside: false });
    }
    out
}

/// A sentence up to its reason, and the reason: what follows a word for it, else the last clause that says none of the
/// polarity.
pub(super) fn split_reason(sentence: &str) -> (&str, &str) {
    let words = known(sentence);
    let mut at = words.iter().skip(1).find(|word| word.is(REASONS)).map(|word| word.start);
    if at.is_none() {
        let mut last = 0;
        for mark in [", ", ": ", "; ", " after ", " as ", " nach ", " tras ", " après "] {
            last = last.max(sentence.rfind(mark).unwrap_or_default());
        }
        let (head, tail) = sentence.split_at_checked(last).unwrap_or_default();
        let says = |part: &str| reads(&clauses(part), &[], false).far & (TAKES | REFUSES | NEGATES | PUTS_OFF | LATER) != 0;
        let topics = |part: &str| super::stems(part).len() >= 2;
        at = (topics(tail) && topics(head) && (says(head) || !says(tail))).then_some(last);
    }
    sentence.split_at_checked(at.unwrap_or(sentence.len())).unwrap_or((sentence, ""))
}

/// Whether a topic is itself a refusal or a delay: "dropping the old format".
pub(super) fn is_refusal(topic: &str) -> bool {
    known(topic).first().is_some_and(|first| {
        let word = topic.get(first.start..first.end).unwrap_or_default();
        first.is(REFUSES | PUTS_OFF) && ["ing", "ion", "al", "ung", "ment"].iter().any(|end| word.ends_with(end))
    })
}

/// Whether a sentence says that something was decided.
pub(super) fn decides(sentence: &str) -> bool {
    let said = REFUSES | PUTS_OFF | TAKES | DECIDES;
    let wide = if sentence.is_ascii() { 0 } else { wide(sentence) & (REFUSES | PUTS_OFF) };
    wide != 0 || clauses(sentence).iter().any(|clause| !clause.aside && any(&clause.words, said))
}
