use serde_json::{Value, json};

use super::*;
use crate::event::Role;

fn message(message: Value) -> Message {
    read(Shape::Gemini, &message, 1_200).unwrap()
}

fn result(name: &str, text: &str, error: bool) -> Part {
    Part::Result { id: format!("function:{name}"), text: text.into(), media_tokens: 0, error }
}

/// A session with a batch of two calls, in both spellings.
fn session() -> Vec<Value> {
    vec![
        json!({"role": "user", "parts": [{"text": "Look at batch 7."}, {"inlineData": {"mimeType": "image/png", "data": "AAAA"}}]}),
        json!({"role": "model", "parts": [
            {"text": "Two sources.", "thought": true},
            {"functionCall": {"id": "x1", "name": "get_batch", "args": {"n": 7}}, "thoughtSignature": "c2ln"},
            {"function_call": {"name": "get_bank", "args": {}}},
        ]}),
        json!({"role": "user", "parts": [
            {"functionResponse": {"name": "get_batch", "response": {"rows": 412, "bank": "N1"}}},
            {"function_response": {"name": "get_bank", "response": {"error": "timed out"}}},
        ]}),
        json!({"role": "model", "parts": [{"text": "412 rows."}]}),
        json!({"parts": [{"text": "Go on."}]}),
    ]
}

#[test]
fn every_part_is_read() {
    let read: Vec<Message> = session().into_iter().map(message).collect();
    let roles: Vec<Role> = read.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Assistant, Role::User]);
    assert_eq!(read[0].parts[1], Part::Media { kind: "image".into(), name: String::new(), tokens: 1_200 });
    assert!(matches!(&read[1].parts[0], Part::Reasoning { text, .. } if text == "Two sources."));
    let call = Part::Call { id: "function:get_batch".into(), name: "get_batch".into(), arguments: "{\"n\":7}".into() };
    assert_eq!(read[1].parts[1], call);
    assert_eq!(read[2].parts, [result("get_batch", "{\"bank\":\"N1\",\"rows\":412}", false), result("get_bank", "timed out", true)]);
}

#[test]
fn files_have_names_and_prices_and_code_is_a_call() {
    let file = message(json!({"role": "user", "parts": [{"file_data": {"mime_type": "application/pdf", "file_uri": "gs://b/a.pdf"}}]}));
    assert_eq!(file.parts, [Part::Media { kind: "file".into(), name: "gs://b/a.pdf".into(), tokens: 1_200 }]);
    let ran = message(json!({"role": "model", "parts": [
        {"executableCode": {"language": "PYTHON", "code": "print(1)"}}, {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}},
    ]}));
    assert_eq!(ran.parts[1], result("code_execution", "1", false));
    assert_eq!(ran.calls().collect::<Vec<_>>(), ["function:code_execution"]);
}

#[test]
fn what_is_missing_or_unknown_is_named() {
    for (bad, field) in [
        (json!({"role": "model", "parts": [{"functionCall": {"args": {}}}]}), "parts.name"),
        (json!({"role": "user", "parts": "text"}), "parts"),
        (json!({"role": "user", "parts": [7]}), "parts"),
    ] {
        let error = read(Shape::Gemini, &bad, 0).unwrap_err();
        assert_eq!(error.code(), Code::InvalidMessage);
        assert!(error.message().contains(field), "{}", error.message());
    }
    assert_eq!(read(Shape::Gemini, &json!({"role": "assistant", "parts": []}), 0).unwrap_err().code(), Code::UnknownRole);
}

#[test]
fn a_summary_in_a_content_is_foreign() {
    assert!(message(json!({"role": "user", "parts": [{"text": "<state_snapshot>\nDone.\n</state_snapshot>"}]})).foreign_summary);
    let ours = memory_message(Shape::Gemini, &["<standfast-memory>\n## MEMORY".into(), "</standfast-memory>".into()], Some(0));
    assert_eq!(ours, json!({"role": "user", "parts": [{"text": "<standfast-memory>\n## MEMORY"}, {"text": "</standfast-memory>"}]}));
    assert!(message(ours).foreign_summary);
}

#[test]
fn what_the_provider_rejects_is_named() {
    let session = session();
    assert_eq!(validate(Shape::Gemini, &session), Vec::<String>::new());
    assert!(!validate(Shape::Gemini, &session[2..]).is_empty(), "a response without its call");
    assert!(!validate(Shape::Gemini, &[&session[..2], &session[3..]].concat()).is_empty(), "calls without responses");
    let half = json!({"role": "user", "parts": [{"functionResponse": {"name": "get_batch", "response": {}}}]});
    assert!(!validate(Shape::Gemini, &[&session[..2], &[half], &session[3..]].concat()).is_empty(), "a batch answered in part");
    assert!(!validate(Shape::Gemini, &session[1..]).is_empty(), "a call before anybody spoke");
}

#[test]
fn the_block_stands_in_the_slot() {
    assert_eq!(system_with_block(Shape::Gemini, None, "BLOCK"), json!("BLOCK"));
    let head = json!({"parts": [{"text": "head"}]});
    let slot = system_with_block(Shape::Gemini, Some(&head), "BLOCK");
    assert_eq!(slot, json!({"parts": [{"text": "head"}, {"text": "BLOCK"}]}));
    assert!(is_slot(&slot));
    assert_eq!(system_texts(Shape::Gemini, &[], Some(&slot)), ["head", "BLOCK"]);
}
