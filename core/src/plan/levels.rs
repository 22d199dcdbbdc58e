//! Segments that outgrow their budget: the oldest are merged level by level, or become one line (P6).

use super::{How, Planned, SMALLEST_BUDGET, request_limit, source_tokens};
use crate::ledger::{Origin, Segment};
use crate::state::State;

/// Merges the oldest segments until all fit into `limit` (P6).
pub(super) fn fit(state: &State, segments: &mut Vec<Planned>, limit: u32, all: bool) {
    while segments.iter().map(|planned| planned.budget_tokens).fold(0, u32::saturating_add) > limit {
        let Some(at) = mergeable(state, segments, all) else {
            // nothing can be merged: the oldest that is not yet one line becomes one
            let Some(oldest) = segments.iter_mut().find(|planned| planned.how != How::Line && planned.budget_tokens > LINE_TOKENS) else {
                return;
            };
            *oldest =
                Planned { how: How::Line, budget_tokens: LINE_TOKENS, remade: oldest.how == How::Reuse || oldest.remade, ..oldest.clone() };
            continue;
        };
        let second = segments.remove(at + 1);
        if let Some(first) = segments.get_mut(at) {
            *first = merge(state, first, &second);
        }
    }
}

/// Price of a line written by code.
pub(super) const LINE_TOKENS: u32 = 40;

fn merge(state: &State, first: &Planned, second: &Planned) -> Planned {
    let both = first.budget_tokens.saturating_add(second.budget_tokens);
    // each level takes half of what its parts took, so one of every level fits beside a new one, whatever their number
    let budget = (both / 4).clamp(SMALLEST_BUDGET, state.limits.summary.max(SMALLEST_BUDGET));
    let requests = source_tokens(state, first.from, second.to).div_ceil(request_limit(state)).max(1);
    let lines = first.how == How::Line && second.how == How::Line;
    let too_thin = budget / requests < SMALLEST_BUDGET;
    let how = if lines || too_thin { How::Line } else { How::Summarize };
    Planned {
        from: first.from,
        to: second.to,
        level: first.level.max(second.level) + 1,
        how,
        requests: Vec::new(),
        budget_tokens: if how == How::Line { LINE_TOKENS } else { budget },
        remade: true,
    }
}

/// Whether a segment is another compactor's: it cannot be made anew from events.
fn is_foreign(state: &State, planned: &Planned) -> bool {
    let stands = |segment: &Segment| segment.origin == Origin::Foreign && planned.how == How::Reuse;
    planned.how == How::Foreign || state.ledger.covering(planned.from).is_some_and(stands)
}

/// The oldest pair to merge: of the same level, else the oldest at all.
fn mergeable(state: &State, segments: &[Planned], all: bool) -> Option<usize> {
    let mut found = None;
    for (at, pair) in segments.windows(2).enumerate() {
        let [first, second] = pair else { continue };
        if first.to + 1 != second.from || is_foreign(state, first) || is_foreign(state, second) {
            continue;
        }
        let lines = first.how == How::Line && second.how == How::Line;
        if !(lines || all || state.is_available(first.from, second.to)) {
            continue;
        }
        if first.level == second.level {
            return Some(at);
        }
        found = found.or(Some(at));
    }
    found
}
