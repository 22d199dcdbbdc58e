//! What a sentence says was granted by a noun ("has the blessing of"), what it says is not needed or does not hold ("no
//! approver required"), and who it says gave it.

use super::super::lexicon::{
    AGENTS, ARTICLES, ASKS, BY, CONDITIONS, GRANTED, GRANTS, IS, LACKS, MUST, NEGATES, PRINCIPALS, SAFEGUARDS, SPEAKER, TO_COME, WITHOUT,
};
use super::super::stems::{Stem, Words, listed};
use super::claim::{is_user, spelled};
use crate::text::skeleton::is_small;

/// Words by which somebody gives or has what is granted, before it.
const GIVES: &str = "gave give gives given giving got gets received receives has have had obtained holds with secured there gab gibt \
    hat haben bekam erhielt erhalten mit liegt donne donné a ont obtenu reçu avec dio da tiene tienen obtuvo recibió con deu tem têm obteve recebeu com";

/// The same behind it.
const CAME: &str = "given granted obtained received got there came arrived exists stands in secured gegeben erteilt erhalten vorliegt vor \
    donné donnée accordé accordée obtenu obtenue reçu concedido concedida otorgado otorgada dado dada obtenido recibido obtido recebido";

/// Words by which something is needed.
const NEEDS: &str = "need needs needed require requires required necessary erforderlich nötig notwendig braucht brauchen benötigt requis requise \
    nécessaire besoin requiere requieren necesita necesitan necesario necesaria precisa precisam necessário necessária";

/// Who has to agree, beside what the lexicon knows.
const APPROVERS: &str = "approver approvers signature signatures signer countersignature reviewer autorización autorisation approbation validation \
    aprobación aprovação einwilligung unterschrift";

/// Nobody.
const NOBODY: &str = "nobody none niemand personne nadie ninguém one";

/// Words by which a rule holds.
const HOLDS: &str = "apply applies applied applicable gilt gelten greift greifen applique s'applique appliquent s'appliquent aplica aplican aplicam vale \
    valen valem";

/// Parts of a program, which need what they need.
const PROGRAMS: &str =
    "test tests fixture fixtures suite mock stub schema endpoint api parser build ci script validator form code compiler";

/// Bodies of people that decide.
const BODIES: &str = "legal board team council reviewer reviewers lead finance compliance security committee audit headquarters hr it he she \
    partner doctor nurse landlord parent parents mother father wife husband colleague vendor supplier bank court judge insurer";

/// Before who gave it.
const FROM: &str = "by from von vom durch seitens par por pelo pela";

/// Words between who gives and that he does.
const BETWEEN: &str = "has have had is was already also just finally then hereby since hat haben a ha";

fn list(words: &Words<'_>, at: usize, list: &str) -> bool {
    listed(list, &spelled(words, at))
}

/// Whether a thing that is granted is said to be there: "Mark gave his consent", "permission was received". Not one that is
/// asked for, lacking, or a part of another word: "the approval form".
pub(super) fn is_had(words: &Words<'_>, at: usize) -> bool {
    let from = at.saturating_sub(4);
    if !words.is(at, GRANTED)
        || words.before(at, 7, ASKS | CONDITIONS | WITHOUT)
        || words.before(at, 4, NEGATES | MUST | LACKS)
        || words.after(at, 6, LACKS | ASKS | NEGATES | TO_COME)
    {
        return false;
    }
    let gap = |place: usize| words.gap(place).contains([',', ';', ':', '(']);
    let given = (from..at).rev().find(|place| list(words, *place, GIVES) && !(place + 1..at + 1).any(gap));
    let given = given.is_some_and(|verb| !words.before(verb, 2, TO_COME));
    // "consent: given" is a row
    let came = (at + 1..at + 5).find(|place| list(words, *place, CAME));
    !is_compound(words, at) && (given || came.is_some())
}

/// Whether a thing that is granted is a part of another word: "the approval form", but not "approval obtained".
pub(super) fn is_compound(words: &Words<'_>, at: usize) -> bool {
    words.is(at, GRANTED)
        && words.gap(at + 1) == " "
        && words.list.get(at + 1).is_some_and(|next| next.stem > 0 && !next.is(GRANTS | PRINCIPALS | BY))
        && !list(words, at + 1, CAME)
        && !list(words, at + 1, FROM)
}

/// Whether "ok" is said by or of somebody, and not of how things are: "summary: ok".
pub(super) fn is_word_of_approval(words: &Words<'_>, at: usize) -> bool {
    !list(words, at, "ok okay")
        || words.some(0, words.list.len(), PRINCIPALS, 0)
        || list(words, at + 1, "from by with to for d")
        || (at.saturating_sub(3)..at).any(|place| list(words, place, "gave give given got received"))
}

/// Where a sentence says that nobody has to agree, or that what guards does not hold here.
pub(super) fn spared(words: &Words<'_>) -> Option<usize> {
    (0..words.list.len()).find(|at| unneeded(words, *at) || unheld(words, *at))
}

/// What it is spared for: "no approver needed for order 7".
pub(super) fn scope(words: &Words<'_>, at: usize) -> Vec<Stem> {
    let mut out = Vec::new();
    if let Some(to) = (at + 1..at + 4).find(|place| list(words, *place, "to for für à a al para ao in on")) {
        let behind = words.list.get(to + 1..).unwrap_or_default();
        out.extend(behind.iter().take(4).map(|word| word.stem).filter(|stem| *stem > 0));
    }
    out
}

