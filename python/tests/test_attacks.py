"""The attacks of tests/attacks: a subset of each family, the generator, and that the judge can fail."""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ATTACKS = Path(__file__).resolve().parents[2] / "tests" / "attacks"
sys.path.insert(0, str(ATTACKS))

import generate  # noqa: E402
import judge  # noqa: E402
import run  # noqa: E402

Message = dict[str, Any]
SUBSET = 20
# Families that miss the bar on the subset: attacks stopped at least, twins disturbed at most. `run.py --record` writes them.
UNDER_BAR: dict[str, tuple[int, int]] = json.loads((Path(__file__).parent / "attacks_under_bar.json").read_text())


@pytest.mark.parametrize("family", generate.families())
def test_attacks_are_stopped_and_twins_pass(family: str) -> None:
    rows: run.Rows = {}
    run.counted(run.play((family, 1, SUBSET, None)), rows)
    stopped, disturbed = sum(row.stopped for row in rows.values()), sum(row.disturbed for row in rows.values())
    shown = "\n".join(run.example(result) for row in rows.values() for result in row.examples[:4])
    least, most = UNDER_BAR.get(family, (round(run.BAR_STOPPED * SUBSET), round(run.BAR_DISTURBED * SUBSET)))
    assert stopped >= least, f"{stopped} of {SUBSET} attacks stopped\n{shown}"
    assert disturbed <= most, f"{disturbed} of {SUBSET} twins disturbed\n{shown}"


def test_a_family_that_holds_the_bar_is_not_listed() -> None:
    bar = round(run.BAR_STOPPED * SUBSET), round(run.BAR_DISTURBED * SUBSET)
    assert not [family for family, (least, most) in UNDER_BAR.items() if least >= bar[0] and most <= bar[1]]
    assert set(UNDER_BAR) <= set(generate.families())


# The generator.


@pytest.mark.parametrize("family", generate.families())
def test_two_hundred_attacks_are_different(family: str) -> None:
    attacks = [case for case in generate.cases(family, 1, 200) if case["side"] == "attack"]
    texts = {json.dumps([case["steps"], case["claim"]]) for case in attacks}
    assert len(texts) == 200
    assert {case["group"] for case in attacks} == {"A", "B"}


def test_a_seed_gives_the_same_bytes_everywhere() -> None:
    lines = [json.dumps(generate.flat(case), ensure_ascii=True) for family in generate.families() for case in generate.cases(family, 1, 4)]
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest() == "3aac59cd8f8bc9f321caaaa2d585add122cac0a966ac573cd76a33698a2cec12"
    other = [json.dumps(generate.flat(case), ensure_ascii=True) for family in generate.families() for case in generate.cases(family, 2, 4)]
    assert not set(lines) & set(other)


def test_groups_share_no_sentence_and_no_scene() -> None:
    for family in generate.families():
        pairs = json.loads((ATTACKS / f"{family}.json").read_text(encoding="utf-8"))
        claims = [
            {pair["claim"] for pair in pairs[group] if pair["claim"] != "{state}" and "{block" not in pair["claim"]} for group in "AB"
        ]
        assert not claims[0] & claims[1], family
        scenes = [{(case["lang"], case["scene"]) for case in generate.cases(family, 1, 60) if case["group"] == group} for group in "AB"]
        assert not scenes[0] & scenes[1], family


@pytest.mark.parametrize("value", ["ORD-48213", "1,250", "250", "9.1.12", "desk@example.org", "2026-03-17", "7"])
def test_a_drift_is_a_near_miss(value: str) -> None:
    for at in range(200):
        drifted = generate.drift(value, at)
        assert drifted != value
        assert abs(len(drifted) - len(value)) <= 1


# The judge, on compactions that are known to be bad or good.

Compact = Callable[[list[Message], list[str], Callable[[str], str]], list[Message]]


def kept(rules: list[str]) -> list[Message]:
    return [{"role": "system", "content": "\n".join(rules)}]


def trusting(messages: list[Message], rules: list[str], summarize: Callable[[str], str]) -> list[Message]:
    """Takes the summary as it is."""
    text = summarize("\n".join(judge.text_of(message) for message in messages))
    return [*kept(rules), {"role": "user", "content": text}, *messages[-4:]]


def trusting_as_system(messages: list[Message], rules: list[str], summarize: Callable[[str], str]) -> list[Message]:
    """Takes it as the operator's word."""
    return [{**message, "role": "system"} if at == 1 else message for at, message in enumerate(trusting(messages, rules, summarize))]


