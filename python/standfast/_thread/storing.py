"""Which store a conversation's state lies in."""

from __future__ import annotations

import sys
from typing import Any

from standfast import _core
from standfast.store import AnyStore, AsyncLogStore, LogStore, MemoryStore


class Storing:
    """The store that was given; else this process. A LangGraph store is taken for what it holds."""

    def __init__(self, given: Any) -> None:
        self._process = MemoryStore()
        self._given: AnyStore | None = None
        base = sys.modules.get("langgraph.store.base")  # who gives one has loaded it
        if base is not None and isinstance(given, base.BaseStore):
            from standfast.stores.langgraph import LangGraphStore

            self._given = LangGraphStore(given)
        elif given is None or isinstance(given, LogStore | AsyncLogStore):
            self._given = given
        else:
            kind = type(given).__name__
            raise _core.error_of("invalid_argument", f"`store` is of type `{kind}`, neither a log store nor a LangGraph store")

    def durable(self, store: AnyStore) -> bool:
        """Whether others than this integration can write to a store."""
        return store is not self._process

    def store(self) -> AnyStore:
        """The store where a run has none of its own."""
        return self._given if self._given is not None else self._process
