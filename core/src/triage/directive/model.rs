//! The features of a sentence by name, and what they count.

use std::sync::OnceLock;

use super::lexicon::{Hit, Lexicon, lexicon};

/// Features that are not a class of cues at some place.
const EXTRA: &[&str] = &[
    "bias",
    "question",
    "quotes",
    "code",
    "ed",
    "passive",
    "short",
    "long",
    "name",
    "imp_gen",
    "imp_def",
    "negimp_gen",
    "negimp_def",
    "youmodal",
    "mykin",
    "prodsubj",
    "sole",
    "firsts",
    "lasts",
    "m_series",
    "m_product",
    "n_question",
    "n_series",
    "n_task",
    "p_past",
    "p_task",
    "p_question",
    "p_we",
    "o_memo",
    "o_say",
    "o_past",
    "o_prod",
    "o_because",
    "laterseg",
    "document",
];

/// Places of those that the code names, among them.
pub(super) mod extra {
    pub(in super::super) const BIAS: usize = 0;
    pub(in super::super) const QUESTION: usize = 1;
    pub(in super::super) const QUOTES: usize = 2;
    pub(in super::super) const CODE: usize = 3;
    pub(in super::super) const ED: usize = 4;
    pub(in super::super) const PASSIVE: usize = 5;
    pub(in super::super) const SHORT: usize = 6;
    pub(in super::super) const LONG: usize = 7;
    pub(in super::super) const NAME: usize = 8;
    pub(in super::super) const IMP_GEN: usize = 9;
    pub(in super::super) const IMP_DEF: usize = 10;
    pub(in super::super) const NEGIMP_GEN: usize = 11;
    pub(in super::super) const NEGIMP_DEF: usize = 12;
    pub(in super::super) const YOUMODAL: usize = 13;
    pub(in super::super) const MYKIN: usize = 14;
    pub(in super::super) const PRODSUBJ: usize = 15;
    pub(in super::super) const SOLE: usize = 16;
    pub(in super::super) const FIRSTS: usize = 17;
    pub(in super::super) const LASTS: usize = 18;
    pub(in super::super) const M_SERIES: usize = 19;
    pub(in super::super) const M_PRODUCT: usize = 20;
    pub(in super::super) const N_QUESTION: usize = 21;
    pub(in super::super) const N_SERIES: usize = 22;
    pub(in super::super) const N_TASK: usize = 23;
    pub(in super::super) const P_PAST: usize = 24;
    pub(in super::super) const P_TASK: usize = 25;
    pub(in super::super) const P_QUESTION: usize = 26;
    pub(in super::super) const P_WE: usize = 27;
    pub(in super::super) const O_MEMO: usize = 28;
    pub(in super::super) const O_SAY: usize = 29;
    pub(in super::super) const O_PAST: usize = 30;
    pub(in super::super) const O_PROD: usize = 31;
    pub(in super::super) const O_BECAUSE: usize = 32;
    pub(in super::super) const LATERSEG: usize = 33;
    pub(in super::super) const DOCUMENT: usize = 34;
}

/// Where a class stands: anywhere, at the start of a segment, at the start of a later clause, behind the first comma.
pub(super) const PLACES: [&str; 4] = ["", "^", "c^", "2"];
pub(super) const START: usize = 1;
pub(super) const CLAUSE: usize = 2;
pub(super) const LATER: usize = 3;

/// What the classes are to the rules below, as bits.
pub(super) mod kind {
    pub(in super::super) const NEGATES: u16 = 1;
    pub(in super::super) const ACTS: u16 = 1 << 1;
    pub(in super::super) const TOLD: u16 = 1 << 2;
    pub(in super::super) const DEFINITE: u16 = 1 << 3;
    pub(in super::super) const PRODUCT: u16 = 1 << 4;
    pub(in super::super) const YOU: u16 = 1 << 5;
    pub(in super::super) const OURS: u16 = 1 << 6;
    pub(in super::super) const BINDS: u16 = 1 << 7;
    pub(in super::super) const BOUND: u16 = 1 << 8;
    pub(in super::super) const THIRD: u16 = 1 << 9;
    pub(in super::super) const SKIP: u16 = 1 << 10;
    pub(in super::super) const JOIN: u16 = 1 << 11;
    pub(in super::super) const HEAD: u16 = 1 << 12;
    pub(in super::super) const ASIDE: u16 = 1 << 13;
    pub(in super::super) const TERM: u16 = 1 << 14;
    pub(in super::super) const SILENT: u16 = SKIP | JOIN;
}

/// The classes of each kind.
const KINDS: &[(u16, &str)] = &[
    (kind::NEGATES, "neg never avoid"),
    (kind::ACTS, "task conduct neg never avoid always only"),
    (kind::TOLD, "me third we nobody"),
    (kind::DEFINITE, "def this"),
    (kind::PRODUCT, "product"),
    (kind::YOU, "you"),
    (kind::OURS, "me we"),
    (kind::BINDS, "modal must"),
    (kind::BOUND, "modal must never always only neg term"),
    (kind::THIRD, "third"),
    (kind::SKIP, "skip"),
    (kind::JOIN, "join"),
    (kind::TERM, "term"),
    // read at the start of a clause only, in languages with word gaps
    (kind::HEAD, "task conduct def ask modal"),
    // count otherwise behind the first comma
    (kind::ASIDE, "past now say product third this"),
];

/// A set of features.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Bits([u64; 5]);

impl Bits {
    pub(super) fn set(&mut self, at: usize) {
        if let Some(word) = self.0.get_mut(at >> 6) {
            *word |= 1 << (at & 63);
        }
    }

