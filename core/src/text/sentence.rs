//! Where sentences begin and end, and what stands in quotation marks.

use super::skeleton::{is_small, lowercase};
use crate::item::Span;
use crate::text::words::listed;

/// Words with a period that does not end a sentence, in lower case without it.
const ABBREVIATIONS: &str = "approx art bzw ca cf ch dr e.g eg etc ex fig i.e ie inc jr ltd max min mr mrs ms no nr p.ex pp prof resp sec sr st u.s usw \
    v ver vers vol vs z.b";

/// Those of them that may well end a sentence: only what follows in lower case keeps it going.
const MAY_END: &str = "etc inc ltd jr sr u.s usw no max min";

/// Those of them that are units behind a number.
const UNITS: &str = "ms sec min max pp vol st ca";

/// Bytes of the longest abbreviation, twice over for letters that are lowered to ASCII ones.
const LONGEST: usize = 18;

/// Splits a span into sentences. Together they hold every byte of it but the white space between them.
///
/// ```
/// # use standfast::{item::Span, text::sentence::sentences};
/// let text = "Use v1.2, e.g. for CI. Never push!";
/// let found: Vec<&str> = sentences(text, Span::new(0, text.len())).iter().map(|s| s.of(text)).collect();
/// assert_eq!(found, ["Use v1.2, e.g. for CI.", "Never push!"]);
/// ```
#[must_use]
pub fn sentences(text: &str, span: Span) -> Vec<Span> {
    let body = span.of(text);
    let mut out = Vec::new();
    let (mut start, mut from) = (0, 0);
    // between marks and letters outside of ASCII there is nothing to see
    let next = |from: usize| body.bytes().skip(from).position(|b| matches!(b, b'.' | b'!' | b'?' | b'\n') || b >= 0x80).map(|at| from + at);
    while let Some(at) = next(from) {
        let mut chars = body.get(at..).unwrap_or_default().char_indices().map(|(behind, c)| (at + behind, c)).peekable();
        let Some((_, c)) = chars.next() else { break };
        let mut end = at + c.len_utf8();
        from = end;
        let ends = match c {
            '。' | '！' | '？' | '｡' | '।' | '؟' => true,
            '.' | '!' | '?' | '…' => {
                while let Some((next, c)) = chars.next_if(|(_, c)| matches!(c, '.' | '!' | '?' | '…')) {
                    end = next + c.len_utf8();
                }
                true
            }
            '\n' => blank_line_follows(body, end),
            _ => false,
        };
        if !ends {
            continue;
        }
        if c != '\n' {
            while let Some((next, c)) = chars.next_if(|(_, c)| is_closer(*c)) {
                end = next + c.len_utf8();
            }
        }
        from = end;
        let wide = !c.is_ascii() && c != '…';
        if !wide && c != '\n' && !sentence_ends(body, start, at, end) {
            continue;
        }
        push(&mut out, body, span.start, start, end);
        start = end;
    }
    push(&mut out, body, span.start, start, body.len());
    out
}

fn push(out: &mut Vec<Span>, body: &str, base: usize, start: usize, end: usize) {
    let Some(piece) = body.get(start..end) else { return };
    let trimmed = piece.trim();
    if !trimmed.is_empty() {
        let from = base + start + (piece.len() - piece.trim_start().len());
        out.push(Span::new(from, from + trimmed.len()));
    }
}

fn is_closer(c: char) -> bool {
    matches!(c, '"' | '\'' | ')' | ']' | '}' | '”' | '’' | '»' | '“' | '」' | '』' | '）' | '*' | '_' | '`')
}

/// Whether the rest begins with a line of white space only.
fn blank_line_follows(body: &str, from: usize) -> bool {
    let mut rest = body.get(from..).unwrap_or_default().chars().take(64).skip_while(|c| *c != '\n' && c.is_whitespace());
    rest.next() == Some('\n')
}

