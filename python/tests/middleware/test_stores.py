"""Stores: what is written stays, what is written once stays as it was written first, and agents go on from them."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import postgres_server
import pytest
from agents_fakes import RULES, WINDOW, Destructive, Model, ask, faults, get_batch, memory_of, thread
from langchain.agents import create_agent
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore
from langgraph.store.postgres import PostgresStore
from langgraph.store.sqlite import SqliteStore as GraphSqliteStore

import standfast as sf
from standfast.langchain import Standfast
from standfast.stores.langgraph import LangGraphStore
from standfast.stores.sqlite import SqliteStore


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    if postgres_server.binaries() is None:
        pytest.skip("no PostgreSQL server on this machine: apt-get install postgresql")
    with postgres_server.server() as address:
        with PostgresStore.from_conn_string(address) as store:
            store.setup()
        yield address


@pytest.fixture(params=["memory", "sqlite", "graph-memory", "graph-sqlite", "graph-postgres"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """Opens the same store again and again, as processes do."""
    opened: list[Any] = []
    if request.param == "memory":
        store: Any = sf.MemoryStore()
        yield lambda: store
    elif request.param == "sqlite":
        yield lambda: SqliteStore(tmp_path / "log.db")
    elif request.param == "graph-memory":
        graph = InMemoryStore()
        yield lambda: LangGraphStore(graph)
    else:
        address = request.getfixturevalue("postgres") if request.param == "graph-postgres" else str(tmp_path / "graph.db")
        kind: Any = PostgresStore if request.param == "graph-postgres" else GraphSqliteStore

        def open_one() -> LangGraphStore:
            context = kind.from_conn_string(address)
            opened.append(context)
            store = context.__enter__()
            store.setup()
            return LangGraphStore(store, namespace=("standfast", tmp_path.name))

        yield open_one
    for context in opened:
        context.__exit__(None, None, None)


def test_texts_stay(make: Any) -> None:
    store = make()
    assert store.get_many([]) == {}
    store.put_many({})
    store.put_many({f"d{n}": f"text {n} \u2014 'quoted' \U0001f512" for n in range(700)})
    found = make().get_many([f"d{n}" for n in range(0, 1400, 2)])
    assert found == {f"d{n}": f"text {n} \u2014 'quoted' \U0001f512" for n in range(0, 700, 2)}


def test_what_is_new_is_written_once(make: Any) -> None:
    stores = [make() for _ in range(4)]
    for key in ("a", "b", "c"):
        with ThreadPoolExecutor(4) as pool:
            standing = set(pool.map(lambda i, key=key: stores[i].put_new(key, f"by {i}"), range(4)))  # type: ignore[misc]
        assert len(standing) == 1
        assert make().put_new(key, "late") in standing


def test_a_winner_that_dawdles_is_the_only_one() -> None:
    """It saw that it was alone, and takes long to say that it won: who comes meanwhile waits for it, whatever the names are."""

    class Dawdling(InMemoryStore):
        def put(self, namespace: Any, key: str, value: dict[str, Any], **options: Any) -> None:
            if value.get("won") and threading.current_thread().name.startswith("slow"):
                time.sleep(0.4)
            super().put(namespace, key, value, **options)

    for _ in range(6):
        graph = Dawdling()
        with ThreadPoolExecutor(1, thread_name_prefix="slow") as slow, ThreadPoolExecutor(1, thread_name_prefix="late") as late:
            first = slow.submit(LangGraphStore(graph).put_new, "k", "slow")
            time.sleep(0.1)
            second = late.submit(LangGraphStore(graph).put_new, "k", "late")
            assert (first.result(30), second.result(30)) == ("slow", "slow")


def test_asynchronous_calls(make: Any) -> None:
    async def run() -> None:
        store = make()
        await store.aput_many({"x": "y"})
        assert await store.aget_many(["x", "z"]) == {"x": "y"}
        if not isinstance(store, sf.MemoryStore):
            assert await store.aput_new("x", "other") == "y"
            assert set(await asyncio.gather(*(store.aput_new("n", str(i)) for i in range(3)))) <= {"0", "1", "2"}

    asyncio.run(run())


def test_an_agent_goes_on_from_a_store(make: Any) -> None:
    saver, first, second, model = InMemorySaver(), Destructive(), Destructive(), Model()

    def build(model: Model, summarizer: Any) -> Any:
        mw = Standfast(rules=RULES, summarizer=summarizer, window_tokens=WINDOW, store=make())
        return create_agent(model, [get_batch], middleware=[mw], checkpointer=saver)

    agent = build(Model(), first)
    for n in range(12):
        agent.invoke(ask(n), thread())
    assert first.asked
    build(model, second).invoke(ask(12), thread())
    assert second.asked == []
    assert faults(model.seen[0]) == []
    assert "Work went on." in memory_of(model.seen[0])


def test_the_store_of_the_graph_is_used() -> None:
    graph, saver, second = InMemoryStore(), InMemorySaver(), Destructive()

    def build(summarizer: Any) -> Any:
        mw = Standfast(rules=RULES, summarizer=summarizer, window_tokens=WINDOW)
        return create_agent(Model(), [get_batch], middleware=[mw], checkpointer=saver, store=graph)

    agent = build(Destructive())
    for n in range(12):
        agent.invoke(ask(n), thread())
    assert graph.search(("standfast", "texts"))
    build(second).invoke(ask(12), thread())
    assert second.asked == []


WRITER = """
import sys
from standfast.stores.sqlite import SqliteStore
store = SqliteStore(sys.argv[1])
n = int(sys.argv[2])
while True:
    store.put_many({f"{n}-{part}": "x" * 2000 for part in range(5)})
    print(n, flush=True)
    n += 1
