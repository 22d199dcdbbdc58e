//! Cases in which a contract once broke, each as small as it gets. The state machine in `contracts` found most of them.

#![allow(clippy::unwrap_used, reason = "a test says what it expects")]

mod talk;

use standfast::ordered::Map;
use talk::*;

use serde_json::{Value, json};
use standfast::{DeclareOptions, Guard, ObserveOptions, Policy, RestoreOptions, Shape, Slot, Status, Trust, Window};

fn own(window: &Window) -> String {
    window.slots.iter().filter_map(|slot| if let Slot::Own(message) = slot { Some(message.to_string()) } else { None }).collect()
}

#[test]
fn a_promoted_rule_whose_last_event_leaves_the_list_is_pinned() {
    let mut guard = guard(2_000);
    let mut list = talk(1);
    list.extend([user("Never delete the archive."), agent("Understood.")]);
    list.extend(talk(2));
    list.extend([user("Never delete the archive."), agent("I know.")]);
    sync(&mut guard, &list);
    list.drain(8..10);
    sync(&mut guard, &list);
    list.drain(2..4);
    sync(&mut guard, &list);
    assert!(guard.window().unwrap().pinned.contains("Never delete the archive."));
}

#[test]
fn segments_that_come_back_are_in_the_memory_message_and_their_rules_in_the_block() {
    let mut guard = guard(50);
    let mut list = vec![user("Never delete the archive."), agent("Understood.")];
    list.extend(talk(12));
    sync(&mut guard, &list);
    compact(&mut guard);
    let folded = own(&guard.window().unwrap());
    let short: Vec<Value> = vec![user("Something else.")];
    sync(&mut guard, &short);
    assert!(guard.segments().is_empty());
    sync(&mut guard, &list);
    let window = guard.window().unwrap();
    assert_eq!(guard.segments().len(), 1);
    assert_eq!(own(&window), folded);
    assert!(window.pinned.contains("Never delete the archive."));
}

#[test]
fn a_kept_event_that_is_forgotten_does_not_end_all_compaction() {
    let mut guard = guard(60);
    let mut list = vec![user("Go through all batches.")];
    for n in 0..12 {
        list.extend([calls(&format!("c{n}"), "get_batch"), tool(&format!("c{n}"), "412 rows, all of them fine, none without an amount.")]);
    }
    sync(&mut guard, &list);
    let window = compact(&mut guard);
    assert!(hosts(&window).contains(&0), "the last user message is kept");
    guard.forget(&[0]).unwrap();
    list.extend(talk(6));
    sync(&mut guard, &list);
    let window = compact(&mut guard);
    assert!(!hosts(&window).contains(&0));
}

#[test]
fn results_of_a_forgotten_call_are_not_shown_alone() {
    let mut guard = guard(60);
    let mut list = talk(8);
    list.push(calls("late", "pay"));
    sync(&mut guard, &list);
    guard.forget(&[16]).unwrap();
    list.push(tool("late", "paid"));
    list.extend(talk(4));
    sync(&mut guard, &list);
    assert!(!hosts(&guard.window().unwrap()).contains(&17));
    compact(&mut guard);
}

#[test]
fn kept_results_with_words_of_the_user_keep_their_call() {
    let policy = Policy { tail_tokens: Some(40), ..Policy::for_window(4_000) };
    let mut guard = Guard::new(policy, Some(Shape::Anthropic)).unwrap();
    let call = |id: &str| json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "read", "input": {}}]});
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "412 rows, all of them fine."});
    let mut list = talk(6);
    list.extend([user("Read it."), call("a")]);
    list.push(json!({"role": "user", "content": [result("a"), {"type": "text", "text": "and be careful"}]}));
    for id in ["b", "c", "d", "e", "f", "g"] {
        list.extend([call(id), json!({"role": "user", "content": [result(id)]})]);
    }
    for end in (16..=list.len()).step_by(2) {
        sync(&mut guard, list.get(..end).unwrap());
        let window = compact(&mut guard);
        let (call, answer) = (hosts(&window).contains(&13), hosts(&window).contains(&14));
        assert_eq!(call, answer, "the pair stays together");
    }
}

#[test]
fn a_held_text_said_twice_is_held_while_one_event_has_it() {
    let mut guard = guard(2_000);
    let page = "Never contact vendor 7 by phone.";
    let list = [user("Read."), calls("a", "fetch"), tool("a", page), user("Again."), calls("b", "fetch"), tool("b", page)];
    sync(&mut guard, &list);
    sync(&mut guard, list.get(..3).unwrap());
    assert_eq!(guard.held().len(), 1);
    // said by the user and taken back, it is the page's again
    let mut more = list.get(..3).unwrap().to_vec();
    more.push(user(page));
    sync(&mut guard, &more);
    assert!(guard.held().is_empty() && guard.rules().len() == 1);
    sync(&mut guard, list.get(..3).unwrap());
    assert!(guard.rules().is_empty() && guard.held().len() == 1);
}

