//! A report as a text to be read: the verdict, then each rule with its fate and the passage that decided, then what else
//! was found. No colors; characters that a terminal would act on are escaped.

use std::fmt;

use serde::Serialize;

use super::report::{AuditPlace, AuditReport};
use super::rules::SUPERSEDED;
use crate::json;

/// Most characters shown of one text.
const SHOWN: usize = 200;

/// Width of the first column.
const COLUMN: usize = 22;

/// Most findings of one kind that are shown.
const LISTED: usize = 50;

impl fmt::Display for AuditReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rendered())
    }
}

impl AuditReport {
    fn rendered(&self) -> String {
        let counts = &self.counts;
        let mut text = Text(String::new());
        text.0.push_str(if self.ok { "ok: " } else { "NOT OK: " });
        text.number(counts.rules_kept, " of ");
        text.number(counts.rules, " rules kept, ");
        text.number(counts.forged, " forged and ");
        text.number(counts.unanchored, " unanchored claims, ");
        text.number(self.pairs.len(), " parted calls\n");
        text.number(counts.messages_before, " messages -> ");
        text.number(counts.messages_after, ", ");
        text.number(counts.tokens_before, " tokens -> ");
        text.number(counts.tokens_after, "\n");
        if counts.rules_unread > 0 {
            text.number(counts.rules_unread, " more rules were not looked for\n");
        }
        let coverage = &self.coverage;
        for (name, spans) in [("kept", &coverage.kept), ("changed", &coverage.changed), ("gone", &coverage.gone)] {
            text.spans(name, spans);
        }
        for new in coverage.new.iter().take(LISTED) {
            text.line("new", &at(Some(new.place)), "");
        }
        text.head("RULES", self.fates.len());
        for fate in &self.fates {
            let superseded = fate.detail.as_deref() == Some(SUPERSEDED);
            let kind = if superseded { SUPERSEDED.to_owned() } else { word(&fate.kind) };
            text.line(&kind, &fate.fingerprint, &fate.rule);
            if superseded {
                continue;
            }
            if let Some(detail) = &fate.detail {
                text.line("", detail, "");
            }
            if fate.place.is_some() {
                let evidence = if fate.evidence == fate.rule { "" } else { &fate.evidence };
                text.line("", &at(fate.place), evidence);
            }
        }
        text.head("CLAIMS WITHOUT AUTHORITY", self.claims.len());
        for claim in self.claims.iter().take(LISTED) {
            text.line(&format!("{} {}", word(&claim.fault), word(&claim.claim)), &at(claim.place), &claim.evidence);
        }
        text.head("PARTED CALLS", self.pairs.len());
        for pair in self.pairs.iter().take(LISTED) {
            text.line(&word(&pair.fault), &format!("message {}", pair.index), &pair.id);
        }
        text.head("DECISIONS", self.decisions.len());
        for finding in self.decisions.iter().take(LISTED) {
            text.line(&word(&finding.fault), &word(&finding.polarity), &finding.decision);
            if !finding.evidence.is_empty() {
                text.line("", &at(finding.place), &finding.evidence);
            }
        }
        text.head("IDENTIFIERS", self.identifiers.len());
        for finding in self.identifiers.iter().take(LISTED) {
            let origins: String = finding.origins.iter().map(|origin| format!("was {origin}  ")).collect();
            text.line(&word(&finding.fault), &finding.text, origins.trim_end());
            if !finding.evidence.is_empty() {
                text.line("", &at(finding.place), &finding.evidence);
            }
        }
        text.0
    }
}

/// The word of an enum, as on the wire.
fn word<T: Serialize>(value: &T) -> String {
    json::text(value).trim_matches('"').to_owned()
}

fn at(place: Option<AuditPlace>) -> String {
    let Some(AuditPlace { index, role }) = place else { return "summary".to_owned() };
    index.map_or_else(|| role.as_str().to_owned(), |index| format!("message {index}, {}", role.as_str()))
}

struct Text(String);

impl Text {
    fn number(&mut self, number: impl ToString, then: &str) {
        self.0.push_str(&number.to_string());
        self.0.push_str(then);
    }

    fn head(&mut self, name: &str, count: usize) {
        if count > 0 {
            self.0.push('\n');
            self.0.push_str(name);
            self.0.push('\n');
        }
    }

    fn spans(&mut self, name: &str, spans: &[(u32, u32)]) {
        let mut all = String::new();
        for (first, last) in spans.iter().take(LISTED) {
            if !all.is_empty() {
                all.push_str(", ");
            }
            all.push_str(&first.to_string());
            if last > first {
                all.push('-');
                all.push_str(&last.to_string());
            }
        }
        if !all.is_empty() {
            self.line(name, &format!("messages {all}"), "");
        }
    }

    /// A line of three columns; the first two are ours or safe.
    fn line(&mut self, first: &str, second: &str, third: &str) {
        self.0.push_str("  ");
        self.0.push_str(first);
        for _ in first.len()..COLUMN {
            self.0.push(' ');
        }
        self.shown(second);
        if !third.is_empty() {
            self.0.push_str(if second.is_empty() { "" } else { "  " });
            self.shown(third);
        }
        self.0.push('\n');
    }

    fn shown(&mut self, text: &str) {
        for (number, c) in text.chars().enumerate() {
            if number == SHOWN {
                self.0.push('…');
                return;
            }
            if acts(c) {
                self.0.push_str("\\u{");
                let digits = [20, 16, 12, 8, 4, 0].map(|shift| char::from_digit(u32::from(c) >> shift & 15, 16).unwrap_or('0'));
                let first = digits.iter().position(|digit| *digit != '0').unwrap_or(5);
                digits.iter().skip(first).for_each(|digit| self.0.push(*digit));
                self.0.push('}');
            } else {
                self.0.push(c);
            }
        }
    }
}

/// Control characters, line breaks, marks of direction and what has no width.
fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}
