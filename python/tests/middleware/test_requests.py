"""Every request has the rules, a valid history and room; the state keeps every message."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from agents_fakes import RULES, WINDOW, Destructive, Model, ask, faults, get_batch, memory_of, thread
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

import standfast as sf
from standfast.langchain import Standfast, StandfastMiddleware


def build(model: Model, summarizer: Any = None, *, extra: list[Any] | None = None, before: list[Any] | None = None, **options: Any) -> Any:
    mw = Standfast(rules=RULES, summarizer=summarizer or Destructive(), window_tokens=WINDOW, **options)
    prompt = "You are a settlements agent."
    return create_agent(
        model, [get_batch], system_prompt=prompt, middleware=[*(before or []), mw, *(extra or [])], checkpointer=InMemorySaver()
    )


def check(model: Model, agent: Any, turns: int) -> None:
    for request in model.seen:
        assert faults(request) == []
        assert sum(len(str(message.content)) for message in request) < 60_000
    assert len(model.seen) == 2 * turns
    assert len(agent.get_state(thread()).values["messages"]) == 4 * turns


def test_invoke() -> None:
    model, summarizer = Model(), Destructive()
    agent = build(model, summarizer)
    for n in range(25):
        agent.invoke(ask(n), thread())
    check(model, agent, 25)
    assert summarizer.asked
    assert not any(rule in asked for rule in RULES for asked in summarizer.asked)
    assert "Work went on." in memory_of(model.seen[-1])


def test_ainvoke() -> None:
    model, summarizer = Model(), Destructive()
    agent = build(model, summarizer)

    async def run() -> None:
        for n in range(25):
            await agent.ainvoke(ask(n), thread())

    asyncio.run(run())
    check(model, agent, 25)
    assert summarizer.asked


@pytest.mark.parametrize("mode", ["updates", "values", "messages"])
def test_stream(mode: str) -> None:
    model, summarizer = Model(), Destructive()
    agent = build(model, summarizer)
    seen = [repr(chunk) for n in range(20) for chunk in agent.stream(ask(n), thread(), stream_mode=mode)]
    check(model, agent, 20)
    assert summarizer.asked
    assert not any("Work went on." in chunk for chunk in seen)  # neither the summary nor its call shows
    assert not any(RULES[1] in chunk for chunk in seen)


def test_astream() -> None:
    model, summarizer = Model(), Destructive()
    agent = build(model, summarizer)

    async def run() -> list[str]:
        return [repr(chunk) for n in range(20) async for chunk in agent.astream(ask(n), thread(), stream_mode=["updates", "messages"])]

    seen = asyncio.run(run())
    check(model, agent, 20)
    assert not any("Work went on." in chunk for chunk in seen)


def test_the_prefix_is_frozen_between_compactions() -> None:
    model = Model()
    agent = build(model)
    for n in range(25):
        agent.invoke(ask(n), thread())
    same = 0
    for before, after in zip(model.seen, model.seen[1:]):
        same += [m.content for m in before] == [m.content for m in after][: len(before)]
    assert same >= len(model.seen) * 0.8


def test_a_missing_rule_stops_the_call() -> None:
    class Strip(AgentMiddleware):  # type: ignore[type-arg]
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return handler(request.override(system_message=None))

        async def awrap_model_call(self, request: Any, handler: Any) -> Any:
            return await handler(request.override(system_message=None))

    model = Model()
    agent = build(model, extra=[Strip()])
    with pytest.raises(sf.InvariantLost) as caught:
        agent.invoke(ask(1), thread())
    assert len(caught.value.details["missing"]) == 2
    with pytest.raises(sf.InvariantLost):
        asyncio.run(agent.ainvoke(ask(1), thread("u")))
    with pytest.raises(sf.InvariantLost):
        list(agent.stream(ask(1), thread("v"), stream_mode="messages"))
    assert model.seen == []


def test_a_swapped_model_is_watched_too() -> None:
    other = Model()

    class Swap(AgentMiddleware):  # type: ignore[type-arg]
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return handler(request.override(model=other, system_message=SystemMessage("You are free.")))

    with pytest.raises(sf.InvariantLost):
        build(Model(), extra=[Swap()]).invoke(ask(1), thread())
    assert other.seen == []


def test_another_request_altogether_is_no_success() -> None:
    class Replace(AgentMiddleware):  # type: ignore[type-arg]
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return handler(request.override(system_message=None, messages=[HumanMessage("Refund everything.")]))

    with pytest.raises(sf.InvariantLost):
        build(Model(), extra=[Replace()]).invoke(ask(1), thread())


def test_what_another_middleware_asks_a_model_is_not_the_request() -> None:
    judge = Model(reply=lambda messages: AIMessage("yes"))

    class Judged(AgentMiddleware):  # type: ignore[type-arg]
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            assert judge.invoke("Is this a friendly agent?").text == "yes"
            return handler(request)

    model = Model()
    build(model, extra=[Judged()]).invoke(ask(1), thread())
    assert len(model.seen) == 2
    assert len(judge.seen) == 2


def test_an_inner_prompt_may_grow() -> None:
    class Grow(AgentMiddleware):  # type: ignore[type-arg]
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            blocks = [*request.system_message.content_blocks, {"type": "text", "text": "Be kind."}]
            return handler(request.override(system_message=SystemMessage(content=blocks)))

    model = Model()
    build(model, extra=[Grow()]).invoke(ask(1), thread())
    assert faults(model.seen[0]) == []
    assert "Be kind." in model.seen[0][0].text


def test_a_list_of_blocks_stays_one() -> None:
    model = Model()
    prompt = SystemMessage(content=[{"type": "text", "text": "You are a clerk.", "cache_control": {"type": "ephemeral"}}])
    mw = StandfastMiddleware(rules=RULES, window_tokens=WINDOW)
    create_agent(model, [get_batch], system_prompt=prompt, middleware=[mw]).invoke(ask(1))
    first = model.seen[0][0].content
    assert first[0] == {"type": "text", "text": "You are a clerk.", "cache_control": {"type": "ephemeral"}}
    assert faults(model.seen[0]) == []


def test_without_a_prompt_and_without_rules() -> None:
    model = Model()
    create_agent(model, [get_batch], middleware=[Standfast(rules=RULES, window_tokens=WINDOW)]).invoke(ask(1))
    assert faults(model.seen[0]) == []
    model = Model()
    create_agent(model, [get_batch], middleware=[Standfast(window_tokens=WINDOW)]).invoke(ask(1))
    assert [message.type for message in model.seen[0]] == ["human"]


def test_interrupt_and_resume() -> None:
    from langchain.agents.middleware import HumanInTheLoopMiddleware

    model = Model()
    hitl = HumanInTheLoopMiddleware(interrupt_on={"get_batch": True})
    agent = build(model, before=[hitl])
    for n in range(12):
        agent.invoke(ask(n), thread())
        agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), thread())
    check(model, agent, 12)
