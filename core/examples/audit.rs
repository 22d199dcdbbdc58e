//! Audits two files: `cargo run --release -p standfast --example audit before.json after.json`, or without arguments prints
//! how the time grows with hostile input.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::float_arithmetic,
    reason = "an example that reads files, measures and prints fractions"
)]

use std::time::Instant;

use serde_json::{Value, json};
use standfast::audit_compaction;

fn file(path: &str) -> Value {
    let text = std::fs::read_to_string(path).unwrap();
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

/// Runs an audit of two sizes and prints both times and the exponent between them.
fn growth(name: &str, small: usize, make: &dyn Fn(usize) -> (Value, Value)) {
    // the quietest of three runs
    let time = |count: usize| {
        let (before, after) = make(count);
        let run = |_| {
            let start = Instant::now();
            let report = audit_compaction(&before, &after, None).unwrap();
            (start.elapsed().as_secs_f64(), report.counts.rules)
        };
        (0..3).map(run).min_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
    };
    let (first, _) = time(small);
    let (second, rules) = time(small * 4);
    let exponent = (second / first).ln() / 4_f64.ln();
    println!(
        "{name:<44} {small:>7}: {:>8.1} ms, {:>7}: {:>8.1} ms, {rules} rules, exponent {exponent:.2}",
        first * 1e3,
        small * 4,
        second * 1e3
    );
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn rule(n: usize) -> String {
    format!("Never delete table billing_{n} before the export of lane L-{} is checked by hand.", n * 7)
}

fn softened(n: usize) -> String {
    format!("Try to avoid deleting table billing_{n} unless lane L-{} was exported; the user approved order {n}.", n * 7)
}

fn many(count: usize, text: fn(usize) -> String) -> Value {
    (0..count).map(|n| user(&text(n))).collect()
}

fn long(count: usize, text: fn(usize) -> String) -> String {
    (0..count).map(|n| text(n) + " ").collect()
}

fn main() {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if let [before, after] = paths.as_slice() {
        let report = audit_compaction(&file(before), &file(after), None).unwrap();
        println!("{report}");
        return;
    }
    growth("messages, each a rule, all the same", 2_500, &|n| (many(n, rule), many(n, rule)));
    growth("messages, each a rule, all in other words", 2_500, &|n| (many(n, rule), many(n, softened)));
    growth("messages without rules, all gone", 2_500, &|n| (many(n, |n| format!("Lane {n} is open.")), json!([])));
    growth("one message of sentences, all softened", 5_000, &|n| (json!([user(&long(n, rule))]), json!([user(&long(n, softened))])));
    growth("200 rules, one summary of sentences", 5_000, &|n| (many(200, rule), json!([user(&long(n, softened))])));
    growth("tool calls, all parted", 2_500, &|n| {
        let call = |n: usize| json!({"role": "assistant", "content": null, "tool_calls": [{"id": format!("c{n}"), "type": "function", "function": {"name": "f", "arguments": "{}"}}]});
        let result = |n: usize| json!({"role": "tool", "tool_call_id": format!("c{n}"), "content": "row"});
        ((0..n).flat_map(|n| [call(n), result(n)]).collect(), (0..n).map(call).chain((0..n).map(result)).collect())
    });
    growth("one sentence of numbers, all others", 2_500, &|n| {
        let numbers = |from: usize| json!([user(&(from..from + n).map(|n| n.to_string()).collect::<Vec<_>>().join(" "))]);
        (numbers(100_000), numbers(600_000))
    });
    let bytes = 20 << 20;
    let (before, after) =
        (json!([user(&"Lane 7 is open and nobody waits. ".repeat(bytes / 33))]), json!([user(&long(bytes / 110, softened))]));
    let start = Instant::now();
    let report = audit_compaction(&before, &after, Some(&[rule(7)])).unwrap();
    println!("20 MB against 20 MB: {:.1} s, {} claims", start.elapsed().as_secs_f64(), report.claims.len());
}
