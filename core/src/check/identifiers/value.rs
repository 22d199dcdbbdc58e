//! Quantities and dates by what they mean: `18,400 USD` is `USD 18400`, `900 seconds` is `15 minutes`, `14 June` is
//! `2026-06-14`.

use std::sync::OnceLock;

use super::super::statement::{after_start, before_end};
use super::super::stems::{Postings, listed};
use super::index::ends;
use crate::text::frame::{Table, hash, packed};

/// A quantity: how much, in millionths, and of what.
pub(super) type Value = (u64, u32);

/// Without a unit, or with one that is a plain noun.
pub(super) const PLAIN: u32 = 0;
/// The bare number of a quantity that has a unit; only a number without one can be it.
pub(super) const BARE: u32 = u32::MAX;
/// Time, as [`UNITS`] marks it.
const TIME: u32 = b'T' as u32;

/// A multiplier, as they mark it.
const MULTIPLIER: u32 = b'M' as u32;

/// Units, then what they measure and their size: **t**ime, **b**ytes, a **p**art, a **m**ultiplier, or a currency.
const UNITS: &str = "ms milliseconds millisecond T1 s sec secs second seconds sekunden T1000 min mins minute minutes minuten T60000 \
h hr hrs hour hours stunden heures horas T3600000 d day days tage jours T86400000 week weeks wochen T604800000 \
b byte bytes B1 kb kib B1000 mb mib B1000000 gb gib B1000000000 tb tib B1000000000000 % percent prozent pct P1 \
k thousand M1000 million M1000000 bn billion M1000000000 $ dollars dollar USD £ pounds GBP € euro euros EUR ¥ yen JPY";

fn code(letters: &str) -> u32 {
    letters.bytes().fold(0, |all, b| (all << 8) | u32::from(b))
}

/// What a unit measures and how large it is.
pub(super) fn unit(word: &str) -> Option<(u32, u64)> {
    static UNIT: OnceLock<(Table, Vec<(u32, u64)>)> = OnceLock::new();
    if word.len() == 3 && word.bytes().all(|b| b.is_ascii_uppercase()) {
        return Some((code(word), 1));
    }
    let (names, kinds) = UNIT.get_or_init(|| {
        let (mut names, mut kinds) = (Vec::new(), Vec::new());
        for known in UNITS.split(' ') {
            if known.starts_with(|c: char| c.is_ascii_uppercase()) {
                let (kind, size) = known.split_at_checked(1).unwrap_or_default();
                kinds.push(size.parse().map_or((code(known), 1), |size| (code(kind), size)));
            } else {
                names.push(packed(hash(known), kinds.len()));
            }
        }
        (Table::of(names), kinds)
    });
    names.found(hash(&word.to_ascii_lowercase())).and_then(|at| kinds.get(at)).copied()
}

/// A number of digits in millionths, `from` digits of it a fraction.
fn millionths(text: &str, fraction: usize) -> Option<u64> {
    let mut out = 0_u64;
    for b in text.bytes().filter(u8::is_ascii_digit) {
        out = out.checked_mul(10)?.checked_add(u64::from(b - b'0'))?;
    }
    (fraction..6).try_fold(out, |all, _| all.checked_mul(10))
}

/// Whether the digits between the marks are thousands.
fn grouped(text: &str, mark: char) -> bool {
    let mut groups = text.split(mark);
    (1..=3).contains(&groups.next().map_or(0, str::len)) && groups.all(|group| group.len() == 3)
}

/// The readings of a number in millionths: `1.940` may be a thousand or less than two.
pub(super) fn readings(text: &str) -> [Option<u64>; 2] {
    let digit = |c: char| c.is_ascii_digit();
    let shaped = text.len() <= 24 && text.chars().all(|c| digit(c) || matches!(c, ',' | '.' | '_'));
    if !shaped || !text.starts_with(digit) || !text.ends_with(digit) {
        return [None, None];
    }
    let Some(at) = text.rfind(['.', ',']) else { return [millionths(text, 0), None] };
    let (head, tail) = text.split_at_checked(at).unwrap_or_default();
    let (mark, other) = if tail.starts_with('.') { ('.', ',') } else { (',', '.') };
    let decimal = tail.len() <= 7 && !head.contains(mark) && (!head.contains(other) || grouped(head, other));
    [millionths(text, tail.len() - 1).filter(|_| decimal), millionths(text, 0).filter(|_| grouped(text, mark))]
}

