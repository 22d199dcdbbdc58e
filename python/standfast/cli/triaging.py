"""`standfast triage`: what the lines of documents are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

import standfast as sf
from standfast.cli import console
from standfast.cli.files import text_of


def triage(
    files: Annotated[list[Path], typer.Argument(help="Documents.")],
    only: Annotated[str | None, typer.Option(help="One type: constraint, procedural, belief, preference, episodic.")] = None,
    suspected: Annotated[bool, typer.Option(help="Also what may be a constraint.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """What the lines of documents are: one of five types, and how sure that is."""
    if only is not None and only not in sf.KNOWLEDGE_TYPES:
        console.fail(f"--only is one of {', '.join(sf.KNOWLEDGE_TYPES)}")
    found: list[dict[str, Any]] = []
    with console.told():
        for file in console.progress(files, "reading"):
            items = sf.triage(text_of(file), source=f"file:{file.name}")
            kept = [item for item in items if only is None or item.knowledge == only or (suspected and item.suspected)]
            found.append({"file": str(file), "items": [item.to_wire() for item in kept], "counts": _counts(items)})
    if as_json:
        console.emit(found)
        return
    for one in found:
        rows = [_row(item) for item in one["items"]]
        console.table(("line", "type", "sure", "text"), rows, title=one["file"], right=(0, 2))
        console.say(", ".join(f"{count} {kind}" for kind, count in one["counts"].items() if count) or "nothing in it")
        console.say()


def _counts(items: list[sf.Item]) -> dict[str, int]:
    return {kind: sum(item.knowledge == kind for item in items) for kind in sf.KNOWLEDGE_TYPES}


def _row(item: dict[str, Any]) -> tuple[str, str, str, str]:
    kind = item["knowledge"] + (" ?" if item["suspected"] and item["knowledge"] != "constraint" else "")
    return str(item["line"] or ""), kind, f"{item['confidence'] / 10:.0f} %", console.short(item["text"])
