//! What a sentence says of its topic: taken, refused or put off. Cues of several languages, read clause by clause.

use super::super::lexicon::{
    DECIDES, DOUBTS, GOES_ON, JOINS, LATER, MAY_WAIT, NEGATES, NOT_BEFORE, PREDICATE, PUTS_OFF, REASONS, REFUSES, TAKES,
};
use super::super::stems::{Known, Stem, StemSet, known};
use crate::task::Polarity;

/// Words and signs of scripts without word gaps.
const WIDE_REFUSES: &[&str] = &["拒", "否决", "放弃", "不采用", "不做", "取消", "却下", "不採用", "断念", "中止", "거부", "기각", "취소"];
const WIDE_NEGATES: &[&str] = &["不", "没", "未", "無", "ない", "ません", "않", "없"];
const WIDE_PUTS_OFF: &[&str] = &["推迟", "延期", "延后", "暂缓", "保留", "先送り", "見送", "待定", "보류", "연기", "미루"];

/// One clause of a sentence.
pub(super) struct Clause<'a> {
    text: &'a str,
    words: Vec<Known>,
    /// In brackets, or after the beginning of a reason: it says nothing of the polarity.
    aside: bool,
}

impl Clause<'_> {
    /// Whether it goes on about what the sentence before was about.
    pub(super) fn goes_on(&self) -> bool {
        self.begins(GOES_ON)
    }

    fn begins(&self, class: u32) -> bool {
        self.words.first().is_some_and(|word| word.classes & class != 0)
    }

    fn has(&self, class: u32) -> bool {
        self.words.iter().any(|word| word.classes & class != 0)
    }

    /// What the clause is about.
    pub(super) fn topic(&self) -> impl Iterator<Item = Stem> + '_ {
        let fate = REFUSES | NEGATES | PUTS_OFF | TAKES | REASONS | DECIDES;
        let words = self.words.iter().filter(move |word| word.classes & fate == 0).filter_map(Known::stem);
        words.chain(super::stems(self.text).into_iter().filter(|stem| stem.is_wide()))
    }

    /// Whether it refuses; `Some(true)` where that itself is negated. Where the topic is a refusal, such a word names it.
    fn drops(&self, own: bool) -> Option<bool> {
        let at = self.words.iter().position(|word| word.classes & REFUSES != 0 && !own)?;
        Some(self.words.iter().take(at).skip(at.saturating_sub(3)).any(Known::negates))
    }

    /// Whether it says that something was taken, refused or put off.
    fn says(&self) -> bool {
        let signs = self.signs(false);
        signs.takes || signs.refuses() || signs.puts_off || signs.later
    }

    fn signs(&self, own: bool) -> Signs {
        let wide = |list: &[&str]| !self.text.is_ascii() && list.iter().any(|sign| self.text.contains(sign));
        // not only, no doubt: no negation
        let pairs = self.words.iter().zip(self.words.iter().skip(1));
        let only = pairs
            .into_iter()
            .any(|(a, b)| a.negates() && [&b"only"[..], b"doubt", b"matter", b"nur", b"seulement", b"solo"].contains(&b.word.letters()));
        let drops = self.drops(own);
        let undone = drops == Some(true);
        let negates = self.words.iter().any(Known::negates) || wide(WIDE_NEGATES);
        let takes = self.has(TAKES) || undone;
        Signs {
            drops: drops == Some(false) || wide(WIDE_REFUSES),
            negates: negates && !only && !undone,
            puts_off: self.has(PUTS_OFF) || wide(WIDE_PUTS_OFF),
            may_wait: self.has(MAY_WAIT) || (negates && self.has(NOT_BEFORE)),
            later: self.has(LATER),
            decides: self.has(DECIDES),
            when: self.has(NOT_BEFORE),
            takes,
            doubts: !takes && self.has(DOUBTS),
        }
    }

    /// Whether it begins with a predicate, and so belongs to what stood before it.
    fn predicate(&self) -> bool {
        self.begins(PREDICATE | REFUSES | PUTS_OFF)
    }
}

/// Which cues there are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Signs {
    pub(super) drops: bool,
    negates: bool,
    pub(super) puts_off: bool,
    may_wait: bool,
    later: bool,
    decides: bool,
    when: bool,
    pub(super) takes: bool,
    pub(super) doubts: bool,
}

impl Signs {
    fn and(&mut self, other: Self) {
        self.drops |= other.drops;
        self.negates |= other.negates;
        self.puts_off |= other.puts_off;
        self.may_wait |= other.may_wait;
        self.later |= other.later;
        self.decides |= other.decides;
        self.when |= other.when;
        self.takes |= other.takes;
        self.doubts |= other.doubts;
    }

    pub(super) fn refuses(self) -> bool {
        self.drops || self.negates
    }

    pub(super) fn waits(self) -> bool {
        self.puts_off || self.may_wait
    }
}

/// The cues of the clauses that hold the topic, and of the whole sentence.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reading {
    pub(super) near: Signs,
    pub(super) far: Signs,
}

impl Reading {
    pub(super) fn and(&mut self, next: &Self) {
        self.far.and(next.far);
    }

