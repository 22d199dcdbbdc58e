"""What a step of the middleware wants from outside, as values: the same step runs in a thread and in an event loop.

A step is a generator. It yields what it needs from the store or the summarizer and is sent the answer; `run` answers
blocking, `arun` without blocking the event loop. A store that fails is no reason to stop an agent: the step is told that
nothing could be read or kept, and the failure is logged.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from standfast import store as stores
from standfast._thread.background import awithin, within
from standfast._thread.reading import to_json
from standfast._thread.summarizing import Summarizing
from standfast.records import Request
from standfast.store import AnyStore, AsyncLogStore, LogStore, MemoryStore
from standfast.stores.sqlite import SqliteStore
from standfast.summarize import Summary

_T = TypeVar("_T")
log = logging.getLogger("standfast.thread")


@dataclass(frozen=True)
class Get:
    """The texts of some keys. The answer is a mapping, or None where the store failed."""

    keys: Sequence[str]


@dataclass(frozen=True)
class Put:
    """Texts to keep. The answer says whether they were kept."""

    texts: Mapping[str, str]


@dataclass(frozen=True)
class PutNew:
    """A text to keep unless there is one. The answer is the one that stands, or None where the store failed."""

    key: str
    text: str


@dataclass(frozen=True)
class Ask:
    """Requests for the summarizer. The answer is what came of each; `keep` says under which key it is stored at once."""

    requests: Sequence[Request]
    keep: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Wait:
    """A pause in seconds."""

    seconds: float


Effect = Get | Put | PutNew | Ask | Wait
Step = Generator[Effect, Any, _T]


class _Running:
    """One run of a step: what it wants now, or what came of it."""

    def __init__(self, step: Step[Any]) -> None:
        self._step = step
        self.effect: Effect | None = None
        self.result: Any = None
        self.send(None)

    def send(self, answer: Any) -> None:
        try:
            self.effect = self._step.send(answer)
        except StopIteration as end:
            self.effect, self.result = None, end.value

    def throw(self, error: BaseException) -> None:
        try:
            self.effect = self._step.throw(error)
        except StopIteration as end:
            self.effect, self.result = None, end.value


class Outside:
    """The store and the summarizer that steps are answered from."""

    def __init__(self, store: AnyStore, summarizing: Summarizing, store_timeout: float) -> None:
        self.store = store
        self.summarizing = summarizing
        self._timeout = store_timeout

    def run(self, step: Step[_T]) -> _T:
        """Runs a step, blocking."""
        running = _Running(step)
        while (effect := running.effect) is not None:
            try:
                answer = self._answer(effect)
            except BaseException as error:
                running.throw(error)
            else:
                running.send(answer)
        return running.result  # type: ignore[no-any-return]

    async def arun(self, step: Step[_T]) -> _T:
        """Runs a step in the event loop."""
        running = _Running(step)
        while (effect := running.effect) is not None:
            try:
                answer = await self._aanswer(effect)
            except BaseException as error:
                running.throw(error)
            else:
                running.send(answer)
        return running.result  # type: ignore[no-any-return]

    def _answer(self, effect: Effect) -> Any:
        if isinstance(effect, Wait):
            return time.sleep(effect.seconds)
        if isinstance(effect, Ask):
            return self.summarizing.run(effect.requests, lambda request, answer: self._keep(effect, request, answer))
        known = stores.blocking(self.store)
        if isinstance(known, MemoryStore):
            return _blocking(known, effect)
        try:
            if isinstance(known, SqliteStore):  # it has a time limit of its own
                return _blocking(known, effect)
            return within(lambda: _blocking(known, effect), self._timeout)
        except Exception as error:
            return _failed(effect, error)

    async def _aanswer(self, effect: Effect) -> Any:
        if isinstance(effect, Wait):
            return await asyncio.sleep(effect.seconds)
        if isinstance(effect, Ask):

            async def keep(request: Request, answer: Summary) -> None:
                if key := effect.keep.get(request.id):
                    await self._aanswer(Put({key: summary_text(answer)}))

            return await self.summarizing.arun(effect.requests, keep)
        known = self.store
        if isinstance(known, MemoryStore):
            return _blocking(known, effect)
        try:
            if isinstance(known, AsyncLogStore):
                return await asyncio.wait_for(_awaited(known, effect), self._timeout)
            return await awithin(lambda: _blocking(known, effect), self._timeout)
        except Exception as error:
            return _failed(effect, error)

    def _keep(self, effect: Ask, request: Request, answer: Summary) -> None:
        if key := effect.keep.get(request.id):
            self._answer(Put({key: summary_text(answer)}))


def _blocking(known: LogStore, effect: Effect) -> Any:
    if isinstance(effect, Get):
        return dict(known.get_many(list(effect.keys)))
    if isinstance(effect, Put):
        known.put_many(dict(effect.texts))
        return True
    assert isinstance(effect, PutNew)
    put_new = getattr(known, "put_new", None)
    if put_new is not None:
        return put_new(effect.key, effect.text)
    # a store's own contract: putting a key again changes nothing
    standing = known.get_many([effect.key])
    if effect.key not in standing:
        known.put_many({effect.key: effect.text})
        standing = known.get_many([effect.key])
    return standing.get(effect.key)


async def _awaited(known: AsyncLogStore, effect: Effect) -> Any:
    if isinstance(effect, Get):
        return dict(await known.aget_many(list(effect.keys)))
    if isinstance(effect, Put):
        await known.aput_many(dict(effect.texts))
        return True
    assert isinstance(effect, PutNew)
    put_new = getattr(known, "aput_new", None)
    if put_new is not None and inspect.iscoroutinefunction(put_new):
        return await put_new(effect.key, effect.text)
    standing = await known.aget_many([effect.key])
    if effect.key not in standing:
        await known.aput_many({effect.key: effect.text})
        standing = await known.aget_many([effect.key])
    return standing.get(effect.key)


def _failed(effect: Effect, error: Exception) -> Any:
    # the kind only: an error's words may hold what was to be stored
    log.warning("the store failed at %s: %s", type(effect).__name__, type(error).__name__)
    return False if isinstance(effect, Put) else None


def summary_text(answer: Summary) -> str:
    """How a summary is stored."""
    return to_json({"text": answer} if isinstance(answer, str) else dict(answer))
