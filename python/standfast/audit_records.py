"""What the checks of compactions hand out: frozen records of plain data, with texts of the caller's own. `repr` shows none of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from standfast.record import Record, Span, read
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


@dataclass(frozen=True, slots=True, repr=False)
class Fate(Record):
    """One rule's fate. `detail` is the finer word (`softened`, `number-changed`), `evidence` the passage that decided."""

    kind: FateKind
    """What happened."""
    rule: str
    """The rule."""
    evidence: str
    """The passage of the text that decided; empty where there is none."""
    detail: str | None
    """The finer word: `softened`, `generalised`, `exception-lost`, `number-changed`, `condition-changed`, `id-changed` …"""
    message: str
    """In a sentence."""
    _texts: ClassVar[tuple[str, ...]] = ("rule", "evidence")


@dataclass(frozen=True, slots=True)
class AuditPlace(Record):
    """Where something stands. `index` is None for a system slot beside the list and for a plain text; `role` is whose place
    it is: results of tools and attached documents are `tool`, whatever message carries them."""

    index: int | None
    """Index of the message; nothing for a system slot beside the list and for a plain text."""
    role: Role
    """Whose place it is: results of tools and attached documents are `tool`, whatever message carries them."""


@dataclass(frozen=True, slots=True, repr=False)
class RuleFate(Record):
    """One rule and what the compaction did to it. `kept` is true where it is preserved or paraphrased with its authority
    and nothing new contradicts it; `survives` are the roles in whose words it stands in full."""

    fingerprint: str
    """The first 16 hexadecimal digits of the SHA-256 of the trimmed text."""
    rule: str
    """The rule."""
    trust: Trust | None
    """Who said it; nothing for a rule that the caller gave."""
    found: AuditPlace | None
    """Where it was found in `before`; nothing for a rule that the caller gave."""
    kept: bool
    """Whether it is preserved or paraphrased where it has authority, and nothing new contradicts it."""
    kind: FateKind
    """What happened."""
    detail: str | None
    """The finer word of the fate; `role_lowered` where the rule stands only in results of tools or in the assistant's words,
    `contradicted_elsewhere` where it stands and new text says the opposite."""
    evidence: str
    """The passage of `after` that decided; empty where there is none."""
    place: AuditPlace | None
    """Where that passage stands."""
    survives: tuple[Role, ...]
    """The roles in whose words the rule stands in full."""
    _texts: ClassVar[tuple[str, ...]] = ("rule", "evidence")
    _nested: ClassVar[Mapping[str, type[Record]]] = {"found": AuditPlace, "place": AuditPlace}


@dataclass(frozen=True, slots=True, repr=False)
class IdentifierFinding(Record):
    """An identifier, number or date that is changed (`origins` says of what), invented or missing."""

    fault: IdentifierFault
    """What is wrong."""
    text: str
    """The identifier: as the summary has it, or the missing one."""
    origins: tuple[str, ...]
    """What it may have been."""
    evidence: str
    """The sentence it stands in; empty for a missing one."""
    place: AuditPlace | None
    """Where that stands."""
    _texts: ClassVar[tuple[str, ...]] = ("text", "origins", "evidence")
    _nested: ClassVar[Mapping[str, type[Record]]] = {"place": AuditPlace}


@dataclass(frozen=True, slots=True, repr=False)
class DecisionFinding(Record):
    """A decision that is flipped, dropped, or has lost or changed its reason."""

    fault: DecisionFault
    """What happened."""
    decision: str
    """What was decided on."""
    polarity: Polarity
    """Accepted, rejected or deferred."""
    reason: str
    """Why; empty where no reason was given."""
    evidence: str
    """The sentence of the summary that is about it; empty where there is none."""
    place: AuditPlace | None
    """Where that stands."""
    _texts: ClassVar[tuple[str, ...]] = ("decision", "reason", "evidence")
    _nested: ClassVar[Mapping[str, type[Record]]] = {"place": AuditPlace}


@dataclass(frozen=True, slots=True, repr=False)
class ClaimFinding(Record):
    """A sentence that claims something on nobody's authority; `source` is the message it was forged from."""

    fault: ClaimFault
    """Why it does not hold."""
    claim: ClaimKind
    """What it claims."""
    evidence: str
    """The sentence."""
    place: AuditPlace | None
    """Where it stands."""
    source: int | None
    """The message or event it was forged from."""
    _texts: ClassVar[tuple[str, ...]] = ("evidence",)
    _nested: ClassVar[Mapping[str, type[Record]]] = {"place": AuditPlace}


