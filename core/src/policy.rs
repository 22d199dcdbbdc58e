//! How a guard behaves: one struct with defaults, which is also the wire form, and the numbers it comes to.

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::json::{self, FromValue};
use crate::ordered::Map;
use crate::reads;
use crate::trust::Trust;

/// A fraction of the window, kept as an integer per mille so that every platform computes the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(transparent))]
pub struct Fraction(#[cfg_attr(feature = "schema", schemars(with = "f64"))] u16);

impl Fraction {
    /// From parts of a thousand. Values outside 1..=1000 are caught by [`Policy::limits`].
    #[must_use]
    pub const fn per_mille(n: u16) -> Self {
        Self(n)
    }

    /// `tokens` times this fraction, rounded down.
    #[must_use]
    pub fn times(self, tokens: u32) -> u32 {
        u32::try_from(u64::from(tokens) * u64::from(self.0) / 1000).unwrap_or(u32::MAX)
    }
}

impl Serialize for Fraction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[expect(clippy::float_arithmetic, reason = "the wire form is a decimal; nothing is computed with it")]
        let decimal = f64::from(self.0) / 1000.0;
        serializer.serialize_f64(decimal)
    }
}

impl FromValue for Fraction {
    fn from_value(value: Value) -> Result<Self, json::Error> {
        let decimal = f64::from_value(value)?;
        if !(decimal > 0.0 && decimal <= 1.0) {
            return Err(json::Error::of("a fraction lies in (0, 1]"));
        }
        #[expect(
            clippy::float_arithmetic,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "read once from the wire form, in range"
        )]
        let per_mille = (decimal * 1000.0).round() as u16;
        if per_mille == 0 {
            return Err(json::Error::of("the smallest fraction is 0.001"));
        }
        Ok(Self(per_mille))
    }
}

reads! { @serde Fraction }

/// What to do when the originals of a span that should be summarized anew are gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnDegraded {
    /// Keep the old summary, say so in the window, go on.
    #[default]
    Continue,
    /// Refuse the plan and name what is needed.
    Refuse,
}

reads! { OnDegraded: Continue, Refuse }

/// What comes of a user's own words that loosen one of the user's own promoted rules (R7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Loosening {
    /// They take effect, and are listed in receipts and in the review queue.
    #[default]
    Apply,
    /// The old rule stays in force until somebody approves the change.
    Ask,
}

reads! { Loosening: Apply, Ask }

/// A check of the commit path whose findings a policy may answer in its own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Sentences against a rule in force.
    Fate,
    /// Claims without an anchor.
    Authority,
    /// Changed or invented identifiers.
    Identifiers,
    /// Decisions turned round, lost or without their reason.
    Decisions,
    /// Two summaries of one span that disagree.
    Idempotence,
}

impl Check {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Fate, Self::Authority, Self::Identifiers, Self::Decisions, Self::Idempotence];

    /// Its key in `checks`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fate => "fate",
            Self::Authority => "authority",
            Self::Identifiers => "identifiers",
            Self::Decisions => "decisions",
            Self::Idempotence => "idempotence",
        }
    }
}

/// What is done about the findings of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnFinding {
    /// Sentences leave or are put right; a summary of which nothing holds is replaced by the extractive one.
    #[default]
    Repair,
    /// The commit is refused with `check_failed`, nothing is changed.
    Refuse,
    /// The receipt says so, the summary is taken as it is.
    Report,
}

reads! { OnFinding: Repair, Refuse, Report }

/// Whether spans are summarized twice, to see whether both say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Idempotence {
    /// None.
    #[default]
    Off,
    /// One of each plan.
    Sample,
    /// All.
    Always,
}

reads! { Idempotence: Off, Sample, Always }

