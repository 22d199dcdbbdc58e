"""Knowledge bases: what the package adds to the vectors, counters and bad input of every kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import standfast as sf

ITEMS: list[dict[str, Any]] = [
    {"text": "Never push to `main` without an approval.", "knowledge": "constraint", "heading_path": ["Guide", "Git"]},
    {"text": "The gateway retries requests for two minutes.", "knowledge": "belief", "heading_path": ["Guide", "Gateway"]},
    {"text": "The old server was moved in May.", "knowledge": "episodic", "heading_path": ["Guide", "History"]},
]


def refused(code: str, call: Callable[[], Any]) -> None:
    with pytest.raises(sf.StandfastError) as caught:
        call()
    assert caught.value.code == code


@pytest.mark.parametrize(
    "count", [len, lambda text: len(text.encode()), lambda text: len(text.split()) * 3, lambda text: len(text) ** 2 // 50]
)
def test_any_counter_is_kept(count: Callable[[str], int]) -> None:
    for budget in range(1, 400, 7):
        for mode in ("safe", "rank"):
            result = sf.compact_knowledge(ITEMS, budget=budget, count=count, mode=mode)
            assert result.text is None or not result.text or count(result.text) <= budget
            assert result.ok == (result.unsafe is None) == bool(result)
            assert {one.index for one in result.kept + result.dropped} == {0, 1, 2}


def test_a_part_of_a_document() -> None:
    document = "# Guide\n\n" + "\n".join(f"- Fact number {number} about the house." for number in range(50))
    result = sf.compact_knowledge(document, ratio=0.3, count=len)
    assert result.ok
    assert result.text is not None
    assert len(result.text) <= 0.3 * len(document)
    assert result.budget == int(0.3 * len(document))


def test_items_of_triage_and_records_are_taken() -> None:
    items = sf.triage("- Never push to main.\n- A fact.", source="file")
    result = sf.compact_knowledge(items, budget=100)
    assert result.text is not None
    assert "Never push to main." in result.text
    assert "Never push" not in repr(result)
    assert sf.compact_knowledge(iter(["One line.", "Another."]), budget=100).kept[0].text in ("One line.", "Another.")


def test_what_cannot_be_used_is_refused() -> None:
    nan = float("nan")
    for arguments in (
        {"budget": 0},
        {"budget": -1},
        {"ratio": 0},
        {"ratio": -0.1},
        {"ratio": 2},
        {},
        {"budget": 3, "ratio": 0.5},
        {"budget": 2.5},
    ):
        refused("invalid_argument", lambda arguments=arguments: sf.compact_knowledge(ITEMS, **arguments))
    refused("invalid_number", lambda: sf.compact_knowledge(ITEMS, ratio=nan))
    refused("invalid_argument", lambda: sf.compact_knowledge(7, budget=3))  # type: ignore[arg-type]
    refused("invalid_argument", lambda: sf.compact_knowledge(ITEMS, budget=3, count=lambda _: -1))
    refused("invalid_argument", lambda: sf.compact_knowledge(ITEMS, budget=3, count=lambda _: "x"))  # type: ignore[arg-type,return-value]
    refused("invalid_argument", lambda: sf.decompose_knowledge(ITEMS, max_tokens=0))
    refused("invalid_argument", lambda: sf.KnowledgeIndex([]))
    index = sf.KnowledgeIndex(ITEMS)
    refused("invalid_argument", lambda: index.retrieve("x", k=0))
    refused("invalid_argument", lambda: index.retrieve("x", vectors=([1.0], [[1.0]])))
    refused("invalid_argument", lambda: index.retrieve("x", vectors=([1.0], [[1.0, 2.0]] * 3)))
    refused("invalid_number", lambda: index.retrieve("x", vectors=([nan], [[1.0]] * 3)))
    with pytest.raises(ZeroDivisionError):
        sf.compact_knowledge(ITEMS, budget=3, count=lambda text: len(text) // 0)


def test_recall_searches() -> None:
    guard = sf.Guard(window_tokens=8_000)
    for text in ("The invoice of March is late.", "Lunch was fine.", "Send the invoice again."):
        guard.observe({"role": "user", "content": text})
    assert [event.seq for event in guard.recall("invoice of March", k=1)] == [0]
    assert [event.seq for event in guard.recall("invoice", span=(1, 2))] == [2]
    assert guard.recall("nothing like it") == []
    refused("invalid_argument", guard.recall)
    refused("invalid_argument", lambda: guard.recall("x", k=0))
