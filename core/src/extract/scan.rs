//! A text in one pass: its sentences and lines, with what their words say.

use super::cues::{self, Cues};

/// A sentence or a line, with what was seen in it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Piece {
    /// First byte.
    pub(super) start: usize,
    /// One past the last byte.
    pub(super) end: usize,
    /// Place among the text's pieces, from 0.
    pub(super) nth: u32,
    /// All cues of its words.
    pub(super) cues: u16,
    /// Cues of its first word.
    pub(super) opening: u16,
    /// Words, roughly.
    pub(super) words: u32,
    /// Words that look like identifiers: paths, ids, dates, addresses.
    pub(super) idents: u32,
    /// Plain numbers.
    pub(super) numbers: u32,
    /// An error word with a colon: `error: …`.
    pub(super) error_head: bool,
}

const LETTER: u8 = 1;
const DIGIT: u8 = 2;
const MARK: u8 = 4;
const JOIN: u8 = 8;
const HIGH: u8 = 16;
const NEWLINE: u8 = 32;
const STOP: u8 = 64;
const SPACE: u8 = 128;
const WORD: u8 = LETTER | DIGIT | MARK | JOIN | HIGH;

const fn class_of(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' => LETTER,
        b'0'..=b'9' => DIGIT,
        b'/' | b'_' | b'@' | b'\\' | b'=' | b'$' | b'%' | b'#' | b'+' | b'~' => MARK,
        b'\'' | b'-' | b':' => JOIN,
        0x80..=0xff => HIGH,
        b'\n' | b'\r' => NEWLINE,
        b'.' | b'!' | b'?' => STOP,
        b' ' | b'\t' => SPACE,
        _ => 0,
    }
}

const CLASSES: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::indexing_slicing, clippy::cast_possible_truncation, reason = "evaluated at build time, in range")]
        {
            table[byte] = class_of(byte as u8);
        }
        byte += 1;
    }
    table
};

fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or_default()
}

/// Longest piece in bytes before a word border ends it.
const LONG: usize = 280;

/// Longest marker, in bytes.
const MARKER: usize = 64;

/// Calls `found` for each sentence or line of `text` that holds a word.
pub(super) fn scan(text: &str, cues: &Cues, mut found: impl FnMut(Piece)) {
    let bytes = text.as_bytes();
    let mut piece = Piece::default();
    let mut previous = 0;
    let mut at = 0;
    let mut close = |piece: &mut Piece, end: usize, next: usize| {
        let words = piece.words;
        if words > 0 {
            found(Piece { end, ..*piece });
        }
        *piece = Piece { start: next, nth: piece.nth + u32::from(words > 0), ..Piece::default() };
    };
    while let Some(byte) = bytes.get(at) {
        let kind = class(*byte);
        if kind & WORD != 0 {
            let (end, kinds) = word_end(bytes, at);
            let word = bytes.get(at..end).unwrap_or_default();
            previous = take(&mut piece, word, kinds, bytes.get(end) == Some(&b':') || word.ends_with(b":"), previous, cues);
            at = end;
            if kinds & HIGH != 0 && ends_with_wide_stop(word) {
                close(&mut piece, at, at);
                previous = 0;
            }
            continue;
        }
        at += 1;
        let ends = match kind {
            NEWLINE => true,
            STOP => sentence_ends(bytes, at),
            SPACE => at - piece.start >= LONG,
            _ => {
                // A marker is one thing: it is never torn, and its words are not the text's.
                at += if *byte == b'[' { marker_length(bytes, at) } else { 0 };
                false
            }
        };
        if ends {
            close(&mut piece, if kind == STOP { at } else { at - 1 }, at);
            previous = 0;
        }
    }
    close(&mut piece, bytes.len(), bytes.len());
}

/// The length of what is left of a marker after its bracket, closing bracket included; 0 where it is none.
fn marker_length(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let marker = ["rule ", "held "].iter().any(|word| rest.starts_with(word.as_bytes()));
    let close = marker.then(|| rest.iter().take(MARKER).position(|byte| *byte == b']')).flatten();
    close.map_or(0, |close| close + 1)
}

/// The end of the word that begins at `at`. A full stop inside a word (`app.rs`, `1.5`) belongs to it.
fn word_end(bytes: &[u8], mut at: usize) -> (usize, u8) {
    let mut kinds = 0;
    while let Some(byte) = bytes.get(at) {
        let kind = class(*byte);
        if kind & WORD != 0 {
            kinds |= kind;
            at += 1;
            if kind == HIGH
                && matches!(byte, 0x81 | 0x82 | 0x9f)
                && ends_with_wide_stop(bytes.get(at.saturating_sub(3)..at).unwrap_or_default())
            {
                break;
            }
        } else if *byte == b'.' && kinds != 0 && bytes.get(at + 1).is_some_and(|next| class(*next) & (LETTER | DIGIT) != 0) {
            kinds |= STOP;
            at += 1;
        } else {
            break;
        }
    }
    (at, kinds)
}

/// The full stops of Chinese and Japanese.
fn ends_with_wide_stop(word: &[u8]) -> bool {
    ["。", "！", "？"].iter().any(|stop| word.ends_with(stop.as_bytes()))
}

/// Whether a sentence ends with the stop before `at`: space follows, and no lower-case letter after it.
fn sentence_ends(bytes: &[u8], at: usize) -> bool {
    let mut rest = bytes.get(at..).unwrap_or_default().iter().skip_while(|byte| matches!(byte, b'"' | b'\'' | b')' | b']' | b'*'));
    match rest.next() {
        None => true,
        Some(byte) if class(*byte) & (SPACE | NEWLINE) != 0 => {
            rest.find(|byte| **byte != b' ').is_none_or(|byte| !byte.is_ascii_lowercase())
        }
        Some(_) => false,
    }
}

/// Counts a word into its piece and gives its cues, for the next word.
fn take(piece: &mut Piece, word: &[u8], kinds: u8, colon: bool, previous: u16, cues: &Cues) -> u16 {
    if kinds & (LETTER | DIGIT | HIGH) == 0 {
        return previous;
    }
    let dotted = kinds & STOP != 0 && kinds & LETTER != 0;
    if kinds & DIGIT != 0 && kinds & (LETTER | MARK | JOIN | STOP) == 0 {
        piece.numbers += 1;
    } else if word.len() > 2 && (kinds & DIGIT != 0 || dotted || kinds & MARK != 0) {
        piece.idents += 1;
    }
    piece.words += 1 + if kinds & HIGH != 0 { u32::try_from(word.len() / 8).unwrap_or(0) } else { 0 };
    if kinds & (DIGIT | MARK) != 0 {
        return 0;
    }
    let bare = word.strip_suffix(b":").unwrap_or(word);
    let mut said = cues.of(bare);
    if said != 0 {
        if previous & cues::WE != 0 && said & cues::WILL != 0 {
            said |= cues::DECISION;
        }
        piece.error_head |= colon && said & cues::ERROR != 0;
        piece.cues |= said;
        if piece.words == 1 {
            piece.opening = said;
        }
    }
    said
}
