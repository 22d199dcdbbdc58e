"""The pytest plugin of `standfast.testing`. It comes with the package and imports nothing of it until a test uses it.

Fixtures: `standfast_structure` (rounds 1, 5 and yours, at the quality fractions .50, .60 and .65), `standfast_scenario` (the shipped
scenarios, or yours), `standfast_cases` (facts from your YAML files), `standfast_model` (scripted, or a live one by option) and
`standfast_recorded` (tools recorded once and replayed).

Markers: `structural` needs no model and no network. `behavioural` runs again when the fingerprint of prompt, policy and model has
changed since it last passed: `@pytest.mark.behavioural(files=["prompts/*.md", "policy.json"], model="gpt-5-mini")`.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from standfast.testing import RetentionCase


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options, all off unless given."""
    group = parser.getgroup("standfast", "rules and facts through compaction")
    group.addoption("--standfast-baseline", metavar="FILE", help="fail where a figure is below that of the last run in this history")
    group.addoption("--standfast-history", metavar="FILE", help="add this run's figures to a JSON file")
    group.addoption("--standfast-summary", metavar="FILE", help="append a summary in Markdown, for pull requests")
    group.addoption("--standfast-report", metavar="FILE", help="write one self-contained HTML page (extra `report`)")
    group.addoption("--standfast-live", metavar="MODEL", help="a live model: a LangChain name, or `module:function`")
    group.addoption("--standfast-record", action="store_true", help="call the recorded tools themselves, and record them")
    group.addoption("--standfast-behavioural", choices=["changed", "always", "never"], default="changed", help="which of them run")
    parser.addini("standfast_rounds", "numbers of rounds beside 1 and 5", type="args", default=[])
    parser.addini("standfast_scenarios", "YAML files of scenarios, instead of the shipped ones", type="paths", default=[])
    parser.addini("standfast_cases", "YAML files of facts", type="paths", default=[])


def pytest_configure(config: pytest.Config) -> None:
    """Markers, and the collecting part where something has to be collected."""
    config.addinivalue_line("markers", "structural: needs no model and no network")
    config.addinivalue_line("markers", "behavioural(files=[], prompt=None, policy=None, model=None): runs when these have changed")
    config.pluginmanager.register(_Lazy(config), "standfast-lazy")


class _Lazy:
    """Passes on to the collecting part once there is something of ours."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._collecting: Any = None
        if any(config.getoption(f"standfast_{name}") for name in ("baseline", "history", "summary", "report")):
            self._get()

    def _get(self) -> Any:
        if self._collecting is None:
            from standfast_pytest.collecting import Collecting

            self._collecting = Collecting(self._config)
        return self._collecting

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Leaves out what need not run again."""
        if item.get_closest_marker("behavioural") is not None:
            self._get().setup(item)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        """Takes what a test measured, and holds it against the baseline."""
        import sys

        known = "standfast.testing.results" in sys.modules
        if known:
            self._get().begin()
        try:
            yield
        except BaseException:
            if "standfast.testing.results" in sys.modules:
                self._get().end(item, failed=True)
            raise
        if "standfast.testing.results" in sys.modules:
            self._get().end(item, failed=False)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Collects figures, from other processes too."""
        if any(name == "standfast" for name, _ in report.user_properties) or self._collecting is not None:
            self._get().report(report)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Tells and writes what was measured."""
        if self._collecting is not None:
            self._collecting.finish(terminalreporter)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each setting and each scenario."""
    if "standfast_structure" in metafunc.fixturenames:
        from standfast_pytest import collecting

        found = collecting.structures(metafunc.config)
        metafunc.parametrize("standfast_structure", found, ids=[one.name for one in found])
    if "standfast_scenario" in metafunc.fixturenames:
        from standfast_pytest import collecting

        scenarios = collecting.scenarios_of(metafunc.config)
        metafunc.parametrize("standfast_scenario", scenarios, ids=[one.name for one in scenarios])


@pytest.fixture
def standfast_cases(request: pytest.FixtureRequest) -> list[RetentionCase]:
    """The facts of the files named by `standfast_cases` in the configuration; without any, the shipped ones."""
    from standfast_pytest import collecting

    return collecting.cases_of(request.config)


@pytest.fixture
def standfast_model(request: pytest.FixtureRequest) -> Any:
    """The model of an agent under test: scripted, or what `--standfast-live` names."""
    from standfast_pytest import collecting

    return collecting.model_of(request.config)


@pytest.fixture
def standfast_recorded(request: pytest.FixtureRequest) -> Any:
    """Makes tools that are recorded with `--standfast-record` and replayed else: `standfast_recorded(path, tools)`."""
    from standfast.testing import Recorded

    record = bool(request.config.getoption("standfast_record"))
    return lambda path, tools: Recorded(path, tools, record=record).all()
