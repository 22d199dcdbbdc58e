//! What is looked at in a passage: parts of the rule that it has, what it tells of them, how it uses its words, what stands beside it.

use super::super::loose::{self, Passage};
use super::super::probe::{Part, Probe, matters, says};
use super::super::read::{Read, bounds};
use super::{CUES, Feature, NAMED, Writer, words};
use crate::text::frame::{Frames, Gate, Kind, Segment, Token, cue, lexicon, segments};
use crate::text::words::listed;

pub(super) fn parts(probe: &Probe<'_>, passage: &Passage, out: &mut Writer) {
    let all = || probe.parts.iter().enumerate().map(|(index, part)| (part, passage.has(index)));
    let sum = |test: &dyn Fn(&Part, bool) -> bool| all().filter(|(part, has)| test(part, *has)).map(|(part, _)| part.weight).sum::<u32>();
    let count = |test: &dyn Fn(&Part, bool) -> bool| all().filter(|(part, has)| test(part, *has)).count();
    let grade = |share: u32, steps: &[(u32, Feature)], last: Feature| steps.iter().find(|step| share < step.0).map_or(last, |step| step.1);
    out.put(Feature::Bias, true);
    let shares = [
        (34, Feature::ShareUnder34),
        (45, Feature::ShareUnder45),
        (55, Feature::ShareUnder55),
        (66, Feature::ShareUnder66),
        (75, Feature::ShareUnder75),
        (90, Feature::ShareUnder90),
    ];
    out.put(grade(passage.share, &shares, Feature::ShareOver90), true);
    let plain = sum(&|part, has| !part.needed && has) * 100 / sum(&|part, _| !part.needed).max(1);
    let plains = [
        (25, Feature::PlainUnder25),
        (40, Feature::PlainUnder40),
        (55, Feature::PlainUnder55),
        (70, Feature::PlainUnder70),
        (85, Feature::PlainUnder85),
    ];
    out.put(grade(plain, &plains, Feature::PlainOver85), true);
    let gone = |kind: Kind| count(&|part, has| part.needed && !has && part.kind == kind);
    let kept = |kind: Kind| count(&|part, has| part.needed && has && part.kind == kind);
    out.put(Feature::NumberGone, gone(Kind::Number) > 0);
    out.put(Feature::NumbersGone, gone(Kind::Number) > 1);
    out.put(Feature::IdentGone, gone(Kind::Ident) > 0);
    out.put(Feature::NameGone, gone(Kind::Word) > 0);
    out.put(Feature::NamesGone, gone(Kind::Word) > 1);
    out.put(Feature::NumberKept, kept(Kind::Number) > 0);
    out.put(Feature::IdentKept, kept(Kind::Ident) > 0);
    out.put(Feature::NameKept, kept(Kind::Word) > 0);
    out.put(Feature::VerbsGone, count(&|part, has| part.verb && !has) > 0);
    out.put(Feature::NounsGoneOver1, count(&|part, has| part.noun && !has) > 1);
    out.put(Feature::GateGone, count(&|part, _| part.gated) > 0 && count(&|part, has| part.gated && has) == 0);
    out.put(Feature::WaitsGone, count(&|part, _| part.waits) > 0 && count(&|part, has| part.waits && has) == 0);
    out.put(Feature::ListsGone, loose::narrows(probe, passage, true));
    // of the statements that a rule consists of, the one that is answered least
    let mut least = 100;
    let mut from = 0;
    let ends = own_segments(probe).iter().map(|segment| segment.to).collect::<Vec<_>>();
    for end in ends {
        let inside = |part: &Part| (from..end).contains(&part.at);
        let whole = sum(&|part, _| inside(part));
        if whole >= 6 {
            let met = sum(&|part, has| has && inside(part));
            least = least.min(met * 100 / whole);
            from = end;
        }
    }
    out.put(Feature::ClauseGone, least == 0);
    out.put(Feature::ClauseUnder34, least < 34);
    out.put(Feature::ClauseUnder50, least < 50);
    let lost = count(&|part, has| part.noun && !has);
    out.put(Feature::LostOver0, lost > 0);
    out.put(Feature::LostOver2, lost > 2);
    out.put(Feature::LostOver4, lost > 4);
    out.put(Feature::ActsKept, count(&|part, has| part.verb && has) > 0);
    out.put(Feature::RuleShort, probe.parts.len() < 6);
    out.put(Feature::RuleLong, probe.parts.len() > 10);
    let own = probe.cues;
    let (ban, need, limit, may) = (own & (cue::NEG | cue::BAN) != 0, own & cue::MUST != 0, own & cue::ONLY != 0, own & cue::MAY != 0);
    out.put(Feature::IsBan, ban && !may);
    out.put(Feature::IsNeed, need);
    out.put(Feature::IsLimit, limit && !ban);
    out.put(Feature::IsPermit, may);
    out.put(Feature::IsPlain, !(ban || need || limit || may));
}

