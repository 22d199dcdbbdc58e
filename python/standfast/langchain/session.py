"""A thread's guard for people and programs: read the rules, declare, revoke, approve; what was changed is written."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace, TracebackType
from typing import Any

from standfast._thread.conversation import Conversation
from standfast._thread.effects import Outside
from standfast._thread.engine import Run
from standfast._thread.ledger import Key
from standfast.guard import Guard
from standfast.langchain.calls import Engine
from standfast.langchain.places import place_of_config
from standfast.records import Receipt


class Session:
    """A context manager, blocking and asynchronous, that gives the guard."""

    def __init__(self, engine: Engine, state: str, agent: Any, config: Mapping[str, Any], context: Any = None) -> None:
        self._engine = engine
        self._state = state
        self._agent = agent
        self._config = config
        self._place = place_of_config(config)
        self._conversation: Conversation | None = None
        self._runtime = SimpleNamespace(store=getattr(agent, "store", None), context=context, execution_info=None)

    def __enter__(self) -> Guard:
        values = self._agent.get_state(self._config).values
        return self._entered(self._outside().run(self._opened(values)))

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None and self._conversation is not None:
            self._outside().run(self._engine.closed(self._place, self._conversation))

    async def __aenter__(self) -> Guard:
        values = (await self._agent.aget_state(self._config)).values
        return self._entered(await self._outside().arun(self._opened(values)))

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None and self._conversation is not None:
            await self._outside().arun(self._engine.closed(self._place, self._conversation))

    def receipts(self) -> list[Receipt]:
        """The receipts of the last compactions."""
        self.__enter__()
        return self._receipts()

    async def areceipts(self) -> list[Receipt]:
        """Like `receipts`."""
        await self.__aenter__()
        return self._receipts()

    def _receipts(self) -> list[Receipt]:
        assert self._conversation is not None
        return [Receipt.of(receipt) for receipt in self._conversation.receipts]

    def _run(self) -> Run:
        return self._engine.run_of(self._runtime)._replace(place=self._place)

    def _outside(self) -> Outside:
        return self._engine.outside(self._run())

    def _opened(self, values: Any) -> Any:
        messages = values.get("messages", []) if isinstance(values, Mapping) else []
        state = values.get(self._state) if isinstance(values, Mapping) else None
        return self._engine.opened(messages, Key.of_state(state), self._run())

    def _entered(self, conversation: Conversation) -> Guard:
        self._conversation = conversation
        return conversation.guard
