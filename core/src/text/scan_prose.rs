//! What most text is, and is read fast: lines of prose, and texts without the marks of a block.

use super::*;
use crate::text::zone::sentence_hands_over;

/// What of the marks that open or close a block a text has.
pub(super) struct Marks {
    /// Whether there may be tags.
    pub(super) tags: bool,
    /// Which of [`BLOCKS`] open anywhere.
    pub(super) blocks: [bool; 4],
    /// Where each closing mark of [`BLOCKS`] stands last.
    pub(super) last_closes: Vec<(&'static str, usize)>,
}

impl Marks {
    pub(super) fn of(text: &str) -> Self {
        let found = first_characters(text);
        let has = |mark: &str| mark.bytes().next().is_some_and(|byte| found & bit(byte) != 0);
        let mut marks = Self { tags: has("<"), blocks: [false; 4], last_closes: Vec::new() };
        for (opens, (open, close)) in marks.blocks.iter_mut().zip(BLOCKS) {
            *opens = has(open) && first_mark(text, open).is_some();
            if has(close) {
                marks.last_closes.extend(last_mark(text, close).map(|at| (*close, at)));
            }
        }
        marks
    }
}

/// A bit for each first character of [`BLOCKS`] and of their closing marks.
#[inline]
fn bit(byte: u8) -> u32 {
    match byte {
        b'<' => 1,
        b'-' => 2,
        b'"' => 4,
        b'\'' => 8,
        _ => 0,
    }
}

/// The bits of the characters that a text has: most has none, and then no mark is looked for.
#[cfg_attr(standfast_hot, optimize(speed))]
fn first_characters(text: &str) -> u32 {
    let mut found = 0;
    for byte in text.bytes() {
        found |= bit(byte);
    }
    found
}

/// Where a mark stands first. Its first character is looked for.
pub(super) fn first_mark(text: &str, mark: &str) -> Option<usize> {
    let first = mark.chars().next()?;
    text.match_indices(first).map(|(at, _)| at).find(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(mark)))
}

/// Where a mark stands last.
fn last_mark(text: &str, mark: &str) -> Option<usize> {
    let first = mark.chars().next()?;
    text.rmatch_indices(first).map(|(at, _)| at).find(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(mark)))
}

/// Beginnings of lines that may open what is not the author's without any mark: "npm ERR!", "Traceback (most".
const OPENS: [[u8; 3]; 8] = [*b"beg", *b"dif", *b"exc", *b"npm", *b"pan", *b"thr", *b"tra", *b"unc"];

/// Whether a line of the author's own text is prose and nothing else: it begins with a word or a number and has no mark that
/// any other question about a line asks for.
#[cfg_attr(standfast_hot, optimize(speed))]
pub(super) fn is_prose(line: &[u8]) -> bool {
    let [first, second, third, ..] = line else { return false };
    if OPENS.contains(&[first | 0x20, second | 0x20, third | 0x20]) {
        return false;
    }
    let begins = match first {
        b'A'..=b'Z' | b'a'..=b'z' => *second != b')' && !(first.is_ascii_uppercase() && second.is_ascii_uppercase()),
        b'0'..=b'9' => line.iter().find(|byte| !byte.is_ascii_digit()) == Some(&b' '),
        _ => false,
    };
    if !begins {
        return false;
    }
    for byte in line {
        if matches!(byte, b'"' | b'#' | b'$' | b'%' | b':' | b'<' | b'@' | b'[' | b'`' | b'{' | b'|' | b'\t' | 0x80..) {
            return false;
        }
    }
    true
}

impl Scanner<'_> {
    /// Takes one line.
    pub(super) fn line(&mut self, line: Span, number: u32) {
        let text = line.of(self.text);
        let own = matches!(self.foreign, Foreign::No) && self.fence.is_none() && !self.front;
        // an apostrophe is a mark only where three of them open a block
        if own && !self.blocks.get(2).is_some_and(|quoted| *quoted) && is_prose(text.as_bytes()) {
            let text = text.trim_end();
            self.margin.get_or_insert(0);
            self.hint = Hint::None;
            self.after_blank = false;
            self.paragraph_line(Span::new(line.start, line.start + text.len()), 0, number);
            if sentence_hands_over(text) {
                self.enter(Foreign::Handed);
            }
        } else {
            self.parts(line, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::zone::TOOLS;

    #[test]
    fn what_a_tool_writes_is_no_prose() {
        for start in TOOLS.iter().chain(&["diff --git ", "Begin forwarded message"]) {
            assert!(!is_prose(format!("{start} x").as_bytes()), "{start}");
        }
        assert!(is_prose(b"The rows were read.") && is_prose(b"412 rows") && !is_prose(b"4:12") && !is_prose(b"No: x"));
    }
}
