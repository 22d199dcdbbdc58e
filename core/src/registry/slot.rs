//! What a rule is about, how strict it is, and whether its words change an older one (R7).
//!
//! Two texts have the same slot if they speak of the same act, objects and qualifiers; only then are their bounds,
//! conditions and exceptions compared. A number that bounds nothing ("folder 7") is a qualifier.

mod cues;

use crate::text::frame::{Frames, Gate, Kind, Segment, Token, Unit, cue, hash, segments, tokens};
use crate::text::skeleton::skeleton;
use crate::text::words::listed;
use cues::{
    CHANGE, FORGET, INSTEAD, LONGER, MAKE, NEED, OLD, ONCE, SAID, STANDING, STRONG, TO, TURN, VALID, WITHOUT, WORRY, is_unit, phrase,
};
pub(super) use cues::{CORRECT, LIGHT, NOT, corrects};

/// The side of a number on which what is meant lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bound {
    /// The less the stricter.
    Upper,
    /// The more the stricter.
    Lower,
    Exact,
}

/// What a text says of its slot.
#[derive(Debug, Clone, Default)]
pub(super) struct Slot {
    /// The words of act, objects and qualifiers, sorted; all tables are of this type, which keeps the code small.
    main: Vec<u64>,
    /// Those of conditions.
    ifs: Vec<u64>,
    /// Those of what a prohibition waits for.
    waits: Vec<u64>,
    /// Those of exceptions.
    exceptions: Vec<u64>,
    /// Identifiers and names, in order.
    names: Vec<u32>,
    amounts: Vec<(u64, Bound)>,
    denied: bool,
    must: bool,
    may: bool,
    soft: bool,
    /// "Only" names who may or what it is.
    sole: bool,
    /// Classes of the cues found.
    seen: u32,
}

/// How a later text stands to an older rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Relation {
    /// It is about something else.
    Other,
    /// It names a part of the slot only and means to change something.
    Near,
    Same,
    Stricter,
    Looser,
    /// In no order.
    Apart,
}

impl Slot {
    pub(super) fn of(text: &str) -> Self {
        Self::read(text, false)
    }

    fn read(text: &str, releases: bool) -> Self {
        let frames = Frames::of(text);
        let mut slot = Self::default();
        for unit in &frames.units {
            let masked = slot.mark(&frames, unit);
            for segment in &segments(&frames, unit.from, unit.to, 0) {
                slot.fill(&frames, unit, segment, &masked, releases);
            }
        }
        for list in [&mut slot.main, &mut slot.ifs, &mut slot.waits, &mut slot.exceptions] {
            list.sort_unstable();
            list.dedup();
        }
        slot
    }

    /// Notes the cues of a clause; says which of its tokens are theirs.
    fn mark(&mut self, frames: &Frames<'_>, unit: &Unit) -> Vec<bool> {
        let tokens = frames.range(unit.from, unit.to);
        let mut classes = vec![0; tokens.len()];
        let (mut at, mut starts) = (0, true);
        while let Some(token) = tokens.get(at) {
            let (mut class, length) = phrase(tokens, at);
            let late = class & (FORGET | MAKE | TURN) != 0 && !starts;
            if late || class & TURN != 0 && !tokens.iter().skip(at + 1).any(|token| TO.contains(&frames.word(token))) {
                class = 0;
            }
            self.seen |= class;
            let end = if class & OLD != 0 { tokens.len() } else { at + length };
            classes.iter_mut().take(end).skip(at).for_each(|known| *known = class);
            starts &= class != 0 || token.is(cue::STOP);
            at = end;
        }
        // "the rule" and "needed" are about another rule only where something is changed
        let said = if self.changes() { 0 } else { SAID };
        let ended = if self.seen & LONGER != 0 { 0 } else { NEED | VALID };
        classes.into_iter().map(|class| class & !(said | ended) != 0).collect()
    }

