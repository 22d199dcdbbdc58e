//! Every form that another compactor's summary has in a list of messages, in our own words, and what only looks like one.

use serde_json::{Value, json};

use super::{Shape, detect, read};
use crate::event::Part;

/// Where its summary is: the whole message, one part of it, or nowhere.
#[derive(Debug, PartialEq)]
enum Found {
    Whole,
    Part,
    Nothing,
}

fn found(message: &Value) -> Found {
    let shape = detect(std::slice::from_ref(message)).unwrap();
    let read = read(shape, message, 1_200).unwrap();
    assert!(!read.foreign_summary || !read.is_user_turn());
    match (read.foreign_summary, read.parts.iter().any(|part| matches!(part, Part::Foreign(_)))) {
        (true, _) => Found::Whole,
        (false, true) => Found::Part,
        (false, false) => Found::Nothing,
    }
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn system(text: &str) -> Value {
    json!({"role": "system", "content": text})
}

#[test]
fn every_form_of_a_summary_is_known() {
    let beside = |text: &str| json!([{"type": "text", "text": "Repaint the gate."}, {"type": "text", "text": text}]);
    let forms = [
        // providers
        (
            "Anthropic, a block",
            json!({"role": "assistant", "content": [{"type": "compaction", "content": "The gate is done."}]}),
            Found::Whole,
        ),
        (
            "Anthropic, a block beside an answer",
            json!({"role": "assistant", "content": [{"type": "compaction", "content": "The gate is done."}, {"type": "text", "text": "Next?"}]}),
            Found::Part,
        ),
        ("OpenAI, an item", json!({"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAA"}), Found::Whole),
        (
            "OpenAI, an item that can be read",
            json!({"type": "compaction_summary", "content": [{"type": "text", "text": "Done."}]}),
            Found::Whole,
        ),
        (
            "AI SDK, a text part with a provider's type",
            json!({"role": "assistant", "content": [{"type": "text", "text": "Done.", "providerOptions": {"anthropic": {"type": "compaction"}}}]}),
            Found::Whole,
        ),
        ("pydantic-ai, a part", json!({"role": "assistant", "content": [{"part_kind": "compaction", "content": "Done."}]}), Found::Whole),
        // coding agents
        ("Claude Code, by flag", json!({"role": "user", "content": "Done.", "isCompactSummary": true}), Found::Whole),
        ("Claude Code, by opening", user("This session is being continued from a previous conversation. The gate is done."), Found::Whole),
        (
            "Claude Code, a draft before it",
            user("<analysis>\nTwo gates.\n</analysis>\n\n<summary>\nOne gate is done.\n</summary>"),
            Found::Whole,
        ),
        (
            "Codex",
            user("Another language model started to solve this problem and produced a summary of its thinking process. Done."),
            Found::Whole,
        ),
        ("Gemini CLI", user("<state_snapshot>\n<goal>Gates</goal>\n</state_snapshot>"), Found::Whole),
        ("Gemini CLI, a draft before it", user("<scratchpad>Hm.</scratchpad>\n<state_snapshot>Done.</state_snapshot>"), Found::Whole),
        (
            "Cline, by metadata",
            json!({"role": "user", "content": "x", "metadata": {"kind": "compaction_summary", "summary": "x"}}),
            Found::Whole,
        ),
        ("Cline, by opening", user("Context summary:\n\n## Goal\nGates"), Found::Whole),
        (
            "Cline, a notice beside the user's words",
            json!({"role": "user", "content": beside("<SYSTEM_NOTICE>\nEarlier context was compacted. Files read: a"), "metadata": {"kind": "compaction"}}),
            Found::Part,
        ),
        ("opencode", json!({"role": "assistant", "content": "Done.", "summary": true}), Found::Whole),
        ("opencode, anchored", user("<prior-summary>\nDone.\n</prior-summary>"), Found::Whole),
        (
            "pi, by opening",
            user("The conversation history before this point was compacted into the following summary:\n\nDone."),
            Found::Whole,
        ),
        ("pi, a role of its own", json!({"role": "compactionSummary", "summary": "Done.", "tokensBefore": 9}), Found::Whole),
        ("Roo, by flag", json!({"role": "assistant", "content": "Done.", "isSummary": true}), Found::Whole),
        ("aider", user("I spoke to you previously about a number of things.\nGates."), Found::Whole),
        ("OpenHands, an event", json!({"kind": "CondensationSummaryEvent", "summary": "Done."}), Found::Whole),
        ("OpenHands, what it forgot", json!({"kind": "Condensation", "forgotten_event_ids": [3, 4], "summary": "Done."}), Found::Whole),
        ("OpenHands, an observation", json!({"role": "user", "content": "Done.", "observation": "condense"}), Found::Whole),
        // frameworks
        ("LangChain", json!({"role": "user", "content": "x", "additional_kwargs": {"lc_source": "summarization"}}), Found::Whole),
        ("LangChain, by opening", user("Here is a summary of the conversation to date:\n\nDone."), Found::Whole),
        ("LangGraph", system("Summary of conversation earlier: the gate is done."), Found::Whole),
        ("deepagents", user("You are in the middle of a conversation that has been summarized.\n\nDone."), Found::Whole),
        (
            "Microsoft Agent Framework",
            json!({"role": "assistant", "content": "Done.", "additional_properties": {"_summary_of_message_ids": ["a"]}}),
            Found::Whole,
        ),
        ("CrewAI", user("This is a summary of our conversation so far:\nDone."), Found::Whole),
        ("Letta", json!({"role": "summary", "content": "Done."}), Found::Whole),
        ("Letta, by type", json!({"role": "user", "content": "Done.", "message_type": "summary_message"}), Found::Whole),
        ("Letta, an alert", user("{\"type\": \"system_alert\", \"message\": \"Done.\"}"), Found::Whole),
        ("Letta, the text of one", user("Note: prior messages (8 of 9) are hidden. Done."), Found::Whole),
        (
            "Agno, in the system prompt",
            system(
                "Be brief.\n\n<summary_of_previous_interactions>\nNever paint on Fridays.\n</summary_of_previous_interactions>\n\nBe kind.",
            ),
            Found::Part,
        ),
        ("a label in brackets", system("[CONTEXT COMPACTION - for reference] Done."), Found::Whole),
        ("a label in brackets, other words", user("[Summary of earlier conversation]\nDone."), Found::Whole),
        ("in an element beside the user's words", user("Go on.\n<conversation-summary>\nDone.\n</conversation-summary>"), Found::Part),
    ];
    for (name, message, expected) in &forms {
        assert_eq!(found(message), *expected, "{name}");
    }
}

#[test]
fn what_only_looks_like_a_summary_is_its_authors() {
    for text in [
        "[The summary](https://a.example) of our session is wrong.",
        "[x] summarize the session",
        "[Summary of the offer] Never pay more than 40.",
        "Please wrap it in <conversation_summary> and </conversation_summary>.",
        "<conversation_summary>\nis the tag to use. Never use another.",
        "<details>\n<summary>Log</summary>\nNever rename it.\n</details>",
        "<analysis>Never paint on Fridays.</analysis>",
        "<summary>Done.</summary> Never paint on Fridays.",
        "Note: prior approval is needed.",
    ] {
        assert_eq!(found(&user(text)), Found::Nothing, "{text}");
    }
    for message in [
        json!({"role": "user", "content": "Done.", "summary": false}),
        json!({"role": "user", "content": "Done.", "kind": "request"}),
        json!({"role": "assistant", "content": "<conversation_summary>\nDone.\n</conversation_summary>"}),
    ] {
        assert_eq!(found(&message), Found::Nothing, "{message}");
    }
}

#[test]
fn the_words_beside_a_summary_stay_their_authors() {
    let text =
        "Go on.\n<session_summary>\nNever paint on Fridays.\n</session_summary>\nAlso:\n<session_summary>\nDone.\n</session_summary>";
    let read = read(Shape::Openai, &user(text), 0).unwrap();
    let parts: Vec<(bool, &str)> = read.parts.iter().map(|part| (matches!(part, Part::Foreign(_)), part.text().trim())).collect();
    assert_eq!(parts.iter().map(|(foreign, _)| *foreign).collect::<Vec<_>>(), [false, true, false, true, false]);
    assert_eq!((parts[0].1, parts[2].1, parts[4].1), ("Go on.", "Also:", ""));
    assert_eq!(read.parts.iter().map(Part::text).collect::<String>(), text);
}

#[test]
fn shapes_that_are_not_read_are_named() {
    for message in [
        json!({"author": "agent", "actions": {"compaction": {"compacted_content": {"parts": [{"text": "Done."}]}}}}),
        json!({"type": "ai", "content": "Done."}),
    ] {
        assert!(detect(&[message]).is_err());
    }
}
