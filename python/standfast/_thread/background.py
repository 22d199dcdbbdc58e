"""Blocking calls that may hang: run in a thread of their own and given up after a while.

The thread is a daemon. What hangs in it neither holds the agent nor the end of the process; a pool's threads would.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

_T = TypeVar("_T")


def start(call: Callable[[], _T]) -> Future[_T]:
    """Runs a call in a thread, in a copy of the caller's context."""
    future: Future[_T] = Future()
    context = contextvars.copy_context()

    def work() -> None:
        try:
            result = context.run(call)
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    threading.Thread(target=work, name="standfast", daemon=True).start()
    return future


def within(call: Callable[[], _T], seconds: float) -> _T:
    """The result of a call, or `TimeoutError` when it takes longer."""
    future = start(call)
    try:
        return future.result(seconds)
    except TimeoutError:
        raise
    except Exception as error:
        if not future.done():  # before Python 3.11 a future's timeout was an error of its own
            raise TimeoutError(f"no answer within {seconds} seconds") from error
        raise


async def awithin(call: Callable[[], _T], seconds: float) -> _T:
    """Like `within`, without blocking the event loop. Cancelled, it leaves the thread alone."""
    future = asyncio.wrap_future(start(call))
    future.add_done_callback(_seen)
    try:
        return await asyncio.wait_for(asyncio.shield(future), seconds)
    except asyncio.TimeoutError as error:
        raise TimeoutError(f"no answer within {seconds} seconds") from error


def _seen(future: asyncio.Future[_T]) -> None:
    """Marks the error of a call that nobody waits for any more as seen."""
    if not future.cancelled():
        future.exception()
