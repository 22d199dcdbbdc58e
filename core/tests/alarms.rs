//! What a person is told although nothing failed: alarms, findings, errors that name the place (O1, O3).

#![allow(clippy::unwrap_used, reason = "a test says what it expects")]

mod talk;

use talk::*;

use standfast::{Guard, ObserveOptions, Policy, Shape, Summaries, Summary, Window};

fn kinds(window: &Window) -> Vec<(&str, &str)> {
    window.receipt.alarms.iter().map(|alarm| (alarm.kind.as_str(), alarm.severity.as_str())).collect()
}

#[test]
fn a_window_that_no_compaction_makes_fit_pages() {
    let mut list = talk(30);
    list.extend([calls("a", "cat"), tool("a", &"log line 5 ok\n".repeat(4_000))]);
    let mut guard = guard(400);
    sync(&mut guard, &list);
    let window = compact(&mut guard);
    assert!(window.receipt.tokens_out > 4_000);
    assert_eq!(kinds(&window), [("window_over_size", "page")]);
    // it is still said where nothing is left to compact
    let again = compact(&mut guard);
    assert_eq!(again.receipt.outcome, standfast::receipt::Outcome::NothingToDo);
    assert_eq!(kinds(&again), [("window_over_size", "page")]);
    // and no longer once it fits
    sync(&mut guard, &talk(30));
    assert_eq!(kinds(&compact(&mut guard)), []);
}

#[test]
fn rules_that_are_not_in_force_for_lack_of_room_are_told() {
    let mut guard = Guard::new(Policy { promoted_tokens: 60, ..Policy::for_window(8_000) }, Some(Shape::Openai)).unwrap();
    let mut list = Vec::new();
    for n in 0..8 {
        list.extend([user(&format!("Never write to customer {n} without asking me first.")), agent("Understood.")]);
        list.extend(talk(12));
    }
    sync(&mut guard, &list);
    let window = compact(&mut guard);
    let overflow = window.receipt.rules.overflow;
    assert!(overflow > 0);
    assert_eq!(kinds(&window), [("rules_overflow", "warn")]);
    assert_eq!(window.receipt.alarms[0].detail, format!("{overflow} rules of users are not in force"));
}

#[test]
fn a_summary_that_is_dropped_for_space_is_told_once() {
    let mut guard =
        Guard::new(Policy { tail_tokens: Some(300), segments_tokens: Some(300), ..Policy::for_window(4_000) }, Some(Shape::Openai))
            .unwrap();
    let (mut list, mut told, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..8 {
        list.extend(talk(40));
        sync(&mut guard, &list);
        let plan = guard.plan(None).unwrap();
        let text = |budget: u32| "The rows were fine. ".repeat((budget / 6) as usize);
        let answer: Summaries = plan
            .requests
            .iter()
            .map(|request| (request.id.clone(), Some(Summary { text: text(request.budget_tokens), finish_reason: None })))
            .collect();
        let window = guard.commit(&plan, &answer).unwrap();
        if window.receipt.alarms.iter().any(|alarm| alarm.kind == "summary_dropped") {
            told.push(round);
        }
        lines
            .push(guard.segments().iter().filter(|segment| segment.text.contains("dropped for space")).map(|segment| segment.span.1).max());
    }
    // told in each round that dropped more than the one before, and in no other
    let before = std::iter::once(&None).chain(&lines);
    let expected: Vec<usize> = before.zip(&lines).enumerate().filter(|(_, (old, new))| new > old).map(|(round, _)| round).collect();
    assert!(!expected.is_empty());
    assert_eq!(told, expected);
}

#[test]
fn a_users_rule_that_no_block_can_hold_is_a_finding() {
    let mut guard = guard(300);
    let mut list = vec![user("Never share the key \u{1b}[0m."), agent("Understood.")];
    list.extend(talk(40));
    sync(&mut guard, &list);
    let window = compact(&mut guard);
    let finding = window.receipt.findings.iter().find(|finding| finding.kind == "rule_kept_in_message").unwrap();
    assert_eq!((finding.about.as_str(), finding.repair.as_str()), ("0", "kept"));
    assert!(hosts(&window).contains(&0), "its message stays as it is");
    // marks that reorder nothing but what they stand around are no fault of a rule
    let mut guard = self::guard(300);
    sync(&mut guard, &[user("Never call \u{202a}+44 7700 900123\u{202c} without asking me."), agent("Understood.")]);
    assert_eq!(guard.rules().len(), 1);
}

#[test]
fn an_error_in_a_list_names_the_message() {
    let mut list = talk(3);
    list.push(serde_json::json!({"role": "user", "content": 5}));
    let mut guard = guard(300);
    let error = guard.sync(0, &list, &ObserveOptions::default()).unwrap_err();
    assert_eq!(error.details().get("index"), Some(&6.into()));
    assert!(error.message().starts_with("message 6: "), "{}", error.message());
    // the place in the whole list, also where its beginning was read before
    sync(&mut guard, &talk(3));
    let error = guard.sync(6, &list[6..], &ObserveOptions::default()).unwrap_err();
    assert_eq!(error.details().get("index"), Some(&6.into()));
}
