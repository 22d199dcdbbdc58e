"""A store that fails at one call and works again: the same guard goes on, nothing is lost and nothing is paid for again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from conversations import REFUND, WINDOW, Message, conversation

import standfast as sf

ROUNDS = 3
AUDIT = "Never ship before the audit is signed."


class Flaky:
    """Fails at one of its calls, before or after it did its work; process deaths are failures that no code may catch."""

    def __init__(self, fails_at: int = -1, *, done: bool = False, error: type[BaseException] = OSError) -> None:
        self.texts: dict[str, str] = {}
        self.calls = 0
        self.fails_at, self.done, self.error = fails_at, done, error

    def _call(self, work: Callable[[], Any]) -> Any:
        fails = self.calls == self.fails_at
        self.calls += 1
        if fails and not self.done:
            raise self.error
        result = work()
        if fails:
            raise self.error
        return result

    def _get(self, digests: Sequence[str]) -> Any:
        return self._call(lambda: {digest: self.texts[digest] for digest in digests if digest in self.texts})

    def _put(self, texts: Mapping[str, str]) -> None:
        self._call(lambda: self.texts.update(texts))


class FlakyStore(Flaky):
    def get_many(self, digests: Sequence[str], /) -> Mapping[str, str]:
        found: Mapping[str, str] = self._get(digests)
        return found

    def put_many(self, texts: Mapping[str, str], /) -> None:
        self._put(texts)


class FlakyAsyncStore(Flaky):
    async def aget_many(self, digests: Sequence[str], /) -> Mapping[str, str]:
        await asyncio.sleep(0)
        found: Mapping[str, str] = self._get(digests)
        return found

    async def aput_many(self, texts: Mapping[str, str], /) -> None:
        await asyncio.sleep(0)
        self._put(texts)


class Host:
    """Runs the documented order of effects; a call whose store failed is made again, on the same guard."""

    def __init__(self, store: Any) -> None:
        self.store = store
        self.messages: list[Message] = []
        self.paid: list[str] = []
        self.failures = 0
        self.snapshot: str | None = None

    def summarize(self, request: sf.Request) -> str:
        self.paid.append(request.prompt)
        return f"Looked at the batches of events {request.span[0]} to {request.span[1]}; nothing to refund."

    async def again(self, call: Callable[[], Any]) -> Any:
        """Makes a call, once more if the store failed."""
        try:
            result = call()
            return await result if asyncio.iscoroutine(result) else result
        except OSError:
            self.failures += 1
        result = call()
        return await result if asyncio.iscoroutine(result) else result

    async def guard(self) -> sf.Guard:
        """A new one, or what the last process left."""
        if self.snapshot is None:
            guard = sf.Guard(window_tokens=WINDOW, store=self.store, summarizer_window_tokens=4_000)
            guard.set_rules("policy_loader", [REFUND])
            guard.sync(self.messages)
            return guard
        given: dict[str, Any] = {"messages": self.messages, "store": self.store, "rules": {"policy_loader": [REFUND]}}
        if isinstance(self.store, FlakyAsyncStore):
            return await sf.Guard.arestore(self.snapshot, **given)
        return sf.Guard.restore(self.snapshot, **given)

    async def live(self) -> sf.Guard:
        guard = await self.guard()
        slow = isinstance(self.store, FlakyAsyncStore)
        while len(self.messages) < ROUNDS * 200:
            start = len(self.messages) // 4
            self.messages += conversation(50, start=start)
            if start == 0:
                self.messages[0] = {"role": "user", "content": AUDIT}
            guard.sync(self.messages)
            if slow:
                await self.again(lambda: guard.acompact(self.summarize, max_concurrency=1))
                self.snapshot = await self.again(guard.asnapshot)
                await self.again(lambda: guard.apage_out(len(self.messages)))
                text = (await self.again(lambda: guard.arecall(span=(0, 0))))[0].text
            else:
                await self.again(lambda: guard.compact(self.summarize))
                self.snapshot = await self.again(guard.snapshot)
                await self.again(lambda: guard.page_out(len(self.messages)))
                text = (await self.again(lambda: guard.recall(span=(0, 0))))[0].text
            assert text == AUDIT
        return guard


def sound(host: Host, guard: sf.Guard) -> None:
    """Every rule holds, every message stands in the window or under exactly one segment."""
    assert {REFUND, AUDIT} <= {rule.text for rule in guard.rules}
    window = guard.window()
    guard.assert_window(window.messages)
    assert not guard.degraded
    seen = {id(message) for message in window.messages}
    spans = [segment.span for segment in guard.segments]
    assert all((id(message) in seen) + sum(a <= at <= b for a, b in spans) == 1 for at, message in enumerate(host.messages))


@pytest.mark.parametrize("kind", [FlakyStore, FlakyAsyncStore])
@pytest.mark.parametrize("done", [False, True])
def test_a_store_may_fail_at_any_call_and_work_again(kind: Callable[..., Flaky], done: bool) -> None:
    whole = Host(kind())
    guard = asyncio.run(whole.live())
    sound(whole, guard)
    assert whole.store.calls > 15
    segments = [segment.text for segment in guard.segments]
    for fails_at in range(whole.store.calls):
        host = Host(kind(fails_at, done=done))
        guard = asyncio.run(host.live())
        assert host.failures == 1, fails_at
        sound(host, guard)
        assert [segment.text for segment in guard.segments] == segments, fails_at
        # an answer that was there and could not be stored is asked for once more
        assert len(host.paid) - len(set(host.paid)) <= (0 if done else 1), fails_at


class Killed(BaseException):
    """The process is gone."""


@pytest.mark.parametrize("done", [False, True])
def test_a_process_may_die_in_acompact(done: bool) -> None:
    whole = Host(FlakyAsyncStore())
    asyncio.run(whole.live())
    for fails_at in range(whole.store.calls):
        host = Host(FlakyAsyncStore(fails_at, done=done, error=Killed))
        with pytest.raises(Killed):
            asyncio.run(host.live())
        guard = asyncio.run(host.live())
        sound(host, guard)
        assert len(host.paid) - len(set(host.paid)) <= (0 if done else 1), fails_at


def test_a_cancelled_acompact_changes_nothing_and_can_be_made_again() -> None:
    async def main() -> None:
        host = Host(FlakyAsyncStore())
        host.messages = conversation(60)
        guard = await host.guard()
        before = await guard.asnapshot()
        asked = asyncio.Event()

        async def never(request: sf.Request) -> str:
            asked.set()
            await asyncio.sleep(3_600)
            return "x"

        task = asyncio.create_task(guard.acompact(never))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await guard.asnapshot() == before
        window = await guard.acompact(host.summarize)
        assert window.receipt.method == "model"

    asyncio.run(main())
