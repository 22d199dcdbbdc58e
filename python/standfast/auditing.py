"""What a text or a compaction did to rules and facts: anybody's, without a guard and without a model.

import standfast as sf

for fate in sf.audit(["Never delete rows from `billing`."], summary):
    print(fate.kind, fate.detail, fate.evidence)

report = sf.audit_compaction(before_messages, after_messages)
print(report)                       # a text to be read; report.to_json() is the stored form
assert report.ok

Unlike receipts, these results carry text: the caller's own. `repr` shows none of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from standfast import _core
from standfast.audit_records import (
    AuditReport,
    ClaimFinding,
    DecisionFinding,
    Difference,
    DriftReport,
    Fate,
    IdentifierFinding,
    Session,
    SessionReport,
    SessionRound,
    SessionRule,
)
from standfast.records import Rule, Window
from standfast.task import Decision

Side: TypeAlias = "Sequence[Any] | Mapping[str, Any] | Window | str"
"""Messages of any shape, a request with `messages` and perhaps `system`, a window of a guard, or a text."""


def read_session(text: str) -> Session:
    """Reads a file of messages: a list or a request of any shape, messages as LangChain and the AI SDK store them, items of
    OpenAI Responses, and the session files of Claude Code and Codex with the compactions that stand in them."""
    return Session.of(_core.audited("read_session", {"text": text}))


def audit_session(text: str, rules: Iterable[str | Rule] | None = None) -> SessionReport:
    """What the compactions of a session file did to its rules: each rule with the round it died in.

    `rules` are as for `audit_compaction`.
    """
    wire, texts = _core.audited("audit_session", {"text": text, "rules": None if rules is None else _texts(rules)})
    rounds = tuple(
        SessionRound(one["at"], one["trigger"], one["sealed"], AuditReport.of_native(one["report"], shown))
        for one, shown in zip(wire["rounds"], texts, strict=True)
    )
    found = tuple(SessionRule.of(rule) for rule in wire["rules"])
    return SessionReport(**{**wire, "rules": found, "rounds": rounds})


def audit(rules: Iterable[str | Rule], text: str) -> list[Fate]:
    """The fate of each rule in a text, in the order of the rules.

    `preserved` and `paraphrased` are certificates; `unverifiable` and all other kinds are none.
    """
    return [Fate.of(fate) for fate in _core.audit(_texts(rules), text)]


def audit_compaction(before: Side, after: Side, rules: Iterable[str | Rule] | None = None) -> AuditReport:
    """What a compaction, whoever made it, did to everything that must come through it.

    The sides need not be of one shape. Without `rules`, those of `before` count: what the operator and the user said in
    their own words and the published pattern finds.
    """
    arguments = {"before": _side(before), "after": _side(after), "rules": None if rules is None else _texts(rules)}
    wire, text = _core.audited("audit_compaction", arguments)
    return AuditReport.of_native(wire, text)


def check_identifiers(source: Side, summary: str, *, required: Sequence[str] = ()) -> list[IdentifierFinding]:
    """The identifiers, numbers and dates of a summary that were changed or invented, and those of `required` it does not have.

    `source` is a text, or events as for `check_authority`.
    """
    arguments = {"source": _events(source), "summary": summary, "required": _texts(required)}
    return [IdentifierFinding.of(found) for found in _core.audited("check_identifiers", arguments)]


def check_decisions(events: Side, summary: str) -> list[DecisionFinding]:
    """The decisions of the events that a summary does not tell with their polarity and their reason.

    Events are as for `check_authority`, or decisions: records of a guard's task state, or mappings with `polarity`, `topic`
    (or `what`) and `reason` (or `why`).
    """
    return [DecisionFinding.of(found) for found in _core.audited("check_decisions", {"events": _events(events), "summary": summary})]


def check_authority(events: Side, summary: str) -> list[ClaimFinding]:
    """The sentences of a summary that claim an approval, a waiver, a rule, an identity or a deed that nobody with the authority said.

    Events are messages of any shape, a request, a text, or mappings with `text` and `trust` or `source`; without either they
    are the agent's.
    """
    return [ClaimFinding.of(found) for found in _core.audited("check_authority", {"events": _events(events), "summary": summary})]


def check_drift(events: Side, rounds: Sequence[str], *, required: Sequence[str] = ()) -> DriftReport:
    """What is left of the identifiers and decisions of the events in the memory after each round, and whether it becomes thinner.

    Events are as for `check_decisions`; without `required` identifiers those count that a summary must carry.
    """
    arguments = {"events": _events(events), "rounds": _texts(rounds), "required": _texts(required)}
    return DriftReport.of(_core.audited("check_drift", arguments))


def check_idempotence(first: str, second: str) -> list[Difference]:
    """What only one of two summaries of a span has: identifiers, decisions with their polarity, rules. Wording does not count."""
    return [Difference.of(found) for found in _core.audited("check_idempotence", {"first": first, "second": second})]


def _texts(rules: Iterable[str | Rule]) -> list[str]:
    if isinstance(rules, str | bytes) or not isinstance(rules, Iterable):
        raise _core.error_of("invalid_argument", "`rules` is a list of texts")
    return [rule.text if isinstance(rule, Rule) else rule for rule in rules]


def _side(side: Any) -> Any:
    return {"system": side.system, "messages": side.messages} if isinstance(side, Window) else side


def _events(events: Any) -> Any:
    if isinstance(events, list | tuple):
        return [event.to_wire() if isinstance(event, Decision) else event for event in events]
    return _side(events)