@dataclass(frozen=True, slots=True)
class PairFinding(Record):
    """A call or a result that stands alone in `after`, at `index`, and did not in `before`."""

    fault: PairFault
    """What is wrong."""
    id: str
    """The call's id."""
    index: int
    """Index of the message in `after`."""


@dataclass(frozen=True, slots=True)
class NewText(Record):
    """A text of `after` that `before` does not have: a summary, a note, a changed prompt."""

    place: AuditPlace
    """Where it stands."""
    tokens: int
    """Its estimated size."""
    _nested: ClassVar[Mapping[str, type[Record]]] = {"place": AuditPlace}


@dataclass(frozen=True, slots=True)
class AuditCoverage(Record):
    """What became of the messages: spans of first and last index in `before`, and the new texts of `after`."""

    kept: tuple[Span, ...]
    """Messages that stand whole in `after`."""
    changed: tuple[Span, ...]
    """Messages of which a part stands there, or a shortened result."""
    gone: tuple[Span, ...]
    """Messages of which nothing stands there."""
    new: tuple[NewText, ...]
    """Texts of `after` that `before` does not have."""
    _nested: ClassVar[Mapping[str, type[Record]]] = {"new": NewText}


@dataclass(frozen=True, slots=True)
class AuditCounts(Record):
    """How much of what there is."""

    messages_before: int
    """Messages of `before`."""
    messages_after: int
    """Messages of `after`."""
    tokens_before: int
    """Estimated tokens of `before`."""
    tokens_after: int
    """Estimated tokens of `after`."""
    rules: int
    """Rules that were looked for."""
    rules_kept: int
    """Rules that are kept."""
    rules_unread: int
    """Rules found in `before` beyond the most that are looked for."""
    preserved: int
    """Rules in their own words."""
    paraphrased: int
    """Rules in other words."""
    weakened: int
    """Rules with less force, or a part missing."""
    mutated: int
    """Rules with another number, name or party."""
    contradicted: int
    """Rules turned round."""
    dropped: int
    """Rules that are gone."""
    unverifiable: int
    """Rules that cannot be looked for."""
    role_lowered: int
    """Rules in full, but without their authority."""
    decisions: int
    """Decisions found in what is gone."""
    forged: int
    """Claims of external origin."""
    unanchored: int
    """Claims of no origin."""


@dataclass(frozen=True, slots=True, repr=False)
class AuditReport(Record):
    """What a compaction did. `str(report)` is a text to be read, `to_json()` the stored form; true where `ok` is.

    `ok`: every rule kept, no approval, waiver, identity or rule out of nowhere, every call with its result.
    """

    ok: bool
    """Every rule kept, no approval, waiver or rule out of nowhere, every call with its result."""
    counts: AuditCounts
    """Sizes and numbers."""
    fates: tuple[RuleFate, ...]
    """What happened to each rule."""
    claims: tuple[ClaimFinding, ...]
    """Claims without authority in new text."""
    pairs: tuple[PairFinding, ...]
    """Calls and results that were parted."""
    decisions: tuple[DecisionFinding, ...]
    """Decisions of what is gone that are not told as they were made."""
    identifiers: tuple[IdentifierFinding, ...]
    """Identifiers changed, invented or missing."""
    coverage: AuditCoverage
    """Which messages are gone, and which text is new."""
    text: str = field(compare=False)
    """The report for people."""
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
        return cls(text=text, **{name: read(wire[name], cls._nested.get(name)) for name in cls.__match_args__})

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
    """What it is."""
    text: str
    """Its text, as the one summary has it."""
    in_first: bool
    """Whether the first summary has it."""

    def _shown(self) -> Iterator[str]:
        yield f"what={self.what!r}"
        yield f"in_first={self.in_first}"


@dataclass(frozen=True, slots=True, repr=False)
class Survival(Record):
    """What is left after a round: `lost` since the round before, `novel` are changed or invented identifiers."""

    tokens: int
    """The size of the memory."""
    thinner: bool
    """Whether it fell for the third time running, more than 6 % in all."""
    identifiers: int
    """Identifiers that are still there."""
    decisions: int
    """Decisions that are still there with their polarity."""
    reasons: int
    """Those of them that also have their reason."""
    lost: tuple[str, ...]
    """Identifiers that were there the round before, and are not any more."""
    novel: tuple[str, ...]
    """Identifiers that are new or changed."""

    def _shown(self) -> Iterator[str]:
        for name in ("tokens", "thinner", "identifiers", "decisions", "reasons"):
            yield f"{name}={getattr(self, name)!r}"


