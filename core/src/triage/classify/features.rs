//! What a text shows: words, what they mean, where they stand, and what governs them, as numbered features.
//!
//! A feature is a hash of its kind and what it is about; a table has the weights. The same code is used to train and to type.

use super::Line;
use super::lexicon::{LONGEST as PHRASE, Lexicon, class, lexicon};
use super::token::{Sort, Token, hash_on, tokens};
use crate::text::skeleton::{is_capital, is_small};

/// Kinds of features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tag {
    Word,
    Pair,
    First,
    FirstPair,
    Class,
    FirstClass,
    SecondClass,
    SentenceClass,
    Bound,
    BoundWord,
    KindClass,
    HeadingClass,
    AboveClass,
    LeadClass,
    HeadingWord,
    AboveWord,
    LeadWord,
    Together,
    Ending,
    Shape,
    Subject,
    Part,
    HeadingOpens,
    LeadOpens,
}

/// The names of moods, in their order.
pub(super) const MOODS: &[&str] = &["", "never", "not", "must", "should", "may", "only", "until", "if"];

impl Tag {
    /// Whether the first and the second of what its features are about are classes of words.
    pub(super) fn classes(self) -> (bool, bool) {
        match self {
            Self::Together => (true, true),
            Self::Bound | Self::Subject => (false, true),
            Self::Class | Self::FirstClass | Self::SecondClass | Self::SentenceClass | Self::KindClass => (true, false),
            Self::HeadingClass | Self::AboveClass | Self::LeadClass | Self::HeadingOpens | Self::LeadOpens => (true, false),
            _ => (false, false),
        }
    }

    /// Whether the first is a mood.
    pub(super) fn has_mood(self) -> bool {
        matches!(self, Self::Bound | Self::BoundWord | Self::Subject)
    }
}

/// The names of the kinds, in their order.
pub(super) const TAGS: &[&str] = &[
    "word",
    "words",
    "first word",
    "first words",
    "says",
    "begins with",
    "goes on with",
    "a sentence begins with",
    "bound",
    "bound word",
    "kind says",
    "heading",
    "heading above",
    "lead-in",
    "heading word",
    "word of a heading above",
    "lead-in word",
    "together",
    "first word's form",
    "form",
    "subject",
    "part of a word",
    "heading begins with",
    "lead-in begins with",
];

/// One feature and what it is about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Feature {
    pub(super) id: u32,
    pub(super) tag: Tag,
    pub(super) one: u32,
    pub(super) other: u32,
    /// Where it stands: in the text, a heading or the lead-in, as the tag says.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What is found, and room to work in, used again for each text.
#[derive(Default)]
pub(super) struct Found {
    pub(super) features: Vec<Feature>,
    tokens: Vec<Token>,
    /// What was above the last text, and what it came to: texts under one heading share it.
    above: Above,
    /// The classes of its words, and of those around it.
    pub(super) mask: u64,
    pub(super) around: u64,
}

/// Headings and lead-in with their features and classes.
#[derive(Default)]
struct Above {
    path: Vec<String>,
    lead_in: Option<String>,
    features: Vec<Feature>,
    /// Classes in the last heading and the lead-in.
    mask: u64,
    /// What the lead-in, or else a short heading, says of all that stands below it.
    mood: Option<Mood>,
}

/// What governs a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mood {
    Plain,
    Never,
    Not,
    Must,
    Soft,
    May,
    Only,
    Until,
    If,
}

/// How many words a mood reaches.
const REACH: usize = 9;
/// How many tokens of a text are read; of a heading or lead-in, fewer.
const TOKENS: usize = 1_000;
const AROUND: usize = 24;
/// Longest text that is read at once, in bytes.
pub(super) const LONGEST: usize = 2_400;

/// Where a text is cut that is too long: behind its last sentence or word that can be read at once.
pub(super) fn cut(text: &str) -> usize {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = text.get(..end).unwrap_or_default();
    let at = head.rfind(". ").or_else(|| head.rfind(' ')).filter(|at| *at > LONGEST / 2);
    at.map_or(end, |at| at + 1)
}

impl Found {
    fn add(&mut self, tag: Tag, one: u32, other: u32, start: usize, end: usize) {
        let id = hash_on(hash_on(tag as u32 + 1, one), other);
        self.features.push(Feature { id, tag, one, other, start, end });
    }

