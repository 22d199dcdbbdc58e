//! Guards, messages and compactions in few words.

#![allow(unreachable_pub, dead_code, clippy::unwrap_used, reason = "a test says what it expects; each file uses a part")]

use serde_json::{Value, json};
use standfast::{Guard, ObserveOptions, Plan, Policy, Shape, Slot, Summaries, Summary, Synced, Window};

pub fn guard(tail: u32) -> Guard {
    Guard::new(Policy { tail_tokens: Some(tail), ..Policy::for_window(4_000) }, Some(Shape::Openai)).unwrap()
}

pub fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

pub fn agent(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

pub fn tool(id: &str, text: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": text})
}

pub fn calls(id: &str, name: &str) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": {"name": name, "arguments": "{}"}}]})
}

/// Turns of ordinary talk.
pub fn talk(turns: usize) -> Vec<Value> {
    (0..turns)
        .flat_map(|n| [user(&format!("Please look at batch {n} now.")), agent(&format!("Batch {n} has 412 rows, all of them fine."))])
        .collect()
}

pub fn sync(guard: &mut Guard, list: &[Value]) -> Synced {
    guard.sync(0, list, &ObserveOptions::default()).unwrap()
}

pub fn answer(plan: &Plan, text: &str) -> Summaries {
    let summary = Summary { text: text.to_owned(), finish_reason: None };
    plan.requests.iter().map(|request| (request.id.clone(), Some(summary.clone()))).collect()
}

pub fn compact(guard: &mut Guard) -> Window {
    let plan = guard.plan(None).unwrap();
    guard.commit(&plan, &answer(&plan, "Done: looked at batches.")).unwrap()
}

pub fn hosts(window: &Window) -> Vec<u32> {
    window.slots.iter().filter_map(|slot| if let Slot::Host(seq) = slot { Some(*seq) } else { None }).collect()
}

/// A window as the host's list.
pub fn adopted(window: &Window, list: &[Value]) -> Vec<Value> {
    let message = |slot: &Slot| match slot {
        Slot::Host(seq) => list.get(*seq as usize).unwrap().clone(),
        Slot::Own(message) => message.clone(),
    };
    window.slots.iter().map(message).collect()
}
