"""The commands, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from standfast import __version__
from standfast.cli import auditing, cases, checking, demo, reporting, rounds, threads, triaging

app = typer.Typer(
    name="standfast",
    help="Keeps an AI agent's rules alive through context compaction.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def standfast(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Keeps an AI agent's rules alive through context compaction."""


case = typer.Typer(help="Cases for regression tests.", no_args_is_help=True)
case.command("add")(cases.add)

app.command("demo")(demo.demo)
app.command("check")(checking.check)
app.command("triage")(triaging.triage)
app.command("audit")(auditing.audit)
app.command("thread")(threads.thread)
app.command("rounds")(rounds.rounds)
app.add_typer(case, name="case")
app.command("report")(reporting.report)
