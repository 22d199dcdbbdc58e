//! When to compact: a pure policy of the published guide, and the order of reasons a guard goes through.
//!
//! Nothing here depends on time. [`TriggerPolicy::should_compact`] is the published four-outcome rule; [`decide`] adds
//! what a guard knows beyond it: open calls, progress, cooldown.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::policy::Limits;
use crate::reads;

/// A semantic seam of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Boundary {
    /// No seam.
    #[default]
    None,
    /// A task is finished.
    TaskCompleted,
    /// The agent turns to other tools.
    ToolPhaseChange,
    /// A subgoal is reached.
    SubgoalClosed,
    /// The plan was changed.
    PlanRevised,
    /// A user message follows an assistant message without open calls.
    TurnClosed,
    /// The host says that the provider's prompt cache is gone anyway.
    CacheCold,
}

reads! { Boundary: None, TaskCompleted, ToolPhaseChange, SubgoalClosed, PlanRevised, TurnClosed, CacheCold }

impl Boundary {
    /// The name on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::TaskCompleted => "task_completed",
            Self::ToolPhaseChange => "tool_phase_change",
            Self::SubgoalClosed => "subgoal_closed",
            Self::PlanRevised => "plan_revised",
            Self::TurnClosed => "turn_closed",
            Self::CacheCold => "cache_cold",
        }
    }

    /// Reads a name, the published aliases included.
    ///
    /// # Errors
    /// `invalid_argument` for an unknown name.
    pub fn parse(name: &str) -> Result<Self> {
        Ok(match name.to_ascii_lowercase().as_str() {
            "none" => Self::None,
            "task_completed" | "task_done" => Self::TaskCompleted,
            "tool_phase_change" | "phase_change" => Self::ToolPhaseChange,
            "subgoal_closed" | "subgoal_done" => Self::SubgoalClosed,
            "plan_revised" => Self::PlanRevised,
            "turn_closed" => Self::TurnClosed,
            "cache_cold" => Self::CacheCold,
            _ => {
                return Err(Error::argument(
                    "unknown boundary; use task_completed, tool_phase_change, subgoal_closed, plan_revised, turn_closed or cache_cold",
                ));
            }
        })
    }

    /// The reason a compaction at this boundary carries.
    #[must_use]
    pub fn reason(self) -> String {
        format!("boundary:{}", self.as_str())
    }
}

/// The published trigger: sizes in tokens, fractions per mille.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TriggerPolicy {
    /// Beyond this the next request may not fit.
    pub mechanical: u32,
    /// `min(mechanical, window x quality)`.
    pub backstop: u32,
    /// No boundary compacts below.
    pub soft_floor: u32,
}

impl TriggerPolicy {
    /// The trigger of a policy's numbers.
    #[must_use]
    pub fn of(limits: &Limits) -> Self {
        Self { mechanical: limits.mechanical, backstop: limits.backstop, soft_floor: limits.soft_floor }
    }

    /// The published rule: a boundary from the soft floor on, else the backstop, else go on.
    #[must_use]
    pub fn should_compact(&self, used: u32, boundary: Boundary) -> (bool, String) {
        if boundary != Boundary::None && used >= self.soft_floor {
            return (true, boundary.reason());
        }
        if used >= self.backstop {
            return (true, "headroom_backstop".to_owned());
        }
        (false, "continue".to_owned())
    }
}

/// What a guard knows when it is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Situation {
    /// Whether the policy lets the guard compact.
    pub enabled: bool,
    /// Tokens in use.
    pub used: u32,
    /// A call waits for its result.
    pub open_calls: bool,
    /// The pending boundary.
    pub boundary: Boundary,
    /// Tokens in use right after the last commit and tokens that commit freed, if there was one.
    pub last_commit: Option<(u32, u32)>,
    /// Tokens that came in since the last commit.
    pub new_tokens: u32,
    /// The host asked for it: `requested` or `overflow`.
    pub asked: Option<Asked>,
}

