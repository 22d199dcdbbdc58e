"""What a run comes back from: originals that were paged out, a process that dies, a list that is not as it was."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from conversations import ALLERGY, REFUND, WINDOW, Message, conversation

import standfast as sf

NOTICE = "are known only through a lossy summary"


class SlowStore:
    """A store with asynchronous methods only."""

    def __init__(self) -> None:
        self.memory = sf.MemoryStore()

    async def aget_many(self, digests: Sequence[str], /) -> Mapping[str, str]:
        await asyncio.sleep(0)
        return self.memory.get_many(digests)

    async def aput_many(self, texts: Mapping[str, str], /) -> None:
        await asyncio.sleep(0)
        self.memory.put_many(texts)


class Counting:
    """A summarizer that counts what is paid for."""

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def __call__(self, request: sf.Request) -> str:
        self.prompts.append(request.prompt)
        return f"Looked at the batches of events {request.span[0]} to {request.span[1]}; nothing to refund."


def compacted(store: Any, **policy: Any) -> tuple[sf.Guard, list[Message]]:
    """A guard with folded events and a rule that the user said in one of them."""
    messages = [{"role": "user", "content": "Never ship before the audit is signed."}, {"role": "assistant", "content": "Understood."}]
    messages += conversation(60)
    guard = sf.Guard(window_tokens=WINDOW, store=store, **policy)
    guard.declare(REFUND)
    guard.sync(messages)
    guard.compact(lambda request: "Looked at the batches.")
    return guard, messages


def revoke_folded(guard: sf.Guard) -> None:
    """The segment that stands for the user's rule has to be made anew."""
    rule = next(rule for rule in guard.rules if "audit" in rule.text)
    guard.revoke(rule.fingerprint, by="ann")


def shown(window: sf.Window) -> str:
    return json.dumps(window.messages, ensure_ascii=False)


def test_compact_fetches_what_it_needs_from_the_store() -> None:
    guard, messages = compacted(sf.MemoryStore())
    gone = guard.page_out(len(messages))
    revoke_folded(guard)
    needs = guard.plan().needs
    assert needs
    assert {need.seq for need in needs} <= set(gone)
    assert [need.digest for need in needs] == [guard._core.recall(need.seq, need.seq)[0]["digest"] for need in needs]
    window = guard.compact(Counting())
    assert window.receipt.segments.remade >= 1
    assert not guard.degraded
    assert NOTICE not in shown(window)


def test_acompact_fetches_what_it_needs_from_the_store() -> None:
    guard, messages = compacted(SlowStore())
    revoke_folded(guard)

    async def main() -> sf.Window:
        assert await guard.apage_out(len(messages))
        with pytest.raises(sf.PolicyError):
            guard.recall(span=(0, 0))
        assert guard.plan().needs
        window = await guard.acompact(Counting())
        assert (await guard.arecall(span=(1, 1)))[0].text == messages[1]["content"]
        return window

    window = asyncio.run(main())
    assert window.receipt.segments.remade >= 1
    assert not guard.degraded


@pytest.mark.parametrize("damage", [dict.clear, lambda texts: texts.update(dict.fromkeys(texts, '{"role":"user","content":"x"}'))])
def test_what_the_store_has_lost_is_deferred_until_it_is_paged_in(damage: Callable[[dict[str, str]], None]) -> None:
    store = sf.MemoryStore()
    guard, messages = compacted(store)
    gone = guard.page_out(len(messages))
    damage(store._texts)
    before = [segment.text for segment in guard.segments]
    revoke_folded(guard)
    window = guard.compact(Counting())
    assert guard.degraded == [guard.segments[0].span]
    assert NOTICE in shown(window)
    assert [segment.text for segment in guard.segments][: len(before)] == before
    with pytest.raises(sf.ShapeError) as caught:
        guard.page_in({gone[0]: {"role": "user", "content": "Something else."}})
    assert caught.value.code == "digest_mismatch"
    assert guard.degraded
    guard.page_in({seq: messages[seq] for seq in gone})
    assert not guard.degraded
    assert NOTICE not in shown(guard.window())
    assert guard.compact(Counting()).receipt.segments.remade >= 1