    fn read(&mut self, text: &str, most: usize, lexicon: &Lexicon) {
        self.tokens.clear();
        tokens(text.get(..if text.len() > LONGEST { cut(text) } else { text.len() }).unwrap_or_default(), most, &mut self.tokens);
        classes(&mut self.tokens, lexicon);
    }
}

/// Looks up what each token means, alone and as the first of a phrase.
fn classes(tokens: &mut [Token], lexicon: &Lexicon) {
    for at in 0..tokens.len() {
        let Some(token) = tokens.get(at) else { break };
        let mut mask = match token.sort {
            Sort::Word | Sort::Sign => {
                let exact = lexicon.of(token.exact);
                if exact == 0 { lexicon.of(token.stem) } else { exact }
            }
            _ => 0,
        };
        if lexicon.begins(token.stem) {
            let mut key = token.stem;
            for next in tokens.iter().skip(at + 1).take(PHRASE - 1) {
                key = hash_on(key, next.stem);
                let found = lexicon.of(key);
                if found != 0 {
                    mask = found;
                }
            }
        }
        if let Some(token) = tokens.get_mut(at) {
            token.classes = mask;
        }
    }
}

/// Calls with each bit of a mask.
fn each(mut mask: u64, mut call: impl FnMut(u32)) {
    while mask != 0 {
        call(mask.trailing_zeros());
        mask &= mask - 1;
    }
}

const fn bit(class: u32) -> u64 {
    1 << class
}

/// The mood that a word of these classes begins.
fn mood_of(mask: u64) -> Option<Mood> {
    const MOODS: &[(u64, Mood)] = &[
        (bit(class::NEVER) | bit(class::BAN), Mood::Never),
        (bit(class::DONT) | bit(class::AVOID) | bit(class::NO) | bit(class::CANNOT), Mood::Not),
        (bit(class::ONLY) | bit(class::LIMIT), Mood::Only),
        (bit(class::MUST) | bit(class::ALWAYS) | bit(class::ENSURE), Mood::Must),
        (bit(class::UNTIL) | bit(class::UNLESS), Mood::Until),
        (bit(class::SOFT) | bit(class::PREFER), Mood::Soft),
        (bit(class::MAY), Mood::May),
        (bit(class::IF) | bit(class::WHEN), Mood::If),
    ];
    MOODS.iter().find(|(classes, _)| mask & classes != 0).map(|(_, mood)| *mood)
}

/// The features of a text.
#[cfg_attr(standfast_hot, optimize(speed))]
pub(super) fn features(line: &Line<'_>, found: &mut Found) {
    let lexicon = lexicon();
    found.features.clear();
    found.mask = 0;
    if found.above.features.is_empty() || found.above.path != line.heading_path || found.above.lead_in.as_deref() != line.lead_in {
        found.above.mask = above(line, found, lexicon);
        found.above.features.clone_from(&found.features);
        line.heading_path.clone_into(&mut found.above.path);
        found.above.lead_in = line.lead_in.map(str::to_owned);
    } else {
        found.features.extend_from_slice(&found.above.features);
    }
    found.read(line.text, TOKENS, lexicon);
    let tokens = std::mem::take(&mut found.tokens);
    found.around = found.above.mask;
    body(line, &tokens, found);
    shape(line, &tokens, found);
    found.tokens = tokens;
}

/// The features of what stands above a text: the last headings and the lead-in.
fn above(line: &Line<'_>, found: &mut Found, lexicon: &Lexicon) -> u64 {
    let [mut heading, mut above, mut short] = [0; 3];
    for (from_last, text) in line.heading_path.iter().rev().take(4).enumerate() {
        let mask = around(text, if from_last == 0 { Tag::HeadingWord } else { Tag::AboveWord }, found, lexicon);
        if from_last == 0 {
            let words = found.tokens.iter().filter(|token| token.sort != Sort::Mark).count();
            if words <= 4 {
                short = mask;
                each(mask & (bit(class::ABOUT) - 1), |class| found.add(Tag::HeadingOpens, class, 1, 0, 0));
            }
            heading = mask;
        } else {
            above |= mask;
        }
    }
    each(heading, |class| found.add(Tag::HeadingClass, class, 0, 0, 0));
    each(above, |class| found.add(Tag::AboveClass, class, 0, 0, 0));
    let lead = line.lead_in.map_or(0, |text| around(text, Tag::LeadWord, found, lexicon));
    each(lead, |class| found.add(Tag::LeadClass, class, 0, 0, 0));
    let governs = |mood: &Mood| !matches!(mood, Mood::If | Mood::Until);
    found.above.mood = mood_of(lead).or_else(|| mood_of(short)).filter(governs);
    heading | lead
}

