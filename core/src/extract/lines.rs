//! Reads the JSON lines of a request back into lines to extract from.

use std::borrow::Cow;

use super::{Line, Said, extract};
use crate::event::Role;
use crate::ordered::Set;
use crate::request::EventLine;
use crate::trust::Trust;

/// The extractive summary of a request's text, in at most `budget` tokens. Lines that are not JSON count as plain text.
#[must_use]
pub fn of_request(text: &str, budget: u32) -> String {
    let read: Vec<EventLine<'_>> = text.lines().filter(|line| !line.trim().is_empty()).map(read_line).collect();
    let mut seen = Set::new();
    let mut lines: Vec<Line<'_>> = read.iter().rev().map(|line| to_line(line, &mut seen)).collect();
    lines.reverse();
    extract(&lines, budget)
}

fn read_line(line: &str) -> EventLine<'_> {
    EventLine::read(line).unwrap_or_else(|| EventLine {
        seq: 0,
        turn: 0,
        role: Cow::Borrowed(Role::User.as_str()),
        trust: Trust::External,
        tool: None,
        text: Cow::Borrowed(line),
    })
}

/// `seen` holds the tools whose newest result was met: the lines come newest first.
fn to_line<'a>(line: &'a EventLine<'_>, seen: &mut Set<&'a str>) -> Line<'a> {
    let role = match &*line.role {
        "system" => Role::System,
        "developer" => Role::Developer,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        _ => Role::User,
    };
    let said = match &line.tool {
        None => Said::Message,
        Some(tool) if line.trust == Trust::Agent => Said::Call { tool: Cow::Borrowed(tool) },
        Some(tool) => Said::Result { tool: Cow::Borrowed(tool), error: false, newest: seen.insert(tool) },
    };
    Line { seq: line.seq, turn: line.turn, role, trust: line.trust, text: Cow::Borrowed(&line.text), said }
}
