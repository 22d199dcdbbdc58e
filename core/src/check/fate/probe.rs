//! The rule's side of a comparison: what of it must be found again, and how much each part weighs.

use crate::text::frame::{Frames, Gate, Kind, Segment, Side, Token, cue, hash, lexicon, segments, stem};
use crate::text::words::listed;

/// Words of a rule that are told from words of the text.
const OWN: usize = 512;

/// Most parts of a rule that are looked for.
const MOST: usize = 64;

/// A word of the rule that is looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    pub(super) canon: u32,
    pub(super) weight: u32,
    /// An identifier, a name or a number: without it nothing is certified.
    pub(super) needed: bool,
    pub(super) kind: Kind,
    pub(super) at: usize,
    /// What is done rather than with what: other words for it are many.
    pub(super) verb: bool,
    /// A thing: a restatement has it, or another word for it.
    pub(super) noun: bool,
    /// Stands under a negation.
    pub(super) denied: bool,
    /// What the rule waits for.
    pub(super) waits: bool,
    /// Stands in a condition.
    pub(super) gated: bool,
}

/// A rule made ready to be looked for in any number of texts.
#[derive(Debug)]
pub struct Probe<'r> {
    pub(super) frames: Frames<'r>,
    pub(super) parts: Vec<Part>,
    pub(super) total: u32,
    /// All cues of the rule proper.
    pub(super) cues: u32,
    /// From this token on the rule gives its reason.
    pub(super) reason: usize,
    /// What is beyond the bound it sets.
    pub(super) limit: u32,
    /// Forbids something until or unless something else is given.
    pub(super) waits: bool,
    /// Lets something be only with something else: "only cite …", "ship only with …".
    pub(super) needs: bool,
    /// Has a condition or an exception.
    pub(super) ifs: bool,
    /// What means the opposite of a part, with the place of the part.
    pub(super) opposites: Vec<(u32, usize)>,
    /// Which of its numbers and times are bounds, and of which side.
    pub(super) bounds: Vec<(u32, Side)>,
    /// What stands behind "before" and "after", as bits, whether it was "before", and whether the statement is denied.
    pub(super) order: Vec<(u64, bool, bool)>,
    /// Says that one thing comes before or after another.
    pub(super) orders: bool,
    /// In a language that there are cues for.
    pub(super) readable: bool,
    /// All its words, and their cues.
    pub(super) own: Vec<(u32, u32)>,
}

/// Whether a token means something by itself.
pub(super) fn says(token: &Token) -> bool {
    token.speaks()
}

/// Whether a change of the token changes the rule.
pub(super) fn matters(token: &Token) -> bool {
    !token.is(cue::STOP) || token.is(cue::STRICT | cue::MAY | cue::SOFT | cue::REVOKE | cue::COND | cue::EXC | cue::LESS | cue::MORE)
}

/// The cue of "without", which tells of what a rule speaks and forbids nothing by itself.
pub(super) fn without(word: &str) -> u32 {
    if word.eq_ignore_ascii_case("without") { cue::NEG } else { 0 }
}

fn needed(token: &Token) -> bool {
    match token.kind {
        Kind::Number => token.value != 1000,
        Kind::Ident => true,
        Kind::Word => token.is(cue::NAME),
        Kind::Glyph => false,
    }
}

