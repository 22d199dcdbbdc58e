"""Reads files: messages of any shape, rules, documents. What cannot be used raises, and the message says which file and why."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from standfast.errors import StandfastError
from standfast.sessions.shapes import chat_of_langchain, chat_of_responses, is_langchain, is_responses

LARGEST = 256 * 1024 * 1024


@dataclass(frozen=True)
class Messages:
    """A conversation as a file has it."""

    messages: list[Any]
    system: Any = None

    def side(self) -> dict[str, Any]:
        """As `audit_compaction` takes it."""
        return {"messages": self.messages, "system": self.system}


def unusable(message: str) -> StandfastError:
    """A file that cannot be used."""
    return StandfastError(message, code="invalid_argument")


def text_of(path: Path) -> str:
    """The text of a file."""
    if path.is_dir():
        raise unusable(f"{path}: this is a folder")
    if path.exists() and path.stat().st_size > LARGEST:
        raise unusable(f"{path}: larger than {LARGEST // 1024 // 1024} MB")
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise unusable(f"{path}: not UTF-8 text (byte {error.start})") from None


def parsed(path: Path, text: str) -> Any:
    """JSON, one value a line or one in all; a text where it is neither."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].lstrip().startswith("{"):
        try:
            return [json.loads(line) for line in lines]
        except (ValueError, RecursionError):
            return _lines(lines) if '"type"' in lines[0] else text
    return text


def _lines(lines: list[str]) -> list[Any]:
    """A log whose last line was cut off while it was written, or that holds a broken line."""
    found = []
    for line in lines:
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            continue
    return found


def side_of(path: Path) -> Any:
    """A side of an audit: messages, or a text."""
    found = parsed(path, text_of(path))
    if isinstance(found, str):
        return found
    return messages_in(path, found).side()


def messages_of(path: Path) -> Messages:
    """The messages of a file."""
    found = parsed(path, text_of(path))
    if isinstance(found, str):
        raise unusable(f"{path}: no messages (expected JSON)")
    return messages_in(path, found)


def messages_in(path: Path, found: Any) -> Messages:
    """The messages of what a file holds."""
    system = None
    listed = found
    if isinstance(found, Mapping):
        system = found.get("system", found.get("system_prompt", found.get("instructions")))
        listed = next((found[name] for name in ("messages", "history", "input", "items") if isinstance(found.get(name), list)), None)
        if listed is None and isinstance(found.get("role"), str):
            listed = [found]
    if not isinstance(listed, list) or not all(isinstance(message, Mapping) for message in listed):
        raise unusable(f"{path}: neither a list of messages nor an object with `messages`")
    if not listed:
        raise unusable(f"{path}: there are no messages in it")
    if is_langchain(listed):
        listed = chat_of_langchain(listed)
    elif is_responses(listed):
        listed = chat_of_responses(listed)
    return Messages([_named(message) for message in listed], system)


def _named(message: Any) -> Any:
    """A result that names its call as SWE-agent does, in a list."""
    names = message.get("tool_call_ids")
    if message.get("role") == "tool" and "tool_call_id" not in message and isinstance(names, list) and names:
        return {**message, "tool_call_id": names[0]}
    return message


def rules_in(path: Path) -> list[str]:
    """The rules of a file, read as `rules=` of the middleware reads them."""
    return list(_reader().rules_of(path.name, text_of(path)))


@cache
def _reader() -> Any:
    """The middleware's reader of rules, loaded beside its package: that one needs LangChain."""
    place = Path(__file__).parents[1] / "langchain" / "rules.py"
    spec = importlib.util.spec_from_file_location("standfast.sessions._rules", place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
