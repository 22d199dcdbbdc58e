"""The summarizer of a middleware: a model, its name, a runnable, a function, the agent's own model, or none.

Whatever it is, it runs as a runnable named `standfast.summarize` and tagged `nostream`, with no tools and none of the
agent's middleware.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, cast

from langchain.agents.middleware.internal_call_transformer import internal_call_metadata
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.errors import GraphBubbleUp

from standfast import _core
from standfast._thread import summarizing
from standfast._thread.summarizing import Asker, answered
from standfast.records import Request
from standfast.summarize import Summary

RUN_NAME = "standfast.summarize"


class Summarizing(summarizing.Summarizing):
    """Summarizers of LangChain. Cancellation and a graph's interrupt pass through."""

    passes: ClassVar[tuple[type[BaseException], ...]] = (GraphBubbleUp,)

    def asker_of(self, given: Any) -> Asker | None:
        """Whatever it is, as a runnable."""
        return _Runnable(_runnable(given))

    def usable(self, answer: Any) -> Summary | None:
        """What a summarizer returned as a summary; None where it called tools or said nothing."""
        return usable(answer)


class _Runnable(Asker):
    """A runnable under our name. A function is given the request itself, everything else the prompt."""

    def __init__(self, runnable: Runnable[Any, Any]) -> None:
        self._runnable = runnable
        self.blocking = isinstance(runnable, _Function) and runnable.blocking

    def ask(self, request: Request) -> Any:
        return self._runnable.invoke(self._input(request), _config())

    async def aask(self, request: Request) -> Any:
        return await self._runnable.ainvoke(self._input(request), _config())

    def _input(self, request: Request) -> Any:
        return request if isinstance(self._runnable, _Function) else request.prompt


class _Function(RunnableLambda[Any, Any]):
    """A function of the host's."""

    blocking = True


def _runnable(given: object) -> Runnable[Any, Any]:
    if isinstance(given, Runnable):
        return given
    if isinstance(given, str):
        from langchain.chat_models import init_chat_model

        return cast("Runnable[Any, Any]", init_chat_model(given))
    if callable(given):
        return _function(given)
    raise _core.error_of("invalid_argument", f"`summarizer` is of type `{type(given).__name__}`: no model, runnable or function")


def _function(given: Callable[..., Any]) -> _Function:
    if not (inspect.iscoroutinefunction(given) or inspect.iscoroutinefunction(getattr(given, "__call__", None))):  # noqa: B004
        return _Function(given)

    async def awaited(request: Any) -> Any:
        return await given(request)

    # a blocking call has a thread of its own here, and so may have a loop of its own
    function = _Function(lambda request: asyncio.run(awaited(request)), awaited)
    function.blocking = False
    return function


def _config() -> RunnableConfig:
    return {"run_name": RUN_NAME, "tags": ["nostream"], "metadata": {"lc_source": "standfast", **internal_call_metadata()}}


def usable(answer: Any) -> Summary | None:
    """What a summarizer returned as a summary; None where it called tools or said nothing."""
    if isinstance(answer, AIMessage) and (answer.tool_calls or answer.invalid_tool_calls):
        return None
    if isinstance(answer, BaseMessage):
        return answered(answer.text, _finish(answer.response_metadata))
    return summarizing.usable(answer)


def _finish(metadata: Mapping[str, Any]) -> str | None:
    """How a provider says that an answer was cut off, in one word."""
    said = next((metadata[name] for name in ("finish_reason", "stop_reason", "done_reason") if metadata.get(name)), None)
    return "length" if str(said).lower() in ("length", "max_tokens", "max_output_tokens") else said
