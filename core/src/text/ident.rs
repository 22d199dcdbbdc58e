//! Finds the identifiers of a text: what a summary must carry verbatim or not at all.
//!
//! [`identifiers`] gives paths, URLs, hashes, ticket ids, amounts, dates and names, in order and without overlap;
//! [`required`] chooses those worth carrying into a summary (P9); [`redacted`] leaves out what must never be carried.
//!
//! ```
//! # use standfast::text::ident::{identifiers, Kind};
//! let found = identifiers("Refund GBP 500 for SETTLE-118, see src/settle.py and/or ask.");
//! let found: Vec<_> = found.iter().map(|i| (i.kind, i.text)).collect();
//! assert_eq!(found, [(Kind::Amount, "GBP 500"), (Kind::Ticket, "SETTLE-118"), (Kind::Path, "src/settle.py")]);
//! ```
//!
//! The scan is one pass. A run of characters without a gap is an *atom*; each atom is tried whole, then in pieces, at
//! most once per separator, and an atom over `MAX_PIECE` bytes is passed over: linear on any input.

mod kinds;
mod made;
mod phrase;
mod required;
mod secret;
mod tables;
#[cfg(test)]
mod slow;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::item::Span;
use made::{Made, atom_at, in_atom, leading_marks, letters_end, wide_in_atom, without_trailing};

pub(crate) use required::carried;
pub use required::{CARRIED_MAX_CHARS, required};
pub use secret::{SECRET, redacted, secret_shaped};

/// Longer pieces are no identifiers.
const MAX_PIECE: usize = 2_048;

/// Longest code span that counts as one identifier.
const MAX_CODE: usize = 128;

/// What kind of thing an identifier names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// File, directory or branch.
    Path,
    /// URL, bare host name or git remote.
    Url,
    /// E-mail address.
    Email,
    /// Commit, digest or `0x` number.
    Hash,
    /// UUID.
    Uuid,
    /// Ticket, issue, invoice or record number.
    Ticket,
    /// Version number.
    Version,
    /// Date, time or both.
    Date,
    /// Number with its unit or currency.
    Amount,
    /// IP address or host, with or without port; `port 8443`.
    Address,
    /// Environment variable or other upper-case constant.
    Env,
    /// Table, column, function, region or machine name.
    Name,
    /// Other text in backticks.
    Code,
}

/// One identifier and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ident<'a> {
    /// What it names.
    pub kind: Kind,
    /// Its exact text.
    pub text: &'a str,
    /// Its place in the scanned text.
    pub span: Span,
}

/// All identifiers of `text`, in order, without overlap.
#[must_use]
#[cfg_attr(standfast_hot, optimize(speed))]
pub fn identifiers(text: &str) -> Vec<Ident<'_>> {
    let mut scan = Scan { text, found: Vec::new() };
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at).copied() {
        at = match byte {
            b'A'..=b'Z' | b'a'..=b'z' => plain_word(text, at).unwrap_or_else(|| scan.atom(at)),
            b'`' => scan.code_span(at),
            b'"' | b'\'' => scan.quoted_path(at),
            0x80.. => match scan.rest(at).chars().next() {
                Some(c) if wide_in_atom(c) => scan.atom(at),
                Some(c) => at + c.len_utf8(),
                None => break,
            },
            _ if in_atom(byte) => scan.atom(at),
            _ => at + 1,
        };
    }
    scan.found
}

/// The end of a plain word at `at`: an atom of ASCII letters that is no name and begins no phrase. Most of a text is such
/// words.
#[cfg_attr(standfast_hot, optimize(speed))]
fn plain_word(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let gap = |b: Option<&u8>| matches!(b, None | Some(b' ' | b'\n' | b'\t' | b'\r'));
    let end = letters_end(bytes, at);
    let ended = match bytes.get(end) {
        Some(b'.' | b':' | b'?') => gap(bytes.get(end + 1)),
        Some(next) => next.is_ascii() && !in_atom(*next),
        None => true,
    };
    (ended && !phrase::may_begin(text.get(at..end)?)).then_some(end)
}

struct Scan<'a> {
    text: &'a str,
    found: Vec<Ident<'a>>,
}

