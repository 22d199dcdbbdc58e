//! On which side of its numbers a clause lets things be.

use super::segment::Segment;
use super::token::{Kind, Token};
use super::{Frames, cue};

/// Words before a number or a date that let what comes earlier or is less, and what comes later or is more.
const EARLIER: &[&str] = &["before", "Before", "until", "Until", "till"];
const LATER: &[&str] = &["after", "After", "past"];

/// On which side of a number something lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Side {
    /// By the words at the number.
    less: bool,
    /// With the negation around it: that what is to be lies below.
    upper: bool,
}

impl Side {
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

    /// On which side of a number in a segment things are to be; `None` if it is no bound.
    pub(crate) fn side(&self, segment: &Segment, at: usize) -> Option<Side> {
        let number = |at: usize| self.tokens.get(at).is_some_and(|token| token.kind == Kind::Number);
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
        let behind = self.range(at + 1, (at + 5).min(self.tokens.len())).iter().find(near);
        let side = |less: bool, whole: bool| Some(Side { less, upper: if whole { less } else { less != segment.negated } });
        let (found, after) = match (ahead, behind) {
            (Some(found), _) => (found, false),
            (None, Some(found)) => (found, true),
            _ if EARLIER.contains(&word) => return side(true, false),
            _ if LATER.contains(&word) => return side(false, false),
            _ => return None,
        };
        // "no later than 5 days before" counts back
        let back = (at + 1..at + 6).any(|at| matches!(self.word_at(at), "ahead" | "advance" | "before" | "beforehand" | "prior"));
        let place = self.range(segment.from.max(at.saturating_sub(5)), (at + 7).min(self.tokens.len()));
        if back && place.iter().any(|token| matches!(self.word(token), "later" | "earlier" | "latest" | "earliest" | "sooner")) {
            return None;
        }
        // "at most 3" is a bound by itself, "more than 3" is one under a negation
        side(found.is(cue::LESS), found.is(cue::ONLY) && !(after && self.word(found) == "or"))
    }
}
