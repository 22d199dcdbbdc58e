"""The rules of an agent: a list, a file, or a function of the runtime, read anew at each load.

A text file has one rule a line; lines that begin with `#` are comments. A YAML or JSON file has a list, or a mapping with
`rules` or `constraints`. Of a Markdown file such as AGENTS.md all items below a heading about rules are taken, elsewhere what is a
rule by its words, whole sentences with their lead-in; where it has a fence named `constraints`, only the lines in there.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from standfast import _core
from standfast.guard import Guard

SOURCE = "standfast:rules"
"""Source in whose name the rules of `rules=` are declared."""
INHERITED = "standfast:inherited"
"""Source of the rules that a parent agent hands down."""

RulesOption = Sequence[str] | str | os.PathLike[str] | Callable[[Any], Sequence[str]]

_FENCE = re.compile(r"^```+[ \t]*constraints[ \t]*\n(.*?)^```+[ \t]*$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"^(```+|~~~+).*?^\1[ \t]*$", re.DOTALL | re.MULTILINE)
_OF_RULES = re.compile(
    r"\b(rules?|constraints?|guardrails?|invariants?|prohibit|forbidden|must|never|non-negotiable|do not|don't)", re.IGNORECASE
)
_BULLET = re.compile(r"^[ \t]*(?:[-*+]|[0-9]+[.)])[ \t]+")


class RuleSource:
    """What `rules=` was given, and the texts it stands for now."""

    def __init__(self, given: RulesOption | None) -> None:
        self._given = given
        self._read: tuple[tuple[int, int], tuple[str, ...]] | None = None
        if given is None or callable(given):
            return
        if isinstance(given, str | os.PathLike):
            self._file(Path(given))
        else:
            _checked(given)

    def texts(self, runtime: Any) -> tuple[str, ...]:
        """The rules at this moment."""
        given = self._given
        if given is None:
            return ()
        if isinstance(given, str | os.PathLike):
            return self._file(Path(given))
        return _checked(given(runtime) if callable(given) else given)

    def _file(self, path: Path) -> tuple[str, ...]:
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size)
            if self._read is None or self._read[0] != stamp:
                self._read = (stamp, rules_of(path.name, path.read_text(encoding="utf-8-sig")))
        except (OSError, UnicodeDecodeError) as error:
            raise _core.error_of("invalid_argument", f"the file of `rules` cannot be read: {type(error).__name__}") from error
        return self._read[1]


def _checked(texts: Any) -> tuple[str, ...]:
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise _core.error_of("invalid_argument", f"`rules` gave a value of type `{type(texts).__name__}`, not a list of texts")
    listed = tuple(texts)
    if not all(isinstance(text, str) for text in listed):
        raise _core.error_of("invalid_argument", "`rules` holds something that is no text")
    return listed


def rules_of(name: str, text: str) -> tuple[str, ...]:
    """The rules in a file of that name."""
    kind = name.lower().rpartition(".")[2]
    if kind in ("md", "markdown", "mdc", "mdx"):
        found = _markdown(text)
    elif kind in ("json", "yaml", "yml"):
        found = _data(text, kind)
    else:
        found = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if not found:
        raise _core.error_of(
            "invalid_argument",
            "the file of `rules` holds no rule: put them below a heading about rules, or into a fence named `constraints`",
        )
    return tuple(dict.fromkeys(found))


def _data(text: str, kind: str) -> list[str]:
    try:
        value = json.loads(text) if kind == "json" else _yaml(text)
    except (ValueError, RecursionError) as error:
        raise _core.error_of("invalid_argument", "the file of `rules` cannot be parsed") from error
    if isinstance(value, dict):
        value = value.get("rules", value.get("constraints"))
    return list(_checked(value))


def _yaml(text: str) -> Any:
    try:
        import yaml  # comes with LangChain
    except ImportError:
        raise _core.error_of("invalid_argument", "a YAML file of `rules` needs PyYAML") from None
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error


def _markdown(text: str) -> list[str]:
    if fences := _FENCE.findall(text):
        lines = (_BULLET.sub("", line).strip() for fence in fences for line in fence.splitlines())
        return [line for line in lines if line and not line.startswith("#")]
    found: list[str] = []
    for heading, body in _chapters(_CODE.sub("", text)):
        blocks = _blocks(body)
        found += _each(blocks) if _OF_RULES.search(heading) else _said(blocks)
    return found


def _chapters(text: str) -> list[tuple[str, str]]:
    """Headings with what stands below each, up to the next one."""
    parts = re.split(r"^[ \t]*#{1,6}[ \t]+(.*)$", text, flags=re.MULTILINE)
    return [("", parts[0]), *zip(parts[1::2], parts[2::2])]


def _blocks(text: str) -> list[str]:
    """Blocks between blank lines; a list stays with the line that leads it in."""
    blocks: list[str] = []
    for block in filter(str.strip, re.split(r"\n[ \t]*\n", text)):
        if blocks and blocks[-1].rstrip().endswith(":") and _BULLET.match(block):
            blocks[-1] = f"{blocks[-1].rstrip()}\n{block}"
        else:
            blocks.append(block)
    return [block.strip() for block in blocks]


def _each(blocks: list[str]) -> list[str]:
    """Every item of a chapter that is about rules. A list with its lead-in is one."""
    found: list[str] = []
    for block in blocks:
        if _BULLET.match(block):
            items = re.split(r"^(?=[-*+]|[0-9]+[.)])", block, flags=re.MULTILINE)
            found += [_BULLET.sub("", item).strip() for item in items if item.strip()]
        else:
            found.append(block)
    return found


def _said(blocks: list[str]) -> list[str]:
    """What would be a rule if a user said it: the engine finds whole sentences with their lead-in."""
    found: list[str] = []
    for block in blocks:
        reader = Guard(window_tokens=1_000_000, shape="openai", promoted_tokens=100_000)
        reader.sync([{"role": "user", "content": block}])
        found += [rule.text for rule in reader.rules]
    return found
