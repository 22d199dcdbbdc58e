"""The middleware: hooks for the state and for the request, each blocking and asynchronous over the same steps."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from langchain.agents.middleware import AgentMiddleware, AgentState, ExtendedModelResponse, ModelRequest, ModelResponse
from langchain.agents.middleware.internal_call_transformer import InternalCallTransformer
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import AIMessage, ToolMessage
from langgraph.types import Command
from typing_extensions import NotRequired

from standfast._thread import inheritance
from standfast._thread.ledger import Key
from standfast._thread.options import AgentOptions, checked
from standfast._thread.rules import RulesOption
from standfast.langchain.calls import Call, Engine
from standfast.langchain.limits import overflowed
from standfast.langchain.recalling import recall_tool
from standfast.langchain.session import Session
from standfast.langchain.watching import watching
from standfast.records import Receipt

if TYPE_CHECKING:
    from langchain.agents.middleware.types import ToolCallRequest
    from langchain_core.tools import BaseTool
    from langgraph.runtime import Runtime
    from typing_extensions import Unpack

STATE = "_standfast"
"""Key of the agent's state. It holds names and numbers, no text."""


class StandfastState(AgentState[Any]):
    """The agent's state with our private key."""

    _standfast: NotRequired[Annotated[dict[str, Any] | None, PrivateStateAttr]]


