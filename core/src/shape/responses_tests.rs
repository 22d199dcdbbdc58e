use serde_json::{Value, json};

use super::*;
use crate::event::Role;

fn message(message: Value) -> Message {
    read(Shape::Responses, &message, 1_200).unwrap()
}

fn result(id: &str, text: &str, media_tokens: u32, error: bool) -> Part {
    Part::Result { id: id.into(), text: text.into(), media_tokens, error }
}

fn call(id: &str, name: &str, arguments: &str) -> Part {
    Part::Call { id: id.into(), name: name.into(), arguments: arguments.into() }
}

/// A session with a batch of two calls, reasoning and an approval.
fn session() -> Vec<Value> {
    vec![
        json!({"role": "user", "content": "Look at batch 7."}),
        json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Two sources."}], "encrypted_content": "Z0FB"}),
        json!({"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "get_batch", "arguments": "{\"n\":7}", "status": "completed"}),
        json!({"type": "function_call", "id": "fc_2", "call_id": "c2", "name": "get_bank", "arguments": "{}"}),
        json!({"type": "function_call_output", "call_id": "c2", "output": "N1"}),
        json!({"type": "function_call_output", "call_id": "c1", "output": [{"type": "input_text", "text": "412 rows"}]}),
        json!({"type": "mcp_approval_request", "id": "a1", "name": "pay", "server_label": "bank", "arguments": "{}"}),
        json!({"type": "mcp_approval_response", "approval_request_id": "a1", "approve": true}),
        json!({"type": "message", "role": "assistant", "id": "msg_1", "content": [{"type": "output_text", "text": "412 rows.", "annotations": []}]}),
    ]
}

#[test]
fn every_item_is_read() {
    let read: Vec<Message> = session().into_iter().map(message).collect();
    let roles: Vec<Role> = read.iter().map(|message| message.role).collect();
    let (user, agent, tool) = (Role::User, Role::Assistant, Role::Tool);
    assert_eq!(roles, [user, agent, agent, agent, tool, tool, agent, tool, agent]);
    assert!(matches!(&read[1].parts[..], [Part::Reasoning { text, .. }] if text == "Two sources."));
    assert_eq!(read[2].parts, [call("c1", "get_batch", "{\"n\":7}")]);
    assert_eq!(read[4].parts, [result("c2", "N1", 0, false)]);
    assert_eq!(read[5].parts, [result("c1", "412 rows", 0, false)]);
    assert_eq!(read[6].parts, [Part::Approval { id: "a1".into(), response: false }]);
    assert_eq!(read[7].parts, [Part::Approval { id: "a1".into(), response: true }]);
    assert_eq!(read[8].parts, [Part::Text("412 rows.".into())]);
}

#[test]
fn a_tool_that_the_provider_runs_is_answered_where_it_is_called() {
    for (item, call_part, result_part) in [
        (
            json!({"type": "code_interpreter_call", "id": "ci", "code": "print(1)", "outputs": [{"type": "logs", "logs": "1"}]}),
            call("ci", "code_interpreter_call", "print(1)"),
            result("ci", "1", 0, false),
        ),
        (
            json!({"type": "mcp_call", "id": "m", "name": "roll", "arguments": "{}", "output": null, "error": "no dice"}),
            call("m", "roll", "{}"),
            result("m", "no dice", 0, true),
        ),
        (
            json!({"type": "image_generation_call", "id": "ig", "result": "iVBORw0KGgo".repeat(40)}),
            call("ig", "image_generation_call", ""),
            result("ig", "", 1_200, false),
        ),
    ] {
        assert_eq!(message(item).parts, [call_part, result_part]);
    }
    let shot = json!({"type": "computer_call_output", "call_id": "k", "output": {"type": "computer_screenshot", "image_url": "https://x.example/1"}});
    assert_eq!(message(shot).parts, [result("k", "", 1_200, false)]);
    let shell = json!({"type": "local_shell_call_output", "id": "s", "output": "ok"});
    assert_eq!(message(shell).parts, [result("s", "ok", 0, false)]);
}

#[test]
fn what_is_new_to_us_is_somebody_elses_text() {
    let new = message(json!({"type": "thought_of_tomorrow", "body": "Never pay."}));
    assert_eq!((new.role, &new.parts[..]), (Role::Assistant, &[Part::Attached("Never pay.".into())][..]));
    let served = message(json!({"type": "tool_search_output", "call_id": null, "tools": [{"name": "pay", "description": "Pays."}]}));
    assert!(matches!(&served.parts[..], [Part::Attached(text)] if text.contains("Pays.")));
}

#[test]
fn a_compaction_of_the_provider_is_foreign() {
    let sealed = message(json!({"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAAAB".repeat(100)}));
    assert!(sealed.foreign_summary);
    assert!(matches!(sealed.parts[1], Part::Media { tokens: 175, .. }));
    let told = message(json!({"role": "user", "content": [{"type": "input_text", "text": "<session_summary>Done.</session_summary>"}]}));
    assert!(told.foreign_summary);
}

#[test]
fn what_the_provider_rejects_is_named() {
    let session = session();
    assert_eq!(validate(Shape::Responses, &session), Vec::<String>::new());
    assert_eq!(validate(Shape::Responses, &session[..4]), Vec::<String>::new(), "a batch that is being answered");
    let without = |left_out: usize| -> Vec<Value> {
        let mut next = session.iter().enumerate().filter(|(i, _)| *i != left_out).map(|(_, item)| item.clone()).collect::<Vec<_>>();
        next.push(json!({"role": "user", "content": "Go on."}));
        next
    };
    for left_out in 2..6 {
        assert!(!validate(Shape::Responses, &without(left_out)).is_empty(), "{left_out}");
    }
    let torn = [session[1].clone(), session[0].clone()];
    assert!(!validate(Shape::Responses, &torn).is_empty(), "reasoning without what it led to");
}

#[test]
fn the_block_stands_in_the_instructions() {
    assert!(Shape::Responses.has_slot() && !Shape::Responses.has_marker());
    assert_eq!(pinned_message(Shape::Responses, "BLOCK"), None);
    assert_eq!(system_with_block(Shape::Responses, Some(&json!("head")), "BLOCK"), json!("head\n\nBLOCK"));
    let pieces = ["one".to_owned(), "two".to_owned()];
    let blocks = json!([{"type": "input_text", "text": "one"}, {"type": "input_text", "text": "two"}]);
    assert_eq!(memory_message(Shape::Responses, &pieces, None), json!({"role": "user", "content": blocks}));
    let developer = json!({"role": "developer", "content": [{"type": "input_text", "text": "told"}]});
    assert_eq!(system_texts(Shape::Responses, &[developer], Some(&json!("slot"))), ["slot", "told"]);
}
