"""A tool with which the agent reads what was folded, in the words it was said in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from langchain.tools import ToolRuntime, tool
from langchain_core.tools import BaseTool

from standfast._thread.reading import RECALL
from standfast._thread.recalling import ABOUT, recalled

if TYPE_CHECKING:
    from standfast.langchain.calls import Engine


def recall_tool(engine: Engine, state: str) -> BaseTool:
    """The tool of one middleware."""

    @tool(RECALL, description=ABOUT)
    def recall(first_turn: int, last_turn: int, runtime: ToolRuntime, containing: str = "") -> str:
        return recalled(engine.recalled(runtime, runtime.state.get(state)), first_turn, last_turn, containing)

    return recall
