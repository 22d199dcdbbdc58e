//! The functional core of the published guide (F4, F5): plain functions over plain items, thin over the engine.
//!
//! [`classify`] sorts a text into a [`ContextItem`], [`render_pinned_block`] and [`render_task_state`] write the fixed
//! parts, [`compact_begin`] and [`compact_finish`] stand around the caller's summarizer, [`assert_invariants_present`]
//! proves the outcome. [`session_begin`] and [`session_finish`] do the same for a span of events.
//!
//! ```
//! # use standfast::published::{classify, render_pinned_block};
//! let rule = classify("Patient is allergic to penicillin.", "patient_record", 0, None);
//! assert!(rule.item.declared && rule.review.is_none());
//! assert!(render_pinned_block(&[rule.item]).unwrap().contains("] Patient is allergic to penicillin.\n"));
//! ```
//!
//! Nothing here keeps state, so nothing here checks who may change a rule: a guard does both.

mod call;
mod compact;
mod extractive;
mod session;
mod task;
mod trigger;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::item::Tier;
use crate::pinned;
use crate::policy::{Limits, Policy};
use crate::reads;
use crate::registry::{Actor, Origin, Registry};
use crate::text::pattern::Pattern;
use crate::triage;
use crate::trust::{self, Trust};

pub use crate::text::pattern::{CONSTRAINT_SHAPED, DISCARDABLE_SHAPED};
pub use crate::text::sentinel::{PINNED_FOOTER, PINNED_HEADER};
pub use crate::trust::INVARIANT_SOURCES;
pub use call::{CALLS, call};
pub use compact::{CompactStart, Compacted, assert_invariants_present, compact_begin, compact_finish};
pub use session::{Session, SessionRequest, session_begin, session_finish};
pub use task::{PublishedDecision, PublishedTaskState, Written, render_task_state};
pub use trigger::{Answer, Thresholds, TriggerArgs, should_compact, trigger_limits};

/// Authority of a T0 item of the functional core.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// From a source whose text is always a rule.
    Declared,
    /// Rule-shaped, said by operator or user.
    Promoted,
    /// Rule-shaped external text: data, without authority.
    Held,
}

reads! { Standing: Declared, Promoted, Held }

/// One text with its tier. `tier` is 0 invariant, 1 task state, 2 episodic, 3 discardable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ContextItem {
    /// The text.
    pub text: String,
    /// 0 to 3.
    pub tier: u8,
    /// Name of the producer.
    pub source: String,
    /// When it was said.
    pub turn: u32,
    /// Whether a source whose text is always a rule said it.
    #[serde(default)]
    pub declared: bool,
    /// Authority of a T0 item; none for the other tiers, and for items the host built itself, which count as declared.
    #[serde(default)]
    pub status: Option<Standing>,
}

reads! { ContextItem { text, tier, source, turn } { declared, status } }

impl ContextItem {
    /// A T0 item that belongs into the pinned block.
    fn is_active(&self) -> bool {
        self.tier == 0 && self.status != Some(Standing::Held)
    }

    fn is_held(&self) -> bool {
        self.tier == 0 && self.status == Some(Standing::Held)
    }
}

/// A rule-shaped text that nobody declared, for a person to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ReviewFlag {
    /// `undeclared`.
    pub kind: String,
    /// The first 16 digits of the text's digest.
    pub fingerprint: String,
    /// The text.
    pub text: String,
    /// Whom it came from.
    pub source: String,
    /// With which trust.
    pub trust: Trust,
    /// When.
    pub turn: u32,
    /// Name of the cue that makes it rule-shaped.
    pub cue: String,
}

/// What [`classify`] found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Classified {
    /// The text with its tier.
    pub item: ContextItem,
    /// Set for rule-shaped text of a source that declares nothing.
    pub review: Option<ReviewFlag>,
}

/// Names of roles, and the most trust a host can give to what stands under them.
const ROLES: &[(&str, Trust)] = &[
    ("system", Trust::Operator),
    ("developer", Trust::Operator),
    ("user", Trust::User),
    ("assistant", Trust::Agent),
    ("agent", Trust::Agent),
];

