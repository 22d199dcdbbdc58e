//! Rule-shaped text: the published pattern, as a second line of defense behind declared rules.
//!
//! [`Pattern::find`] is on the hot path of every message. The built-in cues are words compared one by one, so a line
//! wrapped between two words, a zero-width space inside one, emphasis marks or foreign letters hide nothing.
//!
//! ```
//! # use standfast::text::pattern::Pattern;
//! let pattern = Pattern::published();
//! assert_eq!(pattern.find("Please do\nnot email customers.").unwrap().name, "do not");
//! assert!(pattern.find("Do not hesitate to ask.").is_none());
//! ```

use super::regex::Regex;
use super::words::{Word, joined, next_word};
use crate::error::{Code, Error, Result};
use crate::item::Span;

/// The published pattern of rule-shaped text as a regular expression.
pub const CONSTRAINT_SHAPED: &str = r"(?i)\b(?:never|must\s+not|mustn['’]t|do\s+not|don['’]t|prohibited|forbidden|not\s+permitted|allerg\w*|contraindicat\w*|under\s+no\s+circumstances?|maximum\s+of|no\s+more\s+than|only\s+if|require[sd]?\s+(?:[\w'-]+\s+){0,5}approv(?:al|als|er|ers))\b";

/// The published pattern of discardable text as a regular expression.
pub const DISCARDABLE_SHAPED: &str =
    r"(?i)^\s*(?:retrying\b|retry\s+#?\d+|transient\b|superseded\s+by\b|connection\s+reset\b|rate[\s-]limited\b)";

/// Longest custom pattern, in characters.
const MAX_PATTERN: usize = 8_192;

/// A place that makes a text rule-shaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cue {
    /// The cue's name, as it appears in flags.
    pub name: &'static str,
    /// Where it stands.
    pub span: Span,
}

/// What counts as rule-shaped.
#[derive(Debug, Clone)]
pub struct Pattern {
    custom: Option<Regex>,
}

/// A cue: its first word, the words after it, and what right after it makes it no rule.
struct Shape {
    name: &'static str,
    first: First,
    then: &'static [&'static [u8]],
    unless: &'static [&'static [u8]],
}

enum First {
    Word(&'static [u8]),
    Stem(&'static [u8]),
}

/// After "do not" and "don't" these make courtesy, permission or ignorance, not a rule.
const NO_ORDER: &[&[u8]] = &[b"hesitate", b"worry", b"need", b"know", b"mind", b"think", b"care"];

const fn word(name: &'static str, first: &'static [u8], then: &'static [&'static [u8]], unless: &'static [&'static [u8]]) -> Shape {
    Shape { name, first: First::Word(first), then, unless }
}

/// In the order of their first letters.
const SHAPES: &[Shape] = &[
    Shape { name: "allerg", first: First::Stem(b"allerg"), then: &[], unless: &[] },
    Shape { name: "contraindicat", first: First::Stem(b"contraindicat"), then: &[], unless: &[] },
    word("do not", b"do", &[b"not"], NO_ORDER),
    word("do not", b"don't", &[], NO_ORDER),
    word("forbidden", b"forbidden", &[], &[]),
    word("maximum of", b"maximum", &[b"of"], &[]),
    word("must not", b"must", &[b"not"], &[]),
    word("must not", b"mustn't", &[], &[]),
    word("never", b"never", &[], &[b"mind", b"ending"]),
    word("no more than", b"no", &[b"more", b"than"], &[]),
    word("not permitted", b"not", &[b"permitted"], &[]),
    word("only if", b"only", &[b"if"], &[]),
    word("prohibited", b"prohibited", &[], &[]),
    word("under no circumstances", b"under", &[b"no", b"circumstances"], &[]),
    word("under no circumstances", b"under", &[b"no", b"circumstance"], &[]),
];

/// Words that may stand between "requires" and "approval".
const APPROVAL_REACH: usize = 6;

impl Pattern {
    /// The published pattern.
    #[must_use]
    pub fn published() -> Self {
        Self { custom: None }
    }

    /// A pattern of the host's own, in the syntax of the regex-lite crate without the flags `R`, `U` and `x`. It replaces the
    /// published one.
    ///
    /// # Errors
    /// `invalid_pattern` for a pattern that is too long, does not compile or matches the empty text.
    pub fn custom(pattern: &str) -> Result<Self> {
        if pattern.chars().nth(MAX_PATTERN).is_some() {
            return Err(Error::new(Code::InvalidPattern, "the pattern is longer than 8,192 characters"));
        }
        let regex = Regex::new(pattern).ok_or_else(|| Error::new(Code::InvalidPattern, "the pattern does not compile"))?;
        if regex.find("", 0).is_some() {
            return Err(Error::new(Code::InvalidPattern, "the pattern matches the empty text, so it would match everything"));
        }
        Ok(Self { custom: Some(regex) })
    }

