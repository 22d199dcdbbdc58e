"""The summarizer: whatever it is, how it runs, and what becomes of those that fail."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from typing import Any

import pytest
from agents_fakes import RULES, WINDOW, Destructive, Model, answering, ask, faults, get_batch, memory_of, thread
from langchain.agents import create_agent
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.runnables import RunnableLambda
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command, interrupt
from test_state import long_history

import standfast as sf
from standfast.langchain import Standfast
from standfast.langchain.summarizing import Summarizing, usable


def _needs_config(asynchronous: bool) -> None:
    if asynchronous and sys.version_info < (3, 11):
        pytest.skip("LangGraph hands the config of a run to asynchronous hooks from Python 3.11 on")


pytestmark = pytest.mark.filterwarnings("ignore:.*state_not_persisted.*")  # histories come in from elsewhere here


def run(summarizer: Any, *, asynchronous: bool = False, model: Model | None = None, config: Any = None, **options: Any) -> Any:
    """One turn after a long history: the agent, its model, and the last receipt."""
    model = model or Model()
    mw = Standfast(rules=RULES, summarizer=summarizer, window_tokens=WINDOW, **options)
    agent = create_agent(model, [get_batch], middleware=[mw], checkpointer=InMemorySaver())
    given = {"messages": [*long_history(9), *ask(1)["messages"]]}
    config = {**thread(), **(config or {})}
    asyncio.run(agent.ainvoke(given, config)) if asynchronous else agent.invoke(given, config)
    assert all(faults(request) == [] for request in model.seen)
    return agent, model, mw.receipts(agent, thread())[-1]


async def coroutine(request: Any) -> str:
    await asyncio.sleep(0)
    return "Said by a coroutine."


class CallableObject:
    async def __call__(self, request: Any) -> dict[str, Any]:
        return {"text": "Said by an object."}


KINDS = {
    "function": (lambda request: "Said by a function." if request.text and request.prompt else "", "Said by a function."),
    "mapping": (lambda request: {"text": "Said in a mapping.", "finish_reason": "stop"}, "Said in a mapping."),
    "coroutine": (coroutine, "Said by a coroutine."),
    "object": (CallableObject(), "Said by an object."),
    "model": (Model(reply=answering("Said by a model.")), "Said by a model."),
    "runnable": (RunnableLambda(lambda prompt: f"Said of {type(prompt).__name__}."), "Said of str."),
    "chain": (Model(reply=answering("Said by a chain.")) | StrOutputParser(), "Said by a chain."),
}


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_kinds(kind: str, asynchronous: bool) -> None:
    summarizer, said = KINDS[kind]
    _, model, receipt = run(summarizer, asynchronous=asynchronous)
    assert said in memory_of(model.seen[0])
    assert receipt.method == "model"


def test_a_models_name(monkeypatch: pytest.MonkeyPatch) -> None:
    named: list[str] = []

    def init(name: str) -> Model:
        named.append(name)
        return Model(reply=answering("Said by name."))

    monkeypatch.setattr("langchain.chat_models.init_chat_model", init)
    _, model, _ = run("openai:gpt-5")
    assert named == ["openai:gpt-5"]
    assert "Said by name." in memory_of(model.seen[0])


@pytest.mark.parametrize("asynchronous", [False, True])
def test_none_is_extractive_and_says_so_once(asynchronous: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="standfast.thread")
    agent, model, receipt = run(None, asynchronous=asynchronous)
    for n in range(12):
        agent.invoke(ask(n), thread())
    assert receipt.method == "extractive"
    assert sum("extractive" in record.message for record in caplog.records) == 1
    assert memory_of(model.seen[0])


@pytest.mark.parametrize("asynchronous", [False, True])
def test_the_agents_own_model(asynchronous: bool) -> None:
    def reply(messages: Any) -> AIMessage:
        text = messages[-1].text
        return (
            AIMessage("Said by the agent's own.") if text.startswith("Summarize") else AIMessage("Done with it. " + "All is well. " * 150)
        )

    model = Model(reply=reply)
    mw = Standfast(rules=RULES, summarizer="agent", window_tokens=WINDOW)
    agent = create_agent(model, [], middleware=[mw], checkpointer=InMemorySaver())

    async def turns() -> None:
        for n in range(24):
            await agent.ainvoke(ask(n), thread())

    if asynchronous:
        asyncio.run(turns())
    else:
        for n in range(24):
            agent.invoke(ask(n), thread())
    assert "Said by the agent's own." in memory_of(model.seen[-1])
    summaries = [request for request in model.seen if request[-1].text.startswith("Summarize")]
    assert summaries
    assert all(len(request) == 1 for request in summaries)  # neither the agent's prompt nor its history


class Runs(BaseCallbackHandler):
    def __init__(self) -> None:
        self.runs: list[tuple[str, list[str], dict[str, Any]]] = []

    def on_chain_start(self, serialized: Any, inputs: Any, *, tags: Any = None, metadata: Any = None, **kwargs: Any) -> None:
        self.runs.append((kwargs.get("name") or "", tags or [], metadata or {}))

    def on_chat_model_start(self, serialized: Any, messages: Any, *, tags: Any = None, metadata: Any = None, **kwargs: Any) -> None:
        self.runs.append((kwargs.get("name") or "", tags or [], metadata or {}))


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("kind", ["function", "coroutine", "model"])
def test_it_runs_by_name_and_unstreamed(kind: str, asynchronous: bool) -> None:
    _needs_config(asynchronous)
    runs = Runs()
    run(KINDS[kind][0], asynchronous=asynchronous, config={"callbacks": [runs]})
    summaries = [(tags, metadata) for name, tags, metadata in runs.runs if name == "standfast.summarize"]
    assert summaries
    assert all("nostream" in tags and metadata["lc_source"] == "standfast" for tags, metadata in summaries)


TOOL_CALL = {"name": "get_batch", "args": {}, "id": "x", "type": "tool_call"}
BAD = {
    "raises": lambda request: 1 / 0,
    "nothing": lambda request: "  ",
    "none": lambda request: None,
    "tool calls": lambda request: AIMessage("I call.", tool_calls=[TOOL_CALL]),
    "a number": lambda request: 7,
}


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("kind", BAD)
def test_a_bad_one_is_asked_twice_and_replaced(kind: str, asynchronous: bool) -> None:
    asked: list[int] = []

    def summarizer(request: Any) -> Any:
        asked.append(1)
        return BAD[kind](request)

    _, model, receipt = run(summarizer, asynchronous=asynchronous, policy=sf.Policy(summarizer_window_tokens=11_000))
    assert len(asked) == 2
    assert receipt.method == "extractive"
    assert [finding.kind for finding in receipt.findings].count("summarizer_failed") == 1
    assert memory_of(model.seen[0])


def test_one_that_works_at_the_second_time() -> None:
    asked: list[int] = []

    def summarizer(request: Any) -> str:
        asked.append(1)
        if len(asked) == 1:
            raise ConnectionError("busy")
        return "At the second time."

    _, model, receipt = run(summarizer, policy=sf.Policy(summarizer_window_tokens=11_000))
    assert receipt.method == "model"
    assert "At the second time." in memory_of(model.seen[0])


@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("kind", ["blocking", "coroutine"])
def test_one_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch, asynchronous: bool, kind: str) -> None:
    release = threading.Event()

    def blocking(request: Any) -> str:
        release.wait(20)
        return "Too late."

    async def hanging(request: Any) -> str:
        await asyncio.sleep(20)
        return "Too late."

    model = Model()
    mw = Standfast(rules=RULES, summarizer=blocking if kind == "blocking" else hanging, window_tokens=WINDOW)
    mw._engine._summarizing._timeout = 0.2
    agent = create_agent(model, [get_batch], middleware=[mw])
    given = {"messages": [*long_history(9), *ask(1)["messages"]]}
    began = time.monotonic()
    asyncio.run(agent.ainvoke(given)) if asynchronous else agent.invoke(given)
    release.set()
    assert time.monotonic() - began < 10
    assert all(faults(request) == [] for request in model.seen)
    assert memory_of(model.seen[0])
    assert "Too late." not in memory_of(model.seen[0])


def test_at_most_four_at_once() -> None:
    now, most, lock = [0], [0], threading.Lock()

    def summarizer(request: Any) -> str:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.05)
        with lock:
            now[0] -= 1
        return "Done."

    requests = [sf.Request(str(n), (n, n), "text", "prompt", 100) for n in range(12)]
    summarizing = Summarizing(summarizer)
    assert len(summarizing.run(requests, lambda request, answer: None)) == 12
    assert most[0] == 4
    most[0] = 0

    async def keep(request: Any, answer: Any) -> None:
        return None

    assert len(asyncio.run(summarizing.arun(requests, keep))) == 12
    assert most[0] == 4


def test_cancellation_passes_through_and_commits_nothing() -> None:
    begun = asyncio.Event()

    async def summarizer(request: Any) -> str:
        begun.set()
        await asyncio.sleep(60)
        return "Never."

    async def turns() -> None:
        model, receipts = Model(), []
        mw = Standfast(rules=RULES, summarizer=summarizer, window_tokens=WINDOW, on_receipt=receipts.append)
        agent = create_agent(model, [get_batch], middleware=[mw], checkpointer=InMemorySaver())
        task = asyncio.create_task(agent.ainvoke({"messages": [*long_history(9), *ask(1)["messages"]]}, thread()))
        await asyncio.wait_for(begun.wait(), 20)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert model.seen == []
        assert not any(receipt.outcome == "compacted" for receipt in receipts)
        assert "_standfast" not in (await agent.aget_state(thread())).values

    asyncio.run(turns())


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_graphs_interrupt_passes_through(asynchronous: bool) -> None:
    _needs_config(asynchronous)

    def summarizer(request: Any) -> str:
        return f"Said by {interrupt('Who summarizes?')}."

    model, receipts = Model(), []
    mw = Standfast(rules=RULES, summarizer=summarizer, window_tokens=WINDOW, policy=sf.Policy(summarizer_window_tokens=11_000))
    agent = create_agent(model, [get_batch], middleware=[mw], checkpointer=InMemorySaver())
    given: Any = {"messages": [*long_history(9), *ask(1)["messages"]]}

    async def both() -> Any:
        return await agent.ainvoke(given, thread()), await agent.ainvoke(Command(resume="Ann"), thread())

    first, _ = asyncio.run(both()) if asynchronous else (agent.invoke(given, thread()), agent.invoke(Command(resume="Ann"), thread()))
    assert first["__interrupt__"]
    assert receipts == []
    assert "Said by Ann." in memory_of(model.seen[0])


def test_an_agent_may_summarize_for_itself() -> None:
    """A summarizer that is an agent with this very middleware: it runs without compacting in turn."""
    depth: list[int] = []
    holder: dict[str, Any] = {}

    def summarizer(request: Any) -> str:
        depth.append(1)
        assert len(depth) < 5
        holder["inner"].invoke({"messages": [*long_history(9), HumanMessage("Sum up.")]})
        return "Said by an agent."

    mw = Standfast(rules=RULES, summarizer=summarizer, window_tokens=WINDOW, policy=sf.Policy(summarizer_window_tokens=11_000))
    inner = Model(reply=answering("fine"))
    holder["inner"] = create_agent(inner, [], middleware=[mw])
    model = Model()
    create_agent(model, [get_batch], middleware=[mw]).invoke({"messages": [*long_history(9), *ask(1)["messages"]]})
    assert len(depth) == 1
    assert "Said by an agent." in memory_of(model.seen[0])
    assert faults(inner.seen[0]) == []


def test_usable_answers() -> None:
    assert usable("text") == "text"
    assert usable(AIMessage("cut", response_metadata={"stop_reason": "max_tokens"})) == {"text": "cut", "finish_reason": "length"}
    assert usable(AIMessage("whole", response_metadata={"finish_reason": "stop"})) == {"text": "whole", "finish_reason": "stop"}
    assert usable(AIMessage([{"type": "text", "text": "block"}])) == {"text": "block", "finish_reason": None}
    for nothing in ("", "\n", None, 7, {}, {"text": 3}, AIMessage(""), AIMessage("x", tool_calls=[TOOL_CALL])):
        assert usable(nothing) is None


def test_what_is_no_summarizer_is_refused() -> None:
    with pytest.raises(sf.PolicyError):
        Standfast(rules=RULES, summarizer=7)


def test_the_event_loop_turns_while_summaries_are_made() -> None:
    def slow(request: Any) -> str:
        time.sleep(0.3)
        return "Done."

    async def turns() -> int:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.01)
                ticks += 1

        agent = create_agent(Model(), [get_batch], middleware=[Standfast(rules=RULES, summarizer=slow, window_tokens=WINDOW)])
        ticking = asyncio.create_task(tick())
        await agent.ainvoke({"messages": [*long_history(9), *ask(1)["messages"]]})
        ticking.cancel()
        return ticks

    assert asyncio.run(turns()) >= 10
    assert Destructive().asked == []
