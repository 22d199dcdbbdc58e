//! Corrections that name a value without its rule stand beside the rule as said, and go with it (R3, R7).

#![allow(clippy::unwrap_used, reason = "a test says what it expects")]

use serde_json::json;
use standfast::policy::Loosening;
use standfast::{DeclareOptions, Guard, ObserveOptions, Policy, RestoreOptions};

fn guard() -> Guard {
    Guard::new(Policy::for_window(8_000), None).unwrap()
}

fn say(guard: &mut Guard, text: &str) {
    guard.observe(&json!({"role": "user", "content": text}), &ObserveOptions::default()).unwrap();
    guard.observe(&json!({"role": "assistant", "content": "Ok."}), &ObserveOptions::default()).unwrap();
}

fn texts(guard: &Guard) -> Vec<String> {
    guard.rules().into_iter().map(|rule| rule.text).collect()
}

fn queue(guard: &Guard) -> Vec<(String, String)> {
    guard.review_queue().into_iter().map(|review| (review.kind, review.text)).collect()
}

/// The rules and the queue of a conversation.
fn life(said: &[&str]) -> (Vec<String>, Vec<(String, String)>) {
    let mut guard = guard();
    said.iter().for_each(|text| say(&mut guard, text));
    (texts(&guard), queue(&guard))
}

#[test]
fn a_correction_stands_right_behind_its_rule_and_waits_to_be_seen() {
    for (rule, said, kind) in [
        ("Please never give Mr Oak more than 30 mg of codeine a day.", "Actually, make that 25 mg.", "unclear_change"),
        ("Never pay out more than 800 pounds without asking me.", "Make that 600 instead.", "unclear_change"),
        ("Never give more than 30 mg.", "No, 25.", "unclear_change"),
        ("Never give more than 30 mg.", "sorry, 25 mg not 30", "unclear_change"),
        ("Never give more than 30 mg.", "Make that 40 mg.", "loosened"),
        ("Never ship on Monday.", "I meant Tuesday, not Monday.", "loosened"),
        ("Niemals mehr als 800 Euro ohne Rücksprache auszahlen.", "Mach 600 draus.", "unclear_change"),
        ("Nunca pagues más de 800 euros sin mi aprobación.", "Perdón, 600, no 800.", "unclear_change"),
        ("Nunca pague mais de 800 euros.", "Na verdade, 600 euros.", "unclear_change"),
        ("Ne paie jamais plus de 800 euros sans mon accord.", "Mets plutôt 600.", "unclear_change"),
        ("未经我批准，绝不能付款超过800元。", "改成600元。", "unclear_change"),
        ("500円以上は絶対に返金しないでください。", "500円ではなく300円です。", "unclear_change"),
        ("절대 800원 이상 지불하지 마세요.", "600원으로 해 주세요.", "unclear_change"),
    ] {
        let (rules, queue) = life(&[rule, said]);
        assert_eq!(rules, [rule, said], "{said}");
        assert_eq!(queue, [(kind.to_owned(), said.to_owned())], "{said}");
    }
}

#[test]
fn what_is_about_something_else_changes_nothing() {
    let rule = "Never give more than 30 mg.";
    for said in
        ["Make that a table.", "Make that 4 copies.", "No, thanks.", "Make it 3 instead of 2.", "I meant the second file, not the first."]
    {
        assert_eq!(life(&[rule, said]), (vec![rule.to_owned()], Vec::new()), "{said}");
    }
    let (rules, queue) = life(&["Never pay more than 800 pounds.", "Order 5 boxes for me.", "Make that 7."]);
    assert_eq!((rules.len(), queue.len()), (1, 0));
    // of pounds the assistant spoke last: a person decides
    let mut guard = guard();
    say(&mut guard, "Never pay more than 800 pounds.");
    guard.observe(&json!({"role": "assistant", "content": "I order it for 20 pounds."}), &ObserveOptions::default()).unwrap();
    say(&mut guard, "Make that 15 pounds.");
    assert_eq!(texts(&guard), ["Never pay more than 800 pounds."]);
    assert_eq!(queue_kinds(&guard), ["unclear_change"]);
}

