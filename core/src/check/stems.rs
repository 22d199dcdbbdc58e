//! What a sentence is about, as small numbers: its words without endings, so that two wordings can be compared.

use super::lexicon;
use crate::text::words::{Word, joined, next_word};

/// A word without its ending: its first six letters, or all of a word with digits up to eight; two ideographs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stem(u64);

/// Whether a word, in lower case, carries no topic.
pub(crate) fn is_empty_word(word: &[u8]) -> bool {
    (word.len() < 2 && !word.iter().any(u8::is_ascii_digit)) || lexicon::classes(word, b"").0 & lexicon::EMPTY != 0
}

/// Whether a list of words with spaces around each holds `word`.
pub(crate) fn listed(list: &str, word: &[u8]) -> bool {
    !word.is_empty() && std::str::from_utf8(word).is_ok_and(|word| list.split_ascii_whitespace().any(|known| known == word))
}

/// A word with its classes.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    pub(crate) word: Word,
    pub(crate) classes: u32,
}

impl Known {
    /// Whether it negates, by itself or by its contraction.
    pub(crate) fn negates(&self) -> bool {
        let letters = self.word.letters();
        self.classes & lexicon::NEGATES != 0 || letters.ends_with(b"n't") || (letters.starts_with(b"n'") && letters.len() > 3)
    }

    /// Its stem, if it carries a topic.
    pub(crate) fn stem(&self) -> Option<Stem> {
        let letters = self.word.letters();
        (!letters.is_empty() && !is_empty_word(unelided(letters)) && !letters.ends_with(b"n't")).then(|| Stem::of(letters))
    }
}

/// The words of a text with their classes.
pub(crate) fn known(text: &str) -> Vec<Known> {
    let mut out = Vec::new();
    let mut coming = next_word(text, 0);
    // what the last word has together with this one
    let mut shared = 0;
    while let Some(word) = coming {
        coming = next_word(text, word.end);
        let next = coming.as_ref().filter(|next| joined(text, word.end, next.start) || text.get(word.end..next.start) == Some("-"));
        let (own, with_next) = lexicon::classes(word.letters(), next.map(Word::letters).unwrap_or_default());
        // what an article is joined to counts as well
        let inner = unelided(word.letters());
        let inner = if inner.len() < word.letters().len() { lexicon::classes(inner, b"").0 & !lexicon::EMPTY } else { 0 };
        out.push(Known { word, classes: own | inner | with_next | shared });
        shared = with_next;
    }
    out
}

/// A word without an article or a genitive that an apostrophe joins to it.
pub(crate) fn unelided(word: &[u8]) -> &[u8] {
    match word.iter().position(|b| *b == b'\'') {
        Some(at @ (1 | 2)) => word.get(at + 1..).unwrap_or_default(),
        Some(at) if at + 2 >= word.len() => word.get(..at).unwrap_or_default(),
        _ => word,
    }
}

/// Endings taken off, the first that leaves three letters, twice.
const ENDINGS: [&[&[u8]]; 2] = [&[b"es", b"s"], &[b"ing", b"ed", b"en", b"er", b"e"]];

impl Stem {
    /// The stem of a word in lower case.
    pub(crate) fn of(word: &[u8]) -> Self {
        let digits = word.iter().any(u8::is_ascii_digit);
        let mut rest = unelided(word);
        if !digits {
            for endings in ENDINGS {
                let cut = endings.iter().filter_map(|end| rest.strip_suffix(*end)).find(|left| left.len() >= 3);
                rest = cut.unwrap_or(rest);
            }
        }
        let most = if digits { 8 } else { 6 };
        // a word with digits begins no other
        let filler = u8::from(digits);
        Self(rest.iter().take(most).chain(std::iter::repeat(&filler)).take(8).fold(0, |all, b| (all << 8) | u64::from(*b)))
    }

