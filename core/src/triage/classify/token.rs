//! A text as words: hashes of each word and of its stem, in one pass without a copy.

use crate::text::skeleton;

/// How a word ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Base,
    /// With an s: a plural, or what somebody or something does.
    Third,
    Past,
    Gerund,
    Adverb,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    Word,
    /// An ideograph, a syllable, a letter of a script without spaces.
    Sign,
    Number,
    /// `1.2.3`
    Version,
    /// `2024-05-01`
    Date,
    Mark,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) sort: Sort,
    /// In lower case.
    pub(super) exact: u32,
    pub(super) stem: u32,
    pub(super) ending: Ending,
    pub(super) capitals: bool,
    /// In a code span.
    pub(super) code: bool,
    /// For a mark, its byte; 0 for one outside ASCII.
    pub(super) mark: u8,
    /// White space stands before it.
    pub(super) spaced: bool,
    pub(super) classes: u64,
    /// Of its beginning and its end; 0 for a short word.
    pub(super) parts: [u32; 4],
}

const SEED: u32 = 0x811c_9dc5;
/// Set apart from exact words.
const STEM_SEED: u32 = 0x1234_5679;

fn fnv(sum: u32, byte: u8) -> u32 {
    (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193)
}

/// A hash of bytes; never 0.
pub(super) fn hash(bytes: &[u8], seed: u32) -> u32 {
    let mut sum = seed;
    for byte in bytes {
        sum = fnv(sum, *byte);
    }
    sum | 1
}

/// A hash that goes on from another.
pub(super) fn hash_on(sum: u32, next: u32) -> u32 {
    (sum.rotate_left(5) ^ next).wrapping_mul(0x9e37_79b1) | 1
}

/// The stem of a word in lower case, and the ending it had.
pub(super) fn stem(word: &[u8]) -> (&[u8], Ending) {
    let cut = |less: usize| word.get(..word.len() - less).unwrap_or(word);
    let (mut rest, ending) = match word {
        [.., b'\'', b's'] => (cut(2), Ending::Base),
        [.., b'i', b'n', b'g'] if word.len() > 5 => (cut(3), Ending::Gerund),
        [.., b'e', b'd'] if word.len() > 4 => (cut(2), Ending::Past),
        [.., b'i', b'e', b's'] if word.len() > 4 => (cut(2), Ending::Third),
        [.., b's' | b'x' | b'z' | b'h', b'e', b's'] if word.len() > 4 => (cut(2), Ending::Third),
        [.., b's' | b'u' | b'i', b's'] => (word, Ending::Base),
        [.., b's'] if word.len() > 3 => (cut(1), Ending::Third),
        [.., b'l', b'y'] if word.len() > 4 => (word, Ending::Adverb),
        _ => (word, Ending::Base),
    };
    if let [.., one, two] = rest
        && one == two
        && rest.len() > 3
        && ending != Ending::Base
        && ending != Ending::Third
    {
        rest = rest.get(..rest.len() - 1).unwrap_or(rest);
    }
    if rest.len() > 3
        && let Some((b'e' | b'y' | b'i', before)) = rest.split_last()
    {
        rest = before;
    }
    (rest, ending)
}

/// Longest word that is told from others.
const KEPT: usize = 32;

struct Buffer {
    bytes: [u8; KEPT],
    len: usize,
}

impl Buffer {
    fn push(&mut self, byte: u8) {
        if let Some(slot) = self.bytes.get_mut(self.len) {
            *slot = byte;
            self.len += 1;
        }
    }
}

/// Adds the first tokens of a text.
#[cfg_attr(standfast_hot, optimize(speed))]
pub(super) fn tokens(text: &str, most: usize, all: &mut Vec<Token>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut code = false;
    let mut spaced = true;
    while let Some(&byte) = bytes.get(at).filter(|_| all.len() < most) {
        let start = at;
        let next = bytes.get(at + 1).copied().unwrap_or_default();
        let mut token = Token {
            start,
            end: at + 1,
            sort: Sort::Mark,
            exact: 0,
            stem: 0,
            ending: Ending::Base,
            capitals: false,
            code,
            mark: byte,
            spaced,
            classes: 0,
            parts: [0; 4],
        };
        if byte.is_ascii_whitespace() {
            spaced = true;
            at += 1;
            continue;
        }
        let opens = matches!(byte, b'.' | b'-' | b'@') && spaced && (next.is_ascii_lowercase() || (byte == b'-' && next == b'-'));
        if matches!(byte, b'v' | b'V') && next.is_ascii_digit() && bytes.get(at + 2) != Some(&b' ') {
            number(bytes, &mut token);
            token.sort = Sort::Version;
            token.exact = hash(&[Sort::Version as u8], SEED);
            token.stem = token.exact;
        } else if byte.is_ascii_alphabetic() || byte == b'_' || opens || byte >= 0x80 {
            word(text, &mut token);
        } else if byte.is_ascii_digit() {
            number(bytes, &mut token);
        } else {
            if byte == b'`' {
                code = !code;
            }
            token.exact = hash(&[byte], SEED);
        }
        spaced = false;
        at = token.end;
        all.push(token);
    }
}

