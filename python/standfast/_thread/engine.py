"""What the integrations do around a model call, as steps: take the list in, decide, compact, write, assert."""

from __future__ import annotations

import dataclasses
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from standfast import _core
from standfast._thread import inheritance, options, seams
from standfast._thread.cache import Cache
from standfast._thread.conversation import Conversation
from standfast._thread.cycle import ROUNDS, Asked, Cycle, Given
from standfast._thread.effects import Outside, Step
from standfast._thread.ledger import Key, Place
from standfast._thread.reading import Reader
from standfast._thread.rules import RulesOption, RuleSource
from standfast._thread.storing import Storing
from standfast._thread.summarizing import Summarizing
from standfast.errors import BudgetExceeded, CommitRefused, InvariantLost, PlanRefused, PolicyError, StandfastError
from standfast.records import Recalled, Receipt, Verdict
from standfast.store import AnyStore

log = logging.getLogger("standfast.thread")
STORE_TIMEOUT = 10.0
_NOTES = 1_024
_IDLE = 1.0
"""After so many seconds somebody else may have written the state of a conversation, or changed its messages in place."""
_NEARLY_FULL = 7 / 8


class Run(NamedTuple):
    """One run of an agent."""

    place: Place
    context: Any
    """What a function of `rules=` is given."""
    store: AnyStore


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


