"""Windows: known, unknown, smaller in mid-thread, overflown; histories that the provider keeps; refusals."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from agents_fakes import RULES, WINDOW, Destructive, Model, ask, faults, get_batch, memory_of, thread
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from test_state import long_history

import standfast as sf
from standfast.langchain import Standfast

pytestmark = pytest.mark.filterwarnings("ignore:.*state_not_persisted.*")  # histories come in from elsewhere here


def test_the_window_comes_from_the_profile() -> None:
    model = Model(size=WINDOW)
    summarizer = Destructive()
    agent = create_agent(model, [get_batch], middleware=[Standfast(rules=RULES, summarizer=summarizer)], checkpointer=InMemorySaver())
    for n in range(14):
        agent.invoke(ask(n), thread())
    assert summarizer.asked
    assert all(faults(request) == [] for request in model.seen)


def test_an_unknown_window_is_refused() -> None:
    model = Model()
    with pytest.raises(sf.PolicyError) as caught:
        create_agent(model, [get_batch], middleware=[Standfast(rules=RULES)]).invoke(ask(1))
    assert caught.value.code == "window_unknown"
    assert model.seen == []


def test_a_window_that_cannot_be_is_refused_at_once() -> None:
    with pytest.raises(sf.PolicyError):
        Standfast(rules=RULES, window_tokens=-1)
    with pytest.raises(sf.PolicyError):
        Standfast(rules=RULES, window_tokens=WINDOW, policy={"quality_fraction": 7})


def test_a_smaller_model_in_mid_thread() -> None:
    big, small = Model(size=100_000), Model(size=WINDOW)

    class Route(AgentMiddleware):  # type: ignore[type-arg]
        model: Any = big

        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return handler(request.override(model=self.model))

    route, summarizer = Route(), Destructive()
    mw = Standfast(rules=RULES, summarizer=summarizer)
    agent = create_agent(big, [get_batch], middleware=[route, mw], checkpointer=InMemorySaver())
    agent.invoke({"messages": [*long_history(30), *ask(1)["messages"]]}, thread())
    assert summarizer.asked == []
    route.model = small
    agent.invoke(ask(2), thread())
    assert summarizer.asked
    assert small.seen
    assert all(faults(request) == [] for request in small.seen)
    assert all(sum(len(str(m.content)) for m in request) < 48_000 for request in small.seen)


class Refusing(Model):
    """Says that a request is too long where it is longer than `most` characters."""

    most: int = 0
    refused: list[int] = []  # noqa: RUF012
    error: Any = None

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
        size = sum(len(str(message.content)) for message in messages)
        if size > self.most:
            self.refused.append(size)
            raise self.error
        return super()._generate(messages, stop, run_manager, **kwargs)


OVERFLOWS = [ContextOverflowError("too long"), ValueError("This model's maximum context length is 8192 tokens, however you requested 9000")]


@pytest.mark.parametrize("error", OVERFLOWS)
@pytest.mark.parametrize("asynchronous", [False, True])
def test_an_overflow_compacts_once_and_goes_on(error: Exception, asynchronous: bool) -> None:
    model, summarizer = Refusing(most=12_000, refused=[], error=error), Destructive()
    mw = Standfast(rules=RULES, summarizer=summarizer, window_tokens=100_000)
    agent = create_agent(model, [get_batch], middleware=[mw], checkpointer=InMemorySaver())
    given = {"messages": [*long_history(10), *ask(1)["messages"]]}
    asyncio.run(agent.ainvoke(given, thread())) if asynchronous else agent.invoke(given, thread())
    assert len(model.refused) == 1
    assert len(summarizer.asked) >= 1
    assert all(faults(request) == [] for request in model.seen)
    assert memory_of(model.seen[0])
    assert "_standfast" in agent.get_state(thread()).values
    agent.invoke(ask(2), thread())
    assert len(set(summarizer.asked)) == len(summarizer.asked)  # nothing is paid twice
    assert len(model.refused) == 1


def test_a_second_overflow_is_raised() -> None:
    model = Refusing(most=10, refused=[], error=ContextOverflowError("too long"))
    mw = Standfast(rules=RULES, summarizer=Destructive(), window_tokens=100_000)
    agent = create_agent(model, [get_batch], middleware=[mw])
    with pytest.raises(ContextOverflowError):
        agent.invoke({"messages": [*long_history(10), *ask(1)["messages"]]})
    assert len(model.refused) == 2


def test_another_error_is_not_an_overflow() -> None:
    model, summarizer = Refusing(most=10, refused=[], error=ValueError("no such model")), Destructive()
    agent = create_agent(model, [get_batch], middleware=[Standfast(rules=RULES, summarizer=summarizer, window_tokens=100_000)])
    with pytest.raises(ValueError, match="no such model"):
        agent.invoke({"messages": [*long_history(10), *ask(1)["messages"]]})
    assert summarizer.asked == []
    assert len(model.refused) == 1


class Stateful(Model):
    use_previous_response_id: bool = True


@pytest.mark.parametrize("how", ["model", "settings"])
def test_a_history_that_the_provider_keeps_is_refused(how: str) -> None:
    class Set(AgentMiddleware):  # type: ignore[type-arg]
        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return handler(request.override(model_settings={"previous_response_id": "resp_1"}))

    model = Stateful() if how == "model" else Model()
    before = [] if how == "model" else [Set()]
    with pytest.raises(sf.StandfastError) as caught:
        create_agent(model, [], middleware=[*before, Standfast(rules=RULES, window_tokens=WINDOW)]).invoke(ask(1))
    assert caught.value.code == "server_side_history"
    assert model.seen == []
    model = Stateful(reply=lambda messages: AIMessage("ok"))
    create_agent(model, [], middleware=[Standfast(rules=RULES, window_tokens=WINDOW, allow_unverified=True)]).invoke(ask(1))
    assert len(model.seen) == 1


def refusing(monkeypatch: pytest.MonkeyPatch) -> None:
    def plan(self: Any, asked: Any = None) -> Any:
        raise sf.PlanRefused("no room", code="pinned_over_budget")

    monkeypatch.setattr(sf.Guard, "plan", plan)


def test_a_refusal_goes_on_uncompacted_while_it_fits(monkeypatch: pytest.MonkeyPatch) -> None:
    refusing(monkeypatch)
    receipts: list[sf.Receipt] = []
    model = Model()
    mw = Standfast(rules=RULES, summarizer=Destructive(), window_tokens=WINDOW, on_receipt=receipts.append)
    agent = create_agent(model, [get_batch], middleware=[mw], checkpointer=InMemorySaver())
    agent.invoke({"messages": [*long_history(9), *ask(1)["messages"]]}, thread())
    assert len(model.seen) == 2
    assert any(receipt.reason == "refused:pinned_over_budget" for receipt in receipts)
    with pytest.raises(sf.PlanRefused):  # until it does not fit any more
        agent.invoke({"messages": long_history(16) + ask(2)["messages"]}, thread("other"))


def test_a_refusal_can_be_raised_or_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    refusing(monkeypatch)
    given = {"messages": [*long_history(9), *ask(1)["messages"]]}
    with pytest.raises(sf.PlanRefused):
        create_agent(Model(), [get_batch], middleware=[Standfast(rules=RULES, window_tokens=WINDOW, on_refusal="raise")]).invoke(given)
    asked: list[str] = []

    def decide(error: sf.StandfastError) -> str:
        asked.append(error.code)
        return "continue"

    mw = Standfast(rules=RULES, window_tokens=WINDOW, on_refusal=decide)  # type: ignore[arg-type]
    create_agent(Model(), [get_batch], middleware=[mw]).invoke(given)
    assert set(asked) == {"pinned_over_budget"}


def test_rules_that_do_not_fit_are_refused() -> None:
    rules = [f"Never touch account {n} of the {n}th customer without a written order of the {n}th partner." for n in range(400)]
    with pytest.raises(sf.BudgetExceeded):
        create_agent(Model(), [], middleware=[Standfast(rules=rules, window_tokens=4_000)]).invoke(ask(1))


def test_the_tools_and_the_prompt_are_counted() -> None:
    used: list[int] = []
    mw = Standfast(rules=RULES, window_tokens=WINDOW, on_receipt=lambda receipt: used.append(receipt.tokens_in))
    model = Model()
    agent = create_agent(model, [get_batch], system_prompt="You are a clerk. " * 400, middleware=[mw], checkpointer=InMemorySaver())
    agent.invoke(ask(1), thread())
    assert used[-1] > 1_600


def test_the_providers_count_is_taken() -> None:
    used: list[int] = []
    usage = {"input_tokens": 5_000, "output_tokens": 1, "total_tokens": 5_001}
    model = Model(reply=lambda messages: AIMessage("ok", usage_metadata=usage))
    mw = Standfast(rules=RULES, window_tokens=WINDOW, on_receipt=lambda receipt: used.append(receipt.tokens_in))
    agent = create_agent(model, [], middleware=[mw], checkpointer=InMemorySaver())
    agent.invoke(ask(1), thread())
    agent.invoke(ask(2), thread())
    assert used[-1] >= 5_000
