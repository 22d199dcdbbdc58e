"""What the guard hands out: frozen records of plain data.

A record's `repr` shows ids and counts, never a text; `to_json()` is the stored form, the same bytes in every language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from standfast import _core
from standfast.provider import Provider, render_request
from standfast.record import Record, Span
from standfast.wire import Method, Origin, Outcome, Presence, Role, Status, Trust


@dataclass(frozen=True, slots=True, repr=False)
class Rule(Record):
    """A rule of the registry. `fingerprint` is its name, `digest` its identity."""

    fingerprint: str
    """The first 16 hexadecimal digits of the digest, the name shown in the block."""
    digest: str
    """SHA-256 of the trimmed text."""
    text: str
    """The trimmed text, inner bytes untouched."""
    status: Status
    """Whether and how it is in force."""
    trust: Trust
    """The highest trust it was said with."""
    sources: tuple[str, ...]
    """Everyone who said it, in order of first appearance."""
    turn: int
    """User events observed before it was first said; its place in the block."""
    seqs: tuple[int, ...]
    """Events of the log that say it (promoted rules), at most eight."""
    principal: str | None
    """The user it was said by or for, where the host says so."""
    scope: str | None
    """The host's own label of where the rule applies."""
    inherited: bool
    """Taken over from the guard this one was forked from; cannot be changed here."""
    pinned: bool
    """Whether it stands in the pinned block now; a rule promoted since the last commit stands in its own event."""
    replaced_by: str | None
    """What replaced it."""
    reason: str | None
    """Why it is no longer in force."""
    lookalike_of: str | None
    """Another rule with other bytes but the same look."""
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True, repr=False)
class Held(Record):
    """Rule-shaped external text, kept as data without authority."""

    fingerprint: str
    """The first 16 hexadecimal digits of the digest."""
    digest: str
    """SHA-256 of the trimmed text."""
    text: str
    """The trimmed text."""
    source: str
    """Whom it came from, newest first seen."""
    turn: int
    """User events observed before it was last seen."""
    seq: int
    """The event it was last seen in."""
    count: int
    """How often it was seen."""
    restricts: bool
    """Whether it restricts or states a hazard, so that the held block shows it; else only a stub stands there."""
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True, repr=False)
class Review(Record):
    """Something for a person to decide. Give `handle` to `approve` or `reject`."""

    handle: str
    """Give this to `approve` or `reject`: it binds text, origin and trust as they were read."""
    kind: str
    """`held`, `promotion_overflow`, `lookalike`, `loosened` (done; to reject it undoes it), `loosening` (waits) or `unclear_change`
    (both are in force; to approve it replaces the older)."""
    text: str
    """The text in question."""
    source: str
    """Whom it came from."""
    trust: Trust
    """With which trust."""
    turn: int
    """User events observed before it."""
    about: str | None
    """The 16-digit name of the rule that it changes or would change."""
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True, repr=False)
class Change(Record):
    """One change of a rule, for the audit trail."""

    action: str
    """`supersede`, `revoke`, `approve` or `reject`."""
    fingerprint: str
    """The rule's 16-digit name."""
    by: str
    """Who did it."""
    source: str
    """In the name of which source."""
    turn: int
    """User events observed before."""


@dataclass(frozen=True, slots=True, repr=False)
class RulesDiff(Record):
    """What `set_rules` changed: names of rules."""

    declared: tuple[str, ...]
    """Names of the rules that are new."""
    kept: tuple[str, ...]
    """Names of the rules that were already in force."""
    revoked: tuple[str, ...]
    """Names of the rules that the source no longer has."""


@dataclass(frozen=True, slots=True, repr=False)
class Observed(Record):
    """One observed message: its place in the log, what was found in it, its price."""

    seq: int
    """Its place in the log."""
    flags: tuple[str, ...]
    """What was noticed, by stable names."""
    promoted: tuple[str, ...]
    """Names of the rules it put in force."""
    held: int
    """Rule-shaped external texts in it."""
    tokens: int
    """Its estimated price."""


@dataclass(frozen=True, slots=True, repr=False)
class Synced(Record):
    """How the host's list differs from what was known. `first_divergence` is an index of that list."""

    appended: int
    """Messages that are new at the end."""
    edited: int
    """Messages that stand where others were before."""
    removed: int
    """Messages that are gone."""
    first_divergence: int | None
    """First index of the host's list that is not as before."""
    seqs: tuple[int, ...]
    """The place in the log of each message given, from the first that was given on."""
    observed: tuple[Observed, ...]
    """What came of the messages that are new or edited."""
    _nested: ClassVar[Mapping[str, type[Record]]] = {"observed": Observed}


