//! What stands in the clauses that speak of a rule: force, conditions, and words the rule does not have.

use super::loose::Passage;
use super::probe::{Part, Probe, says, stated, without};
use crate::text::frame::{Frames, Gate, Kind, Segment, Token, Unit, cue, hash, lexicon, segments, stem};
use crate::text::words::listed;

/// Words of a clause that are read, from a little before the first of the rule.
const READ: usize = 600;
const BEFORE: usize = 100;

/// What stands in a passage.
#[derive(Default, Debug)]
pub(super) struct Read {
    pub(super) cues: u32,
    pub(super) revoked: bool,
    pub(super) softened: bool,
    pub(super) suspect: bool,
    pub(super) permits: bool,
    pub(super) gates: bool,
    /// Numbers, identifiers and names that the rule does not have.
    pub(super) numbers: usize,
    pub(super) idents: usize,
    pub(super) names: usize,
    /// Other words that the rule does not have.
    pub(super) novel: usize,
    /// Those of them that are no participles.
    pub(super) nouns: usize,
    /// The same, also beside the segments that speak of the rule.
    pub(super) words: usize,
    /// Conditions that the rule does not have.
    pub(super) conditions: usize,
    /// The other words, by their place.
    pub(super) others: Vec<usize>,
    /// The classes of words that exclude each other they are in.
    pub(super) classes: u64,
    /// The opposite of a word of the rule stands there under the opposite sign.
    pub(super) swapped: bool,
    /// The same, as an order: "hide …" for "never show …".
    pub(super) orders_opposite: bool,
    /// Segments with a verb of their own.
    pub(super) finite: usize,
    /// A number is the bound of another side.
    pub(super) comparator: bool,
    /// A number is the bound of the same side.
    pub(super) bounded: bool,
    /// Says that one thing comes before another.
    pub(super) orders: bool,
    /// Share, in per cent, of the parts that stand under a negation here and not there, or the other way round.
    pub(super) turned: u32,
    /// A part that is denied here and not there, and another the other way round.
    pub(super) exchanged: bool,
    /// Has a word that lifts something, perhaps under a negation.
    pub(super) lifts: bool,
    /// What the rule forbids to do is one of them.
    pub(super) act: bool,
}

/// Soft words that a negation before them makes strict: "no delay should …", "not optional".
const DENIABLE: &str = "should might could considered tolerated optional negotiable flexible discretionary sometimes";

/// Words that say what comes first.
const ORDER: &str = "before Before prior until Until after After once Once first First beforehand advance preceded precedes without Without \
    unless Unless requires require required needs need wait waits then till while ahead presupposes following as Only only";

/// Words that leave some of the things that follow out.
const FEWER: &str = "important critical major key large larger big bigger some certain selected several many sensitive relevant serious \
    difficult suspicious unusual";

/// Marks of a token that are no cue.
const PLACE: u32 = cue::STOP | cue::NAME | cue::QUOTED | cue::CODE | cue::PART | cue::CAPITALS;

/// Whether a word looks like a participle.
fn done(word: &str) -> bool {
    word.ends_with("ed") || word.ends_with("ing")
}

/// Whether a rule speaks of both of two.
fn both(probe: &Probe<'_>) -> bool {
    probe.frames.tokens.iter().any(|token| probe.frames.word(token) == "both")
}

/// How the bounds in some clauses stand to those of a rule.
#[derive(Default, Clone, Copy)]
pub(super) struct Bounds {
    /// One has another side, and none the same.
    pub(super) turned: bool,
    /// One is at a number that the rule does not have.
    pub(super) other: bool,
}

