//! What small words and the order of words make of a passage that has all else of a rule: "and" become "or", "off" become "on",
//! what came first come second, an order become a report.

use super::super::stems::{Stem, alike, listed, stem};
use super::FateKind;
use crate::text::words::next_word;

/// A word in lower case, and its stem.
struct Seen {
    word: String,
    stem: Stem,
    /// Whether a mark stands before it.
    after_mark: bool,
}

/// Words that one of a pair takes the place of.
const OPPOSED: &[(&str, &str)] = &[
    ("off", "on"),
    ("on", "off"),
    ("through", "to"),
    ("to", "from"),
    ("from", "to"),
    ("in", "out"),
    ("inside", "outside"),
    ("outside", "inside"),
    ("with", "without"),
    ("above", "below"),
    ("below", "above"),
    ("over", "under"),
    ("under", "over"),
];

/// Words that leave some out.
const SOME: &str = "most some many several few half partly mostly generally often sometimes";

/// Before "after" and "before", words that move them.
const MOVES: &str = "much long";

/// Who may be told to have said a rule.
const VOICES: &str = "the user users operator policy rules rule instructions instruction system owner our your";

fn words(text: &str) -> Vec<Seen> {
    let (mut out, mut at) = (Vec::new(), 0);
    while let Some(found) = next_word(text, at) {
        let word = text.get(found.start..found.end).unwrap_or_default().to_ascii_lowercase();
        let after_mark = text.get(at..found.start).is_some_and(|gap| gap.contains([',', ';', ':', '.', '(']));
        at = found.end;
        out.push(Seen { stem: stem(&word), word, after_mark });
    }
    out
}

/// Words that carry a rule's matter, to the eye.
fn tells(seen: &Seen) -> bool {
    seen.word.len() > 3 && !listed("must shall should will have been with from that this before after only never always unless", &seen.word)
}

/// What a passage made of a rule whose words it has, if that is another rule.
pub(super) fn twisted(rule: &str, passage: &str) -> Option<(FateKind, &'static str)> {
    if passage.contains(rule.trim().trim_end_matches('.')) {
        return None;
    }
    let (mine, theirs) = (words(rule), words(passage));
    let same = |a: &Seen, b: &Seen| a.word == b.word || alike(a.stem, b.stem);
    let word = |list: &[Seen], at: usize, wanted: &str| list.get(at).is_some_and(|seen| listed(wanted, &seen.word));
    let has = |list: &[Seen], wanted: &str| (0..list.len()).any(|at| word(list, at, wanted));
    let next = |list: &[Seen], at: usize| list.iter().skip(at + 1).position(tells).map(|gap| at + 1 + gap);
    for (at, seen) in mine.iter().enumerate() {
        // "encrypted and off the network" is not "encrypted or off the network"
        let joins = listed("and or", &seen.word);
        for (place, other) in theirs.iter().enumerate() {
            if joins && listed("and or", &other.word) && seen.word != other.word {
                let pair = |a: Option<&Seen>, b: Option<&Seen>| a.zip(b).is_some_and(|(a, b)| same(a, b));
                if pair(at.checked_sub(1).and_then(|at| mine.get(at)), place.checked_sub(1).and_then(|at| theirs.get(at)))
                    && pair(mine.get(at + 1), theirs.get(place + 1))
                    && !negated(&mine)
                    && !negated(&theirs)
                {
                    return Some((FateKind::Mutated, "condition-changed"));
                }
            }
            let opposed = OPPOSED.iter().any(|(a, b)| *a == seen.word && *b == other.word);
            if opposed && place > 0 {
                let (behind, there) = (next(&mine, at), next(&theirs, place));
                let (Some(behind), Some(there)) = (behind.and_then(|at| mine.get(at)), there.and_then(|at| theirs.get(at))) else {
                    continue;
                };
                // the verb before it stands before the other, too: "go through", "go to"
                let verb = at.checked_sub(1).and_then(|at| mine.get(at)).zip(theirs.get(place - 1)).is_some_and(|(a, b)| same(a, b));
                if verb && same(behind, there) && !has(&theirs, &seen.word) {
                    return Some((FateKind::Mutated, "condition-changed"));
                }
            }
        }
    }
    let added = |list: &str| {
        (0..theirs.len()).find(|at| word(&theirs, *at, list)).filter(|at| theirs.get(*at).is_some_and(|seen| !has(&mine, &seen.word)))
    };
    // "most figures", "one of two people", "much after sunset"
    let some = added(SOME).is_some_and(|at| {
        theirs.get(at + 1).is_some_and(tells) && mine.iter().any(|seen| theirs.get(at + 1).is_some_and(|next| same(seen, next)))
    });
    let one_of = (1..theirs.len()).any(|at| {
        // "one of two people", and not "not one of them"
        let known = theirs.get(at + 1).is_some_and(|next| has(&mine, &next.word));
        word(&theirs, at, "of") && word(&theirs, at - 1, "one") && known
    }) && !has(&mine, "one");
    let moved = (1..theirs.len()).any(|at| word(&theirs, at, "after before") && word(&theirs, at - 1, MOVES)) && !has(&mine, MOVES);
    // "the seedlings did not get water" tells what happened
    let told = (1..theirs.len()).any(|at| (word(&theirs, at, "not") && word(&theirs, at - 1, "did")) || word(&theirs, at, "didn't"));
    let told = told && !has(&mine, "did didn't") && !has(&theirs, "said asked told wants wanted user operator");
    if some || one_of || moved || told {
        return Some((FateKind::Weakened, "softened"));
    }
    // "only X may" and "X may only"
    let only = |list: &[Seen]| (1..list.len()).any(|at| word(list, at, "only") && word(list, at - 1, "may can"));
    if word(&mine, 0, "only") && !only(&mine) && only(&theirs) && !word(&theirs, 0, "only") {
        return Some((FateKind::Mutated, "scope-changed"));
    }
    let attributed = word(&theirs, 0, "according") && word(&theirs, 1, "to") && !(2..5).any(|at| word(&theirs, at, VOICES));
    if attributed {
        return Some((FateKind::Weakened, "softened"));
    }
    if reported(&mine, &theirs) {
        return Some((FateKind::Weakened, "softened"));
    }
    ["before", "after"].iter().any(|turn| turned(&mine, &theirs, turn)).then_some((FateKind::Mutated, "condition-changed"))
}

