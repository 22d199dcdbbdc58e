//! The caller's summaries: which are taken, and what stands in for those that are not (P5).

use std::borrow::Cow;

use serde::Serialize;

use crate::json;
use crate::markers::Markers;
use crate::plan::Request;
use crate::reads;
use crate::text::sentinel;
use crate::text::skeleton::{has_bidi_override, has_tag_characters};
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

/// Reasons for which a model stopped to call a tool: what it wrote before is no summary.
const CALLED: &[&str] = &["tool_calls", "tool_use", "function_call", "tool-calls"];

/// Elements in which models think before they answer.
const THINKING: &[&str] = &["think", "thinking", "reasoning", "analysis", "scratchpad"];

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

/// The rest of `text` behind `word`, whatever its case.
fn after<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let head = text.get(..word.len())?;
    if head.eq_ignore_ascii_case(word) { text.get(word.len()..) } else { None }
}

/// What stands before and behind the first `word`, whatever its case.
fn around<'t>(text: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let at = text.to_ascii_lowercase().find(word)?;
    text.get(..at).zip(text.get(at + word.len()..))
}

/// What a text says as a summary: behind the thinking that stands before it, inside the `<summary>` that holds it.
/// Nothing where one of these does not end.
fn said(text: &str) -> Option<&str> {
    let mut rest = text.trim();
    'thinking: loop {
        for name in THINKING {
            let (open, close) = (format!("<{name}>"), format!("</{name}>"));
            if let Some(inside) = after(rest, &open) {
                rest = around(inside, &close)?.1.trim_start();
                continue 'thinking;
            }
        }
        break;
    }
    // the template of a chat may have written the opening mark, so that only the closing one comes back
    if let Some((_, behind)) = around(rest, "</think>").filter(|(_, behind)| behind.trim_start_matches([' ', '\r']).starts_with(['\n'])) {
        rest = behind.trim_start();
    }
    match after(rest, "<summary>") {
        Some(inside) => around(inside, "</summary>").map(|(inside, _)| inside.trim()),
        None => Some(rest),
    }
}

impl Summary {
    /// The summary without a model's thinking. One that breaks off in it is cut off.
    #[must_use]
    pub fn spoken(&self) -> Self {
        match said(&self.text) {
            Some(text) => Self { text: text.to_owned(), finish_reason: self.finish_reason.clone() },
            None => Self { text: self.text.clone(), finish_reason: Some("length".to_owned()) },
        }
    }
}

/// Whether a text is what the agent said in one of several events, word for word: the model went on with the talk.
fn copies_event(text: &str, request: &Request) -> bool {
    let end = format!("\"text\":{}}}", json::text(&text));
    let copied = |line: &str| line.ends_with(&end) && line.contains("\"role\":\"assistant\"");
    request.text.contains('\n') && request.text.lines().any(copied)
}

/// Why a summary is not taken, or nothing where it is.
#[must_use]
pub fn refuse(summary: &Summary, request: &Request, markers: &Markers) -> Option<&'static str> {
    let text = summary.text.trim();
    let lower = text.to_ascii_lowercase();
    let size = tokens::estimate(text);
    let ended = summary.finish_reason.as_deref().map(str::to_ascii_lowercase).unwrap_or_default();
    let checks: [(bool, &'static str); 11] = [
        (text.is_empty(), "summary_blank"),
        (CUT_OFF.contains(&ended.as_str()), "summary_cut_off"),
        (CALLED.contains(&ended.as_str()), "summary_tool_markup"),
        (text.lines().filter(|line| line.trim_start().starts_with("```")).count() % 2 == 1, "summary_cut_off"),
        (NO_SUMMARY.iter().any(|opening| lower.starts_with(opening)), "summary_refusal"),
        (CALL_MARKUP.iter().any(|mark| lower.contains(mark)), "summary_tool_markup"),
        (size > request.budget_tokens.saturating_add(request.budget_tokens / 4), "summary_over_budget"),
        (!is_larger(&request.text, size), "summary_not_smaller"),
        (has_bidi_override(text) || has_tag_characters(text), "summary_hidden_characters"),
        (copies_event(text, request), "summary_copies_event"),
        (imitates(&markers.without_markers(Cow::Borrowed(text))), "summary_imitates_marks"),
    ];
    checks.into_iter().find_map(|(bad, why)| bad.then_some(why))
}
