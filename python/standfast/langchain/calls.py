"""What the hooks do, as steps: before the model, around its call, and at the end of a turn."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from langchain.agents.middleware import ModelRequest
from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from standfast._thread import engine
from standfast._thread.conversation import Conversation
from standfast._thread.effects import Step
from standfast._thread.engine import Run, news
from standfast._thread.ledger import Key
from standfast._thread.options import AgentOptions
from standfast._thread.rules import RulesOption
from standfast.langchain.boundaries import hints
from standfast.langchain.limits import refuse_server_side_history, window_of
from standfast.langchain.messages import Reader, outgoing, system_wire
from standfast.langchain.places import place_of
from standfast.langchain.rendering import render, whole
from standfast.langchain.storing import Storing
from standfast.langchain.summarizing import Summarizing
from standfast.langchain.watching import Watch
from standfast.records import Recalled

_SCHEMAS = 1_024


@dataclasses.dataclass
class Call:
    """One model call: the request as it goes out, and who looks at it."""

    run: Run
    conversation: Conversation
    asked: ModelRequest[Any]
    request: ModelRequest[Any]
    watch: Watch
    key: dict[str, Any] | None = None


class Engine(engine.Engine):
    """The middleware without its hooks."""

    def __init__(self, *, rules: RulesOption | None, window_tokens: int | None, given: AgentOptions) -> None:
        self._stores = Storing(given.get("store"))
        self._unverified = given.get("allow_unverified", False)
        self._schemas: dict[int, tuple[Any, Any]] = {}
        reader, summarizing = Reader(given.get("trust")), Summarizing(given.get("summarizer"))
        super().__init__(reader, summarizing, self._stores, rules=rules, window_tokens=window_tokens, given=given)

    def run_of(self, runtime: Any) -> Run:
        """The run that a runtime stands for."""
        return Run(place_of(runtime), runtime, self._stores.of(runtime))

    def shown(self, messages: Sequence[BaseMessage], run: Run) -> Step[tuple[Conversation, list[AnyMessage]]]:
        """For graphs without our hooks: compacts where it is time and gives the whole request, the pinned block in it."""
        yield from self.before(messages, None, run)
        conversation = yield from self._ready(messages, None, run)
        with conversation.lock:
            window = conversation.guard.window()
            request = whole(conversation, window, messages)
        self.check(conversation, request)
        return conversation, request

    def prepare(self, request: ModelRequest[Any], state: Any) -> Step[Call]:
        """The request as it goes out, asserted once."""
        if not self._unverified:
            refuse_server_side_history(request.model, request.model_settings)
        run = self.run_of(request.runtime)
        self._learn(run, request)
        key = Key.of_state(state)
        conversation = yield from self.sending(request.state["messages"], key, run, self._sent(request))
        return self._call(run, conversation, request, key)

    def recover(self, call: Call, error: Exception) -> Step[Call]:
        """After a provider refused a request for its length."""
        conversation = yield from self.recovered(call.conversation, call.run, error)
        return self._call(call.run, conversation, call.asked, Key.of_state(call.asked.state.get("_standfast")))

    def answered(self, call: Call, messages: Sequence[BaseMessage]) -> None:
        """Takes the provider's count of what was sent."""
        for message in messages:
            if usage := getattr(message, "usage_metadata", None):
                self.used(call.conversation, usage.get("input_tokens"))

    def rules_for_tools(self, request: Any) -> tuple[str, ...]:
        """The rules in force, for agents that a tool calls."""
        messages = request.state["messages"] if isinstance(request.state, Mapping) else []
        return self.rules_of(messages, self.run_of(request.runtime))

    def recalled(self, runtime: Any, state: Any) -> list[Recalled]:
        """What the log has of this conversation."""
        return self.log_of(runtime.state["messages"], Key.of_state(state), self.run_of(runtime))

    def check(self, conversation: Conversation, messages: Sequence[BaseMessage]) -> None:
        """Raises where a rule is missing. What only the tail can show is read where a rule stands there alone."""
        with conversation.lock:
            fresh = any(not rule["pinned"] for rule in conversation.guard._core.rules())
        kinds = (SystemMessage, HumanMessage, ToolMessage) if fresh else (SystemMessage,)
        self.asserted(conversation, [outgoing(message) for message in messages if isinstance(message, kinds)])

    def _call(self, run: Run, conversation: Conversation, request: ModelRequest[Any], key: Key | None) -> Call:
        state = request.state["messages"]
        with conversation.lock:
            window = conversation.guard.window()
            sent = render(conversation, window, state, request.messages, request.system_message)
        self.check(conversation, [*([sent.system] if sent.system is not None else []), *sent.messages])
        watch = Watch(sent, lambda messages: self.check(conversation, messages))
        out = request.override(messages=sent.messages, system_message=sent.system)
        return Call(run, conversation, request, out, watch, news(conversation, key))

    def _learn(self, run: Run, request: ModelRequest[Any]) -> None:
        """Takes in what a request shows of its model and its tools."""
        self._summarizing.model = request.model
        self._sized(run.place, window_of(request.model))
        for name, mark in hints(request.tools).items():
            self._marks.setdefault(name, mark)

    def _sent(self, request: ModelRequest[Any]) -> tuple[Any, Any]:
        return system_wire(request.system_message), [self._schema(tool) for tool in request.tools]

    def _schema(self, tool: Any) -> Any:
        known = self._schemas.get(id(tool))
        if known is None or known[0] is not tool:
            if len(self._schemas) >= _SCHEMAS:
                self._schemas.clear()
            known = self._schemas[id(tool)] = (tool, tool if isinstance(tool, dict) else convert_to_openai_tool(tool))
        return known[1]
