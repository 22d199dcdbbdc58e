//! What a sentence says of its topic: taken, refused or put off. Cues of several languages, read clause by clause.

use super::super::stems::{Stem, StemSet, cued, is_empty_word, unelided};
use crate::task::Polarity;
use crate::text::words::{Word, joined, next_word};

/// Verbs and phrases that refuse. `_` joins two words, `*` is any ending.
const REFUSES: &str = "abandon* against an_end end_to cancel* declin* denied discard* dismiss* drop* exclud* forgo* forwent oppos* refus* reject* scrap* veto* banned \
    bans turned_down turns_down turn_down ruled_out rule_out rules_out voted_down struck off_the decided_against \
    abgelehn* ablehn* lehnt* lehnen verworf* verwarf* verzicht* gestrichen streich* abgesagt entfall* fallt_weg weggefallen gegen raus \
    rejet* ecart* renonc* exclu* abandonn* \
    rechaz* descart* desech* elimin* rejeit* recus* contra ";

/// Words that negate.
const NEGATES: &str = "no not none never neither nor nobody nothing without cannot out longer \
    nicht kein* nie niemals niemand weder ohne weg ne pas aucun* jamais ni sans nunca tampoco ningun* nadie nao nem ";

/// Verbs and phrases that put off.
const PUTS_OFF: &str = "postpon* defer deferr* defers delay* shelv* undecided unresolved pending on_hold put_off puts_off pushed_back wait waits \
    waiting not_yet no_decision to_be_decided parked revisit* held_over await* \
    vertag* verschob* verschieb* aufgeschoben zuruckgestell* abwart* wart* warten vorerst_nicht ruht offen \
    reporte reportee reportes ajourn* differe differee attente \
    aplaz* pospon* pospuest* pendiente* adiad* adiar pendente* ";

/// Words that put off what is known to wait.
const MAY_PUT_OFF: &str = "later until till open once next first yet depend* follow* eventual* tomorrow hold earliest pending paus* suspend* review* \
    question reconsider* tbd \
    spater bis noch sobald erst nachst* frage fruhestens plus_tard tard prochain* jusqu* suspens attend* \
    hasta luego adelante espera* proxim* depois ate ";

/// Words that put off what is negated: not before, no decision when.
const NOT_BEFORE: &str = "after before when then while vor nach wenn avant apres quand antes despues cuando quando ";

/// Words that leave open what was taken, in a clause that does not take.
const DOUBTS: &str = "considered debated discussed proposed suggested under_discussion under_review might perhaps whether erwogen diskutiert \
    vielleicht envisage* propose* considera* propuest* ";

/// Words that put off in a sentence that does not take.
const LATER: &str = "later until till tbd eventual* stays_open remains_open still_open next_month next_year next_quarter next_week \
    spater bis sobald plus_tard tard hasta adelante luego depois ";

/// Verbs that decide.
const DECIDED: &str = "decided entschieden decide decidira decidido ";

/// Verbs that take.
const TAKES: &str = "accept* adopt* agree* approv* award* chose* choos* consent* confirm* decided_on decided_for decided_to go_ahead goes_ahead \
    going_ahead goes_live go_live introduc* pick* select* sign* settl* allow* favor* favour* won wins win prefer* opted opt switch* ship* \
    angenommen akzept* beschloss* genehmig* gewahlt vereinbart zugestimm* einigt* kommt \
    accepte* adopt* approuv* choisi* retenu* decide* valid* aprob* acept* acord* elig* adopta* escolh* ";

/// What begins a reason.
const REASONS: &str =
    "because since due owing given considering weil denn wegen damit aufgrund car parce puisque faute grace porque debido pois ";

/// What two clauses are joined by.
const JOINS: &str = "and but while whereas although though however und aber wahrend sondern doch et mais tandis y pero mientras e mas ";

/// Words and signs of scripts without word gaps.
const WIDE_REFUSES: &[&str] = &["拒", "否决", "放弃", "不采用", "不做", "取消", "却下", "不採用", "断念", "中止", "거부", "기각", "취소"];
const WIDE_NEGATES: &[&str] = &["不", "没", "未", "無", "ない", "ません", "않", "없"];
const WIDE_PUTS_OFF: &[&str] = &["推迟", "延期", "延后", "暂缓", "保留", "先送り", "見送", "待定", "보류", "연기", "미루"];

/// One clause of a sentence.
pub(super) struct Clause<'a> {
    text: &'a str,
    words: Vec<Word>,
    /// In brackets, or after the beginning of a reason: it says nothing of the polarity.
    aside: bool,
}

