"""`standfast check`: what of a file would be pinned, what that costs, and whether it fits."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Annotated, Any

import typer

import standfast as sf
from standfast.cli import console
from standfast.cli.files import rules_in


def check(
    file: Annotated[Path, typer.Argument(help="Rules: AGENTS.md and the like, a YAML or JSON list, or a text with one rule a line.")],
    window: Annotated[int, typer.Option(min=1_000, help="Size of the model's context window in tokens.")] = 200_000,
    strict: Annotated[bool, typer.Option(help="Duplicates fail too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """What would be pinned, what it costs, and whether it fits: exit code 1 where it does not."""
    with console.told():
        found = _checked(rules_in(file), window)
    if as_json:
        console.emit(found)
    else:
        _show(found)
    if not found["fits"] or found["refused"] or (strict and found["duplicates"]):
        raise typer.Exit(console.LOST)


def _checked(texts: list[str], window: int) -> dict[str, Any]:
    guard = sf.Guard(window_tokens=window)
    room = guard.policy.pinned_tokens or 0
    loose = sf.Guard(window_tokens=max(window, 4_000_000), pinned_tokens=1_000_000)  # the size of what does not fit, too
    refused: list[dict[str, Any]] = []
    for at, text in enumerate(texts):
        try:
            loose.declare(text)
        except sf.StandfastError as error:
            refused.append({"rule": at + 1, "code": error.code, "hint": error.hint, "text": text})
    order = {text.strip(): at for at, text in reversed(list(enumerate(texts)))}
    rules = sorted(loose.rules, key=lambda rule: order.get(rule.text.strip(), len(texts)))
    pinned = loose.window().pinned
    size = sf.count_tokens(pinned)
    return {
        "window_tokens": window,
        "rules": [{"fingerprint": rule.fingerprint, "tokens": sf.count_tokens(rule.text), "text": rule.text} for rule in rules],
        "pinned_tokens": size,
        "room_tokens": room,
        "share_of_window": round(size / window, 4),
        "fits": size <= room and _declared(guard, [rule.text for rule in rules]),
        "duplicates": _duplicates(rules),
        "refused": refused,
    }


def _declared(guard: sf.Guard, texts: list[str]) -> bool:
    try:
        guard.set_rules("standfast:check", texts)
    except sf.BudgetExceeded:
        return False
    return True


def _duplicates(rules: list[sf.Rule]) -> list[list[str]]:
    """Rules that say the same letters: only case, spaces, marks or look-alike characters differ."""
    groups: dict[str, list[str]] = {}
    by_name = {rule.fingerprint: rule for rule in rules}
    for rule in rules:
        twin = by_name.get(rule.lookalike_of or "")
        groups.setdefault(_letters((twin or rule).text), []).append(rule.fingerprint)
    return [names for names in groups.values() if len(names) > 1]


def _letters(text: str) -> str:
    return "".join(one for one in unicodedata.normalize("NFKC", text).casefold() if one.isalnum())


def _show(found: dict[str, Any]) -> None:
    texts = {rule["fingerprint"]: rule["text"] for rule in found["rules"]}
    rows = [(rule["fingerprint"], str(rule["tokens"]), console.short(rule["text"])) for rule in found["rules"]]
    console.table(("rule", "tokens", "text"), rows, right=(1,))
    console.say()
    room = f"{found['pinned_tokens']:,} of {found['room_tokens']:,} tokens that rules may take"
    window = f"window {found['window_tokens']:,}"
    style = None if found["fits"] else "bold red"
    console.say(f"{'fits' if found['fits'] else 'does not fit'}: {len(rows)} rules, {room} ({window})", style)
    for names in found["duplicates"]:
        console.say(f"duplicates: {', '.join(names)}: {console.short(texts[names[0]], 80)}", "yellow")
    for one in found["refused"]:
        console.say(f"refused [{one['code']}]: {console.short(one['text'], 80)} ({one['hint']})", "bold red")