impl<'r> Probe<'r> {
    /// Reads a rule.
    #[must_use]
    pub fn of(rule: &'r str) -> Self {
        let rule = rule.trim();
        let frames = Frames::of(rule);
        let reason = reason(&frames);
        let mut parts: Vec<Part> = Vec::new();
        let mut cues = 0;
        let segments: Vec<Segment> =
            frames.units.iter().flat_map(|unit| segments(&frames, unit.from, unit.to, cue::MORE | cue::LESS)).collect();
        let strict = frames.range(0, reason).iter().any(|token| token.is(cue::STRICT | cue::MAY));
        for (at, token) in frames.tokens.iter().enumerate().take(reason) {
            cues |= token.cue & !without(frames.word(token));
            let last_glyph = token.kind == Kind::Glyph && token.canon == token.key;
            if !says(token)
                || last_glyph
                || (token.is(cue::REVOKE) && frames.word(token).starts_with(['w', 'n', 'W', 'N']))
                || (token.is(cue::SUSPECT) && !token.is(cue::NAME))
                || parts.len() == MOST
                || parts.iter().any(|part| part.canon == token.canon)
            {
                continue;
            }
            // a list in parentheses gives examples
            let aside = frames.aside(at);
            let pair = two_between(&frames, at);
            let needed = needed(token) && !aside && !pair;
            // "the table orders": the kind of thing need not be said
            let kind = at > 0 && token.kind == Kind::Word && named(&frames, at);
            let aside = aside || kind || pair;
            let first = frames.units.get(frames.unit_of(at)).is_some_and(|unit| unit.from == at);
            let begins = segments.iter().find(|segment| segment.to > at).map_or(0, |segment| segment.from);
            let done = !needed && is_verb(&frames, at, begins);
            let verb = done && (strict || first);
            // the hour of "one hour" may be 60 minutes
            let counted = at > 0 && frames.tokens.get(at - 1).is_some_and(|token| token.value == 1000);
            let weight = match (needed, token.is(cue::GENERIC | cue::RESIDUE | cue::BAN)) {
                _ if aside => 1,
                (true, _) => 6,
                (_, true) => 2,
                _ if verb || token.value == 1000 => 2,
                _ => 4,
            };
            let segment = segments.iter().find(|segment| segment.to > at);
            let (denied, gate) = segment.map_or((false, Gate::None), |segment| (segment.denied, segment.gate));
            let gated = !matches!(gate, Gate::None | Gate::Required) || (gate == Gate::Required && needed);
            parts.push(Part {
                canon: token.canon,
                weight,
                needed,
                kind: token.kind,
                at,
                verb,
                noun: weight > 2 && !done && !counted,
                denied,
                waits: gate == Gate::Required,
                gated,
            });
        }
        let total = parts.iter().map(|part| part.weight).sum();
        let exceeds = frames.tokens.iter().any(|token| token.is(cue::MORE));
        let below = cues & cue::NEG != 0 && cues & (cue::LESS | cue::MORE | cue::ONLY) == cue::LESS;
        let limit = if below || (cues & cue::ONLY != 0 && exceeds) {
            cue::LESS
        } else if cues & cue::ONLY != 0 || cues & cue::NEG != 0 && exceeds {
            cue::MORE
        } else {
            0
        };
        let while_ = |at: usize| matches!(frames.word_at(at), "while" | "during" | "throughout" | "within" | "whose");
        let ifs =
            (0..reason).any(while_) || segments.iter().any(|segment| matches!(segment.gate, Gate::If | Gate::Unless | Gate::Required));
        let waits = segments.iter().any(|segment| segment.gate == Gate::Required);
        let mut opposites = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let known = |canon: &u32| parts.iter().any(|part| part.canon == *canon);
            if frames.tokens.get(part.at).is_some_and(|token| token.is(cue::BAN)) {
                continue;
            }
            // "unlabelled" is "without a label"
            let word = frames.word_at(part.at);
            if part.kind == Kind::Word && !part.needed && word.len() > 4 {
                let canon = lexicon().canon(hash(stem(&format!("un{}", word.to_ascii_lowercase()))));
                opposites.extend(Some((canon, index)).filter(|_| !known(&canon)));
            }
            opposites.extend(lexicon().opposites(part.canon).filter(|canon| !known(canon)).map(|canon| (canon, index)));
        }
        let mut bounds = Vec::new();
        for segment in &segments {
            for part in parts.iter().filter(|part| frames.bounds(part.at) && (segment.from..segment.to).contains(&part.at)) {
                bounds.extend(frames.side(segment, part.at).map(|side| (part.canon, side)));
            }
        }
        let mut order = Vec::new();
        for segment in &segments {
            let inside = |part: &Part| (segment.from..segment.to).contains(&part.at);
            let mask = parts.iter().enumerate().filter(|(_, part)| inside(part)).fold(0, |mask, (index, _)| mask | 1 << index);
            order.extend(frames.earlier(segment).map(|before| (mask, before, stated(&segments))));
        }
        let orders = segments
            .iter()
            .filter(|segment| segment.from < reason)
            .any(|segment| matches!(frames.word_at(segment.from), "before" | "Before" | "until" | "Until" | "after" | "After"));
        let only = frames.tokens.iter().position(|token| token.is(cue::ONLY)).unwrap_or(0);
        let acts = parts.iter().any(|part| part.verb && part.at == only + 1);
        let needs = cues & (cue::ONLY | cue::NEG | cue::BAN | cue::MAY) == cue::ONLY && (only > 0 || acts);
        let own = frames.tokens.iter().take(OWN).map(|token| (token.canon, token.cue)).collect();
        let readable = frames.readable(0, frames.tokens.len());
        Self { frames, parts, total, cues, reason, limit, waits, needs, ifs, opposites, bounds, order, orders, readable, own }
    }

    /// Whether there is enough to tell this rule from any other text.
    #[must_use]
    pub fn sound(&self) -> bool {
        self.parts.len() > 1 && self.readable
    }

    /// Whether a token is the "two" of "between two".
    pub(super) fn pair(&self, at: usize) -> bool {
        two_between(&self.frames, at)
    }

    pub(super) fn weight(&self, mask: u64) -> u32 {
        self.parts.iter().enumerate().filter(|(at, _)| mask & (1 << at) != 0).map(|(_, part)| part.weight).sum()
    }
}