/// A guard's policy. Sizes are tokens; `null` fields are derived from the window.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Policy {
    /// Size of the model's context window. Required.
    pub window_tokens: Option<u32>,
    /// Share of the window beyond which quality suffers; the backstop never lies above it.
    pub quality_fraction: Fraction,
    /// Share of the window below which no boundary compacts.
    pub soft_floor_fraction: Fraction,
    /// Room kept for the next tool result. Default: an eighth of the window.
    pub max_tool_result_tokens: Option<u32>,
    /// Most that all active rules may take. Default: a tenth of the window.
    pub pinned_tokens: Option<u32>,
    /// Most that promoted rules may take together.
    pub promoted_tokens: u32,
    /// Longest promoted rule; a longer one keeps its whole event.
    pub promoted_max_tokens: u32,
    /// Most that the held block may take. Default: a fiftieth of the window.
    pub held_tokens: Option<u32>,
    /// Most that the new summaries of one compaction may take; where little is folded, three quarters of it. Default: 4,000 or a
    /// 25th of the window, the smaller.
    pub summary_tokens: Option<u32>,
    /// Size of the task state beyond which it is flagged. Default: a twentieth of the window.
    pub task_state_tokens: Option<u32>,
    /// Most that all segments may take together. Default: a tenth of the window.
    pub segments_tokens: Option<u32>,
    /// Size of the tail that stays whole. Default: a tenth of the window, or the last user message where that is larger.
    pub tail_tokens: Option<u32>,
    /// Most that one summary request may hold. Default: half the window.
    pub summarizer_window_tokens: Option<u32>,
    /// Price of one image.
    pub image_tokens: u32,
    /// Events after which an unanswered call no longer holds anything back.
    pub dead_call_events: u32,
    /// Share a compaction must free for the next one to be worth while at once.
    pub min_freed_fraction: Fraction,
    /// Rounds that the host has tested; beyond them receipts warn.
    pub tested_rounds: u32,
    /// What to do about the findings of a check, by its name: `fate`, `authority`, `identifiers`, `decisions`,
    /// `idempotence`. Those not named are repaired.
    pub checks: Map<String, OnFinding>,
    /// Whether spans are summarized twice.
    pub idempotence: Idempotence,
    /// What to do without originals.
    pub on_degraded: OnDegraded,
    /// What to do where a user loosens a rule in conversation.
    pub loosening: Loosening,
    /// Sources given a trust of their own beside the known ones.
    pub trusted_sources: Map<String, Trust>,
    /// A pattern that replaces the published one for rule-shaped text, in regex-lite syntax without the flags `R`, `U` and `x`.
    pub pattern: Option<String>,
    /// Whether the guard compacts at all. Rules are pinned and asserted either way.
    pub enabled: bool,
}

reads! { Policy default { window_tokens, quality_fraction, soft_floor_fraction, max_tool_result_tokens, pinned_tokens, promoted_tokens, promoted_max_tokens, held_tokens, summary_tokens, task_state_tokens, segments_tokens, tail_tokens, summarizer_window_tokens, image_tokens, dead_call_events, min_freed_fraction, tested_rounds, checks, idempotence, on_degraded, loosening, trusted_sources, pattern, enabled } }

impl Default for Policy {
    fn default() -> Self {
        Self {
            window_tokens: None,
            quality_fraction: Fraction::per_mille(600),
            soft_floor_fraction: Fraction::per_mille(300),
            max_tool_result_tokens: None,
            pinned_tokens: None,
            promoted_tokens: 2_000,
            promoted_max_tokens: 400,
            held_tokens: None,
            summary_tokens: None,
            task_state_tokens: None,
            segments_tokens: None,
            tail_tokens: None,
            summarizer_window_tokens: None,
            image_tokens: 1_200,
            dead_call_events: 50,
            min_freed_fraction: Fraction::per_mille(100),
            tested_rounds: 5,
            checks: Map::new(),
            idempotence: Idempotence::Off,
            on_degraded: OnDegraded::Continue,
            loosening: Loosening::Apply,
            trusted_sources: Map::new(),
            pattern: None,
            enabled: true,
        }
    }
}

/// The numbers a policy comes to, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The window.
    pub window: u32,
    /// A boundary compacts from here on.
    pub soft_floor: u32,
    /// Beyond this the next request may not fit.
    pub mechanical: u32,
    /// `min(mechanical, window x quality)`.
    pub backstop: u32,
    /// Room for the next tool result.
    pub tool_result: u32,
    /// Active rules together.
    pub pinned: u32,
    /// Promoted rules together.
    pub promoted: u32,
    /// One promoted rule.
    pub promoted_max: u32,
    /// Held block.
    pub held: u32,
    /// New summaries of one compaction.
    pub summary: u32,
    /// Task state, flag only.
    pub task_state: u32,
    /// All segments.
    pub segments: u32,
    /// Tail; `tail_given` says whether the host chose it.
    pub tail: u32,
    /// Whether `tail_tokens` was given.
    pub tail_given: bool,
    /// One summary request.
    pub summarizer_window: u32,
    /// Pinned block, memory and task state together: 40 % of the window.
    pub fixed_part: u32,
    /// Smallest saving of a compaction that counts as progress.
    pub min_freed: u32,
    /// Loosening by a user's own words.
    pub loosening: Loosening,
}

