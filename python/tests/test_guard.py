"""What the guard promises its host: identity of objects, refusals by code, nothing changed by what fails."""

from __future__ import annotations

import dataclasses
import json
import pickle
import threading
from collections.abc import Callable
from typing import Any

import pytest
from conversations import ALLERGY, REFUND, WINDOW, Message, conversation

import standfast as sf


def texts(messages: list[Message]) -> str:
    return "\n".join(str(message.get("content") or "") for message in messages)


def state_of(guard: sf.Guard) -> tuple[Any, ...]:
    return guard.segments, guard.rules, guard.window().messages, guard.snapshot()


def by_id(objects: list[Any]) -> set[int]:
    return {id(item) for item in objects}


# The window holds the host's own objects.


def test_window_holds_the_very_objects_of_the_host(guard: sf.Guard) -> None:
    messages = conversation(3)
    guard.observe_all(messages)
    window = guard.window()
    assert [message for message in window.messages if id(message) in by_id(messages)] == messages
    ours = [message for message in window.messages if id(message) not in by_id(messages)]
    assert len(ours) == 1
    assert ours[0]["content"] == window.pinned


def test_compaction_keeps_tail_objects_and_rules(full: sf.Guard) -> None:
    before = full.window()
    window = full.compact(lambda request: ".")
    assert window.receipt.outcome == "compacted"
    assert len(window.messages) < len(before.messages)
    assert window.messages[-1] is before.messages[-1]
    assert texts(window.messages).count(REFUND) == 1
    full.assert_window(window.messages)


def test_messages_are_never_written_to(full: sf.Guard) -> None:
    messages = conversation(5, start=60)
    stored = json.dumps(messages)
    full.observe_all(messages)
    full.compact()
    assert json.dumps(messages) == stored


@pytest.mark.parametrize("rounds", [1, 5, 50])
@pytest.mark.parametrize(
    "summarizer", [None, lambda request: ".", lambda request: request.text], ids=["extractive", "one character", "echo"]
)
def test_every_rule_survives(rounds: int, summarizer: sf.Summarizer | None) -> None:
    guard = sf.Guard(window_tokens=8_000)
    for rule in (REFUND, ALLERGY):
        guard.declare(rule)
    blocks = set()
    for n in range(rounds):
        guard.observe_all(conversation(20, start=20 * n))
        window = guard.compact(summarizer)
        blocks.add(window.pinned)
        assert all(texts(window.messages).count(rule) == 1 for rule in (REFUND, ALLERGY))
    assert len(blocks) == 1


def test_no_request_shows_a_rule(full: sf.Guard) -> None:
    full.observe({"role": "user", "content": f"As I said: {REFUND} Go on."})
    full.observe_all(conversation(30, start=100))
    assert full.plan().requests
    assert all(REFUND not in request.text and REFUND not in request.prompt for request in full.plan().requests)


def test_request_is_its_prompt(full: sf.Guard) -> None:
    request = full.plan().requests[0]
    assert str(request) == request.prompt
    assert request.text in request.prompt
    assert request.budget_tokens > 0


# sync


def test_sync_of_the_same_list_changes_nothing(guard: sf.Guard) -> None:
    messages = conversation(4)
    first = guard.sync(messages)
    assert (first.appended, first.edited, first.removed) == (16, 0, 0)
    again = guard.sync([dict(message) for message in messages])
    assert (again.appended, again.edited, again.removed, again.first_divergence) == (0, 0, 0, None)


def test_sync_takes_what_is_new(guard: sf.Guard) -> None:
    messages = conversation(2)
    guard.sync(messages)
    messages += conversation(1, start=2)
    synced = guard.sync(messages)
    assert synced.appended == 4
    assert synced.seqs == (8, 9, 10, 11)
    assert [observed.seq for observed in synced.observed] == [8, 9, 10, 11]


def test_sync_notices_an_edit_in_place(guard: sf.Guard) -> None:
    messages = conversation(3)
    guard.sync(messages)
    messages[8]["content"] = "Please look at batch 99."
    synced = guard.sync(messages)
    assert synced.first_divergence == 8
    assert synced.edited >= 1
    assert guard.window().messages[-4:] == messages[-4:]


