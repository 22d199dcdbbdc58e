//! A message read sentence by sentence: which cues stand in it, where, and what they count.

use super::lexicon::{Hit, SMALL, lexicon};
use super::model::{Bits, CLAUSE, LATER, Model, START, extra, kind};
use super::words::{Counts, count, keys};
use crate::item::Span;
use crate::text::skeleton::{Folded, fold};

/// What a quotation and a piece of code are replaced by: what stands in them is not read.
const QUOTATION: char = '¤';
const CODE: char = '§';

/// A sentence in folded form, with its cues.
pub(super) struct Sentence {
    pub(super) span: Span,
    folded: String,
    hits: Vec<Hit>,
    question: bool,
    /// A name in it: a capital inside.
    name: bool,
    /// Signs of a language in its letters.
    marks: [u8; 8],
    /// Of the message.
    language: u8,
    pub(super) bits: Bits,
    /// What its words count.
    pub(super) counts: Counts,
}

impl Sentence {
    /// Folds a sentence; `masked` are the stretches of it that are not the author's, and whether they are code.
    pub(super) fn of(text: &str, span: Span, masked: &[(Span, bool)]) -> Self {
        if masked.is_empty() && span.of(text).is_ascii() {
            let (folded, name) = plain(span.of(text));
            return Self::folded(span, folded, name, [0; 8]);
        }
        let mut folded = String::with_capacity(span.end - span.start);
        let (mut skip, mut name, mut marks) = (0, false, [0_u8; 8]);
        for (at, c) in span.of(text).char_indices() {
            let at = span.start + at;
            if at < skip {
                continue;
            }
            if let Some((quote, code)) = masked.iter().find(|(quote, _)| quote.start <= at && at < quote.end) {
                folded.push(if *code { CODE } else { QUOTATION });
                skip = quote.end;
                continue;
            }
            if c.is_ascii_whitespace() {
                if !folded.ends_with('_') {
                    folded.push('_');
                }
                continue;
            }
            if c.is_ascii() {
                name = name || (c.is_ascii_uppercase() && is_inner(&folded) && begins_longer(text, at, span.end));
                folded.push(c.to_ascii_lowercase());
                continue;
            }
            if let Some(count) = mark(c).and_then(|language| marks.get_mut(language)) {
                *count = count.saturating_add(2);
            }
            match fold(c) {
                Folded::Ascii(c) if c.is_ascii_whitespace() => {
                    if !folded.ends_with('_') {
                        folded.push('_');
                    }
                }
                Folded::Ascii(c) => folded.push(c),
                Folded::Text(text) => folded.push_str(text),
                Folded::Nothing => {}
                Folded::Other(c) => folded.push(c),
            }
        }
        Self::folded(span, folded, name, marks)
    }

    fn folded(span: Span, folded: String, name: bool, marks: [u8; 8]) -> Self {
        let hits = lexicon().hits(&folded);
        let end = folded.trim_end_matches(['"', '\'', ')', '_', '*', QUOTATION]);
        let wide = end.bytes().next_back().is_some_and(|byte| byte >= 0x80 || byte == b'.');
        let question = end.ends_with('?')
            || wide && ["か。", "か", "吗", "吗。", "呢", "呢。", "까요.", "나요.", "가요."].iter().any(|tail| end.ends_with(tail));
        Self { span, folded, hits, question, name, marks, language: 0, bits: Bits::default(), counts: Counts::default() }
    }

    /// The keys of its words.
    pub(super) fn words(&self) -> Vec<u32> {
        let mut out = Vec::new();
        keys(&self.folded, self.language, |key| out.push(key));
        out
    }
}

