"""What the host's list was at the last sync, so that an unchanged one costs no crossing.

The copies share their strings with the host's objects: an equal message is found equal by identity of its parts.
`1`, `1.0` and `True` are equal to Python; an edit from one to the other alone is not seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from standfast import _core


class Mirror:
    """Structural copies of the messages of the last synced list, and the seq of each."""

    __slots__ = ("_copies", "seqs")

    def __init__(self) -> None:
        self._copies: list[Any] = []
        self.seqs: list[int] = []

    def __len__(self) -> int:
        return len(self._copies)

    def unchanged(self, messages: list[Any]) -> int:
        """How many messages at the beginning are as they were."""
        n = min(len(messages), len(self._copies))
        try:
            if messages[:n] == self._copies[:n]:
                return n
        except Exception:  # a foreign object that cannot be compared: the walk below stops there
            pass
        pairs = enumerate(zip(messages, self._copies, strict=False))
        return next((i for i, pair in pairs if not _equal(*pair)), n)

    def replace(self, start: int, messages: list[Any], seqs: list[int]) -> None:
        """From `start` on the list now is `messages`."""
        self._copies[start:] = map(copied, messages)
        self.seqs[start:] = seqs

    def cut(self, seqs: set[int]) -> None:
        """Forgets everything from the first of `seqs` on."""
        start = next((i for i, seq in enumerate(self.seqs) if seq in seqs), len(self.seqs))
        self.replace(start, [], [])


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except Exception:
        return False


def copied(value: Any) -> Any:
    """Containers anew, everything else shared. Only for what the engine has read, so that the depth is bounded."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copied(item) for item in value]
    return tuple(map(copied, value)) if isinstance(value, tuple) else value


def listed(items: Sequence[Any], name: str) -> list[Any]:
    """A list of our own, so that it does not change under the call."""
    if isinstance(items, Sequence) and not isinstance(items, str | bytes | bytearray | memoryview):
        return list(items)
    raise _core.error_of("invalid_argument", f"`{name}` is of type `{type(items).__name__}`, not a list")
