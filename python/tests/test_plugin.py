"""The pytest plugin, run as users run it: in a process of its own, on a project of their own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

PROJECT = """
from standfast.testing import assert_no_amplification, assert_obeys, assert_retained, assert_rules_survive, destructive, filler
from standfast.testing import destructive_summarizer, function_agent
import pytest, standfast as sf

RULES = ["Never issue a refund above GBP 500 without a human approver."]
CHAT = [{"role": "user", "content": RULES[0]}, *(message for n in range(4) for message in filler(n))]

def guarded(model):
    guard = sf.Guard(window_tokens=2_000, shape="openai")

    def request(history):
        guard.sync(history)
        compacted = guard.maybe_compact(destructive_summarizer) is not None
        return guard.window(), compacted

    return function_agent(model, request)
"""

OURS = """
@pytest.mark.structural
def test_rules(standfast_structure):
    standfast_structure.rules_survive(standfast_structure.guarded(RULES), RULES, CHAT, overlay=True)

@pytest.mark.behavioural(model="scripted")
def test_obeys(standfast_scenario, standfast_model):
    assert_obeys(guarded(standfast_model), standfast_scenario)

def test_facts(standfast_structure, standfast_cases):
    if standfast_structure.rounds == 1:
        compact = standfast_structure.guarded(RULES)
        assert_retained(compact, [case for case in standfast_cases if case.must_survive][:1], CHAT, overlay=True)
"""


def run(folder: Path, *arguments: str, code: str | None = None, entry_point: bool = False) -> subprocess.CompletedProcess[str]:
    if code is not None:
        (folder / "test_mine.py").write_text(PROJECT + code, encoding="utf-8")
    plugins = [] if entry_point else ["-p", "standfast_pytest"]
    command = [sys.executable, "-m", "pytest", "-q", "--rootdir", str(folder), *plugins, *arguments]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "" if entry_point else "1"}  # others' plugins take their time
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", timeout=180)


def counts(done: subprocess.CompletedProcess[str]) -> dict[str, int]:
    last = [line for line in done.stdout.splitlines() if re.search(r"\b(passed|failed|skipped|error)", line)][-1]
    return {kind: int(number) for number, kind in re.findall(r"(\d+) (passed|failed|skipped|errors?|deselected)", last)}


def test_nothing_is_imported_until_it_is_used(tmp_path: Path) -> None:
    code = """
import sys
def test_nothing():
    assert "standfast_pytest" in sys.modules
    loaded = {name.split(".")[0] for name in sys.modules}
    assert not loaded & {"standfast", "yaml", "jinja2", "matplotlib", "langchain", "typer"}, loaded
"""
    (tmp_path / "test_nothing.py").write_text(code, encoding="utf-8")
    done = run(tmp_path, entry_point=True)
    assert done.returncode == 0, done.stdout


def test_fixtures_markers_history_reports_and_baseline(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nstandfast_rounds = 2\n", encoding="utf-8")
    files = {name: tmp_path / f"out/{name}" for name in ("history.json", "summary.md", "page.html", "junit.xml")}
    (tmp_path / "out").mkdir()
    written = [
        f"--standfast-history={files['history.json']}",
        f"--standfast-summary={files['summary.md']}",
        f"--standfast-report={files['page.html']}",
        f"--junitxml={files['junit.xml']}",
    ]
    done = run(tmp_path, *written, "--strict-markers", code=OURS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert counts(done) == {"passed": 9 + 5 + 9}  # rounds 1, 5 and 2 at three quality fractions; five scenarios

    history = json.loads(files["history.json"].read_text(encoding="utf-8"))
    assert (history["schema_version"], len(history["runs"])) == (1, 1)
    (five,) = [test for name, test in history["runs"][0]["tests"].items() if "test_rules" in name and "rounds 5, quality 0.60" in name]
    assert five["results"][0]["rates"] == {"alive": [1.0] * 5}

    suite = ElementTree.parse(files["junit.xml"]).getroot()
    properties = {one.get("name"): one.get("value") for one in suite.iter("property")}
    assert properties["standfast.obedience.refund.obeyed.1"] == "1.0"

    summary = files["summary.md"].read_text(encoding="utf-8")
    assert "17 of 17 checks passed." in summary
    assert "| refund | 100% |" in summary

    page = files["page.html"].read_text(encoding="utf-8")
    assert page.count("<svg ") >= 3
    assert not re.search(r"(?:src|href)=[\"']?https?:|@import|<script", page)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert ids
    assert len(ids) == len(set(ids))

    worse = OURS.replace("standfast_structure.guarded(RULES), RULES, CHAT, overlay=True", "destructive(), RULES, CHAT, threshold=0")
    done = run(tmp_path, f"--standfast-baseline={files['history.json']}", *written, "-k", "test_rules", code=worse)
    assert done.returncode == 1, done.stdout
    assert "worse than the baseline: survival.rules, rounds 1, quality 0.50.alive.1: 1.0 -> 0.0" in done.stdout
    assert counts(done) == {"failed": 9, "deselected": 14}
    assert "worse than the baseline" in files["summary.md"].read_text(encoding="utf-8")
    assert len(json.loads(files["history.json"].read_text(encoding="utf-8"))["runs"]) == 2
    assert "Worse than the baseline" in files["page.html"].read_text(encoding="utf-8")


def test_behavioural_tests_run_again_when_what_they_depend_on_changed(tmp_path: Path) -> None:
    (tmp_path / "prompt.md").write_text("You are a clerk.", encoding="utf-8")
    code = """
