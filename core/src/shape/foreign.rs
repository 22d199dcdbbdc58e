//! Another compactor's output in an observed history, and our own memory message replayed (T5).
//!
//! A message that is nothing else is a foreign summary as a whole; beside somebody's own words the summary is a part of
//! its own ([`Part::Foreign`]), and the words stay theirs.

use serde_json::Value;

use super::block;
use crate::event::{Message, Part, Role};
use crate::text::words::listed;

/// The first line of our own memory message.
const MEMORY_OPEN: &str = crate::text::sentinel::MEMORY_OPEN;
/// Its last line.
const MEMORY_CLOSE: &str = crate::text::sentinel::MEMORY_CLOSE;

/// How the summaries of known compactors begin, in any case. The last is that of the published guide.
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
    "Summary of conversation earlier:",
    "Here is a brief summary of your previous interactions",
    "Note: prior messages ",
    "{\"type\": \"system_alert\"",
    "Summary of work so far (round ",
];

/// Elements that a summary is wrapped in, with `_` or `-`. All but the first are foreign beside other words too.
const ELEMENTS: &[&str] = &[
    "summary",
    "state_snapshot",
    "conversation_summary",
    "conversation_history_summary",
    "context_summary",
    "compaction_summary",
    "compacted_context",
    "history_summary",
    "previous_summary",
    "prior_summary",
    "session_summary",
    "summary_of_previous_interactions",
];

/// Elements of a model that thinks before it writes its summary.
const DRAFTS: &[&str] = &["analysis", "scratchpad"];

/// What a label in brackets before a summary speaks of: that it is one, and of what.
const SUMMED: &[&str] = &["summar", "compact", "condens"];
const TALK: &[&str] = &["context", "conversation", "history", "session", "messages", "turns", "previous", "earlier"];

/// Longest label, in bytes.
const LABEL: usize = 200;

/// Roles that only a summary has.
const ROLES: &[&str] = &["compactionSummary", "branchSummary", "summary"];

/// Fields that say so by being `true`, on the message or in its metadata.
const FLAGS: &str = "isCompactSummary is_compact_summary isSummary is_summary is_compaction_summary summary";

/// Fields that say so by listing what was summarized.
const LINEAGE: &[&str] = &["_summary_of_message_ids", "_summary_of_group_ids", "forgotten_event_ids"];

/// Fields that say so by one of [`KINDS`].
const FIELDS: &str = "kind subtype lc_source observation message_type part_kind";

/// What a message, a block or an item of a compactor calls itself.
const KINDS: &str = "compaction_summary compact_summary compact_boundary context_compaction conversation_summary summarization summary \
    summary_message condense condensation Condensation CondensationSummaryEvent";

/// Other types of blocks and items that are nothing else.
const PROVIDER_KINDS: &str = "compaction_summary compact_summary compact_boundary context_compaction";

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
        || listed(PROVIDER_KINDS, kind)
        || block.get("part_kind").and_then(Value::as_str) == Some(COMPACTION)
        || options.is_some_and(|by_provider| by_provider.values().any(|place| block::kind(place) == COMPACTION))
}

/// The readable part of a provider's compaction, and the price of what only the provider can read.
pub(super) fn compaction(block: &Value) -> (Part, u32) {
    let text = ["content", "text", "summary"].iter().find_map(|field| block.get(field)).unwrap_or(&Value::Null);
    let mut found = block::Gathered::default();
    block::gather(text, 0, &mut found);
    let sealed = block.get("encrypted_content").and_then(Value::as_str).map_or(0, block::opaque);
    (Part::Foreign(found.text()), sealed)
}

/// Whether an entry of the list is a compaction of its own: without a role, or with one that nothing else has.
pub(super) fn is_item(message: &Value) -> bool {
    match message.get("role").and_then(Value::as_str) {
        Some(role) => ROLES.contains(&role),
        None => message.get("role").is_none() && flagged(message),
    }
}

/// A compaction as an item of the list.
pub(super) fn item(message: &Value) -> Option<Message> {
    if !is_item(message) {
        return None;
    }
    let (part, tokens) = compaction(message);
    let parts = vec![Part::Text(part.text().to_owned()), block::media("file", &Value::Null, tokens)];
    Some(Message { role: Role::Assistant, parts, foreign_summary: true, cache_markers: 0, name: None })
}

