//! What a text holds for and against a rule, as features that are weighed together.

mod measure;
mod order;

use super::loose::{self, Passage};
use super::probe::Probe;
use super::read::read;
use super::{FateKind as Fate, Verdict};
use crate::text::frame::{Frames, Kin, Table, cue, hash, packed, stem};
use crate::text::words::listed;
use std::sync::OnceLock;

/// Most clauses that one restatement takes.
const CLAUSES: usize = 5;

/// Features that are no cue and no word.
macro_rules! features {
    ($($name:ident)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        enum Feature { $($name),* }
        const NAMED: &[&str] = &[$(stringify!($name)),*];
    };
}

features! {
    Bias
    ShareUnder34
    ShareUnder45
    ShareUnder55
    ShareUnder66
    ShareUnder75
    ShareUnder90
    ShareOver90
    PlainUnder25
    PlainUnder40
    PlainUnder55
    PlainUnder70
    PlainUnder85
    PlainOver85
    NumberGone
    NumbersGone
    NumberNew
    NumbersNew
    IdentGone
    IdentNew
    NameGone
    NamesGone
    NameNew
    NumberKept
    IdentKept
    NameKept
    Revoked
    Softened
    Suspect
    Permits
    Comparator
    Bounded
    Exchanged
    Lifts
    Swapped
    Opposed
    Act
    Gates
    TurnedOver20
    TurnedOver45
    TurnedOver60
    ConditionNew
    ConditionsNew
    OrderGone
    ClassNew
    ListsGone
    VerbsGone
    NounsGoneOver1
    GateGone
    WaitsGone
    NovelOver2
    NovelOver5
    NovelOver9
    SameOver20
    SameOver40
    SameOver60
    ClausesOver1
    ClausesOver2
    Lead
    Question
    PermitsAndForbids
    FreeAndForbids
    FreeAndNeeds
    HeldAndPermits
    NearSoft
    NearMay
    NearRevoke
    NearNeg
    NearSuspect
    NearExcept
    SlotNew
    LostOver0
    LostOver2
    LostOver4
    FreshOver0
    FreshOver2
    FreshOver4
    KnownUnder30
    KnownUnder45
    KnownUnder60
    KnownOver60
    UnitNew
    NegsEven
    NegsFewer
    NegsMore
    BoundGone
    BoundNew
    BoundTurned
    IsBan
    IsNeed
    IsLimit
    IsPermit
    IsPlain
    MayFree
    Past
    RuleShort
    RuleLong
    ActsKept
    AllThere
    NothingNew
    ForcesExchanged
    ClassLost
    GateBoth
    GateLost
    GateFresh
    SameAll
    ClauseGone
    ClauseUnder34
    ClauseUnder50
    CompoundNew
    Crossed
    OrderTurned
    MoreTurned
    PeriodNew
}

/// The cues of a clause, of which each is in both, only in the rule or only in the text.
const CUES: [u32; 16] = [
    cue::NEG,
    cue::MUST,
    cue::BAN,
    cue::ONLY,
    cue::MAY,
    cue::SOFT,
    cue::REVOKE,
    cue::COND,
    cue::EXC,
    cue::RESIDUE,
    cue::UNREAL,
    cue::SAID,
    cue::LESS,
    cue::MORE,
    cue::SUSPECT,
    cue::QUOTED,
];
const CUE_NAMES: &str = "neg must ban only may soft revoke cond exc residue unreal said less more suspect quoted";

/// Words that are features by themselves: in the text and not in the rule, or the other way round.
const WORDS: &str = include_str!("words.txt");

/// All that is weighed of a rule in a text.
pub(super) struct Evidence {
    /// The features it has, by their numbers.
    pub(super) on: Vec<usize>,
    pub(super) at: (usize, usize),
    /// A word of the rule is answered by one that only begins alike, or by its opposite.
    changed: bool,
}

/// What each feature says for each fate, in sixteenths: a row of [`FATES`] for each. `bench/fate_weights.py` writes them.
const WEIGHTS: &[u8] = include_bytes!("weights.bin");

