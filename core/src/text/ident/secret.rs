//! What looks like a key, a token or a password, and is never carried along.

use super::kinds::{hash, uuid};

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
    ("-----BEGIN", 10),
    ("AccountKey=", 20),
];

/// Names before `=` or `:` whose value is a secret.
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
    "private_key",
    "client_secret",
    "signature",
    "sig",
    "authorization",
    "bearer",
];

/// Least length of a random-looking part.
const RANDOM_MIN: usize = 20;

/// Whether a token looks like a secret: a known key prefix, a password in a URL, `password=...`, or a long run of
/// random-looking characters. UUIDs, hexadecimal digests and paths are none.
#[must_use]
pub fn secret_shaped(token: &str) -> bool {
    if token.contains("-----BEGIN") || password_in_url(token) || random_base64(token) {
        return true;
    }
    if uuid(token) {
        return false;
    }
    token.split(['/', ':', '=', '&', '?', ',', ';', '"', '\'', '`', '(', ')', ' ', '@', '\\']).any(|part| prefixed(part) || random(part))
        || named(token)
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

fn password_in_url(token: &str) -> bool {
    let Some((_, rest)) = token.split_once("://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    authority.rsplit_once('@').and_then(|(user, _)| user.split_once(':')).is_some_and(|(_, password)| !password.is_empty())
}

fn named(token: &str) -> bool {
    let mut parts = token.split(['&', '?', ';', ' ', ',']);
    parts.any(|part| {
        let pair = part.split_once('=').or_else(|| part.split_once(':'));
        pair.is_some_and(|(name, value)| {
            let name = name.trim_matches(['"', '\'', '-', '$', '{']).to_ascii_lowercase();
            let secret = NAMES.iter().any(|n| name == *n || name.ends_with(&format!("_{n}")) || name.ends_with(&format!("-{n}")));
            secret && value.trim_matches(['"', '\'']).len() >= 6
        })
    })
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
