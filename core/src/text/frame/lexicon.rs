//! Cue words and synonyms as data: two plain texts, read once.
//!
//! A line of `lexicon.txt` is a class and its entries. `_` joins the words of a phrase, `#` is any number, `!` asks for the
//! very word instead of its stem, and so does a word of up to four letters. A line of `synonyms.txt` is words that count as one, of
//! `antonyms.txt` two that mean the opposite.

use std::sync::OnceLock;

use super::stem::{hash, stem};
use super::token::{Kind, Token, words};
use super::{low, packed};
use crate::text::vocabulary::{List, list};

/// What a word does in a clause. Bits of [`Token::cue`].
pub(crate) mod cue {
    pub(crate) const STOP: u32 = 1;
    pub(crate) const NEG: u32 = 1 << 1;
    pub(crate) const MUST: u32 = 1 << 2;
    pub(crate) const BAN: u32 = 1 << 3;
    pub(crate) const ONLY: u32 = 1 << 4;
    pub(crate) const MAY: u32 = 1 << 5;
    pub(crate) const SOFT: u32 = 1 << 6;
    pub(crate) const REVOKE: u32 = 1 << 7;
    pub(crate) const COND: u32 = 1 << 8;
    pub(crate) const EXC: u32 = 1 << 9;
    pub(crate) const RESIDUE: u32 = 1 << 10;
    pub(crate) const UNREAL: u32 = 1 << 11;
    pub(crate) const SAID: u32 = 1 << 12;
    pub(crate) const LESS: u32 = 1 << 13;
    pub(crate) const MORE: u32 = 1 << 14;
    pub(crate) const GENERIC: u32 = 1 << 15;
    pub(crate) const SUSPECT: u32 = 1 << 16;
    /// A capital letter where the sentence gives no reason for one.
    pub(crate) const NAME: u32 = 1 << 17;
    /// In quotation marks, a block quote, a fence, a comment or struck through.
    pub(crate) const QUOTED: u32 = 1 << 18;
    /// Two letters behind a hyphen, as in `staging-us`, or a letter that is a name: never a small word.
    pub(crate) const CODE: u32 = 1 << 19;
    /// In capitals throughout.
    pub(crate) const CAPITALS: u32 = 1 << 21;
    /// Inside a phrase whose first word has the cue.
    pub(crate) const PART: u32 = 1 << 20;
    /// The words that make the force of a clause.
    pub(crate) const STRICT: u32 = NEG | MUST | BAN | ONLY;
}

const CLASSES: &[&str] = &[
    "stop", "neg", "must", "ban", "only", "may", "soft", "revoke", "cond", "exc", "residue", "unreal", "said", "less", "more", "generic",
    "suspect",
];

/// Number words of the languages, by value.
const NUMBERS: &str = "zero cero 0 one eins 1 two zwei deux dos dois 2 three drei trois tres 3 four vier quatre cuatro quatro 4 \
five funf cinq cinco 5 six sechs 6 seven sieben sept siete sete 7 eight acht huit ocho oito 8 nine neun neuf nueve nove 9 \
ten zehn dix diez dez 10 eleven elf onze 11 twelve zwolf douze doce doze 12 thirteen 13 fourteen vierzehn 14 fifteen quinze quince 15 \
sixteen 16 seventeen 17 eighteen 18 nineteen 19 twenty zwanzig vingt veinte vinte 20 thirty dreissig trente treinta trinta 30 \
forty 40 fifty 50 sixty 60 seventy 70 eighty 80 ninety 90 hundred hundert cent 100 thousand tausend mille mil 1000 \
twice 2 thrice 3";

/// Small words of German, in which nouns have capital letters.
const GERMAN: &str =
    "der die das den dem und nicht ist kein keine nur darf durfen muss mussen bei nach von mit auf ohne ein eine sind wird niemals nie";

/// Any number, in a phrase.
const ANY_NUMBER: u32 = 1;
/// Set apart from stems: the entry asks for the very word.
const VERY_WORD: u32 = 0x5bd1_e995;

struct Entry {
    first: u32,
    rest: Vec<u32>,
    cue: u32,
    /// What the phrase is compared by; none for 0.
    canon: u32,
}

pub(crate) struct Lexicon {
    entries: Vec<Entry>,
    /// First words with the places of their entries, the longest phrase first.
    firsts: Table,
    /// Words that are entries alone, with their cues.
    singles: Table,
    /// Words with the place of the word that stands for their meaning in `heads`, the first line first.
    synonyms: Table,
    heads: Vec<u32>,
    /// Values of number words, by their hash.
    numbers: Table,
    /// Both ways, by what words are compared by.
    antonyms: Vec<(u32, u32)>,
    /// Words with the classes, at most 64, in which one excludes the others.
    contrasts: Table,
    /// Small words of German.
    german: Vec<u32>,
    /// How many seconds a unit of time has, by its stem.
    seconds: Vec<(u32, u64)>,
}

