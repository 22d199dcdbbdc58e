//! Where a history may be cut: no pair parted, no batch split, no reasoning torn from what it belongs to.
//!
//! [`choose`] picks the cut for a tail budget among the [`legal_cuts`]; [`kept`] names the events before it that must
//! stay whole; [`Calls`] follows open calls while the history grows.

mod calls;
#[cfg(test)]
mod tests;

use std::borrow::Borrow;

use calls::{CALL, Tie, tie};
pub use calls::{CallFlag, Calls};

use crate::event::{Event, Part, Role};
use crate::ordered::{Set, firsts};

/// Where a tail starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cut {
    /// Index of the tail's first event.
    pub index: usize,
    /// Whether even the smallest legal tail is over the budget.
    pub over_budget: bool,
}

/// Events in pairs, by index: each of the first ones with those that belong to it. Sorted.
#[derive(Default)]
struct Links(Vec<(usize, usize)>);

impl Links {
    /// What belongs to an event.
    fn of(&self, event: usize) -> impl Iterator<Item = usize> {
        let from = self.0.partition_point(|(first, _)| *first < event);
        self.0.iter().skip(from).take_while(move |(first, _)| *first == event).map(|(_, other)| *other)
    }
}

/// The calls of a history and their answers, by index.
#[derive(Default)]
struct Pairs {
    /// For each calling event, the events that answer it.
    answered_by: Links,
    /// For each answering event, the events that called it.
    answers: Links,
    /// For each calling event, the events that answer it once more, as after a result that only said it was running.
    repeated: Links,
    /// Calling events with an open call. Sorted.
    open: Vec<usize>,
}

/// What is known of the calls of one id.
#[derive(Clone, Copy, Default)]
struct Known {
    /// The latest open one: one above its place among the ties, or 0.
    open: usize,
    /// One above the event whose call was answered last, or 0.
    answered: usize,
}

impl Pairs {
    fn of<E: Borrow<Event>>(events: &[E]) -> Self {
        let (mut ties, mut ids) = (Vec::new(), Vec::new());
        for (i, event) in events.iter().enumerate() {
            for (end, (kind, id)) in event.borrow().message.parts.iter().filter_map(tie) {
                ties.push((i, end, kind));
                ids.push(id);
            }
        }
        let mut pairs = Self::default();
        let mut known = vec![Known::default(); 2 * ties.len()];
        // of each tie that opens, the one that was open before it, as in `Known`
        let mut before = vec![0; ties.len()];
        for (place, ((i, end, kind), first)) in ties.iter().zip(firsts(&ids)).enumerate() {
            let Some(known) = known.get_mut(2 * first + usize::from(*kind == CALL)) else { continue };
            let open = known.open.checked_sub(1);
            match (end, open.and_then(|open| ties.get(open)), known.answered.checked_sub(1)) {
                (Tie::Opens, ..) => {
                    if let Some(before) = before.get_mut(place) {
                        *before = known.open;
                    }
                    known.open = place + 1;
                }
                (Tie::Answers, Some((call, ..)), _) => {
                    known.open = open.and_then(|open| before.get(open)).copied().unwrap_or_default();
                    known.answered = call + 1;
                    pairs.answered_by.0.push((*call, *i));
                    pairs.answers.0.push((*i, *call));
                }
                (Tie::Answers, None, Some(call)) => pairs.repeated.0.push((call, *i)),
                (Tie::Answers, None, None) => {}
            }
        }
        for known in known {
            let mut open = known.open;
            while let Some((i, ..)) = open.checked_sub(1).and_then(|open| ties.get(open)) {
                pairs.open.push(*i);
                open = before.get(open - 1).copied().unwrap_or_default();
            }
        }
        pairs.open.sort_unstable();
        for links in [&mut pairs.answered_by, &mut pairs.answers, &mut pairs.repeated] {
            links.0.sort_unstable();
        }
        pairs
    }
}

fn has_reasoning(event: &Event) -> bool {
    event.message.parts.iter().any(|part| matches!(part, Part::Reasoning { .. }))
}

fn starts_with_reasoning(event: &Event) -> bool {
    matches!(event.message.parts.first(), Some(Part::Reasoning { .. }))
}

/// Whether an event answers a call of another event, known or not: such an event never starts a tail.
fn is_result(event: &Event) -> bool {
    if event.message.role == Role::Tool {
        return true;
    }
    let mut results = event.message.results().peekable();
    let own: Set<&str> = if results.peek().is_some() { event.message.calls().collect() } else { Set::new() };
    results.any(|id| !own.contains(id))
}

/// For each event, the index its agent turn is anchored at: the event itself where a tail may start as far as roles
/// and reasoning go, else the latest such event before it.
///
/// A turn of the agent runs from one user or system message to the next. While no reasoning was seen in it, any
/// assistant message that follows something else may start a tail; afterwards only one that begins with its own
/// reasoning. Two assistant messages in a row are one turn to a provider that merges roles.
fn anchors<E: Borrow<Event>>(events: &[E]) -> Vec<usize> {
    let mut anchors = Vec::with_capacity(events.len());
    let (mut anchor, mut reasoned, mut after_assistant) = (0, false, false);
    for (i, event) in events.iter().map(Borrow::borrow).enumerate() {
        let assistant = event.message.role == Role::Assistant;
        if assistant {
            let bound = reasoned && (after_assistant || !starts_with_reasoning(event));
            if !bound && !is_result(event) {
                anchor = i;
            }
            reasoned |= has_reasoning(event);
        } else if !is_result(event) {
            anchor = i;
            reasoned = false;
        } else if event.message.is_user_turn() {
            // A user who speaks in the same message as the results: the chain of reasoning ends, the pair does not.
            reasoned = false;
        }
        after_assistant = assistant;
        anchors.push(anchor);
    }
    anchors
}

