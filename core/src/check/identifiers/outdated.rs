//! Values that somebody put right, and that a summary has in their first form: "the port is 8080", then "correction: 8443".

use super::super::statement::Statement;
use super::super::stems::{Stem, listed};
use super::index::{measured, number_of, shape, trimmed};
use super::token::{Token, beside, tokens};
use super::value;
use crate::item::Zone;
use crate::text::ident::Kind;
use crate::text::skeleton::lowercase;

/// Words that put something right, wherever they stand.
const CORRECTS: &str = " correction corrected corregido correccion corrección correção korrektur korrigiere berichtigung meant meinte mistyped misspoke \
    tippfehler typo ";

/// Words that do so at the beginning of a sentence.
const OPENS: &str = " actually no oops pardon sorry wait ";

/// The same in scripts without word gaps.
const SIGNS: [&str; 4] = ["更正", "纠正", "訂正", "정정"];

/// What stands right before the value that was wrong.
const WRONG: &str = " from nicht not of pas statt von ";

/// So many sentences back the first form is looked for.
const BACK: usize = 24;

/// A summary that has the first form of a value, and not the one it was put right to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outdated<'a> {
    /// The text with the correction, by its place.
    pub text: usize,
    /// The sentence that puts it right.
    pub line: &'a str,
    /// The first form, as it stands in the summary.
    pub old: &'a str,
}

/// The first four letters of the words of [`CORRECTS`], and of [`OPENS`]; of a shorter one all.
const FIRST: [&[u8]; 9] = [b"beri", b"corr", b"korr", b"mean", b"mein", b"miss", b"mist", b"tipp", b"typo"];
const FIRST_OF_ALL: [&[u8]; 6] = [b"actu", b"no", b"oops", b"pard", b"sorr", b"wait"];

/// Whether [`outdated`] may find something: a summary with values, and a text that puts something right.
pub(crate) fn may_be_outdated<'a>(summary: &str, mut said: impl Iterator<Item = &'a str>) -> bool {
    said.any(may_correct) && !tokens(summary).is_empty()
}

/// Whether a text may have a line that [`corrects`].
#[cfg_attr(standfast_hot, optimize(speed))]
fn may_correct(text: &str) -> bool {
    let bytes = text.as_bytes();
    // inside a word; whether more than a space stands before the next one
    let (mut inside, mut opens) = (false, true);
    for (at, byte) in bytes.iter().enumerate() {
        let letter = byte.is_ascii_alphabetic();
        if letter && !inside {
            if may_begin(bytes.get(at..).unwrap_or_default(), opens) {
                let rest = text.get(at..).unwrap_or_default();
                let word = lowercase(rest.split(|c: char| !c.is_alphabetic()).next().unwrap_or_default());
                if listed(CORRECTS, &word) || (opens && listed(OPENS, &word)) {
                    return true;
                }
            }
            opens = false;
        }
        inside = letter;
        opens |= !letter && *byte != b' ';
    }
    !text.is_ascii() && SIGNS.iter().any(|sign| text.contains(sign))
}

/// Whether a word may be one that corrects, or one that does so where it opens a sentence.
#[inline]
fn may_begin(rest: &[u8], opens: bool) -> bool {
    let begins = |first: &&[u8]| rest.get(..first.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(first));
    // nearly all words have other first letters
    let [first, second, ..] = rest else { return false };
    match (first | 0x20, second | 0x20) {
        (b'b', b'e') | (b'c' | b'k', b'o') | (b'm', b'e' | b'i') | (b't', b'i' | b'y') => FIRST.iter().any(begins),
        (b'a', b'c') | (b'n' | b'o' | b's', b'o') | (b'p' | b'w', b'a') => opens && FIRST_OF_ALL.iter().any(begins),
        _ => false,
    }
}

