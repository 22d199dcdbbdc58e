//! A rule in other words: the clauses that speak of it, and whether they say all of it with its force.

use super::probe::{Probe, says};
use super::{Kind as Fate, Verdict};
use crate::text::frame::{Frames, Kind, Token, cue};

/// Most clauses in a row that one restatement takes.
const CLAUSES: usize = 3;

/// The clauses that speak most of a rule.
struct Passage {
    first: usize,
    last: usize,
    mask: u64,
    /// Share of the rule's weight, in per cent.
    share: u32,
}

/// What stands in a passage.
#[derive(Default, Debug)]
struct Read {
    cues: u32,
    revoked: bool,
    softened: bool,
    numbers: usize,
    idents: usize,
    names: usize,
    novel: usize,
    conditions: usize,
    past: bool,
}

pub(super) fn compare(probe: &Probe<'_>, text: &Frames<'_>) -> Verdict {
    let Some(passage) = best(probe, text) else { return Verdict { kind: Fate::Dropped, detail: "", at: None } };
    let at = (passage.first, passage.last);
    let has = |index: usize| passage.mask & (1 << index) != 0;
    let named = probe.parts.iter().enumerate().any(|(index, part)| has(index) && part.needed && part.kind != Kind::Number);
    if passage.share < 34 && !(named && passage.share >= 20) {
        return Verdict { kind: Fate::Dropped, detail: "", at: None };
    }
    let read = read(probe, text, &passage);
    let end = |kind, detail| Verdict::new(kind, detail, at);
    if read.revoked {
        return end(Fate::Contradicted, "revoked");
    }
    let strict = read.cues & cue::STRICT != 0;
    if read.cues & cue::MAY != 0 && !strict && probe.cues & (cue::NEG | cue::BAN) != 0 && probe.cues & cue::MAY == 0 {
        return end(Fate::Contradicted, "permitted");
    }
    if read.softened {
        return end(Fate::Weakened, "softened");
    }
    let missing = |test: fn(Kind) -> bool| probe.parts.iter().enumerate().any(|(index, part)| part.needed && !has(index) && test(part.kind));
    if missing(|kind| kind == Kind::Number) {
        return if read.numbers > 0 { end(Fate::Mutated, "number-changed") } else { end(Fate::Weakened, "generalised") };
    }
    if missing(|kind| kind == Kind::Ident) {
        return if read.idents > 0 { end(Fate::Mutated, "id-changed") } else { end(Fate::Weakened, "generalised") };
    }
    if missing(|_| true) {
        return if read.names > 0 { end(Fate::Mutated, "party-changed") } else { end(Fate::Weakened, "generalised") };
    }
    if probe.cues & cue::STRICT != 0 && !strict {
        return if read.past { end(Fate::Contradicted, "acted-against") } else { end(Fate::Weakened, "softened") };
    }
    if passage.share < 70 {
        return end(Fate::Weakened, "predicate-lost");
    }
    if read.conditions > 0 {
        return end(Fate::Weakened, "condition-changed");
    }
    end(Fate::Paraphrased, "")
}

/// The clause or clauses in a row with most of the rule, headings above included.
fn best(probe: &Probe<'_>, text: &Frames<'_>) -> Option<Passage> {
    let mut hits: Vec<(usize, u64)> = Vec::new();
    for (index, part) in probe.parts.iter().enumerate() {
        hits.extend(text.places(part.canon).map(|at| (text.unit_of(at), 1 << index)));
    }
    hits.sort_unstable();
    let mut masks: Vec<(usize, u64)> = Vec::new();
    for (unit, bit) in hits {
        match masks.last_mut() {
            Some(last) if last.0 == unit => last.1 |= bit,
            _ => masks.push((unit, bit)),
        }
    }
    let mask_of = |unit: usize| masks.binary_search_by_key(&unit, |mask| mask.0).ok().and_then(|at| masks.get(at)).map_or(0, |mask| mask.1);
    let mut best: Option<(u32, Passage)> = None;
    for (at, (first, own)) in masks.iter().enumerate() {
        let lead = text.units.get(*first).and_then(|unit| unit.lead).map_or(0, mask_of);
        let mut mask = own | lead;
        for (step, (last, more)) in masks.iter().skip(at).take(CLAUSES).enumerate() {
            if last - first >= CLAUSES {
                break;
            }
            mask |= more;
            let share = probe.weight(mask) * 100 / probe.total.max(1);
            let score = (share * 10).saturating_sub(u32::try_from(step).unwrap_or(0) * 60);
            if best.as_ref().is_none_or(|(top, _)| score > *top) {
                best = Some((score, Passage { first: *first, last: *last, mask, share }));
            }
        }
    }
    best.map(|(_, passage)| passage)
}

fn read(probe: &Probe<'_>, text: &Frames<'_>, passage: &Passage) -> Read {
    let mut read = Read::default();
    let ours = |token: &Token| probe.parts.iter().any(|part| part.canon == token.canon);
    let own: Vec<u32> = probe.frames.tokens.iter().map(|token| token.canon).collect();
    for unit in text.units.get(passage.first..=passage.last).unwrap_or_default() {
        let tokens = text.range(unit.from, unit.to);
        if !tokens.iter().any(ours) {
            continue;
        }
        for (at, token) in tokens.iter().enumerate() {
            read.cues |= token.cue;
            let told = own.contains(&token.canon);
            if token.is(cue::REVOKE) && !told {
                let before = tokens.get(at.saturating_sub(2)..at).unwrap_or_default();
                read.revoked |= !before.iter().any(|token| token.is(cue::NEG));
            }
            read.softened |= token.is(cue::SOFT) && !told;
            if !ours(token) && says(token) {
                match token.kind {
                    Kind::Number => read.numbers += 1,
                    Kind::Ident => read.idents += 1,
                    _ if token.is(cue::NAME) => read.names += 1,
                    _ => read.novel += 1,
                }
            }
        }
    }
    read
}
