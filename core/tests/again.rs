//! What comes back: lists that are read again, snapshots, pages, place-holders.

#![allow(clippy::unwrap_used, reason = "a test says what it expects")]

mod talk;

use standfast::ordered::Map;
use talk::*;

use serde_json::{Value, json};
use standfast::{Code, Guard, RestoreOptions};

#[test]
fn a_snapshot_carries_the_newest_held_texts_and_the_others_come_back_with_their_events() {
    let mut guard = guard(2_000);
    let page = |n: usize| (0..40).map(|i| format!("Never contact vendor {n}-{i} by phone.\n\n")).collect::<String>();
    let mut list = talk(1);
    for n in 0..6 {
        let id = format!("c{n}");
        list.extend([user("Read."), calls(&id, "fetch"), tool(&id, &page(n))]);
    }
    list.extend([tool("c0", "Never contact vendor 0-0 by phone."), user(&format!("> {}", "Never pay vendor 9. ".repeat(900)))]);
    sync(&mut guard, &list);
    compact(&mut guard);
    let held = guard.held();
    assert!(held.len() > 240);
    let (inline, detached) = (guard.snapshot(None, false).unwrap(), guard.snapshot(None, true).unwrap());
    assert!(inline.text.len() < 24_000 && detached.text.len() < 16_000, "{} {}", inline.text.len(), detached.text.len());
    let mut needed = Guard::texts_needed(&detached.text).unwrap();
    needed.sort();
    assert!(needed.iter().eq(detached.texts.keys()));
    for snapshot in [inline, detached] {
        let restored = |list: Option<&[Value]>| Guard::restore(&snapshot.text, &RestoreOptions::default(), list, &snapshot.texts).unwrap();
        // without the list they are counted, and the receipt says so
        let counted = restored(None);
        assert!(counted.verdict.flags.contains(&"held_counted".to_owned()) && counted.guard.held().len() <= 64);
        let whole = restored(Some(&list));
        assert!(whole.verdict.flags.is_empty(), "{:?}", whole.verdict.flags);
        assert_eq!(whole.guard.held(), held);
        assert_eq!(whole.guard.window().unwrap().receipt.undeclared, guard.window().unwrap().receipt.undeclared);
        let trimmed = restored(Some(list.get(8..).unwrap()));
        let window = trimmed.guard.window().unwrap();
        assert_eq!(window.receipt.rules.held as usize, held.len());
        assert!(window.receipt.findings.iter().any(|finding| finding.kind == "held_counted"));
    }
}

#[test]
fn paging_out_takes_what_is_folded_and_here_and_nothing_twice() {
    let mut guard = guard(60);
    let mut list = talk(12);
    sync(&mut guard, &list);
    compact(&mut guard);
    let first = guard.page_out(8).unwrap();
    assert_eq!(first, (0..8).collect::<Vec<u32>>());
    let rest = guard.page_out(u32::MAX).unwrap();
    assert!(rest.first() == Some(&8) && guard.page_out(u32::MAX).unwrap().is_empty());
    let back: Map<u32, Value> = [3, 4].into_iter().map(|seq| (seq, list.get(seq as usize).unwrap().clone())).collect();
    guard.page_in(&back).unwrap();
    list.remove(3);
    sync(&mut guard, &list);
    assert_eq!(guard.page_out(u32::MAX).unwrap(), [3, 4]);
    sync(&mut guard, list.get(..5).unwrap());
    sync(&mut guard, &talk(12));
    compact(&mut guard);
    assert!(guard.page_out(u32::MAX).unwrap().len() > 8);
}

#[test]
fn a_restore_in_the_middle_of_a_turn_gives_no_new_budget_of_promotions() {
    let mut guard = guard(2_000);
    let rules = |from: usize| (from..from + 6).map(|i| format!("Never open door {i}.")).collect::<Vec<_>>().join("\n\n");
    let system = |text: &str| json!({"role": "system", "content": text});
    let mut list = vec![user("Hello."), system(&rules(0))];
    sync(&mut guard, &list);
    let text = guard.snapshot(None, false).unwrap().text;
    let mut restored = Guard::restore(&text, &RestoreOptions::default(), Some(&list), &Map::new()).unwrap().guard;
    list.push(system(&rules(6)));
    for guard in [&mut guard, &mut restored] {
        sync(guard, &list);
        assert_eq!((guard.rules().len(), guard.receipt().rules.overflow, guard.all_rules().len()), (8, 0, 12));
    }
    list.extend([user("Next."), system(&rules(12))]);
    for guard in [&mut guard, &mut restored] {
        sync(guard, &list);
        assert_eq!(guard.rules().len(), 14);
    }
}

