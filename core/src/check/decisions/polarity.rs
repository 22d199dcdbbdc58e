//! What a sentence says of its topic: taken, refused or put off. Read clause by clause.

use std::sync::OnceLock;

use super::super::lexicon::{
    DECIDES, DOUBTS, ENDS, GOES_ON, JOINS, LATER, Lookout, MAY_WAIT, NEGATES, NOT_BEFORE, ORS, PREDICATE, PRINCIPALS, PUTS_OFF, REASONS,
    REFUSES, SCOPES, SPEAKER, TAKES, wide,
};
use super::super::stems::{Stem, Words, add_wide, count, known, listed, sorted};
use crate::task::Polarity;
use crate::text::skeleton::lowercase;

/// A word of refusing that names the topic.
pub(super) const NAMED: u64 = 1 << 63;

/// One clause of a sentence.
struct Clause {
    /// Its first word.
    from: usize,
    /// One past its last word.
    to: usize,
    /// In brackets, or after the beginning of a reason: it says nothing of the polarity.
    aside: bool,
}

/// A sentence and its clauses.
pub(super) struct Clauses<'a> {
    words: Words<'a>,
    clauses: Vec<Clause>,
}

impl<'a> Clauses<'a> {
    /// The sentence.
    pub(super) fn line(&self) -> &'a str {
        self.words.text
    }

    /// Whether the sentence goes on about what the one before was about.
    pub(super) fn goes_on(&self) -> bool {
        self.words.is(0, GOES_ON)
    }

    /// The stems of the whole sentence.
    pub(super) fn stems(&self) -> Vec<Stem> {
        self.words.stems()
    }

    fn text(&self, clause: &Clause) -> &str {
        let place = |at: usize| self.words.list.get(at);
        let (first, last) = (place(clause.from), clause.to.checked_sub(1).and_then(place));
        first.zip(last).and_then(|(first, last)| self.words.text.get(first.start..last.end)).unwrap_or(self.words.text)
    }

    /// What a clause is about. Sorted.
    fn about(&self, clause: &Clause) -> Vec<Stem> {
        let mut out = Vec::new();
        for word in self.words.list.get(clause.from..clause.to).unwrap_or_default() {
            if word.stem > 0 && !word.is(REFUSES | NEGATES | PUTS_OFF | LATER | TAKES | REASONS | DECIDES) {
                out.push(word.stem);
            }
        }
        add_wide(self.text(clause), &mut out);
        sorted(out)
    }

    /// What all clauses are about.
    pub(super) fn topic(&self) -> Vec<Stem> {
        let mut all = Vec::new();
        for clause in &self.clauses {
            all.extend_from_slice(&self.about(clause));
        }
        sorted(all)
    }

    /// What a clause says. Where the topic is a refusal, a word of refusing names it and says nothing.
    fn says(&self, clause: &Clause, topic_refuses: bool) -> u64 {
        let mut says = wide(self.text(clause));
        let (mut refused, mut none) = (None, false);
        for at in clause.from..clause.to {
            let Some(word) = self.words.list.get(at) else { continue };
            says |= word.classes;
            if word.is(REFUSES) {
                refused = refused.or(Some(self.words.some(at.saturating_sub(3).max(clause.from), at, NEGATES, 0)));
            }
            // not only, no doubt, whether or not
            none |= word.is(NEGATES) && (self.words.after(at, 1, SCOPES) || self.words.before(at, 1, ORS));
        }
        if topic_refuses {
            says = (says & !REFUSES) | if says & REFUSES != 0 { NAMED } else { 0 };
        } else if refused == Some(true) {
            // a refusal that is refused
            says = (says & !(REFUSES | NEGATES)) | TAKES;
        }
        if none {
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

    /// Reads the sentence; without a topic all of its clauses are near.
    pub(super) fn reads(&self, topic: &[Stem], topic_refuses: bool) -> Reading {
        let mut out = Reading::default();
        let mut held = Vec::new();
        for clause in &self.clauses {
            held.push(count(topic, &self.about(clause)));
        }
        let most = held.iter().copied().max().unwrap_or_default();
        let mut named = false;
        for (clause, held) in self.clauses.iter().zip(held) {
            let says = self.says(clause, topic_refuses);
            if clause.aside {
                // an aside may well say that something waits
                out.far |= if says & (PUTS_OFF | MAY_WAIT) == 0 { 0 } else { MAY_WAIT };
                continue;
            }
            let holds = topic.is_empty() || (most > 0 && held == most);
            if holds || (named && self.words.is(clause.from, PREDICATE | REFUSES | PUTS_OFF)) {
                out.near |= says;
            }
            named |= holds;
            out.far |= says;
        }
        out
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

/// Cuts a sentence into clauses: at commas, dashes, brackets and colons, at words that join, at the beginning of a reason.
pub(super) fn clauses(sentence: &str) -> Clauses<'_> {
    let mut words = known(sentence);
    let mut proposed = false;
    for at in 0..words.list.len() {
        let spelled = spelled(&words, at);
        let may = spelled.bytes().next().is_some_and(|byte| b"aimpsv".contains(&(byte | 0x20)));
        proposed |= may && words.list.get(at).is_some_and(|word| word.stem > 0) && listed(PROPOSALS, &lowercase(spelled));
        let fate = FATES.iter().find(|(fates, _)| proposed && listed(fates, spelled));
        if let (Some((_, class)), Some(word)) = (fate, words.list.get_mut(at)) {
            word.classes |= class;
        }
    }
    let mut clauses: Vec<Clause> = Vec::new();
    let mut depth = 0_u32;
    for (at, word) in words.list.iter().enumerate() {
        let gap = words.gap(at);
        let mut cut = gap.len() > 1 && (gap.contains(": ") || gap.contains(" - "));
        for c in gap.chars() {
            match c {
                '(' | '（' | '[' => (depth, cut) = (depth + 1, true),
                ')' | '）' | ']' => (depth, cut) = (depth.saturating_sub(1), true),
                ',' | ';' | '–' | '—' | '，' | '、' | '；' | '：' | '。' | '.' | '!' | '?' | '\n' => cut = true,
                _ => {}
            }
        }
        let joins = cut || word.is(JOINS);
        let aside = depth > 0 || word.is(REASONS) || (!joins && clauses.last().is_some_and(|clause| clause.aside));
        match clauses.last_mut() {
            Some(clause) if !joins && !word.is(REASONS) => clause.to = at + 1,
            _ => clauses.push(Clause { from: at, to: at + 1, aside }),
        }
    }
    if clauses.is_empty() {
        clauses.push(Clause { from: 0, to: 0, aside: false });
    }
    Clauses { words, clauses }
}

/// A sentence up to its reason, and the reason: what follows a word for it, else the last clause that says none of the
/// polarity.
pub(super) fn split_reason<'a>(sentence: &Clauses<'a>) -> (&'a str, &'a str) {
    let Words { text, list } = &sentence.words;
    let mut at = list.iter().skip(1).find(|word| word.is(REASONS)).map(|word| word.start);
    if at.is_none() {
        let mut last = 0;
        for mark in [", ", ": ", "; ", " after ", " as ", " nach ", " tras ", " après "] {
            last = last.max(text.match_indices(mark).last().map_or(0, |(at, _)| at));
        }
        let (head, tail) = text.split_at_checked(last).unwrap_or_default();
        let says = |part: &Clauses<'_>| part.reads(&[], false).far & (TAKES | REFUSES | NEGATES | PUTS_OFF | LATER) != 0;
        // with two words or more that it is about
        let part = |part| Some(clauses(part)).filter(|part| part.stems().len() >= 2);
        let parts = part(tail).zip(part(head));
        at = parts.is_some_and(|(tail, head)| says(&head) || !says(&tail)).then_some(last);
    }
    text.split_at_checked(at.unwrap_or(text.len())).unwrap_or((text, ""))
}

/// Whether a topic is itself a refusal or a delay: "dropping the old format".
pub(super) fn is_refusal(topic: &Clauses<'_>) -> bool {
    let first = topic.words.list.first().filter(|first| first.is(REFUSES | PUTS_OFF));
    let word = first.and_then(|first| topic.words.text.get(first.start..first.end)).unwrap_or_default();
    ["ing", "ion", "al", "ung", "ment"].iter().any(|end| word.ends_with(end))
}

/// Whether a text has a word that refuses, puts off, decides or, if it counts, takes up, or names a proposal and one for what
/// became of it: most have none.
pub(super) fn may_decide(text: &str, taking: bool) -> bool {
    static WORDS: OnceLock<[Lookout; 4]> = OnceLock::new();
    let decides = REFUSES | PUTS_OFF | DECIDES;
    let [fates, proposals, words, more] = WORDS.get_or_init(|| {
        let fates = Lookout::of(0, &FATES.map(|(fates, _)| fates));
        [fates, Lookout::of(0, &[PROPOSALS]), Lookout::of(decides, &[]), Lookout::of(decides | TAKES, &[])]
    });
    let words = if taking { more } else { words };
    words.may_stand_in(text) || (fates.may_stand_in(text) && proposals.may_stand_in(text))
}

/// The clauses of a sentence that says that something was decided.
pub(super) fn decides(sentence: &str) -> Option<Clauses<'_>> {
    if !may_decide(sentence, true) {
        return None;
    }
    let sentence = clauses(sentence);
    let wide = wide(sentence.words.text) & (REFUSES | PUTS_OFF) != 0;
    let words = &sentence.words;
    let decides =
        |at: usize| words.is(at, REFUSES | PUTS_OFF | TAKES | DECIDES) && !(words.is(at, REFUSES | PUTS_OFF) && happens(words, at));
    let said = |clause: &Clause| (clause.from..clause.to).any(decides);
    let decided = wide || sentence.clauses.iter().any(|clause| !clause.aside && said(clause));
    decided.then_some(sentence)
}

/// What things do: "the queue drops messages". Not what people decide.
const HAPPENS: &str = "drops delays discards excludes eliminates";

/// What a proposal does that is taken or refused.
const FATES: [(&str, u64); 2] = [("passed passes carried", TAKES), ("failed fails", REFUSES)];

/// What is put forward to be decided.
const PROPOSALS: &str = "proposal proposals motion idea plan suggestion vorschlag antrag proposition propuesta proposta";

/// Whether a word says what happens to a thing by itself: it "drops packets", or it "is waiting for" somebody; or only stops
/// who speaks.
fn happens(words: &Words<'_>, at: usize) -> bool {
    let people = words.before(at, 1, PRINCIPALS | SPEAKER);
    let waits = spelled(words, at) == "waiting" && spelled(words, at + 1) == "for";
    // "Wait, let me look"
    let halts = at == 0 && spelled(words, at).eq_ignore_ascii_case("wait") && words.gap(1).contains([',', '—', '–', '-', '.', '!', '…']);
    waits || halts || (listed(HAPPENS, spelled(words, at)) && !people)
}

fn spelled<'a>(words: &Words<'a>, at: usize) -> &'a str {
    words.list.get(at).and_then(|word| words.text.get(word.start..word.end)).unwrap_or_default()
}