/// Compares the bounds of a rule with those in the clauses from `first` to `last`.
pub(super) fn bounds(probe: &Probe<'_>, text: &Frames<'_>, (first, last): (usize, usize)) -> Bounds {
    let (mut out, mut same) = (Bounds::default(), false);
    if probe.bounds.is_empty() {
        return out;
    }
    for unit in text.units.get(first..=last).unwrap_or_default() {
        for segment in segments(text, unit.from, unit.to.min(unit.from + READ), probe.limit) {
            for at in (segment.from..segment.to).filter(|at| text.bounds(*at)) {
                let (Some(side), Some(token)) = (text.side(&segment, at), text.tokens.get(at)) else { continue };
                let known = probe.bounds.iter().find(|bound| bound.0 == token.canon);
                out.other |= known.is_none() && token.kind == Kind::Number;
                match known.and_then(|known| side.agrees(known.1)) {
                    Some(true) => same = true,
                    Some(false) => out.turned = true,
                    None => {}
                }
            }
        }
    }
    out.turned &= !same;
    out
}

struct Reader<'a, 't> {
    probe: &'a Probe<'a>,
    text: &'a Frames<'t>,
    /// Parts that stand under the same sign here and in the rule, and under another, as bits.
    agreed: u64,
    turned: u64,
    /// Parts that stand there themselves, and those whose opposite stands there under the same sign.
    seen: u64,
    opposed: u64,
    read: Read,
}

/// Reads a passage.
pub(super) fn read(probe: &Probe<'_>, text: &Frames<'_>, passage: &Passage) -> Read {
    let mut reader = Reader { probe, text, agreed: 0, turned: 0, seen: 0, opposed: 0, read: Read::default() };
    let more = text.units.get(passage.last + 1).is_some_and(|unit| unit.joined || text.refers(unit));
    for unit in text.units.get(passage.first..=passage.last + usize::from(more)).unwrap_or_default() {
        reader.clause(unit);
    }
    let Reader { mut read, agreed, turned, seen, opposed, .. } = reader;
    read.suspect |= opposed & !seen != 0;
    let weigh = |mask: u64| -> u32 {
        let parts = probe.parts.iter().enumerate().filter(|(index, _)| mask & (1 << index) != 0);
        parts.map(|(_, part)| if part.needed { 2 } else { 4 }).sum()
    };
    let act = |(index, part): (usize, &Part)| part.verb && part.denied && turned & !agreed & (1 << index) != 0;
    read.act = probe.parts.iter().enumerate().any(act);
    let other = |denied: bool| {
        let found = |(index, part): (usize, &Part)| part.denied == denied && turned & !agreed & (1 << index) != 0;
        probe.parts.iter().enumerate().any(found)
    };
    read.exchanged = other(true) && other(false);
    read.turned = weigh(turned & !agreed) * 100 / weigh(turned | agreed).max(1);
    read
}

impl Reader<'_, '_> {
    fn part(&self, token: &Token) -> Option<(usize, &Part)> {
        self.probe.parts.iter().enumerate().find(|(_, part)| part.canon == token.canon)
    }

    /// Whether a word is one of the rule, its reason included.
    fn own(&self, token: &Token) -> bool {
        self.probe.own.iter().any(|(canon, _)| *canon == token.canon)
    }

    fn ours(&self, segment: &Segment) -> bool {
        self.text.range(segment.from, segment.to).iter().any(|token| self.part(token).is_some())
    }

    /// The first and the last segment with a part of the rule; a label only where no other has one.
    fn held(&self, segments: &[Segment]) -> (Option<usize>, Option<usize>) {
        let all = |segment: &Segment| self.ours(segment);
        let said = |segment: &Segment| !segment.label && self.ours(segment);
        let first = segments.iter().position(said).or_else(|| segments.iter().position(all));
        (first, segments.iter().rposition(all))
    }