/// The tables, read at the first use.
pub(crate) fn lexicon() -> &'static Lexicon {
    static TABLES: OnceLock<Lexicon> = OnceLock::new();
    TABLES.get_or_init(|| {
        let mut entries = Vec::new();
        for line in list(List::Cues).lines() {
            let mut parts = line.split(' ');
            let class = parts.next().unwrap_or_default();
            let cue = CLASSES.iter().position(|c| *c == class).map_or(0, |at| 1 << at);
            for phrase in parts {
                let very = phrase.strip_suffix('!').or_else(|| Some(phrase).filter(|p| p.len() <= 4 && *p != "not" && p.is_ascii()));
                let mut all = Vec::new();
                for part in very.unwrap_or(phrase).split('_') {
                    if part == "#" {
                        all.push(ANY_NUMBER);
                    }
                    words(part, &mut |word, _| all.push(if very.is_some() { hash(word) ^ VERY_WORD } else { key(word) }));
                }
                if let Some((first, rest)) = all.split_first() {
                    entries.push(Entry { first: *first, rest: rest.to_vec(), cue, canon: 0 });
                }
            }
        }
        let (mut synonyms, mut heads): (Vec<u64>, Vec<u32>) = (Vec::new(), Vec::new());
        for line in list(List::Synonyms).lines() {
            let head = hash(stem(line.split(' ').next().unwrap_or_default()));
            for word in line.split(' ') {
                if word.contains('_') {
                    let mut parts = word.split('_').map(key);
                    entries.push(Entry { first: parts.next().unwrap_or_default(), rest: parts.collect(), cue: 0, canon: head });
                } else {
                    synonyms.push(packed(hash(stem(word)), heads.len()));
                    heads.push(head);
                }
            }
        }
        let synonyms = Table::of(synonyms);
        // the longest phrase of a first word comes first
        let place = |(at, entry): (usize, &Entry)| packed(entry.first, (0xff - entry.rest.len()) << 16 | at);
        let firsts = Table::of(entries.iter().enumerate().map(place).collect());
        let single = |entry: &Entry| packed(entry.first, entry.cue as usize);
        let singles = Table::of(entries.iter().filter(|entry| entry.rest.is_empty()).map(single).collect());
        let mut numbers = Vec::new();
        let mut names = Vec::new();
        for part in NUMBERS.split_ascii_whitespace() {
            match part.parse() {
                Ok(value) => numbers.extend(names.drain(..).map(|name| packed(name, value))),
                Err(_) => names.push(hash(part)),
            }
        }
        let (numbers, contrasts) = (Table::of(numbers), Table::of(Vec::new()));
        let mut tables = Lexicon {
            entries,
            firsts,
            singles,
            synonyms,
            heads,
            numbers,
            antonyms: Vec::new(),
            contrasts,
            german: GERMAN.split(' ').map(hash).collect(),
            seconds: Vec::new(),
        };
        for line in include_str!("antonyms.txt").lines() {
            let (one, other) = line.split_once(' ').unwrap_or((line, line));
            let (one, other) = (tables.canon(hash(stem(one))), tables.canon(hash(stem(other))));
            tables.antonyms.extend([(one, other), (other, one)]);
        }
        let mut contrasts = Vec::new();
        for (class, line) in list(List::Contrasts).lines().enumerate() {
            for word in line.split(' ') {
                contrasts.push(packed(tables.canon(hash(stem(word))), class));
            }
        }
        tables.contrasts = Table::of(contrasts);
        let units = [("second", 1), ("minute", 60), ("hour", 3_600), ("day", 86_400), ("week", 604_800)];
        tables.seconds = units.iter().map(|(unit, seconds)| (tables.canon(hash(stem(unit))), *seconds)).collect();
        tables
    })
}

/// The hash a word is looked up by. Contracted negations are all "not".
pub(super) fn key(word: &str) -> u32 {
    key_of(word, stem(word))
}

/// The same where its stem is known.
fn key_of(word: &str, stem: &str) -> u32 {
    let not = word.ends_with("n't") || word == "cannot" || word == "cant" || word == "dont";
    match stem {
        _ if not => hash("not"),
        // "noted" is another word
        "not" => hash(word),
        stem => hash(stem),
    }
}

/// The second of each pair of a sorted list that begins with a number.
pub(super) fn rows(pairs: &[u64], first: u32) -> impl Iterator<Item = usize> + '_ {
    let from = pairs.partition_point(|pair| pair >> 32 < u64::from(first));
    let rest = pairs.get(from..).unwrap_or_default();
    rest.iter().take_while(move |pair| **pair >> 32 == u64::from(first)).map(|pair| low(*pair))
}

/// A table of packed numbers that stays as it is. The first ones are hashes: few begin with the same bits.
pub(crate) struct Table {
    rows: Vec<u64>,
    /// Where the rows of each beginning start.
    starts: Vec<u16>,
}

/// Bits of a beginning.
const BEGINNING: u32 = 10;

