//! Words, numbers, identifiers and single characters of a text, in skeleton form, with their place in the original.

use super::lexicon::{cue, key, lexicon};
use super::stem::{hash, stem};
use crate::text::ident::{self, identifiers};
use crate::text::skeleton::{Folded, fold, skeleton};

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Word,
    /// A number in digits or words; [`Token::value`] is in thousandths.
    Number,
    /// A path, hash, ticket, host name and the like; its value is 1 where it begins with a letter.
    Ident,
    /// One character of a script without word gaps.
    Glyph,
}

/// A word or what stands for one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    /// Stem, with contracted negations as "not".
    pub(crate) key: u32,
    /// What it is compared by: the stem of its synonyms, the value of a number, an identifier's skeleton, a character and the next.
    pub(crate) canon: u32,
    /// The whole word in skeleton form.
    pub(crate) exact: u32,
    pub(crate) kind: Kind,
    pub(crate) cue: u32,
    pub(crate) value: u64,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Token {
    /// What stands for the very word in a run of words.
    pub(super) fn word(&self) -> u32 {
        match self.kind {
            Kind::Word => self.exact,
            Kind::Glyph => self.key,
            Kind::Number | Kind::Ident => self.canon,
        }
    }

    /// Whether it means something by itself.
    pub(crate) fn speaks(&self) -> bool {
        const FUNCTION: u32 = cue::NEG | cue::MUST | cue::MAY | cue::COND | cue::EXC | cue::PART | cue::STOP;
        match self.kind {
            Kind::Number | Kind::Ident => true,
            Kind::Glyph => !self.is(FUNCTION),
            Kind::Word => self.is(cue::NAME) || !self.is(FUNCTION | cue::ONLY | cue::SOFT | cue::LESS | cue::MORE),
        }
    }

    pub(crate) fn is(&self, cues: u32) -> bool {
        self.cue & cues != 0
    }
}

/// The value in thousandths of digits with separators; `None` for anything else.
fn digits(word: &str) -> Option<u64> {
    let (mut value, mut fraction, mut places) = (0_u64, false, 0_u32);
    let mut parts = word.split([',', '.', '_']).peekable();
    let first = parts.next()?;
    value = value.checked_add(first.parse().ok().filter(|_| first.len() <= 12)?)?;
    while let Some(part) = parts.next() {
        let number: u64 = part.parse().ok().filter(|_| part.len() <= 6)?;
        if part.len() == 3 && !fraction && first.len() <= 3 && value > 0 {
            value = value.checked_mul(1000)?.checked_add(number)?;
        } else if parts.peek().is_none() && part.len() <= 3 {
            fraction = true;
            places = u32::try_from(part.len()).ok()?;
            value = value.checked_mul(10_u64.checked_pow(places)?)?.checked_add(number)?;
        } else {
            return None;
        }
    }
    value.checked_mul(10_u64.checked_pow(3 - places.min(3))?)
}

fn is_glyph(c: char) -> bool {
    u32::from(c) >= 0x2e80 && c.is_alphanumeric()
}

/// Calls back with each word of a text in skeleton form and where it begins and ends.
pub(super) fn words(text: &str, found: &mut dyn FnMut(&str, (usize, usize))) {
    let mut word = String::new();
    let mut span = (0, 0);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        let next = chars.peek().map(|(_, c)| *c);
        let mut push = |piece: &str, word: &mut String| {
            if word.is_empty() {
                span.0 = at;
            }
            word.push_str(piece);
            span.1 = end;
        };
        match fold(c) {
            Folded::Nothing => continue,
            Folded::Ascii(a) if a.is_ascii_alphanumeric() || a == '_' => push(a.encode_utf8(&mut [0; 4]), &mut word),
            Folded::Text(piece) if piece.bytes().all(|b| b.is_ascii_alphanumeric()) => push(piece, &mut word),
            Folded::Ascii('\'') if !word.is_empty() && next.is_some_and(|c| c.is_alphabetic()) => push("'", &mut word),
            Folded::Ascii(a @ (',' | '.'))
                if word.as_bytes().last().is_some_and(u8::is_ascii_digit)
                    && word.as_bytes().first().is_some_and(u8::is_ascii_digit)
                    && next.is_some_and(|c| c.is_ascii_digit()) =>
            {
                push(a.encode_utf8(&mut [0; 4]), &mut word);
            }
            Folded::Other(c) if c.is_alphanumeric() => {
                if is_glyph(c) {
                    flush(&mut word, span, found);
                    found(c.encode_utf8(&mut [0; 4]), (at, end));
                } else {
                    push(c.encode_utf8(&mut [0; 4]), &mut word);
                }
            }
            _ => {
                flush(&mut word, span, found);
                let sign = match c {
                    '%' => "percent",
                    '€' => "euro",
                    '$' => "dollar",
                    '£' => "pound",
                    _ => continue,
                };
                found(sign, (at, end));
            }
        }
    }
    flush(&mut word, span, found);
}

