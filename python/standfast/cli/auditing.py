"""`standfast audit`: what a compaction did to each rule, of two files or of a session with compactions of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, get_args

import typer

import standfast as sf
from standfast.cli import console
from standfast.sessions import Compaction, session_of
from standfast.sessions.files import rules_in, side_of
from standfast.wire import FateKind

FATES: tuple[str, ...] = get_args(FateKind)
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
            kind, compactions = "files", [_of_files(before, after, texts)]
        else:
            session = session_of(before)
            kind = session.kind
            if not session.compactions:
                console.fail(f"{before}: no compaction in this {kind}; give BEFORE and AFTER")
            compactions = [audited(one, texts) for one in console.progress(session.compactions, "auditing")]
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


def _of_files(before: Path, after: Path, rules: list[str] | None) -> dict[str, Any]:
    report = sf.audit_compaction(side_of(before), side_of(after), rules)
    return {"trigger": "", "sealed": False, **report.to_wire()}


def audited(compaction: Compaction, rules: list[str] | None) -> dict[str, Any]:
    """One compaction's report as plain data. What stands in a sealed part nobody can see: not dropped, but unverifiable."""
    report = sf.audit_compaction(compaction.before.side(), compaction.after.side(), rules).to_wire()
    if compaction.sealed:
        for fate in report["fates"]:
            if fate["kind"] == "dropped":
                fate.update(kind="unverifiable", detail="sealed", evidence="")
    return {"trigger": compaction.trigger, "sealed": compaction.sealed, **report}


def failed(compactions: list[dict[str, Any]], wanted: frozenset[str] | None) -> bool:
    """Whether something happened that ends with 1."""
    if wanted is None:
        return not all(one["ok"] for one in compactions)
    kinds = {fate["kind"] for one in compactions for fate in one["fates"]}
    kinds |= {name for name in ("claims", "pairs") if any(one[name] for one in compactions)}
    return bool(kinds & wanted)


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
