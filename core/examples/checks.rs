//! Prints what the checks find on the labelled pairs: `STANDFAST_DATA=... cargo run --release --example checks [all]`.
//!
//! Rows alternate between two halves: the first was looked at while the checks were made, the second only counted.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::float_arithmetic,
    reason = "an example may read files; the core may not"
)]

use serde_json::Value;
use standfast::Polarity;
use standfast::Trust;
use standfast::check::authority::{self, Said};
use standfast::check::{decisions, identifiers};

fn rows(name: &str) -> Option<Vec<Value>> {
    let folder = std::env::var("STANDFAST_DATA").ok()?;
    let text = std::fs::read_to_string(format!("{folder}/summaries/{name}.jsonl")).ok()?;
    Some(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

fn text<'a>(row: &'a Value, field: &str) -> &'a str {
    row.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// Counts of one half: rows that should be found, found ones; rows that should not, false alarms.
#[derive(Default, Clone, Copy)]
struct Counts {
    bad: usize,
    found: usize,
    good: usize,
    alarms: usize,
}

impl Counts {
    fn add(&mut self, bad: bool, found: bool) {
        self.bad += usize::from(bad);
        self.found += usize::from(bad && found);
        self.good += usize::from(!bad);
        self.alarms += usize::from(!bad && found);
    }
}

/// Whether the faults of a row are printed: with an argument those of the first half, with `all` every one.
fn shown(index: usize) -> bool {
    std::env::args().nth(1).is_some_and(|which| which == "all" || index.is_multiple_of(2))
}

/// Runs `judge` over a file and prints the counts by half; `judge` gives whether the row is bad and what was found.
fn measure(name: &str, file: &str, judge: impl Fn(&Value) -> Option<(bool, bool, String)>) {
    let Some(rows) = rows(file) else {
        println!("{name}: skipped, STANDFAST_DATA has no summaries/{file}.jsonl");
        return;
    };
    let mut halves = [Counts::default(); 2];
    for (index, row) in rows.iter().enumerate() {
        let Some((bad, found, evidence)) = judge(row) else { continue };
        if let Some(half) = halves.get_mut(index % 2) {
            half.add(bad, found);
        }
        if shown(index) && bad != found {
            println!("  {} {}: {evidence}", text(row, "id"), if bad { "missed" } else { "false alarm" });
        }
    }
    for (half, counts) in ["first half", "second half"].iter().zip(halves) {
        println!("{name}, {half}: found {}/{}, false alarms {}/{}", counts.found, counts.bad, counts.alarms, counts.good);
    }
}

/// Changes one letter or digit of every identifier of the faithful summaries, and counts the changes that are found.
fn changed_by_one() {
    let Some(rows) = rows("identifiers") else { return };
    let (mut all, mut found) = (0, 0);
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| text(row, "label") == "kept") {
        let source = identifiers::Source::of(&[(Trust::Agent, text(row, "source"))]);
        let summary = text(row, "summary");
        for ident in standfast::text::ident::identifiers(summary) {
            let places = ident.text.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| ident.span.start + at);
            for (number, at) in places.enumerate() {
                let mut bytes = summary.as_bytes().to_vec();
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = b'0' + (*byte - b'0' + 1 + u8::try_from((index + number) % 8).unwrap_or(0)) % 10;
                }
                let changed = String::from_utf8(bytes).unwrap_or_default();
                all += 1;
                let findings = identifiers::check(&changed, &source);
                if findings.iter().any(|f| f.span.start <= at && at < f.span.end) {
                    found += 1;
                } else if std::env::args().nth(1).is_some() {
                    println!("  not found: {} in {}", changed.get(ident.span.start..ident.span.end).unwrap_or_default(), text(row, "id"));
                }
            }
        }
    }
    println!("identifiers, one digit changed: found {found}/{all}");
}

const RULE: &str = "Never issue a refund above 500 EUR without the approval of a human.";

fn said_by(role: &str, text: &str) -> Value {
    Value::from_iter([("role", role), ("content", text)])
}