#[test]
fn forgetting_one_of_equal_messages_leaves_the_others() {
    let mut guard = guard(2_000);
    let mut list =
        vec![user("Hello."), agent("Hi."), user("Go on."), agent("Done."), user("Go on."), agent("Done again."), user("Secret.")];
    sync(&mut guard, &list);
    guard.forget(&[2, 6]).unwrap();
    let shown = |guard: &Guard| hosts(&guard.window().unwrap());
    let restored = |guard: &mut Guard, list: &[Value]| {
        let text = guard.snapshot(None, false).unwrap().text;
        Guard::restore(&text, &RestoreOptions::default(), Some(list), &Map::new()).unwrap().guard
    };
    assert_eq!(shown(&guard), [0, 1, 3, 4, 5]);
    // as it was, and with more behind it: an equal message said later is another one
    list.extend([agent("Yes?"), user("Go on.")]);
    assert_eq!(shown(&restored(&mut guard, &list)), [0, 1, 3, 4, 5, 7, 8]);
    // edited at the beginning: what of it stays is what the list has
    *list.first_mut().unwrap() = user("Hello!");
    for guard in [&mut restored(&mut guard, &list), &mut guard] {
        sync(guard, &list);
        assert!(shown(guard).contains(&4) && !shown(guard).contains(&6), "{:?}", shown(guard));
    }
    // the host took it out, as it should
    let mut taken = list.clone();
    taken.remove(2);
    *taken.first_mut().unwrap() = user("Hello there!");
    sync(&mut guard, &taken);
    assert_eq!(shown(&guard), [0, 1, 2, 3, 4, 6, 7]);
}

#[test]
fn place_holders_of_a_trimmed_list_come_back_if_the_chain_shows_them() {
    let mut guard = guard(60);
    let mut list = vec![user("Never delete the archive."), agent("Understood.")];
    list.extend(talk(12));
    list.extend([calls("a", "fetch"), tool("a", "page")]);
    list.extend(talk(2));
    sync(&mut guard, &list);
    compact(&mut guard);
    let end = guard.segments().last().unwrap().span.1 as usize + 1;
    let text = guard.snapshot(None, false).unwrap().text;
    let mut restored = Guard::restore(&text, &RestoreOptions::default(), list.get(end..), &Map::new()).unwrap().guard;
    let messages = |range: std::ops::Range<usize>| -> Map<u32, Value> {
        range.map(|at| (u32::try_from(at).unwrap(), list.get(at).unwrap().clone())).collect()
    };
    let code = |guard: &mut Guard, messages: &Map<u32, Value>| guard.page_in(messages).unwrap_err().code();
    // a part of them, or another one among them, shows nothing
    assert_eq!(code(&mut restored, &messages(1..end)), Code::DigestMismatch);
    assert_eq!(code(&mut restored, &messages(0..end - 1)), Code::DigestMismatch);
    let mut other = messages(0..end);
    other.insert(3, agent("Refunds are free."));
    assert_eq!(code(&mut restored, &other), Code::DigestMismatch);
    assert!(restored.recall((0, 0)).unwrap().iter().all(|event| event.text.is_none()));
    assert_eq!(restored.page_in(&messages(0..end)).unwrap().len(), end);
    let last = u32::try_from(end - 1).unwrap();
    let told = |guard: &Guard| {
        guard.recall((0, last)).unwrap().into_iter().map(|event| (event.text, event.turn, event.trust, event.digest)).collect::<Vec<_>>()
    };
    assert_eq!(told(&restored), told(&guard));
    // and can be summarized anew
    let name = restored.rules().first().unwrap().fingerprint.clone();
    restored.revoke(&name, "ann", "policy_loader").unwrap();
    restored.page_out(u32::MAX).unwrap();
    restored.page_in(&messages(0..4)).unwrap();
    restored.page_in(&messages(4..end)).unwrap();
    let plan = restored.plan(None).unwrap();
    assert!(plan.needs.is_empty() && !plan.requests.is_empty());
    restored.commit(&plan, &answer(&plan, "Looked at batches.")).unwrap();
    assert!(restored.degraded().is_empty());
}
