//! From a text to one of five types: features, integer scores, a table of weights.

use super::typed::{Contribution, Deontic, ItemKind, OperatingPoint};
use crate::item::Knowledge;

/// A text as the classifier looks at it.
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

pub(crate) fn judge(line: &Line<'_>, _point: OperatingPoint) -> Judged {
    let bound = line.text.contains("ever") || line.lead_in.is_some_and(|l| l.contains("not"));
    let knowledge = if bound { Knowledge::Constraint } else { Knowledge::Belief };
    let _ = (line.heading_path, line.kind);
    Judged { knowledge, scores: [0; 5], p_constraint: 500, confidence: 500, suspected: false, polarity: Deontic::None }
}

pub(crate) fn contributions(_line: &Line<'_>) -> Vec<Contribution> {
    Vec::new()
}