"""


def test_sqlite_survives_a_kill_between_any_two_writes(tmp_path: Path) -> None:
    path, start = tmp_path / "log.db", 0
    for pause in (0.0, 0.01, 0.03, 0.07):
        command = [sys.executable, "-c", WRITER, str(path), str(start)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            process.stdout.readline()
            time.sleep(pause)
            os.kill(process.pid, signal.SIGKILL)
            said = [start, *(int(line) for line in process.stdout.read().split() if line.isdigit())]
        store = SqliteStore(path)
        done = max(said)
        assert len(store.get_many([f"{n}-{part}" for n in range(done + 1) for part in range(5)])) == 5 * (done + 1)
        assert len(store) % 5 == 0  # all of a write or nothing
        assert store._read("PRAGMA integrity_check") == [("ok",)]
        assert store._read("PRAGMA journal_mode") == [("wal",)]
        start = len(store) // 5
        store.close()


def test_sqlite_in_many_threads(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "log.db")
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda n: store.put_many({f"k{n}": "v"}), range(200)))
    assert len(store) == 200


def test_sqlite_opened_by_many_at_once(tmp_path: Path) -> None:
    """A file that is new to all of them: each waits for the others."""

    def use(name: str) -> None:
        barrier.wait(timeout=60)
        with SqliteStore(tmp_path / name) as store:
            store.put_many({"k": "v"})

    barrier = threading.Barrier(8)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, [f"{number}.db" for number in range(25) for _ in range(8)]))


def test_sqlite_says_when_another_keeps_the_file(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "log.db") as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            SqliteStore(tmp_path / "log.db", timeout=0.05)
    other.close()


def test_sqlite_refuses_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(sf.PolicyError):
        SqliteStore(":memory:")
    (tmp_path / "no.db").write_bytes(b"this is no database, whatever it is called" * 40)
    with pytest.raises(sqlite3.DatabaseError):
        SqliteStore(tmp_path / "no.db")


WORKER = """
import sys, json, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, {tests!r})
from agents_fakes import *
from langchain.agents import create_agent
from langchain_core.messages import *
from langgraph.store.postgres import PostgresStore
from standfast.langchain import Standfast
import test_state, time
class Slow(Destructive):
    def __call__(self, request):
        time.sleep(0.3)
        return super().__call__(request)
model, summarizer = Model(), Slow()
with PostgresStore.from_conn_string({address!r}) as store:
    mw = Standfast(rules=RULES, summarizer=summarizer, window_tokens=WINDOW, store=store)
    agent = create_agent(model, [get_batch], middleware=[mw])
    sys.stdin.readline()
    for thread in range(2):
        begin, history = HumanMessage(f"Thread {{thread}} of run {run}."), test_state.long_history(10)
        agent.invoke({{"messages": [begin, *history, HumanMessage("Go on.")]}})
