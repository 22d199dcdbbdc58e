"""One transcript through one agent: the state of LangChain, a model that says what stands in the transcript, one middleware.

Every arm gets the same messages, the same model, the same summarizer, and is compacted where the same share of the window is full. Rules
that a transcript declares stand in the list as a person's messages, for all; standfast is given them by `rules=` as well, the guard of
compaction-guard gets every rule as an invariant, those that a user only says included.
"""

import copy
import json
from collections import deque
from dataclasses import dataclass, field

from arms import DESTRUCTIVE
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, SummarizationMiddleware
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver

from standfast.langchain import Standfast

ARMS = ("summarization", "compaction-guard", "standfast")
FULL = 0.6
"""Share of the window at which the others compact: the share of standfast's default policy."""
TAIL = 0.15
"""Share of the window that stays whole, for all."""


class WithoutTools(Standfast):
    """The middleware where no tool is run: results come with the transcript, and a hook for tools would have the agent look for some."""

    wrap_tool_call = AgentMiddleware.wrap_tool_call
    awrap_tool_call = AgentMiddleware.awrap_tool_call


class Scripted(BaseChatModel):
    """Says what it is told to say next, and keeps what it was sent."""

    following: deque
    seen: list

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **kwargs):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        self.seen.append(list(messages))
        return ChatResult(generations=[ChatGeneration(message=self.following.popleft())])


class Summaries:
    """A summarizer of both kinds, for every arm: the destructive one, or the recorded answers of a real model."""

    def __init__(self, recorded=None):
        self._recorded = recorded
        self.asked = {"usual": 0, "standfast": 0}

    def _answer(self, arm):
        at, self.asked[arm] = self.asked[arm], self.asked[arm] + 1
        known = self._recorded[arm] if self._recorded else [DESTRUCTIVE]
        return known[at % len(known)]

    def of_messages(self, messages):
        """As LangChain's middleware asks."""
        return self._answer("usual")

    def of_request(self, request):
        """As standfast asks."""
        return self._answer("standfast")


@dataclass
class Round:
    """One compaction: how many rules were due in the request behind it, and how many stood there word for word."""

    number: int
    due: int
    alive: int


@dataclass
class Played:
    """What an arm did with a transcript."""

    arm: str
    rounds: list = field(default_factory=list)
    requests: list = field(default_factory=list)
    compacted: list = field(default_factory=list)
    """Places in `requests` of those behind a compaction."""
    system: str | None = None
    stopped: str | None = None
    """Why the agent could not go on."""


def system_of(script):
    """The system prompt of the agent: the head of the transcript."""
    head = [script.system] if script.system else []
    return "\n\n".join([*head, *(text_in(one.get("content")) for one in script.messages[: script.head])]) or None


def text_in(content):
    """The text of a content."""
    if isinstance(content, str):
        return content
    return "\n".join(str(part.get("text", "")) for part in content or [] if isinstance(part, dict))


class Written:
    """A transcript as LangChain messages, with ids of its own for each time it is played."""

    def __init__(self, script):
        self.script = script

    def messages(self, time):
        """Pairs of the rules that become due and the messages that follow, the head left out."""
        for at, message in enumerate(self.script.messages):
            given = [rule for rule in self.script.rules if rule.message == at]
            if at >= self.script.head or given:
                notes = [HumanMessage(rule.text, id=f"{time}-{at}-rule-{n}") for n, rule in enumerate(given) if not rule.said and not time]
                body = self._of(message, f"{time}-{at}", time) if at >= self.script.head else []
                yield given, notes + body

    def _of(self, message, name, time):
        role, content = message["role"], message.get("content")
        if role == "assistant":
            return [self._answer(message, name, time)]
        if role == "tool":
            return [ToolMessage(text_in(content) or "(nothing)", tool_call_id=f"{time}-{message['tool_call_id']}", id=name)]
        if role in ("system", "developer"):
            return [SystemMessage(text_in(content), id=name)]
        results = [part for part in content if part.get("type") == "tool_result"] if isinstance(content, list) else []
        made = [
            ToolMessage(text_in(part.get("content")) or "(nothing)", tool_call_id=f"{time}-{part['tool_use_id']}", id=f"{name}-{n}")
            for n, part in enumerate(results)
        ]
        said = text_in(content)
        return [*made, HumanMessage(said, id=name)] if said or not made else made

    @staticmethod
    def _answer(message, name, time):
        content = message.get("content")
        calls = [
            (call["id"], call["function"]["name"], call["function"].get("arguments") or "{}") for call in message.get("tool_calls") or []
        ]
        if isinstance(content, list):
            calls += [(part["id"], part["name"], json.dumps(part.get("input") or {})) for part in content if part.get("type") == "tool_use"]
        made = [{"id": f"{time}-{one}", "name": tool, "args": arguments(text), "type": "tool_call"} for one, tool, text in calls]
        return AIMessage(text_in(content) or ("" if made else "(nothing)"), tool_calls=made, id=name)


