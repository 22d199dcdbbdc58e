"""What can be tested, as one thing: a sequence of compactions, each with the request that it left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from standfast.testing.errors import broken, unusable
from standfast.testing.requests import filler, messages_of, role_of, settled, texts

PATIENCE = 400
"""Turns of small talk within which an agent has to compact once."""


def played(subject: Any, transcript: Sequence[Any], rounds: int, *, overlay: bool = False) -> Iterator[tuple[int, Any]]:
    """Compacts `rounds` times; gives the number of each round and the request after it."""
    if rounds < 1:
        raise unusable("`rounds` is at least 1")
    agent = _agent(subject)
    if agent is not None:
        yield from _talked(agent, transcript, rounds)
    elif callable(subject):
        yield from _called(subject, transcript, rounds, overlay)
    else:
        raise unusable(f"`{type(subject).__name__}` is neither a compaction nor an agent")


def _agent(subject: Any) -> Any:
    """The agent in what was given; None for a function."""
    if _is_agent(subject):
        if not callable(getattr(subject, "window", None)):
            raise unusable("an agent needs `window()`, its last request, for its rules to be looked for")
        return subject
    middleware = subject if isinstance(subject, list | tuple) else [subject]
    if middleware and all(hasattr(one, "before_model") and hasattr(one, "wrap_model_call") for one in middleware):
        from standfast.testing.langchain import middleware_agent

        return middleware_agent(middleware)
    if hasattr(subject, "invoke") and hasattr(subject, "get_graph"):
        from standfast.testing.langchain import LangChainAgent

        return LangChainAgent(subject)
    return None


def _is_agent(subject: Any) -> bool:
    return all(callable(getattr(subject, name, None)) for name in ("send", "deliver_tool_output", "tool_calls", "compaction_count"))


def _called(compact: Any, transcript: Sequence[Any], rounds: int, overlay: bool) -> Iterator[tuple[int, Any]]:
    messages = list(transcript)
    for number in range(1, rounds + 1):
        after = settled(compact(list(messages)))
        yield number, after
        messages = [*(messages if overlay else messages_of(after)), *filler(number)]


def _talked(agent: Any, transcript: Sequence[Any], rounds: int) -> Iterator[tuple[int, Any]]:
    """Tells an agent the transcript, and talks on until it has compacted often enough."""
    before = agent.compaction_count()
    _told(agent, transcript)
    turn = 0
    for number in range(1, rounds + 1):
        patience = turn + PATIENCE
        while agent.compaction_count() - before < number:
            if turn >= patience:
                raise broken(
                    "not_compacted", f"{PATIENCE} turns went by without compaction {number}; a smaller window is needed", round=number
                )
            agent.send(small_talk(turn))
            turn += 1
        yield number, agent.window()


def _told(agent: Any, transcript: Sequence[Any]) -> None:
    load = getattr(agent, "load", None)
    if callable(load):
        load(transcript)
        return
    for message in transcript:
        if role_of(message) == "tool":
            agent.deliver_tool_output(str(message.get("name") or "tool"), texts(message.get("content")))
        elif role_of(message) == "user":
            agent.send(texts(message.get("content")))


def small_talk(turn: int) -> str:
    """What is said while nothing happens."""
    return filler(turn)[0]["content"]
