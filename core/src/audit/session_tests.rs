use serde_json::{Value, json};

use super::{Session, SessionFormat, audit_session, read_session};
use crate::check::fate::FateKind;

const RULE: &str = "Never push to main without a review by Ines.";
const SECOND: &str = "Do not delete rows of the billing table.";
const OPENING: &str = "This session is being continued from a previous conversation that ran out of context. ";

fn lines(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn read(all: &[Value]) -> Session {
    read_session(&lines(all)).unwrap()
}

/// A line of Claude Code.
fn line(id: &str, role: &str, content: &Value) -> Value {
    json!({"uuid": id, "sessionId": "s", "type": role, "message": {"role": role, "content": content}})
}

fn item(payload: &Value) -> Value {
    json!({"timestamp": "2026-01-01T00:00:00Z", "type": "response_item", "payload": payload})
}

fn words(role: &str, text: &str) -> Value {
    item(
        &json!({"type": "message", "role": role, "content": [{"type": if role == "assistant" { "output_text" } else { "input_text" }, "text": text}]}),
    )
}

fn claude(summary: &str) -> Vec<Value> {
    let mut answer = line("b", "assistant", &json!([{"type": "text", "text": "I look."}]));
    answer["message"]["id"] = "m1".into();
    let mut call = line("c", "assistant", &json!([{"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}}]));
    call["message"]["id"] = "m1".into();
    let mut aside = line("x", "user", &json!("Never say this."));
    aside["isMeta"] = true.into();
    let mut closing = line("s", "user", &json!(format!("{OPENING}{summary}")));
    closing["isCompactSummary"] = true.into();
    vec![
        json!({"type": "summary", "summary": "Push it", "leafUuid": "z"}),
        line("a", "user", &json!(RULE)),
        aside,
        answer,
        call,
        line("d", "user", &json!([{"type": "tool_result", "tool_use_id": "t1", "content": "a.txt"}])),
        json!({"uuid": "e", "sessionId": "s", "type": "system", "subtype": "compact_boundary", "compactMetadata": {"trigger": "auto", "preTokens": 9}}),
        closing,
        line("f", "user", &json!(SECOND)),
    ]
}

#[test]
fn a_session_of_claude_code_is_read_with_its_compaction() {
    let session = read(&claude("The files were listed."));
    assert_eq!((session.format, session.messages.len(), session.unread), (SessionFormat::ClaudeCode, 4, 0));
    assert_eq!(session.messages[1]["content"].as_array().unwrap().len(), 2); // one answer in two lines
    assert_eq!(session.compactions.len(), 1);
    assert_eq!((session.compactions[0].at, session.compactions[0].trigger.as_deref()), (3, Some("auto")));
    assert_eq!(session.compactions[0].after.len(), 1);
}

#[test]
fn a_rule_dies_in_the_round_that_lost_it() {
    let report = audit_session(&lines(&claude("The files were listed.")), None).unwrap();
    assert_eq!((report.ok, report.judged, report.lost, report.rules.len()), (false, 1, 1, 2));
    let [first, second] = report.rules.as_slice() else { panic!("two rules") };
    assert_eq!((first.rule.as_str(), first.since, first.lost, first.kind), (RULE, Some(0), Some(0), FateKind::Dropped));
    assert_eq!((second.rule.as_str(), second.since, second.lost), (SECOND, None, None));
    let report = audit_session(&lines(&claude(RULE)), None).unwrap();
    assert_eq!((report.ok, report.lost, report.rules[0].kind), (true, 0, FateKind::Preserved));
    let report = audit_session(&lines(&claude("Try not to push to main without a review by Ines.")), None).unwrap();
    assert!(report.lost == 1 && !report.rules[0].evidence.is_empty());
    let given = audit_session(&lines(&claude("Nothing.")), Some(&["Never email customers.".to_owned()])).unwrap();
    assert_eq!((given.rules.len(), given.lost, given.rules[0].found), (1, 1, None));
}

#[test]
fn a_rule_that_comes_back_is_not_lost() {
    let mut all = claude("Nothing.");
    all.push(line("g", "user", &json!(RULE)));
    let mut closing = line("h", "user", &json!(format!("{OPENING}{RULE}")));
    closing["isCompactSummary"] = true.into();
    all.push(closing);
    let report = audit_session(&lines(&all), None).unwrap();
    assert_eq!((report.rounds.len(), report.judged, report.lost), (2, 2, 1));
    assert_eq!((report.rules[0].lost, report.rules[1].lost), (None, Some(1)));
}

#[test]
fn messages_that_stay_are_read_where_the_file_names_them() {
    let mut all = claude("Nothing.");
    all[6]["compactMetadata"]["preservedSegment"] = json!({"headUuid": "a", "anchorUuid": "s", "tailUuid": "a"});
    assert_eq!(read(&all).compactions[0].after.len(), 2);
    assert!(audit_session(&lines(&all), None).unwrap().ok);
}

#[test]
fn what_was_taken_back_is_not_read() {
    let mut all = vec![
        line("a", "user", &json!("Count the files.")),
        line("b", "user", &json!(RULE)),
        line("c", "user", &json!(SECOND)),
        line("d", "user", &json!("Go on.")),
    ];
    for (child, parent) in [(1, "a"), (2, "a"), (3, "c")] {
        all[child]["parentUuid"] = parent.into();
    }
    let said: Vec<Value> = read(&all).messages.iter().map(|message| message["content"].clone()).collect();
    assert_eq!(said, ["Count the files.", SECOND, "Go on."]);
    // a circle ends
    all[0]["parentUuid"] = "d".into();
    assert_eq!(read(&all).messages.len(), 3);
}

fn codex(compacted: &Value) -> Vec<Value> {
    vec![
        json!({"timestamp": "t", "type": "session_meta", "payload": {"id": "1", "cwd": "/w"}}),
        words("user", "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\n- Never print a secret.\n</INSTRUCTIONS>"),
        words("user", RULE),
        item(&json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "I list."}], "encrypted_content": "gAAA"})),
        item(&json!({"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"})),
        item(&json!({"type": "local_shell_call", "action": {"type": "exec"}, "call_id": "c2"})),
        item(&json!({"type": "function_call_output", "call_id": "c1", "output": "a.txt"})),
        item(&json!({"type": "function_call_output", "call_id": "c2", "output": {"content": "b.txt"}})),
        words("assistant", "Two files."),
        json!({"timestamp": "t", "type": "event_msg", "payload": {"type": "token_count"}}),
        json!({"timestamp": "t", "type": "compacted", "payload": compacted}),
        words("user", "Go on."),
    ]
}

#[test]
fn a_session_of_codex_is_read_with_its_compaction() {
    let session = read(&codex(&json!({"message": "Two files were listed."})));
    assert_eq!((session.format, session.messages.len(), session.unread), (SessionFormat::Codex, 8, 0));
    assert_eq!(session.messages[0], json!({"role": "system", "content": "# AGENTS.md instructions for /w\n\n- Never print a secret.\n"}));
    assert_eq!(session.messages[3]["tool_calls"].as_array().unwrap().len(), 2);
    // it goes on with what the user said
    assert_eq!(session.compactions[0].after.len(), 3);
    let report = audit_session(&lines(&codex(&json!({"message": "Nothing."}))), None).unwrap();
    assert_eq!((report.judged, report.lost), (2, 0));
}

#[test]
fn a_history_that_codex_wrote_down_is_taken_as_it_is() {
    let replaced = json!({"message": "", "replacement_history": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Summary: two files."}]}]});
    let report = audit_session(&lines(&codex(&replaced)), None).unwrap();
    assert_eq!((report.judged, report.lost, report.rounds[0].sealed), (2, 2, false));
    let sealed = json!({"message": "", "replacement_history": [{"type": "compaction", "encrypted_content": "gAAAA"}]});
    let report = audit_session(&lines(&codex(&sealed)), None).unwrap();
    assert_eq!((report.judged, report.lost, report.rounds[0].sealed, report.rules[1].kind), (2, 0, true, FateKind::Unverifiable));
}

#[test]
fn what_frameworks_store_is_read() {
    let langchain = json!([
        {"type": "human", "data": {"content": RULE}},
        {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "AIMessage"], "kwargs": {"content": "", "tool_calls": [{"id": "c", "name": "ls", "args": {}}]}},
        {"type": "tool", "content": [{"type": "text", "text": "a"}], "tool_call_id": "c"},
        {"type": "ai", "content": [{"type": "thinking", "thinking": "x"}, {"type": "text", "text": "Done."}], "tool_calls": []},
    ]);
    let session = read_session(&langchain.to_string()).unwrap();
    assert_eq!(session.messages.len(), 4);
    assert_eq!((&session.messages[2]["content"], &session.messages[3]["content"]), (&json!("a"), &json!("Done.")));
    let chat = json!([
        {"id": "1", "role": "user", "parts": [{"type": "text", "text": RULE}]},
        {"id": "2", "role": "assistant", "parts": [
            {"type": "step-start"},
            {"type": "tool-ls", "toolCallId": "c", "state": "output-available", "input": {}, "output": {"files": ["a"]}},
            {"type": "step-start"}, {"type": "text", "text": "One file."}
        ]},
    ]);
    let roles: Vec<Value> = read_session(&chat.to_string()).unwrap().messages.iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "assistant"]);
    let gemini = json!({"contents": [{"role": "user", "parts": [{"text": RULE}]}, {"role": "model", "parts": [{"text": "Yes."}]}]});
    assert_eq!(read_session(&gemini.to_string()).unwrap().messages[0]["parts"][0]["text"], RULE);
    let request = json!({"model": "m", "system": RULE, "messages": [{"role": "user", "content": "Hi."}]});
    let session = read_session(&request.to_string()).unwrap();
    assert_eq!((session.system, session.messages.len()), (Some(json!(RULE)), 1));
    let request = json!({"input": [{"role": "user", "content": [{"type": "input_text", "text": RULE}]}, {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}]});
    assert_eq!(read_session(&request.to_string()).unwrap().messages.len(), 2);
}

