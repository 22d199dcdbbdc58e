"""The options of a run: the filter of the model's input, the wrapper around the session, and hooks that look once more."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from agents import FunctionTool, RunConfig, RunHooks
from agents.memory import OpenAIConversationsSession
from agents.run import CallModelData, ModelInputData

from standfast import _core
from standfast._thread import inheritance
from standfast._thread.conversation import Conversation
from standfast._thread.engine import Engine, Run
from standfast._thread.ledger import Place
from standfast._thread.opening import Opening
from standfast._thread.options import AgentOptions, checked
from standfast._thread.reading import RECALL
from standfast._thread.recalling import ABOUT, recalled
from standfast._thread.rules import RulesOption
from standfast._thread.storing import Storing
from standfast.openai_agents import retrying
from standfast.openai_agents.items import Reader, fields, is_part
from standfast.openai_agents.sessions import RawSession
from standfast.openai_agents.summarizing import Summarizing
from standfast.records import Receipt

if TYPE_CHECKING:
    from agents import Agent, RunContextWrapper
    from agents.tool_context import ToolContext
    from typing_extensions import Unpack

WindowOption = int | Callable[[Any], int | None] | None


class Standfast:
    """Keeps the rules of agents alive through compaction.

        sf = Standfast(rules="AGENTS.md", window_tokens=200_000)
        result = await Runner.run(agent, "Refund order 7.", **sf.options(session=session))

    The session's items are never rewritten. Each request is the engine's window of them: the rules in the instructions, one
    memory message for what was folded, and the host's own items as they are. The rules are looked for in the request twice: by
    the filter, and by the hooks that the SDK calls last before the model.
    """

    def __init__(
        self,
        rules: RulesOption | None = None,
        *,
        window_tokens: WindowOption = None,
        **options: Unpack[AgentOptions],
    ) -> None:
        """Options.

        They mean what they mean in `standfast.langchain`. `rules`: a function of the run's context, where it is a function.
        `summarizer`: a model of the SDK, its name, an agent, a function, "agent" for the agent's own model, or None for the
        built-in extractive one. `window_tokens`: a number, or a function of the agent where agents have models of several sizes.
        `inherit`: agents run as tools take the rules of their caller. `allow_unverified`: lets requests out whose history the
        server keeps; the rules still stand in the instructions.
        """
        given = checked(options, AgentOptions)
        self._window = window_tokens if callable(window_tokens) else None
        self._stores = Storing(given.get("store"))
        self._unverified = given.get("allow_unverified", False)
        self.summarizing = Summarizing(given.get("summarizer"))
        size = None if callable(window_tokens) else window_tokens
        self.engine = Engine(Reader(given.get("trust")), self.summarizing, self._stores, rules=rules, window_tokens=size, given=given)
        if self._window is None and self.engine.window is None:
            raise _core.error_of("window_unknown", "the SDK does not know its models' windows: give `window_tokens`")

    def options(
        self,
        *,
        session: Any = None,
        run_config: RunConfig | None = None,
        hooks: RunHooks[Any] | None = None,
        previous_response_id: str | None = None,
        conversation_id: str | None = None,
        auto_previous_response_id: bool = False,
    ) -> dict[str, Any]:
        """The arguments of one run: `Runner.run(agent, input, **sf.options(session=session))`.

        A filter and hooks of the host's run first. A history that the server keeps cannot be rebuilt: `server_side_history`.
        """
        kept_there: dict[str, Any] = {
            "previous_response_id": previous_response_id,
            "conversation_id": conversation_id,
            "auto_previous_response_id": auto_previous_response_id,
        }
        kept_there = {name: value for name, value in kept_there.items() if value}
        server = bool(kept_there) or isinstance(session, OpenAIConversationsSession)
        if server and not self._unverified:
            raise server_side()
        config = run_config if run_config is not None else RunConfig()
        run = _Filter(self, config, getattr(session, "session_id", None), server)
        config = dataclasses.replace(config, call_model_input_filter=run, model_settings=retrying.with_retry(config.model_settings))
        given = {"run_config": config, "hooks": _Hooks(run, hooks), **kept_there}
        if session is not None:
            given["session"] = session if isinstance(session, OpenAIConversationsSession) else RawSession(session, run.begun)
        return given

    def session(self, session: Any, *, context: Any = None) -> Opening:
        """The guard of a session's thread, to read and to change its rules: `async with sf.session(session) as guard`.

        What was changed is written when the block ends without an error. `context` is what `rules=` finds.
        """
        return Opening(self.engine, self._run(session.session_id, context), RawSession(session).get_items)

    async def receipts(self, session: Any, *, context: Any = None) -> list[Receipt]:
        """The receipts of a session's last compactions, the newest last."""
        return await self.session(session, context=context).areceipts()

    @property
    def recall(self) -> FunctionTool:
        """A tool with which agents read what was folded."""
        whole = {"type": "integer"}
        properties = {"first_turn": whole, "last_turn": whole, "containing": {"type": "string"}}
        schema = {"type": "object", "properties": properties, "required": ["first_turn", "last_turn"], "additionalProperties": False}
        return FunctionTool(RECALL, ABOUT, schema, _recall, strict_json_schema=False)

    def _run(self, thread: str | None, context: Any, agent: str = "") -> Run:
        return Run(Place(thread, agent), context, self._stores.store())

    def _sized(self, run: Run, agent: Any) -> None:
        if self._window is not None:
            self.engine._sized(run.place, self._window(agent))

    async def _rebuilt(self, run: Run, items: Sequence[Any], beside: tuple[Any, Any]) -> tuple[Conversation, list[Any], Any]:
        """The window of a list of items: the conversation, the items in it, and the instructions."""
        outside = self.engine.outside(run)
        await outside.arun(self.engine.before(items, None, run))
        conversation = await outside.arun(self.engine.sending(items, None, run, beside))
        return conversation, *self._shown(conversation, items)

    def _shown(self, conversation: Conversation, items: Sequence[Any]) -> tuple[list[Any], Any]:
        """The items of the window and the instructions, asserted."""
        with conversation.lock:
            window = conversation.guard.window()
            index = conversation.index_of()
        kept = [items[index[id(message)]] if id(message) in index else message for message in window.messages]
        self._checked(conversation, kept, window.system)
        return kept, window.system

    def _checked(self, conversation: Conversation, items: Any, system: Any) -> None:
        listed = [{"role": "user", "content": items}] if isinstance(items, str) else items
        self.engine.asserted(conversation, [item for item in map(fields, listed) if "role" in item], system)