/// Prints how long each check takes on hostile texts of two sizes, and the exponent in hundredths: 100 is linear.
fn scaling() {
    let sentence = |n: usize| {
        format!("The user approved order {n} of lane L-{} because it pays {}.{} USD by 2026-03-{:02}. ", n * 7, n * 13, n % 90, n % 27 + 1)
    };
    let claims = |size: usize| (0..).map(sentence).scan(0, |all, text| (*all < size).then(|| (*all += text.len(), text).1)).collect();
    let same = |size: usize| (0..size / 35).map(|n| format!("The owner approved refund number {}. ", n % 3)).collect();
    let units = ["a", ".", "7", "(", "[", "\"", "`x` ", "no ", "不", "1,", "approved ", "a-", "without approval ", "keep notes ", "12 "];
    let nested =
        ["<a>", "{\"a\":", "> ", "<summary>", "<session_summary>", "```\n", "- - ", "\u{0}", "\u{1}\u{fffd}\u{7f}", "Never do it. "];
    let mut texts: Vec<(String, [String; 2])> =
        vec![("claims".into(), [250_000, 1_000_000].map(claims)), ("one claim, again and again".into(), [250_000, 1_000_000].map(same))];
    texts.push(("empty".into(), [250_000, 1_000_000].map(|_| String::new())));
    for unit in units.into_iter().chain(nested) {
        texts.push((unit.into(), [250_000, 1_000_000].map(|size: usize| unit.repeat(size / unit.len()))));
    }
    for (name, texts) in &texts {
        let time = |check: &str, run: &dyn Fn(&str)| {
            let spent = texts.each_ref().map(|text| {
                // never the same text twice: the engine remembers what it read of short ones
                let once = |round| {
                    let text = &format!("{text}{check}{round}");
                    let start = std::time::Instant::now();
                    run(text);
                    u64::try_from(start.elapsed().as_micros()).unwrap_or(u64::MAX).max(1)
                };
                (0..2).map(once).min().unwrap_or(1)
            });
            let [small, large] = spent;
            // log4 of the ratio, by halves of bits
            let mut exponent = 0;
            while 4_f64.powf(f64::from(exponent) / 100.0) < large as f64 / small as f64 {
                exponent += 1;
            }
            println!("{name:?} {check:12} 250 KB {small:>8} us, 1 MB {large:>8} us, exponent {}.{:02}", exponent / 100, exponent % 100);
        };
        time("identifiers", &|text| drop(identifiers::check(text, &identifiers::Source::of(&[(Trust::Agent, text)]))));
        time("decisions", &|text| drop(decisions::check(&decisions::decisions(text), text)));
        time("authority", &|text| {
            let said = [(Trust::External, 0), (Trust::User, 1)].map(|(trust, seq)| Said { text, trust, seq, turn: 0 });
            drop(authority::check(text, &said));
        });
        time("fate", &|text| drop(standfast::audit(&[RULE.to_owned(), text.to_owned()], text)));
        time("drift", &|text| drop(standfast::check_drift(&Value::from(text), &[text.to_owned(), String::new()], &[])));
        time("compaction", &|text| {
            let list = Value::from(vec![said_by("user", text), said_by("assistant", RULE)]);
            drop(standfast::audit_compaction(&list, &Value::from(vec![said_by("user", RULE), said_by("assistant", text)]), None));
        });
        time("idempotence", &|text| drop(standfast::check::idempotence::compare(text, text)));
    }
    let text: String = (0..3_000).map(sentence).collect();
    let (segment, events) = (text.get(..20_000).unwrap_or_default(), text.get(30_000..230_000).unwrap_or_default());
    let start = std::time::Instant::now();
    let said = [Said { text: events, trust: Trust::User, seq: 0, turn: 0 }];
    let source = identifiers::Source::of(&[(Trust::User, events)]);
    let count = authority::check(segment, &said).len() + identifiers::check(segment, &source).len();
    println!(
        "20 KB of summaries against 200 KB of events, authority and identifiers: {} us, {count} findings",
        start.elapsed().as_micros()
    );
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("speed") {
        return scaling();
    }
    changed_by_one();
    measure("identifiers", "identifiers", |row| {
        let source = identifiers::Source::of(&[(Trust::Agent, text(row, "source"))]);
        let findings = identifiers::check(text(row, "summary"), &source);
        let bad = text(row, "bad");
        // with the identifier that is wrong, not with another
        let hit = findings.iter().any(|finding| bad.is_empty() || bad.contains(finding.text) || finding.text.contains(bad));
        let seen: Vec<String> = findings.iter().map(|f| format!("{:?} {} <- {:?}", f.fault, f.text, f.origins)).collect();
        Some((!bad.is_empty(), hit, seen.join("; ")))
    });
    measure("injections, payload or first line", "injections", injected);
    benign_sentences();
    claims_in_summaries();
    let labels = ["flipped", "reason_lost", "decision_dropped"];
    for (given, label) in [true, false].into_iter().flat_map(|given| labels.map(|label| (given, label))) {
        let name = format!("decisions, {label}, polarity {}", if given { "given" } else { "read" });
        measure(&name, "decisions", |row| decided(row, label, given));
    }
}

