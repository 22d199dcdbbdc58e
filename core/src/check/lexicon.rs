//! The words that the checks look for, in several languages, by what they say. One look-up gives all classes of a word.
//!
//! `lexicon.txt` has a line for each class, in the order of their bits. `*` stands for any ending, `_` joins two words. All are
//! as `text::words` reads them: folded, in lower case; signs of scripts without word gaps stand for themselves. What the cues of `text::frame` know already is taken from there.

use std::sync::OnceLock;

use crate::text::frame::{self, Table, cue, cues, packed};
use crate::text::vocabulary::{List, list};

/// They carry no topic.
pub(crate) const EMPTY: u64 = 1 << 0;
/// They refuse.
pub(crate) const REFUSES: u64 = 1 << 1;
/// They negate.
pub(crate) const NEGATES: u64 = 1 << 2;
/// They put off.
pub(crate) const PUTS_OFF: u64 = 1 << 3;
/// They put off what is known to wait.
pub(crate) const MAY_WAIT: u64 = 1 << 4;
/// They put off what is negated: not before, no decision when.
pub(crate) const NOT_BEFORE: u64 = 1 << 5;
/// They leave open what was taken, in a clause that does not take.
pub(crate) const DOUBTS: u64 = 1 << 6;
/// They put off in a sentence that does not take.
pub(crate) const LATER: u64 = 1 << 7;
/// They take.
pub(crate) const TAKES: u64 = 1 << 8;
/// They decide.
pub(crate) const DECIDES: u64 = 1 << 9;
/// They begin a reason.
pub(crate) const REASONS: u64 = 1 << 10;
/// They join clauses.
pub(crate) const JOINS: u64 = 1 << 11;
/// A sentence that begins so goes on about what the one before was about.
pub(crate) const GOES_ON: u64 = 1 << 12;
/// A clause that begins so belongs to what stood before it.
pub(crate) const PREDICATE: u64 = 1 << 13;
/// They approve.
pub(crate) const GRANTS: u64 = 1 << 14;
/// They waive.
pub(crate) const WAIVES: u64 = 1 << 15;
/// They take a rule out of force.
pub(crate) const RESCINDS: u64 = 1 << 16;
/// What guards.
pub(crate) const SAFEGUARDS: u64 = 1 << 17;
/// They order or permit.
pub(crate) const DIRECTS: u64 = 1 << 18;
/// Who has authority, or is said to.
pub(crate) const PRINCIPALS: u64 = 1 << 19;
/// The agent, as it is addressed.
pub(crate) const AGENTS: u64 = 1 << 20;
/// They widen.
pub(crate) const BREADTH: u64 = 1 << 21;
/// What carries a text on.
pub(crate) const MEMORY: u64 = 1 << 22;
/// Orders to the one who writes notes.
pub(crate) const KEEPS: u64 = 1 << 23;
/// They agree to what was asked.
pub(crate) const ASSENTS: u64 = 1 << 24;
/// They bound.
pub(crate) const CONDITIONS: u64 = 1 << 25;
/// They say that something was done.
pub(crate) const DONE: u64 = 1 << 26;
/// They say who somebody is.
pub(crate) const IDENTITY: u64 = 1 << 27;
/// Where outside words stand.
pub(crate) const SOURCES: u64 = 1 << 28;
/// They attribute words, or mark them.
pub(crate) const SAYS: u64 = 1 << 29;
/// They make a rule of it.
pub(crate) const STANDS: u64 = 1 << 30;
/// They permit.
pub(crate) const PERMITS: u64 = 1 << 31;
/// They leave something out.
pub(crate) const WITHOUT: u64 = 1 << 32;
/// What is still asked for follows.
pub(crate) const ASKS: u64 = 1 << 33;
/// Small numbers.
pub(crate) const NUMERALS: u64 = 1 << 34;
/// They stand for any act or object.
pub(crate) const GENERIC: u64 = 1 << 35;
/// Behind a negation they make it none: not only, no doubt.
pub(crate) const SCOPES: u64 = 1 << 36;
/// What follows is not done yet.
pub(crate) const TO_COME: u64 = 1 << 37;
/// They ask or tell somebody. Of other languages than English the forms that order are among [`RECORDS`] as well.
pub(crate) const ASKING: u64 = 1 << 38;
/// They negate an act.
pub(crate) const FORBIDS: u64 = 1 << 39;
/// What was granted, as a thing: to take it back binds to more.
pub(crate) const GRANTED: u64 = 1 << 40;
/// They take back, a rule or what was granted.
pub(crate) const REVOKES: u64 = 1 << 41;
/// Forms of to be.
pub(crate) const IS: u64 = 1 << 42;
/// Who is spoken to.
pub(crate) const YOU: u64 = 1 << 43;
/// What they stand beside is not there.
pub(crate) const LACKS: u64 = 1 << 44;
/// They put one in the place of another.
pub(crate) const REPLACES: u64 = 1 << 45;
/// They leave it as it is.
pub(crate) const STAYS: u64 = 1 << 46;
/// They make it other than it is.
pub(crate) const CHANGES: u64 = 1 << 47;
/// It is there already.
pub(crate) const COMPLETES: u64 = 1 << 48;
/// They hold on to it, which may be what stays or what is new.
pub(crate) const RETAINS: u64 = 1 << 49;
/// They end it.
pub(crate) const ENDS: u64 = 1 << 50;
/// Who speaks.
pub(crate) const SPEAKER: u64 = 1 << 51;
/// Before who did it.
pub(crate) const BY: u64 = 1 << 52;
/// Before a thing.
pub(crate) const ARTICLES: u64 = 1 << 53;
/// Before any one thing.
pub(crate) const ANY_ONE: u64 = 1 << 54;
/// They approve, as what may be done.
pub(crate) const TO_GIVE: u64 = 1 << 55;
/// What somebody approves of he likes, and the like.
pub(crate) const LINKS: u64 = 1 << 56;
/// Before the name of an account.
pub(crate) const ROLES: u64 = 1 << 57;
/// They keep it from being seen.
pub(crate) const HIDES: u64 = 1 << 58;
/// They join what is the same to the sentence.
pub(crate) const ORS: u64 = 1 << 59;
/// They oblige.
pub(crate) const MUST: u64 = 1 << 60;
/// They write down or raise, or are what is.
pub(crate) const RECORDS: u64 = 1 << 61;
/// A word with digits. In no list.
pub(crate) const NUMBER: u64 = 1 << 62;
/// A plural, to the eye. In no list.
pub(crate) const PLURAL: u64 = 1 << 63;

