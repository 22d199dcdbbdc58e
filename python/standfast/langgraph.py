"""standfast for graphs of one's own: a node before the model, and the same as a `pre_model_hook`.

    from standfast.langgraph import compaction_node

    graph.add_node("standfast", compaction_node(rules="AGENTS.md", window_tokens=200_000))
    graph.add_edge("standfast", "model")          # the model node sends state["llm_input_messages"]

The node reads `messages`, which it never changes, and writes the request to `llm_input_messages`: the host's system messages,
the pinned block, the memory message, and the messages that stand whole. Give the run `callbacks=[node.callback]`, and the rules
are looked for once more in what the model is really sent.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AnyMessage, BaseMessage
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.config import get_store
from langgraph.runtime import get_runtime

from standfast import _core
from standfast._thread.conversation import Conversation
from standfast._thread.options import Options, checked
from standfast._thread.rules import RulesOption
from standfast.langchain.calls import Engine
from standfast.langchain.session import Session
from standfast.records import Receipt

if TYPE_CHECKING:
    from typing_extensions import Unpack

_SENT = 256

__all__ = ["CompactionNode", "compaction_node", "pre_model_hook"]


class _Callback(BaseCallbackHandler):
    """Looks for the rules in each call that ends with a message of one of the last requests."""

    raise_error = True
    run_inline = True

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._sent: OrderedDict[int, tuple[BaseMessage, Conversation]] = OrderedDict()

    def sent(self, conversation: Conversation, messages: Sequence[BaseMessage]) -> None:
        """Remembers a request by its last message."""
        if messages:
            self._sent[id(messages[-1])] = (messages[-1], conversation)
            while len(self._sent) > _SENT:
                self._sent.popitem(last=False)

    def on_chat_model_start(self, serialized: dict[str, Any], messages: list[list[BaseMessage]], *, run_id: UUID, **kwargs: Any) -> None:
        """Raises `InvariantLost` where a rule is missing."""
        for batch in messages:
            known = self._sent.get(id(batch[-1])) if batch else None
            if known is not None and known[0] is batch[-1]:
                self._engine.check(known[1], batch)


class _Node:
    """What the node does, apart from the runnable: a function of a runnable that names that runnable sends LangGraph round in
    circles when it looks for graphs within."""

    def __init__(self, engine: Engine, messages_key: str, output_key: str) -> None:
        self.engine = engine
        self.callback = _Callback(engine)
        self._keys = (messages_key, output_key)

    def run(self, state: Any, config: RunnableConfig) -> dict[str, list[AnyMessage]]:
        run = self.engine.run_of(_runtime(config))
        return self._shown(self.engine.outside(run).run(self.engine.shown(self._messages(state), run)))

    async def arun(self, state: Any, config: RunnableConfig) -> dict[str, list[AnyMessage]]:
        run = self.engine.run_of(_runtime(config))
        return self._shown(await self.engine.outside(run).arun(self.engine.shown(self._messages(state), run)))

    def _messages(self, state: Any) -> list[BaseMessage]:
        key = self._keys[0]
        found = state.get(key) if isinstance(state, Mapping) else getattr(state, key, None)
        if not isinstance(found, list):
            raise _core.error_of("invalid_argument", "the state has no list of messages under the node's key")
        return found

    def _shown(self, shown: tuple[Conversation, list[AnyMessage]]) -> dict[str, list[AnyMessage]]:
        self.callback.sent(*shown)
        return {self._keys[1]: shown[1]}


class CompactionNode(RunnableLambda[Any, Any]):
    """The node. `callback` asserts what the model is sent; `session` and `receipts` are those of the middleware."""

    def __init__(self, node: _Node) -> None:
        super().__init__(node.run, node.arun, name="standfast")
        self._engine = node.engine
        self.callback: BaseCallbackHandler = node.callback

    def session(self, graph: Any, config: Mapping[str, Any]) -> Session:
        """The guard of a thread, to read and to change its rules."""
        return Session(self._engine, "", graph, config)

    def receipts(self, graph: Any, config: Mapping[str, Any]) -> list[Receipt]:
        """The receipts of a thread's last compactions, the newest last."""
        return self.session(graph, config).receipts()


def compaction_node(
    rules: RulesOption | None = None,
    *,
    window_tokens: int | None = None,
    messages_key: str = "messages",
    output_key: str = "llm_input_messages",
    **options: Unpack[Options],
) -> CompactionNode:
    """A node that goes before the model. The options are those of the middleware; the window must be known."""
    engine = Engine(rules=rules, window_tokens=window_tokens, given=checked(options, Options))
    if engine.window is None:
        raise _core.error_of("window_unknown", "a node sees no model: give `window_tokens`")
    if options.get("summarizer") == "agent":
        raise _core.error_of("invalid_argument", 'a node sees no model: give the model as `summarizer`, not "agent"')
    return CompactionNode(_Node(engine, messages_key, output_key))


pre_model_hook = compaction_node
"""The node for `create_react_agent(model, tools, pre_model_hook=...)`."""


def _runtime(config: RunnableConfig) -> Any:
    """What the engine wants to know of a run. Without the graph's own runtime, what the config says."""
    configurable = config.get("configurable") or {}
    thread = configurable.get("thread_id")
    place = SimpleNamespace(thread_id=None if thread is None else str(thread), checkpoint_ns=configurable.get("checkpoint_ns") or "")
    try:
        runtime = get_runtime()
        return SimpleNamespace(execution_info=place, store=runtime.store, context=runtime.context)
    except Exception:  # outside a graph, or in an event loop before Python 3.11
        try:
            store = get_store()
        except Exception:
            store = None
        return SimpleNamespace(execution_info=place, store=store, context=None)
