//! One error type for every boundary: a stable code, a class, a message and how to recover.
//!
//! [`Code`] is the contract: codes never change their meaning. The class ([`Class`]) is what a binding maps to an
//! exception type. Messages carry kinds, counts and ids, never the text of a rule or an event.

use std::fmt;

use serde_json::{Map, Value};

/// What the caller catches: one exception class each in Python, the `name` of the error in JavaScript.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Class {
    /// A rule is missing from a window or an outgoing request.
    InvariantLost,
    /// The policy or a call's arguments are not usable.
    Policy,
    /// A rule cannot be taken, found or changed as asked.
    Registry,
    /// No plan can be made; the uncompacted request may still be sent while it fits.
    PlanRefused,
    /// The summaries cannot be committed; nothing was changed.
    CommitRefused,
    /// The plan was made from a state that is gone.
    StalePlan,
    /// A message is not of a known shape.
    Shape,
    /// A snapshot cannot be read or trusted.
    Snapshot,
    /// Declared rules do not fit their budget.
    BudgetExceeded,
    /// `compact_session` of the published guide found its input or output unsound.
    CompactionInvariant,
}

impl Class {
    /// The class's public name, the same in every language.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::InvariantLost => "InvariantLost",
            Self::Policy => "PolicyError",
            Self::Registry => "RegistryError",
            Self::PlanRefused => "PlanRefused",
            Self::CommitRefused => "CommitRefused",
            Self::StalePlan => "StalePlan",
            Self::Shape => "ShapeError",
            Self::Snapshot => "SnapshotError",
            Self::BudgetExceeded => "BudgetExceeded",
            Self::CompactionInvariant => "CompactionInvariantError",
        }
    }
}

macro_rules! codes {
    ($($variant:ident, $code:literal, $class:ident, $hint:literal;)*) => {
        /// Every error code. The text form ([`Code::as_str`]) is stable.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = concat!("`", $code, "`: ", $hint)] $variant,)*
        }

        impl Code {
            /// All codes, in the order of the table.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The stable text form.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code,)* }
            }

            /// The class a binding maps this code to.
            #[must_use]
            pub fn class(self) -> Class {
                match self { $(Self::$variant => Class::$class,)* }
            }

            /// One sentence on how to recover.
            #[must_use]
            pub fn hint(self) -> &'static str {
                match self { $(Self::$variant => $hint,)* }
            }
        }
    };
}