/// What a cue of a frame is here.
const SHARED: &[(u32, u64)] = &[(cue::STOP | cue::COND | cue::EXC | cue::NEG | cue::MUST | cue::MAY, EMPTY), (cue::REVOKE, RESCINDS)];

/// The entries, each with its class above its place in the lists.
struct Entries {
    lists: &'static str,
    /// By their first letters.
    words: Table,
    /// Signs of scripts without word gaps.
    signs: Vec<usize>,
}

/// So many first letters of an entry are looked up at once; `*` stands behind them.
const FIRST: usize = 3;

/// What entries with these first letters are found by.
fn start(first: &[u8]) -> u32 {
    begins(first).wrapping_mul(0x9e37_79b1)
}

fn entries() -> &'static Entries {
    static ENTRIES: OnceLock<Entries> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        let lists = list(List::Checks);
        let (mut words, mut signs) = (Vec::new(), Vec::new());
        let (mut class, mut from) = (0, 0);
        for (at, byte) in lists.bytes().enumerate() {
            if byte > b' ' {
                continue;
            }
            let entry = lists.as_bytes().get(from..at).unwrap_or_default();
            let first = entry.split(|byte| b"*_".contains(byte)).next().unwrap_or_default();
            let known = class << CLASS | from;
            if first.first().is_some_and(|byte| *byte >= 0x80) {
                signs.push(known);
            } else {
                words.push(packed(start(first.get(..FIRST).unwrap_or(first)), known));
            }
            from = at + 1;
            class += usize::from(byte == b'\n');
        }
        Entries { lists, words: Table::of(words), signs }
    })
}

/// Where the class of an entry begins.
const CLASS: usize = 16;

/// The class of an entry, and the lists from it on.
fn entry(known: usize) -> (u64, &'static str) {
    (1 << (known >> CLASS), entries().lists.get(known & 0xffff..).unwrap_or_default())
}

