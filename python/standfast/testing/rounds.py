"""Round after round of compaction: which rules are alive, whether the beginning of the request stays, what became of decisions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from standfast.audit_records import AuditReport, RuleFate
from standfast.auditing import audit_compaction, check_decisions
from standfast.records import Rule
from standfast.testing.errors import broken
from standfast.testing.requests import messages_of, role_of, side_of, system_of, texts
from standfast.testing.results import Result, note, share
from standfast.testing.subjects import played

_LABEL = re.compile(r"^\((?P<who>[^()]{1,200}), turn \d+\) ")
"""Before a quotation in a memory message."""
_OWN = ("system", "developer", "user")
"""Whose words may stand against a rule without anybody else's doing."""


@dataclass(frozen=True)
class Round:
    """One compaction: the share of rules alive, the rules lost, and the whole report."""

    round: int
    alive: float
    lost: tuple[str, ...]
    report: AuditReport


@dataclass(frozen=True)
class Survival:
    """Round by round, which rules were alive. `cliff` is the first round that lost one; None where none did."""

    rounds: tuple[Round, ...]
    cliff: int | None

    @property
    def token_ratio(self) -> float | None:
        """Tokens after the first compaction for each token before it."""
        if not self.rounds:
            return None
        counts = self.rounds[0].report.counts
        return round(counts.tokens_after / counts.tokens_before, 3) if counts.tokens_before else None


def survival(compact: Any, rules: Iterable[str | Rule], transcript: Sequence[Any], rounds: int = 5, *, overlay: bool = False) -> Survival:
    """Compacts `rounds` times and tells which rules are alive after each. Nothing is raised for a loss."""
    told = _texts(rules)
    quoted = _Quoted(transcript, told)
    found: list[Round] = []
    for number, after in played(compact, transcript, rounds, overlay=overlay):
        report = audit_compaction(list(transcript), side_of(after), told)
        lost = tuple(fate.rule for fate in report.fates if not fate.kept and not quoted.says(fate, messages_of(after)))
        found.append(Round(number, share(len(told) - len(lost), len(told)), lost, report))
    return Survival(tuple(found), next((one.round for one in found if one.lost), None))


def assert_rules_survive(
    compact: Any,
    rules: Iterable[str | Rule],
    transcript: Sequence[Any],
    rounds: int = 5,
    *,
    threshold: float = 1.0,
    baseline: Sequence[float] = (),
    overlay: bool = False,
    name: str = "rules",
) -> Survival:
    """Compacts `rounds` times, and raises `rules_lost` where a rule did not come through.

    `compact` is what you have: a function from messages to messages (or to a request with its system slot), a LangChain
    middleware or a list of them, a LangChain agent, or an agent under test with `window()`. Between the rounds of a function ten
    messages of small talk are added; an agent is talked to until it compacts. `overlay`: the function reads the whole list each
    time and does not rewrite it. `threshold` is the least share of rules alive, `baseline` the shares of an earlier run.
    """
    told = _texts(rules)
    result = survival(compact, told, transcript, rounds, overlay=overlay)
    least = [max(threshold, baseline[at] if at < len(baseline) else 0.0) for at in range(len(result.rounds))]
    failed = next((one for one, bar in zip(result.rounds, least) if one.alive < bar), None)
    alive = tuple(one.alive for one in result.rounds)
    lost = {str(one.round): list(one.lost) for one in result.rounds if one.lost}
    note(Result("survival", name, failed is None, {"alive": alive}, result.cliff, result.token_ratio, {"rules": len(told), "lost": lost}))
    if failed is not None:
        message = f"round {failed.round}: {len(failed.lost)} of {len(told)} rules lost: {' · '.join(failed.lost)}"
        raise broken("rules_lost", message, round=failed.round, alive=failed.alive)
    return result


def assert_byte_stable(compact: Any, transcript: Sequence[Any], rounds: int = 5, *, overlay: bool = False, name: str = "bytes") -> None:
    """Raises `prefix_changed` where the system prompt is not, byte for byte, that of the round before."""
    known: str | None = None
    with _noted(name):
        for number, after in played(compact, transcript, rounds, overlay=overlay):
            now = _beginning(after)
            if known is not None and now != known:
                raise broken("prefix_changed", f"round {number}: the system prompt is not what it was", round=number)
            known = now


def assert_task_state_survives(
    compact: Any,
    decisions: Sequence[Mapping[str, str]],
    transcript: Sequence[Any],
    rounds: int = 5,
    *,
    overlay: bool = False,
    name: str = "task state",
) -> None:
    """Raises `decision_lost` where a decision is not told with its polarity and its reason any more.

    Decisions have `what`, `why` and perhaps `polarity` (accepted, rejected, deferred).
    """
    wanted = [{"polarity": "accepted", **decision} for decision in decisions]
    with _noted(name):
        for number, after in played(compact, transcript, rounds, overlay=overlay):
            lost = check_decisions(wanted, texts(side_of(after)))
            if lost:
                message = f"round {number}: {len(lost)} of {len(wanted)} decisions are not told as they were made"
                raise broken("decision_lost", message, round=number)


def assert_fails_closed(send: Callable[[], Any], *, name: str = "fails closed") -> Exception:
    """Raises `went_out` where a request without a rule is not stopped; gives the error that stopped it.

    `send` calls the model with a request that is stripped of the rules.
    """
    from standfast.testing.requests import settled

    with _noted(name):
        try:
            settled(send())
        except Exception as error:
            return error
        raise broken("went_out", "a request without its rules went out")


class _noted:
    """Notes whether the block came through."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        details = {} if kind is None else {"code": getattr(error, "code", kind.__name__)}
        note(Result("structure", self._name, kind is None, details=details))


def _texts(rules: Iterable[str | Rule]) -> list[str]:
    return [rule.text if isinstance(rule, Rule) else rule for rule in rules]


class _Quoted:
    """What may stand against a rule that is there, since the compaction did not make it: what operator and user said, rules among
    it; a message of the transcript as it was; what the memory quotes of anybody by name. What it tells as a fact is its own."""

    def __init__(self, transcript: Sequence[Any], rules: Sequence[str]) -> None:
        self._messages = list(transcript)
        self._all = texts(self._messages)
        self._own = "\n".join([*rules, *(texts(_said(message)) for message in self._messages if role_of(message) in _OWN)])

    def says(self, fate: RuleFate, after: Sequence[Any]) -> bool:
        """Whether the rule stands, and only such words are told against it."""
        label = _LABEL.match(fate.evidence)
        said = fate.evidence[label.end() if label else 0 :]
        if fate.detail != "contradicted_elsewhere" or not said:
            return False
        if said in (self._all if label and label["who"] not in _OWN else self._own):
            return True
        at = fate.place.index if fate.place is not None else None
        return at is not None and at < len(after) and after[at] in self._messages


def _said(message: Any) -> Any:
    """What a message says itself: results of tools that it carries are not its words."""
    content = message.get("content")
    if not isinstance(content, list):
        return content
    return [part for part in content if not (isinstance(part, Mapping) and part.get("type") in ("tool_result", "tool-result"))]


def _beginning(after: Any) -> str:
    messages = messages_of(after)
    head: list[Any] = []
    for message in messages:
        if not isinstance(message, Mapping) or message.get("role") not in ("system", "developer"):
            break
        head.append(message)
    return json.dumps([system_of(after), head], ensure_ascii=False, default=str)
