"""Session files with their own compactions: Claude Code, Codex, and message lists that hold a summary.

    from standfast.sessions import session_of

    for compaction in session_of(Path("session.jsonl")).compactions:
        print(sf.audit_compaction(compaction.before.side(), compaction.after.side()))

Each compaction is looked at against all original messages before it, not against the summary before: a rule that the first
compaction lost is not found again by the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from standfast import _core
from standfast.sessions.files import Messages, messages_in, parsed, text_of
from standfast.sessions.shapes import SEALED, chat_of_responses, texts_of

__all__ = ["Compaction", "Messages", "Session", "session_of"]

KEPT_BY_CODEX = 20_000
"""Tokens of user messages that Codex keeps beside its own summary."""
_FLAGS = ("isCompactSummary", "is_compact_summary", "isSummary", "is_summary", "is_compaction_summary")


@dataclass(frozen=True)
class Compaction:
    """One compaction of a session. `sealed`: the provider keeps a part that nobody can read."""

    before: Messages
    after: Messages
    trigger: str = ""
    sealed: bool = False


@dataclass(frozen=True)
class Session:
    """A session file."""

    kind: str
    compactions: tuple[Compaction, ...]
    messages: int


def session_of(path: Path) -> Session:
    """Reads a session file."""
    found = parsed(path, text_of(path))
    records = [record for record in found if isinstance(record, Mapping)] if isinstance(found, list) else []
    if any(_is_codex(record) for record in records):
        compactions, count = _codex(records)
        return Session("Codex session", tuple(compactions), count)
    if any(_is_claude(record) for record in records):
        compactions, count = _claude(records)
        return Session("Claude Code session", tuple(compactions), count)
    listed = messages_in(path, found)
    return Session("messages", tuple(_listed(listed)), len(listed.messages))


# Claude Code: one record a line, chained by `parentUuid`; a boundary record, then the summary as a user's message.


def _is_claude(record: Mapping[str, Any]) -> bool:
    return record.get("type") in ("user", "assistant") and isinstance(record.get("message"), Mapping) and "uuid" in record


def _claude(records: Sequence[Mapping[str, Any]]) -> tuple[list[Compaction], int]:
    reader = _Claude()
    for record in _chain(records):
        reader.read(record)
    reader.close()
    return reader.compactions, len(reader.originals)


class _Claude:
    """Reads records one by one."""

    def __init__(self) -> None:
        self.originals: list[Any] = []
        self.compactions: list[Compaction] = []
        self._open: tuple[str, int, list[Any]] | None = None  # trigger, originals before it, and the window that it left
        self._trigger = ""
        self._answering: Any = None

    def read(self, record: Mapping[str, Any]) -> None:
        if record.get("subtype") == "compact_boundary":
            metadata = record.get("compactMetadata")
            self._trigger = str(metadata.get("trigger") or "") if isinstance(metadata, Mapping) else ""
            return
        message = record["message"]
        said = {"role": message.get("role"), "content": message.get("content")}
        if record.get("isCompactSummary") is True:
            self.close()
            self._open = (self._trigger, len(self.originals), [{**said, "isCompactSummary": True}])
            return
        if self._open is not None and record["type"] == "user" and not _is_result(message) and _first_turn(self._open[2]):
            self._open[2].append(said)
        if record.get("isMeta") is not True:  # written by the program: it may keep a rule, but makes none
            self._original(record, said)

    def _original(self, record: Mapping[str, Any], said: dict[str, Any]) -> None:
        name = record["message"].get("id") if record["type"] == "assistant" else None
        if name is not None and name == self._answering:  # a record for each block of one message
            self.originals[-1] = {**said, "content": [*self.originals[-1]["content"], *_blocks(said["content"])]}
        else:
            self.originals.append(said if name is None else {**said, "content": _blocks(said["content"])})
            if name is not None and self._open is not None:
                self._open[2].append({"role": "assistant", "content": ""})
        self._answering = name

    def close(self) -> None:
        """The compaction that is open is whole."""
        if self._open is not None:
            trigger, at, window = self._open
            after = [message for message in window if message["content"] != ""]
            self.compactions.append(Compaction(Messages(self.originals[:at]), Messages(after), trigger))
        self._open = None


def _first_turn(window: Sequence[Any]) -> bool:
    """Whether the window after a compaction has only what stood there before the agent went on."""
    return bool(window[-1].get("role") != "assistant")


def _is_result(message: Mapping[str, Any]) -> bool:
    return any(isinstance(block, Mapping) and block.get("type") == "tool_result" for block in _blocks(message.get("content")))


def _blocks(content: Any) -> list[Any]:
    return list(content) if isinstance(content, list) else [{"type": "text", "text": content if isinstance(content, str) else ""}]


def _chain(records: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The records of the branch that the session ended on: what was rewound is not part of it, nor are sub-agents."""
    known = {record["uuid"]: record for record in records if isinstance(record.get("uuid"), str) and not record.get("isSidechain")}
    told = [uuid for uuid, record in known.items() if _is_claude(record)]
    chain: list[Mapping[str, Any]] = []
    at = told[-1] if told else None
    while isinstance(at, str) and at in known:
        record = known.pop(at)
        chain.append(record)
        parent = record.get("parentUuid") or record.get("logicalParentUuid")
        # where the file does not say what came before a boundary, it is what stands before it
        at = parent if parent in known else _before(records, record, known) if _boundary(record) else None
    yield from (record for record in reversed(chain) if _is_claude(record) or record.get("subtype") == "compact_boundary")