class _Filter:
    """The filter of one run, and of the runs of agents that its tools call."""

    def __init__(self, owner: Standfast, config: RunConfig, thread: str | None, server: bool) -> None:
        self._owner, self._config, self._thread, self._server = owner, config, thread, server
        self._retry = config.model_settings.retry if config.model_settings is not None else None
        self._ending: tuple[Run, list[Any]] | None = None
        self._first: Any = None
        self.main: Conversation | None = None
        self.sent: dict[int, tuple[Any, Conversation]] = {}

    def begun(self) -> None:
        """The run begins."""
        self._owner.engine.begun(self._owner._run(self._thread, None))

    async def __call__(self, call: CallModelData[Any]) -> ModelInputData:
        data = call.model_data
        if (before := self._config.call_model_input_filter) is not None:
            made = before(call)
            data = await made if inspect.isawaitable(made) else made
        items = list(data.input)
        if is_part(items) and not self._owner._unverified:
            raise server_side()
        owner, agent = self._owner, call.agent
        owner.summarizing.model = (agent.model, self._config)
        nested = self._nested(items)
        run = owner._run(self._thread, call.context, agent.name if nested else "")
        owner._sized(run, agent)
        known = [] if self._server or is_part(items) else items
        with inheritance.handing_down(self._rules() if nested else inheritance.handed_down()):
            conversation, kept, system = await owner._rebuilt(run, known, (data.instructions, _schemas(agent)))
        if not nested:
            self.main, self._ending = conversation, (run, known)
        self.sent[id(agent)] = (agent, conversation)
        out = ModelInputData(input=kept if known else items, instructions=system if isinstance(system, str) else data.instructions)

        async def again(error: Exception) -> None:
            """Compacted once more, with half the backstop."""
            shorter = await owner.engine.outside(run).arun(owner.engine.recovered(conversation, run, error))
            kept, system = owner._shown(shorter, known)
            out.input, out.instructions = kept, system if isinstance(system, str) else data.instructions
            self.sent[id(agent)] = (agent, shorter)
            if not nested:
                self.main = shorter

        hosts = retrying.merged(agent.model_settings.retry, self._retry)
        retrying.sending(retrying.Sent(out, again if known else None, hosts))
        return out

    async def ended(self, agent: Any) -> None:
        """The agent of the run has answered: with `compact_at="turn_end"` this is when it is compacted."""
        known = self.sent.get(id(agent))
        if known is None or known[1] is not self.main or self._ending is None:
            return
        run, items = self._ending
        await self._owner.engine.outside(run).arun(self._owner.engine.after(items, None, run))

    def _nested(self, items: Sequence[Any]) -> bool:
        """Whether an agent that a tool called speaks: its list begins with another item than that of the run."""
        first = fields(items[0]) if items else None
        if self._first is None:
            self._first = first
        return first is not None and first != self._first

    def _rules(self) -> tuple[str, ...]:
        if self.main is None:
            return inheritance.handed_down()
        with self.main.lock:
            return tuple(rule.text for rule in self.main.guard.rules)