impl<'a> Scan<'a> {
    fn rest(&self, at: usize) -> &'a str {
        self.text.get(at..).unwrap_or_default()
    }

    fn add(&mut self, kind: Kind, start: usize, end: usize) {
        if let Some(text) = self.text.get(start..end) {
            self.found.push(Ident { kind, text, span: Span::new(start, end) });
        }
    }

    // What is rare is kept apart (`inline(never)`): within the loops it would be built for speed too, and large.

    /// The text between `at` and the next `close` on the same line, at most `most` bytes long.
    #[inline(never)]
    fn enclosed(&self, at: usize, close: char, most: usize) -> Option<&'a str> {
        let mut length = 0;
        for c in self.rest(at).chars() {
            if c == close {
                return self.rest(at).get(..length);
            }
            length += c.len_utf8();
            if c == '\n' || length > most {
                return None;
            }
        }
        None
    }

    /// At a backtick: a code span, or the end of the run of backticks.
    #[inline(never)]
    fn code_span(&mut self, at: usize) -> usize {
        let run = self.rest(at).bytes().take_while(|b| *b == b'`').count();
        let inside = at + run;
        if run != 1 {
            return inside;
        }
        let Some(code) = self.enclosed(inside, '`', MAX_CODE) else { return inside };
        if code.chars().filter(|c| c.is_alphanumeric()).count() < 2 || code.contains("\\n") {
            return inside;
        }
        let trimmed = code.trim();
        let start = inside + (code.len() - code.trim_start().len());
        let whole_url = trimmed.contains("://") && !trimmed.contains(char::is_whitespace) && trimmed.starts_with(char::is_alphanumeric);
        let kind = if whole_url { Kind::Url } else { kinds::kind_of(trimmed).unwrap_or(Kind::Code) };
        self.add(kind, start, start + trimmed.len());
        inside + code.len() + 1
    }

    /// At a quote: a Windows path in quotes may hold spaces. Anything else is left to the scan.
    fn quoted_path(&mut self, at: usize) -> usize {
        let inside = at + 1;
        let close = if self.rest(at).starts_with('"') { '"' } else { '\'' };
        if self.text.as_bytes().get(inside + 1..inside + 3) != Some(b":\\") {
            return inside;
        }
        match self.enclosed(inside, close, 260) {
            Some(path) if kinds::kind_of(path) == Some(Kind::Path) => {
                self.add(Kind::Path, inside, inside + path.len());
                inside + path.len()
            }
            _ => inside,
        }
    }

    /// At the start of an atom: a phrase, or the identifiers of the atom. Gives where to go on.
    fn atom(&mut self, at: usize) -> usize {
        let (end, made) = atom_at(self.text, at);
        if end - at > MAX_PIECE {
            return end;
        }
        if let Some((kind, phrase_end)) = phrase::at(self.text, at, end) {
            let start = at + (end - at).min(leading_marks(self.text.get(at..end).unwrap_or_default()));
            self.add(kind, start, phrase_end);
            return phrase_end;
        }
        let from = if made.any(Made::COLON) { self.urls(at, end) } else { at };
        if from < end {
            let closing_tag = from == at && self.text.get(..at).is_some_and(|before| before.ends_with('<'));
            if !closing_tag {
                self.pieces(from, end, 0);
            }
        }
        end.max(from)
    }

    /// The URLs of an atom and what stands before them. Gives where the last one ends.
    #[inline(never)]
    fn urls(&mut self, at: usize, end: usize) -> usize {
        let mut from = at;
        while let Some(mark) = scheme_mark(self.text.as_bytes(), from, end) {
            let start = scheme_start(self.text.get(from..mark).unwrap_or_default()) + from;
            let url_end = mark + 3 + url_length(self.rest(mark + 3));
            if start == mark || url_end == mark + 3 {
                from = mark + 3;
            } else {
                self.pieces(from, start, 0);
                self.add(Kind::Url, start, url_end);
                from = url_end;
            }
        }
        from
    }

    /// The identifiers of a piece: whole, or cut at the separators of `level` and the levels after it.
    fn pieces(&mut self, start: usize, end: usize, level: usize) {
        let Some(raw) = self.text.get(start..end) else { return };
        let piece = without_trailing(raw);
        let inner = piece.get(leading_marks(piece)..).unwrap_or_default();
        let made = Made::of(inner);
        if made.only_letters() && !inner.ends_with("file") {
            return;
        }
        let piece_end = start + piece.len();
        if self.whole(inner, piece_end, made) {
            return;
        }
        if let Some(b'$' | b'#' | b'.' | b'_') = inner.as_bytes().first() {
            let bare = inner.trim_start_matches(['$', '#', '.', '_']);
            if self.whole(bare, piece_end, Made::of(bare)) {
                return;
            }
        }
        let mut level = level;
        while NEEDED.get(level).is_some_and(|needed| !made.any(*needed)) {
            level += 1;
        }
        if level >= NEEDED.len() {
            return;
        }
        let bytes = raw.as_bytes();
        let (mut from, mut at) = (0, 0);
        while let Some(byte) = bytes.get(at).copied() {
            at += 1;
            if cut_level(byte) == level {
                self.pieces(start + from, start + at - 1, level + 1);
                if byte == b'\\'
                    && let Some(b'n' | b'r' | b't' | b'\\') = bytes.get(at)
                {
                    // The letter of an escape (`\n` in JSON text) belongs to nothing.
                    at += 1;
                }
                from = at;
            }
        }
        self.pieces(start + from, end, level + 1);
    }

    /// Adds a piece that ends at `end` if it is an identifier as a whole.
    fn whole(&mut self, piece: &str, end: usize, made: Made) -> bool {
        let Some(kind) = kinds::kind_of_made(piece, made) else { return false };
        let from = end - piece.len();
        let before = self.text.get(..from).unwrap_or_default();
        // `&#39;` is a character, and the `/day` of `GBP 500/day` no path.
        let entity = kind == Kind::Ticket && before.ends_with('&');
        let per = kind == Kind::Path && piece.starts_with('/') && before.ends_with(|c: char| c.is_alphanumeric());
        if !entity && !per {
            self.add(kind, from, end);
        }
        true
    }
}

