"""What a failed assertion raises."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from standfast.errors import StandfastError


class CheckFailed(StandfastError, AssertionError):
    """Something that must hold after a compaction does not. `code` says what, `details` at which round or depth.

    Unlike other errors of this package it names rules and questions by their text: it is about your own test data.
    """


def broken(code: str, message: str, **details: Any) -> CheckFailed:
    """A failed assertion."""
    return CheckFailed(message, code=code, hint="see the report of the round", details=details)


def unusable(message: str) -> StandfastError:
    """An argument that cannot be tested."""
    return StandfastError(message, code="invalid_argument", hint="Correct the named argument.")


def field(given: Mapping[str, Any], name: str, where: str) -> str:
    """A text of a case; a number counts as its text."""
    value = given.get(name)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not value.strip():
        raise broken("bad_case", f"{where} needs a text `{name}`")
    return value
