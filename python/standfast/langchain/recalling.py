"""A tool with which the agent reads what was folded, in the words it was said in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain.tools import ToolRuntime, tool
from langchain_core.tools import BaseTool

from standfast._thread.reading import RECALL

if TYPE_CHECKING:
    from standfast.langchain.calls import Engine

_CHARACTERS = 12_000
"""Most that one answer may hold."""


def recall_tool(engine: Engine, state: str) -> BaseTool:
    """The tool of one middleware."""

    @tool(RECALL)
    def recall(first_turn: int, last_turn: int, runtime: ToolRuntime, containing: str = "") -> str:
        """Reads earlier turns of this conversation in full, as they are numbered in the memory notes ("[turns 3-7]").

        Give `containing` to get only what has that word in it.
        """
        events = engine.recalled(runtime, runtime.state.get(state))
        wanted = [event for event in events if first_turn <= event.turn <= last_turn and containing.lower() in (event.text or "").lower()]
        lines = [f"[turn {event.turn}] {event.role}: {event.text}" for event in wanted if event.text]
        return _cut("\n".join(lines)) or "Nothing of these turns is left."

    return recall


def _cut(text: str) -> str:
    return text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS]}\n[cut here; ask for fewer turns]"
