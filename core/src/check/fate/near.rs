//! A passage that repeats most of a rule word by word: what the words that differ do to it.

use super::align::{equal, pairs};
use super::probe::{Probe, matters, says};
use super::read::bounds;
use super::{FateKind as Fate, Verdict};
use crate::text::frame::{Frames, Kin, Kind, Token, Unit, cue, kin};
use crate::text::words::listed;

/// A word on one side that answers none on the other, and the place between two answered words it stands in.
#[derive(Clone, Copy)]
struct Odd {
    token: Token,
    at: usize,
    gap: usize,
}

/// Words of a contrast or a back reference at the start of a clause.
const BACK: &str = "this that it these those they which above dies das diese cela esto isso";
const CONTRAST: &str = "but however except unless although though still yet exception exceptions aber mais pero mas";

/// How far around a passage its clause is read, in words.
const NEAR: usize = 200;

/// Compares a passage with the rule; `None` if it is not a repetition.
pub(super) fn compare(probe: &Probe<'_>, text: &Frames<'_>, window: (usize, usize)) -> Option<Verdict> {
    let rule = probe.frames.range(0, probe.frames.tokens.len());
    let passage = text.range(window.0, window.1);
    let mut pairs = pairs(rule, passage);
    let form = |pair: &(usize, usize)| rule.get(pair.0).zip(passage.get(pair.1)).is_none_or(|(a, b)| is_form(probe, text, a, b));
    pairs.retain(form);
    let pairs = trimmed(pairs, rule, passage);
    let (first, last) = (*pairs.first()?, *pairs.last()?);
    // words lost at an end are answered by as many beside the passage
    let clause = |token: usize| text.units.get(text.unit_of(window.0 + token));
    let floor = clause(first.1).map_or(0, |unit| unit.from.saturating_sub(window.0));
    let roof = clause(last.1).map_or(0, |unit| unit.to.saturating_sub(window.0)).min(passage.len());
    let from = first.1.saturating_sub(first.0).max(floor);
    let to = (last.1 + probe.reason.max(last.0 + 1) - last.0).min(roof);
    // "salaries must not be disclosed": what the rule says later stands in front
    let unmet = |token: &&Token| {
        let answers = |(at, own): (usize, &Token)| matters(own) && equal(own, token) && !pairs.iter().any(|pair| pair.0 == at);
        matters(token) && rule.iter().enumerate().take(probe.reason).any(answers)
    };
    let front = floor.max(from.saturating_sub(5));
    let from = passage.get(front..from).unwrap_or_default().iter().position(|token| unmet(&token)).map_or(from, |at| front + at);
    let mut place = (window.0 + from, window.0 + to);
    let (mut lost, mut added) = odd(&pairs, rule, passage, (from, to));
    let said = pairs.iter().filter(|pair| pair.0 < probe.reason).count();
    if let Some(start) = turned(&lost, rule, passage, (from, probe.reason)) {
        // the end of the rule stands before its beginning
        lost.clear();
        place.0 = window.0 + start;
    } else if said * 100 < probe.reason * 65 {
        return None;
    }
    let at = (text.unit_of(place.0), text.unit_of(place.1.saturating_sub(1)));
    let reason_lost = lost.iter().any(|odd| odd.at >= probe.reason);
    lost.retain(|odd| odd.at < probe.reason && !probe.pair(odd.at));
    let whole = rule.iter().take(probe.reason).filter(|token| matters(token)).count();
    let moved = take_moved(probe, text, &mut lost, &mut added);
    // what the rule gives as its reason adds nothing
    let behind = rule.get(probe.reason..).unwrap_or_default();
    added.retain(|odd| !behind.iter().any(|token| says(token) && equal(token, &odd.token)));
    let kept = whole.saturating_sub(lost.len());
    if kept * 100 < whole * 60 || added.len() > 3 + whole / 3 || kept < 2 {
        return None;
    }
    let end = |kind, detail| Some(Verdict::new(kind, detail, at));
    if fewer(probe, text, place) {
        return end(Fate::Weakened, "softened");
    }
    if lost.is_empty() && added.is_empty() {
        // "grade 5 pupils" and "pupils in grade 5" stand on the same side of what is said of them
        let forced = |side: &[Token]| side.iter().position(|token| token.is(cue::STRICT | cue::MAY)).unwrap_or(0);
        let (own, other) = (forced(rule), forced(passage));
        let crosses = |odd: &Odd| says_odd(odd) && (odd.at >= own || odd.gap >= other);
        let one = moved.first().zip(moved.last()).is_some_and(|(first, last)| {
            rule.iter().take(last.at + 1).skip(first.at).filter(|token| matters(token)).count() == moved.len()
        });
        if moved.iter().any(|odd| says_odd(odd) && (crosses(odd) || !one)) && !one_end(&moved, rule, probe.reason) {
            return end(Fate::Mutated, "parties-swapped");
        }
        let mut found = guarded(probe, text, place);
        if found.kind == Fate::Preserved && reason_lost {
            (found.kind, found.detail) = (Fate::Paraphrased, "reason-lost");
        }
        return Some(found);
    }
    if bounds(probe, text, at).turned {
        return end(Fate::Mutated, "comparator-changed");
    }
    // "never X" may have become "X is forbidden"
    let clauses = text.units.get(at.0).zip(text.units.get(at.1)).map_or((0, 0), |(first, last)| (first.from, last.to));
    let (floor, roof) = (clauses.0.max(place.0.saturating_sub(NEAR)), clauses.1.min(place.1 + NEAR));
    let around = text.range(floor, place.0).iter().chain(text.range(place.1, roof));
    let outside = around.clone().any(|token| token.is(cue::NEG | cue::BAN | cue::ONLY));
    match differing(probe, text, (&lost, &added), outside) {
        Differs::Elsewhere => None,
        Differs::So(kind, detail) => end(kind, detail),
        Differs::Not => {
            let mut found = guarded(probe, text, place);
            if found.kind == Fate::Preserved {
                found.kind = Fate::Paraphrased;
            }
            Some(found)
        }
    }
}

