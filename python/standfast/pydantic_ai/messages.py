"""pydantic-ai's messages as the engine reads them: taken apart into units, and put together again.

A request holds prompts and the results of tools side by side; the engine folds and keeps them one by one. A message of which
all is kept is the host's own object, else a copy of it with the parts that are left.
"""

from __future__ import annotations

import dataclasses
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

from pydantic_ai.messages import (
    BaseToolCallPart,
    BaseToolReturnPart,
    CachePoint,
    CompactionPart,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextContent,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from standfast._thread import reading
from standfast._thread.reading import RECALL, USUAL, Reading, Said, TrustHook, plain, to_json
from standfast._thread.seams import Calls, seam_of

_KNOWN = 8_192


@dataclasses.dataclass(frozen=True)
class Unit:
    """What of a message stands or falls together: a response, or one part of a request."""

    message: ModelMessage
    parts: tuple[Any, ...]

    @property
    def is_response(self) -> bool:
        """Whether the model said it."""
        return isinstance(self.message, ModelResponse)


class Units:
    """Takes messages apart. The same message gives the same units again."""

    def __init__(self) -> None:
        self._known: OrderedDict[int, tuple[ModelMessage, tuple[Any, ...], list[Unit]]] = OrderedDict()

    def of(self, messages: Iterable[ModelMessage]) -> list[Unit]:
        """The units of a list of messages."""
        return [unit for message in messages for unit in self._one(message)]

    def _one(self, message: ModelMessage) -> list[Unit]:
        parts = tuple(message.parts)
        known = self._known.get(id(message))
        if known is not None and known[0] is message and known[1] == parts:
            return known[2]
        units = [Unit(message, parts)] if isinstance(message, ModelResponse) else [Unit(message, (part,)) for part in parts]
        self._known[id(message)] = (message, parts, units)
        while len(self._known) > _KNOWN:
            self._known.popitem(last=False)
        return units


class Reader(reading.Reader):
    """Reads units. `hook` is the host's own word on trust, asked with the part of a request or the response."""

    def __init__(self, hook: TrustHook | None = None) -> None:
        self._hook = hook

    def read(self, messages: Sequence[Any], start: int = 0, names: AbstractSet[str] | None = None) -> list[Reading]:
        """How the units from `start` on are read."""
        return [self._one(unit) for unit in messages[start:]]

    def _one(self, unit: Unit) -> Reading:
        part = None if unit.is_response else unit.parts[0]
        wire = _response(unit.parts) if part is None else _request(part)
        trust = self._hook(unit.message if part is None else part) if self._hook is not None else None
        if _is_feedback(part) and wire.get("role") == "user":
            return Reading(wire, Said(trust or "external"))  # the framework's words
        if trust == "agent" and wire.get("role") == "user":
            wire["role"] = "assistant"
            return Reading(wire, USUAL)
        return Reading(wire, Said(trust) if trust is not None else USUAL)

    @staticmethod
    def content(message: Any) -> Any:
        """What a part holds."""
        return [(getattr(part, "content", None), getattr(part, "args", None)) for part in message.parts]

    def id_of(self, message: Any) -> str | None:
        """The object: messages have no names of their own."""
        return str(id(message.parts[0])) if message.parts else None

    def is_answer(self, message: Any) -> bool:
        """Whether it is the model's."""
        return bool(message.is_response)

    def seam(self, messages: Sequence[Any], marks: Mapping[str, str]) -> str | None:
        """The boundary at which a list ends, with the results of a batch of calls."""
        at = len(messages)
        while at and not messages[at - 1].is_response and _answers(messages[at - 1].parts[0]):
            at -= 1
        if at == len(messages) or not at or not messages[at - 1].is_response:
            return None
        last = _calls(messages[at - 1])
        if len(last) > len(messages) - at:
            return None
        return seam_of(last, lambda: (_calls(unit) for unit in reversed(messages[: at - 1]) if unit.is_response), marks)


def wire_of(unit: Unit) -> dict[str, Any]:
    """A unit of an outgoing request, for the assertion."""
    return _response(unit.parts) if unit.is_response else _request(unit.parts[0])


def _request(part: Any) -> dict[str, Any]:
    if isinstance(part, SystemPromptPart):
        return {"role": "system", "content": part.content}
    if isinstance(part, UserPromptPart):
        return {"role": "user", "content": _user(part.content)}
    if isinstance(part, ToolReturnPart):
        text = part.model_response_str()
        if part.tool_name == RECALL:  # the log has it: not to be summarized again
            text = "\n".join(f"superseded by the log: {line}" for line in text.splitlines())
        failed = {} if part.outcome == "success" else {"is_error": True}
        return {"role": "tool", "tool_call_id": part.tool_call_id, "content": text, **failed}
    if _is_feedback(part):
        text = part.content if isinstance(part.content, str) else to_json(plain(part.content))
        answers = {"role": "tool", "tool_call_id": getattr(part, "tool_call_id", ""), "content": text, "is_error": True}
        return answers if _answers(part) else {"role": "user", "content": text}
    if isinstance(part, CompactionPart):
        return {"type": "compaction", "content": part.content or ""}
    return {"role": "user", "content": [{"type": "file", "content": f"<{type(part).__name__}>"}]}


def _user(content: Any) -> Any:
    if isinstance(content, str):
        return content
    blocks: list[dict[str, Any]] = []
    for item in content:
        if isinstance(item, str | TextContent):
            blocks.append({"type": "text", "text": item if isinstance(item, str) else item.content})
        elif not isinstance(item, CachePoint):
            kind = str(getattr(item, "kind", "file")).partition("-")[0]
            url = getattr(item, "url", None)
            blocks.append({"type": kind if kind in ("image", "audio") else "file", **({"url": url} if isinstance(url, str) else {})})
    return blocks


def _response(parts: Sequence[Any]) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = []
    calls: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, TextPart):
            blocks.append({"type": "text", "text": part.content})
        elif isinstance(part, ThinkingPart):
            blocks.append({"type": "thinking", "thinking": part.content, "signature": part.signature or ""})
        elif isinstance(part, ToolCallPart):
            function = {"name": part.tool_name, "arguments": part.args_as_json_str()}
            calls.append({"id": part.tool_call_id, "type": "function", "function": function})
        elif isinstance(part, BaseToolCallPart):
            blocks.append({"type": "server_tool_use", "id": part.tool_call_id, "name": part.tool_name, "input": plain(part.args)})
        elif isinstance(part, BaseToolReturnPart):
            blocks.append({"type": "server_tool_result", "tool_use_id": part.tool_call_id, "content": part.model_response_str()})
        elif isinstance(part, CompactionPart):
            blocks.append({"type": "compaction", "content": part.content or ""})
        else:
            blocks.append({"type": "file"})
    return {"role": "assistant", "content": blocks, **({"tool_calls": calls} if calls else {})}