/// "No approver required", "die Freigabe ist nicht nötig", "nobody needs to sign off".
fn unneeded(words: &Words<'_>, at: usize) -> bool {
    if !list(words, at, NEEDS) {
        return nobody(words, at);
    }
    let from = at.saturating_sub(6);
    let guards = |place: usize| words.is(place, SAFEGUARDS | GRANTED) || list(words, place, APPROVERS);
    // "without the required approval", "before a needed review"
    let attribute = words.before(at, 1, ARTICLES) || words.some(from, at, WITHOUT | CONDITIONS | TO_COME, IS | NEGATES);
    let negated = words.before(at, 5, NEGATES) || words.some(at + 1, at + 3, NEGATES, 0);
    let product = (at + 1..at + 5).any(|place| list(words, place, PROGRAMS));
    negated && !attribute && !product && ((from..at).any(guards) || (at + 1..at + 4).any(guards) || nobody(words, at))
}

/// "Nobody needs to sign off", "no one has to approve it".
fn nobody(words: &Words<'_>, at: usize) -> bool {
    let needs = list(words, at, NEEDS) || (list(words, at, "has muss") && words.is(at, ASKS | MUST));
    let none = (at.saturating_sub(2)..at)
        .any(|place| list(words, place, NOBODY) && (!list(words, place, "one") || words.before(place, 1, NEGATES)));
    needs && none && words.after(at, 4, GRANTS | GRANTED)
}

/// "The cap does not apply to this customer".
fn unheld(words: &Words<'_>, at: usize) -> bool {
    let outside = list(words, at, "outside") && list(words, at.wrapping_sub(1), "falls fall lies is are");
    let negated = || words.before(at, 3, NEGATES) || words.some(at + 1, at + 6, NEGATES, 0);
    let guard = |from: usize, to: usize| (from..to).any(|place| words.is(place, SAFEGUARDS) || list(words, place, "cap"));
    // "does not apply the schema"
    let object = list(words, at + 1, "the an its our their this these");
    (list(words, at, HOLDS) && !object && negated() && guard(at.saturating_sub(8), at)) || (outside && guard(at + 1, at + 6))
}

/// Whether an exception is told that somebody made: "an exception was made for this customer".
pub(super) fn is_excepted(words: &Words<'_>, at: usize) -> bool {
    let made = |place: usize| list(words, place, "made granted given allowed agreed");
    list(words, at, "exception exemption ausnahme")
        && !words.before(at, 4, NEGATES)
        && ((at + 1..at + 4).any(made) || (at.saturating_sub(3)..at).any(made))
}

/// Who a sentence says granted something, where that is neither the user nor an agent.
pub(super) fn grantor(words: &Words<'_>, at: usize) -> Vec<Stem> {
    let mut out = Vec::new();
    let noun = words.is(at, GRANTED);
    for place in at + 1..at + 7 {
        let gap = words.gap(place);
        if gap.contains([',', ';', '.']) {
            break;
        }
        if list(words, place, FROM) || (noun && list(words, place, "of de do da")) {
            let next = (place + 1..place + 3).find(|place| !words.is(*place, ARTICLES) && !list(words, *place, "der dem la le el o a"));
            name(words, next.unwrap_or(place), &mut out);
            if !out.is_empty() {
                return out;
            }
        }
    }
    // "Mark's approval"
    for place in at.saturating_sub(3)..at {
        let whole = words.list.get(place).and_then(|word| words.text.get(word.start..word.end)).unwrap_or_default();
        if noun && (whole.ends_with("'s") || whole.ends_with("’s")) {
            name(words, place, &mut out);
            return out;
        }
    }
    // "Mark approved", "Mark gave his consent"
    let verb = if noun { (at.saturating_sub(4)..at).rev().find(|place| list(words, *place, GIVES)) } else { Some(at) };
    let Some(verb) = verb else { return out };
    let participle = words.list.get(verb).is_some_and(|word| matches!(words.text.as_bytes().get(word.end - 1), Some(b'd' | b'n' | b't')));
    let passive = participle && !noun && (words.before(verb, 2, IS) && !list(words, verb.wrapping_sub(1), "has have had hat a ha"));
    if passive || (list(words, verb, "with mit avec con com") && !words.before(verb, 1, IS)) {
        return out;
    }
    let mut place = verb;
    while place > 0 && (list(words, place - 1, BETWEEN) || (words.is(place - 1, IS) && !participle)) {
        place -= 1;
    }
    // back to where the name begins
    while place > 0 && is_name(words, place - 1) && (place == verb || words.gap(place).trim().is_empty()) {
        place -= 1;
        name(words, place, &mut out);
        if out.is_empty() {
            break;
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// Whether a word may name somebody who grants.
fn is_name(words: &Words<'_>, at: usize) -> bool {
    let Some(word) = words.list.get(at) else { return false };
    let capital = words.text.get(word.start..).is_some_and(|text| text.starts_with(|c: char| c.is_alphabetic() && !is_small(c)));
    let person = word.is(PRINCIPALS) || list(words, at, BODIES);
    (capital || person)
        && !word.is(SPEAKER | AGENTS | ARTICLES | SAFEGUARDS | GRANTED | NEGATES)
        && !is_self(&spelled(words, at))
        && word.stem > 0
}

/// The name that begins with a word.
fn name(words: &Words<'_>, at: usize, out: &mut Vec<Stem>) {
    for place in at..at + 3 {
        if !is_name(words, place) || (place > at && words.gap(place) != " ") {
            return;
        }
        out.extend(words.list.get(place).map(|word| word.stem));
    }
}

/// Who the user may be called, in a talk with one.
fn is_self(word: &str) -> bool {
    let word = word.split_once('\'').filter(|(article, _)| article.len() < 3).map_or(word, |(_, word)| word);
    is_user(word) || listed("operator operators customer client cliente kunde requester requestor they we", word)
}
