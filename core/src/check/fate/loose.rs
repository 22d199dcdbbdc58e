//! A rule in other words: the clauses that speak of it, and whether they say all of it with its force.

use super::near::{is_form, taken_back};
use super::probe::{Part, Probe, matters};
use super::read::{Read, read};
use super::signs;
use super::{FateKind as Fate, Verdict};
use crate::text::frame::{Frames, Kin, Kind, Token, Unit, cue, kin, lexicon, low, segments};
use crate::text::words::listed;

/// What is said of what is to be, or may.
const SAYS: u32 = cue::STRICT | cue::SOFT | cue::MAY | cue::REVOKE | cue::EXC | cue::RESIDUE | cue::COND;

/// Most clauses in a row that one restatement takes.
const CLAUSES: usize = 3;

/// The clauses that speak most of a rule.
pub(super) struct Passage {
    pub(super) first: usize,
    pub(super) last: usize,
    pub(super) mask: u64,
    /// Share of the rule's weight, in per cent.
    pub(super) share: u32,
}

impl Passage {
    /// Whether it holds a part of the rule.
    pub(super) fn has(&self, index: usize) -> bool {
        self.mask & (1 << index) != 0
    }
}

pub(super) fn compare(probe: &Probe<'_>, text: &Frames<'_>) -> Verdict {
    let Some(passage) = best(probe, text) else { return Verdict { kind: Fate::Dropped, detail: "", at: None } };
    let at = (passage.first, passage.last);
    let has = |index: usize| passage.has(index);
    let named = probe.parts.iter().enumerate().any(|(index, part)| has(index) && part.needed && part.kind != Kind::Number);
    if passage.share < 34 && !(named && passage.share >= 20) {
        return Verdict { kind: Fate::Dropped, detail: "", at: None };
    }
    let read = read(probe, text, &passage);
    let end = |kind, detail| Verdict::new(kind, detail, at);
    if read.revoked {
        return end(Fate::Contradicted, "revoked");
    }
    // things of the rule beside each other, and nothing said of what is to be
    if passage.share < 60 && probe.parts.len() > 3 && probe.cues & SAYS != 0 && read.cues & SAYS == 0 {
        return end(Fate::Dropped, "mentioned");
    }
    let strict = read.cues & cue::STRICT != 0;
    let turned = read.turned;
    let forbids = probe.cues & (cue::NEG | cue::BAN) != 0;
    // a permission, a lifted guard, a change and a part under the other sign: two of them are more than a loss
    let foreign = |cues: u32| u32::from(read.cues & cues & !probe.cues != 0);
    let permits = u32::from(read.permits && probe.cues & cue::MAY == 0);
    let lifts =
        2 * (permits + u32::from(read.lifts)) + foreign(cue::SUSPECT) + u32::from(turned > 20) + permits * u32::from(read.comparator);
    if lifts > 2 && !read.softened && passage.share >= 45 {
        return end(Fate::Contradicted, "lifted");
    }
    if read.softened {
        return end(Fate::Weakened, "softened");
    }
    if wide(probe) && strict && taken_back(text, passage.last).is_none() && signs::restated(probe, text, &passage, &read) {
        return end(Fate::Paraphrased, "");
    }
    // a rule that tells how it is, and a part of it behind "without"
    let told = probe.cues & (cue::STRICT | cue::MAY | cue::COND | cue::EXC | cue::SOFT) == 0 && probe.parts.iter().all(|part| !part.denied);
    if told && turned > 0 && passage.share >= 60 {
        return end(Fate::Contradicted, "polarity-flipped");
    }
    if passage.share >= 45 && read.cues & cue::RESIDUE == 0 && ((forbids && !strict && !read.swapped) || turned > 45) {
        return end(Fate::Contradicted, if read.permits { "permitted" } else { "polarity-flipped" });
    }
    if read.exchanged && read.cues & cue::RESIDUE == 0 {
        return end(Fate::Contradicted, "polarity-flipped");
    }
    match changed(probe, text, &passage, &read) {
        Kin::Other => {}
        Kin::Opposite if turned <= 45 => return end(Fate::Contradicted, "polarity-flipped"),
        _ => return end(Fate::Mutated, "scope-changed"),
    }
    let missing =
        |test: fn(Kind) -> bool| probe.parts.iter().enumerate().any(|(index, part)| part.needed && !has(index) && test(part.kind));
    if read.comparator && read.turned <= 45 {
        return end(Fate::Mutated, "comparator-changed");
    }
    if missing(|kind| kind == Kind::Number) {
        return if read.numbers > 0 { end(Fate::Mutated, "number-changed") } else { end(Fate::Weakened, "generalised") };
    }
    if missing(|kind| kind == Kind::Ident) {
        return if read.idents > 0 { end(Fate::Mutated, "id-changed") } else { end(Fate::Weakened, "generalised") };
    }
    if missing(|_| true) {
        return if read.names > 0 { end(Fate::Mutated, "party-changed") } else { end(Fate::Weakened, "generalised") };
    }
    let lost = |index: usize, part: &Part| !has(index) && probe.frames.tokens.get(part.at).is_some_and(|token| !token.is(cue::GENERIC));
    for (_, part) in probe.parts.iter().enumerate().filter(|(index, part)| lost(*index, part)) {
        let noun = part.noun && part.kind == Kind::Word;
        if lexicon().classes(part.canon) & read.classes != 0 || (noun && read.others.iter().any(|at| same_slot(probe, part, text, *at))) {
            return end(Fate::Mutated, "scope-changed");
        }
    }
    if read.comparator {
        return end(Fate::Mutated, "comparator-changed");
    }
    if probe.orders && !read.orders {
        return end(Fate::Weakened, "condition-changed");
    }
    let waits = probe.waits && probe.parts.iter().enumerate().any(|(index, part)| part.waits && has(index));
    let gated = read.cues & cue::MUST != 0 && (waits || (read.gates && probe.cues & cue::COND != 0));
    // "pricing.yaml: two reviewers each"
    let label = read.finite == 0 && read.novel + read.numbers + read.names + read.idents == 0 && passage.share > 90;
    let musts = read.cues & cue::MUST != 0 && probe.needs && passage.share > 85 && read.turned == 0;
    let opposite = read.orders_opposite || (read.swapped && read.cues & cue::MUST != 0);
    let within = read.bounded && probe.cues & (cue::NEG | cue::BAN) == 0;
    let keeps = gated || musts || opposite || within || read.cues & (cue::NEG | cue::BAN | cue::ONLY | cue::EXC) != 0;
    let exact = probe.cues & (cue::NEG | cue::BAN | cue::ONLY) != 0;
    if (exact && !keeps) || (probe.cues & cue::MUST != 0 && !strict && !label) {
        return end(Fate::Weakened, "softened");
    }
    let near = context(probe, text, &passage);
    let gone = |(index, part): &(usize, &Part)| !has(*index) && part.noun && near & (1 << index) == 0;
    let lost = probe.parts.iter().enumerate().filter(gone).count();
    let answers = if passage.share < 75 { read.nouns } else { read.nouns + read.words - read.novel };
    let sure = passage.share >= 66 && turned <= 20 && !read.suspect && !read.permits && read.names + read.conditions + read.idents == 0;
    // "never printed or committed" became "never committed", and no word stands for the other
    if read.words == 0 && narrows(probe, &passage, true) {
        return end(Fate::Weakened, "part-lost");
    }
    let whole = sure && !narrows(probe, &passage, false);
    let most = if whole { 2 } else { 1 };
    let bound = probe.parts.iter().enumerate().filter(gone).any(|(_, part)| part.gated || part.waits);
    let answers = if bound { read.nouns } else { answers.max(usize::from(whole && passage.share >= 75)) };
    if (passage.share < THRESHOLD || lost > answers || lost > most) && !abridges(probe, text, &passage, &read) {
        let gone = |(index, part): (usize, &Part)| has(index) || part.verb || part.gated || part.waits;
        let condition = probe.ifs && probe.parts.iter().enumerate().all(gone);
        let exception = if probe.cues & cue::EXC != 0 { "exception-lost" } else { "condition-lost" };
        return end(Fate::Weakened, if condition { exception } else { "predicate-lost" });
    }
    let short = passage.share < 66 && passage.share >= THRESHOLD;
    let permits = read.permits && probe.cues & cue::MAY == 0;
    let named = probe.parts.iter().any(|part| part.needed && part.kind == Kind::Word);
    let certain = read.conditions > 1 || (read.names > 0 && named) || read.suspect || permits;
    let doubts = 2 * u32::from(certain)
        + u32::from(read.numbers > 0)
        + u32::from(read.conditions > 0)
        + u32::from(turned > 20)
        + u32::from(turned > 50 || read.act)
        + u32::from(short);
    if doubts > 1 {
        return end(Fate::Weakened, "condition-changed");
    }
    if let Some((kind, detail)) = taken_back(text, passage.last) {
        return end(kind, detail);
    }
    // the same words in another order
    let own = text.units.get(passage.first..=passage.last).unwrap_or_default();
    let said = |token: &Token| own.iter().any(|unit| text.range(unit.from, unit.to).iter().any(|other| other.key == token.key));
    let same = read.words + read.novel == 0 && probe.frames.range(0, probe.reason).iter().filter(|token| matters(token)).all(said);
    end(if same { Fate::Preserved } else { Fate::Paraphrased }, "")
}

