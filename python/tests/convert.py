"""Test support: real transcripts of many tools as OpenAI- or Anthropic-shaped chats.

`conversations()` walks `trajectories/` and `formats/` of the data folder (environment variable STANDFAST_DATA) and
tells shapes apart by what stands in a file, not by its name, so that other files of the same kinds convert too. Every
chat it gives is valid: results without a call and calls without a result are dropped here.
"""

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from chat_validity import Message, blocks, mended, problems

__all__ = ["NOT_CONVERTIBLE", "NotConvertible", "blocks", "conversations", "convert", "files", "folder", "problems"]

Chat = tuple[str, list[Message]]  # shape, messages

# Files that hold no conversation for these two shapes, and why.
NOT_CONVERTIBLE = {
    "INDEX.tsv": "the index of the folder",
    "google-tool-call-gemini3.json": "one call without its result; nothing is left of it as a chat",
    "openai-chat-tool-call.json": "one call without its result; nothing is left of it as a chat",
    "openai-responses-client-tool-search.json": "one call without its result; nothing is left of it as a chat",
}


class NotConvertible(Exception):
    """This file holds no conversation the two shapes can carry."""


def folder() -> Path | None:
    """The data folder, where it is given and there."""
    given = os.environ.get("STANDFAST_DATA")
    return Path(given) if given and Path(given).is_dir() else None


def files() -> list[Path]:
    root = folder()
    return [] if root is None else sorted(p for part in ("trajectories", "formats") for p in (root / part).glob("*") if p.is_file())


def conversations() -> Iterator[tuple[str, str, list[Message]]]:
    """Name, shape ("openai" or "anthropic") and messages of every conversation of the data folder."""
    for path in files():
        if path.name in NOT_CONVERTIBLE:
            continue
        for n, (shape, messages) in enumerate(convert(path)):
            yield (path.name if n == 0 else f"{path.name}#{n + 1}"), shape, messages


def convert(path: Path) -> list[Chat]:
    """The conversations of one file, valid and not empty, or NotConvertible."""
    found = [(shape, mended(messages, shape)) for shape, messages in _read(path)]
    found = [
        (shape, messages) for shape, messages in found if any(m["role"] != "system" and m["content"] != ASKED["content"] for m in messages)
    ]
    if not found:
        raise NotConvertible(f"{path.name}: nothing is left of it as a chat")
    return found


# --- from a file to chats -------------------------------------------------------------------------------------------

# A response file holds one side only; this neutral line stands for the request that is not in it.
ASKED = {"role": "user", "content": "(the request is not recorded)"}


def _read(path: Path) -> list[Chat]:
    if path.suffix == ".md":
        return [("openai", _aider(path.read_text(encoding="utf-8")))]
    if path.suffix in (".yaml", ".yml"):
        return _cassette(path)
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [("openai", _openhands_log([json.loads(line) for line in text.splitlines() if line.strip()]))]
    return _document(json.loads(text), path.name)


def _document(doc: Any, name: str) -> list[Chat]:
    if isinstance(doc, list):
        return _list(doc, name)
    if not isinstance(doc, dict):
        raise NotConvertible(f"{name}: neither an object nor a list")
    if "history" in doc:
        return [("openai", [_openai(m) for m in doc["history"]])]
    if "samples" in doc:
        return [("openai", [_openai(m) for m in sample["messages"]]) for sample in doc["samples"]]
    if "messages" in doc:
        chats = _list(doc["messages"], name)
        if "response" in doc and "choices" in doc["response"]:
            chats[0][1].append(_openai(doc["response"]["choices"][0]["message"]))
        return chats + (_list(doc["raw_messages"], name) if "raw_messages" in doc else [])
    if "observations" in doc and "trace" in doc:
        return _trace(doc["observations"], name)
    if "events" in doc:
        return [("openai", _gemini([e["content"] for e in doc["events"]]))]
    if "candidates" in doc:
        return [("openai", [ASKED, *_gemini([doc["candidates"][0]["content"]])])]
    if "choices" in doc:
        return [("openai", [ASKED, _openai(doc["choices"][0]["message"])])]
    if isinstance(doc.get("output"), dict) and "message" in doc["output"]:
        return [("anthropic", [ASKED, _converse(doc["output"]["message"])])]
    if isinstance(doc.get("output"), list):
        return [("openai", [ASKED, *_responses(doc["output"])])]
    if isinstance(doc.get("input"), list):
        return [("openai", _responses(doc["input"]))]
    if doc.get("role") == "assistant" and isinstance(doc.get("content"), list):
        return [("anthropic", [ASKED, _anthropic(doc)])]
    if doc and all(isinstance(v, dict) and ("input" in v or "output" in v) for v in doc.values()):
        return _normalized(list(doc.values()))
    raise NotConvertible(f"{name}: a shape that is not known: {sorted(doc)[:6]}")


