//! What a sentence is about, as small numbers: its words without endings, so that two wordings can be compared.

use super::lexicon::{self, EMPTY, NEGATES, NUMBER, PLURAL};
use crate::text::frame::{self, packed};
pub(crate) use crate::text::words::listed;
use crate::text::words::{Word, joined, next_word};

/// A word without its ending, or all of a word with digits, up to eight letters; two ideographs. The first
/// letter stands highest, so that forms of one word are neighbors in order. 0 is none.
pub(crate) type Stem = u64;

/// Marks a stem of two ideographs.
const WIDE: u64 = 0xff << 56;

/// A word with its classes and its stem.
#[derive(Clone, Copy)]
pub(crate) struct Known {
    /// First byte.
    pub(crate) start: usize,
    /// One past the last byte.
    pub(crate) end: usize,
    /// What it says; a contraction that negates has that class too.
    pub(crate) classes: u64,
    /// 0 for a word that carries no topic.
    pub(crate) stem: Stem,
}

impl Known {
    pub(crate) fn is(&self, class: u64) -> bool {
        self.classes & class != 0
    }
}

/// The words of a text.
pub(crate) struct Words<'t> {
    pub(crate) text: &'t str,
    pub(crate) list: Vec<Known>,
}

impl<'t> Words<'t> {
    /// Whether a word of a range has one of the classes, and none of `but`. What lies outside of the text has none.
    #[inline(never)]
    pub(crate) fn some(&self, from: usize, to: usize, class: u64, but: u64) -> bool {
        let words = self.list.get(from..to.min(self.list.len())).unwrap_or_default();
        words.iter().any(|word| word.classes & class != 0 && word.classes & but == 0)
    }

    /// Whether one of the words right before a word, at most `count`, has one of the classes.
    pub(crate) fn before(&self, at: usize, count: usize, class: u64) -> bool {
        self.some(at.saturating_sub(count), at, class, 0)
    }

    /// Whether one of the words right after a word, at most `count`, has one of the classes.
    pub(crate) fn after(&self, at: usize, count: usize, class: u64) -> bool {
        self.some(at + 1, at + 1 + count, class, 0)
    }

    /// Whether one word has one of the classes.
    pub(crate) fn is(&self, at: usize, class: u64) -> bool {
        self.some(at, at + 1, class, 0)
    }

    /// The stems that carry the topic, in order.
    pub(crate) fn stems(&self) -> Vec<Stem> {
        let mut out = Vec::new();
        for word in &self.list {
            if word.stem > 0 {
                out.push(word.stem);
            }
        }
        add_wide(self.text, &mut out);
        out
    }

    /// What stands before a word, after the word before it.
    #[inline(never)]
    pub(crate) fn gap(&self, at: usize) -> &'t str {
        let from = at.checked_sub(1).and_then(|before| self.list.get(before)).map_or(0, |word| word.end);
        self.list.get(at).and_then(|word| self.text.get(from..word.start)).unwrap_or_default()
    }
}

/// The words of a text with their classes.
pub(crate) fn known(text: &str) -> Words<'_> {
    let mut list = Vec::with_capacity(text.len() / 6);
    let mut coming = next_word(text, 0);
    // what the last word has together with this one
    let mut shared = 0;
    while let Some(word) = coming {
        coming = next_word(text, word.end);
        let near = |next: &&Word| joined(text, word.end, next.start) || text.get(word.end..next.start) == Some("-");
        let next = coming.as_ref().filter(near).map_or("", spelled);
        let letters = spelled(&word);
        // what an article is joined to counts as well
        let inner = unelided(letters);
        let stemmed = frame::stem(inner);
        let (mut classes, mut with_next) = lexicon::classes_of(inner, stemmed, next);
        let digits = has_digit(inner);
        let topic = (inner.len() > 1 || digits) && classes & EMPTY == 0;
        if inner.len() < letters.len() {
            let whole = lexicon::classes(letters, next);
            (classes, with_next) = (classes | whole.0, with_next | whole.1);
        }
        classes |= with_next | shared;
        shared = with_next;
        let contracted = letters.ends_with("n't");
        if contracted {
            classes |= NEGATES;
        }
        let plural = letters.len() > 3 && letters.ends_with('s') && !letters.ends_with("ss") && !letters.ends_with("us");
        classes |= if digits { NUMBER } else { 0 } | if plural && inner.len() == letters.len() { PLURAL } else { 0 };
        list.push(Known {
            start: word.start,
            end: word.end,
            classes,
            stem: if topic && !contracted { stem_of(inner, stemmed) } else { 0 },
        });
    }
    Words { text, list }
}

