//! All contracts, after each operation.

use std::collections::BTreeSet;

use serde_json::Value;
use standfast::shape::validate;
use standfast::{Rule, Shape, Slot, Window, count_tokens};

use crate::histories::Format;
use crate::host::texts;
use crate::words;
use crate::world::World;

const HEADER: &str = "## NON-NEGOTIABLE CONSTRAINTS (verbatim, re-injected each round)";
const FOOTER: &str = "## END CONSTRAINTS";

pub fn all(world: &mut World) {
    let window = world.guard.window().unwrap();
    let rules = world.guard.rules();
    let messages = messages(world, &window);
    slots(world, &window);
    block(&window, &rules);
    fresh_rules(world, &window, &rules);
    authority(world, &rules);
    said(world, &rules);
    coverage(world, &window);
    segments(world, &window);
    forget_abandoned(world);
    replaced(world, &window);
    changed(world, &window, &rules);
    valid(world, &messages);
    asserted(world, &window, &messages);
    world.frozen.check(&window);
    let verdict = world.guard.should_compact().unwrap();
    assert!(!verdict.reason.is_empty());
}

pub fn object(world: &World, seq: u32) -> Option<&Value> {
    world.seqs.binary_search(&seq).ok().and_then(|at| world.host.list.get(at))
}

/// The window with the host's own objects, each where the guard says it is.
fn messages(world: &World, window: &Window) -> Vec<Value> {
    let host = |seq: u32| object(world, seq).unwrap_or_else(|| panic!("the window shows event {seq}, which the host does not have"));
    window
        .slots
        .iter()
        .map(|slot| match slot {
            Slot::Host(seq) => host(*seq).clone(),
            Slot::Own(message) => message.clone(),
        })
        .collect()
}

/// Our own block or memory message, which the host took into its list.
fn is_ours(message: &Value) -> bool {
    let mut found = Vec::new();
    texts(&message["content"], &mut found);
    found.first().is_some_and(|text| text.starts_with(HEADER) || text.starts_with("<standfast-memory>"))
}

fn hosts(window: &Window) -> Vec<u32> {
    let host = |slot: &Slot| match slot {
        Slot::Host(seq) => Some(*seq),
        Slot::Own(_) => None,
    };
    window.slots.iter().filter_map(host).collect()
}

fn slots(world: &World, window: &Window) {
    let hosts = hosts(window);
    assert!(hosts.is_sorted_by(|a, b| a < b), "host slots ascend: {hosts:?}");
    for slot in &window.slots {
        if let Slot::Own(message) = slot {
            assert!(matches!(message["role"].as_str(), Some("system" | "user")), "nothing of ours is an assistant message");
        }
    }
    let own = window.slots.iter().filter(|slot| matches!(slot, Slot::Own(_))).count();
    assert!(own <= 2);
    let slot = window.system.as_ref().and_then(Value::as_str).unwrap_or_default();
    if world.host.shape == Shape::Anthropic {
        // the host's own head, where it told one, a blank line, the block
        assert!(slot.ends_with(&window.pinned), "the block ends the system slot");
    } else {
        assert!(window.system.is_none());
    }
}

/// Each active rule is exactly one entry of the block, in order, byte for byte.
fn block(window: &Window, rules: &[Rule]) {
    let pinned: Vec<&Rule> = rules.iter().filter(|rule| rule.pinned).collect();
    if pinned.is_empty() {
        assert_eq!(window.pinned, "");
        return;
    }
    // a correction stands behind what it corrects
    let place = |rule: &Rule| {
        let base = rules.iter().find(|base| rule.amends == Some(base.digest));
        let first = base.map_or_else(|| (rule.turn, rule.fingerprint.clone(), false), |base| (base.turn, base.fingerprint.clone(), true));
        (first, rule.turn, rule.fingerprint.clone())
    };
    assert!(pinned.is_sorted_by(|a, b| place(a) < place(b)));
    let entries = pinned.iter().map(|rule| format!("\n- [{}] {}", rule.fingerprint, rule.text)).collect::<String>();
    assert_eq!(window.pinned, format!("{HEADER}{entries}\n{FOOTER}"));
    let system: Vec<&str> = window
        .slots
        .iter()
        .filter_map(|slot| match slot {
            Slot::Own(message) if message["role"] == "system" => message["content"].as_str(),
            _ => None,
        })
        .chain(window.system.as_ref().and_then(Value::as_str).map(|slot| slot.strip_prefix("You are careful.\n\n").unwrap_or(slot)))
        .collect();
    assert_eq!(system, [window.pinned.as_str()]);
}