fn flush(word: &mut String, span: (usize, usize), found: &mut dyn FnMut(&str, (usize, usize))) {
    // `24h` and `3g` are a number and its unit
    let number = word.bytes().take_while(|b| b.is_ascii_digit() || matches!(b, b'.' | b',')).count();
    let tail = word.get(number..).unwrap_or_default();
    if number > 0 && tail == "k" {
        word.replace_range(number.., ",000");
        found(word, span);
        word.clear();
        return;
    }
    let split = number > 0 && !tail.is_empty() && tail.bytes().all(|b| b.is_ascii_alphabetic()) && span.1 - span.0 == word.len();
    if split {
        found(word.get(..number).unwrap_or_default(), (span.0, span.0 + number));
        if !matches!(tail, "st" | "nd" | "rd" | "th") {
            found(tail, (span.0 + number, span.1));
        }
    } else if !word.is_empty() {
        found(word, span);
    }
    word.clear();
}

/// Whether an identifier is one token. What is only one by its backticks, amounts, dates of several words and names are
/// read as words.
fn whole(found: &ident::Ident<'_>) -> bool {
    let text = found.text;
    if found.kind == ident::Kind::Date && iso(text).is_some() {
        return true;
    }
    !matches!(found.kind, ident::Kind::Amount | ident::Kind::Code)
        && !text.contains(char::is_whitespace)
        && text.len() <= 200
        && text.bytes().any(|b| !b.is_ascii_alphabetic() && !matches!(b, b'-' | b'/') && b < 0x80)
        && digits(text).is_none()
}

/// A date with a day, the name of a month and a year as it is written in figures.
fn iso(text: &str) -> Option<String> {
    const MONTHS: &str = "janfebmaraprmayjunjulaugsepoctnovdec";
    let (mut day, mut month, mut year) = ("", 0, "");
    for word in text.split([' ', ',']) {
        let figure = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        match figure.len() {
            0 => {
                let found = word.get(..3).and_then(|name| MONTHS.find(&name.to_ascii_lowercase()));
                month = found.filter(|at| at % 3 == 0).map_or(month, |at| at / 3 + 1);
            }
            4 => year = figure,
            _ => day = figure,
        }
    }
    (month > 0 && !day.is_empty() && !year.is_empty()).then(|| format!("{year}-{month:02}-{day:0>2}"))
}

/// The tokens of a text.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(text.len() / 5);
    let mut from = 0;
    for found in identifiers(text).iter().filter(|found| whole(found)) {
        plain(text, from, found.span.start, &mut out);
        // `DROP_ALL` is not `drop_all`, but a sentence may begin with either
        let mut name = if found.text.is_ascii() { found.text.to_owned() } else { skeleton(found.text) };
        if let Some(first) = name.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        let canon = iso(found.text).map_or_else(|| hash(&name), |date| hash(&date));
        let (start, end) = (found.span.start, found.span.end);
        let value = u64::from(name.starts_with(|c: char| c.is_ascii_alphabetic()));
        out.push(Token { key: canon, canon, exact: hash(found.text), kind: Kind::Ident, cue: 0, value, start, end });
        from = end;
    }
    plain(text, from, text.len(), &mut out);
    glyph_pairs(&mut out);
    times(&mut out);
    parts_of_hours(&mut out);
    out
}

