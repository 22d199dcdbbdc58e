//! Which shape a list of messages has.

use serde_json::Value;

use super::{Shape, ai_sdk, anthropic, block, foreign, shown};
use crate::error::{Code, Error, Result};
use crate::text::words::listed;

/// What one message shows about its shape.
#[derive(Default)]
struct Seen<'a> {
    openai: Option<&'a str>,
    anthropic: Option<&'a str>,
    ai_sdk: Option<&'a str>,
    other: Option<(&'a str, &'static str)>,
}

/// Names the shape of a list. A list that could be either is OpenAI chat; a system role alone does not outweigh
/// Anthropic blocks, because proxies put it there.
///
/// # Errors
/// `unknown_shape` for a mix, or for messages of another format, naming what was seen.
pub fn detect(messages: &[Value]) -> Result<Shape> {
    let mut seen = Seen::default();
    for message in messages {
        look(message, &mut seen);
    }
    if let Some((what, format)) = seen.other {
        let message = format!("`{}` is {format}, not an OpenAI chat, Anthropic or AI SDK message", shown(what));
        return Err(Error::new(Code::UnknownShape, message).with("seen", shown(what)));
    }
    let shapes = [
        (seen.openai, Shape::Openai, "OpenAI chat"),
        (seen.anthropic, Shape::Anthropic, "Anthropic"),
        (seen.ai_sdk, Shape::AiSdk, "the AI SDK"),
    ];
    let mut first = None;
    for (what, shape, format) in shapes {
        let Some(what) = what else { continue };
        if let Some((before, _, of)) = first {
            let message = format!("`{}` of {of} and `{}` of {format} in one list", shown(before), shown(what));
            return Err(Error::new(Code::UnknownShape, message).with("seen", vec![shown(before), shown(what)]));
        }
        first = Some((what, shape, format));
    }
    Ok(first.map_or(Shape::Openai, |(_, shape, _)| shape))
}

/// The shape of one message, and whether the message itself shows it: plain text could be of either.
///
/// # Errors
/// As [`detect`].
pub fn detect_one(message: &Value) -> Result<(Shape, bool)> {
    let shape = detect(std::slice::from_ref(message))?;
    let mut seen = Seen::default();
    look(message, &mut seen);
    Ok((shape, seen.openai.is_some() || seen.anthropic.is_some() || seen.ai_sdk.is_some()))
}

/// Message fields that only OpenAI chat has.
const OPENAI_FIELDS: &[&str] = &["tool_calls", "function_call", "tool_call_id", "refusal", "reasoning_content", "reasoning_details"];

/// Block types that only Anthropic has, beside calls and results.
const ANTHROPIC_BLOCKS: &str = "thinking redacted_thinking document search_result container_upload compaction";

/// Block types that only OpenAI chat has.
const OPENAI_BLOCKS: &[&str] = &["image_url", "input_audio", "refusal"];

/// Block types of formats that are neither.
const OTHER_BLOCKS: &[(&str, &str)] = &[
    ("input_text", "an OpenAI Responses part"),
    ("output_text", "an OpenAI Responses part"),
    ("input_image", "an OpenAI Responses part"),
    ("input_file", "an OpenAI Responses part"),
];

/// Keys of Bedrock Converse blocks, which have no `type`.
const BEDROCK_KEYS: &[&str] = &["toolUse", "toolResult", "reasoningContent", "cachePoint"];

fn look<'a>(message: &'a Value, seen: &mut Seen<'a>) {
    let present = |field: &&&str| message.get(**field).is_some_and(|value| !value.is_null());
    if foreign::is_item(message) {
        return;
    }
    let Some(role) = message.get("role").and_then(Value::as_str) else {
        let kind = block::kind(message);
        seen.other.get_or_insert(match kind {
            "" if message.get("parts").is_some() => ("parts", "a Gemini or AI SDK UI field"),
            "" => ("message", "something without a role"),
            "human" | "ai" => (kind, "a LangChain message type"),
            _ => (kind, "an OpenAI Responses item"),
        });
        return;
    };
    let content = message.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    match role {
        // a tool message names its call, or its parts do
        "tool" if message.get("tool_call_id").is_none() && content.iter().any(ai_sdk::is_part) => {}
        "developer" | "tool" | "function" => {
            seen.openai.get_or_insert(role);
        }
        "model" => {
            seen.other.get_or_insert((role, "a Gemini role"));
        }
        _ => {}
    }
    if message.get("content").is_none() && message.get("parts").is_some_and(Value::is_array) {
        seen.other.get_or_insert(("parts", "a Gemini or AI SDK UI field"));
    }
    if let Some(field) = OPENAI_FIELDS.iter().find(present) {
        seen.openai.get_or_insert(field);
    }
    for item in content {
        look_at_block(item, seen);
    }
}

fn look_at_block<'a>(item: &'a Value, seen: &mut Seen<'a>) {
    let kind = block::kind(item);
    if kind == foreign::COMPACTION && item.get("encrypted_content").is_some() {
        return; // of either provider
    }
    if let Some((name, format)) = OTHER_BLOCKS.iter().find(|(name, _)| *name == kind) {
        seen.other.get_or_insert((name, format));
    } else if ai_sdk::is_part(item) {
        seen.ai_sdk.get_or_insert(kind);
    } else if OPENAI_BLOCKS.contains(&kind) {
        seen.openai.get_or_insert(kind);
    } else if listed(ANTHROPIC_BLOCKS, kind) || anthropic::is_call(kind) || anthropic::is_result(kind) || is_anthropic_image(item) {
        seen.anthropic.get_or_insert(kind);
    } else if kind.is_empty()
        && let Some(key) = BEDROCK_KEYS.iter().find(|key| item.get(**key).is_some())
    {
        seen.other.get_or_insert((key, "a Bedrock block"));
    }
}

fn is_anthropic_image(item: &Value) -> bool {
    block::kind(item) == "image" && item.get("source").is_some_and(Value::is_object)
}
