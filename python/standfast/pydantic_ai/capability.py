"""The capability: the list is taken in before a request, rendered for the model that serves it, and looked at by that model."""

from __future__ import annotations

import contextvars
import dataclasses
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from pydantic_ai import FunctionToolset, RunContext
from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.capabilities.abstract import CapabilityOrdering
from pydantic_ai.exceptions import RetryModelRequest
from pydantic_ai.messages import InstructionPart, ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestContext, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel

from standfast import _core
from standfast._thread import inheritance, limits
from standfast._thread.conversation import Conversation
from standfast._thread.engine import Engine, Run
from standfast._thread.ledger import Place
from standfast._thread.opening import Opening
from standfast._thread.options import AgentOptions, checked
from standfast._thread.reading import RECALL
from standfast._thread.recalling import ABOUT, recalled
from standfast._thread.rules import RulesOption
from standfast._thread.storing import Storing
from standfast.pydantic_ai.messages import Reader, Unit, Units, together, wire_of
from standfast.pydantic_ai.summarizing import Summarizing
from standfast.records import Receipt

if TYPE_CHECKING:
    from typing_extensions import Unpack

_PREFIX = "openai_"
"""Of the settings that name a history which the provider keeps."""


@dataclasses.dataclass
class _Sent:
    """One request of an agent, from before it is rendered until it is answered."""

    run: Run
    conversation: Conversation | None = None
    parts: frozenset[int] = frozenset()
    checked: bool = False
    strange: bool = False


_now: contextvars.ContextVar[_Sent | None] = contextvars.ContextVar("standfast_request", default=None)
_inside: contextvars.ContextVar[tuple[str, ...]] = contextvars.ContextVar("standfast_inside", default=())
"""The tools that an agent is called by."""


class Standfast(AbstractCapability[Any]):
    """Keeps an agent's rules alive through compaction.

        agent = Agent("openai:gpt-5", capabilities=[Standfast(rules="AGENTS.md")])

    The message history is never rewritten. Each request is the engine's window of it: the rules behind the instructions, one
    memory message for what was folded, and the host's own messages as they are. The model that is asked in the end looks for
    the rules once more in what it was really given.
    """

    def __init__(
        self,
        rules: RulesOption | None = None,
        *,
        window_tokens: int | None = None,
        recall: bool = False,
        **options: Unpack[AgentOptions],
    ) -> None:
        """Options.

        They mean what they mean in `standfast.langchain`. `rules`: a function of the run's context, where it is a function.
        `summarizer`: a model, its name, an agent, a function, "agent" for the agent's own model, or None for the built-in
        extractive one. `window_tokens`: else the model's profile says. `trust` is asked with the part of a request or with a
        response. A thread is a `conversation_id`.
        """
        given = checked(options, AgentOptions)
        self._stores = Storing(given.get("store"))
        self._unverified = given.get("allow_unverified", False)
        self._units = Units()
        self._recall = recall
        self._summarizing = Summarizing(given.get("summarizer"))
        reader = Reader(given.get("trust"))
        self._engine = Engine(reader, self._summarizing, self._stores, rules=rules, window_tokens=window_tokens, given=given)

    def get_ordering(self) -> CapabilityOrdering:
        """What others make of a request comes first."""
        return CapabilityOrdering(position="innermost")

    # The request.

    async def before_run(self, ctx: RunContext[Any]) -> None:
        """A run begins: others may have written since."""
        self._engine.begun(self._run(ctx))

    async def after_run(self, ctx: RunContext[Any], *, result: Any) -> Any:
        """The turn is over: with `compact_at="turn_end"` this is when it is compacted."""
        run = self._run(ctx)
        await self._engine.outside(run).arun(self._engine.after(self._units.of(result.all_messages()), None, run))
        return result

    async def wrap_model_request(self, ctx: RunContext[Any], *, request_context: ModelRequestContext, handler: Any) -> ModelResponse:
        """Watches the request until it is answered, and takes the provider's count."""
        sent = _Sent(self._run(ctx))
        token = _now.set(sent)
        try:
            response: ModelResponse = await handler(request_context)
        finally:
            _now.reset(token)
        if sent.strange and not sent.checked:
            raise _core.error_of("invariant_lost", "a capability inside this one sent the model another request altogether")
        if sent.conversation is not None:
            self._engine.used(sent.conversation, response.usage.input_tokens)
        return response

    async def before_model_request(self, ctx: RunContext[Any], request_context: ModelRequestContext) -> ModelRequestContext:
        """Takes in what is new and compacts where it is time."""
        run = self._run(ctx)
        if self._engine.window is None and (window := request_context.model.context_window) is not None:
            self._engine._sized(run.place, window)
        await self._engine.outside(run).arun(self._engine.before(self._units.of(request_context.messages), None, run))
        return request_context

    async def prepare_model_request(self, ctx: RunContext[Any], request_context: ModelRequestContext) -> ModelRequestContext:
        """Renders the window for the model that will serve the request, and asserts it."""
        if not self._unverified and limits.kept_there(request_context.model_settings, _PREFIX):
            raise _core.error_of("server_side_history", "the provider keeps the history: the rules cannot be seen in the request")
        run, units, parameters = self._run(ctx), self._units.of(request_context.messages), request_context.model_request_parameters
        self._summarizing.model = _bare(request_context.model)
        self._engine._sized(run.place, request_context.model.context_window)
        beside = (_said(parameters), [_schema(tool) for tool in parameters.function_tools])
        conversation = await self._engine.outside(run).arun(self._engine.sending(units, None, run, beside))
        with conversation.lock:
            window = conversation.guard.window()
            index = conversation.index_of()
        messages = list(together(_shown(window.messages, units, index)))
        if window.pinned:
            parts = [*(parameters.instruction_parts or []), InstructionPart(content=window.pinned)]
            parameters = dataclasses.replace(parameters, instruction_parts=parts)
        self._check(conversation, messages, parameters)
        if (sent := _now.get()) is not None:
            sent.conversation = conversation
            sent.parts = frozenset(id(part) for message in messages for part in message.parts)
        return dataclasses.replace(request_context, messages=messages, model_request_parameters=parameters)

    async def on_model_request_error(
        self, ctx: RunContext[Any], *, request_context: ModelRequestContext, error: Exception
    ) -> ModelResponse:
        """After a provider refused a request for its length: once more, compacted."""
        sent = _now.get()
        if sent is None or sent.conversation is None or request_context.attempt > 1 or not limits.overflowed(error):
            raise error
        await self._engine.outside(sent.run).arun(self._engine.recovered(sent.conversation, sent.run, error))
        raise RetryModelRequest()

    def get_wrapper_model(self, model: Model) -> Model:
        """The model, behind the last look."""
        return _Checked(model, self)

    def _check(self, conversation: Conversation, messages: Sequence[ModelMessage], parameters: ModelRequestParameters | None) -> None:
        """Raises where a rule is missing. What only the tail can show is read where a rule stands there alone."""
        with conversation.lock:
            fresh = any(not rule["pinned"] for rule in conversation.guard._core.rules())
        wires = [{"role": "system", "content": text} for text in _said(parameters)] if parameters is not None else []
        for unit in self._units.of(messages):
            if not unit.is_response:
                wire = wire_of(unit)
                wires += [wire] if fresh or wire.get("role") == "system" else []
        self._engine.asserted(conversation, wires)

    # Tools.

    async def wrap_tool_execute(self, ctx: RunContext[Any], *, call: Any, tool_def: Any, args: Any, handler: Any) -> Any:
        """Hands the rules down to agents that the tool calls."""
        run = self._run(ctx)
        token = _inside.set((*_inside.get(), tool_def.name))
        try:
            with inheritance.handing_down(self._engine.rules_of(self._units.of(ctx.messages), run)):
                return await handler(args)
        finally:
            _inside.reset(token)

    def get_toolset(self) -> Any:
        """The recall tool, where it was asked for."""
        if not self._recall:
            return None
        toolset: FunctionToolset[Any] = FunctionToolset()

        async def recall(ctx: RunContext[Any], first_turn: int, last_turn: int, containing: str = "") -> str:
            events = self._engine.log_of(self._units.of(ctx.messages), None, self._run(ctx, _inside.get()[:-1]))
            return recalled(events, first_turn, last_turn, containing)

        toolset.add_function(recall, takes_ctx=True, name=RECALL, description=ABOUT)
        return toolset

    # The way in for people and programs.

    def session(self, messages: Sequence[ModelMessage], *, conversation_id: str | None = None, context: Any = None) -> Opening:
        """The guard of a conversation, to read and to change its rules: `with sf.session(result.all_messages()) as guard`, or
        `async with`.

        What was changed is written when the block ends without an error. `context` is what `rules=` finds.
        """
        known = conversation_id or next((message.conversation_id for message in reversed(messages) if message.conversation_id), None)
        return Opening(self._engine, Run(Place(known, ""), context, self._stores.store()), self._units.of(messages))

    def receipts(self, messages: Sequence[ModelMessage], *, conversation_id: str | None = None, context: Any = None) -> list[Receipt]:
        """The receipts of a conversation's last compactions, the newest last."""
        return self.session(messages, conversation_id=conversation_id, context=context).receipts()

    def _run(self, ctx: RunContext[Any], inside: Sequence[str] | None = None) -> Run:
        path = "/".join(_inside.get() if inside is None else inside)
        return Run(Place(ctx.conversation_id, path), ctx, self._stores.store())