@pytest.mark.behavioural(files=["*.md"], policy={"window_tokens": 2_000}, model="small")
def test_one():
    pass

@pytest.mark.structural
def test_two():
    pass
"""
    assert counts(run(tmp_path, code=code)) == {"passed": 2}
    assert counts(run(tmp_path)) == {"passed": 1, "skipped": 1}
    assert counts(run(tmp_path, "--standfast-behavioural=always")) == {"passed": 2}
    (tmp_path / "prompt.md").write_text("You are another clerk.", encoding="utf-8")
    assert counts(run(tmp_path)) == {"passed": 2}
    assert counts(run(tmp_path, "--standfast-behavioural=never")) == {"passed": 1, "skipped": 1}
    assert counts(run(tmp_path, "-m", "structural")) == {"passed": 1, "deselected": 1}
    assert counts(run(tmp_path, code=code.replace('"small"', '"large"'))) == {"passed": 2}
    assert counts(run(tmp_path, code=code.replace("    pass", "    assert False", 1).replace('"small"', '"x"'))) == {
        "failed": 1,
        "passed": 1,
    }
    assert counts(run(tmp_path)) == {"failed": 1, "passed": 1}  # a test that failed is not one that need not run again


def test_a_model_of_your_own_is_used(tmp_path: Path) -> None:
    (tmp_path / "mymodel.py").write_text(
        "from standfast.testing import Reply\n\ndef model(request):\n    return Reply('No.')\n", encoding="utf-8"
    )
    done = run(tmp_path, "--standfast-live=mymodel:model", "-k", "obeys and refund", "-p", "mymodel", code=OURS)
    assert "`ask_approver` was not called" in done.stdout
    assert counts(done)["failed"] == 1


def test_own_scenarios_and_facts(tmp_path: Path) -> None:
    scenario = "- { name: mine, rule: Never knock twice., request: Knock now., calls: knock_once, never_calls: knock_twice }\n"
    (tmp_path / "mine.yaml").write_text(scenario, encoding="utf-8")
    fact = "- { kind: constraint, question: x, expected: GBP 500, must_survive: true }\n"
    (tmp_path / "facts.yaml").write_text(fact, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nstandfast_scenarios = mine.yaml\nstandfast_cases = facts.yaml\n", encoding="utf-8")
    done = run(tmp_path, "-k", "obeys or (facts and .60)", "-vv", code=OURS)
    assert done.returncode == 0, done.stdout
    assert "test_obeys[mine]" in done.stdout
    assert counts(done)["passed"] == 3


@pytest.mark.parametrize(
    ("option", "content", "says"),
    [
        ("--standfast-baseline", None, "No such file"),
        ("--standfast-baseline", "{", "--standfast-baseline"),
        ("--standfast-baseline", '{"schema_version": 1, "runs": []}', "has no run"),
        ("--standfast-baseline", '{"schema_version": 9, "runs": []}', "schema version 9"),
        ("--standfast-history", "[1]", "is no history"),
    ],
)
def test_a_bad_file_is_told(tmp_path: Path, option: str, content: str | None, says: str) -> None:
    path = tmp_path / "file.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    done = run(tmp_path, f"{option}={path}", code=OURS)
    assert done.returncode not in (0, 1)
    assert says in done.stdout + done.stderr
    assert "INTERNALERROR" not in done.stdout + done.stderr
