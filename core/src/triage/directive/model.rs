//! The features of a sentence by name, and what they count.

use std::sync::OnceLock;

use super::lexicon::{Hit, Lexicon, lexicon};
use super::words::Counts;

/// Features that are not a class of cues at some place.
const EXTRA: &[&str] = &[
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
    "laterseg",
    "document",
];

/// Places of them.
pub(super) mod extra {
    pub(in super::super) const QUESTION: usize = 0;
    pub(in super::super) const QUOTES: usize = 1;
    pub(in super::super) const CODE: usize = 2;
    pub(in super::super) const ED: usize = 3;
    pub(in super::super) const PASSIVE: usize = 4;
    pub(in super::super) const SHORT: usize = 5;
    pub(in super::super) const LONG: usize = 6;
    pub(in super::super) const NAME: usize = 7;
    pub(in super::super) const IMP_GEN: usize = 8;
    pub(in super::super) const IMP_DEF: usize = 9;
    pub(in super::super) const NEGIMP_GEN: usize = 10;
    pub(in super::super) const NEGIMP_DEF: usize = 11;
    pub(in super::super) const YOUMODAL: usize = 12;
    pub(in super::super) const MYKIN: usize = 13;
    pub(in super::super) const PRODSUBJ: usize = 14;
    pub(in super::super) const SOLE: usize = 15;
    pub(in super::super) const FIRSTS: usize = 16;
    pub(in super::super) const LASTS: usize = 17;
    pub(in super::super) const LATERSEG: usize = 18;
    pub(in super::super) const DOCUMENT: usize = 19;
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
pub(super) struct Bits([u64; 6]);

impl Bits {
    #[inline]
    pub(super) fn set(&mut self, at: usize) {
        if let Some(word) = self.0.get_mut(at >> 6) {
            *word |= 1 << (at & 63);
        }
    }

    #[inline]
    pub(super) fn has(&self, at: usize) -> bool {
        self.0.get(at >> 6).is_some_and(|word| word >> (at & 63) & 1 != 0)
    }

    pub(super) fn join(&mut self, other: &Self) {
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    /// Shows each feature of the set, in order.
    fn each(&self, mut show: impl FnMut(usize)) {
        for (number, word) in self.0.iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                show(number << 6 | left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }
}

/// Names of features to their places, and what they count.
pub(super) struct Model {
    pub(super) lexicon: &'static Lexicon,
    /// What each feature counts: in the sentence, the next one, the one before, any other.
    weights: Vec<[i16; 4]>,
    /// What two features of a sentence count together.
    pairs: Vec<(u16, u16, i16)>,
    bias: i32,
    /// The kinds of each class.
    kinds: Vec<u16>,
    /// Features that speak plainly against a directive.
    against: Bits,
    /// The class of numbers in words, and a ban where a clause begins.
    pub(super) num: usize,
    never: usize,
}

/// Without one of these a rule-shaped sentence stays a rule, whatever its sum. Real questions are no candidates anyway.
const AGAINST: &str = "say ^say prodsubj past i_past hypo now ^ask";

pub(super) fn model() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| {
        let mut model = Model {
            lexicon: lexicon(),
            weights: Vec::new(),
            pairs: Vec::new(),
            bias: 0,
            kinds: Vec::new(),
            against: Bits::default(),
            num: 0,
            never: 0,
        };
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
        model.num = model.feature("num").unwrap_or(usize::MAX);
        model.never = model.feature("c^never").unwrap_or(usize::MAX);
        model.weights.resize(model.size(), [0; 4]);
        for line in include_str!("weights.txt").lines() {
            let mut parts = line.split(' ');
            let name = parts.next().unwrap_or_default();
            let mut counts = [0_i16; 4];
            for (count, part) in counts.iter_mut().zip(parts) {
                *count = part.parse().unwrap_or(0);
            }
            let place = |name| model.feature(name).unwrap_or(usize::MAX);
            if let Some((one, other)) = name.split_once('&') {
                let [count, ..] = counts;
                model.pairs.push((place(one) as u16, place(other) as u16, count));
            } else if name == "bias" {
                let [bias, ..] = counts;
                model.bias = i32::from(bias);
            } else {
                let at = place(name);
                if let Some(row) = model.weights.get_mut(at) {
                    *row = counts;
                }
            }
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

    /// Whether something speaks plainly against a directive, and no clause begins with a "never".
    pub(super) fn denies(&self, bits: &Bits) -> bool {
        !bits.has(self.never) && bits.0.iter().zip(&self.against.0).any(|(word, against)| word & against != 0)
    }

    /// What each sentence comes to among the others, and the class of cues that speaks most for a directive.
    pub(super) fn scores(&self, all: &[(Bits, Counts)]) -> Vec<(i32, usize)> {
        // of the sentences from each one on
        let mut rest = vec![Bits::default(); all.len() + 1];
        let mut joined = Bits::default();
        for (place, (bits, _)) in rest.iter_mut().rev().skip(1).zip(all.iter().rev()) {
            joined.join(bits);
            *place = joined;
        }
        let none = (Bits::default(), Counts::default());
        let mut others = Bits::default();
        let mut before = &none;
        let mut out = Vec::with_capacity(all.len());
        for (at, sentence) in all.iter().enumerate() {
            let (own, counts) = sentence;
            let mut apart = others;
            apart.join(rest.get(at + 1).unwrap_or(&none.0));
            let next = all.get(at + 1).unwrap_or(&none);
            let (count, best) = self.own(own);
            let around = self.count(&next.0, 1) + self.count(&before.0, 2) + self.count(&apart, 3);
            out.push((self.bias + count + around + counts.own + next.1.around + before.1.around, best));
            others.join(own);
            before = sentence;
        }
        out
    }

    /// What the features of a set count at a place.
    #[cfg_attr(standfast_hot, optimize(speed))]
    fn count(&self, bits: &Bits, place: usize) -> i32 {
        let mut sum = 0;
        bits.each(|at| sum += self.weights.get(at).and_then(|row| row.get(place)).map_or(0, |weight| i32::from(*weight)));
        sum
    }

    /// What those of a sentence count in it, alone and two together, and the class that counts most.
    #[cfg_attr(standfast_hot, optimize(speed), inline(never))]
    fn own(&self, own: &Bits) -> (i32, usize) {
        let (mut best, mut most) = (usize::MAX, 0);
        let classes = PLACES.len() * self.lexicon.classes.len();
        own.each(|at| {
            let Some([count, ..]) = self.weights.get(at) else { return };
            if *count > most && at < classes {
                (most, best) = (*count, at);
            }
        });
        let mut sum = self.count(own, 0);
        for (one, other, weight) in &self.pairs {
            if own.has(usize::from(*one)) && own.has(usize::from(*other)) {
                sum += i32::from(*weight);
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
        assert!(model.size() <= 6 * 64);
        assert_eq!(EXTRA.get(extra::LATERSEG), Some(&"laterseg"));
        assert_eq!(EXTRA.get(extra::DOCUMENT), Some(&"document"));
    }

    #[test]
    fn every_weight_has_its_features() {
        for (one, other, weight) in &model().pairs {
            assert!(usize::from(*one) < model().size() && *weight != 0 && usize::from(*other) < model().size());
        }
        for line in include_str!("weights.txt").lines() {
            let name = line.split([' ', '&']).next().unwrap_or_default();
            assert!(name == "bias" || model().feature(name).is_some(), "{line}");
        }
        for (_, names) in KINDS {
            assert!(names.split(' ').all(|name| lexicon().class(name).is_some()), "{names}");
        }
        assert!(model().num < model().size());
    }
}
