//! What of the pieces goes into the summary: worth, quotas, duplicates, budget.

use std::cmp::Reverse;

use super::cues::{CHATTER, Cues, DECISION, ERROR, NOISE, REASON, REQUEST, STATE};
use super::scan::{Piece, scan};
use super::{Line, Said};
use crate::ordered::{Map, Set};
use crate::text::ident::redacted;
use crate::tokens::estimate;
use crate::trust::Trust;

/// What a piece is worth keeping for, in order of worth, with its share of the budget in percent. What a kind leaves unused goes to
/// the others in the same order.
const KINDS: &[(Kind, u32)] =
    &[(Kind::Request, 30), (Kind::Decision, 25), (Kind::Error, 15), (Kind::Conclusion, 10), (Kind::Identifier, 12), (Kind::Result, 8)];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Request,
    Decision,
    Error,
    Conclusion,
    Identifier,
    Result,
}

/// A piece that may be emitted.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    score: u32,
    line: usize,
    start: usize,
    end: usize,
}

/// Pieces too large for what is left of a share, before the share counts as used.
const MISSES: u32 = 16;

/// Most pieces of one text, so that one long listing does not crowd out the rest.
const PER_TEXT: usize = 8;

/// The same for what came from outside.
const PER_EXTERNAL_TEXT: usize = 4;

/// Longest emitted piece in characters.
const MAX_PIECE: usize = 300;