/// The fates that are weighed.
const FATES: [(Fate, &str); 5] = [
    (Fate::Paraphrased, ""),
    (Fate::Weakened, "predicate-lost"),
    (Fate::Mutated, "scope-changed"),
    (Fate::Contradicted, "polarity-flipped"),
    (Fate::Dropped, ""),
];

/// By how much a restatement must be likelier than any other fate, and by how much another than one that the words make likely.
const MARGIN: i32 = 20;
const DOUBT: i32 = 16;

/// Where one of them is, nothing is certified.
const GUARDS: &[Feature] = &[
    Feature::NumberGone,
    Feature::IdentGone,
    Feature::NameGone,
    Feature::NumberNew,
    Feature::IdentNew,
    Feature::Softened,
    Feature::Revoked,
    Feature::ConditionsNew,
    Feature::Comparator,
    Feature::BoundTurned,
    Feature::ClauseGone,
    Feature::ForcesExchanged,
    Feature::CompoundNew,
    Feature::Crossed,
    Feature::OrderTurned,
];

impl Evidence {
    fn has(&self, feature: Feature) -> bool {
        self.on.contains(&(feature as usize))
    }

    /// Whether it lets something be, on no condition, of what a rule asks for that lets nothing be, or speaks of what may be
    /// where most of the rule stands under the other sign.
    fn frees(&self) -> bool {
        let may = CUES.iter().position(|cue| *cue == cue::MAY).map(|at| NAMED.len() + 3 * at + 2);
        if self.has(Feature::TurnedOver60) && may.is_some_and(|may| self.on.contains(&may)) {
            return true;
        }
        let gated = self.has(Feature::GateBoth) || self.has(Feature::GateFresh);
        self.has(Feature::MayFree) && self.has(Feature::IsNeed) && !self.has(Feature::IsPermit) && !gated
    }

    /// What it makes of a rule of which the words alone made something.
    pub(super) fn verdict(&self, found: Verdict) -> Verdict {
        let mut sums = [0_i32; FATES.len()];
        for at in &self.on {
            let row = WEIGHTS.get(at * FATES.len()..).unwrap_or_default();
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += i32::from(weight.cast_signed());
            }
        }
        let [kept, others @ ..] = sums;
        let most = others.iter().copied().max().unwrap_or(0);
        let good = matches!(found.kind, Fate::Preserved | Fate::Paraphrased);
        let exchanged = self.has(Feature::Crossed) || self.has(Feature::OrderTurned);
        if good && kept - most > -DOUBT && !exchanged {
            return found;
        }
        let lost = found.detail == "part-lost" && !self.has(Feature::AllThere);
        let guarded = lost
            || GUARDS.iter().any(|guard| self.has(*guard))
            || (self.has(Feature::Permits) && self.has(Feature::PermitsAndForbids))
            || self.frees();
        if kept > most && self.changed {
            return found;
        }
        if kept - most > MARGIN && !guarded {
            let kind = if self.has(Feature::SameAll) { Fate::Preserved } else { Fate::Paraphrased };
            return Verdict::new(kind, "", self.at);
        }
        let other = FATES.iter().skip(1).zip(others).find(|(_, sum)| *sum == most).map_or((found.kind, found.detail), |(fate, _)| *fate);
        match other {
            (kind, _) if kind == found.kind => found,
            (Fate::Dropped, detail) => Verdict { kind: Fate::Dropped, detail, at: None },
            (kind, detail) => Verdict::new(kind, detail, self.at),
        }
    }
}

/// Words of English that no other language has of which the cues are known.
const ENGLISH: &str = "the of to is are not and with from by for if when must may be it only never any at without before";

/// Whether a rule is in the language in which the weights were trained.
pub(super) fn readable(probe: &Probe<'_>) -> bool {
    probe.frames.tokens.iter().any(|token| listed(ENGLISH, &probe.frames.word(token).to_ascii_lowercase()))
}

struct Words {
    table: Table,
    all: usize,
}

fn words() -> &'static Words {
    static WORDS_READ: OnceLock<Words> = OnceLock::new();
    WORDS_READ.get_or_init(|| {
        let list = WORDS.split_ascii_whitespace();
        let rows: Vec<u64> = list.enumerate().map(|(at, word)| packed(hash(stem(word)), at)).collect();
        Words { all: rows.len(), table: Table::of(rows) }
    })
}

