"""Seams of a run, read off its calls: a to-do list that moves on, a change from reading to writing, a tool that says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, get_args

from standfast import _core
from standfast.wire import BoundaryName

TODOS = "write_todos"
PHASES = ("read", "write")
_SEAMS = frozenset(get_args(BoundaryName)) - {"none", "turn_closed"}

Calls = Sequence[tuple[str, Mapping[str, Any]]]
"""The calls of one message: names and arguments."""


def checked(tools: Mapping[str, str] | None) -> dict[str, str]:
    """What `tools=` says of each tool: "read", "write", or the boundary that a call of it stands for."""
    marks = dict(tools or {})
    for mark in marks.values():
        if mark not in PHASES and mark not in _SEAMS:
            raise _core.error_of("invalid_argument", '`tools` gives each tool "read", "write" or the name of a boundary')
    return marks


def seam_of(last: Calls, before: Callable[[], Iterable[Calls]], marks: Mapping[str, str]) -> str | None:
    """The boundary that a batch of answered calls ends at; `before` gives earlier batches, the newest first."""
    for name, args in last:
        if marks.get(name) in _SEAMS:
            return marks[name]
        if name == TODOS and (moved := _moved(before(), args)):
            return moved
    phase = _phase(last, marks)
    earlier = next((found for calls in before() if (found := _phase(calls, marks))), None) if phase else None
    return "tool_phase_change" if earlier is not None and earlier != phase else None


def _phase(calls: Calls, marks: Mapping[str, str]) -> str | None:
    phases = {marks.get(name) for name, _ in calls} & set(PHASES)
    return "write" if "write" in phases else next(iter(phases), None)


def _moved(before: Iterable[Calls], args: Mapping[str, Any]) -> str | None:
    """How a to-do list moved on since it was last written."""
    now = _todos(args)
    was = next((_todos(given) for calls in before for name, given in calls if name == TODOS), None)
    done = sum(status == "completed" for status in now.values())
    if now and done == len(now):
        return "task_completed"
    if was is None:
        return None
    if set(was) != set(now):
        return "plan_revised"
    return "subgoal_closed" if done > sum(status == "completed" for status in was.values()) else None


def _todos(args: Mapping[str, Any]) -> dict[str, str]:
    listed = args.get("todos")
    entries = listed if isinstance(listed, list) else []
    return {str(entry.get("content")): str(entry.get("status")) for entry in entries if isinstance(entry, Mapping)}
