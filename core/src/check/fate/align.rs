//! Passages that repeat most words of a rule, and which word answers which.

use super::probe::Probe;
use crate::text::frame::{Frames, Kind, Token, cue, low};

/// Longest rule that is aligned word by word, in words.
const LONGEST: usize = 512;

/// Passages that are looked at.
const PASSAGES: usize = 3;

/// The stretches of a text that hold most of a rule's words, the best first, as ranges of tokens.
pub(super) fn windows(probe: &Probe<'_>, text: &Frames<'_>) -> Vec<(usize, usize)> {
    let length = probe.frames.tokens.len();
    if length > LONGEST {
        return Vec::new();
    }
    let reach = length + length / 4 + 4;
    let mut hits: Vec<u64> = Vec::new();
    for (index, part) in probe.parts.iter().enumerate() {
        hits.extend(text.places(part.canon).map(|at| (at as u64) << 32 | index as u64));
    }
    hits.sort_unstable();
    let hit = |at: usize| hits.get(at).map(|hit| ((*hit >> 32) as usize, low(*hit)));
    let mut counts = vec![0_u32; probe.parts.len()];
    let (mut sum, mut left) = (0, 0);
    let mut found: Vec<(u32, usize, usize)> = Vec::new();
    let weigh = |index: usize| probe.parts.get(index).map_or(0, |part| part.weight);
    for (at, index) in (0..hits.len()).filter_map(hit) {
        if let Some(count) = counts.get_mut(index) {
            sum += if *count == 0 { weigh(index) } else { 0 };
            *count += 1;
        }
        while let Some((start, other)) = hit(left) {
            let count = counts.get(other).copied().unwrap_or(0);
            // a double at the left end adds nothing
            if at - start < reach && count < 2 {
                break;
            }
            if let Some(count) = counts.get_mut(other) {
                *count -= 1;
                sum -= if *count == 0 { weigh(other) } else { 0 };
            }
            left += 1;
        }
        let start = hit(left).map_or(at, |hit| hit.0);
        if sum * 100 >= probe.total * 55 {
            match found.last_mut() {
                Some(last) if last.2 > start => {
                    if last.0 < sum {
                        *last = (sum, start, at + 1);
                    }
                }
                _ => found.push((sum, start, at + 1)),
            }
        }
    }
    let before = probe.parts.first().map_or(0, |part| part.at);
    let behind = length.saturating_sub(probe.parts.last().map_or(0, |part| part.at) + 1);
    let mut out = Vec::new();
    while out.len() < PASSAGES {
        // the first of the heaviest that are left
        let Some(best) = found.iter().enumerate().rev().max_by_key(|(_, window)| window.0).map(|(at, _)| at) else { break };
        let (_, from, to) = found.remove(best);
        out.push((from.saturating_sub(before + 2), (to + behind + 2).min(text.tokens.len())));
    }
    out
}

fn same(a: &Token, b: &Token) -> bool {
    // "at least" is not "at most"
    let side = (a.cue ^ b.cue) & (cue::LESS | cue::MORE) == 0;
    match (a.kind, b.kind) {
        (Kind::Glyph, Kind::Glyph) => a.key == b.key && side,
        (Kind::Word, Kind::Word) => (a.key == b.key || a.canon == b.canon) && side,
        _ => a.kind == b.kind && a.canon == b.canon,
    }
}

/// Pairs of equal words in the order of both: the longest common subsequence.
pub(super) fn pairs(rule: &[Token], text: &[Token]) -> Vec<(usize, usize)> {
    let width = text.len() + 1;
    let mut table = vec![0_u16; (rule.len() + 1) * width];
    let get = |table: &[u16], row: usize, column: usize| table.get(row * width + column).copied().unwrap_or(0);
    for (row, a) in rule.iter().enumerate().rev() {
        for (column, b) in text.iter().enumerate().rev() {
            let best = if same(a, b) {
                get(&table, row + 1, column + 1).saturating_add(1)
            } else {
                get(&table, row + 1, column).max(get(&table, row, column + 1))
            };
            if let Some(cell) = table.get_mut(row * width + column) {
                *cell = best;
            }
        }
    }
    let (mut row, mut column) = (0, 0);
    let mut out = Vec::new();
    while let (Some(a), Some(b)) = (rule.get(row), text.get(column)) {
        if same(a, b) {
            out.push((row, column));
            row += 1;
            column += 1;
        } else if get(&table, row + 1, column) >= get(&table, row, column + 1) {
            row += 1;
        } else {
            column += 1;
        }
    }
    out
}

/// Whether two tokens say the same.
pub(super) fn equal(a: &Token, b: &Token) -> bool {
    same(a, b)
}
