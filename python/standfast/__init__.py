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

from importlib import import_module
from typing import TYPE_CHECKING

from standfast._core import __version__, codes, count_tokens, extract
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
from standfast.provider import Provider, render_request
from standfast.record import Record
from standfast.records import (
    Alarm,
    Change,
    Evidence,
    Finding,
    Held,
    Need,
    Observed,
    Plan,
    Recalled,
    Receipt,
    Request,
    RestoreVerdict,
    Review,
    Rule,
    RuleCounts,
    RulesDiff,
    Segment,
    SegmentCounts,
    Synced,
    Verdict,
    Window,
)
from standfast.store import AsyncLogStore, LogStore, MemoryStore
from standfast.summarize import Answer, AsyncSummarizer, Summarizer
from standfast.task import Decision, Entry, Question, TaskState

if TYPE_CHECKING:
    from standfast.audit_records import (
        AuditCounts,
        AuditCoverage,
        AuditPlace,
        AuditReport,
        ClaimFinding,
        DecisionFinding,
        Difference,
        DriftReport,
        Fate,
        IdentifierFinding,
        NewText,
        PairFinding,
        RuleFate,
        Session,
        SessionCompaction,
        SessionReport,
        SessionRound,
        SessionRule,
        Survival,
    )
    from standfast.auditing import (
        audit,
        audit_compaction,
        audit_session,
        check_authority,
        check_decisions,
        check_drift,
        check_idempotence,
        check_identifiers,
        read_session,
    )
    from standfast.knowledge import (
        Compacted,
        Decomposition,
        FoundItem,
        ItemOutcome,
        KnowledgeIndex,
        KnowledgePart,
        PartTooLarge,
        Retrieved,
        Unsafe,
        compact_knowledge,
        decompose_knowledge,
    )
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
    from standfast.triaging import KNOWLEDGE_TYPES, Contribution, Explanation, Item, Scores, classify_items, triage

# What many programs never use is loaded when it is first asked for: the import of the rest is a third as long.
_LATER = {
    "audit_records": """
        AuditCounts AuditCoverage AuditPlace AuditReport ClaimFinding DecisionFinding Difference DriftReport Fate
        IdentifierFinding NewText PairFinding RuleFate Session SessionCompaction SessionReport SessionRound SessionRule
        Survival
    """,
    "auditing": """
        audit audit_compaction audit_session check_authority check_decisions check_drift check_idempotence
        check_identifiers read_session
    """,
    "knowledge": """
        Compacted Decomposition FoundItem ItemOutcome KnowledgeIndex KnowledgePart PartTooLarge Retrieved Unsafe
        compact_knowledge decompose_knowledge
    """,
    "published": """
        CONSTRAINT_SHAPED DISCARDABLE_SHAPED INVARIANT_SOURCES PINNED_FOOTER PINNED_HEADER AgentContext Boundary ContextItem
        ReviewFlag SessionRequest Tier TriggerPolicy assert_invariants_present classify compact compact_session
        render_pinned_block render_task_state
    """,
    "triaging": """
        KNOWLEDGE_TYPES Contribution Explanation Item Scores classify_items triage
    """,
}
_MODULES = {name: module for module, names in _LATER.items() for name in names.split()}

if not TYPE_CHECKING:  # with it a misspelled name would be of any type

    def __getattr__(name: str) -> object:
        if (module := _MODULES.get(name)) is None:
            raise AttributeError(f"module 'standfast' has no attribute '{name}'")
        found = globals()[name] = getattr(import_module(f"standfast.{module}"), name)
        return found

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})


ERROR_CODES: dict[str, str] = {code: hint for code, _, hint in codes()}
"""Every error code with how to recover."""

__all__ = [
    "CONSTRAINT_SHAPED",
    "DISCARDABLE_SHAPED",
    "ERROR_CODES",
    "INVARIANT_SOURCES",
    "KNOWLEDGE_TYPES",
    "PINNED_FOOTER",
    "PINNED_HEADER",
    "AgentContext",
    "Alarm",
    "Answer",
    "AsyncLogStore",
    "AsyncSummarizer",
    "AuditCounts",
    "AuditCoverage",
    "AuditPlace",
    "AuditReport",
    "Boundary",
    "BudgetExceeded",
    "Change",
    "ClaimFinding",
    "CommitRefused",
    "Compacted",
    "CompactionInvariantError",
    "ContextItem",
    "Contribution",
    "Decision",
    "DecisionFinding",
    "Decomposition",
    "Difference",
    "DriftReport",
    "Entry",
    "Evidence",
    "Explanation",
    "Fate",
    "Finding",
    "FoundItem",
    "Guard",
    "Held",
    "IdentifierFinding",
    "InvariantLost",
    "Item",
    "ItemOutcome",
    "KnowledgeIndex",
    "KnowledgePart",
    "LogStore",
    "MemoryStore",
    "Need",
    "NewText",
    "Observed",
    "PairFinding",
    "PartTooLarge",
    "Plan",
    "PlanRefused",
    "Policy",
    "PolicyError",
    "Provider",
    "Question",
    "Recalled",
    "Receipt",
    "Record",
    "RegistryError",
    "Request",
    "RestoreVerdict",
    "Retrieved",
    "Review",
    "ReviewFlag",
    "Rule",
    "RuleCounts",
    "RuleFate",
    "RulesDiff",
    "Scores",
    "Segment",
    "SegmentCounts",
    "Session",
    "SessionCompaction",
    "SessionReport",
    "SessionRequest",
    "SessionRound",
    "SessionRule",
    "ShapeError",
    "SnapshotError",
    "StalePlan",
    "StandfastError",
    "Summarizer",
    "Survival",
    "Synced",
    "TaskState",
    "Tier",
    "TriggerPolicy",
    "Unsafe",
    "Verdict",
    "Window",
    "__version__",
    "assert_invariants_present",
    "audit",
    "audit_compaction",
    "audit_session",
    "check_authority",
    "check_decisions",
    "check_drift",
    "check_idempotence",
    "check_identifiers",
    "classify",
    "classify_items",
    "compact",
    "compact_knowledge",
    "compact_session",
    "count_tokens",
    "decompose_knowledge",
    "extract",
    "read_session",
    "render_pinned_block",
    "render_request",
    "render_task_state",
    "triage",
]