/// Whether a word that is compared by the same is a form of the rule's, or another word for it.
pub(super) fn is_form(probe: &Probe<'_>, text: &Frames<'_>, rule: &Token, token: &Token) -> bool {
    let word = rule.kind == Kind::Word && token.kind == Kind::Word;
    !word || rule.exact == token.exact || kin(probe.frames.word(rule), text.word(token)) == Kin::Other
}

fn says_odd(odd: &Odd) -> bool {
    says(&odd.token)
}

fn any(odds: &[Odd], cues: u32) -> bool {
    odds.iter().any(|odd| odd.token.is(cues))
}

/// Verbs that say little beside the noun they carry.
const LIGHT: &str = "give given giving get make made making take taken put use used using do done set kept carry carried place placed";

/// Whether words that differ make a difference.
enum Differs {
    Not,
    So(Fate, &'static str),
    /// They are answered outside the passage, so it is no repetition.
    Elsewhere,
}

/// What the differing words make of the rule. `outside`: whether the clause has force beside the passage.
fn differing(probe: &Probe<'_>, text: &Frames<'_>, (lost, added): (&[Odd], &[Odd]), outside: bool) -> Differs {
    let so = Differs::So;
    let foreign = |cues: u32| added.iter().any(|odd| odd.token.is(cues & !probe.cues));
    let spoken = |odds: &[Odd]| odds.iter().filter(|odd| says_odd(odd) && !odd.token.is(cue::BAN)).count();
    let same_gap = |odd: &Odd| added.iter().filter(|other| other.gap == odd.gap).copied().collect::<Vec<_>>();
    if any(added, cue::REVOKE) {
        return so(Fate::Contradicted, "revoked");
    }
    let negated = |odds: &[Odd]| odds.iter().filter(|odd| odd.token.is(cue::NEG | cue::BAN)).count();
    // "only with" may have become "not without"
    let without = |odd: &Odd| text.word(&odd.token).eq_ignore_ascii_case("without");
    let unless = any(added, cue::EXC) || added.iter().any(without);
    if (any(lost, cue::ONLY | cue::MUST) || probe.cues & cue::STRICT == cue::MUST) && unless && negated(lost) < negated(added) {
        return Differs::Elsewhere;
    }
    if negated(lost) != negated(added) {
        let removed = negated(lost) > negated(added);
        // "never leaves" may have become "stays inside"
        if removed && (outside || negated(added) > 0 || any(added, cue::ONLY) || (any(added, cue::MUST) && spoken(lost) > 0)) {
            return Differs::Elsewhere;
        }
        if removed && any(added, cue::SOFT) {
            return so(Fate::Weakened, "softened");
        }
        if !removed || (spoken(lost) <= 1 + spoken(added) && !any(added, cue::ONLY)) {
            return so(Fate::Contradicted, "polarity-flipped");
        }
    }
    if any(lost, cue::ONLY | cue::BAN) && foreign(cue::MAY) {
        return so(Fate::Contradicted, "permitted");
    }
    if foreign(cue::SOFT) {
        return so(Fate::Weakened, "softened");
    }
    let opposite = |odd: &Odd| {
        let word = probe.frames.word(&odd.token);
        added.iter().any(|other| other.gap == odd.gap && kin(word, text.word(&other.token)) == Kin::Opposite)
    };
    if negated(lost) == negated(added) && lost.iter().any(|odd| says_odd(odd) && opposite(odd)) {
        return so(Fate::Contradicted, "polarity-flipped");
    }
    for odd in lost {
        let near = same_gap(odd);
        let other = |kind: fn(&Odd) -> bool| near.iter().any(kind);
        match odd.token.kind {
            Kind::Number if other(|o| o.token.kind == Kind::Number) => return so(Fate::Mutated, "number-changed"),
            Kind::Ident if other(|o| says_odd(o) || o.token.kind == Kind::Number) => return so(Fate::Mutated, "id-changed"),
            Kind::Word if odd.token.is(cue::NAME) && other(says_odd) => return so(Fate::Mutated, "party-changed"),
            _ => {}
        }
    }
    for odd in lost.iter().filter(|odd| says_odd(odd)) {
        let near = same_gap(odd);
        if near.iter().any(says_odd) {
            if odd.token.kind == Kind::Word && (any(lost, cue::STRICT) || any(added, cue::STRICT)) {
                return Differs::Elsewhere;
            }
            return so(Fate::Mutated, if odd.token.kind == Kind::Number { "number-changed" } else { "scope-changed" });
        }
    }
    if any(lost, cue::LESS | cue::MORE) && any(added, cue::LESS | cue::MORE) {
        if any(lost, cue::LESS) != any(added, cue::LESS) {
            return so(Fate::Mutated, "comparator-changed");
        }
        return Differs::Elsewhere;
    }
    if spoken(lost) + spoken(added) > 1 && any(lost, cue::COND | cue::EXC) {
        return Differs::Elsewhere;
    }
    if foreign(cue::LESS | cue::MORE) && probe.cues & (cue::LESS | cue::MORE) == 0 {
        return so(Fate::Weakened, "condition-changed");
    }
    if spoken(lost) > 0 {
        // other words for what is done are many
        let verb = |odd: &Odd| probe.parts.iter().any(|part| part.verb && part.at == odd.at);
        if lost.iter().filter(|odd| says_odd(odd)).all(verb) {
            return Differs::Elsewhere;
        }
        let detail = if any(lost, cue::EXC) {
            "exception-lost"
        } else if any(lost, cue::COND) {
            "condition-lost"
        } else if lost.iter().any(|odd| odd.token.kind != Kind::Word && odd.token.kind != Kind::Glyph) {
            "generalised"
        } else {
            "part-lost"
        };
        return so(Fate::Weakened, detail);
    }
    // "must not be used for" may say no more than "must not", and "nobody but Ada" what "only Ada" says
    let light = |odd: &Odd| listed(LIGHT, text.word(&odd.token).to_ascii_lowercase().as_str());
    if (spoken(added) > 0 && added.iter().filter(|odd| says_odd(odd)).all(light)) || (outside && any(lost, cue::STRICT)) {
        return Differs::Elsewhere;
    }
    if foreign(cue::EXC) || any(added, cue::COND) != any(lost, cue::COND) || spoken(added) > 0 {
        return so(Fate::Weakened, "condition-changed");
    }
    if any(lost, cue::COND) {
        return so(Fate::Mutated, "condition-changed");
    }
    if any(lost, cue::STRICT) && !any(added, cue::STRICT) {
        return so(Fate::Weakened, "softened");
    }
    Differs::Not
}

/// Without matches at the edges that mean nothing or stand far from the rest.
fn trimmed(mut pairs: Vec<(usize, usize)>, rule: &[Token], passage: &[Token]) -> Vec<(usize, usize)> {
    let weighs = |pair: &(usize, usize)| rule.get(pair.0).is_some_and(matters);
    let between = |from: usize, to: usize| passage.iter().take(to).skip(from + 1).filter(|token| matters(token)).count();
    for _ in 0..2 {
        pairs.reverse();
        while pairs.last().is_some_and(|pair| !weighs(pair)) {
            pairs.pop();
        }
        for edge in [3, 2, 1] {
            let length = pairs.len();
            if let (Some(a), Some(b)) = (pairs.get(length.wrapping_sub(edge)), pairs.get(length.wrapping_sub(edge + 1)))
                && between(a.1.min(b.1), a.1.max(b.1)) > 3
            {
                pairs.truncate(length - edge);
            }
        }
    }
    pairs
}

/// The words that answer none.
fn odd(pairs: &[(usize, usize)], rule: &[Token], passage: &[Token], place: (usize, usize)) -> (Vec<Odd>, Vec<Odd>) {
    let (mut lost, mut added) = (Vec::new(), Vec::new());
    let (mut row, mut column) = (0, place.0);
    let ends = std::iter::once((rule.len(), place.1));
    for (gap, (to, until)) in pairs.iter().copied().chain(ends).enumerate() {
        let take = |side: &[Token], from: usize, to: usize, out: &mut Vec<Odd>| {
            let rest = side.iter().enumerate().take(to).skip(from).filter(|(_, token)| matters(token));
            out.extend(rest.map(|(at, token)| Odd { token: *token, at, gap }));
        };
        take(rule, row, to, &mut lost);
        take(passage, column, until, &mut added);
        (row, column) = (to + 1, until + 1);
    }
    (lost, added)
}

/// Takes the words out that stand elsewhere on the other side, and where that is as their gap.
fn take_moved(probe: &Probe<'_>, text: &Frames<'_>, lost: &mut Vec<Odd>, added: &mut Vec<Odd>) -> Vec<Odd> {
    let mut moved = Vec::new();
    lost.retain(|odd| {
        let same = |other: &Odd| equal(&odd.token, &other.token) && is_form(probe, text, &odd.token, &other.token);
        let Some(at) = added.iter().position(same) else { return true };
        let found = added.remove(at);
        moved.push(Odd { gap: found.at, ..*odd });
        false
    });
    moved
}

/// Whether some words are one stretch at the beginning or the end of the rule.
fn one_end(odds: &[Odd], rule: &[Token], reason: usize) -> bool {
    let (Some(first), Some(last)) = (odds.first(), odds.last()) else { return true };
    let all = |from: usize, to: usize| rule.iter().take(to).skip(from).filter(|token| matters(token)).count();
    all(first.at, last.at + 1) == odds.len() && (all(0, first.at) == 0 || all(last.at + 1, reason) == 0)
}

/// Where the lost end of a rule begins, if all of it stands right before the passage.
fn turned(lost: &[Odd], rule: &[Token], passage: &[Token], (from, reason): (usize, usize)) -> Option<usize> {
    let last = lost.last().filter(|_| one_end(lost, rule, reason))?;
    if rule.iter().take(reason).skip(last.at + 1).any(matters) {
        return None;
    }
    let start = from.saturating_sub(2 * lost.len() + 6);
    let before = passage.get(start..from).unwrap_or_default();
    let found = |odd: &Odd| before.iter().position(|token| equal(&odd.token, token));
    let starts = lost.iter().map(found).collect::<Option<Vec<_>>>()?;
    let ordered = starts.is_sorted();
    starts.first().filter(|_| ordered).map(|at| start + at)
}

/// Whether a clause follows another in its paragraph, or on the next line.
fn near_by(text: &Frames<'_>, unit: &Unit, next: &Unit) -> bool {
    let gap = text.text.get(unit.end..next.start).unwrap_or_default();
    unit.block == next.block || (gap.trim().is_empty() && gap.bytes().filter(|b| *b == b'\n').count() == 1)
}

/// Whether a word is the "draft" of "draft 4", which names a document.
fn numbered(text: &Frames<'_>, at: usize) -> bool {
    text.word_at(at).eq_ignore_ascii_case("draft") && text.tokens.get(at + 1).is_some_and(|next| next.kind == Kind::Number)
}

/// `preserved` if the passage is a plain statement; else what the words around it make of it.
pub(super) fn guarded(probe: &Probe<'_>, text: &Frames<'_>, place: (usize, usize)) -> Verdict {
    let at = (text.unit_of(place.0), text.unit_of(place.1.saturating_sub(1)));
    let (Some(first), Some(last)) = (text.units.get(at.0), text.units.get(at.1)) else {
        return Verdict::new(Fate::Dropped, "mentioned", at);
    };
    let own = probe.cues;
    let quoted = |token: Option<&Token>| token.is_some_and(|token| token.is(cue::QUOTED));
    let end = |kind, detail| Verdict::new(kind, detail, at);
    if own & cue::QUOTED == 0 && quoted(text.tokens.get(place.0)) && quoted(text.tokens.get(place.1.saturating_sub(1))) {
        return end(Fate::Dropped, "quoted");
    }
    let asked = probe.frames.units.last().is_some_and(|unit| unit.question);
    if last.question && !asked {
        return end(Fate::Dropped, "asked");
    }
    let before = text.range(first.from.max(place.0.saturating_sub(NEAR)), place.0);
    let lead = first
        .lead
        .and_then(|lead| text.units.get(lead))
        .map_or(&[][..], |lead| text.range(lead.from, lead.to.min(place.0).min(lead.from + NEAR)));
    let behind = text.range(place.1, last.to.min(place.1 + NEAR));
    let label = before.len() < 5
        && before.last().is_some_and(|token| {
            text.text.get(token.end..).is_some_and(|rest| rest.trim_start_matches(['*', '_', ' ']).starts_with([':', '：', '.', '—', '–']))
        });
    if text.foreign(place.0 - before.len(), place.0)
        || (!label && !text.readable(place.0 - before.len(), place.0))
        || text.foreign(place.1, place.1 + behind.len())
    {
        return end(Fate::Unverifiable, "no-frame");
    }
    let has = |tokens: &[Token], cues: u32| tokens.iter().any(|token| token.is(cues));
    if has(before, cue::REVOKE) || has(lead, cue::REVOKE) || has(behind, cue::REVOKE) {
        return end(Fate::Contradicted, "revoked");
    }
    let start = place.0 - before.len();
    let said = |(at, token): (usize, &Token)| token.is(cue::SAID) && !text.vouched(start + at);
    let lead_from = first.lead.and_then(|lead| text.units.get(lead)).map_or(0, |lead| lead.from);
    let told = |(at, token): (usize, &Token)| token.is(cue::SAID) && !text.vouched(lead_from + at);
    if before.iter().enumerate().any(said)
        || has(before, cue::UNREAL)
        || lead.iter().enumerate().any(|(at, token)| token.is(cue::UNREAL) && !numbered(text, lead_from + at))
        || lead.iter().enumerate().any(told)
        || has(behind, cue::UNREAL)
    {
        return end(Fate::Contradicted, "not-in-force");
    }
    if has(before, cue::NEG | cue::BAN)
        || has(behind, cue::NEG)
        || (has(lead, cue::NEG) && first.lead.is_some_and(|lead| text.units.get(lead).is_some_and(|unit| !unit.heading)))
    {
        return end(Fate::Contradicted, "negated");
    }
    if (!label && has(before, cue::SOFT | cue::COND | cue::EXC | cue::MAY)) || has(behind, cue::SOFT | cue::COND | cue::EXC) {
        return end(Fate::Weakened, "condition-changed");
    }
    if narrowed(probe, text, (place.1, last.to)) {
        return end(Fate::Weakened, "condition-changed");
    }
    match taken_back(text, at.1) {
        Some((kind, detail)) => end(kind, detail),
        None => end(Fate::Preserved, ""),
    }
}

/// Words that begin a time, a place or a manner to which what stands before is narrowed.
const NARROWS: &str = "during at on in for within between from with to alone over above under below inside outside near";

/// Words of an ending that narrows nothing: "in all cases", "for safety reasons", "in this session", "to avoid a loss".
const NARROWS_NOT: &str = "all any every each ever whole entire always both this everybody everyone reason reasons safety security compliance \
    privacy force effect place general now avoid keep protect prevent ensure make be comply stay";

/// Whether words that the rule does not have go on behind it, without a pause, and narrow it: "… at night", "… for long".
fn narrowed(probe: &Probe<'_>, text: &Frames<'_>, (from, to): (usize, usize)) -> bool {
    let pause = |at: usize| {
        let end = text.tokens.get(at.wrapping_sub(1)).map_or(0, |token| token.end);
        let gap = text.tokens.get(at).and_then(|token| text.text.get(end..token.start)).unwrap_or(",");
        !gap.bytes().all(|b| b == b' ' || b == b'\n')
    };
    let to = (from..to).find(|at| pause(*at)).unwrap_or(to);
    let first = text.word_at(from).to_ascii_lowercase();
    let last_gate = probe.parts.last().is_some_and(|part| part.gated || part.waits);
    let joins = match first.as_str() {
        "and" => last_gate && probe.cues & cue::EXC != 0,
        "or" => probe.cues & cue::MUST != 0 && probe.cues & (cue::NEG | cue::BAN) == 0,
        first => listed(NARROWS, first),
    };
    let tail = text.range(from, to);
    let new = |token: &Token| says(token) && !probe.own.iter().any(|own| own.0 == token.canon);
    let own_force = |token: &Token| token.is(cue::STRICT | cue::MAY) || matches!(text.word(token), "is" | "are");
    joins
        && (first == "alone" || tail.iter().any(new))
        && !tail.iter().skip(1).any(|token| own_force(token) || listed(NARROWS_NOT, text.word(token)))
}

/// Words for a part of what a rule is about.
const FEWER: &str = "some most few many several borderline doubtful obvious major serious significant critical larger bigger";

/// Whether some words of a text make some of all that the rule is about.
fn fewer(probe: &Probe<'_>, text: &Frames<'_>, (from, to): (usize, usize)) -> bool {
    let known = |canon: u32| probe.parts.iter().any(|part| part.canon == canon);
    (from..to).any(|at| {
        let next = text.tokens.get(at + 1).is_some_and(|token| known(token.canon));
        let new = text.tokens.get(at).is_some_and(|token| !probe.own.iter().any(|own| own.0 == token.canon));
        next && new && listed(FEWER, text.word_at(at).to_ascii_lowercase().as_str())
    })
}

/// What the sentence behind a clause makes of it, where it takes back or narrows what was said.
pub(super) fn taken_back(text: &Frames<'_>, last: usize) -> Option<(Fate, &'static str)> {
    let next = text.units.get(last + 1).filter(|next| !next.heading)?;
    let last = text.units.get(last)?;
    let has = |tokens: &[Token], cues: u32| tokens.iter().any(|token| token.is(cues));
    let tokens = text.range(next.from, next.to.min(next.from + NEAR));
    let word = |at: usize| text.word_at(next.from + at).to_ascii_lowercase();
    let first = word(0);
    let back = listed(BACK, first.as_str()) || (first == "the" && word(1) == "rule");
    // "Unless …, no photos are taken." is a rule of its own
    let own_force = tokens.iter().skip(1).any(|token| token.is(cue::STRICT)) && tokens.first().is_some_and(|token| token.is(cue::EXC));
    let opens = listed(CONTRAST, first.as_str()) || (first == "the" && listed(CONTRAST, word(1).as_str()));
    let contrast = opens && next.block == last.block && !own_force;
    // "No longer valid.", "Cancelled on Monday."
    let goes_on =
        matches!(word(1).as_str(), "" | "longer" | "valid" | "in" | "on" | "by" | "since" | "as" | "last" | "now" | "today" | "yesterday");
    let short = near_by(text, last, next) && tokens.len() < 7 && goes_on && has(tokens.get(..1).unwrap_or_default(), cue::REVOKE);
    if (back || contrast || short) && has(tokens, cue::REVOKE | cue::UNREAL) {
        return Some((Fate::Contradicted, "revoked"));
    }
    if contrast && has(tokens, cue::SOFT | cue::MAY | cue::EXC | cue::COND) {
        return Some((Fate::Weakened, "condition-changed"));
    }
    None
}

/// `preserved` if a rule that has no frame stands as a sentence of its own and nothing beside it may take it back.
pub(super) fn alone(probe: &Probe<'_>, text: &Frames<'_>, place: (usize, usize)) -> Verdict {
    let found = guarded(probe, text, place);
    let at = (text.unit_of(place.0), text.unit_of(place.1.saturating_sub(1)));
    let unit = |at: usize| text.units.get(at);
    let (Some(first), Some(last)) = (unit(at.0), unit(at.1)) else { return found };
    let before = at.0.checked_sub(1).and_then(unit).filter(|unit| near_by(text, unit, first));
    let behind = unit(at.1 + 1).filter(|unit| near_by(text, last, unit));
    let beside = before.into_iter().chain(behind);
    let readable = |unit: &Unit| text.readable(unit.from, unit.to);
    let whole = place == (first.from, last.to) && !first.joined;
    let sure = whole
        && first.lead.and_then(unit).is_none_or(readable)
        && beside.clone().all(|unit| unit.block != first.block || (readable(unit) && !unit.joined));
    let gone = |unit: &Unit| text.range(unit.from, unit.to).iter().any(|token| token.is(cue::REVOKE | cue::UNREAL));
    match found.kind {
        Fate::Preserved if beside.clone().any(gone) => Verdict::new(Fate::Contradicted, "revoked", at),
        Fate::Preserved if sure => found,
        Fate::Preserved | Fate::Weakened => Verdict::new(Fate::Unverifiable, "no-frame", at),
        _ => found,
    }
}
