//! Do summaries lose a little every round?
//!
//! [`fall`] looks at the size: tokens per covered event that fall round after round, each time inside the budget.
//! [`survival`] looks at the content: which identifiers and decisions are still there after each round.
//!
//! ```
//! # use standfast::check::drift::{fall, Round};
//! let round = |tokens| Round { tokens, source: 900_000 };
//! let rounds = [40_000, 38_800, 37_636, 36_507].map(round);
//! assert_eq!(fall(&rounds[..3]), None);
//! assert_eq!(fall(&rounds), Some((rounds[0], rounds[3])));
//! ```

use serde::Serialize;

use super::decisions::{self, Decision, Fault};
use super::identifiers::{self, Source};
pub use crate::meter::Round;
use crate::tokens::estimate;
use crate::trust::Trust;

/// So many falls running are a drift.
const FALLS: usize = 3;

/// What is left of the first of them, in percent, must be less.
const LEFT: u64 = 94;

/// The first and the last of the rounds over which summaries became thinner: their tokens per event fell three times
/// running, more than 6 % together, and those of the events themselves did not.
#[must_use]
pub fn fall(rounds: &[Round]) -> Option<(Round, Round)> {
    let last = rounds.get(rounds.len().checked_sub(FALLS + 1)?..)?;
    // events that become shorter have shorter summaries
    let drifts = falls(last, |round| round.tokens) && !falls(last, |round| round.source);
    drifts.then_some((*last.first()?, *last.last()?))
}

/// Whether a figure falls from each round to the next, more than 6 % in all.
fn falls(rounds: &[Round], figure: fn(&Round) -> u32) -> bool {
    let each = rounds.windows(2).all(|pair| matches!(pair, [before, after] if figure(after) < figure(before)));
    let ends = rounds.first().map(figure).zip(rounds.last().map(figure));
    each && ends.is_some_and(|(first, now)| u64::from(now) * 100 < u64::from(first) * LEFT)
}

/// What is left after a round.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Survival {
    /// The size of the memory.
    pub tokens: u32,
    /// Whether it fell for the third time running, more than 6 % in all.
    pub thinner: bool,
    /// Identifiers that are still there.
    pub identifiers: u32,
    /// Decisions that are still there with their polarity.
    pub decisions: u32,
    /// Those of them that also have their reason.
    pub reasons: u32,
    /// Identifiers that were there the round before, and are not any more.
    pub lost: Vec<String>,
    /// Identifiers that are new or changed.
    pub novel: Vec<String>,
}

/// What of `required` and `made` is left in the memory after each round; `sources` is what all rounds were made from.
#[must_use]
pub fn survival(rounds: &[&str], required: &[&str], made: &[Decision<'_>], sources: &[(Trust, &str)]) -> Vec<Survival> {
    let source = Source::of(sources);
    let mut sizes = Vec::new();
    let mut before: Vec<&str> = Vec::new();
    let mut out = Vec::with_capacity(rounds.len());
    for memory in rounds {
        let missing = identifiers::missing(memory, required);
        let findings = decisions::check(made, memory);
        let count = |fault: fn(Fault) -> bool| findings.iter().filter(|finding| fault(finding.fault)).count();
        let gone = count(|fault| matches!(fault, Fault::Flipped | Fault::Dropped));
        let left = |all: usize, less: usize| u32::try_from(all.saturating_sub(less)).unwrap_or(u32::MAX);
        let tokens = estimate(memory);
        sizes.push(Round { tokens, source: 0 });
        out.push(Survival {
            tokens,
            thinner: fall(&sizes).is_some(),
            identifiers: left(required.len(), missing.len()),
            decisions: left(made.len(), gone),
            reasons: left(made.len(), findings.len()),
            lost: missing.iter().filter(|text| !before.contains(text)).map(|text| (*text).to_owned()).collect(),
            novel: identifiers::check(memory, &source).into_iter().map(|finding| finding.text.to_owned()).collect(),
        });
        before = missing;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Polarity;
    use proptest::prelude::*;

    fn rounds(tokens: &[u32], source: &[u32]) -> Vec<Round> {
        tokens.iter().zip(source).map(|(tokens, source)| Round { tokens: *tokens, source: *source }).collect()
    }

    #[test]
    fn a_slow_loss_is_seen_at_the_third_fall() {
        let mut size = 52_000;
        let mut sizes = vec![size];
        let mut seen = None;
        for round in 1..=6 {
            size = size * 97 / 100;
            sizes.push(size);
            if fall(&rounds(&sizes, &[300_000; 7])).is_some() {
                seen = seen.or(Some(round));
            }
        }
        assert_eq!(seen, Some(3));
    }

    #[test]
    fn steady_sizes_are_no_drift() {
        for sizes in [&[100, 104, 97, 101, 99][..], &[100, 99, 98, 97], &[100, 90, 95, 80], &[100, 90, 90, 80], &[100, 90], &[]] {
            assert_eq!(fall(&rounds(sizes, &[900; 5])), None, "{sizes:?}");
        }
        let early = rounds(&[1, 200, 150, 120, 90], &[900; 5]);
        assert_eq!(fall(&early), Some((early[1], early[4])));
    }

    #[test]
    fn shorter_events_have_shorter_summaries() {
        let falling = [400, 380, 360, 340];
        for source in [[900, 850, 800, 760], [900, 700, 500, 300]] {
            assert_eq!(fall(&rounds(&falling, &source)), None, "{source:?}");
        }
        // a step down in between, or a percent in all, does not explain a tenth
        for source in [[900, 940, 880, 910], [900, 899, 898, 897], [900, 850, 930, 840], [900, 950, 990, 1_050]] {
            assert!(fall(&rounds(&falling, &source)).is_some(), "{source:?}");
        }
    }

    #[test]
    fn what_is_left_is_counted_round_by_round() {
        let made = [Decision { topic: "second press", polarity: Polarity::Rejected, reason: "noise at night" }];
        let rounds = [
            "No second press, it makes noise at night. See plan/press.md and job PR-4410.",
            "No second press. See job PR-4410.",
            "The second press makes noise at night. See job PR-4401.",
        ];
        let left = survival(&rounds, &["plan/press.md", "PR-4410"], &made, &[(Trust::Agent, rounds[0])]);
        let counts: Vec<_> = left.iter().map(|round| (round.identifiers, round.decisions, round.reasons)).collect();
        assert_eq!(counts, [(2, 1, 1), (1, 1, 0), (0, 0, 0)]);
        assert!(left.iter().all(|round| !round.thinner && round.tokens > 0));
        assert_eq!((left[1].lost.len(), left[2].lost[0].as_str(), left[2].novel[0].as_str()), (1, "PR-4410", "PR-4401"));
    }

    proptest! {
        #[test]
        fn a_fall_is_between_two_of_the_given_rounds(
            tokens in proptest::collection::vec(any::<u32>(), 9),
            source in proptest::collection::vec(any::<u32>(), 0..9),
        ) {
            let rounds = rounds(&tokens, &source);
            if let Some((first, now)) = fall(&rounds) {
                prop_assert!(now.tokens < first.tokens && rounds.contains(&first) && rounds.last() == Some(&now));
            }
        }
    }
}
