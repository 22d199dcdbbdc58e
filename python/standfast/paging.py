"""What a guard does with its store by itself: originals that a plan lacks, summaries that were paid for once.

A summary is kept under the digest of its request as soon as it is there, before anything is changed. A process that dies
before its snapshot is written, a fork, another worker on the same history: all find it, and nobody pays for it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from standfast import _core, store, summarize
from standfast.errors import PlanRefused, SnapshotError
from standfast.records import Plan, Request
from standfast.store import AnyStore, LogStore
from standfast.summarize import AsyncSummarizer, OnError, Summarizer, Summary

if TYPE_CHECKING:
    from standfast import wire
    from standfast.guard import Asked, Guard


class Attempt:
    """A plan, or why there is none, and the originals it lacks: their digests by seq."""

    def __init__(self, guard: Guard, asked: Asked | None) -> None:
        self._plan: Plan | None = None
        self._refused: PlanRefused | None = None
        try:
            self._plan = guard.plan(asked)
            lacking = [(need.seq, need.digest) for need in self._plan.needs]
        except PlanRefused as refused:
            if refused.code != "originals_unavailable":
                raise
            self._refused = refused
            lacking = [(need["seq"], need["digest"]) for need in refused.details["needs"]]
        self.needs = {seq: digest for seq, digest in lacking if digest is not None}

    def settled(self) -> Plan:
        """The plan as it is: what it lacks waits. Or the refusal."""
        if self._plan is None:
            assert self._refused is not None
            raise self._refused
        return self._plan


def plan(guard: Guard, given: AnyStore | None, asked: Asked | None) -> Plan:
    """A plan, made anew where the store has the originals that the first one lacks."""
    attempt = Attempt(guard, asked)
    if given is None or not attempt.needs:
        return attempt.settled()
    texts = store.blocking(given).get_many(list(attempt.needs.values()))
    return guard.plan(asked) if _paged_in(guard, attempt.needs, texts) else attempt.settled()


async def aplan(guard: Guard, given: AnyStore | None, attempt: Attempt, asked: Asked | None) -> Plan:
    """Like `plan`, from its first attempt on."""
    if given is None or not attempt.needs:
        return attempt.settled()
    texts = await store.get_many(given, list(attempt.needs.values()))
    return guard.plan(asked) if _paged_in(guard, attempt.needs, texts) else attempt.settled()


def _paged_in(guard: Guard, needs: Mapping[int, str], texts: Mapping[str, str]) -> bool:
    """Whether the store gave something that was lacking. What is not the text that was put there counts as not there."""
    messages = {seq: _original(texts.get(digest), digest) for seq, digest in needs.items()}
    return bool(guard.page_in({seq: message for seq, message in messages.items() if message is not None}))


def _original(text: str | None, digest: str) -> Any:
    try:
        message = None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None
    return message if message is not None and _core.stored_message(message)[0] == digest else None


def originals(away: Mapping[int, str], texts: Mapping[str, str]) -> dict[int, Any]:
    """The messages of a store's texts, by seq. All have to be there."""
    if expired := [seq for seq, digest in away.items() if digest not in texts]:
        raise _core.error_of("log_expired", f"the store no longer has {len(expired)} events, the first is {expired[0]}")
    return {seq: json.loads(texts[digest]) for seq, digest in away.items()}


class Paid:
    """The summaries of a plan's requests that a store has, and the place for new ones."""

    def __init__(self, asked: set[str], requests: Iterable[Request]) -> None:
        # a request that repeats another one is there to be answered anew
        keys = {request.id: _key(request) for request in requests if request.repeats is None}
        self._keys = keys
        # by request, what to look up: one that was looked up before was not taken then, or it would not be asked for again
        self.open = {id: key for id, key in keys.items() if key not in asked}
        self._asked = asked

    def answered(self) -> None:
        """All answers are there, and will be tried. Where a call of the store failed before that, they are looked up again."""
        self._asked.update(self._keys.values())

    @property
    def digests(self) -> list[str]:
        """What to ask the store for."""
        return list(self.open.values())

    def found(self, texts: Mapping[str, str]) -> dict[str, Summary | None]:
        """The answers among the store's texts, by request."""
        read = {id: _answer(texts.get(key)) for id, key in self.open.items()}
        return {id: answer for id, answer in read.items() if answer is not None}

    def stored(self, request: Request, answer: Summary) -> dict[str, str]:
        """The texts to put for a new answer."""
        key = self._keys.get(request.id)
        if key is None:
            return {}
        fields = {"text": answer} if isinstance(answer, str) else {name: answer.get(name) for name in ("text", "finish_reason")}
        return {key: json.dumps({"finish_reason": None, **fields})}


def answers(
    given: AnyStore | None, asked: set[str], requests: Iterable[Request], summarizer: Summarizer, on_error: OnError
) -> dict[str, Summary | None]:
    """The answers to a plan: the store's where it has them, else the summarizer's, each stored as soon as it is there."""
    if not isinstance(given, LogStore):  # an asynchronous one cannot be asked here: it only costs a call
        return summarize.run(requests, summarizer, on_error)
    known, paid = given, Paid(asked, requests)
    found = paid.found(known.get_many(paid.digests)) if paid.digests else {}
    rest = [request for request in requests if request.id not in found]
    made = summarize.run(rest, summarizer, on_error, lambda request, answer: known.put_many(paid.stored(request, answer)))
    paid.answered()
    return {**found, **made}


async def aanswers(
    given: AnyStore | None,
    asked: set[str],
    requests: Iterable[Request],
    summarizer: AsyncSummarizer,
    on_error: OnError,
    max_concurrency: int,
) -> dict[str, Summary | None]:
    """Like `answers`, with the requests at once."""
    if given is None:
        return await summarize.arun(requests, summarizer, on_error, max_concurrency)
    known, paid = given, Paid(asked, requests)
    found = paid.found(await store.get_many(known, paid.digests)) if paid.digests else {}
    rest = [request for request in requests if request.id not in found]

    async def keep(request: Request, answer: Summary) -> None:
        await store.put_many(known, paid.stored(request, answer))

    made = await summarize.arun(rest, summarizer, on_error, max_concurrency, keep)
    paid.answered()
    return {**found, **made}


def away(recalled: Iterable[wire.Recalled]) -> dict[int, str]:
    """The digests of recalled events that were paged out, by seq."""
    return {event["seq"]: event["digest"] for event in recalled if event["presence"] == "paged_out"}


def _key(request: Request) -> str:
    return _core.stored_message({"request": request.prompt})[0]


def _answer(text: str | None) -> Summary | None:
    try:
        read = None if text is None else json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(read, dict) or not isinstance(read.get("text"), str):
        return None
    return {"text": read["text"], "finish_reason": read.get("finish_reason")}


def _needed(text: str, given: AnyStore | None) -> list[str]:
    """Digests to fetch. A text that cannot be read needs none: restoring it says what is wrong."""
    try:
        return _core.Guard.texts_needed(text) if given is not None else []
    except SnapshotError:
        return []


def snapshot_texts(text: str, given: AnyStore | None) -> Mapping[str, str]:
    """What a store has of a snapshot."""
    needed = _needed(text, given)
    return store.blocking(given).get_many(needed) if given is not None and needed else {}


async def asnapshot_texts(text: str, given: AnyStore) -> Mapping[str, str]:
    """Like `snapshot_texts`."""
    needed = _needed(text, given)
    return await store.get_many(given, needed) if needed else {}
