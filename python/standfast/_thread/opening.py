"""A thread's guard for people and programs: read the rules, declare, revoke, approve; what was changed is written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Any

from standfast import _core
from standfast._thread.conversation import Conversation
from standfast._thread.engine import Engine, Run
from standfast.guard import Guard
from standfast.records import Receipt

Fetch = Callable[[], Awaitable[Sequence[Any]]]


class Opening:
    """A context manager that gives the guard: `async with`, and `with` where the messages are at hand.

    What was changed is written when the block ends without an error.
    """

    def __init__(self, engine: Engine, run: Run, messages: Sequence[Any] | Fetch) -> None:
        self._engine = engine
        self._run = run
        self._messages = messages
        self._conversation: Conversation | None = None

    def __enter__(self) -> Guard:
        if callable(self._messages):
            raise _core.error_of("invalid_argument", "the messages of this thread are read asynchronously: use `async with`")
        self._conversation = self._engine.outside(self._run).run(self._engine.opened(list(self._messages), None, self._run))
        return self._conversation.guard

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None and self._conversation is not None:
            self._engine.outside(self._run).run(self._engine.closed(self._run.place, self._conversation))

    async def __aenter__(self) -> Guard:
        messages = list(await self._messages() if callable(self._messages) else self._messages)
        self._conversation = await self._engine.outside(self._run).arun(self._engine.opened(messages, None, self._run))
        return self._conversation.guard

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None and self._conversation is not None:
            await self._engine.outside(self._run).arun(self._engine.closed(self._run.place, self._conversation))

    def receipts(self) -> list[Receipt]:
        """The receipts of the last compactions, the newest last."""
        self.__enter__()
        return self._receipts()

    async def areceipts(self) -> list[Receipt]:
        """Like `receipts`."""
        await self.__aenter__()
        return self._receipts()

    def _receipts(self) -> list[Receipt]:
        assert self._conversation is not None
        return [Receipt.of(receipt) for receipt in self._conversation.receipts]
