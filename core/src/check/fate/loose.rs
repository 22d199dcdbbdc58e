//! A rule in other words: the clauses that speak of it, and whether they say all of it with its force.

use super::force::{Gate, Segment, segments};
use super::probe::{Probe, says};
use super::{Kind as Fate, Verdict};
use crate::text::frame::{Frames, Kind, Token, cue, lexicon};

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
    suspect: bool,
    /// The opposite of a word of the rule stands there, and not denied.
    opposed: bool,
    permits: bool,
    gates: bool,
    /// Numbers, identifiers and names that the rule does not have.
    numbers: usize,
    idents: usize,
    names: usize,
    /// Other words that the rule does not have.
    novel: usize,
    /// The same, also beside the segments that speak of the rule.
    words: usize,
    /// Conditions that the rule does not have.
    conditions: usize,
    /// Share, in per cent, of the parts that stand under a negation here and not there, or the other way round.
    turned: u32,
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
    if std::env::var("DBG").is_ok() {
        for unit in &probe.frames.units { for g in segments(&probe.frames, unit.from, unit.to, cue::MORE) { let f=&probe.frames; let a=f.tokens.get(g.from).map_or(0,|t|t.start); let b=f.tokens.get(g.to-1).map_or(0,|t|t.end); eprintln!("    RULE [{}] {:?} denied {} {:b}", f.text.get(a..b).unwrap_or(""), g.gate, g.denied, g.cues); } }
        for t in &probe.frames.tokens { eprint!(" {}:{:b}", probe.frames.text.get(t.start..t.end).unwrap_or(""), t.cue); } eprintln!();
        let strict = read.cues & cue::STRICT != 0;
        let miss = probe.parts.iter().enumerate().filter(|(index, part)| part.needed && !has(*index)).count();
        let lost = probe.parts.iter().enumerate().filter(|(index, part)| !has(*index) && !part.verb && part.weight > 2).count();
        let gated = read.gates && (probe.waits || probe.cues & cue::COND != 0) && read.cues & cue::MUST != 0;
    let (keeps, exact) = (gated || read.cues & (cue::NEG | cue::BAN | cue::ONLY | cue::EXC) != 0, probe.cues & (cue::NEG | cue::BAN | cue::ONLY) != 0);
        eprintln!("@ share={} rev={} soft={} miss={miss} num={} novel={} lost={lost} cond={} susp={} perm={} turn={} loose={} nostrict={} names={} opp={}", passage.share, u8::from(read.revoked), u8::from(read.softened), read.numbers, read.novel, read.conditions, u8::from(read.suspect), u8::from(read.permits), read.turned, u8::from(exact && !keeps), u8::from(probe.cues & cue::MUST != 0 && !strict), read.names, u8::from(read.opposed));
    }
    if read.revoked {
        return end(Fate::Contradicted, "revoked");
    }
    let strict = read.cues & cue::STRICT != 0;
    if read.softened {
        return end(Fate::Weakened, "softened");
    }
    let turned = read.turned;
    let forbids = probe.cues & (cue::NEG | cue::BAN) != 0;
    if passage.share >= 45 && read.cues & cue::RESIDUE == 0 && ((forbids && !strict) || turned > 45) {
        return end(Fate::Contradicted, if read.permits { "permitted" } else { "polarity-flipped" });
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
    let gated = read.gates && (probe.waits || probe.cues & cue::COND != 0) && read.cues & cue::MUST != 0;
    let (keeps, exact) = (gated || read.cues & (cue::NEG | cue::BAN | cue::ONLY | cue::EXC) != 0, probe.cues & (cue::NEG | cue::BAN | cue::ONLY) != 0);
    if (exact && !keeps) || (probe.cues & cue::MUST != 0 && !strict) {
        return end(Fate::Weakened, "softened");
    }
    let lost = probe.parts.iter().enumerate().filter(|(index, part)| !has(*index) && !part.verb && part.weight > 2).count();
    let answers = if passage.share < 75 { read.novel } else { read.words };
    let unanswered = lost > answers + usize::from(answers > 1);
    if passage.share < THRESHOLD || (unanswered && passage.share < 85) {
        return end(Fate::Weakened, "predicate-lost");
    }
    let permits = read.permits && probe.cues & cue::MAY == 0;
    let named = probe.parts.iter().any(|part| part.needed && part.kind == Kind::Word);
    let certain = read.conditions > 1 || (read.names > 0 && named) || read.suspect || permits;
    let doubts = 2 * u32::from(certain) + u32::from(read.numbers > 0) + u32::from(read.conditions > 0) + u32::from(read.opposed) + u32::from(turned > 20) + u32::from(turned > 50) + u32::from(passage.share < 66);
    if doubts > 1 {
        return end(Fate::Weakened, "condition-changed");
    }
    end(Fate::Paraphrased, "")
}

