//! The published `compact`: what goes to the summarizer, and the three messages that come of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::extractive::extractive;
use super::{ContextItem, PublishedTaskState, registry, render_task_state};
use crate::check::presence::{Outgoing, assert_request};
use crate::error::{Code, Error, Result};
use crate::json;
use crate::markers::Markers;
use crate::registry::Registry;
use crate::text::sentinel;

/// What is to be summarized.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompactStart {
    /// The T2 items' texts, oldest first, one below the other, with a marker where a rule or held text stood. None if
    /// there is nothing to summarize; then no summarizer is called.
    pub text: Option<String>,
}

/// What a compaction gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Compacted {
    /// Pinned block, task state, summary: `{"role", "content"}` each.
    pub messages: Vec<Value>,
    /// The items that stay: all but T3.
    pub items: Vec<ContextItem>,
}

/// The text for the summarizer.
///
/// # Errors
/// The codes of `render_pinned_block`.
pub fn compact_begin(items: &[ContextItem]) -> Result<CompactStart> {
    let text = episodic(items, &registry(items)?)?.join("\n");
    Ok(CompactStart { text: (!text.trim().is_empty()).then_some(text) })
}

/// The T2 items' texts for a summarizer, oldest first.
fn episodic(items: &[ContextItem], registry: &Registry) -> Result<Vec<String>> {
    let markers = Markers::of(registry)?;
    let mut episodic: Vec<&ContextItem> = items.iter().filter(|item| item.tier == 2).collect();
    episodic.sort_by_key(|item| item.turn);
    Ok(episodic.iter().map(|item| markers.apply(&item.text).text.into_owned()).collect())
}

/// The messages around a summary: system message with the pinned block (none without rules), system message with the
/// task state, user message with the summary (none where there was nothing to summarize). Imitations of our marks in the
/// summary are neutralized. Without a summary, the summarizer having failed or none being there, the built-in one stands.
///
/// # Errors
/// `summary_not_text` for a blank summary of something, `invariant_lost` should a rule be missing, and the codes of
/// `render_pinned_block` and `render_task_state`.
pub fn compact_finish(items: &[ContextItem], state: &PublishedTaskState, summary: Option<&str>, round_no: u32) -> Result<Compacted> {
    let registry = registry(items)?;
    let block = registry.block();
    let mut messages = Vec::new();
    if !block.is_empty() {
        messages.push(message("system", block.to_owned()));
    }
    messages.push(message("system", render_task_state(state)?));
    let texts = episodic(items, &registry)?;
    if texts.iter().any(|text| !text.trim().is_empty()) {
        let summary = summary.map_or_else(|| extractive(&texts, EXTRACTIVE_TOKENS), str::to_owned);
        if summary.trim().is_empty() {
            return Err(Error::new(Code::SummaryNotText, "the summary is blank"));
        }
        let summary = sentinel::neutralize(summary.trim());
        messages.push(message("user", format!("Summary of work so far (round {round_no}):\n{summary}")));
    }
    assert_invariants_present(&messages, items)?;
    let items = items.iter().filter(|item| item.tier != 3).cloned().collect();
    Ok(Compacted { messages, items })
}

fn message(role: &str, content: String) -> Value {
    json::object([("role", role.into()), ("content", content.into())])
}

/// Most tokens of the built-in summary.
const EXTRACTIVE_TOKENS: u32 = 4_000;

/// Asserts that the pinned block of the active T0 items stands, byte for byte and once, in the system slot of
/// `messages` (role system or developer).
///
/// # Errors
/// `invariant_lost`; its details name the `missing` fingerprints.
pub fn assert_invariants_present(messages: &[Value], items: &[ContextItem]) -> Result<()> {
    let registry = registry(items)?;
    let (mut system, mut other) = (Vec::new(), Vec::new());
    for message in messages {
        let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
        let slot = if matches!(role, "system" | "developer") { &mut system } else { &mut other };
        match message.get("content") {
            Some(Value::String(text)) => slot.push(text.clone()),
            Some(Value::Array(parts)) => {
                slot.extend(parts.iter().filter_map(|part| part.as_str().or_else(|| part.get("text")?.as_str())).map(str::to_owned));
            }
            _ => {}
        }
    }
    let outgoing = Outgoing { system: &system, other: &other, said: &[] };
    assert_request(outgoing, registry.block(), &registry.in_block(), &[]).map(|_| ())
}