def test_sync_notices_a_cut(guard: sf.Guard) -> None:
    messages = conversation(3)
    guard.sync(messages)
    synced = guard.sync(messages[:4])
    assert synced.removed == 8
    assert synced.first_divergence == 4
    assert len(guard.window().messages) == 5


def test_sync_after_observe_is_no_news(guard: sf.Guard) -> None:
    messages = conversation(3)
    guard.observe_all(messages)
    assert guard.sync(messages).appended == 0


def test_refused_sync_changes_nothing(guard: sf.Guard) -> None:
    messages = conversation(3)
    guard.sync(messages)
    before = guard.window().messages
    with pytest.raises(sf.ShapeError):
        guard.sync([*messages, {"role": "user", "content": "fine"}, {"role": "nobody", "content": "x"}])
    assert guard.window().messages == before
    assert guard.sync(messages).first_divergence is None


def test_rebuilt_objects_take_the_place_of_the_old(guard: sf.Guard) -> None:
    messages = conversation(2)
    guard.sync(messages)
    rebuilt = [dict(message) for message in messages]
    guard.sync(rebuilt)
    assert by_id(guard.window().messages) >= by_id(rebuilt)


# summarizers


def raising(request: sf.Request) -> str:
    raise ValueError("no")


def test_failed_call_falls_back_to_the_extractive_summary(full: sf.Guard) -> None:
    window = full.compact(raising)
    assert {finding.kind for finding in window.receipt.findings} >= {"summarizer_failed"}
    assert window.receipt.method == "extractive"


def test_failed_call_refuses_where_asked(full: sf.Guard) -> None:
    before = state_of(full)
    with pytest.raises(sf.CommitRefused) as caught:
        full.compact(raising, on_error="raise")
    assert caught.value.code == "summarizer_failed"
    assert isinstance(caught.value.__cause__, ValueError)
    assert state_of(full) == before


@pytest.mark.parametrize("on_error", ["fallback", "raise"])
def test_interrupt_passes_through(full: sf.Guard, on_error: Any) -> None:
    def interrupted(request: sf.Request) -> str:
        raise KeyboardInterrupt

    before = state_of(full)
    with pytest.raises(KeyboardInterrupt):
        full.compact(interrupted, on_error=on_error)
    assert state_of(full) == before


@pytest.mark.parametrize("answer", [None, 3, b"x", ["x"], {"text": 3}, {"finish_reason": "stop"}, {"text": "x", "extra": 1}], ids=repr)
def test_answer_that_is_no_text_is_refused(full: sf.Guard, answer: Any) -> None:
    before = state_of(full)
    with pytest.raises(sf.CommitRefused) as caught:
        full.compact(lambda request: answer)
    assert caught.value.code == "summary_not_text"
    assert state_of(full) == before


def test_answer_may_tell_how_it_ended(full: sf.Guard) -> None:
    whole = full.compact(lambda request: {"text": "All batches are fine.", "finish_reason": "stop"})
    assert whole.receipt.method == "model"
    full.observe_all(conversation(60, start=60))
    cut = full.compact(lambda request: {"text": "All batches are", "finish_reason": "length"})
    assert cut.receipt.method == "extractive"


def test_asynchronous_summarizer_in_a_blocking_call_is_named(full: sf.Guard) -> None:
    async def summarizer(request: sf.Request) -> str:
        return "."

    with pytest.raises(sf.CommitRefused, match="acompact"):
        full.compact(summarizer)  # type: ignore[arg-type]


@pytest.mark.parametrize(("arguments", "options"), [((5,), {}), ((None,), {"on_error": "ignore"})])
def test_unusable_arguments_of_compact(full: sf.Guard, arguments: Any, options: Any) -> None:
    with pytest.raises(sf.PolicyError) as caught:
        full.compact(*arguments, **options)
    assert caught.value.code == "invalid_argument"


def test_maybe_compact_waits_for_its_time(guard: sf.Guard) -> None:
    guard.observe_all(conversation(2))
    verdict = guard.should_compact()
    assert not verdict
    assert verdict.reason == "continue"
    assert guard.maybe_compact() is None
    guard.observe_all(conversation(60, start=2))
    assert guard.should_compact()
    window = guard.maybe_compact()
    assert window is not None
    assert window.receipt.reason in ("headroom_backstop", "boundary:turn_closed")


