"""Guards the tests begin with."""

from __future__ import annotations

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
