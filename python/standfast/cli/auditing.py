"""`standfast audit`: what a compaction did to each rule, of two files or of a session with compactions of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, get_args

import typer

import standfast as sf
from standfast.cli import console
from standfast.cli.files import rules_in, session_text, side_of, unusable
from standfast.wire import FateKind

FATES: tuple[str, ...] = get_args(FateKind)
_KINDS = {"claude_code": "Claude Code session", "codex": "Codex session", "messages": "messages"}
OTHERS = ("claims", "pairs", "none")


def audit(
    before: Annotated[Path, typer.Argument(help="Messages before the compaction; or a session with compactions of its own.")],
    after: Annotated[Path | None, typer.Argument(help="Messages after it, or a summary.")] = None,
    rules: Annotated[Path | None, typer.Option(help="Rules to look for; else what operator and user said.")] = None,
    fail_on: Annotated[str | None, typer.Option(help="What ends with 1: fates, claims, pairs, or none. Else any loss.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """What a compaction did to each rule: one line a rule, with its fate and the passage that decided."""
    wanted = _wanted(fail_on)
    with console.told():
        texts = None if rules is None else rules_in(rules)
        if after is not None:
            kind, compactions = "files", [audited(side_of(before), side_of(after, blank=True), texts)]
        else:
            kind, compactions = _of_session(before, texts)
    show(str(before), kind, compactions, as_json=as_json)
    if failed(compactions, wanted):
        raise typer.Exit(console.LOST)


def _wanted(fail_on: str | None) -> frozenset[str] | None:
    if fail_on is None:
        return None
    words = frozenset(word.strip() for word in fail_on.split(",") if word.strip())
    if not words or not words <= {*FATES, *OTHERS}:
        console.fail(f"--fail-on takes {', '.join((*FATES, *OTHERS))}")
    return words


def _of_session(path: Path, rules: list[str] | None) -> tuple[str, list[dict[str, Any]]]:
    try:
        report = sf.audit_session(session_text(path), rules)
    except sf.StandfastError as error:
        raise unusable(f"{path}: {error.args[0]} [{error.code}]") from None
    kind = _KINDS.get(report.format, report.format)
    if not report.rounds:
        raise unusable(f"{path}: no compaction in this file ({kind}); give BEFORE and AFTER")
    return kind, [{"trigger": one.trigger or "", "sealed": one.sealed, **one.report.to_wire()} for one in report.rounds]


def audited(before: Any, after: Any, rules: list[str] | None) -> dict[str, Any]:
    """One compaction's report as plain data."""
    return {"trigger": "", "sealed": False, **sf.audit_compaction(before, after, rules).to_wire()}


def failed(compactions: list[dict[str, Any]], wanted: frozenset[str] | None) -> bool:
    """Whether something happened that ends with 1."""
    if wanted is None:  # what a provider sealed nobody can verify: it is told, and not lost
        return any(not one["ok"] for one in compactions if not one["sealed"]) or any(_lost(one) for one in compactions)
    kinds = {fate["kind"] for one in compactions for fate in one["fates"]}
    kinds |= {name for name in ("claims", "pairs") if any(one[name] for one in compactions)}
    return bool(kinds & wanted)


def _lost(one: dict[str, Any]) -> bool:
    lost = any(not fate["kept"] and fate["kind"] != "unverifiable" for fate in one["fates"])
    return lost or bool(one["claims"] or one["pairs"])


def show(name: str, kind: str, compactions: list[dict[str, Any]], *, as_json: bool) -> None:
    """Prints the reports of all compactions."""
    if as_json:
        console.emit({"file": name, "kind": kind, "compactions": compactions})
        return
    for number, one in enumerate(compactions, 1):
        counts = one["counts"]
        said = f"{name} ({kind}), compaction {number} of {len(compactions)}" + (f", {one['trigger']}" if one["trigger"] else "")
        console.table(("rule", "fate", "kept", "where", "evidence"), [_row(fate) for fate in one["fates"]], title=said)
        sizes = f"{counts['messages_before']} to {counts['messages_after']} messages"
        tokens = f"{counts['tokens_before']:,} to {counts['tokens_after']:,} tokens"
        console.say(f"{counts['rules_kept']} of {counts['rules']} rules kept; {sizes}, {tokens}")
        if one["sealed"]:
            console.say("a part of it is sealed by the provider: what may stand there is unverifiable", "magenta")
        for claim in one["claims"]:
            console.say(f"{claim['fault']} {claim['claim']}: {console.short(claim['evidence'])}", "bold red")
        for pair in one["pairs"]:
            console.say(f"{pair['fault']}: message {pair['index']}", "bold red")
        for found in one["identifiers"]:
            console.say(f"identifier {found['fault']}: {console.short(found['text'], 60)}", "yellow")
        for decision in one["decisions"]:
            console.say(f"decision {decision['fault']}: {console.short(decision['decision'], 100)}", "yellow")
        console.say()


def _row(fate: dict[str, Any]) -> tuple[str, str, str, str, str]:
    place = fate["place"]
    where = "" if place is None else place["role"] if place["index"] is None else f"{place['role']} {place['index']}"
    kind = fate["kind"] + (f" ({fate['detail']})" if fate["detail"] else "")
    return console.short(fate["rule"], 90), kind, "yes" if fate["kept"] else "no", where, console.short(fate["evidence"], 90)