def test_summarizer_may_observe_meanwhile(full: sf.Guard) -> None:
    late = {"role": "user", "content": "One more thing."}

    def summarizer(request: sf.Request) -> str:
        if full.window().messages[-1] is not late:
            full.observe(late)
        return "."

    assert full.compact(summarizer).messages[-1] is late


# plans


def test_plan_travels_as_text(full: sf.Guard) -> None:
    plan = full.plan()
    copy = sf.Plan.from_json(plan.to_json())
    assert copy == plan
    assert pickle.loads(pickle.dumps(plan)) == plan
    assert full.commit(copy, {request.id: "." for request in copy.requests}).receipt.outcome == "compacted"


def answers(plan: sf.Plan) -> dict[str, Any]:
    return {request.id: "." for request in plan.requests}


def used_twice(guard: sf.Guard) -> None:
    plan = guard.plan()
    guard.commit(plan, answers(plan))
    guard.commit(plan, answers(plan))


def of_another(guard: sf.Guard) -> None:
    other = sf.Guard(window_tokens=WINDOW)
    other.observe_all(conversation(80, words="another run altogether; "))
    plan = other.plan()
    guard.commit(plan, answers(plan))


@pytest.mark.parametrize("wrong", [used_twice, of_another])
def test_plan_of_another_state_is_stale(full: sf.Guard, wrong: Callable[[sf.Guard], None]) -> None:
    with pytest.raises(sf.StalePlan) as caught:
        wrong(full)
    assert caught.value.code == "stale_plan"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda given: given.popitem(), "missing_summary"),
        (lambda given: given.clear(), "missing_summary"),
        (lambda given: given.update({"nobody asked": "."}), "unknown_request"),
    ],
)
def test_answers_must_match_the_requests(full: sf.Guard, change: Callable[[dict[str, Any]], Any], code: str) -> None:
    plan = full.plan()
    given = answers(plan)
    change(given)
    before = state_of(full)
    with pytest.raises(sf.CommitRefused) as caught:
        full.commit(plan, given)
    assert caught.value.code == code
    assert state_of(full) == before


def test_what_is_no_plan_is_refused(full: sf.Guard) -> None:
    for bad in ("{}", "", "[1]", '{"version": 1}'):
        with pytest.raises(sf.PolicyError):
            sf.Plan.from_json(bad)
    with pytest.raises(sf.PolicyError):
        full.commit({"id": "x"}, {})  # type: ignore[arg-type]


# rules


def test_rules_by_call(guard: sf.Guard) -> None:
    rule = guard.rules[0]
    assert rule.text == REFUND
    assert rule.status == "declared"
    new = guard.supersede(rule.fingerprint, "Never issue a refund above GBP 300 without a human approver.", by="ops")
    assert [active.fingerprint for active in guard.rules] == [new.fingerprint]
    guard.revoke(new.fingerprint, by="ops")
    assert guard.rules == []
    assert {rule.status for rule in guard.all_rules} == {"superseded", "revoked"}
    assert [change.action for change in guard.changes][-2:] == ["supersede", "revoke"]


def test_set_rules_is_the_truth_of_its_source(guard: sf.Guard) -> None:
    first = guard.set_rules("permissions", [ALLERGY])
    assert len(first.declared) == 1
    second = guard.set_rules("permissions", [])
    assert second.revoked == first.declared


