//! The stems that a question asks for, found fast in texts that are much longer than the question.

use super::lexicon::{EMPTY, classes_of};
use super::stems::{Postings, Stem, has_digit, last_form, shorter, sorted, spelled, stem_of, stems, unelided};
use crate::text::frame;
use crate::text::words::next_word;

/// Stems, and what may be another form of one of them.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    /// Sorted.
    stems: Vec<Stem>,
    /// What [`Postings::near`] looks up for them: first and last of each range, in order and apart.
    ranges: Vec<(Stem, Stem)>,
    /// The first three letters of all of them, five bits of each: a row for each two, a bit for each third.
    starts: Vec<u32>,
}

/// The row of two first letters.
fn row(first: u8, second: u8) -> usize {
    usize::from(first & 31) << 5 | usize::from(second & 31)
}

impl Wanted {
    /// The stems of a text.
    pub(crate) fn of(text: &str) -> Self {
        let mut all = Self { stems: sorted(stems(text)), ranges: Vec::new(), starts: vec![0; 1 << 10] };
        let mut ranges = Vec::new();
        for stem in &all.stems {
            ranges.push((*stem, last_form(*stem)));
            for start in shorter(*stem) {
                ranges.push((start, start));
            }
            // a stem of one or two letters may be that of a longer word
            let [first, second, third, ..] = stem.to_be_bytes();
            let seconds = if second == 0 { 0..32 } else { second..second + 1 };
            for second in seconds {
                if let Some(row) = all.starts.get_mut(row(first, second)) {
                    *row |= if third == 0 { u32::MAX } else { 1 << (third & 31) };
                }
            }
        }
        ranges.sort_unstable();
        for (first, last) in ranges {
            match all.ranges.last_mut().filter(|before| first <= before.1) {
                Some(before) => before.1 = before.1.max(last),
                None if first > 0 => all.ranges.push((first, last)),
                None => {}
            }
        }
        all
    }

    /// Whether all of these stems are asked for.
    pub(crate) fn has_all(&self, stems: &[Stem]) -> bool {
        stems.iter().all(|stem| self.stems.binary_search(stem).is_ok())
    }

    /// Whether a stem may be a form of one that is asked for.
    fn asks(&self, stem: Stem) -> bool {
        let at = self.ranges.partition_point(|(_, last)| *last < stem);
        self.ranges.get(at).is_some_and(|(first, _)| *first <= stem)
    }

    /// Whether a word that begins at a byte of ASCII text may be asked for; its parts behind an apostrophe too.
    fn may_begin(&self, bytes: &[u8], at: usize) -> bool {
        let byte = |place: usize| bytes.get(at + place).copied().unwrap_or_default();
        let (second, third) = (byte(1), byte(2));
        // a number of one or two digits is followed by a mark of its own, see `stem_of`
        let letter = |byte: u8| if byte.is_ascii_alphanumeric() { byte } else { 1 };
        let row = self.starts.get(row(byte(0), letter(second))).copied().unwrap_or_default();
        let third_bit = if second.is_ascii_alphanumeric() { letter(third) & 31 } else { 1 };
        // a low line may be in the word or behind it
        row >> third_bit & 1 != 0 || [second, third].iter().any(|byte| matches!(byte, b'\'' | b'_'))
    }

    /// Notes that a text at a place has what is asked for of it.
    pub(crate) fn index(&self, text: &str, place: usize, index: &mut Postings) {
        if !text.is_ascii() {
            for stem in stems(text) {
                if self.asks(stem) {
                    index.add(stem, place);
                }
            }
            return;
        }
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if !byte.is_ascii_alphanumeric() {
                at += 1;
            } else if self.may_begin(bytes, at) {
                at = self.word(text, at, place, index);
            } else {
                while bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'\'' | b'_')) {
                    at += 1;
                }
            }
        }
    }

    /// Notes the word that begins at a byte; gives back where it ends.
    fn word(&self, text: &str, at: usize, place: usize, index: &mut Postings) -> usize {
        let Some(word) = next_word(text, at) else { return text.len() };
        let letters = spelled(&word);
        let inner = unelided(letters);
        let stemmed = frame::stem(inner);
        let stem = stem_of(inner, stemmed);
        let topic = inner.len() > 1 || has_digit(inner);
        if topic && self.asks(stem) && !letters.ends_with("n't") && classes_of(inner, stemmed, "").0 & EMPTY == 0 {
            index.add(stem, place);
        }
        word.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_low_line_behind_a_digit_is_not_of_the_word() {
        let (mut all, mut some) = (Postings::default(), Postings::default());
        all.add_all(&stems("batches 7_ "), 0);
        Wanted::of("batch 7").index("batches 7_ ", 0, &mut some);
        all.seal();
        some.seal();
        let near = |postings: &Postings| postings.near(&stems("7"), &|_| 1);
        assert_eq!(near(&some), near(&all));
        assert!(!near(&all).is_empty());
    }

    proptest! {
        #[test]
        fn what_is_asked_for_is_found_as_if_all_were_noted(
            question in "(approve|approval|roll|rollback|as|batch 7|a|l'appro|owner's|n't|db_x|3.50|Lösung|数据库|the|not|[a-d]{1,6}| ){0,8}",
            texts in proptest::collection::vec(
                "(approved|approvals|rolls|rolled back|is|batches 7|7|a|l'approbation|owners|don't|db_x|db_y|3|50|L\u{200b}osung|数据|the|[a-d]{1,6}| |'|_|\\.){0,10}",
                0..6,
            ),
        ) {
            let wanted = Wanted::of(&question);
            let (mut all, mut some) = (Postings::default(), Postings::default());
            for (at, text) in texts.iter().enumerate() {
                all.add_all(&stems(text), at);
                wanted.index(text, at, &mut some);
            }
            all.seal();
            some.seal();
            prop_assert!(wanted.has_all(&stems(&question)));
            for stem in stems(&question) {
                prop_assert_eq!(some.near(&[stem], &|_| 1), all.near(&[stem], &|_| 1));
            }
            prop_assert_eq!(some.near(&stems(&question), &|_| 1), all.near(&stems(&question), &|_| 1));
        }
    }
}