def _boundary(record: Mapping[str, Any]) -> bool:
    return record.get("subtype") == "compact_boundary" or record.get("isCompactSummary") is True


def _before(records: Sequence[Mapping[str, Any]], record: Mapping[str, Any], known: Mapping[str, Any]) -> str | None:
    found = None
    for other in records:
        if other is record:
            return found
        if other.get("uuid") in known and _is_claude(other):
            found = str(other["uuid"])
    return None


# Codex: one record a line with `type` and `payload`; a record `compacted` replaces the history.


def _is_codex(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("payload"), Mapping) and record.get("type") in (
        "session_meta",
        "response_item",
        "compacted",
        "turn_context",
    )


def _codex(records: Sequence[Mapping[str, Any]]) -> tuple[list[Compaction], int]:
    originals: list[Mapping[str, Any]] = []
    compactions: list[Compaction] = []
    system: str | None = None
    for record in records:
        payload = record.get("payload")
        if not isinstance(payload, Mapping):
            continue
        if record.get("type") == "session_meta":
            system = _instructions(payload) or system
        elif record.get("type") == "response_item":
            originals.append(payload)
        elif record.get("type") == "compacted":
            replaced = payload.get("replacement_history")
            items = replaced if isinstance(replaced, list) else _rebuilt(originals, str(payload.get("message") or ""))
            items = [item for item in items if isinstance(item, Mapping)]
            sealed = any(item.get("type") in SEALED for item in items)
            before, after = chat_of_responses(originals), chat_of_responses(items)
            compactions.append(Compaction(Messages(before, system), Messages(after, system), "", sealed))
    return compactions, len(originals)


def _instructions(payload: Mapping[str, Any]) -> str | None:
    given = payload.get("base_instructions") or payload.get("instructions")
    text = given.get("text") if isinstance(given, Mapping) else given
    return text if isinstance(text, str) else None


def _rebuilt(items: Sequence[Mapping[str, Any]], summary: str) -> list[Mapping[str, Any]]:
    """What Codex makes of a history without a stored replacement: the newest user messages, then its summary."""
    kept: list[Mapping[str, Any]] = []
    room = KEPT_BY_CODEX
    for item in reversed(items):
        if item.get("type") == "message" and item.get("role") in ("user", "developer", "system"):
            room -= _core.count_tokens(texts_of(item.get("content")))
            if room < 0:
                break
            kept.append(item)
    return [*reversed(kept), {"type": "message", "role": "user", "content": summary}]


# A list of messages in which a summary stands.


def _listed(listed: Messages) -> Iterator[Compaction]:
    for place, summary in enumerate(listed.messages):
        before = [message for message in listed.messages[:place] if not _is_summary(message)]
        if before and _is_summary(summary):
            after = [summary]
            for message in listed.messages[place + 1 :]:  # up to where the agent went on
                if message.get("role") == "assistant":
                    break
                after.append(message)
            yield Compaction(Messages(before, listed.system), Messages(after, listed.system))


def _is_summary(message: Any) -> bool:
    if not isinstance(message, Mapping):
        return False
    return any(message.get(flag) is True for flag in _FLAGS) or any(
        isinstance(block, Mapping) and block.get("type") == "compaction" for block in _blocks(message.get("content"))
    )
