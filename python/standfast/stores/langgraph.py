"""A store of LangGraph as a log store: one item a text, below one namespace.

LangGraph's stores overwrite. Where a text is to be kept only if there is none, writers say first that they want to, wait long
enough to see each other, and the first one writes; who comes later finds the winner named.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langgraph.store.base import BaseStore, GetOp, Op, PutOp, SearchOp

NAMESPACE = ("standfast",)
_SETTLE = 0.03
"""Seconds within which a write is seen by all."""
_WRITERS = 256
"""Most that are looked at in one race."""


class LangGraphStore:
    """Texts in a LangGraph store, blocking and asynchronous."""

    def __init__(self, store: BaseStore, *, namespace: tuple[str, ...] = NAMESPACE, settle: float = _SETTLE) -> None:
        self._store = store
        self._texts = (*namespace, "texts")
        self._wanted = (*namespace, "wanted")
        self._settle = settle

    def get_many(self, digests: Sequence[str], /) -> dict[str, str]:
        """The texts of those digests that are known."""
        return self._found(self._store.batch([GetOp(self._texts, digest) for digest in digests])) if digests else {}

    async def aget_many(self, digests: Sequence[str], /) -> dict[str, str]:
        """Like `get_many`."""
        return self._found(await self._abatch([GetOp(self._texts, digest) for digest in digests])) if digests else {}

    def put_many(self, texts: Mapping[str, str], /) -> None:
        """Keeps texts by digest."""
        if texts:
            self._store.batch(self._puts(texts))

    async def aput_many(self, texts: Mapping[str, str], /) -> None:
        """Like `put_many`."""
        if texts:
            await self._abatch(self._puts(texts))

    def put_new(self, key: str, text: str, /) -> str:
        """Keeps a text unless there is one. Returns the one that stands."""
        if (standing := self.get_many([key]).get(key)) is not None:
            return standing
        me, wanted = uuid.uuid4().hex, (*self._wanted, key)
        self._store.put(wanted, me, {"won": False, "text": text}, index=False)
        time.sleep(self._settle)
        if _winner(self._store.search(wanted, limit=_WRITERS)) == me:
            self._store.put(wanted, me, {"won": True, "text": text}, index=False)
            self.put_many({key: text})
            return text
        deadline = time.monotonic() + 10
        while (standing := self.get_many([key]).get(key)) is None and time.monotonic() < deadline:
            time.sleep(self._settle)
        if standing is None:  # the winner died between its two writes
            self.put_many({key: text})
        return standing if standing is not None else text

    async def aput_new(self, key: str, text: str, /) -> str:
        """Like `put_new`."""
        if (standing := (await self.aget_many([key])).get(key)) is not None:
            return standing
        me, wanted = uuid.uuid4().hex, (*self._wanted, key)
        await self._abatch([PutOp(wanted, me, {"won": False, "text": text}, index=False)])
        await asyncio.sleep(self._settle)
        (racing,) = await self._abatch([SearchOp(wanted, limit=_WRITERS)])
        if _winner(racing) == me:
            await self._abatch([PutOp(wanted, me, {"won": True, "text": text}, index=False)])
            await self.aput_many({key: text})
            return text
        deadline = time.monotonic() + 10
        while (standing := (await self.aget_many([key])).get(key)) is None and time.monotonic() < deadline:  # noqa: ASYNC110
            await asyncio.sleep(self._settle)
        if standing is None:
            await self.aput_many({key: text})
        return standing if standing is not None else text

    async def _abatch(self, ops: Sequence[Op]) -> Sequence[Any]:
        try:
            return await self._store.abatch(ops)
        except NotImplementedError:  # a store with blocking calls only
            return await asyncio.to_thread(self._store.batch, ops)

    def _puts(self, texts: Mapping[str, str]) -> list[PutOp]:
        return [PutOp(self._texts, digest, {"text": text}, index=False) for digest, text in texts.items()]

    @staticmethod
    def _found(items: Iterable[Any]) -> dict[str, str]:
        found = ((item.key, item.value.get("text")) for item in items if item is not None)
        return {key: text for key, text in found if isinstance(text, str)}

    def __repr__(self) -> str:
        return f"LangGraphStore({type(self._store).__name__})"


def _winner(items: Iterable[Any]) -> str:
    """Who writes: the one that already won, else the first. One that came while another was about to win must not win as well."""
    racing = list(items)
    first = min([item for item in racing if item.value.get("won")] or racing, key=lambda item: (item.created_at, item.key), default=None)
    return first.key if first is not None else ""
