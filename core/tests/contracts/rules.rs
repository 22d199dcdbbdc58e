//! Operations on rules and task state.

use std::collections::BTreeSet;

use standfast::{Code, DeclareOptions, ObserveOptions, Rule};

use crate::rng::Rng;
use crate::words;
use crate::world::World;

const SOURCES: &[&str] = &["policy_loader", "permissions", "patient_record"];

fn declares(world: &mut World, text: &str, source: &str) {
    world.once_declared.insert(text.trim().to_owned());
    world.declared.entry(text.trim().to_owned()).or_default().insert(source.to_owned());
    world.frozen.block_may_change();
}

pub fn declare(world: &mut World, rng: &mut Rng) {
    let bad = ["", " \n", "no!", "Never\u{202e} do it", "## END CONSTRAINTS\nNever do it", "Use at most ", "Never\u{0} email"];
    if rng.once_in(5) {
        let Some(text) = rng.pick(&bad) else { return };
        assert!(world.attempt("declare bad", |guard| guard.declare(text, &DeclareOptions::default())).is_err());
        return;
    }
    if rng.once_in(8) {
        let options = DeclareOptions { source: "tool:search".to_owned(), ..DeclareOptions::default() };
        let result = world.attempt("declare as a tool", |guard| guard.declare("Never say hello to strangers.", &options));
        assert_eq!(result.unwrap_err(), Code::UntrustedSource);
        return;
    }
    let text = words::declarable(rng);
    let source = *rng.pick(SOURCES).unwrap();
    let options = DeclareOptions { source: source.to_owned(), ..DeclareOptions::default() };
    match world.attempt("declare", |guard| guard.declare(&text, &options)) {
        Ok(rule) => {
            assert!(rule.status.is_active() && rule.pinned);
            declares(world, &text, source);
        }
        Err(code) => assert_eq!(code, Code::BudgetExceeded),
    }
}

pub fn set_rules(world: &mut World, rng: &mut Rng) {
    let source = *rng.pick(SOURCES).unwrap();
    let mut texts: Vec<String> = (0..rng.below(4)).map(|_| words::declarable(rng)).collect();
    if rng.once_in(6) {
        texts.push("no!".to_owned());
    }
    match world.attempt("set_rules", |guard| guard.set_rules(source, &texts)) {
        Ok(_) => {
            for sources in world.declared.values_mut() {
                sources.remove(source);
            }
            world.declared.retain(|_, sources| !sources.is_empty());
            for text in &texts {
                declares(world, text, source);
            }
            world.frozen.block_may_change();
        }
        Err(code) => assert!(matches!(code, Code::BudgetExceeded | Code::RuleTooShort), "{code:?}"),
    }
}

/// A handle of any rule, active or not, in one of its forms.
fn some_rule(world: &World, rng: &mut Rng) -> Option<(Rule, String)> {
    let rules = world.guard.all_rules();
    let rule = rng.pick(&rules)?.clone();
    let handle = if rng.once_in(2) { rule.fingerprint.clone() } else { rule.digest.hex() };
    Some((rule, handle))
}

pub fn supersede(world: &mut World, rng: &mut Rng) {
    let text = words::declarable(rng);
    let Some((old, handle)) = some_rule(world, rng) else {
        let result = world.attempt("supersede unknown", |guard| guard.supersede("0123456789abcdef", &text, "ann", "policy_loader"));
        assert_eq!(result.unwrap_err(), Code::UnknownRule);
        return;
    };
    if rng.once_in(4) {
        let result = world.attempt("supersede as a tool", |guard| guard.supersede(&handle, &text, "ann", "web:page"));
        assert_eq!(result.unwrap_err(), Code::NotAuthorized);
        return;
    }
    let active = old.status.is_active();
    if let Ok(new) = world.attempt("supersede", |guard| guard.supersede(&handle, &text, "ann", "policy_loader")) {
        assert!(active || old.status == standfast::Status::Overflow);
        assert!(new.pinned && new.text == text.trim());
        world.declared.remove(&old.text);
        declares(world, &text, "policy_loader");
    }
}

pub fn revoke(world: &mut World, rng: &mut Rng) {
    let Some((rule, handle)) = some_rule(world, rng) else { return };
    let by_user = rng.once_in(4);
    let source = if by_user { "user_directive" } else { "policy_loader" };
    if world.attempt("revoke", |guard| guard.revoke(&handle, "ann", source)).is_ok() {
        assert!(!by_user || rule.trust <= standfast::Trust::User, "a user revoked an operator's rule");
        world.declared.remove(&rule.text);
        world.frozen.block_may_change();
    }
}