pub(super) fn told(probe: &Probe<'_>, read: &Read, out: &mut Writer) {
    let forbids = probe.cues & (cue::NEG | cue::BAN) != 0;
    let needs = probe.cues & (cue::MUST | cue::ONLY) != 0;
    let strict = read.cues & cue::STRICT != 0;
    out.put(Feature::NumberNew, read.numbers > 0);
    out.put(Feature::NumbersNew, read.numbers > 1);
    out.put(Feature::IdentNew, read.idents > 0);
    out.put(Feature::NameNew, read.names > 0);
    out.put(Feature::Revoked, read.revoked);
    out.put(Feature::Softened, read.softened);
    out.put(Feature::Suspect, read.suspect);
    out.put(Feature::Permits, read.permits && probe.cues & cue::MAY == 0);
    out.put(Feature::Comparator, read.comparator);
    out.put(Feature::Bounded, read.bounded);
    out.put(Feature::Exchanged, read.exchanged);
    out.put(Feature::Lifts, read.lifts);
    out.put(Feature::Swapped, read.swapped);
    out.put(Feature::Opposed, read.orders_opposite);
    out.put(Feature::Act, read.act);
    out.put(Feature::Gates, read.gates);
    out.put(Feature::TurnedOver20, read.turned > 20);
    out.put(Feature::TurnedOver45, read.turned > 45);
    out.put(Feature::TurnedOver60, read.turned > 60);
    out.put(Feature::ConditionNew, read.conditions > 0);
    out.put(Feature::ConditionsNew, read.conditions > 1);
    out.put(Feature::OrderGone, probe.orders && !read.orders);
    out.put(Feature::ClassNew, probe.parts.iter().any(|part| lexicon().classes(part.canon) & read.classes != 0));
    out.put(Feature::NovelOver2, read.novel > 2);
    out.put(Feature::NovelOver5, read.novel > 5);
    out.put(Feature::NovelOver9, read.novel > 9);
    out.put(Feature::PermitsAndForbids, read.permits && forbids);
    out.put(Feature::FreeAndForbids, forbids && !strict);
    out.put(Feature::FreeAndNeeds, needs && !forbids && !strict);
    out.put(Feature::HeldAndPermits, probe.cues & cue::MAY != 0 && read.cues & (cue::MAY | cue::ONLY) == 0);
}

pub(super) fn around(probe: &Probe<'_>, text: &Frames<'_>, passage: &Passage, out: &mut Writer) {
    let units = text.units.get(passage.first..=passage.last).unwrap_or_default();
    let (from, to) = (units.first().map_or(0, |unit| unit.from), units.last().map_or(0, |unit| unit.to));
    let pair = |side: &[Token]| {
        side.windows(2)
            .filter_map(|two| two.first().zip(two.get(1)).map(|(a, b)| u64::from(a.exact) << 32 | u64::from(b.exact)))
            .collect::<Vec<u64>>()
    };
    let (own, mut said) = (pair(probe.frames.range(0, probe.reason)), pair(text.range(from, to.min(from + 400))));
    said.sort_unstable();
    let same = own.iter().filter(|pair| said.binary_search(pair).is_ok()).count() * 100 / own.len().max(1);
    out.put(Feature::SameOver20, same > 20);
    out.put(Feature::SameOver40, same > 40);
    out.put(Feature::SameOver60, same > 60);
    out.put(Feature::ClausesOver1, units.len() > 1);
    out.put(Feature::ClausesOver2, units.len() > 2);
    out.put(Feature::Lead, units.first().is_some_and(|unit| unit.lead.is_some()));
    out.put(Feature::Question, units.iter().any(|unit| unit.question));
    // the clauses beside it that speak of the rule too
    let known = |token: &Token| probe.parts.iter().any(|part| part.canon == token.canon && part.weight > 1);
    let mut near = 0;
    for at in [passage.first.wrapping_sub(1), passage.last + 1] {
        let Some(unit) = text.units.get(at) else { continue };
        let tokens = text.range(unit.from, unit.to.min(unit.from + 60));
        if tokens.iter().any(known) || (at > passage.last && (unit.joined || text.refers(unit))) {
            near = tokens.iter().fold(near, |all, token| all | token.cue);
        }
    }
    out.put(Feature::NearSoft, near & cue::SOFT != 0);
    out.put(Feature::NearMay, near & cue::MAY != 0);
    out.put(Feature::NearRevoke, near & cue::REVOKE != 0);
    out.put(Feature::NearNeg, near & (cue::NEG | cue::BAN) != 0);
    out.put(Feature::NearSuspect, near & cue::SUSPECT != 0);
    out.put(Feature::NearExcept, near & cue::EXC != 0);
}

