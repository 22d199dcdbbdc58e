//! Files of messages as agents and frameworks write them, read into messages of the shapes the engine knows: lists and
//! requests of any shape, LangChain's stored messages, AI SDK chats, items of OpenAI Responses, and the session files of
//! Claude Code and Codex with the compactions that stand in them.

use serde::Serialize;
use serde_json::Value;

use super::fields::{
    Made, call_id, first, inner, is_item_content, is_results, is_set, items, langchain_role, said, taken, text_of, word, written,
};
use super::side::{LISTS, SLOTS};
use crate::error::{Code, Error, Result};
use crate::json;
use crate::ordered::firsts;
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
    let stands = branch(&records);
    for (record, stands) in records.into_iter().zip(stands) {
        if stands {
            reader.record(record, true);
        }
    }
    reader.end()
}

/// Which lines of Claude Code belong to the branch that the session ended on: not what was said and taken back. Results are
/// kept all: those of one batch are children of different lines.
fn branch(lines: &[Value]) -> Vec<bool> {
    // the ids of all lines, then those of their parents
    let (mut names, mut parents) = (Vec::new(), Vec::new());
    let (mut stands, mut at) = (Vec::new(), None);
    for (place, line) in lines.iter().enumerate() {
        let message = first(line, &["message"]);
        let said = !message.is_null() && line.get("uuid").is_some();
        stands.push(!said || is_results(first(message, &["content"])));
        if said && !is_set(line, "isSidechain") {
            at = Some(place);
        }
        names.push(word(line, "uuid"));
        parents.push(first(line, &["parentUuid", "logicalParentUuid"]).as_str().unwrap_or_default());
    }
    names.append(&mut parents);
    let places = firsts(&names);
    while let Some(here) = at {
        if let Some(stands) = stands.get_mut(here) {
            *stands = true;
        }
        // where nothing is said of it, what stands before it
        let parent = places.get(lines.len() + here).copied().filter(|parent| *parent < here && names.get(*parent) != Some(&""));
        at = parent.or(here.checked_sub(1));
    }
    stands
}

/// The JSON documents of a text, and how many lines were none.
fn records(text: &str) -> (Vec<Value>, u32) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if let Some(whole) = json::parse(text, json::DEPTH) {
        return (vec![whole], 0);
    }
    let (mut records, mut unread) = (Vec::new(), 0);
    for line in text.lines() {
        let line = line.trim();
        if line.is_empty() {
            continue;
        }
        match json::parse(line, json::DEPTH) {
            Some(record) if record.is_object() => records.push(record),
            _ => unread += 1,
        }
    }
    (records, unread)
}

/// What Codex gives a model of its own in the user's name, and re-sends after a compaction.
const CONTEXT: &[&str] = &["# AGENTS.md instructions", "<user_instructions>", "<environment_context>", "<permissions"];
/// How much of the user's messages Codex takes over where the file does not say what it took: 20,000 tokens of four bytes.
const TAKEN_OVER: usize = 80_000;
/// Lines of Claude Code that may be of one answer.
const ONE_ANSWER: usize = 8;

