//! Prints how long the hot path takes on texts of 1 KB: `cargo run --release --example triage_speed`.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "an example may read the clock; the core may not"
)]

use std::hint::black_box;
use std::time::Instant;

use standfast::text::{pattern::Pattern, scan::scan, sentinel::neutralize, skeleton::skeleton};
use standfast::tokens::estimate;
use standfast::triage::{Given, OperatingPoint, candidates, classify_items};

fn time(name: &str, rounds: u32, mut run: impl FnMut()) {
    run();
    let start = Instant::now();
    for _ in 0..rounds {
        run();
    }
    println!("{name:42} {:>9} ns", start.elapsed().as_nanos() / u128::from(rounds));
}

fn main() {
    let lines = [
        "Never push to the protected branch without an approval.",
        "`timeout` (number, default 30): seconds to wait for an answer",
        "Run the tests with `make check`, then open a pull request and wait for the review.",
        "Prefer early returns and short functions.",
    ];
    let given: Vec<Given> = (0..1_000)
        .map(|at| Given {
            text: lines[at % 4].to_owned(),
            heading_path: vec!["Guide".to_owned(), format!("Part {}", at / 8)],
            ..Given::default()
        })
        .collect();
    time("1,000 lines typed", 20, || drop(black_box(classify_items(black_box(&given), OperatingPoint::Balanced))));
    let sentence = "The build took 42 seconds and wrote its report to `target/report.json`, so the next step can read it. ";
    let plain: String = sentence.chars().cycle().take(1_024).collect();
    let wide: String = plain.replace(" and ", " — und für ").chars().take(1_000).collect();
    let ruled = format!(
        "{}\n\nNever push to main. Unless I say so.\n\n{}",
        plain.get(..480).unwrap_or_default(),
        plain.get(..480).unwrap_or_default()
    );
    let pattern = Pattern::published();
    for (name, text) in [("plain", &plain), ("not ASCII", &wide), ("one rule", &ruled)] {
        println!("{name}: {} bytes", text.len());
        time("  Pattern::find", 20_000, || {
            black_box(pattern.find(black_box(text)));
        });
        time("  candidates", 20_000, || {
            black_box(candidates(black_box(text), &pattern));
        });
        time("  estimate", 20_000, || {
            black_box(estimate(black_box(text)));
        });
        time("  scan", 20_000, || {
            black_box(scan(black_box(text)));
        });
        time("  neutralize", 20_000, || {
            black_box(neutralize(black_box(text)));
        });
        time("  skeleton", 20_000, || {
            black_box(skeleton(black_box(text)));
        });
    }
    println!("20 MB, one call each:");
    for (name, unit) in
        [("one letter", "a"), ("spaces", " "), ("lines", "x\n"), ("emoji", "😀"), ("rules", "Never push. "), ("Cyrillic", "слово ")]
    {
        let text = unit.repeat(20_000_000 / unit.len());
        time(&format!("  {name}: estimate"), 1, || {
            black_box(estimate(&text));
        });
        time(&format!("  {name}: candidates"), 1, || {
            black_box(candidates(&text, &pattern));
        });
        time(&format!("  {name}: neutralize"), 1, || {
            black_box(neutralize(&text));
        });
    }
}
