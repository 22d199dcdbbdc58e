"""What a middleware adds to one model call: the time in its own hooks, in a real agent, beside the same agent's bare list work.

Processor time of the thread, so that other work on the machine, and the checkpointer beside, counts less.
A turn is one invocation with many tool calls: its first
model call sees the list as the checkpointer gives it, made anew, and the others see the same objects again ("warm").
"""

import functools
import statistics
import time
from collections import deque
from dataclasses import dataclass

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from playing import Scripted

import standfast as sf
from standfast._thread import engine
from standfast.langchain import Standfast

CALLS = 24
RULES = [f"Never touch ledger {n} without the consent of its owner." for n in range(20)]
WORDS = "row 412 of the batch was reconciled against the ledger of the day, the sum agrees and nothing unusual was seen in it; "


@tool
def look(n: int) -> str:
    """Looks at a batch."""
    return f"batch {n}: {WORDS * 8}"


@dataclass
class Cost:
    """Milliseconds of processor time in the hooks, a model call."""

    first: float
    """The first call of a process on a thread with a history."""
    anew: float
    """The first of a turn: all messages were made anew by the checkpointer."""
    warm: float
    """Each other."""
    paused: float
    """Each other where the model took more than a second: the texts of all messages are compared again."""
    sent: int
    """Messages in the last request."""


class Clock:
    """Adds up the time in the hooks of a middleware, what a hook calls left out."""

    def __init__(self, middleware):
        self.calls, self._now = [], 0.0
        for name in ("before_agent", "before_model", "after_agent"):
            setattr(middleware, name, self._hook(getattr(middleware, name)))
        middleware.wrap_model_call = self._around(middleware.wrap_model_call, last=True)
        middleware.wrap_tool_call = self._around(middleware.wrap_tool_call, last=False)

    def _hook(self, hook):
        @functools.wraps(hook)
        def timed(state, runtime):
            start = time.thread_time()
            try:
                return hook(state, runtime)
            finally:
                self._now += time.thread_time() - start

        return timed

    def _around(self, hook, last):
        @functools.wraps(hook)
        def timed(request, handler):
            inside = 0.0

            def handled(*given):
                nonlocal inside
                start = time.thread_time()
                try:
                    return handler(*given)
                finally:
                    inside += time.thread_time() - start

            start = time.thread_time()
            try:
                return hook(request, handled)
            finally:
                self._now += time.thread_time() - start - inside
                if last:
                    self.calls.append(self._now * 1_000)
                    self._now = 0.0

        return timed


def history(count):
    """A thread of so many messages, four a turn, about a KB each."""
    for n in range(count // 4):
        call = {"name": "look", "args": {"n": n}, "id": f"c{n}", "type": "tool_call"}
        yield HumanMessage(f"Please look at batch {n}. {WORDS * 6}", id=f"h{n}")
        yield AIMessage(f"Looking. {WORDS * 6}", tool_calls=[call], id=f"a{n}")
        yield ToolMessage(f"batch {n}: {WORDS * 8}", tool_call_id=f"c{n}", id=f"t{n}")
        yield AIMessage(f"Nothing to do. {WORDS * 6}", id=f"e{n}")


def turn(model, n, calls=CALLS):
    """The model's answers in a turn of many calls."""
    for at in range(calls):
        model.following.append(AIMessage("", tool_calls=[{"name": "look", "args": {"n": at}, "id": f"x{n}-{at}", "type": "tool_call"}]))
    model.following.append(AIMessage("Done."))


def cost(count, window, turns=3):
    """The cost on a thread of `count` messages."""
    model = Scripted(following=deque(), seen=[])
    middleware = Standfast(RULES, summarizer=lambda request: "Work went on.", window_tokens=window)
    clock = Clock(middleware)
    agent = create_agent(model, [look], system_prompt="You are a clerk.", middleware=[middleware], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "bench"}, "recursion_limit": 1_000}
    agent.update_state(config, {"messages": list(history(count))})
    first, anew, warm, paused = [], [], [], []
    for n in range(2 * turns):
        turn(model, n)
        engine._IDLE = 1.0 if n < turns else 0.0
        clock.calls.clear()
        agent.invoke({"messages": [HumanMessage(f"Next, part {n}.", id=f"next{n}")]}, config)
        (anew if n else first).append(clock.calls[0])
        (warm if n < turns else paused).extend(clock.calls[1:])
    engine._IDLE = 1.0
    return Cost(*map(usual, (first, anew, warm, paused)), len(model.seen[-1]))


def usual(times):
    """The lower quartile: other work on a shared machine empties the caches."""
    return statistics.quantiles(times, n=4)[0] if len(times) > 1 else times[0]


def comparing(count, repeats=20):
    """Milliseconds that it takes to compare a list with the same objects in another list, and with equal ones: the floor of any host."""
    mine = list(history(count))
    same, equal = list(mine), list(history(count))
    return tuple(least(lambda other=other: mine == other, repeats) for other in (same, equal))


def least(work, repeats):
    """The least processor time of some runs, in milliseconds."""
    times = []
    for _ in range(repeats):
        start = time.thread_time()
        work()
        times.append((time.thread_time() - start) * 1_000)
    return min(times)


def window_of(count, share):
    """A window that a thread of so many messages fills to a share."""
    return int(sum(sf.count_tokens(message.text) + 8 for message in history(count)) / share)
