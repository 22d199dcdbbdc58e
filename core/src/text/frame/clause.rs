//! The frame of a clause: its force, what it is about, and under which conditions.

use super::segment::{Gate, Segment, segments};
use super::token::{Kind, Token};
use super::{Frames, Unit, cue};
use crate::text::words::listed;

/// How strongly a clause binds, the strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Force {
    /// It must not be.
    Prohibit,
    /// It must be.
    Oblige,
    /// Only this, nobody else.
    Exclusive,
    /// Up to or from a number.
    Limit,
    /// Not before or without something else.
    Precondition,
    /// It may be.
    Permit,
    /// It would be good.
    Advise,
    /// Stated, without force.
    None,
}

/// Who is spoken to or about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    /// Nobody is named: an order.
    Imperative,
    /// You, we, the agent.
    Agent,
    /// Somebody or something else.
    Other,
}

/// On which side of a number what is meant lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// At most, under, within.
    Upper,
    /// At least, above, more than.
    Lower,
    /// The number itself.
    Exact,
}

/// A number with its unit and comparator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quantity<'t> {
    /// In thousandths.
    pub value: u64,
    /// The word behind it.
    pub unit: Option<&'t str>,
    /// Its comparator.
    pub bound: Bound,
}

/// What a clause says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame<'t> {
    /// The clause.
    pub text: &'t str,
    /// How strongly it binds.
    pub force: Force,
    /// Whether its statement stands under a negation or a ban.
    pub denied: bool,
    /// Whom it is about.
    pub agent: Agent,
    /// What is done: the first word behind the operator that says something.
    pub predicate: Option<&'t str>,
    /// The other words that say something, outside conditions and exceptions.
    pub objects: Vec<&'t str>,
    /// Identifiers and names.
    pub idents: Vec<&'t str>,
    /// Numbers.
    pub numbers: Vec<Quantity<'t>>,
    /// Stretches behind "if", "when", "before".
    pub conditions: Vec<&'t str>,
    /// Stretches behind "unless", "except", "without".
    pub exceptions: Vec<&'t str>,
}

/// Words for the agent itself.
const SELF: &str = "you we i agent assistant du sie wir vous nous usted voce";

