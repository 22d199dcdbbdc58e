"""Which store a conversation's state lies in: the one that was given, else the graph's own, else this process."""

from __future__ import annotations

from typing import Any

from langgraph.store.base import BaseStore

from standfast._thread import storing
from standfast.store import AnyStore
from standfast.stores.langgraph import LangGraphStore

StoreOption = AnyStore | BaseStore | None


class Storing(storing.Storing):
    """Knows the stores of graphs."""

    def __init__(self, given: StoreOption) -> None:
        super().__init__(given)
        self._graph: tuple[BaseStore, LangGraphStore] | None = None

    def of(self, runtime: Any) -> AnyStore:
        """The store of a run."""
        own = getattr(runtime, "store", None)
        if self._given is not None or not isinstance(own, BaseStore):
            return self.store()
        if self._graph is None or self._graph[0] is not own:
            self._graph = (own, LangGraphStore(own))
        return self._graph[1]
