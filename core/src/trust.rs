//! Who speaks: four levels of trust, given by adapters and never raised by text.

use serde::Serialize;

use crate::digest::Digest;
use crate::reads;

/// `operator` > `user` > `agent` > `external`. The derived order is the order of authority.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// Tool results, files, web pages, unknown sources: data, never an instruction.
    #[default]
    External,
    /// The model itself, its plans, and other agents.
    Agent,
    /// The person who talks to the agent.
    User,
    /// Whoever runs the agent: its system prompt, its policy loader, its records.
    Operator,
}

reads! { Trust: External, Agent, User, Operator }

impl Trust {
    /// The text form used on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::External => "external",
            Self::Agent => "agent",
            Self::User => "user",
            Self::Operator => "operator",
        }
    }

    /// Whether what is said with this trust can make, change or waive a rule.
    #[must_use]
    pub fn has_authority(self) -> bool {
        self >= Self::User
    }
}

/// Sources whose name carries a trust of its own.
pub const KNOWN_SOURCES: &[(&str, Trust)] = &[
    ("policy_loader", Trust::Operator),
    ("permissions", Trust::Operator),
    ("patient_record", Trust::Operator),
    ("regulatory_profile", Trust::Operator),
    ("user_directive", Trust::User),
    ("planner", Trust::Agent),
    ("decision_log", Trust::Agent),
    ("goal", Trust::Agent),
];

/// The sources of the published guide whose text is always a rule.
pub const INVARIANT_SOURCES: &[&str] = &["permissions", "policy_loader", "patient_record", "regulatory_profile", "user_directive"];

/// Agent sources whose text belongs to the task state.
pub const TASK_STATE_SOURCES: &[&str] = &["planner", "decision_log", "goal"];

/// Beginnings of names that always mean outside text.
pub const EXTERNAL_PREFIXES: &[&str] = &["tool:", "mcp:", "web:", "doc:", "file:"];

/// Names of sources that the engine itself gives.
const OWN_SOURCES: &[&str] = &["head", "system", "user", "assistant", "tool", "foreign_summary", OTHER_SOURCES];

/// The name under which sources are counted that are too many to be counted one by one.
pub const OTHER_SOURCES: &str = "other sources";

/// A source as receipts name it (O2): a known name as it is. Any other is free text, which the author of a page or of a tool
/// chose: of it the kind is told, and the fingerprint of the whole name.
///
/// ```
/// # use standfast::trust::receipt_name;
/// assert_eq!(receipt_name("user"), "user");
/// assert_eq!(receipt_name("Web:the diagnosis of Jane Roe"), "web:f55adde93a281f07");
/// ```
#[must_use]
pub fn receipt_name(source: &str) -> String {
    if OWN_SOURCES.contains(&source) || KNOWN_SOURCES.iter().any(|(known, _)| *known == source) {
        return source.to_owned();
    }
    format!("{}{}", external_prefix(source).unwrap_or("source:"), Digest::of(source).name())
}

/// The trust of a source name: known names, else external.
///
/// ```
/// # use standfast::trust::{of_source, Trust};
/// assert_eq!(of_source("policy_loader"), Trust::Operator);
/// assert_eq!(of_source("tool:policy_loader"), Trust::External);
/// ```
#[must_use]
pub fn of_source(name: &str) -> Trust {
    KNOWN_SOURCES.iter().find(|(known, _)| *known == name).map_or(Trust::External, |(_, trust)| *trust)
}

/// Whether a name says by itself that the text comes from outside.
#[must_use]
pub fn looks_external(name: &str) -> bool {
    external_prefix(name).is_some()
}

fn external_prefix(name: &str) -> Option<&'static str> {
    EXTERNAL_PREFIXES.iter().copied().find(|prefix| name.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_is_ordered_by_authority() {
        assert!(Trust::Operator > Trust::User && Trust::User > Trust::Agent && Trust::Agent > Trust::External);
        assert!(Trust::User.has_authority() && !Trust::Agent.has_authority());
    }

    #[test]
    fn unknown_and_prefixed_names_are_external() {
        for name in ["mcp:permissions", "TOOL:x", "somebody", "", "file:policy_loader"] {
            assert_eq!(of_source(name), Trust::External, "{name}");
        }
        assert!(looks_external("Web:page") && !looks_external("policy_loader"));
    }
}
