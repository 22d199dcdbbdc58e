//! Paging, forgetting, snapshots and restores.

use std::collections::BTreeSet;

use standfast::ordered::Map;

use serde_json::{Value, json};
use standfast::{Code, Guard, ObserveOptions, RestoreOptions};

use crate::rng::Rng;
use crate::stability::Frozen;
use crate::world::{Save, World};

fn object(world: &World, seq: u32) -> Option<Value> {
    world.seqs.iter().position(|known| *known == seq).and_then(|at| world.host.list.get(at)).cloned()
}

pub fn page_out(world: &mut World, rng: &mut Rng) {
    let before = u32::try_from(rng.below(200)).unwrap();
    let gone = world.attempt("page_out", |guard| guard.page_out(before)).unwrap();
    for seq in gone {
        if let Some(message) = object(world, seq) {
            world.paged.insert(seq, message);
        }
    }
    for recalled in recall_all(world) {
        assert!(!world.paged.contains_key(&recalled.seq) || recalled.text.is_none());
    }
}

fn recall_all(world: &World) -> Vec<standfast::Recalled> {
    match world.seqs.last() {
        Some(last) => world.guard.recall((0, *last)).unwrap(),
        None => Vec::new(),
    }
}

pub fn page_in(world: &mut World, rng: &mut Rng) {
    let some: Map<u32, Value> = world.paged.iter().filter(|_| !rng.once_in(3)).map(|(seq, message)| (*seq, message.clone())).collect();
    if let Some(first) = some.keys().next().copied().filter(|_| rng.once_in(3)) {
        let mut wrong = some.clone();
        wrong.insert(first, json!({"role": "user", "content": "I never said this."}));
        let code = world.attempt("page_in wrong", |guard| guard.page_in(&wrong)).unwrap_err();
        assert_eq!(code, Code::DigestMismatch);
        let mut unknown = some.clone();
        unknown.insert(99_999, json!({"role": "user", "content": "Nowhere."}));
        let code = world.attempt("page_in unknown", |guard| guard.page_in(&unknown)).unwrap_err();
        assert_eq!(code, Code::UnknownEvent);
    }
    let back = world.attempt("page_in", |guard| guard.page_in(&some)).unwrap();
    world.frozen.notices_may_change();
    let wanted: Vec<u32> = some.keys().filter(|seq| !world.forgotten.contains(seq)).copied().collect();
    assert_eq!(back, wanted, "everything paged out comes back");
    for seq in &back {
        world.paged.remove(seq);
    }
    for recalled in recall_all(world) {
        assert!(!back.contains(&recalled.seq) || recalled.text.is_some());
    }
}

pub fn forget(world: &mut World, rng: &mut Rng) {
    let code = world.attempt("forget unknown", |guard| guard.forget(&[0, 99_999])).unwrap_err();
    assert_eq!(code, Code::UnknownEvent);
    let Some(seq) = rng.pick(&world.seqs).copied() else { return };
    let gone = world.attempt("forget", |guard| guard.forget(&[seq])).unwrap();
    assert!(gone.contains(&seq));
    for seq in &gone {
        world.paged.remove(seq);
    }
    let messages: Vec<Value> = gone.iter().filter_map(|seq| crate::check::object(world, *seq).cloned()).collect();
    world.purged.extend(messages);
    world.forgotten.extend(&gone);
    world.frozen.let_go("forget");
    world.note(format!("forget {gone:?}"));
    for recalled in recall_all(world) {
        assert!(!gone.contains(&recalled.seq) || recalled.text.is_none());
    }
}

pub fn snapshot(world: &mut World, rng: &mut Rng) {
    let key = rng.once_in(3).then(|| "secret".to_owned());
    let detach = rng.once_in(2);
    let bytes = key.as_deref().map(str::as_bytes);
    let snapshot = world.attempt("snapshot", |guard| guard.snapshot(bytes, detach)).unwrap();
    assert_eq!(world.guard.snapshot(bytes, detach).unwrap(), snapshot, "the same state, the same bytes");
    assert!(snapshot.texts.is_empty() || detach);
    let needed: BTreeSet<String> = Guard::texts_needed(&snapshot.text).unwrap().into_iter().collect();
    // a store may have been told the digests of events before that this guard does not know any more
    assert!(snapshot.texts.keys().all(|key| needed.contains(key)));
    let block = world.guard.window().unwrap().pinned;
    let save = Save {
        snapshot,
        key,
        declared: world.declared.clone(),
        list: world.host.list.clone(),
        block,
        forgotten: world.forgotten.union(&world.perhaps).copied().collect(),
        plain: world.hidden.is_empty() && world.forgotten.is_empty() && world.paged.is_empty(),
    };
    if world.saves.len() > 2 {
        world.saves.remove(0);
    }
    world.saves.push(save);
}