def test_refusing_to_degrade_refuses_only_what_the_store_does_not_have() -> None:
    store = sf.MemoryStore()
    guard, messages = compacted(store, on_degraded="refuse")
    guard.page_out(len(messages))
    revoke_folded(guard)
    with pytest.raises(sf.PlanRefused) as caught:
        guard.plan()
    assert caught.value.code == "originals_unavailable"
    assert {"seq", "digest"} == set(caught.value.details["needs"][0])
    assert guard.compact(Counting()).receipt.segments.remade >= 1

    guard, messages = compacted(store, on_degraded="refuse")
    guard.page_out(len(messages))
    store._texts.clear()
    revoke_folded(guard)
    with pytest.raises(sf.PlanRefused):
        guard.compact(Counting())
    assert not guard.degraded


def test_paged_out_originals_come_back_after_a_restart_on_a_trimmed_list() -> None:
    store = sf.MemoryStore()
    guard, messages = compacted(store)
    end = guard.segments[-1].span[1] + 1
    guard.page_out(end)
    text = guard.snapshot()
    again = sf.Guard.restore(text, messages=messages[end:], store=store)
    assert again.restored is not None
    assert again.restored.outcome == "trimmed"
    assert again.recall(span=(0, 0))[0].text == messages[0]["content"]
    revoke_folded(again)
    again.page_out(end)
    window = again.compact(Counting())
    assert window.receipt.segments.remade >= 1
    assert not again.degraded
    # without the store only the chain is known
    plain, messages = compacted(None)
    alone = sf.Guard.restore(plain.snapshot(), messages=messages[end:])
    assert {need.digest for need in _after_revoking(alone).needs} == {None}


def _after_revoking(guard: sf.Guard) -> sf.Plan:
    revoke_folded(guard)
    return guard.plan()


def test_no_summary_is_paid_for_twice_where_a_store_is() -> None:
    store, paid = sf.MemoryStore(), Counting()
    messages = conversation(60)
    for _ in range(2):  # two workers on one history
        guard = sf.Guard(window_tokens=WINDOW, store=store, summarizer_window_tokens=2_500)
        guard.sync(messages)
        window = guard.compact(paid)
        assert window.receipt.method == "model"
    assert len(set(paid.prompts)) == len(paid.prompts) >= 3


def test_a_summary_that_was_not_taken_is_asked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    store, paid = sf.MemoryStore(), Counting()
    guard = sf.Guard(window_tokens=WINDOW, store=store)
    guard.observe_all(conversation(60))
    n = len(guard.plan().requests)

    def refuse(*_: Any) -> sf.Window:
        raise sf.CommitRefused("refused", code="coverage_hole")

    with monkeypatch.context() as patch:
        patch.setattr(guard, "commit", refuse)
        with pytest.raises(sf.CommitRefused):
            guard.compact(paid)
    assert len(paid.prompts) == n
    guard.compact(paid)  # a store that gave the same answer again would refuse for ever
    assert len(paid.prompts) == 2 * n


# a process that dies


class Killed(BaseException):
    """The process is gone: nothing after this happens."""