def _list(rows: list[Any], name: str) -> list[Chat]:
    if rows and all(isinstance(r, dict) and ("traj" in r or "messages" in r) for r in rows):
        return [chat for r in rows for chat in _list(r.get("traj") or r.get("messages") or [], name)]
    if any("action" in r or "observation" in r for r in rows):
        return [("openai", _openhands_events(rows))]
    kinds = {b.get("type") for r in rows if isinstance(r.get("content"), list) for b in r["content"]}
    if kinds & {"tool_use", "tool_result", "thinking"} or any("modelInfo" in r or "metadata" in r for r in rows):
        return [("anthropic", [_anthropic(r) for r in rows])]
    return [("openai", [_openai(r) for r in rows])]


def _call(identity: str, name: str, arguments: Any) -> Message:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": text}}


def _openai(m: Message) -> Message:
    """One message that is nearly of the OpenAI shape: foreign keys go, ids and arguments find their place."""
    content = m.get("content")
    if isinstance(content, list):
        content = [
            {"type": "text", "text": b["text"]} if b.get("type") in ("text", "reasoning_text") and "text" in b else b for b in content
        ]
    out: Message = {"role": "assistant" if m["role"] == "model" else m["role"], "content": content}
    if m.get("tool_calls"):
        out["tool_calls"] = [_call(c["id"], *_named(c)) for c in m["tool_calls"]]
    if m.get("reasoning_content"):
        out["reasoning_content"] = m["reasoning_content"]
    if m["role"] == "tool":
        out["tool_call_id"] = m.get("tool_call_id") or (m.get("tool_call_ids") or [None])[0]
    return out


def _named(call: Message) -> tuple[str, Any]:
    function = call.get("function")
    return (function["name"], function["arguments"]) if isinstance(function, dict) else (function or call["name"], call["arguments"])


# What a block of the Anthropic shape may carry; bookkeeping of the tools that wrote the files goes.
BLOCK_KEYS = {
    "tool_use": ("type", "id", "name", "input"), "tool_result": ("type", "tool_use_id", "content", "is_error"),
    "thinking": ("type", "thinking", "signature"), "text": ("type", "text"),
}  # fmt: skip


def _anthropic(m: Message) -> Message:
    if isinstance(m["content"], str):
        return {"role": m["role"], "content": m["content"]}
    content = []
    for b in m["content"]:
        b = dict(b)
        if b["type"] == "file":  # an attached file
            b = {"type": "text", "text": f'<file path="{b.get("path")}">\n{b.get("content", "")}\n</file>'}
        if "thinkingSignature" in b:
            b["signature"] = b["thinkingSignature"]
        if b["type"] == "tool_result" and not isinstance(b.get("content"), str | list):
            b["content"] = json.dumps(b.get("content"), ensure_ascii=False)
        elif b["type"] == "tool_result" and isinstance(b["content"], list):
            b["content"] = [
                c
                if isinstance(c, dict) and c.get("type") in ("text", "image")
                else {"type": "text", "text": json.dumps(c, ensure_ascii=False)}
                for c in b["content"]
            ]
        content.append({k: b[k] for k in BLOCK_KEYS.get(b["type"], tuple(b)) if k in b})
    return {"role": m["role"], "content": content}


def _converse(m: Message) -> Message:
    """A Bedrock Converse message as an Anthropic one."""
    content = []
    for b in m["content"]:
        if "toolUse" in b:
            content.append(
                {"type": "tool_use", "id": b["toolUse"]["toolUseId"], "name": b["toolUse"]["name"], "input": b["toolUse"]["input"]}
            )
        elif "reasoningContent" in b:
            r = b["reasoningContent"]
            if "redactedContent" in r:
                content.append({"type": "redacted_thinking", "data": str(r["redactedContent"])})
            else:
                content.append(
                    {"type": "thinking", "thinking": r["reasoningText"]["text"], "signature": r["reasoningText"].get("signature", "")}
                )
        else:
            content.append({"type": "text", "text": b["text"]})
    return {"role": m["role"], "content": content}


