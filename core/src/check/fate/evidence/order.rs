//! What belongs to what: the words are all there, and yet the figures of two conditions, or the two sides of an order, are exchanged.

use super::super::loose::Passage;
use super::super::probe::Probe;
use super::{Feature, Writer};
use crate::text::frame::{Frames, Kind, Table, Token, cue, hash, packed, stem};
use std::sync::OnceLock;

/// Most figures, names and identifiers of a rule that are compared two by two.
const MOST: usize = 8;

/// Most words of a rule, and of a passage, that are looked at.
const READ: usize = 400;

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
    let (to, end) = (to.min(from + READ), probe.reason.min(READ));
    let (rule, said) = (Side::of(probe, &probe.frames, 0, end), Side::of(probe, text, from, to));
    let needed = probe.parts.iter().enumerate().filter(|(_, part)| part.needed).map(|(at, _)| 1 << at).take(MOST).collect::<Vec<u64>>();
    // the second half of a name moves with the first
    let names = probe.parts.iter().enumerate().filter(|(_, part)| part.needed && part.kind == Kind::Word);
    let names = names.fold(0, |all, (at, _)| all | 1 << at);
    let (own, met) = (groups(probe, &probe.frames, 0, end), groups(probe, text, from, to));
    let beside = |groups: &[u64], one: u64, not: u64| {
        groups.iter().filter(|group| **group & one != 0 && **group & not == 0).fold(0, |all, group| all | group)
    };
    let crossed = needed.iter().enumerate().any(|(step, one)| {
        needed.iter().skip(step + 1).any(|other| {
            let (a, b) = (beside(&own, *one, *other), beside(&own, *other, *one));
            let (a, b) = (a & !b & !one & !names, b & !a & !other & !names);
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
    let (own, met) = (related(&probe.frames, &rule, 0, end), related(text, &said, from, to));
    let turned = |(word, before, behind): &(u32, usize, usize)| {
        met.contains(&(*word, *behind, *before)) && !met.contains(&(*word, *before, *behind))
    };
    out.put(Feature::OrderTurned, own.iter().any(|one| one.1 != one.2 && turned(one)));
    let (own, met) = (cues(&probe.frames, 0, end), cues(text, from, to));
    let only = |all: u32, one: u32, other: u32| all & one != 0 && all & other == 0;
    let more = only(own, cue::MORE, cue::LESS) && only(met, cue::LESS, cue::MORE);
    out.put(Feature::MoreTurned, more || (only(own, cue::LESS, cue::MORE) && only(met, cue::MORE, cue::LESS)));
    let (own, met) = (periods(&probe.frames, 0, end), periods(text, from, to));
    out.put(Feature::PeriodNew, own & !met != 0 && met & !own != 0);
}

/// The parts of the rule between two marks each, as bits.
fn groups(probe: &Probe<'_>, frames: &Frames<'_>, from: usize, to: usize) -> Vec<u64> {
    let (mut out, mut end) = (vec![0], None);
    for token in frames.range(from, to) {
        let gap = end.and_then(|end| frames.text.get(end..token.start)).unwrap_or_default();
        end = Some(token.end);
        if gap.contains([',', ';', ':', '.', '!', '?', '\n', '—', '–', '、', '，', '。', '；', '：'])
            || matches!(frames.word(token), "while" | "whereas" | "but")
        {
            out.push(0);
        }
        let part = probe.parts.iter().position(|part| part.canon == token.canon);
        if let (Some(group), Some(at)) = (out.last_mut(), part) {
            *group |= 1 << at;
        }
    }
    out
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
