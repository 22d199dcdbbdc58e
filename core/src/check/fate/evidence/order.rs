//! What belongs to what: the words are all there, and yet the figures of two conditions, or the two sides of an order, are exchanged.

use super::super::loose::Passage;
use super::super::probe::Probe;
use super::{Feature, Writer};
use crate::text::frame::{Frames, Kind, Segment, Table, Token, Unit, cue, hash, packed, segments, stem};
use std::sync::OnceLock;

/// Most figures, names and identifiers of a rule that are compared two by two.
const MOST: usize = 8;

/// What relates the thing before it to the thing behind it, and not the other way round; then words of one period each.
const LISTS: [&str; 10] = [
    "into onto to toward towards from before after over under above below than instead not via by for against through until behind ahead",
    "second seconds",
    "minute minutes",
    "hour hours hourly",
    "day days daily overnight",
    "week weeks weekly",
    "month months monthly",
    "quarter quarters quarterly",
    "year years yearly annual annually",
    "weekend weekends weekday weekdays",
];

/// Places of the rule's parts in a stretch of tokens: of each, all where it stands.
struct Side {
    places: Vec<Vec<usize>>,
}

impl Side {
    fn of(probe: &Probe<'_>, frames: &Frames<'_>, from: usize, to: usize) -> Self {
        let here = |canon: u32| frames.places(canon).filter(|at| (from..to).contains(at)).collect();
        Self { places: probe.parts.iter().map(|part| here(part.canon)).collect() }
    }

    /// The thing that stands at most seven words before or behind a place.
    fn beside(&self, probe: &Probe<'_>, at: usize, behind: bool) -> Option<usize> {
        let reach = |place: usize| if behind { place.checked_sub(at) } else { at.checked_sub(place) };
        let nearest = |places: &Vec<usize>| places.iter().filter_map(|place| reach(*place)).filter(|apart| (1..8).contains(apart)).min();
        let thing = |index: usize| probe.parts.get(index).is_some_and(|part| part.noun || part.needed);
        let things = self.places.iter().enumerate().filter(|(index, _)| thing(*index));
        let found = things.filter_map(|(index, places)| nearest(places).map(|apart| (apart, index)));
        found.min().map(|(_, index)| index)
    }
}

pub(super) fn belongs(probe: &Probe<'_>, text: &Frames<'_>, passage: &Passage, out: &mut Writer) {
    let units = text.units.get(passage.first..=passage.last).unwrap_or_default();
    let (from, to) = (units.first().map_or(0, |unit| unit.from), units.last().map_or(0, |unit| unit.to));
    let to = to.min(from + 400);
    let (rule, said) = (Side::of(probe, &probe.frames, 0, probe.reason), Side::of(probe, text, from, to));
    let needed = probe.parts.iter().enumerate().filter(|(_, part)| part.needed).map(|(at, _)| 1 << at).take(MOST).collect::<Vec<u64>>();
    let groups = |frames: &Frames<'_>, unit: &Unit, to: usize| -> Vec<u64> {
        segments(frames, unit.from, unit.to.min(to), probe.limit).iter().map(|segment| mask(probe, frames, segment)).collect()
    };
    let own: Vec<u64> = probe.frames.units.iter().flat_map(|unit| groups(&probe.frames, unit, probe.reason)).collect();
    let met: Vec<u64> = units.iter().flat_map(|unit| groups(text, unit, to)).collect();
    let beside = |groups: &[u64], one: u64, not: u64| {
        groups.iter().filter(|group| **group & one != 0 && **group & not == 0).fold(0, |all, group| all | group)
    };
    let crossed = needed.iter().enumerate().any(|(step, one)| {
        needed.iter().skip(step + 1).any(|other| {
            let (a, b) = (beside(&own, *one, *other), beside(&own, *other, *one));
            let (a, b) = (a & !b & !one, b & !a & !other);
            let (here, there) = (beside(&met, *one, *other), beside(&met, *other, *one));
            (here & b | there & a) != 0 && (here & a | there & b) == 0
        })
    });
    out.put(Feature::Crossed, crossed);
    let related = |frames: &Frames<'_>, side: &Side, from: usize, to: usize| {
        let mut found = Vec::new();
        for at in from..to {
            let relates = frames.tokens.get(at).filter(|token| listed_as(token) == Some(0));
            let sides = relates.and_then(|token| Some((token, side.beside(probe, at, false)?, side.beside(probe, at, true)?)));
            if let Some((token, before, behind)) = sides {
                found.push((token.key, before, behind));
            }
        }
        found
    };
    let (own, met) = (related(&probe.frames, &rule, 0, probe.reason), related(text, &said, from, to));
    let turned = |(word, before, behind): &(u32, usize, usize)| {
        met.contains(&(*word, *behind, *before)) && !met.contains(&(*word, *before, *behind))
    };
    out.put(Feature::OrderTurned, own.iter().any(|one| one.1 != one.2 && turned(one)));
    let (own, met) = (cues(&probe.frames, 0, probe.reason), cues(text, from, to));
    let only = |all: u32, one: u32, other: u32| all & one != 0 && all & other == 0;
    let more = only(own, cue::MORE, cue::LESS) && only(met, cue::LESS, cue::MORE);
    out.put(Feature::MoreTurned, more || (only(own, cue::LESS, cue::MORE) && only(met, cue::MORE, cue::LESS)));
    let (own, met) = (periods(&probe.frames, 0, probe.reason), periods(text, from, to));
    out.put(Feature::PeriodNew, own & !met != 0 && met & !own != 0);
}

/// The parts of the rule that a segment has, as bits.
fn mask(probe: &Probe<'_>, frames: &Frames<'_>, segment: &Segment) -> u64 {
    let has = |canon: u32| frames.places(canon).any(|at| (segment.from..segment.to).contains(&at));
    probe.parts.iter().enumerate().filter(|(_, part)| has(part.canon)).fold(0, |all, (at, _)| all | 1 << at)
}

fn cues(frames: &Frames<'_>, from: usize, to: usize) -> u32 {
    frames.range(from, to).iter().fold(0, |all, token| all | token.cue)
}

/// The periods that are named, as bits.
fn periods(frames: &Frames<'_>, from: usize, to: usize) -> u32 {
    frames.range(from, to).iter().filter_map(listed_as).filter(|at| *at > 0).fold(0, |all, at| all | 1 << at)
}

/// The place of a word's list in [`LISTS`].
fn listed_as(token: &Token) -> Option<usize> {
    static TABLE: OnceLock<Table> = OnceLock::new();
    let rows = || LISTS.iter().enumerate().flat_map(|(at, list)| list.split(' ').map(move |word| packed(hash(stem(word)), at))).collect();
    if token.kind == Kind::Word { TABLE.get_or_init(|| Table::of(rows())).found(token.key) } else { None }
}
