"""Middleware outside ours: what it edits, drops, adds or reorders in the request is passed on, pair by pair."""

from __future__ import annotations

from typing import Any

import pytest
from agents_fakes import NOTE, RULES, Destructive, Model, ask, faults, get_batch, memory_of, thread
from langchain.agents import create_agent
from langchain.agents.middleware import (
    AgentMiddleware,
    ContextEditingMiddleware,
    SummarizationMiddleware,
    TodoListMiddleware,
    dynamic_prompt,
)
from langchain.agents.middleware.context_editing import ClearToolUsesEdit
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from standfast.langchain import Standfast


def run(change: Any, turns: int = 14, **options: Any) -> list[list[Any]]:
    """The requests of an agent with a middleware outside ours that changes the list."""

    class Outer(AgentMiddleware):  # type: ignore[type-arg]
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return handler(request.override(messages=change(list(request.messages))))

    model = Model()
    mw = Standfast(rules=RULES, summarizer=Destructive(), window_tokens=12_000, **options)
    agent = create_agent(model, [get_batch], middleware=[Outer(), mw], checkpointer=InMemorySaver())
    for n in range(turns):
        agent.invoke(ask(n), thread())
    assert all(faults(request) == [] for request in model.seen)
    assert memory_of(model.seen[-1])
    assert len(agent.get_state(thread()).values["messages"]) == 4 * turns
    return model.seen


def test_edited_copies_are_taken() -> None:
    def redact(messages: list[Any]) -> list[Any]:
        return [m.model_copy(update={"content": m.content.replace("NSF", "[redacted]")}) if m.type == "tool" else m for m in messages]

    last = run(redact)[-1]
    assert any("[redacted]" in str(message.content) for message in last)
    assert not any("NSF" in str(message.content) for message in last)


def test_a_dropped_result_takes_its_call_along() -> None:
    last = run(lambda messages: [m for i, m in enumerate(messages) if not (m.type == "tool" and i < len(messages) - 1)])[-1]
    assert sum(message.type == "tool" for message in last) == 1


def test_a_dropped_call_takes_its_results_along() -> None:
    def drop(messages: list[Any]) -> list[Any]:
        calls = [i for i, m in enumerate(messages) if m.type == "ai" and m.tool_calls]
        return [m for i, m in enumerate(messages) if i not in calls[:-1]]

    last = run(drop)[-1]
    assert sum(message.type == "tool" for message in last) == 1


def test_a_replaced_result_is_its_version() -> None:
    def replace(messages: list[Any]) -> list[Any]:
        return [ToolMessage("cleared", tool_call_id=m.tool_call_id) if m.type == "tool" else m for m in messages]

    last = run(replace)[-1]
    assert {m.content for m in last if m.type == "tool"} == {"cleared"}


@pytest.mark.parametrize("at", ["first", "second", "last"])
def test_what_is_in_the_request_alone_is_passed_on(at: str) -> None:
    def add(messages: list[Any]) -> list[Any]:
        place = {"first": 0, "second": 1, "last": len(messages)}[at]
        return [*messages[:place], HumanMessage(NOTE), *messages[place:]]

    last = run(add)[-1]
    (place,) = [i for i, message in enumerate(last) if message.content == NOTE]
    if at == "last":
        assert place == len(last) - 1
    else:
        assert last[place - 1].id == "standfast-memory"  # what stood before it is folded


def test_reordered_turns_stay_reordered() -> None:
    def swap(messages: list[Any]) -> list[Any]:
        return [*messages[:-8], *messages[-4:], *messages[-8:-4]] if len(messages) % 4 == 0 and len(messages) > 8 else messages

    run(swap)


def test_dropping_everything_but_the_last_leaves_ours() -> None:
    last = run(lambda messages: messages[-1:] if messages[-1].type == "human" else messages[-3:])[-1]
    assert [message.type for message in last][:2] == ["system", "human"]


