//! What looks like a key, a token or a password, and is never carried along.

use super::kinds::{hash, uuid};
use crate::item::Span;

/// Beginnings of keys, and the least length of the whole key.
const PREFIXES: &[(&str, usize)] = &[
    ("sk-", 20),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("pk_live_", 16),
    ("whsec_", 16),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 22),
    ("glpat-", 16),
    ("AKIA", 16),
    ("ASIA", 16),
    ("xoxb-", 12),
    ("xoxp-", 12),
    ("xoxa-", 12),
    ("xoxr-", 12),
    ("xoxs-", 12),
    ("xapp-", 12),
    ("eyJ", 20),
    ("AIza", 20),
    ("ya29.", 20),
    ("npm_", 30),
    ("pypi-", 30),
    ("hf_", 20),
    ("SG.", 20),
    ("shpat_", 20),
    ("dop_v1_", 20),
    ("AGE-SECRET-KEY-", 20),
];

/// Names whose value is a secret, and ends of such names.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "secret",
    "token",
    "api_key",
    "apikey",
    "api-key",
    "access_key",
    "accesskey",
    "accountkey",
    "private_key",
    "privatekey",
    "signature",
    "sig",
    "authorization",
    "bearer",
];

/// Least length of a random-looking part.
const RANDOM_MIN: usize = 20;

/// Least length of what a name gives.
const VALUE_MIN: usize = 6;

/// What stands in the place of a secret.
pub const SECRET: &str = "[secret]";

/// Whether a token looks like a secret, or has one: a known key prefix, a password in a URL, `password=...`, or a long run of
/// random-looking characters. UUIDs, hexadecimal digests and paths are none.
#[must_use]
pub fn secret_shaped(token: &str) -> bool {
    !secrets(token).is_empty()
}

