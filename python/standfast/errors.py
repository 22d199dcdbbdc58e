"""What standfast raises: one base with a stable code, one class for each thing a caller may want to catch.

`code` never changes its meaning; `hint` says how to recover; `details` holds numbers and ids. None of them holds the
text of a rule, a message or a summary.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

_E = TypeVar("_E", bound="StandfastError")


class StandfastError(Exception):
    """Base of all errors of this package."""

    code: str
    hint: str
    details: dict[str, Any]

    def __init__(self, message: str, *, code: str, hint: str = "", details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.hint = hint
        self.details = dict(details or {})

    def __str__(self) -> str:
        return f"{self.args[0]} [{self.code}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.args[0], self.code, self.hint, self.details)


def _rebuild(cls: type[_E], message: str, code: str, hint: str, details: dict[str, Any]) -> _E:
    return cls(message, code=code, hint=hint, details=details)


class InvariantLost(StandfastError):
    """A rule is missing from a window or an outgoing request. Do not send it."""


class PolicyError(StandfastError):
    """The policy or an argument cannot be used."""


class RegistryError(StandfastError):
    """A rule cannot be taken, found or changed as asked."""


class PlanRefused(StandfastError):
    """No plan can be made; the uncompacted request may still be sent while it fits."""


class CommitRefused(StandfastError):
    """The summaries cannot be committed; nothing was changed."""


class StalePlan(StandfastError):
    """The state that the plan was made from is gone; nothing was changed."""


class ShapeError(StandfastError):
    """A message is not of a known shape."""


class SnapshotError(StandfastError):
    """A snapshot cannot be read or trusted."""


class BudgetExceeded(StandfastError):
    """Declared rules do not fit their budget."""


class CompactionInvariantError(StandfastError):
    """The input or the output of `compact_session` is unsound."""
