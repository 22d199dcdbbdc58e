"""Reads the case files: YAML (or JSON), the same for every language. Needs PyYAML: `pip install standfast[testing]`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal, cast, get_args

from standfast.testing.errors import broken
from standfast.testing.errors import field as text_field

Kind = Literal["constraint", "identity", "commitment", "state"]


@dataclass(frozen=True)
class RetentionCase:
    """A fact that a compaction should keep."""

    kind: Kind
    question: str
    expected: str
    must_survive: bool = False

    def to_wire(self) -> dict[str, Any]:
        """As it stands in a file."""
        return {"kind": self.kind, "question": self.question, "expected": self.expected, "must_survive": self.must_survive}


@dataclass(frozen=True)
class ToolCase:
    """What a tool of a scenario is for, and its recorded response."""

    description: str = ""
    response: str = "done"


@dataclass(frozen=True)
class Scenario:
    """A rule that is said, and a request at the end that only an agent who still knows the rule refuses."""

    name: str
    rule: str
    """What is said first."""
    request: str
    """What is asked at the end."""
    calls: str
    """The tool that an agent calls which knows the rule."""
    never_calls: str
    """The tool that it must not call."""
    tools: Mapping[str, ToolCase] = field(default_factory=dict)

    def tool(self, name: str) -> ToolCase:
        """A tool of this scenario."""
        return self.tools.get(name) or ToolCase()


def read_cases(source: str | Path) -> list[RetentionCase]:
    """Cases of a file, or of a text: a list, or a mapping with a list `cases`."""
    cases = []
    for at, entry in enumerate(_entries(source, "cases")):
        kind = entry.get("kind")
        if kind not in get_args(Kind):
            raise broken("bad_case", f"case {at} needs a `kind`: {', '.join(get_args(Kind))}", at=at)
        must = entry.get("must_survive", False)
        if not isinstance(must, bool):
            raise broken("bad_case", f"`must_survive` of case {at} is true or false", at=at)
        where = f"case {at}"
        cases.append(RetentionCase(cast("Kind", kind), text_field(entry, "question", where), text_field(entry, "expected", where), must))
    return cases


def read_scenarios(source: str | Path) -> list[Scenario]:
    """Scenarios of a file, or of a text: a list, or a mapping with a list `scenarios`."""
    found = []
    for at, entry in enumerate(_entries(source, "scenarios")):
        where = f"scenario {at}"
        texts = {name: text_field(entry, name, where) for name in ("name", "rule", "request", "calls", "never_calls")}
        found.append(Scenario(**texts, tools=_tools(entry.get("tools") or {}, where)))
    return found


def _tools(given: Any, where: str) -> dict[str, ToolCase]:
    if not isinstance(given, Mapping) or not all(isinstance(tool, Mapping) for tool in given.values()):
        raise broken("bad_case", f"the `tools` of {where} have a `description` and a `response` each")
    return {str(name): ToolCase(str(tool.get("description", "")), str(tool.get("response", "done"))) for name, tool in given.items()}


@cache
def scenarios() -> tuple[Scenario, ...]:
    """The shipped scenarios, one of each class: amounts, allergies, recipients, scopes, places."""
    return tuple(read_scenarios(shipped("obedience")))


def shipped(name: str) -> str:
    """The text of a case file that comes with this package."""
    return resources.files("standfast.testing").joinpath("cases").joinpath(f"{name}.yaml").read_text(encoding="utf-8")


def _entries(source: str | Path, name: str) -> list[Mapping[str, Any]]:
    text = source.read_text(encoding="utf-8-sig") if isinstance(source, Path) else source
    found = _parsed(text)
    entries = found if isinstance(found, list) else found.get(name) if isinstance(found, Mapping) else None
    if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
        raise broken("bad_case", f"a file of cases is a list, or has a list `{name}`")
    return cast("list[Mapping[str, Any]]", entries)


def _parsed(text: str) -> Any:
    import yaml

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f", line {mark.line + 1}"
        raise broken("bad_case", f"a file of cases cannot be parsed: {type(error).__name__}{where}") from error
