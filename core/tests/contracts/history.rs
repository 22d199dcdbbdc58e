//! Operations on the host's list.

use serde_json::{Value, json};
use standfast::{ObserveOptions, Slot, Trust};

use crate::histories::Format;
use crate::host;
use crate::rng::Rng;
use crate::words;
use crate::world::World;

/// More messages at the end, by `sync` or one by one.
pub fn append(world: &mut World, rng: &mut Rng) {
    let n = 1 + rng.below(6);
    let new = world.host.coming(n, rng);
    if world.seqs.len() != world.host.list.len() || rng.once_in(3) {
        world.host.list.extend(new);
        world.sync(rng);
        return;
    }
    for message in new {
        let options = options(&message, rng);
        let observed = world.attempt("observe", |guard| guard.observe(&message, &options)).unwrap();
        if observed.flags.iter().any(|flag| flag == "answers_forgotten") {
            world.forgotten.insert(observed.seq);
        }
        if observed.flags.iter().any(|flag| flag == "replayed") {
            world.hidden.insert(observed.seq);
        }
        world.may_replace(&observed.flags);
        world.seqs.push(observed.seq);
        world.host.list.push(message);
    }
    world.seen.clone_from(&world.host.list);
    world.valid &= world.host.is_valid();
}

fn options(message: &Value, rng: &mut Rng) -> ObserveOptions {
    let mut options = ObserveOptions::default();
    match rng.below(24) {
        0 => options.source = Some("web:page".to_owned()),
        1 if message["role"] == "assistant" => options.source = Some("planner".to_owned()),
        2 if message["role"] == "assistant" => options.source = Some("decision_log".to_owned()),
        3 => options.trust = Some(Trust::Operator),
        4 => options.trust = Some(Trust::External),
        5 if message["role"] == "user" => options.principal = Some("ann".to_owned()),
        6 if message["role"] == "user" && message["content"].as_str().is_some_and(|text| !text.contains("endor")) => {
            options.source = Some("user_directive".to_owned());
        }
        _ => {}
    }
    options
}

/// The last turns are said anew: a new branch.
pub fn edit_end(world: &mut World, rng: &mut Rng) {
    let starts = world.host.turn_starts();
    let late = starts.len().saturating_sub(1 + rng.below(4));
    let Some(at) = starts.get(late).copied() else { return };
    world.host.remember(rng);
    world.host.cut(at);
    let n = 1 + rng.below(3);
    let new = world.host.coming(n, rng);
    world.note(format!("edit from {at} on"));
    world.host.list.extend(new);
    world.sync(rng);
}

/// One message of the user is another now; what follows stays.
pub fn edit_within(world: &mut World, rng: &mut Rng) {
    let starts = world.host.turn_starts();
    let Some(at) = rng.pick(&starts).copied() else { return };
    world.host.remember(rng);
    let (text, _) = words::ask(rng);
    world.note(format!("edit {at}"));
    if let Some(message) = world.host.list.get_mut(at) {
        *message = json!({"role": "user", "content": text});
    }
    world.sync(rng);
}

/// Whole turns leave the list, at the head or in the middle.
pub fn remove(world: &mut World, rng: &mut Rng) {
    let starts = world.host.turn_starts();
    if starts.len() < 2 {
        return;
    }
    let first = if rng.once_in(2) { 0 } else { rng.below(starts.len() - 1) };
    let last = first + 1 + rng.below(starts.len() - 1 - first);
    let (Some(from), Some(to)) = (starts.get(first).copied(), starts.get(last).copied()) else { return };
    world.host.remember(rng);
    world.note(format!("remove {from}..{to}"));
    world.host.list.drain(from..to);
    world.sync(rng);
}

/// The host's own prompt changes, grows or goes.
pub fn change_head(world: &mut World, rng: &mut Rng) {
    if world.host.format != Format::Openai {
        return;
    }
    let head = world.host.head();
    world.note("head changes");
    match rng.below(4) {
        0 if head < 3 => world.host.list.insert(head, host::head(rng)),
        1 if head > 0 => {
            world.host.list.remove(rng.below(head));
        }
        _ => {
            let at = rng.below(head);
            if let Some(message) = world.host.list.get_mut(at).filter(|_| head > 0) {
                *message = host::head(rng);
            }
        }
    }
    world.frozen.let_go("head");
    world.sync(rng);
}

/// The list is again as it was some time ago.
pub fn go_back(world: &mut World, rng: &mut Rng) {
    if world.host.go_back(rng) {
        world.note("an earlier branch again");
        world.frozen.let_go("branch");
        world.sync(rng);
    }
}

/// The host takes our window for its history.
pub fn adopt_window(world: &mut World, rng: &mut Rng) {
    let Ok(window) = world.guard.window() else { return };
    let object = |seq: u32| world.seqs.iter().position(|known| *known == seq).and_then(|at| world.host.list.get(at)).cloned();
    let list: Vec<Value> = window
        .slots
        .iter()
        .filter_map(|slot| match slot {
            Slot::Host(seq) => object(*seq),
            Slot::Own(message) => Some(message.clone()),
        })
        .collect();
    world.host.remember(rng);
    world.note("our window is the host's list now");
    world.host.list = list;
    world.frozen.let_go("adopted");
    world.sync(rng);
}

/// The list ends anywhere, perhaps in the middle of a batch.
pub fn cut_anywhere(world: &mut World, rng: &mut Rng) {
    let head = world.host.head();
    let len = world.host.list.len();
    if len <= head + 1 {
        return;
    }
    world.host.remember(rng);
    let at = head + 1 + rng.below(len - head - 1);
    world.note(format!("cut at {at}"));
    world.host.cut(at);
    world.sync(rng);
}

/// A message that cannot be read, alone or at the end of a list.
pub fn bad_message(world: &mut World, rng: &mut Rng) {
    let mut bad = vec![
        json!({"role": "narrator", "content": "x"}),
        json!({"content": "x"}),
        json!("text"),
        json!({"role": "user", "content": 7}),
        json!({"role": "assistant", "content": [7]}),
    ];
    if world.host.format == Format::Openai {
        bad.push(json!({"role": "tool", "content": "x"}));
        bad.push(json!({"role": "assistant", "tool_calls": {}}));
    } else {
        bad.push(json!({"role": "user", "content": [{"type": "tool_result", "content": "x"}]}));
    }
    let Some(message) = rng.pick(&bad).cloned() else { return };
    if rng.once_in(2) {
        assert!(world.attempt("observe bad", |guard| guard.observe(&message, &ObserveOptions::default())).is_err());
    } else {
        let mut list = world.host.list.clone();
        list.truncate(list.len().saturating_sub(rng.below(4)));
        list.push(message);
        assert!(world.attempt("sync bad", |guard| guard.sync(0, &list, &ObserveOptions::default())).is_err());
    }
}