/// How the passage uses its words.
pub(super) fn used(probe: &Probe<'_>, text: &Frames<'_>, passage: &Passage, read: &Read, out: &mut Writer) {
    let units = text.units.get(passage.first..=passage.last).unwrap_or_default();
    let (mut all, mut known, mut negs, mut past, mut free) = (0, 0, 0, false, false);
    let mut forces: Vec<(usize, u32, u32)> = Vec::new();
    let own_segments = own_segments(probe);
    for unit in units {
        for segment in segments(text, unit.from, unit.to.min(unit.from + 200), probe.limit) {
            let tokens = text.range(segment.from, segment.to);
            let ours = tokens.iter().any(|token| part(probe, token).is_some());
            free |= ours
                && segment.cues & cue::MAY != 0
                && !segment.denied
                && segment.cues & (cue::ONLY | cue::NEG) == 0
                && segment.gate == Gate::None;
            for (index, own) in
                probe.parts.iter().enumerate().filter(|(_, own)| own.needed && tokens.iter().any(|token| token.canon == own.canon))
            {
                if let Some(rule) = own_segments.iter().find(|segment| segment.to > own.at) {
                    forces.push((index, force(rule), force(&segment)));
                }
            }
            for token in tokens {
                negs += usize::from(token.is(cue::NEG | cue::BAN));
                past |= ours && matches!(text.word(token), "was" | "were" | "had" | "did" | "been");
                if says(token) && !token.is(cue::NAME) && token.kind == Kind::Word {
                    all += 1;
                    known += usize::from(probe.own.iter().any(|own| own.0 == token.canon));
                }
            }
        }
    }
    let exchanged = forces.iter().any(|a| forces.iter().any(|b| a.0 != b.0 && a.1 != b.1 && a.1 == b.2 && a.2 == b.1));
    out.put(Feature::ForcesExchanged, exchanged);
    let said = |token: &Token| units.iter().any(|unit| text.range(unit.from, unit.to).iter().any(|other| other.key == token.key));
    let all_there = probe.frames.range(0, probe.reason).iter().filter(|token| matters(token)).all(said);
    out.put(Feature::AllThere, all_there);
    out.put(Feature::NothingNew, known == all && read.words + read.novel == 0);
    out.put(Feature::SameAll, all_there && known == all && !exchanged);
    let gates = |frames: &Frames<'_>, from: usize, to: usize| (from..to).any(|at| listed(GATES, &frames.word_at(at).to_ascii_lowercase()));
    let own_gate = gates(&probe.frames, 0, probe.reason);
    let gate = units.iter().any(|unit| gates(text, unit.from, unit.to));
    out.put(Feature::GateBoth, own_gate && gate);
    out.put(Feature::GateLost, own_gate && !gate);
    out.put(Feature::GateFresh, !own_gate && gate);
    let lost_class =
        probe.parts.iter().enumerate().any(|(index, part)| !passage.has(index) && lexicon().classes(part.canon) & read.classes != 0);
    out.put(Feature::ClassLost, lost_class);
    let share = known * 100 / all.max(1);
    out.put(
        if share < 30 {
            Feature::KnownUnder30
        } else if share < 45 {
            Feature::KnownUnder45
        } else if share < 60 {
            Feature::KnownUnder60
        } else {
            Feature::KnownOver60
        },
        true,
    );
    out.put(Feature::Past, past);
    out.put(Feature::MayFree, free);
    let own = probe.frames.range(0, probe.reason).iter().filter(|token| token.is(cue::NEG | cue::BAN)).count();
    out.put(Feature::NegsEven, (own + negs).is_multiple_of(2));
    out.put(Feature::NegsFewer, negs < own);
    out.put(Feature::NegsMore, negs > own);
    out.put(Feature::FreshOver0, read.nouns > 0);
    out.put(Feature::FreshOver2, read.nouns > 2);
    out.put(Feature::FreshOver4, read.nouns > 4);
    let lost = || probe.parts.iter().enumerate().filter(|(index, part)| !passage.has(*index) && part.noun && part.kind == Kind::Word);
    out.put(Feature::SlotNew, lost().any(|(_, part)| read.others.iter().any(|at| loose::same_slot(probe, part, text, *at))));
    // "the grading portal" for "the scoring job"
    let two = |(index, part): (usize, &Part)| {
        let next = probe.parts.get(index + 1).filter(|next| next.at == part.at + 1 && next.noun && !passage.has(index + 1));
        part.weight > 2 && !passage.has(index) && next.is_some()
    };
    let fresh = read.others.windows(2).any(|two| two.first().zip(two.get(1)).is_some_and(|(a, b)| a + 1 == *b));
    out.put(Feature::CompoundNew, fresh && probe.parts.iter().enumerate().any(two));
    // "3 months" for "3 weeks"
    let (from, to) = (units.first().map_or(0, |unit| unit.from), units.last().map_or(0, |unit| unit.to));
    let next =
        |frames: &Frames<'_>, at: usize| frames.tokens.get(at + 1).copied().filter(|token| token.kind == Kind::Word && token.speaks());
    let unit_of = |part: &Part| next(&probe.frames, part.at);
    let other = |part: &Part| {
        let Some(unit) = unit_of(part) else { return false };
        let found: Vec<Token> = text.places(part.canon).filter(|at| (from..to).contains(at)).filter_map(|at| next(text, at)).collect();
        !found.is_empty() && found.iter().all(|token| token.canon != unit.canon)
    };
    out.put(Feature::UnitNew, probe.parts.iter().any(|part| part.kind == Kind::Number && other(part)));
    let bounds = bounds(probe, text, (passage.first, passage.last));
    out.put(Feature::BoundTurned, bounds.turned);
    out.put(Feature::BoundNew, bounds.other);
    out.put(Feature::BoundGone, !probe.bounds.is_empty() && !read.bounded);
}

