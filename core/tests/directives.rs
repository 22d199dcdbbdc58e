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

use serde_json::Value;
use standfast::item::Zone;
use standfast::text::pattern::Pattern;
use standfast::triage::spoken;

struct Turn {
    text: String,
    /// The directive in it.
    span: Option<String>,
    language: String,
}

/// What is read as standing in a turn of a user.
fn standing(text: &str) -> Vec<&str> {
    let own = spoken(text, &Pattern::published()).into_iter().filter(|found| found.zone == Zone::Own);
    own.map(|found| found.span.of(text)).collect()
}

/// Turns that were written before any error was looked at: every second one was not trained on.
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
        let rules = standing(&turn.text);
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
