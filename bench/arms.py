"""The two ways to compact that are compared, and how a window is measured.

The usual way keeps the head and a tail and folds everything between, its own last summary included, into one new
summary. The other way is a guard. Both get the same summarizer, are compacted at the same points and keep the same tail.
A summarizer is "destructive", "extractive", or a function of the arm's name, what is to be summarized, and the budget.
"""

import hashlib
import json
import re
from dataclasses import asdict, dataclass

import standfast as sf

DESTRUCTIVE = "Work went on."
# Words that carry no content of their own; a rule's other words and all its numbers have to be there.
_FUNCTION_WORDS = """
a an the and or but nor of to in on at by for from with without into onto over under as is are was were be been being it its this that
these those there their them they he she his her him we us our you your i me my one ones who whom which what when where while if then
than so such no not any all each every some more most other only own same too very can could may might must shall should will would do
does did done has have had having about above below after before between until up down out off again also even
"""
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())


@dataclass
class Figures:
    """One window after one round."""

    tokens_before: int
    tokens: int
    share: float
    verbatim: int
    words: int
    prefix: float
    pinned: str | None = None

    def as_dict(self):
        return asdict(self)


def text_of(message):
    """Everything a model reads of a message, as one text."""
    content = message.get("content")
    parts = [content] if isinstance(content, str) else []
    for block in content if isinstance(content, list) else []:
        parts.append(_block_text(block))
    for call in message.get("tool_calls") or []:
        function = call.get("function") or {}
        parts.append(f"{function.get('name', '')}({function.get('arguments', '')})")
    return "\n".join(part for part in parts if part)


def _block_text(block):
    kind, inner = block.get("type"), block.get("content")
    if kind == "tool_result":
        if isinstance(inner, list):
            return "\n".join(_block_text(b) for b in inner if isinstance(b, dict))
        return inner if isinstance(inner, str) else ""
    if kind == "tool_use":
        return f"{block.get('name', '')}({json.dumps(block.get('input'), ensure_ascii=False)})"
    return str(block.get("text") or block.get("thinking") or "")


def tokens_of(system, messages):
    return sf.count_tokens(system or "") + sum(sf.count_tokens(text_of(m)) + 4 for m in messages)


def bytes_of(system, messages):
    lines = [json.dumps(system, ensure_ascii=False)] if system else []
    lines += [json.dumps(m, ensure_ascii=False) for m in messages]
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def common_prefix(a, b):
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if a[:middle] == b[:middle] else (low, middle - 1)
    return low


def tokens_in(text):
    """Numbers and words of a text; a number keeps its separators, so that 500 is not found in 5,000."""
    return re.findall(r"\d+(?:[.,:]\d+)*|[^\W\d_]+", text.casefold())


def measure(window_tokens, due, before, after):
    """`before` and `after` are (system, messages) of one arm around a round."""
    system, messages = after
    text = "\n".join([system or "", *(text_of(m) for m in messages)])
    present = set(tokens_in(text))
    size, data = tokens_of(system, messages), bytes_of(system, messages)
    return Figures(
        tokens_before=tokens_of(*before),
        tokens=size,
        share=size / window_tokens,
        verbatim=sum(rule.strip() in text for rule in due),
        words=sum(all(t in present for t in tokens_in(rule) if t not in FUNCTION_WORDS) for rule in due),
        prefix=common_prefix(bytes_of(*before), data) / len(data) if data else 1.0,
    )


class Usual:
    """Head, one rolling summary, tail. Rules are ordinary messages, where they were given."""

    def __init__(self, script, window_tokens, summarizer):
        self.script, self.summarizer = script, summarizer
        self.budget = window_tokens // 10  # what a guard's memory may take, too
        self.summary = None
        self.events = []  # (position, message): what has come since the head and is not folded yet

    def rule(self, given):
        role = "system" if self.script.shape == "openai" else "user"
        self.events.append((given.message, {"role": role, "content": given.text}))

    def message(self, position, message):
        if position >= self.script.head:
            self.events.append((position, message))

    def window(self):
        head = self.script.messages[: self.script.head]
        memory = [{"role": "user", "content": f"Summary of the conversation so far:\n{self.summary}"}] if self.summary else []
        return self.script.system, [*head, *memory, *(m for _, m in self.events)]

    def compact(self, tail_from):
        folded = [m for at, m in self.events if at < tail_from]
        self.events = [(at, m) for at, m in self.events if at >= tail_from]
        if self.summarizer == "destructive":
            self.summary = DESTRUCTIVE
            return
        lines = [{"seq": 0, "turn": 0, "role": "user", "trust": "user", "text": self.summary}] if self.summary else []
        lines += [
            {"seq": len(lines) + i, "turn": 0, "role": m["role"], "trust": _trust(m), "text": text_of(m)} for i, m in enumerate(folded)
        ]
        asked = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        self.summary = self.summarizer("usual", asked, self.budget) if callable(self.summarizer) else sf.extract(asked, self.budget)


def _trust(message):
    content = message.get("content")
    if message["role"] == "user" and isinstance(content, list) and any(b.get("type") == "tool_result" for b in content):
        return "external"
    return {"system": "operator", "developer": "operator", "user": "user", "assistant": "agent"}.get(message["role"], "external")


class Guarded:
    """The same conversation behind a guard."""

    def __init__(self, script, window_tokens, summarizer):
        self.script = script
        if callable(summarizer):
            self.summarizer = lambda request: summarizer("standfast", request.prompt, request.budget_tokens)
        else:
            self.summarizer = (lambda _: DESTRUCTIVE) if summarizer == "destructive" else None
        # A small window leaves a tenth for rules by default; files of users may promote more than that holds.
        policy = sf.Policy(window_tokens=window_tokens, soft_floor_fraction=0.5, pinned_tokens=min(window_tokens // 5, 3_000))
        self.guard = sf.Guard(policy, shape="anthropic") if script.shape == "anthropic" else sf.Guard(policy)
        self.seen = []

    def rule(self, given):
        self.guard.declare(given.text, source=given.source)

    def message(self, message):
        self.seen.append(message)
        self.guard.observe(message)

    def verdict(self):
        return self.guard.should_compact()

    def window(self):
        return self._slots(self.guard.window())

    def compact(self):
        """The new window as (system, messages), its pinned digest, and where the tail begins in the host's list."""
        window = self.guard.compact(self.summarizer)
        self.guard.assert_window(window.messages, system=window.system)
        digest = hashlib.sha256(window.pinned.encode()).hexdigest()[:12]
        return self._slots(window), digest, self._tail(window.messages)

    def _slots(self, window):
        host, ours = self.script.system, window.system
        joined = "\n\n".join(part for part in (host, ours) if part) if host and (ours is None or not ours.startswith(host)) else ours
        return joined, list(window.messages)

    def _tail(self, messages):
        count = 0
        while count < min(len(messages), len(self.seen)) and messages[-1 - count] is self.seen[-1 - count]:
            count += 1
        return len(self.seen) - count