/// Sorts one text. Without `trust`, the source's name decides ([`trust::of_source`]). With it, trust may be lowered for
/// every source, and set for the names of roles (`user`, `assistant`, `system`), which have none by themselves; more than
/// a source can have it does not get.
#[must_use]
pub fn classify(text: &str, source: &str, turn: u32, trust: Option<Trust>) -> Classified {
    let own = trust::of_source(source);
    let most = ROLES.iter().find(|(role, _)| *role == source).map_or(own, |(_, most)| own.max(*most));
    let trust = trust.unwrap_or(own).min(most);
    let pattern = Pattern::published();
    let (tier, _) = triage::tier(text, source, trust, &pattern);
    let declared = tier == Tier::Invariant && trust.has_authority() && INVARIANT_SOURCES.contains(&source);
    let cue = if declared { None } else { pattern.find(text) };
    let status = match (tier, declared) {
        (Tier::Invariant, true) => Some(Standing::Declared),
        (Tier::Invariant, false) if trust.has_authority() => Some(Standing::Promoted),
        (Tier::Invariant, false) => Some(Standing::Held),
        _ => None,
    };
    let review = cue.map(|cue| ReviewFlag {
        kind: "undeclared".to_owned(),
        fingerprint: pinned::fingerprint(text).name(),
        text: text.to_owned(),
        source: source.to_owned(),
        trust,
        turn,
        cue: cue.name.to_owned(),
    });
    let item = ContextItem { text: text.to_owned(), tier: number(tier), source: source.to_owned(), turn, declared, status };
    Classified { item, review }
}

fn number(tier: Tier) -> u8 {
    match tier {
        Tier::Invariant => 0,
        Tier::TaskState => 1,
        Tier::Episodic => 2,
        Tier::Discardable => 3,
    }
}

/// The pinned block of the active T0 items, each text once, by turn and fingerprint. Empty without any.
///
/// # Errors
/// The codes of `admission::admit` for a text that cannot stand in the block.
pub fn render_pinned_block(items: &[ContextItem]) -> Result<String> {
    Ok(registry(items)?.block().to_owned())
}

/// The places of the T0 items of `items` in the order of the block, held ones included.
///
/// # Errors
/// `invalid_argument` for a tier over 3.
pub fn order(items: &[ContextItem]) -> Result<Vec<u32>> {
    check(items)?;
    let mut places: Vec<(u32, String, u32)> = (0_u32..)
        .zip(items)
        .filter(|(_, item)| item.tier == 0)
        .map(|(at, item)| (item.turn, pinned::fingerprint(&item.text).name(), at))
        .collect();
    places.sort_unstable();
    Ok(places.into_iter().map(|(_, _, at)| at).collect())
}

fn check(items: &[ContextItem]) -> Result<()> {
    match items.iter().position(|item| item.tier > 3) {
        Some(at) => Err(Error::argument("an item's `tier` is 0, 1, 2 or 3").with("index", at)),
        None => Ok(()),
    }
}

/// The items as the engine's registry: active ones declared at their earliest turn, held ones held.
fn registry(items: &[ContextItem]) -> Result<Registry> {
    check(items)?;
    let limits = unbounded()?;
    let mut sorted: Vec<&ContextItem> = items.iter().collect();
    sorted.sort_by_key(|item| item.turn);
    let mut registry = Registry::default();
    for item in sorted.iter().filter(|item| item.is_active()) {
        let trust = trust::of_source(&item.source).max(Trust::User);
        let actor = Actor { by: "host", source: &item.source, trust, turn: item.turn };
        registry.declare(&item.text, actor, None, None, &limits)?;
    }
    for (seq, item) in (0_u32..).zip(sorted).filter(|(_, item)| item.is_held()) {
        let origin = Origin { trust: Trust::External, source: &item.source, seq, turn: item.turn, principal: None };
        registry.hold(&item.text, origin, triage::restricts(&item.text));
    }
    Ok(registry)
}

/// The functional core has no budgets; the caller's messages are the caller's.
fn unbounded() -> Result<Limits> {
    Policy { pinned_tokens: Some(u32::MAX / 4), ..Policy::for_window(u32::MAX) }.limits()
}

#[cfg(test)]
mod tests;
