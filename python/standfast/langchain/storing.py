"""Which store a conversation's state lies in."""

from __future__ import annotations

from typing import Any

from langgraph.store.base import BaseStore

from standfast import _core
from standfast.store import AnyStore, AsyncLogStore, LogStore, MemoryStore
from standfast.stores.langgraph import LangGraphStore

StoreOption = AnyStore | BaseStore | None


class Storing:
    """The store that was given; else the graph's own; else this process."""

    def __init__(self, given: StoreOption) -> None:
        self._given: AnyStore | None = None
        self._process = MemoryStore()
        self._graph: tuple[BaseStore, LangGraphStore] | None = None
        if isinstance(given, BaseStore):
            self._given = LangGraphStore(given)
        elif given is None or isinstance(given, LogStore | AsyncLogStore):
            self._given = given
        else:
            kind = type(given).__name__
            raise _core.error_of("invalid_argument", f"`store` is of type `{kind}`, neither a log store nor a LangGraph store")

    def durable(self, store: AnyStore) -> bool:
        """Whether others than this middleware can write to a store."""
        return store is not self._process

    def of(self, runtime: Any) -> AnyStore:
        """The store of a run."""
        if self._given is not None:
            return self._given
        own = getattr(runtime, "store", None)
        if not isinstance(own, BaseStore):
            return self._process
        if self._graph is None or self._graph[0] is not own:
            self._graph = (own, LangGraphStore(own))
        return self._graph[1]
