//! What a sentence claims, by the words it is made of.

use super::super::lexicon::{
    self, AGENTS, ANY_ONE, ARTICLES, ASKING, ASKS, ASSENTS, BREADTH, BY, CONDITIONS, DIRECTS, DONE, EMPTY, FORBIDS, GENERIC, GRANTED,
    GRANTS, IDENTITY, IS, JOINS, KEEPS, LACKS, LINKS, MEMORY, MUST, NEGATES, NUMBER, NUMERALS, PERMITS, PLURAL, PRINCIPALS, REPLACES,
    RESCINDS, REVOKES, ROLES, SAFEGUARDS, SAYS, SOURCES, SPEAKER, STANDS, STAYS, TO_COME, TO_GIVE, WAIVES, WITHOUT, YOU,
};
use super::super::stems::{Stem, Words, add_wide, known, listed, sorted, stem};
use super::disguise::hidden;
use super::granted::{grantor, is_compound, is_excepted, is_had, is_word_of_approval, scope, spared};
use super::presume::presumes;
use super::silence::{Silence, silence};
use super::steer::{steers, switched};
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
    /// The user said something, or wants it.
    Wish,
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
    /// Whether it has something granted that is not negated.
    pub(super) granted: bool,
    /// Whether it says that something was given or got.
    pub(super) given: bool,
    /// Whether it begins with a refusal: "no", "don't".
    pub(super) refuses: bool,
    /// Whether it asks, and nobody to do anything: "who gives the consent?".
    pub(super) asks: bool,
    /// Where the words end that say that the user said, asked for or decided something; 0 where none do.
    pub(super) wish: usize,
    /// Whether it lays down a prohibition: "limit noted: do not", "must never".
    pub(super) record: bool,
    /// Whether it tells who granted something, somebody without authority here, and a number of it.
    pub(super) told: bool,
    /// Whether something goes unrecorded, as it tells.
    pub(super) unrecorded: bool,
    /// Whether it names an agent, wears the mark of one or of a system, or turns a setting off for what is kept.
    pub(super) names: bool,
    /// Whether it tells of what agents keep, guard, may do or no longer need to: no claim, but not for a page to say to one.
    pub(super) steers: bool,
    /// Whether it presumes to settle something for its reader, which only what is told under its source may.
    pub(super) presumes: bool,
    /// Who it says granted something, but the user and agents.
    pub(super) grantor: Vec<Stem>,
    /// What it says something is not needed for, or does not apply to.
    pub(super) scope: Vec<Stem>,
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
    let count = words.list.len();
    let mut out = Read { words: count, refuses: words.some(0, 3, NEGATES, 0), ..Read::default() };
    let (mut lifted, mut waived, mut forbids, mut given, mut actor) = (false, false, false, false, false);
    let (mut ordered, mut directs, mut done) = (false, false, false);
    // words of keeping, of memory, and of both
    let (mut keep, mut memory, mut both) = (0, 0, 0);
    for (at, word) in words.list.iter().enumerate() {
        let before = out.classes;
        out.classes |= word.classes;
        // "limit noted: do not", "must never"
        out.record |= word.is(FORBIDS) && !words.is(at, WITHOUT) && before & MUST != 0 && before & SPEAKER == 0;
        out.record |= before & SAFEGUARDS != 0 && words.gap(at).contains(':') && words.some(at, at + 2, FORBIDS, 0);
        let counted = words.before(at, 1, NUMBER | NUMERALS);
        if word.stem > 0 {
            out.stems.push(word.stem);
            if !word.is(CUES) && !is_kind_of_code(&words, at) && !is_wish(&words, at) {
                out.object.push(word.stem);
                if word.is(PLURAL) && !counted {
                    out.plurals.push(word.stem);
                }
            }
        }
        if word.is(NUMERALS) {
            out.numerals.push(word.stem);
        }
        let negated = words.some(at.saturating_sub(3), at, NEGATES, WAIVES);
        if word.is(GRANTS | WAIVES | RESCINDS) && !word.is(NEGATES) {
            // "no longer required" is no refusal
            out.negated |= negated && (word.is(GRANTS) || words.some(at.saturating_sub(3), at, NEGATES, WAIVES | RESCINDS));
        }
        // what is no longer there, or need not be, is something that guards, or somebody who is asked
        waived |= word.is(WAIVES) && (!negated || word.is(NEGATES)) && is_guarded(&words, at);
        lifted |= word.is(SAFEGUARDS) && !word.is(GRANTS) && is_lifted(&words, at);
        let got = word.is(GENERIC) && listed(GIVEN, &spelled(&words, at));
        out.given |= got;
        let grants = word.is(GRANTS) && is_word_of_approval(&words, at) && !is_compound(&words, at) && is_given(&words, at);
        let thing = is_had(&words, at) || is_excepted(&words, at);
        if grants || thing || (got && words.before(at, REACH, GRANTED) && !words.before(at, REACH, ASKS | NEGATES)) {
            given = true;
            out.granted |= !negated;
            actor |= names_actor(&words, at);
            if out.grantor.is_empty() {
                out.grantor = grantor(&words, at);
            }
        }
        directs |= word.is(DIRECTS) && !words.before(at, 1, SPEAKER);
        done |= word.is(DONE) && !words.before(at, 4, NEGATES | TO_COME);
        keep += u32::from(word.is(KEEPS));
        memory += u32::from(word.is(MEMORY));
        both += u32::from(word.is(KEEPS) && word.is(MEMORY));
        // an order may stand behind the one it is for: "writers of notes: leave out"
        ordered |= word.is(KEEPS) && (at == 0 || words.gap(at).contains(':')) && sentence.as_bytes().get(word.end - 2) != Some(&b'e');
        // a safeguard left out; but not in a prohibition, "not without approval", nor in favor of who is not asked
        if word.is(WITHOUT) && words.after(at, 3, SAFEGUARDS | ASKING) {
            forbids |= before & FORBIDS != 0;
            waived |= words.after(at, 3, SAFEGUARDS);
        }
    }
    for at in 0..count {
        // "may be renewed without a doctor", "no warning is needed", "the assistant may post"
        let person = |place: usize| listed(ASKED, &spelled(&words, place));
        waived |= words.is(at, WITHOUT) && words.before(at, 8, PERMITS) && !out.has(FORBIDS) && (at + 1..at + 4).any(person);
        let needed = words.before(at, 4, SAFEGUARDS) && listed("needed required necessary", &spelled(&words, at));
        waived |= needed && (at.saturating_sub(6)..at).any(|place| listed("no No", &spelled(&words, place)));
        let ends = words.is(at, IS) && listed("over", &spelled(&words, at + 1));
        lifted |= ends && (at.saturating_sub(REACH)..at).any(|place| listed(RULES, &spelled(&words, place)));
        let may = words.is(at, PERMITS) && words.before(at, 1, AGENTS) && !words.after(at, 2, NEGATES | CONDITIONS | ASKS);
        given |= may && !out.has(FORBIDS | CONDITIONS);
        out.granted |= may;
    }
    // who hands what he has to decide over to the agent permits all of it
    given |= out.has(AGENTS) && ["delegated", "entrusted"].iter().any(|act| out.stems.contains(&stem(act)));
    let mut wide = 0;
    if !sentence.is_ascii() {
        wide = lexicon::wide(sentence);
        // "not without approval"
        if wide & WITHOUT != 0 && wide & FORBIDS != 0 {
            wide &= !WAIVES;
        }
        add_wide(sentence, &mut out.object);
        add_wide(sentence, &mut out.stems);
    }
    // who gave it is looked for by itself
    out.object.retain(|stem| !out.grantor.contains(stem));
    out.object = sorted(out.object);
    out.stems = sorted(out.stems);
    if let Some(at) = spared(&words) {
        waived = true;
        out.scope = scope(&words, at);
    }
    let silence = silence(&words);
    waived |= silence == Silence::Ordered;
    out.record &= silence != Silence::Ordered;
    out.unrecorded = silence == Silence::Told;
    let said = out.classes;
    let told = said & !(WAIVES | RESCINDS | GRANTS);
    out.told = actor && told & (NUMBER | NUMERALS) != 0 && told & PERMITS == 0;
    // "anybody may ... with the user's permission"
    let anybody = (1..count).any(|at| words.is(at, PERMITS) && words.before(at, 1, BREADTH) && words.after(at, count, GRANTED));
    let anybody = anybody && told & (FORBIDS | ASKS | ASKING) == 0;
    let given = given || anybody;
    out.granted |= anybody;
    out.classes = told
        | wide
        | if waived && !forbids { WAIVES } else { 0 }
        | if lifted { RESCINDS } else { 0 }
        | if given && !forbids { GRANTS } else { 0 };
    if wide & ASKS != 0 || (wide & GRANTS != 0 && lexicon::wide(&affirmed(sentence)) & GRANTS == 0) {
        out.classes &= !GRANTS;
    }
    let noted = keep > 0 && memory > 0 && keep + memory - both > 1;
    let orders = out.has(DIRECTS | STANDS | SAFEGUARDS | BREADTH) || ordered;
    let off = switched(sentence);
    let marked = marked(sentence);
    out.addressed = out.has(AGENTS) || (noted && orders) || marked;
    out.names = out.has(AGENTS) || marked || (off && memory > 0);
    out.steers = off || steers(&words, said, marked);
    out.presumes = presumes(&words, out.classes | (said & SAFEGUARDS));
    out.permits = out.has(GRANTS | WAIVES) || (lifted && out.has(SAFEGUARDS)) || (out.has(PERMITS) && !out.has(FORBIDS));
    // a question claims nothing, but for what stands before "yes?"
    let tag = count > 3 && (words.gap(count - 1).contains(',') || words.gap(count - 2).contains(','));
    let question = (sentence.ends_with('?') || sentence.ends_with('？')) && !tag;
    out.asks = question && count > 0 && !words.some(0, 4, YOU, 0);
    out.wish = (0..count).find_map(|at| wish(&words, at)).unwrap_or_default();
    out.claim = if question { None } else { claim(&out, directs, done) };
    if let Some(hidden) = hidden(sentence, &words) {
        let inner = read(&hidden);
        out.addressed |= inner.claim.is_some();
        out.claim = out.claim.or(inner.claim);
        out.classes |= inner.classes;
        out.presumes |= inner.presumes || inner.steers;
    }
    out
}

