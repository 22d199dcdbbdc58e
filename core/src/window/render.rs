//! A window as a provider's request takes it: the host's messages untouched where they are the provider's already.

use serde::Serialize;
use serde_json::Value;

use super::Slot;
use crate::error::{Code, Error, Result};
use crate::event::{Message, Part, Role};
use crate::json::object;
use crate::shape::{self, LEGACY_CALL, Shape, text_block};
use crate::text::sentinel::{HELD_HEADER, MEMORY_CLOSE, MEMORY_HEADER, MEMORY_OPEN, TASK_HEADER};

/// What a request to a provider holds of a window.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Rendered {
    /// The messages in order: the window's own by their place in it, or new ones.
    pub slots: Vec<Slot>,
    /// What stands in the system slot, for shapes that have one.
    pub system: Option<Value>,
}

/// Puts a window's messages into a request of `to`. Texts, calls and their results are carried from one shape to another;
/// reasoning is not, since only its own provider reads it.
///
/// # Errors
/// `invalid_argument` for the AI SDK, which has no requests of its own; `unknown_shape`; `invalid_message` for images, files and approvals that another provider's request cannot hold.
pub fn render(to: Shape, messages: &[Value], system: Option<&Value>) -> Result<Rendered> {
    if to == Shape::AiSdk {
        return Err(Error::argument("a window is rendered for \"openai\", \"anthropic\", \"responses\" or \"gemini\""));
    }
    shape::shallow(messages)?;
    let from = shape::detect(messages)?;
    // what one shape lists call by call is one message of another: where each message is written
    let (mut read, mut runs): (Vec<Message>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut markers = 0;
    for (i, message) in messages.iter().enumerate() {
        let mut message = shape::read(from, message, 0)?;
        markers += message.cache_markers;
        let run = runs.last().copied().unwrap_or_default();
        let first = read.get_mut(run).filter(|first| from != to && is_said(first) && is_said(&message));
        match first.filter(|first| first.results().next().is_none()) {
            Some(first) => {
                first.parts.append(&mut message.parts);
                runs.push(run);
            }
            None => runs.push(i),
        }
        read.push(message);
    }
    let mut writer = Writer { to, slots: Vec::new(), calls: Vec::new(), made: 0 };
    let mut head = shape::system_texts(from, &[], system);
    let told = head.len();
    let mut in_head = to.has_slot();
    for (((i, host), message), read) in (0_u32..).enumerate().zip(messages).zip(&read) {
        in_head &= read.role.is_system();
        let alone = runs.get(i + 1) != Some(&i);
        let joined = to.has_marker() && message.get("content").is_some_and(Value::is_string);
        if in_head {
            head.extend(shape::system_texts(from, std::slice::from_ref(message), None));
        } else if from != to && to.has_marker() && (joined || !is_plain(to, message)) && opens_memory(read) {
            let pieces = memory_pieces(read);
            let last_segment = pieces.iter().rposition(|piece| is_segment(piece)).filter(|_| markers < 4);
            writer.own(shape::memory_message(to, &pieces, last_segment));
        } else if from == to || alone && is_plain(to, message) {
            writer.slots.push(Slot::Host(host));
        } else if runs.get(i) == Some(&i) {
            writer.message(read)?;
        }
    }
    let head_text = Value::String(head.join("\n\n"));
    let untouched = head.len() == told && (from == to || to == Shape::Anthropic && from == Shape::Openai);
    let system = if head.is_empty() || !to.has_slot() {
        None
    } else if untouched {
        system.cloned()
    } else {
        Some(head_text.clone())
    };
    if !to.has_slot() && !head.is_empty() {
        writer.slots.insert(0, Slot::Own(object([("role", "system".into()), ("content", head_text)])));
    }
    Ok(Rendered { slots: writer.slots, system })
}

/// Whether the agent says it, and not a summary of it.
fn is_said(message: &Message) -> bool {
    message.role == Role::Assistant && !message.foreign_summary
}

/// Whether a message shows no shape and is taken as it is: a text, or for shapes with blocks of text a list of these.
fn is_plain(to: Shape, message: &Value) -> bool {
    let Some(fields) = message.as_object().filter(|_| to != Shape::Gemini) else { return false };
    let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
    let known = matches!(role, "user" | "assistant") || role == "system" && matches!(to, Shape::Openai | Shape::Responses);
    let blocks = |content: &Value| {
        let is_text = |block: &Value| block.get("type").and_then(Value::as_str) == Some("text") && block.get("text").is_some();
        to == Shape::Anthropic && content.as_array().is_some_and(|blocks| blocks.iter().all(is_text))
    };
    known && fields.len() == 2 && fields.get("content").is_some_and(|content| content.is_string() || blocks(content))
}

fn opens_memory(message: &Message) -> bool {
    message.foreign_summary && message.parts.first().is_some_and(|part| part.text().starts_with(MEMORY_OPEN))
}

/// How the pieces of a memory message begin that are no segments.
const PIECES: &[&str] = &[HELD_HEADER, TASK_HEADER, "[memory notice]", MEMORY_CLOSE];
const SEGMENT: &str = "[turns ";

fn is_segment(piece: &str) -> bool {
    piece.starts_with(SEGMENT) || piece.starts_with(MEMORY_OPEN) && piece.contains(MEMORY_HEADER)
}

/// The pieces of a memory message, in whatever shape it was written.
fn memory_pieces(message: &Message) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for part in &message.parts {
        for paragraph in part.text().split("\n\n") {
            let begins = paragraph.starts_with(SEGMENT) || PIECES.iter().any(|mark| paragraph.starts_with(mark));
            match pieces.last_mut().filter(|_| !begins) {
                Some(last) => {
                    last.push_str("\n\n");
                    last.push_str(paragraph);
                }
                None => pieces.push(paragraph.to_owned()),
            }
        }
    }
    pieces
}

