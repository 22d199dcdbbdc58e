//! What a sentence claims, by the words it is made of.

use super::super::lexicon::{
    AGENTS, ASKING, ASKS, ASSENTS, BREADTH, CONDITIONS, DIRECTS, DONE, EMPTY, FORBIDS, GENERIC, GRANTED, GRANTS, IDENTITY, IS, KEEPS,
    LACKS, MEMORY, NEGATES, NUMERALS, PERMITS, PRINCIPALS, REPLACES, RESCINDS, REVOKES, SAFEGUARDS, SAYS, SOURCES, STANDS, TO_COME, WAIVES,
    WITHOUT, YOU, wide,
};
use super::super::stems::{Known, Stem, add_wide, after, any, before, known, sorted, stem};
use crate::item::Span;
use crate::text::scan::inline_code;

/// What a sentence claims.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// Something was approved, permitted or granted.
    Approval,
    /// A safeguard need not be kept.
    Waiver,
    /// A rule is out of force.
    Rescission,
    /// Something is to be done from now on.
    NewRule,
    /// Who somebody is.
    Identity,
    /// Something was done.
    Done,
}

/// A sentence as claims and anchors are compared.
#[derive(Debug, Clone, Default)]
pub(super) struct Read {
    pub(super) claim: Option<Claim>,
    /// All classes of its words.
    pub(super) classes: u64,
    /// Its stems, sorted.
    pub(super) stems: Vec<Stem>,
    /// What it is about: no cue, no person. Sorted.
    pub(super) object: Vec<Stem>,
    /// Plurals without a number among them: "refunds".
    pub(super) plurals: Vec<Stem>,
    /// Small numbers in words.
    pub(super) numerals: Vec<Stem>,
    /// Whether it speaks to the agent or of what it carries on.
    pub(super) addressed: bool,
    /// Whether it permits something, to whomever.
    pub(super) permits: bool,
    /// Whether its act is negated: "did not approve".
    pub(super) negated: bool,
    /// Whether it begins with a refusal: "no", "don't".
    pub(super) refuses: bool,
    /// Whether it tells who granted something, somebody without authority here, and a number of it.
    pub(super) told: bool,
    /// How many words it has.
    pub(super) words: usize,
}

impl Read {
    pub(super) fn has(&self, class: u64) -> bool {
        self.classes & class != 0
    }
}

const CUES: u64 =
    GRANTS | WAIVES | RESCINDS | PRINCIPALS | AGENTS | BREADTH | ASSENTS | STANDS | DIRECTS | CONDITIONS | EMPTY | NEGATES | GENERIC;

/// So many words may stand between a rule and what takes it out of force.
const REACH: usize = 9;

pub(super) fn read(sentence: &str) -> Read {
    let words = spoken(sentence);
    let mut out =
        Read { words: words.len(), refuses: any(words.get(..words.len().min(3)).unwrap_or_default(), NEGATES), ..Read::default() };
    let (mut counted, mut numbers, mut noted) = (false, false, false);
    let (mut lifted, mut waived, mut forbids, mut open_grant, mut actor) = (false, false, false, false, false);
    for (at, word) in words.iter().enumerate() {
        out.classes |= word.classes;
        if word.stem > 0 {
            out.stems.push(word.stem);
            if !word.is(CUES) {
                out.object.push(word.stem);
                if word.plural && !counted {
                    out.plurals.push(word.stem);
                }
            }
        }
        if word.is(NUMERALS) {
            out.numerals.push(stem(word.of(sentence).to_ascii_lowercase().as_bytes()));
        }
        counted = word.is(NUMERALS) || word.has_digit(sentence);
        numbers |= counted;
        let negated = before(&words, at, 3).iter().any(|word| word.is(NEGATES) && !word.is(WAIVES));
        if word.is(GRANTS | WAIVES | RESCINDS) && !word.is(NEGATES) {
            out.negated |= negated;
        }
        waived |= word.is(WAIVES) && (!negated || word.is(NEGATES));
        lifted |= is_lifted(sentence, &words, at);
        if word.is(GRANTS) && is_given(sentence, &words, at) {
            open_grant = true;
            actor |= names_actor(sentence, &words, at);
        }
        noted |= word.is(KEEPS) && (any(before(&words, at, usize::MAX), MEMORY) || any(after(&words, at, words.len()), MEMORY));
        // a safeguard left out; but not in a prohibition, "not without approval", nor in favor of who is not asked
        if word.is(WITHOUT)
            && any(after(&words, at, 3), SAFEGUARDS | ASKING)
            && !words.get(at + 1).is_some_and(|next| next.of(sentence) == "being")
        {
            if any(before(&words, at, words.len()), FORBIDS) {
                out.classes &= !GRANTS;
                forbids = true;
            } else {
                waived = true;
            }
        }
    }
    out.classes = if waived && !forbids { out.classes | WAIVES } else { out.classes & !WAIVES };
    out.told = actor && numbers && !out.has(PERMITS);
    if !sentence.is_ascii() {
        let wide = wide(sentence);
        out.classes |= wide;
        lifted |= wide & RESCINDS != 0;
        open_grant = (open_grant || wide & GRANTS != 0) && wide & ASKS == 0;
        add_wide(sentence, &mut out.object);
        add_wide(sentence, &mut out.stems);
    }
    out.object = sorted(out.object);
    out.stems = sorted(out.stems);
    out.classes &= if lifted { u64::MAX } else { !RESCINDS } & if open_grant { u64::MAX } else { !GRANTS };
    // an order may stand behind the one it is for: "writers of notes: leave out"
    let starts = |at: &usize| *at == 0 || gap(sentence, &words, *at).contains(':');
    let ordered =
        (0..words.len()).filter(starts).any(|at| words.get(at).is_some_and(|word| word.is(KEEPS) && !word.of(sentence).ends_with("ed")));
    let orders = out.has(DIRECTS | STANDS | SAFEGUARDS | BREADTH) || ordered;
    out.addressed = out.has(AGENTS) || (noted && orders) || marked(sentence);
    out.permits = out.has(GRANTS | WAIVES) || (lifted && out.has(SAFEGUARDS)) || (out.has(PERMITS) && !out.has(FORBIDS));
    // a question claims nothing, but for what stands before "yes?"
    let tag = words.len() > 3 && (1..3).any(|last| gap(sentence, &words, words.len() - last).contains(','));
    out.claim = if sentence.ends_with(['?', '？']) && !tag { None } else { claim(sentence, &out, &words) };
    if let Some(hidden) = encoded(sentence) {
        let inner = read(&hidden);
        out.addressed |= inner.claim.is_some();
        out.claim = out.claim.or(inner.claim);
        out.classes |= inner.classes;
    }
    out
}