/// Whether the mark at `at` ends the sentence that began at `start`; `end` is behind it and its closing quotes.
fn sentence_ends(body: &str, start: usize, at: usize, end: usize) -> bool {
    let rest = body.get(end..).unwrap_or_default();
    match rest.chars().next() {
        None => return true,
        Some(c) if !c.is_whitespace() => return false,
        Some(_) => {}
    }
    if body.as_bytes().get(at) != Some(&b'.') || end - at > 1 {
        return true;
    }
    let before = body.get(start..at).unwrap_or_default();
    let mut from = before.len();
    for (index, c) in before.char_indices().rev().take(12) {
        if c.is_whitespace() || matches!(c, '(' | '[' | '"' | '*' | '_') {
            break;
        }
        from = index;
    }
    let word = before.get(from..).unwrap_or_default();
    if word.is_empty() {
        return true;
    }
    let opens = before.get(..from).is_none_or(|head| head.trim().is_empty());
    if opens
        && word.bytes().all(|b| b.is_ascii_alphanumeric())
        && word.len() <= 3
        && (word.len() == 1 || word.bytes().all(|b| b.is_ascii_digit()))
    {
        return false;
    }
    // Behind a number it is a unit. What is longer than all that is listed need not be looked up.
    let lower = if word.len() > LONGEST { String::new() } else { lowercase(word) };
    let counted = before.get(..from).is_some_and(|head| head.trim_end().ends_with(|c: char| c.is_ascii_digit()));
    let short = listed(ABBREVIATIONS, lower.as_str());
    if counted && ((short && listed(UNITS, lower.as_str())) || word.len() == 1) {
        return !rest.trim_start().starts_with(is_small);
    }
    let next = rest.trim_start().chars().next();
    if short && listed(MAY_END, lower.as_str()) {
        return !next.is_some_and(|c| is_small(c) || c.is_numeric());
    }
    let initial = word.len() == 1 && word.bytes().all(|b| b.is_ascii_uppercase());
    !initial && !short
}

/// The stretches of a span that stand in quotation marks, marks included, in order. A mark without its partner before
/// the next blank line quotes nothing.
#[must_use]
pub fn quotations(text: &str, span: Span) -> Vec<Span> {
    marks(text, span).0
}

/// The marks of a span that have no partner in it: the last that opens, the first that closes. With what each is.
#[derive(Default)]
pub(crate) struct Unpaired {
    /// Where a quotation begins that does not end.
    pub(crate) opener: Option<(usize, char)>,
    /// One past the mark of a quotation that did not begin.
    pub(crate) closer: Option<(usize, char)>,
}

/// The unpaired marks of a paragraph, and the quotation it begins with.
pub(crate) fn unpaired(text: &str, span: Span) -> (Unpaired, Option<Span>) {
    let (quotations, unpaired) = marks(text, span);
    (unpaired, quotations.first().copied().filter(|first| first.start == span.start))
}

fn marks(text: &str, span: Span) -> (Vec<Span>, Unpaired) {
    let body = span.of(text);
    let mut out = Vec::new();
    let mut single = Unpaired::default();
    if !body.bytes().any(|b| matches!(b, b'"' | b'\'') || b >= 0x80) {
        return (out, single);
    }
    let mut open: Option<(usize, char)> = None;
    let mut previous = ' ';
    let mut chars = body.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        let end = span.start + at + c.len_utf8();
        match open {
            Some((from, mark)) if closes(mark, c, previous, next) => {
                out.push(Span::new(span.start + from, end));
                open = None;
            }
            Some(_) if c == '\n' && blank_line_follows(body, at + 1) => open = None,
            None if opens(c, previous, next) => open = Some((at, c)),
            None if single.closer.is_none() && matches!(c, '"' | '”' | '»') => {
                // Behind a number it may be an inch.
                let shuts = !previous.is_whitespace() && !previous.is_ascii_digit() && next.is_none_or(|c| !c.is_alphanumeric());
                single.closer = shuts.then_some((end, c));
            }
            _ => {}
        }
        previous = c;
    }
    single.opener = open.map(|(at, mark)| (span.start + at, mark)).filter(|(_, mark)| matches!(mark, '"' | '“' | '„' | '«'));
    (out, single)
}

/// Whether a mark closes what another opened, paragraphs before.
pub(crate) fn pairs(opener: char, closer: char) -> bool {
    matches!((opener, closer), ('"', '"') | ('“' | '„', '”') | ('«', '»'))
}

/// The stretches of a span that stand in backticks, in order. A run closes at the next one of its length.
#[must_use]
pub(crate) fn inline_code(text: &str, span: Span) -> Vec<Span> {
    let body = span.of(text);
    let mut out = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    let mut at = 0;
    let bytes = body.as_bytes();
    while let Some(byte) = bytes.get(at) {
        if *byte != b'`' {
            at += 1;
            continue;
        }
        let length = bytes.iter().skip(at).take_while(|b| **b == b'`').count();
        let inside = at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(u8::is_ascii_alphanumeric);
        match open {
            Some((from, wanted)) if wanted == length => {
                out.push(Span::new(span.start + from, span.start + at + length));
                open = None;
            }
            None if !inside => open = Some((at, length)),
            _ => {}
        }
        at += length;
    }
    out
}

fn opens(c: char, previous: char, next: Option<char>) -> bool {
    match c {
        '"' | '＂' => !previous.is_alphanumeric() && next.is_some_and(|c| !c.is_whitespace()),
        '\'' | '‘' => {
            (previous.is_whitespace() || matches!(previous, '(' | '[' | ':' | '*' | '–' | '—')) && next.is_some_and(|c| !c.is_whitespace())
        }
        '“' | '„' | '«' | '「' | '『' => true,
        _ => false,
    }
}

