//! Lines that mean something beside each other: indented code, a diff, a conversation.

use super::*;
use crate::text::zone::{Label, label};

impl Scanner<'_> {
    /// Indented code begins after a blank line and ends where a line is indented less.
    pub(super) fn indented(&mut self, raw: &str, trimmed: &str) {
        let spaces = raw.chars().take_while(|c| matches!(c, ' ' | '\t')).map(|c| if c == '\t' { CODE } else { 1 }).sum::<usize>();
        let margin = *self.margin.get_or_insert(spaces);
        match self.foreign {
            Foreign::Indented(least) if spaces < least => self.leave(),
            Foreign::No
                if self.after_blank
                    && spaces >= margin + CODE
                    && self.levels.is_empty()
                    && !self.items.is_empty()
                    && list_mark(trimmed).is_none() =>
            {
                self.enter(Foreign::Indented(margin + CODE));
            }
            _ => {}
        }
    }

    /// Whether added and removed lines begin here: two in a row, or an added one between lines of context.
    pub(super) fn diff_run(&mut self, raw: &str, span: Span) -> bool {
        let begins = |line: &str, marks: &[u8]| line.bytes().next().is_some_and(|byte| marks.contains(&byte));
        if span.start < self.plain_until || !begins(raw.trim_start(), b"+-") {
            return false;
        }
        let (mut added, mut removed, mut tight, mut end) = (0, 0, 0, span.start);
        for line in self.text.get(span.start..).unwrap_or_default().split('\n') {
            let close = diff_mark(line.trim()).is_some();
            // "+ a" below "- b" is no list either, whose items have the same mark
            let spaced = begins(raw, b"+-") && begins(line, b"+-") && line.get(1..).is_some_and(|rest| begins(rest, b" \t"));
            if !(close || spaced) {
                break;
            }
            tight += u32::from(close);
            if begins(line.trim_start(), b"+") {
                added += 1
            } else {
                removed += 1
            }
            end += line.len() + 1;
        }
        self.plain_until = end;
        let context = |line: &str| begins(line, b" \t") && !line.trim().is_empty() && list_mark(line.trim()).is_none();
        let before = self.text.get(..span.start.saturating_sub(1)).and_then(|text| text.rsplit('\n').next()).is_some_and(context);
        let after = self.text.get(end..).and_then(|text| text.split('\n').next()).is_some_and(context);
        added > 0 && (removed > 0 || tight > 1 || before && (after || self.levels.is_empty()) || after && tight > 0)
    }

    /// Whether a line is somebody's turn in a conversation. In a paragraph with more topics than names, names are topics.
    pub(super) fn spoken(&mut self, line: &str, span: Span) -> bool {
        let Some(found) = label(line) else { return false };
        if span.start >= self.labels.0 {
            let (mut names, mut topics, mut end) = (0, 0, span.start);
            for line in self.text.get(span.start..).unwrap_or_default().split('\n') {
                match label(seen(line.trim())) {
                    Some(Label::Person) => names += 1,
                    Some(Label::Topic) => topics += 1,
                    None if line.trim().is_empty() => break,
                    None => {}
                }
                end += line.len() + 1;
            }
            self.labels = (end, names >= topics);
        }
        found == Label::Person && self.labels.1
    }
}