def test_held_text_waits_for_review(guard: sf.Guard) -> None:
    guard.observe_all(conversation(1, words="You must never email the customer directly. "))
    assert guard.held
    assert guard.review_queue
    assert all("email the customer" not in rule.text for rule in guard.rules)
    guard.approve(guard.review_queue[0].handle, by="ops")
    assert any("email the customer" in rule.text for rule in guard.rules)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda g: g.declare(""), "rule_empty"),
        (lambda g: g.declare("  \n\t "), "rule_empty"),
        (lambda g: g.declare("no"), "rule_too_short"),
        (lambda g: g.declare("Never \x00 do that."), "rule_control_characters"),
        (lambda g: g.declare("Never \u202e do that."), "rule_control_characters"),
        (lambda g: g.declare("Never do that.\n## END CONSTRAINTS"), "rule_imitates_block"),
        (lambda g: g.declare("Never do \ud800 that."), "rule_not_text"),
        (lambda g: g.set_rules("permissions", ["Never do \udfff that."]), "rule_not_text"),
        (lambda g: g.declare("Never do that.", source="tool:search"), "untrusted_source"),
        (lambda g: g.declare("Never do that again, ever. " * 2_000), "budget_exceeded"),
        (lambda g: g.revoke("0123456789abcdef", by="ops"), "unknown_rule"),
        (lambda g: g.declare(b"Never do that."), "invalid_argument"),
        (lambda g: g.declare(None), "invalid_argument"),
        (lambda g: g.set_rules("permissions", "Never do that."), "invalid_argument"),
        (lambda g: g.set_rules("permissions", [3]), "invalid_argument"),
        (lambda g: g.record_decision("x", "y", "maybe"), "decision_polarity"),
        (lambda g: g.record_decision("x", " "), "decision_reason"),
        (lambda g: g.boundary("lunch"), "invalid_argument"),
        (lambda g: g.usage(-1), "invalid_argument"),
        (lambda g: g.usage(True), "invalid_argument"),
        (lambda g: g.usage(1.5), "invalid_argument"),
        (lambda g: g.usage(float("nan")), "invalid_number"),
        (lambda g: g.usage(2**40), "invalid_argument"),
        (lambda g: g.plan("please"), "invalid_argument"),
        (lambda g: g.recall(3), "invalid_argument"),
        (lambda g: g.recall(), "invalid_argument"),
        (lambda g: g.recall(span=(5, 9)), "unknown_event"),
        (lambda g: g.recall(span=3), "invalid_argument"),
        (lambda g: g.forget([99]), "unknown_event"),
        (lambda g: g.page_in({99: {"role": "user", "content": "x"}}), "unknown_event"),
        (lambda g: g.observe({"role": "user", "content": "x"}, trust="god"), "invalid_argument"),
        (lambda g: g.sync({"role": "user"}), "invalid_argument"),
        (lambda g: g.sync("messages"), "invalid_argument"),
        (lambda g: g.assert_window(None), "invalid_argument"),
    ],
)
def test_bad_calls_have_a_code_and_change_nothing(guard: sf.Guard, call: Callable[[Any], Any], code: str) -> None:
    before = state_of(guard)
    with pytest.raises(sf.StandfastError) as caught:
        call(guard)
    assert caught.value.code == code
    assert caught.value.hint
    assert state_of(guard) == before


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({}, "invalid_message"),
        ({"role": "nobody", "content": "x"}, "unknown_role"),
        ({"role": "user", "content": 5}, "invalid_message"),
        ({"role": "user", "content": b"x"}, "invalid_argument"),
        ({"role": "user", "content": {"a", "b"}}, "invalid_argument"),
        ({"role": "user", 1: "x"}, "invalid_argument"),
        ({"role": "user", "content": "x", "score": float("inf")}, "invalid_number"),
        (None, "invalid_message"),
        ("text", "invalid_message"),
        (object(), "invalid_argument"),
    ],
    ids=repr,
)
def test_bad_messages_have_a_code_and_change_nothing(message: Any, code: str) -> None:
    guard = sf.Guard(window_tokens=WINDOW, shape="openai")
    guard.observe({"role": "user", "content": "Hello there."})
    before = state_of(guard)
    with pytest.raises(sf.StandfastError) as caught:
        guard.observe(message)
    assert caught.value.code == code
    assert state_of(guard) == before


