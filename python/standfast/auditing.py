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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from standfast import _core
from standfast.records import Decision, Record, Rule, Span, Window, _read
from standfast.wire import (
    ClaimFault,
    ClaimKind,
    DecisionFault,
    DifferenceKind,
    FateKind,
    IdentifierFault,
    PairFault,
    Polarity,
    Role,
    SessionFormat,
    Trust,
)

Side: TypeAlias = "Sequence[Any] | Mapping[str, Any] | Window | str"
"""Messages of any shape, a request with `messages` and perhaps `system`, a window of a guard, or a text."""


@dataclass(frozen=True, slots=True, repr=False)
class Fate(Record):
    """One rule's fate. `detail` is the finer word (`softened`, `number-changed`), `evidence` the passage that decided."""

    kind: FateKind
    rule: str
    evidence: str
    detail: str | None
    message: str
    _texts: ClassVar[tuple[str, ...]] = ("rule", "evidence")


@dataclass(frozen=True, slots=True)
class AuditPlace(Record):
    """Where something stands. `index` is None for a system slot beside the list and for a plain text; `role` is whose place
    it is: results of tools and attached documents are `tool`, whatever message carries them."""

    index: int | None
    role: Role


@dataclass(frozen=True, slots=True, repr=False)
class RuleFate(Record):
    """One rule and what the compaction did to it. `kept` is true where it is preserved or paraphrased with its authority
    and nothing new contradicts it; `survives` are the roles in whose words it stands in full."""

    fingerprint: str
    rule: str
    trust: Trust | None
    found: AuditPlace | None
    kept: bool
    kind: FateKind
    detail: str | None
    evidence: str
    place: AuditPlace | None
    survives: tuple[Role, ...]
    _texts: ClassVar[tuple[str, ...]] = ("rule", "evidence")
    _nested: ClassVar[Mapping[str, type[Record]]] = {"found": AuditPlace, "place": AuditPlace}


@dataclass(frozen=True, slots=True, repr=False)
class IdentifierFinding(Record):
    """An identifier, number or date that is changed (`origins` says of what), invented or missing."""

    fault: IdentifierFault
    text: str
    origins: tuple[str, ...]
    evidence: str
    place: AuditPlace | None
    _texts: ClassVar[tuple[str, ...]] = ("text", "origins", "evidence")
    _nested: ClassVar[Mapping[str, type[Record]]] = {"place": AuditPlace}


@dataclass(frozen=True, slots=True, repr=False)
class DecisionFinding(Record):
    """A decision that is flipped, dropped, or has lost or changed its reason."""

    fault: DecisionFault
    decision: str
    polarity: Polarity
    reason: str
    evidence: str
    place: AuditPlace | None
    _texts: ClassVar[tuple[str, ...]] = ("decision", "reason", "evidence")
    _nested: ClassVar[Mapping[str, type[Record]]] = {"place": AuditPlace}


@dataclass(frozen=True, slots=True, repr=False)
class ClaimFinding(Record):
    """A sentence that claims something on nobody's authority; `source` is the message it was forged from."""

    fault: ClaimFault
    claim: ClaimKind
    evidence: str
    place: AuditPlace | None
    source: int | None
    _texts: ClassVar[tuple[str, ...]] = ("evidence",)
    _nested: ClassVar[Mapping[str, type[Record]]] = {"place": AuditPlace}


@dataclass(frozen=True, slots=True)
class PairFinding(Record):
    """A call or a result that stands alone in `after`, at `index`, and did not in `before`."""

    fault: PairFault
    id: str
    index: int


@dataclass(frozen=True, slots=True)
class NewText(Record):
    """A text of `after` that `before` does not have: a summary, a note, a changed prompt."""

    place: AuditPlace
    tokens: int
    _nested: ClassVar[Mapping[str, type[Record]]] = {"place": AuditPlace}


@dataclass(frozen=True, slots=True)
class AuditCoverage(Record):
    """What became of the messages: spans of first and last index in `before`, and the new texts of `after`."""

    kept: tuple[Span, ...]
    changed: tuple[Span, ...]
    gone: tuple[Span, ...]
    new: tuple[NewText, ...]
    _nested: ClassVar[Mapping[str, type[Record]]] = {"new": NewText}


@dataclass(frozen=True, slots=True)
class AuditCounts(Record):
    """How much of what there is."""

    messages_before: int
    messages_after: int
    tokens_before: int
    tokens_after: int
    rules: int
    rules_kept: int
    rules_unread: int
    preserved: int
    paraphrased: int
    weakened: int
    mutated: int
    contradicted: int
    dropped: int
    unverifiable: int
    role_lowered: int
    decisions: int
    forged: int
    unanchored: int