#[test]
fn a_summary_among_messages_is_a_compaction_and_one_at_the_start_is_not() {
    let all = [
        json!({"role": "user", "content": RULE}),
        json!({"role": "user", "content": format!("{OPENING}Nothing.")}),
        json!({"role": "user", "content": "Go on."}),
    ];
    assert_eq!(audit_session(&lines(&all), None).unwrap().lost, 1);
    let report = audit_session(&lines(&all[1..]), None).unwrap();
    assert_eq!((report.rounds.len(), report.messages), (0, 2));
}

#[test]
fn what_is_cut_off_or_no_transcript_is_told() {
    let whole = lines(&claude("Nothing."));
    let cut = whole.get(..whole.len() - 20).unwrap();
    let session = read_session(cut).unwrap();
    assert_eq!((session.messages.len(), session.unread), (3, 1));
    for text in [
        "",
        "hello",
        "{}",
        "[]",
        "[1, 2]",
        "{\"a\": 1}",
        "{\"messages\": []}",
        "null",
        "\u{0}",
        "[{\"role\": \"user\"",
        "[{\"role\": 7, \"content\": 7}]",
    ] {
        assert!(read_session(text).is_err(), "{text}");
        assert!(audit_session(text, None).is_err(), "{text}");
    }
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    assert!(read_session(&deep).is_err());
    let odd = json!({"__proto__": {"polluted": true}, "constructor": 1, "role": "user", "content": RULE});
    assert_eq!(read_session(&odd.to_string()).unwrap().messages.len(), 1);
}