    pub(super) fn has(&self, at: usize) -> bool {
        self.0.get(at >> 6).is_some_and(|word| word >> (at & 63) & 1 != 0)
    }

    pub(super) fn join(&mut self, other: &Self) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }
}

/// Names of features to their places, and what they count.
pub(super) struct Model {
    pub(super) lexicon: &'static Lexicon,
    /// One or two features, the second 0xffff for none, and their weight.
    weights: Vec<(u16, u16, i16)>,
    /// The kinds of each class.
    kinds: Vec<u16>,
    /// Features that speak plainly against a directive.
    against: Bits,
    /// Features that the sentences around are asked for.
    pub(super) asked: [usize; 12],
}

/// Without one of these a rule-shaped sentence stays a rule, whatever its sum. Real questions are no candidates anyway.
const AGAINST: &str = "say ^say o_say prodsubj o_prod past i_past hypo now ^ask";

/// Their names.
const ASKED: [&str; 12] = ["series", "^say", "past", "i_past", "^task", "we", "me", "memo", "say", "product", "because", "num"];

pub(super) fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| {
        let mut model = Model { lexicon: lexicon(), weights: Vec::new(), kinds: Vec::new(), against: Bits::default(), asked: [0; 12] };
        for class in &model.lexicon.classes {
            let mut all = 0;
            for (kind, names) in KINDS {
                if names.split(' ').any(|name| name == *class) {
                    all |= kind;
                }
            }
            model.kinds.push(all);
        }
        for name in AGAINST.split(' ') {
            model.against.set(model.feature(name).unwrap_or(usize::MAX));
        }
        model.asked = ASKED.map(|name| model.feature(name).unwrap_or(usize::MAX));
        for line in include_str!("weights.txt").lines() {
            let Some((name, weight)) = line.split_once(' ') else { continue };
            let (one, other) = name.split_once('&').map_or((name, None), |(one, other)| (one, Some(other)));
            let place = |name| model.feature(name).map_or(u16::MAX, |at| at as u16);
            let row = (place(one), other.map_or(u16::MAX, place), weight.parse().unwrap_or(0));
            model.weights.push(row);
        }
        model
    })
}

impl Model {
    pub(super) fn is(&self, hit: &Hit, kinds: u16) -> bool {
        self.kinds.get(usize::from(hit.class)).is_some_and(|all| all & kinds != 0)
    }

    pub(super) fn set(&self, bits: &mut Bits, extra: usize) {
        bits.set(PLACES.len() * self.lexicon.classes.len() + extra);
    }

    /// The place of a feature by its name.
    pub(super) fn feature(&self, name: &str) -> Option<usize> {
        let count = self.lexicon.classes.len();
        if let Some(at) = EXTRA.iter().position(|extra| *extra == name) {
            return Some(PLACES.len() * count + at);
        }
        let place = if name.starts_with('^') {
            START
        } else if name.starts_with("c^") {
            CLAUSE
        } else if name.ends_with('2') {
            LATER
        } else {
            0
        };
        let class = name.trim_start_matches("c^").trim_start_matches('^').trim_end_matches('2');
        self.lexicon.class(class).map(|at| place * count + at)
    }

    /// The name of a feature.
    pub(super) fn name(&self, at: usize) -> (&'static str, &'static str) {
        let count = self.lexicon.classes.len();
        match EXTRA.get(at.wrapping_sub(PLACES.len() * count)) {
            Some(extra) => ("", extra),
            None => {
                (PLACES.get(at / count).copied().unwrap_or_default(), self.lexicon.classes.get(at % count).copied().unwrap_or_default())
            }
        }
    }

    pub(super) fn size(&self) -> usize {
        PLACES.len() * self.lexicon.classes.len() + EXTRA.len()
    }

    /// Whether something speaks plainly against a directive.
    pub(super) fn denies(&self, bits: &Bits) -> bool {
        bits.0.iter().zip(self.against.0).any(|(word, against)| word & against != 0)
    }

    /// What the features of a segment count, and the one that speaks most for a directive.
    pub(super) fn score(&self, bits: &Bits) -> (i32, usize) {
        let (mut sum, mut best, mut most) = (0, usize::MAX, 0);
        for (one, other, weight) in &self.weights {
            if bits.has(usize::from(*one)) && (*other == u16::MAX || bits.has(usize::from(*other))) {
                sum += i32::from(*weight);
                if *weight > most && usize::from(*one) < PLACES.len() * self.lexicon.classes.len() {
                    (most, best) = (*weight, usize::from(*one));
                }
            }
        }
        (sum, best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_have_one_name_each() {
        let model = model();
        for at in 0..model.size() {
            let (place, class) = model.name(at);
            let name = if place == "2" { [class, place].concat() } else { [place, class].concat() };
            assert_eq!(model.feature(&name), Some(at), "{name}");
        }
        assert!(model.size() <= 5 * 64);
        assert_eq!(EXTRA.get(extra::LATERSEG), Some(&"laterseg"));
        assert_eq!(EXTRA.get(extra::DOCUMENT), Some(&"document"));
    }

    #[test]
    fn every_weight_has_its_features() {
        for (one, other, weight) in &model().weights {
            assert!(usize::from(*one) < model().size() && *weight != 0 && (*other == u16::MAX || usize::from(*other) < model().size()));
        }
        for (_, names) in KINDS {
            assert!(names.split(' ').all(|name| lexicon().class(name).is_some()), "{names}");
        }
        assert!(!model().asked.contains(&usize::MAX));
    }
}
