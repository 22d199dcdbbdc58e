"""Nothing waits for ever: no lock is held while something of the host's is called, and what may hang has a time limit."""

from __future__ import annotations

import asyncio
import importlib
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from agents_fakes import RULES, WINDOW, Model, ask, get_batch, thread
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langgraph.checkpoint.memory import InMemorySaver
from test_bad_stores import AsyncFailing, Failing
from typer.testing import CliRunner

import standfast as sf
from standfast import testing as t
from standfast._thread.summarizing import Summarizing
from standfast.cli import threads
from standfast.cli.app import app
from standfast.langchain import Standfast
from standfast.stores import sqlite
from standfast.stores.sqlite import SqliteStore
from standfast.testing import requests

LOCKED = ("guard", "_thread.conversation", "_thread.cache", "_thread.engine")
"""Modules with locks."""


class Held:
    """Locks that count how many of them are held."""

    def __init__(self) -> None:
        self.now = 0
        self.taken = 0
        self.called: dict[str, int] = {}

    def kind(self, make: Callable[[], Any]) -> Callable[[], Any]:
        """A kind of lock that counts."""
        return lambda: _Lock(self, make())

    def free(self, name: str) -> None:
        """The host is called: nothing may be held."""
        assert self.now == 0, f"`{name}` is called while {self.now} locks are held"
        self.called[name] = self.called.get(name, 0) + 1


class _Lock:
    def __init__(self, held: Held, inner: Any) -> None:
        self._all, self._inner = held, inner

    def __enter__(self) -> None:
        self._inner.acquire()
        self._all.now, self._all.taken = self._all.now + 1, self._all.taken + 1

    def __exit__(self, *error: Any) -> None:
        self._all.now -= 1
        self._inner.release()


@pytest.mark.parametrize("asynchronous", [False, True])
def test_nothing_of_the_hosts_is_called_while_a_lock_is_held(monkeypatch: pytest.MonkeyPatch, asynchronous: bool) -> None:
    held = Held()
    for name in LOCKED:
        module = importlib.import_module(f"standfast.{name}")
        monkeypatch.setattr(module, "threading", SimpleNamespace(Lock=held.kind(threading.Lock), RLock=held.kind(threading.RLock)))

    class Store(Failing):
        def get_many(self, *given: Any) -> Any:
            held.free("store")
            return super().get_many(*given)

        def put_many(self, *given: Any) -> None:
            held.free("store")
            super().put_many(*given)

    class AsyncStore(AsyncFailing):
        def __init__(self) -> None:
            self.inner = Store()

    class Strip(AgentMiddleware):  # type: ignore[type-arg]
        on = False

        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return handler(request.override(system_message=None) if self.on else request)

        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            return await handler(request.override(system_message=None) if self.on else request)

    def rules(runtime: Any) -> list[str]:
        held.free("rules")
        return RULES

    def summarizer(request: Any) -> str:
        held.free("summarizer")
        return "Work went on."

    strip = Strip()
    options: Any = {"store": AsyncStore() if asynchronous else Store(), "on_receipt": lambda receipt: held.free(receipt.outcome)}
    mw = Standfast(rules=rules, summarizer=summarizer, window_tokens=WINDOW, **options)
    agent = create_agent(Model(), [get_batch], middleware=[mw, strip], checkpointer=InMemorySaver())

    def turn(n: int) -> None:
        asyncio.run(agent.ainvoke(ask(n), thread())) if asynchronous else agent.invoke(ask(n), thread())

    for n in range(14):
        turn(n)
    strip.on = True
    with pytest.raises(sf.InvariantLost):
        turn(14)
    assert held.taken > 100
    assert set(held.called) >= {"store", "rules", "summarizer", "continue", "compacted", "invariant_lost"}