    fn fill(&mut self, frames: &Frames<'_>, unit: &Unit, segment: &Segment, masked: &[bool], releases: bool) {
        let tokens = frames.range(segment.from, segment.to);
        let cues = tokens.iter().enumerate().filter(|(at, _)| !hidden(masked, segment.from + at - unit.from));
        let cues = cues.fold(0, |cues, (_, token)| cues | token.cue);
        let main = matches!(segment.gate, Gate::None | Gate::Relative);
        if main {
            self.denied |= segment.denied;
            self.must |= cues & (cue::MUST | cue::ONLY | cue::BAN) != 0;
            self.may |= cues & cue::MAY != 0;
            self.sole |= cues & cue::ONLY != 0;
            self.soft |= cues & cue::SOFT != 0;
        }
        for (at, token) in tokens.iter().enumerate() {
            if hidden(masked, segment.from + at - unit.from) {
                continue;
            }
            if token.kind == Kind::Number {
                let bound = bound(frames, unit, segment, segment.from + at);
                if bound.is_some() || measures(frames, segment.from + at) {
                    self.amounts.push((token.value, bound.unwrap_or(Bound::Exact)));
                    continue;
                }
            }
            const FUNCTION: u32 = cue::NEG | cue::MUST | cue::MAY | cue::ONLY | cue::STOP;
            let emphasis = token.is(cue::CAPITALS) && token.is(FUNCTION);
            let phrase = tokens.get(at + 1).is_some_and(|next| next.is(cue::PART));
            let force = token.is(cue::BAN) && (releases || cues & cue::NEG == 0)
                || token.is(cue::SUSPECT)
                || token.is(cue::REVOKE) && (releases || phrase);
            // "without approval" is one cue, and what is waited for
            let waited = token.is(cue::PART)
                && at.checked_sub(1).and_then(|at| tokens.get(at)).is_some_and(|before| WITHOUT.contains(&frames.word(before)));
            if !(token.speaks() || waited) || emphasis || force {
                continue;
            }
            let word = if token.kind == Kind::Glyph { token.key } else { token.canon };
            if token.kind == Kind::Ident || token.is(cue::NAME) {
                self.names.push(word);
            }
            match segment.gate {
                Gate::None | Gate::Relative => &mut self.main,
                Gate::If | Gate::Until => &mut self.ifs,
                Gate::Required => &mut self.waits,
                Gate::Unless => &mut self.exceptions,
            }
            .push(u64::from(word));
        }
    }

    /// Whether the text itself says that it changes something.
    pub(super) fn changes(&self) -> bool {
        self.seen & CHANGE != 0
    }

    /// Whether it is meant for one occasion.
    pub(super) fn once(&self) -> bool {
        self.seen & ONCE != 0
    }

    /// The same, known to let something be done.
    pub(super) fn permitting(mut self) -> Self {
        self.may = true;
        self
    }

    /// Whether it lets something be done, and asks for nothing.
    pub(super) fn permits(&self) -> bool {
        self.may && !self.must && !self.denied
    }

    /// The one number that is bounded, or the one of this value, and whether the bound is an upper one.
    pub(super) fn bound_of(&self, value: Option<u64>) -> Option<(u64, bool)> {
        let mut found = self.amounts.iter().filter(|(known, _)| value.is_none_or(|value| value == *known));
        let one = found.next().filter(|(_, bound)| *bound != Bound::Exact)?;
        found.next().is_none().then_some((one.0, one.1 == Bound::Upper))
    }

    /// Whether `new` would lift this rule or a part of it: a looser bound, a permission for what it forbids.
    pub(super) fn is_loosened_by(&self, new: &Self) -> bool {
        let overlaps = || !self.main.is_empty() && !new.main.is_empty() && (within(&self.main, &new.main) || within(&new.main, &self.main));
        match self.relation(new) {
            // what binds in another way only stands beside it, unless it says that it takes its place
            Relation::Apart => new.changes() || !new.binds(),
            Relation::Looser => true,
            Relation::Stricter | Relation::Same => false,
            Relation::Near | Relation::Other => self.binds() && (new.permits() || new.ends()) && (overlaps() || self.may_mean(new)),
        }
    }

    /// It ends what had to be done or was forbidden.
    fn ends(&self) -> bool {
        self.seen & LONGER != 0 && self.seen & (NEED | VALID) != 0
    }

    /// The same act under other or more conditions.
    fn may_mean(&self, new: &Self) -> bool {
        new.ends() && within(&self.all(), &new.all())
    }

