"""LangChain's agents and middleware under test. Needs LangChain; standfast need not be in the agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID, uuid4

from langchain.agents import create_agent
from langchain.agents.middleware.internal_call_transformer import internal_call_metadata
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage, convert_to_messages, convert_to_openai_messages
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.checkpoint.memory import InMemorySaver

from standfast.testing.agents import Reply, ToolCall, obedient
from standfast.testing.cases import Scenario, scenarios
from standfast.testing.requests import texts


class _Requests(BaseCallbackHandler):
    """What the agent's own model was sent; calls that middleware makes for itself are left out."""

    run_inline = True

    def __init__(self) -> None:
        self.last: list[BaseMessage] = []
        self.compactions = 0

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
        """Keeps the request, and counts where the one before was not simply continued but became shorter."""
        told = metadata or {}
        if internal_call_metadata().items() <= told.items() or "lc_source" in told or not messages:
            return
        now = list(messages[0])
        if self.last and _shrunk(self.last, now):
            self.compactions += 1
        self.last = now


def _shrunk(before: Sequence[BaseMessage], now: Sequence[BaseMessage]) -> bool:
    known = {_content(message) for message in now}
    gone = any(message.type != "system" and _content(message) not in known for message in before)
    return gone and _size(now) < _size(before)


def _content(message: BaseMessage) -> tuple[str, str]:
    return message.type, texts(message.content) + repr(getattr(message, "tool_calls", ""))


def _size(messages: Sequence[BaseMessage]) -> int:
    return sum(len(texts(message.content)) for message in messages)


class LangChainAgent:
    """A LangChain agent (what `create_agent` gives) as an agent under test.

    With a checkpointer it talks on a thread of its own, or on that of `config`; without one it hands in the whole list each time.
    A compaction is a request that lacks messages of the one before, and is shorter.
    """

    def __init__(self, agent: Any, config: Mapping[str, Any] | None = None) -> None:
        self._agent = agent
        self._requests = _Requests()
        self._keeps = getattr(agent, "checkpointer", None) not in (None, False)
        given = dict(config or {})
        if self._keeps:
            given.setdefault("configurable", {"thread_id": f"standfast-{uuid4().hex[:12]}"})
        given["callbacks"] = [*(given.get("callbacks") or []), self._requests]
        self._config = given
        self._pending: list[Any] = []
        self._messages: list[BaseMessage] = []
        self._calls: list[ToolCall] = []
        self._seen: set[Any] = set()

    def load(self, messages: Sequence[Any]) -> None:
        """Puts a transcript, as dictionaries of OpenAI chat or LangChain's own messages, in front of what will be said."""
        self._pending += convert_to_messages([dict(one) if isinstance(one, Mapping) else one for one in messages])
        _ = list(self._new_calls(self._pending))

    def send(self, text: str, /) -> str:
        """One turn."""
        given = [*self._pending, HumanMessage(text)]
        self._pending = []
        state = self._agent.invoke({"messages": given if self._keeps else [*self._messages, *given]}, self._config)
        self._messages = list(state["messages"])
        self._calls += self._new_calls(self._messages)
        last = self._messages[-1] if self._messages else None
        return texts(last.content) if last is not None else ""

    def _new_calls(self, messages: Sequence[BaseMessage]) -> Iterator[ToolCall]:
        for message in messages:
            for call in getattr(message, "tool_calls", None) or ():
                if call["id"] not in self._seen:
                    self._seen.add(call["id"])
                    yield ToolCall(call["name"], dict(call["args"]))

    def deliver_tool_output(self, tool: str, output: str, /) -> None:
        """A call with its result, in front of the next thing said."""
        name = f"call_{uuid4().hex[:12]}"
        self._seen.add(name)
        call = {"name": tool, "args": {}, "id": name, "type": "tool_call"}
        self._pending += [AIMessage("", tool_calls=[call]), ToolMessage(output, tool_call_id=name, name=tool)]

    def tool_calls(self) -> Sequence[ToolCall]:
        """In order."""
        return tuple(self._calls)

    def compaction_count(self) -> int:
        """How many requests were compacted."""
        return self._requests.compactions

    def window(self) -> list[Any]:
        """The last request as messages of OpenAI chat."""
        found = convert_to_openai_messages(self._requests.last)
        return found if isinstance(found, list) else [found]


class ScriptedModel(BaseChatModel):
    """A chat model that answers by a function of its request, `obedient()` for example."""

    answer: Callable[[Any], Any]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        """It needs no schemas."""
        return self

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        reply = Reply("Done.") if messages and messages[-1].type == "tool" else self.answer(convert_to_openai_messages(messages))
        calls = [{"name": call.name, "args": dict(call.args), "id": f"call_{uuid4().hex[:12]}"} for call in reply.tool_calls]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(reply.text, tool_calls=calls))])


def scripted_model(answer: Callable[[Any], Reply] | None = None, *, window_tokens: int = 4_000) -> ScriptedModel:
    """A chat model that plays an agent's part, offline. Its profile says how large its window is."""
    return ScriptedModel(answer=answer or obedient(), profile={"max_input_tokens": window_tokens})


def scenario_tools(of: Sequence[Scenario] | None = None) -> list[BaseTool]:
    """The tools of the scenarios, with their recorded responses."""
    return [
        StructuredTool.from_function(_responding(tool.response), name=name, description=tool.description or name)
        for scenario in (scenarios() if of is None else of)
        for name, tool in scenario.tools.items()
    ]


def _responding(response: str) -> Callable[[], str]:
    def respond() -> str:
        return response

    return respond


def middleware_agent(
    middleware: Any, *, model: Any = None, tools: Sequence[Any] | None = None, window_tokens: int = 4_000, system_prompt: str | None = None
) -> LangChainAgent:
    """An agent under test with the given middleware, and a scripted model and the scenarios' tools where none are given."""
    listed = list(middleware) if isinstance(middleware, list | tuple) else [middleware]
    model = scripted_model(window_tokens=window_tokens) if model is None else model
    tools = scenario_tools() if tools is None else tools
    return LangChainAgent(create_agent(model, list(tools), system_prompt=system_prompt, middleware=listed, checkpointer=InMemorySaver()))


def live_model(name: str, of: Sequence[Scenario] | None = None) -> Callable[[Any], Reply]:
    """A real model by its LangChain name ("openai:gpt-5-mini"), with the scenarios' tools, as a model of `function_agent`."""
    from langchain.chat_models import init_chat_model

    bound = init_chat_model(name).bind_tools(scenario_tools(of))

    def answer(request: Any) -> Reply:
        from standfast.testing.requests import messages_of, system_of

        system = system_of(request)
        head = [{"role": "system", "content": texts(system)}] if system else []
        reply = bound.invoke([*head, *messages_of(request)])
        return Reply(texts(reply.content), [ToolCall(call["name"], dict(call["args"])) for call in reply.tool_calls])

    return answer
