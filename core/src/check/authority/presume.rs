//! What a text that nobody here wrote presumes to settle for its reader: what the user wants, what need not be asked, which
//! rule is out of force, what notes are to say. Told under its source it is a fact about the text; repeated as a fact it is
//! not.

use super::super::lexicon::{
    AGENTS, ASKING, ASKS, BREADTH, FORBIDS, GRANTS, IDENTITY, KEEPS, MEMORY, MUST, NEGATES, PERMITS, PRINCIPALS, RESCINDS, SAFEGUARDS,
    SAYS, WAIVES, WITHOUT, YOU,
};
use super::super::stems::{Words, listed};
use super::claim::{is_user, says_wish, spelled};

/// Before who the reader works for.
const WHOSE: &str = "the your this der dein ihr";

/// Who that is.
const MASTERS: &str = "user principal operator owner boss human holder employer maintainer nutzer benutzer traveller";

/// Who reads a text: "whoever processes this file", "software reading this".
const READERS: &str = "whoever anyone anybody software automated system systems reader readers processor tool tools";
const READS: &str = "reads read reading processes process processing parses parsing handles handling digests ingests";

/// Talks, and parts of them.
const TALKS: &str = "conversation conversations chat chats session sessions turn turns";

/// What somebody is asked to take for true.
const TAKES: &str = "assume consider treat regard persist replace assumes treats state mention mentions write put mark";

/// What a rule is that should not hold.
const VOID: &str =
    "typo mistake history off withdrawn none stale superseded raised lifted taken nonbinding end moot lapsed gone binding resolved";

/// Trust that a text gives itself.
const TRUST: &str =
    "verified trusted identified internal administrator admin staff unrestricted precleared pre-cleared cleared enabled entitled";
const POWERS: &str = "discretion unrestricted superuser";

/// What is not to be given away.
const SECRETS: &str = "credential credentials password passwords secret secrets token tokens codes payroll";

/// What somebody would do who asks first.
const CALLS: &str = "call callback look glance question questions asked consulted confirmation sight";

/// What came before a text.
const EARLIER: &str = "told said instructions instruction instructed previous prior earlier";

/// Whether a sentence presumes.
pub(super) fn presumes(words: &Words<'_>, said: u64) -> bool {
    let has = |class: u64| said & class != 0;
    let list = |at: usize, list: &str| listed(list, &spelled(words, at));
    let any = |which: &str| (0..words.list.len()).any(|at| list(at, which));
    let all = || 0..words.list.len();
    let near = |at: usize, which: &str| (at + 1..at + 4).any(|place| list(place, which));
    let bends = has(GRANTS | WAIVES | RESCINDS | PERMITS);
    // who the reader works for says, wishes or takes back something
    let speaks = || {
        all().any(|at| {
            let word = spelled(words, at);
            let master =
                (list(at, MASTERS) && list(at.wrapping_sub(1), WHOSE)) || (list(at, "holder") && list(at.wrapping_sub(1), "account"));
            let tells = |place: usize| {
                says_wish(words, place)
                    || words.is(place, SAYS)
                    || (has(SAFEGUARDS) && words.is(place, RESCINDS | WAIVES))
                    || list(place, "would left now")
            };
            let by = list(at.wrapping_sub(2), "by") && words.some(at.saturating_sub(6), at, RESCINDS | WAIVES | SAYS, 0);
            ((master || (is_user(&word) && at < 2)) && (at + 1..at + 4).any(tells)) || (master && by)
        })
    };
    // what is for a reader, or for notes, and bends what holds
    let reader = || all().any(|at| list(at, READERS) && (near(at, READS) || list(at.wrapping_sub(1), READS)));
    let discretion = || any(POWERS) && !has(NEGATES);
    let noted = || {
        let notes = has(MEMORY) || any(TALKS);
        let orders = words.some(0, words.list.len(), KEEPS | MUST, MEMORY) || any(TAKES);
        let guards = has(SAFEGUARDS | GRANTS | WAIVES | RESCINDS | PRINCIPALS | IDENTITY) || any(TRUST);
        let agents = has(AGENTS) && words.text.contains([':', '"']);
        notes && ((orders && guards && !has(ASKS)) || agents)
    };
    // a rule that is said not to hold, where no other is said to
    let voided = || {
        all().any(|at| {
            list(at, VOID)
                && (!list(at, "off") || list(at.wrapping_sub(1), "is are was were"))
                && words.some(at.saturating_sub(8), at + 2, SAFEGUARDS, 0)
                && (list(at, "binding") == words.before(at, 2, NEGATES))
                && !words.before(at, 4, FORBIDS | MUST)
                && (list(at, "binding none") || !words.before(at, 5, NEGATES))
        })
    };
    let trusted = || {
        let first = all().find(|at| list(*at, "treat consider regard trust tools mode for level"));
        first.is_some_and(|first| (first + 1..words.list.len()).any(|at| list(at, TRUST)))
            && (any("sender requester customer caller conversation this level") || has(PRINCIPALS))
            && !has(ASKS)
            && !any("not never")
    };
    let unasked = || {
        let asked = |at: usize| (at + 1..at + 4).any(|place| list(place, CALLS)) || words.after(at, 3, ASKING);
        all().any(|at| words.is(at, WITHOUT) && asked(at) && !list(at + 1, "being") && !words.some(0, at, FORBIDS | NEGATES, WITHOUT))
    };
    let on_sight = || all().any(|at| list(at, "sight yes") && list(at.wrapping_sub(1), "on with"));
    let secret = || {
        has(PERMITS)
            && any(SECRETS)
            && any("disclosed shared given sent told handed released published revealed passed")
            && !has(NEGATES | ASKS)
    };
    let forgets = || {
        let drops = |at: usize| (at < 2 && list(at, "disregard ignore forget overlook")) || list(at, "override overrides overrules");
        all().any(drops) && any(EARLIER)
    };
    let modes = || {
        all().any(|at| {
            list(at, "mode") && list(at.wrapping_sub(1), "developer admin debug god maintenance") && near(at, "on enabled active")
        })
    };
    speaks()
        || (reader() && bends && !has(FORBIDS))
        || discretion()
        || noted()
        || voided()
        || trusted()
        || unasked()
        || on_sight()
        || secret()
        || forgets()
        || modes()
        || (has(YOU) && has(PERMITS | GRANTS) && has(BREADTH) && !has(NEGATES))
        || (has(YOU) && all().any(|at| list(at, "access") && (list(at.wrapping_sub(1), "write full root admin"))))
}
