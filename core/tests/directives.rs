//! Standing directives in user turns are told from one-off requests, in eight languages: our own turns, and the given ones where
//! the data folder is there.

#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test reads files and says what it expects"
)]
#![allow(clippy::float_arithmetic, reason = "rates")]

use serde_json::{Value, json};
use standfast::{Guard, ObserveOptions, Policy};

struct Turn {
    text: String,
    /// The directive in it.
    span: Option<String>,
    language: String,
}

/// The rules that a turn of a user puts in force.
fn promoted(text: &str) -> Vec<String> {
    let mut guard = Guard::new(Policy::for_window(100_000), None).unwrap();
    guard.observe(&json!({"role": "user", "content": text}), &ObserveOptions::default()).unwrap();
    guard.rules().into_iter().map(|rule| rule.text).collect()
}

/// Turns that were written before any error was looked at. The weights know them: how well others are read is in `bench/directives/train.py`.
fn own() -> Vec<Turn> {
    let text = include_str!("../../tests/directives/turns.txt");
    let turn = |line: &str| {
        let mut parts = line.splitn(3, ' ');
        let language = parts.next().unwrap().to_owned();
        let marked = parts.nth(1).unwrap();
        let span = marked.split_once("[[").and_then(|(_, rest)| rest.split_once("]]")).map(|(span, _)| span.to_owned());
        Turn { text: marked.replace("[[", "").replace("]]", ""), span, language }
    };
    text.lines().map(turn).collect()
}

#[derive(Default)]
struct Counts {
    standing: f64,
    found: f64,
    spans: f64,
    once: f64,
    wrong: f64,
}

fn count(turns: &[Turn]) -> Counts {
    let mut counts = Counts::default();
    for turn in turns {
        let rules = promoted(&turn.text);
        match &turn.span {
            Some(span) => {
                counts.standing += 1.0;
                counts.found += f64::from(u8::from(!rules.is_empty()));
                let whole = span.trim_matches([' ', '.']);
                counts.spans += f64::from(u8::from(rules.iter().any(|rule| rule.contains(whole))));
            }
            None => {
                counts.once += 1.0;
                counts.wrong += f64::from(u8::from(!rules.is_empty()));
            }
        }
    }
    counts
}

fn say(name: &str, counts: &Counts) -> (f64, f64, f64) {
    let (found, spans, wrong) = (counts.found / counts.standing, counts.spans / counts.standing, counts.wrong / counts.once);
    println!("{name}: {found:.3} of {} directives, {spans:.3} with the whole span; {wrong:.3} of {} others", counts.standing, counts.once);
    (found, spans, wrong)
}

#[test]
fn own_turns_are_told_apart() {
    let all = own();
    for language in ["en", "de", "fr", "es", "pt", "zh", "ja", "ko"] {
        let some: Vec<Turn> = own().into_iter().filter(|turn| turn.language == language).collect();
        let (found, _, _) = say(language, &count(&some));
        assert!(some.len() >= 30 && found >= 0.5, "{language}");
    }
    let (found, spans, wrong) = say("own turns", &count(&all));
    assert!(found >= 0.8 && spans >= 0.8 && wrong <= 0.1, "{found} {spans} {wrong}");
}

#[test]
fn given_turns_are_told_apart() {
    let Ok(folder) = std::env::var("STANDFAST_DATA") else {
        println!("skipped: STANDFAST_DATA is not set");
        return;
    };
    let text = std::fs::read_to_string(format!("{folder}/directives.jsonl")).unwrap();
    let turn = |line: &str| {
        let row: Value = serde_json::from_str(line).unwrap();
        let span = row["standing"].as_bool().unwrap().then(|| row["span"].as_str().unwrap().to_owned());
        Turn { text: row["text"].as_str().unwrap().to_owned(), span, language: row["lang"].as_str().unwrap().to_owned() }
    };
    let all: Vec<Turn> = text.lines().map(turn).collect();
    let (found, spans, wrong) = say("given turns", &count(&all));
    assert!(found >= 0.85 && spans >= 0.8 && wrong <= 0.08, "{found} {spans} {wrong}");
}

#[test]
fn plain_remarks_are_no_rules() {
    for remark in [
        "Rotation is done, thanks for counting rather than showing.",
        "Approved for 742.10, it is in the system. Carry on with the rest of the batch.",
        "New day, same order please.",
        "Thanks, that is all for today.",
        "Yes, go ahead.",
        "Looks good to me, ship it.",
        "Delete the old logs.",
        "Two lines are enough, I have a call in five minutes.",
        "Guten Morgen. Wie gestern, bitte.",
        "C'est fait, merci.",
        "好的，发吧。",
        "네, 보내세요.",
    ] {
        assert_eq!(promoted(remark), [""; 0], "{remark}");
    }
}

#[test]
fn only_a_user_who_speaks_gives_directives() {
    let wish = "We clean up the bucket today. Before you delete anything, show me the list. Start with the logs.";
    let said = |message: Value| {
        let mut guard = Guard::new(Policy::for_window(100_000), None).unwrap();
        let options = ObserveOptions::default();
        for first in [json!({"role": "user", "content": "Hello."}), message] {
            guard.observe(&first, &options).unwrap();
        }
        guard.rules().len()
    };
    assert_eq!(said(json!({"role": "user", "content": wish})), 1);
    assert_eq!(said(json!({"role": "assistant", "content": wish})), 0);
    // a late system message is heard like a user, but it may be anybody's text
    assert_eq!(said(json!({"role": "system", "content": wish})), 0);
    assert_eq!(said(json!({"role": "user", "content": format!("Look at this.\n\n> {wish}")})), 0);
    assert_eq!(said(json!({"role": "user", "content": format!("<document>\n{wish}\n</document>\nWhat do you think?")})), 0);
}

#[test]
fn hazards_in_documents_are_held() {
    let mut guard = Guard::new(Policy::for_window(100_000), None).unwrap();
    let chart = "# Chart\n\n- Severe allergy to penicillin.\n- Lives with her sister.";
    let calls = json!([{"id": "c1", "type": "function", "function": {"name": "chart", "arguments": "{}"}}]);
    guard.observe(&json!({"role": "user", "content": "Read the chart."}), &ObserveOptions::default()).unwrap();
    guard.observe(&json!({"role": "assistant", "content": null, "tool_calls": calls}), &ObserveOptions::default()).unwrap();
    let seen = guard.observe(&json!({"role": "tool", "tool_call_id": "c1", "content": chart}), &ObserveOptions::default()).unwrap();
    assert_eq!((seen.held, guard.rules().len()), (1, 0));
    assert!(guard.held().iter().any(|held| held.text.contains("penicillin")));
}
