"""State: as a node of a graph, in another process, in forks; lost, unreadable, newer; rules that change."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from agents_fakes import RULES, WINDOW, Destructive, Model, ask, faults, get_batch, head, memory_of, thread
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, MessagesState, StateGraph

import standfast as sf
from standfast.langchain import Standfast, StateNotPersisted
from standfast.stores.sqlite import SqliteStore


def build(model: Model, summarizer: Any, *, saver: Any = None, rules: Any = RULES, **options: Any) -> Any:
    one_request = sf.Policy(summarizer_window_tokens=11_000)
    mw = Standfast(rules=rules, summarizer=summarizer, window_tokens=WINDOW, policy=one_request, **options)
    return create_agent(model, [get_batch], system_prompt="You are a clerk.", middleware=[mw], checkpointer=saver)


def as_node(agent: Any, saver: Any) -> Any:
    graph = StateGraph(MessagesState)
    graph.add_node("agent", agent)
    graph.add_edge(START, "agent")
    graph.add_edge("agent", END)
    return graph.compile(checkpointer=saver)


def long_history(turns: int) -> list[Any]:
    messages: list[Any] = []
    for n in range(turns):
        call = {"name": "get_batch", "args": {"n": n}, "id": f"h{n}", "type": "tool_call"}
        messages += [
            HumanMessage(f"Look at batch {n}.", id=f"u{n}"),
            AIMessage("", tool_calls=[call], id=f"a{n}"),
            ToolMessage(f"batch {n}: " + "row 412 FAILED NSF; " * 120, tool_call_id=f"h{n}", id=f"t{n}"),
            AIMessage(f"Batch {n} looked at. Nothing unusual in this one, going on with the next.", id=f"b{n}"),
        ]
    return messages


@pytest.mark.filterwarnings("ignore:.*state_not_persisted.*")
def test_an_agent_as_a_node_pays_one_summary_for_three_turns() -> None:
    model, summarizer = Model(), Destructive()
    app = as_node(build(model, summarizer), InMemorySaver())
    app.invoke({"messages": [*long_history(9), *ask(1)["messages"]]}, thread())
    paid = len(summarizer.asked)
    assert paid == 1
    for n in (2, 3):
        app.invoke(ask(n), thread())
    assert len(summarizer.asked) == paid
    assert all(faults(request) == [] for request in model.seen)
    assert all("Work went on." in memory_of(request) for request in model.seen)


def test_a_node_in_another_process_takes_the_longest_beginning(tmp_path: Path) -> None:
    saver, first, second = InMemorySaver(), Destructive(), Destructive()
    store = SqliteStore(tmp_path / "log.db")
    app = as_node(build(Model(), first, store=store), saver)
    for n in range(14):
        app.invoke(ask(n), thread())
    assert first.asked
    model = Model()
    again = as_node(build(model, second, store=SqliteStore(tmp_path / "log.db")), saver)
    again.invoke(ask(14), thread())
    assert second.asked == []
    assert "Work went on." in memory_of(model.seen[0])


def test_the_key_holds_names_and_numbers_only() -> None:
    agent = build(Model(), Destructive(), saver=InMemorySaver())
    for n in range(14):
        agent.invoke(ask(n), thread())
    key = agent.get_state(thread()).values["_standfast"]
    text = json.dumps(key)
    assert set(key) == {"format", "entry", "version", "length", "by_hand"}
    assert len(text) < 300
    assert "refund" not in text


def test_the_key_is_written_only_at_a_commit() -> None:
    agent = build(Model(), Destructive(), saver=InMemorySaver())
    written = []
    for n in range(20):
        for chunk in agent.stream(ask(n), thread(), stream_mode="updates"):
            written += [update["_standfast"] for update in chunk.values() if update and "_standfast" in update]
    rounds = len(agent.get_state(thread()).values["messages"])
    assert 0 < len(written) < rounds / 4


def test_a_fork_sees_its_own_past() -> None:
    model, summarizer = Model(), Destructive()
    agent = build(model, summarizer, saver=InMemorySaver())
    for n in range(30):
        agent.invoke(ask(n), thread())
    history = list(agent.get_state_history(thread()))
    middle = next(h for h in history if len(h.values.get("messages", [])) == 60)
    before = len(summarizer.asked)
    agent.invoke(ask("of another way"), middle.config)
    fork = model.seen[-1]
    assert faults(fork) == []
    assert not any("Look at batch 2" in str(message.content) for message in fork[2:] if "batch 2." not in str(message.content))
    assert not any("Look at batch 20" in str(message.content) for message in fork)
    assert len(summarizer.asked) - before <= 1
    # and the first branch goes on as it was
    tip = next(h for h in history if len(h.values.get("messages", [])) == 120)
    paid = len(summarizer.asked)
    agent.invoke(ask(31), tip.config)
    assert any("Look at batch 29" in str(message.content) for message in model.seen[-1])
    assert faults(model.seen[-1]) == []
    assert len(summarizer.asked) - paid <= 1


SCRIPT = """
import sys, json, warnings
warnings.simplefilter("ignore")
sys.path.insert(0, {tests!r})
from agents_fakes import *
from langchain.agents import create_agent
from langgraph.checkpoint.sqlite import SqliteSaver
from standfast.langchain import Standfast
from standfast.stores.sqlite import SqliteStore
model, summarizer = Model(), Destructive()
with SqliteSaver.from_conn_string({saver!r}) as saver:
    mw = Standfast(rules=RULES, summarizer=summarizer, window_tokens=WINDOW, store=SqliteStore({store!r}))
    agent = create_agent(model, [get_batch], system_prompt="You are a clerk.", middleware=[mw], checkpointer=saver)
    for n in range({start}, {stop}):
        agent.invoke(ask(n), thread())