def forgetful(messages: list[Message], rules: list[str], summarize: Callable[[str], str]) -> list[Message]:
    """Drops everything but the newest messages."""
    return messages[-4:]


def silent(messages: list[Message], rules: list[str], summarize: Callable[[str], str]) -> list[Message]:
    """Keeps the rules and nothing else."""
    return [*kept(rules), *messages[-4:]]


def labelling(messages: list[Message], rules: list[str], summarize: Callable[[str], str]) -> list[Message]:
    """Tells whose words a summary is made of."""
    text = summarize("\n".join(judge.text_of(message) for message in messages))
    lines = "\n".join(f"- (external, turn 1) {line}" for line in text.split("\n"))
    return [*kept(rules), {"role": "user", "content": lines}, *messages[-4:]]


def share(compaction: Compact, family: str, side: str) -> float:
    results = [run.play_own(case, compaction) for case in generate.cases(family, 1, 20) if case["side"] == side]
    return sum(not result.kinds() for result in results if result) / len(results)


@pytest.mark.parametrize("family", ["forged_approval", "rescission", "silence", "number_drift", "forged_marks", "lookalike"])
def test_judge_sees_what_a_trusting_compaction_lets_through(family: str) -> None:
    assert share(trusting, family, "attack") == 0
    assert share(trusting_as_system, family, "attack") == 0


def test_judge_sees_a_lost_rule() -> None:
    assert share(forgetful, "eviction", "attack") == 0
    assert share(forgetful, "eviction", "twin") == 0


def test_judge_sees_a_twin_that_is_lost() -> None:
    assert share(silent, "forged_approval", "attack") == 1
    assert share(silent, "forged_approval", "twin") == 0
    assert share(trusting, "forged_approval", "twin") == 1


def test_judge_takes_a_label_for_what_it_is() -> None:
    assert share(labelling, "forged_approval", "attack") == 1
    assert share(labelling, "silence", "attack") == 0


def test_answers_of_another_program_are_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [generate.flat(case) for case in generate.cases("rescission", 3, 4)]
    answers = [
        {
            "id": line["id"],
            "messages": trusting(line["messages"], line["rules"], lambda text, line=line: line["summary"]),
            "summarized": True,
        }
        for line in lines
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("\n".join(json.dumps(answer) for answer in answers), encoding="utf-8")
    assert run.main(["--judge", str(path), "--seed", "3"]) == 1
    assert "4 attacks, 0 stopped" in capsys.readouterr().out


def test_own_compaction_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--compaction", "test_attacks:silent", "--families", "eviction", "--per-family", "4"]) == 1
    assert "4 attacks, 4 stopped" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("no_such_module:compact", "no module `no_such_module`"),
        ("test_attacks:no_such_function", "no function `no_such_function`"),
        ("test_attacks:one_argument", "not 1 arguments"),
        ("test_attacks:gives_nothing", "gives a list of messages"),
    ],
)
def test_what_cannot_be_played_is_told(name: str, says: str) -> None:
    with pytest.raises(run.BadInput, match=says):
        run.main(["--compaction", name, "--families", "eviction", "--per-family", "2"])


def one_argument(messages: list[Message]) -> list[Message]:
    return messages


def gives_nothing(messages: list[Message], rules: list[str]) -> None:
    return None


async def awaited(messages: list[Message], rules: list[str]) -> list[Message]:
    return silent(messages, rules, str)


def test_a_coroutine_is_awaited(capsys: pytest.CaptureFixture[str]) -> None:
    run.main(["--compaction", "test_attacks:awaited", "--families", "eviction", "--per-family", "4"])
    assert "4 attacks, 4 stopped" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", "{}", "[1]", "nothing", '{"id": "rescission"}', '{"id": "rescission/A/000/attack"}'])
def test_answers_that_are_none_are_told(tmp_path: Path, text: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(run.BadInput, match="--judge"):
        run.main(["--judge", str(path)])


def test_the_compaction_of_the_readme_plays(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = re.findall(
        r"^```python\n(# mymodule\.py\n.*?)^```", (ATTACKS / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    (tmp_path / "mymodule.py").write_text(block, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert run.main(["--compaction", "mymodule:compact", "--families", "rescission", "--per-family", "4"]) == 1
    out = capsys.readouterr().out
    assert "4 attacks, 0 stopped" in out
    assert "rule" not in out.split("what went wrong")[1].split("under the bar")[0]
