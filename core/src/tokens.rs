//! How many tokens a text takes, without a vocabulary.
//!
//! [`estimate`] follows the way byte-pair tokenizers cut text into pieces (a word with its leading space, up to three
//! digits, a run of punctuation) and prices each piece from small tables in sixteenths of a token. [`upper`] adds the
//! spread of each piece, for limits that must hold. Both are one pass over the characters in integers.
//!
//! ```
//! # use standfast::tokens::{estimate, upper};
//! assert_eq!(estimate("Never delete the audit log."), 6);
//! assert!(upper("Never delete the audit log.") >= 6);
//! ```
//!
//! The tables are averages over real files against the o200k vocabulary; `bench/tokens.py` measures them.

#[cfg(test)]
mod tests;

/// The expected number of tokens.
#[must_use]
pub fn estimate(text: &str) -> u32 {
    of_sixteenths(sixteenths(text))
}

/// A number of tokens that real text hardly ever exceeds. Never below [`estimate`].
#[must_use]
pub fn upper(text: &str) -> u32 {
    if text.is_empty() {
        return 0;
    }
    let sum = measure(text);
    to_tokens(sum.mean.saturating_add(sum.slack).saturating_add(FIXED_SLACK).saturating_add(15))
}

/// The expected price in sixteenths of a token. Of texts that end in a line break, each followed by one that begins with
/// neither space nor line break, the sum is the price of the whole: [`of_sixteenths`] gives what [`estimate`] would.
#[must_use]
pub(crate) fn sixteenths(text: &str) -> u64 {
    measure(text).mean
}

/// The tokens of a sum of [`sixteenths`].
#[must_use]
pub(crate) fn of_sixteenths(sum: u64) -> u32 {
    to_tokens(sum.saturating_add(8))
}

/// Slack of every text, in sixteenths: a short line can hold one rare word.
const FIXED_SLACK: u64 = 14;

fn to_tokens(sixteenths: u64) -> u32 {
    u32::try_from(sixteenths / 16).unwrap_or(u32::MAX)
}

/// Sixteenths of a token: the expected price and what upper adds.
#[derive(Default)]
struct Sum {
    mean: u64,
    slack: u64,
}

impl Sum {
    fn add(&mut self, mean: u64, slack: u64) {
        self.mean = self.mean.saturating_add(mean);
        self.slack = self.slack.saturating_add(slack);
    }
}

/// What stands right before a word decides which entries of a vocabulary can match.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lead {
    /// A space, which the word takes in.
    Space,
    /// One punctuation mark, which the word takes in.
    Mark,
    /// Nothing that the word could take in.
    Bare,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    Space,
    Line,
    Mark,
    Letter(Script),
    Emoji,
}

/// Letters outside ASCII, by how many share a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Latin,
    Cyrillic,
    Arabic,
    Alphabetic,
    Thai,
    Hangul,
    Han,
    Rare,
}

impl Script {
    /// Sixteenths per letter once the first three are paid, and the slack of each letter.
    fn rates(self) -> (u64, u64) {
        match self {
            Self::Latin => (14, 8),
            Self::Cyrillic => (4, 3),
            Self::Arabic => (5, 2),
            Self::Alphabetic => (7, 2),
            Self::Thai => (8, 4),
            Self::Hangul => (9, 5),
            Self::Han => (13, 4),
            Self::Rare => (18, 16),
        }
    }

    /// What the first three letters of a word cost together; `None` where every letter costs the same.
    fn opening(self) -> Option<u64> {
        match self {
            Self::Cyrillic | Self::Arabic | Self::Alphabetic => Some(16),
            Self::Latin | Self::Thai | Self::Hangul | Self::Han | Self::Rare => None,
        }
    }
}

#[cfg_attr(standfast_hot, optimize(speed))]
fn class(c: char) -> Class {
    match NARROW.get(c as usize) {
        Some(class) => *class,
        None => wide_class(c),
    }
}

