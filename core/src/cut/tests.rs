use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::digest::{Digest, of_message};
use crate::event::Presence;
use crate::shape::{Shape, memory_message, read, validate};
use crate::tokens::estimate;
use crate::trust::Trust;

#[path = "../../tests/histories/mod.rs"]
mod histories;
use histories::Format;

fn events(shape: Shape, messages: &[Value]) -> Vec<Event> {
    let mut turn = 0;
    let event = |(i, value): (usize, &Value)| {
        let message = read(shape, value, 100).unwrap();
        let tokens = message.parts.iter().map(|part| estimate(part.text()) + 4).sum();
        let event = Event {
            seq: i as u32,
            trust: Trust::User,
            source: "user".into(),
            principal: None,
            digest: of_message(value),
            chain: Digest::default(),
            tokens,
            turn,
            presence: Presence::Here,
            listed: true,
            message,
            pieces: crate::event::Pieces::default(),
        };
        turn += u32::from(event.message.is_user_turn());
        event
    };
    messages.iter().enumerate().map(event).collect()
}

/// The window that a cut leaves: memory message, kept events, tail.
fn window(shape: Shape, messages: &[Value], events: &[Event], cut: usize) -> Vec<Value> {
    let open = Calls::of(events).open(events.len() as u32, 50);
    let mut window = vec![memory_message(shape, &["notes".into(), "more".into()], Some(0))];
    window.extend(kept(events, 0, cut, &open).into_iter().map(|i| messages[i].clone()));
    window.extend(messages[cut..].iter().cloned());
    window
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn says(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

fn calls(ids: &[&str]) -> Value {
    let call = |id: &&str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
    json!({"role": "assistant", "content": null, "tool_calls": ids.iter().map(call).collect::<Vec<_>>()})
}

fn result(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "ok"})
}

fn thinks(id: &str, thought: bool) -> Value {
    let mut blocks = vec![json!({"type": "tool_use", "id": id, "name": "f", "input": {}})];
    if thought {
        blocks.insert(0, json!({"type": "thinking", "thinking": "hm", "signature": "x"}));
    }
    json!({"role": "assistant", "content": blocks})
}

fn came_back(id: &str) -> Value {
    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "ok"}]})
}

