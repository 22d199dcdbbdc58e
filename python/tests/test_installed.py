"""What the distribution installs: extras that bring nothing else, and no import that nobody asked for."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from importlib import metadata, util
from pathlib import Path

import pytest

EXTRAS = {
    "langchain": {"langchain", "langgraph"},
    "openai-agents": {"openai-agents"},
    "pydantic-ai": {"pydantic-ai-slim"},
    "store": {"langgraph-checkpoint"},
    "otel": {"opentelemetry-api"},
    "cli": {"typer", "rich", "pyyaml"},
    "report": {"jinja2", "matplotlib"},
    "testing": {"pytest", "pyyaml"},
    "smollm2": {"xllamacpp"},
}


def required() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in metadata.requires("standfast") or ():
        name = re.split(r"[\s\[<>=!~;]", line, maxsplit=1)[0].lower()
        extra = re.search(r"extra == ['\"]([\w-]+)['\"]", line)
        found.setdefault(extra[1] if extra else "", set()).add(name)
    return found


def test_the_package_alone_needs_nothing() -> None:
    assert "" not in required()


@pytest.mark.parametrize("extra", EXTRAS)
def test_an_extra_installs_what_it_needs_and_nothing_else(extra: str) -> None:
    assert required()[extra] == EXTRAS[extra]


@pytest.mark.parametrize("module", ["standfast", "standfast.testing", "standfast.otel", "standfast.cli", "standfast_pytest"])
def test_a_module_imports_no_extra_until_it_is_used(module: str) -> None:
    extras = "langchain langchain_core langgraph agents pydantic_ai opentelemetry typer rich yaml jinja2 matplotlib"
    code = f"import sys, {module}; print([name for name in {extras.split()} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def test_every_name_of_the_package_is_there_when_it_is_asked_for() -> None:
    """Names that are loaded late are listed twice, for type checkers and for Python."""
    code = "import standfast as s; gone = [n for n in s.__all__ if n not in dir(s) or getattr(s, n, None) is None]; assert not gone, gone"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_every_field_of_a_record_and_of_the_policy_says_what_it_is() -> None:
    bare = []
    for module in ("audit_records", "knowledge", "policy", "records", "task", "triaging"):
        spec = util.find_spec(f"standfast.{module}")
        assert spec is not None
        assert spec.origin is not None
        for kind in ast.walk(ast.parse(Path(spec.origin).read_text(encoding="utf-8"))):
            if not isinstance(kind, ast.ClassDef):
                continue
            for at, line in enumerate(kind.body):
                if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and not line.target.id.startswith("_"):
                    said = kind.body[at + 1] if at + 1 < len(kind.body) else None
                    if not (isinstance(said, ast.Expr) and isinstance(said.value, ast.Constant) and isinstance(said.value.value, str)):
                        bare.append(f"{module}.{kind.name}.{line.target.id}")
    assert bare == []
