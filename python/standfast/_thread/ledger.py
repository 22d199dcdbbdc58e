"""Where a conversation's state lies in the store: under thread, agent and the digest of the messages it was made from.

An agent's private key names an entry. An agent that is a node of a graph loses its key from turn to turn, and a caller without
a checkpointer has none: they take the entry with the longest matching beginning of their messages. An entry has versions, each
written once: of two workers that change the same one, the second is told and begins again from what the first wrote.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from standfast._thread.effects import Get, PutNew, Step
from standfast._thread.reading import to_json

FORMAT = 1
_AHEAD = 8
"""Versions looked up at once."""
PREFIXES = 64
"""Beginnings looked up at once, the longest first."""


class Place(NamedTuple):
    """Whose conversation it is."""

    thread: str | None
    agent: str


class Key(NamedTuple):
    """What the agent's state holds: where the rest lies. No text, only names and numbers."""

    entry: str
    version: int
    length: int
    """Messages that the entry was made from."""
    by_hand: int
    """Rules that nobody but the entry knows: declared in a session."""

    def to_state(self) -> dict[str, Any]:
        """The form in the agent's state."""
        return {"format": FORMAT, **self._asdict()}

    @classmethod
    def of_state(cls, value: Any) -> Key | None:
        """The key in an agent's state; None for none, or one of another form."""
        if not isinstance(value, Mapping) or value.get("format") != FORMAT:
            return None
        try:
            return cls(str(value["entry"]), int(value["version"]), int(value["length"]), int(value["by_hand"]))
        except (KeyError, TypeError, ValueError):
            return None


class Entry(NamedTuple):
    """A stored state."""

    key: Key
    prefix: str
    """Digest of the messages it was made from."""
    snapshot: str
    receipts: tuple[dict[str, Any], ...]


def entry_name(place: Place, prefix: str) -> str:
    """The name of the entry of a beginning of a conversation."""
    parts = ("standfast.ledger", place.thread or "", place.agent, prefix)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _versioned(name: str, version: int) -> str:
    return hashlib.sha256(f"{name}\0{version}".encode()).hexdigest()


def newest(name: str, since: int = 0) -> Step[tuple[Entry | None, bool]]:
    """The newest version of an entry, from one that is known on; and whether the store answered."""
    found: Entry | None = None
    while True:
        keys = [_versioned(name, version) for version in range(since, since + _AHEAD)]
        texts = yield Get(keys)
        if texts is None:
            return found, False
        readable = False
        for offset, key in enumerate(keys):
            if key not in texts:
                return found, True
            entry = _read(name, since + offset, texts[key])
            readable |= entry is not None
            found = entry or found
        if not readable:
            return found, True  # a store that has something under every key has nothing of ours
        since += _AHEAD


def longest(place: Place, prefixes: Sequence[str], beyond: int = 0) -> Step[tuple[Entry | None, bool]]:
    """The entry of the longest beginning; `prefixes[n]` is the digest of the first `n` messages. None up to `beyond`."""
    at = len(prefixes) - 1
    while at > beyond:
        names = [entry_name(place, prefixes[n]) for n in range(at, max(beyond, at - PREFIXES), -1)]
        keys = {_versioned(name, 0): name for name in names}
        texts = yield Get(list(keys))
        if texts is None:
            return None, False
        for key, name in keys.items():
            if key in texts:
                return (yield from newest(name))
        at -= PREFIXES
    return None, True


def write(entry: Entry) -> Step[Key | None]:
    """Writes a version of an entry. None where the store failed; a key of a later version is another worker's."""
    key = entry.key
    fields = {"length": key.length, "by_hand": key.by_hand, "prefix": entry.prefix, "snapshot": entry.snapshot}
    text = to_json({**fields, "receipts": list(entry.receipts)})
    standing = yield PutNew(_versioned(key.entry, key.version), text)
    if standing is None:
        return None
    if standing == text:
        return key
    other, _ = yield from newest(key.entry, key.version)
    return other.key._replace(version=max(other.key.version, key.version + 1)) if other is not None else None


def _read(name: str, version: int, text: str) -> Entry | None:
    """An entry; None where the store gave something else."""
    try:
        value = json.loads(text)
        key = Key(name, version, int(value["length"]), int(value["by_hand"]))
        return Entry(key, str(value["prefix"]), str(value["snapshot"]), tuple(value["receipts"]))
    except (KeyError, TypeError, ValueError, RecursionError):
        return None
