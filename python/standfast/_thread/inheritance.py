"""Rules that go down with a tool call: an agent that a tool calls takes those of its caller.

A context variable carries them for the length of the call. A hand-off to a peer is no tool call's inside: nothing is set there.
"""

from __future__ import annotations

import contextvars
from collections.abc import Iterator
from contextlib import contextmanager

_handed: contextvars.ContextVar[tuple[str, ...]] = contextvars.ContextVar("standfast_handed_down", default=())


def handed_down() -> tuple[str, ...]:
    """The rules of the caller, in their order."""
    return _handed.get()


@contextmanager
def handing_down(rules: tuple[str, ...]) -> Iterator[None]:
    """Agents called in this context take these rules, and nothing else of what was handed down before."""
    token = _handed.set(rules)
    try:
        yield
    finally:
        _handed.reset(token)
