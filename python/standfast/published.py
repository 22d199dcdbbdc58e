"""The functional core of the published guide: plain functions over plain items, without a guard.

    import standfast as sf

    ctx = sf.AgentContext([sf.classify("Patient is allergic to penicillin.", "patient_record", 0)])
    ctx.items.append(sf.classify("Called get_batch(1); returned 412 rows.", "tool:db", 1))
    messages = sf.compact(ctx, {"goal": "Settle March"}, summarize, 1)
    sf.assert_invariants_present(messages, ctx.items)

A guard does the same with a history, budgets and authority; use these where the host keeps its own context.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum, IntEnum
from typing import Any, ClassVar, Literal, cast

from standfast import _core
from standfast.record import Record
from standfast.wire import Trust

_CONSTANTS: Mapping[str, Any] = _core.published("constants", {})

INVARIANT_SOURCES: frozenset[str] = frozenset(_CONSTANTS["INVARIANT_SOURCES"])
"""Sources whose text is always a rule."""
CONSTRAINT_SHAPED: re.Pattern[str] = re.compile(_CONSTANTS["CONSTRAINT_SHAPED"])
"""What makes a text rule-shaped. The engine's own matcher follows it and knows some exceptions."""
DISCARDABLE_SHAPED: re.Pattern[str] = re.compile(_CONSTANTS["DISCARDABLE_SHAPED"])
"""What makes a text discardable, at its start."""
PINNED_HEADER: str = _CONSTANTS["PINNED_HEADER"]
"""First line of the pinned block."""
PINNED_FOOTER: str = _CONSTANTS["PINNED_FOOTER"]
"""Last line of the pinned block."""

Standing = Literal["declared", "promoted", "held"]
SummarizeText = Callable[[str], str | None]


class Tier(IntEnum):
    """Retention of an item."""

    INVARIANT = 0
    TASK_STATE = 1
    EPISODIC = 2
    DISCARDABLE = 3


class Boundary(str, Enum):
    """A semantic seam. Where one is asked for, its name as a string does as well."""

    NONE = "none"
    TASK_COMPLETED = "task_completed"
    TOOL_PHASE_CHANGE = "tool_phase_change"
    SUBGOAL_CLOSED = "subgoal_closed"
    PLAN_REVISED = "plan_revised"
    TASK_DONE = "task_completed"
    PHASE_CHANGE = "tool_phase_change"
    SUBGOAL_DONE = "subgoal_closed"

    def __str__(self) -> str:
        return str(self.value)


@dataclasses.dataclass(frozen=True, repr=False)
class ContextItem(Record):
    """One text with its tier. `status` is the authority of a T0 item; held text is data and never pinned."""

    text: str
    tier: Tier
    source: str
    turn: int
    declared: bool = False
    status: Standing | None = None
    _texts: ClassVar[tuple[str, ...]] = ("text",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "tier", _tier(self.tier))

    @property
    def fingerprint(self) -> str:
        """The first 16 hexadecimal digits of the SHA-256 of the trimmed text."""
        return cast(str, _core.published("fingerprint", {"text": self.text})["fingerprint"])

    def to_wire(self) -> dict[str, Any]:
        return {**Record.to_wire(self), "tier": int(self.tier)}


@dataclasses.dataclass(frozen=True, repr=False)
class ReviewFlag(Record):
    """A rule-shaped text that nobody declared, for a person to look at."""

    kind: str
    fingerprint: str
    text: str
    source: str
    trust: Trust
    turn: int
    cue: str
    _texts: ClassVar[tuple[str, ...]] = ("text",)


def classify(text: str, source: str, turn: int, review_sink: Any = None, *, trust: Trust | None = None) -> ContextItem:
    """Sorts one text.

    `review_sink` takes a `ReviewFlag` for rule-shaped text of a source that declares nothing: a callable, or anything
    with `append`. `trust` may lower the trust of a source, and sets it for the names of roles (`user`, `assistant`); more than
    a source can have it does not get.
    """
    found = _core.published("classify", {"text": text, "source": source, "turn": turn, "trust": trust})
    if review_sink is not None and found["review"] is not None:
        take = review_sink if callable(review_sink) else review_sink.append
        take(ReviewFlag.of(found["review"]))
    return ContextItem.of(found["item"])


class AgentContext:
    """The items of a run."""

    def __init__(self, items: Iterable[ContextItem] = ()) -> None:
        self.items: list[ContextItem] = list(items)

    def of(self, tier: Tier | int) -> list[ContextItem]:
        """The items of a tier, as they come."""
        return [item for item in self.items if item.tier == tier]

    @property
    def invariants(self) -> list[ContextItem]:
        """The T0 items in the order of the pinned block, held ones included."""
        places = _core.published("order", {"items": _items(self.items)})
        return [self.items[place] for place in places]

    def __repr__(self) -> str:
        return f"AgentContext(<{len(self.items)} items>)"


def render_pinned_block(items: AgentContext | Iterable[ContextItem]) -> str:
    """The pinned block of the declared and promoted T0 items; empty without any."""
    return cast(str, _core.published("render_pinned_block", {"items": _items(items)}))


def render_task_state(state: Any) -> str:
    """The task state as text.

    `state` has `goal`, `plan`, `decisions` and `open_questions`, as keys or as attributes; a guard's task state does too. A
    decision has `what`, `why` and `polarity`, or is `(what, why)` or `(what, why, polarity)`.
    """
    return cast(str, _core.published("render_task_state", {"state": _state(state)}))