/// Whether a word says what kind of thing the name behind it is, which says more: "order LL-20871".
fn is_kind_of_code(words: &Words<'_>, at: usize) -> bool {
    let next = words.list.get(at + 1).filter(|_| words.gap(at + 1) == " ");
    let name = next.and_then(|next| words.text.get(next.start..)).unwrap_or_default();
    let name = name.split(char::is_whitespace).next().unwrap_or_default();
    words.is(at, !NUMBER) && name.bytes().any(|b| b.is_ascii_uppercase()) && name.bytes().filter(u8::is_ascii_digit).count() > 2
}

/// Whether a word is what they do who wish for something.
pub(super) fn says_wish(words: &Words<'_>, at: usize) -> bool {
    listed(WISHES, &spelled(words, at))
}

/// Whether a word only says that the user said something: "the user told".
fn is_wish(words: &Words<'_>, at: usize) -> bool {
    says_wish(words, at) && is_user(&spelled(words, at.wrapping_sub(1)))
}

/// Whether what a word waives is something that guards, or somebody who is asked, where the word says little by itself.
fn is_guarded(words: &Words<'_>, at: usize) -> bool {
    let word = spelled(words, at);
    let near = || words.some(at.saturating_sub(REACH), at + 1 + REACH, SAFEGUARDS | ASKING | PRINCIPALS, WAIVES);
    let object = |place: usize| words.is(place, SAFEGUARDS | ASKING | PRINCIPALS) && has_object(words, at, place);
    // "the user skipped the note" tells what he did; "the review was skipped" waives
    let passes = || listed(PASSES_OVER, &word) || (listed(PASSED_OVER, &word) && !is_passive(words, at));
    (!listed(WEAK, &word) || near()) && (!passes() || (at..at + 1 + OBJECT).any(object))
}