/// The letters of a word, in lower case.
pub(super) fn spelled(word: &Word) -> &str {
    str::from_utf8(word.letters()).unwrap_or_default()
}

pub(crate) fn has_digit(word: &str) -> bool {
    word.bytes().any(|b| b.is_ascii_digit())
}

/// A word without an article or a genitive that an apostrophe joins to it.
pub(super) fn unelided(word: &str) -> &str {
    match word.find('\'') {
        Some(at @ (1 | 2)) => word.get(at + 1..).unwrap_or_default(),
        Some(at) if at + 2 >= word.len() => word.get(..at).unwrap_or_default(),
        _ => word,
    }
}

/// The stem of a word in lower case.
pub(crate) fn stem(word: &str) -> Stem {
    stem_of(word, frame::stem(word))
}

/// The same where it is known how far the word stays.
pub(super) fn stem_of(word: &str, stemmed: &str) -> Stem {
    let digits = has_digit(word);
    // a word with digits begins no other
    let length = if digits { word.len() } else { stemmed.len() };
    let word = word.as_bytes();
    // both letters of a pair stay, so that "roll" begins "rollback"
    let pair = length > 0 && length < word.len() && word.get(length) == word.get(length - 1);
    let length = length + usize::from(pair);
    let mut out = 0;
    for at in 0..8 {
        out = (out << 8) | u64::from(word.get(at).filter(|_| at < length).copied().unwrap_or(u8::from(digits)));
    }
    out
}

/// Whether a stem is two ideographs.
pub(crate) fn is_wide(stem: Stem) -> bool {
    stem >= WIDE
}

/// Whether a stem of two ideographs has one that is only an ending or a particle.
pub(crate) fn is_ending(stem: Stem) -> bool {
    is_wide(stem)
        && [stem >> 24, stem].iter().any(|code| {
            let c = char::from_u32((code & 0xff_ffff) as u32 & 0x1f_ffff).unwrap_or_default();
            ('\u{3040}'..'\u{30a0}').contains(&c) || "了的是在把被ー이가은는을를의에로와과도다요었했되하합습니".contains(c)
        })
}

/// The letters of a stem.
pub(crate) fn letters(stem: Stem) -> String {
    let mut out = String::new();
    for letter in stem.to_be_bytes().iter().take_while(|letter| letter.is_ascii_graphic()) {
        out.push(char::from(*letter));
    }
    out
}

/// The last stem that another begins, with four letters or more.
pub(super) fn last_form(stem: Stem) -> Stem {
    let unused = stem.trailing_zeros() & !7;
    if unused <= 32 && stem < WIDE { stem | ((1 << unused) - 1) } else { stem }
}

/// The first four and five letters of a stem, where it has more.
pub(super) fn shorter(stem: Stem) -> [Stem; 2] {
    [32, 24].map(|bits| if stem < WIDE && stem.trailing_zeros() < bits { (stem >> bits) << bits } else { 0 })
}

/// Whether two stems may be forms of one word: equal, or one begins the other with four letters.
pub(crate) fn alike(a: Stem, b: Stem) -> bool {
    a.max(b) <= last_form(a.min(b))
}

/// Whether a stem has digits.
pub(crate) fn is_number(stem: Stem) -> bool {
    stem < WIDE && stem.to_be_bytes().iter().any(u8::is_ascii_digit)
}

/// Adds the ideographs of a text, by twos.
pub(crate) fn add_wide(text: &str, out: &mut Vec<Stem>) {
    if text.is_ascii() {
        return;
    }
    let mut before = 0;
    for c in text.chars() {
        let wide = ('\u{2e80}'..'\u{fb00}').contains(&c) && c.is_alphanumeric();
        let code = if wide { u64::from(u32::from(c)) } else { 0 };
        if before > 0 && code > 0 {
            out.push(WIDE | (before << 24) | code);
        }
        before = code;
    }
}

/// The stems of a text that carry its topic, in order.
pub(crate) fn stems(text: &str) -> Vec<Stem> {
    known(text).stems()
}

/// Sorts a list of stems, each once.
pub(crate) fn sorted(mut list: Vec<Stem>) -> Vec<Stem> {
    list.sort_unstable();
    list.dedup();
    list
}