/// A heading or a lead-in: its words, and the classes in it.
fn around(text: &str, tag: Tag, found: &mut Found, lexicon: &Lexicon) -> u64 {
    found.read(text, AROUND, lexicon);
    let tokens = std::mem::take(&mut found.tokens);
    let mut mask = 0;
    let mut words = 0;
    for token in &tokens {
        mask |= token.classes;
        words += u32::from(token.sort != Sort::Mark);
        if words == 1 && token.sort != Sort::Mark && tag != Tag::AboveWord {
            let opens = if tag == Tag::LeadWord { Tag::LeadOpens } else { Tag::HeadingOpens };
            each(token.classes, |class| found.add(opens, class, 0, token.start, token.end));
            found.add(opens, 64, token.ending as u32, token.start, token.end);
        }
        if token.sort != Sort::Mark {
            found.add(tag, token.exact, 0, token.start, token.end);
        }
    }
    found.tokens = tokens;
    mask
}

fn body(line: &Line<'_>, tokens: &[Token], found: &mut Found) {
    // what governs the whole holds where nothing else does
    let base = found.above.mood.map_or((Mood::Plain, 0), |mood| (mood, usize::MAX));
    let (mut mood, mut left) = base;
    let mut all = 0;
    let mut words = 0;
    let mut before: Option<&Token> = None;
    let mut begins = true;
    for token in tokens {
        let (start, end) = (token.start, token.end);
        if token.sort == Sort::Mark {
            if matches!(token.mark, b'.' | b'!' | b'?' | b';' | b':' | b',') || (token.mark == 0 && token.spaced) {
                (mood, left) = base;
                begins |= token.mark != b',';
            }
            continue;
        }
        words += 1;
        found.add(Tag::Word, token.exact, u32::from(token.capitals), start, end);
        for (one, part) in token.parts.iter().enumerate() {
            if *part != 0 {
                found.add(Tag::Part, *part, one as u32, start, end);
            }
        }
        if let Some(before) = before {
            found.add(Tag::Pair, before.exact, token.exact, before.start, end);
        }
        if words == 1 {
            first(line, token, found);
        } else if words == 2 {
            let one = before.map_or(0, |first| first.exact);
            found.add(Tag::FirstPair, one, token.exact, 0, end);
            each(token.classes, |class| found.add(Tag::SecondClass, class, 0, start, end));
        } else if begins {
            each(token.classes, |class| found.add(Tag::SentenceClass, class, 0, start, end));
            found.add(Tag::SentenceClass, 64, token.ending as u32, start, end);
        }
        begins = false;
        each(token.classes & !all, |class| {
            found.add(Tag::Class, class, u32::from(token.code), start, end);
            found.add(Tag::KindClass, class, line.kind as u32, start, end);
        });
        all |= token.classes;
        if mood != Mood::Plain {
            each(token.classes, |class| found.add(Tag::Bound, mood as u32, class, start, end));
            found.add(Tag::BoundWord, mood as u32, token.exact, start, end);
        }
        if let Some(new) = mood_of(token.classes) {
            if (mood, left) == base {
                let subject = before.map_or(65, |before| if before.classes == 0 { 64 } else { before.classes.trailing_zeros() });
                found.add(Tag::Subject, new as u32, subject, start, end);
            }
            // what binds harder stays
            if (mood, left) == base || (new as u32) < mood as u32 || left < REACH / 2 {
                (mood, left) = (new, REACH);
            }
        } else if (mood, left) != base {
            left -= 1;
            if left == 0 {
                (mood, left) = base;
            }
        }
        before = Some(token);
    }
    let binding = all & (bit(class::ABOUT) - 1);
    let about = all >> class::ABOUT << class::ABOUT;
    each(binding, |one| each(about, |other| found.add(Tag::Together, one, other, 0, 0)));
    found.mask = all;
}

/// The first word: what it means and how it ends.
fn first(line: &Line<'_>, token: &Token, found: &mut Found) {
    let (start, end) = (token.start, token.end);
    found.add(Tag::First, token.exact, 0, start, end);
    found.add(Tag::Ending, token.ending as u32, line.kind as u32, start, end);
    each(token.classes, |class| {
        found.add(Tag::FirstClass, class, 0, start, end);
        found.add(Tag::Ending, token.ending as u32, 64 + class, start, end);
    });
}

