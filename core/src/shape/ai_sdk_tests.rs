use serde_json::{Value, json};

use super::*;
use crate::event::Role;

fn message(message: Value) -> Message {
    read(Shape::AiSdk, &message, 1_200).unwrap()
}

/// One message of each role and part, as the SDK's own types have them.
fn session() -> Vec<Value> {
    vec![
        json!({"role": "user", "content": [{"type": "text", "text": "Look at batch 7."}, {"type": "image", "image": "https://cdn.example/7.png?key=1"}]}),
        json!({"role": "assistant", "content": [
            {"type": "reasoning", "text": "Two sources.", "providerOptions": {"anthropic": {"signature": "c2ln"}}},
            {"type": "text", "text": "Reading."},
            {"type": "tool-call", "toolCallId": "c1", "toolName": "getBatch", "input": {"n": 7}},
            {"type": "tool-call", "toolCallId": "c2", "toolName": "pay", "input": {"amount": 900}},
            {"type": "tool-approval-request", "approvalId": "a1", "toolCallId": "c2"},
        ]}),
        json!({"role": "tool", "content": [
            {"type": "tool-result", "toolCallId": "c1", "toolName": "getBatch", "output": {"type": "json", "value": {"rows": 412, "bank": "N1"}}},
            {"type": "tool-approval-response", "approvalId": "a1", "approved": false, "reason": "Too much."},
        ]}),
        json!({"role": "tool", "content": [
            {"type": "tool-result", "toolCallId": "c2", "toolName": "pay", "output": {"type": "execution-denied", "reason": "Too much."}},
        ]}),
        json!({"role": "assistant", "content": "Batch 7 has 412 rows; nothing was paid."}),
    ]
}

#[test]
fn every_part_is_read() {
    let read: Vec<Message> = session().into_iter().map(message).collect();
    let roles: Vec<Role> = read.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Tool, Role::Assistant]);
    assert_eq!(read[0].parts[1], Part::Media { kind: "image".into(), name: String::new(), tokens: 1_200 });
    assert_eq!(
        read[1].parts[2..],
        [
            Part::Call { id: "c1".into(), name: "getBatch".into(), arguments: "{\"n\":7}".into() },
            Part::Call { id: "c2".into(), name: "pay".into(), arguments: "{\"amount\":900}".into() },
            Part::Approval { id: "a1".into(), response: false },
        ]
    );
    assert!(matches!(&read[1].parts[0], Part::Reasoning { text, .. } if text == "Two sources."));
    assert_eq!(
        read[2].parts,
        [
            Part::Result { id: "c1".into(), text: "{\"bank\":\"N1\",\"rows\":412}".into(), media_tokens: 0, error: false },
            Part::Approval { id: "a1".into(), response: true },
        ]
    );
    assert_eq!(read[3].parts, [Part::Result { id: "c2".into(), text: "Too much.".into(), media_tokens: 0, error: true }]);
}

#[test]
fn results_of_every_kind_have_their_text_and_price() {
    let bytes = "iVBORw0KGgo".repeat(400);
    for (output, text, media, failed) in [
        (json!({"type": "text", "value": "ok"}), "ok", 0, false),
        (json!({"type": "error-text", "value": "timed out"}), "timed out", 0, true),
        (json!({"type": "error-json", "value": {"code": 7}}), "{\"code\":7}", 0, true),
        (json!({"type": "json", "value": "plain"}), "plain", 0, false),
        (json!({"type": "json", "value": null}), "", 0, false),
        (json!({"type": "execution-denied"}), "", 0, true),
        (
            json!({"type": "content", "value": [
                {"type": "text", "text": "see"}, {"type": "media", "data": bytes, "mediaType": "image/png"},
                {"type": "image-data", "data": bytes, "mediaType": "image/png"}, {"type": "file-url", "url": "https://x.example/a.pdf"},
            ]}),
            "see",
            3_600,
            false,
        ),
    ] {
        let read =
            message(json!({"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c", "toolName": "t", "output": output}]}));
        assert_eq!(read.parts, [Part::Result { id: "c".into(), text: text.into(), media_tokens: media, error: failed }], "{output}");
    }
    let older = message(
        json!({"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c", "toolName": "t", "result": {"a": 1}, "isError": true}]}),
    );
    assert_eq!(older.parts, [Part::Result { id: "c".into(), text: "{\"a\":1}".into(), media_tokens: 0, error: true }]);
}