    /// Whether two stems may be forms of one word: equal, or one begins the other with four letters.
    pub(crate) fn alike(self, other: Self) -> bool {
        let (short, long) = if self.0 < other.0 { (self.0, other.0) } else { (other.0, self.0) };
        let empty = short.trailing_zeros() & !7;
        short == long || (empty <= 32 && (short >> empty) == (long >> empty) && (short >> 56) != 0xff)
    }

    /// The ranges of stems, in order, that hold its forms: what it begins, and what begins it.
    pub(crate) fn forms(self) -> [(Self, Self); 3] {
        let empty = self.0.trailing_zeros() & !7;
        let last = if empty <= 32 { self.0 | ((1 << empty) - 1) } else { self.0 };
        let start = |bits: u32| Self((self.0 >> bits) << bits);
        let apart = |start: Self| if start == self || !start.alike(self) { (Self(1), Self(0)) } else { (start, start) };
        [(self, Self(last)), apart(start(32)), apart(start(24))]
    }

    /// Whether it is two ideographs.
    pub(crate) fn is_wide(self) -> bool {
        self.0 >> 56 == 0xff
    }

    /// Whether it has digits.
    pub(crate) fn is_number(self) -> bool {
        !self.is_wide() && self.0.to_be_bytes().iter().any(u8::is_ascii_digit)
    }

    /// Its bytes, for a hash.
    pub(crate) fn bytes(self) -> [u8; 8] {
        self.0.to_be_bytes()
    }

    fn pair(first: char, second: char) -> Self {
        Self((0xff << 56) | (u64::from(u32::from(first)) << 24) | u64::from(u32::from(second)))
    }
}

/// The stems of a text that carry its topic, in order.
pub(crate) fn stems(text: &str) -> Vec<Stem> {
    let mut out: Vec<Stem> = known(text).iter().filter_map(Known::stem).collect();
    if !text.is_ascii() {
        let mut before = None;
        for c in text.chars() {
            let wide = ('\u{2e80}'..'\u{fb00}').contains(&c) && c.is_alphanumeric();
            if let (true, Some(first)) = (wide, before) {
                out.push(Stem::pair(first, c));
            }
            before = wide.then_some(c);
        }
    }
    out
}

/// A set of stems that is asked whether it holds a form of one.
#[derive(Debug, Clone, Default)]
pub(crate) struct StemSet(Vec<Stem>);

impl StemSet {
    pub(crate) fn of(text: &str) -> Self {
        Self::from(stems(text))
    }

    pub(crate) fn from(mut list: Vec<Stem>) -> Self {
        list.sort_unstable();
        list.dedup();
        Self(list)
    }

    pub(crate) fn has(&self, stem: Stem) -> bool {
        let at = self.0.partition_point(|known| *known < stem);
        let longer = self.0.get(at).is_some_and(|known| known.alike(stem));
        // what it begins with: four letters, or five
        let shorter = [32, 24].iter().map(|bits| Stem((stem.0 >> bits) << bits));
        longer || shorter.into_iter().any(|start| start.alike(stem) && self.0.binary_search(&start).is_ok())
    }

    /// How many of the stems are here.
    pub(crate) fn count(&self, wanted: &[Stem]) -> usize {
        wanted.iter().filter(|stem| self.has(**stem)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_word_are_alike() {
        for (a, b) in [
            ("approved", "approval"),
            ("refunds", "refunded"),
            ("close", "closing"),
            ("roll", "rollback"),
            ("maintain", "maintainer"),
            ("Lösung", "Losungen"),
        ] {
            let (a, b) = (stems(a), stems(b));
            assert!(a[0].alike(b[0]), "{a:?} {b:?}");
        }
        assert!(!stems("red")[0].alike(stems("reduce")[0]));
        assert!(!stems("batch9")[0].alike(stems("batch91")[0]));
    }

    #[test]
    fn empty_words_are_left_out_and_ideographs_come_in_pairs() {
        assert_eq!(stems("we will not do it, and that is all").len(), 0);
        assert_eq!(stems("数据库").len(), 2);
        assert!(StemSet::of("迁移数据库").has(stems("数据")[0]));
        assert_eq!(StemSet::of("the servers were closed").count(&stems("close a server")), 2);
    }
}
