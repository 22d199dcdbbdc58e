"""Texts and documents typed: what crosses the border to Python."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest

import standfast as sf

RULE = {"text": "Never push to `main` without an approval.", "heading_path": ["Rules"], "lead_in": None, "kind": "item"}


def test_items_carry_what_was_given_and_what_was_found() -> None:
    item = sf.classify_items([RULE])[0]
    assert (item.text, item.heading_path, item.lead_in, item.kind) == (RULE["text"], ("Rules",), None, "item")
    assert (item.knowledge, item.tier, item.polarity) == ("constraint", "invariant", "prohibit")
    assert set(sf.KNOWLEDGE_TYPES) == {"constraint", "procedural", "belief", "preference", "episodic"}
    assert "push" not in repr(item)


def test_contributions_sum_to_the_scores() -> None:
    why = sf.classify_items([RULE])[0].explain()
    for name in sf.KNOWLEDGE_TYPES:
        assert sum(getattr(part.scores, name) for part in why.contributions) == getattr(why.scores, name)


@pytest.mark.parametrize(
    "bad", [None, "text", {"text": "x"}, [1], [{}], [{"text": 1}], [{"text": "x", "colour": "red"}], [{"text": "x", "heading_path": "h"}]]
)
def test_what_is_no_item_is_refused(bad: object) -> None:
    with pytest.raises(sf.StandfastError) as caught:
        sf.classify_items(bad)  # type: ignore[arg-type]
    assert caught.value.code == "invalid_argument"


def test_an_unknown_point_is_refused() -> None:
    with pytest.raises(sf.StandfastError):
        sf.classify_items([RULE], point="loud")  # type: ignore[arg-type]


def test_other_threads_run_meanwhile() -> None:
    done = threading.Event()
    threading.Thread(target=done.set).start()
    sf.classify_items([RULE] * 2_000)
    assert done.wait(5)


def test_broken_documents_give_a_result() -> None:
    for text in ("", "---\nglobs: [a", "x" * 100_000, "- a\n" * 1_000, "\u0000", "| a\n|-\n"):
        assert isinstance(sf.triage(text, source="file:x"), list)


def test_the_table_is_the_one_of_the_recorded_weights() -> None:
    root = Path(__file__).resolve().parents[2]
    if not (root / "bench/triage").is_dir():
        pytest.skip("not in the repository")
    names: dict[str, object] = {"__file__": str(root / "bench/triage/train.py"), "__name__": "train"}
    exec((root / "bench/triage/train.py").read_text(encoding="utf-8"), names)
    assert names["table"](names["recorded"]()) == (root / "core/src/triage/classify/weights.bin").read_bytes()  # type: ignore[operator]
    rows = [json.loads(line) for line in (root / "bench/triage/own_lines.jsonl").read_text(encoding="utf-8").splitlines()]
    assert len(rows) >= 400


PARAGRAPH = "The batch of row {} was read and the sum was posted to the ledger. Never post it twice without an approval. " * 18


def test_a_document_of_fifty_megabytes_is_read() -> None:
    paragraph = PARAGRAPH.format(*range(18))
    document = f"\n\n{paragraph}" * (50_000_000 // len(paragraph))
    items = sf.triage(document, source="big.md")
    assert len(items) == document.count("\n\n")
    assert {item.knowledge for item in items} == {"constraint"}


BROKEN = ["", "---\nglobs: [a, b\n  - : :\n\t{\n---\n", "---\nnever closed\n", "+++\nkey\n+++\n", "\ufeff---\n---\n"]


@pytest.mark.parametrize("front", BROKEN)
def test_one_line_of_five_megabytes_is_read_whatever_stands_before_it(front: str) -> None:
    line = "word " * 1_000_000 + "and never delete the archive."
    items = sf.triage(f"{front}# Notes\n\n{line}\n\n- [ broken `code\n| a | b\n", source="line.md")
    assert any(item.text.endswith("never delete the archive.") for item in items)
    result = sf.compact_knowledge(f"{front}# Notes\n\n{line}\n", budget=1_000)
    assert result.ok or result.unsafe is not None
