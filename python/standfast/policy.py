"""How a guard behaves, field by field. What is None follows from the window, or is the engine's default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from standfast import _core
from standfast.wire import Trust


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """A guard's policy. Sizes are tokens, fractions lie in (0, 1]. `guard.policy` has the budgets that followed from the window."""

    window_tokens: int | None = None
    """Size of the model's context window. Required."""
    quality_fraction: float | None = None
    """Share of the window beyond which quality suffers."""
    soft_floor_fraction: float | None = None
    """Share of the window below which no boundary compacts."""
    max_tool_result_tokens: int | None = None
    """Room kept for the next tool result."""
    pinned_tokens: int | None = None
    """Most that all active rules may take."""
    promoted_tokens: int | None = None
    """Most that promoted rules may take together."""
    promoted_max_tokens: int | None = None
    """Longest promoted rule."""
    held_tokens: int | None = None
    """Most that the held block may take."""
    summary_tokens: int | None = None
    """Most that the new summaries of one compaction may take."""
    task_state_tokens: int | None = None
    """Size of the task state beyond which it is flagged."""
    segments_tokens: int | None = None
    """Most that all segments may take together."""
    tail_tokens: int | None = None
    """Size of the tail that stays whole. None: a tenth of the window, or the last user message where that is larger."""
    summarizer_window_tokens: int | None = None
    """Most that one summary request may hold."""
    image_tokens: int | None = None
    """Price of one image."""
    dead_call_events: int | None = None
    """Events after which an unanswered call no longer holds anything back."""
    min_freed_fraction: float | None = None
    """Share a compaction must free for the next one to be worth while at once."""
    tested_rounds: int | None = None
    """Rounds that the host has tested; beyond them receipts warn."""
    checks: Mapping[str, Literal["repair", "refuse", "report"]] | None = None
    """What to do about the findings of `fate`, `authority`, `identifiers`, `decisions`, `idempotence`; else they are repaired."""
    idempotence: Literal["off", "sample", "always"] | None = None
    """Whether one span of each plan, or every one, is summarized twice and both compared."""
    on_degraded: Literal["continue", "refuse"] | None = None
    """What to do when the originals of a span are gone."""
    loosening: Literal["apply", "ask"] | None = None
    """What to do where a user loosens a promoted rule in conversation: ``ask`` keeps the old one until somebody approves."""
    trusted_sources: Mapping[str, Trust] | None = None
    """Sources given a trust of their own."""
    pattern: str | None = None
    """A pattern that replaces the published one for rule-shaped text."""
    enabled: bool | None = None
    """Whether the guard compacts at all."""

    def to_wire(self) -> dict[str, Any]:
        """The fields that were given."""
        given = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {name: value for name, value in given if value is not None}


def fields_of(policy: Policy | Mapping[str, Any] | None) -> dict[str, Any]:
    """The fields of a policy that were given, whichever way."""
    if isinstance(policy, Policy):
        return policy.to_wire()
    if policy is None or isinstance(policy, Mapping):
        return dict(policy or {})
    raise _core.error_of("invalid_policy", f"`policy` is of type `{type(policy).__name__}`, not Policy")
