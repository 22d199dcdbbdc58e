//! What each call of the engine costs: `cargo bench -p standfast --bench engine`.
//!
//! Wall clock. On a machine that does other work read the ratio to `baseline`; `examples/scaling.rs` measures processor
//! time and knows the bars.

#![expect(clippy::unwrap_used, reason = "a benchmark ends where something is not as expected")]

mod messages;

use standfast::ordered::Map;
use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use serde_json::Value;
use standfast::digest::Digest;
use standfast::{DeclareOptions, Guard, ObserveOptions, Plan, Policy, RestoreOptions, Slot, Summaries, Summary, extract_text};

/// A guard with `rules` declared rules that has seen `history`.
fn guard(window: u32, rules: usize, history: &[Value]) -> Guard {
    let mut guard = Guard::new(Policy::for_window(window), None).unwrap();
    let texts: Vec<String> = (0..rules).map(messages::rule).collect();
    guard.set_rules("policy_loader", &texts).unwrap();
    for message in history {
        guard.observe(message, &ObserveOptions::default()).unwrap();
    }
    guard
}

fn one_character(plan: &Plan) -> Summaries {
    let summary = Some(Summary { text: "x".to_owned(), finish_reason: None });
    plan.requests.iter().map(|request| (request.id.clone(), summary.clone())).collect()
}

fn observe(c: &mut Criterion) {
    let before = guard(1_000_000, 20, &messages::history(60, 1_000));
    let mut group = c.benchmark_group("observe");
    let cases = [
        ("plain", messages::plain(1, 1_024)),
        ("call", messages::call(1_000_000, 1_024)),
        ("result", messages::result(1_000_000, 1_024)),
        ("rule", messages::ask_with_rule(5_000, 1_024)),
    ];
    for (name, message) in &cases {
        group.bench_function(*name, |b| {
            b.iter_batched_ref(
                || before.clone(),
                |guard| guard.observe(black_box(message), &ObserveOptions::default()).unwrap(),
                BatchSize::SmallInput,
            );
        });
    }
    // what any library would have to do at least to know a message again
    let message = &cases[0].1;
    group.bench_function("baseline: JSON and SHA-256", |b| b.iter(|| Digest::of(serde_json::to_string(black_box(message)).unwrap())));
    group.finish();
}

fn sync(c: &mut Criterion) {
    let history = messages::history(1_000, 1_024);
    let options = ObserveOptions::default();
    let mut warm = guard(1_000_000, 20, &history);
    let snapshot = warm.snapshot(None, false).unwrap().text;
    let mut group = c.benchmark_group("sync of 1,000");
    group.bench_function("unchanged = 1,000", |b| b.iter(|| warm.sync(1_000, black_box(&[]), &options).unwrap()));
    group.bench_function("unchanged = 0", |b| b.iter(|| warm.sync(0, black_box(&history), &options).unwrap()));
    group.bench_function("after a load", |b| {
        b.iter(|| {
            let mut restored = Guard::restore(&snapshot, &RestoreOptions::default(), None, &Map::new()).unwrap().guard;
            restored.sync(0, black_box(&history), &options).unwrap()
        });
    });
    group.finish();
}

fn cycle(c: &mut Criterion) {
    let mut group = c.benchmark_group("cycle");
    let history = messages::history(10_000, 400);
    let mut full = guard(1_000_000, 20, &history);
    group.sample_size(10);
    group.bench_function("plan + commit of 10,000 events, 4 MB", |b| {
        b.iter_batched_ref(
            || full.clone(),
            |guard| {
                let plan = guard.plan(None).unwrap();
                guard.commit(&plan, &one_character(&plan)).unwrap()
            },
            BatchSize::LargeInput,
        );
    });
    let plan = full.plan(None).unwrap();
    let summaries = one_character(&plan);
    group.bench_function("plan", |b| b.iter(|| full.plan(None).unwrap()));
    group.bench_function("commit", |b| {
        b.iter_batched_ref(|| full.clone(), |guard| guard.commit(&plan, &summaries).unwrap(), BatchSize::LargeInput);
    });
    let request = plan.requests.first().unwrap();
    group.bench_function(format!("extract from {} KB", request.text.len() / 1_024), |b| {
        b.iter(|| extract_text(black_box(&request.text), request.budget_tokens));
    });
    group.sample_size(50);
    group.bench_function("should_compact", |b| b.iter(|| full.should_compact().unwrap()));
    full.commit(&plan, &summaries).unwrap();
    group.bench_function("window after a commit", |b| b.iter(|| full.window().unwrap()));
    group.finish();
}

fn window(c: &mut Criterion) {
    let history = messages::history(1_000, 1_024);
    let mut guard = guard(1_000_000, 20, &history);
    let mut group = c.benchmark_group("1,000 messages in the window");
    group.bench_function("window", |b| b.iter(|| guard.window().unwrap()));
    let messages: Vec<Value> = guard
        .window()
        .unwrap()
        .slots
        .into_iter()
        .map(|slot| match slot {
            Slot::Host(seq) => history.get(seq as usize).cloned().unwrap(),
            Slot::Own(message) => message,
        })
        .collect();
    group.bench_function("assert_window", |b| b.iter(|| guard.assert_window(black_box(&messages), None).unwrap()));
    group.finish();
}

fn rules(c: &mut Criterion) {
    let texts: Vec<String> = (0..4_000).map(messages::rule).collect();
    let mut full = guard(10_000_000, 4_000, &[]);
    let mut group = c.benchmark_group("4,000 rules");
    group.sample_size(10);
    group.bench_function("declare one more", |b| {
        b.iter_batched_ref(
            || full.clone(),
            |guard| guard.declare("Always answer in French.", &DeclareOptions::default()).unwrap(),
            BatchSize::LargeInput,
        );
    });
    group.bench_function("set_rules, all new", |b| {
        b.iter_batched_ref(|| guard(10_000_000, 0, &[]), |guard| guard.set_rules("policy_loader", &texts).unwrap(), BatchSize::LargeInput);
    });
    group.bench_function("should_compact", |b| b.iter(|| full.should_compact().unwrap()));
    group.finish();
}

criterion_group!(benches, observe, sync, cycle, window, rules);
criterion_main!(benches);
