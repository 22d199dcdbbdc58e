//! Another compactor's output in an observed history, and our own memory message replayed.

use serde_json::Value;

use crate::event::{Part, Role};

/// The first line of our own memory message.
const MEMORY_OPEN: &str = crate::text::sentinel::MEMORY_OPEN;
/// Its last line.
const MEMORY_CLOSE: &str = crate::text::sentinel::MEMORY_CLOSE;

/// How the summaries of known compactors begin.
const OPENINGS: &[(&str, &str)] = &[
    ("claude_code", "This session is being continued from a previous conversation that ran out of context"),
    ("langchain", "Here is a summary of the conversation to date:"),
    ("deepagents", "You are in the middle of a conversation that has been summarized."),
    ("codex", "Another language model started to solve this problem and produced a summary of its thinking process"),
    ("pi", "The conversation history before this point was compacted into the following summary:"),
];

/// Fields that say so by being `true`, on the message or in its metadata.
const FLAGS: &[&str] = &["isCompactSummary", "is_compact_summary", "isSummary", "is_summary", "is_compaction_summary"];

/// Values of `metadata.kind` and of a block's `type` that say so.
const KINDS: &[&str] = &["compaction_summary", "compact_summary", "conversation_summary", "summary"];

/// Whether a message is a foreign summary.
pub(super) fn is_foreign(message: &Value, role: Role, parts: &[Part]) -> bool {
    flagged(message) || ((role == Role::User || role.is_system()) && opens_like_one(parts))
}

fn flagged(message: &Value) -> bool {
    let blocks = message.get("content").and_then(Value::as_array);
    if blocks.is_some_and(|blocks| blocks.iter().any(|block| super::block::kind(block) == "compaction")) {
        return true;
    }
    [Some(message), message.get("metadata"), message.get("additional_kwargs")].into_iter().flatten().any(|place| {
        let text = |field: &str| place.get(field).and_then(Value::as_str).unwrap_or_default();
        FLAGS.iter().any(|flag| place.get(flag) == Some(&Value::Bool(true)))
            || text("lc_source") == "summarization"
            || KINDS.contains(&text("kind"))
    })
}

fn opens_like_one(parts: &[Part]) -> bool {
    let Some(Part::Text(text)) = parts.iter().find(|part| matches!(part, Part::Text(_))) else {
        return false;
    };
    let text = text.trim_start();
    if text.lines().next().is_some_and(|line| line.trim_end() == MEMORY_OPEN) {
        // ours is closed, and nothing else stands in it: what a person adds to it is the person's
        let last = parts.iter().rev().find(|part| !matches!(part, Part::Media { .. }));
        return parts.iter().all(|part| matches!(part, Part::Text(_)))
            && last.is_some_and(|part| part.text().trim_end().ends_with(MEMORY_CLOSE));
    }
    OPENINGS.iter().any(|(_, opening)| text.starts_with(opening))
}