    fn clause(&mut self, unit: &Unit) {
        let (probe, text) = (self.probe, self.text);
        let found = text.range(unit.from, unit.to).iter().position(|token| self.part(token).is_some());
        if found.is_none() && !unit.joined && !text.refers(unit) {
            return;
        }
        let begins = unit.from + found.unwrap_or(0);
        let from = unit.from.max(begins.saturating_sub(BEFORE));
        let to = unit.to.min(from + READ);
        let lead =
            unit.lead.and_then(|lead| text.units.get(lead)).map_or(&[][..], |lead| text.range(lead.from, lead.to.min(lead.from + READ)));
        // "what the user insisted on" is no doubt
        let lead_from = unit.lead.and_then(|lead| text.units.get(lead)).map_or(0, |lead| lead.from);
        let said = |(at, token): (usize, &Token)| token.is(cue::SAID) && !text.vouched(lead_from + at);
        self.read.suspect |=
            unit.question || lead.iter().any(|token| token.is(cue::UNREAL | cue::REVOKE)) || lead.iter().enumerate().any(said);
        let segments = segments(text, from, to, probe.limit);
        self.signs(&segments, text.range(from, to));
        let (Some(first), Some(last)) = self.held(&segments) else {
            self.read.cues |= text.range(from, to).iter().fold(0, |cues, token| cues | token.cue);
            return;
        };
        // what a clause that hardly speaks of the rule counts and names is its own affair
        let met = text.range(unit.from, unit.to).iter().filter_map(|token| self.part(token)).fold(0, |met, (index, _)| met | 1 << index);
        let speaks = unit.joined || probe.weight(met) * 4 > probe.total;
        for (place, segment) in segments.iter().enumerate() {
            let inside = (first..=last).contains(&place);
            // "per week: three"
            for token in text.range(segment.from, segment.to).iter().filter(|_| segment.label && place + 1 == first) {
                self.read.classes |= if self.part(token).is_none() { lexicon().classes(token.canon) } else { 0 };
            }
            // an unrelated statement beside does not count; what hangs on does
            // "it's advisable to …"
            let opens = place + 1 == first && matches!(text.word_at(segment.from), "It" | "it" | "It's" | "it's");
            let hangs = place > last && segments.get(last + 1..=place).is_some_and(|rest| rest.iter().all(|segment| !segment.finite));
            let beside = opens || inside || hangs || (place + 1 == first && !segment.finite);
            let ours = inside && self.ours(segment);
            // "a freeze of the store, and a review on Monday": force is for its own statement
            let strangers = text.range(segment.from, segment.to).iter().filter(|token| says(token) && self.part(token).is_none());
            let force = ours || strangers.count() < 3;
            // "never do this or that"
            let shared = ours && segment.denied && matches!(text.word_at(segment.from), "or" | "nor" | "and");
            self.read.cues |= if shared { cue::NEG } else { 0 };
            for at in segment.from..segment.to {
                self.word(segment, at, at < begins, (inside, beside, ours, force && speaks), speaks);
            }
        }
    }

