//! Who speaks a line: a name before a colon, with or without the time. `Bob: never …` is Bob's, `Rule: never …` the author's.

use super::output::time;
use crate::text::skeleton::{is_capital, is_small, lowercase};
use crate::text::words::listed;

/// What the label of a line names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::text) enum Label {
    /// Somebody: what follows is theirs.
    Person,
    /// A matter: what follows is the author's.
    Topic,
}

/// Words that are labels of the author's own lines, in several languages, in lower case. Any other capitalised word
/// may be a name.
const TOPICS: &str = " access account admin advertencia agenda agreed alert all also always answer api approved ask aufgabe ausnahme aviso avviso backend \
    backup because belangrijk bitte branch btw budget but careful case change claude code commit compliance config \
    confirmed constraint context contexte contrainte cost customer data database date deadline default deploy design docker email \
    error everyone example feature file final focus format friday frist frontend fyi general git goal granted grens grenze \
    guideline hinweis if immer important importante input instead interdit jamais java key kontext korrektur language last limit \
    limite list log mai memory merke message method monday must name naming never next nie no nota note notice nunca \
    objetivo ojo okay only opmerking optional order output password patient payment performance please plus policy \
    postgresql prefer principle priority privacy process project prompt python rappel recuerda reference refund regel \
    regla regola regra remarque remember reminder report requirement research ricorda role rule safety saturday scope \
    secret security sempre server service setup siempre slack so source staging standard status step stop stripe style \
    subject summary sunday system target task team test then thursday tip title today todo tomorrow tone tool topic \
    tuesday use verboten vorgabe vorsicht warning wednesday weekend wichtig workflow yes ziel délai límite orçamento règle \
    tâche tippfehler typo ";

/// Endings of words that are no names.
const ENDINGS: &[&str] = &["tion", "sion", "ness", "ship", "ware", "ung", "heit", "keit", "tät", "ión", "ção", "zione"];

/// Names that look like a plural.
const NAMES_IN_S: &str = " agnes andreas carlos charles elias james jonas lucas marcos matthias nicolas thomas tobias ";

/// What the label at the beginning of a line names, if it has one and something is said behind it.
pub(in crate::text) fn label(line: &str) -> Option<Label> {
    if let Some((name, said)) = line.strip_prefix('<').and_then(|rest| rest.split_once('>')) {
        // `<@U123>` is whom the author speaks to
        return (is_handle(name) && !name.starts_with('@') && !said.contains("</")).then_some(Label::Person);
    }
    // "10:01 Bob: x", "10:01 AM - Bob: x"
    let behind = time(line.trim_start_matches('(')).map(|rest| half(rest).trim_start_matches(is_border));
    let line = behind.unwrap_or(line);
    let (name, said) = line.split_once(':')?;
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if let Some(rest) = line.get(bare.len()..).and_then(time) {
        // "Bob 10:01: x", "Bob, 10:01 AM", which has it all to itself
        let rest = half(rest).trim_start_matches([')', ']']);
        return if rest.is_empty() || rest.starts_with(':') { named(bare, true) } else { None };
    }
    let says = said.starts_with(is_border) && !said.trim_matches(is_border).is_empty();
    if says { named(name, behind.is_some()) } else { None }
}

/// What stands around names and times.
fn is_border(c: char) -> bool {
    c.is_whitespace() || matches!(c, '*' | '_' | '`' | '(' | ')' | '[' | ']' | ',' | '-' | '–' | '|')
}

/// The rest behind the half of the day.
fn half(rest: &str) -> &str {
    let bare = rest.trim_start();
    ["AM", "PM", "am", "pm"].iter().find_map(|half| bare.strip_prefix(half)).unwrap_or(rest)
}

/// Of one or two capitalised words, or a handle; behind a time three, or any word.
fn named(name: &str, stamped: bool) -> Option<Label> {
    let name = name.trim_start_matches('*').trim_end_matches(is_border);
    if name.strip_prefix('@').is_some_and(is_handle) || stamped && is_handle(name) && name.starts_with(is_small) {
        return Some(Label::Person);
    }
    let (mut count, mut topic) = (0, false);
    for word in name.split(' ') {
        count += 1;
        if count > 2 + u32::from(stamped) || !is_capitalised(word) {
            return None;
        }
        let word = lowercase(word);
        let plural =
            word.len() > 4 && word.len() == name.len() && word.ends_with('s') && !["ss", "us", "is"].iter().any(|end| word.ends_with(end));
        topic |= among(TOPICS, &word)
            || ENDINGS.iter().any(|end| word.ends_with(end))
            || word.len() > 7 && word.ends_with("ment")
            || plural && !among(NAMES_IN_S, &word);
    }
    Some(if topic { Label::Topic } else { Label::Person })
}

fn among(list: &str, word: &str) -> bool {
    list.contains(&format!(" {word} "))
}

fn is_handle(name: &str) -> bool {
    (2..=32).contains(&name.len()) && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '@'))
}

/// A capital letter and small ones, of the Latin alphabet: `Bob`, `Jean-Luc`, `O'Brien`, `Dr.`, `S.`
fn is_capitalised(word: &str) -> bool {
    let word = word.trim_end_matches('.');
    let mut inside = false;
    for c in word.chars() {
        if matches!(c, '-' | '\'' | '’') {
            inside = false;
        } else if c >= '\u{250}' || !c.is_alphabetic() || is_capital(c) == inside {
            return false;
        } else {
            inside = true;
        }
    }
    word.len() > 1 && inside
}

/// Verbs of telling somebody something.
const TELLS: &str = "told reminded warned promised";

/// Whether a clause tells what was said to somebody, and if so, whether the author said it to the agent.
pub(super) fn tells(words: &[&str]) -> Option<bool> {
    let quotes = matches!(words, ["according", "to", ..] | ["quoting", ..] | ["quote"]);
    let at = words.iter().position(|word| listed(TELLS, word));
    let to = at.and_then(|at| words.get(at + 1)).filter(|to| !matches!(**to, "to" | "about" | "that" | "not" | "for" | "of"));
    let own =
        at.and_then(|at| words.get(..at)).is_some_and(|before| before.iter().any(|word| matches!(*word, "i" | "we" | "i've" | "we've")));
    match to {
        Some(to) => Some(own && *to == "you"),
        None => quotes.then_some(false),
    }
}
