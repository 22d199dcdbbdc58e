"""The native part of the package. Arguments are checked inside: whatever cannot be used is refused with a code."""

from collections.abc import Mapping, Sequence
from typing import Any, final

from standfast import wire
from standfast.errors import StandfastError

__all__ = [
    "Guard",
    "KnowledgeIndex",
    "KnowledgeWork",
    "Plan",
    "__version__",
    "audit",
    "audited",
    "classify_items",
    "codes",
    "count_tokens",
    "error_of",
    "extract",
    "published",
    "stored_message",
    "triaged",
]

__version__: str

def count_tokens(text: str, /) -> int:
    """Estimated tokens of a text."""

def extract(text: str, budget_tokens: int) -> str:
    """The built-in extractive summary of a text."""

def audit(rules: Sequence[str], text: str) -> list[wire.Fate]:
    """What a text did to each of some rules."""

def audited(name: str, arguments: Mapping[str, Any], /) -> Any:
    """One audit or single check, by name, with its arguments by name."""

def classify_items(items: Sequence[Any], point: str | None = None, /) -> list[tuple[Any, ...]]:
    """Types texts: knowledge, tier, kind, polarity, confidence and likelihood of a constraint per mille, and whether it is
    suspected to be one, for each.
    """

def triaged(name: str, arguments: Mapping[str, Any], /) -> Any:
    """One other call of the classifier, by name, with its arguments by name."""

def published(name: str, arguments: Mapping[str, Any], /) -> Any:
    """One call of the published functional core, by name, with its arguments by name."""

def stored_message(message: Any, /) -> tuple[str, str]:
    """A message for a store: the digest by which it is known in every language, and its JSON."""

def error_of(code: str, message: str) -> StandfastError:
    """The exception of a code, for what the package finds wrong by itself."""

def codes() -> list[tuple[str, str, str]]:
    """Every error code with its class and its hint."""

@final
class Plan:
    """A plan as the engine made it."""

    def wire(self) -> dict[str, Any]:
        """All fields as plain data."""

    def to_json(self) -> str:
        """The stored form."""

    @classmethod
    def from_json(cls, text: str, /) -> Plan:
        """Reads the stored form."""

@final
class Guard:
    """The engine of one run, behind a lock."""

    def __new__(cls, policy: Mapping[str, Any], shape: str | None = None) -> Guard: ...
    def policy(self) -> wire.Policy: ...
    def shape(self) -> wire.Shape | None: ...
    def declare(self, text: str, source: str, scope: str | None = None, principal: str | None = None) -> wire.Rule: ...
    def set_rules(self, source: str, texts: Sequence[str]) -> wire.RulesDiff: ...
    def supersede(self, handle: str, text: str, by: str, source: str) -> wire.Rule: ...
    def revoke(self, handle: str, by: str, source: str) -> wire.Rule: ...
    def approve(self, handle: str, by: str, source: str) -> wire.Rule: ...
    def reject(self, handle: str, by: str, source: str) -> wire.Rule: ...
    def rules(self) -> list[wire.Rule]: ...
    def all_rules(self) -> list[wire.Rule]: ...
    def held(self) -> list[wire.Held]: ...
    def review_queue(self) -> list[wire.Review]: ...
    def changes(self) -> list[wire.Change]: ...
    def observe(self, message: Any, source: str | None = None, trust: str | None = None, principal: str | None = None) -> wire.Observed: ...
    def sync(
        self,
        unchanged: int,
        messages: Sequence[Any],
        source: str | None = None,
        trust: str | None = None,
        principal: str | None = None,
    ) -> wire.Synced: ...
    def record_decision(self, what: str, why: str, polarity: str, source: str | None = None) -> None: ...
    def set_goal(self, text: str, source: str | None = None) -> None: ...
    def set_plan(self, steps: Sequence[str], source: str | None = None) -> None: ...
    def open_question(self, text: str, source: str | None = None) -> str: ...
    def close_question(self, which: str, source: str | None = None) -> bool: ...
    def task(self) -> wire.TaskState: ...
    def boundary(self, name: str, /) -> None: ...
    def usage(self, tokens: int, /) -> None: ...
    def overhead(self, system: Any = None, tools: Any = None) -> int: ...
    def should_compact(self) -> wire.Verdict: ...
    def window(self) -> wire.Window: ...
    def plan(self, asked: str | None = None) -> Plan: ...
    def commit(self, plan: Plan, summaries: Mapping[str, Any]) -> wire.Window: ...
    def commit_extractive(self, plan: Plan) -> wire.Window: ...
    def assert_window(self, messages: Sequence[Any], system: Any = None) -> list[wire.Finding]: ...
    def receipt(self) -> wire.Receipt: ...
    def evidence(self) -> list[wire.Evidence]: ...
    def segments(self) -> list[wire.SegmentView]: ...
    def degraded(self) -> list[tuple[int, int]]: ...
    def recall(self, first: int, last: int) -> list[wire.Recalled]: ...
    def search(self, query: str, span: tuple[int, int] | None, k: int) -> list[wire.Recalled]: ...
    def page_out(self, before_seq: int, /) -> list[int]: ...
    def page_in(self, messages: Mapping[int, Any], /) -> list[int]: ...
    def forget(self, seqs: Sequence[int], /) -> list[int]: ...
    def fork(self, scope: str | None = None) -> Guard: ...
    def close(self) -> None: ...
    def snapshot(self, key: str | None = None, detach: bool = False) -> tuple[str, dict[str, str]]:
        """The snapshot's text, and the texts that belong into a store."""

    @classmethod
    def restore(
        cls,
        text: str,
        messages: Sequence[Any] | None,
        texts: Mapping[str, str],
        key: str | None = None,
        rules: Mapping[str, Sequence[str]] | None = None,
        policy: Mapping[str, Any] | None = None,
        min_generation: int | None = None,
        on_bad_state: str | None = None,
    ) -> tuple[Guard, wire.RestoreVerdict]:
        """A guard from a snapshot, and how it stands to the messages given."""

    @classmethod
    def texts_needed(cls, text: str, /) -> list[str]:
        """Digests of the texts that a store must give before `restore`."""

@final
class KnowledgeWork:
    """A compaction or decomposition of a knowledge base: texts to be counted out, counts in, until none is asked."""

    def __new__(cls, name: str, arguments: Mapping[str, Any], /) -> KnowledgeWork: ...
    def asks(self) -> list[str]:
        """The texts that are to be counted."""

    def answer(self, counts: Sequence[int], /) -> None:
        """Takes their counts."""

    def finish(self) -> Any:
        """The result, once. What is still to be counted is counted by the estimator."""

@final
class KnowledgeIndex:
    """Rules and knowledge that can be asked."""

    def __new__(cls, items: Any, /) -> KnowledgeIndex: ...
    def retrieve(self, arguments: Mapping[str, Any], /) -> Any:
        """What a query finds, with its arguments by name."""