/// Whether an entry fits a word: 1 for the word alone, 2 with the one after it.
fn fits(entry: &[u8], word: &[u8], next: &[u8]) -> u32 {
    for (at, byte) in entry.iter().enumerate() {
        match byte {
            b' ' | b'\n' => return u32::from(at == word.len()),
            b'*' => return 1,
            b'_' => {
                let rest = entry.get(at + 1..).unwrap_or_default();
                let whole = rest.get(next.len()).is_some_and(|end| *end <= b' ') && rest.starts_with(next);
                return if at == word.len() && whole { 2 } else { 0 };
            }
            _ if word.get(at) != Some(byte) => return 0,
            _ => {}
        }
    }
    0
}

/// The classes of a word, and those that it has together with the word right after it.
pub(crate) fn classes(word: &str, next: &str) -> (u64, u64) {
    classes_of(word, frame::stem(word), next)
}

/// The same where its stem is known.
pub(crate) fn classes_of(word: &str, stem: &str, next: &str) -> (u64, u64) {
    // names of columns and functions say nothing
    if word.contains('_') {
        return (0, 0);
    }
    let mut all = (0, 0);
    let shared = cues(word, stem);
    for (cue, class) in SHARED {
        all.0 |= if shared & cue != 0 { *class } else { 0 };
    }
    let (word, next) = (word.as_bytes(), next.as_bytes());
    for known in entries().words.rows(start(word.get(..FIRST).unwrap_or(word))) {
        let (class, text) = entry(known);
        match fits(text.as_bytes(), word, next) {
            1 => all.0 |= class,
            2 => all.1 |= class,
            _ => {}
        }
    }
    all
}

