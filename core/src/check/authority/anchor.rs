//! What was said, laid out by what it is about, and whether it covers a claim.

use super::super::identifiers::{self, Source};
use super::super::lexicon::{AGENTS, ASSENTS, BREADTH, CONDITIONS, GRANTS, MEMORY, PRINCIPALS, RESCINDS, SAFEGUARDS, STANDS, WAIVES};
use super::super::statement::{statements, unquoted};
use super::super::stems::{Stem, StemSet, known};
use super::claim::{Claim, Read, numeral, read};
use super::{Said, Standing};
use crate::item::Zone;
use crate::trust::Trust;

/// One sentence that was said.
struct Line {
    /// Without what it quotes.
    text: String,
    read: Read,
    /// External where it is a quotation.
    trust: Trust,
    seq: u32,
    turn: u32,
}

/// Lines looked at for one claim.
const LOOKED_AT: usize = 24;

/// Lines that have a stem: one that more have tells little.
const SHARED: usize = 512;

/// How many lines before an answer belong to its question.
const QUESTION: usize = 4;

/// One stem in so many of an object may be the summary's own.
const LENIENCE: usize = 5;

/// Words for one act.
const ACTS: &[&str] = &[
    "refund reimburse repay payback credit",
    "delete remove purge erase wipe drop",
    "send email mail message forward dispatch",
    "deploy release ship rollout publish launch",
    "merge land integrate",
    "pay payment payout transfer wire",
    "buy purchase order procure",
    "export download extract dump",
    "cancel abort stop terminate",
    "create add make open",
    "change update modify edit adjust",
    "book reserve schedule",
    "restart reboot relaunch",
    "read view see access",
];

/// A bare "yes" has no more words.
const ANSWER: usize = 8;

pub(super) struct Anchors {
    lines: Vec<Line>,
    /// Each stem with its lines, sorted.
    index: Vec<(Stem, u32)>,
    /// Lines of the operator and the user that only answer.
    answers: Vec<u32>,
}

