//! The published trigger policy: sizes in, thresholds and one answer out.

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::policy::{Fraction, Limits, Policy};
use crate::reads;
use crate::trigger::{Boundary, TriggerPolicy};

/// The arguments of the published `TriggerPolicy`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TriggerArgs {
    /// The model's window.
    pub window_tokens: u32,
    /// Room for the pinned block.
    pub pinned_block_tokens: u32,
    /// Room for the new summary.
    pub summary_budget_tokens: u32,
    /// Room for the next tool result.
    pub max_tool_result_tokens: u32,
    /// Share of the window beyond which quality suffers.
    #[serde(default = "quality")]
    pub quality_fraction: Fraction,
    /// Share of the window below which no boundary compacts.
    #[serde(default = "soft_floor")]
    pub soft_floor_fraction: Fraction,
}

reads! { @impl TriggerArgs, object => {
    let mut made = Self {
        window_tokens: object.need("window_tokens"),
        pinned_block_tokens: object.need("pinned_block_tokens"),
        summary_budget_tokens: object.need("summary_budget_tokens"),
        max_tool_result_tokens: object.need("max_tool_result_tokens"),
        quality_fraction: quality(),
        soft_floor_fraction: soft_floor(),
    };
    object.set("quality_fraction", &mut made.quality_fraction);
    object.set("soft_floor_fraction", &mut made.soft_floor_fraction);
    made
} }

fn quality() -> Fraction {
    Fraction::per_mille(600)
}

fn soft_floor() -> Fraction {
    Fraction::per_mille(300)
}

/// What `should_compact` says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Answer {
    /// Whether to compact now.
    pub compact: bool,
    /// `boundary:<name>`, `headroom_backstop` or `continue`.
    pub reason: String,
}

/// The thresholds in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Thresholds {
    /// Beyond this the next request may not fit.
    pub mechanical: u32,
    /// `min(mechanical, window x quality)`.
    pub backstop: u32,
    /// No boundary compacts below.
    pub soft_floor: u32,
}

fn limits(args: &TriggerArgs) -> Result<Limits> {
    Policy {
        pinned_tokens: Some(args.pinned_block_tokens),
        summary_tokens: Some(args.summary_budget_tokens),
        max_tool_result_tokens: Some(args.max_tool_result_tokens),
        quality_fraction: args.quality_fraction,
        soft_floor_fraction: args.soft_floor_fraction,
        ..Policy::for_window(args.window_tokens)
    }
    .limits()
}

/// The thresholds these arguments come to.
///
/// # Errors
/// `invalid_policy` for arguments that leave no room.
pub fn trigger_limits(args: &TriggerArgs) -> Result<Thresholds> {
    let limits = limits(args)?;
    Ok(Thresholds { mechanical: limits.mechanical, backstop: limits.backstop, soft_floor: limits.soft_floor })
}

/// The published rule: a boundary from the soft floor on, else the backstop, else go on.
///
/// # Errors
/// `invalid_policy` as [`trigger_limits`], `invalid_argument` for an unknown boundary.
pub fn should_compact(args: &TriggerArgs, used: u32, boundary: &str) -> Result<Answer> {
    let (compact, reason) = TriggerPolicy::of(&limits(args)?).should_compact(used, Boundary::parse(boundary)?);
    Ok(Answer { compact, reason })
}