/// A call that was written: its id in the window, its name, its id in the request.
struct Called {
    id: String,
    name: String,
    own: String,
    open: bool,
}

struct Writer {
    to: Shape,
    slots: Vec<Slot>,
    calls: Vec<Called>,
    made: u32,
}

impl Writer {
    fn own(&mut self, message: Value) {
        self.slots.push(Slot::Own(message));
    }

    fn message(&mut self, message: &Message) -> Result<()> {
        let gemini = self.to == Shape::Gemini;
        let agent = message.role == Role::Assistant;
        let (mut texts, mut calls, mut results) = (Vec::new(), Vec::new(), Vec::new());
        for part in &message.parts {
            match part {
                Part::Text(text) | Part::Attached(text) | Part::Foreign(text) => texts.push(text.as_str()),
                Part::Call { id, name, arguments } => calls.push(self.call(id, name, arguments)),
                Part::Result { id, text, media_tokens: 0, error } => results.push(self.result(id, text, *error)),
                Part::Reasoning { .. } => {}
                Part::Media { .. } | Part::Approval { .. } | Part::Result { .. } => {
                    let message = "`content`: images, files and approvals are not carried to another provider's request";
                    return Err(Error::new(Code::InvalidMessage, message).with("field", "content"));
                }
            }
        }
        texts.retain(|text| !text.is_empty());
        // a system message in the midst counts as the user's where there is no such role
        let role = match message.role {
            Role::Assistant if gemini => "model",
            Role::Assistant => "assistant",
            Role::System | Role::Developer if self.to == Shape::Openai || self.to == Shape::Responses => "system",
            _ => "user",
        };
        // what answers others comes first; what the provider ran itself is answered behind its call
        let (before, behind) = if agent { (Vec::new(), results) } else { (results, Vec::new()) };
        match self.to {
            Shape::Openai | Shape::Responses => {
                before.into_iter().for_each(|result| self.own(result));
                let listed = self.to == Shape::Openai && !calls.is_empty();
                let mut said = object([("role", role.into()), ("content", texts.join("\n").into())]);
                if let (true, Some(fields)) = (listed, said.as_object_mut()) {
                    fields.insert("tool_calls".to_owned(), std::mem::take(&mut calls).into());
                }
                if listed || !texts.is_empty() {
                    self.own(said);
                }
                calls.into_iter().chain(behind).for_each(|item| self.own(item));
            }
            Shape::Anthropic | Shape::AiSdk | Shape::Gemini => {
                let mut said: Vec<Value> = texts.into_iter().map(|text| text_block(self.to, text)).collect();
                said.append(&mut calls);
                if agent || said.is_empty() {
                    self.blocks(role, said);
                    self.answers([before, behind].concat());
                } else {
                    self.blocks(role, [before, said].concat());
                }
            }
        }
        Ok(())
    }

