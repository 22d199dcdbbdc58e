//! Identifiers of more than one word: `GBP 500`, `412 rows`, `12 Mar 2026`, `2026-03-12 10:30`, `port 8443`.

use super::Kind;
use super::kinds::{clock, kind_of, number};
use super::made::{atom_at, leading_marks};
use super::tables::{CURRENCIES, MONTHS, TIGHT_UNITS, has, has_caseless, is_unit};

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
    if end - at > MAX_WORD || !matches!(text.as_bytes().get(end), Some(b' ' | 0x80..)) {
        return None;
    }
    let atom = text.get(at..end)?;
    let marks = leading_marks(atom);
    let first = trimmed(atom.get(marks..)?, at + marks);
    if first.closed {
        return None;
    }
    match first.text.as_bytes().first()? {
        b'0'..=b'9' | b'-' | b'+' | b'~' => {
            let second = next(text, end)?;
            measured(first, second).or_else(|| dated(text, first, second))
        }
        b'A'..=b'Z' | b'p' | b'$' | 0x80.. => {
            let second = next(text, end)?;
            let port = || (has(PORTS, first.text) && plain(second.text, 2, 5)).then_some((Kind::Address, second.end));
            money(first, second).or_else(|| dated(text, first, second)).or_else(port)
        }
        _ => None,
    }
}

/// The same, with all kinds of phrases asked about every atom.
#[cfg(test)]
pub(super) fn at_slowly(text: &str, at: usize, end: usize) -> Option<(Kind, usize)> {
    let atom = text.get(at..end).filter(|atom| atom.len() <= MAX_WORD)?;
    let marks = leading_marks(atom);
    let first = trimmed(atom.get(marks..)?, at + marks);
    let second = next(text, end).filter(|_| !first.closed)?;
    money(first, second)
        .or_else(|| measured(first, second))
        .or_else(|| dated(text, first, second))
        .or_else(|| (has(PORTS, first.text) && plain(second.text, 2, 5)).then_some((Kind::Address, second.end)))
}

/// Whether a word of letters can begin a phrase, or is the name of a file.
#[cfg_attr(standfast_hot, optimize(speed))]
pub(super) fn may_begin(word: &str) -> bool {
    match (word.len(), word.as_bytes().first()) {
        (3..=9, Some(b'A'..=b'Z')) => has(CURRENCIES, word) || has_caseless(MONTHS, word) || has(PORTS, word) || word.ends_with("file"),
        (4 | 5, Some(b'p')) => has(PORTS, word),
        (10 | 11, Some(b'A'..=b'Z')) => word.ends_with("file"),
        _ => false,
    }
}

#[cfg_attr(standfast_hot, optimize(speed))]
fn trimmed(atom: &str, start: usize) -> Word<'_> {
    let bytes = atom.as_bytes();
    let mut end = bytes.len();
    while end > 0
        && let Some(b'.' | b',' | b':' | b';' | b'!' | b'?' | b'*' | b'|') = bytes.get(end - 1)
    {
        end -= 1;
    }
    Word { text: atom.get(..end).unwrap_or(atom), end: start + end, closed: end < atom.len() }
}

/// The word after one gap.
fn next(text: &str, at: usize) -> Option<Word<'_>> {
    let bytes = text.as_bytes();
    let gap = match bytes.get(at)? {
        b' ' => 1,
        0x80.. => text.get(at..)?.chars().next().filter(|c| matches!(c, '\u{a0}' | '\u{202f}'))?.len_utf8(),
        _ => return None,
    };
    let start = at + gap;
    let (end, _) = atom_at(text, start);
    if end - start > MAX_WORD {
        return None;
    }
    let word = trimmed(text.get(start..end)?, start);
    let comma = bytes.get(end) == Some(&b',');
    (!word.text.is_empty()).then_some(Word { closed: word.closed || comma, ..word })
}

fn plain(text: &str, least: usize, most: usize) -> bool {
    (least..=most).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit())
}

/// `GBP 500`, `GBP 1.5m`, `$2 million`. What follows a slash stays outside: `GBP 500/day`.
#[inline(never)]
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
    // most numbers are followed by something else
    let unit = has(CURRENCIES, second.text) || (is_unit(second.text) && !has_caseless(TIGHT_UNITS, second.text));
    (unit && number(first.text.trim_start_matches(['-', '+', '~']))).then_some((Kind::Amount, second.end))
}

/// `12 Mar 2026`, `12th of March`, `March 12, 2026`, `Mar 2026`, `2026-03-12 10:30`.
#[inline(never)]
fn dated(text: &str, first: Word<'_>, second: Word<'_>) -> Option<(Kind, usize)> {
    let year = |w: &Word<'_>| plain(w.text, 4, 4) && (w.text.starts_with("19") || w.text.starts_with("20"));
    let after = || next(text, second.end + usize::from(second.closed && text.get(second.end..).is_some_and(|t| t.starts_with(','))));
    if has_caseless(MONTHS, second.text) && is_day(first.text) {
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
    if text.len() > 4 {
        return false;
    }
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| text.strip_suffix(end)).unwrap_or(text);
    plain(digits, 1, 2) && digits.parse::<u8>().is_ok_and(|n| (1..=31).contains(&n))
}

fn capital(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_uppercase())
}
