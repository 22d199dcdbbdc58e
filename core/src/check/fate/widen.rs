//! What a restatement adds that lets more through than the rule: another exception, a permission behind "but", a hedge.

use super::probe::{Probe, says};
use crate::text::frame::{Frames, Token, Unit, cue};
use crate::text::words::listed;

/// Words behind which something else is said than before.
const CONTRAST: &str = "but although though yet however while whereas aber doch obwohl mais pero mas aunque";

/// Words that let something be.
const LETS: &str = "fine ok okay alright unproblematic acceptable harmless possible allowed permitted tolerated free welcome";

/// Words that join one of several that will do.
const OR: &str = "or oder ou o";

/// What is less than "too much" is not nothing: adverbs without the ending "-ly".
const DEGREES: &str = "much many often far long hard high big loud";

/// Whether the clauses from the first to the last let more through than the rule.
pub(super) fn widened(probe: &Probe<'_>, text: &Frames<'_>, (first, last): (usize, usize)) -> bool {
    let next = text.units.get(last + 1);
    let Some((first, last)) = text.units.get(first).zip(text.units.get(last)) else { return false };
    if next.is_some_and(|next| next.block == last.block && excepts(probe, text, next)) {
        return true;
    }
    let said = Words { frames: text, from: first.from, to: last.to };
    let rule = Words { frames: &probe.frames, from: 0, to: probe.frames.tokens.len() };
    (said.from..said.to).any(|at| {
        (said.is(at, OR) && said.alternative(probe, at) && !rule.any(OR))
            || (said.is(at, CONTRAST) && said.lets(at) && probe.cues & cue::MAY == 0 && !rule.any(LETS))
            || (said.hedges(at) && !rule.any("so too"))
    })
}

/// Whether the sentence behind a prohibition lets some of it be: "For small ones a quick fix is okay all the same."
fn excepts(probe: &Probe<'_>, text: &Frames<'_>, next: &Unit) -> bool {
    let said = Words { frames: text, from: next.from, to: next.to.min(next.from + 40) };
    let tokens = text.range(said.from, said.to);
    let acts = |token: &Token| probe.parts.iter().any(|part| part.canon == token.canon && part.denied && part.weight > 1);
    let lets = tokens.iter().any(|token| token.is(cue::MAY)) || said.any(LETS);
    probe.cues & (cue::NEG | cue::BAN) != 0
        && probe.cues & cue::MAY == 0
        && tokens.iter().any(acts)
        && lets
        && !tokens.iter().any(|token| token.is(cue::STRICT))
        && !next.question
}

/// A stretch of words.
struct Words<'w, 't> {
    frames: &'w Frames<'t>,
    from: usize,
    to: usize,
}

impl Words<'_, '_> {
    fn is(&self, at: usize, list: &str) -> bool {
        at < self.to && listed(list, &self.frames.word_at(at).to_ascii_lowercase())
    }

    fn any(&self, list: &str) -> bool {
        (self.from..self.to).any(|at| self.is(at, list))
    }

    /// Where the clause ends that goes on behind a word.
    fn end(&self, at: usize, pauses: &[char]) -> usize {
        let pause = |next: &usize| {
            let end = self.frames.tokens.get(next - 1).map_or(0, |token| token.end);
            let gap = self.frames.tokens.get(*next).and_then(|token| self.frames.text.get(end..token.start));
            gap.is_none_or(|gap| gap.contains(pauses))
        };
        (at + 1..self.to).find(pause).unwrap_or(self.to)
    }

    /// Whether "or" adds to an exception or a condition one of which the rule does not speak.
    fn alternative(&self, probe: &Probe<'_>, or: usize) -> bool {
        let gated = self.frames.range(self.from.max(or.saturating_sub(12)), or).iter().any(|token| token.is(cue::COND | cue::EXC));
        let own = |token: &Token| probe.own.iter().any(|own| own.0 == token.canon);
        let other = self.frames.range(or + 1, self.end(or, &[',', ';', ':', '.', '(', ')', '\n']));
        let means = |token: &&Token| says(token) && !token.is(cue::STOP);
        gated && other.iter().any(|token| means(&token)) && !other.iter().filter(means).any(own)
    }

    /// Whether what stands behind a contrast lets something be.
    fn lets(&self, at: usize) -> bool {
        let behind = (at + 1, self.end(at, &[';', ':', '.', '\n']));
        let refuses = self.frames.range(behind.0, behind.1).iter().any(|token| token.is(cue::STRICT));
        !refuses && (behind.0..behind.1).any(|at| self.is(at, LETS) || self.frames.tokens.get(at).is_some_and(|token| token.is(cue::MAY)))
    }

    /// "in ten minutes or so", "should not weigh too heavily".
    fn hedges(&self, at: usize) -> bool {
        let too = || {
            let next = self.frames.word_at(at + 1);
            let denied = self.frames.range(self.from.max(at.saturating_sub(4)), at).iter().any(|token| token.is(cue::NEG));
            self.is(at, "too") && denied && (next.ends_with("ly") || listed(DEGREES, next))
        };
        (self.is(at, "or") && self.is(at + 1, "so") && self.end(at + 1, &[',', ';', '.', ')']) == at + 2) || too()
    }
}
