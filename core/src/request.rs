//! The text of a summary request: one JSON line per event, with markers in the place of rules (P2).

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::event::{Event, Part, Presence};
use crate::markers::{Markers, Stands};
use crate::text::pattern;
use crate::tokens;
use crate::trust::{TASK_STATE_SOURCES, Trust};

/// One line of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventLine {
    /// The event.
    pub seq: u32,
    /// User events before it.
    pub turn: u32,
    /// Its role.
    pub role: String,
    /// Trust of this text.
    pub trust: Trust,
    /// The tool that is called or answers, where the text is its arguments or result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The text, with markers.
    pub text: String,
}

/// What the lines of a span were made of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SpanText {
    /// The lines, each as JSON text with its event.
    pub lines: Vec<(u32, String)>,
    /// Items by outcome.
    pub items: BTreeMap<String, u32>,
    /// Rules in force whose text stands in the span.
    pub rules: BTreeSet<Digest>,
    /// Lowest trust of what is to be summarized.
    pub trust: Option<Trust>,
    /// Events whose text had to be withheld.
    pub shortened: Vec<u32>,
}

/// The name under which an item's outcome is counted.
fn count(items: &mut BTreeMap<String, u32>, outcome: &str, n: usize) {
    if n > 0 {
        *items.entry(outcome.to_owned()).or_default() += u32::try_from(n).unwrap_or(u32::MAX);
    }
}

/// Makes the lines of a span of events.
#[must_use]
pub fn span_text(events: &[Event], markers: &Markers, absorbed: impl Fn(u32) -> bool) -> SpanText {
    let mut span = SpanText::default();
    for event in events {
        add_event(&mut span, event, markers, absorbed(event.seq));
    }
    span
}

fn add_event(span: &mut SpanText, event: &Event, markers: &Markers, absorbed: bool) {
    if matches!(event.presence, Presence::Forgotten | Presence::Replayed) || event.message.foreign_summary {
        count(&mut span.items, "dropped", 1);
        return;
    }
    if absorbed && TASK_STATE_SOURCES.contains(&event.source.as_str()) {
        count(&mut span.items, "task_state", 1);
        return;
    }
    for Run { trust, tool, text } in runs(event) {
        if trust < Trust::User && pattern::discardable(&text).is_some() {
            count(&mut span.items, "dropped", 1);
            continue;
        }
        let marked = markers.apply(&text);
        for (digest, stands) in &marked.replaced {
            if *stands == Stands::Pinned {
                span.rules.insert(*digest);
            }
        }
        let of = |wanted: Stands| marked.replaced.iter().filter(|(_, stands)| *stands == wanted).count();
        count(&mut span.items, "pinned", of(Stands::Pinned));
        count(&mut span.items, "withheld", of(Stands::Withheld));
        count(&mut span.items, "held", of(Stands::Held));
        if !marked.other_text && marked.replaced.is_empty() {
            continue;
        }
        let line = |text: &str| EventLine {
            seq: event.seq,
            turn: event.turn,
            role: event.message.role.as_str().to_owned(),
            trust,
            tool: tool.clone(),
            text: text.to_owned(),
        };
        let mut json = serde_json::to_string(&line(&marked.text)).unwrap_or_default();
        if markers.found_in(&json) {
            // a rule that only the encoding brings about: its event is named, not shown
            json = serde_json::to_string(&EventLine { tool: None, ..line("[withheld]") }).unwrap_or_default();
            span.shortened.push(event.seq);
            count(&mut span.items, "shortened", 1);
        } else {
            count(&mut span.items, "summarized", usize::from(marked.other_text));
        }
        span.trust = Some(span.trust.map_or(trust, |lowest| lowest.min(trust)));
        span.lines.push((event.seq, json));
    }
}

/// A piece of an event's text with one trust and one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Its trust.
    pub trust: Trust,
    /// The tool that is called or answers.
    pub tool: Option<String>,
    /// The text.
    pub text: String,
}

/// The text of an event in runs of equal trust and kind.
#[must_use]
pub fn runs(event: &Event) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for part in &event.message.parts {
        let trust = part.trust(event.trust);
        let (tool, text) = match part {
            Part::Call { name, arguments, .. } => (Some(name.clone()), arguments.clone()),
            Part::Result { text, .. } => (Some(event.source.strip_prefix("tool:").unwrap_or_default().to_owned()), text.clone()),
            Part::Media { kind, .. } => (None, format!("[{kind}]")),
            Part::Approval { response, .. } => {
                (None, (if *response { "(answers an approval request)" } else { "(asks for approval)" }).to_owned())
            }
            other => (None, other.text().to_owned()),
        };
        if text.trim().is_empty() {
            continue;
        }
        match runs.last_mut() {
            Some(last) if last.trust == trust && last.tool.is_none() && tool.is_none() => {
                last.text.push('\n');
                last.text.push_str(&text);
            }
            _ => runs.push(Run { trust, tool, text }),
        }
    }
    runs
}

/// Packs lines into texts of at most `limit` tokens; a longer line is cut into several of the same event.
#[must_use]
pub fn pack(lines: Vec<(u32, String)>, limit: u32) -> Vec<((u32, u32), String)> {
    let mut packed: Vec<((u32, u32), String)> = Vec::new();
    let mut size = 0_u32;
    for (seq, line) in lines.into_iter().flat_map(|(seq, line)| cut_line(seq, line, limit)) {
        let tokens = tokens::estimate(&line);
        match packed.last_mut() {
            Some((span, text)) if size.saturating_add(tokens) <= limit => {
                span.1 = seq;
                text.push('\n');
                text.push_str(&line);
                size = size.saturating_add(tokens);
            }
            _ => {
                packed.push(((seq, seq), line));
                size = tokens;
            }
        }
    }
    packed
}

fn cut_line(seq: u32, line: String, limit: u32) -> Vec<(u32, String)> {
    if tokens::estimate(&line) <= limit {
        return vec![(seq, line)];
    }
    let Ok(whole) = serde_json::from_str::<EventLine>(&line) else { return vec![(seq, line)] };
    let mut pieces = Vec::new();
    let mut rest = whole.text.as_str();
    while !rest.is_empty() {
        let piece = fitting(rest, limit);
        let json = serde_json::to_string(&EventLine { text: piece.to_owned(), ..whole.clone() }).unwrap_or_default();
        pieces.push((seq, json));
        rest = rest.get(piece.len()..).unwrap_or_default();
    }
    pieces
}

/// The longest beginning of `text` that surely fits, cut after a line, else after a sentence, else at a character.
fn fitting(text: &str, limit: u32) -> &str {
    let mut end = (limit as usize).saturating_mul(2).min(text.len());
    while end < text.len() && !text.is_char_boundary(end) {
        end += 1;
    }
    let mut piece = text.get(..end).unwrap_or(text);
    while tokens::estimate(piece) > limit.saturating_sub(40) && piece.len() > 64 {
        let mut half = piece.len() / 2;
        while !piece.is_char_boundary(half) {
            half += 1;
        }
        piece = piece.get(..half).unwrap_or(piece);
    }
    if piece.len() == text.len() {
        return piece;
    }
    let at = piece.rfind('\n').map(|i| i + 1).or_else(|| piece.rfind(". ").map(|i| i + 2)).filter(|at| *at > piece.len() / 2);
    at.and_then(|at| piece.get(..at)).unwrap_or(piece)
}
