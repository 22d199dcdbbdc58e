"""Seams of the run, read off the messages: a to-do list that moves on, a change from reading to writing, a tool that says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from standfast import _core
from standfast.wire import BoundaryName

TODOS = "write_todos"
PHASES = ("read", "write")
_SEAMS = frozenset(get_args(BoundaryName)) - {"none", "turn_closed"}


def checked(tools: Mapping[str, str] | None) -> dict[str, str]:
    """What `tools=` says of each tool: "read", "write", or the boundary that a call of it stands for."""
    marks = dict(tools or {})
    for mark in marks.values():
        if mark not in PHASES and mark not in _SEAMS:
            raise _core.error_of("invalid_argument", '`tools` gives each tool "read", "write" or the name of a boundary')
    return marks


def hints(tools: Sequence[Any]) -> dict[str, str]:
    """What tools say of themselves, as those of MCP servers do."""
    found: dict[str, str] = {}
    for tool in tools:
        metadata = getattr(tool, "metadata", None)
        if isinstance(metadata, Mapping):
            notes = metadata.get("annotations", metadata)
            hint = notes.get("readOnlyHint") if isinstance(notes, Mapping) else getattr(notes, "readOnlyHint", None)
            if isinstance(hint, bool):
                found[tool.name] = "read" if hint else "write"
    return found


def seam(messages: Sequence[BaseMessage], marks: Mapping[str, str]) -> str | None:
    """The boundary at which a list ends, if it ends with the results of a batch of calls."""
    at = len(messages)
    while at and isinstance(messages[at - 1], ToolMessage):
        at -= 1
    last = messages[at - 1] if at else None
    if at == len(messages) or not isinstance(last, AIMessage) or len(last.tool_calls) > len(messages) - at:
        return None
    for call in last.tool_calls:
        if marks.get(call["name"]) in _SEAMS:
            return marks[call["name"]]
        if call["name"] == TODOS and (moved := _moved(messages[: at - 1], call["args"])):
            return moved
    phase = _phase(last, marks)
    before = next((found for message in reversed(messages[: at - 1]) if (found := _phase(message, marks))), None) if phase else None
    return "tool_phase_change" if before is not None and before != phase else None


def _phase(message: BaseMessage, marks: Mapping[str, str]) -> str | None:
    if not isinstance(message, AIMessage):
        return None
    phases = {marks.get(call["name"]) for call in message.tool_calls} & set(PHASES)
    return "write" if "write" in phases else next(iter(phases), None)


def _moved(before: Sequence[BaseMessage], args: Mapping[str, Any]) -> str | None:
    """How a to-do list moved on since it was last written."""
    now = _todos(args)
    calls = (call for message in reversed(before) if isinstance(message, AIMessage) for call in message.tool_calls)
    was = next((_todos(call["args"]) for call in calls if call["name"] == TODOS), None)
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
