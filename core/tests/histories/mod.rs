//! Valid histories to test with, as the provider's own JSON: text turns, parallel calls, reasoning, images, documents,
//! system messages half way, and a last batch that may still be open.

#![allow(dead_code, unreachable_pub, reason = "each test uses a part, and includes the file where it needs it")]

use proptest::prelude::*;
use serde_json::{Value, json};

/// The two provider formats, free of the crate's own types so that unit and integration tests can share this file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Openai,
    Anthropic,
}

/// What a user sends.
#[derive(Debug, Clone)]
pub enum Ask {
    Text(String),
    Image(String),
    Document(String),
}

/// One assistant message and what its calls came back with.
#[derive(Debug, Clone)]
pub struct Step {
    pub reasoning: Option<String>,
    pub text: String,
    pub results: Vec<String>,
    pub result_image: bool,
    /// The results come in several messages (Anthropic), or with words of the user (Anthropic).
    pub split: bool,
    pub aside: bool,
    /// A server tool runs inside the message (Anthropic).
    pub served: bool,
}

/// A user message and the agent's work on it.
#[derive(Debug, Clone)]
pub struct Turn {
    pub system: bool,
    pub ask: Ask,
    pub steps: Vec<Step>,
    pub answer: Option<String>,
}

fn words() -> impl Strategy<Value = String> {
    proptest::collection::vec(
        proptest::sample::select(vec![
            "deploy",
            "the",
            "invoice",
            "4417",
            "never",
            "src/app.rs",
            "überprüfen",
            "完了",
            "failed",
            "because",
        ]),
        1..12,
    )
    .prop_map(|words| words.join(" "))
}

fn step(thinks: bool) -> impl Strategy<Value = Step> {
    let flags = (any::<bool>(), any::<bool>(), proptest::bool::weighted(0.15), proptest::bool::weighted(0.2));
    let results = proptest::collection::vec(words(), 0..4);
    (proptest::bool::weighted(0.6), words(), words(), results, flags).prop_map(move |(own, thought, text, results, flags)| Step {
        reasoning: (thinks && own).then_some(thought),
        text,
        results,
        result_image: flags.0,
        split: flags.1,
        aside: flags.2,
        served: flags.3,
    })
}

fn turn() -> impl Strategy<Value = Turn> {
    let ask = (0..3, words()).prop_map(|(kind, text)| match kind {
        0 => Ask::Image(text),
        1 => Ask::Document(text),
        _ => Ask::Text(text),
    });
    let steps = any::<bool>().prop_flat_map(|thinks| proptest::collection::vec(step(thinks), 0..5));
    (proptest::bool::weighted(0.1), ask, steps, proptest::option::weighted(0.8, words())).prop_map(|(system, ask, steps, answer)| Turn {
        system,
        ask,
        steps,
        answer,
    })
}

/// Turns of a conversation.
pub fn turns() -> impl Strategy<Value = Vec<Turn>> {
    proptest::collection::vec(turn(), 1..6)
}

/// A valid history of `format`, without a head. The last batch may be open.
pub fn history(format: Format) -> impl Strategy<Value = Vec<Value>> {
    (turns(), 0..4_usize).prop_map(move |(turns, cut_off)| {
        let mut messages = render(format, &turns);
        // What the last turn still waits for: results leave from the end, as long as they are the end.
        for _ in 0..cut_off {
            if messages.last().is_some_and(|message| is_only_results(format, message)) {
                messages.pop();
            }
        }
        messages
    })
}

fn is_only_results(format: Format, message: &Value) -> bool {
    match format {
        Format::Openai => message["role"] == "tool",
        Format::Anthropic => message["content"]
            .as_array()
            .is_some_and(|blocks| message["role"] == "user" && blocks.iter().all(|block| block["type"] == "tool_result")),
    }
}

/// The messages of `turns` in `format`.
pub fn render(format: Format, turns: &[Turn]) -> Vec<Value> {
    render_from(format, turns, &mut 0)
}

