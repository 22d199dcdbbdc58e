//! What a text is to the window: which places of it are rules, and how long it is to be kept.
//!
//! [`candidates`] finds the rule-shaped places of a text and widens each to what must not be parted (R3); [`tier`]
//! sorts a whole text (R2). Neither decides authority: a candidate is promoted, held or passed over by the registry.
//!
//! Both read the published pattern. [`classify_items`] and [`triage()`] type items by all they say, with the weights of a
//! generated table.
//!
//! ```
//! # use standfast::{text::pattern::Pattern, triage::candidates};
//! let text = "Thanks! Never email customers. Unless I say so first. Now sort the inbox.";
//! let found = candidates(text, &Pattern::published());
//! assert_eq!(found[0].span.of(text), "Never email customers. Unless I say so first.");
//! ```

mod announced;
mod aside;
mod call;
mod classify;
mod declared;
mod directive;
mod document;
mod held;
mod release;
mod span;
mod typed;

pub use aside::PASSING;
pub use call::{CALLS, call};
pub use declared::declared;
pub use directive::{Reading, readings, spoken};
pub use held::restricts;
pub use release::{corrections, releases};
pub use typed::{
    Contribution, Deontic, Explanation, Given, Item, ItemKind, OperatingPoint, Scores, classify_items, explain, features, tier_of, triage,
};

use crate::item::{Span, Tier, Zone};
use crate::text::pattern::{Pattern, discardable};
use crate::trust::{INVARIANT_SOURCES, TASK_STATE_SOURCES, Trust};

/// Longest text that is read by more than the pattern.
const LONGEST: usize = 65_536;

/// A rule-shaped place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Candidate {
    /// Whole sentences with their conditions and exceptions, their lead-in and list, their heading.
    pub span: Span,
    /// The name of the first cue in it.
    pub cue: &'static str,
    /// Whose words they are. A cue in quotation marks is quoted.
    pub zone: Zone,
}

/// The rule-shaped places of a text: in order, without overlap. Questions are none.
#[must_use]
pub fn candidates(text: &str, pattern: &Pattern) -> Vec<Candidate> {
    let cues = pattern.all(text);
    if cues.is_empty() { Vec::new() } else { span::widen(text, &cues) }
}

/// The rule-shaped places of a text, and the items in it that are constraints by all they say: in order, without overlap.
///
/// ```
/// # use standfast::{text::pattern::Pattern, triage::{candidates, found}};
/// let text = "# Rules\n\n- Only release managers may publish packages; ask before each release.\n- The office opens at eight.";
/// assert!(candidates(text, &Pattern::published()).is_empty());
/// let found = found(text, &Pattern::published());
/// assert_eq!(found.len(), 1);
/// ```
#[must_use]
pub fn found(text: &str, pattern: &Pattern) -> Vec<Candidate> {
    let mut cues = pattern.all(text);
    if text.len() > LONGEST || !pattern.is_published() {
        return if cues.is_empty() { Vec::new() } else { span::widen(text, &cues) };
    }
    let document = span::Document::of(text);
    cues.extend(document.constraints());
    cues.sort_by_key(|cue| cue.span.start);
    document.widen(&cues)
}

/// The tier of a whole text, and the name of what decided it.
///
/// The tests run in order: a source whose text is always a rule, rule-shaped text, discardable text, a source of task
/// state, and what is left is episodic. Text of the agent makes no rule, and text of operator or user is never dropped.
///
/// ```
/// # use standfast::{item::Tier, text::pattern::Pattern, triage::tier, Trust};
/// let pattern = Pattern::published();
/// assert_eq!(tier("Reply in French.", "permissions", Trust::Operator, &pattern), (Tier::Invariant, Some("source")));
/// assert_eq!(tier("Retrying in 2 s", "tool:http", Trust::External, &pattern), (Tier::Discardable, Some("retrying")));
/// ```
#[must_use]
pub fn tier(text: &str, source: &str, trust: Trust, pattern: &Pattern) -> (Tier, Option<&'static str>) {
    if trust.has_authority() && INVARIANT_SOURCES.contains(&source) {
        return (Tier::Invariant, Some("source"));
    }
    if trust != Trust::Agent
        && let Some(cue) = pattern.find(text)
    {
        return (Tier::Invariant, Some(cue.name));
    }
    if !trust.has_authority()
        && let Some(name) = discardable(text)
    {
        return (Tier::Discardable, Some(name));
    }
    if trust != Trust::External && TASK_STATE_SOURCES.contains(&source) {
        return (Tier::TaskState, Some("source"));
    }
    (Tier::Episodic, None)
}

/// Marks what a user says without saying it for good; `permits` tells whether a sentence lets something be done.
pub(crate) fn mark_asides(text: &str, found: &mut [Candidate], permits: &dyn Fn(&str) -> bool) {
    aside::mark(text, found, permits);
}

#[cfg(test)]
mod tests;