/// A letter of a script that has no spaces between words.
fn is_sign(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}')
}

fn word(text: &str, token: &mut Token) {
    let rest = text.get(token.start..).unwrap_or_default();
    let mut held = Buffer { bytes: [0; KEPT], len: 0 };
    let (mut upper, mut lower) = (0_u32, false);
    let mut length = 0;
    for c in rest.chars() {
        if c.is_ascii() {
            let joins = c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '\'') || (length == 0 && matches!(c, '.' | '@'));
            if !joins {
                break;
            }
            upper += u32::from(c.is_ascii_uppercase());
            lower |= c.is_ascii_lowercase();
            held.push(c.to_ascii_lowercase() as u8);
        } else if c == '’' && length > 0 && rest.get(length + 3..).is_some_and(|more| more.starts_with(char::is_alphabetic)) {
            held.push(b'\'');
        } else if is_sign(c) {
            if length == 0 {
                let end = c.len_utf8();
                token.sort = Sort::Sign;
                token.exact = hash(rest.as_bytes().get(..end).unwrap_or_default(), SEED);
                token.stem = token.exact;
                token.end = token.start + end;
                token.mark = 0;
                return;
            }
            break;
        } else if c.is_alphanumeric() {
            lower = true;
            let small = skeleton::lower(c);
            let mut utf8 = [0; 4];
            for byte in small.encode_utf8(&mut utf8).bytes() {
                held.push(byte);
            }
        } else {
            if length == 0 {
                token.end = token.start + c.len_utf8();
                token.exact = hash(rest.as_bytes().get(..c.len_utf8()).unwrap_or_default(), SEED);
                token.mark = 0;
                return;
            }
            break;
        }
        length += c.len_utf8();
    }
    let whole = held.bytes.get(..held.len).unwrap_or_default();
    // a hyphen or an apostrophe at the end is none of the word's
    let mut bare = whole;
    while let Some((b'-' | b'\'', before)) = bare.split_last() {
        bare = before;
        length -= 1;
    }
    if bare.is_empty() {
        token.end = token.start + 1;
        token.exact = hash(b"-", SEED);
        return;
    }
    let (stem, ending) = stem(bare);
    let ends = [bare.get(..3), bare.get(..5), bare.get(bare.len().saturating_sub(3)..), bare.get(bare.len().saturating_sub(4)..)];
    for ((slot, part), least) in token.parts.iter_mut().zip(ends).zip([4, 6, 4, 6]) {
        if let Some(part) = part.filter(|_| bare.len() >= least) {
            *slot = hash(part, SEED);
        }
    }
    token.sort = Sort::Word;
    token.exact = hash(bare, SEED);
    token.stem = hash(stem, STEM_SEED);
    token.ending = ending;
    token.capitals = upper > 1 && !lower;
    token.end = token.start + length;
    token.mark = 0;
}

fn number(bytes: &[u8], token: &mut Token) {
    let mut end = token.start;
    let (mut dots, mut dashes, mut letters) = (0, 0, 0);
    while let Some(&byte) = bytes.get(end) {
        let follows = bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric);
        match byte {
            b'.' if follows => dots += 1,
            b'-' if follows => dashes += 1,
            b',' if follows => {}
            _ if byte.is_ascii_digit() => {}
            _ if byte.is_ascii_alphabetic() || byte == b'_' => letters += 1,
            _ => break,
        }
        end += 1;
    }
    token.end = end.max(token.start + 1);
    token.mark = 0;
    token.sort = match (dots, dashes, letters) {
        (0, 2, _) if token.end - token.start >= 8 => Sort::Date,
        (2.., ..) => Sort::Version,
        _ => Sort::Number,
    };
    token.exact = hash(&[token.sort as u8], SEED);
    token.stem = token.exact;
}
