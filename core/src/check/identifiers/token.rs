//! What of a text may be an identifier or a number: what `text::ident` finds, and any other word with a digit, an
//! underscore or inner capitals.

use super::super::lexicon::{EMPTY, classes};
use super::super::statement::{after_start, before_end};
use super::super::stems::{Stem, has_digit, stem};
use super::index::key;
use crate::item::Span;
use crate::text::ident::{Kind, identifiers};

/// One identifier or number, and the words around it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
    /// `None` for what only looks like one.
    pub(super) kind: Option<Kind>,
    /// The word right before it and the one right after it, in the same sentence.
    pub(super) before: &'a str,
    pub(super) after: &'a str,
}

/// Longer words are no identifiers.
const LONGEST: usize = 512;

pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut out = Vec::new();
    let mut from = 0;
    for ident in identifiers(text) {
        // code of several words is read word by word
        if ident.kind == Kind::Code && ident.text.contains(char::is_whitespace) {
            continue;
        }
        loose(text, from, ident.span.start, &mut out);
        from = ident.span.end;
        out.push(token(text, ident.span, Some(ident.kind)));
    }
    loose(text, from, text.len(), &mut out);
    out
}

fn token(text: &str, span: Span, kind: Option<Kind>) -> Token<'_> {
    Token { text: span.of(text), span, kind, before: word_before(text, span.start), after: word_after(text, span.end) }
}

fn inside(c: char) -> bool {
    (c.is_alphanumeric() && c < '\u{2e80}')
        || matches!(c, '_' | '-' | '.' | '/' | ':' | '@' | '#' | '+' | '&' | '=' | '~' | '$' | '€' | '£' | '%')
}

/// The words of a stretch that may be identifiers.
fn loose<'a>(text: &'a str, from: usize, to: usize, out: &mut Vec<Token<'a>>) {
    let bytes = text.as_bytes().get(..to).unwrap_or_default();
    let (mut start, mut at) = (from, from);
    // whether the word has what an identifier has: most have not
    let (mut marked, mut before) = (false, b' ');
    while let Some(byte) = bytes.get(at).copied() {
        let (mut inner, mut width) = (inside(char::from(byte)), 1);
        if byte >= 0x80 {
            let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { return };
            (inner, width) = (inside(c), c.len_utf8());
        } else if byte == b',' {
            inner = before.is_ascii_digit() && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        }
        if inner {
            marked |= byte.is_ascii_digit() || byte == b'_' || (byte.is_ascii_uppercase() && before.is_ascii_lowercase());
        } else {
            if marked {
                word(text, start, at, out);
            }
            marked = false;
            start = at + width;
        }
        before = byte;
        at += width;
    }
    if marked {
        word(text, start, to, out);
    }
}

/// Letters and digits stay.
fn is_edge(c: char) -> bool {
    !c.is_alphanumeric()
}

fn word<'a>(text: &'a str, start: usize, end: usize, out: &mut Vec<Token<'a>>) {
    let Some(whole) = text.get(start..end) else { return };
    // an underscore, a share and a currency belong to the word
    let last = whole.rfind(|c| !is_edge(c) || matches!(c, '_' | '%'));
    let first = whole.find(|c| !is_edge(c) || matches!(c, '_' | '$' | '€' | '£'));
    let (Some(first), Some(last)) = (first, last) else { return };
    let width = whole.get(last..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
    let span = Span::new(start + first, start + last + width);
    let word = span.of(text);
    if !word.is_empty() && word.len() <= LONGEST && marked(word) {
        out.push(token(text, span, None));
    }
}

/// Whether a word is no plain word: a digit, an inner underscore, inner capitals.
fn marked(word: &str) -> bool {
    let digit = word.bytes().any(|b| b.is_ascii_digit());
    let joined = after_start(before_end(word, "_"), "_").contains('_');
    let camel = word.as_bytes().windows(2).any(|pair| matches!(pair, [b'a'..=b'z', b'A'..=b'Z']));
    digit || joined || (camel && word.starts_with(|c: char| c.is_ascii_lowercase()) && word.bytes().all(|b| b.is_ascii_alphanumeric()))
}