    /// Whether it is the published one.
    #[must_use]
    pub fn is_published(&self) -> bool {
        self.custom.is_none()
    }

    /// The first cue of a text.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Cue> {
        self.find_from(text, 0)
    }

    /// The first cue that begins at or after a byte.
    #[must_use]
    pub fn find_from(&self, text: &str, from: usize) -> Option<Cue> {
        match &self.custom {
            Some(regex) => regex.find(text, from).filter(|(start, end)| start < end).map(custom_cue),
            None => published_from(text, from),
        }
    }

    /// All cues of a text, in order.
    #[must_use]
    pub fn all(&self, text: &str) -> Vec<Cue> {
        let mut cues = Vec::new();
        let mut at = 0;
        if let Some(regex) = &self.custom {
            while let Some((start, end)) = regex.find(text, at) {
                if start < end {
                    cues.push(custom_cue((start, end)));
                    at = end;
                } else {
                    let Some(c) = text.get(end..).and_then(|rest| rest.chars().next()) else { break };
                    at = end + c.len_utf8();
                }
            }
            return cues;
        }
        while let Some(cue) = published_from(text, at) {
            at = cue.span.end;
            cues.push(cue);
        }
        cues
    }
}

fn custom_cue((start, end): (usize, usize)) -> Cue {
    Cue { name: "custom", span: Span::new(start, end) }
}

fn published_from(text: &str, from: usize) -> Option<Cue> {
    let mut at = skip_plain(text, from);
    while let Some(word) = next_word(text, at) {
        if let Some(cue) = cue_at(text, &word) {
            return Some(cue);
        }
        at = skip_plain(text, word.end);
    }
    None
}

/// First letters of cues.
fn may_begin_cue(byte: u8) -> bool {
    matches!(byte, b'a' | b'c' | b'd' | b'f' | b'm' | b'n' | b'o' | b'p' | b'r' | b'u')
}

/// Skips ASCII words that no cue begins with: most of a text.
fn skip_plain(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    let mut inside = false;
    while let Some(byte) = bytes.get(at).copied() {
        let letter = byte.is_ascii_alphanumeric() || (inside && matches!(byte, b'\'' | b'_'));
        if byte >= 0x80 || (letter && !inside && may_begin_cue(byte.to_ascii_lowercase())) {
            break;
        }
        inside = letter;
        at += 1;
    }
    at
}

fn cue_at(text: &str, word: &Word) -> Option<Cue> {
    let letters = word.letters();
    let initial = *letters.first()?;
    if !may_begin_cue(initial) || letters.len() < 2 {
        return None;
    }
    if initial == b'r' {
        return requires_approval(text, word);
    }
    SHAPES.iter().find_map(|shape| {
        let starts = match shape.first {
            First::Word(first) => letters == first,
            First::Stem(stem) => letters.starts_with(stem),
        };
        if !starts {
            return None;
        }
        let mut end = word.end;
        for wanted in shape.then {
            let next = next_word(text, end)?;
            if next.letters() != *wanted || !joined(text, end, next.start) {
                return None;
            }
            end = next.end;
        }
        let excused = !shape.unless.is_empty()
            && next_word(text, end).is_some_and(|next| {
                shape.unless.contains(&next.letters()) && (joined(text, end, next.start) || text.get(end..next.start) == Some("-"))
            });
        let status = shape.name == "forbidden" && text.get(..word.start).is_some_and(|before| before.trim_end().ends_with("403"));
        (!excused && !status).then_some(Cue { name: shape.name, span: Span::new(word.start, end) })
    })
}

/// "requires approval", "required written approval", "requires a human approver".
fn requires_approval(text: &str, word: &Word) -> Option<Cue> {
    if !matches!(word.letters(), b"require" | b"requires" | b"required") {
        return None;
    }
    let mut end = word.end;
    for _ in 0..APPROVAL_REACH {
        let next = next_word(text, end)?;
        let gap = text.get(end..next.start)?;
        if gap.contains(['.', ';', '!', '?', ':']) {
            return None;
        }
        end = next.end;
        if matches!(next.letters(), b"approval" | b"approvals" | b"approver" | b"approvers") {
            return Some(Cue { name: "requires approval", span: Span::new(word.start, end) });
        }
    }
    None
}