impl Clause<'_> {
    pub(super) fn begins(&self, list: &str) -> bool {
        self.words.first().is_some_and(|word| cued(list, word.letters()))
    }

    /// What the clause is about.
    pub(super) fn topic(&self) -> impl Iterator<Item = Stem> + '_ {
        let names = |letters: &[u8]| !letters.is_empty() && !is_empty_word(unelided(letters)) && !letters.ends_with(b"n't");
        let fates = [REFUSES, NEGATES, PUTS_OFF, TAKES, REASONS, " decide* decision* decid* "];
        let words = self.words.iter().filter(move |word| names(word.letters()) && !fates.iter().any(|list| cued(list, word.letters())));
        words.map(|word| Stem::of(word.letters())).chain(super::stems(self.text).into_iter().filter(|stem| stem.is_wide()))
    }

    /// Whether a cue of the list begins with the word at `at`.
    fn has_at(&self, at: usize, list: &str) -> bool {
        let Some(word) = self.words.get(at) else { return false };
        list.split_ascii_whitespace().any(|cue| {
            let Some((first, second)) = cue.split_once('_') else { return cued(cue, word.letters()) };
            let next = self.words.get(at + 1).filter(|next| joined(self.text, word.end, next.start));
            cued(first, word.letters()) && next.is_some_and(|next| cued(second, next.letters()))
        })
    }

    fn has(&self, list: &str) -> bool {
        (0..self.words.len()).any(|at| self.has_at(at, list))
    }

    fn negator(&self, at: usize) -> bool {
        let letters = self.words.get(at).map(Word::letters).unwrap_or_default();
        cued(NEGATES, letters) || letters.ends_with(b"n't") || (letters.starts_with(b"n'") && letters.len() > 3)
    }

    /// Whether it refuses; `Some(true)` where that itself is negated. Where the topic is a refusal, such a word names it.
    fn drops(&self, own: bool) -> Option<bool> {
        let at = (0..self.words.len()).find(|at| self.has_at(*at, REFUSES) && !own)?;
        Some((at.saturating_sub(3)..at).any(|before| self.negator(before)))
    }

    /// Whether it says that something was taken, refused or put off.
    fn says(&self) -> bool {
        let signs = self.signs(false);
        signs.takes || signs.refuses() || signs.puts_off || signs.later
    }

    fn signs(&self, own: bool) -> Signs {
        let wide = |list: &[&str]| !self.text.is_ascii() && list.iter().any(|sign| self.text.contains(sign));
        let only = self.has("not_only pas_seulement nicht_nur no_solo no_doubt no_matter nothing_but");
        let drops = self.drops(own);
        let undone = drops == Some(true);
        let negates = (0..self.words.len()).any(|at| self.negator(at)) || wide(WIDE_NEGATES);
        let takes = self.has(TAKES) || undone;
        Signs {
            drops: drops == Some(false) || wide(WIDE_REFUSES),
            negates: negates && !only && !undone,
            puts_off: self.has(PUTS_OFF) || wide(WIDE_PUTS_OFF),
            may_wait: self.has(MAY_PUT_OFF) || (negates && self.has(NOT_BEFORE)),
            later: self.has(LATER),
            decides: self.has(DECIDED),
            when: self.has(NOT_BEFORE),
            takes,
            doubts: !takes && self.has(DOUBTS),
        }
    }

    /// Whether it begins with a predicate, and so belongs to what stood before it.
    fn predicate(&self) -> bool {
        self.begins(" was were is are has had have will would got gets be been wurde wird ist war sind fue es est sera etait a ") || {
            let first = self.words.first().map(Word::letters).unwrap_or_default();
            [REFUSES, PUTS_OFF].iter().any(|list| cued(list, first))
        }
    }
}

/// Which cues there are.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Signs {
    pub(super) drops: bool,
    negates: bool,
    pub(super) puts_off: bool,
    may_wait: bool,
    later: bool,
    decides: bool,
    when: bool,
    pub(super) takes: bool,
    pub(super) doubts: bool,
}

impl Signs {
    fn and(&mut self, other: Self) {
        self.drops |= other.drops;
        self.negates |= other.negates;
        self.puts_off |= other.puts_off;
        self.may_wait |= other.may_wait;
        self.later |= other.later;
        self.decides |= other.decides;
        self.when |= other.when;
        self.takes |= other.takes;
        self.doubts |= other.doubts;
    }

    pub(super) fn refuses(self) -> bool {
        self.drops || self.negates
    }

    pub(super) fn waits(self) -> bool {
        self.puts_off || self.may_wait
    }
}

/// The cues of the clauses that hold the topic, and of the whole sentence.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reading {
    pub(super) near: Signs,
    pub(super) far: Signs,
}

impl Reading {
    pub(super) fn and(&mut self, next: &Self) {
        self.far.and(next.far);
    }

    /// The polarity of a sentence that stands alone.
    pub(super) fn alone(&self) -> Polarity {
        let signs = self.far;
        match () {
            () if signs.drops => Polarity::Rejected,
            () if signs.puts_off => Polarity::Deferred,
            () if signs.takes && !signs.negates => Polarity::Accepted,
            () if signs.later || (signs.decides && signs.when) => Polarity::Deferred,
            () if signs.negates => Polarity::Rejected,
            () => Polarity::Accepted,
        }
    }
}

