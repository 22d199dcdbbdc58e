"""`standfast thread`: what became of the rules of a thread that a LangGraph checkpointer keeps."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import postgres_server
import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from typer.testing import CliRunner, Result

from standfast import testing as t
from standfast.cli.app import app
from standfast.testing.langchain import ScriptedModel, scripted_model

RULE = "Never delete rows of the billing table without the consent of Olga Brandt."


def played(saver: Any, summary: str) -> None:
    """Two threads: one with LangChain's own summaries, one that never compacts."""
    model = ScriptedModel(answer=lambda request: t.Reply(summary))
    usual = SummarizationMiddleware(model=model, trigger=("messages", 10), keep=("messages", 3))
    for thread, middleware in (("usual", [usual]), ("whole", [])):
        agent = create_agent(scripted_model(), [], middleware=middleware, checkpointer=saver)
        config: Any = {"configurable": {"thread_id": thread}}
        agent.invoke({"messages": [HumanMessage(RULE)]}, config)
        for n in range(12):
            agent.invoke({"messages": [HumanMessage(f"What came in with delivery {n}?")]}, config)


@contextmanager
def database(kind: str, folder: Path) -> Iterator[tuple[str, Any]]:
    if kind == "sqlite":
        path = folder / "threads.db"
        with SqliteSaver.from_conn_string(str(path)) as saver:
            yield str(path), saver
        return
    if postgres_server.binaries() is None:
        pytest.skip("PostgreSQL is not installed")
    from langgraph.checkpoint.postgres import PostgresSaver

    with postgres_server.server() as url, PostgresSaver.from_conn_string(url) as saver:
        saver.setup()
        yield url, saver


def run(*arguments: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["thread", *arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_the_compactions_of_a_thread(kind: str, tmp_path: Path) -> None:
    with database(kind, tmp_path) as (url, saver):
        played(saver, "Deliveries came in.")
        found = json.loads(run(url, "--thread", "usual", "--json", code=1).stdout)
        assert found["kind"] == "thread"
        assert len(found["compactions"]) >= 2
        for compaction in found["compactions"]:
            assert [(fate["rule"], fate["kind"]) for fate in compaction["fates"]] == [(RULE, "dropped")]
        counts = found["compactions"][-1]["counts"]
        assert counts["messages_before"] > 20 > counts["messages_after"]  # all the originals, not the state before
        assert "never compacted in the state" in run(url, "--thread", "whole").stdout
        run(url, "--thread", "usual", "--fail-on", "weakened")
        assert "no thread" in run(url, "--thread", "nobody", code=2).stderr


def test_a_summary_that_keeps_the_rule_is_no_loss(tmp_path: Path) -> None:
    with database("sqlite", tmp_path) as (url, saver):
        played(saver, f"The user said: {RULE} Deliveries came in.")
        found = json.loads(run(f"sqlite:///{url}", "--thread", "usual", "--json").stdout)
        assert {fate["kind"] for one in found["compactions"] for fate in one["fates"]} == {"preserved"}


def test_the_database_is_only_read(tmp_path: Path) -> None:
    with database("sqlite", tmp_path) as (url, saver):
        played(saver, "x y z.")
    before = hashlib.sha256(Path(url).read_bytes()).hexdigest()
    run(url, "--thread", "whole")
    assert hashlib.sha256(Path(url).read_bytes()).hexdigest() == before
    empty = tmp_path / "empty.db"
    empty.write_bytes(b"")
    assert "cannot be read" in run(str(empty), "--thread", "x", code=2).stderr
    assert empty.read_bytes() == b""


@pytest.mark.parametrize("url", ["mysql://host/x", "none.db", "sqlite:///none.db", "postgresql://secret:word@127.0.0.1:1/x"])
def test_a_place_that_cannot_be_read_is_told_without_its_password(url: str) -> None:
    stderr = run(url, "--thread", "x", code=2).stderr
    assert stderr.startswith("standfast: ")
    assert "secret" not in stderr
    assert "word" not in stderr