@dataclass(frozen=True, slots=True, repr=False)
class Verdict(Record):
    """Whether to compact now, and why. True where `compact` is."""

    compact: bool
    """Whether to compact now."""
    reason: str
    """`boundary:<name>`, `headroom_backstop`, `requested`, `overflow`, `continue`, `in_flight`, `no_progress` or `off`."""
    used: int
    """Tokens in use."""
    threshold: int
    """The threshold that decided: soft floor for a boundary, mechanical limit for a hard need, else the backstop."""

    def __bool__(self) -> bool:
        return self.compact


@dataclass(frozen=True, slots=True, repr=False)
class Request(Record):
    """One span to summarize. `prompt` (also `str(request)`) is ready to be sent to a model; `text` is what it is about."""

    id: str
    """The key of the answer in `commit`."""
    span: Span
    """First and last event, inclusive."""
    text: str
    """One JSON line per event: seq, turn, role, trust, text. Rules stand as markers."""
    prompt: str
    """Instructions and text, ready to be sent."""
    budget_tokens: int
    """Size of the summary in tokens; 1.25 times as much is still taken."""
    repeats: str | None = None
    """The request that this one repeats, to see whether both answers say the same."""
    _texts: ClassVar[tuple[str, ...]] = ("text", "prompt")

    def __str__(self) -> str:
        return self.prompt


@dataclass(frozen=True, slots=True, repr=False)
class Need(Record):
    """An original that a plan lacks. `digest` is its key in a store; None where only the list it came from can show it."""

    seq: int
    """Its place in the log."""
    digest: str | None
    """Digest of the host's message: its key in a store. None where a restore found only the chain over it."""


@dataclass(frozen=True, slots=True, repr=False)
class Plan(Record):
    """What a compaction will do. Plain data: store it with `to_json`, commit it later or in another process."""

    id: str
    """Digest of the plan itself."""
    reason: str
    """Why it is made."""
    requests: tuple[Request, ...]
    """What the host is asked to summarize."""
    needs: tuple[Need, ...]
    """Originals that are needed and not here: page them in and plan again. A plan that is committed as it is leaves the segments over
    them as they are, marked as degraded."""
    native: _core.Plan = field(compare=False)
    """The engine's own plan."""
    __match_args__ = ("id", "reason", "requests", "needs")
    _nested: ClassVar[Mapping[str, type[Record]]] = {"requests": Request, "needs": Need}

    @classmethod
    def of_native(cls, native: _core.Plan) -> Plan:
        """The plan as the engine made it."""
        wire = native.wire()
        requests = tuple(Request.of(request) for request in wire["requests"])
        return cls(wire["id"], wire["reason"], requests, tuple(Need.of(need) for need in wire["needs"]), native)

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Reads the stored form."""
        return cls.of_native(_core.Plan.from_json(text))

    def to_wire(self) -> dict[str, Any]:
        return self.native.wire()

    def to_json(self) -> str:
        return self.native.to_json()

    def __reduce__(self) -> tuple[Any, ...]:
        return Plan.from_json, (self.to_json(),)


@dataclass(frozen=True, slots=True, repr=False)
class Finding(Record):
    """Something a check found, and what was done about it. `about` is an id."""

    kind: str
    """A stable name, such as `summarizer_failed` or `block_imitation`."""
    about: str
    """The request, segment, rule or event it is about: an id, never a text."""
    repair: str
    """What was done: `extractive`, `removed`, `restored`, `appended`, `neutralized`, `kept`, `applied`, `held`, `notice`, `none`."""
    count: int
    """How often."""


@dataclass(frozen=True, slots=True, repr=False)
class Evidence(Record):
    """The sentence or identifier behind a finding of the last commit, at most 256 characters of it."""

    kind: str
    """As in the receipt's finding: `claim_forged`, `identifier_changed`, ..."""
    about: str
    """The request or the rule it is about."""
    repair: str
    """What was done."""
    text: str
    """The sentence or the identifier, at most 256 characters of it."""
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True, repr=False)
class Alarm(Record):
    """Something a person should know."""

    kind: str
    """`invariant_lost`, `window_over_size`, `rules_overflow`, `summary_dropped`, `boundary_ratio`, `untested_round` or `drift`."""
    severity: str
    """`page` or `warn`."""
    detail: str
    """What was measured, as a short text of numbers."""


@dataclass(frozen=True, slots=True, repr=False)
class RuleCounts(Record):
    """Rules by status."""

    declared: int
    """Declared and in force."""
    promoted: int
    """Promoted and in force."""
    held: int
    """Held external texts."""
    overflow: int
    """Promotions over budget."""


@dataclass(frozen=True, slots=True, repr=False)
class SegmentCounts(Record):
    """Segments by what a compaction did with them."""

    new: int
    """Made for newly folded events."""
    reused: int
    """Taken over byte for byte."""
    remade: int
    """Made anew from their events."""


