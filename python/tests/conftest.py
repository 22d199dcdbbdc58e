"""Guards the tests begin with."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from conversations import REFUND, WINDOW, conversation

import standfast as sf


@pytest.fixture
def guard() -> sf.Guard:
    """A guard with one rule and no messages."""
    guard = sf.Guard(window_tokens=WINDOW)
    guard.declare(REFUND)
    return guard


@pytest.fixture
def full(guard: sf.Guard) -> sf.Guard:
    """A guard whose window is full, with several requests in its plan."""
    guard.observe_all(conversation(60))
    return guard


@pytest.fixture(autouse=True)
def no_loop_left() -> Iterator[None]:
    """The event loop that a framework's blocking call takes, or makes for the thread, is closed with the test."""
    own = asyncio.new_event_loop()
    asyncio.set_event_loop(own)
    yield
    for loop in {own, _current() or own}:
        if not loop.is_running():
            loop.close()
    asyncio.set_event_loop(None)


def _current() -> asyncio.AbstractEventLoop | None:
    """The thread's loop. None was set, or there is one: nothing is made here."""
    try:
        return asyncio.get_event_loop_policy().get_event_loop()
    except RuntimeError:
        return None