    /// Compares the signs of the parts, and looks for conditions and permissions.
    fn signs(&mut self, segments: &[Segment], tokens: &[Token]) {
        let (probe, text) = (self.probe, self.text);
        // "what is not agreed is not permitted" waits for the agreement
        let twice = segments.iter().any(|segment| segment.gate == Gate::Relative && segment.denied)
            && segments.iter().any(|segment| segment.gate == Gate::None && segment.denied);
        let waits = twice || segments.iter().any(|segment| segment.gate == Gate::Required);
        // "only when …", "only in …" lets something through that the rule does not
        let opens = |at: usize| {
            let lets = |next: &Token| next.is(cue::COND) || matches!(text.word(next), "in" | "for" | "with" | "by");
            text.word_at(at) == "only" && text.tokens.get(at + 1).is_some_and(lets)
        };
        let start = segments.first().map_or(0, |segment| segment.from);
        let exception = !probe.waits && probe.cues & (cue::ONLY | cue::EXC) == 0 && (start..start + tokens.len()).any(opens);
        self.read.suspect |= exception && probe.cues & (cue::NEG | cue::BAN) != 0;
        let bound = !exception && tokens.iter().any(|token| token.is(cue::ONLY));
        let only = tokens.iter().any(|token| token.is(cue::ONLY) && text.word(token) != "alone");
        let has = |gates: &[Gate]| segments.iter().any(|segment| gates.contains(&segment.gate));
        let gates = waits || has(&[Gate::If]) || segments.iter().any(|segment| segment.cues & cue::MUST != 0);
        self.read.gates |= has(&[Gate::If, Gate::Until]);
        // "links lead there, and these must not be followed"
        let refers = |denied: bool| segments.iter().rposition(|segment| segment.refers && segment.denied == denied);
        let goes_on =
            |place: usize, denied: bool| segments.iter().skip(place + 1).take(2).any(|segment| segment.goes_on && segment.denied == denied);
        // "outside Colorado" may be "except in Colorado"
        let outside = probe.frames.tokens.iter().any(|token| matches!(probe.frames.word(token), "outside" | "elsewhere" | "beyond"));
        let denies = tokens.iter().any(|token| token.is(cue::NEG | cue::BAN) && !text.word(token).eq_ignore_ascii_case("without"));
        let (under, over) = (refers(true), refers(false));
        let mut bounded = vec![false; segments.len()];
        for (segment, bounded) in segments.iter().zip(&mut bounded) {
            for (mask, _, denied) in
                text.earlier(segment).into_iter().flat_map(|found| probe.order.iter().filter(move |order| order.1 != found))
            {
                let inside = text.range(segment.from, segment.to).iter().filter_map(|token| self.part(token));
                let met = inside.fold(0, |met, (index, _)| met | (1 << index & mask));
                // "no release before the check" may be "a release after the check"
                self.read.comparator |= *mask != 0 && probe.weight(met) * 2 >= probe.weight(*mask) && *denied == stated(segments);
            }
            self.read.finite += usize::from(segment.finite || segment.cues & (cue::MUST | cue::MAY) != 0);
            for at in segment.from..segment.to {
                let Some(token) = text.tokens.get(at) else { continue };
                self.read.orders |= token.is(cue::EXC | cue::ONLY) || listed(ORDER, text.word(token));
                let Some((_, side)) = probe.bounds.iter().find(|bound| bound.0 == token.canon) else { continue };
                match text.side(segment, at).and_then(|found| found.agrees(*side)) {
                    Some(true) => (*bounded, self.read.bounded) = (true, true),
                    Some(false) => self.read.comparator = true,
                    None => {}
                }
            }
        }
        // "a review is due before a release, and a ban on …": what stands before is another statement
        let begins = self.held(segments).0.filter(|first| {
            segments.get(*first).is_some_and(|first| {
                let joint = matches!(text.word_at(first.from), "and" | "und" | "et" | "y" | "e");
                joint && !first.goes_on && first.gate == Gate::None && first.cues & (cue::NEG | cue::BAN) != 0
            })
        });
        for (place, segment) in segments.iter().enumerate() {
            let inside = text.range(segment.from, segment.to);
            let ours = self.ours(segment);
            let dependent = matches!(segment.gate, Gate::If | Gate::Until | Gate::Unless | Gate::Required);
            if dependent
                && !ours
                && begins.is_none_or(|first| place > first)
                && inside.iter().any(|token| says(token) && !done(text.word(token)) && !self.own(token))
            {
                // in front it tells of the occasion, behind it narrows
                self.read.conditions += usize::from(segment.gate == Gate::If && !probe.ifs && place > 0);
                let only = segment.from.checked_sub(1).and_then(|at| text.tokens.get(at)).is_some_and(|token| token.is(cue::ONLY));
                let excepts = text.tokens.get(segment.from).is_some_and(|first| first.is(cue::EXC));
                self.read.conditions += 1 + usize::from(only || excepts);
            }
            // "… when the supplier is new"
            let needed = inside.iter().any(|token| self.part(token).is_some_and(|(_, part)| part.needed));
            let new = inside.iter().any(|token| says(token) && self.part(token).is_none() && !done(text.word(token)));
            if segment.gate == Gate::If && place > 0 && ours && new && !needed && !probe.ifs {
                self.read.conditions += 2;
            }
            let held = segment.denied || only || segment.cues & cue::NEG != 0;
            // "must stay enabled" lets nothing
            let must = segment.cues & cue::MUST != 0;
            let lets = inside.iter().any(|token| token.is(cue::MAY) && !(must && matches!(text.word(token), "enabled" | "enable")));
            // "whoever it may be"
            let any = text.word_at(segment.from).ends_with("ever");
            self.read.permits |= segment.gate != Gate::Relative && lets && ours && !held && !any;
            // "never outside" is "only inside"
            let opposite = |token: &Token| {
                if token.is(cue::BAN) { None } else { probe.opposites.iter().find(|pair| pair.0 == token.canon).map(|pair| pair.1) }
            };
            let mut swapped = false;
            // "nobody outside the team"
            let others = inside.iter().any(|token| matches!(text.word(token), "outside" | "other" | "others" | "else" | "but" | "besides"));
            for index in inside.iter().filter_map(opposite) {
                let flips = probe.parts.get(index).is_some_and(|part| part.denied != segment.denied);
                swapped |= flips;
                self.read.swapped |= flips;
                self.read.orders_opposite |= flips && inside.first().is_some_and(|first| opposite(first).is_some());
                self.opposed |= if flips || !ours { 0 } else { 1 << index };
            }
            let later = if segment.denied { over } else { under }.is_some_and(|at| at > place);
            let aside = segment.gate == Gate::Relative || (segment.denied && waits) || (segment.gate == Gate::If && !segment.negated);
            for token in inside {
                let Some((index, part)) = self.part(token).map(|(index, part)| (index, *part)) else { continue };
                self.seen |= 1 << index;
                // "no tests without the door" is not "never open the door in tests"
                let plain = probe.cues & (cue::NEG | cue::BAN) != 0 && probe.cues & (cue::ONLY | cue::EXC | cue::COND) == 0;
                let turned =
                    matches!(segment.gate, Gate::Unless | Gate::Required) && part.needed && !(part.waits || part.gated) && !outside;
                self.read.suspect |= turned && plain && !probe.waits;
                // "without two signatures a payment leaves" is not "a payment needs two signatures"
                let lacking = text.word_at(segment.from).eq_ignore_ascii_case("without")
                    && inside.first().is_some_and(|first| first.canon != part.canon);
                let lacks = segment.gate == Gate::Unless && lacking && !denies;
                self.read.suspect |= lacks && segment.denied && !part.denied && !part.verb;
                let excused = aside
                    || segment.label
                    || (part.waits && dependent && segment.negated)
                    || bounded.get(place).is_some_and(|same| *same)
                    || (segment.denied && probe.cues & cue::ONLY != 0 && (has(&[Gate::Unless, Gate::Required]) || others))
                    || swapped
                    || part.gated
                    || (part.denied && (bound || (probe.waits && gates)))
                    || (later && part.needed)
                    || (!part.verb && goes_on(place, part.denied));
                if part.denied == segment.denied || excused {
                    self.agreed |= 1 << index;
                } else {
                    self.turned |= 1 << index;
                }
            }
        }
    }

