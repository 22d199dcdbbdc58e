"""The node for graphs of one's own, and as a `pre_model_hook`."""

from __future__ import annotations

import asyncio
import warnings
from typing import Annotated, Any

import pytest
from agents_fakes import RULES, WINDOW, Destructive, Model, ask, faults, get_batch, head, thread
from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.message import add_messages
from langgraph.prebuilt import ToolNode, tools_condition
from typing_extensions import TypedDict

import standfast as sf
from standfast.langgraph import compaction_node, pre_model_hook


class State(TypedDict, total=False):
    messages: Annotated[list[AnyMessage], add_messages]
    llm_input_messages: list[AnyMessage]


def graph_of(node: Any, model: Model, strip: bool = False) -> Any:
    def call(state: State) -> Any:
        messages = state["llm_input_messages"]
        return {"messages": [model.invoke([m for m in messages if m.type != "system"] if strip else messages)]}

    async def acall(state: State) -> Any:
        return {"messages": [await model.ainvoke(state["llm_input_messages"])]}

    from langchain_core.runnables import RunnableLambda

    graph = StateGraph(State)
    graph.add_node("standfast", node)
    graph.add_node("model", RunnableLambda(call, acall))
    graph.add_node("tools", ToolNode([get_batch]))
    graph.add_edge(START, "standfast")
    graph.add_edge("standfast", "model")
    graph.add_conditional_edges("model", tools_condition, {"tools": "tools", END: END})
    graph.add_edge("tools", "standfast")
    return graph.compile(checkpointer=InMemorySaver())


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_node(asynchronous: bool) -> None:
    model, summarizer, receipts = Model(), Destructive(), []
    node = compaction_node(RULES, summarizer=summarizer, window_tokens=WINDOW, on_receipt=receipts.append)
    app = graph_of(node, model)
    config = {**thread(), "callbacks": [node.callback]}

    async def turns() -> None:
        for n in range(16):
            await app.ainvoke(ask(n), config)

    if asynchronous:
        asyncio.run(turns())
    else:
        for n in range(16):
            app.invoke(ask(n), config)
    assert all(faults(request) == [] for request in model.seen)
    assert len(app.get_state(thread()).values["messages"]) == 64
    assert len(model.seen[-1]) < 40
    assert len(set(summarizer.asked)) == len(summarizer.asked) > 0
    assert node.receipts(app, thread())
    with node.session(app, thread()) as guard:
        guard.declare("Never move money on a Sunday.")
    app.invoke(ask(17), config)
    assert "Sunday" in head(model.seen[-1])


def test_the_callback_stops_a_stripped_request() -> None:
    model = Model()
    node = compaction_node(RULES, window_tokens=WINDOW)
    with pytest.raises(sf.InvariantLost):
        graph_of(node, model, strip=True).invoke(ask(1), {**thread(), "callbacks": [node.callback]})
    assert model.seen == []


def test_the_hosts_system_messages_stay_in_front() -> None:
    model = Model()
    app = graph_of(compaction_node(RULES, window_tokens=WINDOW), model)
    app.invoke({"messages": [SystemMessage("You are a clerk."), HumanMessage("Look at batch 1.")]}, thread())
    assert model.seen[0][0].text == "You are a clerk."
    assert model.seen[0][1].text.startswith(sf.PINNED_HEADER)


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_pre_model_hook(asynchronous: bool) -> None:
    from langgraph.prebuilt import create_react_agent

    model, summarizer = Model(), Destructive()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        hook = pre_model_hook(RULES, summarizer=summarizer, window_tokens=WINDOW)
        agent = create_react_agent(model, [get_batch], prompt="You are a clerk.", pre_model_hook=hook, checkpointer=InMemorySaver())

    async def turns() -> None:
        for n in range(14):
            await agent.ainvoke(ask(n), thread())

    if asynchronous:
        asyncio.run(turns())
    else:
        for n in range(14):
            agent.invoke(ask(n), thread())
    assert summarizer.asked
    assert all(faults(request) == [] for request in model.seen)
    assert model.seen[-1][0].text == "You are a clerk."
    assert len(agent.get_state(thread()).values["messages"]) == 56


def test_what_a_node_cannot_know_is_asked_for() -> None:
    with pytest.raises(sf.PolicyError) as caught:
        compaction_node(RULES)
    assert caught.value.code == "window_unknown"
    with pytest.raises(sf.PolicyError):
        compaction_node(RULES, window_tokens=WINDOW, summarizer="agent")
    with pytest.raises(sf.PolicyError):
        compaction_node(RULES, window_tokens=WINDOW).invoke({"history": []})
    shown = compaction_node(RULES, window_tokens=WINDOW).invoke({"messages": [HumanMessage("Hello.")]})
    assert faults(shown["llm_input_messages"]) == []


def test_an_option_that_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(TypeError, match="`sumarizer`"):
        compaction_node(RULES, window_tokens=WINDOW, sumarizer=None)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="`compact_at`"):  # a node knows of no turn's end
        compaction_node(RULES, window_tokens=WINDOW, compact_at="turn_end")  # type: ignore[call-arg]