def compact(ctx: AgentContext, state: Any, summarize: SummarizeText | None, round_no: int) -> list[dict[str, str]]:
    """The messages of a compacted context: pinned block and task state as system messages, the summary as a user message.

    `summarize` is given the texts of the T2 items, one below the other, and returns their summary; where it is `None`, or
    returns `None`, the built-in extractive one stands. T3 items leave `ctx.items`, T2 items stay in it: the next summary is
    made from them again, never from this one.
    """
    items = _items(ctx)
    text = _core.published("compact_begin", {"items": items})["text"]
    summary = _text(summarize(text)) if text is not None and summarize is not None else None
    done = _core.published("compact_finish", {"items": items, "state": _state(state), "summary": summary, "round_no": round_no})
    ctx.items = [item for item in ctx.items if item.tier != Tier.DISCARDABLE]
    return cast(list[dict[str, str]], done["messages"])


def assert_invariants_present(messages: Sequence[Mapping[str, Any]], items: AgentContext | Iterable[ContextItem]) -> None:
    """Raises `InvariantLost` unless the pinned block of `items` stands once, byte for byte, in the system messages.

    `details["missing"]` names the fingerprints.
    """
    _core.published("assert_invariants_present", {"messages": list(messages), "items": _items(items)})


@dataclasses.dataclass(frozen=True)
class TriggerPolicy:
    """When to compact, from sizes alone."""

    window_tokens: int
    pinned_block_tokens: int
    summary_budget_tokens: int
    max_tool_result_tokens: int
    quality_fraction: float = 0.60
    soft_floor_fraction: float = 0.30

    def __post_init__(self) -> None:
        self._limits()

    @property
    def mechanical(self) -> int:
        """Beyond this the next request may not fit."""
        return self._limits()["mechanical"]

    @property
    def backstop(self) -> int:
        """The smaller of `mechanical` and the window times `quality_fraction`."""
        return self._limits()["backstop"]

    @property
    def soft_floor(self) -> int:
        """No boundary compacts below."""
        return self._limits()["soft_floor"]

    def should_compact(self, used_tokens: int, boundary: Boundary | str = Boundary.NONE) -> tuple[bool, str]:
        """Whether to compact now, and why: `boundary:<name>`, `headroom_backstop` or `continue`."""
        name = boundary.value if isinstance(boundary, Boundary) else boundary
        answer = _core.published("should_compact", {"policy": dataclasses.asdict(self), "used": used_tokens, "boundary": name})
        return answer["compact"], answer["reason"]

    def _limits(self) -> dict[str, int]:
        return cast(dict[str, int], _core.published("trigger_limits", {"policy": dataclasses.asdict(self)}))


@dataclasses.dataclass(frozen=True, repr=False)
class SessionRequest(Record):
    """What the summarizer of `compact_session` is given: `prompt` is ready to send."""

    text: str
    prompt: str
    budget_tokens: int
    summary_schema: Any
    covered_ranges: tuple[tuple[int, int], ...]
    _texts: ClassVar[tuple[str, ...]] = ("text", "prompt")


def compact_session(
    source_events: Iterable[Any],
    prior_summary: Any,
    budget_tokens: int,
    summary_schema: Any,
    summarize: Callable[[SessionRequest], Any] | None = None,
) -> dict[str, Any]:
    """One checked summary of one span of source events.

    An event is a string, or has `text` and, where it has a place of its own, `offset`. The prior summary is never shown to
    the summarizer; its `covered_ranges` and the events must leave no offset out. `summarize` returns a string or a mapping
    with `summary` and `decisions`; without one the built-in extractive summary stands. What is unsound is a
    `CompactionInvariantError` with the code of the first check that failed.
    """
    session = {
        "source_events": [_plain(event) for event in source_events],
        "prior_summary": _plain(prior_summary),
        "budget_tokens": budget_tokens,
        "summary_schema": summary_schema,
    }
    request = SessionRequest.of(_core.published("session_begin", {"session": session}))
    summary = _plain(summarize(request)) if summarize is not None else None
    return cast(dict[str, Any], _core.published("session_finish", {"session": session, "summary": summary}))


def _tier(value: Any) -> Tier:
    try:
        return Tier(value)
    except ValueError:
        raise _core.error_of("invalid_argument", "an item's `tier` is 0, 1, 2 or 3") from None


def _items(items: AgentContext | Iterable[ContextItem]) -> list[dict[str, Any]]:
    listed = items.items if isinstance(items, AgentContext) else list(items)
    if not all(isinstance(item, ContextItem) for item in listed):
        raise _core.error_of("invalid_argument", "`items` holds something that is no ContextItem")
    return [item.to_wire() for item in listed]


def _text(value: Any) -> str | None:
    if value is not None and not isinstance(value, str):
        raise _core.error_of("summary_not_text", f"the summarizer returned a value of type `{type(value).__name__}`")
    return value


def _plain(value: Any) -> Any:
    """Records, dataclasses and other objects with attributes as plain data."""
    if isinstance(value, Record):
        return value.to_wire()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if value is None or isinstance(value, (str, int, float, bool, Mapping, list, tuple)):
        return value
    return vars(value) if hasattr(value, "__dict__") else value


_STATE_FIELDS = ("goal", "plan", "decisions", "open_questions", "questions")


def _state(state: Any) -> Any:
    if state is None or isinstance(state, Mapping):
        fields = dict(state or {})
    else:
        fields = {name: getattr(state, name) for name in _STATE_FIELDS if hasattr(state, name)}
    return {name: [_plain(v) for v in value] if isinstance(value, (list, tuple)) else _plain(value) for name, value in fields.items()}
