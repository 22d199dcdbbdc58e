//! The identifiers of a source, laid out so that each question takes a few look-ups.

use std::cell::OnceCell;

use super::super::statement::before_end;
use super::super::stems::Postings;
use super::figure::Figure;
use super::token::{Token, beside, parts, tokens};
use super::value::{self, BARE, PLAIN, Value};
use crate::item::Span;
use crate::ordered::number;
use crate::text::ident::Kind;
use crate::trust::Trust;

/// An identifier of the source and the highest trust it was used with.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry<'a> {
    pub(super) token: Token<'a>,
    pub(super) trust: Trust,
}

/// Most entries looked at under one mark.
const LOOKED_AT: usize = 48;

/// More quantities than this are not added up with each other.
const ADDED: usize = 64;

/// A quantity is added to this many before it.
const TOGETHER: usize = 3;

/// What is known of a source.
#[derive(Debug, Default)]
pub struct Source<'a> {
    /// Every stretch that stands for an identifier, by its hash, sorted.
    keys: Vec<u64>,
    /// All identifiers, in order.
    all: Vec<Entry<'a>>,
    /// What a near miss is looked for in, once one is.
    marked: OnceCell<Marked>,
    /// Quantities: by their amount, the unit.
    values: Postings,
    dates: Postings,
    /// Where numbers stand, and by their amount, the place in that list.
    figures: Vec<Figure<'a>>,
    numbers: Postings,
    /// The texts themselves: durations in words are looked for once a date is not found.
    texts: Vec<&'a str>,
    /// Sums and differences of quantities that stand together: by their amount, the unit.
    derived: Postings,
}

/// One entry for each text, the first, and the places of the others.
#[derive(Debug)]
struct Marked {
    /// Of each entry the highest trust of its text.
    trust: Vec<Trust>,
    /// By a mark of an entry, its place: forms, beginnings, ends and neighbors.
    marks: Postings,
}

