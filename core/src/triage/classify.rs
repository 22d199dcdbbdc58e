//! From a text to one of five types: features, integer scores, a table of weights.
//!
//! Scores are sums of whole numbers, a 16th of a natural logarithm each, so they are the same on every platform.

#[path = "classify/features.rs"]
mod features;
#[path = "classify/lexicon.rs"]
mod lexicon;
#[path = "classify/table.rs"]
mod table;
#[path = "classify/token.rs"]
mod token;

use super::typed::{Contribution, Deontic, ItemKind, OperatingPoint, Scores};
use crate::item::Knowledge;
use features::{Feature, Found, MOODS, TAGS, Tag};
use lexicon::{class, lexicon};
use table::table;

/// A text as the classifier looks at it.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    pub(crate) text: &'a str,
    pub(crate) heading_path: &'a [String],
    pub(crate) lead_in: Option<&'a str>,
    pub(crate) kind: ItemKind,
}

/// What the classifier says of a text.
pub(crate) struct Judged {
    pub(crate) knowledge: Knowledge,
    pub(crate) scores: [i32; 5],
    pub(crate) p_constraint: u32,
    pub(crate) confidence: u32,
    pub(crate) suspected: bool,
    pub(crate) polarity: Deontic,
}

/// The types in the order of their scores.
const TYPES: [Knowledge; 5] = [Knowledge::Constraint, Knowledge::Procedural, Knowledge::Belief, Knowledge::Preference, Knowledge::Episodic];

/// Judges texts one after the other, with the same room to work in.
#[derive(Default)]
pub(crate) struct Judge {
    found: Found,
    /// In which round a feature was counted last.
    seen: Vec<u32>,
    round: u32,
}

impl Judge {
    /// The type of a text. Of one too long to be read at once, the strictest part decides.
    pub(crate) fn judge(&mut self, line: &Line<'_>, point: OperatingPoint) -> Judged {
        let mut judged = self.part(line, point);
        let mut rest = line.text;
        while rest.len() > features::LONGEST {
            rest = rest.get(features::cut(rest)..).unwrap_or_default();
            let next = self.part(&Line { text: rest, ..*line }, point);
            if next.p_constraint > judged.p_constraint {
                judged = next;
            }
        }
        judged
    }

    fn part(&mut self, line: &Line<'_>, point: OperatingPoint) -> Judged {
        let scores = self.scores(line, &mut |_, _| {});
        let likely = table().likely(scores);
        let [constraint, rest @ ..] = likely;
        let [strict, balanced, lean, suspected] = table().thresholds;
        let least = match point {
            OperatingPoint::Strict => strict,
            OperatingPoint::Balanced => balanced,
            OperatingPoint::Lean => lean,
        };
        let mut best = (0, constraint);
        if constraint < least {
            best = (1, 0);
            for (at, p) in rest.iter().enumerate() {
                if *p > best.1 {
                    best = (at + 1, *p);
                }
            }
        }
        Judged {
            knowledge: TYPES.get(best.0).copied().unwrap_or_default(),
            scores,
            p_constraint: constraint,
            confidence: best.1,
            suspected: best.0 != 0 && constraint >= suspected,
            polarity: polarity(self.found.mask, self.found.around),
        }
    }

    /// The sums of the weights; calls with each feature that has some, once.
    #[cfg_attr(standfast_hot, optimize(speed))]
    fn scores(&mut self, line: &Line<'_>, call: &mut dyn FnMut(&Feature, [i32; 5])) -> [i32; 5] {
        let table = table();
        features::features(line, &mut self.found);
        self.seen.resize(table.len(), 0);
        self.round = self.round.wrapping_add(1).max(1);
        let mut scores = table.prior;
        for feature in &self.found.features {
            let Some((at, weights)) = table.find(feature.id) else { continue };
            let Some(seen) = self.seen.get_mut(at) else { continue };
            if *seen == self.round {
                continue;
            }
            *seen = self.round;
            for (score, weight) in scores.iter_mut().zip(weights) {
                *score += i32::from(weight);
            }
            call(feature, weights.map(i32::from));
        }
        scores
    }
}

/// What each feature of a text adds to its scores, the largest first.
pub(crate) fn contributions(line: &Line<'_>) -> Vec<Contribution> {
    let mut all = vec![Contribution { name: "prior".to_owned(), evidence: String::new(), scores: Scores::of(table().prior) }];
    let mut weighed = Vec::new();
    Judge::default().scores(line, &mut |feature, weights| weighed.push((*feature, weights)));
    weighed.sort_by_key(|(_, weights)| std::cmp::Reverse(weights.iter().map(|weight| weight.abs()).max()));
    for (feature, weights) in weighed {
        all.push(Contribution { name: name(&feature), evidence: evidence(line, &feature), scores: Scores::of(weights) });
    }
    all
}

/// What a feature is about: its kind, and the classes of words that it names.
fn name(feature: &Feature) -> String {
    let mut name = TAGS.get(feature.tag as usize).copied().unwrap_or_default().to_owned();
    let (one, other) = feature.tag.classes();
    let class = |class: u32, is: bool| lexicon().names.get(class as usize).copied().filter(|_| is);
    let mood = MOODS.get(feature.one as usize).copied().filter(|_| feature.tag.has_mood());
    for word in [mood, class(feature.one, one), class(feature.other, other)].into_iter().flatten() {
        name.push(' ');
        name.push_str(word);
    }
    name
}

fn evidence(line: &Line<'_>, feature: &Feature) -> String {
    let text = match feature.tag {
        Tag::HeadingWord | Tag::HeadingOpens => line.heading_path.last().map(String::as_str),
        Tag::LeadWord | Tag::LeadOpens => line.lead_in,
        Tag::AboveWord => None,
        _ => Some(line.text),
    };
    text.and_then(|text| text.get(feature.start..feature.end)).unwrap_or_default().to_owned()
}

/// The features of a text for whoever trains the weights: number, kind, name.
pub(crate) fn exported(line: &Line<'_>) -> Vec<(u32, &'static str, String)> {
    let mut found = Found::default();
    features::features(line, &mut found);
    let mut all = Vec::new();
    for feature in &found.features {
        let tag = TAGS.get(feature.tag as usize).copied().unwrap_or_default();
        all.push((feature.id, tag, format!("{} {}", name(feature), evidence(line, feature))));
    }
    all
}

/// How a text binds, by the classes of its words, else by those of its heading and lead-in.
fn polarity(text: u64, around: u64) -> Deontic {
    const fn bit(class: u32) -> u64 {
        1 << class
    }
    const ORDER: &[(u64, Deontic)] = &[
        (bit(class::NEVER) | bit(class::BAN) | bit(class::DONT) | bit(class::AVOID), Deontic::Prohibit),
        (bit(class::ONLY) | bit(class::LIMIT), Deontic::Limit),
        (bit(class::MUST) | bit(class::ALWAYS) | bit(class::ENSURE) | bit(class::ASK) | bit(class::UNTIL), Deontic::Require),
        (bit(class::NO) | bit(class::CANNOT), Deontic::Prohibit),
        (bit(class::MAY), Deontic::Permit),
    ];
    let of = |mask: u64| ORDER.iter().find(|(classes, _)| mask & classes != 0).map(|(_, polarity)| *polarity);
    of(text).or_else(|| of(around)).unwrap_or_default()
}