pub(super) fn summary(lines: &[Line<'_>], budget: u32) -> String {
    let source: usize = lines.iter().map(|line| line.text.len()).sum();
    // A small source is the tighter limit; a large one need not be priced to know that it is not.
    let small = u64::try_from(source).unwrap_or(u64::MAX) <= u64::from(budget).saturating_mul(16);
    let priced = || lines.iter().map(|line| estimate(&line.text)).fold(0, u32::saturating_add);
    let budget = if small { budget.min(priced()) } else { budget };
    let mut pools = candidates(lines, source);
    let keep = usize::try_from(budget / 4).unwrap_or(0) + 64;
    for pool in pools.values_mut() {
        top(pool, keep);
    }
    let mut chosen = select(lines, &pools, budget);
    loop {
        let text = render(lines, &chosen);
        let over = estimate(&text).saturating_sub(budget);
        let longer = u32::try_from(text.len().saturating_sub(source)).unwrap_or(u32::MAX);
        if over == 0 && longer == 0 {
            return text;
        }
        let over = over.max(longer / 4);
        // The least worthy leave: enough of them to make up for what is over.
        let mut freed = 0;
        while let Some(last) = chosen.pop() {
            freed += estimate(piece_of(lines, &last));
            if freed >= over {
                break;
            }
        }
    }
}

/// The best `keep` of a pool, best first.
fn top(pool: &mut Vec<Candidate>, keep: usize) {
    let order = |c: &Candidate| (Reverse(c.score), Reverse(c.line), c.start);
    pool.sort_unstable_by_key(order);
    pool.truncate(keep);
}

fn candidates(lines: &[Line<'_>], source: usize) -> Map<Kind, Vec<Candidate>> {
    let cues = Cues::new();
    let mut pools: Map<Kind, Vec<Candidate>> = Map::new();
    let mut seen = Seen::for_bytes(source);
    let newest_agent = lines.iter().rposition(|line| line.trust == Trust::Agent && line.said == Said::Message);
    let oldest_user = lines.iter().position(|line| line.trust.has_authority() && line.said == Said::Message);
    for (i, line) in lines.iter().enumerate() {
        let recency = u32::try_from(i * 16 / lines.len().max(1)).unwrap_or(0);
        let turning_point = newest_agent == Some(i) || oldest_user == Some(i);
        scan(&line.text, &cues, |piece| {
            let Some((kind, score)) = worth(line, &piece, turning_point) else { return };
            let score = score + recency + piece.idents.min(4) * 3 + piece.numbers.min(3) * 2;
            let text = line.text.get(piece.start..piece.end).unwrap_or_default();
            let exact = line.trust > Trust::External || matches!(line.said, Said::Result { error: true, .. });
            if seen.is_new(text, exact) {
                let candidate = Candidate { score, line: i, start: piece.start, end: piece.end };
                pools.change(kind, Vec::new(), |pool| pool.push(candidate));
            }
        });
    }
    pools
}

/// What a piece is worth, or nothing.
fn worth(line: &Line<'_>, piece: &Piece, turning_point: bool) -> Option<(Kind, u32)> {
    let has = |cue: u16| piece.cues & cue != 0;
    let bears = piece.idents + piece.numbers.min(2);
    let reason = if has(REASON) { 12 } else { 0 };
    let turning = if turning_point { 40 } else { 0 };
    match &line.said {
        Said::Message if line.trust.has_authority() => match piece.nth {
            _ if has(DECISION) => Some((Kind::Decision, 50 + reason)),
            0 if piece.words >= 3 => Some((Kind::Request, 50 + turning)),
            _ if piece.words < 3 && bears == 0 => None,
            _ if has(REQUEST) => Some((Kind::Request, 30)),
            0 | 1 if piece.opening & CHATTER == 0 => Some((Kind::Request, 20)),
            _ => (bears > 0).then_some((Kind::Identifier, 30)),
        },
        Said::Message if line.trust == Trust::Agent => {
            let chatter = piece.opening & CHATTER != 0;
            match () {
                () if has(DECISION) => Some((Kind::Decision, 40 + reason)),
                () if chatter => None,
                () if has(ERROR) => Some((Kind::Error, 10)),
                () if has(STATE) || (turning_point && piece.nth == 0) => Some((Kind::Conclusion, 20 + turning + reason)),
                () => (bears > 0).then_some((Kind::Identifier, 24)),
            }
        }
        Said::Call { .. } => (bears > 0 && piece.nth == 0).then_some((Kind::Identifier, 8)),
        Said::Result { error: true, .. } if piece.nth < 2 || has(ERROR) => Some((Kind::Error, 40)),
        Said::Message | Said::Result { .. } => {
            let newest = matches!(line.said, Said::Result { newest: true, .. });
            match () {
                () if piece.error_head => Some((Kind::Error, 36)),
                () if has(NOISE) => None,
                () if has(ERROR) => Some((Kind::Error, 6)),
                () if newest && piece.nth < 3 => Some((Kind::Result, 30 - piece.nth * 4)),
                () if piece.nth == 0 && piece.words >= 4 => Some((Kind::Result, 4)),
                () => (bears > 0).then_some((Kind::Identifier, if has(STATE | DECISION) { 12 } else { 4 })),
            }
        }
    }
}

/// Texts seen, as hashes in a table of fixed size. A table that is full forgets: a duplicate more, never a text less.
struct Seen {
    slots: Vec<u64>,
}

impl Seen {
    fn for_bytes(bytes: usize) -> Self {
        Self { slots: vec![0; (bytes / 32 + 64).next_power_of_two().min(1 << 20)] }
    }

    /// Whether the text is new. Unless `exact`, small numbers and clock times do not make a difference: they count
    /// attempts.
    fn is_new(&mut self, text: &str, exact: bool) -> bool {
        let hash = if exact { hash(0, text.as_bytes()) } else { hash_without_counters(text) } | 1;
        let mask = self.slots.len().saturating_sub(1);
        let first = usize::try_from(hash >> 32).unwrap_or(0);
        for step in 0..8 {
            let Some(slot) = self.slots.get_mut((first + step) & mask) else { return true };
            if *slot == hash {
                return false;
            }
            if *slot == 0 {
                *slot = hash;
                return true;
            }
        }
        true
    }
}

/// Eight bytes at a time; the texts are trusted no further than to be told apart.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let mut chunks = bytes.chunks_exact(8);
    let whole = chunks.by_ref().filter_map(|chunk| <[u8; 8]>::try_from(chunk).ok()).map(u64::from_le_bytes);
    let hash = whole.fold(seed ^ bytes.len() as u64, mix);
    mix(hash, chunks.remainder().iter().fold(0, |rest, byte| rest << 8 | u64::from(*byte)))
}

fn hash_without_counters(text: &str) -> u64 {
    let counter = |word: &[u8]| {
        (word.len() <= 2 || (word.len() <= 14 && word.contains(&b':')))
            && word.iter().any(u8::is_ascii_digit)
            && !word.iter().any(u8::is_ascii_alphabetic)
    };
    text.as_bytes().split(|byte| *byte == b' ').filter(|word| !counter(word)).fold(0, hash)
}

/// The rounds in which the budget is given out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// Each kind up to its share.
    Shares,
    /// What is left, in order of worth.
    Rest,
    /// What is still left, to texts that have had their number of pieces.
    Uncapped,
}

