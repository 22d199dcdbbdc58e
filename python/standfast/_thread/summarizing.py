"""The summarizer of an integration: whatever it is, at most four at once, each for at most a minute and twice at most.

What still has no usable answer then is summarized extractively by the engine. Cancellation, and what a framework interrupts a
run with, are no failures: they pass through.
"""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import logging
import threading
import weakref
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, ClassVar

from standfast import _core
from standfast._thread.background import awithin, start
from standfast.records import Request
from standfast.summarize import Answer, Summary

log = logging.getLogger("standfast.thread")
_CROWDED = "a summary had no turn: too many are being made"
AT_ONCE = 4
TIMEOUT = 60.0
ATTEMPTS = 2
TURNS = 5
"""A request waits while others are summarized, and no longer than so many of them may take one after the other."""

Keep = Callable[[Request, Summary], None]
AsyncKeep = Callable[[Request, Summary], Awaitable[None]]
Answers = dict[str, Summary | None]

_busy: contextvars.ContextVar[frozenset[int]] = contextvars.ContextVar("standfast_summarizing", default=frozenset())


class Asker(ABC):
    """What is asked for a summary."""

    blocking = False
    """Whether it can only be asked in a thread."""

    @abstractmethod
    def ask(self, request: Request) -> Any:
        """The answer, blocking. It has a thread of its own."""

    @abstractmethod
    async def aask(self, request: Request) -> Any:
        """The answer, in the event loop."""


class FunctionAsker(Asker):
    """A function of the host's, which is given the request itself."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        call = getattr(function, "__call__", None)  # noqa: B004
        self.blocking = not (inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call))

    def ask(self, request: Request) -> Any:
        """Calls it."""
        return self._function(request) if self.blocking else asyncio.run(self.aask(request))

    async def aask(self, request: Request) -> Any:
        """Awaits it."""
        return await self._function(request)


class Summarizing(ABC):
    """Runs a summarizer over requests. `model` is the agent's own model, as soon as it is known."""

    passes: ClassVar[tuple[type[BaseException], ...]] = ()
    """Errors that are none: what a framework interrupts a run with."""

    def __init__(self, given: object, *, timeout: float = TIMEOUT) -> None:
        self._given = given
        self._timeout = timeout
        self._patience = TURNS * ATTEMPTS * timeout
        self._slots = threading.BoundedSemaphore(AT_ONCE)
        self._gates: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = weakref.WeakKeyDictionary()
        self._said = False
        self.model: Any = None
        self._asker = None if given in (None, "agent") else self._made(given)

    @abstractmethod
    def asker_of(self, given: Any) -> Asker | None:
        """What asks a model of the framework; None where it is none."""

    def _made(self, given: Any) -> Asker:
        if (asker := self.asker_of(given)) is not None:
            return asker
        if callable(given):
            return FunctionAsker(given)
        raise _core.error_of("invalid_argument", f"`summarizer` is of type `{type(given).__name__}`: no model and no function")

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
        asker = self._now()
        if asker is None:
            return {request.id: None for request in requests}
        stop = threading.Event()
        try:
            futures = [(request, start(lambda request=request: self._one(asker, request, keep, stop))) for request in requests]  # type: ignore[misc]
            # each ends by itself: it waits for its turn, for its attempts and for the store, and for none of them for ever
            return {request.id: future.result() for request, future in futures}
        except BaseException:
            stop.set()  # what has not begun is not paid for
            raise

    async def arun(self, requests: Sequence[Request], keep: AsyncKeep) -> Answers:
        """Like `run`, in the event loop. If one ends the run, the others are cancelled and awaited."""
        asker = self._now()
        if asker is None:
            return {request.id: None for request in requests}
        gate = self._gates.setdefault(asyncio.get_running_loop(), asyncio.Semaphore(AT_ONCE))
        tasks = [asyncio.ensure_future(self._aone(asker, request, keep, gate)) for request in requests]
        try:
            answers = await asyncio.gather(*tasks)
        except BaseException:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            raise
        return {request.id: answer for request, answer in zip(requests, answers)}

    def _now(self) -> Asker | None:
        if self._given == "agent":
            return self.asker_of(self.model) if self.model is not None else None
        return self._asker

    def _one(self, asker: Asker, request: Request, keep: Keep, stop: threading.Event) -> Summary | None:
        _busy.set(_busy.get() | {id(self)})
        if not self._slots.acquire(timeout=self._patience):
            log.info(_CROWDED)
            return None
        try:
            for _ in range(ATTEMPTS):
                if stop.is_set():
                    return None
                try:
                    answer = self.usable(_result(start(lambda: asker.ask(request)), self._timeout))
                except Exception as error:
                    if isinstance(error, self.passes):
                        raise
                    log.info("a summary failed: %s", type(error).__name__)
                    continue
                if answer is not None:
                    keep(request, answer)
                    return answer
        finally:
            self._slots.release()
        return None

    async def _aone(self, asker: Asker, request: Request, keep: AsyncKeep, gate: asyncio.Semaphore) -> Summary | None:
        _busy.set(_busy.get() | {id(self)})  # a task has a context of its own
        try:
            await asyncio.wait_for(gate.acquire(), self._patience)
        except asyncio.TimeoutError:
            log.info(_CROWDED)
            return None
        try:
            for _ in range(ATTEMPTS):
                try:
                    answer = self.usable(await self._asked(asker, request))
                except Exception as error:
                    if isinstance(error, self.passes):
                        raise
                    log.info("a summary failed: %s", type(error).__name__)
                    continue
                if answer is not None:
                    await keep(request, answer)
                    return answer
        finally:
            gate.release()
        return None

    async def _asked(self, asker: Asker, request: Request) -> Any:
        if asker.blocking:
            return await awithin(lambda: asker.ask(request), self._timeout)
        return await asyncio.wait_for(asker.aask(request), self._timeout)

    def usable(self, answer: Any) -> Summary | None:
        """What a summarizer returned as a summary; None where it called tools or said nothing."""
        return usable(answer)


def _result(future: Any, timeout: float) -> Any:
    try:
        return future.result(timeout)
    except Exception:
        if not future.done():
            raise TimeoutError("the summarizer took too long") from None
        raise


def usable(answer: Any) -> Summary | None:
    """A text, or a mapping with a text, as a summary; None where there is none."""
    if isinstance(answer, str):
        return answer if answer.strip() else None
    if isinstance(answer, Mapping) and isinstance(answer.get("text"), str):
        return answered(answer["text"], answer.get("finish_reason"))
    return None


def answered(text: str, finish: Any) -> Answer | None:
    """A text with how it ended."""
    return Answer(text=text, finish_reason=finish if isinstance(finish, str) else None) if text.strip() else None