/// What makes a text discardable, at its start: retries, transient faults, what was superseded.
///
/// ```
/// # use standfast::text::pattern::discardable;
/// assert_eq!(discardable("  Retry 3 of 5 ..."), Some("retry"));
/// assert_eq!(discardable("We retry 3 times."), None);
/// ```
#[must_use]
pub fn discardable(text: &str) -> Option<&'static str> {
    let text = text.trim_start();
    let first = next_word(text, 0).filter(|word| word.start == 0)?;
    let second = next_word(text, first.end);
    let then = |wanted: &[u8]| second.as_ref().is_some_and(|word| word.letters() == wanted);
    match first.letters() {
        b"retrying" => Some("retrying"),
        b"transient" => Some("transient"),
        b"retry" if second.as_ref().is_some_and(|word| word.letters().first().is_some_and(u8::is_ascii_digit)) => Some("retry"),
        b"superseded" if then(b"by") => Some("superseded by"),
        b"connection" if then(b"reset") => Some("connection reset"),
        b"rate" if then(b"limited") => Some("rate limited"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> Option<&'static str> {
        Pattern::published().find(text).map(|cue| cue.name)
    }

    #[test]
    fn every_published_cue_is_found() {
        for (text, cue) in [
            ("NEVER push to main", "never"),
            ("You must not reply.", "must not"),
            ("You mustn’t reply.", "must not"),
            ("Do **not** deploy", "do not"),
            ("Don't deploy", "do not"),
            ("Smoking is prohibited.", "prohibited"),
            ("Access is forbidden", "forbidden"),
            ("This is not\n   permitted", "not permitted"),
            ("patient is allergic to penicillin", "allerg"),
            ("Allergies: nuts", "allerg"),
            ("NSAIDs are contraindicated", "contraindicat"),
            ("Under no circumstances wire money", "under no circumstances"),
            ("a maximum of 3 retries", "maximum of"),
            ("no more than $500", "no more than"),
            ("refund only if unopened", "only if"),
            ("Any refund over $50 requires approval", "requires approval"),
            ("requires a human approver", "requires approval"),
            ("requires written approval", "requires approval"),
        ] {
            assert_eq!(name(text), Some(cue), "{text}");
            let regex = regex_lite::Regex::new(CONSTRAINT_SHAPED).unwrap();
            assert!(regex.is_match(&text.replace("**", "")), "{text}");
        }
    }

    #[test]
    fn disguise_does_not_hide_a_cue() {
        for text in [
            "nev\u{200b}er reply",
            "nеvеr reply",
            "ＭＵＳＴ\u{3000}ＮＯＴ",
            "do\r\n\tnot reply",
            "d\u{ad}o no\u{2060}t reply",
            "请never删除",
        ] {
            assert!(name(text).is_some(), "{text:?}");
        }
    }

    #[test]
    fn evident_non_rules_are_left_alone() {
        for text in [
            "Do not hesitate to call",
            "Never mind",
            "a never-ending story",
            "don't worry",
            "You do not need to log in",
            "nevertheless",
            "never_cache = 1",
            "HTTP 403 Forbidden",
            "requires Python. Approval is elsewhere",
            "donot",
            "the maximum offset",
            "",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }

    #[test]
    fn cue_spans_are_exact_and_in_order() {
        let text = "Ünder: you must  not; never.";
        let found: Vec<&str> = Pattern::published().all(text).iter().map(|cue| cue.span.of(text)).collect();
        assert_eq!(found, ["must  not", "never"]);
    }

    #[test]
    fn custom_patterns_replace_and_are_checked() {
        let pattern = Pattern::custom("(?i)verboten").unwrap();
        assert_eq!(pattern.find("Das ist VERBOTEN").map(|cue| cue.span), Some(Span::new(8, 16)));
        assert!(pattern.find("never").is_none());
        for bad in ["(", "a*", &"x".repeat(8_193)] {
            assert_eq!(Pattern::custom(bad).unwrap_err().code(), Code::InvalidPattern);
        }
    }

    #[test]
    fn discardable_looks_at_the_start_only() {
        let regex = regex_lite::Regex::new(DISCARDABLE_SHAPED).unwrap();
        for text in [
            "Retrying in 3 s",
            "retry 3 of 5",
            "Retry #2",
            "Transient error",
            "superseded by v2",
            "Connection reset by peer",
            "Rate limited, backing off",
            "rate-limited",
        ] {
            assert!(discardable(text).is_some() && regex.is_match(text), "{text}");
        }
        for text in ["We are retrying", "retry policy", "rate limits", "", "connections reset"] {
            assert!(discardable(text).is_none() && !regex.is_match(text), "{text}");
        }
    }

    #[test]
    fn long_texts_are_read_once() {
        for unit in ["a", "do ", "requires ", "\u{200b}", "é", "never_", "' "] {
            let _ = name(&unit.repeat(300_000));
        }
    }
}
