"""What needs no model: rules, bytes, task state and failing closed, for one number of rounds and one quality fraction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from standfast.guard import Guard
from standfast.records import Rule, Window
from standfast.testing import rounds as checks
from standfast.testing.requests import destructive_summarizer

QUALITIES = (0.50, 0.60, 0.65)
ROUNDS = (1, 5)


@dataclass(frozen=True)
class Structure:
    """One setting. Give `quality` and `summarizer` to the compaction that you test; what it loses then is lost by its structure."""

    rounds: int = 5
    quality: float = 0.60
    summarizer: Callable[[Any], str] = field(default=destructive_summarizer)

    @property
    def name(self) -> str:
        """For reports."""
        return f"rounds {self.rounds}, quality {self.quality:.2f}"

    def guarded(
        self, rules: Sequence[str], *, window_tokens: int = 4_000, prepare: Callable[[Guard], Any] | None = None, **policy: Any
    ) -> Callable[[list[Any]], Window]:
        """A compaction by a guard with these rules, at this quality fraction and with this summarizer. It is an overlay."""
        floor = min(0.30, self.quality)
        guard = Guard(window_tokens=window_tokens, quality_fraction=self.quality, soft_floor_fraction=floor, shape="openai", **policy)
        guard.set_rules("standfast:testing", list(rules))
        if prepare is not None:
            prepare(guard)

        def compact(messages: list[Any]) -> Window:
            guard.sync(messages)
            return guard.compact(self.summarizer)

        return compact

    def rules_survive(self, compact: Any, rules: Iterable[str | Rule], transcript: Sequence[Any], **options: Any) -> checks.Survival:
        """`assert_rules_survive` in this setting."""
        return checks.assert_rules_survive(compact, rules, transcript, self.rounds, **{"name": f"rules, {self.name}", **options})

    def byte_stable(self, compact: Any, transcript: Sequence[Any], **options: Any) -> None:
        """`assert_byte_stable` in this setting."""
        checks.assert_byte_stable(compact, transcript, self.rounds, **{"name": f"bytes, {self.name}", **options})

    def task_state_survives(self, compact: Any, decisions: Sequence[Mapping[str, str]], transcript: Sequence[Any], **options: Any) -> None:
        """`assert_task_state_survives` in this setting."""
        options = {"name": f"task state, {self.name}", **options}
        checks.assert_task_state_survives(compact, decisions, transcript, self.rounds, **options)

    def fails_closed(self, send: Callable[[], Any]) -> Exception:
        """`assert_fails_closed` in this setting."""
        return checks.assert_fails_closed(send, name=f"fails closed, {self.name}")