/// Whether a rule is in a script without word gaps.
fn wide(probe: &Probe<'_>) -> bool {
    probe.parts.iter().filter(|part| part.kind == Kind::Glyph).count() * 2 > probe.parts.len()
}

/// Whether a word of the rule is answered by one that only begins alike, or by its opposite.
pub(super) fn changed(probe: &Probe<'_>, text: &Frames<'_>, passage: &Passage, read: &Read) -> Kin {
    let units = text.units.get(passage.first..=passage.last).unwrap_or_default();
    let (from, to) = (units.first().map_or(0, |unit| unit.from), units.last().map_or(0, |unit| unit.to));
    let mut out = Kin::Other;
    for (index, part) in probe.parts.iter().enumerate() {
        let Some(own) = probe.frames.tokens.get(part.at).filter(|token| token.kind == Kind::Word) else { continue };
        let word = probe.frames.word(own);
        if passage.has(index) {
            let mut same = text.places(part.canon).filter(|at| (from..to).contains(at)).filter_map(|at| text.tokens.get(at)).peekable();
            let Some(first) = same.peek().copied().filter(|_| !same.any(|token| is_form(probe, text, own, token))) else { continue };
            out = kin(word, text.word(first));
        } else if read.others.iter().any(|at| kin(word, text.word_at(*at)) == Kin::Opposite) {
            out = Kin::Opposite;
        }
        if out == Kin::Opposite {
            break;
        }
    }
    out
}