impl Limits {
    /// Budget of the new summaries for events of so many tokens: in proportion to those of a full window, so that later
    /// rounds, which have a memory beside them, are told as densely as the first; three quarters at least.
    #[must_use]
    pub fn summary_of(&self, source: u64) -> u32 {
        let full = u64::from(self.backstop.saturating_sub(self.tail).max(1));
        let budget = u64::from(self.summary) * source.clamp(full * 3 / 4, full) / full;
        u32::try_from(budget).unwrap_or(self.summary)
    }

    /// Upper bound of the notices: three lines, two of them with a list of at most a hundredth of the window.
    #[must_use]
    pub fn notices(&self) -> u32 {
        self.window / 50 + 128
    }
}

impl Policy {
    /// A policy for a window of `window_tokens`, all else by default.
    #[must_use]
    pub fn for_window(window_tokens: u32) -> Self {
        Self { window_tokens: Some(window_tokens), ..Self::default() }
    }

    /// Checks the policy and computes its numbers.
    ///
    /// # Errors
    /// `window_unknown` without a window; `invalid_policy` for a budget over the window, a soft floor above the
    /// backstop or a window too small to hold anything.
    pub fn limits(&self) -> Result<Limits> {
        let w = self.window_tokens.ok_or_else(|| Error::new(Code::WindowUnknown, "the size of the model's window is not known"))?;
        if w < 1_000 {
            return Err(invalid("window_tokens", "a window holds at least 1,000 tokens"));
        }
        let given = [
            ("max_tool_result_tokens", self.max_tool_result_tokens),
            ("pinned_tokens", self.pinned_tokens),
            ("held_tokens", self.held_tokens),
            ("summary_tokens", self.summary_tokens),
            ("task_state_tokens", self.task_state_tokens),
            ("segments_tokens", self.segments_tokens),
            ("tail_tokens", self.tail_tokens),
            ("promoted_max_tokens", Some(self.promoted_max_tokens)),
        ];
        for (name, value) in given {
            if value.is_some_and(|v| v >= w) {
                return Err(invalid(name, "a budget is smaller than the window"));
            }
        }
        for (name, value) in [
            ("max_tool_result_tokens", self.max_tool_result_tokens),
            ("summary_tokens", self.summary_tokens),
            ("summarizer_window_tokens", self.summarizer_window_tokens),
            ("segments_tokens", self.segments_tokens),
        ] {
            if value == Some(0) {
                return Err(invalid(name, "this budget may not be zero"));
            }
        }
        if self.checks.keys().any(|name| !Check::ALL.iter().any(|check| check.as_str() == name)) {
            return Err(invalid("checks", "the checks are `fate`, `authority`, `identifiers`, `decisions` and `idempotence`"));
        }
        let pinned = self.pinned_tokens.unwrap_or(w / 10);
        let summary = self.summary_tokens.unwrap_or((w / 25).min(4_000));
        let result = self.max_tool_result_tokens.unwrap_or(w / 8);
        let reserved = u64::from(pinned) + u64::from(summary) + u64::from(result);
        let mechanical = u64::from(w).checked_sub(reserved).and_then(|m| u32::try_from(m).ok()).filter(|m| *m > 0);
        let mechanical =
            mechanical.ok_or_else(|| invalid("pinned_tokens", "rules, summary and tool result together leave no room in the window"))?;
        let backstop = mechanical.min(self.quality_fraction.times(w));
        let soft_floor = self.soft_floor_fraction.times(w);
        if soft_floor > backstop {
            return Err(invalid("soft_floor_fraction", "the soft floor lies above the backstop"));
        }
        Ok(Limits {
            window: w,
            soft_floor,
            mechanical,
            backstop,
            tool_result: result,
            pinned,
            promoted: self.promoted_tokens,
            promoted_max: self.promoted_max_tokens,
            held: self.held_tokens.unwrap_or(w / 50),
            summary,
            task_state: self.task_state_tokens.unwrap_or(w / 20),
            segments: self.segments_tokens.unwrap_or(w / 10),
            tail: self.tail_tokens.unwrap_or(w / 10),
            tail_given: self.tail_tokens.is_some(),
            summarizer_window: self.summarizer_window_tokens.unwrap_or(w / 2).max(256),
            fixed_part: u32::try_from(u64::from(w) * 2 / 5).unwrap_or(w),
            min_freed: self.min_freed_fraction.times(w),
            loosening: self.loosening,
        })
    }