/// The classes of ASCII.
const NARROW: [Class; 128] = {
    let mut classes = [Class::Mark; 128];
    let mut byte = 0;
    while byte < 128 {
        #[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
        let class = &mut classes[byte as usize];
        *class = narrow_class(byte);
        byte += 1;
    }
    classes
};

#[cfg_attr(standfast_hot, optimize(speed))]
const fn narrow_class(byte: u8) -> Class {
    match byte {
        b'a'..=b'z' => Class::Lower,
        b'A'..=b'Z' => Class::Upper,
        b'0'..=b'9' => Class::Digit,
        b'\n' | b'\r' => Class::Line,
        b' ' | b'\t' | 0xb | 0xc => Class::Space,
        _ => Class::Mark,
    }
}

fn wide_class(c: char) -> Class {
    let script = match u32::from(c) {
        0xaa | 0xb5 | 0xba | 0xc0..=0xd6 | 0xd8..=0xf6 | 0xf8..=0x24f | 0x300..=0x36f | 0x1e00..=0x1eff => Script::Latin,
        0x400..=0x52f => Script::Cyrillic,
        0x600..=0x605 | 0x610..=0x61a | 0x620..=0x65f | 0x66e..=0x6d3 | 0x6d5..=0x6ef | 0x6fa..=0x6ff => Script::Arabic,
        0x370..=0x3ff | 0x530..=0x589 | 0x591..=0x5f4 | 0x900..=0x963 | 0x966..=0xdff | 0x10a0..=0x10ff | 0x1f00..=0x1fff => {
            Script::Alphabetic
        }
        0xe00..=0xe4e => Script::Thai,
        0x1100..=0x11ff | 0xac00..=0xd7a3 => Script::Hangul,
        0x3041..=0x3096 | 0x30a1..=0x30ff | 0x4e00..=0x9fff => Script::Han,
        0x3000 | 0xa0 | 0x2000..=0x200a | 0x2028 | 0x2029 | 0x202f | 0x205f | 0x85 => return Class::Space,
        0x1f000..=0x1faff | 0xe0000..=0xe007f => return Class::Emoji,
        _ if c.is_numeric() => return Class::Digit,
        _ if c.is_alphabetic() => Script::Rare,
        _ => return Class::Mark,
    };
    Class::Letter(script)
}

/// Goes through a text character by character; most are one byte.
struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl Cursor<'_> {
    /// The next byte; of a wide character its first.
    #[cfg_attr(standfast_hot, optimize(speed))]
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    #[cfg_attr(standfast_hot, optimize(speed))]
    fn peek(&self) -> Option<char> {
        match self.byte()? {
            byte @ 0..0x80 => Some(char::from(byte)),
            _ => self.text.get(self.at..)?.chars().next(),
        }
    }

    /// Takes one space and the small ASCII letters after it, up to anything that is no letter or a capital: most of any
    /// text. Gives how many letters, and how many of them are [`Letters::hard`].
    #[cfg_attr(standfast_hot, optimize(speed))]
    fn spaced_word(&mut self) -> Option<(u64, u64)> {
        let (space, rest) = self.text.as_bytes().get(self.at..)?.split_first()?;
        if *space != b' ' {
            return None;
        }
        let (mut letters, mut run, mut hard) = (0_u64, 0_u64, 0_u64);
        for byte in rest {
            if !byte.is_ascii_lowercase() {
                if !byte.is_ascii() {
                    return None;
                }
                break;
            }
            letters += 1;
            run = if is_vowel(*byte) { 0 } else { run + 1 };
            hard += u64::from(run > 4);
        }
        if letters == 0 {
            return None;
        }
        self.at += 1 + usize::try_from(letters).unwrap_or_default();
        Some((letters, hard))
    }

    #[cfg_attr(standfast_hot, optimize(speed))]
    fn next(&mut self) -> Option<char> {
        self.next_if(|_| true)
    }

    fn next_if(&mut self, wanted: impl FnOnce(char) -> bool) -> Option<char> {
        let c = self.peek().filter(|c| wanted(*c))?;
        self.at += c.len_utf8();
        Some(c)
    }
}

