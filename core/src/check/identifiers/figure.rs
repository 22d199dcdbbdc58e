//! The bound and the unit of a number that its source has too: "at least 40 rows" are neither "at most 40 rows" nor "at
//! least 40 files".

use super::super::lexicon::{EMPTY, classes};
use super::super::stems::{Stem, count, has_digit, is_number, listed, sorted, stem, stems};
use super::index::{measured, number_of, number_span};
use super::token::Token;
use super::{Fault, Finding, Judge, NUMBERED, value};
use crate::item::Span;
use crate::text::frame::{Bounded, Frames};
use crate::text::words::next_word;
use crate::trust::Trust;

/// Where a number stands in a source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Figure<'a> {
    pub(super) text: &'a str,
    pub(super) span: Span,
    pub(super) trust: Trust,
}

/// How far around a number its sentence is read, in bytes.
const AROUND: usize = 240;

/// Words of what is counted.
const COUNTED: usize = 3;

/// Short names of units; other units are plurals.
const MEASURES: &str = " a bar bars c cl cm f g gal ghz gw hl hpa hz j k kg khz kj km kn kpa kv kw kwh l lb lbs m ma mbar mg mhz ml mm mpa mv mw mwh n nm oz \
    pa ppm psi px rpm t ton tonne v w ";

/// Before a number that is a name.
const NAMED: &str = " case code error http id issue line no number order page port room row status version ";

/// The sentence around a span.
fn sentence(text: &str, span: Span) -> Span {
    let (mut from, mut to) = (span.start.saturating_sub(AROUND), (span.end + AROUND).min(text.len()));
    while !text.is_char_boundary(from) {
        from += 1;
    }
    while !text.is_char_boundary(to) {
        to -= 1;
    }
    for mark in [". ", "; ", "! ", "? ", "\n", "。"] {
        from += text.get(from..span.start).and_then(|head| head.rfind(mark)).map_or(0, |at| at + mark.len());
        to = text.get(span.end..to).and_then(|tail| tail.find(mark)).map_or(to, |at| span.end + at);
    }
    Span::new(from, to)
}

/// What is counted by a number that ends there, and where that ends. In a source an article may stand between.
fn unit(text: &str, from: usize, through: bool) -> (Vec<Stem>, usize) {
    let (mut out, mut end, mut at) = (Vec::new(), from, from);
    for _ in 0..COUNTED {
        let Some(word) = next_word(text, at) else { break };
        let gap = text.get(at..word.start).unwrap_or_default();
        let letters = std::str::from_utf8(word.letters()).unwrap_or_default();
        if letters.is_empty() || has_digit(letters) || !gap.chars().all(|c| matches!(c, ' ' | '\u{a0}' | '-' | '*' | '`')) {
            break;
        }
        at = word.end;
        if classes(letters, "").0 & EMPTY == 0 {
            let plural = letters.len() > 3 && letters.ends_with('s') && !letters.ends_with("ss") && !letters.ends_with("us");
            if plural || listed(MEASURES, letters) {
                out.push(stem(letters));
                end = at;
            }
        } else if !through {
            break;
        }
    }
    (sorted(out), end)
}

/// The bound at a number.
fn bound(all: &[Bounded], number: Span) -> Option<&Bounded> {
    all.iter().find(|bound| number.start < bound.span.end && bound.span.end <= number.end)
}

impl<'a> Judge<'_, 'a> {
    /// How many words of what the summary says of a quantity a sentence of the source says of `origin`, and of how many.
    pub(super) fn shared(&self, token: &Token<'a>, origin: &str) -> (usize, usize) {
        let number = number_span(token);
        let mut topic = sorted(stems(sentence(self.summary, number).of(self.summary)));
        // neither the unit nor the bound says anything of what is measured
        let own = stems(bound(self.bounds(), number).map_or("", |bound| bound.span.of(self.summary)));
        let units = stems(token.text);
        let unit = stem(token.after);
        topic.retain(|stem| !is_number(*stem) && *stem != unit && !units.contains(stem) && !own.contains(stem));
        let amounts = value::quantity(number_of(origin));
        let figures = amounts.iter().flat_map(|amount| self.source.figures(amount.0));
        let said = figures.map(|figure| count(&sorted(stems(sentence(figure.text, figure.span).of(figure.text))), &topic));
        (said.max().unwrap_or(0), topic.len())
    }

    /// The bounds of the summary.
    fn bounds(&self) -> &[Bounded] {
        self.bounds.get_or_init(|| Frames::of(self.summary).bounded())
    }

    /// A number of the summary that every sentence of the source about the same has with another bound or unit.
    pub(super) fn figure(&self, token: &Token<'a>) -> Option<Finding<'a>> {
        let values = measured(token);
        let before = token.before.to_ascii_lowercase();
        if values.is_empty() || listed(NUMBERED, &before) || listed(NAMED, &before) {
            return None;
        }
        let number = number_span(token);
        let mine = bound(self.bounds(), number);
        let plain = values.iter().all(|value| value.1 == value::PLAIN);
        let (counted, end) = if plain { unit(self.summary, number.end, false) } else { (Vec::new(), number.end) };
        if mine.is_none() && counted.is_empty() {
            return None;
        }
        // what it is about: neither the unit, nor the bound, nor a name that may stand elsewhere in the source
        let own = stems(mine.map_or("", |bound| bound.span.of(self.summary)));
        let mut topic = sorted(stems(sentence(self.summary, number).of(self.summary)));
        topic.retain(|stem| !counted.contains(stem) && !own.contains(stem) && !is_number(*stem));
        let mut origins: Vec<&'a str> = Vec::new();
        let (mut best, mut at) = (Trust::External, number);
        let amounts = value::quantity(number_of(token.text));
        for Figure { text, span, trust } in amounts.iter().flat_map(|amount| self.source.figures(amount.0)) {
            let said = sentence(text, *span);
            let shared = count(&sorted(stems(said.of(text))), &topic);
            if shared < 2 || shared * 5 < topic.len() * 3 {
                continue;
            }
            let theirs = mine.map_or_else(Vec::new, |_| Frames::of(said.of(text)).bounded());
            let theirs = bound(&theirs, Span::new(span.start - said.start, span.end - said.start));
            let turned = mine.zip(theirs).filter(|(mine, theirs)| mine.side.agrees(theirs.side) == Some(false));
            let (other, last) = unit(text, span.end, true);
            let differs = !counted.is_empty() && !other.is_empty() && count(&other, &counted) == 0;
            let (here, there) = match turned {
                // as far as the word for it stands before the number
                Some((mine, theirs)) => (mine.span, Span::new(theirs.span.start + said.start, theirs.span.end + said.start)),
                None if differs => (Span::new(number.start, end), Span::new(span.start, last)),
                None => return None,
            };
            let before = |bound: Span, number: Span| bound.start < number.start;
            let restorable = turned.is_none() || (before(here, number) && before(there, *span) && !differs);
            at = here;
            if *trust > best {
                best = *trust;
                origins.clear();
            }
            let origin = if restorable { there.of(text) } else { "" };
            if *trust == best && !origins.contains(&origin) {
                origins.push(origin);
            }
        }
        let found = origins.first()?;
        if found.is_empty() {
            origins.clear();
        }
        Some(Finding { fault: Fault::Changed, text: at.of(self.summary), span: at, origins })
    }
}