/// The parts that stand right before a passage, in its paragraph.
fn context(probe: &Probe<'_>, text: &Frames<'_>, passage: &Passage) -> u64 {
    let block = |at: usize| text.units.get(at).map(|unit| unit.block);
    let before = passage.first.checked_sub(1).filter(|before| block(*before) == block(passage.first));
    before.map_or(0, |before| mask_of(&masks(probe, text), before))
}

/// Whether all other words of a passage are the rule's own or a word for a ban.
fn says_no_more(probe: &Probe<'_>, text: &Frames<'_>, read: &Read) -> bool {
    let told = |at: &usize| {
        let token = text.tokens.get(*at);
        token.is_none_or(|token| token.is(cue::BAN) || probe.own.iter().any(|own| own.0 == token.canon))
    };
    read.others.iter().all(told)
}

/// Whether one of several things that a rule names together is lost: "salary or equity" became "salary".
pub(super) fn narrows(probe: &Probe<'_>, passage: &Passage, verbs: bool) -> bool {
    let parts = || probe.parts.iter().enumerate();
    let kept = |at: usize| parts().any(|(index, part)| passage.has(index) && part.at == at);
    let joint = |at: usize| matches!(probe.frames.word_at(at), "or" | "and" | "nor");
    // the neighbor in the list: "tickets, chats or summaries"
    let next = |at: usize| {
        let comma =
            probe.frames.tokens.get(at).is_some_and(|token| probe.frames.text.get(token.end..).is_some_and(|rest| rest.starts_with(", ")));
        if joint(at + 1) { Some(at + 2) } else { Some(at + 1).filter(|_| comma) }
    };
    let joined = |at: usize, other: usize| {
        let mut place = at;
        while let Some(found) = next(place).filter(|found| *found <= other) {
            place = found;
        }
        place == other && at != other
    };
    let list = |at: usize| (at.saturating_sub(6)..at + 7).any(|other| kept(other) && (joined(at, other) || joined(other, at)));
    parts().any(|(index, part)| !passage.has(index) && (part.noun || verbs) && list(part.at))
}

