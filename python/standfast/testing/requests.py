"""What a compaction takes and gives, and how it is looked at."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeAlias, cast

from standfast._thread.background import start
from standfast.records import Window
from standfast.testing.errors import broken, unusable

Message: TypeAlias = "Mapping[str, Any]"
Compacted: TypeAlias = "Sequence[Any] | Mapping[str, Any] | Window"
"""What a compaction gives: messages, a request with `messages` and perhaps `system`, or a window of a guard."""
Compaction: TypeAlias = "Callable[[list[Any]], Any]"
"""Any compaction: messages in, `Compacted` out, at once or awaited."""


PATIENCE = 600.0
"""Seconds that something asynchronous may take: a compaction by a slow model, and not for ever."""


def settled(value: Any) -> Any:
    """A value, waited for where it has to be; in a thread of its own, since a loop may be running already in this one."""
    if not inspect.isawaitable(value):
        return value
    future = start(lambda: asyncio.run(_awaited(value)))
    try:
        return future.result(PATIENCE)
    except Exception:
        if not future.done():  # not an error of what was awaited
            raise broken("not_settled", f"what was awaited gave nothing within {PATIENCE:g} seconds") from None
        raise


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


def messages_of(after: Any) -> list[Any]:
    """The messages of a request."""
    if isinstance(after, Window):
        return list(after.messages)
    if isinstance(after, Mapping):
        return list(cast("Sequence[Any]", after.get("messages") or ()))
    if isinstance(after, Sequence) and not isinstance(after, str | bytes):
        return list(after)
    raise unusable(f"a compaction gives messages or a request, not `{type(after).__name__}`")


def system_of(after: Any) -> Any:
    """The system slot beside the messages."""
    if isinstance(after, Window):
        return after.system
    return after.get("system") if isinstance(after, Mapping) else None


def side_of(after: Any) -> dict[str, Any]:
    """A request as `audit_compaction` takes it."""
    return {"system": system_of(after), "messages": messages_of(after)}


def texts(value: Any) -> str:
    """All texts in a value, one a line."""
    if isinstance(value, str):
        return value
    if isinstance(value, Window):
        return texts([value.system, value.messages])
    if isinstance(value, Mapping):
        value = value.values()
    elif not isinstance(value, Sequence) or isinstance(value, bytes):
        return ""
    return "\n".join(found for found in map(texts, value) if found)


def role_of(message: Any) -> str:
    """Who a message is from."""
    return str(message.get("role") or "") if isinstance(message, Mapping) else ""


def filler(round_no: int) -> list[dict[str, str]]:
    """Ten messages of small talk, in a shape that all providers share."""
    talk = []
    for i in range(10):
        asked = f"What came in with delivery {round_no}.{i}?"
        told = f"Delivery {round_no}.{i}: two boxes of paper, one of envelopes, nothing else. The list is filed."
        talk.append({"role": "assistant", "content": told} if i % 2 else {"role": "user", "content": asked})
    return talk


def destructive(keep: int = 4) -> Callable[[list[Any]], list[Any]]:
    """A compaction that keeps the last messages and one useless sentence: what a bad summarizer leaves."""

    def compact(messages: list[Any]) -> list[Any]:
        if len(messages) <= keep + 1:
            return messages
        tail = messages[-keep:]
        while tail and role_of(tail[0]) == "tool":
            tail = tail[1:]
        return [{"role": "user", "content": "Summary of the conversation so far: work went on."}, *tail]

    return compact


def destructive_summarizer(request: Any) -> str:
    """A summarizer that loses everything."""
    return "Work went on."
