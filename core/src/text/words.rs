//! Words as cues are matched against them: ASCII lower case after folding, with their place in the original.
//!
//! ASCII text is read by the byte. Only characters outside ASCII go through the skeleton, one by one, so a word split
//! by a zero-width space or written with foreign letters is still found, and long texts cost no second copy.

use super::skeleton::{Folded, fold};

/// Longest word that any cue needs, and a bit.
const KEPT: usize = 24;

/// A word and where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Word {
    letters: [u8; KEPT],
    len: usize,
    /// First byte in the text.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
}

impl Word {
    /// The word in lower case; empty for one that no ASCII word can equal.
    pub(crate) fn letters(&self) -> &[u8] {
        self.letters.get(..self.len).unwrap_or_default()
    }

    fn push(&mut self, byte: u8) {
        if let Some(slot) = self.letters.get_mut(self.len) {
            *slot = byte;
        }
        self.len += 1;
    }
}

/// What a character is to a word.
enum Part {
    Inside(u8),
    /// A sharp s, which is two.
    Sharp,
    Foreign,
    Unseen,
    Gap,
}

fn part(c: char) -> Part {
    match fold(c) {
        Folded::Ascii(c) if c.is_ascii_alphanumeric() || c == '\'' || c == '_' => Part::Inside(u8::try_from(c).unwrap_or(b'_')),
        Folded::Text("ss") => Part::Sharp,
        Folded::Text(text) if text.bytes().all(|b| b.is_ascii_alphabetic()) => Part::Foreign,
        Folded::Nothing => Part::Unseen,
        // Scripts without spaces border on a word without belonging to it.
        Folded::Other(c) if c.is_alphanumeric() && u32::from(c) < 0x2e80 => Part::Foreign,
        _ => Part::Gap,
    }
}

fn char_at(text: &str, at: usize) -> Option<char> {
    text.get(at..).and_then(|rest| rest.chars().next())
}

/// The first word at or after a byte. A word is letters, digits, inner apostrophes and underscores.
pub(crate) fn next_word(text: &str, from: usize) -> Option<Word> {
    let bytes = text.as_bytes();
    let mut at = from;
    let mut word = Word { letters: [0; KEPT], len: 0, start: from, end: from };
    let mut foreign = false;
    let mut begun = false;
    while let Some(byte) = bytes.get(at).copied() {
        let (part, width) = if byte < 0x80 {
            let inside = byte.is_ascii_alphanumeric() || (begun && matches!(byte, b'\'' | b'_'));
            (if inside { Part::Inside(byte.to_ascii_lowercase()) } else { Part::Gap }, 1)
        } else {
            match char_at(text, at) {
                Some(c) => (part(c), c.len_utf8()),
                None => (Part::Gap, 1),
            }
        };
        match part {
            Part::Inside(b'\'' | b'_') if !begun => {}
            Part::Inside(byte) => {
                if !begun {
                    word.start = at;
                    begun = true;
                }
                word.push(byte);
                if byte != b'\'' && byte != b'_' {
                    word.end = at + width;
                }
            }
            Part::Sharp if begun => {
                word.push(b's');
                word.push(b's');
                word.end = at + width;
            }
            Part::Foreign | Part::Sharp => {
                if !begun {
                    word.start = at;
                    begun = true;
                }
                foreign = true;
                word.end = at + width;
            }
            Part::Unseen => {}
            Part::Gap if begun => break,
            Part::Gap => {}
        }
        at += width;
    }
    if !begun {
        return None;
    }
    while word.len > 0 && word.len <= KEPT && matches!(word.letters().last(), Some(b'\'' | b'_')) {
        word.len -= 1;
    }
    if foreign || word.len > KEPT {
        word.len = 0;
    }
    word.end = word.end.max(word.start + 1);
    Some(word)
}

/// Whether a list of words with a space between them holds `word`.
#[cfg_attr(standfast_hot, optimize(speed))]
pub(crate) fn listed(list: &str, word: &str) -> bool {
    let (list, word) = (list.as_bytes(), word.as_bytes());
    let mut begins = true;
    for (at, byte) in list.iter().enumerate() {
        if begins && word.first() == Some(byte) {
            let rest = list.get(at..).unwrap_or_default();
            if rest.starts_with(word) && rest.get(word.len()).is_none_or(|end| *end == b' ') {
                return !word.contains(&b' ');
            }
        }
        begins = *byte == b' ';
    }
    false
}

/// Calls with each word of a text that is lines of words with one space between, and with whether it begins its line.
#[cfg_attr(standfast_hot, optimize(speed))]
pub(crate) fn each_word<'t>(text: &'t str, call: &mut dyn FnMut(bool, &'t str)) {
    let (mut from, mut begins) = (0, true);
    for (at, byte) in text.bytes().enumerate() {
        if matches!(byte, b' ' | b'\n') {
            call(begins, text.get(from..at).unwrap_or_default());
            (from, begins) = (at + 1, byte == b'\n');
        }
    }
    if from < text.len() {
        call(begins, text.get(from..).unwrap_or_default());
    }
}

/// Whether only white space, invisible characters and emphasis stand between two words.
pub(crate) fn joined(text: &str, from: usize, to: usize) -> bool {
    text.get(from..to).is_some_and(|gap| {
        gap.chars().all(|c| c.is_whitespace() || matches!(c, '*' | '_' | '`' | '~' | '\'') || matches!(fold(c), Folded::Nothing))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(String, &str)> {
        let mut out = Vec::new();
        let mut at = 0;
        while let Some(word) = next_word(text, at) {
            out.push((String::from_utf8(word.letters().to_vec()).unwrap(), text.get(word.start..word.end).unwrap()));
            at = word.end;
        }
        out
    }

    #[test]
    fn lines_of_words_are_walked_as_they_are_split() {
        for text in ["a b\nc\nd e f\n", "a\nb c"] {
            let mut found = Vec::new();
            each_word(text, &mut |begins, word| found.push((begins, word)));
            let lines = text.lines().flat_map(|line| line.split(' ').enumerate().map(|(at, word)| (at == 0, word)));
            assert_eq!(found, lines.collect::<Vec<_>>());
        }
    }

    #[test]
    fn words_are_lower_case_and_keep_their_place() {
        assert_eq!(all("Don't, __never__!"), [("don't".into(), "Don't"), ("never".into(), "never")]);
        assert_eq!(all("never_cache x"), [("never_cache".into(), "never_cache"), ("x".into(), "x")]);
    }

    #[test]
    fn disguised_words_are_read_and_foreign_ones_are_empty() {
        assert_eq!(all("nеv\u{200b}er don’t"), [("never".into(), "nеv\u{200b}er"), ("don't".into(), "don’t")]);
        assert_eq!(all("außer Maß")[0].0, "ausser");
        assert_eq!(all("жук 请never删"), [(String::new(), "жук"), ("never".into(), "never")]);
    }
}