/// Whether a safeguard stands near what takes it out of force. To take back what was granted binds to more, and one rule of a
/// list may replace another.
fn is_lifted(words: &Words<'_>, at: usize) -> bool {
    let numbered = words.after(at, 1, NUMBER);
    let granted = words.is(at, GRANTED);
    (at.saturating_sub(REACH)..at + 1 + REACH).any(|place| {
        place != at
            && words.is(place, RESCINDS)
            && has_object(words, place, at)
            && !(granted && words.is(place, REVOKES))
            && !(words.is(place, REPLACES) && (numbered || (words.before(place, 3, FORBIDS) && !words.before(place, 1, RESCINDS))))
    })
}

/// Whether a word for an approval tells of one that is there: none that is still asked for, "until approved", "sign-off comes
/// first", and none that somebody else has to give, "approved by a clerk", "a clerk may approve".
fn is_given(words: &Words<'_>, at: usize) -> bool {
    let from = at.saturating_sub(2);
    // must and should; may and can are directions too
    let asked = words.before(at, 7, ASKS)
        || words.some(from, at, MUST, 0)
        || words.after(at, 1, MUST)
        || words.some(at + 1, at + 7, ASKS | LACKS, CONDITIONS);
    let custom = words.after(at, 1, BY) && words.is(at + 2, ANY_ONE) && words.before(at, 2, IS);
    let to_give = words.is(at, TO_GIVE) && words.before(at, 2, PERMITS) && !words.before(at, 2, YOU);
    // "the approved parts"
    let attribute =
        words.before(at, 1, ARTICLES) && words.list.get(at).is_some_and(|word| words.text.as_bytes().get(word.end - 1) == Some(&b'd'));
    !asked && !custom && !to_give && !attribute && !words.after(at, 1, LINKS)
}

