"""One conversation in memory: the guard, and the host's list that it was fed with.

The list is compared with what is known at every call. The same objects cost a look at their identity and their text; other
objects with equal fields, as a checkpointer gives them, one comparison each.
"""

from __future__ import annotations

import hashlib
import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import is_
from typing import Any

from standfast import _core
from standfast._thread.ledger import Key
from standfast._thread.reading import USUAL, Reader, Reading
from standfast.guard import Guard
from standfast.mirror import copied
from standfast.records import Receipt

RECEIPTS = 32
"""Receipts of compactions that are kept."""
LOOKED_AT = 64
"""Last messages whose texts are compared at every call. Those of all others are when a run begins, and after a pause."""
NOTHING = hashlib.sha256(b"standfast.prefix").hexdigest()
"""Digest of no messages."""


class Conversation:
    """A guard and its list. `lock` is held while either is used."""

    def __init__(self, guard: Guard, reader: Reader) -> None:
        self.guard = guard
        self.lock = threading.RLock()
        self.key: Key | None = None
        self.receipts: deque[dict[str, Any]] = deque(maxlen=RECEIPTS)
        self.given: Any = None
        """The rules and the policy it was told last."""
        self.asked: set[str] = set()
        self.committed = False
        """Whether something was compacted that is not written yet."""
        self.probed = 0
        """Up to which length the store was asked for entries."""
        self.multi = False
        """Whether several agents speak here."""
        self._reader = reader
        self._messages: list[Any] = []
        self._contents: list[Any] = []
        self._answers: list[int] = []
        """Places of the answers, and in the next their calls and the names they sign with, where the reader tells these."""
        self._calls: list[Any] = []
        self._names: dict[str, int] = {}
        self._told = 0
        """How many messages the guard was told of."""
        self._index: dict[int, int] | None = None
        self._looked: tuple[Sequence[Any], int] | None = None
        self._readings: list[Reading] = []
        self._chain = [NOTHING]
        self._sent: tuple[Any, Any] | None = None
        self._registry: Any = None

    def __len__(self) -> int:
        return len(self._messages)

    @property
    def messages(self) -> Sequence[Any]:
        """The list as it is known."""
        return self._messages

    @property
    def readings(self) -> Sequence[Reading]:
        """What the engine was told of each message."""
        return self._readings

    def ids(self) -> frozenset[str]:
        """The names by which the framework knows the messages."""
        return frozenset(self.ids_of(self._messages))

    def ids_of(self, messages: Sequence[Any]) -> list[str]:
        """Those of other messages."""
        return [name for name in map(self._reader.id_of, messages) if name is not None]

    def silent(self) -> list[int]:
        """Places of other compactors' summaries in front of all, which are shown though the engine is not told of them."""
        found = []
        for at, reading in enumerate(self._readings):
            if reading.silent:
                found.append(at)
            elif reading.wire.get("role") not in ("system", "developer"):
                break
        return found

    def known(self, messages: Sequence[Any], *, whole: bool = True) -> int:
        """How many messages at the beginning are as they were. Unless `whole`, objects that are the same are taken for unchanged,
        but for the last ones."""
        if self._looked is not None and self._looked[0] is messages:
            return self._looked[1]
        messages, given = list(messages), messages
        n = min(len(messages), len(self._messages))
        if not self._same(messages[:n], n, whole):
            n = next((at for at in range(n) if not self._is_as_it_was(messages, at)), n)
        self._looked = (given, n)
        return n

    def looked(self) -> None:
        """What was compared may be changed from now on."""
        self._looked = None

    def _same(self, messages: Sequence[Any], n: int, whole: bool) -> bool:
        """Whether all are the same objects, or equal ones, and none was changed in place. At the speed of comparing lists."""
        start = 0 if whole or not all(map(is_, messages, self._messages)) else max(0, n - LOOKED_AT)
        try:
            if messages[start:] != self._messages[start:n] or list(map(self._reader.content, messages[start:])) != self._contents[start:n]:
                return False
            if self._reader.calls is None:
                return True
            first, end = bisect_left(self._answers, start), bisect_left(self._answers, n)
            answers = map(messages.__getitem__, self._answers[first:end])
            return list(map(self._reader.calls, answers)) == self._calls[first:end]
        except Exception:  # something that cannot be compared: one by one
            return False

    def _is_as_it_was(self, messages: Sequence[Any], at: int) -> bool:
        return self._reader.read(messages[: at + 1], at)[0] == self._readings[at]

    def sync(self, messages: Sequence[Any]) -> int:
        """Takes the host's whole list. Returns the index of the first message that is new or other."""
        known = self.known(messages)
        if known == len(self._messages) == len(messages):
            self._take(known, messages, [])
            return known
        rest = self._reader.read(messages, known, {name for name, at in self._names.items() if at < known})
        groups = groupby(rest, key=lambda reading: reading.said)
        if known == len(self._messages) and self._told == len(self.guard._mirror):
            for said, group in groups:
                self.guard._grown(len(self.guard._mirror), wires_of(group), trust=said.trust)
        else:
            if known < len(self._messages):
                self._diverge(known, rest)
            wires = wires_of(self._readings[:known])
            for said, group in groups:
                wires += wires_of(group)
                self.guard.sync(wires, trust=said.trust)
        self._take(known, messages, rest)
        return known

    def _diverge(self, known: int, rest: Sequence[Reading]) -> None:
        """Tells the guard first what is gone, so that what is new can follow with its own trust."""
        if all(reading.said == USUAL for reading in rest):
            self.guard.sync(wires_of([*self._readings[:known], *rest]))
            return
        old, at, same = [reading.wires for reading in self._readings], known, known
        for reading in rest:
            if reading.wires not in old[at:]:
                break
            at, same = old.index(reading.wires, at) + 1, same + 1
        self.guard.sync(wires_of([*self._readings[:known], *rest[: same - known]]))

    def take(self, messages: Sequence[Any], readings: Sequence[Reading]) -> None:
        """Takes messages as known that the guard has been told of."""
        self._take(0, messages, readings)

    def under(self, guard: Guard) -> Conversation:
        """The same conversation with another guard, which has been told of all its messages."""
        other = Conversation(guard, self._reader)
        other.take(self._messages, self._readings)
        other.key, other.multi, other.probed, other.asked = self.key, self.multi, self.probed, self.asked
        other.committed, other._registry, other._sent = self.committed, self._registry, None
        other.receipts.extend(self.receipts)
        return other

    def _take(self, known: int, messages: Sequence[Any], rest: Sequence[Reading]) -> None:
        if known < len(self._readings):
            self._index = None
            end = bisect_left(self._answers, known)
            del self._answers[end:], self._calls[end:]
            self._names = {name: at for name, at in self._names.items() if at < known}
            self._told = len(wires_of(self._readings[:known]))
        # of objects made anew all is kept anew: texts that are shared with them are found equal by identity
        start = known if all(map(is_, messages[:known], self._messages)) else 0
        self._messages = list(messages)
        self._readings[known:] = rest
        self._told += len(wires_of(rest))
        self._contents[start:] = [_copied(self._reader.content(message)) for message in messages[start:]]
        if self._reader.calls is not None:
            self._keep_answers(messages, known, start)
        if self._index is not None:
            self._index.update(_places(rest, known))
        del self._chain[known + 1 :]
        self._looked = None

    def _keep_answers(self, messages: Sequence[Any], known: int, start: int) -> None:
        assert self._reader.calls is not None
        first = bisect_left(self._answers, start)
        self._calls[first:] = [copied(self._reader.calls(messages[at])) for at in self._answers[first:]]
        for at, message in enumerate(messages[known:], known):
            if self._reader.is_answer(message):
                self._answers.append(at)
                self._calls.append(copied(self._reader.calls(message)))
                for name in self._reader.names((message,)):
                    self._names.setdefault(name, at)

    def prefixes(self) -> list[str]:
        """Digests of the beginnings of the list: that of the first `n` messages at `n`."""
        for reading in self._readings[len(self._chain) - 1 :]:
            self._chain.append(_linked(self._chain[-1], reading))
        return list(self._chain)

    def prefixes_of(self, messages: Sequence[Any]) -> list[str]:
        """Those of a list that this one is the beginning of."""
        chain = self.prefixes()
        for reading in self._reader.read(messages, len(self)):
            chain.append(_linked(chain[-1], reading))
        return chain

    def index_of(self) -> dict[int, int]:
        """The place in the list of each object that the guard was fed with; of what is no message of its own, -1."""
        if self._index is None:
            self._index = dict(_places(self._readings, 0))
        return self._index

    @property
    def untold(self) -> bool:
        """Whether the guard knows nothing yet of what is sent beside the messages."""
        return self._sent is None

    def tell(self, system: Any, tools: Any) -> bool:
        """Tells the guard what is sent beside the messages, where that has changed."""
        if (system, tools) == self._sent:
            return False
        self.guard.overhead(system=system, tools=tools)
        self._sent = (system, tools)
        return True

    def changed(self) -> bool:
        """Whether the rules are others than when the state was last written."""
        return bool(self._mark() != self._registry)

    def written(self, key: Key) -> None:
        """The state lies under `key`."""
        self.key, self.committed = key, False
        self.settle()

    def settle(self) -> None:
        """The rules as they are now need not be written."""
        self._registry = self._mark()

    def _mark(self) -> Any:
        core = self.guard._core
        return [(rule["digest"], rule["status"]) for rule in core.all_rules()], len(core.changes())

    def note(self, receipt: Receipt) -> None:
        """Keeps the receipt of a compaction."""
        self.receipts.append(receipt.to_wire())


def wires_of(readings: Iterable[Reading]) -> list[dict[str, Any]]:
    """All that the engine is given of some messages."""
    return [wire for reading in readings for wire in reading.wires]


def _linked(before: str, reading: Reading) -> str:
    digests = [_core.stored_message(wire)[0] for wire in reading.wires]
    return hashlib.sha256("\0".join([before, *digests, str(reading.said.trust)]).encode()).hexdigest()


def _places(readings: Sequence[Reading], start: int) -> Iterator[tuple[int, int]]:
    for at, reading in enumerate(readings, start):
        yield id(reading.wire), at
        for wire in reading.after:
            yield id(wire), -1


def _copied(content: Any) -> Any:
    """What is kept of a text or of blocks, to see a change in place: texts are shared, lists copied."""
    return content if isinstance(content, str) else copied(content)
