//! From a cue to the span that must not be parted (R3).
//!
//! A cue widens to its sentence, to the exceptions after it, to the lead-in and list it stands in, or, where a heading
//! or lead-in holds the cue, to all that it governs. What is somebody else's never joins what is the author's.

use std::cell::OnceCell;

use super::Candidate;
use crate::item::{Span, Zone};
use crate::text::pattern::Cue;
use crate::text::scan::{Kind, Scanned, inline_code, pairs, quotations, scan, sentences, unpaired};
use crate::text::skeleton::skeleton;
use crate::text::words::listed;

/// A sentence that begins so belongs to the one before it.
const CONTINUES: &[&str] = &[
    "unless",
    "except",
    "exception",
    "exceptions",
    "exempt",
    "only",
    "but",
    "however",
    "otherwise",
    "if so",
    "if not",
    "in that case",
    "in this case",
    "in those cases",
    "in such cases",
    "this applies",
    "this also applies",
    "this includes",
    "that includes",
    "this does not apply",
    "the exception",
    "the only exception",
    "the same applies",
    "the same goes",
    "even if",
    "even then",
    "not even",
    "apart from",
    "other than",
    "with the exception",
    "instead",
    "until then",
];

/// Widens each cue; cues that widen to the same place are one candidate.
pub(super) fn widen(text: &str, cues: &[Cue]) -> Vec<Candidate> {
    Document::of(text).widen(cues)
}

impl Document<'_> {
    /// Widens each cue of this text.
    pub(super) fn widen(&self, cues: &[Cue]) -> Vec<Candidate> {
        let mut out: Vec<Candidate> = Vec::new();
        let mut index = 0;
        for cue in cues {
            while self.items.get(index).is_some_and(|item| item.span.end <= cue.span.start) {
                index += 1;
            }
            if self.items.get(index).is_none() {
                break;
            }
            let Some(parts) = self.parts(index) else { continue };
            if let Some(last) = out.last_mut().filter(|last| cue.span.start < last.span.end) {
                // Already inside the last one, which is as wide as this cue could make it. The author's own words win.
                if last.zone == Zone::Quoted && self.zone(parts, cue) == Zone::Own {
                    *last = Candidate { span: last.span, cue: cue.name, zone: Zone::Own };
                }
                continue;
            }
            let Some(mut found) = self.candidate(parts, cue) else { continue };
            while let Some(last) = out.pop_if(|last| found.span.start < last.span.end) {
                found = merged(last, found);
            }
            out.push(found);
        }
        out
    }

    /// The sentences and quotations of an item, found once.
    fn parts(&self, index: usize) -> Option<&Parts> {
        self.parts.get(index).and_then(|parts| parts.get_or_init(|| Parts::of(self, index)).as_ref())
    }

    /// Where its constraints begin.
    pub(super) fn constraints(&self) -> Vec<Cue> {
        super::document::constraints(self.text, &self.items, &|index| self.parts(index).map_or(&[], |parts| parts.sentences.as_slice()))
    }

    /// Whether it is laid out as a document is, with headings or lists.
    pub(super) fn is_laid_out(&self) -> bool {
        self.items.iter().any(|item| item.zone == Zone::Own && matches!(item.kind, Kind::Heading { .. } | Kind::ListItem { .. }))
    }

    /// The sentences of paragraphs and list items that are the author's, with what is quoted or code in them.
    pub(super) fn own_sentences(&self) -> Vec<(Span, Vec<(Span, bool)>)> {
        let mut out = Vec::new();
        for (index, item) in self.items.iter().enumerate() {
            if item.zone != Zone::Own || !matches!(item.kind, Kind::Paragraph | Kind::ListItem { .. }) {
                continue;
            }
            let Some(parts) = self.parts(index) else { continue };
            for sentence in parts.sentences.iter().copied() {
                let mut masked = Vec::new();
                for (stretches, code) in [(&self.spread, false), (&parts.quotations, false), (&parts.codes, true)] {
                    let from = stretches.partition_point(|quote| quote.end <= sentence.start);
                    let rest = stretches.get(from..).unwrap_or_default();
                    masked.extend(rest.iter().take_while(|quote| quote.start < sentence.end).map(|quote| (*quote, code)));
                }
                out.push((sentence, masked));
            }
        }
        out
    }
}