codes! {
    InvariantLost, "invariant_lost", InvariantLost, "do not send this request; rebuild it from guard.window() and find what removed the pinned block";
    WindowUnknown, "window_unknown", Policy, "give window_tokens, the size of the model's context window";
    ServerSideHistory, "server_side_history", Policy, "send the whole history with every request, or accept requests that cannot be verified";
    InvalidPolicy, "invalid_policy", Policy, "correct the named field; fractions lie in (0, 1], budgets are smaller than the window";
    InvalidPattern, "invalid_pattern", Policy, "write the pattern in the syntax of the regex-lite crate, at most 8,192 characters";
    InvalidArgument, "invalid_argument", Policy, "correct the named argument";
    TooDeep, "too_deep", Policy, "flatten the value; at most 128 levels are read";
    InvalidNumber, "invalid_number", Policy, "NaN and Infinity are not JSON; send null or a finite number";
    GuardClosed, "guard_closed", Policy, "this guard was closed; restore a new one from its last snapshot";
    RuleEmpty, "rule_empty", Registry, "give the rule's text";
    RuleTooShort, "rule_too_short", Registry, "say the rule as a sentence; at least four letters are needed";
    RuleControlCharacters, "rule_control_characters", Registry, "remove control, bidi-override and tag characters from the rule";
    RuleImitatesBlock, "rule_imitates_block", Registry, "a line of the rule looks like a mark of the pinned block; reword that line";
    RuleInFrame, "rule_in_frame", Registry, "the text stands in standfast's own fixed wording; say the rule as a full sentence";
    RuleNotText, "rule_not_text", Registry, "the text holds a lone surrogate; encode it as valid Unicode";
    TooManyRules, "too_many_rules", Registry, "revoke what is no longer needed; a registry holds 4,096 rules";
    UntrustedSource, "untrusted_source", Registry, "declare under the name of your own loader, not of a tool, file or web source";
    UnknownRule, "unknown_rule", Registry, "use a handle from guard.rules, guard.held or guard.review_queue";
    AmbiguousHandle, "ambiguous_handle", Registry, "give the full digest instead of its first 16 digits";
    FingerprintCollision, "fingerprint_collision", Registry, "two different texts share a 16-digit name; reword one of them";
    NotAuthorized, "not_authorized", Registry, "only a source of equal or higher trust may change this rule";
    StaleReview, "stale_review", Registry, "what was reviewed has changed; read the queue again and decide anew";
    ReadOnlyRegistry, "read_only_registry", Registry, "a forked guard cannot change its parent's rules; change them in the parent";
    BudgetExceeded, "budget_exceeded", BudgetExceeded, "raise pinned_tokens or shorten the largest rules named in the details";
    PinnedOverBudget, "pinned_over_budget", PlanRefused, "revoke or shorten rules, or raise pinned_tokens; the numbers are in the details";
    FixedPartOverBudget, "fixed_part_over_budget", PlanRefused, "rules, task state and memory take over 40 % of the window; shorten the task state or the rules";
    OriginalsUnavailable, "originals_unavailable", PlanRefused, "page the named events in, or allow on_degraded=\"continue\"";
    StalePlan, "stale_plan", StalePlan, "call plan() again; the state it was made from has changed";
    UnknownRequest, "unknown_request", CommitRefused, "answer exactly the requests of this plan";
    MissingSummary, "missing_summary", CommitRefused, "answer every request; give null for one that failed";
    SummaryNotText, "summary_not_text", CommitRefused, "a summary is a string, {text, finish_reason} or null";
    CheckFailed, "check_failed", CommitRefused, "a check that the policy refuses found something; ask for another summary, give null for the extractive one, or set the check to \"repair\"";
    SummarizerFailed, "summarizer_failed", CommitRefused, "the summarizer raised and on_error is \"raise\"; retry or use the fallback";
    CoverageHole, "coverage_hole", CommitRefused, "the plan does not account for every event; make a new one";
    BrokenPair, "broken_pair", CommitRefused, "the plan would part a call from its result; make a new one";
    UnknownShape, "unknown_shape", Shape, "pass messages of one shape: OpenAI chat or Responses, Anthropic, AI SDK or Gemini; or name it";
    UnknownRole, "unknown_role", Shape, "use one of the roles of the shape";
    InvalidMessage, "invalid_message", Shape, "correct the named field of the message";
    TooLarge, "too_large", Shape, "split the message; one message holds at most 64 MB of text";
    DigestMismatch, "digest_mismatch", Shape, "the message is not the one that was observed at this place";
    UnknownEvent, "unknown_event", Shape, "use a seq of this guard's log";
    LogExpired, "log_expired", Shape, "the store no longer has these events; keep the log until guard.close()";
    SnapshotUnreadable, "snapshot_unreadable", Snapshot, "the text is not a whole snapshot; use an older one or on_bad_state=\"rebuild\"";
    SnapshotAltered, "snapshot_altered", Snapshot, "the text was changed after it was written; use an older one or on_bad_state=\"rebuild\"";
    SnapshotVersion, "snapshot_version", Snapshot, "written by a newer standfast; update, or on_bad_state=\"rebuild\"";
    SnapshotKey, "snapshot_key", Snapshot, "restore with the key the snapshot was written with";
    StaleSnapshot, "stale_snapshot", Snapshot, "a newer snapshot exists; load that one";
    TailNotAttached, "tail_not_attached", Snapshot, "pass the host's messages to restore() or sync() before asking for a window";
    EmptySpan, "empty_span", CompactionInvariant, "give at least one source event";
    DerivedFromSummary, "derived_from_summary", CompactionInvariant, "summarize the original events, never a summary";
    CoverageGap, "coverage_gap", CompactionInvariant, "cover every offset of the source span";
    DecisionPolarity, "decision_polarity", CompactionInvariant, "a decision is accepted, rejected or deferred";
    DecisionReason, "decision_reason", CompactionInvariant, "say why the decision was taken";
    OverBudget, "over_budget", CompactionInvariant, "shorten the summary to its budget";
}

/// The one error of this crate.
///
/// ```
/// # use standfast::{Code, Policy};
/// let error = Policy::default().limits().unwrap_err();
/// assert_eq!(error.code(), Code::WindowUnknown);
/// assert_eq!(error.code().as_str(), "window_unknown");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Error(Box<Case>);

/// What an error says: behind a pointer, since most results hold none.
#[derive(Debug, Clone, PartialEq)]
struct Case {
    code: Code,
    message: String,
    details: Map<String, Value>,
}

impl Error {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self(Box::new(Case { code, message: message.into(), details: Map::new() }))
    }

    /// The same about one message of a list.
    pub(crate) fn at(mut self, index: usize) -> Self {
        self.0.message = format!("message {index}: {}", self.0.message);
        self.with("index", index)
    }

    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0.details.insert(key.to_owned(), value.into());
        self
    }

    /// An argument that a binding could not convert.
    #[must_use]
    pub fn argument(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, message)
    }

    /// An error of any code, for bindings that find a fault while converting (depth, numbers, surrogates).
    #[must_use]
    pub fn of(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, message)
    }

    /// The stable code.
    #[must_use]
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The class a binding maps this error to.
    #[must_use]
    pub fn class(&self) -> Class {
        self.0.code.class()
    }

    /// One sentence on how to recover.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        self.0.code.hint()
    }

    /// What happened, lower case, without any rule or event text.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Numbers and ids of the case.
    #[must_use]
    pub fn details(&self) -> &Map<String, Value> {
        &self.0.details
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Error {}

/// The result of every fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
