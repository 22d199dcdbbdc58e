//! Reads texts to be typed, a JSON object a line, and prints the numbers of the features of each, for `bench/triage/train.py`:
//! `cargo run --release -p standfast --example features < lines.jsonl`. With `names`, prints what each number is instead.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "the features are this program's output")]

use std::collections::BTreeMap;
use std::io::BufRead;

use standfast::triage::{Given, features};

fn main() {
    let names = std::env::args().nth(1).is_some();
    let mut known: BTreeMap<u32, String> = BTreeMap::new();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Ok(value) = serde_json::from_str::<serde_json::Value>(&line) else { continue };
        let text = |name: &str| value.get(name).and_then(|v| v.as_str()).map(str::to_owned);
        let path = value.get("heading_path").and_then(|v| v.as_array()).cloned().unwrap_or_default();
        let given = Given {
            text: text("text").unwrap_or_default(),
            heading_path: path.iter().filter_map(|v| v.as_str()).map(str::to_owned).collect(),
            lead_in: text("lead_in"),
            kind: text("kind"),
        };
        let found = features(&given);
        if names {
            for (id, tag, name) in found {
                known.entry(id).or_insert_with(|| format!("{tag}\t{name}"));
            }
        } else {
            let mut ids: Vec<u32> = found.iter().map(|(id, ..)| *id).collect();
            ids.sort_unstable();
            ids.dedup();
            println!("{}", ids.iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
        }
    }
    for (id, name) in known {
        println!("{id}\t{}", name.replace('\n', " "));
    }
}
