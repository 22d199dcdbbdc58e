//! Real transcripts, read where they are at hand: set STANDFAST_DATA to the folder that holds them.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test reads files and fails loudly"
)]

use std::path::PathBuf;

use serde_json::Value;
use standfast::event::Part;
use standfast::shape::{Shape, detect, read, validate};

fn data(name: &str) -> Option<Value> {
    let Some(folder) = std::env::var_os("STANDFAST_DATA") else {
        println!("skipped: STANDFAST_DATA is not set");
        return None;
    };
    let text = std::fs::read_to_string(PathBuf::from(folder).join(name)).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

#[track_caller]
fn reads(messages: &[Value], shape: Shape) {
    assert_eq!(detect(messages).unwrap(), shape);
    for message in messages {
        let read = read(shape, message, 1_200).unwrap();
        assert!(!read.parts.is_empty());
    }
    assert_eq!(validate(shape, messages), Vec::<String>::new());
}

#[test]
fn recorded_openai_transcripts_are_read_and_valid() {
    for (name, field) in [
        ("trajectories/openhands-llmlog-sonnet4.json", Some("messages")),
        ("trajectories/openhands-llmlog-deepseek-nonfncall.json", Some("messages")),
        ("trajectories/openhands-fncall-message.json", None),
        ("trajectories/mini-swe-github_issue.traj.json", None),
        ("formats/openai-chat-system-request.json", Some("messages")),
    ] {
        let Some(data) = data(name) else { return };
        let list = field.map_or(&data, |field| &data[field]);
        println!("{name}");
        reads(list.as_array().unwrap_or_else(|| panic!("{name}")), Shape::Openai);
    }
}

#[test]
fn recorded_openai_answers_are_read() {
    for name in ["formats/openai-chat-tool-call.json", "formats/azure-deepseek-reasoning.json"] {
        let Some(data) = data(name) else { return };
        reads(std::slice::from_ref(&data["choices"][0]["message"]), Shape::Openai);
    }
}

#[test]
fn recorded_anthropic_answers_are_read() {
    for name in ["compaction-response", "programmatic-tool-calling", "web-fetch"] {
        let Some(data) = data(&format!("formats/anthropic-{name}.json")) else { return };
        assert_eq!(detect(std::slice::from_ref(&data)).unwrap(), Shape::Anthropic);
        let message = read(Shape::Anthropic, &data, 1_200).unwrap();
        // what the model says behind its summary is its own
        assert!(!message.foreign_summary);
        let foreign = message.parts.iter().any(|part| matches!(part, Part::Foreign(_)));
        assert_eq!(foreign, name == "compaction-response");
    }
}

#[test]
fn a_recorded_session_with_compactions_is_read() {
    let Some(session) = data("trajectories/cline-session.messages.json") else { return };
    reads(session["messages"].as_array().unwrap(), Shape::Anthropic);
    let Some(compacted) = data("trajectories/cline-agentic.compaction.json") else { return };
    assert!(read(Shape::Anthropic, &compacted["messages"][0], 0).unwrap().foreign_summary);
}

#[test]
fn a_recorded_request_of_responses_is_read() {
    let Some(request) = data("formats/openai-conversations-image-request.json") else { return };
    reads(request["input"].as_array().unwrap(), Shape::Responses);
}