class _Hooks(RunHooks[Any]):
    """The host's hooks, with a last look at each request and the provider's count of it."""

    def __init__(self, run: _Filter, before: RunHooks[Any] | None) -> None:
        self._run = run
        self._before = before

    async def on_llm_start(
        self, context: RunContextWrapper[Any], agent: Agent[Any], system_prompt: str | None, input_items: list[Any]
    ) -> None:
        """Raises `InvariantLost` where a rule is missing."""
        if self._before is not None:
            await self._before.on_llm_start(context, agent, system_prompt, input_items)
        if (known := self._run.sent.get(id(agent))) is not None:
            self._run._owner._checked(known[1], input_items, system_prompt)

    async def on_llm_end(self, context: RunContextWrapper[Any], agent: Agent[Any], response: Any) -> None:
        """Takes the provider's count."""
        if (known := self._run.sent.get(id(agent))) is not None:
            self._run._owner.engine.used(known[1], response.usage.input_tokens)
        if self._before is not None:
            await self._before.on_llm_end(context, agent, response)

    async def on_agent_start(self, *given: Any, **named: Any) -> None:
        """The host's."""
        await self._passed("on_agent_start", given, named)

    async def on_agent_end(self, context: Any, agent: Agent[Any], output: Any) -> None:
        """The turn is over."""
        await self._run.ended(agent)
        await self._passed("on_agent_end", (context, agent, output), {})

    async def on_handoff(self, *given: Any, **named: Any) -> None:
        """The host's."""
        await self._passed("on_handoff", given, named)

    async def on_tool_start(self, *given: Any, **named: Any) -> None:
        """The host's."""
        await self._passed("on_tool_start", given, named)

    async def on_tool_end(self, *given: Any, **named: Any) -> None:
        """The host's."""
        await self._passed("on_tool_end", given, named)

    async def _passed(self, name: str, given: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        if self._before is not None:
            await getattr(self._before, name)(*given, **named)


async def _recall(context: ToolContext[Any], arguments: str) -> str:
    config = context.run_config
    run = config.call_model_input_filter if config is not None else None
    if not isinstance(run, _Filter) or run.main is None:
        return "Nothing of these turns is left."
    try:
        given = json.loads(arguments or "{}")
        first, last = int(given.get("first_turn", 0)), int(given.get("last_turn", 1 << 30))
    except (AttributeError, TypeError, ValueError, RecursionError):
        return "Give `first_turn` and `last_turn` as numbers, and `containing` as a text."
    with run.main.lock:
        events = run.main.guard.recall(span=(0, len(run.main) - 1)) if len(run.main) else []
    return recalled(events, first, last, str(given.get("containing") or ""))


def _schemas(agent: Any) -> list[dict[str, Any]]:
    """What is known of an agent's tools without asking their servers."""
    tools = [tool for tool in agent.tools if isinstance(tool, FunctionTool)]
    return [{"name": tool.name, "description": tool.description, "parameters": tool.params_json_schema} for tool in tools]


def server_side() -> Exception:
    """The error of a history that is not here."""
    return _core.error_of("server_side_history", "the server keeps the history of this run: the rules cannot be seen in the request")