#[cfg_attr(standfast_hot, optimize(speed))]
fn measure(text: &str) -> Sum {
    let mut sum = Sum::default();
    let mut chars = Cursor { text, at: 0 };
    let mut lead = Lead::Bare;
    let mut after_word = false;
    loop {
        if let Some((letters, hard)) = chars.spaced_word() {
            let (mean, slack) = spaced_price(letters, hard);
            sum.add(mean, slack);
            (lead, after_word) = (Lead::Bare, true);
            continue;
        }
        let Some(c) = chars.next() else { break };
        let kind = class(c);
        let was_word = std::mem::take(&mut after_word);
        lead = match kind {
            Class::Lower | Class::Upper | Class::Letter(_) => {
                word(kind, c, lead, &mut chars, &mut sum);
                after_word = true;
                Lead::Bare
            }
            Class::Digit => {
                digits(lead, &mut chars, &mut sum);
                Lead::Bare
            }
            Class::Space | Class::Line => blank(c, kind, &mut chars, &mut sum),
            Class::Emoji => {
                sum.add(27, 10);
                Lead::Bare
            }
            Class::Mark => mark(c, lead, was_word, &mut chars, &mut sum),
        };
    }
    if lead == Lead::Space {
        sum.add(16, 0);
    }
    sum
}

/// Prices by number of letters, in sixteenths; each further letter adds [`LONG`].
const SPACED: [u8; 16] = [16, 16, 16, 16, 16, 16, 16, 17, 18, 18, 18, 19, 19, 22, 23, 26];
const SPACED_CAPITAL: [u8; 16] = [16, 16, 16, 17, 19, 18, 19, 21, 22, 25, 23, 24, 25, 26, 34, 38];
const SPACED_CAPITALS: [u8; 16] = [16, 17, 20, 20, 23, 25, 30, 32, 41, 48, 50, 54, 58, 64, 70, 76];
const MARKED: [u8; 16] = [17, 17, 20, 21, 21, 23, 26, 28, 31, 34, 38, 38, 44, 46, 50, 54];
const MARKED_CAPITAL: [u8; 16] = [20, 28, 29, 25, 36, 30, 29, 32, 40, 42, 46, 48, 50, 52, 54, 58];
const MARKED_CAPITALS: [u8; 16] = [18, 21, 24, 25, 32, 32, 30, 37, 46, 50, 54, 58, 62, 68, 74, 80];
const BARE: [u8; 16] = [16, 16, 18, 18, 19, 19, 22, 22, 24, 25, 30, 30, 38, 40, 44, 48];
const BARE_CAPITAL: [u8; 16] = [16, 18, 18, 18, 18, 18, 19, 20, 22, 24, 26, 27, 28, 30, 34, 38];
const BARE_CAPITALS: [u8; 16] = [16, 17, 23, 25, 28, 29, 28, 35, 48, 50, 54, 58, 62, 68, 74, 80];
const LONG: u64 = 7;
/// The vowels, a bit for each letter from `a`.
const VOWELS: u32 = 1 | 1 << 4 | 1 << 8 | 1 << 14 | 1 << 20 | 1 << 24;

/// Whether an ASCII letter is a vowel.
fn is_vowel(letter: u8) -> bool {
    VOWELS >> ((letter | 0x20) - b'a') & 1 == 1
}

/// Price and slack of small letters after a space: the same as [`Letters::price`].
fn spaced_price(letters: u64, hard: u64) -> (u64, u64) {
    let slack = match letters {
        0..=6 => 1,
        7..=8 => 3 + letters / 2,
        _ => letters,
    };
    (priced(&SPACED, letters) + hard * 6, slack + hard * 4)
}

