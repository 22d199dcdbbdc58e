//! On which side of its numbers a clause lets things be.

use super::segment::{Segment, segments};
use super::token::{Kind, Token};
use super::{Frames, cue, hash, lexicon};
use crate::item::Span;

/// Words before a number or a date that let what comes earlier or is less, and what comes later or is more.
const EARLIER: &str = " before until till bis vor jusqu avant hasta antes ate ";
const LATER: &str = " after past from since ab nach seit depuis desde depois ";

/// The lines of `contrasts.txt` with the days of the week and the parts of a day.
const TIMES: u64 = 0b11 << 5;

/// So many bounds of a text are told.
const MOST: usize = 64;

/// On which side of a number something lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Side {
    /// By the words at the number.
    less: bool,
    /// With the negation around it: that what is to be lies below.
    upper: bool,
}

/// A number or a time that is a bound, by what it is compared by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounded {
    pub(crate) canon: u32,
    pub(crate) side: Side,
    /// The number with the word that makes it a bound.
    pub(crate) span: Span,
}

impl Side {
    /// Whether what is to be lies below the number, or may be it.
    pub(crate) fn is_upper(self) -> bool {
        self.upper
    }

    /// Whether two numbers bound the same; `None` if that depends on what is said about them.
    pub(crate) fn agrees(self, other: Side) -> Option<bool> {
        (self.upper == other.upper || self.less != other.less).then_some(self.upper == other.upper)
    }
}

impl Frames<'_> {
    /// Whether a segment begins with "before", or with "after".
    pub(crate) fn earlier(&self, segment: &Segment) -> Option<bool> {
        match self.word_at(segment.from) {
            "before" | "Before" | "prior" | "Prior" => Some(true),
            "after" | "After" | "once" | "Once" | "following" => Some(false),
            _ => None,
        }
    }

    /// Whether a word is a number, a time of day or a day, which may be a bound.
    pub(crate) fn bounds(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        token.kind == Kind::Number
            || (self.word(token).contains(':') && self.word(token).starts_with(|c: char| c.is_ascii_digit()))
            || lexicon().classes(token.canon) & TIMES != 0
    }

    /// Whether a word is one of a list.
    fn is_of(&self, at: usize, list: &str) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == Kind::Word && list.split(' ').any(|word| hash(word) == token.exact))
    }

    /// The bounds of a text, in order.
    pub(crate) fn bounded(&self) -> Vec<Bounded> {
        let mut out = Vec::new();
        for unit in &self.units {
            for segment in segments(self, unit.from, unit.to, cue::MORE | cue::LESS) {
                for at in (segment.from..segment.to).filter(|at| self.bounds(*at)) {
                    let Some((side, token)) = self.side(&segment, at).zip(self.tokens.get(at)) else { continue };
                    let near = |cued: &&Token| cued.is(cue::LESS | cue::MORE);
                    let ahead = self.range(segment.from.max(at.saturating_sub(5)), at).iter().rev().find(near);
                    if out.len() < MOST {
                        let start = ahead.map_or(token.start, |cued| cued.start);
                        out.push(Bounded { canon: token.canon, side, span: Span::new(start, token.end) });
                    }
                }
            }
        }
        out
    }

    /// On which side of a number in a segment things are to be; `None` if it is no bound.
    pub(crate) fn side(&self, segment: &Segment, at: usize) -> Option<Side> {
        let number = |at: usize| self.bounds(at);
        let gap = |at: usize| self.tokens.get(at).is_some_and(|token| token.is(cue::PART)) || self.word_at(at) == "the";
        let before = (segment.from..at).rev().find(|at| !gap(*at) && !self.tokens.get(*at).is_some_and(|token| token.is(cue::GENERIC)))?;
        let word = self.word_at(before);
        // "between 2 and 8", "2 to 8"
        let first = |at: usize| (at.saturating_sub(3)..at).rev().find(|at| number(*at));
        let pair = |first: usize| matches!(self.word_at(first.saturating_sub(1)), "between" | "Between" | "from") || word == "to";
        if matches!(word, "and" | "to") && first(before).is_some_and(pair) {
            return Some(Side { less: true, upper: true });
        }
        let next = (at + 1..at + 4).find(|at| matches!(self.word_at(*at), "and" | "to"));
        if (word == "between" || word == "Between") || next.is_some_and(|next| self.word_at(next) == "to" && (number(next + 1))) {
            return Some(Side { less: false, upper: false });
        }
        let near = |token: &&Token| token.is(cue::LESS | cue::MORE);
        let ahead = self.range(segment.from.max(at.saturating_sub(5)), at).iter().rev().find(near);
        // "… 3 boxes or more", where words have no gaps a few signs further
        let reach = if self.tokens.get(at + 1).is_some_and(|token| token.kind == Kind::Glyph) { 9 } else { 5 };
        let behind = self.range(at + 1, (at + reach).min(self.tokens.len())).iter().find(near);
        let side = |less: bool, whole: bool| Some(Side { less, upper: if whole { less } else { less != segment.negated } });
        let (found, after) = match (ahead, behind) {
            (Some(found), _) => (found, false),
            (None, Some(found)) => (found, true),
            _ if self.is_of(before, EARLIER) => return side(true, false),
            _ if self.is_of(before, LATER) => return side(false, false),
            _ => return None,
        };
        // "no later than 5 days before" counts back
        let back = (at + 1..at + 6).any(|at| matches!(self.word_at(at), "ahead" | "advance" | "before" | "beforehand" | "prior"));
        let place = self.range(segment.from.max(at.saturating_sub(5)), (at + 7).min(self.tokens.len()));
        if back && place.iter().any(|token| matches!(self.word(token), "later" | "earlier" | "latest" | "earliest" | "sooner")) {
            return None;
        }
        // "at most 3" is a bound by itself, "more than 3" is one under a negation
        let adds = matches!(self.word(found), "or" | "oder") || found.kind == Kind::Glyph;
        side(found.is(cue::LESS), found.is(cue::ONLY) && !(after && adds))
    }
}
