"""A model that plays an agent's part, a tool, summarizers that lose everything, and what a request must be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import tool

RULES = ["Never issue a refund above GBP 500 without a human approver.", "Patient is allergic to penicillin."]
WINDOW = 12_000
NOTE = "It is Monday."
"""A note in a request that asks for nothing."""


class Model(BaseChatModel):
    """Calls the tool on a human message and answers on anything else; keeps what it was sent."""

    seen: list[Any] = []  # noqa: RUF012 a pydantic field
    name_of: str = "model"
    size: int | None = None
    reply: Any = None

    def __init__(self, **fields: Any) -> None:
        super().__init__(**{"seen": [], **fields})
        if self.size is not None:
            self.profile = {"max_input_tokens": self.size}

    @property
    def _llm_type(self) -> str:
        return "fake"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        self.seen.append(list(messages))
        if self.reply is not None:
            answer = self.reply(messages)
        elif next(message for message in reversed(messages) if message.content != NOTE).type == "human":
            n = len(self.seen)
            answer = AIMessage("", tool_calls=[{"name": "get_batch", "args": {"n": n}, "id": f"c{id(self)}-{n}", "type": "tool_call"}])
        else:
            answer = AIMessage(f"Batch looked at, request {len(self.seen)}. Nothing unusual in this one, going on with the next.")
        return ChatResult(generations=[ChatGeneration(message=answer)])


@tool
def get_batch(n: int) -> str:
    """Rows of one batch."""
    return f"batch {n}: " + "row 412 FAILED NSF; " * 120


class Destructive:
    """A summarizer that loses everything. Keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, request: Any) -> str:
        self.asked.append(request.prompt)
        return "Work went on."


def ask(n: int | str) -> dict[str, Any]:
    """One turn's input."""
    return {"messages": [HumanMessage(f"Look at batch {n}.")]}


def thread(name: str = "t") -> dict[str, Any]:
    """A config."""
    return {"configurable": {"thread_id": name}}


def head(messages: Sequence[BaseMessage]) -> str:
    """What the system slot says."""
    return "\n".join(message.text for message in messages if message.type == "system")


def faults(messages: Sequence[BaseMessage], rules: Sequence[str] = RULES) -> list[str]:
    """What is wrong with a request: rules that are not in the system slot once, calls and results that are parted."""
    found = [f"rule {head(messages).count(rule)} times" for rule in rules if head(messages).count(rule) != 1]
    open_calls: list[str] = []
    for message in messages:
        if message.type == "tool":
            if message.tool_call_id in open_calls:  # type: ignore[attr-defined]
                open_calls.remove(message.tool_call_id)  # type: ignore[attr-defined]
            else:
                found.append("orphaned result")
        else:
            found += ["unanswered call"] * bool(open_calls)
            open_calls = [call["id"] for call in getattr(message, "tool_calls", [])]
    return found


def memory_of(messages: Sequence[AnyMessage]) -> str:
    """The memory message of a request."""
    return next((message.text for message in messages if message.id == "standfast-memory"), "")


def answering(text: str) -> Callable[[Any], AIMessage]:
    """A model's reply that is always the same."""
    return lambda messages: AIMessage(text)
