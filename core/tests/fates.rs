//! What the fate check makes of written cases, and that it holds for any text: no panic, linear time.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::disallowed_methods, reason = "a test says what it expects")]

use std::time::Instant;

use proptest::prelude::*;
use standfast::{FateKind, audit};

const ENGLISH: &str = include_str!("fates/english.txt");
const RESTATED: &str = include_str!("fates/restated.txt");
const VARIED: &str = include_str!("fates/varied.txt");
/// Rules that were written before anybody looked at what the check makes of them.
const UNSEEN: &str = include_str!("fates/unseen.txt");
/// Rules of many trades, restated as summaries do, and narrowed, changed and turned round; written before they were run.
const POLICIES: &str = include_str!("fates/policies.txt");
/// Small words and the order of words changed, orders told as reports; written before they were run.
const TWISTED: &str = include_str!("fates/twisted.txt");
/// Rules told in quite other words; `=` another thing told in other words, `.` only the things of the rule.
const REWORDED: &str = include_str!("fates/reworded.txt");

/// The cases: the rule, `~` restated, `-` weakened, `!` contradicted, and the text.
fn cases() -> Vec<(&'static str, char, &'static str)> {
    read(ENGLISH.lines().chain(RESTATED.lines()).chain(VARIED.lines()).chain(UNSEEN.lines()).chain(POLICIES.lines()).chain(TWISTED.lines()))
}

fn read(lines: impl Iterator<Item = &'static str>) -> Vec<(&'static str, char, &'static str)> {
    let mut rule = "";
    let mut out = Vec::new();
    for line in lines {
        match line.split_once(' ') {
            Some(("R", text)) => rule = text,
            Some((mark, text)) => out.push((rule, mark.chars().next().unwrap(), text)),
            None => {}
        }
    }
    out
}

fn certified(rule: &str, text: &str) -> bool {
    matches!(audit(&[rule], text)[0].kind, FateKind::Preserved | FateKind::Paraphrased)
}

#[test]
fn nothing_degraded_is_certified_and_most_restatements_are() {
    let (mut restated, mut found) = (0, 0);
    for (rule, mark, text) in cases() {
        let good = certified(rule, &format!("Three tickets were closed in the morning. {text} The printer works again."));
        if mark == '~' {
            restated += 1;
            found += usize::from(good);
        } else {
            assert!(!good, "{rule}\n{text}");
        }
    }
    assert!(found * 100 >= restated * 80, "{found} of {restated}");
}

/// A thing that no list tells from another ("caterer" for "auditor") is still taken for a word for it: 6 of 100 here.
#[test]
fn most_of_what_is_told_in_quite_other_words_is_told_apart() {
    let (mut restated, mut found, mut wrong, mut hurt) = (0, 0, 0, 0);
    for (rule, mark, text) in read(REWORDED.lines()) {
        let good = certified(rule, &format!("Three tickets were closed in the morning. {text} The printer works again."));
        let whole = mark == '~';
        restated += usize::from(whole);
        found += usize::from(whole && good);
        hurt += usize::from(!whole);
        wrong += usize::from(!whole && good);
    }
    assert!(found * 100 >= restated * 80, "{found} of {restated}");
    assert!(wrong * 100 <= hurt * 6, "{wrong} of {hurt}");
}

#[test]
fn a_rule_is_preserved_amid_the_others() {
    let rules: Vec<&str> = cases().iter().map(|(rule, ..)| *rule).collect();
    let text = rules.join("\n");
    assert!(audit(&rules, &text).iter().all(|fate| fate.kind == FateKind::Preserved));
}

/// Pieces that make trouble: marks that open and do not close, cues, numbers, foreign scripts, invisible characters.
const PIECES: &[&str] = &[
    "never",
    " not ",
    "unless ",
    "\"",
    "“",
    "~~",
    "<!--",
    "<s>",
    "> ",
    "```\n",
    "\n- ",
    "\n\n",
    "; ",
    ", ",
    "(",
    ")",
    ": ",
    "12 ",
    "200 EUR ",
    "release-9 ",
    "Olga ",
    "no longer ",
    "不得",
    "离开",
    "하지 ",
    "ません",
    "é",
    "\u{200b}",
    "а",
    "a",
    " ",
    ".",
    "? ",
    "# ",
    "**",
    "branch ",
    "push ",
    "without ",
    "consent ",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn any_text_has_a_fate(rule in ".{0,80}", text in ".{0,300}") {
        prop_assert_eq!(audit(&[&rule], &text).len(), 1);
    }

    #[test]
    fn troublesome_texts_have_a_fate(
        rule in prop::collection::vec(prop::sample::select(PIECES), 0..30),
        text in prop::collection::vec(prop::sample::select(PIECES), 0..120),
    ) {
        prop_assert_eq!(audit(&[rule.concat()], &text.concat()).len(), 1);
    }

    #[test]
    fn a_plain_copy_is_preserved(rule in 0_usize..77, before in 0_usize..77, behind in 0_usize..77) {
        let rules: Vec<&str> = cases().iter().map(|(rule, ..)| *rule).collect::<std::collections::BTreeSet<_>>().into_iter().collect();
        let at = |index: usize| rules[index % rules.len()];
        let text = format!("{}\n\n{}\n\n{}", at(before), at(rule), at(behind));
        prop_assert_eq!(audit(&[at(rule)], &text)[0].kind, FateKind::Preserved);
    }
}

/// Time for a text of `n` pieces and for one of eight times as many.
fn growth(rule: &str, piece: &str, n: usize) -> (u128, u128) {
    let time = |n: usize| {
        let text = piece.repeat(n);
        (0..3)
            .map(|_| {
                let start = Instant::now();
                assert_eq!(audit(&[rule], &text).len(), 1);
                start.elapsed().as_micros()
            })
            .min()
            .unwrap()
    };
    (time(n), time(8 * n))
}

#[test]
fn time_is_linear_in_adversarial_text() {
    let rule = "Never push to the branch release-9 without the consent of Olga Brandt.";
    let quoted = format!("\"{rule}\" ");
    let copies = rule.replace('.', ", ");
    for piece in PIECES.iter().copied().chain([rule, &quoted, &copies, "never push, ", "release-9, unless ", "no longer needed, "]) {
        // a busy machine may spoil one measurement, not four
        let linear = (0..4).any(|_| {
            // eight if linear, 64 if quadratic; large texts also need fresh memory
            let (one, eight) = growth(rule, piece, 10_000 / piece.len().max(4));
            eight < 28 * one.max(2_000)
        });
        assert!(linear, "{piece:?}");
    }
    let long = "push to the branch release-9, ".repeat(2_000);
    let start = Instant::now();
    assert_eq!(audit(&[&long], &long).len(), 1);
    assert!(start.elapsed().as_secs() < 5);
}