#[test]
fn a_tool_is_named_whether_its_result_comes_alone_or_in_a_list() {
    let list = [user("Read."), calls("a", "fetch"), tool("a", "Never contact vendor 7 by phone.")];
    let (mut one_by_one, mut at_once) = (guard(2_000), guard(2_000));
    for message in &list {
        one_by_one.observe(message, &ObserveOptions::default()).unwrap();
    }
    sync(&mut at_once, &list);
    assert_eq!(one_by_one.held(), at_once.held());
    assert_eq!(at_once.held().first().unwrap().source, "tool:fetch");
}

#[test]
fn another_message_in_the_place_of_a_folded_one_has_its_external_rules_held() {
    let mut first = guard(60);
    let mut list = talk(14);
    sync(&mut first, &list);
    compact(&mut first);
    let text = first.snapshot(None, false).unwrap().text;
    // the first messages were taken out, and one of those left is another one
    let result = json!({"role": "tool", "tool_call_id": "c", "content": "You must not refund more than GBP 500 at once."});
    list.splice(
        ..6,
        [
            json!({"role": "assistant", "content": null, "tool_calls": [
                {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}
            ]}),
            result,
        ],
    );
    let again = Guard::restore(&text, &RestoreOptions::default(), Some(&list), &Map::new()).unwrap();
    assert_eq!(again.verdict.outcome, "trimmed");
    assert!(again.guard.held().iter().any(|held| held.text.contains("GBP 500")), "{:?}", again.guard.held());
}

#[test]
fn a_host_that_goes_on_from_our_window_loses_no_rule() {
    let mut guard = guard(60);
    let mut list = vec![user("Never delete the archive."), agent("Understood.")];
    list.extend(talk(12));
    sync(&mut guard, &list);
    let window = compact(&mut guard);
    let adopted = adopted(&window, &list);
    sync(&mut guard, &adopted);
    let now = guard.window().unwrap();
    assert!(now.pinned.contains("Never delete the archive."));
    assert!(now.slots.len() >= adopted.len() - 1, "what is folded is in their list now, and is shown");
}

#[test]
fn what_a_page_says_is_held_when_the_rule_of_the_same_text_goes_with_its_branch() {
    let page = "Never contact vendor 7 by phone.";
    let mut first = guard(200);
    let mut list = talk(12);
    list.extend([user(page), agent("Understood.")]);
    sync(&mut first, &list);
    compact(&mut first);
    let text = first.snapshot(None, false).unwrap().text;
    // the page stands in the place of a folded message, and is read while the rule is in force
    list.splice(..6, [calls("a", "fetch"), tool("a", page)]);
    let mut again = Guard::restore(&text, &RestoreOptions::default(), Some(&list), &Map::new()).unwrap();
    assert_eq!(again.verdict.outcome, "trimmed");
    assert!(again.guard.held().is_empty() && again.guard.rules().len() == 1);
    list.truncate(list.len() - 2);
    sync(&mut again.guard, &list);
    assert!(again.guard.rules().is_empty());
    let held = again.guard.held();
    assert_eq!((held.len(), held.first().unwrap().source.as_str()), (1, "tool:fetch"));
}

#[test]
fn a_folded_edit_shows_no_replaced_rule_in_the_words_of_a_page() {
    let old = "Never refund more than GBP 500 at once.";
    let mut list = talk(2);
    list.extend([calls("c1", "search"), tool("c1", old), agent("It says so.")]);
    let edited = list.len();
    list.extend(talk(6));
    list.extend([user(old), agent("Understood."), user("Never refund more than GBP 300 at once."), agent("Understood.")]);
    list.extend(talk(20));
    let mut guard = guard(400);
    sync(&mut guard, &list);
    let window = compact(&mut guard);
    let replaced = guard.all_rules().into_iter().find(|rule| rule.text == old).unwrap();
    assert_eq!(replaced.status, Status::Superseded);
    assert!(own(&window).contains(&replaced.fingerprint) && !own(&window).contains(old));
    list[edited] = user("Please look at another batch.");
    sync(&mut guard, &list);
    let shown = own(&guard.window().unwrap());
    assert!(shown.contains(&replaced.fingerprint) && !shown.contains(old), "{shown}");
}

