"""How a framework's messages are read for the engine: the wire form of each, and who is to be believed."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from standfast.wire import Shape, Trust

TrustHook = Callable[[Any], Trust | None]

RECALL = "recall_conversation"
"""Name of the recall tool."""


class Said(NamedTuple):
    """What the engine is told beside a message. None is what follows from the role."""

    trust: Trust | None = None


USUAL = Said()


class Reading(NamedTuple):
    """One message as the engine reads it."""

    wire: dict[str, Any]
    said: Said
    after: tuple[dict[str, Any], ...] = ()
    """What people said in deciding about the batch of calls that this message ends: a user's words of their own."""

    silent: bool = False
    """Whether it is another compactor's summary in front of all: shown where it stands, but no event of the log (T5)."""

    @property
    def wires(self) -> tuple[dict[str, Any], ...]:
        """All that the engine is given of it."""
        return () if self.silent else (self.wire, *self.after)


class Reader(ABC):
    """Reads a framework's messages."""

    shape: Shape = "openai"
    """The shape of the wire forms."""

    content: Callable[[Any], Any]
    """What of a message may be changed in place."""

    calls: Callable[[Any], Any] | None = None
    """The calls of an answer, where they are no part of its content."""

    @abstractmethod
    def read(self, messages: Sequence[Any], start: int = 0, names: AbstractSet[str] | None = None) -> list[Reading]:
        """How the messages from `start` on are read. What a message is depends on those before it alone; `names` are those by which
        agents sign the ones before `start`, where that is known."""

    @abstractmethod
    def id_of(self, message: Any) -> str | None:
        """The name by which the framework knows a message."""

    @abstractmethod
    def is_answer(self, message: Any) -> bool:
        """Whether an agent said it."""

    def names(self, messages: Iterable[Any]) -> frozenset[str]:
        """The names by which agents sign their messages."""
        return frozenset()

    def seam(self, messages: Sequence[Any], marks: Mapping[str, str]) -> str | None:
        """The boundary at which a list ends, if it ends at one."""
        return None


def plain(value: Any) -> Any:
    """A value as JSON has it; what it has not is named by its type, never by its bytes."""
    if value is None or isinstance(value, str | int | float | bool):
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return [plain(item) for item in value]
    return f"<{type(value).__name__}>"


def to_json(value: Any) -> str:
    """Stored form of plain data."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
