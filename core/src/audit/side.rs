//! A side of an audit: messages of any shape, a request, or a plain text, as one list of pieces.

use serde_json::Value;

use super::report::AuditPlace;
use crate::digest::Digest;
use crate::error::{Error, Result};
use crate::event::{Message, Part, Role};
use crate::guard::price;
use crate::json;
use crate::log;
use crate::pinned::trim;
use crate::policy::Policy;
use crate::shape::{self, Shape};
use crate::text::sentinel::{PINNED_FOOTER, PINNED_HEADER};
use crate::trust::Trust;

/// A message with what its place gives it.
pub(super) struct Heard {
    pub(super) message: Message,
    /// Its index in the list; nothing for a system slot and a plain text.
    pub(super) index: Option<u32>,
    pub(super) trust: Trust,
    /// User messages before it.
    pub(super) turn: u32,
}

/// One of the two lists.
#[derive(Default)]
pub(super) struct Side {
    pub(super) heard: Vec<Heard>,
    /// Messages of the list.
    pub(super) length: u32,
    pub(super) tokens: u32,
}

/// A text of a message, and whose it is.
#[derive(Clone, Copy)]
pub(super) struct Piece<'a> {
    pub(super) text: &'a str,
    pub(super) role: Role,
    pub(super) trust: Trust,
    pub(super) index: Option<u32>,
    /// Its message in [`Side::heard`].
    pub(super) at: usize,
    pub(super) turn: u32,
    pub(super) part: &'a Part,
    /// Of another compactor's summary.
    pub(super) foreign: bool,
    /// An entry of a pinned block: a rule, and nothing but one.
    pub(super) pinned: bool,
}

/// Names of the system slot in a request.
pub(super) const SLOTS: &[&str] = &["system", "system_prompt", "instructions", "systemInstruction", "system_instruction"];
/// Names of the messages in a request.
pub(super) const LISTS: &[&str] = &["messages", "input", "contents"];

impl Side {
    /// Reads a list of messages, a request with `messages` and perhaps a system slot, or a text.
    pub(super) fn read(value: &Value, name: &str) -> Result<Self> {
        shape::shallow(std::slice::from_ref(value))?;
        let mut side = Self::default();
        match value {
            Value::String(text) => side.push(message(Role::User, vec![text.clone()]), None),
            Value::Array(messages) => side.list(messages)?,
            Value::Object(request) => {
                let slot = SLOTS.iter().find_map(|slot| request.get(*slot)).filter(|slot| !slot.is_null());
                if let Some(system) = slot {
                    if !shape::is_slot(system) {
                        return Err(Error::argument(format!("`{name}`: the system slot is a text or a list of text blocks")));
                    }
                    side.push(message(Role::System, shape::system_texts(Shape::Anthropic, &[], slot)), None);
                }
                match LISTS.iter().find_map(|list| request.get(*list)) {
                    Some(Value::Array(messages)) => side.list(messages)?,
                    _ => return Err(not_a_side(name)),
                }
            }
            _ => return Err(not_a_side(name)),
        }
        Ok(side)
    }

    fn list(&mut self, messages: &[Value]) -> Result<()> {
        let shape = shape::detect(messages)?;
        for (index, message) in (0_u32..).zip(messages) {
            self.push(shape::read(shape, message, Policy::default().image_tokens)?, Some(index));
            self.length += 1;
        }
        Ok(())
    }

    fn push(&mut self, message: Message, index: Option<u32>) {
        let last = self.heard.last();
        let in_head = message.role.is_system() && last.is_none_or(|last| last.trust == Trust::Operator);
        let turn = last.map_or(0, |last| last.turn + u32::from(last.message.is_user_turn()));
        let (trust, _) = log::origin(&message, in_head);
        self.tokens = self.tokens.saturating_add(price(&message));
        self.heard.push(Heard { message, index, trust, turn });
    }

    /// All parts, in order.
    pub(super) fn pieces(&self) -> Vec<Piece<'_>> {
        let mut out = Vec::new();
        for (at, heard) in self.heard.iter().enumerate() {
            for part in &heard.message.parts {
                let role = match part {
                    Part::Attached(_) | Part::Result { .. } => Role::Tool,
                    Part::Call { .. } | Part::Reasoning { .. } => Role::Assistant,
                    _ if heard.message.role.is_system() => Role::System,
                    _ => heard.message.role,
                };
                let trust = part.trust(heard.trust);
                let foreign = heard.message.foreign_summary || matches!(part, Part::Foreign(_));
                let (index, turn) = (heard.index, heard.turn);
                let piece = Piece { text: part.text(), role, trust, index, at, turn, part, foreign, pinned: false };
                match piece.text.split_once(PINNED_HEADER).filter(|_| role == Role::System) {
                    Some((head, block)) => piece.push_block(head, block, &mut out),
                    None => out.push(piece),
                }
            }
        }
        out
    }
}

fn not_a_side(name: &str) -> Error {
    Error::argument(format!("`{name}` is a list of messages, a request with `messages`, or a text"))
}

fn message(role: Role, texts: Vec<String>) -> Message {
    let mut parts = Vec::new();
    for text in texts {
        parts.push(Part::Text(text));
    }
    Message { role, parts, foreign_summary: false, cache_markers: 0, name: None }
}

impl<'a> Piece<'a> {
    /// A text with a pinned block, entry by entry: our marks are nobody's words.
    fn push_block(self, head: &'a str, block: &'a str, out: &mut Vec<Self>) {
        let (entries, tail) = block.split_once(PINNED_FOOTER).unwrap_or((block, ""));
        out.push(Self { text: head, ..self });
        for entry in entries.split("\n- [").skip(1) {
            let named = entry.get(16..).and_then(|rest| rest.strip_prefix("] "));
            out.push(Self { text: named.unwrap_or(entry), pinned: named.is_some(), ..self });
        }
        out.push(Self { text: tail, ..self });
    }

    pub(super) fn place(&self) -> AuditPlace {
        AuditPlace { index: self.index, role: self.role }
    }

    /// What makes it the same piece in another list, of another shape too.
    pub(super) fn key(&self) -> String {
        let (kind, id) = match self.part {
            Part::Text(_) | Part::Attached(_) | Part::Foreign(_) => ("text", ""),
            Part::Reasoning { .. } => ("reasoning", ""),
            Part::Call { id, name, arguments } => {
                // shapes write the same arguments differently
                let plain = json::parse(arguments, json::DEPTH);
                let plain = plain.map_or_else(|| arguments.clone(), |plain| json::text(&plain));
                return Digest::of(format!("call\0{id}\0{name}\0{plain}")).hex();
            }
            Part::Result { id, .. } => ("result", id.as_str()),
            Part::Approval { id, .. } => ("approval", id.as_str()),
            Part::Media { kind, .. } => ("media", kind.as_str()),
        };
        Digest::of(format!("{}\0{kind}\0{id}\0{}", self.role.as_str(), trim(self.text))).hex()
    }
}