/// The messages of `turns` in `format`, for a history that has used up the call ids before `next_id`.
pub fn render_from(format: Format, turns: &[Turn], next_id: &mut u32) -> Vec<Value> {
    let mut messages = Vec::new();
    for turn in turns {
        match format {
            Format::Openai => openai(turn, next_id, &mut messages),
            Format::Anthropic => anthropic(turn, next_id, &mut messages),
        }
    }
    messages
}

fn ids(n: usize, next: &mut u32) -> Vec<String> {
    (0..n)
        .map(|_| {
            *next += 1;
            format!("call_{next}")
        })
        .collect()
}

fn openai(turn: &Turn, next_id: &mut u32, messages: &mut Vec<Value>) {
    if turn.system {
        messages.push(json!({"role": "system", "content": "The mode is now: careful."}));
    }
    messages.push(match &turn.ask {
        Ask::Text(text) => json!({"role": "user", "content": text}),
        Ask::Image(text) => json!({"role": "user", "content": [
            {"type": "text", "text": text},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]}),
        Ask::Document(text) => json!({"role": "user", "content": [
            {"type": "file", "file": {"file_id": "file_1"}}, {"type": "text", "text": text}]}),
    });
    for step in &turn.steps {
        let ids = ids(step.results.len(), next_id);
        let mut message = json!({"role": "assistant", "content": step.text});
        if let Some(reasoning) = &step.reasoning {
            message.as_object_mut().map(|map| map.insert("reasoning_content".to_owned(), json!(reasoning)));
        }
        if !ids.is_empty() {
            let call = |id: &String| json!({"id": id, "type": "function", "function": {"name": "search", "arguments": "{\"q\": 1}"}});
            message.as_object_mut().map(|map| map.insert("tool_calls".to_owned(), ids.iter().map(call).collect()));
        }
        messages.push(message);
        for (id, result) in ids.iter().zip(&step.results) {
            messages.push(json!({"role": "tool", "tool_call_id": id, "content": result}));
        }
    }
    if let Some(answer) = &turn.answer {
        messages.push(json!({"role": "assistant", "content": answer}));
    }
}

fn anthropic(turn: &Turn, next_id: &mut u32, messages: &mut Vec<Value>) {
    messages.push(match &turn.ask {
        Ask::Text(text) => json!({"role": "user", "content": text}),
        Ask::Image(text) => json!({"role": "user", "content": [
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}},
            {"type": "text", "text": text}]}),
        Ask::Document(text) => json!({"role": "user", "content": [
            {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "a report"}},
            {"type": "text", "text": text}]}),
    });
    for step in &turn.steps {
        let ids = ids(step.results.len(), next_id);
        let mut blocks = Vec::new();
        if let Some(reasoning) = &step.reasoning {
            blocks.push(json!({"type": "thinking", "thinking": reasoning, "signature": "c2lnbmVk"}));
        }
        blocks.push(json!({"type": "text", "text": step.text}));
        if step.served {
            *next_id += 1;
            let id = format!("srvtoolu_{next_id}");
            blocks.push(json!({"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": "x"}}));
            blocks.push(json!({"type": "web_search_tool_result", "tool_use_id": id, "content": [
                {"type": "web_search_result", "title": "A page", "url": "https://example.com", "encrypted_content": "c2VhbGVk"}]}));
        }
        blocks.extend(ids.iter().map(|id| json!({"type": "tool_use", "id": id, "name": "search", "input": {"q": 1}})));
        messages.push(json!({"role": "assistant", "content": blocks}));
        let mut results: Vec<Value> = ids
            .iter()
            .zip(&step.results)
            .map(|(id, text)| {
                let content = if step.result_image {
                    json!([{"type": "text", "text": text},
                        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}}])
                } else {
                    json!(text)
                };
                json!({"type": "tool_result", "tool_use_id": id, "content": content})
            })
            .collect();
        if results.is_empty() {
            continue;
        }
        if step.split {
            let rest = results.split_off(1);
            messages.push(json!({"role": "user", "content": results}));
            results = rest;
        }
        if step.aside {
            results.push(json!({"type": "text", "text": "and be careful"}));
        }
        if !results.is_empty() {
            messages.push(json!({"role": "user", "content": results}));
        }
    }
    if let Some(answer) = &turn.answer {
        messages.push(json!({"role": "assistant", "content": answer}));
    }
}