/// Whether a sorted list has a form of a stem.
pub(crate) fn has(sorted: &[Stem], stem: Stem) -> bool {
    let longer = sorted.get(sorted.partition_point(|known| *known < stem)).is_some_and(|known| alike(*known, stem));
    longer || shorter(stem).iter().any(|start| *start > 0 && sorted.binary_search(start).is_ok())
}

/// How many of the stems a sorted list has.
pub(crate) fn count(sorted: &[Stem], wanted: &[Stem]) -> usize {
    wanted.iter().filter(|stem| has(sorted, **stem)).count()
}

/// Places by what stands there.
#[derive(Debug, Clone, Default)]
pub(crate) struct Postings(Vec<(u64, u32)>);

/// Places under one key that are looked at: a key that more have tells little.
const COMMON: usize = 512;

impl Postings {
    pub(crate) fn add(&mut self, key: u64, place: usize) {
        self.0.push((key, u32::try_from(place).unwrap_or(u32::MAX)));
    }

    pub(crate) fn add_all(&mut self, keys: &[u64], place: usize) {
        for key in keys {
            self.add(*key, place);
        }
    }

    /// Puts them in order, which every question needs.
    pub(crate) fn seal(&mut self) {
        self.0.sort_unstable();
    }

    /// Adds those of another list.
    pub(crate) fn extend(&mut self, other: &Self) {
        self.0.extend_from_slice(&other.0);
    }

    /// All, in order.
    pub(crate) fn all(&self) -> &[(u64, u32)] {
        &self.0
    }

    /// Those with a key from `low` to `high`.
    pub(crate) fn between(&self, low: u64, high: u64) -> &[(u64, u32)] {
        let from = self.0.partition_point(|(key, _)| *key < low);
        let rest = self.0.get(from..).unwrap_or_default();
        rest.get(..rest.partition_point(|(key, _)| *key <= high)).unwrap_or_default()
    }

    /// The places that share stems with the wanted ones, and the sum of the weights of these.
    pub(crate) fn near(&self, wanted: &[Stem], weight: &dyn Fn(Stem) -> u32) -> Vec<(u32, u32)> {
        // the weights below the places
        let mut hits: Vec<u64> = Vec::new();
        // what is said everywhere tells nothing, unless there is nothing else
        for most in [COMMON, usize::MAX] {
            for stem in wanted {
                let ([four, five], weight) = (shorter(*stem), weight(*stem));
                for (low, high) in [(*stem, last_form(*stem)), (four, four), (five, five)] {
                    let found = if low > 0 { self.between(low, high) } else { &[] };
                    if found.len() < most {
                        for (_, place) in found.iter().take(COMMON) {
                            hits.push(packed(*place, weight as usize));
                        }
                    }
                }
            }
            if !hits.is_empty() {
                break;
            }
        }
        hits.sort_unstable();
        let mut out: Vec<(u32, u32)> = Vec::new();
        for hit in hits {
            let (place, weight) = ((hit >> 32) as u32, hit as u32);
            match out.last_mut() {
                Some((last, sum)) if *last == place => *sum += weight,
                _ => out.push((place, weight)),
            }
        }
        out
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
            let (a, b) = (stems(a)[0], stems(b)[0]);
            assert!(alike(a, b) && has(&[a], b) && has(&[b], a), "{a:?} {b:?}");
        }
        assert!(!alike(stems("red")[0], stems("reduce")[0]));
        assert!(!alike(stems("batch9")[0], stems("batch91")[0]));
    }

    #[test]
    fn empty_words_are_left_out_and_ideographs_come_in_pairs() {
        assert_eq!(stems("we will not do it, and that is all").len(), 0);
        assert_eq!(stems("数据库").len(), 2);
        assert!(has(&sorted(stems("迁移数据库")), stems("数据")[0]));
        assert_eq!(count(&sorted(stems("the servers were closed")), &stems("close a server")), 2);
    }

    #[test]
    fn places_are_found_by_any_form() {
        let mut places = Postings::default();
        for (at, text) in ["the roll was sweet", "a rollback of the server", "closed"].iter().enumerate() {
            for stem in stems(text) {
                places.add(stem, at);
            }
        }
        places.seal();
        assert_eq!(places.near(&stems("rolls and servers"), &|_| 1), [(0, 1), (1, 2)]);
        assert_eq!(places.near(&stems("close"), &|_| 3), [(2, 3)]);
        assert!(places.near(&[], &|_| 1).is_empty());
    }
}
