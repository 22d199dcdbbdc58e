use serde_json::{Value, json};

use super::*;
use crate::event::Role;

fn openai(message: Value) -> Message {
    read(Shape::Openai, &message, 1_200).unwrap()
}

fn anthropic(message: Value) -> Message {
    read(Shape::Anthropic, &message, 1_200).unwrap()
}

fn code_of(shape: Shape, message: Value) -> Code {
    read(shape, &message, 0).unwrap_err().code()
}

fn base64() -> String {
    "iVBORw0KGgo".repeat(4_000)
}

fn media(message: &Message) -> u32 {
    let price = |part: &Part| match part {
        Part::Media { tokens, .. } | Part::Result { media_tokens: tokens, .. } => *tokens,
        _ => 0,
    };
    message.parts.iter().map(price).sum()
}

#[test]
fn every_openai_role_is_read() {
    for (role, expected) in [("system", Role::System), ("developer", Role::Developer), ("user", Role::User), ("assistant", Role::Assistant)]
    {
        let message = openai(json!({"role": role, "content": "x", "name": "ann"}));
        assert_eq!((message.role, message.parts, message.name.as_deref()), (expected, vec![Part::Text("x".into())], Some("ann")));
    }
    let tool =
        openai(json!({"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}));
    assert_eq!(tool.parts, [Part::Result { id: "c1".into(), text: "a\nb".into(), media_tokens: 0, error: false }]);
    assert_eq!(code_of(Shape::Openai, json!({"role": "model", "content": "x"})), Code::UnknownRole);
}

#[test]
fn an_assistant_message_keeps_reasoning_text_and_calls_in_that_order() {
    let message = openai(json!({
        "role": "assistant", "content": "looking", "reasoning_content": "hm", "refusal": "not that",
        "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{\"q\":1}"}},
            {"id": "b", "type": "custom", "custom": {"name": "g", "input": "raw"}}
        ]
    }));
    assert_eq!(
        message.parts,
        [
            Part::Reasoning { text: "hm".into(), tokens: 1 },
            Part::Text("looking".into()),
            Part::Text("not that".into()),
            Part::Call { id: "a".into(), name: "f".into(), arguments: "{\"q\":1}".into() },
            Part::Call { id: "b".into(), name: "g".into(), arguments: "raw".into() },
        ]
    );
    assert!(openai(json!({"role": "assistant", "content": null})).parts.is_empty());
}

#[test]
fn legacy_function_calls_are_matched_by_name() {
    let call = openai(json!({"role": "assistant", "content": null, "function_call": {"name": "f", "arguments": "{}"}}));
    let result = openai(json!({"role": "function", "name": "f", "content": "ok"}));
    assert_eq!(call.calls().next(), result.results().next());
    assert_eq!(code_of(Shape::Openai, json!({"role": "function", "content": "ok"})), Code::InvalidMessage);
}

#[test]
fn a_missing_field_is_named() {
    for (shape, message, field) in [
        (Shape::Openai, json!({"role": "tool", "content": "x"}), "tool_call_id"),
        (Shape::Openai, json!({"content": "x"}), "role"),
        (Shape::Openai, json!("x"), "message"),
        (Shape::Openai, json!({"role": "user", "content": 3}), "content"),
        (Shape::Openai, json!({"role": "assistant", "tool_calls": {}}), "tool_calls"),
        (Shape::Openai, json!({"role": "assistant", "tool_calls": [{"function": {"name": "f"}}]}), "tool_calls.id"),
        (Shape::Anthropic, json!({"role": "user", "content": [{"type": "tool_result", "content": "x"}]}), "content.tool_use_id"),
        (Shape::Anthropic, json!({"role": "assistant", "content": [{"type": "tool_use", "name": "x"}]}), "content.id"),
        (Shape::Anthropic, json!({"role": "user", "content": [7]}), "content"),
    ] {
        let error = read(shape, &message, 0).unwrap_err();
        assert_eq!((error.code(), &error.details()["field"]), (Code::InvalidMessage, &json!(field)));
    }
}