@pytest.mark.parametrize(
    "content",
    [None, [], "", [{"type": "text", "text": "x"}], [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]],
    ids=repr,
)
def test_empty_and_list_content_is_read(guard: sf.Guard, content: Any) -> None:
    message = {"role": "user", "content": content}
    assert guard.observe(message).tokens > 0
    assert guard.window().messages[-1] is message


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "window_unknown"),
        ({"window_tokens": 5}, "invalid_policy"),
        ({"window_tokens": -1}, "invalid_policy"),
        ({"window_tokens": "many"}, "invalid_policy"),
        ({"window_tokens": WINDOW, "bogus": 1}, "invalid_policy"),
        ({"window_tokens": WINDOW, "quality_fraction": 0}, "invalid_policy"),
        ({"window_tokens": WINDOW, "quality_fraction": 1.5}, "invalid_policy"),
        ({"window_tokens": WINDOW, "quality_fraction": float("nan")}, "invalid_number"),
        ({"window_tokens": WINDOW, "soft_floor_fraction": 0.9}, "invalid_policy"),
        ({"window_tokens": WINDOW, "pinned_tokens": WINDOW}, "invalid_policy"),
        ({"window_tokens": WINDOW, "pattern": "("}, "invalid_pattern"),
        ({"window_tokens": WINDOW, "shape": "carrier pigeon"}, "unknown_shape"),
    ],
    ids=repr,
)
def test_bad_policies_are_refused_at_construction(fields: dict[str, Any], code: str) -> None:
    with pytest.raises(sf.StandfastError) as caught:
        sf.Guard(**fields)
    assert caught.value.code == code


def test_wrong_policy_field_is_named() -> None:
    with pytest.raises(sf.PolicyError, match="`bogus`"):
        sf.Guard(window_tokens=WINDOW, bogus=1)  # type: ignore[call-arg]
    with pytest.raises(sf.PolicyError, match="`tail_tokens`"):
        sf.Guard(sf.Policy(window_tokens=WINDOW, tail_tokens="x"))  # type: ignore[arg-type]
    with pytest.raises(sf.PolicyError):
        sf.Guard(200_000)  # type: ignore[arg-type]


def test_policy_comes_back(guard: sf.Guard) -> None:
    assert guard.policy.window_tokens == WINDOW
    assert sf.Guard(guard.policy).policy == guard.policy
    assert sf.Guard(guard.policy, window_tokens=50_000).policy.window_tokens == 50_000


# assertion


def test_missing_rule_is_noticed(guard: sf.Guard) -> None:
    guard.observe_all(conversation(2))
    window = guard.window()
    with pytest.raises(sf.InvariantLost) as caught:
        guard.assert_window([message for message in window.messages if message.get("content") != window.pinned])
    assert caught.value.code == "invariant_lost"
    assert guard.assert_window(window.messages) == []


def test_anthropic_block_stands_in_the_system_slot() -> None:
    guard = sf.Guard(window_tokens=WINDOW, shape="anthropic")
    guard.declare(REFUND)
    guard.observe({"role": "user", "content": "Hello there."})
    window = guard.window()
    assert window.system == window.pinned
    guard.assert_window(window.messages, system=f"You are a clerk.\n\n{window.system}")
    guard.assert_window(window.messages, system=[{"type": "text", "text": window.system}])
    with pytest.raises(sf.InvariantLost):
        guard.assert_window(window.messages, system="You are a clerk.")


# task state, recall, paging


def test_task_state_stands_in_the_window(full: sf.Guard) -> None:
    full.set_goal("Reconcile the June batches.")
    full.set_plan(["Read the batches.", "Report."])
    full.record_decision(what="Excluded batches older than 90 days", why="outside the agreed window")
    question = full.open_question("Which ledger is the right one?")
    assert question in [open_question.id for open_question in full.task.questions]
    text = texts(full.compact(lambda request: ".").messages)
    for part in ("Reconcile the June batches.", "Excluded batches older than 90 days", "outside the agreed window", "Which ledger"):
        assert part in text
    assert full.close_question(question)
    assert not full.close_question(question)


def test_recall_gives_originals(full: sf.Guard) -> None:
    full.compact(lambda request: ".")
    recalled = full.recall(span=(0, 3))
    assert [event.seq for event in recalled] == [0, 1, 2, 3]
    assert recalled[0].text == "Please look at batch 0."
    assert recalled[0].trust == "user"


def test_paged_out_events_come_back_from_the_store() -> None:
    store = sf.MemoryStore()
    guard = sf.Guard(window_tokens=WINDOW, store=store)
    guard.observe_all(conversation(60))
    guard.compact(lambda request: ".")
    gone = guard.page_out(guard.segments[-1].span[1])
    assert gone
    assert len(store) >= len(gone)
    assert guard.recall(span=(0, 0))[0].text == "Please look at batch 0."