def arguments(text):
    """The arguments of a call; what is no object is put into one."""
    try:
        found = json.loads(text)
    except ValueError:
        found = text
    return found if isinstance(found, dict) else {"value": found}


def middleware_of(arm, model, script, summaries, window, rules, compacted):
    """The middleware of an arm. `rules` is the list of those declared so far, `compacted` is called at each compaction."""
    if arm == "standfast":
        # as in the survival bench: files of users may promote more than a tenth of a small window holds
        policy = {
            "tail_tokens": int(window * TAIL),
            "pinned_tokens": min(window // 5, 3_000),
            "soft_floor_fraction": FULL,  # no seam before that: where the others compact
            "quality_fraction": FULL,
        }
        receive = lambda receipt: compacted() if receipt.outcome == "compacted" else None  # noqa: E731
        return WithoutTools(
            lambda _: [rule.text for rule in rules if not rule.said],
            summarizer=summaries.of_request,
            window_tokens=window,
            policy=policy,
            on_receipt=receive,
        )

    def summarize(messages):
        compacted()
        return summaries.of_messages(messages)

    usual = SummarizationMiddleware(
        model, trigger=("tokens", int(window * FULL)), keep=("tokens", int(window * TAIL)), summarizer=summarize
    )
    if arm == "summarization":
        return usual
    import compaction_guard
    from compaction_guard.integrations.langchain import guard_middleware

    guard = compaction_guard.Guard(max_block_tokens=window // 5)
    for rule in dict.fromkeys(rule.text for rule in script.rules):
        guard.add(rule)
    return guard_middleware(usual, guard)


def play(arm, script, window, recorded=None, rounds=10, times=120):
    """Plays a transcript, again and again, until it was compacted `rounds` times."""
    played, said = Played(arm, system=system_of(script)), []
    model = Scripted(following=deque(), seen=[])
    counted = []
    middleware = middleware_of(arm, model, script, Summaries(recorded), window, said, lambda: counted.append(len(model.seen)))
    agent = create_agent(model, [], system_prompt=system_of(script), middleware=[middleware], checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "bench"}, "recursion_limit": 1_000}
    written, waiting = Written(script), []
    for time in range(times):
        for due, messages in written.messages(time):
            said += [] if time else due
            for message in messages:
                if message.type != "ai":
                    waiting.append(message)
                    continue
                model.following.append(message)
                try:
                    agent.invoke({"messages": [copy.copy(one) for one in waiting]}, config)
                except Exception as error:
                    played.stopped = f"{type(error).__name__}: {error}"
                    return played
                waiting = []
                taken(played, model, counted, [rule.text for rule in said])
                if len(played.rounds) >= rounds:
                    return played
    return played


def taken(played, model, counted, due):
    """Takes the last request in, and with it the compaction before it."""
    request = model.seen.pop()
    model.seen.clear()
    if counted:
        counted.clear()
        text = "\n".join(str(message.text) for message in request)
        played.compacted.append(len(played.requests))
        played.rounds.append(Round(len(played.rounds) + 1, len(due), sum(rule.strip() in text for rule in due)))
    played.requests.append(request)
