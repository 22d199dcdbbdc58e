"""What the guard hands out: frozen records of plain data.

A record's `repr` shows ids and counts, never a text; `to_json()` is the stored form, the same bytes in every language.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar

from standfast import _core
from standfast.provider import Provider, render_request
from standfast.wire import Method, Origin, Outcome, Polarity, Presence, Role, Status, Trust

_R = TypeVar("_R", bound="Record")
Span = tuple[int, int]


class Record:
    """Base of the records: reads and writes the wire form, hides texts in `repr`."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]]
    _texts: ClassVar[tuple[str, ...]] = ()
    _nested: ClassVar[Mapping[str, type[Record]]] = {}

    @classmethod
    def of(cls: type[_R], wire: Mapping[str, Any]) -> _R:
        """The record of a wire form. Fields that this version does not know are left out."""
        return cls(**{name: _read(wire[name], cls._nested.get(name)) for name in cls.__match_args__})

    def to_wire(self) -> dict[str, Any]:
        """The wire form as plain data."""
        return {name: _write(getattr(self, name)) for name in self.__match_args__}

    def to_json(self) -> str:
        """The stored form."""
        return json.dumps(self.to_wire(), ensure_ascii=False, separators=(",", ":"))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._shown())})"

    def _shown(self) -> Iterator[str]:
        for name in self.__match_args__:
            value = getattr(self, name)
            if name not in self._texts or value is None:
                yield f"{name}={value!r}"
            else:
                yield f"{name}=<{len(value)} {'characters' if isinstance(value, str) else 'items'}>"


def _read(value: Any, kind: type[Record] | None) -> Any:
    if isinstance(value, list):
        return tuple(_read(item, kind) for item in value)
    return kind.of(value) if kind is not None and value is not None else value


def _write(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_wire()
    return [_write(item) for item in value] if isinstance(value, tuple) else value


@dataclass(frozen=True, slots=True, repr=False)
class Rule(Record):
    """A rule of the registry. `fingerprint` is its name, `digest` its identity."""

    fingerprint: str
    digest: str
    text: str
    status: Status
    trust: Trust
    sources: tuple[str, ...]
    turn: int
    seqs: tuple[int, ...]
    principal: str | None
    scope: str | None
    inherited: bool
    pinned: bool
    replaced_by: str | None
    reason: str | None
    lookalike_of: str | None
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True, repr=False)
class Held(Record):
    """Rule-shaped external text, kept as data without authority."""

    fingerprint: str
    digest: str
    text: str
    source: str
    turn: int
    seq: int
    count: int
    restricts: bool
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True, repr=False)
class Review(Record):
    """Something for a person to decide. Give `handle` to `approve` or `reject`."""

    handle: str
    kind: str
    text: str
    source: str
    trust: Trust
    turn: int
    about: str | None
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True, repr=False)
class Change(Record):
    """One change of a rule, for the audit trail."""

    action: str
    fingerprint: str
    by: str
    source: str
    turn: int


@dataclass(frozen=True, slots=True, repr=False)
class RulesDiff(Record):
    """What `set_rules` changed: names of rules."""

    declared: tuple[str, ...]
    kept: tuple[str, ...]
    revoked: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Observed(Record):
    """One observed message: its place in the log, what was found in it, its price."""

    seq: int
    flags: tuple[str, ...]
    promoted: tuple[str, ...]
    held: int
    tokens: int


@dataclass(frozen=True, slots=True, repr=False)
class Synced(Record):
    """How the host's list differs from what was known. `first_divergence` is an index of that list."""

    appended: int
    edited: int
    removed: int
    first_divergence: int | None
    seqs: tuple[int, ...]
    observed: tuple[Observed, ...]
    _nested: ClassVar[Mapping[str, type[Record]]] = {"observed": Observed}


@dataclass(frozen=True, slots=True, repr=False)
class Verdict(Record):
    """Whether to compact now, and why. True where `compact` is."""

    compact: bool
    reason: str
    used: int
    threshold: int

    def __bool__(self) -> bool:
        return self.compact


@dataclass(frozen=True, slots=True, repr=False)
class Request(Record):
    """One span to summarize. `prompt` (also `str(request)`) is ready to be sent to a model; `text` is what it is about."""

    id: str
    span: Span
    text: str
    prompt: str
    budget_tokens: int
    repeats: str | None = None
    """The request that this one repeats, to see whether both answers say the same."""
    _texts: ClassVar[tuple[str, ...]] = ("text", "prompt")

    def __str__(self) -> str:
        return self.prompt


