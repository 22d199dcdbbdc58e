//! A state-machine test of the thirteen contracts: random operations on a guard, every contract checked after each.
//!
//! A failure prints the world's seed, the shortest list of operations that still fails, and what they did.
//! `STANDFAST_OPERATIONS` sets how many operations each shape runs; the default is 100,000 for all tests together.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    unreachable_pub,
    reason = "a test says what it expects, reads its size, and is one crate"
)]

mod check;
mod cycle;
#[path = "../histories/mod.rs"]
mod histories;
mod history;
mod host;
mod rng;
mod rules;
mod run;
mod saves;
mod stability;
mod words;
mod world;

use histories::Format;

/// Operations of one lane: there are four for each shape.
fn operations() -> usize {
    std::env::var("STANDFAST_OPERATIONS").ok().and_then(|n| n.parse().ok()).map_or(12_500, |n: usize| n / 8)
}

/// `STANDFAST_REPLAY` holds a world that failed, as it was printed.
#[test]
fn replay() {
    if let Ok(world) = std::env::var("STANDFAST_REPLAY") {
        run::replay(&world);
    }
}

macro_rules! lanes {
    ($($name:ident, $format:ident, $lane:literal;)*) => {
        $(#[test]
        fn $name() {
            run::run(Format::$format, $lane, operations());
        })*
    };
}

lanes! {
    openai_0, Openai, 0;
    openai_1, Openai, 1;
    openai_2, Openai, 2;
    openai_3, Openai, 3;
    anthropic_0, Anthropic, 0;
    anthropic_1, Anthropic, 1;
    anthropic_2, Anthropic, 2;
    anthropic_3, Anthropic, 3;
}