#[test]
fn it_is_found_by_itself() {
    let session = session();
    assert_eq!(detect(&session).unwrap(), Shape::AiSdk);
    for only in &session[1..4] {
        assert_eq!(detect_one(only).unwrap(), (Shape::AiSdk, true));
    }
    let file = json!({"role": "user", "content": [{"type": "file", "data": "JVBERi0", "mediaType": "application/pdf"}]});
    assert_eq!(detect_one(&file).unwrap(), (Shape::AiSdk, true));
    let openai = json!({"role": "tool", "tool_call_id": "c1", "content": "ok"});
    let error = detect(&[session[1].clone(), openai]).unwrap_err();
    assert_eq!(error.code(), Code::UnknownShape);
    assert!(error.message().contains("AI SDK"), "{}", error.message());
}

#[test]
fn what_is_missing_or_unknown_is_named() {
    for (content, field) in [
        (json!([{"type": "tool-call", "toolName": "t"}]), "toolCallId"),
        (json!([{"type": "tool-call", "toolCallId": "c"}]), "toolName"),
        (json!([{"type": "tool-approval-request"}]), "approvalId"),
    ] {
        let error = read(Shape::AiSdk, &json!({"role": "assistant", "content": content}), 0).unwrap_err();
        assert_eq!(error.code(), Code::InvalidMessage);
        assert!(error.message().contains(field), "{}", error.message());
    }
    for role in ["developer", "function", "model"] {
        assert_eq!(read(Shape::AiSdk, &json!({"role": role, "content": "x"}), 0).unwrap_err().code(), Code::UnknownRole);
    }
}

#[test]
fn a_session_is_valid_and_a_torn_one_is_not() {
    let session = session();
    assert_eq!(validate(Shape::AiSdk, &session), Vec::<String>::new());
    assert!(!validate(Shape::AiSdk, &session[2..]).is_empty());
    let torn: Vec<Value> = session.iter().enumerate().filter(|(i, _)| *i != 3).map(|(_, message)| message.clone()).collect();
    assert!(!validate(Shape::AiSdk, &torn).is_empty());
    let served = json!({"role": "assistant", "content": [
        {"type": "tool-call", "toolCallId": "s", "toolName": "search", "input": {"q": "x"}, "providerExecuted": true},
        {"type": "tool-result", "toolCallId": "s", "toolName": "search", "output": {"type": "text", "value": "found"}},
    ]});
    assert_eq!(validate(Shape::AiSdk, &[served, json!({"role": "user", "content": "go on"})]), Vec::<String>::new());
}

#[test]
fn the_block_stands_in_the_slot_as_the_sdk_takes_it() {
    assert_eq!(pinned_message(Shape::AiSdk, "BLOCK"), None);
    assert_eq!(system_with_block(Shape::AiSdk, Some(&json!("head")), "BLOCK"), json!("head\n\nBLOCK"));
    let head = json!([{"role": "system", "content": "head", "providerOptions": {"anthropic": {"cacheControl": {"type": "ephemeral"}}}}]);
    let slot = system_with_block(Shape::AiSdk, Some(&head), "BLOCK");
    assert_eq!(slot, json!([head[0], {"role": "system", "content": "BLOCK"}]));
    assert_eq!(system_texts(Shape::AiSdk, &[], Some(&slot)), ["head", "BLOCK"]);
    assert_eq!(read(Shape::AiSdk, &head[0], 0).unwrap().cache_markers, 1);
}

#[test]
fn the_memory_message_marks_its_segment_for_the_provider_that_caches() {
    let pieces = ["one".to_owned(), "two".to_owned()];
    let marked = memory_message(Shape::AiSdk, &pieces, Some(0));
    assert_eq!(marked["content"][0]["providerOptions"], json!({"anthropic": {"cacheControl": {"type": "ephemeral"}}}));
    assert_eq!(marked["content"][1], json!({"type": "text", "text": "two"}));
    assert_eq!(memory_message(Shape::AiSdk, &pieces, None)["content"].as_array().unwrap().len(), 2);
}