/// The segments of a rule.
fn own_segments(probe: &Probe<'_>) -> Vec<Segment> {
    let to = |to: usize| to.min(probe.reason);
    probe.frames.units.iter().flat_map(|unit| segments(&probe.frames, unit.from, to(unit.to), probe.limit)).collect()
}

/// Words that let something be only with or after something else.
const GATES: &str = "until till before unless without only once first provided prior requires require needs need beforehand subject tied conditional     precondition prerequisite condition after as";

/// What a segment says is to be.
fn force(segment: &Segment) -> u32 {
    if segment.denied {
        cue::NEG
    } else if segment.cues & (cue::MUST | cue::ONLY) != 0 {
        cue::MUST
    } else {
        segment.cues & cue::MAY
    }
}

fn part<'p>(probe: &'p Probe<'_>, token: &Token) -> Option<&'p Part> {
    probe.parts.iter().find(|part| part.canon == token.canon)
}

pub(super) fn cues(probe: &Probe<'_>, text: &Frames<'_>, passage: &Passage, out: &mut Writer) {
    let units = text.units.get(passage.first..=passage.last).unwrap_or_default();
    let said = || units.iter().flat_map(|unit| text.range(unit.from, unit.to.min(unit.from + 200)));
    let own = probe.cues;
    let met = said().fold(0, |all, token| all | token.cue);
    for (at, cue) in CUES.iter().enumerate() {
        let state = match (own & cue != 0, met & cue != 0) {
            (true, true) => 0,
            (true, false) => 1,
            (false, true) => 2,
            _ => continue,
        };
        out.on.push(NAMED.len() + 3 * at + state);
    }
    let base = NAMED.len() + 3 * CUES.len();
    let rule = probe.frames.range(0, probe.reason);
    let found = |token: &Token| if token.kind == Kind::Word { words().table.found(token.key) } else { None };
    let mut seen: Vec<u8> = vec![0; words().all];
    let sides = rule.iter().filter_map(found).map(|at| (at, 1)).chain(said().filter_map(found).map(|at| (at, 2)));
    for (at, side) in sides {
        if let Some(seen) = seen.get_mut(at) {
            *seen |= side;
        }
    }
    for (at, seen) in seen.iter().enumerate() {
        match seen {
            1 => out.on.push(base + 2 * at + 1),
            2 => out.on.push(base + 2 * at),
            _ => {}
        }
    }
}
