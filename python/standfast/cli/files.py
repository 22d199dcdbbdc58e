"""Reads the files that commands are given. What cannot be used raises, and the message says which file and why."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import standfast as sf

JSON = (".json", ".jsonl", ".ndjson")
"""What is called so is no plain text."""
LARGEST = 256 * 1024 * 1024


def unusable(message: str) -> sf.StandfastError:
    """A file that cannot be used."""
    return sf.StandfastError(message, code="invalid_argument")


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


def session_text(path: Path) -> str:
    """The text of a file of messages, as `read_session` takes it."""
    text = text_of(path)
    found = _parsed(text)
    history = found.get("history") if isinstance(found, Mapping) and "messages" not in found else None
    # what SWE-agent writes: its results name their calls in a list
    return json.dumps([_named(message) for message in history]) if isinstance(history, list) else text


def _named(message: Any) -> Any:
    names = message.get("tool_call_ids") if isinstance(message, Mapping) else None
    if isinstance(names, list) and names and message.get("role") == "tool" and "tool_call_id" not in message:
        return {**message, "tool_call_id": names[0]}
    return message


def messages_of(path: Path) -> sf.Session:
    """The messages of a file, with its system slot and the compactions in it."""
    try:
        session = sf.read_session(session_text(path))
    except sf.StandfastError as error:
        raise unusable(f"{path}: {error.args[0]} [{error.code}]") from None
    if not session.messages:
        raise unusable(f"{path}: there are no messages in it")
    return session


def side_of(path: Path, *, blank: bool = False) -> Any:
    """A side of an audit: messages with their system slot, or a text; one that says nothing only where that is `blank`."""
    text = text_of(path)
    found = _parsed(text)
    if not text.strip() and not blank:
        raise unusable(f"{path}: there is nothing in it")
    if isinstance(found, str) or (
        path.suffix.lower() not in JSON and not isinstance(found, list | dict) and not text.lstrip().startswith("{")
    ):
        return found if isinstance(found, str) else text
    session = messages_of(path)
    return {"messages": list(session.messages), "system": session.system}


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def rules_in(path: Path) -> list[str]:
    """The rules of a file, read as `rules=` of the middleware reads them."""
    from standfast._thread.rules import rules_of

    return list(rules_of(path.name, text_of(path)))
