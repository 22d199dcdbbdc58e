//! Valid in, valid out: over many rounds of compaction, for each shape and each kind of summarizer.

#![allow(clippy::indexing_slicing, clippy::unwrap_used, unreachable_pub, reason = "a test says what it expects, and is one crate")]

mod histories;

use histories::Format;
use proptest::prelude::*;
use serde_json::{Value, json};
use standfast::shape::validate;
use standfast::{DeclareOptions, Guard, ObserveOptions, Policy, Request, Shape, Slot, Summaries, Summary};

const RULE: &str = "Never issue a refund above GBP 500 without a human approver.";

/// What the caller's model answers to its n-th request.
type Summarizer = fn(&Request, usize) -> Option<String>;

const SUMMARIZERS: &[(&str, Summarizer)] = &[
    ("one character", |_, _| Some("x".to_owned())),
    ("echo", |request, _| Some(request.text.to_string())),
    ("fails at every second call", |_, n| (n % 2 == 0).then(|| "Done: read the rows.".to_owned())),
    ("extractive", |_, _| None),
];

/// Turns of several histories after each other, with call ids of their own.
fn long_history(format: Format) -> impl Strategy<Value = Vec<Vec<Value>>> {
    proptest::collection::vec(histories::turns(), 3..8).prop_map(move |rounds| {
        let mut next_id = 0;
        rounds.iter().map(|turns| histories::render_from(format, turns, &mut next_id)).collect()
    })
}

fn valid_in_valid_out(format: Format, rounds: &[Vec<Value>], tail: u32) -> Result<(), TestCaseError> {
    let shape = if format == Format::Openai { Shape::Openai } else { Shape::Anthropic };
    for (name, summarizer) in SUMMARIZERS {
        let policy = Policy { tail_tokens: Some(tail), image_tokens: 50, ..Policy::for_window(3_000) };
        let mut guard = Guard::new(policy, Some(shape)).unwrap();
        guard.declare(RULE, &DeclareOptions::default()).unwrap();
        let mut list = if format == Format::Openai { vec![json!({"role": "system", "content": "You are careful."})] } else { Vec::new() };
        let mut calls = 0;
        for (round, messages) in rounds.iter().enumerate() {
            for message in messages {
                list.push(message.clone());
                prop_assert!(validate(shape, &list).is_empty(), "the test's own history: {:?}", validate(shape, &list));
                guard.sync(0, &list, &ObserveOptions::default()).unwrap();
                // in the middle of a batch too
                if list.len() % 3 == 0 || message == messages.last().unwrap() {
                    let plan = guard.plan(None).unwrap();
                    let mut answers = Summaries::new();
                    for request in &plan.requests {
                        calls += 1;
                        prop_assert!(!request.prompt.contains(RULE));
                        let text = summarizer(request, calls);
                        answers.insert(request.id.clone(), text.map(|text| Summary { text, finish_reason: None }));
                    }
                    guard.commit(&plan, &answers).unwrap();
                }
                let window = guard.window().unwrap();
                let shown: Vec<Value> = window
                    .slots
                    .iter()
                    .map(|slot| match slot {
                        Slot::Host(seq) => list.get(*seq as usize).unwrap().clone(),
                        Slot::Own(message) => message.clone(),
                    })
                    .collect();
                let faults = validate(shape, &shown);
                prop_assert!(faults.is_empty(), "{name}, round {round}: {faults:?}");
                prop_assert_eq!(window.pinned.matches(RULE).count(), 1);
                guard.assert_window(&shown, window.system.as_ref()).unwrap();
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn openai_histories_stay_valid(rounds in long_history(Format::Openai), tail in 20_u32..400) {
        valid_in_valid_out(Format::Openai, &rounds, tail)?;
    }

    #[test]
    fn anthropic_histories_stay_valid(rounds in long_history(Format::Anthropic), tail in 20_u32..400) {
        valid_in_valid_out(Format::Anthropic, &rounds, tail)?;
    }
}