/// A rule promoted since the last commit stands in its own event.
fn fresh_rules(world: &World, window: &Window, rules: &[Rule]) {
    let hosts = hosts(window);
    for rule in rules.iter().filter(|rule| !rule.pinned) {
        let says = |seq: &u32| {
            let mut found = Vec::new();
            if let Some(message) = object(world, *seq) {
                texts(message, &mut found);
            }
            rule.seqs.contains(seq) && found.iter().any(|text| text.contains(&rule.text))
        };
        assert!(
            hosts.iter().any(says),
            "rule {} of events {:?} is neither in the block nor in the window: {:?} {:?}",
            rule.fingerprint,
            rule.seqs,
            rule.text,
            rule.seqs.iter().map(|seq| object(world, *seq)).collect::<Vec<_>>()
        );
    }
}

/// Only host and user make rules; what the host declares is in force; what the user said is accounted for.
fn authority(world: &World, rules: &[Rule]) {
    for (text, sources) in &world.declared {
        assert!(rules.iter().any(|rule| rule.text == *text), "{text:?}, declared by {sources:?}, is not in force");
    }
    for rule in rules {
        assert!(
            !rule.text.contains("endor ") || world.declared.contains_key(&rule.text) || rule.text.contains("GBP"),
            "outside text is in force: {rule:?}"
        );
    }
}

/// Whether a message answers a call that was purged: it goes with its call.
fn answers_purged(world: &World, message: &Value) -> bool {
    let answered = message["content"].as_array().into_iter().flatten().filter_map(|part| part["tool_use_id"].as_str());
    answered.map(|id| format!("\"id\":\"{id}\"")).any(|id| world.purged.iter().any(|purged| purged.to_string().contains(&id)))
}

/// A rule that a user said in their own words, in any message the host still has, is never out of the guard's sight.
fn said(world: &World, rules: &[Rule]) {
    let all = world.guard.all_rules();
    let held = world.guard.held();
    let waiting: Vec<String> =
        world.guard.review_queue().into_iter().filter(|review| review.kind == "loosening").map(|review| review.text).collect();
    for (seq, message) in world.seqs.iter().zip(&world.host.list) {
        if message["role"] != "user"
            || is_ours(message)
            || world.forgotten.contains(seq)
            || world.perhaps.contains(seq)
            || world.purged.contains(message)
            || answers_purged(world, message)
        {
            continue;
        }
        let mut found = Vec::new();
        texts(&message["content"], &mut found);
        for paragraph in
            found.iter().filter(|text| !text.contains("FOREIGN")).flat_map(|text| text.split("\n\n")).filter(|text| words::is_own(text))
        {
            let known = rules.iter().any(|rule| rule.text.contains(paragraph))
                || all.iter().any(|rule| rule.text.contains(paragraph) && rule.reason.as_deref() != Some("source_abandoned"))
                || held.iter().any(|held| held.text.contains(paragraph))
                || waiting.iter().any(|text| text.contains(paragraph))
                || counted(world, *seq);
            assert!(known, "event {seq} says {paragraph:?}, and no rule does");
        }
    }
}

/// Whether the guard says that it holds more than it can read, the text of this event perhaps.
fn counted(world: &World, seq: u32) -> bool {
    let unread = world.guard.recall((seq, seq)).unwrap().iter().all(|recalled| recalled.text.is_none());
    let says = |slot: &Slot| matches!(slot, Slot::Own(message) if message.to_string().contains(" more held, recall to read]"));
    unread && world.guard.window().unwrap().slots.iter().any(says)
}