    fn word(&mut self, segment: &Segment, at: usize, leads: bool, (inside, beside, ours, force): (bool, bool, bool, bool), speaks: bool) {
        let (probe, text) = (self.probe, self.text);
        let Some(token) = text.tokens.get(at) else { return };
        let word = text.word(token);
        let part = self.part(token).map(|(_, part)| *part);
        let next = text.tokens.get(at + 1);
        // a phrase that begins with a word of the rule is not the rule's own
        let phrase = next.is_some_and(|next| next.is(cue::PART));
        let counted = next.is_some_and(|next| next.kind == Kind::Number);
        let told = probe.own.iter().any(|(canon, cues)| {
            *canon == token.canon
                && (!phrase || cues & !PLACE == token.cue & !PLACE || lexicon().canon(hash(stem(word))) != token.canon)
                && (!counted || token.cue & !cues & (cue::SOFT | cue::REVOKE) == 0)
        });
        let near = (at - segment.from).min(24);
        let negated = |reach: usize| {
            text.range(at.saturating_sub(reach), at).iter().any(|token| token.is(cue::NEG | cue::BAN) && text.word(token) != "without")
        };
        let read = &mut self.read;
        let own = token.cue & !if told { without(word) } else { 0 };
        read.cues |= if force { own } else { own & !cue::STRICT };
        if !told {
            let reports =
                token.is(cue::SAID) && text.text.get(token.end..).is_some_and(|rest| rest.starts_with(" that ") || rest.starts_with(':'));
            let aside = segment.gate != Gate::None || segment.since;
            // "turning it off is taboo" where the rule forbids to switch it off
            let named = phrase && probe.parts.iter().any(|part| part.denied && part.canon == token.canon);
            // "no ceiling any longer"
            let ended = word == "anymore" || (word == "any" && next.is_some_and(|next| matches!(text.word(next), "longer" | "more")));
            // the exception of the rule is exempt, and what it asks for without asking needs no question
            let granted = (probe.cues & cue::EXC != 0 && word.starts_with("exempt"))
                || (probe.cues & cue::REVOKE != 0 && matches!(word, "without" | "freely" | "ohne" | "sans" | "sin" | "sem"));
            read.lifts |= token.is(cue::REVOKE) && !named && !granted;
            read.revoked |= token.is(cue::REVOKE) && !named && !granted && negated(near.max(2)) == ended;
            // "the ceiling of 400 was struck"
            let guard = |token: &Token| token.is(cue::RESIDUE | cue::LESS | cue::ONLY) && token.kind == Kind::Word;
            let gone = matches!(word, "deleted" | "struck" | "discontinued" | "scrapped");
            let before = text.range(at.saturating_sub(12).max(segment.from), at);
            read.revoked |= gone
                && !negated(2)
                && before.iter().any(guard)
                && before.iter().any(|token| matches!(text.word(token), "was" | "were" | "is" | "been"));
            let due = matches!(word, "informed" | "notified") && segment.cues & cue::MUST != 0;
            let described = due || matches!(text.word_at(segment.from), "what" | "how");
            read.softened |= token.is(cue::SOFT) && beside && !described && !negated(if listed(DENIABLE, word) { near.max(1) } else { 0 });
            // "important mails" are not all of them
            let part_next = next.is_some_and(|next| probe.parts.iter().any(|part| part.noun && part.canon == next.canon));
            read.softened |= part_next && listed(FEWER, word.to_ascii_lowercase().as_str());
            let reports = reports && !text.vouched(at);
            read.suspect |= leads && (reports || token.is(cue::UNREAL));
            let meant = probe.parts.iter().any(|part| part.canon == token.canon);
            // "not again", "no photo either, and no sketch too"
            let denies = segment.denied && matches!(word, "again" | "too" | "already" | "instead" | "rather");
            read.suspect |= token.is(cue::SUSPECT) && beside && !aside && !meant && !denies;
        }
        read.suspect |= token.is(cue::QUOTED) && probe.cues & cue::QUOTED == 0 && part.is_some_and(|part| !part.needed);
        // "no sign-off is required", "no waiting time applies", "nobody has to"
        let passive = !told && matches!(word, "required" | "needed" | "necessary" | "applies" | "apply" | "involved" | "called");
        let has_to = matches!(word, "has" | "have") && next.is_some_and(|next| text.word(next) == "to");
        read.revoked |= (passive || has_to) && negated(near) && probe.cues & cue::REVOKE == 0;
        if part.is_some() || !says(token) || !speaks {
            return;
        }
        read.words += 1;
        match token.kind {
            _ if !inside => {}
            Kind::Number => {
                read.numbers += usize::from(
                    token.value != 1000 && !(token.value == 2000 && both(probe)) && !next.is_some_and(|next| next.is(cue::RESIDUE)),
                )
            }
            Kind::Ident => read.idents += 1,
            _ if token.is(cue::NAME) => read.names += usize::from(!told && ours),
            _ => {
                read.novel += 1;
                read.nouns += usize::from(!done(word) && !token.is(cue::GENERIC));
                read.others.push(at);
                read.classes |= lexicon().classes(token.canon);
            }
        }
    }
}
