//! Which pieces of `before` stand in `after`, and what that says of the messages.

use super::report::{AuditCoverage, NewText, PairFault, PairFinding};
use super::side::{Piece, Side};
use crate::event::{Part, Role};
use crate::ordered::{Map, Set};
use crate::tokens;

/// The pieces of two lists, and which are the same.
pub(super) struct Matched<'a> {
    pub(super) before: Vec<Piece<'a>>,
    pub(super) after: Vec<Piece<'a>>,
    /// For each piece of `before`, the piece of `after` that it is.
    pub(super) kept_as: Vec<Option<usize>>,
    /// For each piece of `after`, whether it is new.
    pub(super) is_new: Vec<bool>,
}

/// System texts of `before` that a longer one of `after` may begin with.
const HEADS: usize = 8;

impl<'a> Matched<'a> {
    pub(super) fn of(before: &'a Side, after: &'a Side) -> Self {
        let (before, mut after) = (before.pieces(), after.pieces());
        let mut waiting: Map<String, Vec<u32>> = Map::new();
        for (at, piece) in (0_u32..).zip(&before) {
            waiting.change(piece.key(), Vec::new(), |places| places.push(at));
        }
        let mut is_new = vec![true; after.len()];
        let mut kept_as = vec![None; before.len()];
        // from the end: of equal pieces the last ones stand, as a rule
        for (at, piece) in after.iter().enumerate().rev() {
            let Some(from) = waiting.get_mut(&piece.key()).and_then(Vec::pop) else { continue };
            if let (Some(kept), Some(new)) = (kept_as.get_mut(from as usize), is_new.get_mut(at)) {
                (*kept, *new) = (Some(at), false);
            }
        }
        // a prompt that was added to begins as it was
        let heads: Vec<usize> = (0..before.len())
            .filter(|at| before.get(*at).is_some_and(|piece| piece.role == Role::System && !piece.text.is_empty()))
            .filter(|at| kept_as.get(*at) == Some(&None))
            .take(HEADS)
            .collect();
        let mut added = Vec::new();
        for (at, piece) in after.iter_mut().enumerate().filter(|(_, piece)| piece.role == Role::System) {
            if is_new.get(at) != Some(&true) {
                continue;
            }
            for head in &heads {
                let (Some(old), Some(kept @ None)) = (before.get(*head), kept_as.get_mut(*head)) else { continue };
                let Some(rest) = piece.text.strip_prefix(old.text) else { continue };
                added.push(Piece { text: rest, ..*piece });
                piece.text = old.text;
                *kept = Some(at);
                if let Some(new) = is_new.get_mut(at) {
                    *new = false;
                }
                break;
            }
        }
        is_new.resize(after.len() + added.len(), true);
        after.extend(added);
        Self { before, after, kept_as, is_new }
    }

    /// The new pieces.
    pub(super) fn new_pieces(&self) -> impl Iterator<Item = &Piece<'a>> {
        self.after.iter().zip(&self.is_new).filter(|(_, new)| **new).map(|(piece, _)| piece)
    }

    /// The pieces of `before` that stand nowhere.
    pub(super) fn gone(&self) -> impl Iterator<Item = &Piece<'a>> {
        self.before.iter().zip(&self.kept_as).filter(|(_, kept)| kept.is_none()).map(|(piece, _)| piece)
    }

    pub(super) fn coverage(&self, before: &Side) -> AuditCoverage {
        let results: Set<&str> = self.after.iter().filter_map(|piece| result_of(piece.part)).collect();
        // of each message: parts that stand, parts that do not, whether one of those is there in another form
        let mut counts = vec![(0_u32, 0_u32, false); before.heard.len()];
        for (piece, kept) in self.before.iter().zip(&self.kept_as) {
            let Some((stand, fall, shortened)) = counts.get_mut(piece.at) else { continue };
            *stand += u32::from(kept.is_some());
            *fall += u32::from(kept.is_none());
            *shortened |= kept.is_none() && result_of(piece.part).is_some_and(|id| results.contains(id));
        }
        let mut coverage = AuditCoverage::default();
        for (heard, count) in before.heard.iter().zip(counts) {
            let Some(index) = heard.index else { continue };
            let spans = match count {
                (_, 0, _) => &mut coverage.kept,
                (0, _, false) => &mut coverage.gone,
                _ => &mut coverage.changed,
            };
            match spans.last_mut() {
                Some((_, last)) if *last + 1 == index => *last = index,
                _ => spans.push((index, index)),
            }
        }
        for piece in self.new_pieces().filter(|piece| !piece.text.trim().is_empty()) {
            coverage.new.push(NewText { place: piece.place(), tokens: tokens::estimate(piece.text) });
        }
        coverage
    }
}

fn result_of(part: &Part) -> Option<&str> {
    match part {
        Part::Result { id, .. } => Some(id),
        _ => None,
    }
}

/// Calls without their results and results without their calls. A call at the end may still be answered.
fn parted(side: &Side) -> Vec<PairFinding> {
    let mut out = Vec::new();
    let mut open: Map<&str, u32> = Map::new();
    for heard in &side.heard {
        let Some(index) = heard.index else { continue };
        if heard.message.results().next().is_none() && !open.is_empty() {
            for (id, index) in std::mem::take(&mut open) {
                out.push(finding(PairFault::CallWithoutResult, id, index));
            }
        }
        for part in &heard.message.parts {
            match part {
                Part::Call { id, .. } => {
                    open.insert(id, index);
                }
                Part::Result { id, .. } if open.remove(id.as_str()).is_none() => {
                    out.push(finding(PairFault::ResultWithoutCall, id, index));
                }
                _ => {}
            }
        }
    }
    out
}

fn finding(fault: PairFault, id: &str, index: u32) -> PairFinding {
    PairFinding { fault, id: id.to_owned(), index }
}

/// What is parted in `after` and was whole in `before`.
pub(super) fn pairs(before: &Side, after: &Side) -> Vec<PairFinding> {
    let mut out = parted(after);
    if !out.is_empty() {
        let old = parted(before);
        let old: Set<(bool, &str)> = old.iter().map(|pair| (pair.fault == PairFault::CallWithoutResult, pair.id.as_str())).collect();
        out.retain(|pair| !old.contains(&(pair.fault == PairFault::CallWithoutResult, pair.id.as_str())));
    }
    out
}