/// Finds the foreign parts of a message; whether it is nothing else.
pub(super) fn mark(message: &Value, role: Role, parts: &mut Vec<Part>) -> bool {
    let said = role == Role::User || role.is_system();
    if flagged(message) || said && is_ours(parts) {
        parts.iter_mut().for_each(as_text);
        return true;
    }
    if said {
        for part in std::mem::take(parts) {
            match part {
                Part::Text(text) if opens_like_one(&text) => parts.push(Part::Foreign(text)),
                Part::Text(text) => split(text, parts),
                other => parts.push(other),
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
        || listed(KINDS, block::kind(message))
        || says(message)
        || METADATA.iter().filter_map(|field| message.get(field)).any(says)
}

/// Whether the fields of a message or of its metadata say so.
fn says(place: &Value) -> bool {
    let Some(fields) = place.as_object() else { return false };
    fields.iter().any(|(name, value)| {
        let name = name.as_str();
        match value {
            Value::Bool(true) => listed(FLAGS, name),
            Value::String(kind) => listed(FIELDS, name) && listed(KINDS, kind.as_str()),
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
    let opens = |opening: &&str| text.get(..opening.len()).is_some_and(|head| head.eq_ignore_ascii_case(opening));
    OPENINGS.iter().any(opens) || is_labelled(text) || is_element(text)
}

/// Whether a text begins with a label in brackets that names a summary of the talk: `[Context summary]`.
fn is_labelled(text: &str) -> bool {
    let Some((label, rest)) = text.strip_prefix('[').and_then(|rest| rest.split_once(']')) else { return false };
    if label.len() > LABEL || label.contains('\n') || rest.starts_with('(') {
        return false;
    }
    let label = label.to_ascii_lowercase();
    let speaks_of = |words: &[&str]| words.iter().any(|word| label.contains(word));
    speaks_of(SUMMED) && speaks_of(TALK)
}

/// Whether a text is one element that summaries are wrapped in, behind drafts perhaps.
fn is_element(mut text: &str) -> bool {
    while let Some(name) = opened(text) {
        let Some(end) = closed(text, name) else { return false };
        let rest = text.get(end..).unwrap_or_default().trim_start();
        if rest.is_empty() {
            return is_one_of(name, ELEMENTS);
        }
        if !is_one_of(name, DRAFTS) && !is_one_of(name, ELEMENTS) {
            return false;
        }
        text = rest;
    }
    false
}

/// Takes the summaries out of a text that has words of its author too.
fn split(text: String, parts: &mut Vec<Part>) {
    let mut from = 0;
    while let Some((start, end)) = text.get(from..).and_then(element_in) {
        for (foreign, piece) in [(false, text.get(from..from + start)), (true, text.get(from + start..from + end))] {
            let piece = piece.unwrap_or_default().to_owned();
            parts.push(if foreign { Part::Foreign(piece) } else { Part::Text(piece) });
        }
        from += end;
    }
    let rest = if from == 0 { text } else { text.get(from..).unwrap_or_default().to_owned() };
    parts.push(Part::Text(rest));
}

/// Where the first element in a text begins and ends that is a summary wherever it stands.
fn element_in(text: &str) -> Option<(usize, usize)> {
    for (start, _) in text.match_indices('<') {
        let rest = text.get(start..)?;
        let begins = text.get(..start)?.trim_end_matches([' ', '\t']);
        if let Some(name) = opened(rest)
            && (begins.is_empty() || begins.ends_with('\n'))
            && is_one_of(name, ELEMENTS.get(1..)?)
        {
            return Some((start, start + closed(rest, name)?));
        }
    }
    None
}

/// The name of the element that a text begins with.
fn opened(text: &str) -> Option<&str> {
    let name = text.strip_prefix('<')?.split(|c: char| !c.is_ascii_alphabetic() && c != '_' && c != '-').next()?;
    text.get(1 + name.len()..)?.starts_with('>').then_some(name)
}

/// Where the element that a text begins with ends.
fn closed(text: &str, name: &str) -> Option<usize> {
    let close = format!("</{name}>");
    Some(text.find(&close)? + close.len())
}

fn is_one_of(name: &str, known: &[&str]) -> bool {
    known.iter().any(|known| known.len() == name.len() && name.replace('-', "_").eq_ignore_ascii_case(known))
}
