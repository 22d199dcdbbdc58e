"""standfast keeps an AI agent's rules alive through context compaction.

    import standfast as sf

    guard = sf.Guard(window_tokens=200_000)
    guard.declare("Never issue a refund above GBP 500 without a human approver.")
    for message in conversation:
        guard.observe(message)
        if guard.should_compact():
            window = guard.compact(summarizer)  # or without one
            guard.assert_window(window.messages)

Everything is in the guard; the rest of this package are the records it gives, its errors and its stores.
"""

from standfast._core import __version__, codes, count_tokens, extract
from standfast.auditing import Fate, audit
from standfast.errors import (
    BudgetExceeded,
    CommitRefused,
    CompactionInvariantError,
    InvariantLost,
    PlanRefused,
    PolicyError,
    RegistryError,
    ShapeError,
    SnapshotError,
    StalePlan,
    StandfastError,
)
from standfast.guard import Guard
from standfast.policy import Policy
from standfast.published import (
    CONSTRAINT_SHAPED,
    DISCARDABLE_SHAPED,
    INVARIANT_SOURCES,
    PINNED_FOOTER,
    PINNED_HEADER,
    AgentContext,
    Boundary,
    ContextItem,
    ReviewFlag,
    SessionRequest,
    Tier,
    TriggerPolicy,
    assert_invariants_present,
    classify,
    compact,
    compact_session,
    render_pinned_block,
    render_task_state,
)
from standfast.records import (
    Alarm,
    Change,
    Decision,
    Entry,
    Evidence,
    Finding,
    Held,
    Need,
    Observed,
    Plan,
    Question,
    Recalled,
    Receipt,
    Record,
    Request,
    RestoreVerdict,
    Review,
    Rule,
    RuleCounts,
    RulesDiff,
    Segment,
    SegmentCounts,
    Synced,
    TaskState,
    Verdict,
    Window,
)
from standfast.store import AsyncLogStore, LogStore, MemoryStore
from standfast.summarize import Answer, AsyncSummarizer, Summarizer

ERROR_CODES: dict[str, str] = {code: hint for code, _, hint in codes()}
"""Every error code with how to recover."""

__all__ = [
    "CONSTRAINT_SHAPED",
    "DISCARDABLE_SHAPED",
    "ERROR_CODES",
    "INVARIANT_SOURCES",
    "PINNED_FOOTER",
    "PINNED_HEADER",
    "AgentContext",
    "Alarm",
    "Answer",
    "AsyncLogStore",
    "AsyncSummarizer",
    "Boundary",
    "BudgetExceeded",
    "Change",
    "CommitRefused",
    "CompactionInvariantError",
    "ContextItem",
    "Decision",
    "Entry",
    "Evidence",
    "Fate",
    "Finding",
    "Guard",
    "Held",
    "InvariantLost",
    "LogStore",
    "MemoryStore",
    "Need",
    "Observed",
    "Plan",
    "PlanRefused",
    "Policy",
    "PolicyError",
    "Question",
    "Recalled",
    "Receipt",
    "Record",
    "RegistryError",
    "Request",
    "RestoreVerdict",
    "Review",
    "ReviewFlag",
    "Rule",
    "RuleCounts",
    "RulesDiff",
    "Segment",
    "SegmentCounts",
    "SessionRequest",
    "ShapeError",
    "SnapshotError",
    "StalePlan",
    "StandfastError",
    "Summarizer",
    "Synced",
    "TaskState",
    "Tier",
    "TriggerPolicy",
    "Verdict",
    "Window",
    "__version__",
    "assert_invariants_present",
    "audit",
    "classify",
    "compact",
    "compact_session",
    "count_tokens",
    "extract",
    "render_pinned_block",
    "render_task_state",
]
