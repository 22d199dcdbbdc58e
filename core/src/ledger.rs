//! Accepted summaries and what they stand for.
//!
//! A segment is the summary of one contiguous span of raw events. It is re-used byte for byte or made anew from the
//! originals, never summarized itself. Segments lie in order of their spans; between them stand kept events.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::ordered::Map;
use crate::reads;
use crate::trust::Trust;

/// How a segment's text came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// By the caller's model.
    Model,
    /// By the built-in extractive summarizer.
    Extractive,
    /// Some requests by each.
    Mixed,
    /// One line written by code: the span is known by its size only.
    Line,
    /// Taken over from another compactor.
    Foreign,
}

reads! { Origin: Model, Extractive, Mixed, Line, Foreign }

/// An accepted summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// First event.
    pub from: u32,
    /// Last event, inclusive.
    pub to: u32,
    /// User turns of the first and the last event.
    pub turns: (u32, u32),
    /// How often these events were summarized: 0 the first time.
    pub level: u32,
    /// The summary.
    pub text: String,
    /// Estimated tokens of the text.
    pub tokens: u32,
    /// Lowest trust of what was summarized.
    pub trust: Trust,
    /// How the text came about.
    pub origin: Origin,
    /// Chain digest of the log after the last event, in short form: which history it belongs to.
    pub prefix: String,
    /// A rule inside the span was replaced: it is made anew at the next compaction.
    pub stale: bool,
    /// The originals are gone: it cannot be made anew.
    pub frozen: bool,
    /// Its text was shortened before it was summarized.
    pub shortened: bool,
}

impl Segment {
    /// The segment's name: 16 hexadecimal digits over span, prefix and text.
    #[must_use]
    pub fn id(&self) -> String {
        Digest::of(format!("{}-{} {} {}", self.from, self.to, self.prefix, self.text)).name()
    }

    /// Whether `seq` lies in the span.
    #[must_use]
    pub fn covers(&self, seq: u32) -> bool {
        (self.from..=self.to).contains(&seq)
    }
}

/// The compacted part of a history.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ledger {
    /// Accepted summaries in order of their spans.
    pub segments: Vec<Segment>,
    /// Events before the cut that stay whole, ascending.
    pub kept: Vec<u32>,
    /// First event of the tail.
    pub cut: u32,
    /// The memory message as rendered at the last commit, piece by piece; empty before.
    pub pieces: Vec<String>,
    /// Compactions committed so far.
    pub round: u32,
    /// Segments of branches that were left, by their prefix: they come back if the history does.
    pub shelf: Map<String, Segment>,
}

/// Most segments remembered of branches that were left.
const SHELF: usize = 64;

impl Ledger {
    /// The segment that stands for `seq`.
    #[must_use]
    pub fn covering(&self, seq: u32) -> Option<&Segment> {
        let after = self.segments.partition_point(|segment| segment.to < seq);
        self.segments.get(after).filter(|segment| segment.covers(seq))
    }

    /// A digest of everything a plan depends on.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let kept: Vec<String> = self.kept.iter().map(u32::to_string).collect();
        let mut text = format!("{} {} [{}]", self.round, self.cut, kept.join(", "));
        for segment in &self.segments {
            text.push_str(&format!(" {} {} {}", segment.id(), segment.level, segment.stale));
        }
        Digest::of(text)
    }

    /// Spans the segments stand for, inclusive.
    #[must_use]
    pub fn covered(&self) -> Vec<(u32, u32)> {
        self.segments.iter().map(|segment| (segment.from, segment.to)).collect()
    }

    /// Spans that are known by one line only, inclusive.
    #[must_use]
    pub fn shortened(&self) -> Vec<(u32, u32)> {
        self.segments.iter().filter(|segment| segment.shortened).map(|segment| (segment.from, segment.to)).collect()
    }

    /// Estimated tokens of all segments.
    #[must_use]
    pub fn tokens(&self) -> u32 {
        self.segments.iter().map(|segment| segment.tokens).fold(0, u32::saturating_add)
    }

    /// The branch was left from `seq` on: segments that reach past it are void.
    pub fn abandon(&mut self, seq: u32) {
        if self.cut <= seq && self.segments.last().is_none_or(|last| last.to < seq) {
            return;
        }
        let (stay, gone): (Vec<Segment>, Vec<Segment>) =
            std::mem::take(&mut self.segments).into_iter().partition(|segment| segment.to < seq);
        self.segments = stay;
        // what a void segment stood for is in the tail again, from its first event on
        self.cut = gone.first().map_or(self.cut, |first| first.from).min(self.cut).min(seq);
        for segment in gone {
            self.shelf.insert(segment.prefix.clone(), segment);
        }
        while self.shelf.len() > SHELF {
            self.shelf.pop_first();
        }
        self.kept.retain(|kept| *kept < self.cut);
    }

    /// What the segments from `seq` on stand for is shown again, and stays so until the next compaction.
    pub fn unfold(&mut self, seq: u32) {
        self.abandon(seq);
        self.shelf.retain(|_, segment| segment.to < seq);
    }

    /// Takes segments back from the shelf whose history has come back: those that follow what is covered without a gap.
    /// Returns their spans.
    pub fn revive(&mut self, len: u32, chain: impl Fn(u32) -> Digest) -> Vec<(u32, u32)> {
        let mut revived = Vec::new();
        loop {
            let next = self.shelf.values().find(|s| s.from == self.cut && s.to < len && s.prefix == chain(s.to + 1).short()).cloned();
            let Some(segment) = next else { return revived };
            self.shelf.remove(&segment.prefix);
            self.cut = segment.to + 1;
            revived.push((segment.from, segment.to));
            self.segments.push(segment);
        }
    }

    /// Marks the segments that stand for one of `seqs` as to be made anew.
    pub fn mark_stale(&mut self, seqs: &[u32]) {
        for segment in &mut self.segments {
            segment.stale |= seqs.iter().any(|seq| (segment.from..=segment.to).contains(seq));
        }
    }
}

/// A segment as shown to callers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SegmentView {
    /// Its name.
    pub id: String,
    /// First and last event, inclusive.
    pub span: (u32, u32),
    /// User turns of the first and the last event.
    pub turns: (u32, u32),
    /// How often its events were summarized before.
    pub level: u32,
    /// The summary.
    pub text: String,
    /// Estimated tokens.
    pub tokens: u32,
    /// Lowest trust of what was summarized.
    pub trust: Trust,
    /// How the text came about.
    pub origin: Origin,
    /// Whether its originals are gone.
    pub degraded: bool,
}

impl From<&Segment> for SegmentView {
    fn from(segment: &Segment) -> Self {
        Self {
            id: segment.id(),
            span: (segment.from, segment.to),
            turns: segment.turns,
            level: segment.level,
            text: segment.text.clone(),
            tokens: segment.tokens,
            trust: segment.trust,
            origin: segment.origin,
            degraded: segment.frozen,
        }
    }
}
