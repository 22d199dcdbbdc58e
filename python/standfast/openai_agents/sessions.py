"""A session that gives and stores the host's own items, whatever a filter made of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from standfast.openai_agents.items import is_ours

_HIDDEN = (
    "run_compaction",
    "_defer_compaction",
    "_get_deferred_compaction_response_id",
    "_get_items_with_generation",
    "_add_items_with_generation",
)
"""What would put a provider's compaction in the place of the raw items."""


class RawSession:
    """A session of the host's behind a wrapper. A memory message of ours is neither stored nor given."""

    def __init__(self, session: Any, begun: Callable[[], None] = lambda: None) -> None:
        self._session = session
        self._begun = begun

    @property
    def session_id(self) -> str:
        """The session's own."""
        return cast(str, self._session.session_id)

    @property
    def session_settings(self) -> Any:
        """The session's own."""
        return getattr(self._session, "session_settings", None)

    @session_settings.setter
    def session_settings(self, settings: Any) -> None:
        self._session.session_settings = settings

    async def get_items(self, limit: int | None = None, **kept: Any) -> list[Any]:
        """The raw items. A run that reads them begins."""
        self._begun()
        items = await (self._session.get_items(**kept) if limit is None else self._session.get_items(limit=limit, **kept))
        return [item for item in items if not is_ours(item)]

    async def add_items(self, items: list[Any], **kept: Any) -> None:
        """Stores raw items."""
        await self._session.add_items([item for item in items if not is_ours(item)], **kept)

    async def pop_item(self, **kept: Any) -> Any:
        """The last item, taken out."""
        return await self._session.pop_item(**kept)

    async def clear_session(self, **kept: Any) -> None:
        """Empties the session."""
        await self._session.clear_session(**kept)

    def __getattr__(self, name: str) -> Any:
        if name in _HIDDEN or name.startswith("__") or name == "_session":
            raise AttributeError(name)
        return getattr(self._session, name)
