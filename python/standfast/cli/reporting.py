"""`standfast report`: the history of the pytest plugin as a page or as Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from standfast.cli import console
from standfast.testing.history import History


def report(
    history: Annotated[Path, typer.Argument(help="What `pytest --standfast-history` wrote.")],
    out: Annotated[Path | None, typer.Option("-o", "--out", help="The HTML page; without it Markdown is printed.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the last run as JSON.")] = False,
) -> None:
    """The last run, and how figures went over all runs: one HTML page, Markdown or JSON."""
    with console.told():
        try:
            found = History.read(history)
        except ValueError as error:
            console.fail(str(error))
        if not found.runs:
            console.fail(f"{history}: no run in it")
        if as_json:
            console.emit(found.runs[-1])
        elif out is None:
            from standfast.testing.summary import markdown

            typer.echo(console.clean(markdown(found), lines=True), nl=False)
        else:
            _page(out, found)
    if any(test.get("outcome") == "failed" for test in found.runs[-1]["tests"].values()):
        raise typer.Exit(console.LOST)


def _page(out: Path, history: History) -> None:
    try:
        from standfast.testing.page import write_page

        write_page(out, history)
    except ImportError as missing:
        console.fail(f"{missing.name} is missing: pip install 'standfast[report]'")
    console.say(str(out))