/// A text with [`SECRET`] in the place of each secret; nothing where it has none.
///
/// ```
/// # use standfast::text::ident::redacted;
/// let text = "Opening https://files.example.org/a?token=sk_live_4Qz81Lm7Pw2Rt8 for you.";
/// assert_eq!(redacted(text).unwrap(), "Opening https://files.example.org/a?token=[secret] for you.");
/// assert_eq!(redacted("Opening https://files.example.org/a for you."), None);
/// ```
#[must_use]
pub fn redacted(text: &str) -> Option<String> {
    let (mut out, mut at) = (String::new(), 0);
    for secret in secrets(text) {
        if let Some(before) = text.get(at..secret.start) {
            out.push_str(before);
            out.push_str(SECRET);
            at = secret.end;
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    (at > 0).then_some(out)
}

/// What was read before a piece that may make it a secret.
#[derive(Default)]
struct Before {
    /// A name whose value would be one.
    name: bool,
    /// `=` or `:` after that name; "is" counts as a colon.
    joined: u8,
}

impl Before {
    fn read(&mut self, piece: &str) {
        let lower = piece.trim_matches(['-', '$', '.']).to_ascii_lowercase();
        let named = NAMES
            .iter()
            .find(|name| lower.strip_suffix(**name).is_some_and(|rest| rest.is_empty() || name.len() > 4 || rest.ends_with(['_', '-'])));
        match named {
            // what follows a signature's colon is who signed
            Some(&("sig" | "signature")) => *self = Self { name: true, joined: b'-' },
            Some(name) => *self = Self { name: true, joined: if *name == "bearer" { b':' } else { 0 } },
            None if self.name && matches!(&*lower, "is" | "was") => self.joined = b':',
            None => *self = Self::default(),
        }
    }

    fn gives(&self, piece: &str) -> bool {
        let mixed = piece.bytes().any(|b| b.is_ascii_digit()) && piece.bytes().any(|b| b.is_ascii_alphabetic());
        piece.len() >= VALUE_MIN && (self.joined == b'=' || (self.joined == b':' && mixed))
    }
}

/// The secrets of a text, in order.
fn secrets(text: &str) -> Vec<Span> {
    let mut out = private_keys(text);
    let (mut before, mut from) = (Before::default(), 0);
    for (at, byte) in text.bytes().enumerate().chain([(text.len(), b' ')]) {
        if byte.is_ascii_whitespace() || !byte.is_ascii() || b"\"'`()[]{}<>,;|".contains(&byte) {
            if from < at {
                atom(text, Span::new(from, at), &mut before, &mut out);
            }
            from = at + 1;
        }
    }
    out.sort_unstable_by_key(|secret| secret.start);
    out
}

/// The secrets of a run of characters without a gap.
fn atom(text: &str, span: Span, before: &mut Before, out: &mut Vec<Span>) {
    let whole = span.of(text);
    if uuid(whole) {
        *before = Before::default();
        return;
    }
    let bare = whole.trim_end_matches(['.', '!', ':']);
    if random_base64(bare) {
        out.push(Span::new(span.start, span.start + bare.len()));
        return;
    }
    let (mut from, mut mark) = (0, 0);
    for (at, byte) in whole.bytes().enumerate().chain([(whole.len(), 0)]) {
        if byte != 0 && !b"/:=&?@\\".contains(&byte) {
            continue;
        }
        let piece = whole.get(from..at).unwrap_or_default();
        let bare = piece.trim_end_matches(['.', '!']);
        let password = mark == b':' && byte == b'@' && whole.contains("://");
        if !bare.is_empty() && (prefixed(bare) || random(bare) || before.gives(bare) || password) {
            out.push(Span::new(span.start + from, span.start + from + bare.len()));
        }
        if !piece.is_empty() {
            before.read(piece);
        }
        match byte {
            b':' if before.joined == b'-' => *before = Before::default(),
            b'=' | b':' if before.name => before.joined = byte,
            0 => {}
            _ => *before = Before::default(),
        }
        (from, mark) = (at + 1, byte);
    }
}

/// Private keys as they stand in files; of one that does not end, the line it begins with.
fn private_keys(text: &str) -> Vec<Span> {
    let mut out = Vec::new();
    for (at, _) in text.match_indices("-----BEGIN ") {
        let rest = text.get(at..).unwrap_or_default();
        let head = rest.split('\n').next().unwrap_or_default();
        if head.contains("PRIVATE KEY") && out.last().is_none_or(|last: &Span| last.end <= at) {
            let end = rest
                .find("-----END ")
                .map_or(head.len(), |end| end + rest.get(end..).and_then(|rest| rest.find('\n')).unwrap_or(rest.len() - end));
            out.push(Span::new(at, at + end));
        }
    }
    out
}

fn prefixed(part: &str) -> bool {
    let part = part.trim_start_matches(['.', '$', '{']);
    PREFIXES.iter().any(|(prefix, least)| part.starts_with(prefix) && part.len() >= *least && key_like(part, prefix))
}

/// A word list after a prefix (`sk-learn-contributors-guide`) is no key.
fn key_like(part: &str, prefix: &str) -> bool {
    let rest = part.get(prefix.len()..).unwrap_or_default();
    let upper_only = matches!(prefix, "AKIA" | "ASIA");
    let varied = rest.bytes().any(|b| b.is_ascii_digit()) || rest.bytes().any(|b| b.is_ascii_uppercase());
    varied && (!upper_only || rest.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit()))
}

#[derive(PartialEq, Clone, Copy)]
enum Class {
    Upper,
    Lower,
    Digit,
}

/// Upper, lower, digit counts, changes between them and runs of digits.
#[derive(Default)]
struct Shape {
    upper: usize,
    lower: usize,
    digit: usize,
    changes: usize,
    digit_runs: usize,
}

fn shape(text: &str) -> Shape {
    let mut shape = Shape::default();
    let mut before = None;
    for b in text.bytes() {
        let class = match b {
            b'A'..=b'Z' => Class::Upper,
            b'a'..=b'z' => Class::Lower,
            b'0'..=b'9' => Class::Digit,
            _ => continue,
        };
        match class {
            Class::Upper => shape.upper += 1,
            Class::Lower => shape.lower += 1,
            Class::Digit => shape.digit += 1,
        }
        if before != Some(class) {
            shape.changes += usize::from(before.is_some());
            shape.digit_runs += usize::from(class == Class::Digit);
        }
        before = Some(class);
    }
    shape
}

fn random(part: &str) -> bool {
    let simple = part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'_' | b'-' | b'~' | b'.'));
    if part.len() < RANDOM_MIN || !simple || hash(part) || uuid(part) || part.bytes().all(|b| b.is_ascii_hexdigit()) {
        return false;
    }
    let joints = part.bytes().filter(|b| !b.is_ascii_alphanumeric()).count();
    let s = shape(part);
    let solid = part.len() - joints;
    let mixed = s.upper > 0 && s.lower > 0 && s.digit_runs >= 2 && s.changes * 5 >= solid * 2;
    let one_case = joints * 12 <= part.len() && (s.upper == 0 || s.lower == 0) && s.digit_runs >= 5 && s.changes * 3 >= solid;
    solid >= RANDOM_MIN - 2 && (mixed || one_case)
}

/// Base64 with slashes or padding, which the parts between slashes do not show.
fn random_base64(token: &str) -> bool {
    let body = token.trim_end_matches('=');
    let simple = body.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/'));
    let slashes = body.bytes().filter(|b| *b == b'/').count();
    if body.len() < 24 || !simple || body.starts_with('/') || slashes * 8 > body.len() {
        return false;
    }
    let s = shape(body);
    s.upper > 0 && s.lower > 0 && s.digit_runs >= 2 && s.changes * 10 >= body.len() * 3
}
