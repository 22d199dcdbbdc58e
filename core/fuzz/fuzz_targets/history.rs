//! Any JSON lines as a history: typed errors only, and every rule in every window.
#![no_main]

use libfuzzer_sys::fuzz_target;
use standfast::{DeclareOptions, Guard, ObserveOptions, Policy, Summaries};

const RULE: &str = "Refunds above GBP 500 need a human approver.";

fuzz_target!(|text: &str| {
    let mut guard = Guard::new(Policy::for_window(2_000), None).expect("a valid policy");
    guard.declare(RULE, &DeclareOptions::default()).expect("a valid rule");
    for line in text.lines() {
        if let Ok(message) = serde_json::from_str(line) {
            let _ = guard.observe(&message, &ObserveOptions::default());
        }
        if guard.should_compact().is_ok_and(|verdict| verdict.compact)
            && let Ok(plan) = guard.plan(None)
        {
            assert!(plan.requests.iter().all(|request| !request.prompt.contains(RULE)));
            let answers: Summaries = plan.requests.iter().map(|request| (request.id.clone(), None)).collect();
            let window = guard.commit(&plan, &answers).expect("a fresh plan commits");
            assert_eq!(window.pinned.matches(RULE).count(), 1);
        }
    }
});