/// An ASCII text in folded form, and whether there is a name in it.
#[cfg_attr(standfast_hot, optimize(speed), inline(never))]
fn plain(text: &str) -> (String, bool) {
    let mut folded = String::with_capacity(text.len());
    for word in text.split_ascii_whitespace() {
        if !folded.is_empty() && !folded.ends_with('_') {
            folded.push('_');
        }
        folded.push_str(word);
    }
    folded.make_ascii_lowercase();
    let bytes = text.as_bytes();
    let gap = |byte: &u8| byte.is_ascii_whitespace() || *byte == b'_';
    let mut before = b' ';
    for (at, byte) in bytes.iter().enumerate() {
        if byte.is_ascii_uppercase() && gap(&before) && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic) {
            let inner = bytes.iter().take(at).rev().find(|byte| !gap(byte));
            if inner.is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b',') {
                return (folded, true);
            }
        }
        before = *byte;
    }
    (folded, false)
}

/// Whether what was folded ends as the inside of a sentence does.
fn is_inner(folded: &str) -> bool {
    folded.ends_with('_') && folded.trim_end_matches('_').ends_with(|c: char| c.is_ascii_lowercase() || c == ',')
}

/// Whether a letter follows the one at a place.
fn begins_longer(text: &str, at: usize, end: usize) -> bool {
    text.get(at + 1..end).is_some_and(|rest| rest.starts_with(char::is_alphabetic))
}

/// The language that a letter tells of.
fn mark(c: char) -> Option<usize> {
    Some(match c {
        'ä' | 'ö' | 'ü' | 'ß' => 1,
        'è' | 'ê' | 'à' | 'œ' | 'î' => 2,
        'ñ' | '¿' | '¡' => 3,
        'ã' | 'õ' => 4,
        '\u{4e00}'..='\u{9fff}' => 5,
        '\u{3041}'..='\u{30ff}' => 6,
        '\u{ac00}'..='\u{d7a3}' => 7,
        _ => return None,
    })
}

/// The language of a message, by its place among the languages.
pub(super) fn language(sentences: &[Sentence]) -> u8 {
    let mut votes = [0_u32; 8];
    for sentence in sentences {
        if sentence.marks != [0; 8] {
            for (vote, marks) in votes.iter_mut().zip(sentence.marks) {
                *vote += 2 * u32::from(marks);
            }
        }
        let mut last = (usize::MAX, u8::MAX);
        for hit in &sentence.hits {
            let again = last == (hit.start, hit.language);
            last = (hit.start, hit.language);
            if let Some(vote) = votes.get_mut(usize::from(hit.language)).filter(|_| hit.language < 5) {
                *vote += if hit.class == SMALL { 4 } else { u32::from(!again) };
            }
        }
    }
    let [.., han, kana, hangul] = sentences.iter().fold([0_u32; 8], |mut sum, sentence| {
        for (sum, marks) in sum.iter_mut().zip(sentence.marks) {
            *sum += u32::from(marks) / 2;
        }
        sum
    });
    let latin = || sentences.iter().map(|sentence| sentence.folded.bytes().filter(u8::is_ascii_alphabetic).count() as u32).sum::<u32>();
    if han + kana + hangul > 0 && (han + kana + hangul) * 2 > latin() {
        return if hangul > kana + han {
            7
        } else if kana * 6 > han {
            6
        } else {
            5
        };
    }
    let mut best = 0;
    for at in 1..5 {
        if votes.get(at) > votes.get(best) {
            best = at;
        }
    }
    best as u8
}

/// Words behind which a word in -ed is no past.
const PASSIVE: &str = " is are be been being not stay get gets must it's that's 's ";

/// The ideographic comma.
const WIDE_COMMA: &[u8] = "、".as_bytes();

/// Whether an ideographic comma stands at a byte.
fn wide_comma(bytes: &[u8], at: usize) -> bool {
    bytes.get(at..at + WIDE_COMMA.len()) == Some(WIDE_COMMA)
}

/// What one pass over the bytes of a segment shows.
struct Shape {
    words: usize,
    digit: bool,
    ascii: bool,
    /// Where the first comma stands behind the first words.
    comma: Option<usize>,
}

impl Shape {
    #[cfg_attr(standfast_hot, optimize(speed), inline(never))]
    fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut shape = Self { words: 0, digit: false, ascii: true, comma: None };
        let mut before = b'_';
        for (at, byte) in bytes.iter().copied().enumerate() {
            shape.words += usize::from(before == b'_' && byte != b'_');
            shape.digit |= byte.is_ascii_digit();
            shape.ascii &= byte.is_ascii();
            if shape.comma.is_none() && (byte == b',' || (byte >= 0x80 && wide_comma(bytes, at))) {
                shape.comma = Some(at);
            }
            before = byte;
        }
        shape.comma = shape.comma.filter(|at| *at > 12);
        shape
    }
}

