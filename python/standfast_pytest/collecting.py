"""What the plugin does once something of ours is used: figures, baseline, fingerprints, and what is written at the end."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from standfast.testing import RetentionCase, Scenario, Structure, obedient, read_cases, read_scenarios, scenarios, shipped
from standfast.testing.history import History, regressions
from standfast.testing.results import taken
from standfast.testing.structure import QUALITIES, ROUNDS
from standfast_pytest.fingerprints import Fingerprints

PROPERTY = "standfast"


class Collecting:
    """The figures of one run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._baseline = _read(config, "standfast_baseline")
        if self._baseline is not None and not self._baseline.runs:
            raise pytest.UsageError(f"--standfast-baseline: {config.getoption('standfast_baseline')} has no run")
        self._fingerprints = Fingerprints(config)
        self._tests: dict[str, dict[str, Any]] = {}
        self._passed: dict[str, str] = {}

    def setup(self, item: pytest.Item) -> None:
        """Skips a behavioural test whose prompt, policy and model are those it last passed with."""
        mode = self._config.getoption("standfast_behavioural")
        if mode == "never":
            pytest.skip("behavioural tests are off")
        fingerprint = self._fingerprints.of(item)
        if mode == "changed" and self._fingerprints.known(item) == fingerprint:
            pytest.skip("prompt, policy and model are those this test passed with")
        item.user_properties.append(("standfast.fingerprint", fingerprint))

    def begin(self) -> None:
        """What fixtures measured belongs to nobody."""
        taken()

    def end(self, item: pytest.Item, *, failed: bool) -> None:
        """Keeps a test's figures with the test, and fails it where one is worse than before."""
        results = taken()
        if not results:
            return
        metrics = {name: value for result in results for name, value in result.metrics().items()}
        item.user_properties += [(f"standfast.{name}", value) for name, value in metrics.items()]
        item.user_properties.append((PROPERTY, json.dumps([result.to_wire() for result in results], ensure_ascii=False)))
        known = self._baseline.metrics(item.nodeid) if self._baseline is not None else {}
        worse = regressions(known, metrics)
        if worse and not failed:
            item.user_properties.append(("standfast.regressions", json.dumps(worse)))
            told = ", ".join(f"{name}: {was} -> {now}" for name, was, now in worse)
            pytest.fail(f"worse than the baseline: {told}", pytrace=False)

    def report(self, report: pytest.TestReport) -> None:
        """Takes a test's figures from its report, whichever process it ran in."""
        properties = dict(report.user_properties)
        if report.when == "call" and PROPERTY in properties:
            self._tests[report.nodeid] = {
                "outcome": report.outcome,
                "results": json.loads(str(properties[PROPERTY])),
                "regressions": json.loads(str(properties.get("standfast.regressions", "[]"))),
            }
        if report.when == "call" and report.passed and "standfast.fingerprint" in properties:
            self._passed[report.nodeid] = str(properties["standfast.fingerprint"])

    def finish(self, terminal: Any) -> None:
        """Writes what was asked for. In a worker of a distributed run there is nothing to write."""
        if hasattr(self._config, "workerinput"):
            return
        self._fingerprints.keep(self._passed)
        run = {"at": datetime.now(timezone.utc).isoformat(timespec="seconds"), "tests": self._tests}
        path = self._config.getoption("standfast_history")
        history = _read(self._config, "standfast_history") or History()
        history = history.with_run(run)
        if path:
            history.write(Path(path))
        self._summary(history)
        report = self._config.getoption("standfast_report")
        if report:
            from standfast.testing.page import write_page

            write_page(Path(report), history)
            terminal.write_line(f"standfast: {report}")

    def _summary(self, history: History) -> None:
        path = self._config.getoption("standfast_summary")
        if path:
            from standfast.testing.summary import markdown

            with Path(path).open("a", encoding="utf-8") as file:
                file.write(markdown(history))


def _read(config: pytest.Config, option: str) -> History | None:
    path = config.getoption(option)
    if not path:
        return None
    if option == "standfast_history" and not Path(path).exists():
        return None
    try:
        return History.read(Path(path))
    except (OSError, ValueError) as error:
        raise pytest.UsageError(f"--{option.replace('_', '-')}: {error}") from error


def structures(config: pytest.Config) -> list[Structure]:
    """Every setting: 1, 5 and the configuration's numbers of rounds, at each quality fraction."""
    try:
        own = [int(number) for number in config.getini("standfast_rounds")]
    except ValueError as error:
        raise pytest.UsageError(f"standfast_rounds: {error}") from error
    rounds = list(dict.fromkeys([*ROUNDS, *own]))
    return [Structure(number, quality) for number in rounds for quality in QUALITIES]


def scenarios_of(config: pytest.Config) -> Sequence[Scenario]:
    """The configuration's scenarios, else the shipped ones."""
    return _all(config.getini("standfast_scenarios"), read_scenarios) or scenarios()


def cases_of(config: pytest.Config) -> list[RetentionCase]:
    """The configuration's facts, else the shipped ones."""
    return _all(config.getini("standfast_cases"), read_cases) or read_cases(shipped("retention"))


def _all(paths: Sequence[Path], read: Callable[[Path], list[Any]]) -> list[Any]:
    return [one for path in paths for one in read(Path(path))]


def model_of(config: pytest.Config) -> Any:
    """The model of an agent under test."""
    name = config.getoption("standfast_live")
    known = scenarios_of(config)
    if not name:
        return obedient(known)
    module, colon, attribute = str(name).partition(":")
    try:
        found = importlib.import_module(module) if colon else None
    except ImportError:
        found = None
    if found is not None and hasattr(found, attribute):
        return getattr(found, attribute)
    from standfast.testing.langchain import live_model

    return live_model(str(name), known)
