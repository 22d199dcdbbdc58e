"""The command line: what each command prints, and how it ends."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import session_files as files
from typer.testing import CliRunner, Result

from standfast.cli.app import app
from standfast.cli.console import clean

DATA = Path(os.environ.get("STANDFAST_DATA", ""))
BENCH = Path(__file__).resolve().parents[2] / "bench" / "transcripts"
REAL = ["swe-ctf-rev.traj", "swe-ctf-web.traj", "openhands-llmlog-deepseek-nonfncall.json"]
data = pytest.mark.skipif(not (DATA / "trajectories").is_dir(), reason="STANDFAST_DATA names no folder with real data")


def run(*arguments: Any, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result


def told(*arguments: Any, code: int = 0) -> Any:
    return json.loads(run(*arguments, "--json", code=code).stdout)


def written(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def lines(path: Path, records: list[Any]) -> Path:
    return written(path, "\n".join(json.dumps(record) for record in records))


# Two files.


def test_audit_of_two_files(tmp_path: Path) -> None:
    before = written(tmp_path / "before.json", files.CHAT)
    after = written(tmp_path / "after.json", [{"role": "user", "content": "Summary: rows were counted."}])
    shown = run("audit", before, after, code=1).stdout
    (line,) = [line for line in shown.splitlines() if line.startswith("Never delete rows")]
    assert line.split()[-2:] == ["dropped", "no"]
    found = told("audit", before, after, code=1)
    assert found["compactions"][0]["fates"][0]["kind"] == "dropped"
    assert found["compactions"][0]["counts"]["messages_before"] == len(files.CHAT)


@pytest.mark.parametrize(
    ("words", "code"), [("weakened,dropped", 1), ("dropped", 1), ("weakened", 0), ("claims", 0), ("none", 0), ("lost", 2), ("", 2)]
)
def test_what_ends_with_1_can_be_said(tmp_path: Path, words: str, code: int) -> None:
    before = written(tmp_path / "before.json", files.CHAT)
    after = written(tmp_path / "after.txt", "Summary: rows were counted.")
    run("audit", before, after, "--fail-on", words, code=code)


def test_a_text_a_langchain_dump_and_items_of_responses_are_sides(tmp_path: Path) -> None:
    dump = [{"type": "human", "data": {"content": files.RULE}}, {"type": "ai", "data": {"content": "Noted.", "tool_calls": []}}]
    name = ["langchain", "schema", "messages", "HumanMessage"]
    serialized = [{"lc": 1, "type": "constructor", "id": name, "kwargs": {"content": files.RULE}}]
    items = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": files.RULE}]}]
    after = written(tmp_path / "after.txt", f"Notes.\n{files.RULE}")
    for at, side in enumerate((dump, serialized, items, {"input": items, "instructions": "You are a clerk."})):
        found = told("audit", written(tmp_path / f"{at}.json", side), after)
        assert [fate["kind"] for fate in found["compactions"][0]["fates"]] == ["preserved"], side


def test_rules_of_a_file_are_looked_for(tmp_path: Path) -> None:
    before = written(tmp_path / "before.json", files.CHAT)
    after = written(tmp_path / "after.txt", files.RULE)
    rules = written(tmp_path / "rules.txt", "Never deploy on a Friday.\n")
    found = told("audit", before, after, "--rules", rules, code=1)
    assert [fate["rule"] for fate in found["compactions"][0]["fates"]] == ["Never deploy on a Friday."]


# Sessions.


def test_a_claude_code_session_is_audited_at_each_of_its_compactions(tmp_path: Path) -> None:
    path = lines(tmp_path / "session.jsonl", files.claude())
    found = told("audit", path, code=1)
    assert (found["kind"], len(found["compactions"])) == ("Claude Code session", 2)
    first, second = found["compactions"]
    assert (first["trigger"], second["trigger"]) == ("auto", "manual")
    assert {fate["rule"]: fate["kind"] for fate in first["fates"]} == {files.RULE: "preserved"}
    # the second lost it, and is held against the original words, not against the first summary
    assert {fate["rule"]: fate["kind"] for fate in second["fates"]} == {files.RULE: "dropped", files.SECOND: "preserved"}
    assert run("audit", path, "--fail-on", "weakened").exit_code == 0
    assert "compaction 2 of 2, manual" in run("audit", path, code=1).stdout


def test_what_was_rewound_or_said_by_others_is_not_part_of_a_session(tmp_path: Path) -> None:
    records = files.claude(extra=True)
    found = told("audit", lines(tmp_path / "session.jsonl", records), code=1)
    rules = {fate["rule"] for one in found["compactions"] for fate in one["fates"]}
    assert rules == {files.RULE, files.SECOND}


def test_a_session_cut_off_while_written_is_read(tmp_path: Path) -> None:
    text = "\n".join(json.dumps(record) for record in files.claude()) + '\n{"type": "user", "mess'
    found = told("audit", written(tmp_path / "session.jsonl", text), code=1)
    assert len(found["compactions"]) == 2


def test_a_codex_session_with_and_without_a_stored_replacement(tmp_path: Path) -> None:
    found = told("audit", lines(tmp_path / "rollout.jsonl", files.codex()), code=1)
    assert found["kind"] == "Codex session"
    first, second = found["compactions"]
    assert [(fate["rule"], fate["kind"]) for fate in first["fates"]] == [(files.RULE, "preserved")]  # its words are kept beside the summary
    assert [(fate["rule"], fate["kind"]) for fate in second["fates"]] == [(files.RULE, "dropped")]
    assert not first["pairs"]


def test_what_a_provider_sealed_is_unverifiable_and_not_dropped(tmp_path: Path) -> None:
    path = lines(tmp_path / "rollout.jsonl", files.codex(sealed=True))
    last = told("audit", path)["compactions"][-1]
    assert (last["sealed"], [fate["kind"] for fate in last["fates"]]) == (True, ["unverifiable"])
    run("audit", path, "--fail-on", "dropped")
    run("audit", path, "--fail-on", "unverifiable", code=1)


def test_a_list_with_a_summary_in_it_is_a_session(tmp_path: Path) -> None:
    summary = {"role": "user", "content": "Summary: rows were counted.", "isCompactSummary": True}
    path = written(tmp_path / "chat.json", [*files.CHAT, summary, {"role": "assistant", "content": "On it."}])
    assert told("audit", path, code=1)["compactions"][0]["fates"][0]["kind"] == "dropped"
    path = written(tmp_path / "plain.json", files.CHAT)
    assert "no compaction in this file (messages)" in run("audit", path, code=2).stderr


# Other commands.


def test_check_tells_cost_fit_and_duplicates(tmp_path: Path) -> None:
    rules = "# Rules\n\n- Never deploy on a Friday.\n- never deploy on a friday\n- Ask before a migration.\n"
    path = written(tmp_path / "AGENTS.md", rules)
    found = told("check", path, "--window", 8_000)
    assert [rule["text"] for rule in found["rules"]] == ["Never deploy on a Friday.", "never deploy on a friday", "Ask before a migration."]
    assert found["fits"]
    assert len(found["duplicates"]) == 1
    assert 0 < found["pinned_tokens"] < found["room_tokens"] == 800
    run("check", path, "--window", 8_000, "--strict", code=1)
    assert "fits: 3 rules" in run("check", path, "--window", 8_000).stdout
    many = "# Rules\n\n" + "".join(f"- Never touch table number {n} of the ledger without asking its owner.\n" for n in range(90))
    found = told("check", written(tmp_path / "AGENTS.md", many), "--window", 4_000, code=1)
    assert not found["fits"]
    assert found["pinned_tokens"] > found["room_tokens"]
    odd = written(tmp_path / "rules.txt", "Never.\n## END CONSTRAINTS\nNo.\n")
    assert {one["code"] for one in told("check", odd, code=1)["refused"]} <= {"rule_too_short", "rule_imitates_block"}


def test_triage_of_documents(tmp_path: Path) -> None:
    one = written(tmp_path / "one.md", "# Rules\n\n- Never push to main without a review.\n- Use tabs.\n")
    two = written(tmp_path / "two.md", "# Log\n\n- The server was moved in May.\n")
    found = told("triage", one, two)
    assert [document["counts"]["constraint"] for document in found] == [1, 0]
    found = told("triage", one, two, "--only", "constraint")
    assert [[item["line"] for item in document["items"]] for document in found] == [[3], []]
    assert "constraint" in run("triage", one).stdout
    run("triage", one, "--only", "nonsense", code=2)


def test_rounds_looks_for_the_rules_that_audit_looks_for(tmp_path: Path) -> None:
    """What the operator says in the head too, which a guard leaves where it is."""
    chat = [{"role": "system", "content": "Never refund more than 500 pounds."}, {"role": "user", "content": "Never e-mail the customer."}]
    path = written(tmp_path / "chat.json", [*chat, {"role": "assistant", "content": "Understood."}])
    audited = [fate["rule"] for fate in told("audit", path, path)["compactions"][0]["fates"]]
    assert told("rounds", path, "-n", 1)["rules"] == audited
    assert len(audited) == 2


def test_rounds_of_a_transcript(tmp_path: Path) -> None:
    talk = [{"role": role, "content": f"{role} {n}: hall {n} is counted."} for n in range(40) for role in ("user", "assistant")]
    chat = [*files.CHAT, *talk]
    path = written(tmp_path / "chat.json", chat)
    found = told("rounds", path, "-n", 3)
    assert found["rules"] == [files.RULE]
    assert (found["usual"]["alive"], found["standfast"]["alive"]) == ([0.0] * 3, [1.0] * 3)
    assert (found["usual"]["cliff"], found["standfast"]["cliff"]) == (1, None)
    assert "1 of 1" in run("rounds", path, "-n", 1, "--summarizer", "extractive").stdout
    assert "give --rules" in run("rounds", written(tmp_path / "none.json", [{"role": "user", "content": "Hello."}]), code=2).stderr


@pytest.mark.skipif(not BENCH.exists(), reason="the bench folder is not part of this installation")
@pytest.mark.parametrize("name", ["settlements", "medical", "coding"])
def test_rounds_of_the_demo_transcripts(name: str) -> None:
    found = told("rounds", BENCH / f"{name}.json", "--summarizer", "extractive")
    assert found["standfast"]["alive"] == [1.0] * 5
    assert found["usual"]["alive"][-1] < 1


def test_demo() -> None:
    destructive, extractive = told("demo")
    assert destructive["usual"]["alive"][-1] == 0
    assert destructive["standfast"]["alive"] == extractive["standfast"]["alive"] == [1.0] * 5
    assert "standfast 100%" in run("demo", "-n", 1).stdout


def test_an_incident_becomes_a_case(tmp_path: Path) -> None:
    before = written(tmp_path / "before.json", files.CHAT)
    after = written(tmp_path / "after.txt", "Summary: rows were counted.")
    report = written(tmp_path / "report.json", run("audit", before, after, "--json", code=1).stdout)
    cases = tmp_path / "cases.yaml"
    (case,) = told("case", "add", report, "--cases", cases)
    assert (case["kind"], case["expected"], case["must_survive"]) == ("constraint", files.RULE, True)
    assert told("case", "add", report, "--cases", cases) == []  # known already
    own = ("--kind", "identity", "--question", "Who decides?", "--expected", "Olga Brandt")
    assert len(told("case", "add", report, "--cases", cases, *own)) == 1

    from standfast.testing import assert_retained, destructive, read_cases

    assert len(read_cases(cases)) == 2
    with pytest.raises(AssertionError):
        assert_retained(destructive(), read_cases(cases), files.CHAT * 4)


def test_a_receipt_names_rules_by_fingerprint_and_the_file_of_rules_knows_them(tmp_path: Path) -> None:
    import standfast as sf

    guard = sf.Guard(window_tokens=4_000)
    rule = guard.declare("Never deploy on a Friday.")
    finding = {"kind": "rule_contradicted", "about": rule.fingerprint, "repair": "removed", "count": 1}
    receipt = {**guard.receipt.to_wire(), "findings": [finding]} if guard.receipt else {"outcome": "compacted", "findings": [finding]}
    path = written(tmp_path / "receipt.json", receipt)
    rules = written(tmp_path / "rules.txt", "Ask before a migration.\nNever deploy on a Friday.\n")
    cases = tmp_path / "cases.yaml"
    assert [case["expected"] for case in told("case", "add", path, "--cases", cases, "--rules", rules)] == ["Never deploy on a Friday."]
    lost = written(tmp_path / "lost.json", {**receipt, "outcome": "invariant_lost", "findings": []})
    assert [case["expected"] for case in told("case", "add", lost, "--cases", cases, "--rules", rules)] == ["Ask before a migration."]
    assert "--rules" in run("case", "add", path, "--cases", cases, code=2).stderr


def test_report_of_a_history(tmp_path: Path) -> None:
    figures = {"rates": {"alive": [1.0, 0.5]}, "cliff": 2, "token_ratio": 0.2, "details": {}}
    result = {"kind": "survival", "name": "rules", "passed": True, **figures}
    tests = {"test_x.py::test_one": {"outcome": "passed", "results": [result], "regressions": []}}
    history = written(tmp_path / "history.json", {"schema_version": 1, "runs": [{"at": "2026-01-01", "tests": tests}]})
    assert "| rules | 100% | 50% | 2 | 20% |" in run("report", history).stdout
    assert told("report", history)["tests"] == tests
    page = tmp_path / "out" / "page.html"
    run("report", history, "-o", page)
    assert "<svg " in page.read_text(encoding="utf-8")
    tests["test_x.py::test_one"]["outcome"] = "failed"
    run("report", written(history, {"schema_version": 1, "runs": [{"at": "2026-01-01", "tests": tests}]}), code=1)
    run("report", written(history, "[]"), code=2)


# Bad input, terminals, installation.


@pytest.mark.parametrize(
    ("arguments", "content"),
    [
        (["audit", "{}", "{}"], b"\xff\xfe\x00"),
        (["audit", "{}"], b"[]"),
        (["audit", "{}"], b"5"),
        (["audit", "{}"], b'{"a": 1}'),
        (["audit", "{}", "{}"], b'[{"role": "wizard", "content": "x"}]'),
        (["check", "{}"], b""),
        (["check", "{}"], b"\xff"),
        (["triage", "{}"], b"\xff"),
        (["rounds", "{}"], b"[[1]]"),
        (["rounds", "{}"], b'[{"role": "user", "content": 5}]'),
        (["case", "add", "{}"], b"{"),
        (["case", "add", "{}"], b"[]"),
        (["case", "add", "{}"], b"{}"),
        (["report", "{}"], b"{"),
        (["audit", "{}"], b"[" * 100_000),
    ],
)
def test_bad_input_is_one_line_and_ends_with_2(tmp_path: Path, arguments: list[str], content: bytes) -> None:
    path = tmp_path / "given.md" if arguments[0] == "check" else tmp_path / "given.json"
    path.write_bytes(content)
    result = run(*(str(path) if argument == "{}" else argument for argument in arguments), code=2)
    assert result.stderr.startswith("standfast: ")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("command", [["audit"], ["check"], ["triage"], ["rounds"], ["case", "add"], ["report"]])
def test_a_missing_file_is_told(command: list[str], tmp_path: Path) -> None:
    for path in (tmp_path / "none.json", tmp_path):
        assert str(path) in run(*command, path, code=2).stderr.replace("\n", "")


def test_control_characters_never_reach_the_terminal(tmp_path: Path) -> None:
    evil = "Never delete \x1b]0;owned\x07rows \x1b[31mof\x1b[0m the \u202eledger\u2066 table\x9b2J without consent\x00."
    before = written(tmp_path / "before.json", [{"role": "user", "content": evil}, {"role": "assistant", "content": "ok"}])
    after = written(tmp_path / "after.txt", "\x1b[2JSummary \u202e: rows.")
    rules = written(tmp_path / "rules.txt", "Never delete \x1b[31mrows of the ledger table.\n")
    outputs = [run("audit", before, after, code=1).output, run("audit", before, after, "--json", code=1).output]
    outputs += [run("triage", rules).output, CliRunner().invoke(app, ["check", str(rules)]).output]
    for output in outputs:
        assert not [one for one in output if (ord(one) < 32 and one != "\n") or 0x7F <= ord(one) < 0xA0 or one in "\u202e\u2066\x1b"]
    assert clean("a\x1b[31mb\x1b]8;;http://x\x1b\\c\td\u202e\u200be") == "abc de"


def test_markup_of_a_text_is_text(tmp_path: Path) -> None:
    path = written(tmp_path / "rules.md", "# Rules\n\n- Never use [red]colors[/red] :smile: in [link=x]notes[/link].\n")
    assert "[red]colors[/red] :smile: in [link=x]notes[/link]" in run("check", path).stdout


def test_without_the_extra_the_command_says_what_to_install(tmp_path: Path) -> None:
    code = "import sys; sys.modules['typer'] = None; from standfast.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (2, "standfast: typer is missing: pip install 'standfast[cli]'\n")


def test_the_commands_need_no_framework(tmp_path: Path) -> None:
    rules = written(tmp_path / "AGENTS.md", "# Rules\n\n- Never push to main.\n")
    code = "import sys; sys.modules |= dict.fromkeys(('langchain', 'langchain_core', 'langgraph', 'matplotlib', 'jinja2')); "
    for arguments in (["check", str(rules)], ["triage", str(rules)], ["demo", "-n", "1"]):
        program = f"{code}sys.argv[1:] = {arguments!r}; from standfast.cli import main; main()"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
    program = f"{code}sys.argv[1:] = ['thread', {str(rules)!r}, '--thread', 'x']; from standfast.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, "is missing: pip install" in done.stderr) == (2, True), done.stderr


def test_a_terminal_without_the_letters_shows_their_numbers(tmp_path: Path) -> None:
    rules = written(tmp_path / "rules.md", "# Rules\n\n- Never rename the caf\u00e9 table \u2192 ask first.\n")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-c", "from standfast.cli import main; main()", "check", str(rules)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "caf\\xe9 table \\u2192 ask" in done.stdout


def test_long_work_has_a_bar_on_the_error_stream(tmp_path: Path) -> None:
    one = written(tmp_path / "one.md", "- Never push to main.\n")
    environment = {**os.environ, "FORCE_COLOR": "1", "TERM": "xterm"}
    command = [sys.executable, "-c", "from standfast.cli import main; main()", "triage", "--json", str(one), str(one)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "reading" in done.stderr
    assert len(json.loads(done.stdout)) == 2
    assert not run("triage", one).stderr


def test_the_command_is_installed(tmp_path: Path) -> None:
    command = Path(sys.executable).with_name("standfast")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    before = written(tmp_path / "before.json", files.CHAT)
    after = written(tmp_path / "after.txt", "Summary: rows were counted.")
    shown = subprocess.run([command, "audit", before, after], capture_output=True, text=True, timeout=60)
    assert shown.returncode == 1, shown.stderr
    assert "dropped" in shown.stdout


# Real files.


@data
@pytest.mark.parametrize("name", ["agentic", "basic"])
def test_real_compactions_are_audited(name: str) -> None:
    before, after = DATA / "trajectories/cline-session.messages.json", DATA / f"trajectories/cline-{name}.compaction.json"
    (found,) = told("audit", before, after)["compactions"]
    assert found["counts"]["rules"] == found["counts"]["rules_kept"] >= 3
    assert found["counts"]["tokens_after"] < found["counts"]["tokens_before"] / 5


@data
@pytest.mark.parametrize("name", REAL)
def test_rules_survive_in_real_transcripts(name: str) -> None:
    found = told("rounds", DATA / "trajectories" / name, "-n", 2)
    assert found["standfast"]["alive"] == [1.0, 1.0]
    # what stands in the system prompt is lost in no way; what was only said is
    assert found["usual"]["alive"][-1] < 1


@data
def test_real_documents_are_checked_and_triaged() -> None:
    documents = sorted((DATA / "configs").glob("*.md"))
    assert len(documents) > 50
    found = told("triage", *documents)
    assert sum(document["counts"]["constraint"] for document in found) > 100
    for document in documents[:12]:
        result = CliRunner().invoke(app, ["check", str(document), "--json"])
        assert result.exit_code in (0, 1, 2), result.output
        assert result.exit_code != 2 or "holds no rule" in result.stderr


# Files that are nearly right.

ODD: list[Any] = [None, 5, -1, True, "x", [], {}, [None], {"text": None}, [{"type": "text"}], ["a", 5], {"a": {"b": []}}, "\ud800"]


def mutated(value: Any, choose: random.Random) -> Any:
    """A copy with one to five values gone or replaced by something odd."""
    copied = json.loads(json.dumps(value))
    for _ in range(choose.choice([1, 1, 2, 5])):
        places = list(holders(copied))
        if not places:
            break
        holder, key = choose.choice(places)
        if isinstance(holder, dict) and choose.random() < 0.2:
            holder.pop(key, None)
        else:
            holder[key] = json.loads(json.dumps(choose.choice(ODD)))
    return copied


def holders(value: Any) -> Iterator[tuple[Any, Any]]:
    for key in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from holders(value[key])


@pytest.mark.parametrize("seed", range(3))
def test_a_file_that_is_nearly_right_is_read_or_told(tmp_path: Path, seed: int) -> None:
    choose = random.Random(seed)
    import standfast as sf

    report = sf.audit_compaction(files.CHAT, "Summary.").to_wire()
    history = {
        "schema_version": 1,
        "runs": [{"at": "x", "tests": {"t": {"outcome": "passed", "results": [], "regressions": [["a", 1, 0.5]]}}}],
    }
    summary = {"role": "user", "content": "S", "isCompactSummary": True}
    kinds: list[tuple[Any, list[str]]] = [
        (files.claude(), ["audit"]),
        (files.codex(), ["audit"]),
        ([*files.CHAT, summary], ["audit"]),
        (files.CHAT, ["rounds", "-n", "1"]),
        (report, ["case", "add", "--cases", str(tmp_path / "cases.yaml")]),
        (history, ["report"]),
    ]
    for _ in range(60):
        value, command = choose.choice(kinds)
        given = mutated(value, choose)
        path = tmp_path / "given.json"
        text = "\n".join(map(json.dumps, given)) if command == ["audit"] and isinstance(given, list) else json.dumps(given)
        result = CliRunner().invoke(app, [*command, str(written(path, text))])
        assert isinstance(result.exception, SystemExit | type(None)), (command, text, result.exception)
        assert result.exit_code in (0, 1, 2)


@pytest.mark.parametrize(
    ("name", "text"), [("before.json", ""), ("before.txt", " \n"), ("before.json", "null"), ("before.json", "[[[["), ("b.jsonl", '{"ro')]
)
def test_an_audit_of_nothing_is_no_success(tmp_path: Path, name: str, text: str) -> None:
    """A file that was cut off, or never written, must not pass in CI as one without a rule."""
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    after = written(tmp_path / "after.txt", "Work went on.")
    assert str(path) in run("audit", path, after, code=2).stderr.replace("\n", "")


def test_a_compaction_that_left_nothing_lost_the_rules(tmp_path: Path) -> None:
    before = written(tmp_path / "before.json", [{"role": "user", "content": "Never push to main."}])
    assert "dropped" in run("audit", before, written(tmp_path / "after.txt", ""), code=1).stdout