/// Every message of the host is shown, or stands in exactly one segment, or was taken out on purpose.
fn coverage(world: &World, window: &Window) {
    let shown: BTreeSet<u32> = hosts(window).into_iter().collect();
    let segments = world.guard.segments();
    let spans: Vec<(u32, u32)> = segments.iter().map(|segment| segment.span).collect();
    assert!(spans.iter().all(|(from, to)| from <= to) && spans.is_sorted_by(|a, b| a.1 < b.0), "spans: {spans:?}");
    for seq in &world.seqs {
        let covered = spans.iter().filter(|(from, to)| (*from..=*to).contains(seq)).count();
        let here = usize::from(shown.contains(seq));
        let gone = world.forgotten.contains(seq) || world.perhaps.contains(seq) || world.hidden.contains(seq);
        let equal = object(world, *seq).is_some_and(|message| world.purged.contains(message));
        let gone = gone || equal;
        let answer = !(world.perhaps.is_empty() && world.purged.is_empty())
            && object(world, *seq).is_some_and(|message| message["role"] != "assistant");
        let away = usize::from(gone || answer || object(world, *seq).is_some_and(is_ours));
        assert!(
            covered + here == 1 || covered + here == 0 && away == 1,
            "event {seq}: {covered} segments, shown {here}, taken out {away}; spans {spans:?}"
        );
    }
}

/// The memory message holds every segment byte for byte, in order, between its fences, and within its budget.
fn segments(world: &World, window: &Window) {
    let memory = window.slots.iter().find_map(|slot| match slot {
        Slot::Own(message) if message["role"] == "user" => Some(message),
        _ => None,
    });
    let segments = world.guard.segments();
    let Some(memory) = memory else {
        assert!(segments.is_empty(), "segments and no memory message");
        return;
    };
    let mut pieces = Vec::new();
    texts(&memory["content"], &mut pieces);
    let text = pieces.join("\n\n");
    assert!(text.starts_with("<standfast-memory>\n") && text.ends_with("</standfast-memory>"));
    assert_eq!(text.lines().filter(|line| *line == "</standfast-memory>").count(), 1, "the fence is closed once: {text}");
    let mut rest = text.as_str();
    for segment in &segments {
        let at = rest.find(&segment.text).unwrap_or_else(|| panic!("segment {:?} is not in the memory message", segment.span));
        rest = rest.get(at + segment.text.len()..).unwrap_or_default();
    }
    let limits = world.guard.policy().limits().unwrap();
    let summaries: u32 = segments.iter().map(|segment| segment.tokens).sum();
    let identifiers = 64 * u32::try_from(segments.len()).unwrap();
    assert!(summaries <= 2 * limits.segments + identifiers, "{summaries} tokens in segments, {} allowed", limits.segments);
    let fixed = count_tokens(&text) + count_tokens(&window.pinned);
    assert!(fixed <= limits.fixed_part + 300, "{fixed} tokens in the fixed part, {} allowed", limits.fixed_part);
}

/// Where the change of a rule went with its branch, another's words of the same text are held again. They are quoted until
/// the next commit, also where a person turns them down before.
fn forget_abandoned(world: &mut World) {
    for rule in world.guard.all_rules() {
        if rule.reason.as_deref() == Some("source_abandoned") {
            world.replaced.remove(&rule.digest);
        }
    }
}