/// Two candidates that overlap are one. The author's own words win.
fn merged(last: Candidate, found: Candidate) -> Candidate {
    let span = Span::new(last.span.start.min(found.span.start), last.span.end.max(found.span.end));
    let Candidate { cue, zone, .. } = if last.zone == Zone::Quoted && found.zone == Zone::Own { found } else { last };
    Candidate { span, cue, zone }
}

/// The sentences and quotations of one item.
struct Parts {
    item: usize,
    sentences: Vec<Span>,
    quotations: Vec<Span>,
    codes: Vec<Span>,
}

impl Parts {
    fn of(document: &Document<'_>, index: usize) -> Option<Self> {
        let item = document.items.get(index)?;
        let found = match item.kind {
            Kind::Fence => fence_lines(document.text, item.span),
            _ => with_force(document.text, addressed(document.text, sentences(document.text, item.body))),
        };
        let codes = inline_code(document.text, item.body);
        Some(Self { item: index, sentences: found, quotations: quotations(document.text, item.body), codes })
    }

    /// The sentence that holds a byte.
    fn sentence(&self, at: usize) -> Option<usize> {
        let index = self.sentences.partition_point(|sentence| sentence.end <= at);
        (index < self.sentences.len()).then_some(index)
    }

    fn quotes(&self, span: Span) -> bool {
        [&self.quotations, &self.codes].iter().any(|stretches| {
            let index = stretches.partition_point(|quote| quote.end <= span.start);
            stretches.get(index).is_some_and(|quote| quote.start < span.start && span.end <= quote.end)
        })
    }
}

/// Words of force and of emphasis, which say nothing of what is forbidden or asked for.
const FORCE: &str = "never always don't dont nie niemals immer jamais toujours nunca jamas siempre sempre";
const EMPHASIS: &str = "ever and i mean really please no not under any circumstances circumstance absolutely at all period repeat again \
    auf keinen fall unter umstanden wirklich bitte ich meine sous aucun pretexte vraiment bajo ninguna circunstancia sob nenhuma por favor";
/// Longest sentence of force alone, in bytes.
const LONGEST_FORCE: usize = 64;

/// Whether a sentence has force, and nothing that it is for.
fn is_force(sentence: &str) -> bool {
    if sentence.len() > LONGEST_FORCE {
        return false;
    }
    let folded = skeleton(sentence);
    let mut words = folded.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty()).peekable();
    let mut force = false;
    words.peek().is_some()
        && words.all(|word| {
            force |= listed(FORCE, word);
            listed(FORCE, word) || listed(EMPHASIS, word)
        })
        && force
}

/// Leaves out whom the first sentence is addressed to: "@bot never share the key", "<@U123> never share the key".
fn addressed(text: &str, mut found: Vec<Span>) -> Vec<Span> {
    let Some(first) = found.first_mut() else { return found };
    while let Some(rest) = first.of(text).strip_prefix("<@").or_else(|| first.of(text).strip_prefix('@')) {
        let name = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'|')).count();
        let behind = rest.get(name..).unwrap_or_default();
        let said = behind.trim_start_matches(['>', ',', ':']).trim_start();
        if name == 0 || said.is_empty() || said.len() == behind.len() {
            break;
        }
        first.start = first.end - said.len();
    }
    found
}

/// Joins sentences of force alone with what they are for: "NEVER!!! share the key.", "Never. Share. It."
fn with_force(text: &str, found: Vec<Span>) -> Vec<Span> {
    if found.len() < 2 || !found.iter().any(|span| is_force(span.of(text))) {
        return found;
    }
    let mut out: Vec<Span> = Vec::with_capacity(found.len());
    let (mut force, mut single) = (false, false);
    let last = found.len() - 1;
    for (at, span) in found.into_iter().enumerate() {
        let sentence = span.of(text);
        let word = !sentence.contains(char::is_whitespace);
        let bare = is_force(sentence);
        // at the end it is for what stands before it
        let joins = force || single && word || bare && at == last;
        match out.last_mut().filter(|_| joins) {
            Some(before) => before.end = span.end,
            None => out.push(span),
        }
        single = word && (force || bare || single);
        force = bare;
    }
    out
}

