//! Runs worlds, and makes a failure small.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use crate::histories::Format;
use crate::rng::Rng;
use crate::world::{World, fingerprint};

thread_local! {
    /// Whether panics of this thread are expected and need no message.
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Panics inside a world are told once, small.
fn quiet_hook() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                usual(info);
            }
        }));
    });
}

/// Operations of one world.
const OPS: usize = 120;

/// Runs `operations` operations for one shape, in worlds of their own.
pub fn run(format: Format, lane: u64, operations: usize) {
    quiet_hook();
    let mut seeds = Rng::new(lane.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(format as u64));
    let mut left = operations;
    let mut commits = 0;
    while left > 0 {
        let seed = seeds.next();
        let n = OPS.min(left);
        left -= n;
        let mut rng = Rng::new(seed);
        let ops: Vec<u64> = (0..n).map(|_| rng.next()).collect();
        match attempt(format, seed, &ops) {
            Ok(world) => {
                commits += world.commits;
                if seed.is_multiple_of(16) {
                    let again = attempt(format, seed, &ops).ok().map(|world| fingerprint(&world.guard));
                    assert_eq!(again, Some(fingerprint(&world.guard)), "the same operations, other bytes");
                }
            }
            Err(failure) => report(format, seed, ops, &failure),
        }
    }
    assert!(operations < 2_000 || commits as usize > operations / 50, "only {commits} compactions in {operations} operations");
}

/// What was done and what went wrong.
struct Failure {
    why: String,
    notes: Vec<String>,
    done: usize,
}

fn attempt(format: Format, seed: u64, ops: &[u64]) -> Result<World, Failure> {
    let mut world = World::new(format, seed);
    for (at, op) in ops.iter().enumerate() {
        QUIET.set(true);
        let result = catch_unwind(AssertUnwindSafe(|| world.step(*op)));
        QUIET.set(false);
        if let Err(panic) = result {
            let why = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            return Err(Failure { why: why.unwrap_or_default(), notes: world.notes.clone(), done: at + 1 });
        }
    }
    Ok(world)
}

/// Runs one world again, with all its backtraces: `openai 0x<seed> 0x<op>,0x<op>`.
pub fn replay(text: &str) {
    let mut words = text.split_whitespace();
    let format = if words.next() == Some("openai") { Format::Openai } else { Format::Anthropic };
    let number = |text: &str| u64::from_str_radix(text.trim().trim_start_matches("0x"), 16).ok();
    let mut world = World::new(format, words.next().and_then(number).unwrap_or_default());
    for op in words.flat_map(|word| word.split(',')).filter_map(number) {
        world.step(op);
    }
}

/// Leaves out whatever is not needed to fail, then says what is left.
fn report(format: Format, seed: u64, mut ops: Vec<u64>, failure: &Failure) {
    ops.truncate(failure.done);
    let kind = |why: &str| why.chars().filter(char::is_ascii_alphabetic).take(24).collect::<String>();
    let wanted = kind(&failure.why);
    let mut last = Failure { why: failure.why.clone(), notes: failure.notes.clone(), done: failure.done };
    let mut size = ops.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < ops.len() {
            let mut fewer = ops.clone();
            fewer.drain(at..(at + size).min(ops.len()));
            match attempt(format, seed, &fewer) {
                Err(failure) if kind(&failure.why) == wanted => {
                    fewer.truncate(failure.done);
                    ops = fewer;
                    last = failure;
                }
                _ => at += size,
            }
        }
        size /= 2;
    }
    let notes = last.notes.join("\n  ");
    panic!("{format:?}, world {seed:#x}, operations {ops:#x?}\n  {notes}\n{}", last.why);
}
