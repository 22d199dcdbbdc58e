"""What the commands print, and how they end: texts of others never reach a terminal with their control characters."""

from __future__ import annotations

import json
import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from standfast.errors import StandfastError

LOST, UNUSABLE = 1, 2
_T = TypeVar("_T")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])?")


def clean(text: str, *, lines: bool = False) -> str:
    """A text that does nothing to a terminal: without escape sequences, control characters and bidi overrides."""
    text = _ESCAPES.sub("", text)
    return "".join(one if _shown(one) else "\n" if lines and one == "\n" else " " if one in "\n\t\r" else "" for one in text)


def _shown(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Zl", "Zp") or character == "\u200d"


def short(text: str, length: int = 160) -> str:
    """One line of a text."""
    line = " ".join(clean(text).split())
    return line if len(line) <= length else f"{line[: length - 1]}…"


def console() -> Console:
    """Where results go. Not a terminal: plain text, wide enough for one line a row."""
    terminal = sys.stdout.isatty()
    return Console(soft_wrap=not terminal, width=None if terminal else 200, highlight=False, emoji=False, markup=False)


def say(text: str = "", style: str | None = None) -> None:
    """One line of a result."""
    console().print(Text(clean(text, lines=True), style=style or ""))


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, title: str | None = None, right: Sequence[int] = ()) -> None:
    """Rows as a table."""
    drawn = Table(title=None if title is None else Text(clean(title)), title_justify="left", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for at, head in enumerate(heads):
        drawn.add_column(Text(head, style="bold"), justify="right" if at in right else "left", overflow="fold")
    for row in rows:
        drawn.add_row(*(_cell(cell) for cell in row))
    console().print(drawn)


_STYLES = {
    "preserved": "green",
    "paraphrased": "green",
    "yes": "green",
    "no": "bold red",
    "weakened": "yellow",
    "mutated": "red",
    "contradicted": "bold red",
    "dropped": "bold red",
    "unverifiable": "magenta",
    "constraint": "bold",
}


def _cell(cell: str) -> Text:
    text = clean(cell)
    return Text(text, style=_STYLES.get(text.split(" ")[0], ""))


def emit(value: Any) -> None:
    """A result as JSON: ASCII, so that no character of it can do anything."""
    sys.stdout.write(json.dumps(value, ensure_ascii=True, indent=1) + "\n")


def fail(message: str) -> NoReturn:
    """Ends the command: its input cannot be used."""
    print(f"standfast: {clean(message)}", file=sys.stderr)
    raise typer.Exit(UNUSABLE)


@contextmanager
def told() -> Iterator[None]:
    """Errors of input become one line and an exit code."""
    try:
        yield
    except StandfastError as error:
        fail(f"{error}. {error.hint}" if error.hint else str(error.args[0]))
    except UnicodeDecodeError as error:
        fail(f"not UTF-8 text (byte {error.start})")
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the reader has seen enough
        raise typer.Exit(LOST) from None
    except OSError as error:
        fail(f"{error.filename or 'file'}: {error.strerror or error}")


def progress(of: Sequence[_T], label: str) -> Iterator[_T]:
    """The items, with a bar on the error stream where that is a terminal."""
    screen = Console(stderr=True)
    if len(of) < 2 or not screen.is_terminal:
        yield from of
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=screen, transient=True) as bar:
        yield from bar.track(of, description=clean(label))


def percent(share: float) -> str:
    """A share for people."""
    return f"{share:.0%}"
