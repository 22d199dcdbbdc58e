//! Finds the identifiers of a text: what a summary must carry verbatim or not at all.
//!
//! [`identifiers`] gives paths, URLs, hashes, ticket ids, amounts, dates and names, in order and without overlap;
//! [`required`] chooses those worth carrying into a summary (P9); [`secret_shaped`] tells what must never be carried.
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
mod phrase;
mod required;
mod secret;
mod tables;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::item::Span;

pub use required::{CARRIED_MAX_CHARS, required};
pub use secret::secret_shaped;

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
        let narrow = char::from(byte);
        if narrow.is_ascii() && !atom_char(narrow) && !matches!(narrow, '`' | '"' | '\'') {
            at += 1;
            continue;
        }
        let Some(c) = scan.rest(at).chars().next() else { break };
        if let Some(end) = plain_word(text, at) {
            at = end;
            continue;
        }
        at = match c {
            '`' => scan.code_span(at),
            '"' | '\'' => scan.quoted_path(at),
            _ if atom_char(c) => scan.atom(at),
            _ => at + c.len_utf8(),
        };
    }
    scan.found
}

/// The end of a plain word at `at`: ASCII letters that end in a gap and begin no phrase. Most of a text is such words.
#[cfg_attr(standfast_hot, optimize(speed))]
fn plain_word(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes().get(at..)?;
    let mut length = 0;
    while let Some(b) = bytes.get(length)
        && b.is_ascii_alphabetic()
    {
        length += 1;
    }
    let gap = |b: Option<&u8>| b.is_none_or(|b| matches!(b, b' ' | b'\n' | b'\t' | b'\r'));
    let next = bytes.get(length);
    let ended = gap(next) || (matches!(next, Some(b'.' | b',' | b':' | b';' | b'!' | b'?' | b')')) && gap(bytes.get(length + 1)));
    if length == 0 || !ended {
        return None;
    }
    let word = text.get(at..at + length)?;
    (!phrase::may_begin(word)).then_some(at + length)
}

/// Letters, digits and what identifiers are joined by. Scripts without word gaps end an atom.
#[cfg_attr(standfast_hot, optimize(speed))]
fn atom_char(c: char) -> bool {
    if c.is_ascii() {
        let joins = matches!(c, '_' | '-' | '.' | '/' | '\\' | ':' | '@' | '#' | '%' | '+' | '~' | '&' | '=' | '?' | '$' | '*' | '|');
        return joins || c.is_ascii_alphanumeric();
    }
    matches!(c, '£' | '€' | '¥' | '°') || (c < '\u{590}' && c.is_alphanumeric())
}