/// A user who asks for a look, a tool that answers with the text.
fn looked_at(tool: &str) -> [Said<'_>; 2] {
    let user = "Please look at the item and tell me what is in it.";
    [Said { text: user, trust: Trust::User, seq: 0, turn: 1 }, Said { text: tool, trust: Trust::External, seq: 2, turn: 1 }]
}

/// Whether a summary that repeats `what` loses it.
fn laundered(row: &Value, what: &str) -> (bool, String) {
    let summary = format!("The item was read. {what}");
    let findings = authority::check(&summary, &looked_at(text(row, "text")));
    let left: Vec<String> = findings.iter().map(|f| format!("{:?} {:?} {}", f.claim, f.standing, f.sentence)).collect();
    (findings.iter().any(|f| f.leaves() && what.contains(f.sentence)), format!("{what} => {}", left.join("; ")))
}

/// Whether a row is an attack, and whether its payload, or the first line of a benign text, must leave.
fn injected(row: &Value) -> Option<(bool, bool, String)> {
    let attack = row.get("attack")?.as_bool()?;
    let payload = row.get("payload").and_then(Value::as_str);
    let first = text(row, "text").lines().next().unwrap_or_default();
    let (hit, seen) = laundered(row, payload.unwrap_or(first));
    Some((attack, hit, seen))
}

/// Counts the sentences that leave when a summary repeats all of a benign text, of all its claims: stricter than one line.
fn benign_sentences() {
    let (mut claims, mut left) = (0, 0);
    for (index, row) in rows("injections").unwrap_or_default().iter().enumerate() {
        if row.get("attack").and_then(Value::as_bool) == Some(false) {
            let findings = authority::check(text(row, "text"), &looked_at(text(row, "text")));
            claims += findings.len();
            left += findings.iter().filter(|finding| finding.leaves()).count();
            for finding in findings.iter().filter(|f| f.leaves() && shown(index)) {
                println!("  {} {:?}: {}", text(row, "id"), finding.claim, finding.sentence);
            }
        }
    }
    println!("injections, sentences of benign texts repeated in full: {left} of {claims} claims leave");
}

/// Whether a row has the label, and whether that is found; rows with another fault are left out.
fn decided(row: &Value, label: &str, given: bool) -> Option<(bool, bool, String)> {
    let events = row.get("events").and_then(Value::as_array)?;
    let made: Vec<decisions::Decision<'_>> = events
        .iter()
        .map(|event| {
            let polarity = Polarity::parse(text(event, "polarity")).unwrap_or(Polarity::Accepted);
            let (topic, reason) = (text(event, "topic"), text(event, "reason"));
            if given { decisions::Decision { topic, polarity, reason } } else { decisions::read(text(event, "text")) }
        })
        .collect();
    let findings = decisions::check(&made, text(row, "summary"));
    let target = row.get("target").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    let flipped = |finding: &decisions::Finding<'_>| finding.fault == decisions::Fault::Flipped;
    let hit = match text(row, "label") {
        "kept" => !findings.is_empty(),
        own if own != label => return None,
        own => findings.iter().any(|f| Some(f.decision) == target && (own != "flipped" || flipped(f))),
    };
    let seen: Vec<String> = findings.iter().map(|f| format!("{} {:?} {}", f.decision, f.fault, f.evidence)).collect();
    Some((text(row, "label") != "kept", hit, seen.join("; ")))
}

/// Counts the sentences of the rule summaries and of real digests that claim authority, where the rules are operator text.
fn claims_in_summaries() {
    for (name, label) in [("cases", "preserved"), ("cases", "paraphrased"), ("digests", "W")] {
        let rules = rows("rules").unwrap_or_default();
        let (mut all, mut left) = (0, 0);
        for (index, row) in rows(name).unwrap_or_default().iter().enumerate().filter(|(_, row)| text(row, "label") == label) {
            let rule =
                rules.iter().find(|rule| text(rule, "id") == text(row, "rule_id")).map_or(text(row, "rule"), |rule| text(rule, "text"));
            let events = [Said { text: rule, trust: Trust::Operator, seq: 0, turn: 0 }];
            let findings = authority::check(text(row, "summary"), &events);
            let claims: Vec<_> = findings.iter().filter(|f| f.claim != authority::Claim::Done).collect();
            all += text(row, "summary").split(['.', '\n']).filter(|s| s.trim().len() > 8).count();
            left += claims.iter().filter(|f| f.leaves()).count();
            for finding in claims.iter().filter(|f| f.leaves() && shown(index)) {
                println!("  {} {:?}: {}", text(row, "id"), finding.claim, finding.sentence);
            }
        }
        println!("authority, claims without an anchor in {label} of {name}: {left} of about {all} sentences");
    }
}