/// The letters of one piece: capitals, then small letters. Scripts without case go into the same piece.
#[derive(Default)]
struct Letters {
    capitals: u64,
    small: u64,
    /// Letters outside ASCII, their price and slack.
    wide: u64,
    wide_mean: u64,
    wide_slack: u64,
    /// Consonants beyond the fourth in a row: no word has them, hashes and keys do.
    hard: u64,
    run: u64,
    opening: u64,
}

impl Letters {
    /// Takes an ASCII letter in, or says that something else follows. The same as [`Letters::take`], for most of any text.
    #[cfg_attr(standfast_hot, optimize(speed))]
    fn take_narrow(&mut self, byte: Option<u8>) -> bool {
        match byte {
            Some(b'a'..=b'z') => self.small += 1,
            Some(b'A'..=b'Z') if self.small == 0 => self.capitals += 1,
            _ => return false,
        }
        self.run = if byte.is_some_and(is_vowel) { 0 } else { self.run + 1 };
        self.hard += u64::from(self.run > 4);
        true
    }

    /// Takes the letter in, or says that it begins a new piece.
    #[cfg_attr(standfast_hot, optimize(speed))]
    fn take(&mut self, kind: Class, c: char) -> bool {
        match kind {
            Class::Upper if self.small > 0 => return false,
            Class::Upper => self.capitals += 1,
            Class::Lower => self.small += 1,
            Class::Letter(script) => {
                let (rate, slack) = script.rates();
                self.wide += 1;
                self.wide_slack += slack;
                self.small += u64::from(script == Script::Latin);
                self.opening = self.opening.max(script.opening().unwrap_or(if script == Script::Hangul { 7 } else { 2 }));
                self.wide_mean += if self.wide <= 3 && script.opening().is_some() { 0 } else { rate };
            }
            _ => return false,
        }
        let vowel = matches!(c.to_ascii_lowercase(), 'a' | 'e' | 'i' | 'o' | 'u' | 'y') || !c.is_ascii();
        self.run = if vowel { 0 } else { self.run + 1 };
        self.hard += u64::from(self.run > 4);
        true
    }

    fn price(&self, lead: Lead) -> (u64, u64) {
        let letters = self.capitals + self.small;
        if letters == 0 {
            return ((self.wide_mean + self.opening).max(16), self.wide_slack);
        }
        let capital = self.capitals == 1 && self.small > 0;
        let table = match (lead, self.capitals) {
            (Lead::Space, 0) => &SPACED,
            (Lead::Space, _) if capital => &SPACED_CAPITAL,
            (Lead::Space, _) => &SPACED_CAPITALS,
            (Lead::Mark, 0) => &MARKED,
            (Lead::Mark, _) if capital => &MARKED_CAPITAL,
            (Lead::Mark, _) => &MARKED_CAPITALS,
            (Lead::Bare, 0) => &BARE,
            (Lead::Bare, _) if capital => &BARE_CAPITAL,
            (Lead::Bare, _) => &BARE_CAPITALS,
        };
        let mut mean = priced(table, letters);
        if self.capitals > 1 && self.small > 0 {
            mean = mean.max(letters * 9).max(24);
            return (mean + self.hard * 6 + self.wide_mean, 3 + letters + self.wide_slack + self.hard * 4);
        }
        let familiar = lead == Lead::Space && self.capitals == 0 && letters <= 6;
        let slack = if familiar {
            1
        } else if letters <= 8 {
            3 + letters / 2 + if lead == Lead::Bare { 2 } else { 0 }
        } else {
            letters
        };
        // A short syllable with its accents is one entry of the vocabulary; a long word falls apart at them.
        let accents = if letters <= 4 { self.wide_mean / 5 } else { self.wide_mean };
        (mean + self.hard * 6 + accents, slack + self.wide_slack + self.hard * 4)
    }
}

/// One piece of letters.
#[cfg_attr(standfast_hot, optimize(speed))]
fn word(kind: Class, c: char, lead: Lead, chars: &mut Cursor<'_>, sum: &mut Sum) {
    let mut letters = Letters::default();
    letters.take(kind, c);
    loop {
        while letters.take_narrow(chars.byte()) {
            chars.at += 1;
        }
        let wide = chars.next_if(|c| !c.is_ascii() && letters.take(class(c), c));
        if wide.is_none() {
            break;
        }
    }
    let (mean, slack) = letters.price(lead);
    sum.add(mean, slack);
}