class Engine:
    """An integration without its hooks."""

    def __init__(
        self,
        reader: Reader,
        summarizing: Summarizing,
        storing: Storing,
        *,
        rules: RulesOption | None,
        window_tokens: int | None,
        given: options.AgentOptions,
    ) -> None:
        self._policy = options.policy_fields(given.get("policy"))
        self._window = window_tokens if window_tokens is not None else self._policy.get("window_tokens")
        if self._window is not None:
            _core.Guard(options.policy_of(self._policy, self._window, multi=False), reader.shape)  # refuses what cannot be
        self._rules = RuleSource(rules)
        self._reader = reader
        self._summarizing = summarizing
        self._storing = storing
        self._hook = given.get("trust")
        self._marks = seams.checked(given.get("tools"))
        self._compact_at, self._inherit = given.get("compact_at", "call"), given.get("inherit", True)
        self._on_refusal, self._on_receipt = given.get("on_refusal", "continue"), given.get("on_receipt")
        self._cache = Cache()
        self._cycle = Cycle(reader, self._cache, given.get("on_bad_state"))
        self._lock = threading.Lock()
        self._notes: OrderedDict[Place, Note] = OrderedDict()
        self._last: Note = Note()

    @property
    def window(self) -> int | None:
        """The window as the host gave it."""
        return self._window

    # What the hooks ask for.

    def outside(self, run: Run) -> Outside:
        """Where the steps of a run are answered from."""
        return Outside(run.store, self._summarizing, STORE_TIMEOUT)

    def begun(self, run: Run) -> None:
        """A run begins: others may have written since."""
        self._note(run.place).begun = True

    def before(self, messages: Sequence[Any], key: Key | None, run: Run) -> Step[dict[str, Any] | None]:
        """Before the model: sync, decide, summarize, commit. Returns what the agent's state is to hold."""
        if self._size(run.place) is None:
            return None  # the model shows itself at its first call
        for last in range(ROUNDS):
            conversation = yield from self._ready(messages, key, run, fresh=last > 0)
            yield from self._compact(conversation, self._is_due)
            if (yield from self._cycle.save(run.place, conversation)):
                break
            self._cache.drop(run.place, conversation)  # another worker was first: begin again from what it wrote
        return news(conversation, key)

    def after(self, messages: Sequence[Any], key: Key | None, run: Run) -> Step[dict[str, Any] | None]:
        """At the end of a turn: compacts while nobody waits, where that was asked for."""
        if self._compact_at != "turn_end" or self._size(run.place) is None:
            return None
        conversation = yield from self._ready(messages, key, run)
        with conversation.lock:
            conversation.guard.boundary("task_completed")
        yield from self._compact(conversation, lambda verdict, _: verdict.compact)
        if not (yield from self._cycle.save(run.place, conversation)):
            self._cache.drop(run.place, conversation)
            return None
        return news(conversation, key)

    def sending(self, messages: Sequence[Any], key: Key | None, run: Run, beside: tuple[Any, Any]) -> Step[Conversation]:
        """The conversation as a request is made of it; `beside` are the system slot and the tools of the request."""
        self._note(run.place).sent = self._last.sent = beside
        conversation = yield from self._ready(messages, key, run)
        with conversation.lock:
            told = conversation.tell(*beside)
            full = conversation.guard.should_compact().used >= (self._size(run.place) or 0)
        if told:
            yield from self._cycle.save(run.place, conversation)
        if full and not self._summarizing.busy:
            # no need to send what cannot fit: a smaller model was chosen, or the first request of a long thread
            yield from self._compact(conversation, lambda verdict, _: True, "overflow")
            yield from self._cycle.save(run.place, conversation)
        return conversation

    def recovered(self, conversation: Conversation, run: Run, error: Exception) -> Step[Conversation]:
        """After a provider refused a request for its length: compacts once more, with half the backstop from now on."""
        if self._summarizing.busy:
            raise error
        with conversation.lock:
            self._note(run.place).refused = conversation.guard.should_compact().used
        given = self._given(conversation, run)
        try:
            other = self._cycle.repolicied(run.place, conversation, given)
            self._tell(run.place, other)
            yield from self._cycle.compact(other, "overflow", self._summarizing.extractive)
        except (PlanRefused, CommitRefused, BudgetExceeded, PolicyError) as refused:
            raise error from refused
        self._receive(other)
        yield from self._cycle.save(run.place, other)
        return other

    def used(self, conversation: Conversation, tokens: Any) -> None:
        """Takes the provider's count of what was sent."""
        if isinstance(tokens, int) and tokens > 0:
            with conversation.lock:
                conversation.guard.usage(tokens)

    def rules_of(self, messages: Sequence[Any], run: Run) -> tuple[str, ...]:
        """The rules in force, for agents that a tool calls."""
        conversation = self._cache.find(run.place, None, messages, whole=False)
        if conversation is None:
            return (*inheritance.handed_down(), *self._rules.texts(run.context))
        with conversation.lock:
            return tuple(rule.text for rule in conversation.guard.rules)

    def log_of(self, messages: Sequence[Any], key: Key | None, run: Run) -> list[Recalled]:
        """What the log has of this conversation; rules no longer in force are withheld."""
        conversation = self._cache.find(run.place, key, messages, whole=False)
        if conversation is None or not len(conversation):
            return []
        with conversation.lock:
            last = sum(len(reading.wires) for reading in conversation.readings) - 1
            return conversation.guard.recall(span=(0, last))

    def opened(self, messages: Sequence[Any], key: Key | None, run: Run) -> Step[Conversation]:
        """A copy of a thread's conversation, for a session."""
        if self._size(run.place) is None:
            raise _core.error_of("window_unknown", "the window is not known before the model's first call; give `window_tokens`")
        conversation = yield from self._ready(messages, key, run, fresh=True)
        return self._cycle.copied(conversation, conversation.given)

    def closed(self, place: Place, conversation: Conversation) -> Step[None]:
        """Writes what a session changed."""
        if not (yield from self._cycle.save(place, conversation)):
            raise _core.error_of("stale_plan", "another worker wrote the state of this thread during the session; open another one")
        self._cache.succeed(place, conversation)

    def asserted(self, conversation: Conversation, wires: Sequence[Any], system: Any = None) -> None:
        """Raises where a rule is missing from a request."""
        try:
            with conversation.lock:
                conversation.guard.assert_window(wires, system=system)
        except InvariantLost as lost:
            self._lost(conversation, lost)
            raise

    # Inside.

    def _ready(self, messages: Sequence[Any], key: Key | None, run: Run, fresh: bool = False) -> Step[Conversation]:
        """The conversation with everything new taken in."""
        note = self._note(run.place)
        durable = self._storing.durable(run.store)
        idle = time.monotonic() - note.used > _IDLE
        whole = fresh or note.begun or idle
        fresh, note.begun = fresh or note.begun or (durable and idle), False
        given = self._given(None, run, messages)
        conversation = yield from self._cycle.load(run.place, messages, key, given, fresh=fresh, whole=whole, durable=durable)
        if conversation.given is not None and conversation.given.policy != given.policy:
            conversation = self._cycle.repolicied(run.place, conversation, given)
        self._cycle.advance(conversation, messages, given, self._marks)
        conversation.looked()
        self._tell(run.place, conversation)
        note.used = time.monotonic()
        return conversation

    def _tell(self, place: Place, conversation: Conversation) -> None:
        """Tells a guard that was just made what is sent beside the messages, as far as that is known."""
        sent = self._note(place).sent or self._last.sent
        if sent is not None and conversation.untold:
            with conversation.lock:
                conversation.tell(*sent)

    def _given(self, conversation: Conversation | None, run: Run, messages: Sequence[Any] = ()) -> Given:
        multi = conversation.given.multi if conversation is not None else self._multi(run.place, messages)
        policy = options.policy_of(self._policy, self._size(run.place) or 0, multi=multi, refused=self._note(run.place).refused)
        inherited = inheritance.handed_down() if self._inherit else None
        return Given(policy, self._rules.texts(run.context), inherited, multi)

    def _multi(self, place: Place, messages: Sequence[Any]) -> bool:
        """Whether other agents may speak as users here: inside another agent, or where several sign."""
        if self._hook is not None:
            return False
        note = self._note(place)
        if place.thread is None or note.named > len(messages):
            note.names, note.named = frozenset(), 0
        note.names |= self._reader.names(messages[note.named :])
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

    def _sized(self, place: Place, window: int | None) -> None:
        """Takes in what a model says of its window."""
        self._note(place).window = self._last.window = window
        if self._size(place) is None:
            raise _core.error_of("window_unknown", "neither `window_tokens` nor the model's profile gives the size of the window")


def news(conversation: Conversation, key: Key | None) -> dict[str, Any] | None:
    """What the agent's state is to hold, if that is news to it."""
    return conversation.key.to_state() if conversation.key is not None and conversation.key != key else None