def test_a_guard_asks_its_store_while_others_may_use_it() -> None:
    """A store that does not answer holds nobody but its caller."""
    asked, go_on = threading.Event(), threading.Event()

    class Slow(sf.MemoryStore):
        def put_many(self, texts: Any, /) -> None:
            super().put_many(texts)
            asked.set()
            assert go_on.wait(60)

    guard = sf.Guard(window_tokens=4_000, store=Slow())
    guard.observe_all([{"role": "assistant" if n % 2 else "user", "content": f"Batch {n} was looked at. " * 20} for n in range(40)])
    guard.compact()
    worker = threading.Thread(target=lambda: guard.page_out(10), daemon=True)
    worker.start()
    assert asked.wait(60)
    other = threading.Thread(target=guard.window, daemon=True)
    other.start()
    other.join(20)
    stuck = other.is_alive()
    go_on.set()
    worker.join(60)
    assert not stuck


def test_a_thread_waits_for_the_others_of_a_file_only_so_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "_QUEUE", 0.05)
    store = SqliteStore(tmp_path / "log.db", timeout=0.05)
    said: list[type[BaseException]] = []

    def write() -> None:
        try:
            store.put_many({"k": "v"})
        except TimeoutError as error:
            said.append(type(error))

    with store._lock:
        worker = threading.Thread(target=write, daemon=True)
        worker.start()
        worker.join(60)
    assert said == [TimeoutError]
    store.put_many({"k": "v"})
    assert len(store) == 1


FORK = """
import os, sys, threading
from standfast.stores.sqlite import SqliteStore
store, locked, done = SqliteStore(sys.argv[1]), threading.Event(), threading.Event()
def hold():
    with store._lock:
        locked.set()
        done.wait(60)
threading.Thread(target=hold, daemon=True).start()
locked.wait(60)
child = os.fork()
if child == 0:
    store.put_many({"k": "v"})
    os._exit(0)
_, status = os.waitpid(child, 0)
done.set()
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_process_is_not_locked_out_by_a_thread_it_does_not_have(tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORK, str(tmp_path / "log.db")]
    assert subprocess.run(command, timeout=20, check=False).returncode == 0


class Crowded(Summarizing):
    """A function, and no turn for it."""

    def asker_of(self, given: Any) -> None:
        return None


def test_a_summary_that_has_no_turn_is_extractive(caplog: pytest.LogCaptureFixture) -> None:
    asked: list[Any] = []
    crowded = Crowded(lambda request: asked.append(request) or "Work went on.")
    crowded._patience = 0.05
    request = sf.Request("r0", (0, 1), "text", "prompt", 100)
    for _ in range(4):
        assert crowded._slots.acquire(blocking=False)
    assert crowded.run([request], lambda request, answer: None) == {"r0": None}
    crowded._slots.release()
    assert crowded.run([request], lambda request, answer: None) == {"r0": "Work went on."}

    async def keep(request: Any, answer: Any) -> None:
        pass

    async def both() -> None:
        assert (await crowded.arun([request], keep)) == {"r0": "Work went on."}
        gate = crowded._gates[asyncio.get_running_loop()]
        for _ in range(4):
            await gate.acquire()
        assert (await crowded.arun([request], keep)) == {"r0": None}

    asyncio.run(both())
    assert len(asked) == 2


def test_a_compaction_that_never_ends_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "PATIENCE", 0.05)

    async def hangs(messages: list[Any]) -> list[Any]:
        await asyncio.sleep(3_600)
        return messages

    async def fails(messages: list[Any]) -> list[Any]:
        raise TimeoutError("of its own")

    async def in_a_loop(compact: Any) -> None:
        t.survival(compact, RULES, [{"role": "user", "content": "Hello."}])

    for run in (
        lambda compact: asyncio.run(in_a_loop(compact)),
        lambda compact: t.survival(compact, RULES, [{"role": "user", "content": "."}]),
    ):
        with pytest.raises(t.CheckFailed) as caught:
            run(hangs)
        assert caught.value.code == "not_settled"
        with pytest.raises(TimeoutError, match="of its own"):
            run(fails)


def test_a_database_that_says_nothing_ends_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("langgraph.checkpoint.postgres")
    monkeypatch.setitem(threads._PATIENCE, "connect_timeout", "2")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"postgresql://user:secret@127.0.0.1:{silent.getsockname()[1]}/db"
        result = CliRunner().invoke(app, ["thread", url, "--thread", "t"])
    assert result.exit_code == 2
    assert "cannot be reached" in result.output
    assert "secret" not in result.output
