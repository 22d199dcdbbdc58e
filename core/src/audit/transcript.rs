//! Files of messages as agents and frameworks write them, read into messages of the shapes the engine knows: lists and
//! requests of any shape, LangChain's stored messages, AI SDK chats, items of OpenAI Responses, and the session files of
//! Claude Code and Codex with the compactions that stand in them.

use serde::Serialize;
use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::json::object;
use crate::shape;

/// What kind of file it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SessionFormat {
    /// Messages: a list, a request, one message a line.
    Messages,
    /// A session file of Claude Code.
    ClaudeCode,
    /// A session file of Codex.
    Codex,
}

/// A compaction that a session file tells of.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SessionCompaction {
    /// How many messages came before it.
    pub at: u32,
    /// What set it off, where the file says so: `auto`, `manual`.
    pub trigger: Option<String>,
    /// Whether a part of what came of it can be read by the provider alone.
    pub sealed: bool,
    /// The window that came of it.
    pub after: Vec<Value>,
}

/// A file of messages.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Session {
    /// What kind of file it is.
    pub format: SessionFormat,
    /// The system slot beside the list, as the file has it.
    pub system: Option<Value>,
    /// What was said and done, without the summaries of compactions.
    pub messages: Vec<Value>,
    /// The compactions, in order.
    pub compactions: Vec<SessionCompaction>,
    /// Lines that could not be read.
    pub unread: u32,
}

/// Reads a file of messages: JSON, or JSON a line. A last line that is cut off, and lines that are no JSON, are counted and passed over.
///
/// # Errors
/// `unknown_shape` where there is no message in it, `too_deep`, and `unknown_shape` for messages of another format.
pub fn read_session(text: &str) -> Result<Session> {
    let (records, unread) = records(text);
    shape::shallow(&records)?;
    let mut reader = Reader { unread, ..Reader::default() };
    for record in records {
        reader.record(record, true);
    }
    reader.end()
}

/// The JSON documents of a text, and how many lines were none.
fn records(text: &str) -> (Vec<Value>, u32) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Ok(whole) = serde_json::from_str::<Value>(text) {
        return (vec![whole], 0);
    }
    let (mut records, mut unread) = (Vec::new(), 0);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match serde_json::from_str::<Value>(line) {
            Ok(record) if record.is_object() => records.push(record),
            _ => unread += 1,
        }
    }
    (records, unread)
}

/// A field that is text; empty where it is none.
fn word<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or_default()
}

fn items(value: Value) -> Vec<Value> {
    if let Value::Array(items) = value { items } else { Vec::new() }
}

fn taken(value: &mut Value, field: &str) -> Value {
    value.get_mut(field).map(Value::take).unwrap_or_default()
}

fn said(role: &str, content: Value) -> Value {
    object([("role", role.into()), ("content", content)])
}