/// Where the segments of a folded sentence begin and end.
fn segments(sentence: &Sentence, joins: &[usize]) -> Vec<Span> {
    let bytes = sentence.folded.as_bytes();
    let mut out = Vec::new();
    let mut from = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let next = bytes.get(at + 1);
        let ends = match byte {
            b';' => true,
            b':' => next.is_none_or(|next| *next == b'_' || *next >= 0x80),
            b'-' => at > 0 && bytes.get(at - 1) == Some(&b'_') && next == Some(&b'_'),
            b',' => joins.contains(&(at + 2)),
            _ => false,
        };
        if ends {
            out.push(Span::new(from, at));
            from = at + 1;
        }
    }
    out.push(Span::new(from, bytes.len()));
    out.retain(|span| span.of(&sentence.folded).contains(char::is_alphanumeric));
    out
}

impl Model {
    /// Reads the segments of a sentence in a language.
    pub(super) fn read(&self, sentence: &mut Sentence, language: u8) {
        sentence.language = language;
        sentence.counts = count(&sentence.folded, language);
        sentence.hits.retain(|hit| hit.language == language && hit.class != SMALL);
        // a word of a longer cue is none by itself: "now" in "from now on"
        let long: Vec<Span> =
            sentence.hits.iter().filter(|hit| self.is(hit, kind::TERM)).map(|hit| Span::new(hit.start, hit.end)).collect();
        sentence.hits.retain(|hit| {
            self.is(hit, kind::TERM)
                || !long.iter().any(|term| term.start <= hit.start && hit.end <= term.end && hit.end - hit.start < term.end - term.start)
        });
        let mut joins = Vec::new();
        for hit in &sentence.hits {
            if self.is(hit, kind::JOIN) {
                joins.push(hit.start);
            }
        }
        for (place, span) in segments(sentence, &joins).into_iter().enumerate() {
            let bits = self.segment(sentence, span, language, &joins);
            sentence.bits.join(&bits);
            if place > 0 {
                self.set(&mut sentence.bits, extra::LATERSEG);
            }
        }
    }

    fn segment(&self, sentence: &Sentence, span: Span, language: u8, joins: &[usize]) -> Bits {
        let count = self.lexicon.classes.len();
        let wide = language >= 5;
        let mut bits = Bits::default();
        let text = span.of(&sentence.folded);
        let shape = Shape::of(text);
        let comma = shape.comma.map_or(span.end, |at| span.start + at);
        let hits: Vec<Hit> = sentence.hits.iter().filter(|hit| span.start <= hit.start && hit.end <= span.end).copied().collect();
        for hit in &hits {
            let class = usize::from(hit.class);
            if !self.is(hit, kind::SILENT) && (wide || !self.is(hit, kind::HEAD)) {
                let later = !wide && hit.start > comma && self.is(hit, kind::ASIDE);
                bits.set(if later { LATER * count + class } else { class });
            }
        }
        self.clauses(sentence, span, &hits, joins, &mut bits);
        self.relations(&hits, comma, &mut bits);
        if language == 0 {
            self.past(text, &mut bits);
        }
        let words = if language == 5 || language == 6 { text.chars().count() * 5 / 11 } else { shape.words };
        if shape.digit {
            bits.set(self.num);
        }
        for (is, at) in [
            (sentence.question, extra::QUESTION),
            (sentence.name && language != 1, extra::NAME),
            (!shape.ascii && text.contains(QUOTATION), extra::QUOTES),
            (!shape.ascii && text.contains(CODE), extra::CODE),
            (words <= if language == 7 { 2 } else { 4 }, extra::SHORT),
            (words > 16, extra::LONG),
        ] {
            if is {
                self.set(&mut bits, at);
            }
        }
        bits
    }

