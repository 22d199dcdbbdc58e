//! AI SDK model messages: parts named with a hyphen, results in tool messages, the system prompt beside the list.

use serde_json::Value;

use super::{block, invalid};
use crate::error::Result;
use crate::event::Part;

/// Part types that only the AI SDK has.
pub(super) const PARTS: &[&str] = &["tool-call", "tool-result", "tool-approval-request", "tool-approval-response", "reasoning-file"];

/// Names that the AI SDK alone gives to a part's fields.
const FIELDS: &[&str] = &["mediaType", "providerOptions"];

/// Whether a content part is one of the AI SDK: by its type, or by how its fields are named.
pub(super) fn is_part(item: &Value) -> bool {
    PARTS.contains(&block::kind(item)) || FIELDS.iter().any(|field| item.get(field).is_some())
}

/// Reads a part that no other shape has; whether it was one.
pub(super) fn piece(item: &Value, image_tokens: u32, parts: &mut Vec<Part>) -> Result<bool> {
    let text = |field: &str| {
        let found = item.get(field).and_then(Value::as_str);
        found.map(str::to_owned).ok_or_else(|| invalid(field, "an AI SDK part of this type has it"))
    };
    parts.push(match block::kind(item) {
        "tool-call" => {
            let input = item.get("input").or_else(|| item.get("args"));
            Part::Call { id: text("toolCallId")?, name: text("toolName")?, arguments: block::arguments(input) }
        }
        "tool-result" => result(item, text("toolCallId")?, image_tokens),
        "tool-approval-request" => Part::Approval { id: text("approvalId")?, response: false },
        "tool-approval-response" => Part::Approval { id: text("approvalId")?, response: true },
        _ => return Ok(false),
    });
    Ok(true)
}

/// A result. Its output says of what kind it is; before version 5 it was a bare value.
fn result(item: &Value, id: String, image_tokens: u32) -> Part {
    let mut found = block::Gathered::default();
    let output = item.get("output").unwrap_or(&Value::Null);
    let kind = block::kind(output);
    let value = [output.get("value"), output.get("reason"), item.get("result")].into_iter().flatten().next().unwrap_or(&Value::Null);
    if kind == "content" || value.is_string() {
        block::gather(value, image_tokens, &mut found);
    } else {
        // the model reads it as JSON
        found.texts.push(block::arguments(Some(value)));
    }
    let error = kind.starts_with("error-") || kind == "execution-denied" || item.get("isError") == Some(&Value::Bool(true));
    let media_tokens = found.media;
    Part::Result { id, text: found.text(), media_tokens, error }
}
