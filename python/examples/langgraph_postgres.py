"""An agent on PostgreSQL, served by several processes: a thread begun in one goes on in another, with the same rules and the same window.

    pip install 'standfast[langchain]' langgraph-checkpoint-postgres 'psycopg[binary]'
    python langgraph_postgres.py postgresql://user@host/database --thread 42 --say "Look at batch 7."

Run it as often and on as many machines as you like: the conversation is in the checkpointer, standfast's state in the store, and neither
in the process. Two workers that compact one thread at once do not pay twice: one wins, the other takes what it wrote. A checkpointer
keeps the last of two turns that run on one thread at once, and one that begins in the midst of another finds calls without results; so
`turn` lets one of them wait.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from langchain.agents import create_agent
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.store.postgres import PostgresStore

from standfast.langchain import Standfast

RULES = ["Never issue a refund above GBP 500 without a human approver."]


@contextmanager
def agent(url: str, model: Any, tools: Any = (), **options: Any) -> Iterator[tuple[Any, Standfast]]:
    """The agent of this process. `options` are those of the middleware."""
    with PostgresSaver.from_conn_string(url) as saver, PostgresStore.from_conn_string(url) as store:
        middleware = Standfast(rules=RULES, store=store, **options)
        yield create_agent(model, list(tools), middleware=[middleware], checkpointer=saver), middleware


@contextmanager
def alone(url: str, name: str, seconds: float = 300.0) -> Iterator[None]:
    """Holds a lock of the database, which goes with the connection. It is tried and not waited for: indexes that are made concurrently
    wait for every statement that runs, a waiting one too."""
    until = time.monotonic() + seconds
    with psycopg.connect(url, autocommit=True) as connection:
        while not _taken(connection, name):
            if time.monotonic() > until:
                raise TimeoutError(f"another worker holds `{name}`")
            time.sleep(0.05)
        yield


def _taken(connection: psycopg.Connection[Any], name: str) -> bool:
    row = connection.execute("SELECT pg_try_advisory_lock(hashtextextended(%s, 0))", (f"standfast:{name}",)).fetchone()
    return bool(row and row[0])


@contextmanager
def turn(url: str, thread: str) -> Iterator[dict[str, Any]]:
    """One turn of a thread, after those that others have begun; gives the config."""
    with alone(url, f"thread {thread}"):
        yield {"configurable": {"thread_id": thread}}


def prepare(url: str) -> None:
    """Makes the tables. Workers that are new at once make them one after the other."""
    with alone(url, "tables"), PostgresSaver.from_conn_string(url) as saver, PostgresStore.from_conn_string(url) as store:
        saver.setup()
        store.setup()


def main() -> None:
    """One turn."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url")
    parser.add_argument("--thread", required=True)
    parser.add_argument("--say", required=True)
    parser.add_argument("--model", default="openai:gpt-5-mini")
    given = parser.parse_args()
    prepare(given.url)
    with agent(given.url, given.model, summarizer="agent") as (runs, middleware), turn(given.url, given.thread) as config:
        state = runs.invoke({"messages": [{"role": "user", "content": given.say}]}, config)
        print(state["messages"][-1].text)
        with middleware.session(runs, config) as guard:
            print(f"{len(guard.rules)} rules in force, {len(guard.segments)} segments", flush=True)


if __name__ == "__main__":
    main()
