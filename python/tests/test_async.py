"""Asynchronous compaction: requests at once, a loop that keeps turning, and cancellation that changes nothing."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest
from conversations import REFUND, WINDOW, conversation
from test_guard import state_of

import standfast as sf

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(asyncio.wait_for(coroutine, timeout=60))


@pytest.fixture
def many() -> sf.Guard:
    """A guard whose plan has several requests."""
    guard = sf.Guard(window_tokens=WINDOW, summarizer_window_tokens=2_500)
    guard.declare(REFUND)
    guard.observe_all(conversation(60))
    assert len(guard.plan().requests) >= 3
    return guard


class Gauge:
    """Counts how many run at once."""

    def __init__(self) -> None:
        self.now = self.most = self.calls = 0
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        with self._lock:
            self.now += 1
            self.calls += 1
            self.most = max(self.most, self.now)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self.now -= 1


def test_requests_run_at_once(many: sf.Guard) -> None:
    gauge = Gauge()

    async def summarizer(request: sf.Request) -> str:
        with gauge:
            await asyncio.sleep(0.05)
        return "."

    window = run(many.acompact(summarizer))
    assert gauge.most >= 3
    assert window.receipt.method == "model"
    many.assert_window(window.messages)


@pytest.mark.parametrize("most", [1, 2])
def test_concurrency_is_bounded(many: sf.Guard, most: int) -> None:
    gauge = Gauge()

    async def summarizer(request: sf.Request) -> str:
        with gauge:
            await asyncio.sleep(0.01)
        return "."

    run(many.acompact(summarizer, max_concurrency=most))
    assert gauge.most == most


def test_blocking_summarizer_runs_in_threads(many: sf.Guard) -> None:
    gauge = Gauge()
    names = set()

    def summarizer(request: sf.Request) -> str:
        with gauge:
            names.add(threading.current_thread() is threading.main_thread())
            time.sleep(0.05)
        return "."

    run(many.acompact(summarizer))
    assert gauge.most >= 2
    assert names == {False}


def test_callable_that_returns_an_awaitable(many: sf.Guard) -> None:
    async def answer() -> str:
        return "."

    assert run(many.acompact(lambda request: answer())).receipt.method == "model"


def test_asynchronous_and_blocking_give_the_same_window(many: sf.Guard) -> None:
    twin = sf.Guard(window_tokens=WINDOW, summarizer_window_tokens=2_500)
    twin.declare(REFUND)
    twin.observe_all(conversation(60))
    assert run(many.acompact()).messages == twin.compact().messages


def test_loop_keeps_turning_while_the_plan_is_made() -> None:
    guard = sf.Guard(window_tokens=2_000_000)
    guard.observe_all(conversation(6_000))

    async def main() -> int:
        turns = 0
        task = asyncio.create_task(guard.acompact())
        while not task.done():
            turns += 1
            await asyncio.sleep(0)
        await task
        return turns

    assert run(main()) > 20


def test_cancellation_changes_nothing(many: sf.Guard) -> None:
    before = state_of(many)
    ended = []

    async def summarizer(request: sf.Request) -> str:
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(request.id)
        return "."

    async def main() -> None:
        task = asyncio.create_task(many.acompact(summarizer))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())
    assert ended
    assert state_of(many) == before
    assert many.compact().receipt.outcome == "compacted"


def test_timeout_of_the_host_changes_nothing(many: sf.Guard) -> None:
    before = state_of(many)

    async def summarizer(request: sf.Request) -> str:
        await asyncio.sleep(60)
        return "."

    async def main() -> None:
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(many.acompact(summarizer), timeout=0.2)

    run(main())
    assert state_of(many) == before


@pytest.mark.parametrize("blocking", [True, False])
def test_failed_calls_fall_back_one_by_one(many: sf.Guard, blocking: bool) -> None:
    calls = 0

    def every_second(request: sf.Request) -> str:
        nonlocal calls
        calls += 1
        if calls % 2:
            raise StopIteration("an exception that asyncio does not like")
        return "Batches were reconciled."

    async def every_second_async(request: sf.Request) -> str:
        return every_second(request) if calls % 2 else _fail(every_second, request)

    window = run(many.acompact(every_second if blocking else every_second_async, max_concurrency=1))
    assert window.receipt.method == "mixed"
    assert {finding.kind for finding in window.receipt.findings} >= {"summarizer_failed"}


def _fail(summarizer: Any, request: sf.Request) -> str:
    try:
        return str(summarizer(request))
    except StopIteration as error:
        raise RuntimeError from error


def test_refusal_cancels_the_other_calls(many: sf.Guard) -> None:
    before = state_of(many)
    cancelled = []

    async def summarizer(request: sf.Request) -> str:
        if request.id == many.plan().requests[0].id:
            await asyncio.sleep(0)  # the others have begun
            raise ValueError("no")
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(request.id)
            raise
        return "."

    with pytest.raises(sf.CommitRefused) as caught:
        run(many.acompact(summarizer, on_error="raise"))
    assert caught.value.code == "summarizer_failed"
    assert isinstance(caught.value.__cause__, ValueError)
    assert cancelled
    assert state_of(many) == before


def test_answer_that_is_no_text_is_refused(many: sf.Guard) -> None:
    before = state_of(many)

    async def summarizer(request: sf.Request) -> Any:
        return 5

    with pytest.raises(sf.CommitRefused) as caught:
        run(many.acompact(summarizer))
    assert caught.value.code == "summary_not_text"
    assert state_of(many) == before


def test_amaybe_compact(many: sf.Guard) -> None:
    async def summarizer(request: sf.Request) -> str:
        return "."

    assert run(many.amaybe_compact(summarizer)) is not None
    assert run(many.amaybe_compact(summarizer)) is None


@pytest.mark.parametrize("most", [0, -1, 1.5, True, "2"])
def test_unusable_concurrency(many: sf.Guard, most: Any) -> None:
    with pytest.raises(sf.PolicyError):
        run(many.acompact(lambda request: ".", max_concurrency=most))


class SlowStore:
    """A store with asynchronous methods only."""

    def __init__(self) -> None:
        self.memory = sf.MemoryStore()

    async def aget_many(self, digests: Any, /) -> dict[str, str]:
        await asyncio.sleep(0)
        return self.memory.get_many(digests)

    async def aput_many(self, texts: Any, /) -> None:
        await asyncio.sleep(0)
        self.memory.put_many(texts)


def test_asynchronous_store() -> None:
    store = SlowStore()
    guard = sf.Guard(window_tokens=WINDOW, store=store)
    guard.declare(REFUND)
    with pytest.raises(sf.PolicyError):
        guard.snapshot()

    async def main() -> sf.Guard:
        return await sf.Guard.arestore(await guard.asnapshot(), store=store)

    assert [rule.text for rule in run(main()).rules] == [REFUND]