/// What a piece must hold to be cut at each level.
const NEEDED: [u16; 4] = [Made::OTHER | Made::BACKSLASH, Made::COLON, Made::OTHER | Made::AT | Made::HASH, Made::SLASH];

/// The level at which a piece that is nothing as a whole is cut at this byte.
#[inline]
fn cut_level(byte: u8) -> usize {
    match byte {
        b'=' | b'?' | b'&' | b'|' | b'\\' | b',' => 0,
        b':' => 1,
        b'@' | b'#' | b'+' | b'*' => 2,
        b'/' => 3,
        _ => NEEDED.len(),
    }
}

/// The first `://` from `at` on that ends before `end`.
fn scheme_mark(bytes: &[u8], at: usize, end: usize) -> Option<usize> {
    let mut at = at;
    while at + 3 <= end {
        if bytes.get(at) == Some(&b':') && bytes.get(at..at + 3) == Some(b"://") {
            return Some(at);
        }
        at += 1;
    }
    None
}

/// Where the scheme before `://` begins; the length of `before` if there is none.
fn scheme_start(before: &str) -> usize {
    let scheme = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let long: String = before.chars().rev().take(17).collect();
    let length = long.chars().take_while(|c| scheme(*c)).count();
    let start = before.len() - length;
    let fits = (2..=16).contains(&length) && before.get(start..).is_some_and(|s| s.starts_with(|c: char| c.is_ascii_alphabetic()));
    if fits { start } else { before.len() }
}

/// Bytes of a URL after `://`, without closing punctuation; 0 if there is no host.
fn url_length(rest: &str) -> usize {
    let mut length = 0;
    for c in rest.chars() {
        let ends = c.is_whitespace() || c.is_control() || "\"<>`{}|^\\".contains(c) || "“”‘’«»，。、）】》」".contains(c);
        if ends || length >= MAX_PIECE {
            break;
        }
        length += c.len_utf8();
    }
    let mut url = rest.get(..length).unwrap_or_default();
    let (mut opened, mut closed) = (0_usize, 0_usize);
    for b in url.bytes() {
        opened += usize::from(matches!(b, b'(' | b'['));
        closed += usize::from(matches!(b, b')' | b']'));
    }
    while let Some(last) = url.chars().next_back() {
        let unbalanced = matches!(last, ')' | ']') && closed > opened;
        if !unbalanced && !".,;:!?'*_".contains(last) {
            break;
        }
        closed -= usize::from(unbalanced);
        url = url.get(..url.len() - last.len_utf8()).unwrap_or_default();
    }
    if url.chars().any(char::is_alphanumeric) { url.len() } else { 0 }
}
