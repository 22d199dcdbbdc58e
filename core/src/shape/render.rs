//! The messages that are ours to write, and the texts of a list for the assertion.

use serde_json::Value;

use super::Shape;
use crate::json::object;
use crate::text::words::listed;

/// The pinned block as a message of its own, for shapes with system messages in the list. `None` for shapes with a
/// system slot: see [`system_with_block`].
#[must_use]
pub fn pinned_message(shape: Shape, block: &str) -> Option<Value> {
    (!shape.has_slot()).then(|| system_message(block))
}

fn system_message(text: &str) -> Value {
    object([("role", "system".into()), ("content", text.into())])
}

/// The memory message: user role, one piece per segment. The cache marker goes on the piece at `cache_marker_on`.
#[must_use]
pub fn memory_message(shape: Shape, pieces: &[String], cache_marker_on: Option<usize>) -> Value {
    let shown = || pieces.iter().enumerate().filter(|(_, piece)| !piece.trim().is_empty());
    let marked = cache_marker_on.filter(|at| !matches!(shape, Shape::Responses | Shape::Gemini) && shown().any(|(i, _)| i == *at));
    if shape == Shape::Openai && marked.is_none() {
        let joined = shown().map(|(_, piece)| piece.as_str()).collect::<Vec<_>>().join("\n\n");
        return object([("role", "user".into()), ("content", joined.into())]);
    }
    let mut blocks: Vec<Value> = Vec::new();
    for (i, piece) in shown() {
        let mut block = text_block(shape, piece);
        if let (true, Some(fields)) = (marked == Some(i), block.as_object_mut()) {
            let marker = object([("type", "ephemeral".into())]);
            let (field, marker) = match shape {
                Shape::AiSdk => ("providerOptions", object([("anthropic", object([("cacheControl", marker)]))])),
                _ => ("cache_control", marker),
            };
            fields.insert(field.to_owned(), marker);
        }
        blocks.push(block);
    }
    object([("role", "user".into()), (if shape == Shape::Gemini { "parts" } else { "content" }, Value::Array(blocks))])
}

/// A text as a block of a message of the user or of the system slot.
pub(crate) fn text_block(shape: Shape, text: &str) -> Value {
    match shape {
        Shape::Gemini => object([("text", text.into())]),
        Shape::Responses => object([("type", "input_text".into()), ("text", text.into())]),
        Shape::Openai | Shape::Anthropic | Shape::AiSdk => object([("type", "text".into()), ("text", text.into())]),
    }
}

/// The system slot with the pinned block behind what the host has there. A text stays a text, a list gets one more
/// block; the host's own bytes are not touched.
#[must_use]
pub fn system_with_block(shape: Shape, system: Option<&Value>, block: &str) -> Value {
    let entry = |text: &str| if shape == Shape::AiSdk { system_message(text) } else { text_block(shape, text) };
    match system {
        None | Some(Value::Null) => Value::String(block.to_owned()),
        Some(Value::String(head)) if head.is_empty() => Value::String(block.to_owned()),
        Some(Value::String(head)) => Value::String(format!("{head}\n\n{block}")),
        Some(Value::Array(blocks)) => {
            let mut blocks = blocks.clone();
            blocks.push(entry(block));
            Value::Array(blocks)
        }
        // a content of Gemini
        Some(Value::Object(content)) if content.contains_key("parts") => {
            let mut content = content.clone();
            if let Some(Value::Array(parts)) = content.get_mut("parts") {
                parts.push(entry(block));
            }
            Value::Object(content)
        }
        Some(other) => Value::Array(vec![other.clone(), entry(block)]),
    }
}

/// Whether a value can be a system slot: a text, a list of blocks or a content of Gemini.
#[must_use]
pub fn is_slot(system: &Value) -> bool {
    system.is_string() || system.is_array() || system.get("parts").is_some_and(Value::is_array)
}

/// The texts of the system slot and of the system and developer messages: where the pinned block may stand.
#[must_use]
pub fn system_texts(shape: Shape, messages: &[Value], system: Option<&Value>) -> Vec<String> {
    let mut texts = Vec::new();
    if let Some(system) = system {
        slot_texts(system, &mut texts);
    }
    for message in messages.iter().filter(|message| is_system(message, shape)) {
        if let Some(content) = message.get("content").or_else(|| message.get("parts")) {
            slot_texts(content, &mut texts);
        }
    }
    texts
}

fn slot_texts(content: &Value, texts: &mut Vec<String>) {
    match content {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(blocks) => blocks.iter().for_each(|block| slot_texts(block, texts)),
        // a block, a content of Gemini, or a system message of the AI SDK
        Value::Object(block) => {
            let inner = block.get("text").or_else(|| block.get("parts"));
            if let Some(inner) = inner.or_else(|| block.get("content").filter(|_| block.get("role").is_some())) {
                slot_texts(inner, texts);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_system(message: &Value, shape: Shape) -> bool {
    match message.get("role").and_then(Value::as_str) {
        Some("system") => true,
        Some("developer") => matches!(shape, Shape::Openai | Shape::Responses),
        _ => false,
    }
}

/// Fields that hold no text a model reads: names, ids, bytes and references.
const NOT_TEXT: &str = "role type id name call_id tool_call_id tool_use_id toolCallId toolName approvalId mediaType providerOptions data url \
    image_url input_audio file_data file_id signature encrypted_content thoughtSignature thought_signature cache_control media_type metadata \
    additional_kwargs";

/// Every text outside system and developer messages: contents, results, reasoning and call arguments.
#[must_use]
pub fn all_texts(messages: &[Value]) -> Vec<String> {
    let mut texts = Vec::new();
    messages.iter().filter(|message| !is_system(message, Shape::Openai)).for_each(|message| walk(message, &mut texts));
    texts
}

fn walk(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| walk(item, texts)),
        Value::Object(map) => {
            // A text document keeps its words under `data`.
            let plain = map.get("type").and_then(Value::as_str) == Some("text");
            map.iter().filter(|(key, _)| !listed(NOT_TEXT, key.as_str()) || (plain && *key == "data")).for_each(|(_, v)| walk(v, texts));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