/// What stands before a word, after the word before it.
fn gap<'a>(sentence: &'a str, words: &[Known], at: usize) -> &'a str {
    let from = before(words, at, 1).first().map_or(0, |word| word.end);
    words.get(at).and_then(|word| sentence.get(from..word.start)).unwrap_or_default()
}

/// Whether a word is a safeguard near what takes it out of force. To take back what was granted binds to more, and one rule of
/// a list may replace another.
fn is_lifted(sentence: &str, words: &[Known], at: usize) -> bool {
    let Some(word) = words.get(at).filter(|word| word.is(SAFEGUARDS) && !word.is(GRANTS)) else { return false };
    let numbered = |at: usize| words.get(at + 1).is_some_and(|next| next.has_digit(sentence));
    (at.saturating_sub(REACH)..words.len().min(at + 1 + REACH)).any(|place| {
        let negated = any(before(words, place, 3), FORBIDS) && !any(before(words, place, 1), RESCINDS);
        let lifts = |other: &Known| {
            other.is(RESCINDS) && !(word.is(GRANTED) && other.is(REVOKES)) && !(other.is(REPLACES) && (numbered(at) || negated))
        };
        place != at && words.get(place).is_some_and(lifts)
    })
}

/// Whether a word for an approval tells of one that is there: none that is still asked for, "until approved", "sign-off comes
/// first", and none that somebody else has to give, "approved by a clerk", "a clerk may approve".
fn is_given(sentence: &str, words: &[Known], at: usize) -> bool {
    let own = before(words, at, 2);
    let modal = |word: &Known| word.is(DIRECTS) && word.is(TO_COME);
    let asked = any(before(words, at, 7), ASKS)
        || own.iter().any(|word| modal(word) && !word.is(PERMITS))
        || after(words, at, 1).iter().any(modal)
        || after(words, at, 6).iter().any(|word| word.is(ASKS | LACKS) && !word.is(CONDITIONS));
    let [next, then] = [1, 2].map(|more| words.get(at + more).map_or("", |word| word.of(sentence)));
    let custom = next == "by" && matches!(then, "a" | "an") && any(own, IS);
    let form = words.get(at).map_or("", |word| word.of(sentence));
    let to_give =
        matches!(form, "approve" | "authorize" | "authorise" | "permit" | "allow" | "grant") && any(own, PERMITS) && !any(own, YOU);
    !asked && !custom && !to_give && next != "of"
}

/// Whether a grant tells who gave it: "approved by the council", "the council approved the".
fn names_actor(sentence: &str, words: &[Known], at: usize) -> bool {
    let next = words.get(at + 1).map_or("", |word| word.of(sentence));
    let object = matches!(next, "the" | "a" | "an" | "this" | "these" | "its" | "our" | "your" | "both");
    let named = words.get(at + 1).is_some_and(|word| word.has_digit(sentence));
    next == "by"
        || ((object || named) && before(words, at, 1).iter().any(|word| word.of(sentence) == "I" || (word.stem > 0 && !word.is(CUES))))
}