fn queue_kinds(guard: &Guard) -> Vec<String> {
    queue(guard).into_iter().map(|(kind, _)| kind).collect()
}

#[test]
fn it_is_one_with_its_rule_wherever_that_stands_in_the_block() {
    let rule = "Never pay more than 800 pounds.";
    let mut one = guard();
    for text in [rule, "Always answer in French.", "Never write to the archive.", "Make that 600 pounds."] {
        say(&mut one, text);
    }
    assert_eq!(texts(&one), [rule, "Make that 600 pounds.", "Always answer in French.", "Never write to the archive."]);
    say(&mut one, "No, 500 pounds.");
    assert_eq!(texts(&one), [rule, "No, 500 pounds.", "Always answer in French.", "Never write to the archive."]);
    assert_eq!(queue(&one), [("unclear_change".to_owned(), "No, 500 pounds.".to_owned())]);
    let saved = one.snapshot(None, false).unwrap();
    let restored = Guard::restore(&saved.text, &RestoreOptions::default(), None, &saved.texts).unwrap().guard;
    assert_eq!(texts(&restored), texts(&one));
    say(&mut one, "Never pay more than 400 pounds.");
    assert_eq!(texts(&one), ["Always answer in French.", "Never write to the archive.", "Never pay more than 400 pounds."]);
    assert!(queue(&one).is_empty());
}

#[test]
fn an_operators_rule_is_corrected_by_nobody_and_the_policy_may_hold_any() {
    let mut declared = guard();
    declared.declare("Never pay more than 800 pounds.", &DeclareOptions::default()).unwrap();
    say(&mut declared, "Make that 900 pounds.");
    assert_eq!((texts(&declared).len(), queue_kinds(&declared)), (1, vec!["loosening".to_owned()]));
    say(&mut declared, "Make that 600 pounds.");
    assert_eq!(texts(&declared), ["Never pay more than 800 pounds.", "Make that 600 pounds."]);
    let policy = Policy { loosening: Loosening::Ask, ..Policy::for_window(8_000) };
    let mut asks = Guard::new(policy, None).unwrap();
    say(&mut asks, "Never pay more than 800 pounds.");
    say(&mut asks, "Make that 900 pounds.");
    assert_eq!((texts(&asks).len(), queue_kinds(&asks)), (1, vec!["loosening".to_owned()]));
    let review = asks.review_queue().remove(0);
    asks.approve(&review.handle, "ann", "policy_loader").unwrap();
    assert_eq!(texts(&asks), ["Never pay more than 800 pounds.", "Make that 900 pounds."]);
}

#[test]
fn a_person_who_turns_it_down_has_the_rule_alone_again() {
    let mut guard = guard();
    say(&mut guard, "Never pay more than 800 pounds.");
    say(&mut guard, "Make that 900 pounds.");
    let review = guard.review_queue().remove(0);
    guard.reject(&review.handle, "ann", "policy_loader").unwrap();
    assert_eq!(texts(&guard), ["Never pay more than 800 pounds."]);
    assert!(guard.review_queue().is_empty());
}

#[test]
fn a_flood_of_corrections_is_counted() {
    let mut guard = guard();
    say(&mut guard, "Never give Mr Oak more than 30 mg of codeine a day.");
    let flood: String = (0..1_000).map(|dose| format!("Actually, make that {dose} mg. ")).collect();
    say(&mut guard, &flood);
    let (rules, waiting) = (guard.all_rules().len(), queue(&guard).len());
    assert!(rules <= 300 && waiting <= 400, "{rules} {waiting}");
    assert!(texts(&guard).len() <= 2, "one correction takes the place of another: {:?}", texts(&guard));
}
