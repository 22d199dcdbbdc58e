//! How well texts fit a query (BM25), in integers: the same order on every platform.

use crate::text::frame::{cue, cues, hash, stem};
use crate::text::skeleton::{Folded, fold};

/// A text's words, each with how much it counts, in halves.
pub(super) type Bag = Vec<(u32, u32)>;

/// An index over texts.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// Word, text, how often in halves; sorted.
    postings: Vec<(u32, u32, u32)>,
    /// The length of each text in halves of words.
    lengths: Vec<u64>,
    total: u64,
    /// How much a long text is held to its length (b), in thousandths.
    strictness: u64,
}

impl Index {
    /// An empty one.
    pub(super) fn new(strictness: u64) -> Self {
        Self { strictness, ..Self::default() }
    }

    /// Adds a text.
    pub(super) fn add(&mut self, mut bag: Bag) {
        let at = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
        bag.sort_unstable();
        let mut length = 0;
        for (word, weight) in bag {
            length += u64::from(weight);
            match self.postings.last_mut() {
                Some((last, text, sum)) if *text == at && *last == word => *sum = sum.saturating_add(weight),
                _ => self.postings.push((word, at, weight)),
            }
        }
        self.lengths.push(length);
        self.total += length;
    }

    /// Makes what was added ready to be asked.
    pub(super) fn seal(&mut self) {
        self.postings.sort_unstable();
    }

    /// How well each text fits: 0 where it has no word of the query.
    pub(super) fn scores(&self, query: &str) -> Vec<u64> {
        let mut scores = vec![0; self.lengths.len()];
        let mut bag = Bag::new();
        words(query, 1, &mut bag);
        bag.sort_unstable();
        bag.dedup();
        let texts = self.lengths.len() as u64;
        for (word, _) in bag {
            let from = self.postings.partition_point(|(known, _, _)| *known < word);
            let to = self.postings.partition_point(|(known, _, _)| *known <= word);
            let found = self.postings.get(from..to).unwrap_or_default();
            let rarity = log2(2 * texts + 2, 2 * found.len() as u64 + 1);
            for (_, at, weight) in found {
                let Some((score, length)) = scores.get_mut(*at as usize).zip(self.lengths.get(*at as usize)) else { continue };
                // k1 is 1.2; all in millionths, weights in halves
                let long = self.strictness * length * texts / self.total.max(1);
                let often =
                    ((2_200_000 * u64::from(*weight)) << 10) / (1_000_000 * u64::from(*weight) + 2_400 * (1000 - self.strictness + long));
                *score += (rarity * often) >> 10;
            }
        }
        scores
    }
}

/// The logarithm of a fraction over 1 to the base 2, in 65,536ths.
fn log2(over: u64, under: u64) -> u64 {
    let mut value = (u128::from(over) << 32) / u128::from(under.max(1));
    let mut out = 0;
    while value >= 2 << 32 {
        value >>= 1;
        out += 1 << 16;
    }
    for bit in (0..16).rev() {
        value = (value * value) >> 32;
        if value >= 2 << 32 {
            value >>= 1;
            out += 1 << bit;
        }
    }
    out
}

/// Adds the words of a text by their stems: identifiers in their parts, ideographs by twos, no function words.
pub(super) fn words(text: &str, weight: u32, bag: &mut Bag) {
    let mut word = String::new();
    let (mut code, mut small, mut wide) = (false, false, None);
    for c in text.chars().chain([' ']) {
        let ideograph = ('\u{2e80}'..'\u{fb00}').contains(&c) && c.is_alphanumeric();
        let inside = c.is_alphanumeric() && !ideograph;
        // camelCase is two words
        if !inside || small && c.is_ascii_uppercase() {
            add(&word, if code { 2 * weight } else { weight }, bag);
            word.clear();
        }
        if let (true, Some(before)) = (ideograph, wide) {
            bag.push((hash(&String::from_iter([before, c])), weight));
        }
        wide = Some(c).filter(|_| ideograph);
        small = c.is_ascii_lowercase();
        code ^= c == '`';
        if inside {
            match fold(c) {
                Folded::Ascii(c) => word.push(c.to_ascii_lowercase()),
                Folded::Text(text) => word.push_str(text),
                Folded::Other(c) => word.push(c),
                Folded::Nothing => {}
            }
        }
    }
}

fn add(word: &str, weight: u32, bag: &mut Bag) {
    if word.is_empty() {
        return;
    }
    let stemmed = stem(word);
    if cues(word, stemmed) & cue::STOP == 0 {
        bag.push((hash(stemmed), weight));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_mathematics() {
        for (over, under, known) in [(1, 1, 0), (2, 1, 65_536), (8, 1, 3 * 65_536), (3, 1, 103_872), (10, 3, 113_833)] {
            assert!(log2(over, under).abs_diff(known) <= 2, "{over}/{under}: {}", log2(over, under));
        }
    }

    #[test]
    fn what_fits_best_stands_first() {
        let mut index = Index::new(750);
        for text in ["Refunds over 500 need a manager.", "getUserName reads the name.", "取消订单必须先确认身份", "The weather."]
        {
            let mut bag = Bag::new();
            words(text, 2, &mut bag);
            index.add(bag);
        }
        index.seal();
        for (query, best) in [("How do I refund an order?", 0), ("user names", 1), ("请取消订单", 2)] {
            let scores = index.scores(query);
            assert!((0..4).all(|at| at == best || scores[at] < scores[best]), "{query}: {scores:?}");
        }
    }
}
