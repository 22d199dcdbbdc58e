"""Seams of the run, read off the messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from standfast._thread.seams import Calls, seam_of

__all__ = ["hints", "seam"]


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
    before = messages[: at - 1]
    return seam_of(_calls(last), lambda: (_calls(message) for message in reversed(before) if isinstance(message, AIMessage)), marks)


def _calls(message: AIMessage) -> Calls:
    return [(call["name"], call["args"]) for call in message.tool_calls]
