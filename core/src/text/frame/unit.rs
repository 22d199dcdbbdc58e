//! Clauses: sentences, list items and headings, cut at semicolons, with what governs them and whose words they are.

use super::lexicon::{cue, lexicon};
use super::low;
use super::token::{Kind, Token};
use crate::item::Span;
use crate::text::sentence::{quotations, sentences};
use crate::text::sentinel::lines;
use crate::text::words::listed;

/// One clause.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unit {
    /// First token.
    pub(crate) from: usize,
    /// One past the last token.
    pub(crate) to: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The heading or lead-in above it.
    pub(crate) lead: Option<usize>,
    pub(crate) heading: bool,
    /// Goes on with the sentence of the clause before.
    pub(crate) joined: bool,
    pub(crate) question: bool,
    /// The paragraph or list item it stands in.
    pub(crate) block: usize,
}

/// Capital letters, as far as Latin-1, and small ones, with Greek and Cyrillic: the tables of `std` are large.
fn upper(c: char) -> bool {
    c.is_ascii_uppercase() || matches!(c, 'À'..='Þ')
}

fn lower(c: char) -> bool {
    c.is_ascii_lowercase() || matches!(c, 'ß'..='ÿ' | 'ά'..='ώ' | 'а'..='џ')
}

/// A stretch of lines that is cut into sentences by itself.
struct Block {
    span: Span,
    heading: bool,
    item: bool,
    quoted: bool,
}

fn blocks(text: &str) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::new();
    let (mut fenced, mut joins) = (false, false);
    for line in lines(text) {
        let raw = line.of(text);
        let body = raw.trim();
        if body.starts_with("```") || body.starts_with("~~~") {
            fenced = !fenced;
            joins = false;
            continue;
        }
        if body.is_empty() {
            joins = false;
            continue;
        }
        let mut rest = body;
        let (mut quoted, mut item) = (fenced, false);
        while let Some(inner) = rest.strip_prefix('>') {
            (rest, quoted) = (inner.trim_start(), true);
        }
        let heading = rest.starts_with('#') || (rest.starts_with("**") && rest.ends_with("**") && !rest.contains(". "));
        rest = rest.trim_start_matches('#').trim_start();
        loop {
            let number = rest.bytes().take_while(u8::is_ascii_digit).count();
            let behind = rest.get(number..).unwrap_or_default();
            let marked = match rest.chars().next() {
                Some(c @ ('-' | '*' | '+' | '•' | '–' | '·')) => rest.get(c.len_utf8()..).filter(|r| r.starts_with([' ', '\t'])),
                _ if number > 0 && number < 4 => behind.strip_prefix(['.', ')']).filter(|r| r.starts_with(' ')),
                _ => None,
            };
            let Some(inner) = marked else { break };
            (rest, item) = (inner.trim_start(), true);
        }
        let start = line.start + (raw.len() - raw.trim_start().len()) + (body.len() - rest.len());
        let span = Span::new(start, start + rest.len());
        let continues = joins && !item && !heading && !quoted && rest.starts_with(lower);
        match out.last_mut() {
            Some(block) if continues => block.span.end = span.end,
            _ => out.push(Block { span, heading, item, quoted }),
        }
        joins = !heading && !quoted && !rest.ends_with(['.', ':', '!', '?', ';', '。']);
    }
    out
}

/// The stretches that are mentioned or struck through, not said.
fn mentioned(text: &str) -> Vec<u64> {
    let mut out = quotations(text, Span::new(0, text.len()));
    // most text has neither sign
    let from_first = if text.bytes().any(|b| matches!(b, b'~' | b'<')) { 0 } else { text.len() };
    for (open, close) in [("~~", "~~"), ("<!--", "-->"), ("<del>", "</del>"), ("<s>", "</s>")] {
        let mut from = from_first;
        while let Some(at) = text.get(from..).and_then(|rest| rest.find(open)) {
            let inside = from + at + open.len();
            let Some(length) = text.get(inside..).and_then(|rest| rest.find(close)) else { break };
            out.push(Span::new(inside, inside + length));
            from = inside + length + close.len();
        }
    }
    let mut packed: Vec<u64> = out.iter().map(|span| (span.start as u64) << 32 | span.end as u64).collect();
    packed.sort_unstable();
    packed
}