/// The indices after `from` at which a tail may start: user turns, assistant messages that start an assistant turn,
/// and system messages in mid-history (which count as the user's) where no call of the turn is open. Never a result,
/// never between a call or an approval and its answer, never inside a chain of reasoning and tool calls.
#[must_use]
pub fn legal_cuts<E: Borrow<Event>>(events: &[E], from: usize) -> Vec<usize> {
    legal(events, from, &Pairs::of(events))
}

fn legal<E: Borrow<Event>>(events: &[E], from: usize, pairs: &Pairs) -> Vec<usize> {
    let anchors = anchors(events);
    // The furthest answer to any call so far: a cut at or before it parts a pair.
    let mut reach = 0;
    let mut open_in_turn = false;
    let mut cuts = Vec::new();
    for (i, (event, anchor)) in events.iter().map(Borrow::borrow).zip(&anchors).enumerate() {
        if event.message.is_user_turn() {
            open_in_turn = false;
        }
        let parted = reach >= i;
        let waits = event.message.role.is_system() && open_in_turn;
        if i > from && *anchor == i && !parted && !waits {
            cuts.push(i);
        }
        reach = pairs.answered_by.of(i).fold(reach, usize::max);
        open_in_turn |= pairs.open.binary_search(&i).is_ok();
    }
    cuts
}

/// The earliest legal cut whose tail costs at most `tail_budget`; else the last legal one, over budget. `None` where
/// nothing before any cut could be folded. `from` is the first event that is not yet folded.
#[must_use]
pub fn choose<E: Borrow<Event>>(events: &[E], from: usize, tail_budget: u32) -> Option<Cut> {
    let pairs = Pairs::of(events);
    let cuts = legal(events, from, &pairs);
    let mut tail = 0_u64;
    let mut best = None;
    let mut left = cuts.iter().rev().peekable();
    for (i, event) in events.iter().map(Borrow::borrow).enumerate().rev() {
        tail = tail.saturating_add(u64::from(event.tokens));
        if tail > u64::from(tail_budget) {
            break;
        }
        if left.next_if(|cut| **cut == i).is_some() {
            best = Some(Cut { index: i, over_budget: false });
        }
    }
    let cut = best.or_else(|| cuts.last().map(|index| Cut { index: *index, over_budget: true }))?;
    let stays: Set<usize> = whole(events, from, cut.index, &[], &pairs).into_iter().collect();
    (from..cut.index).any(|i| !stays.contains(&i)).then_some(cut)
}

/// The indices from `from` up to `cut` that must stay whole in front of the tail: the last user turn where it lies
/// before the cut, the events of `open` (sequence numbers, ascending: calling events, and whatever else must stay), and calls that an event of the tail
/// answers. Each with its batch: the calling message and its results so far, and the reasoning it hangs on.
///
/// `from` is the first event after the host's head; events kept by an earlier cut are found again.
#[must_use]
pub fn kept<E: Borrow<Event>>(events: &[E], from: usize, cut: usize, open: &[u32]) -> Vec<usize> {
    whole(events, from, cut, open, &Pairs::of(events))
}

fn whole<E: Borrow<Event>>(events: &[E], from: usize, cut: usize, open: &[u32], pairs: &Pairs) -> Vec<usize> {
    let cut = cut.min(events.len());
    let before = || events.iter().map(Borrow::borrow).enumerate().take(cut).skip(from);
    let mut todo: Vec<usize> = before().filter(|(_, event)| open.binary_search(&event.seq).is_ok()).map(|(i, _)| i).collect();
    let later = pairs.answered_by.0.iter().chain(&pairs.repeated.0);
    todo.extend(later.filter(|(_, answer)| *answer >= cut).map(|(call, _)| *call));
    let spoken_after = events.iter().map(Borrow::borrow).skip(cut).any(|event| event.message.is_user_turn());
    if !spoken_after {
        todo.extend(before().rev().find(|(_, event)| event.message.is_user_turn()).map(|(i, _)| i));
    }
    let anchors = if todo.is_empty() { Vec::new() } else { anchors(events) };
    let mut kept = Set::new();
    while let Some(i) = todo.pop() {
        if i < from || i >= cut || !kept.insert(i) {
            continue;
        }
        for pair in [&pairs.answered_by, &pairs.answers, &pairs.repeated] {
            todo.extend(pair.of(i));
        }
        // A call that hangs on earlier reasoning keeps the chain back to it.
        let bound = events.get(i).map(Borrow::borrow).is_some_and(|event| event.message.role == Role::Assistant);
        if let Some(anchor) = anchors.get(i).filter(|anchor| bound && **anchor < i) {
            todo.extend(*anchor..i);
        }
    }
    kept.into_iter().collect()
}
