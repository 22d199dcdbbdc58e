//! The rebuilt context: the host's own messages by reference, and the few that are ours.
//!
//! Order (W1): the host's head, the pinned block, one memory message fenced as data, kept events, tail.

mod render;
#[cfg(test)]
mod render_tests;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use render::{Rendered, render};

use crate::json;
use crate::ledger::{Ledger, Segment};
use crate::markers::Markers;
use crate::receipt::Receipt;
use crate::rule::Held;
use crate::shape::{self, Shape};
use crate::state::{State, is_shown};
use crate::task::Sections;
use crate::text::ident::redacted;
use crate::text::sentinel::{self, HELD_HEADER, MEMORY_CLOSE, MEMORY_HEADER, MEMORY_OPEN};
use crate::tokens;

/// One message of a window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Slot {
    /// The host's own message of this event, untouched.
    Host(u32),
    /// A message of ours, in the host's shape.
    Own(Value),
}

/// A window as the engine gives it; bindings put the host's objects in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Window {
    /// The messages in order.
    pub slots: Vec<Slot>,
    /// The system slot for shapes that have one: the host's own head as told by `overhead`, a blank line, the pinned
    /// block; a text, or a list of text blocks where the host's head is one. None where the block is among the messages.
    pub system: Option<Value>,
    /// The pinned block.
    pub pinned: String,
    /// The record of the decision this window came from.
    pub receipt: Receipt,
}

/// The slots and the system text of the window as it is now.
#[must_use]
pub fn slots(state: &State) -> (Vec<Slot>, Option<Value>) {
    let shape = state.shape.unwrap_or(Shape::Openai);
    let block = state.registry.block();
    let head = state.log.head();
    let mut slots: Vec<Slot> = state.log.range(0, head).iter().filter(|event| is_shown(event)).map(|event| Slot::Host(event.seq)).collect();
    let mut system = state.system.clone().filter(|_| shape.has_slot());
    if !block.is_empty() {
        match shape::pinned_message(shape, block) {
            Some(message) => slots.push(Slot::Own(message)),
            None => system = Some(shape::system_with_block(shape, system.as_ref(), block)),
        }
    }
    if !state.ledger.pieces.is_empty() {
        let markers: u32 = state.shown().map(|event| event.message.cache_markers).sum();
        let last_segment = state.ledger.segments.len().checked_sub(1);
        let marker = last_segment.filter(|_| shape.has_marker() && markers < 4);
        slots.push(Slot::Own(shape::memory_message(shape, &state.ledger.pieces, marker)));
    }
    let kept = state.ledger.kept.iter().filter_map(|seq| state.log.event(*seq));
    let tail = state.log.range(state.ledger.cut.max(head), state.log.len());
    slots.extend(kept.chain(tail).filter(|event| is_shown(event)).map(|event| Slot::Host(event.seq)));
    (slots, system)
}

/// The memory message, piece by piece: segments oldest first, held block, task state, notices, closing fence.
#[must_use]
pub fn memory(state: &State, ledger: &Ledger, notices: &[String]) -> Vec<String> {
    let mut pieces = segment_pieces(ledger);
    let opened = !pieces.is_empty();
    pieces.extend(held_block(state));
    if !state.task.is_empty() {
        pieces.push(state.task.render(Sections::Filled));
    }
    if !notices.is_empty() {
        pieces.push(notices.join("\n"));
    }
    if pieces.is_empty() {
        return pieces;
    }
    if let Some(first) = pieces.first_mut().filter(|_| !opened) {
        *first = format!("{MEMORY_OPEN}\n{first}");
    }
    pieces.push(MEMORY_CLOSE.to_owned());
    pieces
}

/// The pieces of the segments alone; the first opens the fence.
#[must_use]
pub fn segment_pieces(ledger: &Ledger) -> Vec<String> {
    let piece = |(at, segment): (usize, &Segment)| {
        let (a, b) = segment.turns;
        let opening = if at == 0 { format!("{MEMORY_OPEN}\n{MEMORY_HEADER}\n") } else { String::new() };
        format!("{opening}[turns {a}-{b}] ({}) {}", segment.trust.as_str(), segment.text)
    };
    ledger.segments.iter().enumerate().map(piece).collect()
}

/// The held block: newest first, within its budget, then how many more there are (R11).
fn held_block(state: &State) -> Option<String> {
    let held = state.registry.held();
    let counted = state.registry.held_counted() as usize;
    if held.is_empty() && counted == 0 {
        return None;
    }
    // what was replaced is not said again as somebody else's words
    let withheld = Markers::replaced(&state.registry).ok();
    let mut lines = vec![HELD_HEADER.to_owned()];
    let mut size = tokens::estimate(HELD_HEADER);
    let mut shown = 0;
    for entry in &held {
        let line = held_line(entry, withheld.as_ref());
        let tokens = tokens::estimate(&line);
        if size.saturating_add(tokens) > state.limits.held {
            break;
        }
        size += tokens;
        shown += 1;
        lines.push(line);
    }
    let more = (held.len() - shown).saturating_add(counted);
    if more > 0 {
        lines.push(format!("[{more} more held, recall to read]"));
    }
    Some(lines.join("\n"))
}

/// Longest quotation of a held text, in characters.
const HELD_CHARS: usize = 256;

fn held_line(held: &Held, withheld: Option<&Markers>) -> String {
    let source: String =
        held.source.chars().filter(|c| !c.is_control() && !sentinel::is_line_break(*c) && !"[]()<>".contains(*c)).take(40).collect();
    let place = format!("[held {}] ({source}, turn {}", held.fingerprint, held.turn);
    let seen = if held.count > 1 { format!(", seen {} times", held.count) } else { String::new() };
    if !held.restricts {
        return format!("- {place}{seen}) {} characters, not shown", held.text.chars().count());
    }
    let text = withheld.map_or_else(|| held.text.clone(), |withheld| withheld.replace(&held.text));
    let mut quoted = json::text(&redacted(&text).unwrap_or(text));
    if quoted.chars().count() > HELD_CHARS {
        quoted = quoted.chars().take(HELD_CHARS - 2).collect();
        quoted.truncate(quoted.trim_end_matches('\\').len());
        quoted.push_str("…\"");
    }
    format!("- {place}{seen}) {quoted}")
}