/// Code has lines, not sentences.
fn fence_lines(text: &str, span: Span) -> Vec<Span> {
    let mut out = Vec::new();
    for line in crate::text::sentinel::lines(span.of(text)) {
        let line = Span::new(line.start + span.start, line.end + span.start);
        let raw = line.of(text);
        if !raw.trim().is_empty() {
            let start = line.start + (raw.len() - raw.trim_start().len());
            out.push(Span::new(start, start + raw.trim().len()));
        }
    }
    out
}

/// A scanned text with what each item governs.
pub(super) struct Document<'t> {
    text: &'t str,
    items: Vec<Scanned>,
    /// For each item the topmost item that leads it in, itself if none does.
    roots: Vec<usize>,
    /// For each root the last item of its group.
    lasts: Vec<usize>,
    /// Quotations that go over several paragraphs.
    spread: Vec<Span>,
    parts: Vec<OnceCell<Option<Parts>>>,
}

/// The quotations of a text that begin in one paragraph and end in another.
fn spread(text: &str, items: &[Scanned]) -> Vec<Span> {
    let mut out = Vec::new();
    if !text.bytes().any(|byte| byte == b'"' || byte >= 0x80) || !text.contains(['"', '”', '»']) {
        return out;
    }
    let mut pending: Option<(usize, char)> = None;
    for item in items.iter().filter(|item| !matches!(item.kind, Kind::Rule | Kind::Fence | Kind::FrontMatter)) {
        let (single, first) = unpaired(text, item.body);
        if let Some((from, mark)) = pending {
            // Each paragraph of a quotation may begin with a mark; the last one ends with one too.
            let closed = single.closer.filter(|(_, closer)| pairs(mark, *closer)).map(|(end, _)| end);
            let again = first.filter(|first| first.of(text).starts_with(mark)).map(|first| first.end);
            if let Some(end) = closed.or(again) {
                out.push(Span::new(from, end));
                pending = None;
            }
        }
        let repeats = |opener: &(usize, char)| pending.is_some() && opener.0 == item.body.start;
        pending = single.opener.filter(|opener| !repeats(opener)).or(pending);
    }
    out
}

