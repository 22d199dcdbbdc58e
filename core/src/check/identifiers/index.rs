//! The identifiers of a source, laid out so that each question takes a few look-ups.

use super::super::stems::Stem;
use super::token::{Token, beside, parts, tokens};
use super::value::{self, BARE, PLAIN, Value};
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
const ADDED: usize = 48;

/// What is known of a source.
#[derive(Debug, Default)]
pub struct Source<'a> {
    /// Every stretch that stands for an identifier, sorted.
    keys: Vec<&'a str>,
    entries: Vec<Entry<'a>>,
    /// By a mark of an entry, its place: forms, beginnings, ends and neighbors. Sorted.
    marks: Vec<(u64, u32)>,
    values: Vec<Value>,
    dates: Vec<u64>,
}

impl<'a> Source<'a> {
    /// Reads the texts of a span, in the order of their events.
    #[must_use]
    pub fn of(texts: impl IntoIterator<Item = (Trust, &'a str)>) -> Self {
        let mut source = Self::default();
        for (trust, text) in texts {
            for word in text.split(|c: char| c.is_whitespace() || "\"'`()[]{}<>|,;“”‘’«»*…".contains(c)) {
                let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_');
                if !word.is_empty() {
                    parts(word, |part| source.keys.push(part));
                }
            }
            for token in tokens(text) {
                source.keys.push(token.text);
                source.entries.push(Entry { token, trust });
            }
        }
        source.keys.sort_unstable();
        source.keys.dedup();
        // the highest trust of each first
        source.entries.sort_by(|a, b| (a.token.text, b.trust).cmp(&(b.token.text, a.trust)));
        for at in 0..source.entries.len() {
            let Some(entry) = source.entries.get(at).copied() else { break };
            let twin = at.checked_sub(1).and_then(|before| source.entries.get(before)).is_some_and(|b| b.token.text == entry.token.text);
            source.quantify(&entry.token);
            let place = u32::try_from(at).unwrap_or(u32::MAX);
            for (kept, mark) in marks(&entry.token) {
                if kept || !twin {
                    source.marks.push((mark, place));
                }
            }
        }
        source.marks.sort_unstable();
        source.values.sort_unstable();
        source.values.dedup();
        source.dates.sort_unstable();
        source.dates.dedup();
        source
    }

    fn quantify(&mut self, token: &Token<'_>) {
        if token.kind == Some(Kind::Date) {
            value::said(token.text, &mut self.dates);
        }
        for value in measured(token) {
            self.values.push(value);
            if value.of != PLAIN {
                self.values.extend(value::quantity(number_of(token.text)).into_iter().map(|bare| Value { of: BARE, ..bare }));
            }
        }
    }

    /// Whether a stretch of text stands in the source as a whole.
    pub(super) fn has(&self, text: &str) -> bool {
        self.keys.binary_search(&text).is_ok()
    }

    /// Whether a hash of the source begins so.
    pub(super) fn begins(&self, start: &str) -> bool {
        self.keys.get(self.keys.partition_point(|key| *key < start)).is_some_and(|key| key.starts_with(start))
    }

    pub(super) fn has_date(&self, text: &str) -> bool {
        value::fits(text, &self.dates)
    }

    /// Whether a quantity was said, in these or other units.
    pub(super) fn has_value(&self, wanted: Value) -> bool {
        let has = |of: u32| self.values.binary_search(&Value { of, ..wanted }).is_ok();
        has(wanted.of) || has(PLAIN) || (wanted.of == PLAIN && has(BARE))
    }

    /// Whether a quantity was said that is about as large.
    pub(super) fn has_about(&self, wanted: Value) -> bool {
        let slack = wanted.amount / 20;
        let from = self.values.partition_point(|value| value.amount < wanted.amount.saturating_sub(slack));
        let near = self.values.iter().skip(from).take_while(|value| value.amount <= wanted.amount.saturating_add(slack));
        near.take(LOOKED_AT).any(|value| value.of == wanted.of || value.of == PLAIN || wanted.of == PLAIN)
    }

    /// Whether a quantity is the sum or the difference of two of one unit, or the time between two times of day.
    pub(super) fn comes_to(&self, wanted: Value) -> bool {
        let measured = || self.values.iter().filter(|value| value.of == wanted.of && value.of != BARE);
        let few = self.values.len() <= 16 * ADDED && measured().nth(ADDED).is_none() && value::clocks(&self.dates).nth(ADDED).is_none();
        let sum = |a: &Value| {
            measured().any(|b| a.amount.saturating_add(b.amount) == wanted.amount || a.amount.abs_diff(b.amount) == wanted.amount)
        };
        let apart = |a: u64| value::clocks(&self.dates).any(|b| value::minutes(a.abs_diff(b)) == wanted);
        few && wanted.amount > 0 && (wanted.of != PLAIN && measured().any(sum) || value::clocks(&self.dates).any(apart))
    }

    /// The entries with a mark.
    pub(super) fn under(&self, mark: u64) -> impl Iterator<Item = &Entry<'a>> {
        let from = self.marks.partition_point(|(known, _)| *known < mark);
        let same = self.marks.iter().skip(from).take_while(move |(known, _)| *known == mark).take(LOOKED_AT);
        same.filter_map(|(_, place)| self.entries.get(usize::try_from(*place).unwrap_or(usize::MAX)))
    }
}