/// Soft words that a negation before them makes strict: "no delay should …", "not optional".
const DENIABLE: &[&str] = &["should", "might", "could", "considered", "tolerated", "optional", "negotiable", "flexible", "discretionary", "sometimes"];

/// Least share of a restatement.
const THRESHOLD: u32 = 62;

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
            let blocks = text.units.get(*last).map_or(0, |unit| unit.block) - text.units.get(*first).map_or(0, |unit| unit.block);
            let far = u32::try_from(step).unwrap_or(0) * 120 + u32::try_from(blocks).unwrap_or(0) * 220;
            let score = (share * 10).saturating_sub(far);
            if best.as_ref().is_none_or(|(top, _)| score > *top) {
                best = Some((score, Passage { first: *first, last: *last, mask, share }));
            }
        }
    }
    best.map(|(_, passage)| passage)
}

fn read(probe: &Probe<'_>, text: &Frames<'_>, passage: &Passage) -> Read {
    let mut read = Read::default();
    let part = |token: &Token| probe.parts.iter().find(|part| part.canon == token.canon);
    let own: Vec<(u32, u32)> = probe.frames.tokens.iter().map(|token| (token.canon, token.cue)).collect();
    let mut agreed = 0_u64;
    let mut turned = 0_u64;
    let more = text.units.get(passage.last + 1).is_some_and(|unit| unit.joined || text.refers(unit));
    for unit in text.units.get(passage.first..=passage.last + usize::from(more)).unwrap_or_default() {
        let tokens = text.range(unit.from, unit.to);
        if !tokens.iter().any(|token| part(token).is_some()) && !unit.joined && !text.refers(unit) {
            continue;
        }
        let lead = unit.lead.and_then(|lead| text.units.get(lead)).map_or(&[][..], |lead| text.range(lead.from, lead.to));
        read.suspect |= unit.question || lead.iter().any(|token| token.is(cue::UNREAL | cue::SAID | cue::REVOKE));
        let segments = segments(text, unit.from, unit.to, probe.limit);
        let waits = segments.iter().any(|segment| segment.gate == Gate::Required);
        let bound = tokens.iter().any(|token| token.is(cue::ONLY));
        let only = tokens.iter().any(|token| token.is(cue::ONLY) && text.text.get(token.start..token.end) != Some("alone"));
        let gates = waits || segments.iter().any(|segment| matches!(segment.gate, Gate::If | Gate::Unless) || segment.cues & cue::MUST != 0);
        read.gates |= segments.iter().any(|segment| matches!(segment.gate, Gate::If | Gate::Until));
        if std::env::var("DBG").is_ok() { for g in &segments { let a=text.tokens.get(g.from).map_or(0,|t|t.start); let b=text.tokens.get(g.to-1).map_or(0,|t|t.end); eprintln!("    seg [{}] {:?} denied {} {:b}", text.text.get(a..b).unwrap_or(""), g.gate, g.denied, g.cues); } }
        for (place, segment) in segments.iter().enumerate() {
            let inside = text.range(segment.from, segment.to);
            let ours = inside.iter().any(|token| part(token).is_some());
            let dependent = matches!(segment.gate, Gate::If | Gate::Until | Gate::Unless | Gate::Required);
            if dependent && !ours && inside.iter().any(says) {
                let only = segment.from.checked_sub(1).and_then(|at| text.tokens.get(at)).is_some_and(|token| token.is(cue::ONLY));
                read.conditions += 1 + usize::from(only);
            }
            let held = segment.denied || only || segment.cues & cue::NEG != 0;
            let told = segment.gate == Gate::Relative;
            read.permits |= !told && segment.cues & cue::MAY != 0 && ours && !held;
            // "links lead there, and these must not be followed"
            let later = segments.iter().skip(place + 1).find(|later| later.refers && later.denied != segment.denied).is_some();
            for token in inside {
                let Some(index) = probe.parts.iter().position(|part| part.canon == token.canon) else { continue };
                let Some(part) = probe.parts.get(index) else { continue };
                let excused = part.gated
                    || segment.gate == Gate::Relative
                    || (segment.denied && waits)
                    || (segment.gate == Gate::If && !segment.denied)
                    || (part.denied && (bound || (probe.waits && gates)));
                if part.denied == segment.denied || excused || (later && part.needed) {
                    agreed |= 1 << index;
                } else {
                    turned |= 1 << index;
                }
            }
        }
        // unrelated statements at either end of the clause do not count
        let touched = |segment: &&Segment| text.range(segment.from, segment.to).iter().any(|token| part(token).is_some());
        let begins = tokens.iter().position(|token| part(token).is_some()).map_or(unit.to, |at| unit.from + at);
        let first = segments.iter().position(|segment| touched(&segment)).unwrap_or(segments.len());
        let last = segments.iter().rposition(|segment| touched(&segment)).unwrap_or(0);
        let from = segments.get(first).map_or(unit.to, |segment| segment.from);
        let to = segments.get(last).map_or(unit.to, |segment| segment.to);
        // what hangs on does
        let behind = segments.get(last + 1).filter(|segment| !segment.finite).map_or(to, |segment| segment.to);
        let before = first.checked_sub(1).and_then(|at| segments.get(at)).filter(|segment| !segment.finite).map_or(from, |segment| segment.from);
        for (at, token) in tokens.iter().enumerate() {
            read.cues |= token.cue;
            // a phrase that begins with a word of the rule is not the rule's own
            const PLACE: u32 = cue::STOP | cue::NAME | cue::QUOTED | cue::CODE | cue::PART | cue::CAPITALS;
            let phrase = tokens.get(at + 1).is_some_and(|next| next.is(cue::PART));
            let told = own.iter().any(|(canon, cues)| *canon == token.canon && (!phrase || cues & !PLACE == token.cue & !PLACE));
            let negated = |reach: usize| tokens.get(at.saturating_sub(reach)..at).unwrap_or_default().iter().any(|token| token.is(cue::NEG | cue::BAN));
            if std::env::var("DBG").is_ok() && token.is(cue::SOFT|cue::REVOKE|cue::SUSPECT) && !told { eprintln!("   cue {} {:b}", text.text.get(token.start..token.end).unwrap_or(""), token.cue); }
            let home = segments.iter().find(|segment| segment.to > unit.from + at);
            let near = home.map_or(0, |segment| unit.from + at - segment.from);
            let inside = (from..to).contains(&(unit.from + at));
            let beside = (before..behind).contains(&(unit.from + at));
            read.revoked |= token.is(cue::REVOKE) && !told && !negated(near.max(2));
            let word = text.text.get(token.start..token.end).unwrap_or_default();
            read.softened |= token.is(cue::SOFT) && !told && beside && !negated(if DENIABLE.contains(&word) { near.max(1) } else { 0 });
            let reports = token.is(cue::SAID) && text.text.get(token.end..).is_some_and(|rest| rest.starts_with(" that ") || rest.starts_with(':'));
            read.suspect |= unit.from + at < begins && !told && (reports || token.is(cue::UNREAL));
            read.suspect |= token.is(cue::QUOTED) && probe.cues & cue::QUOTED == 0 && part(token).is_some_and(|part| !part.needed);
            let aside = home.is_none_or(|home| matches!(home.gate, Gate::Relative | Gate::If) || home.since);
            read.suspect |= token.is(cue::SUSPECT) && !told && beside && !aside;
            // "no sign-off is required", "no waiting time applies"
            let passive = matches!(word, "required" | "needed" | "necessary" | "applies" | "apply" | "involved");
            let has_to = matches!(word, "has" | "have") && tokens.get(at + 1).is_some_and(|next| text.text.get(next.start..next.end) == Some("to"));
            read.revoked |= (passive && !told && negated(near)) || (has_to && negated(near));
            if inside && token.kind == Kind::Word && !told {
                let denied = home.is_some_and(|home| home.denied && home.cues & (cue::NEG | cue::BAN) != 0);
                read.opposed |= !denied && probe.parts.iter().any(|part| !part.denied && lexicon().opposed(part.canon, token.canon));
            }
            if part(token).is_none() && says(token) {
                read.words += 1;
                match token.kind {
                    _ if !inside => {}
                    Kind::Word | Kind::Glyph if !token.is(cue::NAME) => read.novel += 1,
                    Kind::Number => {
                        let counts = tokens.get(at + 1).is_some_and(|next| next.is(cue::RESIDUE));
                        read.numbers += usize::from(token.value != 1000 && !counts);
                    }
                    Kind::Ident => read.idents += 1,
                    _ if token.is(cue::NAME) => read.names += usize::from(!told && home.as_ref().is_some_and(touched)),
                    _ => {}
                }
            }
        }
    }
    let weigh = |mask: u64| -> u32 {
        let parts = probe.parts.iter().enumerate().filter(|(index, _)| mask & (1 << index) != 0);
        parts.map(|(_, part)| if part.needed { 2 } else { 4 }).sum()
    };
    read.turned = weigh(turned & !agreed) * 100 / weigh(turned | agreed).max(1);
    read
}