impl<'a> Source<'a> {
    /// Reads the texts of a span, in the order of their events.
    #[must_use]
    pub fn of(texts: &[(Trust, &'a str)]) -> Self {
        let mut source = Self::default();
        for (trust, text) in texts {
            source.read(*trust, text);
        }
        source.ready()
    }

    /// Adds what another source has.
    pub(super) fn extend(&mut self, other: &Self) {
        self.keys.extend_from_slice(&other.keys);
        self.all.extend_from_slice(&other.all);
        self.values.extend(&other.values);
        self.texts.extend_from_slice(&other.texts);
        self.dates.extend(&other.dates);
        self.derived.extend(&other.derived);
        for (amount, place) in other.numbers.all() {
            self.numbers.add(*amount, self.figures.len() + *place as usize);
        }
        self.figures.extend_from_slice(&other.figures);
    }

    /// The source once all is read.
    pub(super) fn ready(mut self) -> Self {
        self.keys.sort_unstable();
        self.values.seal();
        self.dates.seal();
        self.numbers.seal();
        self.derived.seal();
        self
    }

    pub(super) fn read(&mut self, trust: Trust, text: &'a str) {
        self.texts.push(text);
        for word in text.split(ends) {
            let word = trimmed(word);
            if !word.is_empty() {
                parts(word, &mut self.keys);
            }
        }
        let mut before: Vec<(Span, Vec<Value>)> = Vec::new();
        for token in tokens(text) {
            self.keys.push(key(token.text));
            if token.kind == Some(Kind::Date) {
                value::said(token.text, &mut self.dates);
            }
            let values = measured(&token);
            if !values.is_empty() {
                for (amount, _) in value::quantity(number_of(token.text)) {
                    self.numbers.add(amount, self.figures.len());
                }
                self.figures.push(Figure { text, span: number_span(&token), trust });
                for (span, other) in &before {
                    let between = text.get(span.end..token.span.start).unwrap_or_default();
                    let together = ![". ", "! ", "? ", "\n"].iter().any(|mark| between.contains(mark));
                    for ((a, unit), (b, _)) in other.iter().flat_map(|a| values.iter().filter(|b| a.1 == b.1).map(move |b| (a, b))) {
                        // numbers without a unit are everywhere: those of one sentence alone
                        if *unit != PLAIN || together {
                            self.derived.add(a.abs_diff(*b), *unit as usize);
                            self.derived.add(a.saturating_add(*b), *unit as usize);
                        }
                    }
                }
                if before.len() == TOGETHER {
                    before.remove(0);
                }
                before.push((token.span, values.clone()));
            }
            for value in values {
                self.values.add(value.0, value.1 as usize);
                if value.1 != PLAIN {
                    for (bare, _) in value::quantity(number_of(token.text)) {
                        self.values.add(bare, BARE as usize);
                    }
                }
            }
            self.all.push(Entry { token, trust });
        }
    }

    /// One entry for each text, with its highest trust; the places of the others are marked all the same.
    fn marked(&self) -> &Marked {
        self.marked.get_or_init(|| {
            let (mut trust, mut marked) = (vec![Trust::External; self.all.len()], Postings::default());
            let mut texts = Postings::default();
            for (at, entry) in self.all.iter().enumerate() {
                texts.add(key(entry.token.text), at);
            }
            texts.seal();
            let mut first = (0, 0);
            for (key, at) in texts.all() {
                let at = *at as usize;
                let Some(entry) = self.all.get(at) else { continue };
                let twin = first.0 == *key;
                if !twin {
                    first = (*key, at);
                }
                if let Some(highest) = trust.get_mut(first.1) {
                    *highest = entry.trust.max(*highest);
                }
                // a place says how another stood there, and must be its own
                let mut found = contexts(&entry.token);
                if !twin {
                    marks(&entry.token, &mut found);
                }
                marked.add_all(&found, first.1);
            }
            marked.seal();
            Marked { trust, marks: marked }
        })
    }

    /// Whether a stretch of text stands in the source as a whole.
    pub(super) fn has(&self, text: &str) -> bool {
        self.keys.binary_search(&key(text)).is_ok()
    }

    /// Whether a hash of the source begins so.
    pub(super) fn begins(&self, start: &str) -> bool {
        let form = folded(start);
        let known = |entry: Entry<'_>| entry.token.kind == Some(Kind::Hash) && entry.token.text.starts_with(start);
        form.len() >= 3 && self.under(mark(2, form.get(..3).unwrap_or_default())).any(known)
    }

    pub(super) fn has_date(&self, text: &str) -> bool {
        value::fits(text, &self.dates)
    }

    /// Whether a day lies as many days or weeks before or after one of the source as are said in it.
    pub(super) fn comes_to_date(&self, text: &str) -> bool {
        let Some(wanted) = value::day_number(text) else { return false };
        let mut spans = Vec::new();
        for (amount, unit) in self.values.all().iter().take(ADDED) {
            spans.extend(value::whole_days(*amount, *unit));
        }
        for text in &self.texts {
            value::days_in_words(text, &mut spans);
        }
        let days = value::day_numbers(&self.dates);
        days.take(ADDED).any(|day| spans.iter().take(ADDED).any(|span| day.abs_diff(wanted) == u64::from(*span)))
    }

    /// Whether a quantity was said, in these or other units.
    pub(super) fn has_value(&self, wanted: Value) -> bool {
        let (amount, of) = wanted;
        self.is_about(amount, amount, |unit| unit == of || unit == PLAIN || (of == PLAIN && unit == BARE))
    }

    /// Where a number stands, whatever its unit.
    pub(super) fn figures(&self, amount: u64) -> impl Iterator<Item = &Figure<'a>> {
        let places = self.numbers.between(amount, amount).iter().take(LOOKED_AT);
        places.filter_map(|(_, place)| self.figures.get(*place as usize))
    }

    /// Whether a quantity was said that is about as large.
    pub(super) fn has_about(&self, wanted: Value) -> bool {
        let (amount, of) = wanted;
        let slack = amount / 20;
        self.is_about(amount.saturating_sub(slack), amount.saturating_add(slack), |unit| unit == of || unit == PLAIN || of == PLAIN)
    }

    fn is_about(&self, low: u64, high: u64, fits: impl Fn(u32) -> bool) -> bool {
        self.values.between(low, high).iter().take(LOOKED_AT).any(|(_, unit)| fits(*unit))
    }

    /// Whether a quantity is the sum or the difference of two of one unit, or the time between two times of day.
    pub(super) fn comes_to(&self, wanted: Value) -> bool {
        let (amount, of) = wanted;
        if amount > 0 && self.derived.between(amount, amount).iter().any(|(_, unit)| *unit == of) {
            return true;
        }
        let clocks = value::clocks(&self.dates);
        if amount == 0 || self.values.all().len() > ADDED || clocks.len() > ADDED {
            return false;
        }
        let other = |amount: u64| self.is_about(amount, amount, |unit| unit == of);
        for (have, unit) in self.values.all() {
            if *unit == of && of != PLAIN && (other(have.abs_diff(amount)) || other(have.saturating_add(amount))) {
                return true;
            }
        }
        clocks.iter().any(|a| clocks.iter().any(|b| value::minutes(a.0.abs_diff(b.0)) == wanted))
    }

    /// The entries with a mark.
    pub(super) fn under(&self, mark: u64) -> impl Iterator<Item = Entry<'a>> {
        let Marked { trust, marks } = self.marked();
        let places = marks.between(mark, mark).iter().take(LOOKED_AT).map(|(_, place)| *place as usize);
        places.filter_map(|place| Some(Entry { trust: *trust.get(place)?, ..*self.all.get(place)? }))
    }
}

