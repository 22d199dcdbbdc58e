"""The examples of `python/examples`, run: a Dask job on two processes, and two workers on one PostgreSQL."""

from __future__ import annotations

import json
import select
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import postgres_server
import pytest
import session_files

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
pytestmark = pytest.mark.skipif(not EXAMPLES.exists(), reason="the examples are not part of this installation")


def test_an_audit_of_many_sessions_as_a_dask_job(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed: pip install distributed")
    sessions = {"claude.jsonl": session_files.claude(), "codex.jsonl": session_files.codex(), "plain.json": session_files.CHAT}
    for at in range(3):
        for name, records in sessions.items():
            text = "\n".join(map(json.dumps, records)) if name.endswith("l") else json.dumps(records)
            (tmp_path / f"{at}-{name}").write_text(text, encoding="utf-8")
    (tmp_path / "broken.json").write_bytes(b"\xff")
    command = [sys.executable, str(EXAMPLES / "dask_audit.py"), str(tmp_path), "--workers", "2"]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", timeout=240)
    assert done.returncode == 1, done.stderr
    results = {Path(one["file"]).name: one for one in map(json.loads, done.stdout.splitlines())}
    assert len(results) == 10
    assert results["broken.json"]["error"] == "UnicodeDecodeError"
    assert results["0-claude.jsonl"]["fates"] == {"preserved": 2, "dropped": 1}
    assert {key: value for key, value in results["1-claude.jsonl"].items() if key != "file"} == {
        key: value for key, value in results["2-claude.jsonl"].items() if key != "file"
    }
    assert results["0-plain.json"]["compactions"] == 0
    assert "10 files, 12 compactions" in done.stderr


WORKER = """
import json, sys
from contextlib import nullcontext
sys.path[:0] = {paths!r}
import langgraph_postgres as example
import standfast as sf
from agents_fakes import Destructive, Model, ask, faults, get_batch

url, threads, start, orderly = sys.argv[1], sys.argv[2].split(","), int(sys.argv[3]), sys.argv[4] == "orderly"
summarizer = Destructive()
model = Model()
example.prepare(url)
with example.agent(url, model, [get_batch], summarizer=summarizer, window_tokens=12_000) as (agent, middleware):
    print("ready", flush=True)
    sys.stdin.readline()
    for turn in range(start, start + 9):
        for thread in threads:
            with example.turn(url, thread) if orderly else nullcontext():
                agent.invoke(ask(f"{{turn}} of {{thread}}"), {{"configurable": {{"thread_id": thread}}}})
    told = {{}}
    for thread in threads:
        config = {{"configurable": {{"thread_id": thread}}}}
        with middleware.session(agent, config) as guard:
            told[thread] = {{
                "rules": [rule.text for rule in guard.rules],
                "segments": len(guard.segments),
                "pinned": guard.window().pinned,
                "humans": [m.content for m in agent.get_state(config).values["messages"] if m.type == "human"],
            }}
wrong = [fault for request in model.seen for fault in faults(request, example.RULES)]
print(json.dumps({{"told": told, "paid": len(summarizer.asked), "asked": summarizer.asked, "wrong": wrong, "calls": len(model.seen)}}))
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    if postgres_server.binaries() is None:
        pytest.skip("no PostgreSQL server on this machine: apt-get install postgresql")
    with postgres_server.server() as address:
        yield address


def worker(url: str, threads: list[str], start: int, how: str = "orderly") -> subprocess.Popen[str]:
    code = WORKER.format(paths=[str(EXAMPLES), str(Path(__file__).parent)])
    command = [sys.executable, "-W", "ignore", "-c", code, url, ",".join(threads), str(start), how]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(*processes: subprocess.Popen[str]) -> list[Any]:
    """What each worker told. They begin together, as soon as all are ready; whatever happens, none is left behind."""
    try:
        for process in processes:
            assert process.stdout is not None
            ready, _, _ = select.select([process.stdout], [], [], 240)
            if not ready or process.stdout.readline() != "ready\n":
                process.kill()
                pytest.fail(process.communicate(timeout=60)[1])
        done = []
        for process in processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        for process in processes:
            out, err = process.communicate(timeout=240)
            assert process.returncode == 0, err
            done.append(json.loads(out))
        return done
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()
                process.communicate(timeout=60)


@pytest.fixture(scope="module")
def rules() -> list[str]:
    sys.path.insert(0, str(EXAMPLES))
    try:
        import langgraph_postgres
    finally:
        sys.path.remove(str(EXAMPLES))
    return langgraph_postgres.RULES


def humans(turns: Iterable[int], name: str) -> list[str]:
    return [f"Look at batch {turn} of {name}." for turn in turns]


def test_a_thread_goes_on_in_another_process(url: str, rules: list[str]) -> None:
    (first,) = ended(worker(url, ["a", "b"], 0))
    (second,) = ended(worker(url, ["a", "b"], 9))
    for worked in (first, second):
        assert worked["paid"]
        assert worked["wrong"] == []
    assert not set(first["asked"]) & set(second["asked"])
    for thread in ("a", "b"):
        before, after = first["told"][thread], second["told"][thread]
        assert after["humans"] == humans(range(18), thread)
        assert before["rules"] == after["rules"] == rules
        assert before["pinned"] == after["pinned"]
        assert after["segments"] > before["segments"] >= 1


def test_two_workers_at_once_on_threads_of_their_own(url: str) -> None:
    for thread, worked in zip("cd", ended(worker(url, ["c"], 0), worker(url, ["d"], 0))):
        assert worked["told"][thread]["humans"] == humans(range(9), thread)
        assert worked["wrong"] == []


def test_two_workers_at_once_on_one_thread_lose_nothing_and_pay_once(url: str, rules: list[str]) -> None:
    together = ended(worker(url, ["e"], 0), worker(url, ["e"], 100))
    assert [worked["wrong"] for worked in together] == [[], []]
    assert [worked["calls"] for worked in together] == [18, 18]
    asked = [prompt for worked in together for prompt in worked["asked"]]
    assert len(asked) == len(set(asked)) > 0
    (after,) = ended(worker(url, ["e"], 200))
    told = after["told"]["e"]
    assert told["rules"] == rules
    assert sorted(told["humans"]) == sorted(humans([*range(9), *range(100, 109), *range(200, 209)], "e"))


def test_two_workers_at_once_on_one_thread_that_do_not_wait_for_each_other(url: str, rules: list[str]) -> None:
    """The checkpointer keeps the last word, and a turn that begins in the midst of another finds calls without results: that is in the
    state itself. The rules stand in every request all the same, and nothing is paid twice."""
    together = ended(worker(url, ["f"], 0, "at once"), worker(url, ["f"], 100, "at once"))
    asked = [prompt for worked in together for prompt in worked["asked"]]
    assert len(asked) == len(set(asked)) > 0
    (after,) = ended(worker(url, ["f"], 200))
    assert after["told"]["f"]["rules"] == rules
    for worked in (*together, after):
        assert worked["calls"]
        assert [fault for fault in worked["wrong"] if fault.startswith("rule")] == []


def test_eight_workers_that_are_new_at_once_make_the_tables(rules: list[str]) -> None:
    if postgres_server.binaries() is None:
        pytest.skip("no PostgreSQL server on this machine: apt-get install postgresql")
    with postgres_server.server() as url:
        path = f"import sys; sys.path.insert(0, {str(EXAMPLES)!r})"
        code = f"{path}; import langgraph_postgres as example; sys.stdin.readline(); example.prepare({url!r})"
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        processes = [subprocess.Popen([sys.executable, "-W", "ignore", "-c", code], **pipes) for _ in range(8)]
        done = [process.communicate("go\n", timeout=240) for process in processes]
        assert [process.returncode for process in processes] == [0] * 8, done
