"""The comparison of `bench/langchain`, made small: its figures can differ, its bars are held."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

BENCH = Path(__file__).resolve().parents[3] / "bench"
pytestmark = [
    pytest.mark.skipif(not (BENCH / "langchain").exists(), reason="the bench folder is not part of this installation"),
    pytest.mark.filterwarnings("ignore:this thread has a history"),  # that of the timing is put there
]


@pytest.fixture(scope="module")
def bench() -> Iterator[Any]:
    for name in ("langchain_openai", "langchain_anthropic", "compaction_guard"):
        pytest.importorskip(name)
    sys.path[:0] = [str(BENCH / "langchain"), str(BENCH)]
    try:
        import judging
        import playing
        import timing
        from chat_files import read
        from survival import DEMO

        yield type("Bench", (), {"judging": judging, "playing": playing, "timing": timing, "script": read(DEMO[0])})
    finally:
        del sys.path[:2]


@pytest.fixture(scope="module")
def played(bench: Any) -> dict[str, Any]:
    return {arm: bench.playing.play(arm, bench.script, bench.script.window_tokens, None, 3) for arm in bench.playing.ARMS}


def test_the_usual_middleware_loses_what_left_its_tail_and_ours_nothing(played: dict[str, Any]) -> None:
    for arm in played.values():
        assert arm.stopped is None
        assert [one.number for one in arm.rounds] == [1, 2, 3]
        assert all(one.due >= 5 for one in arm.rounds)
    assert all(one.alive <= 1 for one in played["summarization"].rounds)  # said just before it
    assert all(one.alive == one.due for one in played["standfast"].rounds)


def test_more_of_the_request_stays_as_it_was_behind_a_compaction(bench: Any, played: dict[str, Any]) -> None:
    behind = {arm: bench.judging.prefixes(one)[1] for arm, one in played.items()}
    mean = {arm: sum(shares) / len(shares) for arm, shares in behind.items()}
    assert mean["standfast"] >= 1.5 * max(mean["summarization"], mean["compaction-guard"]) > 0


def test_both_converters_take_every_request_and_a_parted_pair_is_found(bench: Any, played: dict[str, Any]) -> None:
    assert bench.judging.valid(played["standfast"]) == (len(played["standfast"].requests), None)
    broken = [message for message in played["standfast"].requests[-1] if message.type != "ai"]
    assert any(message.type == "tool" for message in broken)
    found = bench.judging.faults(broken)
    assert any(fault.startswith("openai") for fault in found)
    assert any(fault.startswith("anthropic") for fault in found)


def test_a_call_costs_the_same_in_a_history_four_times_as_long(bench: Any) -> None:
    window = bench.timing.window_of(120, 0.55)
    few, many = (bench.timing.cost(count, window, 2) for count in (500, 2_000))
    assert few.sent < 200 > many.sent
    assert many.warm < 2.5 * few.warm
    assert few.warm < 20  # milliseconds, on any machine
