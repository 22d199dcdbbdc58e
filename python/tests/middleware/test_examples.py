"""The examples of `python/examples`, run: a Dask job on two processes, and two workers on one PostgreSQL."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

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
sys.path[:0] = {paths!r}
import langgraph_postgres as example
import standfast as sf
from agents_fakes import Destructive, Model, ask, get_batch

url, threads, start = sys.argv[1], sys.argv[2].split(","), int(sys.argv[3])
summarizer = Destructive()
model = Model()
with example.agent(url, model, [get_batch], summarizer=summarizer, window_tokens=12_000) as (agent, middleware):
    for turn in range(start, start + 9):
        for thread in threads:
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
requests = [[message.text for message in request if message.type == "system"] for request in model.seen]
print(json.dumps({{"told": told, "paid": len(summarizer.asked), "asked": summarizer.asked, "system": requests}}))
"""


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    if postgres_server.binaries() is None:
        pytest.skip("no PostgreSQL server on this machine: apt-get install postgresql")
    with postgres_server.server() as address:
        yield address


def worker(url: str, threads: list[str], start: int) -> subprocess.Popen[str]:
    code = WORKER.format(paths=[str(EXAMPLES), str(Path(__file__).parent)])
    command = [sys.executable, "-W", "ignore", "-c", code, url, ",".join(threads), str(start)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> dict[str, object]:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return json.loads(out)  # type: ignore[no-any-return]


def test_two_workers_on_the_same_threads(url: str) -> None:
    sys.path.insert(0, str(EXAMPLES))
    try:
        import langgraph_postgres
    finally:
        sys.path.remove(str(EXAMPLES))
    langgraph_postgres.prepare(url)
    first = ended(worker(url, ["a", "b"], 0))
    second = ended(worker(url, ["a", "b"], 9))  # goes on where the other process stopped
    for worked in (first, second):
        assert worked["paid"]
        assert all(langgraph_postgres.RULES[0] in system[0] for system in worked["system"])  # type: ignore[union-attr]
    assert not set(first["asked"]) & set(second["asked"])  # type: ignore[call-overload]
    for thread in ("a", "b"):
        before, after = first["told"][thread], second["told"][thread]  # type: ignore[index]
        assert after["humans"] == [f"Look at batch {turn} of {thread}." for turn in range(18)]
        assert (before["rules"], before["pinned"]) == (after["rules"], after["pinned"])
        assert after["segments"] > before["segments"] >= 1

    together = [worker(url, ["c"], 0), worker(url, ["d"], 0)]  # two at once, each on a thread of its own
    results = [ended(process) for process in together]
    for thread, worked in zip("cd", results):
        assert [thread in human for human in worked["told"][thread]["humans"]] == [True] * 9  # type: ignore[index]
