"""The README's Python is run as it stands, and its error table is whole."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import standfast as sf

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def test_python_blocks_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "AGENTS.md").write_text("# Rules\n\n- Never push to main without a review.\n", encoding="utf-8")
    found = blocks("python")
    assert found
    for block in found:
        if sys.version_info < (3, 11) and "pydantic_ai" in block:
            continue  # the pydantic-ai that it needs is for Python 3.11 and later
        exec(compile(block, "README.md", "exec"), agent_names(block))


def agent_names(block: str) -> dict[str, Any]:
    """What the blocks about agents take for granted: a model and its tools."""
    if "from agents import" in block:
        from agents.testing import ScriptedModel, assistant_message

        return {"model": ScriptedModel([[assistant_message("Noted.")]])}
    if "from pydantic_ai import" in block:
        from pydantic_ai.models.test import TestModel

        return {"model": TestModel()}
    if "create_agent" not in block:
        return {}
    from langchain_core.language_models import FakeListChatModel

    return {"model": FakeListChatModel(responses=["Noted."], profile={"max_input_tokens": 200_000}), "tools": []}


def test_the_commands_run(tmp_path: Path) -> None:
    rule = "Never delete rows of the billing table without the consent of Olga Brandt."
    before = [{"role": "user", "content": rule}, {"role": "assistant", "content": "Understood."}]
    session = [*before, {"role": "user", "content": "Summary: rows were counted.", "isCompactSummary": True}]
    result = {
        "kind": "survival",
        "name": "rules",
        "passed": True,
        "rates": {"alive": [1.0]},
        "cliff": None,
        "token_ratio": 0.2,
        "details": {},
    }
    tests = {"test_one": {"outcome": "passed", "results": [result], "regressions": []}}
    files = {
        "before.json": before,
        "after.json": session[-1:],
        "session.jsonl": session,
        "chat.json": before * 20,
        "receipt.json": {"outcome": "invariant_lost", "findings": []},
        "history.json": {"schema_version": 1, "runs": [{"at": "2026-01-01", "tests": tests}]},
    }
    for name, value in files.items():
        (tmp_path / name).write_text(json.dumps(value), encoding="utf-8")
    (tmp_path / "rules.txt").write_text(rule + "\n", encoding="utf-8")
    (tmp_path / "AGENTS.md").write_text(f"# Rules\n\n- {rule}\n", encoding="utf-8")
    commands = [line for block in blocks("sh") for line in block.splitlines()]
    assert len(commands) >= 9
    for command in commands:
        name, *arguments = shlex.split(command)
        program = [sys.executable] if name == "python" else [sys.executable, "-c", "from standfast.cli import main; main()"]
        assert name in ("python", "standfast")
        done = subprocess.run([*program, *arguments], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", timeout=60)
        loses = "audit" in command
        assert done.returncode == int(loses), (command, done.stdout, done.stderr)
        assert not loses or "dropped" in done.stdout


def test_every_error_code_is_in_the_table() -> None:
    rows = set(re.findall(r"^\| `(\w+)` \|", README.split("## Errors")[1], re.MULTILINE))
    assert rows == set(sf.ERROR_CODES)
