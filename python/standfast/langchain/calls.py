"""What the hooks do, as steps: before the model, around its call, and at the end of a turn."""

from __future__ import annotations

import dataclasses
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain.agents.middleware import ModelRequest
from langchain_core.messages import AnyMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from standfast import _core
from standfast.errors import BudgetExceeded, CommitRefused, InvariantLost, PlanRefused, PolicyError, StandfastError
from standfast.langchain import inheritance, options
from standfast.langchain.boundaries import hints
from standfast.langchain.cache import Cache
from standfast.langchain.conversation import Conversation
from standfast.langchain.cycle import ROUNDS, Asked, Cycle, Given
from standfast.langchain.effects import Outside, Step
from standfast.langchain.ledger import Key, Place
from standfast.langchain.limits import refuse_server_side_history, window_of
from standfast.langchain.messages import Reader, agent_names, outgoing, system_wire
from standfast.langchain.places import place_of
from standfast.langchain.rendering import render, whole
from standfast.langchain.rules import RulesOption, RuleSource
from standfast.langchain.storing import Storing
from standfast.langchain.summarizing import Summarizing
from standfast.langchain.watching import Watch
from standfast.records import Recalled, Receipt, Verdict

log = logging.getLogger("standfast.langchain")
STORE_TIMEOUT = 10.0
_NOTES = 1_024
_IDLE = 1.0
"""After so many seconds somebody else may have written the state of a conversation."""
_NEARLY_FULL = 7 / 8


@dataclasses.dataclass
class Note:
    """What is remembered of a place beside its conversations."""

    begun: bool = False
    window: int | None = None
    refused: int | None = None
    """Tokens of a request that was too long."""
    sent: tuple[Any, Any] | None = None
    used: float = 0.0
    names: frozenset[str] = frozenset()
    named: int = 0
    """How many messages of the thread were looked at for names."""


@dataclasses.dataclass
class Call:
    """One model call: the request as it goes out, and who looks at it."""

    place: Place
    conversation: Conversation
    asked: ModelRequest[Any]
    request: ModelRequest[Any]
    watch: Watch
    key: dict[str, Any] | None = None