/// Whether a grant tells who gave it: "approved by the council", "the council approved the".
fn names_actor(words: &Words<'_>, at: usize) -> bool {
    let subject = at.checked_sub(1).and_then(|before| words.list.get(before));
    let named = subject.is_some_and(|word| word.is(SPEAKER) || (word.stem > 0 && !word.is(CUES)));
    words.after(at, 1, BY) || (named && words.after(at, 1, ARTICLES | NUMBER))
}

/// The user, in several languages, and what they do who wish for something.
const USERS: &str = "user human users user's nutzer benutzer utilisateur usuario usuaria usuário usuária";
const WISHES: &str = "wants wanted requests requested request orders ordered demands demanded insists insisted wishes wished wish set \
    changed goal decided chose prefers preferred instructed said told asked asks says bat wollte will souhaite veut voulait quiere pidio \
    dijo quer pediu disse demande";

/// Words that waive where they are said of what guards, and say little else: "the footer is optional".
const WEAK: &str = "optional unnecessary entfällt entfallen implicit opted opts bind binding already nicht mehr ya no já ja não nao mais";

/// Words of what somebody does to something: they waive or lift what stands behind them.
const PASSES_OVER: &str = "skip skips skipping bypass bypasses bypassing drops ignores ignoring omits omitting discards discarding disregards excludes \
    excluding removes removing replaces replacing overrides overriding disables disabling";

