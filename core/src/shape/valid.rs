//! What a provider would reject in a list of messages.

use serde_json::Value;

use super::{Shape, anthropic, block, read};
use crate::event::Role;
use crate::ordered::Set;

/// The faults of a list, one sentence each; empty for a list the provider takes. The last message, or a last batch
/// that is being answered, may hold unanswered calls.
#[must_use]
pub fn validate(shape: Shape, messages: &[Value]) -> Vec<String> {
    let mut faults = Vec::new();
    for (i, message) in messages.iter().enumerate() {
        if let Err(error) = read(shape, message, 0) {
            faults.push(format!("message {i}: {}", error.message()));
        }
    }
    if faults.is_empty() {
        match shape {
            Shape::Openai | Shape::AiSdk | Shape::Gemini => openai(shape, messages, &mut faults),
            Shape::Anthropic => anthropic(messages, &mut faults),
            Shape::Responses => responses(messages, &mut faults),
        }
    }
    faults
}

/// Results follow their batch at once, each call has one, and nothing stands between. Gemini calls only after somebody else.
fn openai(shape: Shape, messages: &[Value], faults: &mut Vec<String>) {
    let gemini = shape == Shape::Gemini;
    let mut pending: Vec<String> = Vec::new();
    let mut legacy: Option<String> = None;
    let mut before = Role::Assistant;
    for (i, message) in messages.iter().enumerate() {
        let Ok(message) = read(shape, message, 0) else { continue };
        let after = std::mem::replace(&mut before, message.role);
        if message.role == Role::Tool || gemini && message.role == Role::User && message.results().next().is_some() {
            for id in message.results() {
                if let Some(at) = pending.iter().position(|call| call == id) {
                    pending.remove(at);
                } else if legacy.as_deref() == Some(id) {
                    legacy = None;
                } else {
                    faults.push(format!("message {i}: a result without a call right before it"));
                }
            }
            continue;
        }
        if !pending.is_empty() {
            faults.push(format!("message {i}: {} calls before it have no result", pending.len()));
            pending.clear();
        }
        legacy = None;
        for id in message.calls() {
            if !gemini && id.starts_with(super::LEGACY_CALL) {
                legacy = Some(id.to_owned());
            } else if !gemini && pending.iter().any(|call| call == id) {
                faults.push(format!("message {i}: two calls of one batch share an id"));
            } else {
                pending.push(id.to_owned());
            }
        }
        for id in message.results() {
            match pending.iter().position(|call| call == id) {
                // a tool that the provider ran itself is answered where it is called
                Some(at) if shape != Shape::Openai => drop(pending.remove(at)),
                _ => faults.push(format!("message {i}: a result outside a tool message")),
            }
        }
        if gemini && !pending.is_empty() && after == Role::Assistant {
            faults.push(format!("message {i}: a call neither after the user nor after a response"));
        }
    }
}

/// Each output answers a call before it, each call before the user's next word has one, and reasoning has what it led to.
fn responses(messages: &[Value], faults: &mut Vec<String>) {
    let mut pending: Vec<String> = Vec::new();
    let mut spoken_over: Vec<String> = Vec::new();
    let mut reasoned = false;
    for (i, item) in messages.iter().enumerate() {
        let Ok(message) = read(Shape::Responses, item, 0) else { continue };
        if reasoned && message.role != Role::Assistant {
            faults.push(format!("message {i}: the reasoning before it has nothing it led to"));
        }
        reasoned = block::kind(item) == "reasoning";
        pending.extend(message.calls().map(str::to_owned));
        for id in message.results() {
            let calls = if spoken_over.iter().any(|call| call == id) { &mut spoken_over } else { &mut pending };
            match calls.iter().position(|call| call == id) {
                Some(at) => drop(calls.remove(at)),
                None => faults.push(format!("message {i}: a result without a call before it")),
            }
        }
        if message.role == Role::User {
            spoken_over.append(&mut pending);
        }
    }
    if !spoken_over.is_empty() {
        faults.push(format!("{} calls have no result", spoken_over.len()));
    }
}

/// A run of messages of one role, which the API reads as one turn.
struct Turn<'a> {
    first: usize,
    role: &'a str,
    blocks: Vec<&'a Value>,
    /// Whether a plain text stands where a block could.
    texts_at: Vec<usize>,
}

fn turns(messages: &[Value]) -> Vec<Turn<'_>> {
    let mut turns: Vec<Turn<'_>> = Vec::new();
    for (i, message) in messages.iter().enumerate() {
        let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
        if role == "system" {
            continue;
        }
        if turns.last().is_none_or(|turn| turn.role != role) {
            turns.push(Turn { first: i, role, blocks: Vec::new(), texts_at: Vec::new() });
        }
        let Some(turn) = turns.last_mut() else { continue };
        match message.get("content") {
            Some(Value::Array(blocks)) => turn.blocks.extend(blocks),
            Some(Value::String(_)) => turn.texts_at.push(turn.blocks.len()),
            _ => {}
        }
    }
    turns
}

fn field<'a>(block: &'a Value, name: &str) -> &'a str {
    block.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn anthropic(messages: &[Value], faults: &mut Vec<String>) {
    let turns = turns(messages);
    if turns.first().is_some_and(|turn| turn.role != "user") {
        faults.push("message 0: the first message is not the user's".to_owned());
    }
    let mut ids: Set<&str> = Set::new();
    let mut served: Set<&str> = Set::new();
    let mut pending: Vec<&str> = Vec::new();
    for (t, turn) in turns.iter().enumerate() {
        let (at, last) = (turn.first, t + 1 == turns.len());
        if turn.role == "user" {
            let waiting = !pending.is_empty();
            let mut only_results = turn.texts_at.is_empty();
            let mut text_first = turn.texts_at.first() == Some(&0);
            for item in &turn.blocks {
                if block::kind(item) != "tool_result" {
                    only_results = false;
                    text_first |= waiting && turn.blocks.first().is_some_and(|first| std::ptr::eq(*first, *item));
                } else if let Some(place) = pending.iter().position(|id| *id == field(item, "tool_use_id")) {
                    pending.remove(place);
                } else {
                    faults.push(format!("message {at}: a result without a call in the message before"));
                }
            }
            if waiting && text_first {
                faults.push(format!("message {at}: results must come first"));
            }
            if !(pending.is_empty() || last && only_results) {
                faults.push(format!("message {at}: {} calls before it have no result", pending.len()));
            }
            pending.clear();
            continue;
        }
        for item in &turn.blocks {
            let kind = block::kind(item);
            if anthropic::is_call(kind) {
                if !ids.insert(field(item, "id")) {
                    faults.push(format!("message {at}: a call id is used twice"));
                }
                if kind == "tool_use" {
                    pending.push(field(item, "id"));
                } else {
                    served.insert(field(item, "id"));
                }
            } else if kind == "tool_result" {
                faults.push(format!("message {at}: a result outside a user message"));
            } else if anthropic::is_result(kind) && !served.remove(field(item, "tool_use_id")) {
                faults.push(format!("message {at}: a server tool's result without its call"));
            }
        }
    }
}
