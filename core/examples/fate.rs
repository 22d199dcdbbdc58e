//! What the fate check makes of written summaries and of real digests: a line of JSON for each.
//!
//! `STANDFAST_DATA=… cargo run --release --example fate` prints figures; see `bench/fate.py` for the comparison.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::float_arithmetic,
    reason = "a program that measures"
)]

use std::collections::BTreeMap;
use std::time::Instant;

use serde_json::Value;

fn rows(name: &str) -> Vec<Value> {
    let folder = std::env::var("STANDFAST_DATA").unwrap();
    let text = std::fs::read_to_string(format!("{folder}/summaries/{name}.jsonl")).unwrap();
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn word(kind: standfast::FateKind) -> String {
    serde_json::to_value(kind).unwrap().as_str().unwrap().to_owned()
}

/// Time of one check, and how it grows with sentences and rules.
fn speed() {
    let rule = "Never upload customer exports to the bucket reports-eu without the approval of Dana Whitlock.";
    let near = "Uploads of exports went to bucket number 17 and were counted by the customer team before noon. ";
    let text: String = std::iter::repeat_n(near, 5).chain([rule, " "]).chain(std::iter::repeat_n(near, 5)).collect();
    let changed = text.replace("Never upload", "Try not to upload");
    for (name, text) in [("verbatim", &text), ("changed", &changed)] {
        let start = Instant::now();
        for _ in 0..1000 {
            assert_eq!(standfast::audit(&[rule], text).len(), 1);
        }
        println!("one rule, {} bytes, {name}: {} us", text.len(), start.elapsed().as_micros() / 1000);
    }
    let probe = standfast::check::fate::Probe::of(rule);
    let frames = standfast::check::fate::Text::of(&changed);
    let start = Instant::now();
    for _ in 0..1000 {
        std::hint::black_box(standfast::check::fate::of_probe(rule, &probe, &frames));
    }
    println!("the same with rule and text read before: {} us", start.elapsed().as_micros() / 1000);
    let rules: Vec<String> =
        (0..500).map(|n| format!("Never ship order {n} of depot {} before noon without the seal of team {}.", n % 7, n % 11)).collect();
    let probes: Vec<_> = rules.iter().take(50).map(|rule| standfast::check::fate::Probe::of(rule)).collect();
    let segment = &text.repeat(2);
    let start = Instant::now();
    for _ in 0..20 {
        std::hint::black_box(standfast::check::fate::contradictions(&probes, &standfast::check::fate::Text::of(segment)));
    }
    println!("contradictions of 50 rules, {} bytes: {} us", segment.len(), start.elapsed().as_micros() / 20);
    let (mut last, mut first) = (0, 0);
    for size in [1_250, 2_500, 5_000, 10_000] {
        let text: String =
            (0..size).map(|n| format!("Order {n} of depot {} was shipped before noon with the seal of team {}. ", n % 7, n % 11)).collect();
        let start = Instant::now();
        assert_eq!(standfast::audit(&rules, &text).len(), 500);
        let took = start.elapsed().as_millis().max(1);
        first = if first == 0 { took } else { first };
        if last > 0 {
            println!("500 rules, {size} sentences: {took} ms, {:.2} times those of half as many", took as f64 / last as f64);
        }
        last = took;
    }
    // 1 is linear, 2 quadratic
    println!("exponent from 1250 to 10000 sentences: {:.2}", (last as f64 / first as f64).ln() / 8_f64.ln());
}

/// The features of each line of JSON with a rule and a text, for `bench/fate_weights.py`.
fn features() {
    for line in std::io::stdin().lines() {
        let row: Value = serde_json::from_str(&line.unwrap()).unwrap();
        let found = standfast::check::fate::features(row["rule"].as_str().unwrap(), row["text"].as_str().unwrap());
        println!("{}", serde_json::to_string(&found).unwrap());
    }
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("features") {
        return features();
    }
    if std::env::var("STANDFAST_DATA").is_err() {
        return speed();
    }
    let show = std::env::args().nth(1);
    let texts: BTreeMap<String, String> =
        rows("rules").iter().map(|r| (r["id"].as_str().unwrap().into(), r["text"].as_str().unwrap().into())).collect();
    let half: BTreeMap<&String, bool> = texts.keys().enumerate().map(|(at, id)| (id, at % 2 == 0)).collect();
    for (name, side) in [("first half", true), ("second half", false)] {
        let mut table: BTreeMap<(String, String), usize> = BTreeMap::new();
        let (mut right, mut all, mut lost, mut certified, mut nanos) = (0, 0, 0, 0, 0);
        for case in rows("cases") {
            let id = case["rule_id"].as_str().unwrap().to_owned();
            if half[&id] != side {
                continue;
            }
            let start = Instant::now();
            let fate = standfast::audit(&[&texts[&id]], case["summary"].as_str().unwrap()).remove(0);
            nanos += start.elapsed().as_nanos();
            let (found, label, kind) = (word(fate.kind), case["label"].as_str().unwrap(), case["kind"].as_str().unwrap());
            *table.entry((kind.into(), found.clone())).or_default() += 1;
            all += 1;
            right += usize::from(found == label);
            let good = |word: &str| word == "preserved" || word == "paraphrased";
            if !good(label) {
                lost += 1;
                certified += usize::from(good(&found));
            }
            if side && show.as_deref().is_some_and(|show| kind == show || show == "all") && found != label {
                println!(
                    "{} {kind} -> {found} [{}] {}\n   RULE {}\n   EVID {}",
                    id,
                    fate.detail.unwrap_or_default(),
                    fate.message,
                    fate.rule,
                    fate.evidence
                );
            }
        }
        println!("== cases, {name}: right {right}/{all}, false certificates {certified}/{lost}, {} us", nanos / 1000 / all as u128);
        for kind in ["preserved", "distractor", "paraphrased", "weakened", "mutated", "contradicted", "dropped"] {
            let row: Vec<String> = table.iter().filter(|((k, _), _)| k == kind).map(|((_, f), n)| format!("{f} {n}")).collect();
            println!("   {kind}: {}", row.join(", "));
        }
    }
    own(show.as_deref());
    let digests = rows("digests");
    let mut ids: Vec<&str> = digests.iter().map(|d| d["rule_id"].as_str().unwrap()).collect();
    ids.sort_unstable();
    ids.dedup();
    for (name, side) in [("first half", true), ("second half", false)] {
        let mut table: BTreeMap<(String, String), usize> = BTreeMap::new();
        for row in &digests {
            let place = ids.iter().position(|id| *id == row["rule_id"].as_str().unwrap()).unwrap();
            if (place < 3) != side {
                continue;
            }
            let fate = standfast::audit(&[row["rule"].as_str().unwrap()], row["summary"].as_str().unwrap()).remove(0);
            let (found, label) = (word(fate.kind), row["label"].as_str().unwrap());
            let good = found == "preserved" || found == "paraphrased";
            if side && show.as_deref() == Some("digests") && ((label == "W") != good) && label != "G" {
                println!("{label} -> {found} [{}]\n   RULE {}\n   EVID {}", fate.detail.unwrap_or_default(), fate.rule, fate.evidence);
            }
            *table.entry((label.into(), found)).or_default() += 1;
        }
        println!("== digests, {name}");
        for label in ["W", "G", "D", "X"] {
            let row: Vec<String> = table.iter().filter(|((k, _), _)| k == label).map(|((_, f), n)| format!("{f} {n}")).collect();
            println!("   {label}: {}", row.join(", "));
        }
    }
}

/// The cases of the tests, in surroundings.
fn own(show: Option<&str>) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fates");
    let text: String = ["english", "restated", "varied", "unseen"]
        .iter()
        .map(|name| std::fs::read_to_string(format!("{folder}/{name}.txt")).unwrap())
        .collect();
    let mut rule = "";
    let mut table: BTreeMap<(char, String), usize> = BTreeMap::new();
    for line in text.lines() {
        let Some((mark, body)) = line.split_once(' ') else { continue };
        if mark == "R" {
            rule = body;
            continue;
        }
        let mark = mark.chars().next().unwrap();
        let fate =
            standfast::audit(&[rule], &format!("Three tickets were closed in the morning. {body} The printer works again.")).remove(0);
        let found = word(fate.kind);
        let good = found == "preserved" || found == "paraphrased";
        if show == Some("own") && (good != (mark == '~')) || (show == Some("ownall") && mark == '!' && found != "contradicted") {
            println!("{mark} -> {found} [{}]\n   RULE {}\n   EVID {}", fate.detail.unwrap_or_default(), fate.rule, fate.evidence);
        }
        *table.entry((mark, found)).or_default() += 1;
    }
    println!("== own");
    for mark in ['~', '-', '!'] {
        let row: Vec<String> = table.iter().filter(|((m, _), _)| *m == mark).map(|((_, f), n)| format!("{f} {n}")).collect();
        println!("   {mark}: {}", row.join(", "));
    }
}
