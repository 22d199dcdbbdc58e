//! Real compactions and real digests are audited where they are at hand: set STANDFAST_DATA to the folder that holds them.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a test reads files and fails loudly"
)]

use std::path::PathBuf;
use std::time::Instant;

use serde_json::{Value, json};
use standfast::{AuditReport, ClaimFault, FateKind, Role, audit, audit_compaction};

fn text(name: &str) -> Option<String> {
    let Some(folder) = std::env::var_os("STANDFAST_DATA") else {
        println!("skipped: STANDFAST_DATA is not set");
        return None;
    };
    Some(std::fs::read_to_string(PathBuf::from(folder).join(name)).unwrap())
}

fn data(name: &str) -> Option<Value> {
    text(name).map(|text| serde_json::from_str(&text).unwrap())
}

fn rows(name: &str) -> Option<Vec<Value>> {
    text(name).map(|text| text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn word<'a>(row: &'a Value, field: &str) -> &'a str {
    row[field].as_str().unwrap_or_default()
}

#[track_caller]
fn audited(before: &Value, after: &Value) -> AuditReport {
    let report = audit_compaction(before, after, None).unwrap();
    let length = before.get("messages").unwrap_or(before).as_array().unwrap().len();
    let spans = [&report.coverage.kept, &report.coverage.changed, &report.coverage.gone].into_iter().flatten();
    assert_eq!(spans.map(|(first, last)| (last + 1 - first) as usize).sum::<usize>(), length);
    report
}

#[test]
fn the_compactions_of_a_recorded_session() {
    for (name, kept, new) in [("agentic", &[(30, 31)][..], 1), ("basic", &[(5, 6), (9, 10), (21, 22), (29, 31)][..], 4)] {
        let Some(session) = data("trajectories/cline-session.messages.json") else { return };
        let compacted = data(&format!("trajectories/cline-{name}.compaction.json")).unwrap();
        let report = audited(&session, &compacted);
        println!("{name}\n{report}");
        assert!(report.ok && report.counts.rules == 5 && report.counts.tokens_after * 5 < report.counts.tokens_before);
        assert!(report.fates.iter().all(|fate| fate.survives == [Role::System]));
        assert_eq!((report.coverage.kept.as_slice(), report.coverage.new.len()), (kept, new));
        // the same with the prompt forgotten: every rule of it is missed
        let bare = audited(&session, &compacted["messages"]);
        assert!(!bare.ok && bare.fates.iter().all(|fate| !fate.kept), "{bare}");
    }
}

#[test]
fn recorded_transcripts_lose_nothing_by_themselves_and_their_rules_when_cut() {
    for (name, field) in [
        ("openhands-llmlog-sonnet4.json", Some("messages")),
        ("openhands-llmlog-deepseek-nonfncall.json", Some("messages")),
        ("openhands-fncall-message.json", None),
        ("openhands-nonfncall-message.json", None),
        ("mini-swe-github_issue.traj.json", None),
        ("swe-marshmallow-text.traj", Some("history")),
    ] {
        let Some(data) = data(&format!("trajectories/{name}")) else { return };
        let list = field.map_or(&data, |field| &data[field]);
        let start = Instant::now();
        let whole = audited(list, list);
        assert!(whole.ok && whole.coverage.gone.is_empty(), "{name}: {whole}");
        let messages = list.as_array().unwrap();
        let tail = Value::Array(messages.iter().skip(messages.len() / 2).cloned().collect());
        let cut = audited(list, &tail);
        println!(
            "{name}: {} messages, {} of {} rules left, {:?}",
            messages.len(),
            cut.counts.rules_kept,
            cut.counts.rules,
            start.elapsed()
        );
        assert!(cut.claims.is_empty() && cut.coverage.new.is_empty(), "{name}: {cut}");
        for fate in &cut.fates {
            assert!(fate.kept || fate.found.unwrap().index.unwrap() < u32::try_from(messages.len() / 2).unwrap(), "{name}: {}", fate.rule);
        }
    }
}

#[test]
fn real_digests_have_the_fate_that_the_single_audit_finds() {
    let Some(digests) = rows("summaries/digests.jsonl") else { return };
    let (mut lost, mut certified, mut intact, mut recognized) = (0, 0, 0, 0);
    for row in &digests {
        let (rule, digest) = (word(row, "rule"), word(row, "summary"));
        let before = json!([{"role": "user", "content": rule}, {"role": "assistant", "content": "Noted."}]);
        let report = audit_compaction(&before, &json!([{"role": "user", "content": digest}]), Some(&[rule.to_owned()])).unwrap();
        let (fate, single) = (&report.fates[0], &audit(&[rule], digest)[0]);
        let certain = single.kind <= FateKind::Paraphrased;
        assert_eq!((fate.kept, fate.kind <= FateKind::Paraphrased), (certain, certain), "{}: {fate:?} {single:?}", word(row, "id"));
        assert_eq!((report.coverage.gone.as_slice(), report.coverage.new.len()), (&[(0, 1)][..], 1));
        let gone = matches!(word(row, "label"), "D" | "X");
        lost += usize::from(gone);
        certified += usize::from(gone && fate.kept);
        intact += usize::from(word(row, "label") == "W");
        recognized += usize::from(word(row, "label") == "W" && fate.kept);
    }
    println!("{} digests: {certified} of {lost} lost rules certified, {recognized} of {intact} intact ones recognized", digests.len());
    assert!(certified * 50 <= lost && recognized * 2 >= intact);
}

#[test]
fn no_summary_that_hurt_a_rule_is_ok() {
    let Some(cases) = rows("summaries/cases.jsonl") else { return };
    let rules = rows("summaries/rules.jsonl").unwrap();
    let (mut counts, mut forged) = ([[0; 2]; 2], 0);
    for row in &cases {
        let rule = word(rules.iter().find(|rule| rule["id"] == row["rule_id"]).unwrap(), "text");
        let report =
            audit_compaction(&json!([{"role": "system", "content": rule}]), &json!(word(row, "summary")), Some(&[rule.to_owned()]));
        let report = report.unwrap();
        let good = matches!(word(row, "label"), "preserved" | "paraphrased");
        counts[usize::from(good)][usize::from(report.ok)] += 1;
        forged += report.claims.iter().filter(|claim| claim.fault == ClaimFault::Forged).count();
    }
    let [[hurt, missed], [alarms, fine]] = counts;
    println!("{} summaries: {missed} of {} that hurt are ok, {fine} of {} faithful ones", cases.len(), hurt + missed, alarms + fine);
    assert!(missed * 200 <= hurt && fine > alarms && forged == 0);
}
