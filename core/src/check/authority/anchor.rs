//! What was said, laid out by what it is about, and whether it covers a claim.

use std::borrow::Cow;
use std::cell::OnceCell;

use super::super::identifiers::{self, Source};
use super::super::lexicon::{
    AGENTS, ASKS, ASSENTS, BREADTH, CONDITIONS, FORBIDS, GRANTS, KEEPS, MEMORY, MUST, NEGATES, PRINCIPALS, PUTS_OFF, REFUSES, RESCINDS,
    SAFEGUARDS, STANDS, WAIVES, WITHOUT,
};
use super::super::statement::{Statement, unquoted};
use super::super::stems::{Postings, Stem, has, is_ending, is_number, is_wide, listed, stem, stems};
use super::super::wanted::Wanted;
use super::claim::{Claim, Read, attributes, is_rule, is_user, read};
use super::meaning::meaning;
use super::{Said, Standing};
use crate::item::Zone;
use crate::text::frame::Frames;
use crate::text::ident::{Kind, identifiers};
use crate::trust::Trust;

/// One sentence that was said.
#[derive(Debug)]
struct Line<'g> {
    /// Without what it quotes.
    text: Cow<'g, str>,
    /// How it is read, once somebody asked.
    read: OnceCell<Box<Read>>,
    /// External where it is a quotation.
    trust: Trust,
    /// Whose event it stands in.
    teller: Trust,
    seq: u32,
    turn: u32,
}

impl Line<'_> {
    fn read(&self) -> &Read {
        self.read.get_or_init(|| Box::new(read(&self.text)))
    }

    /// Whether it is a bare "yes", whose object is in the question before it.
    fn answers(&self) -> bool {
        let short = self.trust.has_authority() && self.text.split(' ').nth(2 * ANSWER).is_none();
        if !short || self.read().negated || !self.read().has(ASSENTS | GRANTS) {
            return false;
        }
        let noted = || self.text.split([' ', ',', '.']).any(|word| listed(NOTED, &word.to_ascii_lowercase()));
        if !self.read().has(GRANTS) && noted() {
            return false;
        }
        // two signs without word gaps are about a word
        let wide = self.text.chars().filter(|c| *c >= '\u{2e80}').count();
        self.read().words + wide / 2 <= ANSWER && (wide == 0 || !self.read().has(NEGATES))
    }

    /// Whether it refuses or puts off, and grants nothing.
    fn refuses(&self) -> bool {
        self.read().has(REFUSES | PUTS_OFF) && !self.read().has(GRANTS | WAIVES | RESCINDS | STANDS)
    }
}

/// Whose words a sentence of a summary is nearest to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nearest {
    /// External text of that turn.
    External(u32),
    /// What operator, user or agent said.
    Own,
    /// Both as near, or nothing.
    Nobody,
}

/// Lines looked at for one claim.
const LOOKED_AT: usize = 24;

/// How many lines before an answer belong to its question.
const QUESTION: usize = 4;

/// One stem in so many of an object may be the summary's own.
const LENIENCE: usize = 5;

/// Acts that an agent could do, one word of each.
const ACTS: &str = "refund delete send email deploy merge pay buy order export cancel create change book restart read";

/// Words that begin an answer, or an order of something else.
const ORDERS: &str = "please go do proceed continue carry bitte weiter";

/// Words of an answer that only take note of what was said.
const NOTED: &str = "see understand understood noted seen verstehe verstanden gesehen compris entendido entiendo";

/// Words by which somebody says what they would do.
const WOULD: &str = "would could will may shall can want plan propose suggest intend ready i'd i'll we'd we'll would'nt würde könnte werde soll sollen darf kann     schlage peux puis dois veux puedo debo quiero podría posso devo quero poderia";

/// Words for what comes next, or waits for a word.
const NEXT: &str =
    "next open pending left remaining needs awaiting waiting confirm request nächste nächster offen siguiente próximo prochaine";

/// What binds to something.
const BINDS: u64 = FORBIDS | NEGATES | MUST | ASKS | CONDITIONS | WITHOUT;

/// A bare "yes" has no more words.
const ANSWER: usize = 8;