/// The words of some classes, laid out to see fast whether a text has one of them.
#[derive(Debug)]
pub(crate) struct Lookout {
    /// By first letter, a bit for each second one.
    pairs: [u32; 26],
    /// The first four letters of an entry, or a shorter one whole, and the lists from the entry on. Sorted.
    words: Vec<(u32, &'static str)>,
}

impl Lookout {
    /// For the words of `wanted` classes, and for `more`.
    pub(crate) fn of(wanted: u64, more: &[&'static str]) -> Self {
        let mut all = Self { pairs: [0; 26], words: Vec::new() };
        for known in entries().words.seconds() {
            let (class, text) = entry(known);
            if class & wanted != 0 {
                all.add(text);
            }
        }
        for list in more {
            let starts = list.match_indices(' ').map(|(at, _)| at + 1).chain([0]);
            starts.for_each(|at| all.add(list.get(at..).unwrap_or_default()));
        }
        all.words.sort_unstable();
        all.words.dedup();
        all
    }

    /// Adds the entry that a text begins with.
    fn add(&mut self, text: &'static str) {
        let word = text.as_bytes().split(|byte| !byte.is_ascii_lowercase()).next().unwrap_or_default();
        let word = word.get(..4).unwrap_or(word);
        if let [first, second, ..] = word {
            if let Some(pairs) = self.pairs.get_mut(usize::from(first - b'a')) {
                *pairs |= 1 << (second - b'a');
            }
            self.words.push((begins(word), text));
        }
    }

    /// Whether one of the words stands in a text. Where there are other letters than English ones, it may.
    #[cfg_attr(standfast_hot, optimize(speed))]
    pub(crate) fn may_stand_in(&self, text: &str) -> bool {
        if !text.is_ascii() && text.chars().any(|c| !c.is_ascii() && c.is_alphabetic()) {
            return true;
        }
        let letter = |byte: u8| (byte | 0x20).wrapping_sub(b'a');
        let (mut inside, bytes) = (false, text.as_bytes());
        for (at, byte) in bytes.iter().enumerate() {
            let first = letter(*byte);
            let begun = first < 26 && !inside;
            inside = first < 26;
            if begun {
                let second = letter(bytes.get(at + 1).copied().unwrap_or_default());
                let pairs = self.pairs.get(usize::from(first)).copied().unwrap_or_default();
                if second < 26 && pairs >> second & 1 != 0 && self.stands_at(bytes.get(at..).unwrap_or_default()) {
                    return true;
                }
            }
        }
        false
    }

    /// Whether one of the words stands at the beginning of a text that begins with two letters of one.
    fn stands_at(&self, text: &[u8]) -> bool {
        let mut begin = 0;
        for byte in text.iter().take(4).take_while(|byte| byte.is_ascii_alphabetic()) {
            begin = begin << 8 | u32::from(byte | 0x20);
        }
        let from = self.words.partition_point(|(word, _)| *word < begin);
        let mut alike = self.words.iter().skip(from).take_while(|(word, _)| *word == begin);
        alike.any(|(_, entry)| begins_text(entry.as_bytes(), text))
    }
}

/// Whether a text begins with an entry, as [`fits`] says it of its first words.
fn begins_text(entry: &[u8], text: &[u8]) -> bool {
    let letter = |at: usize| text.get(at).copied().filter(|byte| byte.is_ascii_alphabetic() || *byte == b'\'');
    let mut at = 0;
    for byte in entry {
        match byte {
            b' ' | b'\n' => return letter(at).is_none(),
            b'*' => return true,
            b'_' if letter(at).is_some() => return false,
            b'_' => at += text.iter().skip(at).take_while(|byte| !byte.is_ascii_alphabetic()).count(),
            _ if letter(at).map(|letter| letter.to_ascii_lowercase()) == Some(*byte) => at += 1,
            _ => return false,
        }
    }
    letter(at).is_none()
}

/// A word as a number, of up to four letters.
fn begins(word: &[u8]) -> u32 {
    word.iter().fold(0, |all, byte| all << 8 | u32::from(*byte))
}

/// The classes of the signs in a text without word gaps.
pub(crate) fn wide(text: &str) -> u64 {
    let mut all = 0;
    if text.is_ascii() {
        return all;
    }
    for (class, rest) in entries().signs.iter().map(|known| entry(*known)) {
        let sign = rest.split(|c| c <= ' ').next().unwrap_or_default();
        all |= if text.contains(sign) { class } else { 0 };
    }
    all
}

/// The words of some classes as a text may have them: `*` as an ending, `_` as a gap.
#[cfg(test)]
pub(crate) fn listed_words(wanted: u64) -> Vec<String> {
    let all = entries().words.seconds().chain(entries().signs.iter().copied()).map(entry);
    let fitting = all.filter(|(class, _)| class & wanted != 0);
    let of = |(_, text): (u64, &'static str)| text.split([' ', '\n']).next().unwrap_or_default();
    fitting.map(of).map(|word| word.replace('*', "ing").replace('_', " ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_has_its_classes() {
        assert_eq!(classes("approved", "").0 & (GRANTS | TAKES | SAFEGUARDS), GRANTS | TAKES);
        assert_eq!(classes("put", "off").1 & PUTS_OFF, PUTS_OFF);
        assert_eq!(classes("put", "on").1 & PUTS_OFF, 0);
        assert_eq!(classes("a", "").0 & EMPTY, EMPTY);
        assert_eq!(classes("lifted", "").0 & RESCINDS, RESCINDS);
        assert_eq!((classes("", ""), classes("zebra", "")), ((0, 0), (0, 0)));
    }

    #[test]
    fn a_lookout_sees_what_the_classes_say() {
        let lookout = Lookout::of(GRANTS | PUTS_OFF, &["zulu yankees"]);
        for (text, seen) in [
            ("Zulu, then", true),
            ("the yankees", true),
            ("zulus or a yankee", false),
            ("It was approved.", true),
            ("APPROVED", true),
            ("They put off it", true),
            ("Put **off** for now", true),
            ("They put on it, off they go", false),
            ("disapprovedly", false),
            ("l'approved", true),
            ("zebra", false),
            ("p", false),
            ("", false),
        ] {
            assert_eq!(lookout.may_stand_in(text), seen, "{text}");
        }
        for word in listed_words(GRANTS | PUTS_OFF).iter().filter(|word| word.is_ascii()) {
            assert!(word.contains(['-', ' ']) || lookout.may_stand_in(word), "{word}");
        }
    }

    #[test]
    fn cues_are_as_words_are_read() {
        let lists = entries().lists;
        assert!(lists.bytes().all(|b| b.is_ascii_lowercase() || b >= 0x80 || b" *_'-\n".contains(&b)));
        assert_eq!(lists.lines().count(), 62);
        assert!(lists.split_ascii_whitespace().all(|entry| entry.find('*').is_none_or(|at| at >= FIRST)));
        assert!(
            lists.split_ascii_whitespace().all(|entry| !entry.trim_end_matches('*').is_empty() && entry.matches(['_', '*']).count() < 2)
        );
    }
}
