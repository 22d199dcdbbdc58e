"""An agent on PostgreSQL, served by several processes: a thread begun in one goes on in another, with the same rules and the same window.

    pip install 'standfast[langchain]' langgraph-checkpoint-postgres 'psycopg[binary]'
    python langgraph_postgres.py postgresql://user@host/database --thread 42 --say "Look at batch 7."

Run it as often and on as many machines as you like: the conversation is in the checkpointer, standfast's state in the store, and neither
in the process. Two workers that compact one thread at once do not pay twice: one wins, the other takes what it wrote.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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


def prepare(url: str) -> None:
    """Makes the tables, once."""
    with PostgresSaver.from_conn_string(url) as saver, PostgresStore.from_conn_string(url) as store:
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
    with agent(given.url, given.model, summarizer="agent") as (runs, middleware):
        config: Any = {"configurable": {"thread_id": given.thread}}
        state = runs.invoke({"messages": [{"role": "user", "content": given.say}]}, config)
        print(state["messages"][-1].text)
        with middleware.session(runs, config) as guard:
            print(f"{len(guard.rules)} rules in force, {len(guard.segments)} segments", flush=True)


if __name__ == "__main__":
    main()
