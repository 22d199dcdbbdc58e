//! Sentences that mean to steer an agent without a claim: they speak to it of what it keeps, guards or may do.

use super::super::lexicon::{
    AGENTS, DIRECTS, GRANTS, IDENTITY, KEEPS, MEMORY, MUST, PERMITS, PRINCIPALS, RESCINDS, SAFEGUARDS, STANDS, WAIVES, YOU,
};
use super::super::stems::{Words, listed};
use super::claim::spelled;

/// What a text speaks of to an agent that it means to steer.
const STEERS: u64 = MEMORY | KEEPS | SAFEGUARDS | DIRECTS | RESCINDS | WAIVES | GRANTS | PERMITS | IDENTITY | STANDS;

/// Words that stand before whom a text is for.
const TO: &str = "for to dear hey hi hello attention für an pour aux para";

/// Words that an order begins with, behind whom it is for.
const ORDERS: &str = "when whenever if please do don't never always";

/// Words that greet.
const GREETS: &str = "dear hey hi hello attention";

/// What agents may have.
const RIGHTS: &str = "rights privileges privilege superuser root clearance rechte derechos droits";

/// What somebody is asked to do who is to keep something in mind.
const MINDS: &str = "remember forget carry bear hold";

/// Whether a sentence means to steer an agent that it names: it is for one and speaks of what agents keep or guard ("bots, when
/// you …:"), or it speaks to one of its memory, tells what it must write there, or which rights it has. What only tells how
/// software works does not.
pub(super) fn steers(words: &Words<'_>, said: u64, marked: bool) -> bool {
    let has = |class: u64| said & class != 0;
    let list = |at: usize, list: &str| listed(list, &spelled(words, at));
    let called = |at: usize| {
        let gap = words.gap(at + 1);
        let opens = || at < 3 || (at.saturating_sub(2)..at).any(|place| list(place, TO));
        words.is(at, AGENTS)
            && opens()
            && (gap.contains(':') || (gap.contains(',') && (has(YOU) || list(at + 1, ORDERS) || list(at.wrapping_sub(1), GREETS))))
    };
    let minds = |at: usize| {
        let your = words.is(at, MEMORY) && (at.saturating_sub(2)..at).any(|place| list(place, "your dein deine deinem votre tu su"));
        your || (words.before(at, 3, YOU) && list(at, MINDS))
    };
    let all = 0..words.list.len();
    let rights = || has(PRINCIPALS | MEMORY | KEEPS) && all.clone().any(|at| list(at, RIGHTS));
    (has(STEERS) && (marked || all.clone().any(called)))
        || all.clone().any(minds)
        || (has(AGENTS) && ((has(MUST) && has(MEMORY)) || rights()))
}

/// Whether a setting that guards is off in it: `human_confirmation: off`, `"ask_human": false`.
pub(super) fn switched(sentence: &str) -> bool {
    let off = |rest: &str| {
        let value = rest.trim_start_matches(['"', ' ', '\'']);
        let value = value.strip_prefix([':', '=']).map(|value| value.trim_start_matches(['"', ' ', '\'']));
        let word = value.and_then(|value| value.split(|c: char| !c.is_ascii_alphanumeric()).next()).unwrap_or_default();
        listed("off none false disabled never no unlimited", &word.to_ascii_lowercase())
    };
    let guards = |name: &str| name.split('_').any(|part| listed(GUARDS, &part.to_ascii_lowercase()));
    let mut from = 0;
    for name in sentence.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
        let end = from + name.len();
        if name.contains('_') && guards(name) && sentence.get(end..).is_some_and(off) {
            return true;
        }
        from = end + sentence.get(end..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    }
    false
}

/// Words in the names of settings that guard.
const GUARDS: &str = "limit limits approval approvals confirm confirmation ask human check checks review policy safety guard interlock require \
    required requires restrict restrictions";