/// The name of a feature.
#[must_use]
pub(super) fn name(feature: usize) -> String {
    let words: Vec<&str> = WORDS.split_ascii_whitespace().collect();
    let cues: Vec<&str> = CUE_NAMES.split(' ').collect();
    if let Some(name) = NAMED.get(feature) {
        return (*name).to_owned();
    }
    let rest = feature - NAMED.len();
    let state = |at: usize| ["both", "gone", "new"].get(at).copied().unwrap_or_default();
    if rest < 3 * CUES.len() {
        return format!("{}_{}", state(rest % 3), cues.get(rest / 3).copied().unwrap_or_default());
    }
    let rest = rest - 3 * CUES.len();
    format!("{}:{}", if rest.is_multiple_of(2) { "new" } else { "gone" }, words.get(rest / 2).copied().unwrap_or_default())
}

struct Writer {
    on: Vec<usize>,
}

impl Writer {
    fn put(&mut self, feature: Feature, when: bool) {
        if when {
            self.on.push(feature as usize);
        }
    }
}

/// All that is weighed; none where no clause speaks of the rule.
pub(super) fn of(probe: &Probe<'_>, text: &Frames<'_>) -> Option<Evidence> {
    let passage = window(probe, text)?;
    let read = read(probe, text, &passage);
    let mut out = Writer { on: Vec::with_capacity(96) };
    measure::parts(probe, &passage, &mut out);
    measure::told(probe, &read, &mut out);
    measure::around(probe, text, &passage, &mut out);
    measure::used(probe, text, &passage, &read, &mut out);
    order::belongs(probe, text, &passage, &mut out);
    measure::cues(probe, text, &passage, &mut out);
    let at = (passage.first, passage.last);
    let units = text.units.get(passage.first..=passage.last).unwrap_or_default();
    let stands = |canon: u32| text.places(canon).any(|at| units.iter().any(|unit| (unit.from..unit.to).contains(&at)));
    // "unverified" for "verified", and no negation turns it round
    let opposed = |(canon, index): &(u32, usize)| stands(*canon) && probe.parts.get(*index).is_some_and(|part| !stands(part.canon));
    let turned = !read.swapped && probe.opposites.iter().any(opposed);
    let changed = turned || loose::changed(probe, text, &passage, &read) != Kin::Other;
    Some(Evidence { on: out.on, at, changed })
}

/// The clauses in a row that hold most of a rule, each of them with a part of it or between two that have one.
pub(super) fn window(probe: &Probe<'_>, text: &Frames<'_>) -> Option<Passage> {
    let masks = loose::masks(probe, text);
    let mut best: Option<(i64, Passage)> = None;
    for (at, (first, own)) in masks.iter().enumerate() {
        let lead = text.units.get(*first).and_then(|unit| unit.lead);
        let mut mask = own | lead.map_or(0, |lead| loose::mask_of(&masks, lead));
        let mut cost = 0;
        let mut before = *first;
        for (step, (last, more)) in masks.iter().skip(at).take(CLAUSES).enumerate() {
            if last.saturating_sub(*first) >= CLAUSES {
                break;
            }
            if step > 0 {
                let (Some(unit), Some(other)) = (text.units.get(*last), text.units.get(before)) else { break };
                let new = probe.weight(*more & !mask);
                let hangs = unit.joined || text.refers(unit) || (unit.lead.is_some() && unit.lead == other.lead);
                let blocks = if unit.block == other.block || hangs { 0 } else { 90 };
                let skipped = i64::try_from(last - before - 1).unwrap_or(0);
                cost += if hangs { 30 } else { 90 } + blocks + 80 * skipped + if new < 4 && !hangs { 60 } else { 0 };
                mask |= more;
                before = *last;
            }
            let share = probe.weight(mask) * 100 / probe.total.max(1);
            let missing = probe.parts.iter().enumerate().filter(|(index, part)| part.needed && mask & (1 << index) == 0).count();
            let score = i64::from(share) * 10 - cost - 60 * i64::try_from(missing).unwrap_or(0);
            if best.as_ref().is_none_or(|(top, _)| score > *top) {
                best = Some((score, Passage { first: *first, last: *last, mask, share }));
            }
        }
    }
    best.map(|(_, passage)| whole(probe, text, &masks, passage))
}