class _Checked(WrapperModel):
    """A model that looks for the rules in what it is given, where that is a request of the agent."""

    def __init__(self, wrapped: Model, owner: Standfast) -> None:
        super().__init__(wrapped)
        self._owner = owner

    async def request(self, messages: Any, model_settings: Any, model_request_parameters: Any) -> ModelResponse:
        self._looked(messages, model_request_parameters)
        return await super().request(messages, model_settings, model_request_parameters)

    @asynccontextmanager
    async def request_stream(
        self, messages: Any, model_settings: Any, model_request_parameters: Any, run_context: Any = None
    ) -> AsyncIterator[Any]:
        self._looked(messages, model_request_parameters)
        async with super().request_stream(messages, model_settings, model_request_parameters, run_context) as response:
            yield response

    def _looked(self, messages: Sequence[ModelMessage], parameters: ModelRequestParameters | None) -> None:
        sent = _now.get()
        if sent is None or sent.conversation is None:
            return
        if any(id(part) in sent.parts for message in messages for part in message.parts):
            sent.checked = True
            self._owner._check(sent.conversation, messages, parameters)
        else:
            sent.strange = True


def _bare(model: Model) -> Model:
    while isinstance(model, _Checked):
        model = model.wrapped
    return model


def _shown(window: Sequence[Any], units: Sequence[Unit], index: Mapping[int, int]) -> list[Unit | str]:
    shown: list[Unit | str] = []
    for message in window:
        at = index.get(id(message))
        if at is not None:
            shown.append(units[at])
        elif message.get("role") == "user":
            shown.append(message["content"])
        # the pinned block has its place in the instructions
    return shown


def _said(parameters: ModelRequestParameters) -> list[str]:
    return [part.content for part in parameters.instruction_parts or []]


def _schema(tool: Any) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters_json_schema}