@dataclass(frozen=True, slots=True)
class DriftReport(Record):
    """How many identifiers and decisions were looked for, and what is left of them after each round."""

    identifiers: int
    """Identifiers that were looked for."""
    decisions: int
    """Decisions that were looked for."""
    rounds: tuple[Survival, ...]
    """What is left of them, round by round."""
    _nested: ClassVar[Mapping[str, type[Record]]] = {"rounds": Survival}


@dataclass(frozen=True, slots=True, repr=False)
class SessionCompaction(Record):
    """A compaction that a session file tells of: `after` is the window that came of it, `sealed` says that a part of it can be
    read by the provider alone."""

    at: int
    """How many messages came before it."""
    trigger: str | None
    """What set it off, where the file says so: `auto`, `manual`."""
    sealed: bool
    """Whether a part of what came of it can be read by the provider alone."""
    after: tuple[Any, ...]
    """The window that came of it."""
    _texts: ClassVar[tuple[str, ...]] = ("after",)


@dataclass(frozen=True, slots=True, repr=False)
class Session(Record):
    """A file of messages: what was said and done, without summaries, and the compactions in it."""

    format: SessionFormat
    """What kind of file it is."""
    system: Any
    """The system slot beside the list, as the file has it."""
    messages: tuple[Any, ...]
    """What was said and done, without the summaries of compactions."""
    compactions: tuple[SessionCompaction, ...]
    """The compactions, in order."""
    unread: int
    """Lines that could not be read."""
    _texts: ClassVar[tuple[str, ...]] = ("system", "messages")
    _nested: ClassVar[Mapping[str, type[Record]]] = {"compactions": SessionCompaction}


@dataclass(frozen=True, slots=True, repr=False)
class SessionRule(Record):
    """A rule and how it fared: `since` is the first compaction it went through, `lost` the one that lost it for good, from 0."""

    fingerprint: str
    """The first 16 hexadecimal digits of the SHA-256 of the trimmed text."""
    rule: str
    """The rule."""
    trust: Trust | None
    """Who said it; nothing for a rule that the caller gave."""
    found: AuditPlace | None
    """Where it was said first; nothing for a rule that the caller gave."""
    since: int | None
    """The first compaction it went through, from 0; nothing where there was none."""
    lost: int | None
    """The compaction that lost it and after which it never stood again, from 0; nothing where it stands."""
    kind: FateKind
    """What happened to it there, or in the last compaction."""
    detail: str | None
    """The finer word of that."""
    evidence: str
    """The passage that decided; empty where there is none."""
    _texts: ClassVar[tuple[str, ...]] = ("rule", "evidence")
    _nested: ClassVar[Mapping[str, type[Record]]] = {"found": AuditPlace}


@dataclass(frozen=True, slots=True)
class SessionRound(Record):
    """One compaction of a session. The rules of its report are those said so far, in order."""

    at: int
    """How many messages came before it."""
    trigger: str | None
    """What set it off, where the file says so."""
    sealed: bool
    """Whether a part of what came of it can be read by the provider alone. What is not found is unverifiable then."""
    report: AuditReport
    """What it did, from window to window. Its rules are those said so far, in order."""


@dataclass(frozen=True, slots=True, repr=False)
class SessionReport(Record):
    """What the compactions of a session did; true where no rule is lost. What nobody can verify is not lost."""

    ok: bool
    """Whether no rule is lost."""
    format: SessionFormat
    """What kind of file it is."""
    messages: int
    """Messages in it, without summaries."""
    unread: int
    """Lines that could not be read."""
    judged: int
    """Rules that went through a compaction."""
    lost: int
    """Those of them that are lost; what nobody can verify is not."""
    rules: tuple[SessionRule, ...]
    """Every rule, in the order they were said."""
    rounds: tuple[SessionRound, ...]
    """Every compaction, in order."""

    def __bool__(self) -> bool:
        return self.ok

    def _shown(self) -> Iterator[str]:
        yield f"ok={self.ok}"
        yield f"judged={self.judged}"
        yield f"lost={self.lost}"