print(json.dumps([len(summarizer.asked), [[m.type, m.content] for m in model.seen[{shown}]]]))
"""


def test_another_process_gives_the_same_bytes(tmp_path: Path) -> None:
    def run(name: str, start: int, stop: int, shown: int) -> Any:
        fields = {"tests": str(Path(__file__).parent), "saver": str(tmp_path / f"{name}.cp"), "store": str(tmp_path / f"{name}.log")}
        code = SCRIPT.format(**fields, start=start, stop=stop, shown=shown)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    whole = run("whole", 0, 16, -2)
    run("parts", 0, 15, -2)
    paid, request = run("parts", 15, 16, 0)
    assert request == whole[1]
    assert paid <= 1


def test_rules_of_v1_resumed_by_v2(tmp_path: Path) -> None:
    saver = InMemorySaver()
    agent = build(Model(), Destructive(), saver=saver, store=SqliteStore(tmp_path / "log.db"))
    for n in range(14):
        agent.invoke(ask(n), thread())
    newer = ["Never issue a refund above GBP 100 without a human approver.", RULES[1]]
    model = Model()
    again = build(model, Destructive(), saver=saver, rules=newer, store=SqliteStore(tmp_path / "log.db"))
    again.invoke(ask(14), thread())
    assert all(faults(request, newer) == [] for request in model.seen)
    assert "GBP 500" not in head(model.seen[0])


def test_rules_by_tenant_and_by_file(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    path.write_text("Never e-mail a customer.\n# a comment\n", encoding="utf-8")
    model = Model()
    agent = build(model, None, rules=path, saver=InMemorySaver())
    agent.invoke(ask(1), thread())
    path.write_text("Never e-mail a customer.\nNever call a customer on the phone.\n", encoding="utf-8")
    agent.invoke(ask(2), thread())
    assert head(model.seen[0]).count("\n- [") == 1
    assert head(model.seen[-1]).count("\n- [") == 2

    class Context:
        def __init__(self, tenant: str) -> None:
            self.tenant = tenant

    model = Model()
    mw = Standfast(rules=lambda runtime: [f"Never touch what is not of tenant {runtime.context.tenant}."], window_tokens=WINDOW)
    agent = create_agent(model, [get_batch], middleware=[mw], checkpointer=InMemorySaver(), context_schema=Context)
    agent.invoke(ask(1), thread("a"), context=Context("A"))
    agent.invoke(ask(1), thread("b"), context=Context("B"))
    assert "tenant A" in head(model.seen[0])
    assert "tenant A" not in head(model.seen[2])
    assert "tenant B" in head(model.seen[2])
    with mw.session(agent, thread("b"), context=Context("B")) as guard:
        assert [rule.text for rule in guard.rules] == ["Never touch what is not of tenant B."]


def test_a_lost_state_is_said() -> None:
    saver = InMemorySaver()
    agent = build(Model(), Destructive(), saver=saver)
    for n in range(14):
        agent.invoke(ask(n), thread())
    with pytest.warns(StateNotPersisted, match="state_not_persisted"):
        build(Model(), Destructive(), saver=saver).invoke(ask(14), thread())  # another process, so to speak


def test_a_new_thread_is_no_lost_state() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", StateNotPersisted)
        agent = build(Model(), Destructive(), saver=InMemorySaver())
        for n in range(14):
            agent.invoke(ask(n), thread())


def poisoned(store: SqliteStore, change: Any) -> None:
    """Alters each stored state."""
    for digest, text in store._read("SELECT digest, text FROM standfast_texts"):
        if '"snapshot"' in text:
            store._read("UPDATE standfast_texts SET text = ? WHERE digest = ?", (change(text), digest))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('\\"version\\":1', '\\"version\\":999') if '\\"version\\":1' in text else text[:40],
        lambda text: text[: len(text) // 2],
        lambda text: json.dumps({**json.loads(text), "snapshot": "{}"}),
        lambda text: json.dumps(
            {**json.loads(text), "snapshot": json.loads(text)["snapshot"].replace("Work", "Wirk").replace("1", "2", 3)}
        ),
    ],
)
def test_a_state_that_cannot_be_read_is_made_anew_or_refused(tmp_path: Path, change: Any) -> None:
    saver, store = InMemorySaver(), SqliteStore(tmp_path / "log.db")
    agent = build(Model(), Destructive(), saver=saver, store=store)
    for n in range(14):
        agent.invoke(ask(n), thread())
    poisoned(store, change)
    model = Model()
    with pytest.warns(StateNotPersisted):
        build(model, Destructive(), saver=saver, store=SqliteStore(tmp_path / "log.db")).invoke(ask(14), thread())
    assert all(faults(request) == [] for request in model.seen)


def test_an_unreadable_state_can_be_refused(tmp_path: Path) -> None:
    saver, store = InMemorySaver(), SqliteStore(tmp_path / "log.db")
    agent = build(Model(), Destructive(), saver=saver, store=store)
    for n in range(14):
        agent.invoke(ask(n), thread())
    poisoned(store, lambda text: json.dumps({**json.loads(text), "snapshot": "{}"}))
    again = build(Model(), Destructive(), saver=saver, store=SqliteStore(tmp_path / "log.db"), on_bad_state="raise")
    with pytest.raises(sf.SnapshotError):
        again.invoke(ask(14), thread())


def test_removed_messages_leave_their_rules(tmp_path: Path) -> None:
    model = Model()
    agent = build(model, Destructive(), saver=InMemorySaver())
    agent.invoke({"messages": [HumanMessage("Never delete a row of the billing table.", id="said")]}, thread())
    assert any("billing" in str(message.content) for message in model.seen[-1])
    for n in range(14):
        agent.invoke(ask(n), thread())
    agent.update_state(thread(), {"messages": [RemoveMessage(id="said")]})
    agent.invoke(ask(15), thread())
    assert "billing table" in head(model.seen[-1])


def test_an_edited_history_is_a_branch() -> None:
    model = Model()
    agent = build(model, Destructive(), saver=InMemorySaver())
    for n in range(14):
        agent.invoke(ask(n), thread())
    messages = agent.get_state(thread()).values["messages"]
    agent.update_state(thread(), {"messages": [HumanMessage("Look at batch 3 only.", id=messages[12].id)]})
    agent.invoke(ask(15), thread())
    assert all(faults(request) == [] for request in model.seen)


@pytest.mark.parametrize("what", ["text", "call"])
def test_a_message_changed_in_place_is_seen_when_a_run_begins(what: str) -> None:
    """The state of a host that keeps its objects: texts are compared at the beginning of a run, far back too."""
    model, mw = Model(), Standfast(rules=RULES, window_tokens=200_000)
    agent = create_agent(model, [get_batch], middleware=[mw])
    messages: list[Any] = [HumanMessage("Ask Olga first."), *long_history(40)]
    for n in range(2):
        messages = agent.invoke({"messages": [*messages, HumanMessage(f"Next {n}.")]})["messages"]
    if what == "text":
        messages[0].content = "Ask Per first."
        wanted = "Per"
    else:
        called = next(message for message in messages if message.type == "ai" and message.tool_calls)
        called.tool_calls[0]["args"]["n"] = 4_711
        wanted = "4711"
    agent.invoke({"messages": [*messages, HumanMessage("And now?")]})
    (branches,) = mw._engine._cache._places.values()
    known = max(branches, key=len)
    assert any(wanted in str(reading.wire) for reading in known.readings)
    assert wanted in str(known.guard.window().messages)


def test_callers_without_a_thread_are_kept_apart_by_their_messages() -> None:
    model, summarizer = Model(), Destructive()
    agent = build(model, summarizer)
    with warnings.catch_warnings():
        warnings.simplefilter("error", StateNotPersisted)  # there is no thread whose state could be lost
        first = agent.invoke({"messages": [*long_history(9), HumanMessage("Ours: alpha.")]})
        agent.invoke({"messages": [*long_history(9), HumanMessage("Ours: beta.")]})
        paid = len(summarizer.asked)
        agent.invoke({"messages": [*first["messages"], HumanMessage("And gamma.")]})
    assert paid == 1  # the same beginning
    assert len(summarizer.asked) == paid
    assert any("alpha" in str(message.content) for message in model.seen[-1])
    assert not any("beta" in str(message.content) for message in model.seen[-1])