impl Table {
    pub(crate) fn of(mut rows: Vec<u64>) -> Self {
        rows.sort_unstable();
        let mut starts = Vec::with_capacity((1 << BEGINNING) + 1);
        for (at, row) in rows.iter().enumerate() {
            if starts.len() as u64 <= row >> (64 - BEGINNING) {
                starts.resize((row >> (64 - BEGINNING)) as usize + 1, at as u16);
            }
        }
        starts.resize((1 << BEGINNING) + 1, rows.len() as u16);
        Self { rows, starts }
    }

    /// The second of each pair that begins with a number.
    pub(crate) fn rows(&self, first: u32) -> impl Iterator<Item = usize> + '_ {
        let begins = (first >> (32 - BEGINNING)) as usize;
        let start = |at: usize| self.starts.get(at).map_or(0, |start| usize::from(*start));
        let few = self.rows.get(start(begins)..start(begins + 1)).unwrap_or_default();
        few.iter().filter(move |row| **row >> 32 == u64::from(first)).map(|row| low(*row))
    }

    /// The second of all pairs.
    pub(crate) fn seconds(&self) -> impl Iterator<Item = usize> + '_ {
        self.rows.iter().map(|row| low(*row))
    }

    /// The second of the first pair that begins with a number.
    pub(crate) fn found(&self, first: u32) -> Option<usize> {
        self.rows(first).next()
    }
}

/// The cues of a word in lower case that stands alone.
pub(crate) fn cues(word: &str, stem: &str) -> u32 {
    let singles = &lexicon().singles;
    let all = singles.rows(key_of(word, stem)).chain(singles.rows(hash(word) ^ VERY_WORD));
    all.fold(0, |all, cue| all | cue as u32)
}

impl Lexicon {
    /// The stem that stands for all words of one meaning.
    pub(crate) fn canon(&self, stem: u32) -> u32 {
        self.synonyms.found(stem).and_then(|at| self.heads.get(at)).copied().unwrap_or(stem)
    }

    /// Whether there are other words for one.
    pub(super) fn means(&self, canon: u32) -> bool {
        self.heads.contains(&canon)
    }

    /// The value of a number word.
    pub(super) fn number(&self, word: u32) -> Option<u64> {
        self.numbers.found(word).map(|value| value as u64)
    }

    /// The words that mean the opposite of one.
    pub(crate) fn opposites(&self, one: u32) -> impl Iterator<Item = u32> + '_ {
        self.antonyms.iter().filter(move |pair| pair.0 == one && pair.1 != one).map(|pair| pair.1)
    }

    /// The classes of words that exclude each other a word is in.
    pub(crate) fn classes(&self, canon: u32) -> u64 {
        self.contrasts.rows(canon).fold(0, |classes, class| classes | 1 << class)
    }

    /// Whether a word is a small one of German.
    pub(super) fn is_german(&self, word: u32) -> bool {
        self.german.contains(&word)
    }

    /// How many seconds a unit of time has.
    pub(super) fn seconds(&self, stem: u32) -> Option<u64> {
        let canon = self.canon(stem);
        self.seconds.iter().find(|unit| unit.0 == canon).map(|unit| unit.1)
    }

    fn of(&self, first: u32) -> impl Iterator<Item = &Entry> {
        self.firsts.rows(first).filter_map(|place| self.entries.get(place & 0xffff))
    }

    /// Sets the cues of all tokens, the longest phrase first.
    pub(crate) fn mark(&self, tokens: &mut [Token]) {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if matches!(token.kind, Kind::Ident) {
                at += 1;
                continue;
            }
            let name = token.is(cue::NAME) && !token.is(cue::CAPITALS);
            let (mut cue, mut length, mut canon) = (0, 1, 0);
            for entry in self.of(token.key).chain(self.of(token.exact ^ VERY_WORD)) {
                let long = entry.rest.len() + 1;
                if (cue != 0 || canon != 0) && long < length {
                    continue;
                }
                let fits = entry.rest.iter().zip(at + 1..).all(|(want, at)| {
                    tokens.get(at).is_some_and(|t| {
                        if *want == ANY_NUMBER {
                            t.kind == Kind::Number || (t.kind == Kind::Ident && t.value == 0)
                        } else {
                            t.key == *want || t.exact ^ VERY_WORD == *want
                        }
                    })
                });
                if fits {
                    cue = if long > length { entry.cue } else { cue | entry.cue };
                    canon = entry.canon.max(if long > length { 0 } else { canon });
                    length = long;
                }
            }
            if name {
                cue &= cue::NEG | cue::MUST | cue::ONLY | cue::MAY | cue::STOP;
            }
            if let Some(token) = tokens.get_mut(at).filter(|_| canon != 0) {
                token.canon = canon;
            }
            for (index, token) in tokens.iter_mut().skip(at).take(length).enumerate() {
                match (index, token.kind) {
                    (0, _) => token.cue |= if token.is(cue::CODE) { cue & !cue::STOP } else { cue },
                    (_, Kind::Number | Kind::Ident) => {}
                    _ => token.cue |= cue::PART,
                }
            }
            at += length;
        }
    }
}
