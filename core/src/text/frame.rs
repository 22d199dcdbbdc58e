//! Clause frames: what a text says clause by clause, in a form that two wordings of one rule share.
//!
//! [`Frames::of`] reads a text once; every check of it against any number of rules works on the result. Words are
//! compared by the stem of their synonyms, in skeleton form, so look-alikes and invisible characters neither hide nor
//! fake anything. Deterministic, without a model, linear in the text.

mod bounds;
mod clause;
mod form;
mod language;
mod lexicon;
mod segment;
mod stem;
mod token;
mod unit;

use crate::item::Span;
use crate::text::words::listed;
pub(crate) use bounds::{Bounded, Side};
pub use clause::{Agent, Bound, Force, Frame, Quantity};
pub(crate) use form::{Kin, kin};
pub(crate) use lexicon::{Table, cue, cues, lexicon};
pub(crate) use segment::{Gate, Segment, segments};
pub(crate) use stem::{hash, stem};
pub(crate) use token::{Kind, Token, tokens};
pub(crate) use unit::Unit;

/// Two numbers as one, sorted by the first: all tables are sorted in this one form, which keeps the code small.
pub(crate) fn packed(first: u32, second: usize) -> u64 {
    u64::from(first) << 32 | (second as u64 & 0xffff_ffff)
}

/// The second of two packed numbers.
pub(crate) fn low(packed: u64) -> usize {
    (packed & 0xffff_ffff) as usize
}

/// The factor of the rolling hash over words.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// A text as words, clauses and their places.
#[derive(Debug, Clone)]
pub struct Frames<'t> {
    pub(crate) text: &'t str,
    pub(crate) tokens: Vec<Token>,
    pub(crate) units: Vec<Unit>,
    /// Where each word stands, by what it is compared by.
    places: Vec<u64>,
    /// Rolling hash of the words before each place.
    sums: Vec<u64>,
}

impl<'t> Frames<'t> {
    /// Reads a text.
    #[must_use]
    pub fn of(text: &'t str) -> Self {
        let mut tokens = token::tokens(text);
        let units = unit::units(text, &mut tokens);
        lexicon().mark(&mut tokens);
        let mut places = Vec::with_capacity(tokens.len());
        let mut sums = Vec::with_capacity(tokens.len() + 1);
        let mut sum = 0_u64;
        sums.push(sum);
        for (at, token) in tokens.iter_mut().enumerate() {
            if token.kind == Kind::Word {
                token.canon = lexicon().canon(token.canon);
            }
            places.push(packed(token.canon, at));
            sum = sum.wrapping_mul(FACTOR).wrapping_add(u64::from(token.word()) + 1);
            sums.push(sum);
        }
        places.sort_unstable();
        Self { text, tokens, units, places, sums }
    }

    /// The places of a word, ascending.
    pub(crate) fn places(&self, canon: u32) -> impl Iterator<Item = usize> + '_ {
        lexicon::rows(&self.places, canon)
    }

    /// Where the very words of another text stand one after the other.
    pub(crate) fn runs(&self, other: &Frames<'_>) -> Vec<usize> {
        let length = other.tokens.len();
        let Some(first) = other.tokens.iter().position(|t| !t.is(cue::STOP)) else { return Vec::new() };
        let (Some(want), Some(head)) = (other.sums.last(), other.tokens.get(first)) else { return Vec::new() };
        let power = (0..length).fold(1_u64, |power, _| power.wrapping_mul(FACTOR));
        let run = |at: usize| {
            let from = at.checked_sub(first)?;
            let (before, behind) = (self.sums.get(from)?, self.sums.get(from + length)?);
            (behind.wrapping_sub(before.wrapping_mul(power)) == *want).then_some(from)
        };
        self.places(head.canon).filter_map(run).collect()
    }

    /// A word as it is written.
    pub(crate) fn word(&self, token: &Token) -> &'t str {
        self.text.get(token.start..token.end).unwrap_or_default()
    }

    /// The same, by its place.
    pub(crate) fn word_at(&self, at: usize) -> &'t str {
        self.tokens.get(at).map_or("", |token| self.word(token))
    }

    /// The clause that a word stands in.
    pub(crate) fn unit_of(&self, token: usize) -> usize {
        self.units.partition_point(|unit| unit.to <= token)
    }

    /// The tokens of a range; none where it does not fit.
    pub(crate) fn range(&self, from: usize, to: usize) -> &[Token] {
        self.tokens.get(from..to.min(self.tokens.len())).unwrap_or_default()
    }

    /// Whether a clause begins with a word for something named before.
    pub(crate) fn refers(&self, unit: &Unit) -> bool {
        let word = self.tokens.get(unit.from).and_then(|token| self.text.get(token.start..token.end)).unwrap_or_default();
        matches!(word, "It" | "it" | "They" | "they" | "This" | "this" | "That" | "that" | "These" | "these" | "Those" | "those")
    }

    /// Whether who is reported to say something is a person with a say: "the user said", not "the page says".
    pub(crate) fn vouched(&self, said: usize) -> bool {
        const SOURCES: &str = "page site website post blog article ticket mail email vendor document doc docs readme file tool output comment note \
            notes message banner attacker log result somebody someone internet model bot contact text letter forum wiki \
            supplier rumour rumor it which that to is was were be";
        let subject = said.checked_sub(1).map_or("", |at| self.word_at(at));
        let plain =
            self.text.get(..self.tokens.get(said).map_or(0, |token| token.start)).is_some_and(|before| before.ends_with([' ', '\n']));
        let word = subject.to_ascii_lowercase();
        plain
            && matches!(self.word_at(said), "said" | "says" | "stated" | "states" | "told" | "insisted" | "insists")
            && !word.is_empty()
            && !listed(SOURCES, word.as_str())
    }

    /// Whether a word stands in parentheses that hold a list.
    pub(crate) fn aside(&self, token: usize) -> bool {
        let Some(start) = self.tokens.get(token).map(|token| token.start) else { return false };
        let (before, behind) = (self.text.get(..start).unwrap_or_default(), self.text.get(start..).unwrap_or_default());
        let open = before.rfind('(').filter(|at| before.get(*at..).is_some_and(|rest| !rest.contains(')')));
        let close = behind.find(')').map(|at| start + at);
        open.zip(close).is_some_and(|(from, to)| self.text.get(from..to).is_some_and(|inside| inside.contains([',', '/'])))
    }

    /// The span from the first to the last of some clauses.
    pub(crate) fn span(&self, first: usize, last: usize) -> Span {
        let start = self.units.get(first).map_or(0, |unit| unit.start);
        Span::new(start, self.units.get(last).map_or(start, |unit| unit.end))
    }

    /// The text between the first and the last of some clauses.
    pub(crate) fn said(&self, first: usize, last: usize) -> &'t str {
        self.span(first, last).of(self.text).trim()
    }
}
