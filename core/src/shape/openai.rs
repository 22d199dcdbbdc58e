//! OpenAI chat completions and the many that speak it, legacy function calls included; AI SDK messages differ in their parts.

use serde_json::Value;

use super::{Shape, ai_sdk, anthropic, at_least_one, block, foreign, invalid, role_of, unknown_role};
use crate::error::Result;
use crate::event::{Message, Part, Role};
use crate::ordered::Set;

/// Beginning of the ids made up for legacy function calls, which have none: the rest is the function's name.
pub const LEGACY_CALL: &str = "function:";

pub(super) fn read(shape: Shape, message: &Value, image_tokens: u32) -> Result<Message> {
    let spelled = role_of(message)?;
    let role = match spelled {
        "system" => Role::System,
        "developer" if shape != Shape::AiSdk => Role::Developer,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" if shape != Shape::Responses => Role::Tool,
        "function" if shape == Shape::Openai => Role::Tool,
        other => return Err(unknown_role(other, shape)),
    };
    let name = message.get("name").and_then(Value::as_str);
    let mut parts = Vec::new();
    match spelled {
        "tool" if shape == Shape::Openai => {
            let id = message.get("tool_call_id").and_then(Value::as_str);
            let id = id.ok_or_else(|| invalid("tool_call_id", "a tool message names the call it answers"))?;
            parts.push(result(message, id.to_owned(), image_tokens));
        }
        "tool" if !message.get("content").is_some_and(Value::is_array) => {
            return Err(invalid("content", "a tool message of the AI SDK holds its results as parts"));
        }
        "function" => {
            let name = name.ok_or_else(|| invalid("name", "a function message names its function"))?;
            parts.push(result(message, format!("{LEGACY_CALL}{name}"), image_tokens));
        }
        _ => {
            if role == Role::Assistant {
                parts.extend(reasoning(message));
            }
            content(shape, message.get("content").unwrap_or(&Value::Null), image_tokens, &mut parts)?;
        }
    }
    if role == Role::Assistant {
        if let Some(refusal) = message.get("refusal").and_then(Value::as_str) {
            parts.push(Part::Text(refusal.to_owned()));
        }
        if message.get("audio").is_some_and(|audio| !audio.is_null()) {
            parts.push(block::media("audio", &Value::Null, image_tokens));
        }
        calls(message, &mut parts)?;
    } else {
        at_least_one(&mut parts);
    }
    let foreign_summary = foreign::mark(message, role, &mut parts);
    Ok(Message { role, parts, foreign_summary, cache_markers: block::cache_markers(message), name: name.map(str::to_owned) })
}

fn result(message: &Value, id: String, image_tokens: u32) -> Part {
    let mut found = block::Gathered::default();
    block::gather(message.get("content").unwrap_or(&Value::Null), image_tokens, &mut found);
    let media_tokens = found.media;
    Part::Result { id, text: found.text(), media_tokens, error: block::failed(message) }
}

/// Reasoning beside the content, as DeepSeek, OpenRouter and LiteLLM send it.
fn reasoning(message: &Value) -> Option<Part> {
    let text = ["reasoning_content", "reasoning"].iter().find_map(|field| message.get(field).and_then(Value::as_str));
    let sealed = ["reasoning_details", "thinking_blocks"].iter().find_map(|field| message.get(field).and_then(Value::as_array));
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        return Some(block::reasoning(text.to_owned(), 0));
    }
    let blocks: Vec<Part> = sealed?.iter().map(block::thinking).collect();
    let text = blocks.iter().map(Part::text).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    let price = |part: &Part| if let Part::Reasoning { tokens, .. } = part { *tokens } else { 0 };
    let tokens = blocks.iter().map(price).fold(0_u32, u32::saturating_add);
    (!blocks.is_empty()).then_some(Part::Reasoning { text, tokens })
}

fn content(shape: Shape, content: &Value, image_tokens: u32, parts: &mut Vec<Part>) -> Result<()> {
    match content {
        Value::Null => {}
        Value::String(text) => parts.push(Part::Text(text.clone())),
        Value::Array(blocks) => blocks.iter().try_for_each(|item| piece(shape, item, image_tokens, parts))?,
        Value::Object(_) => piece(shape, content, image_tokens, parts)?,
        Value::Bool(_) | Value::Number(_) => return Err(invalid("content", "content is a text or a list of parts")),
    }
    Ok(())
}

fn piece(shape: Shape, item: &Value, image_tokens: u32, parts: &mut Vec<Part>) -> Result<()> {
    if shape == Shape::AiSdk && ai_sdk::piece(item, image_tokens, parts)? {
        return Ok(());
    }
    let text = |field: &str| item.get(field).and_then(Value::as_str).map(str::to_owned);
    match block::kind(item) {
        _ if foreign::is_compaction(item) => anthropic::piece(item, image_tokens, parts)?,
        "text" | "input_text" | "output_text" => {
            parts.push(Part::Text(text("text").ok_or_else(|| invalid("content.text", "a text part holds a text"))?));
        }
        "refusal" => parts.push(Part::Text(text("refusal").unwrap_or_default())),
        "reasoning" => parts.push(block::thinking(item)),
        _ => anthropic::piece(item, image_tokens, parts)?,
    }
    Ok(())
}

fn calls(message: &Value, parts: &mut Vec<Part>) -> Result<()> {
    if let Some(call) = message.get("function_call").filter(|call| !call.is_null()) {
        let name = call.get("name").and_then(Value::as_str);
        let name = name.ok_or_else(|| invalid("function_call.name", "a function call names its function"))?;
        let arguments = block::arguments(call.get("arguments"));
        parts.push(Part::Call { id: format!("{LEGACY_CALL}{name}"), name: name.to_owned(), arguments });
    }
    let calls = match message.get("tool_calls") {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Array(calls)) => calls,
        Some(_) => return Err(invalid("tool_calls", "tool calls are a list")),
    };
    // Some clients repeat a call as a content block; the call itself counts once.
    let listed: Set<&str> = calls.iter().filter_map(|call| call.get("id").and_then(Value::as_str)).collect();
    parts.retain(|part| !matches!(part, Part::Call { id, .. } if listed.contains(id.as_str())));
    for call in calls {
        let id = call.get("id").and_then(Value::as_str).ok_or_else(|| invalid("tool_calls.id", "a tool call has an id"))?;
        let body = ["function", "custom"].iter().find_map(|field| call.get(field)).unwrap_or(call);
        let name = body.get("name").and_then(Value::as_str);
        let name = name.ok_or_else(|| invalid("tool_calls.function.name", "a tool call names its tool"))?;
        let input = ["arguments", "input", "args"].iter().find_map(|field| body.get(field));
        parts.push(Part::Call { id: id.to_owned(), name: name.to_owned(), arguments: block::arguments(input) });
    }
    Ok(())
}