/// The clauses of a text. Marks names and quoted words among the tokens.
pub(super) fn units(text: &str, tokens: &mut [Token]) -> Vec<Unit> {
    let mut out: Vec<Unit> = Vec::new();
    let mut at = 0;
    let (mut heading, mut lead): (Option<usize>, Option<usize>) = (None, None);
    let mut last_end = 0;
    for (place, block) in blocks(text).into_iter().enumerate() {
        let gap = text.get(last_end..block.span.start).is_some_and(|gap| gap.bytes().filter(|b| *b == b'\n').count() > 1);
        if block.heading || (gap && !block.item) {
            lead = None;
        }
        last_end = block.span.end;
        for sentence in sentences(text, block.span) {
            let mut start = sentence.start;
            let mut pieces: Vec<usize> = Vec::new();
            // the first byte of a wide one is enough to look for
            if sentence.of(text).bytes().any(|b| matches!(b, b';' | 0xef)) {
                pieces.extend(sentence.of(text).match_indices([';', '；']).map(|(at, _)| sentence.start + at + 1));
            }
            pieces.push(sentence.end);
            for end in pieces {
                while tokens.get(at).is_some_and(|token| token.end <= start) {
                    at += 1;
                }
                let from = at;
                while tokens.get(at).is_some_and(|token| token.start < end) {
                    if let Some(token) = tokens.get_mut(at).filter(|_| block.quoted) {
                        token.cue |= cue::QUOTED;
                    }
                    at += 1;
                }
                if from == at {
                    continue;
                }
                let body = text.get(start..end).unwrap_or_default().trim_end_matches(['*', '_', ' ']);
                let opens = body.ends_with(':') || body.ends_with('：');
                let question = body.ends_with(['?', '？']);
                out.push(Unit {
                    from,
                    to: at,
                    start,
                    end,
                    lead: lead.or(heading),
                    heading: block.heading,
                    joined: start != sentence.start,
                    question,
                    block: place,
                });
                if block.heading {
                    heading = Some(out.len() - 1);
                } else if opens {
                    lead = Some(out.len() - 1);
                } else if !block.item {
                    lead = None;
                }
                start = end;
            }
        }
    }
    let spans = mentioned(text);
    let mut spans = spans.iter().peekable();
    let mut until = 0;
    for token in tokens.iter_mut() {
        while let Some(span) = spans.next_if(|span| (**span >> 32) as usize <= token.start) {
            until = until.max(low(*span));
        }
        if token.start < until {
            token.cue |= cue::QUOTED;
        }
    }
    names(text, tokens, &out);
    out
}

/// Words before a name.
const TITLES: &str = "Mr Mrs Ms Dr Prof Frau Herr Herrn Mme Monsieur Madame Sra Senhora Dra";

/// Marks capital words that begin no sentence. Languages that write nouns so have acronyms only.
fn names(text: &str, tokens: &mut [Token], units: &[Unit]) {
    let german = tokens.iter().filter(|token| lexicon().is_german(token.exact)).count() > 1;
    for unit in units {
        let mut end = unit.start;
        let mut title = false;
        for token in tokens.iter_mut().skip(unit.from).take(unit.to - unit.from) {
            let word = text.get(token.start..token.end).unwrap_or_default();
            let gap = text.get(end..token.start).unwrap_or_default();
            let begins = end == unit.start || gap.contains([':', '.', '!', '?', '"', '“', '(', '—', '–', '*', '|']);
            let capitals = word.chars().filter(|c| upper(*c)).count();
            // `docs/` is a folder
            let folder =
                text.get(token.end..).and_then(|rest| rest.strip_prefix('/')).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
            let code = gap.ends_with('`') || folder;
            let single = capitals == 1 && !german && !begins && !unit.heading && word.len() > 1;
            let letter = capitals == 1 && word.len() == 1 && !(begins || word == "I");
            let named = capitals > 0 && title && word.len() > 1;
            title = listed(TITLES, word);
            let single = single && word.starts_with(upper);
            if token.kind == Kind::Word && (capitals > 1 && word.len() < 24 || code || letter || single || named) {
                token.cue |= if capitals > 1 { cue::CAPITALS } else { 0 };
                token.cue |= if letter { cue::NAME | cue::CODE } else { cue::NAME };
            }
            end = token.end;
        }
    }
}
