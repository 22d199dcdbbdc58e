"""The request as it goes out: the engine's window in the host's own messages, with what outer middleware made of them.

The engine was fed from the state. A middleware outside ours may have edited copies, dropped or added messages in the request:
the window takes its version where there is one, leaves out what it dropped, a call with all its results, and passes on what
stands in the request alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from operator import is_
from typing import Any, NamedTuple

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from standfast._thread.conversation import Conversation
from standfast.records import Window

MEMORY_ID = "standfast-memory"
"""Id of the memory message in a request. It is never in the state."""


class Outgoing(NamedTuple):
    """What goes out."""

    messages: list[AnyMessage]
    system: SystemMessage | None


def render(
    conversation: Conversation, window: Window, state: Sequence[BaseMessage], sent: Sequence[AnyMessage], system: SystemMessage | None
) -> Outgoing:
    """The window as a request. `state` is the list the guard was fed with, `sent` the request's as it came to us."""
    placed = list(_placed(conversation, window, state))
    if not _untouched(state, sent):
        placed = _merged(placed, state, sent)
    return Outgoing([message for _, message in placed], with_block(system, window.pinned))


def whole(conversation: Conversation, window: Window, state: Sequence[BaseMessage]) -> list[AnyMessage]:
    """The window as one list, the pinned block a system message of its own behind the host's."""
    shown = [message for _, message in _placed(conversation, window, state)]
    if window.pinned:
        head = next((at for at, message in enumerate(shown) if message.type != "system"), len(shown))
        shown.insert(head, SystemMessage(content=window.pinned))
    return shown


def with_block(system: SystemMessage | None, block: str) -> SystemMessage | None:
    """The host's system message with the pinned block behind what is there. A text stays a text."""
    if not block:
        return system
    if system is None:
        return SystemMessage(content=block)
    content = system.content
    if isinstance(content, str):
        return system.model_copy(update={"content": f"{content}\n\n{block}" if content else block})
    return system.model_copy(update={"content": [*content, {"type": "text", "text": block}]})


_Placed = tuple[int, AnyMessage]


def _placed(conversation: Conversation, window: Window, state: Sequence[BaseMessage]) -> Iterator[_Placed]:
    """Each message of the window with its place in the state; ours stand at the place before them."""
    index, last = conversation.index_of(), -1
    silent = deque(conversation.silent())
    for message in window.messages:
        at = index.get(id(message))
        if at == -1:
            continue  # a person's words out of a message that stands before it
        if at is not None:
            while silent and silent[0] < at and state[at].type != "system":
                yield silent[0], state[silent.popleft()]  # type: ignore[misc]
            last = at
            yield at, state[at]  # type: ignore[misc]
        elif message.get("role") == "user":
            yield last, HumanMessage(content=message["content"], id=MEMORY_ID)
        # the pinned block has its place in the system slot
    for at in silent:
        yield at, state[at]  # type: ignore[misc]


def _untouched(state: Sequence[BaseMessage], sent: Sequence[AnyMessage]) -> bool:
    return len(state) == len(sent) and all(map(is_, state, sent))


def _merged(placed: Sequence[_Placed], state: Sequence[BaseMessage], sent: Sequence[AnyMessage]) -> list[_Placed]:
    versions, extras, order = _versions(state, sent)
    gone = _parted(state, versions)
    shown: list[_Placed] = []
    for at, message in placed:
        if message.id == MEMORY_ID:
            shown.append((at, message))
        elif at in versions and not _pairs(state[at]) & gone:
            shown.append((at, versions[at]))
    if order != sorted(order):
        shown = _reordered(shown, order)
    for anchor, message in extras:
        behind = [i for i, (at, mine) in enumerate(shown) if at <= anchor or mine.id == MEMORY_ID]
        shown.insert(behind[-1] + 1 if behind else 0, (anchor, message))
    return shown


def _versions(
    state: Sequence[BaseMessage], sent: Sequence[AnyMessage]
) -> tuple[dict[int, AnyMessage], list[tuple[int, AnyMessage]], list[int]]:
    """The request's version of each message of the state, what is in the request alone, and the order of the rest."""
    places: dict[Any, int] = {}
    for at, message in enumerate(state):
        for name in _names(message):
            places.setdefault(name, at)
    versions: dict[int, AnyMessage] = {}
    extras: list[tuple[int, AnyMessage]] = []
    order: list[int] = []
    for message in sent:
        place = next((places[name] for name in _names(message) if name in places and places[name] not in versions), None)
        if place is None:
            extras.append((order[-1] if order else -1, message))
        else:
            versions[place] = message
            order.append(place)
    return versions, extras, order


def _names(message: BaseMessage) -> Iterator[Any]:
    """What a message is known by, the surest first."""
    if message.id is not None:
        yield "id", message.id
    yield "object", id(message)
    if isinstance(message, ToolMessage):
        yield "answers", message.tool_call_id


def _pairs(message: BaseMessage) -> set[str]:
    """The calls that a message makes or answers."""
    if isinstance(message, ToolMessage):
        return {message.tool_call_id}
    if isinstance(message, AIMessage):
        return {call["id"] for call in [*message.tool_calls, *message.invalid_tool_calls] if call["id"]}
    return set()


def _parted(state: Sequence[BaseMessage], versions: Mapping[int, BaseMessage]) -> set[str]:
    """Calls of which one side was dropped: all of their batch go."""
    gone: set[str] = set()
    for at, message in enumerate(state):
        if at not in versions:
            gone |= _pairs(message)
        elif isinstance(message, AIMessage):
            gone |= _pairs(message) - _pairs(versions[at])
    for message in state:
        if isinstance(message, AIMessage) and (calls := _pairs(message)) & gone:
            gone |= calls
    return gone


def _reordered(shown: Sequence[_Placed], order: Sequence[int]) -> list[_Placed]:
    """The host's messages in the order of the request; ours stay in front of what follows them."""
    rank = {at: place for place, at in enumerate(order)}
    ours = [i for i, (_, message) in enumerate(shown) if message.id == MEMORY_ID]
    cut = ours[-1] + 1 if ours else 0
    return [*shown[:cut], *sorted(shown[cut:], key=lambda entry: rank[entry[0]])]
