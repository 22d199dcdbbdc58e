//! Words and pairs of them that tell a directive, whatever class they are of: a trained table of their hashes.
//!
//! `words.bin` is written by `bench/directives/train.py`: for each row the distance of its key to the last one, seven bits a
//! byte; then what the rows count in the sentence itself; then what they count in the one before or behind it.

use std::sync::OnceLock;

/// Keys are kept to this many bits.
const KEY: u32 = (1 << 20) - 1;
const BASIS: u32 = 0x811c_9dc5;
const PRIME: u32 = 0x0100_0193;

/// Shows the key of each word of a folded sentence and of each two that follow each other, those at its edges too. Signs and
/// ideographs are words of their own.
pub(super) fn keys(folded: &str, language: u8, mut show: impl FnMut(u32)) {
    let edge = BASIS ^ u32::from(language);
    let mut before = edge;
    let mut word = edge;
    let mut open = false;
    let mut close = |word: u32, show: &mut dyn FnMut(u32)| {
        show(spread(word));
        show(spread(before.rotate_left(11) ^ word));
        before = word;
    };
    for c in folded.chars() {
        let inside = c.is_ascii_alphanumeric() || c == '\'';
        if open && !inside {
            close(word, &mut show);
        }
        if !inside {
            word = edge;
        }
        open = inside;
        if c != '_' {
            word = (word ^ u32::from(c)).wrapping_mul(PRIME);
            if !inside {
                close(word, &mut show);
                word = edge;
            }
        }
    }
    if open {
        close(word, &mut show);
    }
    close(edge, &mut show);
}

/// Mixes a hash, so that its low bits tell it too.
fn spread(hash: u32) -> u32 {
    let hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    (hash ^ hash >> 13) & KEY
}

/// What a word counts in its own sentence, and in the neighbors.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) own: i32,
    pub(super) around: i32,
}

struct Row {
    key: u32,
    own: i8,
    around: i8,
}

/// The rows in slots by their keys; an empty slot counts nothing.
struct Words(Vec<Row>);

fn words() -> &'static Words {
    static WORDS: OnceLock<Words> = OnceLock::new();
    WORDS.get_or_init(|| Words::of(include_bytes!("words.bin")))
}

impl Words {
    fn of(bytes: &[u8]) -> Self {
        let mut given = bytes.iter();
        let count = usize::from(given.next().copied().unwrap_or_default()) | usize::from(given.next().copied().unwrap_or_default()) << 8;
        let mut slots = Vec::new();
        slots.resize_with((count.max(1) * 2).next_power_of_two(), || Row { key: u32::MAX, own: 0, around: 0 });
        let columns = bytes.len().saturating_sub(2 * count);
        let weight = |at: usize| bytes.get(at).copied().unwrap_or_default() as i8;
        let mut key = 0_u32;
        for row in columns..columns + count {
            let mut shift = 0;
            for byte in given.by_ref() {
                key = key.wrapping_add(u32::from(byte & 127) << shift);
                shift += 7;
                if *byte < 128 || shift > 21 {
                    break;
                }
            }
            let mask = slots.len() - 1;
            let mut at = key as usize & mask;
            while slots.get(at).is_some_and(|slot| slot.key != u32::MAX) {
                at = (at + 1) & mask;
            }
            if let Some(slot) = slots.get_mut(at) {
                *slot = Row { key, own: weight(row), around: weight(row + count) };
            }
        }
        Self(slots)
    }

    /// The slot of a key.
    fn find(&self, key: u32) -> Option<usize> {
        let mask = self.0.len() - 1;
        let mut at = key as usize & mask;
        loop {
            let slot = self.0.get(at)?;
            if slot.key == key {
                return Some(at);
            }
            if slot.key == u32::MAX {
                return None;
            }
            at = (at + 1) & mask;
        }
    }
}

/// What the words of a folded sentence count; a word that comes again counts once.
pub(super) fn count(folded: &str, language: u8) -> Counts {
    let words = words();
    let mut found = Vec::new();
    keys(folded, language, |key| found.extend(words.find(key)));
    found.sort_unstable();
    found.dedup();
    let mut sum = Counts::default();
    for row in found.into_iter().filter_map(|at| words.0.get(at)) {
        sum.own += i32::from(row.own);
        sum.around += i32::from(row.around);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(folded: &str) -> Vec<u32> {
        let mut out = Vec::new();
        keys(folded, 0, |key| out.push(key));
        out
    }

    #[test]
    fn words_and_pairs_have_keys_of_their_own() {
        let [a, b] = [of("never_push"), of("push_never")];
        // two words and the edge, each alone and behind the one before
        assert_eq!((a.len(), b.len()), (6, 6));
        assert_eq!(a.iter().filter(|key| b.contains(key)).count(), 3);
        assert_eq!(of("don't"), of("_don't_"));
        assert_eq!(of("别写").len(), of("别_写").len());
        assert_ne!(of("push."), of("push"));
        let mut other = Vec::new();
        keys("never_push", 1, |key| other.push(key));
        assert!(a.iter().all(|key| !other.contains(key)));
    }

    #[test]
    fn a_table_is_read_as_it_is_written() {
        let bytes = [3, 0, 5, 0x80, 0x01, 0x80, 0x80, 0x04, 1, 0xff, 3, 0, 7, 0x80];
        let words = Words::of(&bytes);
        let row = |key: u32| words.find(key).map(|at| (words.0[at].own, words.0[at].around));
        assert_eq!([row(5), row(133), row(133 + 0x1_0000), row(6)], [Some((1, 0)), Some((-1, 7)), Some((3, -128)), None]);
        assert!(Words::of(&[]).find(0).is_none());
    }

    #[test]
    fn what_comes_again_counts_once() {
        assert_eq!(count("the_the", 0).own - count("the", 0).own, count("the_the_the", 0).own - count("the", 0).own);
    }
}
