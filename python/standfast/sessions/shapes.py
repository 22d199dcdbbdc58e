"""Messages that files hold in other shapes, as messages of OpenAI chat."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool", "developer": "developer", "chat": "user"}
_ITEMS = {
    "message",
    "reasoning",
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "local_shell_call",
    "local_shell_call_output",
    "compaction",
    "compaction_summary",
    "context_compaction",
    "web_search_call",
    "mcp_call",
    "ghost_snapshot",
}
SEALED = ("compaction", "compaction_summary", "context_compaction")
"""Items in which a provider keeps a summary that nobody else can read."""


def is_langchain(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether these are messages as LangChain stores them."""
    return all(_langchain(message) is not None for message in messages)


def _langchain(message: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]] | None:
    kind, data = message.get("type"), message.get("data")
    if isinstance(data, Mapping) and kind in _ROLES:
        return _ROLES[kind], data
    kwargs, name = message.get("kwargs"), message.get("id")
    if message.get("lc") == 1 and isinstance(kwargs, Mapping) and isinstance(name, list) and name:
        role = _ROLES.get(str(name[-1]).removesuffix("MessageChunk").removesuffix("Message").lower())
        return None if role is None else (role, kwargs)
    if kind in _ROLES and "role" not in message and "content" in message:
        return _ROLES[kind], message
    return None


def chat_of_langchain(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """LangChain's stored messages as OpenAI chat."""
    found = []
    for message in messages:
        role, data = _langchain(message) or ("user", message)
        chat: dict[str, Any] = {"role": role, "content": _plain(data.get("content"))}
        calls = [call for call in data.get("tool_calls") or () if isinstance(call, Mapping)]
        if calls:
            chat["tool_calls"] = [_call(call.get("id"), call.get("name"), json.dumps(call.get("args") or {})) for call in calls]
        if role == "tool":
            chat["tool_call_id"] = str(data.get("tool_call_id") or "")
        extra = data.get("additional_kwargs")
        if isinstance(extra, Mapping) and extra.get("lc_source") == "summarization":
            chat["isCompactSummary"] = True
        found.append(chat)
    return found


def _plain(content: Any) -> Any:
    """Text parts only: what else there is has no words."""
    if not isinstance(content, list):
        return content if isinstance(content, str) else ""
    return [part if isinstance(part, Mapping) else {"type": "text", "text": str(part)} for part in content if _is_text(part)]


def _is_text(part: Any) -> bool:
    return isinstance(part, str) or (isinstance(part, Mapping) and part.get("type") == "text" and isinstance(part.get("text"), str))


def _call(name: Any, tool: Any, arguments: str) -> dict[str, Any]:
    return {"id": str(name or ""), "type": "function", "function": {"name": str(tool or "tool"), "arguments": arguments}}


def is_responses(items: Sequence[Mapping[str, Any]]) -> bool:
    """Whether these are items of OpenAI Responses."""
    return all(item.get("type") in _ITEMS or ("type" not in item and "role" in item) for item in items) and any(
        item.get("type") in _ITEMS for item in items
    )


def chat_of_responses(items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Items of OpenAI Responses as OpenAI chat; calls that follow one another are one message. What is sealed is left out."""
    found: list[dict[str, Any]] = []
    for item in items:
        kind = item.get("type", "message")
        if kind == "message":
            found.append({"role": str(item.get("role") or "assistant"), "content": texts_of(item.get("content"))})
        elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
            given = item.get("arguments", item.get("input", item.get("action")))
            call = _call(item.get("call_id"), item.get("name"), given if isinstance(given, str) else json.dumps(given))
            if found and found[-1].get("tool_calls"):
                found[-1]["tool_calls"].append(call)
            else:
                found.append({"role": "assistant", "content": None, "tool_calls": [call]})
        elif kind.endswith("_output"):
            output = item.get("output")
            text = output if isinstance(output, str) else texts_of(output) or json.dumps(output)
            found.append({"role": "tool", "tool_call_id": str(item.get("call_id") or ""), "content": text})
    return found


def texts_of(content: Any) -> str:
    """The texts of content parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(part["text"]) for part in parts if isinstance(part, Mapping) and isinstance(part.get("text"), str))