/// A compaction of Claude Code that was announced and whose summary has not come.
#[derive(Default)]
struct Announced {
    trigger: String,
    /// The first message that stays, by its id.
    head: String,
    /// And the last.
    tail: String,
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
        for field in LISTS {
            if record.get("role").is_none() && first(&record, &[field]).is_array() {
                // of several conversations the first
                if !self.messages.is_empty() {
                    self.unread += 1;
                    return;
                }
                let slot = first(&record, SLOTS);
                self.system = shape::is_slot(slot).then(|| slot.clone());
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
        if kind == "response_item" {
            let kind = word(&payload, "type").to_owned();
            self.message(&kind, payload);
        } else if kind == "compacted" {
            let mut sealed = false;
            let mut read = Self::default();
            let replaced = taken(&mut payload, "replacement_history");
            if replaced.is_array() {
                for item in items(replaced) {
                    let kind = word(&item, "type").to_owned();
                    sealed |= kind != "reasoning" && item.get("encrypted_content").is_some();
                    read.message(&kind, item);
                }
            } else {
                read.messages = self.taken_over(&payload);
            }
            // a compaction of the provider's own is one to the reader of messages
            let after = read.compactions.pop().map_or(read.messages, |inner| inner.after);
            self.compactions.push(SessionCompaction { at: self.at(), trigger: None, sealed, after });
        }
    }

    /// What Codex goes on with by its rules: what it gives the model, the user's last messages, the summary.
    fn taken_over(&self, payload: &Value) -> Vec<Value> {
        let (mut after, mut room) = (vec![said("user", text_of(first(payload, &["message"])))], TAKEN_OVER);
        for message in self.messages.iter().rev() {
            if word(message, "role") == "user" {
                room = room.saturating_sub(word(message, "content").len());
            }
            if word(message, "role") == "system" || (word(message, "role") == "user" && room > 0) {
                after.push(message.clone());
            }
        }
        after.reverse();
        after
    }

    /// A line of Claude Code.
    fn line(&mut self, kind: &str, mut line: Value) {
        if word(&line, "subtype") == "compact_boundary" {
            let facts = first(&line, &["compactMetadata"]);
            let stays = first(facts, &["preservedSegment"]);
            let named = |place: &Value, name: &str| word(place, name).to_owned();
            self.announced = Announced { trigger: named(facts, "trigger"), head: named(stays, "headUuid"), tail: named(stays, "tailUuid") };
        }
        if (kind != "user" && kind != "assistant") || is_set(&line, "isSidechain") || is_set(&line, "isMeta") {
            return;
        }
        let (summary, mut id) = (is_set(&line, "isCompactSummary"), word(&line, "uuid").to_owned());
        let mut message = taken(&mut line, "message");
        let content = taken(&mut message, "content");
        if content.is_null() || word(&message, "role") != kind {
            self.unread += 1;
            return;
        }
        if summary {
            let mut made = Made::new("role", "user");
            made.set("content", content);
            made.set("isCompactSummary", Value::Bool(true));
            self.compacted(made.value());
            return;
        }
        // one answer is several lines, and the results of one batch are
        let mut place = self.messages.len();
        if kind == "user" {
            if is_results(&content) && self.messages.last().is_some_and(|last| is_results(first(last, &["content"]))) {
                place -= 1;
            }
        } else if !word(&message, "id").is_empty() {
            word(&message, "id").clone_into(&mut id);
            for back in self.ids.len().saturating_sub(ONE_ANSWER)..self.ids.len() {
                if self.ids.get(back) == Some(&id) {
                    place = back;
                }
            }
        }
        match self.messages.get_mut(place).and_then(|known| known.get_mut("content")).and_then(Value::as_array_mut) {
            Some(known) if content.is_array() => known.extend(items(content)),
            _ => self.push(said(kind, content), id),
        }
    }

    /// A message or an item of a list, whatever wrote it.
    fn message(&mut self, kind: &str, mut message: Value) {
        let has = |field: &str| !first(&message, &[field]).is_null();
        if has("lc") || (!has("role") && langchain_role(kind).is_some()) {
            self.langchain(kind, message);
        } else if !word(first(&message, &["parts"]).get(0).unwrap_or(&Value::Null), "type").is_empty() && !has("content") {
            self.chat(&mut message);
        } else if kind.ends_with("_call") && kind != "tool_call" {
            self.call(kind, &message);
        } else if kind.ends_with("_output") {
            let mut made = Made::new("role", "tool");
            made.set("tool_call_id", call_id(&message));
            made.set("content", text_of(&message));
            self.push(made.value(), String::new());
        } else if kind == "reasoning" && !has("role") {
            let text = text_of(first(&message, &["summary", "content"]));
            if text != "" {
                let mut made = Made::new("role", "assistant");
                made.set("reasoning_content", text);
                self.push(made.value(), String::new());
            }
        } else if kind == "message" || is_item_content(first(&message, &["content"])) {
            let mut content = text_of(first(&message, &["content"]));
            let text = content.as_str().unwrap_or_default();
            let mut role = word(&message, "role");
            if role == "developer" {
                role = "system";
            }
            if CONTEXT.iter().any(|context| text.starts_with(context)) {
                (role, content) = ("system", inner(text).into());
            }
            self.said(said(role, content));
        } else if has("role") || has("encrypted_content") || kind == "compaction" {
            let sealed = has("encrypted_content");
            if let Some(fields) = message.as_object_mut().filter(|_| sealed) {
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
        let name = word(item, "name");
        let mut function = Made::new("name", if name.is_empty() { kind } else { name });
        function.set("arguments", written(first(item, &["arguments", "input", "action", "operation", "code"])));
        let mut call = Made::new("type", "function");
        call.set("id", id);
        call.set("function", function.value());
        match self.messages.last_mut().and_then(|last| last.get_mut("tool_calls")).and_then(Value::as_array_mut) {
            Some(batch) => batch.push(call.value()),
            None => {
                let mut made = Made::new("role", "assistant");
                made.set("content", Value::Null);
                made.set("tool_calls", Value::Array(vec![call.value()]));
                self.push(made.value(), String::new());
            }
        }
    }

    /// A stored message of LangChain.
    fn langchain(&mut self, kind: &str, message: Value) {
        let class = message.get("id").and_then(|id| id.as_array()?.last()?.as_str()).unwrap_or(kind).to_ascii_lowercase();
        let Some(role) = langchain_role(class.trim_end_matches("chunk").trim_end_matches("message")) else {
            self.unread += 1;
            return;
        };
        let inner = first(&message, &["kwargs", "data"]);
        let fields = if inner.is_object() { inner } else { &message };
        let mut made = Made::new("role", role);
        made.set("content", text_of(first(fields, &["content"])));
        if role == "tool" {
            made.set("tool_call_id", Value::String(word(fields, "tool_call_id").to_owned()));
        }
        for field in ["tool_calls", "additional_kwargs"] {
            let value = first(fields, &[field]);
            // an empty list of calls is none
            if !value.is_null() && value != &Value::Array(Vec::new()) {
                made.set(field, value.clone());
            }
        }
        self.said(made.value());
    }

    /// A message of an AI SDK chat: steps of parts, calls with their results.
    fn chat(&mut self, message: &mut Value) {
        let role = word(message, "role").to_owned();
        let (mut own, mut results) = (Vec::new(), Vec::new());
        for part in items(taken(message, "parts")) {
            let kind = word(&part, "type");
            let mut tool = kind.strip_prefix("tool-").unwrap_or_default();
            if kind == "dynamic-tool" {
                tool = word(&part, "toolName");
            }
            if kind == "step-start" {
                self.step(&role, &mut own, &mut results);
            } else if kind == "text" || kind == "reasoning" {
                own.push(part);
            } else if !tool.is_empty() {
                for (kind, field, list) in [("tool-call", "input", &mut own), ("tool-result", "output", &mut results)] {
                    let mut made = Made::new("type", kind);
                    made.set("toolCallId", first(&part, &["toolCallId"]).clone());
                    made.set("toolName", Value::String(tool.to_owned()));
                    let mut given = first(&part, &[field, "errorText"]).clone();
                    if field == "output" {
                        if given.is_null() {
                            continue;
                        }
                        let mut output = Made::new("type", "text");
                        output.set("value", written(&given));
                        given = output.value();
                    }
                    made.set(field, given);
                    list.push(made.value());
                }
            }
        }
        self.step(&role, &mut own, &mut results);
    }

    /// What was said in a step of a chat, and what its calls gave.
    fn step(&mut self, role: &str, own: &mut Vec<Value>, results: &mut Vec<Value>) {
        for (role, content) in [(role, own), ("tool", results)] {
            if !content.is_empty() {
                self.said(said(role, Value::Array(std::mem::take(content))));
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
        let Announced { trigger, head, tail } = std::mem::take(&mut self.announced);
        let sealed = summary.get("encrypted_content").is_some_and(Value::is_string);
        let mut after = Vec::new();
        for message in &self.messages {
            if word(message, "role") != "system" {
                break;
            }
            after.push(message.clone());
        }
        after.push(summary);
        let mut stays = false;
        for (id, message) in self.ids.iter().zip(&self.messages).filter(|_| !head.is_empty()) {
            stays |= *id == head;
            if stays {
                after.push(message.clone());
            }
            stays &= *id != tail;
        }
        let trigger = if trigger.is_empty() { None } else { Some(trigger) };
        self.compactions.push(SessionCompaction { at: self.at(), trigger, sealed, after });
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