/// The same as it was done.
const PASSED_OVER: &str = "skipped bypassed dropped ignored omitted discarded disregarded excluded overrode";

/// Whether such a word says what was done to what stands before it: "was skipped", "review skipped by".
fn is_passive(words: &Words<'_>, at: usize) -> bool {
    let been = |place: usize| listed("was were been being got gets", &spelled(words, place));
    words.before(at, 2, IS) || (at.saturating_sub(2)..at).any(been) || words.before(at, 2, SAFEGUARDS | ASKING)
}

/// So many words behind them what they are done to begins at the latest.
const OBJECT: usize = 5;

/// Whether a word may be what an act is done to; of most acts, whatever stands near.
fn has_object(words: &Words<'_>, act: usize, object: usize) -> bool {
    let near = object > act && object <= act + OBJECT && !words.some(act + 1, object, JOINS, 0);
    near || !listed(PASSES_OVER, &spelled(words, act))
}

/// What is out of force once it is over.
const RULES: &str = "rule rules ban embargo quarantine freeze restriction restrictions moratorium curfew";

/// Whether a stem is that of a word for a rule.
pub(super) fn is_rule(one: Stem) -> bool {
    RULES.split(' ').any(|rule| stem(rule) == one)
}

/// Who is asked before something is done, or what it takes, where it is done without them.
const ASKED: &str = "doctor nurse pharmacist notary witness colleague supervisor second another prescription ticket licence license signature \
    id identification consent check review";

/// What is said of what somebody had to give.
const GIVEN: &str = "given obtained received granted got";

/// Whether a word is one for the user.
pub(super) fn is_user(word: &str) -> bool {
    let word = word.split_once('\'').filter(|(article, _)| article.len() < 3).map_or(word, |(_, word)| word);
    word.len() < 16 && listed(USERS, &word.to_ascii_lowercase())
}

/// A word in lower case.
pub(super) fn spelled(words: &Words<'_>, at: usize) -> String {
    words.list.get(at).and_then(|word| words.text.get(word.start..word.end)).unwrap_or_default().to_ascii_lowercase()
}

/// Where a wish of the user's ends, if a word is the user: "the user asked", "requested by the user".
fn wish(words: &Words<'_>, at: usize) -> Option<usize> {
    if !words.is(at, PRINCIPALS) || !is_user(&spelled(words, at)) || words.some(at, at + 4, NEGATES, 0) {
        return None;
    }
    let verb = |place: &usize| listed(WISHES, &spelled(words, *place));
    let said = (at + 1..at + 4).find(verb);
    let by = words.before(at, 2, BY) && (at.saturating_sub(4)..at).any(|place| verb(&place));
    words.list.get(said.or(by.then_some(at))?).map(|word| word.end)
}