fn check(shape: Shape, messages: &[Value]) {
    let faults = validate(shape, messages);
    assert!(faults.is_empty(), "the generator made an invalid history: {faults:?}\n{messages:#?}");
    let events = events(shape, messages);
    for cut in legal_cuts(&events, 0) {
        let window = window(shape, messages, &events, cut);
        let faults = validate(shape, &window);
        assert!(faults.is_empty(), "cut at {cut}: {faults:?}\n{messages:#?}");
    }
    for budget in [0, 20, 60, 200, 1_000_000] {
        if let Some(cut) = choose(&events, 0, budget) {
            let tail: u32 = events[cut.index..].iter().map(|event| event.tokens).sum();
            assert_eq!(cut.over_budget, tail > budget);
            assert!(cut.index > 0 && cut.index < events.len());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_legal_cut_of_an_openai_history_leaves_a_valid_list(messages in histories::history(Format::Openai)) {
        check(Shape::Openai, &messages);
    }

    #[test]
    fn any_legal_cut_of_an_anthropic_history_leaves_a_valid_list(messages in histories::history(Format::Anthropic)) {
        check(Shape::Anthropic, &messages);
    }

    #[test]
    fn a_tracker_fed_step_by_step_equals_one_built_at_once(messages in histories::history(Format::Openai)) {
        let events = events(Shape::Openai, &messages);
        let mut calls = Calls::default();
        for (i, event) in events.iter().enumerate() {
            calls.observe(event.seq, &event.message);
            let n = i as u32 + 1;
            prop_assert_eq!(calls.open(n, 3), Calls::of(&events[..=i]).open(n, 3));
        }
    }
}

#[test]
fn parallel_batches_are_never_split() {
    let messages = [user("go"), calls(&["a", "b"]), result("a"), result("b"), says("done"), user("thanks")];
    let events = events(Shape::Openai, &messages);
    assert_eq!(legal_cuts(&events, 0), [1, 4, 5]);
}

#[test]
fn a_pair_with_a_user_turn_inside_is_never_parted() {
    let messages = [user("go"), calls(&["a", "b"]), result("a"), user("hurry"), result("b"), says("done")];
    let events = events(Shape::Openai, &messages);
    assert_eq!(legal_cuts(&events, 0), [1, 5]);
}

#[test]
fn open_calls_do_not_forbid_a_cut_and_are_kept_with_their_batch() {
    let messages = [user("go"), calls(&["a", "b"]), result("a"), user("never mind"), says("fine"), user("next")];
    let events = events(Shape::Openai, &messages);
    assert_eq!(legal_cuts(&events, 0), [1, 3, 4, 5]);
    let open = Calls::of(&events).open(6, 50);
    assert_eq!(open, [1]);
    assert_eq!(kept(&events, 0, 5, &open), [1, 2]);
}

#[test]
fn a_system_message_starts_no_tail_while_a_call_is_open() {
    let notice = json!({"role": "system", "content": "mode: careful"});
    let messages = [user("go"), calls(&["a"]), notice.clone(), user("next"), says("ok"), notice, says("ok")];
    let events = events(Shape::Openai, &messages);
    assert_eq!(legal_cuts(&events, 0), [1, 3, 4, 5, 6]);
}

#[test]
fn a_thinking_loop_is_cut_only_where_thinking_begins_anew() {
    let loop_of = |again: bool| {
        [user("go"), thinks("a", true), came_back("a"), thinks("b", again), came_back("b"), says("done"), user("next"), says("ok")]
    };
    assert_eq!(legal_cuts(&events(Shape::Anthropic, &loop_of(false)), 0), [1, 6, 7]);
    assert_eq!(legal_cuts(&events(Shape::Anthropic, &loop_of(true)), 0), [1, 3, 6, 7]);
    let plain = [user("go"), thinks("a", false), came_back("a"), thinks("b", false), came_back("b")];
    assert_eq!(legal_cuts(&events(Shape::Anthropic, &plain), 0), [1, 3]);
}

#[test]
fn an_open_call_without_thinking_of_its_own_keeps_the_loop_it_hangs_on() {
    let messages = [user("go"), thinks("a", true), came_back("a"), thinks("b", false), user("stop"), says("ok")];
    let events = events(Shape::Anthropic, &messages);
    assert_eq!(kept(&events, 0, 4, &[3]), [1, 2, 3]);
}

#[test]
fn the_last_user_turn_stays_with_the_results_it_carries() {
    let mut aside = came_back("a");
    aside["content"].as_array_mut().unwrap().push(json!({"type": "text", "text": "and hurry"}));
    let messages = [user("go"), thinks("a", false), aside, thinks("b", false), came_back("b"), says("done")];
    let events = events(Shape::Anthropic, &messages);
    assert_eq!(kept(&events, 0, 5, &[]), [1, 2]);
    assert!(validate(Shape::Anthropic, &window(Shape::Anthropic, &messages, &events, 5)).is_empty());
}

#[test]
fn a_late_result_brings_its_call_back() {
    let messages = [calls(&["a"]), user("x"), says("y"), user("z"), result("a"), says("done")];
    let events = events(Shape::Openai, &messages);
    assert_eq!(legal_cuts(&events, 0), [5]);
    assert_eq!(kept(&events, 0, 3, &[]), [0]);
}

#[test]
fn approvals_tie_like_calls() {
    let mut events = events(Shape::Openai, &[user("go"), says("may I?"), user("yes"), says("done")]);
    events[1].message.parts.push(Part::Approval { id: "p".into(), response: false });
    assert_eq!(Calls::of(&events).open(4, 50), [1]);
    events[2].message.parts.push(Part::Approval { id: "p".into(), response: true });
    assert_eq!(legal_cuts(&events, 0), [1, 3]);
    assert!(Calls::of(&events).open(4, 50).is_empty());
}

#[test]
fn a_dead_call_ages_out_and_only_then() {
    let mut messages = vec![user("go"), calls(&["a"])];
    let open = |messages: &[Value]| Calls::of(&events(Shape::Openai, messages)).open(messages.len() as u32, 2);
    messages.extend([user("?"), user("?"), user("?"), user("?")]);
    assert_eq!(open(&messages), [1], "no assistant event passed it");
    messages.push(says("moving on"));
    messages.push(user("x"));
    assert_eq!(open(&messages), [1]);
    messages.push(user("y"));
    assert!(open(&messages).is_empty());
}

#[test]
fn odd_calls_are_flagged() {
    let mut tracker = Calls::default();
    let mut flags = Vec::new();
    for (seq, value) in [calls(&["a"]), result("a"), result("a"), result("b"), calls(&["a"])].iter().enumerate() {
        flags.extend(tracker.observe(seq as u32, &read(Shape::Openai, value, 0).unwrap()));
    }
    let expected = [CallFlag::DuplicateResult("a".into()), CallFlag::OrphanResult("b".into()), CallFlag::ReusedId("a".into())];
    assert_eq!(flags, expected);
    assert_eq!(tracker.open(5, 50), [4]);
}

#[test]
fn a_reused_id_pairs_with_the_newer_call() {
    let messages = [user("go"), calls(&["a"]), user("again"), calls(&["a"]), result("a"), user("next")];
    let events = events(Shape::Openai, &messages);
    assert_eq!(legal_cuts(&events, 0), [1, 2, 3, 5]);
    assert_eq!(Calls::of(&events).open(6, 50), [1]);
}

#[test]
fn the_last_legal_group_stays_whole_over_the_budget() {
    let messages = [user("go"), says("fine"), user(&"long ".repeat(500))];
    let events = events(Shape::Openai, &messages);
    assert_eq!(choose(&events, 0, 100), Some(Cut { index: 2, over_budget: true }));
    assert_eq!(choose(&events, 2, 100), None);
    assert_eq!(choose::<Event>(&[], 0, 100), None);
}

#[test]
fn nothing_is_folded_when_all_before_the_cut_must_stay() {
    let messages = [user("go"), calls(&["a"]), result("a")];
    assert_eq!(choose(&events(Shape::Openai, &messages), 0, 1_000), None);
}