/// What ends a word of the source.
pub(super) fn ends(c: char) -> bool {
    match c {
        '"' | '\'' | '`' | '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>' | '|' | ',' | ';' | '*' => true,
        '“' | '”' | '‘' | '’' | '«' | '»' | '…' => true,
        _ => c.is_whitespace(),
    }
}

fn edge(c: char) -> bool {
    !c.is_alphanumeric() && c != '_'
}

/// The readings of a token as a quantity, with the unit right after it; none for what is a name with digits in it.
pub(super) fn measured(token: &Token<'_>) -> Vec<Value> {
    if token.kind == Some(Kind::Amount) {
        return value::quantity(token.text);
    }
    let number = number_of(token.text);
    let padded = number.len() > 1 && number.starts_with('0') && number.bytes().all(|b| b.is_ascii_digit());
    let named = token.kind.is_some_and(|kind| !matches!(kind, Kind::Version | Kind::Ticket | Kind::Name));
    let Some((head, rest)) = token.text.split_once(number).filter(|_| !padded && !named && !number.is_empty()) else { return Vec::new() };
    let word = rest.strip_prefix('-').unwrap_or(rest);
    let lower = word.bytes().all(|b| b.is_ascii_lowercase());
    let counts = lower && (rest.len() > word.len() || value::unit(word).is_some() || matches!(word, "st" | "nd" | "rd" | "th" | "x"));
    if head.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        Vec::new()
    } else if rest.is_empty() {
        let mut values = value::quantity(number);
        if let Some((of, size)) = value::unit(token.after) {
            for value in &mut values {
                *value = (value.0.saturating_mul(size), of);
            }
        }
        values
    } else if counts || word == "%" {
        value::quantity(token.text)
    } else {
        Vec::new()
    }
}

/// The number of a quantity, with a multiplier that touches it.
pub(super) fn number_of(text: &str) -> &str {
    let from = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let rest = text.get(from..).unwrap_or_default();
    let end = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '_' | 'k' | 'K' | 'M'))).unwrap_or(rest.len());
    before_end(rest.get(..end).unwrap_or_default(), ".,_")
}

/// Where the number of a quantity stands.
pub(super) fn number_span(token: &Token<'_>) -> Span {
    let number = number_of(token.text);
    let start = token.span.start + token.text.find(number).unwrap_or_default();
    Span::new(start, start + number.len())
}

fn mark(tag: u64, bytes: &[u8]) -> u64 {
    number(bytes) ^ tag
}

/// What a stretch of text is looked up by.
pub(super) fn key(text: &str) -> u64 {
    mark(0, text.as_bytes())
}

/// A stretch without the signs around it.
#[inline(never)]
pub(super) fn trimmed(text: &str) -> &str {
    text.trim_matches(edge)
}

/// Letters and digits in lower case: the same for variants of case and separators.
pub(super) fn folded(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for b in text.bytes() {
        if b.is_ascii_alphanumeric() || b >= 0x80 {
            out.push(b.to_ascii_lowercase());
        }
    }
    out.truncate(128);
    out
}

/// Adds what an entry can be found by: its form, its beginning and its end.
pub(super) fn marks(token: &Token<'_>, out: &mut Vec<u64>) {
    let form = folded(token.text);
    out.push(mark(1, &form));
    for length in if form.len() <= 6 { [3, 1] } else { [3, 3] } {
        let length = form.len().min(length);
        out.push(mark(2, form.get(..length).unwrap_or_default()));
        out.push(mark(3, form.get(form.len() - length..).unwrap_or_default()));
    }
}

/// A text in which a run of letters is one letter and digits are `0`.
pub(super) fn shape(text: &str) -> Vec<u8> {
    let mut shape = Vec::new();
    for b in text.bytes() {
        let class = match b {
            b'0'..=b'9' => b'0',
            b'a'..=b'z' => b'a',
            b'A'..=b'Z' => b'A',
            _ => b,
        };
        if shape.last() != Some(&class) {
            shape.push(class);
        }
    }
    shape
}

/// The places a token of its shape stands in: after one word, before another. A run of letters is one letter, digits are
/// `0`: the same for another version, date or amount.
pub(super) fn contexts(token: &Token<'_>) -> Vec<u64> {
    let shape = shape(token.text);
    let mut out = Vec::new();
    for (tag, word) in [(6, token.before), (7, token.after)] {
        if let Some(stem) = beside(word) {
            out.push(mark(tag, &shape) ^ stem);
        }
    }
    out
}
