"""The steps of a conversation: find its state, take the list in, compact, write the state.

Each is a step in the sense of `effects`. A conversation's lock is held while the guard is used, never while something is
waited for.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from standfast import _core
from standfast._thread import ledger, paid
from standfast._thread.cache import Cache
from standfast._thread.conversation import Conversation, wires_of
from standfast._thread.effects import Get, Put, Step
from standfast._thread.ledger import Entry, Key, Place
from standfast._thread.reading import Reader
from standfast._thread.rules import INHERITED, SOURCE
from standfast._thread.summarizing import ATTEMPTS, TIMEOUT
from standfast.errors import ShapeError, SnapshotError, StalePlan
from standfast.guard import Guard
from standfast.records import Window

log = logging.getLogger("standfast.thread")
Asked = Literal["requested", "overflow"]
ROUNDS = 4
"""How often a conversation begins again because another worker was first."""


_TOLD_ANEW = frozenset({SOURCE, INHERITED, "head_constraints"})
"""Sources that the host tells again at each load; the last is the system prompt's own fence."""


class StateNotPersisted(UserWarning):
    """A thread has a history, and nothing that standfast knew of it is left."""


@dataclass(frozen=True)
class Given:
    """What the host says now: policy, rules, and what parent agents hand down."""

    policy: Mapping[str, Any]
    rules: tuple[str, ...]
    inherited: tuple[str, ...] | None
    """None where this agent inherits nothing by design; else what is handed down now."""
    multi: bool = False
    """Whether several agents speak."""

    @property
    def by_source(self) -> dict[str, Sequence[str]]:
        """The rules of each source of ours."""
        sources: dict[str, Sequence[str]] = {SOURCE: self.rules}
        if self.inherited is not None:
            sources[INHERITED] = self.inherited
        return sources


