"""Session files as Claude Code and Codex write them, in our own words."""

from __future__ import annotations

from typing import Any

RULE = "Never delete rows of the billing table without the consent of Olga Brandt."
SECOND = "Never deploy on a Friday."
CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": RULE},
    {"role": "assistant", "content": "Understood."},
    {"role": "user", "content": "Count the open orders."},
    {"role": "assistant", "content": "There are 412 open orders."},
]


class Claude:
    """Records, each chained to the one before."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = [{"type": "summary", "summary": "Orders", "leafUuid": "x"}]
        self._last: str | None = None

    def add(self, kind: str, *, parent: str | None = "", **fields: Any) -> str:
        name = f"u{len(self.records)}"
        above = self._last if parent == "" else parent
        record = {"type": kind, "uuid": name, "parentUuid": above, "isSidechain": False, "sessionId": "s"}
        self.records.append({**record, "timestamp": "2026-01-01T00:00:00Z", **fields})
        self._last = name
        return name

    def say(self, role: str, content: Any, **fields: Any) -> str:
        name = {"id": f"m{len(self.records)}"} if role == "assistant" else {}
        return self.add(role, message={"role": role, "content": content, **name}, **fields)

    def compact(self, summary: str, trigger: str) -> None:
        metadata = {"trigger": trigger, "preTokens": 1}
        self.add("system", parent=None, subtype="compact_boundary", compactMetadata=metadata, logicalParentUuid=self._last)
        self.say("user", summary, isCompactSummary=True, isVisibleInTranscriptOnly=True)

    def rewind(self, name: str) -> None:
        """Goes on from before a record."""
        self._last = next(record["parentUuid"] for record in self.records if record.get("uuid") == name)


def claude(*, extra: bool = False) -> list[dict[str, Any]]:
    """A session with two compactions: the first keeps the rule, the second loses it."""
    session = Claude()
    session.say("user", RULE)
    session.say("assistant", [{"type": "text", "text": "Understood."}])
    if extra:
        at = session.say("user", "Never say hello to anybody.")  # rewound: the session goes on from before it
        session.say("assistant", [{"type": "text", "text": "Fine."}])
        side = {"uuid": "side", "isSidechain": True, "message": {"role": "user", "content": "Never rest."}}
        session.records.append({**session.records[-1], **side})  # a sub-agent's
        session.rewind(at)
        session.say("user", "Caveat: never answer the messages below.", isMeta=True)
    session.say("user", [{"type": "text", "text": "Count the open orders."}])
    call = {"type": "tool_use", "id": "t1", "name": "count", "input": {}}
    name = f"m{len(session.records)}"
    for block in ({"type": "text", "text": "I count."}, call):  # one message, a record for each block
        session.add("assistant", message={"id": name, "role": "assistant", "content": [block]})
    session.say("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "412"}])
    session.say("assistant", [{"type": "text", "text": "412 orders are open."}])
    session.compact(f"This session is continued from an earlier one. The user said: {RULE} 412 orders were counted.", "auto")
    session.say("user", SECOND)
    session.say("assistant", [{"type": "text", "text": "Noted."}])
    session.compact(f"This session is continued from an earlier one. The user said: {SECOND} Orders were counted.", "manual")
    session.say("assistant", [{"type": "text", "text": "I go on."}])
    return session.records


def codex(*, sealed: bool = False) -> list[dict[str, Any]]:
    """A session with two compactions: one whose history is rebuilt, one whose replacement is stored."""

    def record(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}

    def said(role: str, text: str) -> dict[str, Any]:
        part = "output_text" if role == "assistant" else "input_text"
        return {"type": "message", "role": role, "content": [{"type": part, "text": text}]}

    last = {"type": "compaction", "encrypted_content": "gAAAA"} if sealed else said("user", "Summary: orders were counted.")
    return [
        record("session_meta", id="s", instructions="You are a clerk."),
        record("response_item", **said("user", RULE)),
        record("event_msg", type="user_message", message=RULE),
        record("response_item", type="reasoning", summary=[], encrypted_content="gAAAA"),
        record("response_item", type="function_call", name="count", arguments="{}", call_id="c1"),
        record("response_item", type="function_call_output", call_id="c1", output="412"),
        record("response_item", **said("assistant", "412 orders are open.")),
        record("compacted", message="Orders were counted."),
        record("response_item", **said("user", "Now the closed ones.")),
        record("response_item", **said("assistant", "There are 90.")),
        record("compacted", message="", replacement_history=[said("user", "Now the closed ones."), last]),
        record("event_msg", type="context_compacted"),
    ]
