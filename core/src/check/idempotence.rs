//! Do two summaries of one span say the same?
//!
//! [`compare`] names what only one of them has: identifiers, decisions with their polarity, rules. How it is worded and
//! what else is told does not count.
//!
//! ```
//! # use standfast::check::idempotence::{compare, What};
//! assert!(compare("We rejected plan B. See OPS-7710.", "OPS-7710: plan B was rejected.").is_empty());
//! let found = compare("We rejected plan B. See OPS-7710.", "We chose plan B. See OPS-7710.");
//! assert_eq!(found[0].what, What::Decision);
//! ```

use serde::Serialize;

use super::decisions::{self, Fault};
use super::identifiers::{self, Source};
use super::statement::{halves, statements};
use super::stems::{Stem, count, sorted, stems};
use crate::text::pattern::Pattern;
use crate::trust::Trust;

/// What two summaries differ in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "DifferenceKind"))]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// An identifier, number or date.
    Identifier,
    /// A decision that the other has not, or not with this polarity.
    Decision,
    /// A rule that the other has not.
    Rule,
}

/// Something that one of two summaries has and the other has not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Difference<'a> {
    /// What it is.
    pub what: What,
    /// Its text, as the one summary has it.
    pub text: &'a str,
    /// Whether the first summary has it.
    pub in_first: bool,
}

/// What only one of two summaries of a span has.
#[must_use]
pub fn compare<'a>(first: &'a str, second: &'a str) -> Vec<Difference<'a>> {
    let mut out = beyond(first, second, true);
    out.extend(beyond(second, first, false));
    out
}

fn beyond<'a>(one: &'a str, other: &'a str, in_first: bool) -> Vec<Difference<'a>> {
    let mut out = Vec::new();
    let mut add = |what, text| out.push(Difference { what, text, in_first });
    for finding in identifiers::check(one, &Source::of(&[(Trust::Agent, other)])) {
        add(What::Identifier, finding.text);
    }
    let made = decisions::decisions(one);
    for finding in decisions::check(&made, other) {
        if let (Fault::Flipped | Fault::Dropped, Some(decision)) = (finding.fault, made.get(finding.decision)) {
            add(What::Decision, decision.topic);
        }
    }
    let theirs = rules(other);
    for (text, stems) in rules(one) {
        if !theirs.iter().any(|(_, kept)| count(kept, &stems) * 2 >= stems.len()) {
            add(What::Rule, text);
        }
    }
    out
}

/// A summary that states more rules than this is compared by its first ones.
const RULES: usize = 64;

/// The rule-shaped sentences of a text and what they are about, sorted.
fn rules(text: &str) -> Vec<(&str, Vec<Stem>)> {
    let pattern = Pattern::published();
    let mut out = Vec::new();
    for statement in halves(text, &statements(text)) {
        let sentence = statement.span.of(text);
        if out.len() < RULES && pattern.find(sentence).is_some() {
            out.push((sentence, sorted(stems(sentence))));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn found<'a>(first: &'a str, second: &'a str) -> Vec<(What, bool)> {
        compare(first, second).iter().map(|difference| (difference.what, difference.in_first)).collect()
    }

    #[test]
    fn another_wording_is_no_difference() {
        let first = "Lane 14 was closed on 3 May. We chose the blue paint because it dries fast. Never open valve K-7.";
        let second = "Blue paint was chosen, it dries fast; valve K-7 must not be opened. On May 3 lane 14 was closed, as it rained.";
        assert_eq!(compare(first, second), []);
    }

    #[test]
    fn what_only_one_has_is_named() {
        assert_eq!(found("Job J-7712 ran.", "Job J-7721 ran."), [(What::Identifier, true), (What::Identifier, false)]);
        assert_eq!(found("The ramp was postponed.", "The ramp was rejected."), [(What::Decision, true), (What::Decision, false)]);
        assert_eq!(found("Never mix the acids. It rained.", "It rained."), [(What::Rule, true)]);
    }

    proptest! {
        #[test]
        fn a_text_agrees_with_itself(text in "([a-c ]{1,4}|[0-9]{1,3}|never|rejected|\\. |\\n){0,24}") {
            let found = compare(&text, &text);
            prop_assert!(found.iter().all(|difference| difference.what == What::Decision), "{:?}", found);
        }

        #[test]
        fn differences_are_mirrored(a in "\\PC{0,40}", b in "\\PC{0,40}") {
            prop_assert_eq!(compare(&a, &b).len(), compare(&b, &a).len());
        }
    }
}
