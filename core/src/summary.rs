//! The caller's summaries: which are taken, and what stands in for those that are not (P5).

use std::borrow::Cow;

use serde::Serialize;

use crate::json;
use crate::markers::Markers;
use crate::plan::Request;
use crate::reads;
use crate::text::sentinel;
use crate::text::skeleton::{has_bidi_override, has_tag_characters};
use crate::text::words::listed;
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
const CUT_OFF: &str = "length max_tokens max_output_tokens model_length content_filter content-filter error refusal safety";

/// Reasons for which a model stopped to call a tool: what it wrote before is no summary.
const CALLED: &str = "tool_calls tool_use function_call tool-calls";

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

/// What stands in an element that `text` begins with, and what stands behind it. Nothing behind one that does not end.
fn element<'t>(text: &'t str, name: &str) -> Option<(&'t str, Option<&'t str>)> {
    let inside = text.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>')?;
    let mut from = 0;
    while let Some(at) = inside.get(from..).and_then(|rest| rest.find("</")).map(|at| from + at) {
        let behind = inside.get(at + 2..).and_then(|rest| rest.strip_prefix(name)).and_then(|rest| rest.strip_prefix('>'));
        if behind.is_some() {
            return Some((inside.get(..at).unwrap_or_default(), behind));
        }
        from = at + 2;
    }
    Some((inside, None))
}

/// What a text says as a summary: behind the thinking that stands before it, inside the `<summary>` that holds it.
/// Nothing where one of these does not end.
fn said(text: &str) -> Option<&str> {
    let mut rest = text.trim();
    let mut at = 0;
    while let Some(name) = THINKING.get(at) {
        at += 1;
        if let Some((_, behind)) = element(rest, name) {
            rest = behind?.trim_start();
            at = 0;
        }
    }
    // the template of a chat may have written the opening mark, so that only the closing one comes back
    if let Some((_, behind)) = rest.split_once("</think>\n") {
        rest = behind.trim_start();
    }
    match element(rest, "summary") {
        Some((inside, behind)) => behind.map(|_| inside.trim()),
        None => Some(rest),
    }
}

impl Summary {
    /// Leaves a model's thinking out. A summary that breaks off in it is cut off.
    pub fn leave_thinking_out(&mut self) {
        match said(&self.text) {
            Some(text) if text.len() < self.text.len() => self.text = text.to_owned(),
            Some(_) => {}
            None => self.finish_reason = Some("length".to_owned()),
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
        (listed(CUT_OFF, ended.as_str()), "summary_cut_off"),
        (listed(CALLED, ended.as_str()), "summary_tool_markup"),
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