    fn blocks(&mut self, role: &str, blocks: Vec<Value>) {
        let field = if self.to == Shape::Gemini { "parts" } else { "content" };
        if !blocks.is_empty() {
            self.own(object([("role", role.into()), (field, blocks.into())]));
        }
    }

    /// One list answers a whole batch.
    fn answers(&mut self, mut results: Vec<Value>) {
        let last = match self.slots.last_mut() {
            Some(Slot::Own(last)) => last.get_mut(if self.to == Shape::Gemini { "parts" } else { "content" }),
            _ => None,
        };
        match last.and_then(Value::as_array_mut) {
            Some(held) if held.iter().any(|block| block.get("functionResponse").is_some() || block.get("tool_use_id").is_some()) => {
                held.append(&mut results);
            }
            _ => self.blocks("user", results),
        }
    }

    fn call(&mut self, id: &str, name: &str, arguments: &str) -> Value {
        let own = if id.starts_with(LEGACY_CALL) { format!("call_{}", self.made) } else { id.to_owned() };
        self.made += 1;
        self.calls.push(Called { id: id.to_owned(), name: name.to_owned(), own: own.clone(), open: true });
        let read = || match serde_json::from_str(arguments) {
            Ok(Value::Object(fields)) => Value::Object(fields),
            _ if arguments.is_empty() => object([]),
            _ => object([("input", arguments.into())]),
        };
        let text = if arguments.is_empty() { "{}" } else { arguments };
        match self.to {
            Shape::Openai => {
                let function = object([("name", name.into()), ("arguments", text.into())]);
                object([("id", own.into()), ("type", "function".into()), ("function", function)])
            }
            Shape::Responses => {
                let kind = ("type", "function_call".into());
                object([kind, ("call_id", own.into()), ("name", name.into()), ("arguments", text.into())])
            }
            Shape::Gemini => object([("functionCall", object([("name", name.into()), ("args", read())]))]),
            Shape::Anthropic | Shape::AiSdk => {
                object([("type", "tool_use".into()), ("id", own.into()), ("name", name.into()), ("input", read())])
            }
        }
    }

    fn result(&mut self, id: &str, text: &str, error: bool) -> Value {
        let called = self.calls.iter_mut().find(|call| call.open && call.id == id);
        let (name, own) = match called {
            Some(call) => {
                call.open = false;
                (call.name.as_str(), call.own.as_str())
            }
            None => (id.trim_start_matches(LEGACY_CALL), id),
        };
        match self.to {
            Shape::Openai => object([("role", "tool".into()), ("tool_call_id", own.into()), ("content", text.into())]),
            Shape::Responses => object([("type", "function_call_output".into()), ("call_id", own.into()), ("output", text.into())]),
            Shape::Gemini => {
                let response = object([(if error { "error" } else { "output" }, text.into())]);
                object([("functionResponse", object([("name", name.into()), ("response", response)]))])
            }
            Shape::Anthropic | Shape::AiSdk => {
                let mut block = object([("type", "tool_result".into()), ("tool_use_id", own.into()), ("content", text.into())]);
                if let (true, Some(fields)) = (error, block.as_object_mut()) {
                    fields.insert("is_error".to_owned(), true.into());
                }
                block
            }
        }
    }
}
