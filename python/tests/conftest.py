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
    """The event loop that a framework's blocking call made for the thread is closed with the test."""
    yield
    policy = asyncio.get_event_loop_policy()
    loop = getattr(getattr(policy, "_local", None), "_loop", None)
    if loop is not None and not loop.is_running():
        loop.close()
        asyncio.set_event_loop(None)
