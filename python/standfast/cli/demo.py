"""`standfast demo`: a conversation with five rules through five compactions."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from standfast.cli import console
from standfast.cli import rounds as both


def demo(
    number: Annotated[int, typer.Option("-n", "--rounds", min=1, max=50, help="How often it is compacted.")] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Five rules through five compactions: the usual rolling summary beside standfast."""
    from standfast.testing import scenarios

    rules = [scenario.rule for scenario in scenarios()]
    with console.told():
        found = [both.compared(conversation(rules), rules, number, name) for name in ("destructive", "extractive")]
    if as_json:
        console.emit(found)
    else:
        for one in found:
            both.show(one, as_json=False)
            console.say()
        _verdict(found)
    if any(one["standfast"]["alive"][-1] < 1 for one in found):
        raise typer.Exit(console.LOST)


def _verdict(found: list[dict[str, Any]]) -> None:
    for one in found:
        usual, ours = one["usual"]["alive"][-1], one["standfast"]["alive"][-1]
        said = f"After the last round the usual way has {usual:.0%} of the rules, standfast {ours:.0%}"
        console.say(f"{said} ({one['summarizer']} summarizer).", "bold")


def conversation(rules: list[str]) -> list[dict[str, Any]]:
    """A long run of a clerk, with a rule said now and then."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": "You are a clerk. You work through the list of the day."}]
    for turn in range(60):
        rule = rules[turn // 6] if turn % 6 == 0 and turn // 6 < len(rules) else ""
        call = {"id": f"call_{turn}", "type": "function", "function": {"name": "get_batch", "arguments": f'{{"n": {turn}}}'}}
        batch = f"batch {turn}: " + " ".join(f"row {row} booked, {row * 7 + turn}.{row:02d} GBP;" for row in range(14))
        messages += [
            {"role": "user", "content": f"{rule} Now batch {turn}, please.".strip()},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call_{turn}", "content": batch},
            {
                "role": "assistant",
                "content": f"Batch {turn} has 14 rows, all of them booked. I wrote the note and go on with the next one.",
            },
        ]
    return messages