class Engine:
    """The middleware without its hooks."""

    def __init__(
        self,
        *,
        rules: RulesOption | None,
        summarizer: Any,
        window_tokens: int | None,
        policy: Any,
        store: Any,
        trust: Any,
        marks: dict[str, str],
        compact_at: options.CompactAt,
        inherit: bool,
        on_refusal: options.OnRefusal,
        on_receipt: options.OnReceipt | None,
        on_bad_state: options.OnBadState | None,
        allow_unverified: bool,
    ) -> None:
        options.one_of("compact_at", compact_at, ("call", "turn_end"))
        options.one_of("on_bad_state", on_bad_state, ("rebuild", "raise", None))
        options.callable_or_none("on_receipt", on_receipt)
        if not callable(on_refusal):
            options.one_of("on_refusal", on_refusal, ("continue", "raise"))
        self._policy = options.policy_fields(policy)
        self._window = window_tokens if window_tokens is not None else self._policy.get("window_tokens")
        if self._window is not None:
            _core.Guard(options.policy_of(self._policy, self._window, multi=False), "openai")  # refuses what cannot be
        self._rules = RuleSource(rules)
        self._summarizing = Summarizing(summarizer)
        self._storing = Storing(store)
        self._hook = options.checked_trust(trust)
        self._marks = marks
        self._compact_at, self._inherit = compact_at, inherit
        self._on_refusal, self._on_receipt, self._unverified = on_refusal, on_receipt, allow_unverified
        self._cache = Cache()
        self._cycle = Cycle(Reader(self._hook), self._cache, on_bad_state)
        self._lock = threading.Lock()
        self._notes: OrderedDict[Place, Note] = OrderedDict()
        self._last: Note = Note()
        self._schemas: dict[int, tuple[Any, Any]] = {}

    @property
    def window(self) -> int | None:
        """The window as the host gave it."""
        return self._window

    # What the hooks ask for.

    def outside(self, runtime: Any) -> Outside:
        """Where the steps of a run are answered from."""
        return Outside(self._storing.of(runtime), self._summarizing, STORE_TIMEOUT)

    def begun(self, runtime: Any) -> None:
        """A run begins at a place."""
        self._note(place_of(runtime)).begun = True

    def before(self, outside: Outside, messages: Sequence[BaseMessage], state: Any, runtime: Any) -> Step[dict[str, Any] | None]:
        """Before the model: sync, decide, summarize, commit. Returns what the agent's state is to hold."""
        place = place_of(runtime)
        if self._size(place) is None:
            return None  # the model shows itself at its first call
        key = Key.of_state(state)
        for last in range(ROUNDS):
            conversation = yield from self._ready(outside, place, messages, key, runtime, fresh=last > 0)
            yield from self._compact(conversation, self._is_due)
            if (yield from self._cycle.save(place, conversation)):
                break
            self._cache.drop(place, conversation)  # another worker was first: begin again from what it wrote
        return _news(conversation, key)

    def after(self, outside: Outside, messages: Sequence[BaseMessage], state: Any, runtime: Any) -> Step[dict[str, Any] | None]:
        """At the end of a turn: compacts while nobody waits, where that was asked for."""
        place = place_of(runtime)
        if self._compact_at != "turn_end" or self._size(place) is None:
            return None
        key = Key.of_state(state)
        conversation = yield from self._ready(outside, place, messages, key, runtime)
        with conversation.lock:
            conversation.guard.boundary("task_completed")
        yield from self._compact(conversation, lambda verdict, _: verdict.compact)
        if not (yield from self._cycle.save(place, conversation)):
            self._cache.drop(place, conversation)
            return None
        return _news(conversation, key)

    def shown(self, outside: Outside, messages: Sequence[BaseMessage], runtime: Any) -> Step[tuple[Conversation, list[AnyMessage]]]:
        """For graphs without our hooks: compacts where it is time and gives the whole request, the pinned block in it."""
        place = place_of(runtime)
        yield from self.before(outside, messages, None, runtime)
        conversation = yield from self._ready(outside, place, messages, None, runtime)
        with conversation.lock:
            window = conversation.guard.window()
            request = whole(conversation, window, messages)
        self.check(conversation, request)
        return conversation, request

    def prepare(self, outside: Outside, request: ModelRequest[Any], state: Any) -> Step[Call]:
        """The request as it goes out, asserted once."""
        if not self._unverified:
            refuse_server_side_history(request.model, request.model_settings)
        place = place_of(request.runtime)
        self._learn(place, request)
        messages, key = request.state["messages"], Key.of_state(state)
        conversation = yield from self._ready(outside, place, messages, key, request.runtime)
        with conversation.lock:
            told = conversation.tell(*self._sent(request))
            full = conversation.guard.should_compact().used >= (self._size(place) or 0)
        if told:
            yield from self._cycle.save(place, conversation)
        if full and not self._summarizing.busy:
            # no need to send what cannot fit: a smaller model was chosen, or the first request of a long thread
            yield from self._compact(conversation, lambda verdict, _: True, "overflow")
            yield from self._cycle.save(place, conversation)
        return self._call(place, conversation, request, key)

    def recover(self, outside: Outside, call: Call, error: Exception) -> Step[Call]:
        """After a provider refused a request for its length: compacts once more, with half the backstop from now on."""
        if self._summarizing.busy:
            raise error
        with call.conversation.lock:
            used = call.conversation.guard.should_compact().used
        self._note(call.place).refused = used
        given = self._given(call.place, call.conversation, call.asked.runtime)
        try:
            conversation = self._cycle.repolicied(call.place, call.conversation, given)
            yield from self._cycle.compact(conversation, "overflow", self._summarizing.extractive)
        except (PlanRefused, CommitRefused, BudgetExceeded, PolicyError) as refused:
            raise error from refused
        self._receive(conversation)
        yield from self._cycle.save(call.place, conversation)
        return self._call(call.place, conversation, call.asked, Key.of_state(call.asked.state.get("_standfast")))

    def answered(self, call: Call, messages: Sequence[BaseMessage]) -> None:
        """Takes the provider's count of what was sent."""
        for message in messages:
            usage = getattr(message, "usage_metadata", None)
            if usage and isinstance(tokens := usage.get("input_tokens"), int) and tokens > 0:
                with call.conversation.lock:
                    call.conversation.guard.usage(tokens)

    def rules_for_tools(self, request: Any) -> tuple[str, ...]:
        """The rules in force, for agents that a tool calls."""
        place = place_of(request.runtime)
        messages = request.state["messages"] if isinstance(request.state, Mapping) else []
        conversation = self._cache.find(place, None, messages)
        if conversation is None:
            return (*inheritance.handed_down(), *self._rules.texts(request.runtime))
        with conversation.lock:
            return tuple(rule.text for rule in conversation.guard.rules)

    def recalled(self, runtime: Any, state: Any) -> list[Recalled]:
        """What the log has of this conversation; rules no longer in force are withheld."""
        messages = runtime.state["messages"]
        conversation = self._cache.find(place_of(runtime), Key.of_state(state), messages)
        if conversation is None or not len(conversation):
            return []
        with conversation.lock:
            last = sum(len(reading.wires) for reading in conversation.readings) - 1
            return conversation.guard.recall(span=(0, last))

    def opened(self, outside: Outside, place: Place, messages: Sequence[BaseMessage], state: Any, runtime: Any) -> Step[Conversation]:
        """A copy of a thread's conversation, for a session."""
        if self._size(place) is None:
            raise _core.error_of("window_unknown", "the window is not known before the model's first call; give `window_tokens`")
        conversation = yield from self._ready(outside, place, messages, Key.of_state(state), runtime, fresh=True)
        return self._cycle.copied(conversation, conversation.given)

    def closed(self, place: Place, conversation: Conversation) -> Step[None]:
        """Writes what a session changed."""
        if not (yield from self._cycle.save(place, conversation)):
            raise _core.error_of("stale_plan", "another worker wrote the state of this thread during the session; open another one")
        self._cache.succeed(place, conversation)

    # Inside.

    def _ready(
        self, outside: Outside, place: Place, messages: Sequence[BaseMessage], key: Key | None, runtime: Any, fresh: bool = False
    ) -> Step[Conversation]:
        """The conversation with everything new taken in."""
        note = self._note(place)
        durable = self._storing.durable(outside.store)
        idle = durable and time.monotonic() - note.used > _IDLE
        fresh, note.begun = fresh or note.begun or idle, False
        given = self._given(place, None, runtime, messages)
        conversation = yield from self._cycle.load(place, messages, key, given, fresh=fresh, durable=durable)
        if conversation.given is not None and conversation.given.policy != given.policy:
            conversation = self._cycle.repolicied(place, conversation, given)
        self._cycle.advance(conversation, messages, given, self._marks)
        conversation.looked()
        sent = note.sent or self._last.sent
        if sent is not None and conversation.untold:
            with conversation.lock:
                conversation.tell(*sent)
        note.used = time.monotonic()
        return conversation

    def _given(self, place: Place, conversation: Conversation | None, runtime: Any, messages: Sequence[BaseMessage] = ()) -> Given:
        multi = conversation.given.multi if conversation is not None else self._multi(place, messages)
        policy = options.policy_of(self._policy, self._size(place) or 0, multi=multi, refused=self._note(place).refused)
        inherited = inheritance.handed_down() if self._inherit else None
        return Given(policy, self._rules.texts(runtime), inherited, multi)

    def _multi(self, place: Place, messages: Sequence[BaseMessage]) -> bool:
        """Whether other agents may speak as users here: inside another graph, or where several sign."""
        if self._hook is not None:
            return False
        note = self._note(place)
        if place.thread is None or note.named > len(messages):
            note.names, note.named = frozenset(), 0
        note.names |= agent_names(messages[note.named :])
        note.named = len(messages)
        return bool(place.agent) or len(note.names) > 1

    def _is_due(self, verdict: Verdict, window: int) -> bool:
        if self._compact_at == "turn_end":
            return verdict.compact and verdict.used >= window * _NEARLY_FULL
        return verdict.compact

    def _compact(self, conversation: Conversation, is_due: Callable[[Verdict, int], bool], asked: Asked | None = None) -> Step[None]:
        with conversation.lock:
            verdict = conversation.guard.should_compact()
        due = is_due(verdict, conversation.given.policy["window_tokens"])
        if not due or self._summarizing.busy or not self._summarizing.ready:
            self._receive(conversation)
            return
        if self._summarizing.extractive:
            self._summarizing.announce()
        try:
            yield from self._cycle.compact(conversation, asked, self._summarizing.extractive)
        except InvariantLost as lost:
            self._lost(conversation, lost)
            raise
        except (PlanRefused, CommitRefused, BudgetExceeded) as refused:
            self._refused(conversation, refused, verdict.used)
        else:
            self._receive(conversation)

    def _refused(self, conversation: Conversation, error: StandfastError, used: int) -> None:
        """No compaction can be made: the uncompacted request goes out while it fits."""
        wanted = self._on_refusal(error) if callable(self._on_refusal) else self._on_refusal
        window = conversation.given.policy["window_tokens"]
        if wanted == "raise" or used >= window:
            raise error
        log.warning("no compaction: %s", error.code)
        receipt = dataclasses.replace(conversation.guard.receipt, reason=f"refused:{error.code}")
        conversation.note(receipt)
        self._report(receipt)

    def _call(self, place: Place, conversation: Conversation, request: ModelRequest[Any], key: Key | None) -> Call:
        state = request.state["messages"]
        with conversation.lock:
            window = conversation.guard.window()
            sent = render(conversation, window, state, request.messages, request.system_message)
        self.check(conversation, [*([sent.system] if sent.system is not None else []), *sent.messages])
        watch = Watch(sent, lambda messages: self.check(conversation, messages))
        out = request.override(messages=sent.messages, system_message=sent.system)
        return Call(place, conversation, request, out, watch, _news(conversation, key))

    def check(self, conversation: Conversation, messages: Sequence[BaseMessage]) -> None:
        """Raises where a rule is missing. What only the tail can show is read where a rule stands there alone."""
        with conversation.lock:
            fresh = any(not rule["pinned"] for rule in conversation.guard._core.rules())
            kinds = (SystemMessage, HumanMessage, ToolMessage) if fresh else (SystemMessage,)
            try:
                conversation.guard.assert_window([outgoing(message) for message in messages if isinstance(message, kinds)])
            except InvariantLost as lost:
                self._lost(conversation, lost)
                raise

    def _lost(self, conversation: Conversation, lost: InvariantLost) -> None:
        log.error("invariant_lost: %s", lost.args[0])
        receipt = conversation.guard.receipt
        conversation.note(receipt)
        self._report(receipt)

    def _receive(self, conversation: Conversation) -> None:
        if self._on_receipt is not None:
            self._report(conversation.guard.receipt)

    def _report(self, receipt: Receipt) -> None:
        if self._on_receipt is not None:
            try:
                self._on_receipt(receipt)
            except Exception:
                log.exception("on_receipt failed")

    def _note(self, place: Place) -> Note:
        with self._lock:
            note = self._notes.setdefault(place, Note())
            self._notes.move_to_end(place)
            while len(self._notes) > _NOTES:
                self._notes.popitem(last=False)
            return note

    def _size(self, place: Place) -> int | None:
        """The window: the smaller of what the host says and what the model's profile says."""
        learned = self._note(place).window or self._last.window
        sizes = [size for size in (self._window, learned) if size is not None]
        return min(sizes, default=None)

    def _learn(self, place: Place, request: ModelRequest[Any]) -> None:
        """Takes in what a request shows of its model and its tools."""
        self._summarizing.model = request.model
        note = self._note(place)
        note.window = self._last.window = window_of(request.model)
        if self._size(place) is None:
            raise _core.error_of("window_unknown", "neither `window_tokens` nor the model's profile gives the size of the window")
        for name, mark in hints(request.tools).items():
            self._marks.setdefault(name, mark)
        note.sent = self._last.sent = self._sent(request)

    def _sent(self, request: ModelRequest[Any]) -> tuple[Any, Any]:
        return system_wire(request.system_message), [self._schema(tool) for tool in request.tools]

    def _schema(self, tool: Any) -> Any:
        known = self._schemas.get(id(tool))
        if known is None or known[0] is not tool:
            if len(self._schemas) >= _NOTES:
                self._schemas.clear()
            known = self._schemas[id(tool)] = (tool, tool if isinstance(tool, dict) else convert_to_openai_tool(tool))
        return known[1]


def _news(conversation: Conversation, key: Key | None) -> dict[str, Any] | None:
    """What the agent's state is to hold, if that is news to it."""
    return conversation.key.to_state() if conversation.key is not None and conversation.key != key else None
