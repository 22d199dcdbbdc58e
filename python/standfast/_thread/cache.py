"""Conversations in this process, the last used ones. What is not here comes from the store."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from standfast._thread.conversation import Conversation
from standfast._thread.ledger import Key, Place

CONVERSATIONS = 256
BRANCHES = 4
"""Of one thread: forks and runs side by side have each their own."""


class Cache:
    """The last conversations by place."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: OrderedDict[Place, list[Conversation]] = OrderedDict()

    def find(self, place: Place, key: Key | None, messages: Sequence[Any], *, whole: bool = True) -> Conversation | None:
        """The conversation whose list is the beginning of this one, and whose state is the one that `key` names. `whole` as in
        `Conversation.known`."""
        with self._lock:
            branches = list(self._places.get(place, ()))
            if branches:
                self._places.move_to_end(place)
        fitting = [branch for branch in branches if _is_at(branch, key) and _begins(branch, messages, whole=whole)]
        return max(fitting, key=len, default=None)

    def akin(self, place: Place, key: Key | None, messages: Sequence[Any]) -> Conversation | None:
        """The last conversation in the state that `key` names whose list this one was made from, by taking out or editing."""
        with self._lock:
            branches = list(self._places.get(place, ()))
        at_key = [branch for branch in branches if _is_at(branch, key)]
        return next((branch for branch in reversed(at_key) if _overlaps(branch, messages)), None) if place.thread is not None else None

    def add(self, place: Place, conversation: Conversation) -> None:
        """Keeps a conversation; the longest unused ones leave."""
        with self._lock:
            branches = self._places.setdefault(place, [])
            branches.append(conversation)
            del branches[:-BRANCHES]
            self._places.move_to_end(place)
            while len(self._places) > CONVERSATIONS:
                self._places.popitem(last=False)

    def succeed(self, place: Place, conversation: Conversation) -> None:
        """Keeps a conversation in the place of all whose list it goes on."""
        with self._lock:
            branches = list(self._places.get(place, ()))
        for branch in branches:
            if _begins(branch, conversation.messages):
                self.drop(place, branch)
        self.add(place, conversation)

    def replace(self, place: Place, old: Conversation, new: Conversation) -> None:
        """Puts one conversation in the place of another."""
        self.drop(place, old)
        self.add(place, new)

    def drop(self, place: Place, conversation: Conversation) -> None:
        """Forgets a conversation."""
        with self._lock:
            branches = self._places.get(place, [])
            if conversation in branches:
                branches.remove(conversation)


def _is_at(conversation: Conversation, key: Key | None) -> bool:
    mine = conversation.key
    return key is None or (mine is not None and mine.entry == key.entry and mine.version >= key.version)


def _begins(conversation: Conversation, messages: Sequence[Any], *, whole: bool = True) -> bool:
    with conversation.lock:
        return len(conversation) <= len(messages) and conversation.known(messages, whole=whole) == len(conversation)


def _overlaps(conversation: Conversation, messages: Sequence[Any]) -> bool:
    with conversation.lock:
        ids = conversation.ids()
        return any(name in ids for name in conversation.ids_of(messages))
