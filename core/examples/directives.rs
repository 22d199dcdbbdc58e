//! How user turns are read. A file of JSON lines with a `text` each gives one line each with its sentences, their features and
//! sums, and what is promoted: `cargo run --release --example directives FILE`.

#![expect(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "an example may read files; the core may not"
)]

use serde_json::{Value, json};
use standfast::text::pattern::Pattern;
use standfast::triage::{readings, spoken};

fn main() {
    let path = std::env::args().nth(1).unwrap_or_default();
    for line in std::fs::read_to_string(path).unwrap_or_default().lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let text = row["text"].as_str().unwrap_or_default();
        let sentences: Vec<Value> = readings(text)
            .iter()
            .map(|reading| json!({"text": reading.span.of(text), "score": reading.score, "cue": reading.cue, "features": reading.features, "words": reading.words}))
            .collect();
        let promoted: Vec<Value> = spoken(text, &Pattern::published())
            .iter()
            .map(|found| json!({"text": found.span.of(text), "cue": found.cue, "own": found.zone == standfast::item::Zone::Own}))
            .collect();
        println!("{}", json!({"id": row["id"], "sentences": sentences, "promoted": promoted}));
    }
}
