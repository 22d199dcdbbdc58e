"""Plays transcripts and tells the digests of all that a guard gives: the Python half of npm/test/parity.test.mjs.

`play.py list` prints the conversations of the data folder (STANDFAST_DATA) and of bench/transcripts, and the files themselves, `lines`
what is to be typed; `play`, `read` and `typed` take jobs from stdin and print, for each, what play.mjs must give too.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

import standfast as sf

ROOT = Path(__file__).resolve().parents[2]
RULES = ["Never issue a refund above GBP 500 without a human approver.", "Zahlungen über 1.000 € dürfen nie ohne Freigabe erfolgen."]
KEY = "parity"


def given() -> dict[str, list[Any]]:
    """Every given transcript as a chat, and our own; and the files as they are."""
    sys.path.insert(0, str(ROOT / "python/tests"))
    import convert

    chats = list(convert.conversations())
    files = [(path.name, path.read_text("utf-8")) for path in (convert.files() if convert.folder() else [])]
    for path in (ROOT / f"bench/transcripts/{name}.json" for name in ("coding", "medical", "settlements")):
        text = path.read_text("utf-8")
        files.append((path.name, text))
        chats.append((path.name, "openai", json.loads(text)["messages"]))
    jobs = [{"name": name, "shape": shape, "messages": messages, "window": _window(messages)} for name, shape, messages in chats]
    return {"chats": jobs, "files": [{"name": name, "text": text} for name, text in files]}


def read(job: dict[str, str]) -> dict[str, Any]:
    """What a file's own compactions did, or why it cannot be read."""
    try:
        seen = {"report": _digest(sf.audit_session(job["text"]).to_json())}
    except sf.StandfastError as error:
        seen = {"code": error.code}
    return {"name": job["name"], "seen": [seen]}


def lines() -> list[dict[str, Any]]:
    """Every labelled line of the data folder, its documents whole, and our own lines."""
    folder = Path(os.environ.get("STANDFAST_DATA") or ROOT / "none")
    own = [json.loads(line) for line in (ROOT / "bench/triage/own_lines.jsonl").read_text("utf-8").splitlines()]
    labels = folder / "labels/lines.jsonl"
    known = [json.loads(line) for line in labels.read_text("utf-8").splitlines()] if labels.exists() else []
    fields = ("text", "heading_path", "lead_in", "kind")
    jobs: list[dict[str, Any]] = [{"name": "lines", "items": [{name: row.get(name) for name in fields} for row in own + known]}]
    for part in ("configs", "policies"):
        jobs += [{"name": path.name, "document": path.read_text("utf-8")} for path in sorted((folder / part).glob("*.md"))]
    return jobs


def typed(job: dict[str, Any]) -> dict[str, Any]:
    """What every item is found to be, at each operating point."""
    seen = {}
    for point in ("strict", "balanced", "lean"):
        if "items" in job:
            items = sf.classify_items(job["items"], point=point)
        else:
            items = sf.triage(job["document"], source=job["name"], point=point)
        said = [[item.text, item.knowledge, item.p_constraint, item.confidence, item.suspected, item.polarity] for item in items]
        seen[point] = _digest(json.dumps(said, ensure_ascii=False, separators=(",", ":")))
        seen["items"] = str(len(said))
    return {"name": job["name"], "seen": [seen]}


def _window(messages: list[Any]) -> int:
    """A window that is filled about five times."""
    tokens = sum(sf.count_tokens(json.dumps(message, ensure_ascii=False)) for message in messages)
    return max(2_000, tokens // 5)


def _bytes(value: Any) -> bytes:
    """One form of a value in both languages: keys sorted, integral numbers without a fraction."""

    def plain(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: plain(part[key]) for key in sorted(part, key=lambda key: key.encode("utf-16-be", "surrogatepass"))}
        if isinstance(part, list | tuple):
            return [plain(item) for item in part]
        return int(part) if isinstance(part, float) and part.is_integer() else part

    return json.dumps(plain(value), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _digest(value: bytes | str) -> str:
    return hashlib.sha256(value.encode() if isinstance(value, str) else value).hexdigest()


def _seen(guard: sf.Guard, window: Any) -> dict[str, str]:
    return {
        "pinned": _digest(window.pinned),
        "window": _digest(_bytes([window.system, window.messages])),
        "receipt": _digest(window.receipt.to_json()),
        "snapshot": _digest(guard.snapshot()),
        "signed": _digest(guard.snapshot(key=KEY)),
    }


def _summary(request: Any) -> str:
    """The same few words of the same request."""
    return f"Work went on: {_digest(request.prompt)[:12]}."


def play(job: dict[str, Any]) -> dict[str, Any]:
    """Plays a conversation from its beginning, or from a snapshot in its middle."""
    messages, middle = job["messages"], len(job["messages"]) // 2
    seen: list[dict[str, str]] = []
    snapshot = job.get("snapshot")
    if snapshot is None:
        guard = sf.Guard(window_tokens=job["window"], shape=job["shape"])
        for rule in RULES:
            guard.declare(rule, source="policy_loader")
    else:
        guard = sf.Guard.restore(snapshot, messages=messages[:middle], rules={"policy_loader": RULES})
        seen.append(_seen(guard, guard.window()))
    for at in range(0 if job.get("snapshot") is None else middle, len(messages)):
        if at == middle and snapshot is None:
            snapshot = guard.snapshot()
        guard.observe(messages[at])
        if guard.should_compact():
            # every other round the built-in summarizer
            window = guard.compact(None if guard.receipt.round % 2 else _summary)
            seen.append(_seen(guard, window))
    seen.append(_seen(guard, guard.compact(asked="requested")))
    return {"name": job["name"], "snapshot": snapshot, "seen": seen}


if __name__ == "__main__":
    what = sys.argv[1]
    lists = {"list": given, "lines": lines}
    jobs = [] if what in lists else json.load(sys.stdin)
    json.dump(lists[what]() if what in lists else [{"play": play, "read": read, "typed": typed}[what](job) for job in jobs], sys.stdout)
