//! The built-in summarizer: whole sentences and lines of the source, chosen by worth, labelled with who said them.
//!
//! [`extract`] needs no model. What it emits is always a contiguous piece of the source, so it cannot invent; it can
//! only leave out: a key, a token or a password within a piece is `[secret]`.

mod choose;
mod cues;
mod lines;
mod scan;
#[cfg(test)]
mod tests;

pub use lines::of_request;

use std::borrow::Cow;

use crate::event::Role;
use crate::trust::Trust;

/// What kind of text a line is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Said<'a> {
    /// What the author of the message says.
    Message,
    /// The arguments of a tool call.
    Call {
        /// The tool's name.
        tool: Cow<'a, str>,
    },
    /// What a tool gave back.
    Result {
        /// The tool's name; empty where it is not known.
        tool: Cow<'a, str>,
        /// Whether the host says that the call failed.
        error: bool,
        /// Whether no later result of the same tool is in the span.
        newest: bool,
    },
}

/// One text to extract from. Rules and held texts are already replaced by their markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its event.
    pub seq: u32,
    /// The event's turn.
    pub turn: u32,
    /// The message's role.
    pub role: Role,
    /// Trust of this text.
    pub trust: Trust,
    /// The text.
    pub text: Cow<'a, str>,
    /// What kind of text it is.
    pub said: Said<'a>,
}

/// A summary of `lines` in at most `budget` tokens and never longer than they are: one line per source text, in their order,
/// each with its author and turn. Empty where nothing is worth its label.
///
/// ```
/// # use standfast::{event::Role, extract::{extract, Line, Said}, Trust};
/// let line = Line {
///     seq: 0, turn: 3, role: Role::User, trust: Trust::User,
///     text: "Refund order 8812 to the card it was paid with. Thanks a lot, you are a great help today, and please say hello to everybody at the office!".into(),
///     said: Said::Message,
/// };
/// assert_eq!(extract(&[line], 32), "- (user, turn 3) Refund order 8812 to the card it was paid with.");
/// ```
#[must_use]
pub fn extract(lines: &[Line<'_>], budget: u32) -> String {
    choose::summary(lines, budget)
}

impl Line<'_> {
    /// Who is named as the source: the trust's own word, or the tool.
    fn label(&self) -> String {
        let who = match &self.said {
            Said::Message => self.trust.as_str().to_owned(),
            Said::Call { tool } => format!("call:{}", plain(tool)),
            Said::Result { tool, .. } if tool.is_empty() => "tool".to_owned(),
            Said::Result { tool, .. } => format!("tool:{}", plain(tool)),
        };
        format!("- ({who}, turn {}) ", self.turn)
    }
}

/// A tool's name as a label may show it: no space, no bracket, no line break.
fn plain(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric() || "_-.:/".contains(*c)).take(48).collect()
}
