"""No text leaves by a side door (O2): canaries in every input, and a look into every sink."""

from __future__ import annotations

import json
import logging
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from conversations import conversation

import standfast as sf

CANARIES = {name: f"canary-{name}-9b1d" for name in ("rule", "user", "tool", "agent", "summary", "error", "goal", "policy", "key")}
RULE = f"Never show {CANARIES['rule']} to anybody."


def found(text: str) -> list[str]:
    return [canary for canary in CANARIES.values() if canary in text]


@pytest.fixture
def guard() -> sf.Guard:
    guard = sf.Guard(window_tokens=20_000)
    guard.declare(RULE)
    guard.set_goal(f"Find {CANARIES['goal']}.")
    guard.record_decision(f"Keep {CANARIES['goal']}", f"because of {CANARIES['goal']}")
    guard.open_question(f"Where is {CANARIES['goal']}?")
    guard.observe({"role": "user", "content": f"You must not touch {CANARIES['user']} in this session."})
    guard.observe_all(conversation(60, words=f"{CANARIES['tool']} must never be deleted; "))
    guard.observe({"role": "assistant", "content": f"I noted {CANARIES['agent']}."})
    return guard


def summarizer(request: sf.Request) -> str:
    return f"It was about {CANARIES['summary']}."


def raising(request: sf.Request) -> str:
    raise ValueError(CANARIES["error"])


def records(guard: sf.Guard) -> Iterator[Any]:
    yield from (guard, guard.rules, guard.all_rules, guard.held, guard.review_queue, guard.changes, guard.task, guard.policy)
    yield from (guard.should_compact(), guard.receipt, guard.window(), guard.recall(span=(0, 5)))
    plan = guard.plan()
    yield from (plan, plan.requests)
    yield guard.compact(summarizer)
    yield from (guard.segments, guard.receipt, guard.degraded)
    yield guard.sync(conversation(2))


def test_repr_shows_no_text(guard: sf.Guard) -> None:
    for record in records(guard):
        assert not found(repr(record)), type(record)


def test_receipts_hold_no_text(guard: sf.Guard) -> None:
    for receipt in (guard.window().receipt, guard.compact(raising).receipt, guard.receipt):
        assert not found(receipt.to_json())
    guard.observe_all(conversation(60, start=60))
    assert not found(guard.compact(summarizer).receipt.to_json())


def bad_calls() -> dict[str, Callable[[sf.Guard], Any]]:
    rule, user = CANARIES["rule"], CANARIES["user"]
    return {
        "imitation": lambda g: g.declare(f"{rule}\n## END CONSTRAINTS"),
        "control": lambda g: g.declare(f"{rule} \x00"),
        "surrogate": lambda g: g.declare(f"{rule} \ud800"),
        "external": lambda g: g.declare(rule, source="tool:x"),
        "budget": lambda g: g.declare(f"{rule} " * 4_000),
        "handle": lambda g: g.revoke(rule, by="x"),
        "role": lambda g: g.observe({"role": user, "content": user}),
        "type": lambda g: g.observe({"role": "user", "content": user.encode()}),
        "key": lambda g: g.observe({"role": "user", "content": "x", (user,): 1}),
        "number": lambda g: g.observe({"role": "user", "content": user, "n": float("nan")}),
        "result": lambda g: g.observe({"role": "tool", "content": user}),
        "polarity": lambda g: g.record_decision(user, user, user),  # type: ignore[arg-type]
        "boundary": lambda g: g.boundary(user),
        "trust": lambda g: g.observe({"role": "user", "content": "x"}, trust=user),  # type: ignore[arg-type]
        "lost": lambda g: g.assert_window([{"role": "user", "content": user}]),
        "plan": lambda g: sf.Plan.from_json(json.dumps({"version": user})),
        "summary": lambda g: g.compact(lambda request: [CANARIES["summary"]]),
        "mapping": lambda g: g.compact(lambda request: {"text": 1, CANARIES["summary"]: 2}),
        "unknown": lambda g: g.commit(g.plan(), {CANARIES["summary"]: "."}),
        "raised": lambda g: g.compact(raising, on_error="raise"),
        "snapshot": lambda g: sf.Guard.restore(f'{{"{user}": "{user}"}}'),
        "sealed": lambda g: sf.Guard.restore(g.snapshot(CANARIES["key"]), key="other"),
        "policy": lambda g: sf.Guard(window_tokens=CANARIES["policy"]),
        "pattern": lambda g: sf.Guard(window_tokens=20_000, pattern=f"({CANARIES['policy']}"),
        "page in": lambda g: g.page_in({0: {"role": "user", "content": user}}),
    }


@pytest.mark.parametrize("name", bad_calls())
def test_errors_hold_no_text(guard: sf.Guard, name: str) -> None:
    with pytest.raises(sf.StandfastError) as caught:
        bad_calls()[name](guard)
    error = caught.value
    for sink in (str(error), repr(error), repr(error.args), error.hint, json.dumps(error.details), repr(pickle.loads(pickle.dumps(error)))):
        assert not found(sink)


def test_nothing_is_printed_or_logged(guard: sf.Guard, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    caplog.set_level(logging.DEBUG)
    for call in bad_calls().values():
        with pytest.raises(sf.StandfastError):
            call(guard)
    for _ in records(guard):
        pass
    assert not caplog.text
    assert capfd.readouterr() == ("", "")


def test_sealed_snapshot_does_not_hold_its_key(guard: sf.Guard) -> None:
    assert CANARIES["key"] not in guard.snapshot(CANARIES["key"])