/// What a reason has none of.
const FORCE: u32 = cue::NEG | cue::BAN | cue::ONLY | cue::SOFT | cue::COND | cue::EXC;
const ORDERS: &str = "must may can shall need needs always you ensure";

/// The token from which on a rule gives its reason: behind a dash or "because", if what stands before has force.
fn reason(frames: &Frames<'_>) -> usize {
    let all = frames.tokens.len();
    let mut end = 0;
    let mut strict = false;
    for (at, token) in frames.tokens.iter().enumerate() {
        let gap = frames.text.get(end..token.start).unwrap_or_default();
        let word = frames.text.get(token.start..token.end).unwrap_or_default();
        let dash = gap.contains('—') || gap.contains('–') || gap.contains(" - ");
        let pronoun = matches!(
            word.to_ascii_lowercase().as_str(),
            "it" | "it's" | "they" | "she" | "he" | "this" | "that" | "the" | "there" | "these" | "we" | "there's"
        );
        let because = matches!(word, "because" | "weil" | "denn" | "parce" | "porque");
        // "— 400 scanners lose their session": what follows the last dash without force of its own
        let tells = || {
            gap.contains('—')
                && frames.units.len() == 1
                && !frames.range(at, all).iter().any(|token| token.is(FORCE) || listed(ORDERS, frames.word(token)))
        };
        if strict && at > 2 && (because || ((dash || gap.contains(':')) && pronoun) || tells()) {
            return at;
        }
        strict |= token.is(cue::STRICT);
        end = token.end;
    }
    all
}

/// Whether a number is the "two" of "between two".
fn two_between(frames: &Frames<'_>, at: usize) -> bool {
    matches!(frames.word_at(at.wrapping_sub(1)), "between" | "Between") && frames.tokens.get(at).is_some_and(|token| token.value == 2000)
}

/// Whether the statement that conditions hang on is denied.
pub(super) fn stated(segments: &[Segment]) -> bool {
    segments.iter().find(|segment| segment.gate == Gate::None).is_some_and(|segment| segment.denied)
}