    /// The same with the budgets that follow from the window.
    #[must_use]
    pub fn resolved(&self, limits: &Limits) -> Self {
        Self {
            max_tool_result_tokens: Some(limits.tool_result),
            pinned_tokens: Some(limits.pinned),
            held_tokens: Some(limits.held),
            summary_tokens: Some(limits.summary),
            task_state_tokens: Some(limits.task_state),
            segments_tokens: Some(limits.segments),
            summarizer_window_tokens: Some(limits.summarizer_window),
            ..self.clone()
        }
    }

    /// What is done about the findings of a check.
    #[must_use]
    pub fn on(&self, check: Check) -> OnFinding {
        self.checks.get(check.as_str()).copied().unwrap_or_default()
    }

    /// The trust of a source name: the policy's own list first, then the known names.
    #[must_use]
    pub fn trust_of(&self, source: &str) -> Trust {
        self.trusted_sources.get(source).copied().unwrap_or_else(|| crate::trust::of_source(source))
    }
}

fn invalid(field: &str, why: &str) -> Error {
    Error::new(Code::InvalidPolicy, format!("`{field}`: {why}")).with("field", field)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn published_worked_example() {
        let policy = Policy {
            pinned_tokens: Some(3_000),
            summary_tokens: Some(4_000),
            max_tool_result_tokens: Some(25_000),
            ..Policy::for_window(200_000)
        };
        let limits = policy.limits().unwrap();
        assert_eq!((limits.mechanical, limits.backstop, limits.soft_floor), (168_000, 120_000, 60_000));
    }

    #[test]
    fn summaries_are_as_dense_in_a_later_round() {
        let limits = Policy { summary_tokens: Some(4_000), ..Policy::for_window(200_000) }.limits().unwrap();
        let full = u64::from(limits.backstop - limits.tail);
        let budgets: Vec<u32> = [0, full / 2, full * 4 / 5, full, full * 3].into_iter().map(|source| limits.summary_of(source)).collect();
        assert_eq!(budgets, [3_000, 3_000, 3_200, 4_000, 4_000]);
    }

    #[test]
    fn bad_policies_are_refused_by_name() {
        assert_eq!(Policy::default().limits().unwrap_err().code(), Code::WindowUnknown);
        for bad in [
            json!({"window_tokens": 10}),
            json!({"window_tokens": 10_000, "pinned_tokens": 10_000}),
            json!({"window_tokens": 10_000, "soft_floor_fraction": 0.7}),
            json!({"window_tokens": 10_000, "pinned_tokens": 5_000, "max_tool_result_tokens": 5_000}),
            json!({"window_tokens": 10_000, "summary_tokens": 0}),
            json!({"window_tokens": 10_000, "checks": {"presence": "report"}}),
        ] {
            let policy: Policy = serde_json::from_value(bad.clone()).unwrap();
            assert_eq!(policy.limits().unwrap_err().code(), Code::InvalidPolicy, "{bad}");
        }
        for bad in [json!({"quality_fraction": 0}), json!({"quality_fraction": 1.5}), json!({"bogus": 1}), json!({"quality_fraction": "x"})]
        {
            assert!(serde_json::from_value::<Policy>(bad.clone()).is_err(), "{bad}");
        }
    }

    #[test]
    fn policy_round_trips() {
        let policy = Policy::for_window(50_000);
        let text = serde_json::to_string(&policy).unwrap();
        assert_eq!(serde_json::from_str::<Policy>(&text).unwrap(), policy);
    }
}
