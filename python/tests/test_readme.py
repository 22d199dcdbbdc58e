"""The README's Python is run as it stands, and its error table is whole."""

import json
import re
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
        exec(compile(block, "README.md", "exec"), agent_names() if "create_agent" in block else {})


def agent_names() -> dict[str, Any]:
    """What the blocks about agents take for granted: a model and its tools."""
    from langchain_core.language_models import FakeListChatModel

    return {"model": FakeListChatModel(responses=["Noted."], profile={"max_input_tokens": 200_000}), "tools": []}


def test_the_command_line_runs(tmp_path: Path) -> None:
    (command,) = blocks("sh")
    before = [{"role": "user", "content": "Never delete rows of the billing table without the consent of Olga Brandt."}]
    (tmp_path / "before.json").write_text(json.dumps(before), encoding="utf-8")
    (tmp_path / "after.json").write_text(json.dumps([{"role": "user", "content": "Summary: rows were counted."}]), encoding="utf-8")
    (tmp_path / "rules.txt").write_text(before[0]["content"] + "\n", encoding="utf-8")
    name, *arguments = command.split()
    assert name == "python"
    done = subprocess.run([sys.executable, *arguments], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", timeout=60)
    assert done.returncode == 1, done.stderr
    assert "dropped" in done.stdout


def test_every_error_code_is_in_the_table() -> None:
    rows = set(re.findall(r"^\| `(\w+)` \|", README.split("## Errors")[1], re.MULTILINE))
    assert rows == set(sf.ERROR_CODES)