/// The values of `summary` that were put right in `said`, the texts of one speaker in their order, each cut into statements.
#[must_use]
pub(crate) fn outdated<'a>(summary: &'a str, said: &[(&'a str, &[Statement])]) -> Vec<Outdated<'a>> {
    let mut lines = Vec::new();
    for (text, (whole, statements)) in said.iter().enumerate() {
        let own = statements.iter().filter(|statement| statement.zone == Zone::Own);
        lines.extend(own.map(|statement| (text, statement.span.of(whole))));
    }
    let mut out = Vec::new();
    let mine = tokens(summary);
    let held = |value: &str| mine.iter().find(|token| core(token) == value);
    let alike = |new: &str| mine.iter().any(|token| core(token) != new && shape(core(token)) == shape(new));
    // a sentence that says no more than that something was wrong
    let mut announced = None;
    for (at, (text, line)) in lines.iter().enumerate() {
        if !corrects(line) && announced != Some(*text) {
            continue;
        }
        let values = tokens(line);
        announced = values.is_empty().then_some(*text);
        for new in values.iter().filter(|value| !is_wrong(value) && held(core(value)).is_none() && alike(core(value))) {
            let Some(old) = first_form(new, &values, lines.get(at.saturating_sub(BACK)..at).unwrap_or_default()) else { continue };
            let again = || lines.iter().skip(at + 1).any(|(_, line)| tokens(line).iter().any(|token| core(token) == old));
            if let Some(token) = held(old)
                && !again()
            {
                out.push(Outdated { text: *text, line, old: token.text });
                break;
            }
        }
    }
    out
}

fn corrects(line: &str) -> bool {
    if !may_correct(line) {
        return false;
    }
    let mut words = line.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty()).map(lowercase);
    let first = words.next().unwrap_or_default();
    listed(OPENS, &first)
        || listed(CORRECTS, &first)
        || words.any(|word| listed(CORRECTS, &word))
        || SIGNS.iter().any(|sign| line.contains(sign))
}

fn is_wrong(token: &Token<'_>) -> bool {
    listed(WRONG, &token.before.to_ascii_lowercase())
}

/// The number of a quantity; other tokens whole.
fn core<'a>(token: &Token<'a>) -> &'a str {
    let counts = matches!(token.kind, Some(Kind::Address | Kind::Amount)) || !measured(token).is_empty();
    if counts && !token.text.contains(':') { number_of(token.text) } else { trimmed(token.text) }
}

/// What the words beside a value say.
fn around(token: &Token<'_>) -> Vec<Stem> {
    let inner = token.text.split(' ').filter(|_| token.text.contains(' '));
    inner.chain([token.before, token.after]).filter(|word| !corrects(word)).filter_map(beside).collect()
}

/// What a value was said to be before: what the correction itself says was wrong, else the last value of its shape that stood
/// beside one of the same words; without any, the only one of the last sentence that has one.
fn first_form<'a>(new: &Token<'a>, values: &[Token<'a>], before: &[(usize, &'a str)]) -> Option<&'a str> {
    let (value, words) = (core(new), around(new));
    let unit = value::unit(new.after);
    let form = |token: &&Token<'a>| {
        let other = value::unit(token.after);
        core(token) != value && shape(core(token)) == shape(value) && (unit.is_none() || other.is_none() || unit == other)
    };
    if let Some(wrong) = values.iter().filter(form).find(|token| is_wrong(token)) {
        return Some(core(wrong));
    }
    for (_, line) in before.iter().rev() {
        let all = tokens(line);
        let fits = |token: &&Token<'a>| form(token) && (words.is_empty() || around(token).iter().any(|word| words.contains(word)));
        let mut found = all.iter().filter(fits);
        if let Some(old) = found.next() {
            return found.next().is_none().then(|| core(old));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_that_corrects_is_seen_at_once() {
        for word in CORRECTS.split_whitespace().chain(SIGNS) {
            assert!(may_correct(&format!("It was so, {word} it is 7.")) && may_correct(word) && corrects(word), "{word}");
        }
        for word in OPENS.split_whitespace() {
            assert!(may_correct(&format!("It was so.\n- {word}, it is 7.")) && corrects(word), "{word}");
            assert!(!may_correct(&format!("It is {word} more")) && !corrects(&format!("It is {word} more")), "{word}");
        }
    }
}
