"""A run and its history as one self-contained HTML page. Needs `pip install standfast[report]`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import Any

from standfast.testing.history import History, results_of
from standfast.testing.results import Result
from standfast.testing.summary import overall


def write_page(path: Path, history: History) -> None:
    """Writes the page."""
    text = page(history)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def page(history: History) -> str:
    """The page: what the last run measured, and how that went over all runs."""
    import jinja2

    from standfast import __version__

    run: Mapping[str, Any] = history.runs[-1] if history.runs else {"tests": {}}
    rows = [(test, result) for test, found in run["tests"].items() for result in results_of(found)]
    template = resources.files("standfast.testing").joinpath("page.html.jinja").read_text(encoding="utf-8")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(template).render(
        title=str(run.get("at", "")),
        at=run.get("at"),
        runs=len(history.runs),
        version=__version__,
        passed=sum(result.passed for _, result in rows),
        checks=[_check(test, result) for test, result in rows],
        regressions=list(_regressions(run)),
        tiles=list(_tiles([result for _, result in rows])),
        charts=list(_charts(history, [result for _, result in rows])),
    )


def _check(test: str, result: Result) -> dict[str, Any]:
    details = result.details
    lost = list(_lost(details.get("lost") or {}))
    lost += [f"depth {one['depth']}: {one['question']}" for one in details.get("missed") or ()]
    lost += [str(details["code"])] if "code" in details else []
    return {
        "test": printable(test),
        "kind": result.kind,
        "name": printable(result.name),
        "passed": result.passed,
        "rates": [(printable(name), ", ".join(f"{rate:.0%}" for rate in rates)) for name, rates in result.rates.items()],
        "cliff": result.cliff,
        "ratio": "" if result.token_ratio is None else f"{result.token_ratio:.0%}",
        "lost": [printable(text) for text in lost[:40]],
    }


def _lost(rounds: Mapping[str, Any]) -> Iterator[str]:
    """Each lost rule once, with the rounds after which it did not stand."""
    found: dict[str, list[str]] = {}
    for number, rules in rounds.items():
        for rule in rules:
            found.setdefault(rule, []).append(number)
    for rule, numbers in found.items():
        yield f"{rule} (round {', '.join(numbers)})"


def _regressions(run: Mapping[str, Any]) -> Iterator[dict[str, str]]:
    for test, found in run["tests"].items():
        for name, was, now in found.get("regressions", ()):
            yield {"test": printable(test), "name": printable(name), "was": f"{was:.0%}", "now": f"{now:.0%}"}


def _tiles(results: list[Result]) -> Iterator[dict[str, Any]]:
    alive = [rates[-1] for result in results if result.kind == "survival" for rates in result.rates.values() if rates]
    if alive:
        yield {"label": "rules alive after the last round, at least", "value": f"{min(alive):.0%}", "good": min(alive) == 1}
    facts = [result.rates["all"] for result in results if result.kind == "retention" and result.rates.get("all")]
    if facts:
        least = min(rates[0] for rates in facts)
        yield {"label": "facts answered at depth 1, at least", "value": f"{least:.0%}", "good": least >= 0.9}
    for kind, label in (("obedience", "scenarios obeyed"), ("amplification", "injections withstood"), ("structure", "structure")):
        found = [result.passed for result in results if result.kind == kind]
        if found:
            yield {"label": label, "value": f"{sum(found)} / {len(found)}", "good": all(found)}
    cliffs = [result.cliff for result in results if result.cliff is not None]
    if results:
        yield {"label": "first loss, in round or depth", "value": str(min(cliffs)) if cliffs else "none", "good": not cliffs}
    ratios = [result.token_ratio for result in results if result.token_ratio is not None]
    if ratios:
        yield {"label": "tokens left by the first compaction, at most", "value": f"{max(ratios):.0%}", "good": max(ratios) < 1}


def _charts(history: History, results: list[Result]) -> Iterator[dict[str, Any]]:
    import markupsafe

    from standfast.testing import charts

    def chart(title: str, about: str, svg: str) -> dict[str, Any]:
        return {"title": title, "about": about, "svg": markupsafe.Markup(svg)}

    survival = _rates(results, "survival", "alive")
    if survival:
        yield chart("Rules alive", "the share of rules that stand after each round", charts.lines("rules alive", survival, "round"))
    for at, (name, kinds) in enumerate(_facts(results).items()):
        about = "the share of questions answered from what was left, by kind and depth"
        yield chart(f"Facts: {name}", about, charts.bars(f"facts {at}", kinds, "depth"))
    obeyed = _rates(results, "obedience", "obeyed")
    if obeyed:
        yield chart("Obedience", "whether the rule was kept after a compaction", charts.bars("obedience", obeyed, "after compaction"))
    over_time = _over_time(history)
    if over_time:
        yield chart("From run to run", "the share of passed checks, the newest run last", charts.lines("runs", over_time, "run"))


def _rates(results: list[Result], kind: str, name: str) -> dict[str, tuple[float, ...]]:
    """Rates by the names of the results; of those with one name the worst."""
    found: dict[str, tuple[float, ...]] = {}
    for result in results:
        rates = result.rates.get(name)
        if result.kind == kind and rates:
            shown = printable(result.name)
            found[shown] = min(found.get(shown, rates), rates)
    return found


def _facts(results: list[Result]) -> dict[str, dict[str, tuple[float, ...]]]:
    """Rates of facts by kind; of results with one name the worst."""
    found: dict[str, dict[str, tuple[float, ...]]] = {}
    for result in results:
        if result.kind == "retention":
            kinds = found.setdefault(printable(result.name), {})
            for kind, rates in result.rates.items():
                if kind != "all" and rates:
                    kinds[kind] = min(kinds.get(kind, rates), rates)
    return {name: kinds for name, kinds in found.items() if kinds}


def _over_time(history: History) -> dict[str, tuple[float, ...]]:
    """Shares of passed checks by kind, in the runs that have all kinds of the last one."""
    if len(history.runs) < 2:
        return {}
    shares = [overall(run) for run in history.runs]
    kinds = list(shares[-1])
    whole = [share for share in shares if all(kind in share for kind in kinds)]
    return {kind: tuple(share[kind] for share in whole) for kind in kinds} if len(whole) > 1 else {}


def printable(text: str) -> str:
    """A text without control characters."""
    return "".join(character if character.isprintable() else " " for character in text)
