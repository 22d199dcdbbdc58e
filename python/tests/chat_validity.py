"""Test support: what an endpoint would reject in a chat, for both shapes, and the same chat without its orphans."""

from typing import Any

Message = dict[str, Any]


def problems(messages: list[Message], shape: str) -> list[str]:
    """What an endpoint of this shape would reject. Calls that are open at the very end are allowed."""
    return _openai_problems(messages) if shape == "openai" else _anthropic_problems(messages)


def _openai_problems(messages: list[Message]) -> list[str]:
    out: list[str] = []
    waiting: list[str] = []
    for i, m in enumerate(messages):
        role = m.get("role")
        if role == "tool":
            if m.get("tool_call_id") in waiting:
                waiting.remove(m["tool_call_id"])
            else:
                out.append(f"{i}: result without its call")
            continue
        if waiting:
            out.append(f"{i}: calls {waiting} not answered before {role}")
        if role not in ("system", "developer", "user", "assistant"):
            out.append(f"{i}: unknown role {role!r}")
        waiting = [c["id"] for c in m.get("tool_calls") or []]
        if len(set(waiting)) < len(waiting):
            out.append(f"{i}: a call id twice in one message")
        if not waiting and not m.get("content") and role != "user":
            out.append(f"{i}: {role} message without content")
    return out


def blocks(message: Message, kind: str) -> list[Message]:
    content = message.get("content")
    return [b for b in content if b.get("type") == kind] if isinstance(content, list) else []


def _anthropic_problems(messages: list[Message]) -> list[str]:
    out: list[str] = []
    waiting: list[str] = []
    if messages and messages[0].get("role") != "user":
        out.append("0: the first message is not the user's")
    for i, m in enumerate(messages):
        if m.get("role") not in ("user", "assistant"):
            out.append(f"{i}: unknown role {m.get('role')!r}")
        if not m.get("content"):
            out.append(f"{i}: message without content")
        results = [b.get("tool_use_id") for b in blocks(m, "tool_result")]
        if sorted(map(str, results)) != sorted(waiting) and (waiting or results):
            out.append(f"{i}: results {results} for calls {waiting}")
        waiting = [b["id"] for b in blocks(m, "tool_use")]
        if waiting and m.get("role") != "assistant":
            out.append(f"{i}: a call by the user")
    return out


def mended(messages: list[Message], shape: str) -> list[Message]:
    """The same chat without orphans: each call has its result right behind it, or both are gone."""
    return _mended_openai(messages) if shape == "openai" else _mended_anthropic(messages)


def _mended_openai(messages: list[Message]) -> list[Message]:
    out: list[Message] = []
    i = 0
    while i < len(messages):
        m = messages[i]
        if m["role"] == "tool":  # a result nobody asked for
            i += 1
            continue
        end = i + 1
        while end < len(messages) and messages[end]["role"] == "tool":
            end += 1
        answers = {r.get("tool_call_id"): r for r in reversed(messages[i + 1 : end])}
        calls = list({c["id"]: c for c in m.get("tool_calls") or [] if c["id"] in answers}.values())
        kept = {k: v for k, v in m.items() if k != "tool_calls"} | ({"tool_calls": calls} if calls else {})
        if calls or kept.get("content"):
            out += [kept, *(answers[c["id"]] for c in calls)]
        i = end
    return out


def _mended_anthropic(messages: list[Message]) -> list[Message]:
    out: list[Message] = []
    for i, m in enumerate(messages):
        if isinstance(m["content"], str):
            if m["content"]:
                out.append(m)
            continue
        following = messages[i + 1] if i + 1 < len(messages) else {"content": []}
        answered = {b.get("tool_use_id") for b in blocks(following, "tool_result")}
        asked = {b["id"] for b in blocks(messages[i - 1], "tool_use")} if i else set()
        content = [
            b
            for b in m["content"]
            if not (b.get("type") == "tool_use" and b["id"] not in answered)
            and not (b.get("type") == "tool_result" and b.get("tool_use_id") not in asked)
        ]
        if content:
            out.append({**m, "content": content})
    return out
