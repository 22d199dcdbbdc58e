"""The SDK's items as the engine reads them: OpenAI Responses, with the trust that follows from who speaks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from standfast import _core
from standfast._thread import reading
from standfast._thread.reading import RECALL, USUAL, Reading, Said, TrustHook, plain
from standfast._thread.seams import Calls, seam_of

MEMORY = "<standfast-memory>"
"""How our memory message begins."""
_KEPT_THERE = "item_reference"


class Reader(reading.Reader):
    """Reads items. `hook` is the host's own word on trust."""

    shape = "responses"

    def __init__(self, hook: TrustHook | None = None) -> None:
        self._hook = hook

    def read(self, messages: Sequence[Any], start: int = 0, names: AbstractSet[str] | None = None) -> list[Reading]:
        """How the items from `start` on are read."""
        called = (
            {item.get("call_id"): item.get("name") for item in map(fields, messages) if "name" in item} if start < len(messages) else {}
        )
        return [self._one(item, called) for item in messages[start:]]

    def _one(self, item: Any, called: Mapping[Any, Any]) -> Reading:
        wire = plain(fields(item))
        trust = self._hook(item) if self._hook is not None else None
        said = USUAL
        if trust == "agent" and wire.get("role") == "user":
            wire["role"] = "assistant"  # the words of an agent, whatever the item is called
        elif trust is not None:
            said = Said(trust)
        if is_output(wire) and called.get(wire.get("call_id")) == RECALL and isinstance(wire.get("output"), str):
            # the log has it: not to be summarized again
            wire["output"] = "\n".join(f"superseded by the log: {line}" for line in wire["output"].splitlines())
        return Reading(wire, said)

    @staticmethod
    def content(message: Any) -> Any:
        """All of it."""
        return fields(message)

    def id_of(self, message: Any) -> str | None:
        """Its id."""
        found = fields(message).get("id")
        return found if isinstance(found, str) else None

    def is_answer(self, message: Any) -> bool:
        """Whether it is the model's."""
        item = fields(message)
        return item.get("role") == "assistant" or str(item.get("type", "")).endswith("_call")

    def seam(self, messages: Sequence[Any], marks: Mapping[str, str]) -> str | None:
        """The boundary at which a list ends, with the results of a batch of calls."""
        items = list(map(fields, messages))
        at = len(items)
        while at and is_output(items[at - 1]):
            at -= 1
        answered = {item.get("call_id") for item in items[at:]}
        last: list[tuple[str, Mapping[str, Any]]] = []
        while at and items[at - 1].get("type") == "function_call":
            at -= 1
            if items[at].get("call_id") not in answered:
                return None
            last[:0] = _calls(items[at])
        return seam_of(last, lambda: map(_calls, reversed(items[:at])), marks) if last else None


def fields(item: Any) -> dict[str, Any]:
    """An item as a mapping; the SDK's own types can say it."""
    if isinstance(item, dict):
        return item
    dump = getattr(item, "model_dump", None)
    if dump is None:
        raise _core.error_of("unknown_shape", f"the list holds a value of type `{type(item).__name__}`, not an item")
    dumped: dict[str, Any] = dump(exclude_unset=True)
    return dumped


def is_output(item: Mapping[str, Any]) -> bool:
    """Whether an item answers a call."""
    return str(item.get("type", "")).endswith("_output")


def is_ours(item: Any) -> bool:
    """Whether an item is a memory message of ours."""
    content = fields(item).get("content") if fields(item).get("role") == "user" else None
    if isinstance(content, list) and content and isinstance(content[0], Mapping):
        content = content[0].get("text")
    return isinstance(content, str) and content.startswith(f"{MEMORY}\n")


def is_part(items: Sequence[Any]) -> bool:
    """Whether a list is only what is new to a server that keeps the rest."""
    if not items:
        return False
    first = fields(items[0])
    known = {item.get("call_id") for item in map(fields, items) if not is_output(item)}
    lone = is_output(first) and first.get("call_id") is not None and first.get("call_id") not in known
    return lone or any(fields(item).get("type") == _KEPT_THERE for item in items)


def _calls(item: Mapping[str, Any]) -> Calls:
    if item.get("type") != "function_call":
        return []
    try:
        args = json.loads(item.get("arguments") or "{}")
    except (TypeError, ValueError, RecursionError):
        args = None
    return [(str(item.get("name")), args if isinstance(args, dict) else {})]