/// One past the last byte of the atom at `at`. A comma between digits belongs to it.
#[cfg_attr(standfast_hot, optimize(speed))]
fn atom_end(text: &str, at: usize) -> usize {
    let mut end = at;
    let mut chars = text.get(at..).unwrap_or_default().chars().peekable();
    let mut before = ' ';
    while let Some(c) = chars.next() {
        let grouping = c == ',' && before.is_ascii_digit() && chars.peek().is_some_and(char::is_ascii_digit);
        if !atom_char(c) && !grouping {
            break;
        }
        end += c.len_utf8();
        before = c;
    }
    end
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

    /// The text between `at` and the next `close` on the same line, at most `most` bytes long.
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
        if self.rest(inside).get(1..3) != Some(":\\") {
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
    #[cfg_attr(standfast_hot, optimize(speed))]
    fn atom(&mut self, at: usize) -> usize {
        let end = atom_end(self.text, at);
        if end - at > MAX_PIECE {
            return end;
        }
        if let Some((kind, phrase_end)) = phrase::at(self.text, at, end) {
            let start = at + (end - at).min(leading_marks(self.text.get(at..end).unwrap_or_default()));
            self.add(kind, start, phrase_end);
            return phrase_end;
        }
        let mut from = at;
        // the single character is looked for first: most atoms have none
        while let Some(found) = self.text.get(from..end).filter(|atom| atom.contains(':')).and_then(|atom| atom.find("://")) {
            let mark = from + found;
            let start = scheme_start(self.text.get(from..mark).unwrap_or_default()) + from;
            let url_end = mark + 3 + url_length(self.rest(mark + 3));
            if start == mark || url_end == mark + 3 {
                from = mark + 3;
                continue;
            }
            self.pieces(from, start, 0);
            self.add(Kind::Url, start, url_end);
            from = url_end;
        }
        if from < end {
            let closing_tag = from == at && self.text.get(..at).is_some_and(|before| before.ends_with('<'));
            if !closing_tag {
                self.pieces(from, end, 0);
            }
        }
        end.max(from)
    }

    /// The identifiers of a piece: whole, or cut at the separators of `level` and the levels after it.
    #[cfg_attr(standfast_hot, optimize(speed))]
    fn pieces(&mut self, start: usize, end: usize, level: usize) {
        let Some(raw) = self.text.get(start..end) else { return };
        let piece = raw.trim_end_matches(TRAILING);
        let marks = leading_marks(piece);
        let inner = piece.get(marks..).unwrap_or_default();
        let made = kinds::Made::of(inner);
        if made.only_letters() && !inner.ends_with("file") {
            return;
        }
        let bare = inner.trim_start_matches(['$', '#', '.', '_']);
        for candidate in [inner, bare] {
            if let Some(kind) = kinds::kind_of(candidate) {
                let from = start + (piece.len() - candidate.len());
                let before = self.text.get(..from).unwrap_or_default();
                // `&#39;` is a character, and the `/day` of `GBP 500/day` no path.
                let entity = kind == Kind::Ticket && before.ends_with('&');
                let per = kind == Kind::Path && candidate.starts_with('/') && before.ends_with(|c: char| c.is_alphanumeric());
                if !entity && !per {
                    self.add(kind, from, from + candidate.len());
                }
                return;
            }
        }
        let levels = SEPARATORS.iter().enumerate().skip(level);
        let Some((level, (separators, _))) = levels.into_iter().find(|(_, (_, made_of))| made.any(*made_of)) else { return };
        let mut from = start;
        let mut skip_escape = false;
        for (offset, c) in raw.char_indices() {
            if skip_escape {
                // The letter of an escape (`\n` in JSON text) belongs to nothing.
                skip_escape = false;
                if "nrt\\".contains(c) {
                    from = start + offset + c.len_utf8();
                    continue;
                }
            }
            if separators.contains(&c) {
                self.pieces(from, start + offset, level + 1);
                from = start + offset + c.len_utf8();
                skip_escape = c == '\\';
            }
        }
        self.pieces(from, end, level + 1);
    }
}

/// Where a piece that is nothing as a whole is cut, and what it must hold to be cut there.
const SEPARATORS: [(&[char], u16); 4] = [
    (&['=', '?', '&', '|', '\\', ','], kinds::Made::OTHER | kinds::Made::BACKSLASH),
    (&[':'], kinds::Made::COLON),
    (&['@', '#', '+', '*'], kinds::Made::OTHER | kinds::Made::AT | kinds::Made::HASH),
    (&['/'], kinds::Made::SLASH),
];

const TRAILING: [char; 17] = ['.', ',', ':', ';', '!', '?', '-', '=', '&', '*', '+', '@', '#', '\\', '~', '|', '$'];

/// Bytes of punctuation before an identifier. A sign stays with its number.
#[cfg_attr(standfast_hot, optimize(speed))]
fn leading_marks(piece: &str) -> usize {
    let inner = piece.trim_start_matches([':', ',', '=', '?', '&', '@', '*', '%', '|']);
    let unsigned = inner.trim_start_matches(['-', '+']);
    let signs = inner.len() - unsigned.len();
    let number = unsigned.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '$' | '£' | '€' | '¥'));
    let kept = usize::from(signs == 1 && number);
    piece.len() - unsigned.len() - kept
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
