//! A text as statements: its sentences, list items and rows, with whose words each is.

use std::borrow::Cow;

use crate::item::{Span, Zone};
use crate::text::scan::{Kind, quotations, scan, sentences};
use crate::text::skeleton::is_small;

/// One sentence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Statement {
    pub(crate) span: Span,
    pub(crate) zone: Zone,
}

/// The sentences of a text, in order. Headings and rows are sentences of their own, and so is a line that does not go on in
/// lower case.
pub(crate) fn statements(text: &str) -> Vec<Statement> {
    let mut out = Vec::new();
    for item in scan(text) {
        if matches!(item.kind, Kind::Rule) {
            continue;
        }
        for sentence in sentences(text, item.body) {
            cut(text, Statement { span: sentence, zone: item.zone }, '\n', &mut out);
        }
    }
    out
}

/// The statements of a text, cut at their semicolons too.
pub(crate) fn halves(text: &str, statements: &[Statement]) -> Vec<Statement> {
    let mut out = Vec::new();
    for statement in statements {
        cut(text, *statement, ';', &mut out);
    }
    out
}

/// Cuts a statement behind a mark; at a line break only where the next line begins something of its own.
fn cut(text: &str, statement: Statement, mark: char, out: &mut Vec<Statement>) {
    let Statement { span, zone } = statement;
    let mut from = span.start;
    let mut push = |from: usize, to: usize| {
        let part = text.get(from..to).unwrap_or_default();
        let start = from + (part.len() - part.trim_start().len());
        let span = Span::new(start, start + part.trim().len());
        if !span.is_empty() {
            out.push(Statement { span, zone });
        }
    };
    for (at, found) in span.of(text).match_indices(mark) {
        let end = span.start + at + found.len();
        let wraps = || text.get(end..span.end).is_some_and(|rest| rest.trim_start().starts_with(is_small));
        if !(mark == '\n' && wraps()) {
            push(from, end);
            from = end;
        }
    }
    push(from, span.end);
}

/// A text without the given characters at its end.
pub(crate) fn before_end<'a>(text: &'a str, of: &str) -> &'a str {
    text.trim_end_matches(|c| of.contains(c))
}

/// A text without the given characters at its start.
pub(crate) fn after_start<'a>(text: &'a str, of: &str) -> &'a str {
    text.trim_start_matches(|c| of.contains(c))
}

const GAP: &str = " \t";

/// The words of a statement that are its author's: what stands in quotation marks is left out.
pub(crate) fn unquoted(text: &str, statement: Statement) -> Cow<'_, str> {
    let quotes = quotations(text, statement.span);
    if quotes.is_empty() {
        return Cow::Borrowed(statement.span.of(text));
    }
    let mut out = String::new();
    let mut at = statement.span.start;
    for quote in quotes {
        out.push_str(text.get(at..quote.start).unwrap_or_default());
        out.push(' ');
        at = quote.end;
    }
    out.push_str(text.get(at..statement.span.end).unwrap_or_default());
    Cow::Owned(out)
}

/// A text in which spans are replaced, in order and apart.
pub(crate) struct Edited<'a> {
    text: &'a str,
    out: String,
    at: usize,
}

impl<'a> Edited<'a> {
    pub(crate) fn of(text: &'a str) -> Self {
        Self { text, out: String::new(), at: 0 }
    }

    pub(crate) fn replace(&mut self, span: Span, with: &str) {
        if let Some(kept) = self.text.get(self.at..span.start) {
            self.out.push_str(kept);
            self.out.push_str(with);
            self.at = span.end;
        }
    }

    /// Takes a sentence out, with the gap after it, or with the mark of a line that held nothing else.
    pub(crate) fn remove(&mut self, span: Span) {
        self.replace(span, "");
        let rest = self.text.get(self.at..).unwrap_or_default();
        let next = after_start(rest, GAP);
        let line = self.out.rsplit('\n').next().unwrap_or_default();
        if !next.is_empty() && !next.starts_with('\n') {
            self.at += rest.len() - next.len();
        } else if line.chars().any(char::is_alphabetic) {
            self.out.truncate(before_end(&self.out, GAP).len());
        } else {
            self.out.truncate(self.out.len() - line.len());
            self.at += rest.len() - next.len() + usize::from(!next.is_empty());
        }
    }

    pub(crate) fn finish(mut self) -> String {
        self.out.push_str(self.text.get(self.at..).unwrap_or_default());
        self.out
    }
}

/// A text without the lines of which only the label is left: `- (tool:read, turn 3)`.
pub(crate) fn without_bare_labels(text: &str) -> String {
    let bare = |line: &str| line.trim().strip_prefix("- (").is_some_and(|rest| rest.find(')').is_some_and(|end| end + 1 == rest.len()));
    text.lines().filter(|line| !bare(line)).collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_out_leaves_no_gap() {
        let text = "One here. Two there.\n- three\n- four five. Six.\n\nSeven";
        let cut = |words: &str| {
            let at = text.find(words).unwrap();
            let mut edited = Edited::of(text);
            edited.remove(Span::new(at, at + words.len()));
            edited.finish()
        };
        assert_eq!(cut("One here."), "Two there.\n- three\n- four five. Six.\n\nSeven");
        assert_eq!(cut("Two there."), "One here.\n- three\n- four five. Six.\n\nSeven");
        assert_eq!(cut("three"), "One here. Two there.\n- four five. Six.\n\nSeven");
        assert_eq!(cut("Six."), "One here. Two there.\n- three\n- four five.\n\nSeven");
        assert_eq!(cut("Seven"), "One here. Two there.\n- three\n- four five. Six.\n\n");
    }

    #[test]
    fn statements_are_sentences_and_rows() {
        let text = "# Head\nFirst one. Second\nwrapped\n[NEXT] record\n- item a\n- item b. And c; d.\n\n> quoted";
        let found: Vec<_> = statements(text).iter().map(|s| (s.span.of(text), s.zone)).collect();
        assert_eq!(found.len(), 8, "{found:?}");
        assert_eq!((found[2].0, found[7].1), ("Second\nwrapped", Zone::Quoted));
        assert_eq!(halves(text, &statements(text)).len(), 9);
        let one = "He wrote \"skip it\" and left.";
        assert_eq!(unquoted(one, statements(one)[0]), "He wrote   and left.");
    }
}