/// Replaced rules are gone from the block, the segments and what can be recalled.
fn replaced(world: &World, window: &Window) {
    let rules = world.guard.all_rules();
    let gone: Vec<&Rule> = rules.iter().filter(|rule| rule.status.is_tombstone()).collect();
    if gone.is_empty() {
        return;
    }
    let segments = world.guard.segments();
    let recalled = world.seqs.last().map(|last| world.guard.recall((0, *last)).unwrap()).unwrap_or_default();
    for rule in gone {
        for event in &recalled {
            assert!(!event.text.as_deref().is_some_and(|text| text.contains(&rule.text)), "event {} gives a replaced rule back", event.seq);
        }
        let ours = window.slots.iter().filter_map(|slot| match slot {
            Slot::Own(message) => Some(message),
            Slot::Host(_) => None,
        });
        if world.replaced.contains(&rule.digest) && world.guard.task().is_empty() {
            for message in ours {
                let mut found = Vec::new();
                texts(message, &mut found);
                let others = |entry: &str| {
                    let entry = entry.strip_suffix("\n## END CONSTRAINTS").unwrap_or(entry);
                    world.guard.rules().iter().any(|other| entry.ends_with(&other.text) && other.text.contains(&rule.text))
                };
                let said = found.iter().flat_map(|text| text.split("\n- [")).any(|entry| entry.contains(&rule.text) && !others(entry));
                assert!(!said || rule.text.len() < 20, "a message of ours says the replaced rule {:?}: {message}", rule.text);
            }
        }
        if world.buried.contains(&rule.digest) {
            for segment in &segments {
                assert!(!segment.text.contains(&rule.text), "segment {:?} says a replaced rule", segment.span);
            }
        }
    }
}

/// Only a user's words change a rule in conversation, only a promoted one, and only while the event that did it stands.
fn changed(world: &World, window: &Window, rules: &[Rule]) {
    // the place of a folded event is a guess where its list was not whole at a restore, and so is where a change was made
    let shown = hosts(window);
    for rule in world.guard.all_rules() {
        let by_user = matches!(rule.reason.as_deref(), Some("replaced_by_user" | "rescinded_by_user"));
        assert!(rule.changed_at.is_none() || by_user, "{rule:?}");
        if !by_user {
            continue;
        }
        assert!(!world.declared.contains_key(&rule.text) && rule.trust == standfast::Trust::User, "a declared rule was changed: {rule:?}");
        let Some(message) = rule.changed_at.filter(|seq| world.exact && shown.contains(seq)).and_then(|seq| object(world, seq)) else {
            continue;
        };
        let mut said = Vec::new();
        texts(message, &mut said);
        let replacement = rule.replaced_by.and_then(|by| world.guard.all_rules().into_iter().find(|other| other.digest == by));
        let words = replacement.map_or_else(String::new, |other| other.text);
        assert!(
            message["role"] == "user" && said.iter().any(|text| text.contains(&words)),
            "event {:?} does not change {rule:?}: {message}",
            rule.changed_at
        );
    }
    for review in world.guard.review_queue().iter().filter(|review| review.kind == "loosening") {
        let about = world.guard.all_rules().into_iter().find(|rule| Some(&rule.fingerprint) == review.about.as_ref());
        // of a user's own rule the newer words apply, unless the policy holds them
        let held = world.guard.policy().loosening == standfast::policy::Loosening::Ask;
        let above = about.as_ref().is_none_or(|rule| !rule.status.is_active() || rule.trust > standfast::Trust::User);
        let declared = about.is_some_and(|rule| world.once_declared.contains(&rule.text));
        assert!(held || above || declared, "{review:?}");
        assert!(rules.iter().all(|rule| rule.text != review.text), "in force, and waits: {review:?}");
    }
}

fn valid(world: &World, messages: &[Value]) {
    if !world.valid || !world.forgotten.is_empty() || !world.perhaps.is_empty() || !world.purged.is_empty() {
        return;
    }
    let faults = validate(world.host.shape, messages);
    assert!(faults.is_empty(), "{faults:?} in {messages:#?}\n{}", world.outline());
}

/// The guard's own assertion agrees.
fn asserted(world: &mut World, window: &Window, messages: &[Value]) {
    let system = window.system.clone();
    if let Err(error) = world.guard.assert_window(messages, system.as_ref()) {
        panic!("{error}: {:?}\n{}", window.slots, world.outline());
    }
    if !window.pinned.is_empty() {
        let cut: Vec<Value> = messages.iter().filter(|message| message["content"] != window.pinned.as_str()).cloned().collect();
        let none = (world.host.format == Format::Openai).then_some(&cut);
        let mut copy = world.guard.clone();
        assert!(copy.assert_window(none.unwrap_or(&cut), None).is_err(), "a request without the block was let through");
    }
}
