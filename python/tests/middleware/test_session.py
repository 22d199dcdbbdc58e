"""Sessions, receipts, boundaries, recall, and compaction at the end of a turn."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from agents_fakes import RULES, WINDOW, Destructive, Model, ask, faults, get_batch, head, thread
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

import standfast as sf
from standfast.langchain import Standfast
from standfast.langchain.boundaries import hints, seam
from standfast.stores.sqlite import SqliteStore

HAND = "Never move money on a Sunday."


def build(saver: Any = None, **options: Any) -> tuple[Any, Any, Model]:
    model = Model()
    mw = Standfast(rules=RULES, summarizer=options.pop("summarizer", Destructive()), window_tokens=WINDOW, **options)
    return mw, create_agent(model, [get_batch], middleware=[mw], checkpointer=saver or InMemorySaver()), model


def test_a_session_declares_and_revokes() -> None:
    mw, agent, model = build()
    agent.invoke({"messages": [HumanMessage("Never delete a row of the billing table.")]}, thread())
    with mw.session(agent, thread()) as guard:
        assert {rule.status for rule in guard.rules} == {"declared", "promoted"}
        guard.declare(HAND)
        (said,) = [rule for rule in guard.rules if rule.status == "promoted"]
        guard.revoke(said.fingerprint, by="Ann")
    for n in range(14):
        agent.invoke(ask(n), thread())
    assert faults(model.seen[-1], [*RULES, HAND]) == []
    assert "billing" not in head(model.seen[-1])
    with mw.session(agent, thread()) as guard:
        assert [change.by for change in guard.changes if change.action == "revoke"] == ["Ann"] or guard.changes


def test_an_asynchronous_session() -> None:
    async def turns() -> None:
        mw, agent, model = build()
        await agent.ainvoke(ask(1), thread())
        async with mw.session(agent, thread()) as guard:
            guard.declare(HAND)
        await agent.ainvoke(ask(2), thread())
        assert faults(model.seen[-1], [*RULES, HAND]) == []
        assert await mw.areceipts(agent, thread()) == []

    asyncio.run(turns())


def test_a_session_in_another_process(tmp_path: Path) -> None:
    saver = InMemorySaver()
    _, agent, model = build(saver, store=SqliteStore(tmp_path / "log.db"))
    for n in range(12):
        agent.invoke(ask(n), thread())
    mw, other, _ = build(saver, store=SqliteStore(tmp_path / "log.db"))
    with mw.session(other, thread()) as guard:
        guard.declare(HAND)
    agent.invoke(ask(12), thread())
    assert faults(model.seen[-1], [*RULES, HAND]) == []


def test_a_session_during_an_interrupt(tmp_path: Path) -> None:
    from langchain.agents.middleware import HumanInTheLoopMiddleware
    from langgraph.types import Command

    model = Model()
    mw = Standfast(rules=RULES, window_tokens=WINDOW)
    hitl = HumanInTheLoopMiddleware(interrupt_on={"get_batch": True})
    agent = create_agent(model, [get_batch], middleware=[hitl, mw], checkpointer=InMemorySaver())
    agent.invoke(ask(1), thread())
    with mw.session(agent, thread()) as guard:
        guard.declare(HAND)
    assert agent.get_state(thread()).next  # still waiting
    agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), thread())
    assert faults(model.seen[-1], [*RULES, HAND]) == []


def test_a_failed_session_writes_nothing() -> None:
    mw, agent, model = build()
    agent.invoke(ask(1), thread())

    def change() -> None:
        with mw.session(agent, thread()) as guard:
            guard.declare(HAND)
            raise RuntimeError("changed my mind")

    with pytest.raises(RuntimeError):
        change()
    agent.invoke(ask(2), thread())
    assert HAND not in head(model.seen[-1])


def test_rules_by_hand_are_not_lost_silently(tmp_path: Path) -> None:
    saver = InMemorySaver()
    mw, agent, _ = build(saver, store=SqliteStore(tmp_path / "log.db"))
    agent.invoke(ask(1), thread())
    with mw.session(agent, thread()) as guard:
        guard.declare(HAND)
    agent.invoke(ask(2), thread())
    _, elsewhere, model = build(saver, store=SqliteStore(tmp_path / "empty.db"))
    with pytest.raises(sf.StandfastError):
        elsewhere.invoke(ask(3), thread())
    assert model.seen == []


def test_receipts() -> None:
    receipts: list[sf.Receipt] = []
    mw, agent, _ = build(on_receipt=receipts.append)
    for n in range(14):
        agent.invoke(ask(n), thread())
    kept = mw.receipts(agent, thread())
    assert kept
    assert [receipt for receipt in receipts if receipt.outcome == "compacted"] == kept
    assert {receipt.outcome for receipt in receipts} >= {"compacted", "continue"}
    assert len(receipts) >= 28  # one for every decision


def test_a_receipt_for_a_lost_rule() -> None:
    from langchain.agents.middleware import AgentMiddleware

    class Strip(AgentMiddleware):  # type: ignore[type-arg]
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return handler(request.override(system_message=None))

    receipts: list[sf.Receipt] = []
    mw = Standfast(rules=RULES, window_tokens=WINDOW, on_receipt=receipts.append)
    agent = create_agent(Model(), [], middleware=[mw, Strip()], checkpointer=InMemorySaver())
    with pytest.raises(sf.InvariantLost):
        agent.invoke(ask(1), thread())
    assert receipts[-1].outcome == "invariant_lost"
    assert [alarm.severity for alarm in receipts[-1].alarms] == ["page"]


def test_a_failing_receiver_does_not_stop_the_agent() -> None:
    _, agent, model = build(on_receipt=lambda receipt: 1 / 0)
    agent.invoke(ask(1), thread())
    assert len(model.seen) == 2


@pytest.mark.parametrize("asynchronous", [False, True])
def test_compaction_at_the_end_of_a_turn(asynchronous: bool) -> None:
    when: list[str] = []

    def summarizer(request: Any) -> str:
        when.append("summary")
        return "Work went on."

    def reply(messages: Any) -> AIMessage:
        when.append("call")
        return AIMessage(f"Answer {len(when)}. " + "All of it is well and good so far. " * 60)

    model = Model(reply=reply)
    mw = Standfast(rules=RULES, summarizer=summarizer, window_tokens=WINDOW, compact_at="turn_end")
    agent = create_agent(model, [], middleware=[mw], checkpointer=InMemorySaver())

    async def turns() -> None:
        for n in range(25):
            await agent.ainvoke(ask(n), thread())
            when.append("answered")

    if asynchronous:
        asyncio.run(turns())
    else:
        for n in range(25):
            agent.invoke(ask(n), thread())
            when.append("answered")
    assert "summary" in when
    for before, now in zip(when, when[1:]):  # noqa: RUF007
        if now == "summary":
            assert before in ("call", "summary")  # after the answer, never before the call
    assert all(faults(request) == [] for request in model.seen)


def todos(*states: str) -> AIMessage:
    listed = [{"content": f"step {n}", "status": state} for n, state in enumerate(states)]
    return AIMessage("", tool_calls=[{"name": "write_todos", "args": {"todos": listed}, "id": "w", "type": "tool_call"}])


def called(name: str, id: str = "x") -> list[Any]:
    return [AIMessage("", tool_calls=[{"name": name, "args": {}, "id": id, "type": "tool_call"}]), ToolMessage("ok", tool_call_id=id)]


def test_seams() -> None:
    done = ToolMessage("ok", tool_call_id="w")
    assert seam([todos("pending", "pending"), done], {}) is None
    assert seam([todos("pending", "pending"), done, todos("completed", "pending"), done], {}) == "subgoal_closed"
    assert seam([todos("completed", "pending"), done, todos("completed", "completed"), done], {}) == "task_completed"
    assert seam([todos("pending"), done, todos("pending", "pending"), done], {}) == "plan_revised"
    assert seam([todos("completed", "completed")], {}) is None  # not answered yet
    marks = {"read": "read", "write": "write", "finish": "task_completed"}
    assert seam(called("read") + called("read"), marks) is None
    assert seam(called("read") + called("other") + called("write"), marks) == "tool_phase_change"
    assert seam([*called("read"), *called("write"), AIMessage("so")], marks) is None
    assert seam(called("finish"), marks) == "task_completed"
    assert seam([], marks) is None


def test_hints_of_tools() -> None:
    @tool
    def look() -> str:
        """Looks."""
        return ""

    look.metadata = {"readOnlyHint": True}
    assert hints([look, get_batch, {"type": "web_search"}]) == {"look": "read"}
    look.metadata = {"annotations": {"readOnlyHint": False}}
    assert hints([look]) == {"look": "write"}


def test_a_marked_tool_makes_a_boundary() -> None:
    receipts: list[sf.Receipt] = []
    _, agent, _ = build(tools={"get_batch": "task_completed"}, on_receipt=receipts.append)
    for n in range(12):
        agent.invoke(ask(n), thread())
    assert any(receipt.reason == "boundary:task_completed" for receipt in receipts if receipt.outcome == "compacted")
    with pytest.raises(sf.PolicyError):
        Standfast(tools={"get_batch": "sometimes"})


def test_recall() -> None:
    def reply(messages: Any) -> AIMessage:
        if messages[-1].type == "human" and "recall" in messages[-1].text:
            args = {"first_turn": 0, "last_turn": 3, "containing": "jar"}
            return AIMessage("", tool_calls=[{"name": "recall_conversation", "args": args, "id": "r1", "type": "tool_call"}])
        return AIMessage("Noted. " + "All is well with this one. " * 60)

    model = Model(reply=reply)
    mw = Standfast(rules=RULES, summarizer=Destructive(), window_tokens=WINDOW, recall=True)
    agent = create_agent(model, [], middleware=[mw], checkpointer=InMemorySaver())
    agent.invoke({"messages": [HumanMessage("The jar is marmalade.")]}, thread())
    for n in range(24):
        agent.invoke(ask(n), thread())
    assert not any("marmalade" in message.text for message in model.seen[-1])
    answer = agent.invoke({"messages": [HumanMessage("Please recall the jar.")]}, thread())
    (result,) = [message for message in answer["messages"] if message.type == "tool"]
    assert "The jar is marmalade." in result.text
    assert "batch 1" not in result.text
    asked = Destructive()
    mw._engine._summarizing._asker._runnable.func = asked  # type: ignore[union-attr]
    for n in range(24):
        agent.invoke(ask(n), thread())
    assert asked.asked
    assert not any("marmalade" in prompt for prompt in asked.asked)  # what was recalled is not summarized again