/// The words of a sentence. The parts of a name in code say nothing, and those of a compound ("session-store") little.
fn spoken(sentence: &str) -> Words<'_> {
    let mut words = known(sentence);
    let mut code = inline_code(sentence, Span::new(0, sentence.len()));
    code.reverse();
    let bytes = sentence.as_bytes();
    let is = |at: usize, what: u8| bytes.get(at) == Some(&what);
    for at in 0..words.list.len() {
        // "Sí, ..." is no "if"
        let assents = words.is(at, ASSENTS) && words.gap(at + 1).starts_with(',');
        // "user svc-1", "role: operator": the name of an account
        let account = words.before(at, 1, ROLES)
            || words.after(at, 1, NUMBER)
            || (words.after(at, 2, NUMBER) && words.list.get(at + 1).is_some_and(|next| is(next.end, b'-')));
        let spelled = words.list.get(at).and_then(|word| sentence.get(word.start..word.end)).unwrap_or_default();
        // "not in force", "not ... any more": the negation rescinds
        let longer = words.is(at, RESCINDS) && ["anymore", "more"].contains(&spelled);
        let reach = if longer { 5 } else { 2 * usize::from(words.is(at, STAYS)) };
        for before in words.list.get_mut(at.saturating_sub(reach)..at).unwrap_or_default() {
            before.classes |= if before.is(NEGATES) { RESCINDS } else { 0 };
        }
        let duty = ["pflicht", "regel", "verbot", "grenze"].iter().any(|end| spelled.ends_with(end));
        let Some(word) = words.list.get_mut(at) else { break };
        // and so do the keys of data
        if account || (is(word.end, b'"') && is(word.end + 1, b':')) {
            word.classes &= !(PRINCIPALS | RESCINDS | KEEPS | MEMORY);
        }
        if assents {
            word.classes &= !CONDITIONS;
        }
        // an approval that is a duty guards
        if duty {
            word.classes = word.classes & !(GRANTS | GRANTED) | SAFEGUARDS;
        }
        if is(word.end, b'-') || is(word.start.wrapping_sub(1), b'-') {
            // "note-to-llm:" is for it all the same
            let named = is(word.end, b':') && spelled.len() > 1;
            word.classes &= !(KEEPS | IDENTITY | if named { 0 } else { AGENTS });
        }
        while code.last().is_some_and(|code| code.end <= word.start) {
            code.pop();
        }
        if code.last().is_some_and(|code| code.start <= word.start && word.end <= code.end && !code.of(sentence).contains(' ')) {
            word.classes = 0;
        }
    }
    words
}

/// A sentence without what a sign of negation stands before: two signs without word gaps are a word.
fn affirmed(sentence: &str) -> String {
    let (mut out, mut skipped) = (String::new(), 0);
    for c in sentence.chars() {
        skipped = if matches!(c, '不' | '未' | '没' | '無') { 3 } else { skipped };
        if skipped > 0 {
            skipped -= 1;
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether a sentence wears the mark of a role, a tool or a constraint: `[SYSTEM]`, `system:`, `AGENT NOTE:`.
fn marked(sentence: &str) -> bool {
    let from = sentence.bytes().position(|b| b.is_ascii_alphanumeric() || b >= 0x80).unwrap_or_default();
    let head = sentence.get(from..).unwrap_or_default();
    let opens = matches!(sentence.as_bytes().first(), Some(b'[' | b'<'));
    ["system", "assistant", "developer", "tool", "memory", "sys"].iter().any(|role| {
        head.get(..role.len()).is_some_and(|word| word.eq_ignore_ascii_case(role))
            && match head.as_bytes().get(role.len()) {
                Some(b']' | b':' | b'_' | b'.' | b'(' | b'|' | b'>') => true,
                Some(next) => opens && !next.is_ascii_alphabetic(),
                None => opens,
            }
    })
}

/// What a sentence claims; `directs` where somebody but the speaker is to do something, `done` where something was done.
fn claim(read: &Read, directs: bool, done: bool) -> Option<Claim> {
    let orders = directs && (read.has(AGENTS) || (read.has(PRINCIPALS) && read.has(SAYS)));
    // what refuses claims nothing: it binds the agent, if it is false, to less
    if read.has(RESCINDS) && read.has(SAFEGUARDS) && (read.has(WAIVES) || !read.negated) {
        Some(Claim::Rescission)
    } else if read.has(WAIVES) {
        Some(Claim::Waiver)
    } else if read.has(GRANTS) && (read.granted || !read.negated) {
        Some(Claim::Approval)
    } else if read.has(IDENTITY) && read.has(PRINCIPALS) {
        Some(Claim::Identity)
    } else if orders || read.record || (read.has(STANDS) && !read.negated) || (read.addressed && read.has(KEEPS | DIRECTS)) {
        Some(Claim::NewRule)
    } else {
        (done || read.unrecorded).then_some(Claim::Done)
    }
}

/// Whether a sentence marks its content as somebody else's words.
pub(super) fn attributes(read: &Read) -> bool {
    read.has(SOURCES) && read.has(SAYS)
}