/// All that was said, by what it is about.
#[derive(Debug, Default)]
pub(super) struct Anchors<'g> {
    lines: Vec<Line<'g>>,
    /// Each stem with its lines; of those only that are asked for.
    index: Postings,
    wanted: Wanted,
    /// The last lines that answer, the last one first, once somebody asked.
    answers: OnceCell<Vec<usize>>,
}

impl<'g> Anchors<'g> {
    /// To be asked about a text.
    pub(super) fn about(text: &str) -> Self {
        Self { wanted: Wanted::of(text), ..Self::default() }
    }

    /// Whether all that may be asked about a text is known.
    pub(super) fn are_about(&self, text: &str) -> bool {
        self.wanted.has_all(&stems(text))
    }

    /// Adds what was said, cut into statements.
    pub(super) fn hear(&mut self, said: &Said<'g>, statements: &[Statement]) {
        for statement in statements {
            let whole = statement.span.of(said.text);
            // what an agent writes as if the user spoke is nobody's
            let played = said.trust == Trust::Agent && whole.split_once(':').is_some_and(|(who, _)| is_user(who.trim()));
            if said.trust == Trust::External || statement.zone == Zone::Quoted || played {
                self.add(Cow::Borrowed(whole), Trust::External, said);
                continue;
            }
            // what somebody quotes is external, whoever quotes it
            let own = unquoted(said.text, *statement);
            if own.len() < whole.len() {
                self.add(Cow::Borrowed(whole), Trust::External, said);
            }
            self.add(own, said.trust, said);
        }
    }

    /// Puts the index in order, which every question needs.
    pub(super) fn seal(&mut self) {
        self.index.seal();
    }

    fn add(&mut self, text: Cow<'g, str>, trust: Trust, said: &Said<'_>) {
        self.wanted.index(&text, self.lines.len(), &mut self.index);
        self.lines.push(Line { text, read: OnceCell::new(), trust, teller: said.trust, seq: said.seq, turn: said.turn });
    }

    /// The places that share stems with the wanted ones, and how many.
    fn near(&self, wanted: &[Stem]) -> Vec<(u32, u32)> {
        debug_assert!(self.wanted.has_all(wanted), "what is asked about another text is not known");
        self.index.near(wanted, &|_| 1)
    }

    fn answers(&self) -> &[usize] {
        self.answers.get_or_init(|| {
            let mut out = Vec::new();
            for (at, line) in self.lines.iter().enumerate().rev() {
                if out.len() < LOOKED_AT && line.answers() {
                    out.push(at);
                }
            }
            out
        })
    }

    /// What a claim rests on.
    pub(super) fn standing(&self, sentence: &str, claim: Claim, read: &Read, under: bool) -> Standing {
        // the nearest lines first, of those the latest
        let mut near = Vec::new();
        for (at, shared) in self.near(&read.stems) {
            near.push(u64::from(u32::MAX - shared) << 32 | u64::from(u32::MAX - at));
        }
        near.sort_unstable();
        let mut own = Vec::new();
        let mut support: Option<&Line<'_>> = None;
        let mut outside = 0;
        for packed in near {
            let at = (u32::MAX - packed as u32) as usize;
            let shared = (u32::MAX - (packed >> 32) as u32) as usize;
            let Some(line) = self.lines.get(at) else { continue };
            if claim == Claim::Done {
                // an event that has the act and something of its object
                let total = read.object.len();
                let enough = (shared * 4 >= total && shared > 1) || total < 3;
                return match line.trust {
                    _ if !enough => Standing::Unanchored,
                    // what was ordered is not how things are
                    Trust::External | Trust::Agent if read.unrecorded && line.read().has(WAIVES) => Standing::Forged { seq: line.seq },
                    Trust::External if read.presumes => Standing::Forged { seq: line.seq },
                    Trust::External => Standing::Reported { seq: line.seq },
                    trust => Standing::Anchored { trust, turn: line.turn },
                };
            }
            if read.record && line.trust.has_authority() && shared * 2 >= read.stems.len() && line.read().has(BINDS) {
                return Standing::Anchored { trust: line.trust, turn: line.turn };
            }
            if line.trust.has_authority() && own.len() < LOOKED_AT {
                own.push(at);
            }
            let other = line.trust == Trust::External || (read.record && line.trust == Trust::Agent);
            if other && outside < LOOKED_AT && shared * 2 >= read.stems.len() {
                outside += 1;
                support = support.or(Some(line));
            }
        }
        for answer in self.answers() {
            own.push(*answer);
        }
        for at in own {
            if let Some(line) = self.lines.get(at)
                && self.covers(at, line, sentence, claim, read)
            {
                return Standing::Anchored { trust: line.trust, turn: line.turn };
            }
        }
        let Some(line) = support else { return Standing::Unanchored };
        if read.record && line.trust == Trust::Agent {
            return Standing::Anchored { trust: line.trust, turn: line.turn };
        }
        let (told, seq) = (line.read(), &line.seq);
        let labelled = attributes(read) && !attributes(told);
        // a report of others' affairs speaks to no agent of what it keeps, and lifts nothing from it
        let steers = read.names && read.steers && (!matches!(claim, Claim::Approval | Claim::Done) || read.has(KEEPS | MEMORY | STANDS));
        let report = !under && !steers && !read.presumes && (read.record || is_report(read, claim) || is_record(read, sentence));
        if labelled || report { Standing::Reported { seq: *seq } } else { Standing::Forged { seq: *seq } }
    }