def _answers(part: Any) -> bool:
    return isinstance(part, ToolReturnPart) or (_is_feedback(part) and getattr(part, "tool_name", None) is not None)


def _is_feedback(part: Any) -> bool:
    """Whether it is the framework's own word on a response, by whichever name the version has for it."""
    return getattr(part, "part_kind", None) in ("retry-feedback", "retry-prompt")


def _calls(unit: Unit) -> Calls:
    found = []
    for part in unit.parts:
        if isinstance(part, ToolCallPart):
            args = part.args if isinstance(part.args, dict) else {}
            found.append((part.tool_name, args))
    return found


def together(units: Iterable[Unit | str]) -> Iterator[ModelMessage]:
    """Units as messages; a text stands for a memory message of ours."""
    run: list[Unit] = []
    for unit in units:
        if run and (isinstance(unit, str) or unit.message is not run[0].message):
            yield _message(run)
            run = []
        if isinstance(unit, str):
            yield ModelRequest(parts=[UserPromptPart(unit)])
        else:
            run.append(unit)
    if run:
        yield _message(run)


def _message(units: Sequence[Unit]) -> ModelMessage:
    message = units[0].message
    parts: Any = [part for unit in units for part in unit.parts]
    return message if len(parts) == len(message.parts) else dataclasses.replace(message, parts=parts)