def _gemini(contents: list[Message]) -> list[Message]:
    """Gemini contents; calls carry no ids there, so a result belongs to the oldest open call of its name."""
    out: list[Message] = []
    waiting: list[tuple[str, str]] = []
    for n, content in enumerate(contents):
        texts: list[str] = []
        calls: list[Message] = []
        for part in content.get("parts") or []:
            call = part.get("functionCall") or part.get("function_call")
            result = part.get("functionResponse") or part.get("function_response")
            if call:
                calls.append(_call(f"gemini-{n}-{len(calls)}", call["name"], call.get("args") or {}))
                waiting.append((call["name"], calls[-1]["id"]))
            elif result:
                match = next((w for w in waiting if w[0] == result["name"]), None)
                if match:
                    waiting.remove(match)
                    out.append(
                        {"role": "tool", "tool_call_id": match[1], "content": json.dumps(result.get("response"), ensure_ascii=False)}
                    )
            elif part.get("text"):
                texts.append(part["text"])
        if texts or calls:
            message: Message = {"role": "assistant" if content.get("role") == "model" else "user", "content": "\n".join(texts) or None}
            out.append(message | ({"tool_calls": calls} if calls else {}))
    return out


def _responses(items: list[Message]) -> list[Message]:
    """Items of the Responses API; reasoning and what the server keeps to itself has no place in a chat."""
    out: list[Message] = []
    for item in items:
        kind = item.get("type", "message")
        if kind == "message":
            content = item["content"]
            if isinstance(content, list):
                parts: list[Message] = []
                for c in content:
                    image = c.get("image_url") or c.get("file_id")
                    parts.append(
                        {"type": "image_url", "image_url": {"url": image}}
                        if c.get("type") == "input_image"
                        else {"type": "text", "text": c.get("text") or c.get("refusal") or ""}
                    )
                content = parts if any(p["type"] != "text" for p in parts) else "\n".join(p["text"] for p in parts)
            out.append({"role": item["role"], "content": content})
        elif kind == "function_call":
            call = _call(item["call_id"], item["name"], item["arguments"])
            if out and out[-1]["role"] == "assistant" and items[items.index(item) - 1].get("type") == "function_call":
                out[-1]["tool_calls"].append(call)
            else:
                out.append({"role": "assistant", "content": None, "tool_calls": [call]})
        elif kind == "function_call_output":
            output = item["output"]
            out.append(
                {
                    "role": "tool",
                    "tool_call_id": item["call_id"],
                    "content": output if isinstance(output, str) else json.dumps(output, ensure_ascii=False),
                }
            )
        elif kind == "code_interpreter_call":
            logs = "\n".join(o.get("logs", "") for o in item.get("outputs") or [])
            out.append(
                {"role": "assistant", "content": None, "tool_calls": [_call(item["id"], "code_interpreter", {"code": item["code"]})]}
            )
            out.append({"role": "tool", "tool_call_id": item["id"], "content": logs})
    return out


def _openhands_events(events: list[Message]) -> list[Message]:
    out: list[Message] = []
    for e in events:
        meta = e.get("tool_call_metadata") or {}
        arguments = dict(e.get("args") or {})
        if e.get("action") == "message":
            out.append({"role": "user" if e["source"] == "user" else "assistant", "content": arguments.get("content") or e.get("message")})
        elif e.get("action") and meta:
            thought = arguments.pop("thought", None)
            out.append(
                {
                    "role": "assistant",
                    "content": thought or None,
                    "tool_calls": [_call(meta["tool_call_id"], meta["function_name"], arguments)],
                }
            )
        elif e.get("observation") and meta:
            out.append({"role": "tool", "tool_call_id": meta["tool_call_id"], "content": e.get("content") or "(no output)"})
    return out


def _openhands_log(events: list[Message]) -> list[Message]:
    out: list[Message] = [ASKED]
    response = None
    for e in events:
        if e["kind"] == "ActionEvent":
            call = _call(e["tool_call_id"], e["tool_name"], e["tool_call"]["arguments"])
            if response == e["llm_response_id"] and out[-1].get("tool_calls"):
                out[-1]["tool_calls"].append(call)
            else:
                text = "\n".join(t.get("text", "") for t in e["thought"])
                out.append({"role": "assistant", "content": text or None, "tool_calls": [call]})
            response = e["llm_response_id"]
        elif e["kind"] == "ObservationEvent":
            content = e["observation"]["content"]
            text = content if isinstance(content, str) else "\n".join(c.get("text", "") for c in content)
            out.append({"role": "tool", "tool_call_id": e["tool_call_id"], "content": text})
        elif e["kind"] == "MessageEvent":
            out.append(_openai(e["llm_message"]))
    return out