impl<'t> Document<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let items = scan(text);
        let mut roots: Vec<usize> = Vec::with_capacity(items.len());
        let mut lasts: Vec<usize> = (0..items.len()).collect();
        for (index, item) in items.iter().enumerate() {
            let governed = |lead: &usize| items.get(*lead).is_some_and(|lead| lead.zone == item.zone);
            let root = item.lead_in.filter(governed).and_then(|lead| roots.get(lead).copied()).unwrap_or(index);
            roots.push(root);
            if let Some(last) = lasts.get_mut(root) {
                *last = index;
            }
        }
        let spread = spread(text, &items);
        let parts = items.iter().map(|_| OnceCell::new()).collect();
        Self { text, items, roots, lasts, spread, parts }
    }

    fn zone(&self, parts: &Parts, cue: &Cue) -> Zone {
        let index = self.spread.partition_point(|quote| quote.end <= cue.span.start);
        let spread = self.spread.get(index).is_some_and(|quote| quote.start < cue.span.start && cue.span.end <= quote.end);
        if spread || parts.quotes(cue.span) { Zone::Quoted } else { self.items.get(parts.item).map_or(Zone::Quoted, |item| item.zone) }
    }

    fn candidate(&self, parts: &Parts, cue: &Cue) -> Option<Candidate> {
        let item = self.items.get(parts.item)?;
        let at = parts.sentence(cue.span.start)?;
        let sentence = parts.sentences.get(at).copied()?;
        let before = self.text.get(sentence.start..cue.span.start).unwrap_or_default();
        if (is_question(sentence.of(self.text)) && !requests(sentence.of(self.text), before)) || unsaid(sentence.of(self.text)) {
            return None;
        }
        let zone = self.zone(parts, cue);
        let span = if let Kind::Heading { level } = item.kind {
            Span::new(item.span.start, self.section_end(parts.item, level))
        } else {
            self.group(parts, at, item.zone)
        };
        // "Never!" and nothing else forbids nothing
        if is_force(span.of(self.text)) {
            return None;
        }
        Some(Candidate { span, cue: cue.name, zone })
    }

    /// One past the last byte of the author's own text under a heading, up to the next heading.
    fn section_end(&self, index: usize, level: u8) -> usize {
        let Some(heading) = self.items.get(index) else { return 0 };
        let rest = self.items.get(index + 1..).unwrap_or_default();
        let under = rest.iter().take_while(|item| {
            let deeper = matches!(item.kind, Kind::Heading { level: inner } if inner > level);
            item.zone == heading.zone && !matches!(item.kind, Kind::Rule) && (deeper || !matches!(item.kind, Kind::Heading { .. }))
        });
        under.last().map_or(heading.span.end, |last| last.span.end)
    }

    /// The list with its lead-in where the sentence is part of one, else the sentence with what continues it.
    fn group(&self, parts: &Parts, at: usize, zone: Zone) -> Span {
        let root = self.roots.get(parts.item).copied().unwrap_or(parts.item);
        let last = self.lasts.get(root).copied().unwrap_or(root);
        let leads = root == parts.item && last > root && at + 1 == parts.sentences.len();
        if root != parts.item || leads {
            let start = if leads { self.joined_start(parts, at) } else { self.lead_start(root) };
            let end = self.items.get(last).map_or(start, |item| item.span.end);
            return Span::new(start, self.following_items(last, end, zone));
        }
        let start = self.joined_start(parts, at);
        let mut end_at = at;
        while parts.sentences.get(end_at + 1).is_some_and(|next| continues(next.of(self.text))) {
            end_at += 1;
        }
        let end = parts.sentences.get(end_at).map_or(start, |sentence| sentence.end);
        let whole = end_at + 1 == parts.sentences.len();
        Span::new(start, if whole { self.following_items(parts.item, end, zone) } else { end })
    }

    /// Where the sentence begins, with those before it that it continues and a lead that ends in a colon.
    fn joined_start(&self, parts: &Parts, at: usize) -> usize {
        let mut first = at;
        while first > 0 {
            let continued = parts.sentences.get(first).is_some_and(|sentence| continues(sentence.of(self.text)));
            let led = parts.sentences.get(first - 1).is_some_and(|sentence| sentence.of(self.text).ends_with([':', '：']));
            if !continued && !led {
                break;
            }
            first -= 1;
        }
        parts.sentences.get(first).map_or(0, |sentence| sentence.start)
    }

    /// Where the last sentence of a lead-in begins.
    fn lead_start(&self, root: usize) -> usize {
        let Some(item) = self.items.get(root) else { return 0 };
        if item.kind != Kind::Paragraph {
            return item.span.start;
        }
        sentences(self.text, item.body).last().map_or(item.span.start, |sentence| sentence.start)
    }

    /// One past the items after `index` that go on as an exception does.
    fn following_items(&self, index: usize, end: usize, zone: Zone) -> usize {
        let mut end = end;
        for item in self.items.get(index + 1..).unwrap_or_default() {
            let plain = matches!(item.kind, Kind::Paragraph | Kind::ListItem { .. });
            if !plain || item.zone != zone || !continues(item.body.of(self.text)) {
                break;
            }
            end = match item.kind {
                Kind::Paragraph => exception_end(self.text, item.body),
                _ => item.span.end,
            };
            if end < item.span.end {
                break;
            }
        }
        end
    }
}

/// One past the leading sentences of a paragraph that go on with what stands before it.
fn exception_end(text: &str, body: Span) -> usize {
    let all = sentences(text, body);
    let mut end = body.start;
    for sentence in all.iter().take_while(|sentence| continues(sentence.of(text))) {
        end = sentence.end;
    }
    end
}