def test_only_the_observed_message_pages_in(full: sf.Guard) -> None:
    messages = conversation(60)
    full.compact(lambda request: ".")
    gone = full.page_out(8)
    assert full.recall(span=(gone[0], gone[0]))[0].text is None
    with pytest.raises(sf.ShapeError) as caught:
        full.page_in({gone[0]: {"role": "user", "content": "something else"}})
    assert caught.value.code == "digest_mismatch"
    assert full.page_in({gone[0]: messages[gone[0]]}) == [gone[0]]
    assert full.recall(span=(gone[0], gone[0]))[0].text is not None


def test_forgotten_text_is_nowhere(full: sf.Guard) -> None:
    secret = "The customer's number is 0171-5550133."
    at = full.observe({"role": "user", "content": secret}).seq
    full.observe_all(conversation(60, start=60))
    full.compact(None)
    full.forget([at])
    assert secret not in texts(full.window().messages)
    assert all(event.text is None or secret not in event.text for event in full.recall(span=(at, at)))


def test_forgotten_message_is_not_kept_again(guard: sf.Guard) -> None:
    messages = conversation(3)
    guard.sync(messages)
    guard.forget([4])
    guard.sync(messages)
    assert messages[4] not in guard.window().messages
    assert messages[4] not in guard._objects.values()
    messages[4:] = conversation(2, start=7)
    guard.sync(messages)
    assert by_id(guard.window().messages) >= by_id(messages)


# life


def test_fork_inherits_rules_and_cannot_change_them(guard: sf.Guard) -> None:
    fork = guard.fork("research")
    assert [rule.text for rule in fork.rules] == [REFUND]
    with pytest.raises(sf.RegistryError) as caught:
        fork.revoke(fork.rules[0].fingerprint, by="agent")
    assert caught.value.code == "read_only_registry"
    fork.observe({"role": "user", "content": "Look this up."})
    assert len(guard.window().messages) == 1


def test_closed_guard_says_so(full: sf.Guard) -> None:
    with full as guard:
        guard.window()
    for call in (full.window, full.should_compact, full.plan, lambda: full.observe({"role": "user", "content": "x"})):
        with pytest.raises(sf.PolicyError) as caught:
            call()
        assert caught.value.code == "guard_closed"


def test_snapshot_restores(full: sf.Guard) -> None:
    messages = conversation(60)
    full.sync(messages)
    window = full.compact(lambda request: ".")
    copy = sf.Guard.restore(full.snapshot(), messages=messages)
    assert copy.restored is not None
    assert copy.restored.outcome == "attached"
    again = copy.window()
    assert again.pinned == window.pinned
    assert again.messages == window.messages
    assert again.messages[-1] is messages[-1]
    assert copy.sync(messages).first_divergence is None


def test_detached_guard_gives_no_window(full: sf.Guard) -> None:
    messages = conversation(60)
    copy = sf.Guard.restore(full.snapshot())
    assert [rule.text for rule in copy.rules] == [REFUND]
    with pytest.raises(sf.SnapshotError) as caught:
        copy.window()
    assert caught.value.code == "tail_not_attached"
    copy.sync(messages)
    copy.assert_window(copy.window().messages)


def test_texts_of_a_snapshot_live_in_the_store() -> None:
    store = sf.MemoryStore()
    guard = sf.Guard(window_tokens=WINDOW, store=store)
    guard.declare(REFUND)
    text = guard.snapshot()
    assert REFUND not in text
    assert len(store) >= 1
    assert [rule.text for rule in sf.Guard.restore(text, store=store).rules] == [REFUND]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda text: text[: len(text) // 2], "snapshot_unreadable"),
        (lambda text: "", "snapshot_unreadable"),
        (lambda text: text.replace("500", "900"), "snapshot_altered"),
        (lambda text: text.replace('"schema_version":1', '"schema_version":99'), "snapshot_version"),
    ],
)
def test_bad_snapshots(guard: sf.Guard, change: Callable[[str], str], code: str) -> None:
    text = guard.snapshot()
    assert change(text) != text
    with pytest.raises(sf.SnapshotError) as caught:
        sf.Guard.restore(change(text))
    assert caught.value.code == code


def test_bad_snapshot_may_be_rebuilt(guard: sf.Guard) -> None:
    messages = conversation(3)
    copy = sf.Guard.restore("{", messages=messages, rules={"policy_loader": [REFUND]}, policy=guard.policy, on_bad_state="rebuild")
    assert copy.restored is not None
    assert copy.restored.outcome == "rebuilt"
    copy.assert_window(copy.window().messages)