/// Takes pieces until the budget is used. Most worthy first, so that the last may leave again.
fn select(lines: &[Line<'_>], pools: &Map<Kind, Vec<Candidate>>, budget: u32) -> Vec<Candidate> {
    let mut chosen: Vec<Candidate> = Vec::new();
    let mut taken: Set<(usize, usize)> = Set::new();
    let mut of_line: Map<usize, usize> = Map::new();
    let mut shown: Set<&str> = Set::new();
    let mut left = budget;
    for pass in [Pass::Shares, Pass::Rest, Pass::Uncapped] {
        for (kind, percent) in KINDS {
            let mut misses = 0;
            let mut share =
                if pass == Pass::Shares { u32::try_from(u64::from(budget) * u64::from(*percent) / 100).unwrap_or(left) } else { left };
            for candidate in pools.get(kind).into_iter().flatten() {
                if share.min(left) < 5 || misses > MISSES {
                    break;
                }
                let Some(line) = lines.get(candidate.line) else { continue };
                let told = of_line.get(&candidate.line).copied().unwrap_or(0);
                let most = match line.trust {
                    _ if pass == Pass::Uncapped => usize::MAX,
                    Trust::External => PER_EXTERNAL_TEXT,
                    _ => PER_TEXT,
                };
                if told >= most || taken.contains(&(candidate.line, candidate.start)) {
                    continue;
                }
                let Some(trimmed) = trim(lines, candidate, budget) else { continue };
                let piece = piece_of(lines, &trimmed);
                let idents: Vec<&str> = identifiers(piece).collect();
                if *kind == Kind::Identifier && idents.iter().all(|ident| shown.contains(ident)) {
                    continue;
                }
                let label = if told > 0 { 1 } else { estimate(&line.label()) };
                let cost = estimate(piece).saturating_add(label).saturating_add(1);
                if cost > share.min(left) {
                    misses += 1;
                    continue;
                }
                share -= cost;
                left -= cost;
                shown.extend(idents);
                of_line.insert(candidate.line, told + 1);
                taken.insert((candidate.line, candidate.start));
                chosen.push(trimmed);
            }
        }
    }
    chosen
}

fn piece_of<'a>(lines: &'a [Line<'_>], candidate: &Candidate) -> &'a str {
    lines.get(candidate.line).and_then(|line| line.text.get(candidate.start..candidate.end)).unwrap_or_default()
}

/// Words of a piece that look like identifiers.
fn identifiers(piece: &str) -> impl Iterator<Item = &str> {
    let words = piece.split(|c: char| c.is_whitespace() || "\"'`,;()[]{}<>|".contains(c));
    words.map(|word| word.trim_matches(|c: char| ".:!?*".contains(c))).filter(|word| {
        word.len() > 1 && (word.bytes().any(|b| b.is_ascii_digit() || matches!(b, b'/' | b'_' | b'@' | b'\\')) || word.contains('.'))
    })
}

/// Beginnings of lines that only we write.
const OUR_MARKS: &[&str] = &["[rule", "[held", "[memory", "non-negotiable", "memory (notes", "<standfast", "</standfast"];

/// Traces of tool-call markup and of fences, and of keys.
const NEVER: &[&str] =
    &["<tool_call", "<function", "<invoke", "</invoke", "[TOOL_CALLS]", "\"tool_calls\"", "<|", "```", "<standfast", "-----BEGIN "];

/// The piece as it may be emitted: without list marks and leading markers, at most [`MAX_PIECE`] characters, cut at a
/// word border. `None` where nothing is left or it must not be shown.
fn trim(lines: &[Line<'_>], candidate: &Candidate, budget: u32) -> Option<Candidate> {
    let whole = piece_of(lines, candidate);
    let mut piece = whole.trim();
    loop {
        let bare = without_list_mark(piece);
        let marker = bare.strip_prefix('[').is_some_and(is_marker);
        let rest = if marker { bare.split_once(']').map_or("", |(_, rest)| rest) } else { bare };
        if rest.len() == piece.len() {
            break;
        }
        piece = rest;
    }
    let limit = MAX_PIECE.min(usize::try_from(budget).unwrap_or(MAX_PIECE).saturating_mul(2).max(48));
    piece = shorten(piece, limit).trim_end();
    let allowed = (budget / 2).max(12);
    let price = estimate(piece);
    if price > allowed {
        let fitting = usize::try_from(u64::from(allowed) * piece.chars().count() as u64 / u64::from(price)).unwrap_or(0);
        piece = shorten(piece, fitting).trim_end();
    }
    // Never half a marker.
    let torn = |tail: &str| !tail.contains(']') && (is_marker(tail) || MARKER_WORDS.iter().any(|word| word.starts_with(tail)));
    if let Some((head, _)) = piece.rsplit_once('[').filter(|(_, tail)| torn(tail)) {
        piece = head.trim_end();
    }
    let lower = piece.get(..piece.len().min(32)).unwrap_or(piece).to_ascii_lowercase();
    let ours = OUR_MARKS.iter().any(|mark| lower.starts_with(mark));
    // Escaped text inside JSON: nobody reads it, and the same words mostly stand elsewhere.
    let escaped = piece.matches("\\n").take(2).count() > 1;
    if escaped || !piece.chars().any(char::is_alphanumeric) || ours || NEVER.iter().any(|trace| piece.contains(trace)) {
        return None;
    }
    let offset = piece.as_ptr().addr().checked_sub(whole.as_ptr().addr())?;
    let start = candidate.start + offset;
    Some(Candidate { start, end: start + piece.len(), ..*candidate })
}

/// What follows the bracket of a marker.
const MARKER_WORDS: &[&str] = &["rule ", "held "];

/// Whether what follows a bracket is a marker for a rule or a held text.
fn is_marker(inside: &str) -> bool {
    MARKER_WORDS.iter().any(|word| inside.starts_with(word))
}

/// A piece without its list mark, heading mark or opening brace.
fn without_list_mark(piece: &str) -> &str {
    let piece = piece.trim_start_matches(|c: char| c.is_whitespace() || "{,".contains(c));
    let rest = piece.trim_start_matches(|c: char| "-*>#|".contains(c));
    if rest.starts_with(char::is_whitespace) { rest.trim_start() } else { piece }
}

/// At most `limit` characters, ending at a word border; without one (Chinese, Japanese) at a character, unless that
/// would cut an ASCII word.
fn shorten(piece: &str, limit: usize) -> &str {
    let Some((end, cut)) = piece.char_indices().nth(limit) else { return piece };
    let head = piece.get(..end).unwrap_or_default();
    match head.rfind(char::is_whitespace) {
        _ if cut.is_whitespace() => head,
        Some(border) if border * 2 > end => head.get(..border).unwrap_or_default(),
        _ if !cut.is_ascii() => head,
        Some(border) => head.get(..border).unwrap_or_default(),
        None => "",
    }
}

/// Between two pieces of one text.
const GAP: &str = " … ";

fn render(lines: &[Line<'_>], chosen: &[Candidate]) -> String {
    let mut ordered: Vec<&Candidate> = chosen.iter().collect();
    ordered.sort_unstable_by_key(|candidate| (candidate.line, candidate.start));
    let mut out = String::new();
    let mut last = None;
    let mut run_start = 0;
    for candidate in ordered {
        let Some(line) = lines.get(candidate.line) else { continue };
        match last {
            Some((at, end)) if at == candidate.line => {
                // Neighbors of one paragraph stay together as they stand in the source, up to the length of a piece.
                let between = line.text.get(end..candidate.start).unwrap_or("\n");
                let joined = !between.is_empty() && between.bytes().all(|b| b == b' ') && candidate.end - run_start <= MAX_PIECE;
                run_start = if joined { run_start } else { candidate.start };
                out.push_str(if joined { between } else { GAP });
            }
            earlier => {
                out.push_str(if earlier.is_some() { "\n" } else { "" });
                out.push_str(&line.label());
                run_start = candidate.start;
            }
        }
        out.push_str(piece_of(lines, candidate));
        last = Some((candidate.line, candidate.end));
    }
    redacted(&out).unwrap_or(out)
}