fn word_before(text: &str, at: usize) -> &str {
    let head = text.get(..at).unwrap_or_default();
    let head = before_end(head, " ([`\"*:#=");
    let mut start = head.len();
    for (index, c) in head.char_indices().rev().take(24) {
        if !c.is_alphanumeric() {
            break;
        }
        start = index;
    }
    head.get(start..).unwrap_or_default()
}

fn word_after(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    let rest = after_start(rest, " \u{a0}`-");
    if rest.starts_with('%') {
        return "%";
    }
    let end = rest.char_indices().take(25).find(|(_, c)| !c.is_alphanumeric()).map_or(0, |(at, _)| at);
    rest.get(..end).filter(|word| !word.is_empty()).unwrap_or_else(|| short_rest(rest))
}

/// The last word of a text, which nothing ends.
fn short_rest(rest: &str) -> &str {
    if rest.len() <= 24 && rest.chars().all(char::is_alphanumeric) { rest } else { "" }
}

/// The stem of a word beside a token; `None` for one that says nothing.
pub(super) fn beside(word: &str) -> Option<Stem> {
    let lower = word.to_ascii_lowercase();
    (lower.len() >= 3 && !has_digit(&lower) && classes(&lower, "").0 & EMPTY == 0).then(|| stem(&lower))
}

/// `1.4.2` of `v1.4.2`.
pub(super) fn unmarked(text: &str) -> Option<&str> {
    text.strip_prefix(['v', 'V']).filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Adds every stretch of an identifier that stands for it or names a part of it, by its key.
pub(super) fn parts(text: &str, out: &mut Vec<u64>) {
    const MOST: usize = 20;
    let mut add = |from: usize, to: usize| {
        let part = text.get(from..to).unwrap_or_default();
        out.push(key(part));
        out.extend(unmarked(part).map(key));
    };
    add(0, text.len());
    // a plain word has no others
    if text.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return;
    }
    let mut bounds: Vec<(usize, usize)> = Vec::new();
    // the start of the word, and of the piece between joints
    let (mut word, mut piece) = (0, 0);
    for (at, c) in text.char_indices().chain([(text.len(), '/')]) {
        if c.is_alphanumeric() {
            continue;
        }
        if at > word {
            add(word, at);
        }
        word = at + c.len_utf8();
        if !matches!(c, '-' | '_') {
            if at > piece {
                bounds.push((piece, at));
            }
            piece = word;
        }
    }
    let reach = if bounds.len() > MOST { 2 } else { MOST };
    for (index, (start, _)) in bounds.iter().enumerate() {
        for (_, end) in bounds.iter().skip(index).take(reach) {
            add(*start, *end);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        tokens(text).iter().map(|token| token.text).collect()
    }

    #[test]
    fn words_with_digits_or_joints_are_tokens() {
        assert_eq!(
            found("Gate B7 and lane K-4 (box 0071) hold rateLimit, page_size=20, \"7.5\" bar; not well-known or McKay's."),
            ["B7", "K-4", "0071", "rateLimit", "page_size", "20", "7.5"]
        );
        assert_eq!(found("`run --fast job_2` über 9"), ["job_2", "9"]);
        assert!(found("plain words only, e.g. these.").is_empty());
    }

    #[test]
    fn the_words_beside_are_known() {
        let token = tokens("the limit of lane 14 pallets")[0];
        assert_eq!((token.before, token.after), ("lane", "pallets"));
        let token = tokens("lane (K-14), open")[0];
        assert_eq!((token.before, token.after), ("lane", ""));
    }

    #[test]
    fn parts_are_whole_pieces() {
        let mut all = Vec::new();
        parts("src/a-b/c.rs", &mut all);
        for part in ["src", "a", "b", "c", "rs", "a-b", "c.rs", "a-b/c.rs", "src/a-b", "src/a-b/c.rs"] {
            assert!(all.contains(&key(part)), "{part}");
        }
        assert!(!all.contains(&key("a-b/c.r")));
    }
}