/// Reads a sentence; without a topic all of its clauses are near.
pub(super) fn reads(clauses: &[Clause<'_>], topic: Option<&StemSet>, own: bool) -> Reading {
    let mut out = Reading::default();
    let held: Vec<usize> =
        clauses.iter().map(|clause| topic.map_or(1, |topic| clause.topic().filter(|stem| topic.has(*stem)).count())).collect();
    let most = held.iter().copied().max().unwrap_or_default();
    let mut named = false;
    for (clause, held) in clauses.iter().zip(held) {
        let signs = clause.signs(own);
        if clause.aside {
            // an aside may well say that something waits
            out.far.may_wait |= signs.waits();
            continue;
        }
        let holds = held == most && most > 0;
        if holds || (named && clause.predicate()) {
            out.near.and(signs);
        }
        named |= holds;
        out.far.and(signs);
    }
    out
}

/// Cuts a sentence into clauses: at commas, dashes, brackets and colons, at words that join, at the beginning of a reason.
pub(super) fn clauses(sentence: &str) -> Vec<Clause<'_>> {
    let mut out: Vec<Clause<'_>> = vec![Clause { text: sentence, words: Vec::new(), aside: false }];
    let (mut at, mut depth) = (0, 0_u32);
    while let Some(word) = next_word(sentence, at) {
        let gap = sentence.get(at..word.start).unwrap_or_default();
        at = word.end;
        let mut cut = gap.contains([',', ';', '–', '—', '，', '、', '；', '：', '。', '.', '!', '?', '\n'])
            || gap.contains(": ")
            || gap.contains(" - ");
        for c in gap.chars() {
            match c {
                '(' | '（' | '[' => (depth, cut) = (depth + 1, true),
                ')' | '）' | ']' => (depth, cut) = (depth.saturating_sub(1), true),
                _ => {}
            }
        }
        let reason = cued(REASONS, word.letters());
        let joins = cued(JOINS, word.letters());
        let aside = depth > 0 || reason || (!cut && !joins && out.last().is_some_and(|clause| clause.aside));
        if cut || reason || joins {
            out.push(Clause { text: sentence, words: Vec::new(), aside });
        }
        if let Some(clause) = out.last_mut() {
            clause.words.push(word);
        }
    }
    out.retain(|clause| !clause.words.is_empty());
    for clause in &mut out {
        let (first, last) = (clause.words.first().map_or(0, |word| word.start), clause.words.last().map_or(0, |word| word.end));
        // cues are compared with gaps of the sentence, signs with the clause
        let from = first.min(last);
        clause.text = sentence.get(from..last).unwrap_or_default();
        for word in &mut clause.words {
            word.start -= from;
            word.end -= from;
        }
    }
    if out.is_empty() && !sentence.is_empty() {
        out.push(Clause { text: sentence, words: Vec::new(), aside: false });
    }
    out
}

/// A sentence up to its reason, and the reason: what follows a word for it, else the last clause that says none of the
/// polarity.
pub(super) fn split_reason(sentence: &str) -> (&str, &str) {
    let mut at = 0;
    while let Some(word) = next_word(sentence, at) {
        if at > 0 && cued(REASONS, word.letters()) {
            return sentence.split_at_checked(word.start).unwrap_or((sentence, ""));
        }
        at = word.end;
    }
    let marks = [", ", ": ", "; ", " after ", " as ", " nach ", " tras ", " après "];
    let at = marks.iter().filter_map(|mark| sentence.rfind(mark)).max().unwrap_or(sentence.len());
    let (head, tail) = sentence.split_at_checked(at).unwrap_or((sentence, ""));
    let says = |part: &str| clauses(part).iter().any(|clause| clause.says());
    let plain = super::stems(tail).len() >= 2 && super::stems(head).len() >= 2 && (says(head) || !says(tail));
    if plain { (head, tail) } else { (sentence, "") }
}

/// Whether a topic is itself a refusal or a delay: "dropping the old format".
pub(super) fn is_refusal(topic: &str) -> bool {
    let Some(first) = next_word(topic, 0) else { return false };
    let noun = ["ing", "ion", "al", "ung", "ment"].iter().any(|end| first.letters().ends_with(end.as_bytes()));
    noun && [REFUSES, PUTS_OFF].iter().any(|list| cued(list, first.letters()))
}

/// Whether a sentence says that something was decided.
pub(super) fn decides(sentence: &str) -> bool {
    const DECIDES: &str = "decide* decision entschied* beschloss* decidi* decidid* acord* ";
    let said = |clause: &Clause<'_>| {
        let past = [REFUSES, PUTS_OFF, TAKES, DECIDES].iter().any(|list| clause.has(list));
        past || [WIDE_REFUSES, WIDE_PUTS_OFF].iter().any(|list| list.iter().any(|sign| clause.text.contains(sign)))
    };
    clauses(sentence).iter().any(|clause| !clause.aside && said(clause))
}