impl<'t> Frames<'t> {
    /// The frames of all clauses, in order.
    ///
    /// ```
    /// # use standfast::text::frame::{Force, Frames};
    /// let text = "Never delete rows from `billing`. Refunds are paid within 14 days.";
    /// let frames = Frames::of(text).frames();
    /// assert_eq!((frames[0].force, frames[0].predicate), (Force::Prohibit, Some("delete")));
    /// assert_eq!((frames[1].force, frames[1].numbers[0].unit), (Force::Limit, Some("days")));
    /// ```
    #[must_use]
    pub fn frames(&self) -> Vec<Frame<'t>> {
        self.units.iter().map(|unit| self.frame(unit)).collect()
    }

    fn frame(&self, unit: &Unit) -> Frame<'t> {
        let segments = segments(self, unit.from, unit.to, cue::MORE);
        let cues = segments.iter().fold(0, |cues, segment| cues | segment.cues);
        let denied = segments.iter().any(|segment| segment.denied && segment.gate == Gate::None);
        let mut frame = Frame {
            text: self.text.get(unit.start..unit.end).unwrap_or_default().trim(),
            force: force(cues, denied, segments.iter().any(|segment| segment.gate == Gate::Required), self.range(unit.from, unit.to)),
            denied,
            agent: Agent::Imperative,
            predicate: None,
            objects: Vec::new(),
            idents: Vec::new(),
            numbers: Vec::new(),
            conditions: Vec::new(),
            exceptions: Vec::new(),
        };
        for segment in &segments {
            self.fill(&mut frame, segment);
        }
        frame
    }

    fn fill(&self, frame: &mut Frame<'t>, segment: &Segment) {
        let span = |from: usize, to: usize| {
            let (first, last) = (self.tokens.get(from)?, self.tokens.get(to.checked_sub(1)?)?);
            self.text.get(first.start..last.end)
        };
        let whole = span(segment.from, segment.to).unwrap_or_default();
        let main = match segment.gate {
            Gate::None | Gate::Relative => true,
            Gate::Unless => {
                frame.exceptions.push(whole);
                false
            }
            Gate::If | Gate::Until | Gate::Required => {
                frame.conditions.push(whole);
                false
            }
        };
        let mut bound = Bound::Exact;
        for (at, token) in self.range(segment.from, segment.to).iter().enumerate() {
            let word = self.word(token);
            if token.is(cue::LESS) {
                bound = Bound::Upper;
            } else if token.is(cue::MORE) {
                bound = Bound::Lower;
            }
            if main && frame.predicate.is_none() && frame.agent == Agent::Imperative {
                frame.agent = match listed(SELF, word.to_ascii_lowercase().as_str()) {
                    true => Agent::Agent,
                    false if token.is(cue::MUST | cue::MAY | cue::NEG) && !frame.objects.is_empty() => Agent::Other,
                    false => Agent::Imperative,
                };
            }
            match token.kind {
                Kind::Number => {
                    let unit = self.tokens.get(segment.from + at + 1).filter(|next| next.kind == Kind::Word && !next.is(cue::STOP));
                    frame.numbers.push(Quantity { value: token.value, unit: unit.map(|unit| self.word(unit)), bound });
                    bound = Bound::Exact;
                }
                Kind::Ident => frame.idents.push(word),
                _ if token.is(cue::NAME) => frame.idents.push(word),
                _ if !main || !token.speaks() => {}
                _ if frame.predicate.is_none() && (segment.cues & cue::STRICT == 0 || self.operated(segment.from + at)) => {
                    frame.predicate = Some(word)
                }
                _ => frame.objects.push(word),
            }
        }
    }

    /// Whether an operator stands right before a word.
    fn operated(&self, at: usize) -> bool {
        let before = self.range(at.saturating_sub(3), at);
        before.iter().any(|token| token.is(cue::NEG | cue::MUST | cue::MAY | cue::ONLY | cue::BAN | cue::SOFT))
    }
}

fn force(cues: u32, denied: bool, waits: bool, tokens: &[Token]) -> Force {
    let has = |bits: u32| cues & bits != 0;
    let bounded = has(cue::LESS | cue::MORE) && tokens.iter().any(|token| token.kind == Kind::Number);
    if has(cue::SOFT) {
        Force::Advise
    } else if waits {
        Force::Precondition
    } else if denied {
        Force::Prohibit
    } else if has(cue::ONLY | cue::MUST) && bounded {
        Force::Limit
    } else if has(cue::ONLY) {
        Force::Exclusive
    } else if has(cue::MUST) {
        Force::Oblige
    } else if has(cue::MAY) {
        Force::Permit
    } else {
        Force::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> Frame<'_> {
        Frames::of(text).frames().remove(0)
    }

    #[test]
    fn forces_are_told_apart() {
        for (text, force) in [
            ("Never push to main.", Force::Prohibit),
            ("You must log every call.", Force::Oblige),
            ("Only Ada may unlock the vault.", Force::Exclusive),
            ("Use at most 3 retries.", Force::Limit),
            ("Never deploy without approval.", Force::Precondition),
            ("You may restart workers.", Force::Permit),
            ("Prefer small commits.", Force::Advise),
            ("The sky is blue.", Force::None),
            ("Lösche niemals Rechnungen.", Force::Prohibit),
            ("严禁删除账单。", Force::Prohibit),
        ] {
            assert_eq!(first(text).force, force, "{text}");
        }
    }

    #[test]
    fn the_slots_are_filled() {
        let frame = first("You must not refund more than 200 EUR to R-5501 before Nadia agrees, unless the order was cancelled.");
        assert_eq!((frame.agent, frame.predicate), (Agent::Agent, Some("refund")));
        assert_eq!(frame.numbers, [Quantity { value: 200_000, unit: Some("EUR"), bound: Bound::Lower }]);
        assert_eq!((frame.conditions, frame.exceptions), (vec!["before Nadia agrees"], vec!["unless the order was cancelled"]));
        assert!(frame.idents.contains(&"R-5501") && frame.idents.contains(&"Nadia"));
    }
}
