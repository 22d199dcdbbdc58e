//! The caller's summaries: which are taken, and what stands in for those that are not (P5).

use std::borrow::Cow;

use serde::Serialize;

use crate::markers::Markers;
use crate::plan::Request;
use crate::reads;
use crate::text::sentinel;
use crate::tokens;

/// A summary as the host gives it back.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// The text.
    pub text: String,
    /// Why the model stopped, where known.
    #[serde(default)]
    pub finish_reason: Option<String>,
}

reads! { Summary { text } { finish_reason } }

/// Reasons for which a model's text is not whole.
const CUT_OFF: &[&str] =
    &["length", "max_tokens", "max_output_tokens", "model_length", "content_filter", "content-filter", "error", "refusal", "safety"];

/// Openings of texts that are no summary.
const NO_SUMMARY: &[&str] = &[
    "i'm sorry, but i can",
    "i’m sorry, but i can",
    "i am sorry, but i can",
    "sorry, but i can",
    "i cannot ",
    "i can't ",
    "i can’t ",
    "i'm unable to",
    "i am unable to",
    "as an ai",
    "error:",
    "internal server error",
    "traceback (most recent call last)",
];

/// Markup of tool calls in the common chat formats.
const CALL_MARKUP: &[&str] = &[
    "<tool_call",
    "</tool_call",
    "<function=",
    "<function_calls",
    "<invoke ",
    "[tool_calls]",
    "<|tool",
    "<|python_tag|>",
    "<|channel|>",
    "```tool_code",
];

/// Whether the text of a request takes more than `size` tokens. Its lines are added up only so far as is needed.
fn is_larger(text: &str, size: u32) -> bool {
    let mut sum = 0_u64;
    text.split_inclusive('\n').any(|line| {
        sum = sum.saturating_add(tokens::sixteenths(line));
        tokens::of_sixteenths(sum) > size
    })
}

/// Whether a line looks like one of our marks, or a fence or a rule's marker stands anywhere.
fn imitates(text: &str) -> bool {
    let anywhere = text.to_ascii_lowercase();
    let marker = |word: &str| anywhere.match_indices(word).any(|(at, _)| is_name(anywhere.get(at + word.len()..).unwrap_or_default()));
    sentinel::has_imitation(text) || anywhere.contains("standfast-memory>") || marker("[rule ") || marker("[held ")
}

/// Whether a text begins with 16 hexadecimal digits.
fn is_name(text: &str) -> bool {
    text.chars().take(16).filter(char::is_ascii_hexdigit).count() == 16
}

/// Why a summary is not taken, or nothing where it is.
#[must_use]
pub fn refuse(summary: &Summary, request: &Request, markers: &Markers) -> Option<&'static str> {
    let text = summary.text.trim();
    let lower = text.to_ascii_lowercase();
    let size = tokens::estimate(text);
    let checks: [(bool, &'static str); 8] = [
        (text.is_empty(), "summary_blank"),
        (summary.finish_reason.as_deref().is_some_and(|why| CUT_OFF.contains(&why.to_ascii_lowercase().as_str())), "summary_cut_off"),
        (text.lines().filter(|line| line.trim_start().starts_with("```")).count() % 2 == 1, "summary_cut_off"),
        (NO_SUMMARY.iter().any(|opening| lower.starts_with(opening)), "summary_refusal"),
        (CALL_MARKUP.iter().any(|mark| lower.contains(mark)), "summary_tool_markup"),
        (size > request.budget_tokens.saturating_add(request.budget_tokens / 4), "summary_over_budget"),
        (!is_larger(&request.text, size), "summary_not_smaller"),
        (imitates(&markers.without_markers(Cow::Borrowed(text))), "summary_imitates_marks"),
    ];
    checks.into_iter().find_map(|(bad, why)| bad.then_some(why))
}