/// Whether a prohibition is told shorter and forbids no less: with its names and what it waits for, in its own words, and
/// without some of what would narrow it.
fn abridges(probe: &Probe<'_>, text: &Frames<'_>, passage: &Passage, read: &Read) -> bool {
    let parts = || probe.parts.iter().enumerate().map(|(index, part)| (part, passage.has(index)));
    let weight = |waits: bool, kept: bool| -> u32 {
        let found = parts().filter(|(part, has)| (part.waits || part.gated) == waits && (*has || !kept));
        found.map(|(part, _)| part.weight).sum()
    };
    let named = parts().any(|(part, has)| has && part.needed && part.kind != Kind::Number);
    let acts = parts().any(|(part, has)| has && (part.verb || part.waits));
    passage.share >= 45
        && probe.cues & (cue::NEG | cue::BAN) != 0
        && orders_not(probe, text, passage)
        && named
        && acts
        && !narrows(probe, passage, false)
        && weight(true, true) * 3 >= weight(true, false) * 2
        && read.numbers + read.names + read.idents + read.conditions + usize::from(read.suspect || read.permits) == 0
        && read.turned == 0
        && says_no_more(probe, text, read)
}

/// Whether a clause of a passage begins, for the stretch that speaks of the rule, like an order not to: "avoid …", "never …",
/// "do not …". "Nothing is planned" tells how it is.
fn orders_not(probe: &Probe<'_>, text: &Frames<'_>, passage: &Passage) -> bool {
    let part = |token: &Token| probe.parts.iter().any(|part| part.canon == token.canon);
    let begins = |from: usize| {
        let from = from + usize::from(matches!(text.word_at(from), "and" | "but" | "a" | "the"));
        let word = text.word_at(from).to_ascii_lowercase();
        let not = word == "do" && text.word_at(from + 1) == "not";
        not || matches!(word.as_str(), "never" | "don't") || text.tokens.get(from).is_some_and(|token| token.is(cue::BAN))
    };
    text.units.get(passage.first..=passage.last).unwrap_or_default().iter().any(|unit| {
        let all = segments(text, unit.from, unit.to, probe.limit);
        let ours = all.iter().find(|segment| !segment.label && text.range(segment.from, segment.to).iter().any(part));
        ours.is_some_and(|segment| begins(segment.from))
    })
}

/// Words that say nothing of a slot: articles, and what links a slot to the word it belongs to.
const LINKS: &str = "of by from with the a an any all our your their its every each this that";

/// Whether a word of the text stands where a lost word of the rule stood: behind or before the same word.
pub(super) fn same_slot(probe: &Probe<'_>, part: &Part, text: &Frames<'_>, at: usize) -> bool {
    // "is" and "told" are no things
    if text.word_at(at).len() < 3 || text.word_at(at).ends_with("ed") {
        return false;
    }
    let left = |frames: &Frames<'_>, at: usize| {
        let unit = frames.units.get(frames.unit_of(at)).map_or(0, |unit| unit.from);
        let before = (unit..at).rev().find(|at| !listed(LINKS, frames.word_at(*at)))?;
        // "a lawyer or the press"
        let joined = matches!(frames.word_at(before), "or" | "and" | "nor");
        let before = if joined { before.checked_sub(1)? } else { before };
        frames.tokens.get(before).copied().filter(|token| token.speaks())
    };
    let right = |frames: &Frames<'_>, at: usize| frames.tokens.get(at + 1).copied().filter(|token| token.speaks());
    let same = |a: Option<Token>, b: Option<Token>| a.zip(b).is_some_and(|(a, b)| a.canon == b.canon && !a.is(cue::STRICT | cue::MAY));
    same(left(&probe.frames, part.at), left(text, at)) || same(right(&probe.frames, part.at), right(text, at))
}

/// Least share of a restatement.
const THRESHOLD: u32 = 62;

/// The clauses that hold parts of a rule, in their order, with those parts as bits.
pub(super) fn masks(probe: &Probe<'_>, text: &Frames<'_>) -> Vec<(usize, u64)> {
    let mut hits: Vec<u64> = Vec::new();
    for (index, part) in probe.parts.iter().enumerate() {
        hits.extend(text.places(part.canon).map(|at| (text.unit_of(at) as u64) << 32 | index as u64));
    }
    hits.sort_unstable();
    let mut masks: Vec<(usize, u64)> = Vec::new();
    for hit in hits {
        let (unit, bit) = ((hit >> 32) as usize, 1 << low(hit));
        match masks.last_mut() {
            Some(last) if last.0 == unit => last.1 |= bit,
            _ => masks.push((unit, bit)),
        }
    }
    // an opposite says something of the rule only beside a word of it
    for (canon, index) in &probe.opposites {
        for at in text.places(*canon) {
            let found = masks.binary_search_by_key(&text.unit_of(at), |mask| mask.0).ok();
            if let Some(mask) = found.and_then(|at| masks.get_mut(at)) {
                mask.1 |= 1 << index;
            }
        }
    }
    masks
}

