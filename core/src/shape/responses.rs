//! Items of OpenAI Responses that have no role: calls, what they gave, reasoning, approvals. Messages are read as OpenAI
//! chat is.

use serde_json::Value;

use super::{block, invalid};
use crate::error::Result;
use crate::event::{Message, Part, Role};

/// Items beside calls and what they gave, whose types end alike.
const ITEMS: &[&str] = &["reasoning", "mcp_approval_request", "mcp_approval_response", "mcp_list_tools", "item_reference"];

/// Where a call keeps what it was asked, and where what it gave.
const ASKED: &[&str] = &["arguments", "input", "action", "actions", "operation", "code", "queries"];
const GAVE: &[&str] = &["output", "outputs", "results", "result", "tools", "error"];

/// Whether a type is that of an item of this shape alone.
pub(super) fn is_item(kind: &str) -> bool {
    ITEMS.contains(&kind) || kind.ends_with("_call") || kind.ends_with("_output")
}

/// Reads an item without a role. One that nobody told us about is somebody else's text.
pub(super) fn read(item: &Value, image_tokens: u32) -> Result<Message> {
    let kind = block::kind(item);
    if kind.is_empty() {
        return Err(invalid("role", "an item has a role or a type"));
    }
    let text = |field: &str| item.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
    let id = text("call_id");
    let mut role = Role::Assistant;
    let mut parts = Vec::new();
    match kind {
        "reasoning" => parts.push(block::thinking(item)),
        "mcp_approval_request" => parts.push(Part::Approval { id: text("id"), response: false }),
        "mcp_approval_response" => {
            role = Role::Tool;
            parts.push(Part::Approval { id: text("approval_request_id"), response: true });
        }
        _ if kind.ends_with("_output") => {
            // the output of a local shell has the call's id for its own
            let id = if item.get("call_id").is_none() { text("id") } else { id };
            if !id.is_empty() {
                role = Role::Tool;
                parts.push(gave(item, id, image_tokens));
            }
        }
        _ if kind.ends_with("_call") => {
            let served = id.is_empty();
            let id = if served { text("id") } else { id };
            let name = text("name");
            let name = if name.is_empty() { kind.to_owned() } else { name };
            let input = ASKED.iter().find_map(|field| item.get(field));
            parts.push(Part::Call { id: id.clone(), name, arguments: block::arguments(input) });
            // what the provider ran itself is answered where it is called
            if served {
                parts.push(gave(item, id, image_tokens));
            }
        }
        _ => {}
    }
    if parts.is_empty() {
        parts = block::unknown(item, image_tokens);
    }
    Ok(Message { role, parts, foreign_summary: false, cache_markers: 0, name: None })
}

fn gave(item: &Value, id: String, image_tokens: u32) -> Part {
    let mut found = block::Gathered::default();
    for field in GAVE {
        block::gather(item.get(field).unwrap_or(&Value::Null), image_tokens, &mut found);
    }
    let failed =
        item.get("error").is_some_and(|error| !error.is_null()) || matches!(item.get("status"), Some(Value::String(s)) if s == "failed");
    let media_tokens = found.media;
    Part::Result { id, text: found.text(), media_tokens, error: failed }
}
