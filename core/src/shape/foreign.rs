//! Another compactor's output in an observed history, and our own memory message replayed (T5).
//!
//! A message that is nothing else is a foreign summary as a whole; beside somebody's own words the summary is a part of
//! its own ([`Part::Foreign`]), and the words stay theirs.

use serde_json::Value;

use super::block;
use crate::event::{Message, Part, Role};

/// The first line of our own memory message.
const MEMORY_OPEN: &str = crate::text::sentinel::MEMORY_OPEN;
/// Its last line.
const MEMORY_CLOSE: &str = crate::text::sentinel::MEMORY_CLOSE;

/// How the summaries of known compactors begin. The last is that of the published guide.
const OPENINGS: &[&str] = &[
    "This session is being continued from a previous conversation",
    "Here is a summary of the conversation to date:",
    "You are in the middle of a conversation that has been summarized.",
    "Another language model started to solve this problem and produced a summary of its thinking process",
    "The conversation history before this point was compacted into the following summary:",
    "I spoke to you previously about a number of things.",
    "<SYSTEM_NOTICE>\nEarlier context was compacted.",
    "Context summary:\n",
    "Summary of the conversation so far:",
    "This is a summary of our conversation so far:",
    "Summary of work so far (round ",
];

/// Elements that a summary is wrapped in, and nothing else stands beside them.
const ELEMENTS: &[&str] =
    &["summary", "state_snapshot", "conversation_summary", "conversation-summary", "context_summary", "compaction_summary"];

/// Fields that say so by being `true`, on the message or in its metadata.
const FLAGS: &[&str] = &["isCompactSummary", "is_compact_summary", "isSummary", "is_summary", "is_compaction_summary", "summary"];

/// Fields that say so by listing what was summarized.
const LINEAGE: &[&str] = &["_summary_of_message_ids", "_summary_of_group_ids", "forgotten_event_ids"];

/// Fields that say so by one of [`KINDS`].
const FIELDS: &[&str] = &["kind", "subtype", "lc_source", "observation", "message_type", "part_kind"];

/// What a message, a block or an item of a compactor calls itself.
const KINDS: &[&str] = &[
    "compaction_summary",
    "compact_summary",
    "compact_boundary",
    "context_compaction",
    "conversation_summary",
    "summarization",
    "summary",
    "condense",
    "condensation",
    "Condensation",
    "CondensationSummaryEvent",
];

/// Other types of blocks and items that are nothing else.
const PROVIDER_KINDS: &[&str] = &["compaction_summary", "compact_summary", "compact_boundary", "context_compaction"];

/// What providers call the item or the block that stands for the conversation before it.
pub(super) const COMPACTION: &str = "compaction";

/// Where a framework puts what is not the provider's.
const METADATA: &[&str] = &["metadata", "additional_kwargs", "additional_properties"];

/// Whether a block or an item is a provider's compaction, readable or not.
pub(super) fn is_compaction(block: &Value) -> bool {
    let kind = block::kind(block);
    // frameworks keep a provider's type by the provider's name
    let options = block.get("providerOptions").or_else(|| block.get("providerMetadata")).and_then(Value::as_object);
    kind == COMPACTION
        || PROVIDER_KINDS.contains(&kind)
        || block.get("part_kind").and_then(Value::as_str) == Some(COMPACTION)
        || options.is_some_and(|by_provider| by_provider.values().any(|place| block::kind(place) == COMPACTION))
}

/// The readable part of a provider's compaction, and the price of what only the provider can read.
pub(super) fn compaction(block: &Value) -> (Part, u32) {
    let text = block.get("content").or_else(|| block.get("text")).unwrap_or(&Value::Null);
    let mut found = block::Gathered::default();
    block::gather(text, 0, &mut found);
    let sealed = block.get("encrypted_content").and_then(Value::as_str).map_or(0, block::opaque);
    (Part::Foreign(found.text()), sealed)
}

/// A provider's compaction as an item of the list, which has no role.
pub(super) fn item(message: &Value) -> Option<Message> {
    if message.get("role").is_some() || !is_compaction(message) {
        return None;
    }
    let (part, tokens) = compaction(message);
    let parts = vec![Part::Text(part.text().to_owned()), block::media("file", &Value::Null, tokens)];
    Some(Message { role: Role::Assistant, parts, foreign_summary: true, cache_markers: 0, name: None })
}

/// Finds the foreign parts of a message; whether it is nothing else.
pub(super) fn mark(message: &Value, role: Role, parts: &mut [Part]) -> bool {
    let said = role == Role::User || role.is_system();
    if flagged(message) || said && is_ours(parts) {
        parts.iter_mut().for_each(as_text);
        return true;
    }
    if said {
        for part in parts.iter_mut() {
            if let Part::Text(text) = part
                && opens_like_one(text)
            {
                *part = Part::Foreign(std::mem::take(text));
            }
        }
    }
    let mut foreign = false;
    for part in parts.iter() {
        match part {
            Part::Foreign(_) => foreign = true,
            Part::Media { .. } => {}
            other if other.text().is_empty() && !matches!(other, Part::Call { .. } | Part::Result { .. }) => {}
            _ => return false,
        }
    }
    if foreign {
        parts.iter_mut().for_each(as_text);
    }
    foreign
}

/// In a message that is foreign as a whole there is nothing to tell apart.
fn as_text(part: &mut Part) {
    if let Part::Foreign(text) = part {
        *part = Part::Text(std::mem::take(text));
    }
}

fn flagged(message: &Value) -> bool {
    is_compaction(message)
        || KINDS.contains(&block::kind(message))
        || says(message)
        || METADATA.iter().filter_map(|field| message.get(field)).any(says)
}

/// Whether the fields of a message or of its metadata say so.
fn says(place: &Value) -> bool {
    let Some(fields) = place.as_object() else { return false };
    fields.iter().any(|(name, value)| {
        let name = name.as_str();
        match value {
            Value::Bool(true) => FLAGS.contains(&name),
            Value::String(kind) => FIELDS.contains(&name) && KINDS.contains(&kind.as_str()),
            Value::Array(_) => LINEAGE.contains(&name),
            _ => false,
        }
    })
}

/// Our own memory message: closed, and nothing else stands in it. What a person adds to it is the person's.
fn is_ours(parts: &[Part]) -> bool {
    let last = parts.iter().rev().find(|part| !matches!(part, Part::Media { .. }));
    let first = parts.first().map_or("", Part::text).trim_start();
    first.lines().next().is_some_and(|line| line.trim_end() == MEMORY_OPEN)
        && parts.iter().all(|part| matches!(part, Part::Text(_)))
        && last.is_some_and(|part| part.text().trim_end().ends_with(MEMORY_CLOSE))
}

fn opens_like_one(text: &str) -> bool {
    let text = text.trim();
    OPENINGS.iter().any(|opening| text.starts_with(opening)) || ELEMENTS.iter().any(|name| is_element(text, name))
}

/// Whether a text is one element of this name.
fn is_element(text: &str, name: &str) -> bool {
    let inner = text.strip_prefix('<').and_then(|rest| rest.strip_prefix(name)).and_then(|rest| rest.strip_prefix('>'));
    let inner = inner.and_then(|rest| rest.strip_suffix('>')).and_then(|rest| rest.strip_suffix(name));
    inner.is_some_and(|rest| rest.ends_with("</"))
}
