"""The summarizer of a middleware: a model, its name, a runnable, a function, the agent's own model, or none.

Whatever it is, it runs as a runnable named `standfast.summarize` and tagged `nostream`, with no tools and none of the
agent's middleware, at most four at once, each for at most a minute and twice at most. What still has no usable answer then is
summarized extractively by the engine. Cancellation and a graph's interrupt are no failures: they pass through.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
import threading
import weakref
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, cast

from langchain.agents.middleware.internal_call_transformer import internal_call_metadata
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig, RunnableLambda
from langgraph.errors import GraphBubbleUp

from standfast import _core
from standfast.langchain.background import awithin, start
from standfast.records import Request
from standfast.summarize import Answer, Summary

log = logging.getLogger("standfast.langchain")
RUN_NAME = "standfast.summarize"
AT_ONCE = 4
TIMEOUT = 60.0
ATTEMPTS = 2

Keep = Callable[[Request, Summary], None]
AsyncKeep = Callable[[Request, Summary], Awaitable[None]]
Answers = dict[str, Summary | None]

_busy: contextvars.ContextVar[frozenset[int]] = contextvars.ContextVar("standfast_summarizing", default=frozenset())


class Summarizing:
    """Runs a summarizer over requests. `model` is the agent's own model, as soon as it is known."""

    def __init__(self, given: object, *, timeout: float = TIMEOUT) -> None:
        self._given = given
        self._timeout = timeout
        self._slots = threading.BoundedSemaphore(AT_ONCE)
        self._gates: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = weakref.WeakKeyDictionary()
        self._said = False
        self.model: BaseChatModel | None = None
        self._runnable = None if given in (None, "agent") else _runnable(given)

    @property
    def extractive(self) -> bool:
        """Whether there is nothing to ask."""
        return self._given is None

    @property
    def ready(self) -> bool:
        """Whether the summarizer can be asked now: the agent's own model shows itself at its first call."""
        return self._given != "agent" or self.model is not None

    @property
    def busy(self) -> bool:
        """Whether this very summarizer is what runs now."""
        return id(self) in _busy.get()

    def announce(self) -> None:
        """Says once that there is no summarizer."""
        if not self._said:
            self._said = True
            log.info("no summarizer: summaries are extractive")

    def run(self, requests: Sequence[Request], keep: Keep) -> Answers:
        """The answers to some requests; None where there is no usable one."""
        if self._now() is None:
            return {request.id: None for request in requests}
        stop = threading.Event()
        futures = [(request, start(lambda request=request: self._one(request, keep, stop))) for request in requests]  # type: ignore[misc]
        try:
            return {request.id: future.result() for request, future in futures}
        except BaseException:
            stop.set()  # what has not begun is not paid for
            raise

    async def arun(self, requests: Sequence[Request], keep: AsyncKeep) -> Answers:
        """Like `run`, in the event loop. If one ends the run, the others are cancelled and awaited."""
        if self._now() is None:
            return {request.id: None for request in requests}
        gate = self._gates.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE))
        tasks = [asyncio.ensure_future(self._aone(request, keep, gate)) for request in requests]
        try:
            answers = await asyncio.gather(*tasks)
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise
        return {request.id: answer for request, answer in zip(requests, answers)}

    def _now(self) -> Runnable[Any, Any] | None:
        if self._given == "agent":
            return cast("Runnable[Any, Any] | None", self.model)
        return self._runnable

    def _one(self, request: Request, keep: Keep, stop: threading.Event) -> Summary | None:
        _busy.set(_busy.get() | {id(self)})
        runnable, given = self._now(), self._input(request)
        assert runnable is not None
        with self._slots:
            for _ in range(ATTEMPTS):
                if stop.is_set():
                    return None
                try:
                    future = start(lambda: runnable.invoke(given, _config()))
                    answer = usable(_result(future, self._timeout))
                except GraphBubbleUp:
                    raise
                except Exception as error:
                    log.info("a summary failed: %s", type(error).__name__)
                    continue
                if answer is not None:
                    keep(request, answer)
                    return answer
        return None

    async def _aone(self, request: Request, keep: AsyncKeep, gate: asyncio.Semaphore) -> Summary | None:
        _busy.set(_busy.get() | {id(self)})  # a task has a context of its own
        runnable, given = self._now(), self._input(request)
        assert runnable is not None
        async with gate:
            for _ in range(ATTEMPTS):
                try:
                    answer = usable(await self._ainvoke(runnable, given))
                except GraphBubbleUp:
                    raise
                except Exception as error:
                    log.info("a summary failed: %s", type(error).__name__)
                    continue
                if answer is not None:
                    await keep(request, answer)
                    return answer
        return None

    async def _ainvoke(self, runnable: Runnable[Any, Any], given: Any) -> Any:
        if isinstance(runnable, _Function) and runnable.blocking:
            return await awithin(lambda: runnable.invoke(given, _config()), self._timeout)
        return await asyncio.wait_for(runnable.ainvoke(given, _config()), self._timeout)

    def _input(self, request: Request) -> Any:
        return request if isinstance(self._runnable, _Function) else request.prompt


class _Function(RunnableLambda[Any, Any]):
    """A function of the host's, which is given the request itself."""

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


def _result(future: Any, timeout: float) -> Any:
    try:
        return future.result(timeout)
    except Exception:
        if not future.done():
            raise TimeoutError("the summarizer took too long") from None
        raise


def usable(answer: Any) -> Summary | None:
    """What a summarizer returned as a summary; None where it called tools or said nothing."""
    if isinstance(answer, str):
        return answer if answer.strip() else None
    if isinstance(answer, AIMessage) and (answer.tool_calls or answer.invalid_tool_calls):
        return None
    if isinstance(answer, BaseMessage):
        return _answer(answer.text, _finish(answer.response_metadata))
    if isinstance(answer, Mapping) and isinstance(answer.get("text"), str):
        return _answer(answer["text"], answer.get("finish_reason"))
    return None


def _answer(text: str, finish: Any) -> Answer | None:
    return Answer(text=text, finish_reason=finish if isinstance(finish, str) else None) if text.strip() else None


def _finish(metadata: Mapping[str, Any]) -> str | None:
    """How a provider says that an answer was cut off, in one word."""
    said = next((metadata[name] for name in ("finish_reason", "stop_reason", "done_reason") if metadata.get(name)), None)
    return "length" if str(said).lower() in ("length", "max_tokens", "max_output_tokens") else said