/// Marks that a text may hold.
const MARKS: [&str; 19] =
    [": ", " - ", " — ", "→", "**:", ":**", "`:", "` - ", "` — ", "](", "://", "e.g.", "->", "` |", "by @", "\n", "✅", "❌", "="];

/// Which marks stand in a text, as bits.
#[cfg_attr(standfast_hot, optimize(speed), inline(never))]
fn held(text: &[u8]) -> u64 {
    let mut found = 0;
    for (at, byte) in text.iter().enumerate() {
        let next = text.get(at + 1).copied().unwrap_or_default();
        // no mark but two begins with a letter, and between words there is little else
        let may_begin = match byte {
            b'\n' | b'=' => true,
            b'e' => next == b'.',
            b'b' => next == b'y',
            _ => !byte.is_ascii_alphanumeric() && !next.is_ascii_alphanumeric(),
        };
        if !may_begin {
            continue;
        }
        let rest = text.get(at..).unwrap_or_default();
        for (bit, mark) in MARKS.iter().enumerate() {
            if rest.starts_with(mark.as_bytes()) {
                found |= 1 << bit;
            }
        }
    }
    found
}

/// What can be seen without reading.
fn shape(line: &Line<'_>, tokens: &[Token], found: &mut Found) {
    let text = line.text;
    let mut shapes: Vec<u32> = Vec::with_capacity(32);
    let words = tokens.iter().filter(|token| token.sort != Sort::Mark).count();
    let mut counts = [0_u32; 16];
    let mut capitals = 0;
    for token in tokens {
        let slot = match (token.sort, token.mark) {
            (Sort::Number, _) => 0,
            (Sort::Version, _) => 1,
            (Sort::Date, _) => 2,
            (Sort::Sign, _) => 3,
            (_, b'`') => 4,
            (_, b'(') => 5,
            (_, b'/') => 6,
            (_, b'#') => 7,
            (_, b'|') => 8,
            (_, b'"') => 9,
            (_, b'=' | b'{' | b'<') => 10,
            (_, b'%') => 11,
            (_, b'?') => 12,
            (_, b'!') => 13,
            (_, b'@') => 14,
            (Sort::Mark, 0) => 15,
            _ => continue,
        };
        if let Some(count) = counts.get_mut(slot) {
            *count += 1;
        }
    }
    for token in tokens {
        capitals += u32::from(token.capitals && !token.code && token.end - token.start > 2);
    }
    let level = |count: u32| if count > 2 { 2 + u32::from(count > 4) } else { count };
    for (slot, count) in counts.iter().enumerate() {
        if *count > 0 {
            shapes.push(16 + 8 * slot as u32 + level(*count));
        }
    }
    if capitals > 0 {
        shapes.push(200 + level(capitals));
    }
    shapes.push(210 + (words.max(1).ilog2()).min(8));
    shapes.push(220 + line.kind as u32);
    shapes.push(230 + line.heading_path.len().min(5) as u32);
    if line.lead_in.is_some() {
        shapes.push(236);
    }
    let begins = text.as_bytes().first().is_some_and(|byte| !byte.is_ascii_alphanumeric() || *byte == b'h');
    let starts: &[&str] = &["**", "[ ]", "[x]", "`", "[", "_", "\"", "✅", "❌", "⚠", "http", "@", "<", "(", "- ", "🚫", "#", "|"];
    for (at, mark) in starts.iter().enumerate() {
        if begins && text.starts_with(mark) {
            shapes.push(240 + at as u32);
        }
    }
    let closes = text.as_bytes().last().is_some_and(|byte| !byte.is_ascii_alphanumeric());
    let ends: &[&str] = &[".", ":", "!", "?", ")", "`", ";", "**", ","];
    for (at, mark) in ends.iter().enumerate() {
        if closes && text.ends_with(mark) {
            shapes.push(260 + at as u32);
        }
    }
    let mut end = text.len().min(400);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let held = held(text.as_bytes().get(..end).unwrap_or_default());
    each(held, |at| shapes.push(280 + at));
    let first = text.chars().next().unwrap_or(' ');
    shapes.push(if is_small(first) {
        310
    } else if is_capital(first) {
        311
    } else if first.is_ascii_digit() {
        312
    } else {
        313
    });
    let bold = text.strip_prefix("**").and_then(|rest| rest.find("**"));
    if let Some(bold) = bold {
        shapes.push(if bold < 24 { 314 } else { 315 });
    }
    for one in shapes {
        found.add(Tag::Shape, one, 0, 0, 0);
    }
}