@dataclass(frozen=True, slots=True, repr=False)
class AuditReport(Record):
    """What a compaction did. `str(report)` is a text to be read, `to_json()` the stored form; true where `ok` is.

    `ok`: every rule kept, no approval, waiver, identity or rule out of nowhere, every call with its result.
    """

    ok: bool
    counts: AuditCounts
    fates: tuple[RuleFate, ...]
    claims: tuple[ClaimFinding, ...]
    pairs: tuple[PairFinding, ...]
    decisions: tuple[DecisionFinding, ...]
    identifiers: tuple[IdentifierFinding, ...]
    coverage: AuditCoverage
    text: str = field(compare=False)
    __match_args__ = ("ok", "counts", "fates", "claims", "pairs", "decisions", "identifiers", "coverage")
    _nested: ClassVar[Mapping[str, type[Record]]] = {
        "counts": AuditCounts,
        "fates": RuleFate,
        "claims": ClaimFinding,
        "pairs": PairFinding,
        "decisions": DecisionFinding,
        "identifiers": IdentifierFinding,
        "coverage": AuditCoverage,
    }

    @classmethod
    def of_native(cls, wire: Mapping[str, Any], text: str) -> AuditReport:
        """The report as the engine made it."""
        return cls(text=text, **{name: _read(wire[name], cls._nested.get(name)) for name in cls.__match_args__})

    def __bool__(self) -> bool:
        return self.ok

    def __str__(self) -> str:
        return self.text

    def _shown(self) -> Iterator[str]:
        yield f"ok={self.ok}"
        yield f"counts={self.counts!r}"


@dataclass(frozen=True, slots=True, repr=False)
class Difference(Record):
    """Something that one of two summaries of a span has and the other has not."""

    what: DifferenceKind
    text: str
    in_first: bool

    def _shown(self) -> Iterator[str]:
        yield f"what={self.what!r}"
        yield f"in_first={self.in_first}"


@dataclass(frozen=True, slots=True, repr=False)
class Survival(Record):
    """What is left after a round: `lost` since the round before, `novel` are changed or invented identifiers."""

    tokens: int
    thinner: bool
    identifiers: int
    decisions: int
    reasons: int
    lost: tuple[str, ...]
    novel: tuple[str, ...]

    def _shown(self) -> Iterator[str]:
        for name in ("tokens", "thinner", "identifiers", "decisions", "reasons"):
            yield f"{name}={getattr(self, name)!r}"


@dataclass(frozen=True, slots=True)
class DriftReport(Record):
    """How many identifiers and decisions were looked for, and what is left of them after each round."""

    identifiers: int
    decisions: int
    rounds: tuple[Survival, ...]
    _nested: ClassVar[Mapping[str, type[Record]]] = {"rounds": Survival}


@dataclass(frozen=True, slots=True, repr=False)
class SessionCompaction(Record):
    """A compaction that a session file tells of: `after` is the window that came of it, `sealed` says that a part of it can be
    read by the provider alone."""

    at: int
    trigger: str | None
    sealed: bool
    after: tuple[Any, ...]
    _texts: ClassVar[tuple[str, ...]] = ("after",)


@dataclass(frozen=True, slots=True, repr=False)
class Session(Record):
    """A file of messages: what was said and done, without summaries, and the compactions in it."""

    format: SessionFormat
    system: Any
    messages: tuple[Any, ...]
    compactions: tuple[SessionCompaction, ...]
    unread: int
    _texts: ClassVar[tuple[str, ...]] = ("system", "messages")
    _nested: ClassVar[Mapping[str, type[Record]]] = {"compactions": SessionCompaction}


@dataclass(frozen=True, slots=True, repr=False)
class SessionRule(Record):
    """A rule and how it fared: `since` is the first compaction it went through, `lost` the one that lost it for good, from 0."""

    fingerprint: str
    rule: str
    trust: Trust | None
    found: AuditPlace | None
    since: int | None
    lost: int | None
    kind: FateKind
    detail: str | None
    evidence: str
    _texts: ClassVar[tuple[str, ...]] = ("rule", "evidence")
    _nested: ClassVar[Mapping[str, type[Record]]] = {"found": AuditPlace}


@dataclass(frozen=True, slots=True)
class SessionRound(Record):
    """One compaction of a session. The rules of its report are those said so far, in order."""

    at: int
    trigger: str | None
    sealed: bool
    report: AuditReport


@dataclass(frozen=True, slots=True, repr=False)
class SessionReport(Record):
    """What the compactions of a session did; true where no rule is lost. What nobody can verify is not lost."""

    ok: bool
    format: SessionFormat
    messages: int
    unread: int
    judged: int
    lost: int
    rules: tuple[SessionRule, ...]
    rounds: tuple[SessionRound, ...]

    def __bool__(self) -> bool:
        return self.ok

    def _shown(self) -> Iterator[str]:
        yield f"ok={self.ok}"
        yield f"judged={self.judged}"
        yield f"lost={self.lost}"


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