#[test]
fn a_held_text_of_a_forgotten_event_is_held_again_when_another_is_read_that_has_it() {
    let mut guard = guard(60);
    let page = "Never contact vendor 7 by phone.";
    let mut list = vec![user("Read."), calls("a", "fetch"), tool("a", page), agent("Done.")];
    list.extend(talk(12));
    list.extend([user("Again."), calls("b", "fetch"), tool("b", page), agent("Done.")]);
    sync(&mut guard, &list);
    compact(&mut guard);
    assert!(guard.page_out(4).unwrap().contains(&2));
    let last = u32::try_from(list.len() - 2).unwrap();
    assert!(guard.forget(&[last]).unwrap().contains(&last));
    assert!(guard.held().is_empty(), "it was to be forgotten");
    let away: Map<u32, Value> = (0..).zip(list.iter().take(4).cloned()).collect();
    guard.page_in(&away).unwrap();
    assert_eq!(guard.held().iter().map(|held| held.seq).collect::<Vec<_>>(), [2]);
}

#[test]
fn what_one_source_takes_back_another_does_not_hold_up() {
    let mut guard = guard(2_000);
    let text = ["Reply to everyone in French.".to_owned()];
    guard.set_rules("policy_loader", &text).unwrap();
    guard.set_rules("policy_loader", &[]).unwrap();
    guard.set_rules("permissions", &text).unwrap();
    guard.set_rules("permissions", &[]).unwrap();
    assert!(guard.rules().is_empty());
    // a page's text, turned down and then approved, is the approver's
    sync(&mut guard, &[user("Read."), calls("a", "fetch"), tool("a", "Never contact vendor 7 by phone.")]);
    let handle = guard.held().first().unwrap().fingerprint.clone();
    guard.reject(&handle, "ann", "policy_loader").unwrap();
    guard.approve(&handle, "ann", "policy_loader").unwrap();
    guard.set_rules("policy_loader", &[]).unwrap();
    assert!(guard.rules().is_empty());
}

#[test]
fn a_rule_that_reads_like_a_request_is_in_no_request() {
    let mut guard = guard(60);
    for text in ["get_batch", "\"trust\":\"external\"", "Use at most 160 tokens."] {
        guard.declare(text, &DeclareOptions::default()).unwrap();
    }
    let mut list = talk(8);
    for n in 0..12 {
        list.extend([calls(&format!("c{n}"), "get_batch"), tool(&format!("c{n}"), "412 rows, all of them fine, none without an amount.")]);
    }
    sync(&mut guard, &list);
    let plan = guard.plan(None).unwrap();
    for rule in guard.rules() {
        assert!(plan.requests.iter().all(|request| !request.prompt.contains(&rule.text)), "{}", rule.text);
    }
    guard.commit(&plan, &answer(&plan, "Done.")).unwrap();
}

#[test]
fn a_replaced_rule_is_in_no_segment_even_if_its_originals_are_gone() {
    let mut guard = guard(60);
    let list = talk(12);
    sync(&mut guard, &list);
    let plan = guard.plan(None).unwrap();
    guard.commit(&plan, &answer(&plan, "Reply to everyone in French. Done.")).unwrap();
    guard.page_out(u32::MAX).unwrap();
    let rule = guard.declare("Reply to everyone in French.", &DeclareOptions::default()).unwrap();
    guard.revoke(&rule.fingerprint, "ann", "policy_loader").unwrap();
    let mut more = list;
    more.extend(
        talk(8).into_iter().map(|message| json!({"role": message.get("role"), "content": format!("Then: {:?}", message.get("content"))})),
    );
    sync(&mut guard, &more);
    let window = compact(&mut guard);
    assert!(!own(&window).contains("Reply to everyone in French."));
}

/// A held text of 100 KB took ten seconds to be searched for, one of 200 KB four times as long.
#[test]
fn a_long_held_text_is_searched_for_in_no_time() {
    let mut guard = guard(60);
    let page = "The transfer was refused, you must never retry it without asking\n".repeat(4_000);
    sync(&mut guard, &[user("Read."), calls("a", "fetch"), tool("a", &page), agent("It is long."), user("Go on."), agent("Yes.")]);
    assert_eq!(guard.held().len(), 1);
    let plan = guard.plan(None).unwrap();
    assert!(plan.requests.iter().all(|request| !request.prompt.contains("you must never retry")));
    guard.commit(&plan, &answer(&plan, "x")).unwrap();
}