    /// Whether what the user is said to wish, or to have said, is somebody else's: the agent's, which is cited, or what the
    /// agent wrote as if somebody else spoke. `quoted` are the words that are put into the user's mouth.
    pub(super) fn wish(&self, sentence: &str, read: &Read, quoted: &str) -> Option<Standing> {
        let words = stems(quoted);
        if words.len() > 1 {
            let mut told: Vec<(u32, usize)> = Vec::new();
            for (at, shared) in self.near(&words) {
                let Some(line) = self.lines.get(at as usize).filter(|line| line.teller.has_authority()) else { continue };
                match told.last_mut().filter(|(seq, _)| *seq == line.seq) {
                    Some((_, sum)) => *sum += shared as usize,
                    None => told.push((line.seq, shared as usize)),
                }
            }
            let most = told.iter().map(|(_, sum)| *sum).max().unwrap_or_default();
            return (most * 5 < words.len() * 3).then_some(Standing::Unanchored);
        }
        let total = read.object.len();
        let (mut own, mut other): (usize, Option<(usize, &Line<'_>)>) = (0, None);
        for (at, shared) in self.near(&read.object) {
            let (Some(line), shared) = (self.lines.get(at as usize), shared as usize) else { continue };
            if line.teller == Trust::User {
                own = own.max(shared);
            } else if line.teller == Trust::Agent && shared * 3 >= total * 2 && other.is_none_or(|(most, _)| most < shared) {
                other = Some((shared, line));
            }
        }
        let (shared, line) = other?;
        if total < 2 || own >= shared || own * 2 >= total {
            return None;
        }
        for answer in self.answers() {
            if let Some(line) = self.lines.get(*answer)
                && self.covers(*answer, line, sentence, Claim::Approval, read)
            {
                return None;
            }
        }
        Some(if line.trust == Trust::Agent {
            Standing::Anchored { trust: line.trust, turn: line.turn }
        } else {
            Standing::Forged { seq: line.seq }
        })
    }

    /// Whether only a question of the user's has what a sentence says was given.
    pub(super) fn asked_only(&self, read: &Read) -> bool {
        let mut asked = false;
        for (at, shared) in self.near(&read.object) {
            let Some(line) = self.lines.get(at as usize).filter(|_| shared as usize * 5 >= read.object.len() * 4) else { continue };
            if !line.read().asks {
                return false;
            }
            asked |= line.teller == Trust::User;
        }
        asked
    }

    /// Whose words a sentence is nearest to.
    pub(super) fn nearest(&self, read: &Read) -> Nearest {
        match self.shared(read) {
            ((shared, turn, _), inside) if shared > inside && (shared > 1 || inside == 0) => Nearest::External(turn),
            ((shared, ..), inside) if inside > shared && inside > 1 => Nearest::Own,
            _ => Nearest::Nobody,
        }
    }

    /// The event with the external text that a sentence repeats, if it does and nobody else said as much of it.
    pub(super) fn repeated(&self, read: &Read) -> Option<u32> {
        let ((shared, _, seq), inside) = self.shared(read);
        (shared > inside && (shared > 2 || shared as usize == read.stems.len()) && shared as usize * 3 >= read.stems.len() * 2)
            .then_some(seq)
    }

    /// The most stems that a line of external text shares with a sentence, with its turn and its event, and the most that one of
    /// somebody else does.
    fn shared(&self, read: &Read) -> ((u32, u32, u32), u32) {
        let (mut outside, mut inside) = ((0, 0, 0), 0);
        for (at, shared) in self.near(&read.stems) {
            match self.lines.get(at as usize) {
                Some(line) if line.trust == Trust::External => outside = outside.max((shared, line.turn, line.seq)),
                Some(_) => inside = inside.max(shared),
                None => {}
            }
        }
        (outside, inside)
    }

    /// The agent's lines that a bare answer is to: none that claim authority themselves, and none where the answer goes on to
    /// something else, "please go on with part 3".
    fn question(&self, at: usize, line: &Line<'_>) -> Vec<usize> {
        let mut out = Vec::new();
        if !line.answers() {
            return out;
        }
        let mut numbers: Vec<Stem> = line.read().stems.iter().copied().filter(|stem| is_number(*stem)).collect();
        for place in at.saturating_sub(QUESTION)..at {
            let Some(other) = self.lines.get(place).filter(|other| other.seq < line.seq) else { continue };
            if other.trust.has_authority() {
                // it is to what was asked since
                out.clear();
            }
            if other.trust != Trust::Agent {
                continue;
            }
            let read = other.read();
            if !line.read().has(GRANTS) && !proposes(&other.text, read) {
                continue;
            }
            if matches!(read.claim, None | Some(Claim::Done | Claim::NewRule)) || !read.has(GRANTS | PRINCIPALS) {
                numbers.retain(|number| !has(&read.stems, *number));
                out.push(place);
            }
        }
        let first = line.text.split(' ').next().unwrap_or_default();
        if !numbers.is_empty() && listed(ORDERS, &first.to_ascii_lowercase()) {
            out.clear();
        }
        out
    }

    /// Whether a line of the operator or the user covers a claim.
    fn covers(&self, at: usize, line: &Line<'_>, sentence: &str, claim: Claim, read: &Read) -> bool {
        // what stands around it in its event belongs to it; to a bare answer, the question too
        let question = self.question(at, line);
        let answers = !question.is_empty();
        let from = at.saturating_sub(if answers { QUESTION } else { 2 });
        let mut text = String::new();
        let mut said = Read::default();
        let mut around = 0;
        let mut breadth = false;
        let near = self.lines.get(from..self.lines.len().min(at + 2)).unwrap_or_default();
        for (place, other) in near.iter().enumerate() {
            let this = from + place == at;
            let same = other.seq == line.seq && other.trust == line.trust && (this || !other.refuses() || read.has(REFUSES | PUTS_OFF));
            if same || question.contains(&(from + place)) {
                text.push_str(&other.text);
                text.push('\n');
                said.classes |= other.read().classes;
                breadth |= (this || !same) && other.read().has(BREADTH);
                said.stems.extend_from_slice(&other.read().stems);
                said.object.extend_from_slice(&other.read().object);
                said.plurals.extend_from_slice(&other.read().plurals);
                said.numerals.extend_from_slice(&other.read().numerals);
                around += 1;
            }
        }
        said.stems.sort_unstable();
        let act = match claim {
            Claim::Waiver => said.has(WAIVES | RESCINDS),
            Claim::Rescission => said.has(RESCINDS | WAIVES | STANDS),
            _ if read.record => line.read().has(BINDS),
            // to cancel may be what was asked for
            _ => !line.read().refuses && (!line.refuses() || read.has(REFUSES | PUTS_OFF)),
        };
        let mut missing = 0;
        // of scripts without word gaps, half of the pairs may be other: where they begin is a guess
        let (mut pairs, mut strange) = (0, 0);
        let mut meanings = Vec::new();
        // "the ban on pushing to main is lifted": which ban it was says the rest
        let guard = |stem: &Stem| claim == Claim::Rescission && read.object.len() > 2 && is_rule(*stem);
        for stem in read.object.iter().filter(|stem| !guard(stem)) {
            let known = has(&said.stems, *stem);
            if is_wide(*stem) {
                pairs += usize::from(!is_ending(*stem));
                strange += usize::from(!known && !is_ending(*stem));
                continue;
            }
            if known {
                continue;
            }
            if meanings.is_empty() {
                meanings.extend(said.stems.iter().map(|stem| meaning(*stem)));
            }
            missing += usize::from(!meanings.contains(&meaning(*stem)));
        }
        let wide = read.object.iter().filter(|stem| is_wide(**stem)).count();
        let known = missing * LENIENCE <= read.object.len() - wide && strange * 2 <= pairs;
        let object = if read.object.is_empty() { answers || line.read().has(GRANTS) } else { known };
        // nothing but what was said, and every bound of it
        let wide = !read.has(BREADTH) || if read.object.is_empty() { breadth } else { said.has(BREADTH) };
        let (own, others) = (line.read(), &read.grantor);
        // what is spared for one thing is not for others
        let narrow = own.scope.iter().all(|stem| has(&read.stems, *stem));
        // an approval is his who gave it, or who says of another that he did
        let theirs = others.is_empty() || (own.has(GRANTS | ASSENTS) && others.iter().all(|stem| has(&own.stems, *stem)));
        let bounded =
            !said.has(CONDITIONS) || read.has(CONDITIONS) || sentence.contains(" up to ") || (around > 1 && !line.read().has(CONDITIONS));
        // no one thing that became several
        let mut several = false;
        for stem in &read.plurals {
            several |= !said.plurals.contains(stem) && said.object.contains(stem);
        }
        several = several && identifiers(sentence).len() < 2;
        let mut counts = true;
        for count in &read.numerals {
            counts &= said.numerals.contains(count);
        }
        let meant = !line.read().negated && !line.read().asks;
        act && meant && object && theirs && narrow && wide && bounded && counts && !several && !oversteps(sentence, &text) && {
            identifiers::check(sentence, &Source::of(&[(Trust::User, &text)])).is_empty()
        }
    }
}

/// Whether what an agent says asks for a word, or tells what it would do.
fn proposes(text: &str, read: &Read) -> bool {
    let asks = text.ends_with(['?', '？', 'か', '吗', '呢']) || text.trim_end_matches(['。', '.']).ends_with(['か', '吗', '까']);
    let word = |list: &str| text.split(|c: char| !(c.is_alphanumeric() || c == '\'')).any(|word| listed(list, &word.to_ascii_lowercase()));
    asks || text.contains('?') || word(WOULD) || word(NEXT) || (!text.is_ascii() && read.words == 0)
}

/// Whether a claim has a bound that what was said has the other way round, or a lower one that it does not have.
fn oversteps(claim: &str, said: &str) -> bool {
    if !claim.chars().any(char::is_numeric) {
        return false;
    }
    let mine = Frames::of(claim).bounded();
    let theirs = if mine.is_empty() { Vec::new() } else { Frames::of(said).bounded() };
    mine.iter().any(|bound| {
        let mut same = theirs.iter().filter(|other| other.canon == bound.canon).peekable();
        let unbounded = same.peek().is_none() && !bound.side.is_upper();
        unbounded || (same.peek().is_some() && same.all(|other| bound.side.agrees(other.side) == Some(false)))
    })
}

/// Whether somebody else's affairs are told: nobody with authority here, nothing wide, nothing said to the agent, no
/// safeguard, and no act that the agent could do.
fn is_report(read: &Read, claim: Claim) -> bool {
    let guard = if claim == Claim::Approval { 0 } else { SAFEGUARDS | MEMORY };
    let act = |object: &Stem| ACTS.split(' ').any(|act| meaning(stem(act)) == meaning(*object));
    !read.addressed && !read.has(PRINCIPALS | AGENTS | BREADTH | STANDS | WAIVES | guard) && (read.told || !read.object.iter().any(act))
}

/// Whether a row of data is told: fields with marks between them, one of them a date, or several dates.
fn is_record(read: &Read, sentence: &str) -> bool {
    if read.addressed || read.has(AGENTS | BREADTH | STANDS | WAIVES | RESCINDS) {
        return false;
    }
    let dates = identifiers(sentence).iter().filter(|ident| ident.kind == Kind::Date).count();
    dates > 1 || (dates > 0 && sentence.matches([';', '|', '\t']).count() >= 3)
}