def _aider(text: str) -> list[Message]:
    """`#### ` is the user, `> ` what the tool printed (it goes to the model with the user's next turn), the rest the model."""
    out: list[Message] = []
    for line in text.splitlines():
        if line.startswith("# aider chat started") or line.startswith("-*-"):
            continue
        user = re.match(r"####\s?(.*)|>\s?(.*)", line)
        role, said = ("user", (user[1] if user[1] is not None else user[2]).rstrip()) if user else ("assistant", line)
        if out and out[-1]["role"] == role:
            out[-1]["content"] += "\n" + said
        elif said.strip():
            out.append({"role": role, "content": said})
    return out


def _trace(observations: list[Message], name: str) -> list[Chat]:
    """Langfuse traces: the generation, or the agent's run where it is whole."""
    spans = sorted((o for o in observations if o.get("input") and o["type"] in ("AGENT", "GENERATION")), key=lambda o: o["type"])
    if not spans:
        raise NotConvertible(f"{name}: a trace without a generation")
    asked, answered = _loaded(spans[0]["input"]), _loaded(spans[0]["output"])
    out: list[Message] = []
    for side, role in ((asked, "user"), (answered, "assistant")):
        if isinstance(side, list):
            for m in side:
                out += _parts(m)
        elif isinstance(side, dict) and "candidates" in side:
            out += _gemini([side["candidates"][0]["content"]])
        elif isinstance(side, dict):
            given = side.get("contents") or side.get("args")
            out.append({"role": role, "content": given if isinstance(given, str) else "\n".join(map(str, given or []))})
        else:
            turns = re.split(r"(?m)^(system|user|assistant): ", str(side))
            out += [{"role": r, "content": t.strip()} for r, t in zip(turns[1::2], turns[2::2], strict=True)] or [
                {"role": role, "content": str(side)}
            ]
    return [("openai", out)]


def _loaded(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except json.JSONDecodeError:
        return value


def _parts(m: Message) -> list[Message]:
    """A message of the Microsoft agent framework."""
    texts = [p["content"] for p in m["parts"] if p["type"] == "text"]
    calls = [_call(p["id"], p["name"], p["arguments"]) for p in m["parts"] if p["type"] == "tool_call"]
    out: list[Message] = [
        {"role": "tool", "tool_call_id": p["id"], "content": str(p["response"])} for p in m["parts"] if p["type"] == "tool_call_response"
    ]
    if texts or calls:
        out.append({"role": m["role"], "content": "\n".join(texts) or None} | ({"tool_calls": calls} if calls else {}))
    return out


def _normalized(spans: list[Message]) -> list[Chat]:
    """Langfuse's own chat form of a framework's spans: the longest input with its output. Calls lost their ids there."""

    def side(span: Message, key: str) -> list[Message]:
        data = (span.get(key) or {}).get("data") or []
        return [m for m in data if isinstance(m, dict) and m.get("role") and isinstance(m.get("content"), str)]

    span = max(spans, key=lambda s: len(side(s, "input")))
    return [("openai", [_openai({"role": m["role"], "content": m["content"]}) for m in side(span, "input") + side(span, "output")])]


def _cassette(path: Path) -> list[Chat]:
    """Recorded traffic: the requests that are no beginning of a later one, each with its answer where it is readable."""
    try:
        import yaml
    except ImportError:
        raise NotConvertible(f"{path.name}: PyYAML is not installed") from None
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    found: list[tuple[str, list[Message]]] = []
    for turn in yaml.load(path.read_text(encoding="utf-8"), Loader=loader)["interactions"]:
        body = turn["request"].get("parsed_body") or _body(turn["request"].get("body"))
        answer = turn["response"].get("parsed_body") or _body((turn["response"].get("body") or {}).get("string"))
        if not isinstance(body, dict):
            continue
        if isinstance(body.get("messages"), list):
            converse = any(isinstance(m.get("content"), list) and "type" not in m["content"][0] for m in body["messages"])
            chat = [_converse(m) if converse else _openai(m) for m in body["messages"]]
            if isinstance(answer, dict) and "choices" in answer:
                chat.append(_openai(answer["choices"][0]["message"]))
            elif isinstance(answer, dict) and converse:
                chat.append(_converse(answer["output"]["message"]))
            found.append(("anthropic" if converse else "openai", chat))
        elif isinstance(body.get("input"), list) and all(isinstance(i, dict) for i in body["input"]) and body["input"]:
            head = [{"role": "system", "content": body["instructions"].strip()}] if body.get("instructions") else []
            found.append(("openai", head + _responses(body["input"])))
    if not found:
        raise NotConvertible(f"{path.name}: no chat request in the recording")
    return [chat for i, chat in enumerate(found) if not any(later[1][: len(chat[1])] == chat[1] for later in found[i + 1 :])]


def _body(value: Any) -> Any:
    try:
        return json.loads(value) if value else None
    except (ValueError, TypeError):
        return None