/// Whether a word only says of what kind the identifier or name behind it is.
fn named(frames: &Frames<'_>, at: usize) -> bool {
    let ident = |at: usize| {
        frames.tokens.get(at).is_some_and(|next| {
            next.kind == Kind::Ident
                || (next.is(cue::NAME)
                    && (frames.text.get(..next.start).is_some_and(|before| before.ends_with('`'))
                        || frames.text.get(next.end..).is_some_and(|behind| behind.starts_with('/'))))
        })
    };
    let noun = |at: usize| frames.tokens.get(at).is_some_and(|next| next.kind == Kind::Word && next.speaks() && !next.is(cue::NAME));
    let after = |at: usize| !is_verb(frames, at, at) && at > 0 && !matches!(frames.word_at(at), "Never" | "No");
    let last = if noun(at + 1) && ident(at + 2) { at + 1 } else { at };
    ident(last + 1) && noun(at) && after(at) && after(last)
}

/// Words that a verb follows.
const BEFORE_VERBS: &str = "must may can never not to shall should will be is are been please always don't has have gets";

/// Words that no verb follows.
const BEFORE_NOUNS: &str = "the a an of in on for with from by and or all our your any at into per these their his her its my no";

/// Words that a noun follows, or what stands before one.
const ARTICLES: &str = "a an the no any every each all our your their";

/// Whether a word of an English rule is likely a verb.
fn is_verb(frames: &Frames<'_>, at: usize, begins: usize) -> bool {
    let word = |at: usize| frames.tokens.get(at).and_then(|token| frames.text.get(token.start..token.end)).unwrap_or_default();
    let own = word(at).to_ascii_lowercase();
    let before = at.checked_sub(1).map(|at| word(at).to_ascii_lowercase());
    let Some(unit) = frames.units.get(frames.unit_of(at)) else { return false };
    let first = unit.from == at;
    if !own.is_ascii() || own.len() < 3 {
        return false;
    }
    if first && own.ends_with('s') && !own.ends_with("ss") {
        return false;
    }
    if first {
        let finite =
            |at: usize| matches!(word(at), "must" | "is" | "are" | "may" | "can" | "need" | "needs" | "has" | "have" | "will" | "shall");
        return !(unit.from..unit.to.min(at + 8)).any(finite);
    }
    let before = before.unwrap_or_default();
    let gerund = own.ends_with("ing") && matches!(before.as_str(), "before" | "after" | "without" | "by" | "when" | "while" | "from");
    // "access covers …", "a file that contains …": the first of its clause
    let finite =
        |token: &Token| token.is(cue::STRICT | cue::MAY) || matches!(frames.word(token), "is" | "are" | "was" | "were" | "has" | "have");
    let third = own.ends_with('s')
        && !own.ends_with("ss")
        && !frames.range(begins, at).iter().any(finite)
        && (!frames.tokens.get(at + 1).is_some_and(|token| token.speaks() && unit.to > at + 1)
            || frames.tokens.get(begins).is_some_and(|token| token.is(cue::COND)))
        && !listed(BEFORE_NOUNS, before.as_str());
    let gap = at
        .checked_sub(1)
        .and_then(|at| frames.tokens.get(at))
        .and_then(|token| frames.text.get(token.end..))
        .is_some_and(|rest| rest.starts_with(','));
    let ordered = gap && frames.tokens.get(unit.from).is_some_and(|token| token.is(cue::COND));
    // "a preregistered hypothesis"
    let next = frames.tokens.get(at + 1).is_some_and(|next| unit.to > at + 1 && next.kind == Kind::Word && next.speaks());
    let attribute = next && listed(ARTICLES, before.as_str());
    (own.ends_with("ed") && !attribute) || third || gerund || ordered || listed(BEFORE_VERBS, before.as_str())
}