/// A passage with the rest of its first and its last sentence, and of a list that speaks of the rule.
fn whole(probe: &Probe<'_>, text: &Frames<'_>, masks: &[(usize, u64)], mut passage: Passage) -> Passage {
    let unit = |at: usize| text.units.get(at);
    let speaks = |lead: usize| probe.weight(loose::mask_of(masks, lead)) > 7;
    let listed = |at: usize, of: usize| {
        let lead = unit(of).and_then(|unit| unit.lead).filter(|lead| speaks(*lead));
        lead.is_some() && unit(at).is_some_and(|unit| unit.lead == lead && unit.to - unit.from < 16)
    };
    for _ in 0..CLAUSES {
        let before = passage.first.checked_sub(1);
        if let Some(before) = before.filter(|at| unit(passage.first).is_some_and(|unit| unit.joined) || listed(*at, passage.first)) {
            passage.first = before;
        }
        if unit(passage.last + 1).is_some_and(|unit| unit.joined) || listed(passage.last + 1, passage.last) {
            passage.last += 1;
        }
    }
    for at in passage.first..=passage.last {
        passage.mask |= loose::mask_of(masks, at);
    }
    passage.share = probe.weight(passage.mask) * 100 / probe.total.max(1);
    passage
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_has_its_weights() {
        let features = NAMED.len() + 3 * CUES.len() + 2 * words().all;
        assert_eq!(WEIGHTS.len(), FATES.len() * features);
        let names: std::collections::BTreeSet<String> = (0..features).map(name).collect();
        assert_eq!((names.len(), CUE_NAMES.split(' ').count()), (features, CUES.len()));
    }

    #[test]
    fn what_is_told_in_other_words_is_weighed() {
        let rule = "Two keys open cabinet 9: one is held by the warden, the other by the cook.";
        let probe = Probe::of(rule);
        let with = |text: &str| of(&probe, &Frames::of(text)).map(|evidence| evidence.on);
        let on = with("Cabinet 8 may be opened by anybody.").unwrap_or_default();
        assert!(on.contains(&(Feature::NumberGone as usize)) && on.contains(&(Feature::MayFree as usize)), "{on:?}");
        assert_eq!(with("Nothing of the kind."), None);
        assert!(readable(&probe) && !readable(&Probe::of("Exporte in Drittstaaten sind genehmigungspflichtig.")));
    }

    #[test]
    fn what_belongs_to_what_is_weighed() {
        let certified = |rule: &str, text: &str| super::super::of(rule, &Frames::of(text)).kind <= Fate::Paraphrased;
        let on = |rule: &str, text: &str, feature: Feature| {
            let found = of(&Probe::of(rule), &Frames::of(text));
            found.is_some_and(|evidence| evidence.on.contains(&(feature as usize)))
        };
        let rule = "Keys of the freezer stay with Hala Brandt, keys of the oven and the hood stay with Owen Pike.";
        let turned = "The freezer keys stay with Owen Pike, the keys of oven and hood with Hala Brandt.";
        assert!(on(rule, turned, Feature::Crossed) && !certified(rule, turned));
        let kept = "The freezer keys stay with Hala Brandt, the keys of oven and hood with Owen Pike.";
        assert!(!on(rule, kept, Feature::Crossed));
        let rule = "The dye is stirred into the vinegar, in spoons of 5 g.";
        assert!(on(rule, "Vinegar is stirred into the dye by spoons of 5 g.", Feature::OrderTurned));
        assert!(!on(rule, "By spoons of 5 g the dye goes into the vinegar.", Feature::OrderTurned));
        let rule = "Bait boxes 4 to 9 are emptied weekly.";
        assert!(on(rule, "Bait boxes 4 to 9 have to be emptied daily.", Feature::PeriodNew));
        assert!(!on(rule, "Each week bait boxes 4 to 9 have to be emptied.", Feature::PeriodNew));
    }
}
