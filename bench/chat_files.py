"""Reads a file of chat messages, with the rules that belong to it.

A file is a JSON list of messages, an object with `messages` (and optionally `system`, `rules`, `window_tokens`, `name`,
`about`), or one message a line; in OpenAI chat or Anthropic shape.
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

ROLES = {"openai": ("system", "developer", "user", "assistant", "tool"), "anthropic": ("user", "assistant")}
BLOCKS = ("tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "compaction")


class BadInput(Exception):
    """The file cannot be used; the message says why and where."""


@dataclass(frozen=True)
class Given:
    """A rule, and the message before which it is declared or in which it is said."""

    text: str
    source: str
    message: int
    said: bool


@dataclass
class Transcript:
    name: str
    shape: str
    messages: list
    rules: list = field(default_factory=list)
    window_tokens: int | None = None
    system: str | None = None
    about: str = ""

    @property
    def head(self):
        """How many leading system messages there are."""
        count = 0
        while count < len(self.messages) and self.messages[count]["role"] in ("system", "developer"):
            count += 1
        return count


def read(path, rules_path=None):
    path = Path(path)
    text = _text(path)
    body = _parse(path, text)
    found = {"messages": body} if isinstance(body, list) else body
    if not isinstance(found, dict) or not isinstance(found.get("messages"), list):
        raise BadInput(f"{path}: expected a list of messages or an object with `messages`")
    messages = found["messages"]
    if not messages:
        raise BadInput(f"{path}: there are no messages in it")
    shape = "anthropic" if _is_anthropic(found) else "openai"
    for i, message in enumerate(messages):
        if why := _fault(message, shape):
            raise BadInput(f"{path}: message {i} {why}")
    window = found.get("window_tokens")
    if window is not None and (not isinstance(window, int) or window < 1_000):
        raise BadInput(f"{path}: `window_tokens` is {window!r}, expected a number of at least 1,000")
    system = found.get("system")
    if isinstance(system, list):
        system = "\n\n".join(block.get("text", "") for block in system if isinstance(block, dict))
    if system is not None and not isinstance(system, str):
        raise BadInput(f"{path}: `system` is neither text nor a list of text blocks")
    name = str(found.get("name") or path.stem)
    script = Transcript(name, shape, messages, [], window, system, str(found.get("about") or ""))
    script.rules = _given(path, found.get("rules") or [], script)
    if rules_path:
        script.rules = [Given(rule, "policy_loader", script.head, said=False) for rule in read_rules(rules_path)]
    return script


def read_rules(path):
    """One rule a line; in a Markdown file only the list items count, with their continuation lines."""
    lines = [line.rstrip() for line in _text(Path(path)).splitlines()]
    bullets = any(re.match(r"\s*(?:[-*+]|\d+[.)])\s+\S", line) for line in lines)
    rules, open_item = [], False
    for line in lines:
        item = re.match(r"\s*(?:[-*+]|\d+[.)])\s+(.*\S)", line)
        if item:
            rules.append(item[1])
            open_item = True
        elif bullets and open_item and re.match(r"\s+\S", line):
            rules[-1] += "\n" + line.strip()
        elif bullets or not line.strip() or line.startswith("#"):
            open_item = False
        else:
            rules.append(line.strip())
    if not rules:
        raise BadInput(f"{path}: there are no rules in it (one a line, or a Markdown list)")
    return list(dict.fromkeys(rules))


def _text(path):
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as e:
        raise BadInput(f"{path}: {e.strerror or e}") from None
    except UnicodeDecodeError as e:
        raise BadInput(f"{path}: not UTF-8 text (byte {e.start})") from None


def _parse(path, text):
    if not text.strip():
        raise BadInput(f"{path}: the file is empty")
    try:
        body = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as whole:
        lines = [(i, line) for i, line in enumerate(text.splitlines(), 1) if line.strip()]
        if len(lines) < 2 or not lines[0][1].lstrip().startswith("{") or not lines[0][1].rstrip().endswith("}"):
            raise BadInput(f"{path}: not JSON ({whole})") from None
        body = []
        for i, line in lines:
            try:
                body.append(json.loads(line))
            except (json.JSONDecodeError, RecursionError) as e:
                raise BadInput(f"{path}: line {i} is not JSON ({e})") from None
    if isinstance(body, dict) and "role" in body and "messages" not in body:
        body = [body]
    return body


def _is_anthropic(found):
    if "system" in found:
        return True
    for message in found["messages"]:
        if isinstance(message, dict):
            if message.get("role") in ("system", "developer", "tool") or message.get("tool_calls"):
                return False
            content = message.get("content")
            if isinstance(content, list) and any(isinstance(b, dict) and b.get("type") in BLOCKS for b in content):
                return True
    return False


def _fault(message, shape):
    if not isinstance(message, dict):
        return "is not an object"
    if message.get("role") not in ROLES[shape]:
        return f"has the role {message.get('role')!r}; known in this shape: {', '.join(ROLES[shape])}"
    content = message.get("content")
    if isinstance(content, list):
        if not all(isinstance(part, dict) for part in content):
            return "has a content list with something else than parts in it"
    elif content is not None and not isinstance(content, str):
        return f"has content of type {type(content).__name__}"
    calls = message.get("tool_calls")
    if calls is not None and not (isinstance(calls, list) and all(isinstance(c, dict) for c in calls)):
        return "has `tool_calls` that is not a list of calls"
    return None


def _given(path, rules, script):
    out = []
    for i, rule in enumerate(rules):
        if isinstance(rule, str):
            rule = {"text": rule}
        text = rule.get("text") if isinstance(rule, dict) else None
        if not isinstance(text, str) or not text.strip():
            raise BadInput(f"{path}: rule {i} has no text")
        at, said = rule.get("message", script.head), rule.get("given") == "said"
        if not isinstance(at, int) or not 0 <= at < len(script.messages):
            raise BadInput(f"{path}: rule {i} is given at message {at!r}, which does not exist")
        out.append(Given(text, str(rule.get("source") or "policy_loader"), at, said))
    return out
