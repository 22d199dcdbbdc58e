"""Figures of many runs, one JSON file: what a baseline is taken from and what reports show over time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from math import isfinite
from pathlib import Path
from typing import Any, get_args

from standfast.testing.results import Kind, Result

SCHEMA_VERSION = 1
KEPT = 200
"""Runs that a file keeps."""


@dataclass(frozen=True)
class History:
    """The runs, the newest last. A run has `at` and `tests`: outcome, results and regressions by test."""

    runs: tuple[Mapping[str, Any], ...] = ()

    @classmethod
    def read(cls, path: Path) -> History:
        """Reads a file. ValueError where it is none of ours."""
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except RecursionError as error:
            raise ValueError(f"{path} cannot be parsed") from error
        if not isinstance(found, dict) or not isinstance(found.get("runs"), list) or not all(map(_is_run, found["runs"])):
            raise ValueError(f"{path} is no history of standfast")
        version = found.get("schema_version")
        if version != SCHEMA_VERSION:
            raise ValueError(f"{path} has schema version {version}, this is {SCHEMA_VERSION}")
        return cls(tuple(found["runs"]))

    def with_run(self, run: Mapping[str, Any]) -> History:
        """This history with one run more."""
        return History((*self.runs, run)[-KEPT:])

    def write(self, path: Path) -> None:
        """Writes the file."""
        text = json.dumps({"schema_version": SCHEMA_VERSION, "runs": list(self.runs)}, ensure_ascii=False, indent=1)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")

    def metrics(self, test: str) -> dict[str, float]:
        """A test's figures in the last run that has it."""
        for run in reversed(self.runs):
            if test in run["tests"]:
                return {name: value for result in results_of(run["tests"][test]) for name, value in result.metrics().items()}
        return {}


def _is_run(run: Any) -> bool:
    if not isinstance(run, dict) or not isinstance(run.get("tests"), dict) or not isinstance(run.get("at", ""), str):
        return False
    return all(_is_test(test) for test in run["tests"].values())


def _is_test(test: Any) -> bool:
    if not isinstance(test, dict) or not isinstance(test.get("outcome", ""), str):
        return False
    results, worse = test.get("results", []), test.get("regressions", [])
    return isinstance(results, list) and isinstance(worse, list) and all(map(_is_result, results)) and all(map(_is_regression, worse))


def _is_result(wire: Any) -> bool:
    if not isinstance(wire, dict) or set(wire) != {field.name for field in fields(Result)}:
        return False
    rates, details = wire["rates"], wire["details"]
    return (
        wire["kind"] in get_args(Kind)
        and isinstance(wire["name"], str)
        and isinstance(wire["passed"], bool)
        and isinstance(rates, dict)
        and all(isinstance(one, list) and all(map(_is_number, one)) for one in rates.values())
        and (wire["cliff"] is None or isinstance(wire["cliff"], int))
        and (wire["token_ratio"] is None or _is_number(wire["token_ratio"]))
        and isinstance(details, dict)
        and _is_lost(details.get("lost", {}))
        and _is_missed(details.get("missed", []))
    )


def _is_lost(lost: Any) -> bool:
    return isinstance(lost, dict) and all(isinstance(one, list) and all(isinstance(text, str) for text in one) for one in lost.values())


def _is_missed(missed: Any) -> bool:
    return isinstance(missed, list) and all(isinstance(one, dict) and {"depth", "question"} <= set(one) for one in missed)


def _is_regression(worse: Any) -> bool:
    return isinstance(worse, list) and len(worse) == 3 and isinstance(worse[0], str) and all(map(_is_number, worse[1:]))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def results_of(test: Mapping[str, Any]) -> Iterator[Result]:
    """The results of one test of a run."""
    for wire in test.get("results", ()):
        rates = {name: tuple(rates) for name, rates in wire["rates"].items()}
        yield Result(**{**wire, "rates": rates})


def regressions(known: Mapping[str, float], now: Mapping[str, float]) -> list[tuple[str, float, float]]:
    """The figures that are lower than they were; a figure that is not measured any more is none."""
    return [(name, was, now[name]) for name, was in known.items() if name in now and now[name] < was - 1e-9]
