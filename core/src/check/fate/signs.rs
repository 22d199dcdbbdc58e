//! A rule in a script without word gaps, in other words: its signs are compared, as there are no words to compare.

use super::loose::Passage;
use super::probe::{Probe, says};
use super::read::Read;
use crate::text::frame::{Frames, Kind, Token, cue};

/// Least share of the signs of a rule that a restatement has, in per cent.
const SHARE: usize = 58;

/// Most pairs of signs that are compared with each other.
const MOST: usize = 400;

/// Figures in words.
const FIGURES: &str = "二两三四五六七八九十百千万半";

/// Whether a passage has most signs of the rule, its numbers and names, and force of the same side.
pub(super) fn restated(probe: &Probe<'_>, text: &Frames<'_>, passage: &Passage, read: &Read) -> bool {
    let forbids = probe.cues & (cue::NEG | cue::BAN) != 0;
    let bounded = read.cues & (cue::ONLY | cue::LESS) != 0;
    let held = !forbids || read.cues & (cue::NEG | cue::BAN | cue::ONLY) != 0;
    let opens = read.suspect || (read.permits && !bounded) || (probe.cues & cue::LESS != 0 && !bounded);
    let needed = probe.parts.iter().enumerate().all(|(index, part)| !part.needed || passage.has(index));
    let only = probe.cues & cue::ONLY == 0 || read.cues & (cue::ONLY | cue::NEG | cue::BAN) != 0;
    if opens || !held || !only || !needed || read.comparator || read.numbers + read.idents + read.names > 0 {
        return false;
    }
    let units = text.units.get(passage.first..=passage.last).unwrap_or_default();
    let Some((first, last)) = units.first().zip(units.last()) else { return false };
    let said = text.range(first.from, last.to);
    let rule = probe.frames.range(0, probe.reason);
    if other_unit(rule, said) || exchanged(rule, said) {
        return false;
    }
    let (mut all, mut met) = (0, 0);
    for (at, token) in rule.iter().enumerate().filter(|(_, token)| token.kind == Kind::Glyph && says(token)) {
        let stands = said.iter().any(|other| other.key == token.key);
        let figure = FIGURES.contains(probe.frames.word(token));
        if !stands && (figure || answered(rule, at, said, text)) {
            return false;
        }
        all += 1;
        met += usize::from(stands);
    }
    let new = |token: &Token| FIGURES.contains(text.word(token)) && !rule.iter().any(|other| other.key == token.key);
    met * 100 >= all * SHARE && !said.iter().any(|token| token.kind == Kind::Glyph && new(token))
}

/// Whether another sign follows a number of the rule than there: "10秒" for "10分".
fn other_unit(rule: &[Token], said: &[Token]) -> bool {
    let unit = |pair: &[Token], number: u32| match pair {
        [a, b] if a.kind == Kind::Number && a.canon == number && b.kind == Kind::Glyph => Some(b.key),
        _ => None,
    };
    rule.windows(2).filter_map(|pair| pair.first().and_then(|a| unit(pair, a.canon).map(|key| (a.canon, key)))).any(|(number, key)| {
        let mut units = said.windows(2).filter_map(|pair| unit(pair, number)).peekable();
        units.peek().is_some() && units.all(|other| other != key)
    })
}

/// Whether two of a kind have changed places: "the elder daughter … the elder son", in pairs of signs with the same first one.
fn exchanged(rule: &[Token], said: &[Token]) -> bool {
    let pairs = |tokens: &[Token]| -> Vec<(u32, u32)> {
        let glyphs = |pair: &[Token]| match pair {
            [a, b] if a.kind == Kind::Glyph && b.kind == Kind::Glyph && says(a) && says(b) => Some((a.key, b.key)),
            _ => None,
        };
        tokens.windows(2).take(MOST).filter_map(glyphs).collect()
    };
    let (own, met) = (pairs(rule), pairs(said));
    let first = |pair: &(u32, u32)| met.iter().position(|other| other == pair);
    own.iter().enumerate().any(|(at, one)| {
        let like = |other: &&(u32, u32)| other.0 == one.0 && other.1 != one.1;
        own.iter().skip(at + 1).filter(like).any(|other| first(one).zip(first(other)).is_some_and(|(a, b)| b < a))
    })
}

/// Whether another sign follows the two that a lost one follows: one of a name may have been changed.
fn answered(rule: &[Token], at: usize, said: &[Token], text: &Frames<'_>) -> bool {
    let Some([one, two]) = at.checked_sub(2).and_then(|from| rule.get(from..at)) else { return false };
    let other = |found: &[Token]| {
        matches!(found, [a, b, c] if a.key == one.key && b.key == two.key && says(c) && c.kind == Kind::Glyph
            && !"一同也".contains(text.word(c)) && !rule.iter().any(|token| token.key == c.key))
    };
    says(one) && says(two) && said.windows(3).any(other)
}