    /// The polarity of a sentence that stands alone.
    pub(super) fn alone(&self) -> Polarity {
        let signs = self.far;
        match () {
            () if signs.drops => Polarity::Rejected,
            () if signs.puts_off => Polarity::Deferred,
            () if signs.takes && !signs.negates => Polarity::Accepted,
            () if signs.later || (signs.decides && signs.when) => Polarity::Deferred,
            () if signs.negates => Polarity::Rejected,
            () => Polarity::Accepted,
        }
    }
}

/// Reads a sentence; without a topic all of its clauses are near.
pub(super) fn reads(clauses: &[Clause<'_>], topic: Option<&StemSet>, own: bool) -> Reading {
    let mut out = Reading::default();
    let held: Vec<usize> =
        clauses.iter().map(|clause| topic.map_or(1, |topic| clause.topic().filter(|stem| topic.has(*stem)).count())).collect();
    let most = held.iter().copied().max().unwrap_or_default();
    let mut named = false;
    for (clause, held) in clauses.iter().zip(held) {
        let signs = clause.signs(own);
        if clause.aside {
            // an aside may well say that something waits
            out.far.may_wait |= signs.waits();
            continue;
        }
        let holds = held == most && most > 0;
        if holds || (named && clause.predicate()) {
            out.near.and(signs);
        }
        named |= holds;
        out.far.and(signs);
    }
    out
}

/// Cuts a sentence into clauses: at commas, dashes, brackets and colons, at words that join, at the beginning of a reason.
pub(super) fn clauses(sentence: &str) -> Vec<Clause<'_>> {
    let mut out: Vec<Clause<'_>> = vec![Clause { text: sentence, words: Vec::new(), aside: false }];
    let (mut at, mut depth) = (0, 0_u32);
    for item in known(sentence) {
        let gap = sentence.get(at..item.word.start).unwrap_or_default();
        at = item.word.end;
        let mut cut = gap.contains([',', ';', '–', '—', '，', '、', '；', '：', '。', '.', '!', '?', '\n'])
            || gap.contains(": ")
            || gap.contains(" - ");
        for c in gap.chars() {
            match c {
                '(' | '（' | '[' => (depth, cut) = (depth + 1, true),
                ')' | '）' | ']' => (depth, cut) = (depth.saturating_sub(1), true),
                _ => {}
            }
        }
        let reason = item.classes & REASONS != 0;
        let joins = item.classes & JOINS != 0;
        let aside = depth > 0 || reason || (!cut && !joins && out.last().is_some_and(|clause| clause.aside));
        if cut || reason || joins {
            out.push(Clause { text: sentence, words: Vec::new(), aside });
        }
        if let Some(clause) = out.last_mut() {
            clause.words.push(item);
        }
    }
    out.retain(|clause| !clause.words.is_empty());
    for clause in &mut out {
        let (first, last) = (clause.words.first().map_or(0, |item| item.word.start), clause.words.last().map_or(0, |item| item.word.end));
        clause.text = sentence.get(first..last).unwrap_or_default();
    }
    if out.is_empty() && !sentence.is_empty() {
        out.push(Clause { text: sentence, words: Vec::new(), aside: false });
    }
    out
}

/// A sentence up to its reason, and the reason: what follows a word for it, else the last clause that says none of the
/// polarity.
pub(super) fn split_reason(sentence: &str) -> (&str, &str) {
    if let Some(item) = known(sentence).iter().skip(1).find(|item| item.classes & REASONS != 0) {
        return sentence.split_at_checked(item.word.start).unwrap_or((sentence, ""));
    }
    let marks = [", ", ": ", "; ", " after ", " as ", " nach ", " tras ", " après "];
    let at = marks.iter().filter_map(|mark| sentence.rfind(mark)).max().unwrap_or(sentence.len());
    let (head, tail) = sentence.split_at_checked(at).unwrap_or((sentence, ""));
    let says = |part: &str| clauses(part).iter().any(|clause| clause.says());
    let plain = super::stems(tail).len() >= 2 && super::stems(head).len() >= 2 && (says(head) || !says(tail));
    if plain { (head, tail) } else { (sentence, "") }
}

/// Whether a topic is itself a refusal or a delay: "dropping the old format".
pub(super) fn is_refusal(topic: &str) -> bool {
    known(topic).first().is_some_and(|first| {
        let noun = ["ing", "ion", "al", "ung", "ment"].iter().any(|end| first.word.letters().ends_with(end.as_bytes()));
        noun && first.classes & (REFUSES | PUTS_OFF) != 0
    })
}

/// Whether a sentence says that something was decided.
pub(super) fn decides(sentence: &str) -> bool {
    let said = |clause: &Clause<'_>| {
        let past = clause.has(REFUSES | PUTS_OFF | TAKES | DECIDES);
        past || [WIDE_REFUSES, WIDE_PUTS_OFF].iter().any(|list| list.iter().any(|sign| clause.text.contains(sign)))
    };
    clauses(sentence).iter().any(|clause| !clause.aside && said(clause))
}