class Cycle:
    """The steps, with what they share."""

    def __init__(self, reader: Reader, cache: Cache, on_bad_state: Literal["rebuild", "raise"] | None) -> None:
        self._reader = reader
        self._cache = cache
        self._on_bad_state = on_bad_state

    # Finding the state.

    def load(
        self, place: Place, messages: Sequence[Any], key: Key | None, given: Given, *, fresh: bool, whole: bool, durable: bool
    ) -> Step[Conversation]:
        """The conversation that a list belongs to, from memory, from the store, or begun anew."""
        found = self._cache.find(place, key, messages, whole=whole)
        entry, answered = None, True
        if found is None:
            readings = self._reader.read(messages)
            probe = Conversation(Guard({**given.policy}, shape=self._reader.shape), self._reader)
            probe.take(messages, readings)
        else:
            probe = found
        if key is not None and (found is None or fresh):
            entry, answered = yield from ledger.newest(key.entry, key.version)
        if found is None or fresh or key is None:
            beyond = entry.key.length if entry is not None else 0
            if found is not None:  # only what others may have written meanwhile
                beyond = max(beyond, len(messages) - ledger.PREFIXES if fresh else found.probed)
            longer, reached = yield from ledger.longest(place, self._prefixes(probe, messages), beyond)
            entry, answered = longer or entry, answered and reached
            if found is not None:
                found.probed = len(messages)
        if found is not None and (entry is None or _knows(found, entry)):
            return found
        akin = self._cache.akin(place, key, messages) if found is None else None
        if akin is not None and (entry is None or _knows(akin, entry)):
            conversation = self.copied(akin, given)  # edited or trimmed: the guard itself knows best what still holds
        elif entry is None:
            if found is None:
                self._warn(place, messages, key, answered, durable)
            conversation = self._begun(given)
        else:
            conversation = yield from self._restored(entry, probe, messages, given)
        conversation.probed = len(messages)
        self._cache.add(place, conversation)
        return conversation

    @staticmethod
    def _prefixes(probe: Conversation, messages: Sequence[Any]) -> list[str]:
        with probe.lock:
            return probe.prefixes_of(messages)

    def _warn(self, place: Place, messages: Sequence[Any], key: Key | None, answered: bool, durable: bool) -> None:
        if key is not None and key.by_hand and self._on_bad_state != "rebuild":
            code = "log_expired" if answered else "snapshot_unreadable"
            raise _core.error_of(code, f"the state of this thread is not in the store, and {key.by_hand} rules declared by hand with it")
        history = any(map(self._reader.is_answer, messages))
        if history and (key is not None or (place.thread is not None and not durable)):
            text = "this thread has a history, and its state is neither in the store nor in this process [state_not_persisted]"
            warnings.warn(f"{text}: give `store=`", StateNotPersisted, stacklevel=2)

    def _begun(self, given: Given) -> Conversation:
        conversation = Conversation(Guard({**given.policy}, shape=self._reader.shape), self._reader)
        self._declare(conversation, given)
        conversation.settle()
        return conversation

    def _restored(self, entry: Entry, probe: Conversation, messages: Sequence[Any], given: Given) -> Step[Conversation]:
        try:
            needed = _core.Guard.texts_needed(entry.snapshot)
            texts = (yield Get(needed)) if needed else {}
            return self._attached(entry, probe, messages, given, texts or {})
        except (SnapshotError, ShapeError) as error:  # texts that the store has lost are a matter of the log's shape
            bad = self._on_bad_state or ("raise" if entry.key.by_hand else "rebuild")
            if bad == "raise":
                raise
            text = f"the state of this thread cannot be used ({error.code}) [state_not_persisted]: it is made anew from the messages"
            warnings.warn(text, StateNotPersisted, stacklevel=2)
            return self._begun(given)

    def _attached(self, entry: Entry, probe: Conversation, messages: Sequence[Any], given: Given, texts: Mapping[str, str]) -> Conversation:
        readings = self._reader.read(messages)
        prefixes = self._prefixes(probe, messages)
        same = entry.key.length < len(prefixes) and entry.prefix == prefixes[entry.key.length]
        known = readings[: entry.key.length] if same else []
        wires = wires_of(known) if same else None
        guard = Guard._restore(entry.snapshot, wires, None, texts, given.by_source, None, None, "raise", {**given.policy})
        conversation = Conversation(guard, self._reader)
        conversation.given = given
        conversation.receipts.extend(entry.receipts)
        conversation.written(entry.key)
        if same:
            conversation.take(messages[: entry.key.length], known)
        else:  # edited or trimmed: the engine finds out what still holds, and it wants the whole list for that
            lowered = any(reading.said.trust is not None for reading in readings)
            guard.sync(wires_of(readings), trust="external" if lowered else None)
            conversation.take(messages, readings)
        return conversation

    # Taking in what is new.

    def advance(self, conversation: Conversation, messages: Sequence[Any], given: Given, marks: Mapping[str, str]) -> None:
        """Tells the guard the host's rules and list, and the seam at its end."""
        with conversation.lock:
            if given != conversation.given:
                self._declare(conversation, given)
            new = conversation.sync(messages)
            if new < len(messages) and (boundary := self._reader.seam(messages, marks)) is not None:
                conversation.guard.boundary(boundary)

    def _declare(self, conversation: Conversation, given: Given) -> None:
        for source, texts in given.by_source.items():
            conversation.guard.set_rules(source, texts)
        conversation.given = given

    def repolicied(self, place: Place, conversation: Conversation, given: Given) -> Conversation:
        """The same conversation under another policy, a smaller window for example."""
        other = self.copied(conversation, given)
        self._cache.replace(place, conversation, other)
        return other

    def copied(self, conversation: Conversation, given: Given) -> Conversation:
        """The same conversation with a guard of its own."""
        with conversation.lock:
            text, texts = conversation.guard._core.snapshot(None, False)
            wires = wires_of(conversation.readings)
            guard = Guard._restore(text, wires, None, texts, given.by_source, None, None, "raise", {**given.policy})
            other = conversation.under(guard)
        other.given = given
        return other

    # Compacting.

    def compact(self, conversation: Conversation, asked: Asked | None, extractive: bool, timeout: float = TIMEOUT) -> Step[Window]:
        """Plan, summarize, commit; again where the guard was changed meanwhile."""
        for last in (False, False, True):
            with conversation.lock:
                plan = conversation.guard.plan(asked)
                if extractive:
                    return self._committed(conversation, conversation.guard._commit_extractive(plan))
            answers = yield from paid.answers(plan.requests, conversation.asked, timeout * ATTEMPTS)
            try:
                with conversation.lock:
                    return self._committed(conversation, conversation.guard.commit(plan, answers))
            except StalePlan:
                if last:
                    raise
        raise AssertionError("unreachable")

    def _committed(self, conversation: Conversation, window: Window) -> Window:
        if window.receipt.outcome == "compacted":
            conversation.note(window.receipt)
            conversation.committed = True
        return window

    # Writing the state.

    def save(self, place: Place, conversation: Conversation) -> Step[bool]:
        """Writes the state where it changed. False where another worker wrote the same entry first."""
        with conversation.lock:
            if not conversation.committed and not conversation.changed():
                return True
            text, texts = conversation.guard._core.snapshot(None, True)
            prefix, length = conversation.prefixes()[-1], len(conversation)
            by_hand = sum(_by_hand(rule) for rule in conversation.guard.rules)
            name, key = ledger.entry_name(place, prefix), conversation.key
            version = key.version + 1 if key is not None and key.entry == name else 0
            receipts = list(conversation.receipts)
        kept = (yield Put(texts)) if texts else True
        new = (yield from ledger.write(Entry(Key(name, version, length, by_hand), prefix, text, tuple(receipts)))) if kept else None
        if new is None:
            warnings.warn("the store did not take the state of this thread [state_not_persisted]", StateNotPersisted, stacklevel=2)
            return True
        if new.version != version:
            return False
        with conversation.lock:
            conversation.written(new)
        return True


def _knows(conversation: Conversation, entry: Entry) -> bool:
    """Whether a conversation in memory is at least as new as an entry of the store."""
    key = conversation.key
    if key is None:
        return False
    return key.length > entry.key.length or (key.entry == entry.key.entry and key.version >= entry.key.version)


def _by_hand(rule: Any) -> bool:
    return rule.status == "declared" and not _TOLD_ANEW & set(rule.sources)
