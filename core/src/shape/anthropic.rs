//! Anthropic messages: content blocks, results inside user messages, server tools inside assistant messages.

use serde_json::Value;

use super::{Shape, at_least_one, block, foreign, invalid, role_of, unknown_role};
use crate::error::Result;
use crate::event::{Message, Part, Role};

pub(super) fn read(message: &Value, image_tokens: u32) -> Result<Message> {
    let role = match role_of(message)? {
        "user" => Role::User,
        "assistant" => Role::Assistant,
        // Not in the API, but some proxies lift it into the system prompt.
        "system" => Role::System,
        other => return Err(unknown_role(other, Shape::Anthropic)),
    };
    let mut parts = Vec::new();
    match message.get("content").unwrap_or(&Value::Null) {
        Value::Null => {}
        Value::String(text) => parts.push(Part::Text(text.clone())),
        Value::Array(blocks) => blocks.iter().try_for_each(|item| piece(item, image_tokens, &mut parts))?,
        Value::Object(_) | Value::Bool(_) | Value::Number(_) => {
            return Err(invalid("content", "content is a text or a list of blocks"));
        }
    }
    if role != Role::Assistant {
        at_least_one(&mut parts);
    }
    let foreign_summary = foreign::mark(message, role, &mut parts);
    Ok(Message { role, parts, foreign_summary, cache_markers: block::cache_markers(message), name: None })
}

/// Whether a block is a call: by the client, by the server or by a connected server.
pub(super) fn is_call(kind: &str) -> bool {
    kind == "tool_use" || kind.ends_with("_tool_use")
}

/// Whether a block is the result of a call.
pub(super) fn is_result(kind: &str) -> bool {
    kind == "tool_result" || kind.ends_with("_tool_result")
}

pub(super) fn piece(item: &Value, image_tokens: u32, parts: &mut Vec<Part>) -> Result<()> {
    let text = |field: &str| item.get(field).and_then(Value::as_str).map(str::to_owned);
    if let Value::String(bare) = item {
        parts.push(Part::Text(bare.clone()));
        return Ok(());
    }
    if !item.is_object() {
        return Err(invalid("content", "a content block is an object"));
    }
    if foreign::is_compaction(item) {
        let (part, tokens) = foreign::compaction(item);
        parts.push(part);
        if tokens > 0 {
            parts.push(block::media("file", &Value::Null, tokens));
        }
        return Ok(());
    }
    match block::kind(item) {
        "text" => parts.push(Part::Text(text("text").ok_or_else(|| invalid("content.text", "a text block holds a text"))?)),
        "thinking" | "redacted_thinking" => parts.push(block::thinking(item)),
        kind if is_call(kind) => {
            let id = text("id").ok_or_else(|| invalid("content.id", "a tool call has an id"))?;
            let name = text("name").ok_or_else(|| invalid("content.name", "a tool call names its tool"))?;
            parts.push(Part::Call { id, name, arguments: block::arguments(item.get("input")) });
        }
        kind if is_result(kind) => {
            let id = text("tool_use_id").ok_or_else(|| invalid("content.tool_use_id", "a result names the call it answers"))?;
            let mut found = block::Gathered::default();
            block::gather(item.get("content").unwrap_or(&Value::Null), image_tokens, &mut found);
            let media_tokens = found.media;
            parts.push(Part::Result { id, text: found.text(), media_tokens, error: block::failed(item) });
        }
        "document" => parts.extend(block::document(item, image_tokens)),
        "file" if item.get("content").is_some_and(Value::is_string) => parts.push(Part::Attached(text("content").unwrap_or_default())),
        kind => match block::media_kind(kind) {
            Some(media) => parts.push(block::media(media, item, image_tokens)),
            None => parts.extend(block::unknown(item, image_tokens)),
        },
    }
    Ok(())
}
