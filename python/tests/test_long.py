"""The long session of `bench/long.py`, whole: the decision stands after each of nine rounds, and drift is seen."""

import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"
if not BENCH.exists():
    pytest.skip("the bench folder is not part of this installation", allow_module_level=True)
sys.path.insert(0, str(BENCH))

import long  # noqa: E402


@pytest.fixture(scope="module", params=long.SUMMARIZERS)
def rows(request: pytest.FixtureRequest) -> tuple[str, list[long.Row]]:
    return request.param, long.run(request.param)


def drifts(rows: list[long.Row]) -> list[int]:
    return [row.round for row in rows if any(alarm.startswith("drift: ") for alarm in row.alarms)]


def test_the_decision_stands_with_its_reason(rows: tuple[str, list[long.Row]]) -> None:
    name, rounds = rows
    assert len(rounds) == 9
    for row in rounds:
        assert (row.rejected, row.reason, row.flipped) == (True, True, False), f"{name}, round {row.round}"


def test_the_session_is_as_long_as_it_should_be(rows: tuple[str, list[long.Row]]) -> None:
    _, rounds = rows
    assert 320 <= rounds[-1].turn <= 360
    assert all(0.69 <= row.share <= 0.73 for row in rounds)


def test_summaries_keep_their_density_and_a_drift_is_seen(rows: tuple[str, list[long.Row]]) -> None:
    name, rounds = rows
    if name == "drifting":
        assert drifts(rounds)[0] == 4, "the third fall is in the fourth round"
        assert long.spread(rounds) > 6
    else:
        assert not drifts(rounds)
        assert long.spread(rounds) <= 6, name


def test_a_reader_of_the_memory_can_fail() -> None:
    assert long.stands("We rejected sharded writes because of cross-region latency.") == (True, True, False)
    assert long.stands("- (agent, turn 11) Rejected sharded writes.") == (True, False, False)
    assert long.stands("Sharded writes were adopted. Rejected sharded writes because of cross-region latency.") == (True, True, True)
    assert long.stands("What about sharded writes?") == (False, False, False)