@dataclass(frozen=True, slots=True, repr=False)
class Receipt(Record):
    """The record of one decision, "not now" included: sizes, ids, digests, findings and alarms."""

    round: int
    """Compactions committed so far, this one included."""
    outcome: Outcome
    """What came of it."""
    reason: str
    """Why: `boundary:task_completed`, `headroom_backstop`, `continue`, `in_flight`, ..."""
    method: Method
    """How the new summaries came about."""
    messages_in: int
    """Messages in the window before."""
    messages_out: int
    """Messages in the window after."""
    tokens_in: int
    """Tokens before."""
    tokens_out: int
    """Tokens after."""
    turn_index: int
    """User events observed so far."""
    rules: RuleCounts
    """Rules by status."""
    pinned_digest: str
    """SHA-256 of the pinned block; empty without rules."""
    stable_prefix_tokens: int
    """Tokens at the start of the window that are byte for byte as before."""
    segments: SegmentCounts
    """Segments by what was done with them."""
    covered: tuple[Span, ...]
    """Spans of events that the segments stand for, inclusive."""
    shortened: tuple[Span, ...]
    """Spans whose text had to be shortened before it was summarized, or is known by one line only."""
    items: dict[str, int]
    """Items of newly folded events by outcome: summarized, pinned, held, `task_state`, dropped, shortened, withheld."""
    findings: tuple[Finding, ...]
    """What the checks found."""
    degraded: tuple[Span, ...]
    """Spans known only through a summary whose originals are gone."""
    undeclared: dict[str, int]
    """Rule-shaped texts that nobody declared, by source. A name that is not the engine's own is told by its kind and its fingerprint:
    `tool:3e8f…` is a tool."""
    alarms: tuple[Alarm, ...]
    """What a person should know."""
    _nested: ClassVar[Mapping[str, type[Record]]] = {
        "rules": RuleCounts,
        "segments": SegmentCounts,
        "findings": Finding,
        "alarms": Alarm,
    }


@dataclass(frozen=True, slots=True, repr=False)
class Window(Record):
    """The rebuilt context. `messages` holds the host's own objects and ours; `system` is for shapes with a system slot."""

    messages: list[Any]
    """The messages in order: the host's own objects, and the few that are ours."""
    system: str | list[Any] | None
    """The system slot for shapes that have one: the host's own head as told by `overhead`, a blank line, the pinned block; a text, or
    a list of text blocks where the host's head is one. None where the block is among the messages."""
    pinned: str
    """The pinned block."""
    receipt: Receipt
    """The record of the decision this window came from."""
    _texts: ClassVar[tuple[str, ...]] = ("messages", "system", "pinned")

    def render(self, provider: Provider) -> dict[str, Any]:
        """The arguments that the SDK of a provider takes: the messages, and the system slot where it has one."""
        return render_request(provider, self.messages, system=self.system)


@dataclass(frozen=True, slots=True, repr=False)
class Segment(Record):
    """An accepted summary of one span of events."""

    id: str
    """Its name."""
    span: Span
    """First and last event, inclusive."""
    turns: Span
    """User turns of the first and the last event."""
    level: int
    """How often its events were summarized before."""
    text: str
    """The summary."""
    tokens: int
    """Estimated tokens."""
    trust: Trust
    """Lowest trust of what was summarized."""
    origin: Origin
    """How the text came about."""
    degraded: bool
    """Whether its originals are gone."""
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True, repr=False)
class Recalled(Record):
    """One original event. `presence` tells whether its text is in the log; elsewhere `text` is None."""

    seq: int
    """Its place in the log."""
    role: Role
    """Its role."""
    trust: Trust
    """Trust of the message as a whole."""
    source: str
    """Name of the producer."""
    turn: int
    """User events before it."""
    text: str | None
    """Its text; none where it is not here."""
    presence: Presence
    """Whether the text is here, paged out, or gone."""
    digest: str
    """Digest of the host's message: the key of the original in a store."""
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True, repr=False)
class RestoreVerdict(Record):
    """How a restored guard stands to the messages it was given."""

    outcome: str
    """`attached`, `longer`, `shorter` (cut at its end), `trimmed` (messages before the last that is known are gone), `edited`, `other`
    (nothing of it is known), `empty`, `detached` (no messages given) or `rebuilt`."""
    first_divergence: int | None
    """The first message, by its index, that is not known to be as before, where the list is `shorter`, `edited`, `other` or `empty`."""
    void: tuple[Span, ...]
    """Spans of the segments that the list no longer bears out: they are void, and their events stand whole again."""
    flags: tuple[str, ...]
    """What was noticed, by stable names."""
    seqs: tuple[int, ...]
    """The place in the log of each message given."""
