"""`standfast rounds`: which rules are left of a transcript after several compactions, the usual way and with standfast."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import typer

import standfast as sf
from standfast.cli import console
from standfast.cli.files import messages_of, rules_in
from standfast.testing import Survival, survival
from standfast.testing.requests import destructive_summarizer, role_of, texts


class Summarizer(str, Enum):
    """What sums up."""

    destructive = "destructive"
    extractive = "extractive"


def rounds(
    transcript: Annotated[Path, typer.Argument(help="A file of messages.")],
    number: Annotated[int, typer.Option("-n", "--rounds", min=1, max=100, help="How often it is compacted.")] = 5,
    rules: Annotated[Path | None, typer.Option(help="Rules to look for; else what operator and user said.")] = None,
    summarizer: Annotated[Summarizer, typer.Option(help="Loses everything, or takes over sentences.")] = Summarizer.destructive,
    window: Annotated[int | None, typer.Option(min=1_000, help="Size of the window in tokens; else that of the transcript.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Compacts a transcript again and again, the usual way and with standfast; exit code 1 where standfast lost a rule."""
    with console.told():
        given = messages_of(transcript)
        system = [{"role": "system", "content": texts(given.system)}] if given.system else []
        messages = [*system, *given.messages]
        told = _rules(messages) if rules is None else rules_in(rules)
        if not told:
            console.fail(f"{transcript}: no rule is said in it; give --rules")
        found = compared(messages, told, number, summarizer.value, window)
    show(found, as_json=as_json)
    if found["standfast"]["alive"][-1] < 1:
        raise typer.Exit(console.LOST)


def _rules(messages: Sequence[Any]) -> list[str]:
    """The rules that `audit` looks for where none are given: what operator and user said."""
    side = list(messages)
    return list(dict.fromkeys(fate.rule for fate in sf.audit_compaction(side, side).fates))


def compared(messages: list[Any], rules: list[str], number: int, summarizer: str, window: int | None = None) -> dict[str, Any]:
    """Both ways over one transcript."""
    tokens = sf.count_tokens(texts(messages))
    size = window or max(4_000, tokens + 4_000, 12 * sf.count_tokens(texts(rules)))
    ours = guarded(rules, size, None if summarizer == "extractive" else destructive_summarizer)
    ways: list[tuple[str, Callable[[list[Any]], Any], bool]] = [
        ("usual", rolling(summarizer, size // 10), False),
        ("standfast", ours, True),
    ]
    found: dict[str, Any] = {"messages": len(messages), "tokens": tokens, "window_tokens": size, "summarizer": summarizer, "rules": rules}
    for name, compact, overlay in console.progress(ways, "compacting"):
        found[name] = _figures(survival(compact, rules, messages, number, overlay=overlay))
    return found


def _figures(result: Survival) -> dict[str, Any]:
    return {
        "alive": [one.alive for one in result.rounds],
        "tokens": [one.report.counts.tokens_after for one in result.rounds],
        "cliff": result.cliff,
        "lost": [list(one.lost) for one in result.rounds],
    }


def guarded(rules: list[str], window: int, summarizer: Callable[[sf.Request], str] | None) -> Callable[[list[Any]], sf.Window]:
    """A compaction by a guard."""
    guard = sf.Guard(window_tokens=window)
    guard.set_rules("standfast:rounds", rules)

    def compact(messages: list[Any]) -> sf.Window:
        guard.sync(messages)
        return guard.compact(summarizer)

    return compact


def rolling(summarizer: str, budget: int, keep: int = 6) -> Callable[[list[Any]], list[Any]]:
    """The usual way: the leading system messages, one summary of all that was and of the summary before it, and the last messages."""

    def compact(messages: list[Any]) -> list[Any]:
        head = 0
        while head < len(messages) and role_of(messages[head]) in ("system", "developer"):
            head += 1
        cut = max(head, len(messages) - keep)
        while cut < len(messages) and _continues(messages[cut]):
            cut += 1
        folded = messages[head:cut]
        summary = sf.extract(_request(folded), budget) if summarizer == "extractive" else "Work went on."
        return [*messages[:head], {"role": "user", "content": f"Summary of the conversation so far:\n{summary}"}, *messages[cut:]]

    return compact


def _continues(message: Any) -> bool:
    """Whether a message belongs to the call before it."""
    if role_of(message) == "tool":
        return True
    content = message.get("content") if isinstance(message, dict) else None
    return isinstance(content, list) and any(isinstance(block, dict) and block.get("type") == "tool_result" for block in content)


def _request(messages: Sequence[Any]) -> str:
    """Messages as the lines of a summary request."""
    trust = {"system": "operator", "developer": "operator", "user": "user", "assistant": "agent"}
    lines, turn = [], 0
    for at, one in enumerate(messages):
        role = role_of(one)
        text = texts(one.get("content"))
        lines.append({"seq": at, "turn": turn, "role": role, "trust": trust.get(role, "external"), "text": text})
        turn += role == "user"
    return "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)


def show(found: dict[str, Any], *, as_json: bool) -> None:
    """Prints the comparison."""
    if as_json:
        console.emit(found)
        return
    total = len(found["rules"])
    usual, ours = found["usual"], found["standfast"]
    rows = []
    for at, (theirs, mine) in enumerate(zip(usual["alive"], ours["alive"])):
        left = f"{round(theirs * total)} of {total}", f"{usual['tokens'][at]:,}"
        right = f"{round(mine * total)} of {total}", f"{ours['tokens'][at]:,}"
        rows.append((str(at + 1), *left, *right))
    heads = ("round", "usual: rules alive", "tokens", "standfast: rules alive", "tokens")
    title = f"{found['messages']} messages, {found['tokens']:,} tokens, {found['summarizer']} summarizer"
    console.table(heads, rows, title=title, right=(0, 2, 4))
    console.say()
    for rule in usual["lost"][-1]:
        console.say(f"lost the usual way: {console.short(rule)}", "yellow")
    for rule in ours["lost"][-1]:
        console.say(f"lost with standfast: {console.short(rule)}", "bold red")