    /// What stands at the start of the clauses of a segment.
    fn clauses(&self, sentence: &Sentence, span: Span, hits: &[Hit], joins: &[usize], bits: &mut Bits) {
        let count = self.lexicon.classes.len();
        let bytes = sentence.folded.as_bytes();
        let mut starts = vec![span.start];
        for (at, byte) in bytes.iter().copied().enumerate().take(span.end).skip(span.start) {
            if matches!(byte, b',' | b'(') || (byte == b'_' && joins.contains(&(at + 1))) {
                starts.push(at + 1);
            } else if byte >= 0x80 && wide_comma(bytes, at) {
                starts.push(at + WIDE_COMMA.len());
            }
        }
        for (index, start) in starts.iter().enumerate() {
            let mut start = *start;
            loop {
                while bytes.get(start).is_some_and(|b| matches!(b, b'_' | b',' | b'!' | b'*')) {
                    start += 1;
                }
                match hits.iter().find(|hit| hit.start == start && self.is(hit, kind::SKIP)) {
                    Some(hit) => start = hit.end,
                    None => break,
                }
            }
            let (mut acts, mut negated, mut told) = (false, false, false);
            for hit in hits.iter().filter(|hit| hit.start == start) {
                bits.set(CLAUSE * count + usize::from(hit.class));
                if index == 0 {
                    bits.set(START * count + usize::from(hit.class));
                }
                negated |= self.is(hit, kind::NEGATES);
                acts |= self.is(hit, kind::ACTS);
                told |= self.is(hit, kind::TOLD);
            }
            if acts && !told {
                let definite = hits.iter().any(|hit| self.is(hit, kind::DEFINITE) && start < hit.start && hit.start < start + 28);
                let at = match (negated, definite) {
                    (false, false) => extra::IMP_GEN,
                    (false, true) => extra::IMP_DEF,
                    (true, false) => extra::NEGIMP_GEN,
                    (true, true) => extra::NEGIMP_DEF,
                };
                self.set(bits, at);
            }
        }
    }

    /// Cues that follow each other closely.
    fn relations(&self, hits: &[Hit], comma: usize, bits: &mut Bits) {
        for hit in hits {
            let (reach, at, followers) = if self.is(hit, kind::PRODUCT) && hit.start < comma {
                (22, extra::PRODSUBJ, kind::BOUND)
            } else if self.is(hit, kind::YOU) {
                (6, extra::YOUMODAL, kind::BINDS)
            } else if self.is(hit, kind::OURS) {
                (2, extra::MYKIN, kind::THIRD)
            } else {
                continue;
            };
            if hits.iter().any(|next| hit.end <= next.start && next.start <= hit.end + reach && self.is(next, followers)) {
                self.set(bits, at);
            }
        }
    }

    /// Words in -ed: a past, or behind a form of "be" a passive.
    fn past(&self, text: &str, bits: &mut Bits) {
        let bytes = text.as_bytes();
        let (mut before, mut start) = (Span::new(0, 0), 0);
        for at in 0..=bytes.len() {
            if bytes.get(at).is_some_and(|byte| !matches!(byte, b'_' | b',')) {
                continue;
            }
            if at > start + 4 && bytes.get(at - 2..at) == Some(b"ed") {
                let before = before.of(text);
                let passive = PASSIVE.split(' ').any(|known| known == before) || before.ends_with("'s") || before.ends_with("'re");
                self.set(bits, if passive { extra::PASSIVE } else { extra::ED });
            }
            (before, start) = (Span::new(start, at), at + 1);
        }
    }

    /// Where the sentences stand in the message.
    pub(super) fn places(&self, sentences: &mut [Sentence]) {
        let count = sentences.len();
        for (index, sentence) in sentences.iter_mut().enumerate() {
            for (is, at) in [
                (count == 1, extra::SOLE),
                (count > 1 && index == 0, extra::FIRSTS),
                (index > 0 && index + 1 == count, extra::LASTS),
                (count > 12, extra::DOCUMENT),
            ] {
                if is {
                    self.set(&mut sentence.bits, at);
                }
            }
        }
    }
}