    fn binds(&self) -> bool {
        self.denied || self.must || !self.amounts.is_empty()
    }

    /// How `new` stands to this older rule.
    pub(super) fn relation(&self, new: &Self) -> Relation {
        if self.main.is_empty() {
            return Relation::Other;
        }
        if (new.main != self.main || new.names != self.names || self.waits != new.waits) && self.is_replaced_by(new) {
            return Relation::Looser;
        }
        if new.main != self.main || new.names != self.names {
            let part = || new.main.len() < self.main.len() && new.amounts.len() == self.amounts.len() && within(&new.main, &self.main);
            return if new.changes() && part() { Relation::Near } else { Relation::Other };
        }
        let mut order = Order::default();
        match (self.ifs == new.ifs, within(&self.ifs, &new.ifs), within(&new.ifs, &self.ifs)) {
            (true, ..) => {}
            // what is forbidden is allowed on a condition: both stay, and a person looks at it
            (_, true, _) if new.permits() && self.binds() => return Relation::Near,
            // another condition is another slot
            _ if !new.changes() => return Relation::Other,
            // "no longer ask before you prescribe paracetamol" is an exception from "ask before you prescribe": both stay
            (_, true, _) if new.ends() || new.permits() => return Relation::Near,
            (_, true, _) => order.looser = true,
            (_, _, true) => order.stricter = true,
            _ => return Relation::Near,
        }
        order.sets(&self.exceptions, &new.exceptions, true);
        if self.waits.is_empty() != new.waits.is_empty() {
            order.sets(&self.waits, &new.waits, true);
        } else {
            order.sets(&self.waits, &new.waits, false);
        }
        self.amounts_order(new, &mut order);
        let strength = |slot: &Self| match (slot.soft, slot.binds(), slot.may) {
            (true, ..) => 1,
            (_, true, _) => 2,
            (_, _, true) => 0,
            _ => 1,
        };
        match strength(new).cmp(&strength(self)) {
            std::cmp::Ordering::Less => order.looser = true,
            std::cmp::Ordering::Greater => order.stricter = true,
            std::cmp::Ordering::Equal if self.amounts.is_empty() && new.amounts.is_empty() && self.denied != new.denied => {
                order.looser = true
            }
            std::cmp::Ordering::Equal => {}
        }
        match (order.looser, order.stricter) {
            (false, false) => Relation::Same,
            (false, true) => Relation::Stricter,
            (true, false) => Relation::Looser,
            (true, true) => Relation::Apart,
        }
    }

    /// Whether `new` says the same of one other value, and that it takes the place of this: "in German instead".
    fn is_replaced_by(&self, new: &Self) -> bool {
        let [mains, ifs, waits] =
            [(&self.main, &new.main), (&self.ifs, &new.ifs), (&self.waits, &new.waits)].map(|(old, new)| differ(old, new));
        let one = [mains, ifs, waits].iter().filter(|differ| **differ == (1, 1)).count() == 1
            && [mains, ifs, waits].iter().all(|differ| matches!(differ, (0, 0) | (1, 1)));
        let alike = self.denied == new.denied && self.must == new.must && self.permits() == new.permits() && self.amounts == new.amounts;
        let sole = self.sole && new.sole && self.names.len() == new.names.len() && !self.names.is_empty();
        one && alike && self.exceptions == new.exceptions && new.changes() && (new.seen & INSTEAD != 0 || sole)
    }

    fn amounts_order(&self, new: &Self, order: &mut Order) {
        if self.amounts.len() != new.amounts.len() {
            // a bound in the place of a ban lets something through
            let banned = self.amounts.is_empty() && self.denied;
            let bans = new.amounts.is_empty() && new.denied;
            order.looser |= banned || !bans;
            order.stricter |= bans;
            return;
        }
        for (old, new) in self.amounts.iter().zip(&new.amounts) {
            if old.1 != new.1 || old.1 == Bound::Exact && old.0 != new.0 {
                order.looser = true;
                order.stricter |= old.1 != new.1;
                continue;
            }
            let less = if old.1 == Bound::Upper { new.0 < old.0 } else { new.0 > old.0 };
            order.stricter |= less;
            order.looser |= !less && new.0 != old.0;
        }
    }

