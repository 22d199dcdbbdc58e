"""LangChain messages as the engine reads them: OpenAI chat, with the trust that follows from who speaks.

Nothing here rewrites a message. What the engine is given is a view; what the model is sent are the host's own objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from operator import attrgetter
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, ChatMessage, FunctionMessage, HumanMessage, SystemMessage, ToolMessage

from standfast import _core
from standfast._thread import reading
from standfast._thread.reading import RECALL, USUAL, Reading, Said, TrustHook, plain
from standfast.langchain.boundaries import seam

FOREIGN = ("summarization",)
"""Values of `lc_source` that the engine knows as another compactor's summary."""
_DECISION = "hitl_interrupt_decision"
_REASON = " with reason: "
_ROLES = {"human": "user", "user": "user", "ai": "assistant", "assistant": "assistant", "system": "system", "developer": "developer"}


class Reader(reading.Reader):
    """Reads messages. `hook` is the host's own word on trust."""

    content = staticmethod(attrgetter("content"))
    calls = staticmethod(attrgetter("tool_calls"))

    def __init__(self, hook: TrustHook | None = None) -> None:
        self._hook = hook

    def read(self, messages: Sequence[BaseMessage], start: int = 0, names: AbstractSet[str] | None = None) -> list[Reading]:
        """How the messages from `start` on are read."""
        if start >= len(messages):
            return []
        signed = set(self.names(messages[:start]) if names is None else names)
        first = start
        while first and not isinstance(messages[first], AIMessage):
            first -= 1
        calls: set[str] = set()
        reasons: list[str] = []
        readings = []
        front = next((at for at, message in enumerate(messages) if not _stands_before(message)), len(messages))
        for at, message in enumerate(messages[first:], first):
            if not isinstance(message, BaseMessage):
                raise _core.error_of("unknown_shape", f"the state holds a value of type `{type(message).__name__}`, not a message")
            after: tuple[dict[str, Any], ...] = ()
            if isinstance(message, AIMessage):
                calls, reasons = {call["id"] for call in _calls(message)}, []
            elif isinstance(message, ToolMessage):
                reasons += [reason] if (reason := _reason(message)) is not None else []
                calls.discard(message.tool_call_id)
                if not calls and reasons:  # a user's message must not stand between the results of a batch
                    after, reasons = tuple({"role": "user", "content": reason} for reason in reasons), []
            if at >= start:
                reading = self._one(message, signed, after)
                readings.append(reading._replace(silent=at < front and "additional_kwargs" in reading.wire))
            if isinstance(message, AIMessage) and message.name:
                signed.add(message.name)
        return readings

    def id_of(self, message: Any) -> str | None:
        """Its id."""
        return cast("str | None", message.id)

    def is_answer(self, message: Any) -> bool:
        """Whether it is the model's."""
        return isinstance(message, AIMessage)

    def names(self, messages: Iterable[Any]) -> frozenset[str]:
        """The names by which agents sign their messages."""
        return frozenset(message.name for message in messages if isinstance(message, AIMessage) and message.name)

    def seam(self, messages: Sequence[Any], marks: Mapping[str, str]) -> str | None:
        """The boundary at which a list ends, with the results of a batch of calls."""
        return seam(messages, marks)

    def _one(self, message: BaseMessage, agents: AbstractSet[str], after: tuple[dict[str, Any], ...]) -> Reading:
        wire, said = _wire(message), USUAL
        trust = self._hook(message) if self._hook is not None else None
        if trust is None and wire["role"] == "user" and _by_agent(message, agents):
            trust = "agent"
        if trust == "agent" and wire["role"] == "user":
            wire["role"] = "assistant"  # the words of an agent, whatever the message is called
        elif trust is not None:
            said = Said(trust)
        if (reason := _reason(message)) is not None:
            wire["content"] = wire["content"].replace(reason, "(a person's own words follow)")
        return Reading(wire, said, after)


def system_wire(message: SystemMessage | None) -> str | list[Any] | None:
    """The system slot as the engine reads it."""
    return None if message is None else cast("str | list[Any]", _content(message.content))


def outgoing(message: BaseMessage) -> dict[str, Any]:
    """A message of an outgoing request, for the assertion: a person's decision counts as said by the user."""
    wire = _wire(message)
    return {"role": "user", "content": wire["content"]} if _reason(message) is not None else wire


def _stands_before(message: BaseMessage) -> bool:
    """Whether a message at the front leaves what follows at the front too."""
    return isinstance(message, SystemMessage) or message.additional_kwargs.get("lc_source") in FOREIGN


def _by_agent(message: BaseMessage, agents: AbstractSet[str]) -> bool:
    source = message.additional_kwargs.get("lc_source")
    return (isinstance(source, str) and source not in FOREIGN) or (message.name is not None and message.name in agents)


def _reason(message: BaseMessage) -> str | None:
    """What a person said in deciding about a tool call: the reason, not the framework's words around it."""
    if not isinstance(message, ToolMessage) or message.additional_kwargs.get("lc_source") != _DECISION:
        return None
    data = message.additional_kwargs.get("lc_data")
    kind = data.get("decision") if isinstance(data, Mapping) else None
    text = message.text
    if kind == "respond" and isinstance(message.content, str) and text.strip():
        return text
    _, found, reason = text.partition(_REASON)
    return reason if kind == "reject" and found and reason.strip() else None


def _wire(message: BaseMessage) -> dict[str, Any]:
    wire: dict[str, Any] = {"role": _role(message), "content": _content(message.content)}
    if isinstance(message, ToolMessage):
        wire["tool_call_id"] = message.tool_call_id
        if message.status == "error":
            wire["is_error"] = True
        if message.name == RECALL:  # the log has it: not to be summarized again
            wire["content"] = "\n".join(f"superseded by the log: {line}" for line in message.text.splitlines())
    elif isinstance(message, FunctionMessage):
        wire["name"] = message.name
    elif isinstance(message, AIMessage):
        if calls := _calls(message):
            wire["tool_calls"] = calls
        if isinstance(reasoning := message.additional_kwargs.get("reasoning_content"), str):
            wire["reasoning_content"] = reasoning
    if message.additional_kwargs.get("lc_source") in FOREIGN:
        wire["additional_kwargs"] = {"lc_source": message.additional_kwargs["lc_source"]}
    return wire


def _role(message: BaseMessage) -> str:
    if isinstance(message, HumanMessage):
        return "user"
    if isinstance(message, AIMessage):
        return "assistant"
    if isinstance(message, ToolMessage):
        return "tool"
    if isinstance(message, SystemMessage):
        return "developer" if message.additional_kwargs.get("__openai_role__") == "developer" else "system"
    if isinstance(message, FunctionMessage):
        return "function"
    # a role of the host's own: no more than an agent, whatever it is called
    return _ROLES.get(message.role, "assistant") if isinstance(message, ChatMessage) else "assistant"


def _calls(message: AIMessage) -> list[dict[str, Any]]:
    good = [_call(call["id"], call["name"], plain(call["args"])) for call in message.tool_calls]
    # the framework answers these too
    bad = [_call(call["id"], call["name"], call["args"] or "") for call in message.invalid_tool_calls if call["id"]]
    return good + bad


def _call(id: str | None, name: str | None, arguments: Any) -> dict[str, Any]:
    return {"id": id or f"unnamed:{name}", "type": "function", "function": {"name": name or "", "arguments": arguments}}


def _content(content: Any) -> Any:
    if isinstance(content, str):
        return content
    return [{"type": "text", "text": block} if isinstance(block, str) else plain(block) for block in content]