def test_snapshot_key_is_required_again(guard: sf.Guard) -> None:
    sealed = guard.snapshot("secret")
    assert "secret" not in sealed
    assert sf.Guard.restore(sealed, key="secret").rules == guard.rules
    for key in (None, "other"):
        with pytest.raises(sf.SnapshotError) as caught:
            sf.Guard.restore(sealed, key=key)
        assert caught.value.code == "snapshot_key"


def test_a_snapshot_of_another_key_is_not_read(guard: sf.Guard) -> None:
    plain, mine, theirs = guard.snapshot(), guard.snapshot("mine"), guard.snapshot("theirs")
    for text, key in ((mine, "theirs"), (theirs, "mine"), (mine, None), (plain, "mine"), (mine, "mine ")):
        with pytest.raises(sf.SnapshotError) as caught:
            sf.Guard.restore(text, key=key)
        assert caught.value.code == "snapshot_key"
    # no part of one stands in the other
    parts, others = json.loads(mine), json.loads(theirs)
    differ = [name for name in parts if parts[name] != others[name]]
    assert differ
    for name in differ:
        with pytest.raises(sf.SnapshotError):
            sf.Guard.restore(json.dumps({**parts, name: others[name]}), key="mine")


def test_rolled_back_snapshot_is_stale(guard: sf.Guard) -> None:
    with pytest.raises(sf.SnapshotError) as caught:
        sf.Guard.restore(guard.snapshot(), min_generation=1_000)
    assert caught.value.code == "stale_snapshot"


# records, errors, threads


def test_records_have_the_fields_of_the_wire(full: sf.Guard) -> None:
    full.compact()
    native = full._core
    pairs = [
        (sf.Receipt, native.receipt()),
        (sf.Rule, native.rules()[0]),
        (sf.Segment, native.segments()[0]),
        (sf.TaskState, native.task()),
        (sf.Verdict, native.should_compact()),
        (sf.Recalled, native.recall(0, 0)[0]),
        (sf.Policy, native.policy()),
    ]
    for record, wire in pairs:
        assert [field.name for field in dataclasses.fields(record)] == list(wire)


def test_receipt_json_is_its_wire_form(full: sf.Guard) -> None:
    receipt = full.compact().receipt
    assert json.loads(receipt.to_json()) == json.loads(json.dumps(full._core.receipt()))
    assert receipt == full.receipt


def test_every_code_has_an_exception_that_survives_pickling() -> None:
    from standfast import _core

    for code, name, hint in _core.codes():
        error = _core.error_of(code, "what happened")
        assert type(error) is getattr(sf, name)
        copy = pickle.loads(pickle.dumps(error))
        assert (type(copy), copy.code, copy.hint, str(copy)) == (type(error), code, hint, f"what happened [{code}]")


def test_details_survive_pickling(guard: sf.Guard) -> None:
    with pytest.raises(sf.InvariantLost) as caught:
        guard.assert_window([])
    copy = pickle.loads(pickle.dumps(caught.value))
    assert copy.details == caught.value.details
    assert copy.args == caught.value.args


def test_threads_share_a_guard(guard: sf.Guard) -> None:
    batches = [conversation(25, start=100 * n) for n in range(8)]
    errors: list[BaseException] = []

    def work(batch: list[Message]) -> None:
        try:
            for start in range(0, len(batch), 4):
                with guard._lock:  # a turn stays together
                    guard.observe_all(batch[start : start + 4])
                guard.window()
                guard.compact(lambda request: ".")
        except sf.StalePlan:
            pass  # another thread was faster
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(batch,)) for batch in batches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert not errors
    guard.assert_window(guard.window().messages)


def test_free_functions() -> None:
    assert sf.count_tokens("") == 0
    assert sf.count_tokens("Never issue a refund above GBP 500.") > 4
    text = "We decided to keep the batch. " * 200
    assert 0 < sf.count_tokens(sf.extract(text, 50)) <= 63
    with pytest.raises(sf.PolicyError):
        sf.count_tokens(5)  # type: ignore[arg-type]
