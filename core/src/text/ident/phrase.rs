//! Identifiers of more than one word: `GBP 500`, `412 rows`, `12 Mar 2026`, `2026-03-12 10:30`, `port 8443`.

use super::kinds::{clock, kind_of, number};
use super::tables::{CURRENCIES, MONTHS, TIGHT_UNITS, UNITS, has, has_caseless};
use super::{Kind, atom_end, leading_marks};

const PORTS: &[&str] = &["port", "Port", "ports"];

/// Longest word of a phrase.
const MAX_WORD: usize = 32;

/// A word and one past its last byte.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a str,
    end: usize,
    /// Whether punctuation followed, so that no phrase goes on.
    closed: bool,
}

/// The phrase that begins with the atom from `at` to `end`: its kind and end.
pub(super) fn at(text: &str, at: usize, end: usize) -> Option<(Kind, usize)> {
    if end - at > MAX_WORD {
        return None;
    }
    let atom = text.get(at..end)?;
    let marks = leading_marks(atom);
    let first = trimmed(atom.get(marks..)?, at + marks);
    if first.closed {
        return None;
    }
    let second = next(text, end)?;
    money(first, second)
        .or_else(|| measured(first, second))
        .or_else(|| dated(text, first, second))
        .or_else(|| (has(PORTS, first.text) && plain(second.text, 2, 5)).then_some((Kind::Address, second.end)))
}

/// Whether a word of letters can begin a phrase.
pub(super) fn may_begin(word: &str) -> bool {
    match word.len() {
        3..=9 if capital(word) => has(CURRENCIES, word) || has_caseless(MONTHS, word) || has(PORTS, word) || word.ends_with("file"),
        4 | 5 => has(PORTS, word),
        10..=11 => word.ends_with("file"),
        _ => false,
    }
}

fn trimmed(atom: &str, start: usize) -> Word<'_> {
    let text = atom.trim_end_matches(['.', ',', ':', ';', '!', '?', '*', '|']);
    Word { text, end: start + text.len(), closed: text.len() < atom.len() }
}

/// The word after one gap.
fn next(text: &str, at: usize) -> Option<Word<'_>> {
    let rest = text.get(at..)?;
    let gap = rest.chars().next().filter(|c| matches!(c, ' ' | '\u{a0}' | '\u{202f}'))?;
    let start = at + gap.len_utf8();
    let end = atom_end(text, start);
    if end - start > MAX_WORD {
        return None;
    }
    let word = trimmed(text.get(start..end)?, start);
    let comma = text.get(end..).is_some_and(|rest| rest.starts_with(','));
    (!word.text.is_empty()).then_some(Word { closed: word.closed || comma, ..word })
}

fn plain(text: &str, least: usize, most: usize) -> bool {
    (least..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

/// `GBP 500`, `GBP 1.5m`, `$2 million`. What follows a slash stays outside: `GBP 500/day`.
fn money(first: Word<'_>, second: Word<'_>) -> Option<(Kind, usize)> {
    let value = second.text.split('/').next().unwrap_or_default();
    let unmultiplied = value.trim_end_matches(['k', 'K', 'm', 'M', 'n', 'b']);
    if (has(CURRENCIES, first.text) || has(&["$", "£", "€", "¥"], first.text)) && number(unmultiplied) {
        return Some((Kind::Amount, second.end - (second.text.len() - value.len())));
    }
    let priced = first.text.starts_with(['$', '£', '€', '¥']);
    let large = has(&["million", "billion", "thousand"], second.text);
    (priced && large && kind_of(first.text) == Some(Kind::Amount)).then_some((Kind::Amount, second.end))
}

/// `412 rows`, `500 mg`, `12 %`, `500 GBP`.
fn measured(first: Word<'_>, second: Word<'_>) -> Option<(Kind, usize)> {
    let value = first.text.trim_start_matches(['-', '+', '~']);
    let is_unit = |word| has(CURRENCIES, word) || (has_caseless(UNITS, word) && !has_caseless(TIGHT_UNITS, word));
    (number(value) && is_unit(second.text)).then_some((Kind::Amount, second.end))
}

/// `12 Mar 2026`, `12th of March`, `March 12, 2026`, `Mar 2026`, `2026-03-12 10:30`.
fn dated(text: &str, first: Word<'_>, second: Word<'_>) -> Option<(Kind, usize)> {
    let year = |w: &Word<'_>| plain(w.text, 4, 4) && (w.text.starts_with("19") || w.text.starts_with("20"));
    let after = || next(text, second.end + usize::from(second.closed && text.get(second.end..).is_some_and(|t| t.starts_with(','))));
    if is_day(first.text) && has_caseless(MONTHS, second.text) {
        let with_year = after().filter(|w| year(w)).map(|w| (Kind::Date, w.end));
        return with_year.or(capital(second.text).then_some((Kind::Date, second.end)));
    }
    if capital(first.text) && has_caseless(MONTHS, first.text) {
        if is_day(second.text) {
            return Some((Kind::Date, after().filter(year).map_or(second.end, |w| w.end)));
        }
        return year(&second).then_some((Kind::Date, second.end));
    }
    let day = first.text.len() == 10 && kind_of(first.text) == Some(Kind::Date);
    (day && clock(second.text)).then_some((Kind::Date, second.end))
}

fn is_day(text: &str) -> bool {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text);
    plain(digits, 1, 2) && digits.parse::<u8>().is_ok_and(|n| (1..=31).contains(&n))
}

fn capital(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase())
}
