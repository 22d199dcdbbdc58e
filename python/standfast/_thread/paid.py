"""Summaries that are paid for once, whoever asks first: two workers on one history, a fork, a process that died.

What stands in the store under the digest of a request is its summary. Who is about to pay claims the request first; the others
wait for the summary, and take over when the claim is given up or too old.
"""

from __future__ import annotations

import hashlib
import json
import time
import uuid
from collections.abc import Mapping, Sequence

from standfast import paging
from standfast._thread.effects import Ask, Get, PutNew, Step, Wait
from standfast._thread.reading import to_json
from standfast.records import Request
from standfast.summarize import Summary

_CLAIMS = 16
"""How often a claim may be given up before everybody pays for themselves."""
_PAUSE = 0.05


def answers(requests: Sequence[Request], asked: set[str], lease: float) -> Step[dict[str, Summary | None]]:
    """An answer to each request: the store's, another worker's, or the summarizer's. `asked` are those refused before."""
    paid = paging.Paid(asked, requests)
    found = paid.found((yield Get(paid.digests)) or {}) if paid.digests else {}
    again = {request.id for request in requests if request.id not in paid.open}
    mine: dict[str, Request] = {}
    theirs: dict[str, Request] = {}
    claims: dict[str, str] = {}
    for request in requests:
        if request.id in found:
            continue
        claim = None if request.id in again else (yield from _claim(paid.open[request.id], lease))
        if claim is None and request.id not in again:
            theirs[request.id] = request
        else:
            mine[request.id] = request
            claims[request.id] = claim or ""
    made = yield from _ask(list(mine.values()), paid, claims)
    waited = yield from _wait(theirs, paid, asked, lease) if theirs else _nothing()
    paid.answered()
    return {**found, **made, **waited}


def _nothing() -> Step[dict[str, Summary | None]]:
    return {}
    yield  # a step without an effect


def _ask(requests: Sequence[Request], paid: paging.Paid, claims: Mapping[str, str]) -> Step[dict[str, Summary | None]]:
    if not requests:
        return {}
    keep = {request.id: paid.open[request.id] for request in requests if request.id in paid.open}
    made: dict[str, Summary | None] = {}
    try:
        made = yield Ask(requests, keep)
    except GeneratorExit:
        raise
    except BaseException:
        yield from _give_up(list(claims.values()))
        raise
    yield from _give_up([claims.get(id, "") for id, answer in made.items() if answer is None])
    return made


def _give_up(claims: Sequence[str]) -> Step[None]:
    for claim in filter(None, claims):
        yield PutNew(_released(claim), "released")


def _claim(key: str, lease: float) -> Step[str | None]:
    """Claims a request. None where another worker has it; an empty claim where nobody can tell."""
    text = to_json({"at": time.time(), "by": uuid.uuid4().hex})
    for number in range(_CLAIMS):
        claim = _claim_key(key, number)
        standing = yield PutNew(claim, text)
        if standing is None:
            return ""
        if standing == text:
            return claim
        if _old(standing, lease):
            continue
        released = yield Get([_released(claim)])
        if not released:
            return None
    return ""


def _wait(theirs: Mapping[str, Request], paid: paging.Paid, asked: set[str], lease: float) -> Step[dict[str, Summary | None]]:
    """Waits for what others pay for; what they gave up is claimed anew."""
    open = dict(theirs)
    got: dict[str, Summary | None] = {}
    deadline, pause = time.monotonic() + lease, _PAUSE
    while open:
        yield Wait(pause)
        pause = min(pause * 1.5, 1.0)
        texts = yield Get([paid.open[id] for id in open])
        came = {id: answer for id, answer in paid.found(texts or {}).items() if id in open}
        got.update(came)
        for id in came:
            del open[id]
        late = texts is None or time.monotonic() > deadline
        claims = {}
        for id in open:
            claim = "" if late else (yield from _claim(paid.open[id], lease))
            if claim is not None:
                claims[id] = claim
        if claims:
            made = yield from _ask([open.pop(id) for id in claims], paid, claims)
            got.update(made)
    return got


def _old(claim: str, lease: float) -> bool:
    try:
        at = json.loads(claim)["at"]
        return not isinstance(at, int | float) or time.time() - at > lease
    except (KeyError, TypeError, ValueError, RecursionError):
        return True


def _claim_key(key: str, number: int) -> str:
    return hashlib.sha256(f"standfast.claim\0{key}\0{number}".encode()).hexdigest()


def _released(claim: str) -> str:
    return hashlib.sha256(f"standfast.released\0{claim}".encode()).hexdigest()