/// All texts of a content, one below the other. Bytes are none.
fn texts(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => {
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(text);
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, out)),
        Value::Object(fields) => {
            if let Some(inner) = ["text", "content", "output", "refusal", "value"].iter().find_map(|field| fields.get(*field)) {
                texts(inner, out);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn text_of(value: &Value) -> Value {
    let mut out = String::new();
    texts(value, &mut out);
    out.into()
}

/// Text as it is, anything else as JSON.
fn written(value: &Value) -> Value {
    if value.is_string() { value.clone() } else { crate::json::text(value).into() }
}

/// What Codex gives a model of its own in the user's name, and re-sends after a compaction.
const CONTEXT: &[&str] = &["# AGENTS.md instructions", "<user_instructions>", "<environment_context>", "<permissions"];
/// How much of the user's messages Codex takes over where the file does not say what it took: 20,000 tokens of four bytes.
const TAKEN_OVER: usize = 80_000;

/// A compaction of Claude Code that was announced and whose summary has not come.
#[derive(Default)]
struct Announced {
    trigger: Option<String>,
    /// The first and the last message that stay.
    stays: Option<(String, String)>,
}

#[derive(Default)]
struct Reader {
    format: Option<SessionFormat>,
    system: Option<Value>,
    messages: Vec<Value>,
    /// The id of each message in the file; empty where it has none.
    ids: Vec<String>,
    compactions: Vec<SessionCompaction>,
    announced: Announced,
    unread: u32,
}

impl Reader {
    /// Takes a document: a list, a request, a line of a session file, a message.
    fn record(&mut self, mut record: Value, outermost: bool) {
        if record.is_array() && outermost {
            items(record).into_iter().for_each(|item| self.record(item, false));
            return;
        }
        for field in ["messages", "input", "items"] {
            if record.get("role").is_none() && record.get(field).is_some_and(Value::is_array) {
                // of several conversations the first
                if !self.messages.is_empty() {
                    self.unread += 1;
                    return;
                }
                let slot =
                    ["system", "system_prompt", "instructions"].iter().map(|slot| taken(&mut record, slot)).find(|slot| !slot.is_null());
                self.system = slot.filter(|slot| slot.is_string() || slot.is_array());
                items(taken(&mut record, field)).into_iter().for_each(|item| self.record(item, false));
                return;
            }
        }
        let kind = word(&record, "type").to_owned();
        if record.get("payload").is_some_and(Value::is_object) {
            self.format.get_or_insert(SessionFormat::Codex);
            self.rollout(&kind, taken(&mut record, "payload"));
        } else if record.get("uuid").is_some() || record.get("sessionId").is_some() {
            self.format.get_or_insert(SessionFormat::ClaudeCode);
            self.line(&kind, record);
        } else {
            self.message(&kind, record);
        }
    }

    /// A line of Codex.
    fn rollout(&mut self, kind: &str, mut payload: Value) {
        match kind {
            "response_item" => {
                let kind = word(&payload, "type").to_owned();
                self.message(&kind, payload);
            }
            "compacted" => {
                let (at, mut sealed) = (self.at(), false);
                let mut after = Self::default();
                match taken(&mut payload, "replacement_history") {
                    Value::Array(items) => {
                        for item in items {
                            sealed |= item.get("encrypted_content").is_some_and(Value::is_string) && word(&item, "type") != "reasoning";
                            let kind = word(&item, "type").to_owned();
                            after.message(&kind, item);
                        }
                    }
                    _ => after.messages = self.taken_over(&payload),
                }
                // items of the provider's own are compactions to the reader of messages
                let after = after.compactions.pop().map_or(after.messages, |inner| inner.after);
                self.compactions.push(SessionCompaction { at, trigger: None, sealed, after });
            }
            _ => {}
        }
    }

    /// What Codex goes on with by its rules: what it gives the model, the user's last messages, the summary.
    fn taken_over(&self, payload: &Value) -> Vec<Value> {
        let (mut after, mut room) = (vec![said("user", text_of(payload.get("message").unwrap_or(&Value::Null)))], TAKEN_OVER);
        for message in self.messages.iter().rev() {
            let size = word(message, "content").len();
            match word(message, "role") {
                "system" => {}
                "user" if size <= room => room -= size,
                "user" => room = 0,
                _ => continue,
            }
            if word(message, "role") == "system" || room > 0 {
                after.push(message.clone());
            }
        }
        after.reverse();
        after
    }

    /// A line of Claude Code.
    fn line(&mut self, kind: &str, mut line: Value) {
        let flag = |name: &str| line.get(name) == Some(&Value::Bool(true));
        let (aside, summary) = (flag("isSidechain") || flag("isMeta"), flag("isCompactSummary"));
        if word(&line, "subtype") == "compact_boundary" {
            let facts = taken(&mut line, "compactMetadata");
            let stays = facts.get("preservedSegment").map(|stays| (word(stays, "headUuid").to_owned(), word(stays, "tailUuid").to_owned()));
            self.announced = Announced { trigger: Some(word(&facts, "trigger").to_owned()).filter(|word| !word.is_empty()), stays };
        }
        if (kind != "user" && kind != "assistant") || aside {
            return;
        }
        let id = word(&line, "uuid").to_owned();
        let mut message = taken(&mut line, "message");
        let (role, content) = (taken(&mut message, "role"), taken(&mut message, "content"));
        if content.is_null() || role != kind {
            self.unread += 1;
            return;
        }
        if summary {
            let mut message = said("user", content);
            if let Some(fields) = message.as_object_mut() {
                fields.insert("isCompactSummary".to_owned(), true.into());
            }
            self.compacted(message);
            return;
        }
        // one answer is several lines, and the results of one batch are
        let whole = word(&message, "id").to_owned();
        let of = if kind == "assistant" && !whole.is_empty() { whole } else { id };
        let before =
            self.ids.iter().rev().take(8).position(|known| *known == of && kind == "assistant").map(|back| self.ids.len() - 1 - back);
        let last = self.messages.len().wrapping_sub(1);
        let place =
            before
                .or((is_results(&content) && self.messages.last().and_then(|last| last.get("content")).is_some_and(is_results))
                    .then_some(last));
        let known =
            place.and_then(|place| self.messages.get_mut(place)).and_then(|known| known.get_mut("content")).and_then(Value::as_array_mut);
        match known {
            Some(known) if content.is_array() => known.extend(items(content)),
            _ => self.push(said(kind, content), of),
        }
    }

    /// A message or an item of a list, whatever wrote it.
    fn message(&mut self, kind: &str, mut message: Value) {
        let parts = message.get("parts").is_some_and(Value::is_array) && message.get("content").is_none();
        if message.get("lc").is_some() || (message.get("role").is_none() && langchain_role(kind).is_some()) {
            self.langchain(kind, message);
        } else if parts && message.get("role").is_some_and(|role| role != "model") {
            self.chat(message);
        } else if kind.ends_with("_call") && kind != "tool_call" {
            self.call(kind, &message);
        } else if kind.ends_with("_output") {
            let id = call_id(&message);
            self.push(object([("role", "tool".into()), ("tool_call_id", id), ("content", text_of(&message))]), String::new());
        } else if kind == "reasoning" && message.get("role").is_none() {
            let mut text = String::new();
            ["summary", "content"].iter().filter_map(|field| message.get(*field)).for_each(|field| texts(field, &mut text));
            if !text.is_empty() {
                self.push(object([("role", "assistant".into()), ("reasoning_content", text.into())]), String::new());
            }
        } else if kind == "message" || is_item_content(message.get("content")) {
            let content = text_of(message.get("content").unwrap_or(&Value::Null));
            let text = content.as_str().unwrap_or_default();
            let context = CONTEXT.iter().any(|context| text.starts_with(context));
            let role = if context || word(&message, "role") == "developer" { "system" } else { word(&message, "role") };
            let content = if context { inner(text).into() } else { content };
            self.said(said(role, content));
        } else if message.is_object()
            && (message.get("role").is_some() || message.get("encrypted_content").is_some() || kind == "compaction")
        {
            if let Some(fields) = message.as_object_mut().filter(|fields| fields.contains_key("encrypted_content")) {
                fields.insert("type".to_owned(), "compaction".into());
            }
            self.said(message);
        } else if kind.is_empty() {
            self.unread += 1;
        }
    }

    /// A call of OpenAI Responses. Calls of one batch are one message.
    fn call(&mut self, kind: &str, item: &Value) {
        let id = call_id(item);
        if id.is_null() {
            return;
        }
        let input = ["arguments", "input", "action", "operation", "code"].iter().find_map(|field| item.get(*field)).unwrap_or(&Value::Null);
        let name = Some(word(item, "name")).filter(|name| !name.is_empty()).unwrap_or(kind);
        let function = object([("name", name.into()), ("arguments", written(input))]);
        let call = object([("id", id), ("type", "function".into()), ("function", function)]);
        let batch = self.messages.last_mut().and_then(|last| last.get_mut("tool_calls")).and_then(Value::as_array_mut);
        match batch {
            Some(batch) => batch.push(call),
            None => self
                .push(object([("role", "assistant".into()), ("content", Value::Null), ("tool_calls", vec![call].into())]), String::new()),
        }
    }

    /// A stored message of LangChain.
    fn langchain(&mut self, kind: &str, mut message: Value) {
        let class = message.get("id").and_then(|id| id.as_array()?.last()?.as_str()).unwrap_or_default();
        let kind = Some(class.trim_end_matches("Chunk").trim_end_matches("Message"))
            .filter(|class| !class.is_empty())
            .unwrap_or(kind)
            .to_ascii_lowercase();
        let fields = ["kwargs", "data"].iter().map(|field| taken(&mut message, field)).find(Value::is_object).unwrap_or(message);
        let Some(role) = langchain_role(&kind) else {
            self.unread += 1;
            return;
        };
        let mut made = said(role, text_of(fields.get("content").unwrap_or(&Value::Null)));
        let Some(out) = made.as_object_mut() else { return };
        for field in ["tool_call_id", "tool_calls", "additional_kwargs"] {
            // an empty list of calls is none
            if let Some(value) = fields.get(field).filter(|value| value.as_array().is_none_or(|calls| !calls.is_empty())) {
                out.insert(field.to_owned(), value.clone());
            }
        }
        if role == "tool" && !out.contains_key("tool_call_id") {
            out.insert("tool_call_id".to_owned(), String::new().into());
        }
        self.said(made);
    }

    /// A message of an AI SDK chat: steps of parts, calls with their results.
    fn chat(&mut self, mut message: Value) {
        let role = word(&message, "role").to_owned();
        let (mut own, mut results) = (Vec::new(), Vec::new());
        let mut parts = items(taken(&mut message, "parts"));
        parts.push(object([("type", "step-start".into())]));
        for mut part in parts {
            let kind = word(&part, "type").to_owned();
            let tool = kind.strip_prefix("tool-").or((kind == "dynamic-tool").then(|| word(&part, "toolName"))).map(str::to_owned);
            if kind == "step-start" {
                for (role, content) in [(role.as_str(), std::mem::take(&mut own)), ("tool", std::mem::take(&mut results))] {
                    if !content.is_empty() {
                        self.said(said(role, content.into()));
                    }
                }
            } else if kind == "text" || kind == "reasoning" {
                own.push(object([("type", kind.into()), ("text", taken(&mut part, "text"))]));
            } else if let Some(tool) = tool {
                let id = taken(&mut part, "toolCallId");
                let with = |kind: &str, field: &str, value: Value| {
                    object([("type", kind.into()), ("toolCallId", id.clone()), ("toolName", tool.clone().into()), (field, value)])
                };
                own.push(with("tool-call", "input", taken(&mut part, "input")));
                if let Some(output) = ["output", "errorText"].iter().map(|field| taken(&mut part, field)).find(|output| !output.is_null()) {
                    results.push(with("tool-result", "output", object([("type", "text".into()), ("value", written(&output))])));
                }
            }
        }
    }

    /// A message, or the summary of a compaction that stands among them.
    fn said(&mut self, message: Value) {
        let list = std::slice::from_ref(&message);
        let found = shape::detect(list).and_then(|shape| shape::read(shape, &message, 0));
        // a summary at the beginning is of what the file does not have
        if found.is_ok_and(|found| found.foreign_summary)
            && self.messages.iter().any(|message| message.get("role") != Some(&"system".into()))
        {
            self.compacted(message);
        } else {
            self.push(message, String::new());
        }
    }

    fn compacted(&mut self, summary: Value) {
        let announced = std::mem::take(&mut self.announced);
        let sealed = summary.get("encrypted_content").is_some_and(Value::is_string);
        let mut after: Vec<Value> = self.messages.iter().take_while(|message| word(message, "role") == "system").cloned().collect();
        after.push(summary);
        if let Some((head, tail)) = announced.stays {
            let place = |id: &String| self.ids.iter().position(|known| known == id);
            if let (Some(first), Some(last)) = (place(&head), place(&tail)) {
                after.extend_from_slice(self.messages.get(first..=last).unwrap_or_default());
            }
        }
        self.compactions.push(SessionCompaction { at: self.at(), trigger: announced.trigger, sealed, after });
    }

    fn at(&self) -> u32 {
        u32::try_from(self.messages.len()).unwrap_or(u32::MAX)
    }

    fn push(&mut self, message: Value, id: String) {
        self.messages.push(message);
        self.ids.push(id);
    }

    fn end(self) -> Result<Session> {
        let Self { format, system, messages, compactions, unread, .. } = self;
        if messages.is_empty() {
            return Err(Error::new(Code::UnknownShape, "there are no messages in it"));
        }
        let format = format.unwrap_or(SessionFormat::Messages);
        if format == SessionFormat::Messages {
            let shape = shape::detect(&messages)?;
            for message in &messages {
                shape::read(shape, message, 0)?;
            }
        }
        Ok(Session { format, system, messages, compactions, unread })
    }
}

/// Whether a content holds nothing but results of calls.
fn is_results(content: &Value) -> bool {
    content.as_array().is_some_and(|blocks| !blocks.is_empty() && blocks.iter().all(|block| word(block, "type") == "tool_result"))
}

/// Whether a content is of OpenAI Responses.
fn is_item_content(content: Option<&Value>) -> bool {
    let first = content.and_then(Value::as_array).and_then(|blocks| blocks.first());
    first.is_some_and(|block| matches!(word(block, "type"), "input_text" | "output_text" | "input_image" | "input_file"))
}

fn call_id(item: &Value) -> Value {
    ["call_id", "callId"].iter().find_map(|field| item.get(*field)).cloned().unwrap_or_default()
}

fn langchain_role(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "human" => "user",
        "ai" => "assistant",
        "system" => "system",
        "tool" => "tool",
        _ => return None,
    })
}

/// A text without the lines that are marks of its frame.
fn inner(text: &str) -> String {
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
