//! Is every event accounted for exactly once, and is every call with its result?

use crate::error::{Code, Error, Result};
use crate::event::Presence;
use crate::log::Log;
use crate::ordered::Set;
use crate::state::is_shown;

/// How a history is to be divided.
#[derive(Debug, Clone, Copy)]
pub struct Division<'a> {
    /// Events of the head.
    pub head: u32,
    /// Spans of the segments, inclusive, in order.
    pub spans: &'a [(u32, u32)],
    /// Events before the cut that stay whole, ascending.
    pub kept: &'a [u32],
    /// First event of the tail.
    pub cut: u32,
}

/// Head, segment spans, kept events and tail must tile the log (P1).
///
/// # Errors
/// `coverage_hole` naming the first event that is covered not at all or twice.
pub fn tiles(division: Division<'_>, log: &Log) -> Result<()> {
    let hole = |seq: u32| Error::new(Code::CoverageHole, format!("event {seq} is not covered exactly once")).with("seq", seq);
    if division.cut > log.len() || division.head > division.cut || division.head != log.head() {
        return Err(hole(division.cut.min(division.head)));
    }
    let mut pieces: Vec<(u32, u32)> = division.spans.to_vec();
    pieces.extend(division.kept.iter().map(|seq| (*seq, *seq)));
    pieces.sort_unstable();
    let mut next = division.head;
    for (from, to) in pieces {
        if from != next || to < from || to >= division.cut {
            return Err(hole(next.min(from)));
        }
        next = to + 1;
    }
    if next == division.cut { Ok(()) } else { Err(hole(next)) }
}

/// No call may be folded whose result stays, and the other way round (contract 6). Only the `fresh` spans are looked at.
///
/// # Errors
/// `broken_pair` naming the event.
pub fn pairs(division: Division<'_>, fresh: &[(u32, u32)], log: &Log) -> Result<()> {
    let mut calls = Set::new();
    let mut results = Set::new();
    for (from, to) in fresh {
        // a purged call is shown nowhere, folded or not
        for event in log.range(*from, to + 1).iter().filter(|event| event.presence != Presence::Forgotten) {
            calls.extend(event.message.calls());
            results.extend(event.message.results());
        }
    }
    let kept = division.kept.iter().filter_map(|seq| log.event(*seq));
    let stays: Vec<_> = kept.chain(log.range(division.cut, log.len())).filter(|event| is_shown(event)).collect();
    let mut asked = Set::new();
    for event in stays {
        asked.extend(event.message.calls());
        let orphan = event.message.results().any(|id| calls.contains(id) && !results.contains(id) && !asked.contains(id));
        if orphan {
            return Err(
                Error::new(Code::BrokenPair, format!("event {} answers a call that would be folded", event.seq)).with("seq", event.seq)
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_log_is_tiled_by_nothing() {
        let division = Division { head: 0, spans: &[], kept: &[], cut: 0 };
        assert!(tiles(division, &Log::default()).is_ok());
        assert_eq!(tiles(Division { cut: 1, ..division }, &Log::default()).unwrap_err().code(), Code::CoverageHole);
    }
}
