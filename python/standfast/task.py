"""The task state as records: goal, plan, decisions, open questions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from standfast.record import Record
from standfast.wire import Polarity, Trust


@dataclass(frozen=True, slots=True, repr=False)
class Entry(Record):
    """A text of the task state and the trust of who gave it."""

    text: str
    """The text."""
    trust: Trust
    """Trust of its producer."""
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True, repr=False)
class Decision(Record):
    """A decision with its reason."""

    what: str
    """What was decided."""
    why: str
    """Why."""
    polarity: Polarity
    """Accepted, rejected or deferred."""
    trust: Trust
    """Trust of its producer."""
    turn: int
    """User events observed before it."""
    _texts: ClassVar[tuple[str, ...]] = ("what", "why")


@dataclass(frozen=True, slots=True, repr=False)
class Question(Record):
    """A question nobody has answered yet. `id` closes it."""

    id: str
    """Names it for `close_question`."""
    text: str
    """The text."""
    trust: Trust
    """Trust of its producer."""
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True, repr=False)
class TaskState(Record):
    """Goal, plan, decisions and open questions."""

    goal: Entry | None
    """What is to be reached."""
    plan: tuple[Entry, ...]
    """The steps, in order."""
    decisions: tuple[Decision, ...]
    """What was decided, oldest first."""
    questions: tuple[Question, ...]
    """What is open."""
    opened: int
    """Questions opened so far, for their ids."""
    _nested: ClassVar[Mapping[str, type[Record]]] = {"goal": Entry, "plan": Entry, "decisions": Decision, "questions": Question}