    /// All its words.
    fn all(&self) -> Vec<u64> {
        let mut all = self.main.clone();
        for list in [&self.ifs, &self.waits, &self.exceptions] {
            all.extend_from_slice(list);
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// A sentence that takes a rule back without another in its place.
#[derive(Debug)]
pub(super) struct Release {
    slot: Slot,
    words: Vec<u64>,
    /// It says so outright; else a person has to look at it.
    pub(super) explicit: bool,
    /// It lifts only what had to be done or waited for.
    duty: bool,
}

impl Release {
    /// What a sentence takes back, if it means to.
    pub(super) fn of(text: &str) -> Option<Self> {
        let slot = Slot::read(text, true);
        let has = |class: u32| slot.seen & class != 0;
        let frames = Frames::of(text);
        let ended = if has(LONGER) && !slot.may { ended(&frames.tokens) } else { 0 };
        let said = has(FORGET) && has(SAID);
        let lets = has(STANDING) && slot.may && !slot.must && !slot.denied && !has(LONGER);
        let explicit = !has(ONCE) && (said || ended != 0 || lets);
        let revokes = !slot.may && !slot.must && frames.tokens.iter().any(|token| token.is(cue::REVOKE));
        if !explicit && !revokes {
            return None;
        }
        Some(Self { words: slot.all(), explicit, duty: !said && !lets && ended & VALID == 0, slot })
    }

    /// How many words it shares with what a rule is about.
    pub(super) fn shared(&self, rule: &Slot) -> usize {
        rule.main.iter().filter(|word| self.words.binary_search(word).is_ok()).count()
    }

    /// Whether it lifts a rule: it names all that the rule is about, and nothing else.
    pub(super) fn relation(&self, rule: &Slot) -> Relation {
        let all = rule.all();
        let amounts = self.slot.amounts.iter().all(|(value, _)| rule.amounts.iter().any(|(known, _)| known == value));
        let fits = !self.duty || !rule.waits.is_empty() || !rule.denied;
        if self.words.is_empty() || rule.main.is_empty() || !fits || !amounts || !within(&self.words, &all) {
            return Relation::Other;
        }
        if within(&rule.main, &self.words) { Relation::Looser } else { Relation::Near }
    }
}

/// Whether a sentence lets something be done, and asks for nothing.
pub fn permits(text: &str) -> bool {
    const CAN: &str = "can kannst konnt peux pouvez puedes puede podes pode podem";
    let slot = Slot::of(text);
    let can = || skeleton(text).split(|c: char| !c.is_alphanumeric()).any(|word| listed(CAN, word));
    slot.permits() || !slot.must && !slot.denied && can()
}

/// Whether a sentence takes back what was said, by name and outright: "drop the rule about"; it is no rule itself.
pub fn only_lifts(text: &str) -> bool {
    let slot = Slot::read(text, true);
    let worries = slot.seen & LONGER != 0 && slot.seen & WORRY != 0;
    if restates(text) {
        return false;
    }
    slot.seen & ONCE == 0 && (slot.seen & FORGET != 0 && slot.seen & SAID != 0 || worries)
}

/// Whether a sentence goes on with what is to be kept to from now on: "scrap the rule about salt, it is sugar that counts".
fn restates(text: &str) -> bool {
    const COUNTS: &str = "counts count matters matter instead applies zahlt gilt stattdessen compte cuenta importa conta vale";
    let Some((_, rest)) = text.split_once([',', ';', ':', '–', '—', '，', '；', '、']) else { return false };
    let frames = Frames::of(rest);
    let counts = |token: &Token| listed(COUNTS, &skeleton(frames.word(token)));
    frames.tokens.iter().any(|token| token.is(cue::NEG | cue::MUST | cue::BAN | cue::ONLY) || counts(token))
}

/// What ends with a "no longer": [`NEED`], [`VALID`] or nothing. "I need you to no longer push" ends neither.
fn ended(tokens: &[Token]) -> u32 {
    let classes: Vec<(u32, usize)> = (0..tokens.len()).map(|at| phrase(tokens, at)).collect();
    let near = |from: usize, to: usize| classes.iter().take(to).skip(from).fold(0, |all, (class, _)| all | class & (NEED | VALID));
    let mut found = 0;
    for (at, (class, length)) in classes.iter().enumerate().filter(|(_, (class, _))| class & LONGER != 0) {
        let Some(first) = tokens.get(at) else { continue };
        found |= class & NEED;
        if first.exact == hash("any") || first.exact == hash("anymore") {
            // "not needed any more"
            for place in at.saturating_sub(12)..at {
                let denied = tokens
                    .get(place.saturating_sub(2)..place)
                    .is_some_and(|before| before.iter().any(|token| token.is(cue::NEG | cue::REVOKE)));
                found |= if denied { near(place, place + 1) } else { 0 };
            }
            continue;
        }
        // "no longer needed", "musst nicht mehr"
        let reach = if first.kind == Kind::Glyph { tokens.len() } else { 3 };
        found |= near(at + length, at + length + reach);
        found |= if first.exact == hash("no") { 0 } else { near(at.saturating_sub(6), at) };
    }
    found
}

/// Whether the words beside a rule say that it changes another.
pub fn changes_around(text: &str) -> bool {
    let tokens = tokens(text);
    (0..tokens.len()).any(|at| phrase(&tokens, at).0 & STRONG != 0)
}

#[derive(Default)]
struct Order {
    looser: bool,
    stricter: bool,
}

impl Order {
    /// Compares two sets of words; more of them is looser or stricter.
    fn sets(&mut self, old: &[u64], new: &[u64], more_is_looser: bool) {
        if old == new {
            return;
        }
        let (more, less) = (within(old, new), within(new, old));
        let apart = !more && !less;
        self.looser |= apart || if more_is_looser { more } else { less };
        self.stricter |= apart || if more_is_looser { less } else { more };
    }
}

/// How many words of each list are not in the other.
fn differ(old: &[u64], new: &[u64]) -> (usize, usize) {
    let missing = |part: &[u64], whole: &[u64]| part.iter().filter(|word| whole.binary_search(word).is_err()).count();
    (missing(old, new), missing(new, old))
}

/// Whether all of one sorted list is in another.
fn within(part: &[u64], whole: &[u64]) -> bool {
    part.iter().all(|word| whole.binary_search(word).is_ok())
}

fn hidden(masked: &[bool], at: usize) -> bool {
    masked.get(at).copied().unwrap_or(false)
}

/// The bound that words near a number give it.
fn bound(frames: &Frames<'_>, unit: &Unit, segment: &Segment, at: usize) -> Option<Bound> {
    const COMPARES: u32 = cue::LESS | cue::MORE;
    let before = (at.saturating_sub(5).max(unit.from)..at).rev();
    let near = before.chain(at + 1..(at + 4).min(unit.to));
    let found = near.filter_map(|at| frames.tokens.get(at).map(|token| (at, token))).find(|(_, token)| token.is(COMPARES))?;
    let (place, token) = found;
    let less = token.is(cue::LESS);
    if token.is(cue::ONLY) {
        return Some(if less { Bound::Upper } else { Bound::Lower });
    }
    // "refunds above 500 need approval" tells of which; "must stay above 5" is the bound
    let which = segment.gate == Gate::If || frames.range(place, unit.to).iter().any(|token| token.is(cue::MUST));
    let turned = segment.denied || which;
    Some(if less == turned { Bound::Lower } else { Bound::Upper })
}

/// Whether a number counts something that can be more or less: money, time, shares.
fn measures(frames: &Frames<'_>, at: usize) -> bool {
    let Some(number) = frames.tokens.get(at) else { return false };
    let currency = |token: Option<&Token>| {
        token.is_some_and(|token| {
            let word = frames.word(token);
            word.len() == 3 && word.bytes().all(|b| b.is_ascii_uppercase())
        })
    };
    let next = frames.tokens.get(at + 1);
    let before = at.checked_sub(1).and_then(|at| frames.tokens.get(at));
    let sign = frames.text.get(..number.start).is_some_and(|text| text.trim_end().ends_with(['$', '€', '£', '¥']))
        || frames.text.get(number.end..).is_some_and(|text| text.trim_start().starts_with(['$', '€', '£', '¥', '元', '円', '원', '%']));
    sign || currency(before) || currency(next) || next.is_some_and(is_unit)
}

#[cfg(test)]
mod tests;