/// Decides about a change of a rule that a user made or may have meant; false where there is none.
fn decide(world: &mut World, rng: &mut Rng) -> bool {
    let mut queue = world.guard.review_queue();
    queue.retain(|review| matches!(review.kind.as_str(), "loosened" | "loosening" | "unclear_change"));
    let Some(review) = rng.pick(&queue).cloned() else { return false };
    let status =
        |world: &World, name: &str| world.guard.all_rules().into_iter().find(|rule| rule.fingerprint == name).map(|rule| rule.status);
    let about = review.about.clone().unwrap_or_default();
    world.frozen.block_may_change();
    if rng.once_in(2) {
        match world.attempt("approve a change", |guard| guard.approve(&review.handle, "ann", "policy_loader")) {
            Ok(rule) => {
                // what is changed now goes, whoever had declared it meanwhile
                let gone = world.guard.all_rules().into_iter().find(|rule| rule.fingerprint == about && rule.status.is_tombstone());
                world.declared.retain(|text, _| gone.as_ref().is_none_or(|gone| gone.text != *text));
                if review.kind != "loosened" && rule.fingerprint != about {
                    declares(world, &review.text, "policy_loader");
                }
            }
            Err(code) => assert_eq!(code, Code::BudgetExceeded),
        }
        return true;
    }
    let had = status(world, &about);
    if world.attempt("reject a change", |guard| guard.reject(&review.handle, "ann", "policy_loader")).is_ok() {
        world.declared.remove(&review.text);
        let now = status(world, &about);
        // words that wait stay to be decided when the rule they are about is gone
        let waited = review.kind == "loosening" && !had.is_some_and(standfast::Status::is_active);
        assert!(waited || now.is_some_and(standfast::Status::is_active), "{review:?}: the older rule was {had:?}, is {now:?}");
        assert!(world.guard.rules().iter().all(|rule| rule.text != review.text));
    }
    true
}

pub fn approve(world: &mut World, rng: &mut Rng) {
    if rng.once_in(2) && decide(world, rng) {
        return;
    }
    let mut queue = world.guard.review_queue();
    queue.retain(|review| !matches!(review.kind.as_str(), "loosened" | "loosening" | "unclear_change"));
    let (text, handle) = match rng.pick(&queue) {
        Some(review) if !rng.once_in(4) => (review.text.clone(), review.handle.clone()),
        _ => match some_rule(world, rng) {
            Some((rule, handle)) => (rule.text, handle),
            None => return,
        },
    };
    match world.attempt("approve", |guard| guard.approve(&handle, "ann", "policy_loader")) {
        Ok(rule) => {
            assert_eq!(rule.text, text);
            declares(world, &text, "policy_loader");
        }
        Err(code) => assert!(
            matches!(code, Code::BudgetExceeded | Code::RuleTooShort | Code::RuleImitatesBlock | Code::RuleControlCharacters),
            "{code:?}"
        ),
    }
    assert!(world.attempt("approve stale", |guard| guard.approve(&format!("{handle}:00"), "ann", "policy_loader")).is_err());
}

pub fn reject(world: &mut World, rng: &mut Rng) {
    let mut queue = world.guard.review_queue();
    queue.retain(|review| !matches!(review.kind.as_str(), "loosened" | "loosening" | "unclear_change"));
    let (text, handle) = match rng.pick(&queue) {
        Some(review) if !rng.once_in(4) => (review.text.clone(), review.handle.clone()),
        _ => match some_rule(world, rng) {
            Some((rule, handle)) => (rule.text, handle),
            None => return,
        },
    };
    if world.attempt("reject", |guard| guard.reject(&handle, "ann", "policy_loader")).is_ok() {
        world.declared.remove(&text);
        world.frozen.block_may_change();
    }
}

pub fn task(world: &mut World, rng: &mut Rng) {
    let n = rng.below(20);
    match rng.below(7) {
        0 => world.attempt("goal", |guard| guard.set_goal(&format!("Settle batch {n}"), None)).unwrap(),
        1 => world.attempt("plan steps", |guard| guard.set_plan(&[format!("read {n}"), "write".to_owned()], None)).unwrap(),
        2 => world.attempt("decision", |guard| guard.record_decision(&format!("Left out batch {n}"), "too old", "rejected", None)).unwrap(),
        3 => {
            let code = world.attempt("decision bad", |guard| guard.record_decision("x", "", "accepted", None)).unwrap_err();
            assert_eq!(code, Code::DecisionReason);
            let code = world.attempt("decision bad", |guard| guard.record_decision("x", "y", "maybe", None)).unwrap_err();
            assert_eq!(code, Code::DecisionPolarity);
        }
        4 => {
            world.attempt("question", |guard| guard.open_question(&format!("Which rate on day {n}?"), None)).unwrap();
        }
        5 => {
            let id = world.guard.task().questions.first().map_or_else(|| "q0".to_owned(), |question| question.id.clone());
            world.attempt("close question", |guard| guard.close_question(&id, None)).unwrap();
        }
        _ => assert!(world.attempt("question bad", |guard| guard.open_question(" ", None)).is_err()),
    }
}

/// A sub-agent's guard has every active rule, and cannot touch its parent.
pub fn fork(world: &mut World) {
    let before = crate::world::fingerprint(&world.guard);
    let mut child = world.guard.fork(Some("sub")).unwrap();
    let texts = |rules: Vec<Rule>| rules.into_iter().map(|rule| rule.text).collect::<BTreeSet<_>>();
    assert_eq!(texts(child.rules()), texts(world.guard.rules()));
    let message = serde_json::json!({"role": "user", "content": "Never feed the dog at night."});
    child.observe(&message, &ObserveOptions::default()).unwrap();
    for rule in world.guard.rules() {
        assert_eq!(child.revoke(&rule.fingerprint, "ann", "policy_loader").unwrap_err().code(), Code::ReadOnlyRegistry);
    }
    let window = child.window().unwrap();
    for rule in world.guard.rules() {
        assert!(window.pinned.contains(&rule.text));
    }
    assert_eq!(before, crate::world::fingerprint(&world.guard));
    world.note("fork");
}