pub(super) fn mask_of(masks: &[(usize, u64)], unit: usize) -> u64 {
    masks.binary_search_by_key(&unit, |mask| mask.0).ok().and_then(|at| masks.get(at)).map_or(0, |mask| mask.1)
}

/// Each clause that speaks of at least a share of a rule, its heading included.
pub(super) fn clauses(probe: &Probe<'_>, text: &Frames<'_>, least: u32) -> Vec<Passage> {
    let masks = masks(probe, text);
    let mut out = Vec::new();
    for (unit, own) in &masks {
        let lead = text.units.get(*unit).and_then(|unit| unit.lead).map_or(0, |lead| mask_of(&masks, lead));
        let mask = own | lead;
        let share = probe.weight(mask) * 100 / probe.total.max(1);
        if share >= least && probe.weight(*own) * 200 >= probe.total * least {
            out.push(Passage { first: *unit, last: *unit, mask, share });
        }
    }
    out
}

/// The clause or clauses in a row with most of the rule, headings above included.
pub(super) fn best(probe: &Probe<'_>, text: &Frames<'_>) -> Option<Passage> {
    let masks = masks(probe, text);
    let mut best: Option<(u32, Passage)> = None;
    for (at, (first, own)) in masks.iter().enumerate() {
        let lead = text.units.get(*first).and_then(|unit| unit.lead).map_or(0, |lead| mask_of(&masks, lead));
        let mut mask = own | lead;
        for (step, (last, more)) in masks.iter().skip(at).take(CLAUSES).enumerate() {
            if last.saturating_sub(*first) >= CLAUSES {
                break;
            }
            // a word of the sentence before is no part of the restatement
            let hangs = |unit: &Unit| unit.joined || text.refers(unit);
            if step > 0 && probe.weight(mask & !more) < 4 && !text.units.get(*last).is_some_and(hangs) {
                break;
            }
            mask |= more;
            let share = probe.weight(mask) * 100 / probe.total.max(1);
            let block = |unit: usize| text.units.get(unit).map_or(0, |unit| unit.block);
            let blocks = block(*last).abs_diff(block(*first));
            // "It comes back …" goes on with the sentence before
            let goes_on = step == 1 && text.units.get(*last).is_some_and(|unit| text.refers(unit));
            let far = if goes_on { 30 } else { u32::try_from(step).unwrap_or(0) * 120 } + u32::try_from(blocks).unwrap_or(0) * 220;
            let missing = probe.parts.iter().enumerate().filter(|(index, part)| part.needed && mask & (1 << index) == 0).count();
            let score = (share * 10).saturating_sub(far + 60 * u32::try_from(missing).unwrap_or(0));
            if best.as_ref().is_none_or(|(top, _)| score > *top) {
                best = Some((score, Passage { first: *first, last: *last, mask, share }));
            }
        }
    }
    best.map(|(_, passage)| extended(probe, text, &masks, passage))
}

/// A passage with the clauses behind it that go on about the rule: of the same sentence, or with more of its parts.
fn extended(probe: &Probe<'_>, text: &Frames<'_>, masks: &[(usize, u64)], mut passage: Passage) -> Passage {
    while passage.last - passage.first + 1 < CLAUSES {
        let next = passage.last + 1;
        let (Some(last), Some(unit)) = (text.units.get(passage.last), text.units.get(next)) else { break };
        let more = mask_of(masks, next) & !passage.mask;
        let force = probe.frames.units.len() > 1 && text.range(unit.from, unit.to).iter().any(|token| token.is(cue::STRICT));
        if unit.block != last.block || probe.weight(more) < 4 && !((unit.joined || force) && more != 0) {
            break;
        }
        passage.last = next;
        passage.mask |= more;
        passage.share = probe.weight(passage.mask) * 100 / probe.total.max(1);
    }
    passage
}