impl Anchors {
    pub(super) fn of(events: &[Said<'_>]) -> Self {
        let mut all = Self { lines: Vec::new(), index: Vec::new(), answers: Vec::new() };
        for said in events {
            for statement in statements(said.text) {
                let own = unquoted(said.text, statement);
                let whole = statement.span.of(said.text);
                let trust = if statement.zone == Zone::Quoted { Trust::External } else { said.trust };
                // of what others say, quotations count as theirs too; of what the user says they count as nobody's but external
                let external = trust == Trust::External;
                if !external && own.len() < whole.len() {
                    all.add(whole.to_owned(), Trust::External, said);
                }
                all.add(if external { whole.to_owned() } else { own }, trust, said);
            }
        }
        all.index.sort_unstable();
        all.index.dedup();
        all
    }

    fn add(&mut self, text: String, trust: Trust, said: &Said<'_>) {
        let read = read(&text);
        let at = u32::try_from(self.lines.len()).unwrap_or(u32::MAX);
        let cues = known(&text).into_iter().filter_map(|word| word.stem());
        self.index.extend(cues.chain(read.object.iter().copied()).map(|stem| (stem, at)));
        if trust.has_authority() && read.classes & (ASSENTS | GRANTS) != 0 && read.words <= ANSWER {
            self.answers.push(at);
        }
        self.lines.push(Line { text, read, trust, seq: said.seq, turn: said.turn });
    }

    /// What a claim rests on.
    pub(super) fn standing(&self, sentence: &str, claim: Claim, read: &Read, under: bool) -> Standing {
        let wanted: Vec<Stem> = known(sentence).into_iter().filter_map(|word| word.stem()).chain(read.object.iter().copied()).collect();
        let near = self.near(&wanted);
        if claim == Claim::Done {
            return self.done(read, &near);
        }
        let authority = near.iter().map(|(at, _)| *at).chain(self.answers.iter().rev().take(LOOKED_AT).copied());
        for at in authority {
            if let Some(line) = self.line(at).filter(|line| line.trust.has_authority() && self.covers(at, line, sentence, claim, read)) {
                return Standing::Anchored { trust: line.trust, turn: line.turn };
            }
        }
        let total = wanted.len().max(1);
        let supports = |line: &&Line, shared: usize| line.trust == Trust::External && shared * 2 >= total;
        let external = near.iter().filter_map(|(at, shared)| self.line(*at).filter(|line| supports(line, *shared)));
        let Some(support) = external.max_by_key(|line| line.read.object.len()) else {
            return Standing::Unanchored;
        };
        let own = read.attributed && !support.read.attributed;
        if own || (!under && (is_report(read, claim) || is_record(read, sentence))) {
            Standing::Reported { seq: support.seq }
        } else {
            Standing::Forged { seq: support.seq }
        }
    }

    fn line(&self, at: u32) -> Option<&Line> {
        self.lines.get(usize::try_from(at).unwrap_or(usize::MAX))
    }

    /// The lines that share most stems with a claim, and how many; those with authority among them first.
    fn near(&self, wanted: &[Stem]) -> Vec<(u32, usize)> {
        let (mut hits, mut common): (Vec<u32>, Vec<u32>) = Default::default();
        for stem in wanted {
            for (low, high) in stem.forms() {
                let from = self.index.partition_point(|(other, _)| *other < low);
                let same = || self.index.iter().skip(from).take_while(|(other, _)| *other <= high).take(SHARED);
                let list = if same().count() < SHARED { &mut hits } else { &mut common };
                list.extend(same().filter(|(other, _)| other.alike(*stem)).map(|(_, at)| *at));
            }
        }
        // what is said everywhere tells nothing, unless there is nothing else
        if hits.is_empty() {
            hits = common;
        }
        hits.sort_unstable();
        let mut counted: Vec<(u32, usize)> = Vec::new();
        for at in hits {
            match counted.last_mut() {
                Some((last, count)) if *last == at => *count += 1,
                _ => counted.push((at, 1)),
            }
        }
        counted.sort_by_key(|(at, count)| (std::cmp::Reverse(*count), std::cmp::Reverse(*at)));
        let own = |at: u32| self.line(at).is_some_and(|line| line.trust.has_authority());
        let (mut first, second): (Vec<_>, Vec<_>) = counted.into_iter().partition(|(at, _)| own(*at));
        first.truncate(LOOKED_AT);
        first.extend(second.into_iter().take(LOOKED_AT));
        first
    }

    /// Whether a line of the operator or the user covers a claim.
    fn covers(&self, at: u32, line: &Line, sentence: &str, claim: Claim, read: &Read) -> bool {
        // what stands around it in its event belongs to it; to a bare answer, the question too
        let here = usize::try_from(at).unwrap_or(usize::MAX);
        let answers = line.read.words <= ANSWER && line.read.classes & (ASSENTS | GRANTS) != 0 && !line.read.negated;
        let reach = if answers { QUESTION } else { 2 };
        let same = |other: &&Line| other.seq == line.seq && other.trust == line.trust;
        let asked = |other: &&Line| answers && other.trust == Trust::Agent;
        let before = self.lines.iter().take(here).skip(here.saturating_sub(reach)).filter(|other| same(other) || asked(other));
        let after = self.lines.iter().skip(here + 1).take(1).filter(same);
        let mut around: Vec<&Line> = before.chain(after).collect();
        around.push(line);
        let text: String = around.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join("\n");
        let classes = around.iter().fold(0, |all, line| all | line.read.classes);
        let set = StemSet::of(&text);

        let act = match claim {
            Claim::Waiver => classes & (WAIVES | RESCINDS) != 0,
            Claim::Rescission => classes & (RESCINDS | WAIVES | STANDS) != 0,
            _ => !refuses(&line.text),
        };
        let missing = read.object.iter().filter(|stem| !set.has(**stem) && !another_word(**stem, &set)).count();
        let object = if read.object.is_empty() { answers } else { missing * LENIENCE <= read.object.len() };
        // narrower: nothing but what was said; no wider: every bound of it
        let wide = read.classes & BREADTH == 0 || classes & BREADTH != 0;
        let bounded = classes & CONDITIONS == 0
            || read.classes & CONDITIONS != 0
            || bounds(&text) == 0
            || around.len() > 1 && bounds(&line.text) == 0;
        act && !line.read.negated && object && wide && bounded && numbers(sentence, &text) && plurals(read, sentence, &text)
    }

    /// A claim that something was done needs an event that has the act and something of its object.
    fn done(&self, read: &Read, near: &[(u32, usize)]) -> Standing {
        let total = read.object.len();
        let best = near.iter().filter_map(|(at, shared)| self.line(*at).map(|line| (line, *shared))).max_by_key(|(_, shared)| *shared);
        match best {
            Some((line, shared)) if shared * 4 >= total && shared > 1 || total < 3 && shared > 0 => {
                let external = near.iter().filter_map(|(at, _)| self.line(*at)).all(|line| line.trust == Trust::External);
                if external { Standing::Reported { seq: line.seq } } else { Standing::Anchored { trust: line.trust, turn: line.turn } }
            }
            _ => Standing::Unanchored,
        }
    }
}

/// Whether a row of data is told: fields with marks between them, one of them a date.
fn is_record(read: &Read, sentence: &str) -> bool {
    let fields = sentence.matches([';', '|', '\t']).count() >= 3;
    let dated = crate::text::ident::identifiers(sentence).iter().any(|ident| ident.kind == crate::text::ident::Kind::Date);
    fields && dated && !read.addressed && read.classes & (AGENTS | BREADTH | STANDS | WAIVES | RESCINDS) == 0
}

/// Whether the set has another word for the act of a stem.
fn another_word(stem: Stem, set: &StemSet) -> bool {
    let of = |word: &str| Stem::of(word.as_bytes());
    ACTS.iter().any(|group| group.split(' ').any(|word| of(word).alike(stem)) && group.split(' ').any(|word| set.has(of(word))))
}

/// Whether somebody else's affairs are told: nobody with authority here, nothing wide, nothing said to the agent, no
/// safeguard.
fn is_report(read: &Read, claim: Claim) -> bool {
    let reach = PRINCIPALS | AGENTS | BREADTH | STANDS | WAIVES;
    let guard = read.classes & SAFEGUARDS != 0 && claim != Claim::Approval;
    // an act that the agent could do is the agent's affair
    let act = read.object.iter().any(|stem| ACTS.iter().any(|group| group.split(' ').any(|word| Stem::of(word.as_bytes()).alike(*stem))));
    !read.addressed && !guard && !act && read.classes & reach == 0 && (claim == Claim::Approval || read.classes & MEMORY == 0)
}

/// Whether the words of a person refuse: "no", "don't refund it".
fn refuses(text: &str) -> bool {
    known(text).iter().take(3).any(super::super::stems::Known::negates)
}

/// Bounds of a sentence: "if", "up to", "only".
fn bounds(text: &str) -> usize {
    known(text).iter().filter(|word| word.classes & CONDITIONS != 0 && word.word.letters().len() > 2).count()
}

/// Whether every identifier and number of a claim was said.
fn numbers(claim: &str, said: &str) -> bool {
    let source = Source::of([(Trust::User, said)]);
    let counts = |text: &str| {
        known(text).into_iter().filter(|word| numeral(word.word.letters())).map(|word| Stem::of(word.word.letters())).collect::<Vec<_>>()
    };
    let spoken = counts(said);
    identifiers::check(claim, &source).is_empty() && counts(claim).iter().all(|count| spoken.contains(count))
}

/// Whether no one thing became several.
fn plurals(read: &Read, sentence: &str, said: &str) -> bool {
    let spoken = super::claim::read(said);
    let ids = known(sentence).iter().filter(|word| word.word.letters().iter().any(u8::is_ascii_digit)).count();
    ids > 1 || read.plurals.iter().all(|stem| spoken.plurals.contains(stem) || !spoken.object.iter().any(|other| other == stem))
}