print(json.dumps([len(summarizer.asked), [[m.type, m.content] for m in model.seen[0]], [faults(r) for r in model.seen]]))
"""


def test_eight_processes_on_one_postgres_pay_each_summary_once(postgres: str, tmp_path: Path) -> None:
    import json

    code = WORKER.format(tests=str(Path(__file__).parent), address=postgres, run=tmp_path.name)
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    processes = [subprocess.Popen([sys.executable, "-c", code], **pipes) for _ in range(8)]
    done = [process.communicate("go\n", timeout=240) for process in processes]
    for process, (_, errors) in zip(processes, done):
        assert process.returncode == 0, errors
    answers = [json.loads(out) for out, _ in done]
    assert all(faults == [] for answer in answers for faults in answer[2])
    assert len({json.dumps(answer[1]) for answer in answers}) == 1  # the same bytes in each process
    spans = len(json.loads(json.dumps(answers[0][1])))
    assert spans
    alone = _alone(tmp_path.name)
    assert sum(answer[0] for answer in answers) == alone


def _alone(run: str) -> int:
    """What one process alone pays for the same two threads."""
    from langchain_core.messages import HumanMessage
    from test_state import long_history

    summarizer = Destructive()
    mw = Standfast(rules=RULES, summarizer=summarizer, window_tokens=WINDOW, store=sf.MemoryStore())
    agent = create_agent(Model(), [get_batch], middleware=[mw])
    for number in range(2):
        agent.invoke({"messages": [HumanMessage(f"Thread {number} of run {run}."), *long_history(10), HumanMessage("Go on.")]})
    return len(summarizer.asked)


def test_two_workers_on_one_thread(tmp_path: Path) -> None:
    """One wins, the other goes on from what it wrote: one summary, the same bytes."""

    class Slow(Destructive):
        def __call__(self, request: Any) -> str:
            time.sleep(0.2)
            return super().__call__(request)

    from test_state import long_history

    summarizers, models = [Slow(), Slow()], [Model(), Model()]
    barrier = threading.Barrier(2)

    def work(i: int) -> None:
        mw = Standfast(rules=RULES, summarizer=summarizers[i], window_tokens=WINDOW, store=SqliteStore(tmp_path / "log.db"))
        agent = create_agent(models[i], [get_batch], middleware=[mw], checkpointer=InMemorySaver())
        barrier.wait(timeout=60)
        agent.invoke({"messages": long_history(10) + ask("x")["messages"]}, thread())

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, range(2)))
    prompts = [prompt for summarizer in summarizers for prompt in summarizer.asked]
    assert len(prompts) == len(set(prompts)) > 0
    assert [m.content for m in models[0].seen[0]] == [m.content for m in models[1].seen[0]]


def test_different_summaries_of_two_workers_come_to_one(tmp_path: Path) -> None:
    """Two that cannot see each other's claims: the second commit finds the first, and begins again from it."""
    from test_state import long_history

    class Late(SqliteStore):
        """Shows no summary and no claim of others."""

        def get_many(self, digests: Any, /) -> dict[str, str]:
            return {key: text for key, text in super().get_many(digests).items() if not text.startswith('{"text"')}

        def put_new(self, key: str, text: str, /) -> str:
            return super().put_new(key, text) if "snapshot" in text else text

    seen = []
    for words in ("One way of saying what was done.", "Quite another way of saying what was done."):
        model, store = Model(), Late(tmp_path / "log.db")
        mw = Standfast(rules=RULES, summarizer=lambda request, words=words: words, window_tokens=WINDOW, store=store)
        agent = create_agent(model, [get_batch], middleware=[mw])
        messages = {"messages": long_history(10) + ask("x")["messages"]}
        if seen:  # loaded before the first one wrote, so to speak
            mw._engine._cycle.load = _blind(mw._engine._cycle.load)  # type: ignore[method-assign]
        agent.invoke(messages)
        seen.append(memory_of(model.seen[0]))
    assert seen[0] == seen[1]
    assert "One way" in seen[0]


def _blind(load: Any) -> Any:
    """Finds nothing the first time."""
    calls: list[int] = []

    def blinded(place: Any, messages: Any, key: Any, given: Any, **options: Any) -> Any:
        calls.append(1)
        other = place._replace(agent="nowhere") if len(calls) == 1 else place
        return (yield from load(other, messages, key, given, **options))

    return blinded