fn priced(table: &[u8; 16], letters: u64) -> u64 {
    let index = usize::try_from(letters.saturating_sub(1)).unwrap_or(usize::MAX);
    match table.get(index) {
        Some(price) => u64::from(*price),
        None => u64::from(table.last().copied().unwrap_or(16)) + (letters - 16) * LONG,
    }
}

/// A run of digits: a token for each three. A space before it stands alone.
#[cfg_attr(standfast_hot, optimize(speed))]
fn digits(lead: Lead, chars: &mut Cursor<'_>, sum: &mut Sum) {
    let mut count = 1_u64;
    while chars.next_if(|c| class(c) == Class::Digit).is_some() {
        count += 1;
    }
    let space = if lead == Lead::Space { 16 } else { 0 };
    sum.add(count.div_ceil(3) * 16 + space, 0);
}

/// White space: one piece up to its last line break, one for the rest; a last space goes into what follows.
#[cfg_attr(standfast_hot, optimize(speed))]
fn blank(c: char, kind: Class, chars: &mut Cursor<'_>, sum: &mut Sum) -> Lead {
    let (mut before, mut spaces, mut last) = (0_u64, u64::from(kind == Class::Space), c);
    if kind == Class::Line {
        before = 1;
    }
    while let Some(c) = chars.next_if(|c| matches!(class(c), Class::Space | Class::Line)) {
        if class(c) == Class::Line {
            before += spaces + 1;
            spaces = 0;
        } else {
            spaces += 1;
        }
        last = c;
    }
    if before > 0 {
        sum.add(16 + before / 8, before / 16);
    }
    let carried = u64::from(spaces > 0);
    let alone = spaces - carried;
    if alone > 0 {
        sum.add(16 + alone / 16, alone / 16);
    }
    if carried > 0 && last == ' ' {
        Lead::Space
    } else {
        if carried > 0 {
            sum.add(12, 4);
        }
        Lead::Bare
    }
}

/// A run of punctuation, with the line breaks right after it.
#[cfg_attr(standfast_hot, optimize(speed))]
fn mark(c: char, lead: Lead, after_word: bool, chars: &mut Cursor<'_>, sum: &mut Sum) -> Lead {
    let letter = matches!(chars.peek().map(class), Some(Class::Lower | Class::Upper | Class::Letter(_)));
    if letter && lead != Lead::Space {
        if c == '\'' && after_word && contraction(chars) {
            return Lead::Bare;
        }
        return Lead::Mark;
    }
    let (mut changes, mut repeats, mut wide, mut last) = (1_u64, 0_u64, u64::from(!c.is_ascii()), c);
    while let Some(c) = chars.next_if(|c| class(c) == Class::Mark) {
        wide += u64::from(!c.is_ascii());
        if c == last {
            repeats += 1;
        } else {
            changes += 1;
        }
        last = c;
    }
    while chars.next_if(|c| class(c) == Class::Line).is_some() {
        repeats += 2;
    }
    let extra = changes.saturating_sub(2) * 8 + repeats / 4 + wide * 3;
    sum.add(16 + extra, 1 + changes.saturating_sub(1) * 4 + wide * 8);
    Lead::Bare
}

/// English endings after an apostrophe ('s, 't, 're) belong to the word before them.
fn contraction(chars: &mut Cursor<'_>) -> bool {
    match chars.peek() {
        Some('s' | 't' | 'm' | 'd' | 'S' | 'T' | 'M' | 'D') => {
            chars.next();
            true
        }
        Some('r' | 'v' | 'l' | 'R' | 'V' | 'L') => {
            chars.next();
            chars.next_if(|c| matches!(c, 'e' | 'l' | 'E' | 'L'));
            true
        }
        _ => false,
    }
}
