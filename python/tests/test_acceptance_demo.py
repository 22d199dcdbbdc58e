"""The demo's figures: no rule lost behind a guard, rules really lost the usual way, and bad input told plainly."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import standfast as sf

BENCH = Path(__file__).resolve().parents[2] / "bench"
SURVIVAL = BENCH / "survival.py"
pytestmark = pytest.mark.skipif(not SURVIVAL.exists(), reason="the bench folder is not part of this installation")


def survival(*arguments):
    return subprocess.run(
        [sys.executable, str(SURVIVAL), *map(str, arguments)], capture_output=True, text=True, encoding="utf-8", timeout=120
    )


@pytest.fixture(scope="module")
def results():
    done = survival("--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["results"]


def test_three_transcripts_two_summarizers_five_rounds(results):
    assert [(r["transcript"], r["summarizer"]) for r in results] == [
        (t, s) for t in ("settlements", "medical", "coding") for s in ("destructive", "extractive")
    ]
    for r in results:
        assert len(r["rounds"]) == 5, f"{r['transcript']}, {r['summarizer']}: {len(r['rounds'])} rounds"
        assert r["messages"] >= 300


def test_no_rule_is_lost_behind_a_guard(results):
    for r in results:
        for row in r["rounds"]:
            ours = row["standfast"]
            assert (ours["verbatim"], ours["words"]) == (row["rules"], row["rules"]), (r["transcript"], r["summarizer"], row["round"])


def test_the_usual_way_loses_rules(results):
    for r in results:
        last = r["rounds"][-1]
        if r["summarizer"] == "destructive":
            assert last["usual"]["verbatim"] < last["rules"] / 2, r["transcript"]
            assert last["usual"]["words"] < last["rules"], r["transcript"]


def test_pinned_digest_changes_with_the_rules_only(results):
    for r in results:
        for one, other in zip(r["rounds"], r["rounds"][1:], strict=False):
            if one["rules"] == other["rules"]:
                assert one["standfast"]["pinned"] == other["standfast"]["pinned"], (r["transcript"], other["round"])


@pytest.mark.parametrize("name", ["settlements", "medical", "coding"])
def test_guard_promotes_exactly_what_the_user_laid_down(name):
    script = json.loads((BENCH / "transcripts" / f"{name}.json").read_text(encoding="utf-8"))
    guard = sf.Guard(window_tokens=200_000)
    for message in script["messages"]:
        guard.observe(message)
    assert [rule.text for rule in guard.rules] == [rule["text"] for rule in script["rules"] if rule["given"] == "said"]


def test_windows_stay_within_the_models_window(results):
    for r in results:
        for row in r["rounds"]:
            assert row["standfast"]["tokens"] < row["standfast"]["tokens_before"] < r["window_tokens"]


def test_transcripts_are_what_their_stories_give():
    done = subprocess.run([sys.executable, str(BENCH / "transcripts" / "make.py"), "--check"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "empty"),
        ("{", "not JSON"),
        ("[]", "no messages"),
        ("[1]", "message 0 is not an object"),
        ('{"a": 1}', "expected a list of messages"),
        ('[{"role": "wizard", "content": "x"}]', "'wizard'"),
        ('[{"role": "user", "content": 5}]', "content of type int"),
        ('{"role": "user", "content": "a"}\n{"role"', "line 2"),
        ('{"messages": [{"role": "user", "content": "x"}], "rules": [{"text": "Never.", "message": 7}]}', "message 7"),
    ],
)
def test_bad_input_is_told_and_exits_2(tmp_path, content, says):
    path = tmp_path / "chat.json"
    path.write_text(content, encoding="utf-8")
    done = survival(path)
    assert done.returncode == 2, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_missing_file_exits_2(tmp_path):
    done = survival(tmp_path / "none.json")
    assert done.returncode == 2
    assert "none.json" in done.stderr


def test_any_chat_file_and_a_rules_file(tmp_path):
    chat = [{"role": "user", "content": "Count the boxes, hall by hall."}]
    for n in range(60):
        chat.append({"role": "assistant", "content": f"Hall {n}: {n * 7} boxes, " + "counted twice, " * 30})
        chat.append({"role": "user", "content": f"Next hall, please, number {n + 1}."})
    (tmp_path / "chat.jsonl").write_text("\n".join(json.dumps(m) for m in chat), encoding="utf-8")
    (tmp_path / "AGENTS.md").write_text(
        "# Rules\n\n- Never round a count.\n- A hall is counted twice,\n  by two people.\n", encoding="utf-8"
    )
    done = survival(tmp_path / "chat.jsonl", "--rules", tmp_path / "AGENTS.md", "--window", "4000")
    assert done.returncode == 0, done.stderr
    assert "2/2" in done.stdout
    assert "standfast has" in done.stdout