fn plain(text: &str, from: usize, to: usize, out: &mut Vec<Token>) {
    let Some(piece) = text.get(from..to) else { return };
    words(piece, &mut |word, (start, end)| {
        // the plural of an acronym
        let raw = piece.get(start..end).unwrap_or_default();
        let acronym = raw.strip_suffix('s').filter(|rest| rest.len() > 1 && rest.bytes().all(|b| b.is_ascii_uppercase()));
        let word = acronym.and_then(|rest| word.get(..rest.len())).unwrap_or(word);
        let own = hash(word);
        let glyph = word.chars().next().is_some_and(is_glyph);
        let value = if glyph { None } else { digits(word).or_else(|| lexicon().number(own).map(|n| n * 1000)) };
        let kind = match value {
            Some(_) => Kind::Number,
            None if glyph => Kind::Glyph,
            None => Kind::Word,
        };
        let key = if glyph { own } else { key(word) };
        let canon = value.map_or_else(|| hash(stem(word)), number_hash);
        let joined = text.get(..from + start).is_some_and(|before| before.ends_with('-') && !before.ends_with(" -"));
        let code = joined && word.len() == 2 && !matches!(word, "up" | "on" | "in" | "to" | "of" | "by");
        let mut cue = if code { cue::CODE } else { 0 };
        if word.len() == 1 && !glyph && value.is_none() {
            cue |= cue::GENERIC;
        }
        out.push(Token { key, canon, exact: own, kind, cue, value: value.unwrap_or(0), start: from + start, end: from + end });
    });
}

fn number_hash(value: u64) -> u32 {
    u32::try_from(value % 0xffff_fffb).unwrap_or(0).wrapping_mul(0x9e37_79b1) ^ 0x6e75
}

/// Characters without word gaps are compared in pairs.
fn glyph_pairs(tokens: &mut [Token]) {
    let mut next: Option<(u32, usize)> = None;
    for token in tokens.iter_mut().rev() {
        let own = token.key;
        if token.kind == Kind::Glyph {
            token.canon = match next {
                Some((key, start)) if start == token.end => own.rotate_left(7) ^ key,
                _ => own,
            };
            next = Some((own, token.start));
        } else {
            next = None;
        }
    }
}

/// Sets a number that counts a time apart from other numbers.
const TIME: u32 = 0x7469_6d65;

/// Gives a number that counts a time the canon of that time: "24 hours" and "one day" are equal.
fn times(tokens: &mut [Token]) {
    for at in 1..tokens.len() {
        if tokens.get(at - 1).is_none_or(|token| token.kind != Kind::Number) {
            continue;
        }
        let unit = |at: usize| tokens.get(at).filter(|token| token.kind == Kind::Word).and_then(|token| lexicon().seconds(token.canon));
        // "12 overtime hours"
        let apart = || {
            let near = tokens.get(at).filter(|token| token.kind == Kind::Word && token.end - token.start > 3)?;
            let next = tokens.get(at + 1).filter(|next| next.start == near.end + 1 && next.end - next.start > 3)?;
            if next.key == next.exact { None } else { unit(at + 1) }
        };
        let seconds = unit(at).or_else(apart);
        let (Some(seconds), Some(number)) = (seconds, tokens.get_mut(at - 1)) else { continue };
        number.canon = number_hash(number.value.saturating_mul(seconds)) ^ TIME;
        // "a day" is one too
        let one = number.value == 1000;
        if let Some(unit) = tokens.get_mut(at).filter(|_| !one) {
            unit.cue |= cue::PART;
        }
    }
}

/// "A quarter of an hour" and "half an hour" are minutes.
fn parts_of_hours(tokens: &mut [Token]) {
    let hour = hash("hour");
    let (quarter, half) = (hash("quarter"), hash("half"));
    for at in 0..tokens.len() {
        let Some(token) = tokens.get(at).filter(|token| token.kind == Kind::Word) else { continue };
        let value = if token.exact == quarter {
            15_000
        } else if token.exact == half {
            30_000
        } else {
            continue;
        };
        let Some(behind) = tokens.iter().skip(at + 1).take(3).position(|token| token.exact == hour) else { continue };
        if let Some(token) = tokens.get_mut(at) {
            (token.kind, token.value, token.canon) = (Kind::Number, value, number_hash(value * 60) ^ TIME);
        }
        if let Some(token) = tokens.get_mut(at + 1 + behind) {
            token.cue |= cue::PART;
        }
    }
}
