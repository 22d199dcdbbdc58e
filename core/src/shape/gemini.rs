//! Gemini contents: roles `user` and `model`, parts named by their one field, in camel or snake case, the system prompt
//! beside the list.

use serde_json::Value;

use super::{LEGACY_CALL, Shape, at_least_one, block, foreign, invalid, shown, unknown_role};
use crate::error::Result;
use crate::event::{Message, Part, Role};

/// What a part can hold beside text, in both spellings.
const CALL: &[&str] = &["functionCall", "function_call"];
const RESPONSE: &[&str] = &["functionResponse", "function_response"];
const CODE: &[&str] = &["executableCode", "executable_code"];
const RAN: &[&str] = &["codeExecutionResult", "code_execution_result"];
const MEDIA: &[&str] = &["inlineData", "inline_data", "fileData", "file_data"];

/// The name of the tool that runs the model's code.
const CODE_TOOL: &str = "code_execution";

/// Fields whose text stands for a whole response.
const OUTPUT: &[&str] = &["output", "result", "error"];

/// Whether a message is a content of Gemini: its parts have no types.
pub(super) fn is_content(message: &Value) -> bool {
    let parts = message.get("parts").and_then(Value::as_array);
    message.get("content").is_none() && parts.is_some_and(|parts| parts.iter().all(|part| part.is_object() && part.get("type").is_none()))
}

pub(super) fn read(message: &Value, image_tokens: u32) -> Result<Message> {
    let mut role = match message.get("role").map_or(Some("user"), Value::as_str) {
        Some("user") => Role::User,
        Some("model") => Role::Assistant,
        Some("function" | "tool") => Role::Tool,
        Some("system") => Role::System,
        other => return Err(unknown_role(shown(other.unwrap_or_default()), Shape::Gemini)),
    };
    let mut parts = Vec::new();
    match message.get("parts") {
        None | Some(Value::Null) => {}
        Some(Value::Array(given)) => {
            for part in given {
                piece(part, image_tokens, &mut parts)?;
            }
        }
        Some(_) => return Err(invalid("parts", "the parts of a content are a list")),
    }
    if role == Role::User && !parts.is_empty() && parts.iter().all(|part| matches!(part, Part::Result { .. })) {
        role = Role::Tool;
    }
    if role != Role::Assistant {
        at_least_one(&mut parts);
    }
    let foreign_summary = foreign::mark(message, role, &mut parts);
    Ok(Message { role, parts, foreign_summary, cache_markers: 0, name: None })
}

fn piece(part: &Value, image_tokens: u32, parts: &mut Vec<Part>) -> Result<()> {
    let held = |names: &[&str]| names.iter().find_map(|name| part.get(name)).filter(|held| !held.is_null());
    // ids are often missing, at one end or both: a response follows its calls at once, and the name says which it answers
    let named = |held: &Value| match held.get("name").and_then(Value::as_str) {
        Some(name) => Ok((format!("{LEGACY_CALL}{name}"), name.to_owned())),
        None => Err(invalid("parts.name", "a function call and its response name the function")),
    };
    if let Some(text) = part.as_str().or_else(|| part.get("text").and_then(Value::as_str)) {
        let text = text.to_owned();
        let thought = part.get("thought") == Some(&Value::Bool(true));
        parts.push(if thought { block::reasoning(text, 0) } else { Part::Text(text) });
    } else if !part.is_object() {
        return Err(invalid("parts", "a part is an object"));
    } else if let Some(call) = held(CALL) {
        let (id, name) = named(call)?;
        parts.push(Part::Call { id, name, arguments: block::arguments(call.get("args")) });
    } else if let Some(given) = held(RESPONSE) {
        parts.push(response(given.get("response"), named(given)?.0, image_tokens));
    } else if let Some(code) = held(CODE) {
        let id = format!("{LEGACY_CALL}{CODE_TOOL}");
        parts.push(Part::Call { id, name: CODE_TOOL.to_owned(), arguments: block::arguments(code.get("code")) });
    } else if let Some(ran) = held(RAN) {
        parts.push(response(ran.get("output"), format!("{LEGACY_CALL}{CODE_TOOL}"), image_tokens));
    } else if let Some(data) = held(MEDIA) {
        let kind = ["mimeType", "mime_type"].iter().find_map(|field| data.get(field)).and_then(Value::as_str).unwrap_or_default();
        let kind = kind.split('/').next().filter(|kind| matches!(*kind, "image" | "audio")).unwrap_or("file");
        parts.push(block::media(kind, data, image_tokens));
    } else {
        parts.extend(block::unknown(part, image_tokens));
    }
    Ok(())
}

/// A response: its one text, or else the JSON that the model reads.
fn response(given: Option<&Value>, id: String, image_tokens: u32) -> Part {
    let value = given.unwrap_or(&Value::Null);
    let one = value.as_object().filter(|fields| fields.len() == 1);
    let alone = OUTPUT.iter().find_map(|field| one.and_then(|fields| fields.get(*field))).filter(|alone| alone.is_string());
    let mut found = block::Gathered::default();
    match alone.unwrap_or(value) {
        text @ Value::String(_) => block::gather(text, image_tokens, &mut found),
        other => found.texts.push(block::arguments(Some(other))),
    }
    let media_tokens = found.media;
    let error = value.get("error").is_some_and(|error| !error.is_null());
    Part::Result { id, text: found.text(), media_tokens, error }
}
