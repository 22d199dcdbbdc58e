"""The summarizer of a run: a model of the SDK, its name, an agent, a function, or the agent's own model."""

from __future__ import annotations

import asyncio
from typing import Any

from agents import Agent, Model, RunConfig, Runner

from standfast._thread import summarizing
from standfast._thread.summarizing import Asker
from standfast.records import Request

_NAME = "standfast.summarize"


class Summarizing(summarizing.Summarizing):
    """Summarizers of the SDK. The agent's own model comes with the configuration of its run."""

    def asker_of(self, given: Any) -> Asker | None:
        """Models are asked by an agent without tools and instructions."""
        given, config = given if isinstance(given, tuple) else (given, None)
        if isinstance(given, Agent):
            return _Agent(given, config)
        if isinstance(given, str | Model) or config is not None:
            return _Agent(Agent(name=_NAME, model=given), config)
        return None


class _Agent(Asker):
    """An agent that is given the prompt, outside of every trace and session."""

    def __init__(self, agent: Agent[Any], config: RunConfig | None) -> None:
        self._agent = agent
        self._config = RunConfig(workflow_name=_NAME, tracing_disabled=True)
        if config is not None:
            self._config.model, self._config.model_provider = config.model, config.model_provider

    def ask(self, request: Request) -> Any:
        return asyncio.run(self.aask(request))

    async def aask(self, request: Request) -> Any:
        result = await Runner.run(self._agent, request.prompt, max_turns=1, run_config=self._config)
        return result.final_output if isinstance(result.final_output, str) else None
