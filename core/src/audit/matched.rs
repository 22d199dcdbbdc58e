//! Which pieces of `before` stand in `after`, and what that says of the messages.

use super::report::{AuditCoverage, NewText, PairFault, PairFinding};
use super::side::{Piece, Side};
use crate::event::{Part, Role};
use crate::ordered::Map;
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
        let mut heads = Vec::new();
        for (at, piece) in before.iter().enumerate() {
            if heads.len() < HEADS && piece.role == Role::System && !piece.text.is_empty() && kept_as.get(at) == Some(&None) {
                heads.push(at);
            }
        }
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
        let mut results: Map<String, Vec<u32>> = Map::new();
        for piece in &self.after {
            if let Part::Result { id, .. } = piece.part {
                results.insert(id.clone(), Vec::new());
            }
        }
        let mut coverage = AuditCoverage::default();
        let mut pieces = self.before.iter().zip(&self.kept_as).peekable();
        for (at, heard) in before.heard.iter().enumerate() {
            // whether parts of it stand, whether parts do not, whether one of those is there in another form
            let (mut stand, mut fall, mut shortened) = (false, false, false);
            while let Some((piece, kept)) = pieces.next_if(|(piece, _)| piece.at == at) {
                stand |= kept.is_some();
                fall |= kept.is_none();
                shortened |= kept.is_none() && matches!(piece.part, Part::Result { id, .. } if results.contains_key(id));
            }
            let Some(index) = heard.index else { continue };
            let spans = match (fall, stand || shortened) {
                (false, _) => &mut coverage.kept,
                (true, false) => &mut coverage.gone,
                (true, true) => &mut coverage.changed,
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

/// Calls without their results and results without their calls. A call at the end may still be answered.
fn parted(side: &Side) -> Vec<PairFinding> {
    let mut out = Vec::new();
    let mut open: Map<String, Vec<u32>> = Map::new();
    for heard in &side.heard {
        let Some(index) = heard.index else { continue };
        if heard.message.results().next().is_none() && !open.is_empty() {
            for (id, calls) in std::mem::take(&mut open) {
                out.extend(calls.last().map(|index| finding(PairFault::CallWithoutResult, &id, *index)));
            }
        }
        for part in &heard.message.parts {
            match part {
                Part::Call { id, .. } => {
                    open.insert(id.clone(), vec![index]);
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
    let found = parted(after);
    let mut old: Map<String, Vec<u32>> = Map::new();
    if !found.is_empty() {
        for pair in parted(before) {
            old.change(pair.id, Vec::new(), |faults| faults.push(pair.fault as u32));
        }
    }
    let mut out = Vec::new();
    for pair in found {
        if old.get(&pair.id).is_none_or(|faults| !faults.contains(&(pair.fault as u32))) {
            out.push(pair);
        }
    }
    out
}
