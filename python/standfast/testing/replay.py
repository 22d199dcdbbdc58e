"""Responses of real tools, recorded once and replayed: a test of an agent needs no network."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from standfast.testing.errors import broken
from standfast.testing.requests import settled


class Recorded:
    """Tools whose responses lie in a JSON file, by tool and arguments.

        tools = Recorded("responses.json", {"get_order": get_order}, record=False)
        agent = function_agent(model, request, tools=tools.all())

    With `record=True` the tools themselves are called, and what they gave is written. Else a response that is not in the file
    raises `not_recorded`.
    """

    def __init__(self, path: str | Path, tools: Mapping[str, Callable[..., Any]], *, record: bool = False) -> None:
        self._path = Path(path)
        self._tools = dict(tools)
        self._record = record
        self._known: dict[str, str] = {}
        if self._path.exists():
            self._known = {str(key): str(value) for key, value in json.loads(self._path.read_text(encoding="utf-8")).items()}

    def all(self) -> dict[str, Callable[..., str]]:
        """Each tool as a function."""
        return {name: self.tool(name) for name in self._tools}

    def tool(self, name: str) -> Callable[..., str]:
        """One tool as a function."""

        def call(**arguments: Any) -> str:
            key = f"{name} {json.dumps(arguments, sort_keys=True, ensure_ascii=False, default=str)}"
            if self._record:
                self._known[key] = str(settled(self._tools[name](**arguments)))
                text = json.dumps(self._known, indent=1, sort_keys=True, ensure_ascii=False)
                self._path.write_text(text + "\n", encoding="utf-8")
            elif key not in self._known:
                raise broken("not_recorded", f"no response of `{name}` is recorded for these arguments", tool=name)
            return self._known[key]

        return call
