//! How full the window is: reported usage, estimates of what is newer, calibration, and what the trigger remembers.

use serde::Serialize;

use crate::reads;
use crate::trigger::Boundary;

/// Reports below this size do not calibrate: fixed costs would weigh too much.
const CALIBRATION_FLOOR: u32 = 500;
/// Reasons and densities remembered for the alarms.
const REMEMBERED: usize = 20;

/// What the summaries of a round came to, as the caller's model wrote them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Round {
    /// Tokens of summaries per thousand events that were summarized for the first time.
    pub tokens: u32,
    /// Tokens of these events per thousand.
    pub source: u32,
}

/// Counts tokens in use. Every call is O(1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Meter {
    /// System prompt outside the list, and tool schemas.
    pub overhead: u32,
    /// Estimate of the window at the last commit or report.
    base: u32,
    /// What the provider reported last; a commit forgets it.
    reported: Option<u32>,
    /// The last report, where it could not be the size of a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    implausible: Option<u32>,
    /// Estimate of the events since then.
    newer: u32,
    /// Reported over estimated, per mille.
    calibration: u32,
    /// Estimate of the events since the last commit.
    since_commit: u32,
    /// Tokens in use after the last commit, and tokens it freed.
    last_commit: Option<(u32, u32)>,
    /// The pending boundary.
    boundary: Boundary,
    /// Whether a boundary source exists at all.
    boundaries_seen: bool,
    /// Reasons of the last compactions: whether each was a boundary.
    reasons: Vec<bool>,
    /// The figures of a [`Round`], round by round.
    densities: Vec<(u32, u32)>,
}

reads! { Meter { overhead, base, newer, calibration, since_commit, boundary, boundaries_seen, reasons, densities } { reported, implausible, last_commit } }

impl Default for Meter {
    fn default() -> Self {
        Self {
            overhead: 0,
            base: 0,
            reported: None,
            implausible: None,
            newer: 0,
            calibration: 1_000,
            since_commit: 0,
            last_commit: None,
            boundary: Boundary::None,
            boundaries_seen: false,
            reasons: Vec::new(),
            densities: Vec::new(),
        }
    }
}

impl Meter {
    /// Tokens in use.
    #[must_use]
    pub fn used(&self) -> u32 {
        match self.reported {
            Some(reported) => reported.saturating_add(self.calibrated(self.newer)),
            None => self.calibrated(self.base.saturating_add(self.newer).saturating_add(self.overhead)),
        }
    }

    /// An estimate corrected by what the provider reported.
    #[must_use]
    pub fn calibrated(&self, estimate: u32) -> u32 {
        u32::try_from(u64::from(estimate) * u64::from(self.calibration) / 1_000).unwrap_or(u32::MAX)
    }

    /// An event came in.
    pub fn arrived(&mut self, tokens: u32) {
        self.newer = self.newer.saturating_add(tokens);
        self.since_commit = self.since_commit.saturating_add(tokens);
    }

    /// The fixed part of the window changed by a declaration or a new branch.
    pub fn rebase(&mut self, window_estimate: u32) {
        self.base = window_estimate;
        self.newer = 0;
        self.reported = None;
    }

    /// The block grew or shrank between reports.
    pub fn shift(&mut self, before: u32, after: u32) {
        self.base = self.base.saturating_add(after).saturating_sub(before);
    }

    /// The provider reported the size of the request that was just answered. What is over the window and over twice the
    /// estimate is a sum over several calls, or of another model's; what is under a quarter of it leaves the cached part out.
    /// Either is remembered and not used.
    pub fn report(&mut self, tokens: u32, window: u32) {
        let estimate = self.base.saturating_add(self.newer).saturating_add(self.overhead);
        let over = tokens > window && tokens / 2 > estimate;
        let under = estimate >= CALIBRATION_FLOOR && tokens < estimate / 4;
        self.implausible = (over || under).then_some(tokens);
        if self.implausible.is_some() {
            return;
        }
        if estimate >= CALIBRATION_FLOOR && tokens >= CALIBRATION_FLOOR {
            let ratio = u64::from(tokens) * 1_000 / u64::from(estimate);
            self.calibration = u32::try_from(ratio.clamp(500, 2_000)).unwrap_or(1_000);
        }
        self.base = self.base.saturating_add(self.newer);
        self.newer = 0;
        self.reported = Some(tokens);
    }

    /// A compaction was committed; `window_estimate` is the new window without overhead.
    pub fn committed(&mut self, window_estimate: u32, boundary: Option<bool>, round: Option<Round>) {
        let before = self.used();
        self.rebase(window_estimate);
        let after = self.used();
        self.last_commit = Some((after, before.saturating_sub(after)));
        self.since_commit = 0;
        self.boundary = Boundary::None;
        push(&mut self.reasons, boundary);
        push(&mut self.densities, round.map(|round| (round.tokens, round.source)));
    }

    /// Marks a seam.
    pub fn mark(&mut self, boundary: Boundary) {
        self.boundary = boundary;
        self.boundaries_seen |= boundary != Boundary::None;
    }

    /// The agent went on: no seam here any more.
    pub fn clear_boundary(&mut self) {
        self.boundary = Boundary::None;
    }

    /// The pending boundary.
    #[must_use]
    pub fn boundary(&self) -> Boundary {
        self.boundary
    }

    /// Tokens in use after the last commit, and tokens it freed.
    #[must_use]
    pub fn last_commit(&self) -> Option<(u32, u32)> {
        self.last_commit
    }

    /// The last report, where it was not used.
    #[must_use]
    pub fn implausible(&self) -> Option<u32> {
        self.implausible
    }

    /// Estimated tokens of the events since the last commit.
    #[must_use]
    pub fn since_commit(&self) -> u32 {
        self.calibrated(self.since_commit)
    }

    /// `(backstop, boundary)` among the last compactions, where a boundary source exists and five were remembered.
    #[must_use]
    pub fn boundary_ratio(&self) -> Option<(usize, usize)> {
        let boundaries = self.reasons.iter().filter(|boundary| **boundary).count();
        let backstops = self.reasons.len() - boundaries;
        (self.boundaries_seen && self.reasons.len() >= 5 && backstops > 3 * boundaries).then_some((backstops, boundaries))
    }

    /// The last rounds in which the caller's model summarized something for the first time, oldest first.
    #[must_use]
    pub fn rounds(&self) -> Vec<Round> {
        self.densities.iter().map(|(tokens, source)| Round { tokens: *tokens, source: *source }).collect()
    }
}

fn push<T>(ring: &mut Vec<T>, value: Option<T>) {
    if let Some(value) = value {
        if ring.len() == REMEMBERED {
            ring.remove(0);
        }
        ring.push(value);
    }
}
