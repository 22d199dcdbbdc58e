//! What words mean, by class: a plain text, read once into one table of hashes.
//!
//! A line of `words.txt` is a class and its words. `_` joins the words of a phrase. A word stands for its endings too, unless
//! it has one of a past or of a gerund itself.

use std::sync::OnceLock;

use super::token::{Ending, hash_on, tokens};
use crate::text::vocabulary::{List, list};

/// The classes that the code knows by name: those that bind come first in `words.txt`.
pub(super) mod class {
    pub(crate) const NEVER: u32 = 0;
    pub(crate) const BAN: u32 = 1;
    pub(crate) const DONT: u32 = 2;
    pub(crate) const AVOID: u32 = 3;
    pub(crate) const NO: u32 = 4;
    pub(crate) const MUST: u32 = 5;
    pub(crate) const ALWAYS: u32 = 6;
    pub(crate) const ENSURE: u32 = 7;
    pub(crate) const SOFT: u32 = 9;
    pub(crate) const PREFER: u32 = 10;
    pub(crate) const MAY: u32 = 11;
    pub(crate) const CANNOT: u32 = 12;
    pub(crate) const ONLY: u32 = 13;
    pub(crate) const LIMIT: u32 = 14;
    pub(crate) const UNLESS: u32 = 15;
    pub(crate) const UNTIL: u32 = 16;
    pub(crate) const IF: u32 = 17;
    pub(crate) const WHEN: u32 = 18;
    pub(crate) const ASK: u32 = 19;
    /// The first class that says what a text is about.
    pub(crate) const ABOUT: u32 = 20;
}

/// Longest phrase, in words or ideographs.
pub(super) const LONGEST: usize = 4;

/// Slots of the table; a power of two.
const SLOTS: usize = 1 << 14;

pub(super) struct Lexicon {
    keys: Vec<u32>,
    masks: Vec<u64>,
    /// Which hashes begin a phrase, as bits.
    firsts: Vec<u64>,
    pub(super) names: Vec<&'static str>,
}

/// The tables, read at the first use.
pub(super) fn lexicon() -> &'static Lexicon {
    static TABLES: OnceLock<Lexicon> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut made = Lexicon { keys: vec![0; SLOTS], masks: vec![0; SLOTS], firsts: vec![0; SLOTS / 64], names: Vec::new() };
        for (class, line) in list(List::Classes).lines().enumerate() {
            let mut words = line.split(' ');
            made.names.push(words.next().unwrap_or_default());
            for word in words {
                made.entry(word, 1 << class);
            }
        }
        made
    })
}

impl Lexicon {
    fn entry(&mut self, phrase: &str, mask: u64) {
        let mut all = Vec::new();
        for word in phrase.split('_') {
            tokens(word, usize::MAX, &mut all);
        }
        let Some((first, rest)) = all.split_first() else { return };
        if rest.is_empty() {
            self.put(first.exact, mask);
            if !matches!(first.ending, Ending::Past | Ending::Gerund) {
                self.put(first.stem, mask);
            }
            return;
        }
        let place = first.stem as usize % SLOTS;
        if let Some(bits) = self.firsts.get_mut(place / 64) {
            *bits |= 1 << (place % 64);
        }
        let key = rest.iter().fold(first.stem, |key, token| hash_on(key, token.stem));
        self.put(key, mask);
    }

    fn put(&mut self, key: u32, mask: u64) {
        let mut at = key as usize % SLOTS;
        while let (Some(held), Some(masks)) = (self.keys.get_mut(at), self.masks.get_mut(at)) {
            if *held == 0 || *held == key {
                *held = key;
                *masks |= mask;
                return;
            }
            at = (at + 1) % SLOTS;
        }
    }

    /// The classes of a hash, as bits.
    pub(super) fn of(&self, key: u32) -> u64 {
        let mut at = key as usize % SLOTS;
        while let (Some(held), Some(mask)) = (self.keys.get(at), self.masks.get(at)) {
            if *held == key {
                return *mask;
            }
            if *held == 0 {
                return 0;
            }
            at = (at + 1) % SLOTS;
        }
        0
    }

    /// Whether a phrase may begin with a stem.
    pub(super) fn begins(&self, stem: u32) -> bool {
        let place = stem as usize % SLOTS;
        self.firsts.get(place / 64).is_some_and(|bits| bits >> (place % 64) & 1 == 1)
    }
}
