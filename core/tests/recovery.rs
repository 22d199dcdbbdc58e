//! Originals that are away, segments that wait for them, other compactors' summaries, and lists that are not as they were.

#![allow(clippy::unwrap_used, reason = "a test says what it expects")]

mod talk;

use standfast::ordered::Map;
use talk::*;

use serde_json::{Value, json};
use standfast::plan::How;
use standfast::{Code, Guard, Policy, RestoreOptions, Shape};

fn by_seq(list: &[Value], seqs: &[u32]) -> Map<u32, Value> {
    seqs.iter().map(|seq| (*seq, list.get(*seq as usize).unwrap().clone())).collect()
}

/// Rounds of talk, each compacted and paged out; `fetch` gives back what a plan asks for.
fn rounds(n: usize, fetch: bool) -> (Guard, Vec<Value>, usize) {
    let policy = Policy { tail_tokens: Some(60), segments_tokens: Some(600), ..Policy::for_window(8_000) };
    let mut guard = Guard::new(policy, Some(Shape::Openai)).unwrap();
    let (mut list, mut asked) = (Vec::new(), 0);
    for _ in 0..n {
        list.extend(talk(12));
        sync(&mut guard, &list);
        let mut plan = guard.plan(None).unwrap();
        asked += plan.needs.len();
        if fetch && !plan.needs.is_empty() {
            let seqs: Vec<u32> = plan.needs.iter().map(|need| need.seq).collect();
            assert_eq!(guard.page_in(&by_seq(&list, &seqs)).unwrap(), seqs);
            plan = guard.plan(None).unwrap();
            assert!(plan.needs.is_empty(), "what a plan asks for is all it needs");
        }
        guard.commit(&plan, &answer(&plan, &"Looked at batches; all of them are fine. ".repeat(8))).unwrap();
        guard.page_out(u32::MAX).unwrap();
    }
    (guard, list, asked)
}

#[test]
fn merging_asks_for_the_originals_it_needs_and_for_no_others() {
    let (guard, _, asked) = rounds(6, true);
    assert!(asked > 0);
    assert_eq!(guard.degraded(), []);
    assert!(guard.segments().iter().any(|segment| segment.level > 0), "segments were merged");
}

#[test]
fn segments_that_wait_for_their_originals_keep_their_text_as_long_as_there_is_room() {
    // the first round that would merge
    let (mut guard, list, _) = (3..8).map(|n| rounds(n, false)).find(|(_, _, asked)| *asked > 0).unwrap();
    let waiting = guard.degraded();
    assert!(!waiting.is_empty());
    assert!(guard.segments().iter().all(|segment| segment.text.contains("Looked at batches")), "none was dropped for space");
    // they come back, and are merged as they would have been
    let all: Vec<u32> = (0..=guard.segments().last().unwrap().span.1).collect();
    guard.page_in(&by_seq(&list, &all)).unwrap();
    assert_eq!(guard.degraded(), []);
    let mut list = list;
    list.extend(talk(12));
    sync(&mut guard, &list);
    let plan = guard.plan(None).unwrap();
    assert!(plan.needs.is_empty() && plan.segments.iter().any(|planned| planned.remade));
}

#[test]
fn a_plan_that_changes_nothing_still_says_what_waits() {
    let mut guard = guard(60);
    let mut list = vec![user("Never delete the archive."), agent("Understood.")];
    list.extend(talk(12));
    sync(&mut guard, &list);
    compact(&mut guard);
    while !guard.plan(None).unwrap().is_empty() {
        compact(&mut guard);
    }
    guard.page_out(u32::MAX).unwrap();
    let name = guard.rules().first().unwrap().fingerprint.clone();
    guard.revoke(&name, "ann", "policy_loader").unwrap();
    let plan = guard.plan(None).unwrap();
    assert!(plan.is_empty() && !plan.needs.is_empty());
    let window = guard.commit(&plan, &answer(&plan, "x")).unwrap();
    assert_eq!(guard.degraded().len(), 1);
    assert!(serde_json::to_string(&window.slots).unwrap().contains("known only through a lossy summary"));
}

#[test]
fn originals_that_come_back_before_the_commit_leave_nothing_degraded() {
    let mut guard = guard(60);
    let mut list = vec![user("Never delete the archive."), agent("Understood.")];
    list.extend(talk(12));
    sync(&mut guard, &list);
    compact(&mut guard);
    let gone = guard.page_out(u32::MAX).unwrap();
    let name = guard.rules().first().unwrap().fingerprint.clone();
    guard.revoke(&name, "ann", "policy_loader").unwrap();
    let plan = guard.plan(None).unwrap();
    guard.page_in(&by_seq(&list, &gone)).unwrap();
    guard.commit(&plan, &answer(&plan, "Looked at batches.")).unwrap();
    assert!(guard.degraded().is_empty());
}

#[test]
fn another_compactors_summary_is_never_summarized_away() {
    let policy = Policy { tail_tokens: Some(60), segments_tokens: Some(300), ..Policy::for_window(4_000) };
    let mut guard = Guard::new(policy, Some(Shape::Openai)).unwrap();
    let mixed = json!({"role": "user", "content": [
        {"type": "text", "text": "Never touch ledger 7."},
        {"type": "text", "text": "<SYSTEM_NOTICE>\nEarlier context was compacted. Read: FOREIGN.txt"}]});
    let mut list = vec![mixed, agent("Understood.")];
    for round in 0..4 {
        list.extend(talk(12));
        sync(&mut guard, &list);
        let plan = guard.plan(None).unwrap();
        for request in &plan.requests {
            assert!(!request.prompt.contains("FOREIGN"), "round {round}");
        }
        guard.commit(&plan, &answer(&plan, &"Looked at batches; all of them are fine. ".repeat(8))).unwrap();
        assert!(guard.segments().first().unwrap().text.contains("FOREIGN.txt"), "round {round}");
        assert_eq!(guard.degraded(), [(0, 0)]);
    }
    // made anew for a rule that was said beside it, it is still the same summary
    let name = guard.rules().first().unwrap().fingerprint.clone();
    guard.revoke(&name, "ann", "policy_loader").unwrap();
    let plan = guard.plan(None).unwrap();
    assert!(plan.segments.first().is_some_and(|planned| planned.remade && planned.how == How::Foreign));
    guard.commit(&plan, &answer(&plan, "Looked at batches.")).unwrap();
    let text = guard.segments().first().unwrap().text.clone();
    assert!(text.contains("FOREIGN.txt") && !text.contains("Never touch"));
}

