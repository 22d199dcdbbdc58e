"""The summarizer of a run: a model, its name, an agent, a function, or the agent's own model."""

from __future__ import annotations

import asyncio
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart
from pydantic_ai.models import Model

from standfast._thread import summarizing
from standfast._thread.summarizing import Asker, answered
from standfast.records import Request
from standfast.summarize import Summary


class Summarizing(summarizing.Summarizing):
    """Summarizers of pydantic-ai."""

    def asker_of(self, given: Any) -> Asker | None:
        """Models are asked directly, without tools and instructions."""
        if isinstance(given, Agent):
            return _Agent(given)
        return _Model(given) if isinstance(given, str | Model) else None

    def usable(self, answer: Any) -> Summary | None:
        """What a summarizer returned as a summary; None where it called tools or said nothing."""
        if not isinstance(answer, ModelResponse):
            return summarizing.usable(answer)
        if any(isinstance(part, ToolCallPart) for part in answer.parts):
            return None
        return answered(answer.text or "", answer.finish_reason)


class _Model(Asker):
    def __init__(self, model: Any) -> None:
        self._model = model

    def ask(self, request: Request) -> Any:
        return asyncio.run(self.aask(request))

    async def aask(self, request: Request) -> Any:
        return await model_request(self._model, [ModelRequest.user_text_prompt(request.prompt)])


class _Agent(Asker):
    def __init__(self, agent: Agent[Any, Any]) -> None:
        self._agent = agent

    def ask(self, request: Request) -> Any:
        return asyncio.run(self.aask(request))

    async def aask(self, request: Request) -> Any:
        output = (await self._agent.run(request.prompt)).output
        return output if isinstance(output, str) else None
