"""A run in Markdown, for the comment of a pull request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from standfast.testing.history import History, results_of
from standfast.testing.results import Result, share

TITLES = {
    "survival": "Rules, round by round",
    "retention": "Facts, depth by depth",
    "obedience": "Obedience after a compaction",
    "amplification": "Injections",
    "structure": "Structure",
}


def markdown(history: History) -> str:
    """The last run."""
    run = history.runs[-1] if history.runs else {"tests": {}}
    return "\n".join(_lines(run)) + "\n"


def _lines(run: Mapping[str, Any]) -> Iterator[str]:
    rows = [(test, result) for test, found in run["tests"].items() for result in results_of(found)]
    passed = sum(result.passed for _, result in rows)
    yield "## standfast"
    yield ""
    yield f"{passed} of {len(rows)} checks passed." if rows else "Nothing was measured."
    for test, found in run["tests"].items():
        for name, was, now in found.get("regressions", ()):
            yield f"- **worse than the baseline**: `{_plain(test)}` {_plain(name)}: {was:.0%} → {now:.0%}"
    for kind, title in TITLES.items():
        of_kind = [result for _, result in rows if result.kind == kind]
        if of_kind:
            yield from ("", f"### {title}", "")
            yield from _table(of_kind)
    yield ""


def _table(results: list[Result]) -> Iterator[str]:
    deepest = max((len(rates) for result in results for rates in result.rates.values()), default=0)
    extra = any(result.token_ratio is not None for result in results)
    heads = ["", *map(str, range(1, deepest + 1)), "cliff", *(["tokens"] if extra else []), ""]
    yield f"| {' | '.join(heads)} |"
    yield f"|{' --- |' * len(heads)}"
    for result in results:
        mark = "✅" if result.passed else "❌"
        cliff = "none" if result.cliff is None else str(result.cliff)
        ratio = ["" if result.token_ratio is None else f"{result.token_ratio:.0%}"] if extra else []
        for name, rates in result.rates.items() or [("", ())]:
            label = result.name if len(result.rates) < 2 else f"{result.name}: {name}"
            cells = [f"{rate:.0%}" for rate in rates] + [""] * (deepest - len(rates))
            yield f"| {' | '.join([_plain(label), *cells, cliff, *ratio, mark])} |"


def _plain(text: str) -> str:
    """A text that cannot leave its cell."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("`", "'").replace("\n", " ").replace("<", "&lt;")


def overall(run: Mapping[str, Any]) -> dict[str, float]:
    """The share of passed checks by kind."""
    found: dict[str, list[bool]] = {}
    for test in run["tests"].values():
        for result in results_of(test):
            found.setdefault(result.kind, []).append(result.passed)
    return {kind: share(sum(passed), len(passed)) for kind, passed in found.items()}
