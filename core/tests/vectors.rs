//! Runs the vector files for functions; see `tests/vectors/README.md`.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test reads files and panics to fail"
)]

#[path = "vectors/mod.rs"]
mod harness;

use harness::{Call, run};
use serde_json::{Map, Value, json};
use standfast::knowledge::Work;
use standfast::{Error, KnowledgeIndex, Result, published};

#[test]
fn functions_do_what_the_vectors_say() {
    run("functions", || function);
}

fn function(call: Call<'_>) -> Result<Value> {
    let Call { name, mut args, .. } = call;
    let ask = |name: &str, args: Value| published::call(name, args);
    match name {
        "fingerprint" => ask(name, args.into()).map(|both| both["fingerprint"].clone()),
        "invariants" => {
            let items = args["items"].clone();
            let order = ask("order", args.into())?;
            Ok(order.as_array().unwrap().iter().map(|place| items[place.as_u64().unwrap() as usize].clone()).collect())
        }
        "compact" => {
            let text = ask("compact_begin", json!({"items": args["items"]}))?["text"].clone();
            if text.is_null() {
                args.remove("summary");
            }
            let mut done = ask("compact_finish", args.into())?;
            done["text"] = text;
            Ok(done)
        }
        "trigger_policy" => ask("trigger_limits", json!({"policy": args})),
        "trigger_should_compact" => ask("should_compact", args.into()),
        "compact_session" => {
            let summary = args.remove("summary").unwrap_or_default();
            ask("session_begin", json!({"session": args}))?;
            ask("session_finish", json!({"session": args, "summary": summary}))
        }
        "render_request" => {
            let given = args["messages"].clone();
            let mut made = ask("render", args.into())?;
            let message = |slot: &Value| slot.get("own").cloned().unwrap_or_else(|| given[slot["host"].as_u64().unwrap() as usize].clone());
            let messages: Vec<Value> = made["slots"].as_array().unwrap().iter().map(message).collect();
            Ok(json!({"messages": messages, "system": made["system"].take()}))
        }
        "count_tokens" => Ok(standfast::count_tokens(text(&args, "text")?).into()),
        "extract" => {
            let budget = args.get("budget_tokens").and_then(Value::as_u64).and_then(|n| u32::try_from(n).ok());
            Ok(standfast::extract_text(text(&args, "text")?, budget.ok_or_else(|| Error::argument("`budget_tokens`"))?).into())
        }
        "compact_knowledge" | "decompose_knowledge" => {
            let count = args.remove("count");
            let mut work = Work::begin(name, args.into())?;
            // the counters that a vector can name; without one the estimator's tokens count
            while let Some(counter) = count.as_ref().and_then(Value::as_str).filter(|_| !work.asks().is_empty()) {
                let counts: Vec<u32> = work.asks().iter().map(|text| counted(counter, text)).collect();
                work.answer(&counts)?;
            }
            Ok(serde_json::from_str(&work.finish(false)?).unwrap())
        }
        "retrieve_knowledge" => {
            let index = KnowledgeIndex::new(args.remove("items").unwrap_or_default())?;
            Ok(serde_json::from_str(&index.call(args.into(), false)?).unwrap())
        }
        _ if standfast::triage::CALLS.contains(&name) => {
            Ok(serde_json::from_str(&standfast::triage::call(name, args.into(), false)?).unwrap())
        }
        _ if standfast::audit::CALLS.contains(&name) => {
            let found: Value = serde_json::from_str(&standfast::audit::call(name, args.into(), false)?).unwrap();
            // with the report comes its text
            Ok(match name {
                "audit_compaction" => json!({"report": found[0], "text": found[1]}),
                "audit_session" => json!({"report": found[0], "texts": found[1]}),
                _ => found,
            })
        }
        _ => ask(name, args.into()),
    }
}

/// The counters that a vector can name; without one the estimator's tokens count.
fn counted(counter: &str, text: &str) -> u32 {
    let characters = u32::try_from(text.chars().count()).unwrap();
    match counter {
        "characters" => characters,
        "square" => characters * characters / 100,
        _ => panic!("the runner knows no counter `{counter}`"),
    }
}

fn text<'a>(args: &'a Map<String, Value>, name: &str) -> Result<&'a str> {
    args.get(name).and_then(Value::as_str).ok_or_else(|| Error::argument("an argument is no text"))
}
