//! Which shape a list of messages has.

use serde_json::Value;

use super::{Shape, ai_sdk, anthropic, block, foreign, gemini, responses, shown};
use crate::error::{Code, Error, Result};
use crate::text::words::listed;

/// What one message shows about its shape.
#[derive(Default)]
struct Seen<'a> {
    /// By what each shape shows, in the order of [`SHAPES`].
    shapes: [Option<&'a str>; 5],
    other: Option<(&'a str, &'static str)>,
}

const SHAPES: [Shape; 5] = [Shape::Openai, Shape::Anthropic, Shape::AiSdk, Shape::Responses, Shape::Gemini];

impl<'a> Seen<'a> {
    fn shows(&mut self, shape: Shape, what: &'a str) {
        for (seen, of) in self.shapes.iter_mut().zip(SHAPES) {
            if of == shape {
                seen.get_or_insert(what);
            }
        }
    }

    fn is(&mut self, what: &'a str, format: &'static str) {
        self.other.get_or_insert((what, format));
    }
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
        let message = format!("`{}` is {format}, not a message of a shape that is read", shown(what));
        return Err(Error::new(Code::UnknownShape, message).with("seen", shown(what)));
    }
    let mut first: Option<(&str, Shape)> = None;
    for (what, shape) in seen.shapes.into_iter().zip(SHAPES) {
        let Some(what) = what else { continue };
        if let Some((before, of)) = first {
            let message = format!("`{}` of {} and `{}` of {} in one list", shown(before), of.name(), shown(what), shape.name());
            return Err(Error::new(Code::UnknownShape, message).with("seen", vec![shown(before), shown(what)]));
        }
        first = Some((what, shape));
    }
    Ok(first.map_or(Shape::Openai, |(_, shape)| shape))
}

/// The shape of one message, and whether the message itself shows it: plain text could be of either.
///
/// # Errors
/// As [`detect`].
pub fn detect_one(message: &Value) -> Result<(Shape, bool)> {
    let shape = detect(std::slice::from_ref(message))?;
    let mut seen = Seen::default();
    look(message, &mut seen);
    Ok((shape, seen.shapes.iter().any(Option::is_some)))
}

/// Message fields that only OpenAI chat has.
const OPENAI_FIELDS: &[&str] = &["tool_calls", "function_call", "tool_call_id", "refusal", "reasoning_content", "reasoning_details"];

/// Block types that only Anthropic has, beside calls and results.
const ANTHROPIC_BLOCKS: &str = "thinking redacted_thinking document search_result container_upload compaction";

/// Block types that only OpenAI chat has. A refusal and a sound stand in Responses too.
const OPENAI_BLOCKS: &[&str] = &["image_url"];

/// Block types that only OpenAI Responses has.
const RESPONSES_BLOCKS: &[&str] = &["input_text", "output_text", "input_image", "input_file"];

/// Keys of Bedrock Converse blocks, which have no `type`.
const BEDROCK_KEYS: &[&str] = &["toolUse", "toolResult", "reasoningContent", "cachePoint"];

fn look<'a>(message: &'a Value, seen: &mut Seen<'a>) {
    let present = |field: &&&str| message.get(**field).is_some_and(|value| !value.is_null());
    if foreign::is_item(message) {
        return;
    }
    if gemini::is_content(message) {
        return seen.shows(Shape::Gemini, "parts");
    }
    if message.get("content").is_none() && message.get("parts").is_some_and(Value::is_array) {
        return seen.is("parts", "an AI SDK UI field");
    }
    let Some(role) = message.get("role").and_then(Value::as_str) else {
        return match block::kind(message) {
            "human" => seen.is("human", "a LangChain message type"),
            "ai" => seen.is("ai", "a LangChain message type"),
            kind if responses::is_item(kind) => seen.shows(Shape::Responses, kind),
            _ => seen.is("message", "something without a role"),
        };
    };
    let content = message.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    match role {
        // a tool message names its call, or its parts do
        "tool" if message.get("tool_call_id").is_none() && content.iter().any(ai_sdk::is_part) => {}
        "tool" | "function" => seen.shows(Shape::Openai, role),
        "model" => seen.shows(Shape::Gemini, role),
        _ => {}
    }
    if let Some(field) = OPENAI_FIELDS.iter().find(present) {
        seen.shows(Shape::Openai, field);
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
    if RESPONSES_BLOCKS.contains(&kind) {
        seen.shows(Shape::Responses, kind);
    } else if ai_sdk::is_part(item) {
        seen.shows(Shape::AiSdk, kind);
    } else if OPENAI_BLOCKS.contains(&kind) {
        seen.shows(Shape::Openai, kind);
    } else if listed(ANTHROPIC_BLOCKS, kind) || anthropic::is_call(kind) || anthropic::is_result(kind) || is_anthropic_image(item) {
        seen.shows(Shape::Anthropic, kind);
    } else if kind.is_empty()
        && let Some(key) = BEDROCK_KEYS.iter().find(|key| item.get(**key).is_some())
    {
        seen.is(key, "a Bedrock block");
    }
}

fn is_anthropic_image(item: &Value) -> bool {
    block::kind(item) == "image" && item.get("source").is_some_and(Value::is_object)
}