def test_context_editing_outside() -> None:
    model = Model()
    edit = ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=2_000, keep=1)])
    mw = Standfast(rules=RULES, summarizer=Destructive(), window_tokens=12_000)
    agent = create_agent(model, [get_batch], middleware=[edit, mw], checkpointer=InMemorySaver())
    for n in range(12):
        agent.invoke(ask(n), thread())
    assert all(faults(request) == [] for request in model.seen)
    assert any("cleared" in str(message.content) for message in model.seen[-1])


def test_a_dynamic_prompt_and_todos() -> None:
    turns: list[int] = []

    @dynamic_prompt
    def prompt(request: Any) -> str:
        turns.append(1)
        return f"You are a clerk. Call {len(turns)}."

    model = Model()
    mw = Standfast(rules=RULES, summarizer=Destructive(), window_tokens=12_000)
    agent = create_agent(model, [get_batch], middleware=[prompt, TodoListMiddleware(), mw], checkpointer=InMemorySaver())
    for n in range(4):
        agent.invoke(ask(n), thread())
    for n, request in enumerate(model.seen):
        assert request[0].text.startswith(f"You are a clerk. Call {n + 1}.")
        assert faults(request) == []
    # inside ours the to-do list's own prompt comes after the rules
    model = Model()
    create_agent(model, [get_batch], middleware=[mw, TodoListMiddleware()]).invoke(ask(1))
    assert faults(model.seen[0]) == []


def test_calls_that_could_not_be_parsed_are_answered_once() -> None:
    bad = {"name": "get_batch", "args": '{"n": ', "id": "bad-1", "error": "not JSON", "type": "invalid_tool_call"}
    replies = [AIMessage("", invalid_tool_calls=[bad]), AIMessage("Sorry.")]
    model = Model(reply=lambda messages: replies[0] if not any(m.type == "ai" for m in messages) else replies[1])
    mw = Standfast(rules=RULES, window_tokens=12_000)
    agent = create_agent(model, [get_batch], middleware=[mw], checkpointer=InMemorySaver())
    agent.invoke(ask(1), thread())
    agent.invoke(ask(2), thread())
    last = model.seen[-1]
    assert [m.type for m in last] in (["system", "human", "ai", "tool", "human"], ["system", "human", "ai", "tool", "ai", "human"])


def test_parallel_calls_stay_together() -> None:
    @tool
    def look(n: int) -> str:
        """Looks."""
        return f"seen {n} " * 60

    def reply(messages: Any) -> AIMessage:
        if messages[-1].type != "human":
            return AIMessage("Done with these three.")
        calls = [
            {"name": "look", "args": {"n": n}, "id": f"{len(messages)}-{messages[-1].content}-{n}", "type": "tool_call"} for n in range(3)
        ]
        return AIMessage("", tool_calls=calls)

    model = Model(reply=reply)
    mw = Standfast(rules=RULES, summarizer=Destructive(), window_tokens=12_000)
    agent = create_agent(model, [look], middleware=[mw], checkpointer=InMemorySaver())
    for n in range(20):
        agent.invoke(ask(n), thread())
    assert all(faults(request) == [] for request in model.seen)
    assert memory_of(model.seen[-1])


def test_another_compactor_before_ours_takes_no_rule_along() -> None:
    """It rewrites the state: what the user said as a rule is gone from there, and stays in force."""
    said = "Never delete a row of the billing table."
    other = SummarizationMiddleware(
        model=Model(reply=lambda messages: AIMessage("They worked.")), trigger=("messages", 10), keep=("messages", 4)
    )
    model = Model()
    mw = Standfast(rules=RULES, summarizer=Destructive(), window_tokens=12_000)
    agent = create_agent(model, [get_batch], middleware=[other, mw], checkpointer=InMemorySaver())
    agent.invoke({"messages": [HumanMessage(said)]}, thread())
    for n in range(10):
        agent.invoke(ask(n), thread())
    last = model.seen[-1]
    assert not any(said in message.text for message in agent.get_state(thread()).values["messages"])
    assert any("They worked." in message.text for message in last if message.type == "human")
    assert faults(last, [*RULES, said]) == []
    assert all(faults(request) == [] for request in model.seen)