/// The readings of a quantity such as `$4.5k`, `8GB`, `18,400 USD`, `GBP 500`, `2 million`, `900-second`.
pub(super) fn quantity(text: &str) -> Vec<Value> {
    let mut number = "";
    let (mut of, mut size, mut times) = (PLAIN, 1_u64, 1_u64);
    let mut rest = after_start(text, "-+~<>=");
    while let Some(c) = rest.chars().next() {
        let digit = c.is_ascii_digit();
        let same = |c: char| if digit { c.is_ascii_digit() || matches!(c, ',' | '.' | '_') } else { c.is_alphabetic() };
        let length = rest.find(|c| !same(c)).unwrap_or(rest.len()).max(c.len_utf8());
        let (word, after) = rest.split_at_checked(length).unwrap_or_default();
        rest = after;
        if digit {
            if !number.is_empty() {
                return Vec::new();
            }
            number = before_end(word, ".,_");
        } else if word == "M" || (word == "m" && of > 0xff) {
            times = 1_000_000;
        } else if let Some(found) = unit(word) {
            match found {
                (MULTIPLIER, by) => times = by,
                _ => (of, size) = found,
            }
        }
    }
    let mut out = Vec::new();
    for amount in readings(number).into_iter().flatten() {
        out.push((amount.saturating_mul(times).saturating_mul(size), of));
    }
    out
}

const MONTHS: &str = "janfebmaraprmayjunjulaugsepoctnovdec";

/// A day, month, year or time of day; 0 where nothing is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Moment {
    year: u32,
    month: u32,
    day: u32,
    /// Minutes of the day and one.
    clock: u32,
}

fn moment(text: &str) -> Moment {
    let mut out = Moment::default();
    for word in text.split(ends) {
        let (day, time) = split_time(word);
        for word in [day, time] {
            if word.contains(':') {
                out.clock = clock(word);
            } else {
                add_day(word, &mut out);
            }
        }
    }
    out
}

fn add_day(word: &str, out: &mut Moment) {
    // the numbers between the joints
    let (mut parts, mut count, mut number) = ([0; 3], 0, None);
    for b in word.bytes().chain([b'-']) {
        match b {
            b'0'..=b'9' => number = Some(number.unwrap_or(0_u32).saturating_mul(10).saturating_add(u32::from(b - b'0'))),
            b'-' | b'/' | b'.' => {
                let (Some(known), Some(slot)) = (number.take(), parts.get_mut(count)) else { break };
                *slot = known;
                count += 1;
            }
            _ => break,
        }
    }
    match (count, parts) {
        (3, [year, month, day]) if year > 31 => (out.year, out.month, out.day) = (year, month, day),
        (3, [a, b, year]) if b > 12 => (out.year, out.month, out.day) = (year, a, b),
        (3, [day, month, year]) => (out.year, out.month, out.day) = (year, month, day),
        (2, [year, month, _]) if year > 31 => (out.year, out.month) = (year, month),
        (1, [year, ..]) if year > 31 => out.year = year,
        (1, [day, ..]) => out.day = day,
        _ => {
            let start = word.get(..3).unwrap_or("-").to_ascii_lowercase();
            if let Some(at) = MONTHS.find(&start).filter(|at| at % 3 == 0) {
                out.month = at as u32 / 3 + 1;
            } else if let Ok(day) = word.get(..word.len().saturating_sub(2)).unwrap_or_default().parse() {
                out.day = day;
            }
        }
    }
}

/// `2026-03-12T10:30` in two; other words whole.
fn split_time(word: &str) -> (&str, &str) {
    let parts = word.split_once('T').filter(|(day, time)| day.ends_with(|c: char| c.is_ascii_digit()) && time.contains(':'));
    parts.unwrap_or((word, ""))
}

