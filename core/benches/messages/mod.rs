//! Messages to measure with: ordinary words, numbers, paths and ticket ids, the same on every run.

#![allow(dead_code, unreachable_pub, reason = "the benchmarks and the scaling example each use a part")]

use serde_json::{Value, json};

const WORDS: &[&str] = &[
    "the",
    "batch",
    "was",
    "reconciled",
    "against",
    "ledger",
    "and",
    "two",
    "rows",
    "differ",
    "by",
    "a",
    "rounding",
    "cent",
    "in",
    "settlement",
    "so",
    "next",
    "step",
    "is",
    "to",
    "compare",
    "export",
    "with",
    "archive",
    "before",
    "we",
    "close",
    "it",
    "for",
    "customer",
    "who",
    "asked",
    "about",
    "refund",
    "that",
    "has",
    "not",
    "arrived",
    "yet",
    "service",
    "answered",
    "slowly",
    "but",
    "without",
    "errors",
    "report",
    "lists",
    "every",
    "file",
];

/// A small generator of numbers; the same seed gives the same sequence.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }
}

/// Text of about `bytes` bytes, with a path, an amount or a ticket id now and then and no rule in it.
pub fn prose(seed: u64, bytes: usize) -> String {
    let mut numbers = Numbers::new(seed + 1);
    let mut text = String::with_capacity(bytes + 32);
    let mut in_sentence = 0;
    while text.len() < bytes {
        match numbers.below(40) {
            0 => text.push_str(&format!("src/jobs/day_{}.py", numbers.below(400))),
            1 => text.push_str(&format!("GBP {}.{:02}", numbers.below(5_000), numbers.below(100))),
            2 => text.push_str(&format!("SETTLE-{}", numbers.below(9_000))),
            _ => {
                let at = usize::try_from(numbers.below(WORDS.len() as u64)).unwrap_or_default();
                text.push_str(WORDS.get(at).copied().unwrap_or_default());
            }
        }
        in_sentence += 1;
        if in_sentence == 14 {
            text.push_str(".\n");
            in_sentence = 0;
        } else {
            text.push(' ');
        }
    }
    text.truncate(bytes);
    text
}

/// A rule as an operator would declare it.
pub fn rule(n: usize) -> String {
    format!("Never release settlement run {n} above GBP {} without the approval of a second person.", 100 + n * 7)
}

/// A message of the agent that is text only.
pub fn plain(seed: u64, bytes: usize) -> Value {
    json!({"role": "assistant", "content": prose(seed, bytes)})
}

/// A message of the agent with a tool call; its size is in the arguments.
pub fn call(seed: u64, bytes: usize) -> Value {
    let arguments = json!({"query": prose(seed, bytes * 2 / 3), "limit": 20}).to_string();
    json!({"role": "assistant", "content": prose(seed + 7, bytes / 3), "tool_calls": [
        {"id": format!("call_{seed}"), "type": "function", "function": {"name": "search_ledger", "arguments": arguments}}]})
}

/// The result of the call of the same seed.
pub fn result(seed: u64, bytes: usize) -> Value {
    json!({"role": "tool", "tool_call_id": format!("call_{seed}"), "content": prose(seed + 13, bytes)})
}

/// A message of the user.
pub fn ask(seed: u64, bytes: usize) -> Value {
    json!({"role": "user", "content": prose(seed + 17, bytes)})
}

/// A message of the user with one rule in the middle.
pub fn ask_with_rule(seed: u64, bytes: usize) -> Value {
    let n = usize::try_from(seed).unwrap_or_default();
    let half = bytes.saturating_sub(100) / 2;
    json!({"role": "user", "content": format!("{}.\n\n{}\n\n{}", prose(seed, half), rule(n), prose(seed + 1, half))})
}

/// The `n`-th message of an endless run: a user asks, the agent calls a tool twice and answers.
pub fn nth(n: u64, bytes: usize) -> Value {
    let turn = n / 6;
    match n % 6 {
        0 => ask(turn, bytes),
        1 => call(turn * 2, bytes),
        2 => result(turn * 2, bytes),
        3 => call(turn * 2 + 1, bytes),
        4 => result(turn * 2 + 1, bytes),
        _ => plain(turn, bytes),
    }
}

/// The first `n` messages of that run.
pub fn history(n: u64, bytes: usize) -> Vec<Value> {
    (0..n).map(|at| nth(at, bytes)).collect()
}
