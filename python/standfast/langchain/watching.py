"""The last look at a request, by the model itself: after every middleware inside ours, before the provider is called.

A callback that the model's own call runs inline and whose error ends it. What another middleware asks a model for its own
purposes is let through where it says so, as LangChain's do, or where nothing of our request is in it; if then no call of
the agent's own was seen at all, that is an error too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from langchain.agents.middleware.internal_call_transformer import internal_call_metadata
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import BaseMessage
from langchain_core.runnables.config import RunnableConfig, merge_configs, var_child_runnable_config

from standfast import _core
from standfast.langchain.rendering import Outgoing

Check = Callable[[Sequence[BaseMessage]], None]


class Watch(BaseCallbackHandler):
    """Checks each model call that carries the request."""

    raise_error = True
    run_inline = True

    def __init__(self, sent: Outgoing, check: Check) -> None:
        self._check = check
        self._sent = sent.messages
        self._head = sent.system.text if sent.system is not None else ""
        self.checked = False
        self.strange = False

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """Raises `InvariantLost` where a rule is missing."""
        internal = internal_call_metadata().items()
        if metadata is not None and internal <= metadata.items():
            return
        for batch in messages:
            if self._ours(batch):
                self.checked = True
                self._check(batch)
            else:
                self.strange = True

    def done(self) -> None:
        """Raises where a model was called, but never with our request."""
        if self.strange and not self.checked:
            raise _core.error_of("invariant_lost", "a middleware inside this one sent the model another request altogether")

    def _ours(self, messages: Sequence[BaseMessage]) -> bool:
        if self._sent and messages and self._sent[-1] is messages[-1]:
            return True
        objects = {id(message) for message in self._sent}
        ids = {message.id for message in self._sent if message.id is not None}
        for message in messages:
            if id(message) in objects or (message.id is not None and message.id in ids):
                return True
            if message.type == "system" and self._head and self._head in message.text:
                return True
        return False


@contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """Model calls in this context are watched, whichever model they are made on."""
    config: RunnableConfig = var_child_runnable_config.get() or {}
    token = var_child_runnable_config.set(merge_configs(config, {"callbacks": [watch]}))
    try:
        yield
        watch.done()
    finally:
        var_child_runnable_config.reset(token)