fn clock(text: &str) -> u32 {
    let (mut parts, mut at) = ([0_u32; 3], 0);
    for b in text.bytes() {
        let Some(slot) = parts.get_mut(at) else { break };
        match b {
            b':' => at += 1,
            b'0'..=b'9' => *slot = slot.saturating_mul(10).saturating_add(u32::from(b - b'0')),
            _ => {}
        }
    }
    let [hour, minute, _] = parts;
    let late = text.get(text.len().saturating_sub(2)..).is_some_and(|end| end.eq_ignore_ascii_case("pm")) && hour < 12;
    (if late { hour + 12 } else { hour }).min(24) * 60 + minute.min(59) + 1
}

const DAY: u64 = 1 << 40;
const DAY_OF_ANY: u64 = 2 << 40;
const DAY_ALONE: u64 = 3 << 40;
const MONTH: u64 = 4 << 40;
const CLOCK: u64 = 5 << 40;

fn key(tag: u64, year: u32, month: u32, day: u32) -> u64 {
    tag | (u64::from(year) << 16) | (u64::from(month.min(31)) << 8) | u64::from(day.min(31))
}

/// What a date of a source says, by every way a summary may say it.
pub(super) fn said(text: &str, out: &mut Postings) {
    let at = moment(text);
    if at.clock > 0 {
        out.add(CLOCK | u64::from(at.clock), 0);
    }
    // 03/04/2026 is one of two days
    let swapped = text.contains('/') && at.day <= 12;
    for (month, day) in [(at.month, at.day), (at.day, at.month)].into_iter().take(1 + usize::from(swapped)) {
        if day > 0 {
            out.add(key(DAY_OF_ANY, 0, month, day), 0);
            out.add(if at.year > 0 { key(DAY, at.year, month, day) } else { key(DAY_ALONE, 0, month, day) }, 0);
        }
        out.add(key(MONTH, at.year, month, 0), 0);
    }
}

/// Whether a date of a summary is among what was said.
pub(super) fn fits(text: &str, said: &Postings) -> bool {
    let at = moment(text);
    let has = |key: u64| !said.between(key, key).is_empty();
    let day = match (at.year, at.month, at.day) {
        (0, 0, 0) => true,
        (_, _, 0) => has(key(MONTH, at.year, at.month, 0)),
        (0, month, day) => has(key(DAY_OF_ANY, 0, month, day)),
        (year, month, day) => has(key(DAY, year, month, day)) || has(key(DAY_ALONE, 0, month, day)),
    };
    day && (at.clock == 0 || has(CLOCK | u64::from(at.clock)))
}

/// The times of day that were said.
pub(super) fn clocks(said: &Postings) -> &[(u64, u32)] {
    said.between(CLOCK, u64::MAX)
}

/// A duration of so many minutes.
pub(super) fn minutes(count: u64) -> Value {
    (count.saturating_mul(60_000_000_000), TIME)
}

/// Days since the year 0 of a calendar day, each month by its true length.
fn days_since(year: u32, month: u32, day: u32) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // a year that begins in March ends with the day that is not always there
    let (year, month) = if month > 2 { (year, month - 3) } else { (year.checked_sub(1)?, month + 9) };
    let leaps = year / 4 - year / 100 + year / 400;
    Some(i64::from(year) * 365 + i64::from(leaps) + i64::from((153 * month + 2) / 5) + i64::from(day))
}

/// The number of a day that is told with its year, whatever the clock says.
pub(super) fn day_number(text: &str) -> Option<i64> {
    let at = moment(text);
    if at.year == 0 || at.clock > 0 { None } else { days_since(at.year, at.month, at.day) }
}

/// The numbers of the days that were said with their year.
pub(super) fn day_numbers(said: &Postings) -> impl Iterator<Item = i64> {
    let part = |key: u64, shift: u32| (key >> shift & 0xff) as u32;
    said.between(DAY, DAY_OF_ANY - 1)
        .iter()
        .filter_map(move |(key, _)| days_since((key >> 16 & 0xff_ffff) as u32, part(*key, 8), part(*key, 0)))
}