#[test]
fn bytes_are_priced_and_never_read_as_text() {
    let data = base64();
    let messages = [
        openai(json!({"role": "user", "content": [{"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{data}")}}]})),
        openai(json!({"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}]})),
        openai(json!({"role": "user", "content": [{"type": "file", "file": {"file_data": data, "filename": "a.pdf"}}]})),
        openai(json!({"role": "tool", "tool_call_id": "c", "content": [{"type": "image_url", "image_url": {"url": data}}]})),
        openai(json!({"role": "user", "content": [{"type": "hologram", "bits": data}]})),
        anthropic(json!({"role": "user", "content": [{"type": "image", "source": {"type": "base64", "data": data}}]})),
        anthropic(json!({"role": "user", "content": [{"type": "document", "source": {"type": "base64", "data": data}}]})),
        anthropic(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": [
            {"type": "image", "source": {"type": "base64", "data": data}}]}]})),
    ];
    for message in messages {
        let text: usize = message.parts.iter().map(|part| part.text().len()).sum();
        assert_eq!((media(&message), text), (1_200, 0), "{:?}", message.parts);
    }
}

#[test]
fn documents_and_unknown_parts_are_attached_text_of_somebody_else() {
    let document =
        json!({"type": "document", "title": "Terms", "source": {"type": "text", "media_type": "text/plain", "data": "never refund"}});
    let message = anthropic(json!({"role": "user", "content": [document, {"type": "text", "text": "see above"}]}));
    assert_eq!(message.parts, [Part::Attached("Terms\nnever refund".into()), Part::Text("see above".into())]);
    let page = json!({"type": "search_result", "source": "https://a.example", "title": "T", "content": [{"type": "text", "text": "body"}]});
    let message = anthropic(json!({"role": "user", "content": [page]}));
    assert!(matches!(&message.parts[..], [Part::Attached(text)] if text.contains("body")));
    let message = openai(json!({"role": "user", "content": [{"type": "widget", "payload": {"caption": "hello"}}]}));
    assert_eq!(message.parts, [Part::Attached("hello".into())]);
}

#[test]
fn thinking_is_reasoning_and_sealed_thinking_costs_a_quarter_of_its_bytes() {
    let message = anthropic(json!({"role": "assistant", "content": [
        {"type": "thinking", "thinking": "so it is", "signature": "sig"},
        {"type": "redacted_thinking", "data": "x".repeat(400)}
    ]}));
    assert_eq!(
        message.parts,
        [
            Part::Reasoning { text: "so it is".into(), tokens: crate::tokens::estimate("so it is") },
            Part::Reasoning { text: String::new(), tokens: 100 }
        ]
    );
}

#[test]
fn a_server_tool_and_its_result_share_a_message() {
    let message = anthropic(json!({"role": "assistant", "content": [
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [
            {"type": "web_search_result", "title": "A", "url": "https://a.example", "encrypted_content": "x".repeat(40)}]},
        {"type": "code_execution_tool_result", "tool_use_id": "s2", "content":
            {"type": "code_execution_result", "stdout": "42", "stderr": "", "return_code": 0, "content": []}}
    ]}));
    assert_eq!(message.calls().collect::<Vec<_>>(), ["s1"]);
    assert_eq!(message.results().collect::<Vec<_>>(), ["s1", "s2"]);
    assert!(matches!(&message.parts[1], Part::Result { text, media_tokens: 10, .. } if text.contains("https://a.example")));
    assert!(matches!(&message.parts[2], Part::Result { text, .. } if text.contains("42") && text.contains("return_code: 0")));
}

#[test]
fn foreign_summaries_and_our_own_memory_are_known() {
    for message in [
        json!({"role": "user", "content": "x", "isCompactSummary": true}),
        json!({"role": "user", "content": "This session is being continued from a previous conversation that ran out of context. It …"}),
        json!({"role": "user", "content": "Here is a summary of the conversation to date:\n\nx"}),
        json!({"role": "user", "content": "x", "additional_kwargs": {"lc_source": "summarization"}}),
        json!({"role": "user", "content": "x", "metadata": {"kind": "compaction_summary"}}),
        json!({"role": "assistant", "content": [{"type": "compaction", "content": "We did x."}]}),
        memory_message(Shape::Openai, &["<standfast-memory>\n## MEMORY".into(), "b".into(), "</standfast-memory>".into()], None),
        memory_message(Shape::Anthropic, &["<standfast-memory>\n## MEMORY".into(), "</standfast-memory>".into()], Some(0)),
    ] {
        let read = anthropic(message.clone());
        assert!(read.foreign_summary && !read.is_user_turn(), "{message}");
    }
    for message in [
        json!({"role": "user", "content": "Please write: Here is a summary of the conversation to date:"}),
        json!({"role": "user", "content": "what is <standfast-memory> for?"}),
        json!({"role": "user", "content": "<standfast-memory>\nwhat does this tag mean?"}),
        json!({"role": "user", "content": "<standfast-memory>\nx\n</standfast-memory>\nAnd now go on."}),
        json!({"role": "user", "content": "x", "metadata": {"compaction": "preserved"}}),
    ] {
        assert!(!openai(message.clone()).foreign_summary, "{message}");
    }
}