@dataclass(frozen=True, slots=True, repr=False)
class Need(Record):
    """An original that a plan lacks. `digest` is its key in a store; None where only the list it came from can show it."""

    seq: int
    digest: str | None


@dataclass(frozen=True, slots=True, repr=False)
class Plan(Record):
    """What a compaction will do. Plain data: store it with `to_json`, commit it later or in another process."""

    id: str
    reason: str
    requests: tuple[Request, ...]
    needs: tuple[Need, ...]
    native: _core.Plan = field(compare=False)
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
    about: str
    repair: str
    count: int


@dataclass(frozen=True, slots=True, repr=False)
class Evidence(Record):
    """The sentence or identifier behind a finding of the last commit, at most 256 characters of it."""

    kind: str
    about: str
    repair: str
    text: str
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True, repr=False)
class Alarm(Record):
    """Something a person should know."""

    kind: str
    severity: str
    detail: str


@dataclass(frozen=True, slots=True, repr=False)
class RuleCounts(Record):
    """Rules by status."""

    declared: int
    promoted: int
    held: int
    overflow: int


@dataclass(frozen=True, slots=True, repr=False)
class SegmentCounts(Record):
    """Segments by what a compaction did with them."""

    new: int
    reused: int
    remade: int


@dataclass(frozen=True, slots=True, repr=False)
class Receipt(Record):
    """The record of one decision, "not now" included: sizes, ids, digests, findings and alarms."""

    round: int
    outcome: Outcome
    reason: str
    method: Method
    messages_in: int
    messages_out: int
    tokens_in: int
    tokens_out: int
    turn_index: int
    rules: RuleCounts
    pinned_digest: str
    stable_prefix_tokens: int
    segments: SegmentCounts
    covered: tuple[Span, ...]
    shortened: tuple[Span, ...]
    items: dict[str, int]
    findings: tuple[Finding, ...]
    degraded: tuple[Span, ...]
    undeclared: dict[str, int]
    alarms: tuple[Alarm, ...]
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
    system: str | list[Any] | None
    pinned: str
    receipt: Receipt
    _texts: ClassVar[tuple[str, ...]] = ("messages", "system", "pinned")

    def render(self, provider: Provider) -> dict[str, Any]:
        """The arguments that the SDK of a provider takes: the messages, and the system slot where it has one."""
        return render_request(provider, self.messages, system=self.system)


@dataclass(frozen=True, slots=True, repr=False)
class Segment(Record):
    """An accepted summary of one span of events."""

    id: str
    span: Span
    turns: Span
    level: int
    text: str
    tokens: int
    trust: Trust
    origin: Origin
    degraded: bool
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True, repr=False)
class Recalled(Record):
    """One original event. `presence` tells whether its text is in the log; elsewhere `text` is None."""

    seq: int
    role: Role
    trust: Trust
    source: str
    turn: int
    text: str | None
    presence: Presence
    digest: str
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True, repr=False)
class Entry(Record):
    """A text of the task state and the trust of who gave it."""

    text: str
    trust: Trust
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True, repr=False)
class Decision(Record):
    """A decision with its reason."""

    what: str
    why: str
    polarity: Polarity
    trust: Trust
    turn: int
    _texts: ClassVar[tuple[str, ...]] = ("what", "why")


@dataclass(frozen=True, slots=True, repr=False)
class Question(Record):
    """A question nobody has answered yet. `id` closes it."""

    id: str
    text: str
    trust: Trust
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True, repr=False)
class TaskState(Record):
    """Goal, plan, decisions and open questions."""

    goal: Entry | None
    plan: tuple[Entry, ...]
    decisions: tuple[Decision, ...]
    questions: tuple[Question, ...]
    opened: int
    _nested: ClassVar[Mapping[str, type[Record]]] = {"goal": Entry, "plan": Entry, "decisions": Decision, "questions": Question}


@dataclass(frozen=True, slots=True, repr=False)
class RestoreVerdict(Record):
    """How a restored guard stands to the messages it was given."""

    outcome: str
    first_divergence: int | None
    void: tuple[Span, ...]
    flags: tuple[str, ...]
    seqs: tuple[int, ...]
