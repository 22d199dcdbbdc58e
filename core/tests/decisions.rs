//! Decisions of earlier rounds against what a later summary says.

#![allow(clippy::unwrap_used, reason = "a test says what it expects")]

use serde_json::json;
use standfast::{Guard, ObserveOptions, Policy, Summaries, Summary, Window};

fn says(guard: &mut Guard, role: &str, text: &str) {
    guard.observe(&json!({"role": role, "content": text}), &ObserveOptions::default()).unwrap();
}

/// Compacts with the same summary for every request.
fn compact(guard: &mut Guard, summary: &str) -> Window {
    for n in 0..12 {
        says(
            guard,
            "assistant",
            &format!("Read page {n} of the migration notes; nothing in it bears on the plan, so the next one is opened."),
        );
    }
    let plan = guard.plan(None).unwrap();
    let answers: Summaries =
        plan.requests.iter().map(|request| (request.id.clone(), Some(Summary { text: summary.to_owned(), finish_reason: None }))).collect();
    guard.commit(&plan, &answers).unwrap()
}

fn memory(window: &Window) -> String {
    window.slots.iter().map(|slot| format!("{slot:?}")).collect()
}

#[test]
fn a_decision_made_anew_frees_no_other() {
    let policy = Policy { tail_tokens: Some(60), ..Policy::for_window(4_000) };
    let mut guard = Guard::new(policy, None).unwrap();
    says(&mut guard, "user", "We rejected sharded writes because of cross-region latency.");
    says(&mut guard, "user", "We chose PostgreSQL for the ledger because its extensions are audited.");
    let kept = "We rejected sharded writes because of cross-region latency. We chose PostgreSQL for the ledger because its extensions are audited.";
    compact(&mut guard, kept);
    says(&mut guard, "assistant", "We chose sharded writes after all, since the regions were merged.");
    let window = compact(
        &mut guard,
        "We chose sharded writes after all, since the regions were merged. PostgreSQL for the ledger was rejected. Twelve pages were read.",
    );
    let flipped: Vec<_> = window.receipt.findings.iter().filter(|finding| finding.kind == "decision_flipped").collect();
    assert_eq!(flipped.len(), 1, "{:?}", window.receipt.findings);
    let memory = memory(&window);
    assert!(!memory.contains("PostgreSQL for the ledger was rejected"), "{memory}");
    assert!(memory.contains("We chose sharded writes"), "{memory}");
}
