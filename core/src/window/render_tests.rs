use serde_json::{Value, json};

use super::*;
use crate::error::Code;

/// A window of OpenAI chat: head, block, memory, a batch of calls.
fn window() -> Vec<Value> {
    let memory = "<standfast-memory>\n## MEMORY (notes, not instructions)\n[turns 1-2] (agent) One.\n\nMore.\n\n[turns 3-4] (user) Two.\n\n## TASK STATE\nGoal: x\n\n</standfast-memory>";
    vec![
        json!({"role": "system", "content": "head"}),
        json!({"role": "system", "content": "BLOCK"}),
        json!({"role": "user", "content": memory}),
        json!({"role": "user", "content": "Look."}),
        json!({"role": "assistant", "content": "Looking.", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"n\":7}"}},
            {"id": "c2", "type": "function", "function": {"name": "g", "arguments": ""}},
        ]}),
        json!({"role": "tool", "tool_call_id": "c2", "content": "denied"}),
        json!({"role": "tool", "tool_call_id": "c1", "content": "yes"}),
        json!({"role": "assistant", "content": "Seen."}),
    ]
}

/// The messages as a request has them.
fn request(to: Shape, messages: &[Value], system: Option<&Value>) -> (Vec<Value>, Option<Value>) {
    let rendered = render(to, messages, system).unwrap();
    let message = |slot: Slot| match slot {
        Slot::Host(i) => messages[i as usize].clone(),
        Slot::Own(own) => own,
    };
    (rendered.slots.into_iter().map(message).collect(), rendered.system)
}

const SHAPES: [Shape; 4] = [Shape::Openai, Shape::Anthropic, Shape::Responses, Shape::Gemini];

#[test]
fn every_shape_gets_a_request_that_its_provider_takes_and_back() {
    for to in SHAPES {
        let (messages, system) = request(to, &window(), None);
        assert_eq!(shape::validate(to, &messages), Vec::<String>::new(), "{to:?}: {messages:?}");
        let slot = to.has_slot().then(|| json!("head\n\nBLOCK"));
        assert_eq!(system, slot, "{to:?}");
        for back in SHAPES {
            let (again, _) = request(back, &messages, system.as_ref());
            assert_eq!(shape::validate(back, &again), Vec::<String>::new(), "{to:?} to {back:?}: {again:?}");
            let texts = format!("{again:?}");
            for said in ["[turns 3-4] (user) Two.", "Goal: x", "Looking.", "yes", "denied", "Seen."] {
                assert_eq!(texts.matches(said).count(), 1, "{to:?} to {back:?}: {said}");
            }
        }
    }
}

#[test]
fn what_is_the_providers_already_is_the_hosts_own() {
    for to in SHAPES {
        let (messages, system) = request(to, &window(), None);
        let rendered = render(to, &messages, system.as_ref()).unwrap();
        assert_eq!(rendered.slots.iter().filter(|slot| matches!(slot, Slot::Own(_))).count(), 0, "{to:?}");
        assert_eq!(rendered.system, system);
    }
    let head = json!([{"type": "text", "text": "head", "cache_control": {"type": "ephemeral"}}]);
    let plain = [json!({"role": "user", "content": "Hi."}), json!({"role": "assistant", "content": "Ho."})];
    let rendered = render(Shape::Anthropic, &plain, Some(&head)).unwrap();
    assert_eq!((rendered.slots, rendered.system), (vec![Slot::Host(0), Slot::Host(1)], Some(head)));
}

#[test]
fn one_marker_stands_on_the_last_segment() {
    let (messages, _) = request(Shape::Anthropic, &window(), None);
    let blocks = messages[0]["content"].as_array().unwrap();
    let marked: Vec<&str> = blocks.iter().filter(|b| b.get("cache_control").is_some()).map(|b| b["text"].as_str().unwrap()).collect();
    assert_eq!(marked, ["[turns 3-4] (user) Two."]);
    assert_eq!(blocks.len(), 4);
    for to in [Shape::Openai, Shape::Responses, Shape::Gemini] {
        assert!(!format!("{:?}", request(to, &messages, None)).contains("cache_control"), "{to:?}");
    }
}

#[test]
fn calls_of_one_function_find_their_own_results() {
    let call = |n: u32| json!({"functionCall": {"name": "f", "args": {"n": n}}});
    let gave = |text: &str| json!({"functionResponse": {"name": "f", "response": {"output": text}}});
    let contents = [
        json!({"role": "user", "parts": [{"text": "Both."}]}),
        json!({"role": "model", "parts": [call(1), call(2)]}),
        json!({"role": "user", "parts": [gave("one"), gave("two")]}),
    ];
    for to in SHAPES {
        let (messages, _) = request(to, &contents, None);
        assert_eq!(shape::validate(to, &messages), Vec::<String>::new(), "{messages:?}");
    }
    let (messages, _) = request(Shape::Openai, &contents, None);
    assert_eq!((&messages[2]["tool_call_id"], &messages[2]["content"]), (&json!("call_0"), &json!("one")));
    assert_eq!((&messages[3]["tool_call_id"], &messages[3]["content"]), (&json!("call_1"), &json!("two")));
}

#[test]
fn what_cannot_be_carried_is_an_error_and_reasoning_is_left_out() {
    let seen = json!({"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x.example/1.png"}}]});
    assert_eq!(render(Shape::Gemini, std::slice::from_ref(&seen), None).unwrap_err().code(), Code::InvalidMessage);
    assert!(render(Shape::Openai, &[seen], None).is_ok());
    assert_eq!(render(Shape::AiSdk, &[], None).unwrap_err().code(), Code::InvalidArgument);
    let thought = json!({"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}, {"type": "text", "text": "So."}]});
    let (messages, _) = request(Shape::Responses, &[json!({"role": "user", "content": "Why?"}), thought], None);
    assert_eq!(messages[1], json!({"role": "assistant", "content": "So."}));
}

#[test]
fn what_the_provider_ran_itself_is_answered_behind_its_call() {
    let items = [
        json!({"role": "user", "content": "Throw."}),
        json!({"type": "reasoning", "id": "rs", "summary": []}),
        json!({"type": "code_interpreter_call", "id": "ci", "code": "roll()", "outputs": [{"type": "logs", "logs": "6"}]}),
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "A six."}]}),
    ];
    for to in SHAPES {
        let (messages, _) = request(to, &items, None);
        assert_eq!(shape::validate(to, &messages), Vec::<String>::new(), "{messages:?}");
    }
}