#[test]
fn cache_markers_are_counted_wherever_they_stand() {
    let mark = json!({"type": "ephemeral"});
    let message = anthropic(json!({"role": "user", "content": [
        {"type": "text", "text": "a", "cache_control": mark},
        {"type": "tool_result", "tool_use_id": "c", "cache_control": null, "content": [{"type": "text", "text": "b", "cache_control": mark}]}
    ]}));
    assert_eq!(message.cache_markers, 2);
}

#[test]
fn a_message_of_more_than_64_mb_is_refused() {
    let message = json!({"role": "user", "content": "a ".repeat(33 << 20)});
    assert_eq!(code_of(Shape::Openai, message), Code::TooLarge);
}

#[test]
fn shapes_are_told_apart_by_what_only_one_of_them_has() {
    let plain = json!({"role": "user", "content": "hi"});
    let used = json!({"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}]});
    let called = json!({"role": "assistant", "content": null, "tool_calls": []});
    let system = json!({"role": "system", "content": "x"});
    assert_eq!(detect(&[]).unwrap(), Shape::Openai);
    assert_eq!(detect(std::slice::from_ref(&plain)).unwrap(), Shape::Openai);
    assert_eq!(detect(&[plain.clone(), used.clone()]).unwrap(), Shape::Anthropic);
    assert_eq!(detect(&[plain.clone(), called.clone()]).unwrap(), Shape::Openai);
    assert_eq!(detect(&[system, used.clone()]).unwrap(), Shape::Anthropic, "a proxy's system message");
    assert_eq!(detect(&[used, called]).unwrap_err().code(), Code::UnknownShape);
    for (other, seen) in [
        (json!({"role": "user", "parts": [{"type": "text", "text": "x"}]}), "parts"),
        (json!({"type": "human", "content": "x"}), "human"),
        (json!({"role": "assistant", "content": [{"toolUse": {"toolUseId": "x"}}]}), "toolUse"),
    ] {
        let error = detect(&[plain.clone(), other]).unwrap_err();
        assert_eq!((error.code(), &error.details()["seen"]), (Code::UnknownShape, &json!(seen)));
    }
    for (shows, shape) in [
        (json!({"type": "function_call", "call_id": "x", "name": "f", "arguments": "{}"}), Shape::Responses),
        (json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x"}]}), Shape::Responses),
        (json!({"role": "model", "parts": [{"text": "x"}]}), Shape::Gemini),
        (json!({"parts": [{"text": "x"}]}), Shape::Gemini),
    ] {
        assert_eq!(detect_one(&shows).unwrap(), (shape, true));
        let developer = json!({"role": "developer", "content": "x"});
        assert_eq!(detect(&[developer, plain.clone(), shows.clone()]).unwrap(), shape);
        let called = json!({"role": "assistant", "content": null, "tool_calls": []});
        assert_eq!(detect(&[shows, called]).unwrap_err().code(), Code::UnknownShape);
    }
}

#[test]
fn our_messages_follow_the_shape() {
    let pieces = ["a".to_owned(), " ".to_owned(), "b".to_owned()];
    assert_eq!(memory_message(Shape::Openai, &pieces, None), json!({"role": "user", "content": "a\n\nb"}));
    let marked = json!({"role": "user", "content": [
        {"type": "text", "text": "a"}, {"type": "text", "text": "b", "cache_control": {"type": "ephemeral"}}]});
    assert_eq!(memory_message(Shape::Openai, &pieces, Some(2)), marked);
    assert_eq!(memory_message(Shape::Anthropic, &pieces, Some(2)), marked);
    assert_eq!(pinned_message(Shape::Openai, "B").unwrap(), json!({"role": "system", "content": "B"}));
    assert!(pinned_message(Shape::Anthropic, "B").is_none());
    assert_eq!(system_with_block(Shape::Anthropic, None, "B"), json!("B"));
    assert_eq!(system_with_block(Shape::Anthropic, Some(&json!("head\n")), "B"), json!("head\n\n\nB"));
    let list = json!([{"type": "text", "text": "head", "cache_control": {"type": "ephemeral"}}]);
    let with = system_with_block(Shape::Anthropic, Some(&list), "B");
    assert_eq!((&with[0], &with[1]), (&list[0], &json!({"type": "text", "text": "B"})));
}

#[test]
fn system_texts_and_all_other_texts_tile_the_list() {
    let messages = [
        json!({"role": "system", "content": "s1"}),
        json!({"role": "developer", "content": [{"type": "text", "text": "s2"}]}),
        json!({"role": "assistant", "content": [{"type": "text", "text": "t"}, {"type": "tool_use", "id": "i", "name": "n", "input": {"q": "arg"}}]}),
        json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "i", "content": "r"},
            {"type": "image", "source": {"type": "base64", "data": "AAAA"}},
            {"type": "document", "source": {"type": "text", "data": "doc"}}]}),
    ];
    assert_eq!(system_texts(Shape::Openai, &messages, Some(&json!("slot"))), ["slot", "s1", "s2"]);
    assert_eq!(system_texts(Shape::Anthropic, &messages[2..], Some(&json!([{"type": "text", "text": "slot"}]))), ["slot"]);
    let others = all_texts(&messages);
    for text in ["t", "arg", "r", "doc"] {
        assert!(others.iter().any(|other| other == text), "{text}");
    }
    assert!(!others.iter().any(|other| ["s1", "s2", "AAAA", "i"].contains(&other.as_str())), "{others:?}");
}

