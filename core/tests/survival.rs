//! Rules survive any number of rounds whatever the summarizer does.

#![expect(clippy::unwrap_used, reason = "a test says what it expects")]

use standfast::ordered::Map;

use serde_json::{Value, json};
use standfast::{DeclareOptions, Guard, ObserveOptions, Plan, Policy, Slot, Summary, Window};

const RULES: &[(&str, &str)] = &[
    ("Patient is allergic to penicillin.", "patient_record"),
    ("Never issue a refund above GBP 500 without a human approver.", "policy_loader"),
    ("This agent may read from settlements_read only. No write scope.", "permissions"),
];

fn text(window: &Window, host: &[Value]) -> String {
    let messages = window.slots.iter().map(|slot| match slot {
        Slot::Host(seq) => host.get(*seq as usize).unwrap().to_string(),
        Slot::Own(message) => message["content"].as_str().unwrap_or_default().to_owned(),
    });
    messages.collect::<Vec<_>>().join("\n")
}

type Summarizer = fn(&str) -> Option<Summary>;

const SUMMARIZERS: &[(&str, Summarizer)] = &[
    ("one character", |_| Some(Summary { text: "x".into(), finish_reason: None })),
    ("echo", |text| Some(Summary { text: text.into(), finish_reason: None })),
    ("extractive", |_| None),
];

fn summarize(plan: &Plan, summarizer: Summarizer) -> Map<String, Option<Summary>> {
    plan.requests.iter().map(|request| (request.id.clone(), summarizer(&request.text))).collect()
}

#[test]
fn rules_and_decisions_survive_1_5_and_50_rounds() {
    for (name, summarizer) in SUMMARIZERS {
        for rounds in [1, 5, 50] {
            let mut guard = Guard::new(Policy::for_window(20_000), None).unwrap();
            for (text, source) in RULES {
                guard.declare(text, &DeclareOptions { source: (*source).to_owned(), ..DeclareOptions::default() }).unwrap();
            }
            guard.record_decision("Excluded batches older than 90 days", "outside the window agreed", "accepted", None).unwrap();
            let (mut host, mut blocks) = (Vec::new(), std::collections::BTreeSet::new());
            for round in 0..rounds {
                for n in 0..60 {
                    let id = format!("c{round}-{n}");
                    host.push(json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": {"name": "get_batch", "arguments": format!("{{\"n\": {n}}}")}}]}));
                    host.push(json!({"role": "tool", "tool_call_id": id, "content": format!("Called get_batch({n}); returned 412 rows, status=FAILED.")}));
                    for message in host.iter().rev().take(2).rev() {
                        guard.observe(message, &ObserveOptions::default()).unwrap();
                    }
                }
                let plan = guard.plan(None).unwrap();
                for request in &plan.requests {
                    for (rule, _) in RULES {
                        assert!(!request.prompt.contains(rule), "{name}: round {round} shows a rule");
                    }
                }
                let window = guard.commit(&plan, &summarize(&plan, *summarizer)).unwrap();
                let all = text(&window, &host);
                for (rule, _) in RULES {
                    assert_eq!(all.matches(rule).count(), 1, "{name}: round {round} of {rounds}");
                }
                assert!(all.contains("Excluded batches older than 90 days - because outside the window agreed"));
                blocks.insert(window.pinned);
                assert!(guard.window().unwrap().receipt.tokens_out < 9_000, "{name}: {:?}", guard.receipt());
            }
            assert_eq!(blocks.len(), 1, "{name}");
        }
    }
}

#[test]
fn an_event_is_summarized_at_most_1_plus_log2_times() {
    let mut guard = Guard::new(Policy::for_window(20_000), None).unwrap();
    let mut times: Vec<u32> = Vec::new();
    let rounds = 64_u32;
    for round in 0..rounds {
        for n in 0..40 {
            let text = format!(
                "Batch {round}-{n} was read and compared with the ledger; {} rows differ in their amounts, none of them twice. ",
                n * 7
            )
            .repeat(3);
            for message in [
                json!({"role": "user", "content": format!("Go on with batch {n} of round {round}.")}),
                json!({"role": "assistant", "content": text}),
            ] {
                guard.observe(&message, &ObserveOptions::default()).unwrap();
                times.push(0);
            }
        }
        let plan = guard.plan(None).unwrap();
        for segment in &plan.segments {
            if !segment.requests.is_empty() {
                times.iter_mut().skip(segment.from as usize).take((segment.to - segment.from + 1) as usize).for_each(|n| *n += 1);
            }
        }
        // a model that uses its whole budget
        let full = |budget: u32| Some(Summary { text: "kept ".repeat(budget as usize), finish_reason: None });
        let answers = plan.requests.iter().map(|request| (request.id.clone(), full(request.budget_tokens))).collect();
        let window = guard.commit(&plan, &answers).unwrap();
        assert_eq!(window.receipt.method, standfast::receipt::Method::Model, "round {round}: {:?}", window.receipt.findings);
        assert!(guard.segments().iter().map(|segment| segment.tokens).sum::<u32>() <= 2_500, "{:?}", guard.segments());
    }
    let most = times.iter().max().copied().unwrap_or_default();
    assert!(most <= 1 + rounds.ilog2(), "{most}");
}
