//! The built-in summary of plain texts: all of them where they fit, else the most telling pieces.

use std::borrow::Cow;

use crate::event::Role;
use crate::extract::{Line, Said, extract};
use crate::tokens;
use crate::trust::Trust;

/// At most `budget` tokens of `texts`, oldest first. Blank only where they are.
pub(super) fn extractive(texts: &[String], budget: u32) -> String {
    let whole = texts.join("\n");
    if tokens::estimate(&whole) <= budget {
        return whole;
    }
    let lines = (0_u32..).zip(texts).map(|(seq, text)| Line {
        seq,
        turn: 0,
        role: Role::User,
        trust: Trust::External,
        text: Cow::Borrowed(text),
        said: Said::Message,
    });
    let chosen = extract(&lines.collect::<Vec<_>>(), budget);
    if chosen.trim().is_empty() { newest(whole.trim_end(), budget) } else { chosen }
}

/// The longest end of a text that fits, from the start of a word where there is one.
fn newest(text: &str, budget: u32) -> String {
    let fits = |start: usize| text.get(start..).is_some_and(|end| tokens::estimate(end) <= budget);
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let at = starts.partition_point(|start| !fits(*start));
    let end = starts.get(at).and_then(|start| text.get(*start..)).unwrap_or_default();
    let word = end.find(char::is_whitespace).and_then(|gap| end.get(gap..)).map(str::trim_start);
    word.filter(|rest| !rest.is_empty()).unwrap_or(end).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_blank_and_never_over_budget() {
        for text in ["word ".repeat(200), "x".repeat(3_000), "不".repeat(500), "Batch 118 failed with ERR_TIMEOUT.\n".repeat(80)] {
            for budget in [1, 5, 40, 10_000] {
                let summary = extractive(std::slice::from_ref(&text), budget);
                assert!(tokens::estimate(&summary) <= budget && !summary.trim().is_empty(), "{budget}: {summary:?}");
            }
        }
        assert_eq!(extractive(&["a".to_owned(), "b".to_owned()], 10), "a\nb");
    }
}