/// A compaction the host calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Asked {
    /// By call.
    Requested,
    /// The provider said that the request was too long.
    Overflow,
}

reads! { Asked: Requested, Overflow }

/// The answer to "should this window be compacted now?".
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Verdict {
    /// Whether to compact now.
    pub compact: bool,
    /// `boundary:<name>`, `headroom_backstop`, `requested`, `overflow`, `continue`, `in_flight`, `no_progress` or `off`.
    pub reason: String,
    /// Tokens in use.
    pub used: u32,
    /// The threshold that decided: soft floor for a boundary, mechanical limit for a hard need, else the backstop.
    pub threshold: u32,
}

/// The guard's order of reasons (G2).
#[must_use]
pub fn decide(limits: &Limits, s: Situation) -> Verdict {
    let policy = TriggerPolicy::of(limits);
    let verdict = |compact, reason: &str, threshold| Verdict { compact, reason: reason.to_owned(), used: s.used, threshold };
    if !s.enabled {
        return verdict(false, "off", policy.backstop);
    }
    match s.asked {
        Some(Asked::Requested) => return verdict(true, "requested", 0),
        Some(Asked::Overflow) => return verdict(true, "overflow", 0),
        None => {}
    }
    if s.used >= policy.mechanical {
        return verdict(true, "headroom_backstop", policy.mechanical);
    }
    if s.open_calls {
        return verdict(false, "in_flight", policy.backstop);
    }
    let mut boundary = s.boundary;
    if let Some((after, freed)) = s.last_commit {
        if freed < limits.min_freed && s.new_tokens < limits.window / 20 {
            return verdict(false, "no_progress", policy.backstop);
        }
        if s.used < after.saturating_add(limits.window / 10) {
            boundary = Boundary::None;
        }
    }
    let (compact, reason) = policy.should_compact(s.used, boundary);
    let threshold = if reason.starts_with("boundary:") { policy.soft_floor } else { policy.backstop };
    verdict(compact, &reason, threshold)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    fn situation(used: u32) -> Situation {
        Situation { enabled: true, used, open_calls: false, boundary: Boundary::None, last_commit: None, new_tokens: 0, asked: None }
    }

    fn limits() -> Limits {
        Policy::for_window(100_000).limits().unwrap()
    }

    #[test]
    fn hard_need_beats_open_calls_and_lack_of_progress() {
        let l = limits();
        let s = Situation { open_calls: true, last_commit: Some((l.mechanical, 0)), ..situation(l.mechanical) };
        assert_eq!(decide(&l, s).reason, "headroom_backstop");
        assert_eq!(decide(&l, Situation { used: l.mechanical - 1, ..s }).reason, "in_flight");
    }

    #[test]
    fn open_calls_hold_back_boundary_and_backstop() {
        let l = limits();
        let s = Situation { open_calls: true, boundary: Boundary::TaskCompleted, ..situation(l.backstop) };
        assert!(!decide(&l, s).compact);
        assert!(decide(&l, Situation { open_calls: false, ..s }).compact);
    }

    #[test]
    fn boundary_cools_down_until_a_tenth_of_the_window_is_new() {
        let l = limits();
        let s = Situation { boundary: Boundary::TurnClosed, last_commit: Some((30_000, 40_000)), new_tokens: 6_000, ..situation(36_000) };
        assert_eq!(decide(&l, s).reason, "continue");
        assert_eq!(decide(&l, Situation { used: 40_000, ..s }).reason, "boundary:turn_closed");
    }

    #[test]
    fn a_commit_that_freed_little_waits_for_new_text() {
        let l = limits();
        let s = Situation { last_commit: Some((58_000, 100)), new_tokens: 4_999, ..situation(l.backstop) };
        assert_eq!(decide(&l, s).reason, "no_progress");
        assert_eq!(decide(&l, Situation { new_tokens: 5_000, ..s }).reason, "headroom_backstop");
    }
}