/// A quantity of time in whole days, at most two years of them.
pub(super) fn whole_days(amount: u64, unit: u32) -> Option<u32> {
    const DAY: u64 = 86_400_000 * 1_000_000;
    let days = amount / DAY;
    (unit == TIME && amount.is_multiple_of(DAY) && (1..=730).contains(&days)).then_some(days as u32)
}

/// Small numbers, each in its words.
const COUNTS: [&str; 12] = [
    "one a ein eine einen eins einer un une uno una",
    "two zwei deux dos dois duas",
    "three drei trois tres três",
    "four vier quatre cuatro quatro",
    "five fünf cinq cinco",
    "six sechs seis",
    "seven sieben sept siete sete",
    "eight acht huit ocho oito",
    "nine neun neuf nueve nove",
    "ten zehn dix diez dez",
    "eleven elf",
    "twelve zwölf",
];

/// Days and weeks that a text counts in words: "one week later".
pub(super) fn days_in_words(text: &str, out: &mut Vec<u32>) {
    let mut before = "";
    for word in text.split(|c: char| !c.is_alphabetic()) {
        let size = match word {
            "day" | "days" | "Tag" | "Tage" | "Tagen" | "jour" | "jours" | "día" | "días" | "dia" | "dias" => 1,
            "week" | "weeks" | "Woche" | "Wochen" | "semaine" | "semaines" | "semana" | "semanas" => 7,
            _ => 0,
        };
        if size > 0 {
            let count = COUNTS.iter().zip(1..).find(|(words, _)| listed(words, before));
            out.extend(count.map(|(_, count)| count * size));
        }
        before = word;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_amount_has_many_forms() {
        for (a, b) in [
            ("18,400 USD", "USD 18400"),
            ("$4.5k", "4500 USD"),
            ("900 seconds", "15 minutes"),
            ("24-hour", "1 day"),
            ("2 million", "2M"),
            ("€1.940", "1,940 EUR"),
            ("12 %", "12 percent"),
            ("8.40 s", "8400ms"),
        ] {
            let (a, b) = (quantity(a), quantity(b));
            assert!(a.iter().any(|value| b.contains(value)), "{a:?} {b:?}");
        }
        for (a, b) in [("310 ms", "310 s"), ("16,250 USD", "6,250 USD"), ("500 GBP", "500 EUR")] {
            assert!(!quantity(a).iter().any(|value| quantity(b).contains(value)), "{a} {b}");
        }
        assert!(quantity("1.2.3.4.5").is_empty() && quantity("none").is_empty() && quantity("99999999999999999999999999").is_empty());
    }

    #[test]
    fn days_are_counted_over_months_and_leap_years() {
        for (from, to, days) in [
            ("2026-02-26", "2026-03-05", 7),
            ("2024-02-26", "2024-03-05", 8),
            ("2025-12-31", "2026-01-01", 1),
            ("2000-02-28", "2000-03-01", 2),
        ] {
            let number = |text| day_number(text).unwrap_or_default();
            assert_eq!(number(to) - number(from), days, "{from} {to}");
        }
        assert_eq!(day_number("14 June"), None);
        let mut spans = Vec::new();
        days_in_words("One week later, zwei Tage danach, three weeks", &mut spans);
        assert_eq!(spans, [2, 21]);
    }

    #[test]
    fn a_date_may_be_said_with_less() {
        for (source, summary, fit) in [
            ("2026-06-14", "14 June", true),
            ("2026-06-14", "June 14, 2026", true),
            ("14 June", "2026-06-14", true),
            ("2026-06-14T13:05", "13:05", true),
            ("1:05pm", "13:05", true),
            ("03/04/2026", "4 March 2026", true),
            ("2026-06-14", "June 2026", true),
            ("2026-06-14", "16 June", false),
            ("2026-06-14", "14 June 2025", false),
            ("06:30", "06:03", false),
            ("June 2026", "14 June 2026", false),
        ] {
            let mut keys = Postings::default();
            said(source, &mut keys);
            keys.seal();
            assert_eq!(fits(summary, &keys), fit, "{source} / {summary}");
        }
    }
}