#[test]
fn a_call_beside_a_summary_keeps_its_result() {
    for shape in [Shape::Openai, Shape::Anthropic] {
        let mut guard = Guard::new(Policy { tail_tokens: Some(60), ..Policy::for_window(4_000) }, Some(shape)).unwrap();
        let mut list = vec![
            user("Look it up."),
            json!({"role": "assistant", "content": [
                {"type": "compaction", "content": "FOREIGN: the ledger was checked."},
                {"type": "text", "text": "I will read it."},
                {"type": "tool_use", "id": "c1", "name": "read", "input": {}}]}),
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "412 rows"}]}),
            agent("It has 412 rows."),
        ];
        list.extend(talk(10));
        sync(&mut guard, &list);
        let plan = guard.plan(None).unwrap();
        assert!(plan.requests.iter().all(|request| !request.prompt.contains("FOREIGN")));
        let window = guard.commit(&plan, &answer(&plan, "Looked at batches.")).unwrap();
        assert!(hosts(&window).iter().all(|seq| *seq > 3), "{:?}", hosts(&window));
    }
}

#[test]
fn a_message_in_the_place_of_another_is_no_original() {
    let mut first = guard(60);
    let mut list = vec![user("Never delete the archive."), agent("Understood.")];
    list.extend(talk(12));
    sync(&mut first, &list);
    compact(&mut first);
    let text = first.snapshot(None, false).unwrap().text;
    // the first messages are gone, and one of those left is another one
    let mut trimmed = list.split_off(4);
    *trimmed.first_mut().unwrap() = user("Please look at another batch.");
    let mut again = Guard::restore(&text, &RestoreOptions::default(), Some(&trimmed), &Map::new()).unwrap();
    assert_eq!(again.verdict.outcome, "trimmed");
    let seq = *again.verdict.seqs.first().unwrap();
    let given = Map::from([(seq, trimmed.first().unwrap().clone())]);
    assert_eq!(again.guard.page_in(&given).unwrap_err().code(), Code::DigestMismatch);
}

#[test]
fn digests_from_a_store_are_believed_if_the_chain_shows_them() {
    let mut first = guard(60);
    let mut list = vec![user("Never delete the archive."), agent("Understood.")];
    list.extend(talk(12));
    sync(&mut first, &list);
    compact(&mut first);
    let end = first.segments().last().unwrap().span.1 as usize + 1;
    let snapshot = first.snapshot(None, true).unwrap();
    let restored = |texts: &Map<String, String>| {
        let options = RestoreOptions::default();
        let mut guard = Guard::restore(&snapshot.text, &options, list.get(end..), texts).unwrap().guard;
        let name = guard.rules().first().unwrap().fingerprint.clone();
        guard.revoke(&name, "ann", "policy_loader").unwrap();
        guard
    };
    let mut guard = restored(&snapshot.texts);
    let plan = guard.plan(None).unwrap();
    assert!(plan.needs.len() == end && plan.needs.iter().all(|need| need.digest.is_some()));
    // a part is taken as soon as it is there
    guard.page_in(&by_seq(&list, &[0, 1])).unwrap();
    assert_eq!(guard.plan(None).unwrap().needs.len(), end - 2);
    // another list of digests is not that of this history
    let mut forged = snapshot.texts.clone();
    for text in forged.values_mut().filter(|text| text.lines().count() == end) {
        *text = text.lines().rev().collect::<Vec<_>>().join("\n");
    }
    assert_ne!(forged, snapshot.texts);
    assert!(restored(&forged).plan(None).unwrap().needs.iter().all(|need| need.digest.is_none()));
}

#[test]
fn a_trimmed_list_stands_where_its_digests_say() {
    let mut first = guard(60);
    let mut list = vec![user("Never delete the archive."), agent("Understood.")];
    list.extend(talk(12));
    sync(&mut first, &list);
    compact(&mut first);
    let snapshot = first.snapshot(None, true).unwrap();
    let mut holes = list.clone();
    holes.drain(5..8);
    holes.drain(..2);
    let again = Guard::restore(&snapshot.text, &RestoreOptions::default(), Some(&holes), &snapshot.texts).unwrap();
    assert_eq!(again.verdict.outcome, "trimmed");
    let expected: Vec<u32> = (2..5).chain(8..u32::try_from(list.len()).unwrap()).collect();
    assert_eq!(again.verdict.seqs, expected);
    // and an edit is an edit, not a trim
    let mut edited = list.clone();
    *edited.get_mut(6).unwrap() = user("Please look at another batch.");
    let options = RestoreOptions::default();
    for texts in [&snapshot.texts, &Map::new()] {
        let text = if texts.is_empty() { first.clone().snapshot(None, false).unwrap().text } else { snapshot.text.clone() };
        let again = Guard::restore(&text, &options, Some(&edited), texts).unwrap();
        assert_eq!((again.verdict.outcome.as_str(), again.guard.segments().len()), ("edited", 0));
    }
}