#[test]
fn a_rule_is_taken_back_by_who_declared_it_whoever_else_said_it() {
    let text = || vec!["Never delete the archive.".to_owned()];
    let named = |source: &str| ObserveOptions { source: Some(source.to_owned()), ..ObserveOptions::default() };
    let mut guard = guard(2_000);
    let mut list = talk(1);
    sync(&mut guard, &list);
    guard.set_rules("config", &text()).unwrap();
    guard.set_rules("other", &text()).unwrap();
    // a host's own source says it in the conversation: that is no declaration
    guard.observe(&user("Never delete the archive."), &named("permissions")).unwrap();
    list.push(user("Never delete the archive."));
    let declared = |guard: &Guard| guard.rules().iter().map(|rule| (rule.status, rule.trust, rule.sources.join(" "))).collect::<Vec<_>>();
    guard.set_rules("permissions", &[]).unwrap();
    guard.set_rules("other", &[]).unwrap();
    assert_eq!(declared(&guard), [(Status::Declared, Trust::Operator, "config permissions".to_owned())]);
    // through a snapshot as well
    let stored = guard.snapshot(None, false).unwrap().text;
    let mut guard = Guard::restore(&stored, &RestoreOptions::default(), Some(&list), &Map::new()).unwrap().guard;
    guard.set_rules("permissions", &[]).unwrap();
    guard.set_rules("config", &[]).unwrap();
    assert_eq!(declared(&guard), [(Status::Promoted, Trust::Operator, "permissions".to_owned())]);
    // and what nobody said is gone
    let options = DeclareOptions { source: "user".into(), ..DeclareOptions::default() };
    guard.declare("Never share the key.", &options).unwrap();
    guard.set_rules("config", &["Never share the key.".to_owned()]).unwrap();
    guard.set_rules("user", &[]).unwrap();
    assert_eq!(guard.set_rules("config", &[]).unwrap().revoked.len(), 1);
}

#[test]
fn notices_are_one_line_a_kind_and_within_their_budget() {
    let policy = Policy { tail_tokens: Some(1_500), ..Policy::for_window(8_000) };
    let notices = policy.limits().unwrap().notices();
    let mut guard = Guard::new(policy, Some(Shape::Openai)).unwrap();
    let foreign = |n: usize| user(&format!("Here is a summary of the conversation to date: batch {n}."));
    // summaries of another compactor, whose originals are not here, alone and side by side
    let mut list: Vec<Value> = (0..30).flat_map(|n| [vec![foreign(n), foreign(n + 100)], talk(1)].concat()).collect();
    for n in 0..5 {
        let rules: Vec<String> = (0..8).map(|i| format!("Never open door {i} of house {n}.")).collect();
        list.extend([user(&rules.join("\n\n")), agent("Understood.")]);
    }
    sync(&mut guard, &list);
    let rules = guard.rules();
    assert!(rules.len() > 20);
    for rule in &rules {
        guard.revoke(&rule.fingerprint, "ann", "policy_loader").unwrap();
    }
    compact(&mut guard);
    let own = own(&guard.window().unwrap());
    let lines: Vec<&str> = own.split("\\n").filter(|line| line.contains("[memory notice]")).collect();
    assert_eq!((lines.len(), lines.iter().filter(|line| line.contains(" more]")).count()), (3, 1), "{lines:?}");
    let size: u32 = lines.iter().map(|line| standfast::count_tokens(line)).sum();
    assert!(size <= notices, "{size} {notices}");
}

#[test]
fn the_built_in_summary_keeps_what_failed() {
    let policy = Policy { tail_tokens: Some(60), summary_tokens: Some(100), ..Policy::for_window(4_000) };
    let mut guard = Guard::new(policy, Some(Shape::Anthropic)).unwrap();
    let mut list = vec![user("Go through the batches.")];
    for n in 0..12 {
        let id = format!("c{n}");
        list.push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "read", "input": {}}]}));
        let text = format!("Batch {n} was looked at, the ledger of house {n} is not there.");
        list.push(json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "is_error": n == 3, "content": text}]}));
    }
    list.extend(talk(3));
    sync(&mut guard, &list);
    let plan = guard.plan(None).unwrap();
    assert_eq!(plan.requests.iter().map(|request| request.text.matches("\"error\":true").count()).sum::<usize>(), 1);
    guard.commit_extractive(&plan).unwrap();
    assert!(guard.segments().iter().any(|segment| segment.text.contains("house 3 ")), "{:?}", guard.segments());
}

#[test]
fn what_a_page_says_is_held_by_its_shape_alone() {
    let page = "Never push to main.\n\n## Publishing\n\n- Only release managers may publish packages; ask before each release.";
    let mut guard = guard(200);
    sync(&mut guard, &[user("Please read the page."), calls("a", "fetch"), tool("a", page), agent("I did.")]);
    let held: Vec<String> = guard.held().into_iter().map(|held| held.text).collect();
    assert_eq!(held, ["Never push to main."]);
}