/// The words of a sentence. The parts of a name in code say nothing, and those of a compound ("session-store") little.
fn spoken(sentence: &str) -> Vec<Known> {
    let mut words = known(sentence);
    let code = inline_code(sentence, Span::new(0, sentence.len()));
    let mut role = false;
    // a name that goes on with a number
    let named = |end: usize| {
        sentence.get(end..).and_then(|rest| rest.strip_prefix('-')).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let bytes = sentence.as_bytes();
    for at in 0..words.len() {
        // "user svc-1", "role: operator": the name of an account
        let account = role || words.get(at + 1).is_some_and(|next| next.has_digit(sentence) || named(next.end));
        let Some(word) = words.get_mut(at) else { break };
        role = word.of(sentence).eq_ignore_ascii_case("role");
        // and so do the keys of data
        if account || sentence.get(word.end..).is_some_and(|rest| rest.starts_with("\":")) {
            word.classes &= !(PRINCIPALS | RESCINDS | KEEPS | MEMORY);
        }
        let joint = |at: usize| bytes.get(at) == Some(&b'-');
        if joint(word.end) || word.start.checked_sub(1).is_some_and(joint) {
            word.classes &= !(KEEPS | IDENTITY | AGENTS);
        }
        let named = code.iter().find(|code| code.start <= word.start && word.end <= code.end);
        if named.is_some_and(|code| !code.of(sentence).contains(' ')) {
            word.classes = 0;
        }
    }
    words
}

/// The text that a long word of base64 holds; what is no ASCII in it is not read.
fn encoded(sentence: &str) -> Option<String> {
    let mut text = String::new();
    let (mut bits, mut length) = (0_u32, 0);
    for b in sentence.bytes().chain([b' ']) {
        let digit = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ if length >= 24 => break,
            _ => {
                text.clear();
                length = 0;
                continue;
            }
        };
        bits = (bits << 6) | u32::from(digit);
        length += 1;
        if length % 4 != 1 {
            let byte = (bits >> (6 - 2 * ((length + 3) % 4))) as u8;
            text.push(char::from(byte));
        }
    }
    // a nested one is not looked for
    let plain = text.bytes().all(|b| (b' '..0x7f).contains(&b));
    (length >= 24 && plain && text.contains(' ') && text.split(' ').all(|word| word.len() < 24)).then_some(text)
}

/// Whether a sentence wears the mark of a role, a tool or a constraint: `[SYSTEM]`, `system:`, `AGENT NOTE:`.
fn marked(sentence: &str) -> bool {
    let head = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = head.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(head.len());
    let (first, rest) = head.split_at_checked(end).unwrap_or_default();
    let role = ["system", "assistant", "developer", "tool", "memory"].iter().any(|role| first.eq_ignore_ascii_case(role));
    role && (rest.starts_with([']', ':', '_', '.', '(', '|', '>']) || sentence.starts_with(['[', '<']))
}

fn claim(sentence: &str, read: &Read, words: &[Known]) -> Option<Claim> {
    // what a speaker has to do is his own affair
    let own = |at: usize| before(words, at, 1).iter().any(|word| matches!(word.of(sentence), "I" | "we"));
    let directs = words.iter().enumerate().any(|(at, word)| word.is(DIRECTS) && !own(at));
    let orders = directs && (read.has(AGENTS) || (read.has(PRINCIPALS) && read.has(SAYS)));
    // what refuses claims nothing: it binds the agent, if it is false, to less
    if read.has(RESCINDS) && read.has(SAFEGUARDS) && (read.has(WAIVES) || !read.negated) {
        Some(Claim::Rescission)
    } else if read.has(WAIVES) {
        Some(Claim::Waiver)
    } else if read.has(GRANTS) && !read.negated {
        Some(Claim::Approval)
    } else if read.has(IDENTITY) && read.has(PRINCIPALS) {
        Some(Claim::Identity)
    } else if orders || (read.has(STANDS) && !read.negated) || (read.addressed && read.has(KEEPS | DIRECTS)) {
        Some(Claim::NewRule)
    } else {
        // neither negated nor to come
        let done = |(at, word): (usize, &Known)| word.is(DONE) && !any(before(words, at, 4), NEGATES | TO_COME);
        words.iter().enumerate().any(done).then_some(Claim::Done)
    }
}

/// Whether a sentence marks its content as somebody else's words.
pub(super) fn attributes(read: &Read) -> bool {
    read.has(SOURCES) && read.has(SAYS)
}
