"""The guard: the engine of one run, and the host's own message objects beside it.

Feed it every message (`observe`, or `sync`), ask `should_compact`, then `compact`. Only the pinned block and the memory message are ours.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from standfast import _core, paging, store, summarize
from standfast.mirror import Mirror, listed
from standfast.policy import Policy, fields_of
from standfast.record import Span
from standfast.records import (
    Change,
    Evidence,
    Finding,
    Held,
    Observed,
    Plan,
    Recalled,
    Receipt,
    RestoreVerdict,
    Review,
    Rule,
    RulesDiff,
    Segment,
    Synced,
    Verdict,
    Window,
)
from standfast.store import AnyStore
from standfast.summarize import AsyncSummarizer, OnError, Summarizer, Summary
from standfast.task import TaskState
from standfast.wire import Shape, Trust

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from standfast import wire

Asked = Literal["requested", "overflow"]


class Guard:
    """Keeps the rules of one run alive through compaction. Safe to use from several threads.

    Its lock is held while the engine works, never while a store or a summarizer is asked.
    """

    def __init__(
        self,
        policy: Policy | Mapping[str, Any] | None = None,
        *,
        shape: Shape | None = None,
        store: AnyStore | None = None,
        **policy_fields: Unpack[wire.Policy],
    ) -> None:
        self._setup(_core.Guard({**fields_of(policy), **policy_fields}, shape), store)

    def _setup(self, core: _core.Guard, store: AnyStore | None) -> None:
        self._core = core
        self._store = store
        self._lock = threading.RLock()
        self._objects: dict[int, Any] = {}
        self._mirror = Mirror()
        self._stored: set[int] = set()
        self._asked: set[str] = set()
        self._forgotten: set[int] = set()
        self._restored: RestoreVerdict | None = None

    # Rules. A handle is a rule's fingerprint, its full digest, or the handle of a review.
    def declare(self, text: str, source: str = "policy_loader", *, scope: str | None = None, principal: str | None = None) -> Rule:
        """Declares a rule in the name of the host. It is in force at once."""
        return Rule.of(self._core.declare(text, source, scope, principal))

    def set_rules(self, source: str, rules: Sequence[str]) -> RulesDiff:
        """The whole truth of one source: new texts are declared, missing ones revoked."""
        return RulesDiff.of(self._core.set_rules(source, listed(rules, "rules")))

    def supersede(self, fp: str, text: str, *, by: str, source: str = "policy_loader") -> Rule:
        """Replaces a rule; a tombstone of the old one stays."""
        return Rule.of(self._core.supersede(fp, text, by, source))

    def revoke(self, fp: str, *, by: str, source: str = "policy_loader") -> Rule:
        """Takes a rule back; a tombstone stays."""
        return Rule.of(self._core.revoke(fp, by, source))

    def approve(self, fp: str, *, by: str, source: str = "policy_loader") -> Rule:
        """Declares what was held, lifts a tombstone, or confirms or makes a change. A review's handle binds what was read."""
        return Rule.of(self._core.approve(fp, by, source))

    def reject(self, fp: str, *, by: str, source: str = "policy_loader") -> Rule:
        """Turns a held text or a promoted rule down for good; a user's change is undone."""
        return Rule.of(self._core.reject(fp, by, source))

    @property
    def rules(self) -> list[Rule]:
        """The rules in force, in the order of the block."""
        return [Rule.of(rule) for rule in self._core.rules()]

    @property
    def all_rules(self) -> list[Rule]:
        """All rules, those no longer in force included."""
        return [Rule.of(rule) for rule in self._core.all_rules()]

    @property
    def held(self) -> list[Held]:
        """Rule-shaped external texts without authority: the newest 256."""
        return [Held.of(held) for held in self._core.held()]

    @property
    def review_queue(self) -> list[Review]:
        """What waits for a person's decision."""
        return [Review.of(review) for review in self._core.review_queue()]

    @property
    def changes(self) -> list[Change]:
        """The audit trail of the rules."""
        return [Change.of(change) for change in self._core.changes()]

    # Events.

    def observe(self, message: Any, *, source: str | None = None, trust: Trust | None = None, principal: str | None = None) -> Observed:
        """Takes in one message of the host. The object itself is kept and stands in later windows."""
        with self._lock:
            observed = Observed.of(self._core.observe(message, source, trust, principal))
            self._objects[observed.seq] = message
        return observed

    def observe_all(
        self, messages: Iterable[Any], *, source: str | None = None, trust: Trust | None = None, principal: str | None = None
    ) -> list[Observed]:
        """Takes in several messages in order."""
        return [self.observe(message, source=source, trust=trust, principal=principal) for message in messages]

    def sync(
        self, messages: Sequence[Any], *, source: str | None = None, trust: Trust | None = None, principal: str | None = None
    ) -> Synced:
        """Takes the host's whole list at every call: what is new is observed, what was edited or cut becomes a branch."""
        with self._lock:
            given = listed(messages, "messages")
            unchanged = self._mirror.unchanged(given)
            synced = self._grown(unchanged, given[unchanged:], source, trust, principal)
            self._objects.update(zip(self._mirror.seqs, given[:unchanged], strict=False))  # equal, and perhaps built anew
            for seq in self._forgotten:  # the host's list may still have it; this object must not
                self._objects.pop(seq, None)
        return synced

    # Task state.

    def record_decision(
        self, what: str, why: str, polarity: Literal["accepted", "rejected", "deferred"] = "accepted", *, source: str | None = None
    ) -> None:
        """Records a decision with its reason."""
        self._core.record_decision(what, why, polarity, source)

    def set_goal(self, text: str, *, source: str | None = None) -> None:
        """Replaces the goal."""
        self._core.set_goal(text, source)

    def set_plan(self, steps: Sequence[str], *, source: str | None = None) -> None:
        """Replaces the steps of the plan."""
        self._core.set_plan(listed(steps, "steps"), source)

    def open_question(self, text: str, *, source: str | None = None) -> str:
        """Records an open question and returns its id."""
        return self._core.open_question(text, source)

    def close_question(self, which: str, *, source: str | None = None) -> bool:
        """Closes a question by id or text. Tells whether it was open."""
        return self._core.close_question(which, source)

    @property
    def task(self) -> TaskState:
        """Goal, plan, decisions and open questions."""
        return TaskState.of(self._core.task())

    # When.

    def boundary(self, name: str) -> None:
        """Says that the run stands at a seam, such as "task_completed"."""
        self._core.boundary(getattr(name, "value", name))

    def usage(self, tokens: int) -> None:
        """The size of the last request as the provider counted it."""
        self._core.usage(tokens)

    def overhead(self, *, system: str | list[Any] | None = None, tools: Any = None) -> int:
        """What is sent beside the messages: the host's system slot and tool schemas. Returns their tokens.

        For shapes with a system slot, `system` then stands at the head of `window.system`, before the pinned block.
        """
        return self._core.overhead(system, tools)

    def should_compact(self) -> Verdict:
        """Whether to compact now. True in an `if` where it is."""
        return Verdict.of(self._core.should_compact())

    # The cycle.

    def window(self) -> Window:
        """The window now, without compacting."""
        with self._lock:
            return self._window(self._core.window())

    def plan(self, asked: Asked | None = None) -> Plan:
        """What a compaction would do. Summarize its requests and give the answers to `commit`."""
        return Plan.of_native(self._core.plan(asked))

    def commit(self, plan: Plan, summaries: Mapping[str, Summary | None]) -> Window:
        """Takes the answers to a plan; None stands for a call that failed. On an error nothing has changed."""
        if not isinstance(plan, Plan):
            raise _core.error_of("invalid_argument", f"`plan` is of type `{type(plan).__name__}`, not Plan")
        with self._lock:
            return self._window(self._core.commit(plan.native, summaries))

    def compact(self, summarizer: Summarizer | None = None, *, on_error: OnError = "fallback", asked: Asked | None = None) -> Window:
        """Plan, summarize, commit. Without a summarizer the built-in extractive one is used.

        With a store, originals that the plan lacks are fetched from it, and no summary is paid for twice.
        """
        summarize.checked(summarizer, on_error)
        plan = paging.plan(self, self._store, asked)
        if summarizer is None:
            return self._commit_extractive(plan)
        return self.commit(plan, paging.answers(self._store, self._asked, plan.requests, summarizer, on_error))

    def maybe_compact(self, summarizer: Summarizer | None = None, *, on_error: OnError = "fallback") -> Window | None:
        """Compacts where it is time to, else returns None."""
        summarize.checked(summarizer, on_error)
        return self.compact(summarizer, on_error=on_error) if self.should_compact() else None

    async def acompact(
        self,
        summarizer: AsyncSummarizer | None = None,
        *,
        on_error: OnError = "fallback",
        asked: Asked | None = None,
        max_concurrency: int = 8,
    ) -> Window:
        """Like `compact`, with the requests at once. A blocking summarizer runs in threads. Cancelled, it changes nothing."""
        import asyncio  # a third of what `import standfast` would take

        summarize.checked(summarizer, on_error)
        attempt = await asyncio.to_thread(paging.Attempt, self, asked)
        plan = await paging.aplan(self, self._store, attempt, asked)
        if summarizer is None:
            return self._commit_extractive(plan)
        answers = await paging.aanswers(self._store, self._asked, plan.requests, summarizer, on_error, max_concurrency)
        # Here and not in a thread: whoever cancels finds either nothing done or all of it.
        return self.commit(plan, answers)

    async def amaybe_compact(
        self, summarizer: AsyncSummarizer | None = None, *, on_error: OnError = "fallback", max_concurrency: int = 8
    ) -> Window | None:
        """Like `maybe_compact`."""
        summarize.checked(summarizer, on_error)
        if not self.should_compact():
            return None
        return await self.acompact(summarizer, on_error=on_error, max_concurrency=max_concurrency)

    def assert_window(self, messages: Sequence[Any], *, system: Any = None) -> list[Finding]:
        """Raises `InvariantLost` where a rule is missing from an outgoing request. Call it last, on what is really sent."""
        return [Finding.of(finding) for finding in self._core.assert_window(listed(messages, "messages"), system)]

    @property
    def receipt(self) -> Receipt:
        """The record of the last decision."""
        return Receipt.of(self._core.receipt())

    @property
    def evidence(self) -> list[Evidence]:
        """What the checks of the last commit found, each with its sentence. In memory only: never in receipts or snapshots."""
        return [Evidence.of(evidence) for evidence in self._core.evidence()]

    @property
    def segments(self) -> list[Segment]:
        """The summaries that stand for events."""
        return [Segment.of(segment) for segment in self._core.segments()]

    @property
    def degraded(self) -> list[Span]:
        """Spans known only through a summary whose originals are gone."""
        return self._core.degraded()

    # Originals.

    def recall(self, query: str | None = None, span: Span | None = None, k: int = 10) -> list[Recalled]:
        """The `k` events that fit `query` best, all of `span` (first and last seq), or the best of it; fetched where paged out."""
        recalled = self._recalled(query, span, k)
        if self._store is not None and (away := paging.away(recalled)):
            self.page_in(paging.originals(away, store.blocking(self._store).get_many(list(away.values()))))
            recalled = self._recalled(query, span, k)
        return [Recalled.of(event) for event in recalled]

    async def arecall(self, query: str | None = None, span: Span | None = None, k: int = 10) -> list[Recalled]:
        """Like `recall`, with an asynchronous store."""
        recalled = self._recalled(query, span, k)
        if self._store is not None and (away := paging.away(recalled)):
            self.page_in(paging.originals(away, await store.get_many(self._store, list(away.values()))))
            recalled = self._recalled(query, span, k)
        return [Recalled.of(event) for event in recalled]

    def page_out(self, before_seq: int) -> list[int]:
        """Drops texts of folded events before `before_seq`, into the store where there is one. Returns the seqs."""
        with self._lock:
            going = self._going(before_seq)
        if self._store is not None:
            store.blocking(self._store).put_many(dict(going.values()))
        with self._lock:
            return self._gone(before_seq, going)

    async def apage_out(self, before_seq: int) -> list[int]:
        """Like `page_out`, with an asynchronous store."""
        with self._lock:
            going = self._going(before_seq)
        if self._store is not None:
            await store.put_many(self._store, dict(going.values()))
        with self._lock:
            return self._gone(before_seq, going)

    def page_in(self, messages: Mapping[int, Any]) -> list[int]:
        """Brings originals back, each the very message that was observed at its seq."""
        with self._lock:
            came = self._core.page_in(messages)
            self._objects.update((seq, messages[seq]) for seq in came)
        return came

    def forget(self, seqs: Iterable[int]) -> list[int]:
        """Purges texts for good: here, in the segments made of them, and in what this object keeps. Not in your store."""
        with self._lock:
            gone = self._core.forget(list(seqs))
            for seq in gone:
                self._objects.pop(seq, None)
                self._stored.discard(seq)
            self._forgotten.update(gone)
            self._mirror.cut(set(gone))
        return gone

    # Life.

    def fork(self, scope: str | None = None) -> Self:
        """A guard for a sub-agent: all rules in force, none that it could change."""
        fork = type(self).__new__(type(self))
        fork._setup(self._core.fork(scope), self._store)
        return fork

    def snapshot(self, key: str | None = None) -> str:
        """The state as text. `key` seals it; without one it is protected against accident only."""
        text, texts = self._core.snapshot(key, self._store is not None)
        if texts and self._store is not None:
            store.blocking(self._store).put_many(texts)
        return text

    async def asnapshot(self, key: str | None = None) -> str:
        """Like `snapshot`, with an asynchronous store."""
        text, texts = self._core.snapshot(key, self._store is not None)
        if texts and self._store is not None:
            await store.put_many(self._store, texts)
        return text

    @classmethod
    def restore(
        cls,
        text: str,
        *,
        messages: Sequence[Any] | None = None,
        store: AnyStore | None = None,
        rules: Mapping[str, Sequence[str]] | None = None,
        key: str | None = None,
        min_generation: int | None = None,
        on_bad_state: Literal["raise", "rebuild"] = "raise",
        policy: Policy | Mapping[str, Any] | None = None,
    ) -> Self:
        """A guard from a snapshot. Give `messages`, the host's present list, so that it can render a window at once."""
        texts = paging.snapshot_texts(text, store)
        return cls._restore(text, messages, store, texts, rules, key, min_generation, on_bad_state, policy)

    @classmethod
    async def arestore(
        cls,
        text: str,
        *,
        messages: Sequence[Any] | None = None,
        store: AnyStore,
        rules: Mapping[str, Sequence[str]] | None = None,
        key: str | None = None,
        min_generation: int | None = None,
        on_bad_state: Literal["raise", "rebuild"] = "raise",
        policy: Policy | Mapping[str, Any] | None = None,
    ) -> Self:
        """Like `restore`, with an asynchronous store."""
        texts = await paging.asnapshot_texts(text, store)
        return cls._restore(text, messages, store, texts, rules, key, min_generation, on_bad_state, policy)

    @classmethod
    def _restore(
        cls,
        text: str,
        messages: Sequence[Any] | None,
        store: AnyStore | None,
        texts: Mapping[str, str],
        rules: Mapping[str, Sequence[str]] | None,
        key: str | None,
        min_generation: int | None,
        on_bad_state: str,
        policy: Policy | Mapping[str, Any] | None,
    ) -> Self:
        given = None if messages is None else listed(messages, "messages")
        fields = None if policy is None else fields_of(policy)
        core, verdict = _core.Guard.restore(text, given, texts, key, rules, fields, min_generation, on_bad_state)
        guard = cls.__new__(cls)
        guard._setup(core, store)
        guard._restored = RestoreVerdict.of(verdict)
        guard._objects.update(zip(guard._restored.seqs, given or (), strict=False))
        return guard

    @property
    def restored(self) -> RestoreVerdict | None:
        """How this guard stood to its messages when it was restored; None for one that was not."""
        return self._restored

    @property
    def policy(self) -> Policy:
        """The policy with the budgets that followed from the window."""
        return Policy(**self._core.policy())

    @property
    def shape(self) -> Shape | None:
        """The messages' shape; None until it is known."""
        return self._core.shape()

    def close(self) -> None:
        """Ends the guard's life and lets go of all texts."""
        with self._lock:
            self._core.close()
            self._objects.clear()
            self._stored.clear()
            self._mirror = Mirror()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}(messages={len(self._objects)}, mirrored={len(self._mirror)})"

    # Inside.

    def _grown(
        self, unchanged: int, rest: list[Any], source: str | None = None, trust: Trust | None = None, principal: str | None = None
    ) -> Synced:
        """`sync` where the caller knows how many messages at the beginning are as they were."""
        with self._lock:
            synced = Synced.of(self._core.sync(unchanged, rest, source, trust, principal))
            self._mirror.replace(unchanged, rest, list(synced.seqs))
            self._objects.update(zip(self._mirror.seqs[unchanged:], rest, strict=False))
            self._forgotten.difference_update(observed.seq for observed in synced.observed)
        return synced

    def _recalled(self, query: str | None, span: Span | None, k: int) -> list[wire.Recalled]:
        if query is None and span is None:
            raise _core.error_of("invalid_argument", "give `query`, or `span`, the first and the last seq")
        if span is not None and (not isinstance(span, list | tuple) or len(span) != 2):
            raise _core.error_of("invalid_argument", "`span` is a pair of seqs")
        if query is None and span is not None:
            return self._core.recall(span[0], span[1])
        return self._core.search(query, None if span is None else (span[0], span[1]), k)  # type: ignore[arg-type]

    def _going(self, before_seq: int) -> dict[int, tuple[str, str]]:
        objects = ((seq, message) for seq, message in self._objects.items() if seq < before_seq and seq not in self._stored)
        return {seq: _core.stored_message(message) for seq, message in objects} if self._store is not None else {}

    def _gone(self, before_seq: int, going: Iterable[int]) -> list[int]:
        gone = self._core.page_out(before_seq)
        for seq in gone:
            self._objects.pop(seq, None)
        self._stored.update(going)
        return gone

    def _commit_extractive(self, plan: Plan) -> Window:
        with self._lock:
            return self._window(self._core.commit_extractive(plan.native))

    def _window(self, wire: wire.Window) -> Window:
        missing = [slot["host"] for slot in wire["slots"] if "host" in slot and slot["host"] not in self._objects]
        if missing:
            raise _core.error_of("tail_not_attached", f"{len(missing)} messages of the window are not with this guard")
        messages = [self._objects[slot["host"]] if "host" in slot else slot["own"] for slot in wire["slots"]]
        return Window(messages, wire["system"], wire["pinned"], Receipt.of(wire["receipt"]))
