//! Items and their knowledge types: what a line, a paragraph or a row of a document is to whoever has to shorten it.
//!
//! [`classify_items`] types texts that somebody else has cut, [`triage`] cuts a document by itself. Both are pure functions of
//! what is given, linear in it, and the same on every platform. [`explain`] says why: its contributions sum to the scores.
//!
//! ```
//! # use standfast::{item::Knowledge, triage::{Given, OperatingPoint, classify_items}};
//! let given = Given { text: "Never push to `main` without an approval.".to_owned(), ..Given::default() };
//! let items = classify_items(&[given], OperatingPoint::Balanced);
//! assert_eq!(items[0].knowledge, Knowledge::Constraint);
//! ```

use serde::Serialize;

use super::classify::{Judge, Judged, Line, contributions, exported};
use crate::item::{Knowledge, Tier};
use crate::reads;
use crate::trust::Trust;

pub use super::document::triage;

/// A text to be typed, and what stands around it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Given {
    /// The text of the item, without its list mark.
    pub text: String,
    /// The headings it stands under, the outermost first.
    #[serde(default)]
    pub heading_path: Vec<String>,
    /// The line that governs it, as "Do not:" governs the list below it.
    #[serde(default)]
    pub lead_in: Option<String>,
    /// What it is: `item`, `step` (a numbered item), `row`, `fence`, `quote`. Anything else is a paragraph.
    #[serde(default)]
    pub kind: Option<String>,
}

reads! { Given { text } { heading_path, lead_in, kind } }

impl Given {
    /// The kind as a word of ours.
    #[must_use]
    pub fn item_kind(&self) -> ItemKind {
        match self.kind.as_deref().unwrap_or_default() {
            "item" => ItemKind::Item,
            "step" => ItemKind::Step,
            "row" => ItemKind::Row,
            "fence" => ItemKind::Fence,
            "quote" => ItemKind::Quote,
            _ => ItemKind::Paragraph,
        }
    }
}

/// What an item of a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    /// Lines of text, joined.
    #[default]
    Paragraph,
    /// An item of a list.
    Item,
    /// A numbered item of a list.
    Step,
    /// A row of a table.
    Row,
    /// A block of code.
    Fence,
    /// A block quote.
    Quote,
}

reads! { ItemKind: Paragraph, Item, Step, Row, Fence, Quote }

/// How an item binds, whatever its type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Deontic {
    /// It does not.
    #[default]
    None,
    /// Something is not to be done.
    Prohibit,
    /// Something is to be done, or to be done first.
    Require,
    /// A number, a set or a case is not to be left.
    Limit,
    /// Something may be done.
    Permit,
}

reads! { Deontic: None, Prohibit, Require, Limit, Permit }

/// How much a missed rule costs beside a false one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OperatingPoint {
    /// Nearly every rule is found, with many that are none.
    Strict,
    /// The best of both.
    #[default]
    Balanced,
    /// What is called a rule nearly always is one.
    Lean,
}

reads! { OperatingPoint: Strict, Balanced, Lean }

/// A text with its knowledge type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Item {
    /// What it says: wrapped lines joined, without list mark.
    pub text: String,
    /// Its type.
    pub knowledge: Knowledge,
    /// How long it is to be kept.
    pub tier: Tier,
    /// What it is.
    pub kind: ItemKind,
    /// The headings it stands under, the outermost first.
    pub heading_path: Vec<String>,
    /// The line that governs it.
    pub lead_in: Option<String>,
    /// Its first line in the document, from 1; 0 where there is none.
    pub line: u32,
    /// How it binds.
    pub polarity: Deontic,
    /// How sure its type is, per mille.
    pub confidence: u32,
    /// How likely it is a constraint, per mille. Also the order in which rules are given up where not all fit.
    pub p_constraint: u32,
    /// Whether it may be a constraint though it is not called one: to be kept after the rules, and reviewed.
    pub suspected: bool,
    /// Whether its source says by itself what it is, whatever the words.
    pub declared: bool,
    /// The paths it is about, as globs of the document's front matter.
    pub scope: Vec<String>,
    /// Where it comes from.
    pub source: String,
    /// Whose words it is.
    pub trust: Trust,
}

reads! { Item {
    text, knowledge, tier, kind, heading_path, lead_in, line, polarity, confidence, p_constraint, suspected, declared, scope, source, trust,
} }

/// One number for each knowledge type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Scores {
    /// For a constraint.
    pub constraint: i32,
    /// For a procedure.
    pub procedural: i32,
    /// For a belief.
    pub belief: i32,
    /// For a preference.
    pub preference: i32,
    /// For an episode.
    pub episodic: i32,
}

impl Scores {
    /// From numbers in the order of the types.
    pub(crate) fn of([constraint, procedural, belief, preference, episodic]: [i32; 5]) -> Self {
        Self { constraint, procedural, belief, preference, episodic }
    }
}

/// What one feature of a text adds to the scores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Contribution {
    /// The feature.
    pub name: String,
    /// The words it was found in; empty where it is about the whole.
    pub evidence: String,
    /// What it adds.
    pub scores: Scores,
}

/// Why an item has its type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Explanation {
    /// The type.
    pub knowledge: Knowledge,
    /// How likely it is a constraint, per mille.
    pub p_constraint: u32,
    /// The sums of all contributions.
    pub scores: Scores,
    /// What each feature adds, the largest first.
    pub contributions: Vec<Contribution>,
}

/// Types texts that were cut by somebody else, in their order.
#[must_use]
pub fn classify_items(given: &[Given], point: OperatingPoint) -> Vec<Item> {
    let mut items = Vec::with_capacity(given.len());
    let mut judge = Judge::default();
    for one in given {
        let judged = judge.judge(&line_of(one), point);
        items.push(item(one.clone(), one.item_kind(), &judged));
    }
    items
}

/// The features of a text, for whoever trains the weights: number, kind, what it is about.
#[must_use]
pub fn features(given: &Given) -> Vec<(u32, &'static str, String)> {
    exported(&line_of(given))
}

/// Why a text has its type.
#[must_use]
pub fn explain(given: &Given, point: OperatingPoint) -> Explanation {
    let line = line_of(given);
    let judged = Judge::default().judge(&line, point);
    Explanation {
        knowledge: judged.knowledge,
        p_constraint: judged.p_constraint,
        scores: Scores::of(judged.scores),
        contributions: contributions(&line),
    }
}

pub(super) fn line_of(given: &Given) -> Line<'_> {
    Line { text: &given.text, heading_path: &given.heading_path, lead_in: given.lead_in.as_deref(), kind: given.item_kind() }
}

pub(super) fn item(given: Given, kind: ItemKind, judged: &Judged) -> Item {
    Item {
        text: given.text,
        knowledge: judged.knowledge,
        tier: tier_of(judged.knowledge),
        kind,
        heading_path: given.heading_path,
        lead_in: given.lead_in,
        line: 0,
        polarity: judged.polarity,
        confidence: judged.confidence,
        p_constraint: judged.p_constraint,
        suspected: judged.suspected,
        declared: false,
        scope: Vec::new(),
        source: String::new(),
        trust: Trust::External,
    }
}

/// How long a type of knowledge is to be kept.
#[must_use]
pub fn tier_of(knowledge: Knowledge) -> Tier {
    match knowledge {
        Knowledge::Constraint => Tier::Invariant,
        Knowledge::Procedural => Tier::TaskState,
        Knowledge::Belief | Knowledge::Preference | Knowledge::Episodic => Tier::Episodic,
    }
}

#[cfg(test)]
#[path = "typed_tests.rs"]
mod tests;