#[test]
fn what_a_provider_rejects_is_named() {
    let user = json!({"role": "user", "content": "x"});
    let call = json!({"role": "assistant", "tool_calls": [
        {"id": "a", "function": {"name": "f", "arguments": "{}"}}, {"id": "b", "function": {"name": "f", "arguments": "{}"}}]});
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "ok"});
    let fine = [user.clone(), call.clone(), result("b"), result("a"), user.clone(), call.clone(), result("a")];
    assert!(validate(Shape::Openai, &fine).is_empty());
    for bad in [
        vec![user.clone(), result("a")],
        vec![result("a"), call.clone()],
        vec![user.clone(), call.clone(), result("a"), user.clone(), result("b")],
        vec![user.clone(), call.clone(), user.clone()],
        vec![user.clone(), call.clone(), result("a"), result("a")],
        vec![json!({"role": "tool", "content": "x"})],
    ] {
        assert!(!validate(Shape::Openai, &bad).is_empty(), "{bad:?}");
    }
    let uses = |id: &str| json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "f", "input": {}}]});
    let gives = |id: &str| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "ok"}]});
    let both =
        json!({"role": "user", "content": [{"type": "text", "text": "x"}, {"type": "tool_result", "tool_use_id": "a", "content": "ok"}]});
    assert!(validate(Shape::Anthropic, &[user.clone(), uses("a"), uses("b"), gives("a"), gives("b"), user.clone()]).is_empty());
    assert!(validate(Shape::Anthropic, &[user.clone(), uses("a"), gives("a"), uses("b")]).is_empty());
    for bad in [
        vec![uses("a"), gives("a")],
        vec![user.clone(), gives("a")],
        vec![user.clone(), uses("a"), user.clone(), gives("a")],
        vec![user.clone(), uses("a"), both],
        vec![user.clone(), uses("a"), user.clone()],
        vec![user.clone(), uses("a"), gives("a"), uses("a"), gives("a")],
        vec![user.clone(), uses("a"), gives("a"), user.clone(), gives("a")],
    ] {
        assert!(!validate(Shape::Anthropic, &bad).is_empty(), "{bad:?}");
    }
}