/// A snapshot that cannot be used, and what it is refused with.
fn bad_restores(save: &Save, messages: &[Value]) {
    let right = RestoreOptions { key: save.key.clone(), ..RestoreOptions::default() };
    let wrong = RestoreOptions { key: Some("other".to_owned()), ..RestoreOptions::default() };
    let try_it = |text: &str, options: &RestoreOptions| {
        Guard::restore(text, options, Some(messages), &save.snapshot.texts).map(|_| ()).unwrap_err().code()
    };
    let text = &save.snapshot.text;
    assert_eq!(try_it(text, &wrong), Code::SnapshotKey);
    assert_eq!(try_it(text.get(..text.len() / 2).unwrap_or_default(), &right), Code::SnapshotUnreadable);
    let newer = text.replacen("\"schema_version\":1", "\"schema_version\":2", 1);
    assert_eq!(try_it(&newer, &right), Code::SnapshotVersion);
    let edited = text.replacen("\"round\":", "\"round\":1", 1);
    let code = try_it(&edited, &right);
    assert!(matches!(code, Code::SnapshotAltered | Code::SnapshotKey | Code::SnapshotUnreadable), "{code:?}");
    let old = RestoreOptions { min_generation: Some(u64::MAX), ..right.clone() };
    assert_eq!(try_it(text, &old), Code::StaleSnapshot);
    if !save.snapshot.texts.is_empty() {
        let code = Guard::restore(text, &right, Some(messages), &Map::new()).map(|_| ()).unwrap_err().code();
        assert_eq!(code, Code::LogExpired);
    }
}

/// Whether one list comes from the other by taking out or adding messages in one place.
fn only_removed(a: &[Value], b: &[Value]) -> bool {
    let before = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let after = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    before + after >= a.len().min(b.len())
}

/// The run goes on in another process, with the list as it is, longer, shorter, edited or trimmed.
pub fn restore(world: &mut World, rng: &mut Rng) {
    if world.saves.is_empty() || rng.once_in(3) {
        snapshot(world, rng);
    }
    let Some(save) = rng.pick(&world.saves).cloned() else { return };
    if rng.once_in(6) {
        bad_restores(&save, &world.host.list);
    }
    let starts = world.host.turn_starts();
    match rng.below(8) {
        0 => {
            let n = 1 + rng.below(4);
            let more = world.host.coming(n, rng);
            world.host.list.extend(more);
            world.note("restore on a longer list");
        }
        1 => {
            if let Some(at) = rng.pick(&starts).copied() {
                world.host.cut(at.max(1));
                world.note(format!("restore on a shorter list of {at}"));
            }
        }
        2 => {
            if let (Some(at), (text, _)) = (rng.pick(&starts).copied(), crate::words::ask(rng)) {
                if let Some(message) = world.host.list.get_mut(at) {
                    *message = json!({"role": "user", "content": text});
                }
                world.note(format!("restore on a list edited at {at}"));
            }
        }
        3 => {
            if let Some(at) = rng.pick(&starts).copied() {
                let head = world.host.head();
                world.host.list.drain(head..at);
                world.note(format!("restore on a list trimmed to {at}"));
            }
        }
        _ => world.note("restore"),
    }
    let options = RestoreOptions { key: save.key.clone(), ..RestoreOptions::default() };
    let messages = world.host.list.clone();
    let texts = &save.snapshot.texts;
    world.guard = if rng.once_in(3) {
        // first without the host's messages
        let mut guard = Guard::restore(&save.snapshot.text, &options, None, texts).unwrap().guard;
        assert_eq!(guard.window().unwrap_err().code(), Code::TailNotAttached);
        assert_eq!(guard.plan(None).unwrap_err().code(), Code::TailNotAttached);
        assert_eq!(
            guard.observe(&json!({"role": "user", "content": "x"}), &ObserveOptions::default()).unwrap_err().code(),
            Code::TailNotAttached
        );
        let unsealed = |text: &str| serde_json::from_str::<Value>(text).unwrap().get("body").cloned();
        let again = guard.snapshot(None, !texts.is_empty()).unwrap();
        assert_eq!(unsealed(&again.text), unsealed(&save.snapshot.text), "a detached guard keeps what it was given");
        let bad = [json!({"role": "narrator"})];
        let before = guard.snapshot(None, false).unwrap();
        assert!(guard.sync(0, &bad, &ObserveOptions::default()).is_err());
        assert_eq!(guard.snapshot(None, false).unwrap(), before);
        let synced = guard.sync(0, &messages, &ObserveOptions::default()).unwrap();
        world.seqs = synced.seqs;
        guard
    } else {
        let restored = Guard::restore(&save.snapshot.text, &options, Some(&messages), texts).unwrap();
        world.note(format!("  {} {:?}", restored.verdict.outcome, restored.verdict.flags));
        world.seqs = restored.verdict.seqs;
        restored.guard
    };
    // trimmed and edited between two processes: which folded message is which cannot be known
    world.valid &= only_removed(&save.list, &world.host.list);
    world.exact &= world.host.list.starts_with(&save.list);
    world.declared = save.declared.clone();
    world.forgotten.clear();
    world.perhaps.clone_from(&save.forgotten);
    world.hidden.clear();
    world.paged.clear();
    world.buried.clear();
    world.replaced.clear();
    world.frozen = Frozen::default();
    world.seen = messages;
    world.valid &= world.host.is_valid();
    if save.plain && save.list == world.host.list {
        let window = world.guard.window().unwrap();
        assert_eq!(
            window.pinned,
            save.block,
            "the same block after a restore: {:?} {:?}\n{}\n{}",
            window.slots,
            world.guard.rules(),
            world.outline(),
            save.snapshot.text
        );
    }
}
