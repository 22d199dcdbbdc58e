"""Where texts live outside the guard: a store keyed by digest, never by position.

The same digest always means the same text, so forks and several workers share one store and nothing is paid twice. What
stands under the digest of a request is its summary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

from standfast import _core


@runtime_checkable
class LogStore(Protocol):
    """A store with blocking calls. No text may be dropped before `guard.close()`."""

    def get_many(self, digests: Sequence[str], /) -> Mapping[str, str]:
        """The texts of those digests that are known."""

    def put_many(self, texts: Mapping[str, str], /) -> None:
        """Keeps texts by digest. Putting one again changes nothing."""


@runtime_checkable
class AsyncLogStore(Protocol):
    """A store with asynchronous calls, for `acompact`, `arecall`, `apage_out`, `asnapshot` and `arestore`."""

    async def aget_many(self, digests: Sequence[str], /) -> Mapping[str, str]:
        """The texts of those digests that are known."""

    async def aput_many(self, texts: Mapping[str, str], /) -> None:
        """Keeps texts by digest."""


class MemoryStore:
    """A store in memory, for tests and single runs."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def get_many(self, digests: Sequence[str], /) -> dict[str, str]:
        return {digest: self._texts[digest] for digest in digests if digest in self._texts}

    def put_many(self, texts: Mapping[str, str], /) -> None:
        for digest, text in texts.items():
            self._texts.setdefault(digest, text)

    def put_new(self, digest: str, text: str, /) -> str:
        """Keeps a text unless there is one. Returns the one that stands."""
        return self._texts.setdefault(digest, text)

    async def aget_many(self, digests: Sequence[str], /) -> dict[str, str]:
        return self.get_many(digests)

    async def aput_many(self, texts: Mapping[str, str], /) -> None:
        self.put_many(texts)

    def __len__(self) -> int:
        return len(self._texts)

    def __repr__(self) -> str:
        return f"MemoryStore({len(self)} texts)"


AnyStore = LogStore | AsyncLogStore


def blocking(store: AnyStore) -> LogStore:
    """The store for a blocking call."""
    if isinstance(store, LogStore):
        return store
    raise _core.error_of("invalid_argument", "this store has asynchronous methods only; await the call whose name begins with `a`")


async def get_many(store: AnyStore, digests: Sequence[str]) -> Mapping[str, str]:
    """Reads without blocking the event loop."""
    if isinstance(store, AsyncLogStore):
        return await store.aget_many(digests)
    import asyncio

    return await asyncio.to_thread(store.get_many, digests)


async def put_many(store: AnyStore, texts: Mapping[str, str]) -> None:
    """Writes without blocking the event loop."""
    if isinstance(store, AsyncLogStore):
        await store.aput_many(texts)
    else:
        import asyncio

        await asyncio.to_thread(store.put_many, texts)