fn closes(mark: char, c: char, previous: char, next: Option<char>) -> bool {
    match mark {
        // An apostrophe stands before a letter or, in a plural, before a space and a letter: the latter closes.
        '\'' => c == mark && !previous.is_whitespace() && next.is_none_or(|c| !c.is_alphanumeric()),
        '‘' => c == '’' && next.is_none_or(|c| !c.is_alphanumeric()),
        '"' | '＂' => c == mark && next.is_none_or(|c| !c.is_alphanumeric()),
        '“' => c == '”',
        '„' => matches!(c, '“' | '”'),
        '«' => c == '»',
        '「' => c == '」',
        '『' => c == '』',
        _ => false,
    }
}

/// Whether a span stands in quotation marks within its paragraph: it is mentioned, not said.
#[must_use]
pub fn inside_quotes(text: &str, span: Span) -> bool {
    let before = text.get(..span.start).unwrap_or_default();
    let start = before.as_bytes().windows(2).rposition(|pair| pair == b"\n\n").map_or(0, |at| at + 2);
    let after = text.get(span.end..).unwrap_or_default();
    let end = after.find("\n\n").map_or(text.len(), |at| span.end + at);
    quotations(text, Span::new(start, end)).iter().any(|quote| quote.start < span.start && span.end < quote.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text, Span::new(0, text.len())).into_iter().map(|s| s.of(text)).collect()
    }

    #[test]
    fn abbreviations_numbers_and_names_do_not_end_a_sentence() {
        for text in [
            "Ask Dr. Smith first",
            "See No. 5 and fig. 2 vs. fig. 3, i.e. both",
            "It costs 3.50 with v1.2.3 of app.config.json today",
            "1. Never push",
            "a. Never push",
            "J. Doe signs",
        ] {
            assert_eq!(split(text), [text]);
        }
    }

    #[test]
    fn what_may_end_a_sentence_is_an_abbreviation() {
        for word in [MAY_END, UNITS].join(" ").split(' ') {
            assert!(listed(ABBREVIATIONS, word), "{word}");
        }
    }

    #[test]
    fn units_before_a_capital_end_a_sentence() {
        assert_eq!(split("Never above 470 ms. Light first."), ["Never above 470 ms.", "Light first."]);
        assert_eq!(split("At 5 V. Stop. It took 3 min. and went"), ["At 5 V.", "Stop.", "It took 3 min. and went"]);
        assert_eq!(split("Ask Ms. Light first"), ["Ask Ms. Light first"]);
    }

    #[test]
    fn sentences_keep_their_closing_marks() {
        assert_eq!(
            split("He said \"Stop.\" (Really!) Then left... ok?! Yes"),
            ["He said \"Stop.\"", "(Really!)", "Then left...", "ok?!", "Yes"]
        );
        assert_eq!(split("不要删除。请先问我！「好。」然后"), ["不要删除。", "请先问我！", "「好。」", "然后"]);
        assert_eq!(split("**Never push.** ask first. tests etc. Go"), ["**Never push.**", "ask first.", "tests etc.", "Go"]);
        assert_eq!(split("one\ntwo\n\nthree"), ["one\ntwo", "three"]);
    }

    #[test]
    fn quotation_marks_are_told_from_said_words() {
        for (text, cue, inside) in [
            ("The sign said \"never enter\" in red", "never", true),
            ("Er sagte „never“ laut", "never", true),
            ("Elle a dit « never » hier", "never", true),
            ("It said “Stop. never move.” Then", "never", true),
            ("It reads 'You never win, don't you' here", "never", true),
            ("the boys' club never opens on the girls' days", "never", false),
            ("don't ask, never 'tell'", "never", false),
            ("\"Hello\" and never \"again\"", "never", false),
            ("a 5\" pipe never bends 6\" ones", "never", false),
            ("\"open and never closed", "never", false),
        ] {
            let at = text.find(cue).unwrap();
            assert_eq!(inside_quotes(text, Span::new(at, at + cue.len())), inside, "{text}");
        }
    }

    proptest! {
        #[test]
        fn sentences_hold_every_byte_but_white_space(text in "[a-cA-C. \\n!?\"。)e.g1-3]{0,60}") {
            let mut at = 0;
            for span in sentences(&text, Span::new(0, text.len())) {
                prop_assert!(text.get(at..span.start).is_some_and(|gap| gap.trim().is_empty()));
                prop_assert!(!span.is_empty() && span.of(&text).trim() == span.of(&text));
                at = span.end;
            }
            prop_assert!(text.get(at..).is_some_and(|rest| rest.trim().is_empty()));
        }
    }
}
