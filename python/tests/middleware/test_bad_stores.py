"""Stores that are down, slow, corrupt or full: the agent goes on, every request has the rules, and it is said."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from agents_fakes import RULES, WINDOW, Destructive, Model, ask, faults, get_batch, memory_of, thread
from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver

import standfast as sf
from standfast._thread import engine
from standfast.langchain import Standfast

CANARY = "zebra-canary"


class Failing:
    """A store that fails at what it is told to, with words of the texts in its errors."""

    def __init__(self, *bad: str) -> None:
        self.bad = set(bad)
        self.texts: dict[str, str] = {}

    def get_many(self, digests: Sequence[str], /) -> Mapping[str, str]:
        if "get" in self.bad:
            raise ConnectionError(f"down while reading {CANARY}")
        found = {digest: self.texts[digest] for digest in digests if digest in self.texts}
        if self.bad & {"corrupt", "deep"}:
            return dict.fromkeys(found, "\x00not json" if "corrupt" in self.bad else "[" * 100_000)
        return found

    def put_many(self, texts: Mapping[str, str], /) -> None:
        if "put" in self.bad:
            raise OSError(28, f"no space left for {CANARY}")
        if "slow" in self.bad:
            time.sleep(3)
        for digest, text in texts.items():
            self.texts.setdefault(digest, text)


class AsyncFailing:
    """The same with asynchronous calls only."""

    def __init__(self, *bad: str) -> None:
        self.inner = Failing(*bad)

    async def aget_many(self, digests: Sequence[str], /) -> Mapping[str, str]:
        return self.inner.get_many(digests)

    async def aput_many(self, texts: Mapping[str, str], /) -> None:
        if "slow" in self.inner.bad:
            await asyncio.sleep(3)
        self.inner.put_many(texts)


@pytest.mark.filterwarnings("ignore:.*state_not_persisted.*")
@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("bad", ["get", "put", "get put", "corrupt", "deep", "slow"])
def test_the_agent_goes_on(bad: str, asynchronous: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(engine, "STORE_TIMEOUT", 0.2)
    turns = 9 if "slow" in bad else 14
    store: Any = AsyncFailing(*bad.split()) if asynchronous else Failing(*bad.split())
    model, summarizer = Model(), Destructive()
    mw = Standfast(rules=RULES, summarizer=summarizer, window_tokens=WINDOW, store=store)
    agent = create_agent(model, [get_batch], middleware=[mw], checkpointer=InMemorySaver())

    async def run() -> None:
        for n in range(turns):
            await agent.ainvoke(ask(n), thread())

    if asynchronous:
        asyncio.run(run())
    else:
        for n in range(turns):
            agent.invoke(ask(n), thread())
    assert all(faults(request) == [] for request in model.seen)
    assert memory_of(model.seen[-1])
    assert len(summarizer.asked) <= 6  # a store that is down is no reason to pay over and over
    if bad not in ("corrupt", "deep"):
        assert any("the store failed" in record.getMessage() for record in caplog.records)
    assert CANARY not in caplog.text


def test_a_store_that_takes_nothing_is_said() -> None:
    mw = Standfast(rules=RULES, summarizer=Destructive(), window_tokens=WINDOW, store=Failing("put"))
    agent = create_agent(Model(), [get_batch], middleware=[mw], checkpointer=InMemorySaver())

    def turns() -> None:
        for n in range(14):
            agent.invoke(ask(n), thread())

    with pytest.warns(UserWarning, match="state_not_persisted"):
        turns()
    assert "_standfast" not in agent.get_state(thread()).values  # no key that points nowhere


def test_a_store_that_comes_back(tmp_path: Any) -> None:
    store, saver = Failing("put"), InMemorySaver()
    summarizer = Destructive()

    def build() -> Any:
        mw = Standfast(rules=RULES, summarizer=summarizer, window_tokens=WINDOW, store=store)
        return create_agent(Model(), [get_batch], middleware=[mw], checkpointer=saver)

    agent = build()

    def turns() -> None:
        for n in range(12):
            agent.invoke(ask(n), thread())

    with pytest.warns(UserWarning, match="state_not_persisted"):
        turns()
    store.bad.clear()
    agent.invoke(ask(12), thread())
    assert "_standfast" in agent.get_state(thread()).values
    build().invoke(ask(13), thread())
    assert len(set(summarizer.asked)) == len(summarizer.asked)  # nothing is paid twice


def test_an_asynchronous_store_needs_asynchronous_calls() -> None:
    mw = Standfast(rules=RULES, window_tokens=WINDOW, store=AsyncFailing())
    agent = create_agent(Model(), [get_batch], middleware=[mw], checkpointer=InMemorySaver())
    with pytest.raises(sf.PolicyError):
        agent.invoke(ask(1), thread())


def test_what_is_no_store_is_refused() -> None:
    with pytest.raises(sf.PolicyError):
        Standfast(rules=RULES, store={})  # type: ignore[arg-type]


@pytest.mark.parametrize("asynchronous", [False, True])
def test_sixty_four_threads_do_not_mix(asynchronous: bool) -> None:
    lock = threading.Lock()
    asked: list[str] = []

    def summarizer(request: Any) -> str:
        with lock:
            asked.append(request.prompt)
        return "Work went on."

    model = Model()
    mw = Standfast(rules=lambda runtime: RULES, summarizer=summarizer, window_tokens=WINDOW)
    agent = create_agent(model, [get_batch], middleware=[mw], checkpointer=InMemorySaver())

    def turns(name: int) -> None:
        for n in range(8):
            agent.invoke(ask(f"{n} of customer-{name}-x"), thread(f"t{name}"))

    async def aturns(name: int) -> None:
        for n in range(8):
            await agent.ainvoke(ask(f"{n} of customer-{name}-x"), thread(f"t{name}"))

    async def everybody() -> None:
        await asyncio.gather(*(aturns(name) for name in range(64)))

    if asynchronous:
        asyncio.run(everybody())
    else:
        with ThreadPoolExecutor(64) as pool:
            list(pool.map(turns, range(64)))
    assert len(model.seen) == 64 * 16
    for request in model.seen:
        assert faults(request) == []
        customers = {word.strip(".") for message in request for word in message.text.split() if word.startswith("customer-")}
        assert len(customers) == 1, customers
    assert len(set(asked)) == len(asked) > 0
    for name in range(64):
        assert len(agent.get_state(thread(f"t{name}")).values["messages"]) == 32