class Host:
    """What outlives a process: the host's list, its snapshot, and a store."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.snapshot: str | None = None
        self.texts: dict[str, str] = {}
        self.paid: list[str] = []
        self.left = -1

    def effect(self) -> None:
        """Before anything that outlives the process: here it may die."""
        if self.left == 0:
            raise Killed
        self.left -= 1

    def get_many(self, digests: Sequence[str], /) -> Mapping[str, str]:
        self.effect()
        return {digest: self.texts[digest] for digest in digests if digest in self.texts}

    def put_many(self, texts: Mapping[str, str], /) -> None:
        for digest, text in texts.items():  # also in the middle of a batch
            self.effect()
            self.texts[digest] = text

    def save(self, text: str) -> None:
        self.effect()
        self.snapshot = text

    def summarize(self, request: sf.Request) -> str:
        self.paid.append(request.prompt)
        return f"Looked at the batches of events {request.span[0]} to {request.span[1]}; nothing to refund."

    def guard(self) -> sf.Guard:
        if self.snapshot is None:
            guard = sf.Guard(window_tokens=WINDOW, store=self, summarizer_window_tokens=4_000)
            guard.set_rules("policy_loader", [REFUND, ALLERGY])
            guard.sync(self.messages)
            return guard
        return sf.Guard.restore(
            self.snapshot, messages=self.messages, store=self, rules={"policy_loader": [REFUND, ALLERGY]}, on_bad_state="raise"
        )

    def live(self) -> sf.Guard:
        """One process: the documented order of effects, three rounds of it."""
        guard = self.guard()
        while len(self.messages) < 3 * 200:
            start = len(self.messages) // 4
            self.messages += conversation(50, start=start)
            if start == 0:
                self.messages[0] = {"role": "user", "content": "Never ship before the audit is signed."}
            guard.sync(self.messages)
            guard.compact(self.summarize)
            self.save(guard.snapshot())
            guard.page_out(len(self.messages))
        if guard.should_compact():
            guard.compact(self.summarize)
            self.save(guard.snapshot())
        return guard


def covered(guard: sf.Guard, messages: list[Message]) -> bool:
    """Each message stands in the window or under exactly one segment."""
    seen = {id(message) for message in guard.window().messages}
    spans = [segment.span for segment in guard.segments]
    return all((id(message) in seen) + sum(a <= at <= b for a, b in spans) == 1 for at, message in enumerate(messages))


def test_a_process_may_die_between_any_two_effects() -> None:
    whole = Host()
    whole.live()
    effects = -1 - whole.left
    assert effects > 30
    for left in range(effects):
        host = Host()
        host.left = left
        with pytest.raises(Killed):
            host.live()
        host.left = -1
        guard = host.live()
        texts = [rule.text for rule in guard.rules]
        assert REFUND in texts
        assert ALLERGY in texts
        assert any("audit" in text for text in texts), left
        guard.assert_window(guard.window().messages)
        assert covered(guard, host.messages), left
        assert not guard.degraded, left
        twice = len(host.paid) - len(set(host.paid))
        assert twice <= 1, (left, twice)  # the one answer that was there and not yet stored


# the host's list at a restore


def other_words(messages: list[Message]) -> list[Message]:
    return [{**message, "content": "Something else was said."} for message in messages]


@pytest.mark.parametrize(
    ("change", "outcome", "divergence"),
    [
        (lambda list: list, "attached", None),
        (lambda list: [*list, {"role": "user", "content": "Go on."}], "longer", None),
        (lambda list: list[:-1], "shorter", 241),
        (lambda list: list[:6], "shorter", 0),
        (lambda list: [*list[:2], {"role": "user", "content": "Edited."}, *list[3:]], "edited", 0),
        (lambda list: [*list[:-1], {"role": "assistant", "content": "Edited."}], "edited", 241),
        (lambda list: list[10:], "trimmed", None),
        (lambda list: other_words(list), "other", 0),
        (lambda list: [], "empty", 0),
    ],
)
def test_a_restore_says_how_the_list_fits(change: Callable[[list[Message]], list[Message]], outcome: str, divergence: int | None) -> None:
    guard, messages = compacted(None)
    spans = [segment.span for segment in guard.segments]
    again = sf.Guard.restore(guard.snapshot(), messages=change(messages))
    verdict = again.restored
    assert verdict is not None
    assert (verdict.outcome, verdict.first_divergence) == (outcome, divergence)
    stands = [segment.span for segment in again.segments]
    assert sorted([*stands, *verdict.void]) == spans
    assert bool(verdict.void) == (divergence == 0)
    # declared rules stand on any list, and the window can be asserted at once
    again.assert_window(again.window().messages)
    assert REFUND in [rule.text for rule in again.rules]
