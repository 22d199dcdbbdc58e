"""Whether facts can still be answered from what a compaction left."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from standfast.testing.cases import RetentionCase
from standfast.testing.errors import broken, unusable
from standfast.testing.requests import filler, messages_of, settled, side_of, texts
from standfast.testing.results import Result, note, share

Probe = Callable[[str], Any]
"""Answers a prompt with a text, at once or awaited."""

PROMPT = """Answer from these notes only, in a few words. If they do not say, answer UNKNOWN.

Notes:
{notes}

Question: {question}"""


@dataclass(frozen=True)
class Missed:
    """A question of `must_survive` that was not answered."""

    depth: int
    question: str


@dataclass(frozen=True)
class RetentionReport:
    """Shares of the questions that were answered, by depth from 1 on; the same by kind; and what blocks: depths 1 and 2."""

    rates: tuple[float, ...]
    by_kind: Mapping[str, tuple[float, ...]]
    failed: tuple[Missed, ...]

    @property
    def cliff(self) -> int | None:
        """The first depth at which fewer than all questions were answered."""
        return next((depth for depth, rate in enumerate(self.rates, 1) if rate < 1), None)


def retention(
    compact: Callable[[list[Any]], Any],
    cases: Sequence[RetentionCase],
    transcript: Sequence[Any],
    *,
    probe: Probe | None = None,
    depths: int = 3,
    repetitions: int = 3,
    overlay: bool = False,
) -> RetentionReport:
    """Asks every question at each depth, `repetitions` times.

    Depth 1 is the compacted transcript; the next compacts that again, with ten messages of small talk behind it. `probe` answers a
    prompt that asks to answer from the notes only, UNKNOWN where they do not say; without one the notes are searched for the
    expected answer. Retained is what holds the expected answer between borders of words, ignoring case, and no UNKNOWN. `overlay`:
    the function reads the whole list each time and does not rewrite it.
    """
    if not callable(compact) or depths < 1 or repetitions < 1:
        raise unusable("`compact` is a function; `depths` and `repetitions` are at least 1")
    rates: list[float] = []
    kinds: dict[str, list[float]] = {case.kind: [] for case in cases}
    failed: list[Missed] = []
    messages = list(transcript)
    for depth in range(1, depths + 1):
        after = settled(compact(list(messages)))
        notes = texts(side_of(after))
        known = [sum(_answered(case, notes, probe) for _ in range(repetitions)) for case in cases]
        rates.append(share(sum(known), repetitions * len(cases)))
        for kind, shares in kinds.items():
            of_kind = [answered for answered, case in zip(known, cases) if case.kind == kind]
            shares.append(share(sum(of_kind), repetitions * len(of_kind)))
        if depth <= 2:
            must = zip(known, cases)
            failed += [Missed(depth, case.question) for answered, case in must if case.must_survive and answered < repetitions]
        messages = [*(messages if overlay else messages_of(after)), *filler(depth)]
    return RetentionReport(tuple(rates), {kind: tuple(shares) for kind, shares in kinds.items()}, tuple(failed))


def assert_retained(
    compact: Callable[[list[Any]], Any],
    cases: Sequence[RetentionCase],
    transcript: Sequence[Any],
    *,
    thresholds: Mapping[int, float] | Sequence[float] = (),
    baseline: Sequence[float] = (),
    name: str = "facts",
    **options: Any,
) -> RetentionReport:
    """`retention`, and raises `not_retained` where a must fails at depth 1 or 2, or a threshold or a baseline of a depth is not met.

    `thresholds` are least shares by depth: `{1: 0.9, 2: 0.8}`, or a list that begins with depth 1. Other options as of `retention`.
    """
    report = retention(compact, cases, transcript, **options)
    fault = _fault(report, thresholds, baseline)
    rates = {"all": report.rates, **report.by_kind}
    missed = [{"depth": one.depth, "question": one.question} for one in report.failed]
    note(Result("retention", name, fault is None, rates, report.cliff, details={"cases": len(cases), "missed": missed}))
    if fault is not None:
        depth, message = fault
        raise broken("not_retained", f"depth {depth}: {message}", depth=depth)
    return report


def _fault(report: RetentionReport, thresholds: Any, baseline: Sequence[float]) -> tuple[int, str] | None:
    if report.failed:
        return report.failed[0].depth, f"not answered any more: {report.failed[0].question}"
    by_depth = thresholds if isinstance(thresholds, Mapping) else dict(enumerate(thresholds, 1))
    known = dict(enumerate(baseline, 1))
    for depth, rate in enumerate(report.rates, 1):
        least = max(by_depth.get(depth, 0.0), known.get(depth, 0.0))
        if rate < least:
            return depth, f"{rate} of the questions are answered, {least} is the least"
    return None


def _answered(case: RetentionCase, notes: str, probe: Probe | None) -> bool:
    if probe is None:
        return _on_borders(notes, case.expected)
    answer = str(settled(probe(PROMPT.format(notes=notes, question=case.question))))
    return re.search(r"\bUNKNOWN\b", answer) is None and _on_borders(answer, case.expected)


def _on_borders(text: str, expected: str) -> bool:
    """Whether `expected` stands in a text between borders of words, ignoring case."""
    return re.search(rf"(?<![^\W_]){re.escape(expected.strip())}(?![^\W_])", text, re.IGNORECASE) is not None
