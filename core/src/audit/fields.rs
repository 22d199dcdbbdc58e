//! Reading and making messages field by field, for transcripts.

use serde_json::{Map, Value};

use crate::json;

/// A field that is text; empty where it is none.
pub(super) fn word<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn items(value: Value) -> Vec<Value> {
    if let Value::Array(items) = value { items } else { Vec::new() }
}

pub(super) fn taken(value: &mut Value, field: &str) -> Value {
    value.get_mut(field).map(Value::take).unwrap_or_default()
}

/// A message that is being made. One function for all fields: each literal object would be code of its own.
#[derive(Default)]
pub(super) struct Made(Map<String, Value>);

impl Made {
    pub(super) fn new(first: &str, word: &str) -> Self {
        let mut made = Self::default();
        made.set(first, Value::String(word.to_owned()));
        made
    }

    #[inline(never)]
    pub(super) fn set(&mut self, field: &str, value: Value) {
        self.0.insert(field.to_owned(), value);
    }

    pub(super) fn value(self) -> Value {
        Value::Object(self.0)
    }
}

#[inline(never)]
pub(super) fn said(role: &str, content: Value) -> Value {
    let mut made = Made::new("role", role);
    made.set("content", content);
    made.value()
}

/// The first of these fields that an object has.
#[inline(never)]
pub(super) fn first<'v>(value: &'v Value, fields: &[&str]) -> &'v Value {
    for field in fields {
        if let Some(found) = value.get(*field).filter(|found| !found.is_null()) {
            return found;
        }
    }
    &Value::Null
}

/// All texts of a content, one below the other. Bytes are none.
pub(super) fn texts(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(text);
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, out)),
        Value::Object(_) => {
            texts(first(value, &["text", "content", "output", "refusal", "value"]), out);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

pub(super) fn text_of(value: &Value) -> Value {
    let mut out = String::new();
    texts(value, &mut out);
    out.into()
}

/// Text as it is, anything else as JSON.
pub(super) fn written(value: &Value) -> Value {
    if value.is_string() { value.clone() } else { json::text(value).into() }
}

pub(super) fn is_set(line: &Value, flag: &str) -> bool {
    line.get(flag) == Some(&Value::Bool(true))
}

/// Whether a content holds nothing but results of calls.
pub(super) fn is_results(content: &Value) -> bool {
    content.as_array().is_some_and(|blocks| !blocks.is_empty() && blocks.iter().all(|block| word(block, "type") == "tool_result"))
}

/// Whether a content is of OpenAI Responses.
pub(super) fn is_item_content(content: &Value) -> bool {
    let block = content.get(0).map(|block| word(block, "type")).unwrap_or_default();
    block.starts_with("input_") || block == "output_text"
}

pub(super) fn call_id(item: &Value) -> Value {
    first(item, &["call_id", "callId"]).clone()
}

pub(super) fn langchain_role(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "human" => "user",
        "ai" => "assistant",
        "system" => "system",
        "tool" => "tool",
        _ => return None,
    })
}

/// A text without the lines that are marks of its frame.
pub(super) fn inner(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mark = line.trim();
        if !(mark.starts_with('<') && mark.ends_with('>') && !mark.contains(' ')) {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}