/// The readings of a token as a quantity, with the unit right after it; none for what is a name with digits in it.
pub(super) fn measured(token: &Token<'_>) -> Vec<Value> {
    if token.kind == Some(Kind::Amount) {
        return value::quantity(token.text);
    }
    let number = number_of(token.text);
    let padded = number.len() > 1 && number.starts_with('0') && number.bytes().all(|b| b.is_ascii_digit());
    let Some(end) = token.text.rfind(number).map(|at| at + number.len()).filter(|_| !padded && !number.is_empty()) else {
        return Vec::new();
    };
    let (head, rest) = token.text.split_at_checked(end).unwrap_or_default();
    let signed = head.len() == number.len() || !head.starts_with(|c: char| c.is_ascii_alphanumeric());
    if token.kind.is_some_and(|kind| !matches!(kind, Kind::Version | Kind::Ticket | Kind::Name)) || !signed {
        return Vec::new();
    }
    let word = rest.strip_prefix('-').unwrap_or(rest);
    let lower = word.bytes().all(|b| b.is_ascii_lowercase());
    if rest.is_empty() {
        let mut values = value::quantity(number);
        if let Some((of, size)) = value::unit(token.after) {
            values.iter_mut().for_each(|value| *value = Value { of, amount: value.amount.saturating_mul(size) });
        }
        values
    } else if (rest.len() > word.len() && lower)
        || word == "%"
        || (lower && (value::unit(word).is_some() || ["st", "nd", "rd", "th", "x"].contains(&word)))
    {
        value::quantity(token.text)
    } else {
        Vec::new()
    }
}

/// The number of a quantity, with a multiplier that touches it.
fn number_of(text: &str) -> &str {
    let from = text.find(|c: char| c.is_ascii_digit()).unwrap_or(text.len());
    let rest = text.get(from..).unwrap_or_default();
    let end = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '_' | 'k' | 'K' | 'M'))).unwrap_or(rest.len());
    rest.get(..end).unwrap_or_default().trim_end_matches(['.', ',', '_'])
}

fn mark(tag: u8, bytes: impl Iterator<Item = u8>) -> u64 {
    std::iter::once(tag).chain(bytes).fold(0xcbf2_9ce4_8422_2325, |hash, b| (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// Letters and digits in lower case: the same for variants of case and separators.
pub(super) fn folded(text: &str) -> impl DoubleEndedIterator<Item = u8> + '_ {
    text.bytes().filter(|b| b.is_ascii_alphanumeric() || *b >= 0x80).map(|b| b.to_ascii_lowercase())
}

/// The kinds of characters, digits as `0`: the same for another version, date or amount of one shape.
pub(super) fn shape(text: &str) -> impl Iterator<Item = u8> + '_ {
    let class = |b: u8| match b {
        b'0'..=b'9' => b'0',
        b'a'..=b'z' => b'a',
        b'A'..=b'Z' => b'A',
        _ => b,
    };
    let mut last = 0;
    // a run of letters is one letter
    text.bytes().map(class).filter(move |b| std::mem::replace(&mut last, *b) != *b || !b.is_ascii_alphanumeric())
}

/// What an entry can be found by, and whether each of several entries of one text is kept under it.
pub(super) fn marks(token: &Token<'_>) -> impl Iterator<Item = (bool, u64)> {
    let text = token.text;
    let length = folded(text).count();
    let short = usize::from(length <= 6);
    let near = [
        mark(1, folded(text)),
        mark(2, folded(text).take(3)),
        mark(3, folded(text).rev().take(3)),
        mark(4, folded(text).take(short)),
        mark(5, folded(text).rev().take(short)),
    ];
    let known = near.into_iter().take(if short == 1 { 5 } else { 3 }).map(|mark| (false, mark));
    known.chain(contexts(token).map(|mark| (true, mark)))
}

/// The places a token of this shape stands in: after one word, before another.
pub(super) fn contexts(token: &Token<'_>) -> impl Iterator<Item = u64> {
    let side = |tag: u8, stem: Option<Stem>| stem.map(|stem| mark(tag, stem.bytes().into_iter().chain(shape(token.text))));
    [side(6, beside(token.before)), side(7, beside(token.after))].into_iter().flatten()
}