class Standfast(AgentMiddleware[StandfastState, Any, Any]):
    """Keeps an agent's rules alive through compaction. Put it last: what is listed before is outside, what is behind is inside.

        agent = create_agent(model, tools, middleware=[Standfast(rules="AGENTS.md")])

    The state's messages are never rewritten. Each request is the engine's window of them: the rules behind the system prompt,
    one memory message for what was folded, and the host's own messages as they are. Before the model is called, by whatever
    middleware stands inside, the rules are looked for in the request that really goes out.
    """

    state_schema = StandfastState
    transformers = (InternalCallTransformer,)

    def __init__(
        self,
        rules: RulesOption | None = None,
        *,
        window_tokens: int | None = None,
        recall: bool = False,
        **options: Unpack[AgentOptions],
    ) -> None:
        """Options.

        `rules`: a list, a file, or a function of the runtime; the truth at each load. `summarizer`: a chat model, its name, a
        runnable, a function, "agent" for the agent's own model, or None for the built-in extractive one. `window_tokens`: else
        the model's profile says. `store`: a store of `standfast.stores`, a LangGraph store, or None for the graph's own store or
        this process. `trust`: a message's trust, where the host knows better than its role. `tools`: which tools read, write, or
        stand for a boundary. `compact_at`: "turn_end" compacts when the answer is there. `recall`: a tool with which the agent
        reads what was folded. `inherit`: sub-agents called by tools take the rules of their caller. `on_refusal`: what happens
        where no compaction can be made. `on_bad_state`: where a thread's state cannot be read. `allow_unverified`: lets requests
        out whose history the provider keeps.
        """
        super().__init__()
        self._engine = Engine(rules=rules, window_tokens=window_tokens, given=checked(options, AgentOptions))
        self.tools: Sequence[BaseTool] = [recall_tool(self._engine, STATE)] if recall else []

    # The state.

    def before_agent(self, state: StandfastState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """A run begins: others may have written since."""
        self._engine.begun(self._engine.run_of(runtime))
        return None

    async def abefore_agent(self, state: StandfastState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Like `before_agent`."""
        return self.before_agent(state, runtime)

    def before_model(self, state: StandfastState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Takes in what is new and compacts where it is time."""
        run = self._engine.run_of(runtime)
        outside = self._engine.outside(run)
        return _update(outside.run(self._engine.before(state["messages"], Key.of_state(state.get(STATE)), run)))

    async def abefore_model(self, state: StandfastState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Like `before_model`."""
        run = self._engine.run_of(runtime)
        outside = self._engine.outside(run)
        return _update(await outside.arun(self._engine.before(state["messages"], Key.of_state(state.get(STATE)), run)))

    def after_agent(self, state: StandfastState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """The turn is over: with `compact_at="turn_end"` this is when it is compacted."""
        run = self._engine.run_of(runtime)
        outside = self._engine.outside(run)
        return _update(outside.run(self._engine.after(state["messages"], Key.of_state(state.get(STATE)), run)))

    async def aafter_agent(self, state: StandfastState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Like `after_agent`."""
        run = self._engine.run_of(runtime)
        outside = self._engine.outside(run)
        return _update(await outside.arun(self._engine.after(state["messages"], Key.of_state(state.get(STATE)), run)))

    # The request.

    def wrap_model_call(self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]) -> Any:
        """Renders the window, asserts it, and calls the model; once more, compacted, where the request was too long."""
        outside = self._engine.outside(self._engine.run_of(request.runtime))
        call = outside.run(self._engine.prepare(request, request.state.get(STATE)))
        try:
            response = self._called(call, handler)
        except Exception as error:
            if not overflowed(error):
                raise
            call = outside.run(self._engine.recover(call, error))
            response = self._called(call, handler)
        return self._answered(call, response)

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> Any:
        """Like `wrap_model_call`."""
        outside = self._engine.outside(self._engine.run_of(request.runtime))
        call = await outside.arun(self._engine.prepare(request, request.state.get(STATE)))
        try:
            response = await self._acalled(call, handler)
        except Exception as error:
            if not overflowed(error):
                raise
            call = await outside.arun(self._engine.recover(call, error))
            response = await self._acalled(call, handler)
        return self._answered(call, response)

    def _called(self, call: Call, handler: Callable[[ModelRequest[Any]], Any]) -> Any:
        with watching(call.watch):
            return handler(call.request)

    async def _acalled(self, call: Call, handler: Callable[[ModelRequest[Any]], Awaitable[Any]]) -> Any:
        with watching(call.watch):
            return await handler(call.request)

    def _answered(self, call: Call, response: Any) -> Any:
        inner = response.model_response if isinstance(response, ExtendedModelResponse) else response
        messages = [inner] if isinstance(inner, AIMessage) else getattr(inner, "result", [])
        self._engine.answered(call, messages)
        update = _update(call.key)
        if update is None or not isinstance(inner, ModelResponse):
            return response
        before = response.command.update if isinstance(response, ExtendedModelResponse) and response.command is not None else None
        return ExtendedModelResponse(inner, Command(update={**(before or {}), **update}))

    # Tools.

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], ToolMessage | Command[Any]]) -> Any:
        """Hands the rules down to agents that the tool calls."""
        with inheritance.handing_down(self._engine.rules_for_tools(request)):
            return handler(request)

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[ToolMessage | Command[Any]]]
    ) -> Any:
        """Like `wrap_tool_call`."""
        with inheritance.handing_down(self._engine.rules_for_tools(request)):
            return await handler(request)

    # The way in for people and programs.

    def session(self, agent: Any, config: Mapping[str, Any], *, context: Any = None) -> Session:
        """The guard of a thread, to read and to change its rules: `with mw.session(agent, config) as guard`, or `async with`.

        What was changed is written when the block ends without an error. `context` is what `rules=` finds in the runtime.
        """
        return Session(self._engine, STATE, agent, config, context)

    def receipts(self, agent: Any, config: Mapping[str, Any], *, context: Any = None) -> list[Receipt]:
        """The receipts of a thread's last compactions, the newest last."""
        return self.session(agent, config, context=context).receipts()

    async def areceipts(self, agent: Any, config: Mapping[str, Any], *, context: Any = None) -> list[Receipt]:
        """Like `receipts`."""
        return await self.session(agent, config, context=context).areceipts()


StandfastMiddleware = Standfast
"""Another name of `Standfast`."""


def _update(key: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if key is None else {STATE: key}