/// Whether a sentence qualifies the one before it.
fn continues(sentence: &str) -> bool {
    let head = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    let head = head.char_indices().nth(40).map_or(head, |(at, _)| head.get(..at).unwrap_or(head));
    let seen = skeleton(head);
    CONTINUES.iter().any(|start| seen.strip_prefix(start).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-')))
}

fn is_question(sentence: &str) -> bool {
    sentence.trim_end_matches(['"', '\'', ')', ']', '”', '’', '»', '*', '_', ' ', '!']).ends_with(['?', '？', '؟'])
}

/// Tags that make an order a question in form only.
const TAGS: &[&str] = &[
    "ok",
    "okay",
    "will you",
    "would you",
    "can you",
    "could you",
    "please",
    "alright",
    "all right",
    "yes",
    "got it",
    "understood",
    "clear",
    "agreed",
    "deal",
    "yeah",
];

/// Words that open a real question.
const ASKS: &str = "am are did does has have how is may must shall should was were what when where which who why may";

/// Polite beginnings of an order.
const POLITE: &[&str] = &["could you", "can you", "would you", "will you", "please", "kindly", "could we", "can we"];

/// Words that may stand between a polite beginning and the order.
const BETWEEN: &str = "please also kindly just make sure that you to ensure remember promise always and then we";

/// Whether a sentence with a question mark asks for something to be done or not done: `before` is what stands before the
/// cue in it.
fn requests(sentence: &str, before: &str) -> bool {
    let folded = skeleton(sentence);
    let said = folded.trim_matches(|c: char| !c.is_alphanumeric());
    let first = said.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let tag = said.rsplit_once([',', ';', '–', '—']).map_or("", |(_, tag)| tag.trim());
    if TAGS.contains(&tag) && !listed(ASKS, first) {
        let start = |lead: &&str| said.strip_prefix(*lead).is_some_and(|rest| rest.starts_with([' ', ',']));
        return !POLITE.iter().any(start) || polite(before);
    }
    polite(before)
}

fn polite(before: &str) -> bool {
    let folded = skeleton(before);
    let head = folded.trim_matches(|c: char| !c.is_alphanumeric());
    POLITE.iter().filter_map(|lead| head.strip_prefix(lead)).any(|rest| {
        let mut words = rest.split(|c: char| !(c.is_alphanumeric() || c == '\'')).filter(|word| !word.is_empty());
        !rest.starts_with(|c: char| c.is_alphanumeric()) && words.all(|word| listed(BETWEEN, word))
    })
}

/// Beginnings of a sentence that says what was not said, is not so, or was told to somebody else.
const UNSAID: &[&str] = &[
    "i never said that",
    "i never said",
    "i didn't say",
    "i did not say",
    "i'm not saying",
    "i am not saying",
    "it's not true that",
    "it is not true that",
    "it isn't true that",
    "it is false that",
    "nobody said",
    "i had to explain that",
];

/// Whether a sentence is reported or negated speech and nothing else; in doubt it is not.
fn unsaid(sentence: &str) -> bool {
    let head = sentence.char_indices().nth(400).map_or(sentence, |(at, _)| sentence.get(..at).unwrap_or(sentence));
    let folded = skeleton(head);
    let mut said = folded.trim_start_matches(|c: char| !c.is_alphanumeric());
    for lead in ["yesterday", "last week", "today", "but", "well", "no", "and"] {
        if let Some(rest) = said.strip_prefix(lead).filter(|rest| rest.starts_with([' ', ','])) {
            said = rest.trim_start_matches([' ', ',']);
        }
    }
    let turns = [" but ", " so ", ";", ":", " — ", " – ", " instead", " to you", "\n", ", never", ", do not", ", don't"];
    UNSAID.iter().any(|start| said.strip_prefix(start).is_some_and(|rest| rest.starts_with(' ')))
        && head.len() == sentence.len()
        && !turns.iter().any(|turn| said.contains(turn))
}