/// Whether something is ruled out.
fn negated(list: &[Seen]) -> bool {
    let no = "no not never nor neither nothing nobody none without cannot can't don't mustn't forbidden prohibited refused out";
    list.iter().any(|seen| listed(no, &seen.word))
}

/// Whether an order is told as what somebody in it does: "ask Ines" as "Ines asks", "never share" as "the office never shares".
fn reported(mine: &[Seen], theirs: &[Seen]) -> bool {
    let verb = usize::from(mine.first().is_some_and(|seen| seen.word == "never"));
    let Some(verb) = mine.get(verb).filter(|verb| verb.word.len() > 2 && !verb.word.ends_with('s')) else { return false };
    let third = format!("{}s", verb.word);
    theirs.iter().enumerate().any(|(at, seen)| {
        let before = at.checked_sub(1).and_then(|at| theirs.get(at)).filter(|seen| seen.word != "never");
        let before = before.or_else(|| at.checked_sub(2).and_then(|at| theirs.get(at)));
        seen.word == third && before.is_some_and(|who| tells(who) && mine.iter().any(|seen| seen.word == who.word))
    })
}

/// The words of the clause that a word begins, up to a mark, and the others.
fn sides<'s>(list: &'s [Seen], turn: &str) -> Option<(Vec<&'s Seen>, Vec<&'s Seen>)> {
    let mut places = list.iter().enumerate().filter(|(_, seen)| seen.word == turn);
    let (at, _) = places.next()?;
    if places.next().is_some() {
        return None;
    }
    let end = list.iter().enumerate().skip(at + 1).find(|(_, seen)| seen.after_mark).map_or(list.len(), |(end, _)| end);
    let (mut behind, mut others) = (Vec::new(), Vec::new());
    for (place, seen) in list.iter().enumerate().filter(|(_, seen)| tells(seen)) {
        if place > at && place < end { behind.push(seen) } else { others.push(seen) }
    }
    Some((behind, others))
}

/// Whether what comes before the other comes after it in a passage.
fn turned(mine: &[Seen], theirs: &[Seen], turn: &str) -> bool {
    // "do not quote before they confirm" is "they confirm before we quote"
    if negated(mine) != negated(theirs) {
        return false;
    }
    let (Some((later, first)), Some((their_later, their_first))) = (sides(mine, turn), sides(theirs, turn)) else { return false };
    let shared = |a: &[&Seen], b: &[&Seen]| a.iter().filter(|a| b.iter().any(|b| a.word == b.word || alike(a.stem, b.stem))).count();
    // what stands on both sides in the rule tells nothing
    let own = |a: &[&Seen], b: &[&Seen]| shared(a, b) == 0;
    own(&later, &first)
        && shared(&their_later, &first) > shared(&their_later, &later)
        && shared(&their_first, &later) > 0
        && shared(&their_later, &later) == 0
}
