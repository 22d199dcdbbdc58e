"""Whether prompt, policy and model of a behavioural test are those it last passed with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

_KEY = "standfast/fingerprints"


class Fingerprints:
    """Fingerprints by test, kept in pytest's cache, which a CI job may restore."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        cache = getattr(config, "cache", None)
        self._known: dict[str, str] = dict(cache.get(_KEY, {})) if cache is not None else {}

    def known(self, item: pytest.Item) -> str | None:
        """With what a test last passed."""
        return self._known.get(item.nodeid)

    def of(self, item: pytest.Item) -> str:
        """What a test depends on: its marks' arguments and files, the live model, and the version of this package."""
        from standfast import __version__

        given: dict[str, Any] = {"version": __version__, "live": self._config.getoption("standfast_live")}
        files: dict[str, str] = {}
        for mark in item.iter_markers("behavioural"):
            for name in ("prompt", "policy", "model"):
                if name in mark.kwargs:
                    given.setdefault(name, []).append(_text(mark.kwargs[name]))
            for pattern in mark.kwargs.get("files", ()):
                files |= self._files(str(pattern))
        text = json.dumps([given, sorted(files.items())], sort_keys=True, ensure_ascii=False)
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def _files(self, pattern: str) -> Mapping[str, str]:
        root = self._config.rootpath
        found = sorted(path for path in root.glob(pattern) if path.is_file())
        if not found:
            raise pytest.UsageError(f"behavioural: no file matches `{pattern}` below {root}")
        return {path.relative_to(root).as_posix(): _digest(path) for path in found}

    def keep(self, passed: Mapping[str, str]) -> None:
        """Notes the tests that passed."""
        cache = getattr(self._config, "cache", None)
        if passed and cache is not None:
            cache.set(_KEY, {**self._known, **passed})


def _text(value: Any) -> str:
    to_wire = getattr(value, "to_wire", None)
    return json.dumps(to_wire() if callable(to_wire) else value, sort_keys=True, ensure_ascii=False, default=str)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
