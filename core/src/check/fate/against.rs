//! The sentences of a text that go against rules: what a commit takes out of a summary.
//!
//! Stricter than a fate: only a plain statement counts that lifts, permits or reverses what a rule says. What happened, what
//! was asked or quoted, a table, and what the user is reported to want are left alone.

use super::loose::{self, Passage};
use super::near;
use super::probe::Probe;
use super::read::{bounds, read};
use super::{FateKind as Fate, align, by_words};
use crate::item::Span;
use crate::text::frame::{Frames, Gate, Kind, Token, Unit, cue, segments};
use crate::text::words::listed;

/// Least share of a rule's weight that its contradiction speaks of, in per cent.
const SHARE: u32 = 30;

/// Words of a clause that are looked at.
const READ: usize = 400;

/// The sentences that contradict a rule, with the places of the rules; each pair once, in the order of the rules.
///
/// ```
/// use standfast::check::fate::{Probe, Text, contradictions};
/// let rules = [Probe::of("Never delete rows from `billing`."), Probe::of("Refunds above 200 EUR need the consent of Ada.")];
/// let text = "Three rows are old. Rows in billing may be deleted at any time. Refunds work.";
/// let found = contradictions(&rules, &Text::of(text));
/// assert_eq!(found.len(), 1);
/// assert_eq!((found[0].0, found[0].1.of(text)), (0, "Rows in billing may be deleted at any time."));
/// ```
#[must_use]
pub fn contradictions(rules: &[Probe<'_>], text: &Frames<'_>) -> Vec<(usize, Span)> {
    let mut out = Vec::new();
    for (index, probe) in rules.iter().enumerate() {
        for unit in of(probe, text) {
            let (first, last) = sentence(text, unit);
            let span = text.span(first, last);
            // what states another rule in force goes against none
            let stated = || {
                let own = Frames::of(span.of(text.text));
                rules.iter().any(|rule| matches!(by_words(rule, &own).0.kind, Fate::Preserved | Fate::Paraphrased))
            };
            if !out.contains(&(index, span)) && !stated() {
                out.push((index, span));
            }
        }
    }
    out
}

/// The first and last clause of the sentence of a clause.
fn sentence(text: &Frames<'_>, unit: usize) -> (usize, usize) {
    let joined = |at: usize| text.units.get(at).is_some_and(|unit| unit.joined);
    let (mut first, mut last) = (unit, unit);
    while joined(first) && first > 0 {
        first -= 1;
    }
    while joined(last + 1) {
        last += 1;
    }
    (first, last)
}

/// The clauses that go against one rule, in no order.
fn of(probe: &Probe<'_>, text: &Frames<'_>) -> Vec<usize> {
    let mut out = Vec::new();
    for from in text.runs(&probe.frames) {
        let found = near::guarded(probe, text, (from, from + probe.frames.tokens.len()));
        if found.kind == Fate::Contradicted
            && matches!(found.detail, "revoked" | "negated")
            && let Some((first, last)) = found.at
        {
            out.extend((first..=last).filter(|unit| plain(probe, text, *unit)));
        }
    }
    if !probe.sound() {
        return out;
    }
    for window in align::windows(probe, text) {
        if let Some(found) = near::compare(probe, text, window)
            && let Some((first, last)) = found.at
            && against(probe, text, found.detail, (first, last))
        {
            let told = !matches!(found.detail, "revoked" | "negated" | "permitted");
            out.extend((first..=last).filter(|unit| plain(probe, text, *unit) && !(told && past(text, *unit))));
        }
    }
    for passage in loose::clauses(probe, text, SHARE) {
        if plain(probe, text, passage.first) && speaks(probe, &passage) && lifts(probe, text, &passage) {
            out.push(passage.first);
        }
    }
    if out.is_empty() {
        out.extend(whole(probe, text));
    }
    out
}

/// Whether a verdict on a repetition of the rule means that the opposite is said, or another bound.
fn against(probe: &Probe<'_>, text: &Frames<'_>, detail: &str, at: (usize, usize)) -> bool {
    let bounds = || bounds(probe, text, at);
    match detail {
        "revoked" | "negated" | "permitted" | "polarity-flipped" => true,
        "comparator-changed" => bounds().turned,
        "number-changed" => bounds().other,
        _ => false,
    }
}

/// Whether a passage names what the rule is about, and something of what it says about it.
fn speaks(probe: &Probe<'_>, passage: &Passage) -> bool {
    let met = |needed: bool| {
        let parts = probe.parts.iter().enumerate().filter(|(_, part)| part.needed == needed && part.weight > 1);
        parts.fold((0, 0), |(met, all), (index, _)| (met + usize::from(passage.has(index)), all + 1))
    };
    let ((named, names), (said, _)) = (met(true), met(false));
    (said > 1 || (said > 0 && passage.share >= 45)) && (named > 0 || names == 0 || passage.share >= 60)
}

/// The clauses of the passage that a fate was found contradicted by.
fn whole(probe: &Probe<'_>, text: &Frames<'_>) -> Vec<usize> {
    let Some(passage) = loose::best(probe, text).filter(|passage| passage.share >= SHARE && speaks(probe, passage)) else {
        return Vec::new();
    };
    let found = loose::compare(probe, text);
    if found.kind != Fate::Contradicted {
        return Vec::new();
    }
    let told = found.detail == "polarity-flipped";
    let forbids = probe.cues & (cue::NEG | cue::BAN | cue::ONLY) != 0;
    // a language without word gaps has few signs: what is asked for without a negation
    if told && probe.parts.iter().any(|part| part.kind == Kind::Glyph) {
        let asks = |unit: &usize| text.units.get(*unit).is_some_and(|unit| forbids && asks(text, unit)) && plain(probe, text, *unit);
        return if passage.share < 60 { Vec::new() } else { (passage.first..=passage.last).filter(asks).collect() };
    }
    let against = cue::REVOKE | if forbids { cue::MAY | cue::MUST } else { cue::NEG | cue::BAN };
    // a statement of fact that has only the things of the rule goes against nothing
    let acts = probe.parts.iter().position(|part| part.verb && !part.gated).is_none_or(|verb| passage.has(verb));
    let turns = |unit: usize| {
        text.units.get(unit).is_some_and(|unit| {
            let verb = forbids
                && acts
                && tokens(text, unit).iter().any(|token| STANDING.contains(&text.word(token)) || text.word(token).ends_with('s'));
            ours(probe, text, unit, against) || (verb && ours(probe, text, unit, !0))
        })
    };
    let units = passage.first..=passage.last;
    units.filter(|unit| plain(probe, text, *unit) && turns(*unit) && !(told && (past(text, *unit) || noted(text, *unit)))).collect()
}

/// Whether a clause without word gaps asks for something or permits it, and negates nothing.
fn asks(text: &Frames<'_>, unit: &Unit) -> bool {
    const ASKS: &[&str] = &["ください", "下さい", "こと", "なさい", "せよ", "请", "請", "세요", "십시오", "시오"];
    let has = |cues: u32| tokens(text, unit).iter().any(|token| token.is(cues));
    let said = text.text.get(unit.start..unit.end).unwrap_or_default();
    !has(cue::NEG | cue::BAN | cue::ONLY | cue::SUSPECT) && (has(cue::MAY) || ASKS.iter().any(|word| said.contains(word)))
}

/// Whether a clause only says that there is a rule.
fn noted(text: &Frames<'_>, at: usize) -> bool {
    text.units.get(at).is_some_and(|unit| tokens(text, unit).iter().any(|token| token.is(cue::RESIDUE)))
}

fn tokens<'a>(text: &'a Frames<'_>, unit: &Unit) -> &'a [Token] {
    text.range(unit.from, unit.to.min(unit.from + READ))
}

/// Words for people whose reported wish is theirs to have.
const OWNERS: &str = "user User operator customer client he she they He She They";

/// Words of a report of what somebody wants or said.
const WISHES: &str = "asked asks wants wanted would wishes wished requested requests wondered said says suggested thinks hopes";

/// Whether a clause states something itself.
fn plain(probe: &Probe<'_>, text: &Frames<'_>, at: usize) -> bool {
    let Some(unit) = text.units.get(at) else { return false };
    let tokens = tokens(text, unit);
    let quoted = tokens.iter().filter(|token| token.is(cue::QUOTED)).count();
    let row = text.text.get(unit.start..unit.end).is_some_and(|body| body.contains('|'));
    let owner = tokens.iter().take(12).position(|token| listed(OWNERS, text.word(token)));
    let wish = owner.is_some_and(|at| tokens.iter().skip(at + 1).take(3).any(|token| listed(WISHES, text.word(token))));
    let known = |token: &Token| probe.parts.iter().any(|part| part.canon == token.canon);
    let told = tokens.iter().take(8).any(|token| token.is(cue::UNREAL | cue::SAID) && !known(token));
    !(unit.question || unit.heading || row || wish || told || quoted * 2 > tokens.len())
}

/// Words of a clause that tells what happened.
const PAST: &[&str] = &["was", "were", "had", "did", "went", "got", "been"];

/// Words of a clause that tells how it is to be.
const STANDING: &[&str] =
    &["is", "are", "will", "never", "do", "don't", "does", "doesn't", "shall", "always", "applies", "apply", "needs", "has", "have"];

/// Whether a clause only tells what happened.
fn past(text: &Frames<'_>, at: usize) -> bool {
    let Some(unit) = text.units.get(at) else { return false };
    let tokens = tokens(text, unit);
    let word = |words: &[&str]| tokens.iter().any(|token| words.contains(&text.word(token).to_ascii_lowercase().as_str()));
    let ended = tokens.iter().any(|token| text.word(token).ends_with("ed") && token.speaks());
    (word(PAST) || ended) && !word(STANDING) && !tokens.iter().any(|token| token.is(cue::MUST | cue::MAY | cue::REVOKE))
}

/// Whether a stretch of a clause that speaks of the rule has one of some cues.
fn ours(probe: &Probe<'_>, text: &Frames<'_>, unit: &Unit, cues: u32) -> bool {
    let segments = segments(text, unit.from, unit.to.min(unit.from + READ), probe.limit);
    segments.iter().any(|segment| {
        let known = |token: &Token| probe.parts.iter().any(|part| part.canon == token.canon && part.weight > 1);
        segment.gate != Gate::Relative && segment.cues & cues != 0 && text.range(segment.from, segment.to).iter().any(known)
    })
}

/// Whether a clause lifts or reverses the rule.
fn lifts(probe: &Probe<'_>, text: &Frames<'_>, passage: &Passage) -> bool {
    let read = read(probe, text, passage);
    let Some(unit) = text.units.get(passage.first) else { return false };
    if !read.revoked && !read.permits && (read.suspect || noted(text, passage.first)) {
        return false;
    }
    let ours = |cues: u32| ours(probe, text, unit, cues);
    let forbids = probe.cues & (cue::NEG | cue::BAN | cue::ONLY) != 0;
    let numbers = read.numbers == 0 || read.cues & cue::REVOKE != 0;
    (read.revoked && ours(cue::REVOKE | cue::NEG) && numbers)
        || (read.permits && forbids && probe.cues & cue::MAY == 0 && read.turned > 45)
        || (bounds(probe, text, (passage.first, passage.first)).turned && passage.share >= 60 && !past(text, passage.first))
        || (read.turned > 60 && passage.share >= 60 && ours(cue::MUST | cue::MAY | cue::NEG | cue::BAN) && !past(text, passage.first))
}
