//! A text as statements: its sentences, list items and rows, with whose words each is.

use crate::item::{Span, Zone};
use crate::text::scan::{Kind, quotations, scan, sentences};

/// One sentence.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Statement {
    pub(crate) span: Span,
    pub(crate) zone: Zone,
}

/// The sentences of a text, in order. Headings and rows are sentences of their own.
pub(crate) fn statements(text: &str) -> Vec<Statement> {
    let mut out = Vec::new();
    for item in scan(text) {
        if matches!(item.kind, Kind::Rule) {
            continue;
        }
        for sentence in sentences(text, item.body) {
            out.extend(records(text, sentence).map(|span| Statement { span, zone: item.zone }));
        }
    }
    out
}

/// The lines of a sentence that are records of their own: a wrapped line goes on in lower case.
fn records(text: &str, sentence: Span) -> impl Iterator<Item = Span> {
    let mut cuts = vec![sentence.start];
    for (at, _) in sentence.of(text).match_indices('\n') {
        let next = sentence.of(text).get(at + 1..).map(str::trim_start).unwrap_or_default();
        if !next.starts_with(char::is_lowercase) && !next.is_empty() {
            cuts.push(sentence.end - next.len());
        }
    }
    let ends: Vec<usize> = cuts.iter().skip(1).copied().chain([sentence.end]).collect();
    let trimmed = |from: usize, to: usize| Span::new(from, from + text.get(from..to).map_or(0, |line| line.trim_end().len()));
    cuts.into_iter().zip(ends).map(move |(from, to)| trimmed(from, to)).filter(|span| !span.is_empty()).collect::<Vec<_>>().into_iter()
}

/// A statement cut at its semicolons.
pub(crate) fn halves(text: &str, statement: Statement) -> impl Iterator<Item = Statement> {
    let mut from = statement.span.start;
    let mut out = Vec::new();
    for part in statement.span.of(text).split_inclusive(['；', ';']) {
        let span = Span::new(from + (part.len() - part.trim_start().len()), from + part.len());
        from += part.len();
        out.push(Statement { span, ..statement });
    }
    out.into_iter()
}

/// The words of a statement that are its author's: what stands in quotation marks is blanked.
pub(crate) fn unquoted(text: &str, statement: Statement) -> String {
    let body = statement.span.of(text);
    let mut out = String::with_capacity(body.len());
    let mut at = statement.span.start;
    for quote in quotations(text, statement.span) {
        out.push_str(text.get(at..quote.start).unwrap_or_default());
        out.push(' ');
        at = quote.end;
    }
    out.push_str(text.get(at..statement.span.end).unwrap_or_default());
    out
}

/// A text with spans replaced. A line of which nothing is left but its mark goes.
pub(crate) fn edited(text: &str, mut edits: Vec<(Span, &str)>) -> String {
    edits.sort_unstable_by_key(|(span, _)| span.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (span, with) in edits.into_iter().filter(|(span, _)| !span.is_empty()) {
        let Some(kept) = text.get(at..span.start) else { continue };
        out.push_str(kept);
        out.push_str(with);
        at = span.end;
        if !with.is_empty() {
            continue;
        }
        // with a sentence goes the gap after it, or the mark of a line that held nothing else
        let rest = text.get(at..).unwrap_or_default();
        let line = out.rsplit('\n').next().unwrap_or_default();
        let ends = rest.trim_start_matches([' ', '\t']).starts_with('\n') || rest.trim().is_empty();
        if ends && !line.chars().any(char::is_alphabetic) {
            out.truncate(out.len() - line.len());
            at += rest.find('\n').map_or(rest.len(), |end| end + 1);
        } else if ends {
            out.truncate(out.trim_end_matches([' ', '\t']).len());
        } else {
            at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
        }
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_out_leaves_no_gap() {
        let text = "One here. Two there.\n- three\n- four five. Six.\n\nSeven";
        let cut = |words: &str| {
            let at = text.find(words).unwrap();
            edited(text, vec![(Span::new(at, at + words.len()), "")])
        };
        assert_eq!(cut("One here."), "Two there.\n- three\n- four five. Six.\n\nSeven");
        assert_eq!(cut("Two there."), "One here.\n- three\n- four five. Six.\n\nSeven");
        assert_eq!(cut("three"), "One here. Two there.\n- four five. Six.\n\nSeven");
        assert_eq!(cut("Six."), "One here. Two there.\n- three\n- four five.\n\nSeven");
        assert_eq!(cut("Seven"), "One here. Two there.\n- three\n- four five. Six.\n\n");
    }

    #[test]
    fn statements_are_sentences_and_rows() {
        let text = "# Head\nFirst one. Second\nwrapped\n[NEXT] record\n- item a\n- item b. And c.\n\n> quoted";
        let found: Vec<_> = statements(text).iter().map(|s| (s.span.of(text), s.zone)).collect();
        assert_eq!(found.len(), 8, "{found:?}");
        assert_eq!(found[7].1, Zone::Quoted);
        let one = "He wrote \"skip it\" and left.";
        assert_eq!(unquoted(one, statements(one)[0]), "He wrote   and left.");
    }
}
