//! Cases of restored guards and of lists that come back, in which a contract once broke, each as small as it gets.

#![allow(clippy::unwrap_used, reason = "a test says what it expects")]

mod talk;

use talk::*;

use serde_json::{Value, json};
use standfast::ordered::Map;
use standfast::{DeclareOptions, Guard, ObserveOptions, RestoreOptions};

#[test]
fn a_list_that_cannot_be_read_leaves_a_restored_guard_as_it_was() {
    let mut first = guard(2_000);
    let list = talk(2);
    sync(&mut first, &list);
    let text = first.snapshot(None, false).unwrap().text;
    let mut guard = Guard::restore(&text, &RestoreOptions::default(), None, &Map::new()).unwrap().guard;
    assert!(guard.sync(0, &[json!({"role": "narrator"})], &ObserveOptions::default()).is_err());
    assert_eq!(guard.snapshot(None, false).unwrap().text, text);
    sync(&mut guard, &list);
    assert_eq!(guard.window().unwrap().slots, first.window().unwrap().slots);
    assert_eq!(guard.window().unwrap().receipt.turn_index, 2, "user turns are counted once");
}

#[test]
fn a_host_that_trims_its_list_keeps_the_rules_over_a_restore() {
    let mut first = guard(60);
    let mut list = vec![user("Never delete the archive."), agent("Understood.")];
    list.extend(talk(12));
    sync(&mut first, &list);
    compact(&mut first);
    // a part of what is folded goes, before the snapshot or after it
    for before in [true, false] {
        let mut guard = first.clone();
        let short = list.get(6..).unwrap();
        if before {
            sync(&mut guard, short);
        }
        let text = guard.snapshot(None, false).unwrap().text;
        let again = Guard::restore(&text, &RestoreOptions::default(), Some(short), &Map::new()).unwrap().guard;
        let window = again.window().unwrap();
        assert!(window.pinned.contains("Never delete the archive."), "trimmed before the snapshot: {before}");
        assert_eq!(again.segments(), guard.segments());
        assert_eq!(hosts(&window), hosts(&guard.window().unwrap()));
    }
}

/// A guard restored on a list that lacks some of what is folded, so that the rest stands in places that are guessed; with
/// the list that it was made from, and where that was folded.
fn guessed(more: &[Value]) -> (Guard, Vec<Value>, usize) {
    let mut first = guard(60);
    let list = talk(14);
    sync(&mut first, &list);
    compact(&mut first);
    let cut = *hosts(&first.window().unwrap()).first().unwrap() as usize;
    let text = first.snapshot(None, false).unwrap().text;
    let mut short = more.to_vec();
    short.extend_from_slice(list.get(cut - 3..).unwrap());
    let again = Guard::restore(&text, &RestoreOptions::default(), Some(&short), &Map::new()).unwrap();
    assert_eq!(again.verdict.outcome, "trimmed");
    (again.guard, list, cut)
}

#[test]
fn our_own_text_in_a_guessed_place_hides_no_message_of_the_whole_list() {
    let block = json!({"role": "system", "content":
        "## NON-NEGOTIABLE CONSTRAINTS (verbatim, re-injected each round)\n- [0123456789abcdef] Be kind.\n## END CONSTRAINTS"});
    let (mut guard, list, cut) = guessed(&[user("Hi."), block]);
    let text = guard.snapshot(None, false).unwrap().text;
    assert!(text.contains("\"replayed\":["));
    let whole = list.get(..cut).unwrap();
    let mut again = Guard::restore(&text, &RestoreOptions::default(), Some(whole), &Map::new()).unwrap().guard;
    assert_eq!(again.segments().len(), 1);
    // the summary goes with its branch: what it stood for is shown
    let mut other = whole.to_vec();
    *other.last_mut().unwrap() = user("Something else.");
    sync(&mut again, &other);
    assert_eq!(hosts(&again.window().unwrap()).len(), cut);
}

#[test]
fn what_was_forgotten_in_a_guessed_place_is_forgotten_in_its_own() {
    let secret = talk(2).split_off(2);
    let (mut guard, list, cut) = guessed(secret.get(..1).unwrap());
    let place = u32::try_from(cut - 4).unwrap();
    assert_eq!(guard.forget(&[place]).unwrap(), [place]);
    let text = guard.snapshot(None, false).unwrap().text;
    let whole = list.get(..cut).unwrap();
    let mut again = Guard::restore(&text, &RestoreOptions::default(), Some(whole), &Map::new()).unwrap().guard;
    let mut other = whole.to_vec();
    *other.last_mut().unwrap() = user("Something else.");
    sync(&mut again, &other);
    let said = |seq: u32| again.recall((seq, seq)).unwrap().first().unwrap().text.is_some();
    assert!(!said(2) && said(place));
    assert_eq!(hosts(&again.window().unwrap()).len(), cut - 1);
}

#[test]
fn the_same_list_after_a_restore_is_the_same_where_one_before_was_guessed() {
    let mut first = guard(60);
    let mut list = vec![user("Never delete the archive."), agent("Understood.")];
    list.extend(talk(12));
    sync(&mut first, &list);
    let cut = *hosts(&compact(&mut first)).first().unwrap() as usize;
    // some leave the list; at the restore they are back, and another one was edited
    let mut short = list.clone();
    short.drain(2..4);
    sync(&mut first, &short);
    let text = first.snapshot(None, false).unwrap().text;
    *list.get_mut(6).unwrap() = user("Something else.");
    let mut guard = Guard::restore(&text, &RestoreOptions::default(), Some(&list), &Map::new()).unwrap().guard;
    let folded = list.get(..cut).unwrap();
    sync(&mut guard, folded);
    let window = guard.window().unwrap();
    assert_eq!(guard.segments().len(), 1);
    let text = guard.snapshot(None, false).unwrap().text;
    let again = Guard::restore(&text, &RestoreOptions::default(), Some(folded), &Map::new()).unwrap();
    assert_eq!(again.verdict.outcome, "attached");
    assert_eq!(again.guard.segments(), guard.segments());
    let now = again.guard.window().unwrap();
    assert_eq!((now.pinned, now.slots), (window.pinned, window.slots));
}

#[test]
fn a_rule_that_our_memory_stands_for_outlives_the_message_that_repeats_it() {
    let mut guard = guard(60);
    let mut list = vec![user("Never delete the archive."), agent("Understood.")];
    list.extend(talk(12));
    sync(&mut guard, &list);
    let mut list = adopted(&compact(&mut guard), &list);
    sync(&mut guard, &list);
    let before = list.len();
    list.extend([user("Never delete the archive."), agent("I know.")]);
    sync(&mut guard, &list);
    list.truncate(before);
    sync(&mut guard, &list);
    assert!(guard.window().unwrap().pinned.contains("Never delete the archive."));
}

#[test]
fn our_own_block_handed_back_is_hidden_after_a_restore_too() {
    let mut first = guard(2_000);
    first.declare("Reply to everyone in French.", &DeclareOptions::default()).unwrap();
    let block = first.window().unwrap().pinned;
    let list = [user("hi"), json!({"role": "system", "content": block}), user("go on")];
    sync(&mut first, &list);
    let text = first.snapshot(None, false).unwrap().text;
    let guard = Guard::restore(&text, &RestoreOptions::default(), Some(&list), &Map::new()).unwrap().guard;
    assert_eq!(hosts(&guard.window().unwrap()), [0, 2]);
}
