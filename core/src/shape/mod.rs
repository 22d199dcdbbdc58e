//! Provider JSON to [`Message`], read only: the host's objects are looked at, never rewritten.
//!
//! [`detect`] names the shape of a list, [`read`] turns one message into parts, [`validate`] says what the provider
//! would reject. The few messages that are ours to write come from [`pinned_message`], [`memory_message`] and
//! [`system_with_block`].

mod ai_sdk;
#[cfg(test)]
mod ai_sdk_tests;
mod anthropic;
mod block;
mod detect;
mod foreign;
#[cfg(test)]
mod foreign_tests;
mod gemini;
#[cfg(test)]
mod gemini_tests;
mod openai;
mod render;
mod responses;
#[cfg(test)]
mod responses_tests;
#[cfg(test)]
mod tests;
mod valid;

use serde::Serialize;
use serde_json::Value;

pub use detect::{detect, detect_one};
pub use openai::LEGACY_CALL;
pub(crate) use render::text_block;
pub use render::{all_texts, is_slot, memory_message, pinned_message, system_texts, system_with_block};
pub use valid::validate;

use crate::error::{Code, Error, Result};
use crate::event::{Message, Part};
use crate::reads;

/// A provider's message format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// OpenAI chat completions: `tool_calls`, role `tool`, system messages in the list.
    Openai,
    /// Anthropic messages: content blocks, results in user messages, the system prompt beside the list.
    Anthropic,
    /// AI SDK model messages: `tool-call` and `tool-result` parts, role `tool`, the system prompt beside the list.
    AiSdk,
    /// OpenAI Responses: items, calls and what they gave each on its own, `instructions` beside the list.
    Responses,
    /// Gemini contents: roles `user` and `model`, parts without types, the system prompt beside the list.
    Gemini,
}

reads! { Shape: Openai, Anthropic, AiSdk, Responses, Gemini }

impl Shape {
    /// Whether the system prompt stands beside the list.
    #[must_use]
    pub fn has_slot(self) -> bool {
        self != Self::Openai
    }

    /// Whether its messages can carry a prompt-cache marker that the provider obeys.
    #[must_use]
    pub fn has_marker(self) -> bool {
        matches!(self, Self::Anthropic | Self::AiSdk)
    }

    /// What messages of this shape are called.
    fn name(self) -> &'static str {
        match self {
            Self::Openai => "OpenAI chat",
            Self::Anthropic => "Anthropic",
            Self::AiSdk => "AI SDK",
            Self::Responses => "OpenAI Responses",
            Self::Gemini => "Gemini",
        }
    }
}

/// Most text that one message may hold.
const MAX_TEXT: usize = 64 << 20;

/// Reads one message of `shape`. Images, sounds and files are priced `image_tokens` each, whatever their bytes.
///
/// ```
/// # use serde_json::json;
/// # use standfast::shape::{read, Shape};
/// let message = read(Shape::Openai, &json!({"role": "user", "content": "Ship it on Friday."}), 1_200)?;
/// assert!(message.is_user_turn());
/// # Ok::<(), standfast::Error>(())
/// ```
///
/// # Errors
/// `unknown_role`, `invalid_message` naming the field, or `too_large` beyond 64 MB of text.
pub fn read(shape: Shape, message: &Value, image_tokens: u32) -> Result<Message> {
    if let Some(item) = foreign::item(message) {
        return Ok(item);
    }
    let read = match shape {
        Shape::Responses if message.get("role").is_none() && message.is_object() => responses::read(message, image_tokens)?,
        Shape::Openai | Shape::AiSdk | Shape::Responses => openai::read(shape, message, image_tokens)?,
        Shape::Anthropic => anthropic::read(message, image_tokens)?,
        Shape::Gemini => gemini::read(message, image_tokens)?,
    };
    let bytes: usize = read.parts.iter().map(|part| part.text().len()).sum();
    if bytes > MAX_TEXT {
        return Err(Error::new(Code::TooLarge, "a message holds more than 64 MB of text").with("bytes", bytes));
    }
    Ok(read)
}

/// Deepest nesting of a message.
const MAX_DEPTH: usize = 128;

/// Refuses values nested too deep to be walked. Looks at them without recursion, before anything else does.
///
/// # Errors
/// `too_deep`.
pub fn shallow(values: &[Value]) -> Result<()> {
    let mut todo: Vec<(&Value, usize)> = values.iter().map(|value| (value, 1)).collect();
    while let Some((value, depth)) = todo.pop() {
        if depth > MAX_DEPTH && (value.is_array() || value.is_object()) {
            return Err(Error::new(Code::TooDeep, format!("a value is nested more than {MAX_DEPTH} deep")));
        }
        match value {
            Value::Array(items) => todo.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(map) => todo.extend(map.values().map(|item| (item, depth + 1))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    Ok(())
}

fn invalid(field: &str, why: &str) -> Error {
    Error::new(Code::InvalidMessage, format!("`{field}`: {why}")).with("field", field)
}

/// The role of a message, as the host spells it.
fn role_of(message: &Value) -> Result<&str> {
    let object = message.as_object().ok_or_else(|| invalid("message", "a message is an object"))?;
    object.get("role").and_then(Value::as_str).ok_or_else(|| invalid("role", "a message has a role"))
}

fn unknown_role(role: &str, shape: Shape) -> Error {
    Error::new(Code::UnknownRole, format!("`{}` is no role of {} messages", shown(role), shape.name()))
}

/// Roles and types of other formats, which an error may name. Any other word could be somebody's text.
const NAMEABLE: &[&str] = &[
    "ai",
    "assistant",
    "bot",
    "cachePoint",
    "code_interpreter_call",
    "compaction",
    "computer_call",
    "computer_call_output",
    "container_upload",
    "critic",
    "custom_tool_call",
    "developer",
    "document",
    "environment",
    "file_search_call",
    "function",
    "function_call",
    "function_call_output",
    "human",
    "image_url",
    "input_audio",
    "input_file",
    "input_image",
    "input_text",
    "ipython",
    "item_reference",
    "local_shell_call",
    "mcp_approval_request",
    "mcp_approval_response",
    "mcp_call",
    "message",
    "model",
    "observation",
    "output_text",
    "parts",
    "reasoning",
    "reasoning-file",
    "reasoningContent",
    "reasoning_content",
    "reasoning_details",
    "redacted_thinking",
    "refusal",
    "search_result",
    "server_tool_use",
    "system",
    "text",
    "thinking",
    "tool",
    "tool-approval-request",
    "tool-approval-response",
    "tool-call",
    "tool-result",
    "toolResult",
    "toolUse",
    "tool_call_id",
    "tool_calls",
    "tool_result",
    "tool_use",
    "user",
    "web_fetch_tool_result",
    "web_search_call",
    "web_search_tool_result",
];

/// A type or role as an error may show it: by name where it is a known one.
fn shown(word: &str) -> &'static str {
    NAMEABLE.iter().find(|known| **known == word).copied().unwrap_or("?")
}

/// A message's parts are never empty, except an assistant's.
fn at_least_one(parts: &mut Vec<Part>) {
    if parts.is_empty() {
        parts.push(Part::Text(String::new()));
    }
}
