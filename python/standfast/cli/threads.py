"""`standfast thread`: the compactions of a thread that a LangGraph checkpointer keeps, in SQLite or PostgreSQL. Nothing is written."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote, urlsplit

import typer

import standfast as sf
from standfast.cli import auditing, console
from standfast.cli.files import rules_in
from standfast.testing.requests import texts

_PATIENCE = {"connect_timeout": "10", "tcp_user_timeout": "30000", "keepalives_idle": "10", "keepalives_interval": "5"}
"""What a database that does not answer may take; the URL may say otherwise."""


def thread(
    url: Annotated[str, typer.Argument(help="A SQLite file, sqlite:///file, or postgresql://user@host/database.")],
    thread_id: Annotated[str, typer.Option("--thread", help="The thread's id.")],
    rules: Annotated[Path | None, typer.Option(help="Rules to look for; else what operator and user said.")] = None,
    namespace: Annotated[str, typer.Option(help="Namespace of a subgraph.")] = "",
    channel: Annotated[str, typer.Option(help="The state's list of messages.")] = "messages",
    fail_on: Annotated[str | None, typer.Option(help="As of `audit`.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """What the compactions of a LangGraph thread did to each rule."""
    wanted = auditing._wanted(fail_on)
    with console.told():
        told = None if rules is None else rules_in(rules)
        states = _states(url, thread_id, namespace, channel)
        compactions = list(_compactions(states))
        reports = [auditing.audited(before, after, told) for before, after in console.progress(compactions, "auditing")]
    if reports:
        auditing.show(thread_id, "thread", reports, as_json=as_json)
    else:
        _never(thread_id, states, as_json=as_json)
    if auditing.failed(reports, wanted):
        raise typer.Exit(console.LOST)


def _never(thread_id: str, states: Sequence[Sequence[Any]], *, as_json: bool) -> None:
    messages = len(states[-1]) if states else 0
    if as_json:
        console.emit({"file": thread_id, "kind": "thread", "compactions": [], "messages": messages})
        return
    tokens = sf.count_tokens("\n".join(texts(message.content) for message in states[-1])) if states else 0
    console.say(f"{thread_id}: {messages} messages, {tokens:,} tokens, never compacted in the state; its rules stand as they were said")


def _states(url: str, thread_id: str, namespace: str, channel: str) -> list[list[Any]]:
    """The list of messages at each checkpoint, the oldest first."""
    config: Any = {"configurable": {"thread_id": thread_id, "checkpoint_ns": namespace}}
    with _saver(url) as saver:
        try:
            saved = list(saver.list(config))
        except Exception as error:  # a database of somebody else: the kind of the error only, its words may hold a password
            console.fail(f"the checkpoints cannot be read: {type(error).__name__}")
    if not saved:
        console.fail(f"no thread `{thread_id}` in there")
    found = [one.checkpoint["channel_values"].get(channel) for one in reversed(saved)]
    states = [list(messages) for messages in found if isinstance(messages, list) and messages]
    if not all(hasattr(message, "content") and hasattr(message, "type") for state in states for message in state):
        console.fail(f"`{channel}` holds something else than messages")
    return states


@contextmanager
def _saver(url: str) -> Iterator[Any]:
    scheme = urlsplit(url).scheme
    try:
        if scheme in ("postgres", "postgresql"):
            from langgraph.checkpoint.postgres import PostgresSaver

            with _connected(PostgresSaver, url) as saver:
                yield saver
        elif scheme in ("", "file", "sqlite") or len(scheme) == 1:  # one letter: a drive
            from langgraph.checkpoint.sqlite import SqliteSaver

            path = Path(url.removeprefix("sqlite:///") if scheme == "sqlite" else url.removeprefix("file:"))
            if not path.is_file():
                console.fail(f"{path}: no such file")
            connection = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, check_same_thread=False)
            try:
                saver = SqliteSaver(connection)
                saver.is_setup = True  # nothing is created in a file that is only read
                yield saver
            finally:
                connection.close()
        else:
            console.fail(f"`{scheme}` is neither sqlite nor postgresql")
    except ImportError as missing:
        console.fail(f"{missing.name} is missing: pip install langgraph-checkpoint-sqlite, or langgraph-checkpoint-postgres")


@contextmanager
def _connected(kind: Any, url: str) -> Iterator[Any]:
    from psycopg import Error
    from psycopg.conninfo import conninfo_to_dict, make_conninfo

    try:
        patient = {name: value for name, value in _PATIENCE.items() if name not in conninfo_to_dict(url)}
        with kind.from_conn_string(make_conninfo(url, **patient)) as saver:
            yield saver
    except Error as error:
        console.fail(f"the database cannot be reached: {type(error).__name__}")


def _compactions(states: Sequence[Sequence[Any]]) -> Iterator[tuple[list[Any], list[Any]]]:
    """Where messages left the state and others came for them."""
    originals: list[Any] = []
    known: set[Any] = set()
    summaries: set[Any] = set()
    last: Sequence[Any] = ()
    for state in states:
        names = {message.id for message in state}
        gone = [message for message in last if message.id not in names]
        # a summary stands before what was there already; what is simply new stands behind it
        first_old = next((at for at, message in enumerate(state) if message.id in known), len(state))
        made = [message for message in state[:first_old] if message.id not in known]
        if gone and made:
            summaries |= {message.id for message in made if message.type != "human" or _is_summary(message) or first_old < len(state)}
            yield _chat(originals), _chat(state)
        originals += [message for message in state if message.id not in known and message.id not in summaries]
        known |= names
        last = state


def _is_summary(message: Any) -> bool:
    return (getattr(message, "additional_kwargs", None) or {}).get("lc_source") == "summarization"


def _chat(messages: Sequence[Any]) -> list[Any]:
    from langchain_core.messages import convert_to_openai_messages

    found = convert_to_openai_messages(list(messages))
    return found if isinstance(found, list) else [found]
