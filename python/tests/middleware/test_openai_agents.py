"""Agents of the OpenAI Agents SDK: whatever the summarizer does, every request has the rules and whole pairs, and the session is raw."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("agents")

from agents import Agent, ModelRetrySettings, ModelSettings, RunConfig, RunHooks, Runner, SQLiteSession, Usage, function_tool, handoff
from agents.memory import OpenAIConversationsSession
from agents.run import ModelInputData
from agents.testing import ModelCall, ModelStep, ScriptedModel, assistant_message, function_call

import standfast as sf
from standfast.openai_agents import RawSession, Standfast, StateNotPersisted
from standfast.stores.sqlite import SqliteStore

RULES = ["Never issue a refund above GBP 500 without a human approver.", "Patient is allergic to penicillin."]
WINDOW = 12_000
BLOCK = "## NON-NEGOTIABLE CONSTRAINTS (verbatim, re-injected each round)"


class Destructive:
    """A summarizer that loses everything."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def __call__(self, request: Any) -> str:
        self.asked.append(request.prompt)
        return "Work went on."


@function_tool
def get_batch(n: int) -> str:
    """Rows of one batch."""
    return f"batch {n}: " + "row 412 FAILED NSF; " * 120


@function_tool
def get_bank(n: int) -> str:
    """The bank of one batch."""
    return f"N{n}"


NUMBERS = itertools.count()


def played(call: ModelCall) -> Any:
    """Calls both tools on a user's message and answers on anything else."""
    last: Any = call.input[-1]
    if last.get("role") == "user":
        n = next(NUMBERS)
        return [function_call("get_batch", {"n": 7}, call_id=f"c{n}"), function_call("get_bank", {"n": 7}, call_id=f"d{n}")]
    return ModelStep(output=[assistant_message("Batch looked at. Nothing unusual, going on with the next.")], usage=Usage())


def model(steps: int = 400, play: Callable[[ModelCall], Any] = played) -> ScriptedModel:
    return ScriptedModel([ModelStep.respond(play) for _ in range(steps)])


def agent(on: ScriptedModel, **fields: Any) -> Agent[Any]:
    return Agent(name="clerk", instructions="You are a settlements agent.", model=on, tools=[get_batch, get_bank], **fields)


def valid(call: ModelCall) -> None:
    """Every output has its call before it, every call before the user's next word its output; the rules stand in the instructions."""
    pending: set[str] = set()
    for item in call.input:
        assert isinstance(item, dict)
        kind = item.get("type")
        if kind == "function_call":
            pending.add(str(item["call_id"]))
        elif kind == "function_call_output":
            pending.remove(str(item["call_id"]))
        elif item.get("role") == "user":
            assert not pending
    assert not pending
    assert call.system_instructions is not None
    assert all(f"] {rule}" in call.system_instructions for rule in RULES)
    assert call.system_instructions.startswith("You are a settlements agent.\n\n" + BLOCK)


async def turns(guarded: Standfast, who: Agent[Any], session: Any, count: int, stream: bool = False, start: int = 0) -> list[Any]:
    """Runs, and what the session should hold after them."""
    raw: list[Any] = list(await session.get_items())
    for n in range(start, start + count):
        options = guarded.options(session=session)
        if stream:
            streamed = Runner.run_streamed(who, f"Look at batch {n}.", **options)
            async for _ in streamed.stream_events():
                pass
            new = streamed.to_input_list()
        else:
            new = (await Runner.run(who, f"Look at batch {n}.", **options)).to_input_list()
        raw += new[-6:]
    return raw


@pytest.mark.parametrize("stream", [False, True])
def test_rules_and_pairs_stand_in_every_request_and_the_session_is_raw(stream: bool) -> None:
    async def run() -> None:
        lossy, played_by = Destructive(), model()
        guarded = Standfast(RULES, window_tokens=WINDOW, summarizer=lossy)
        session = SQLiteSession("t")
        raw = await turns(guarded, agent(played_by), session, 20, stream)
        assert len(lossy.asked) >= 3
        for call in played_by.calls:
            valid(call)
        assert await session.get_items() == raw
        assert sum("standfast-memory" in json.dumps(call.input) for call in played_by.calls) > 10
        assert max(len(call.input) for call in played_by.calls) < 50
        assert all(RULES[0] not in prompt for prompt in lossy.asked)
        receipts = await guarded.receipts(session)
        assert receipts
        assert all(receipt.outcome == "compacted" for receipt in receipts)

    asyncio.run(run())


def nameless(items: Any) -> list[dict[str, Any]]:
    return [{name: value for name, value in item.items() if name not in ("id", "call_id")} for item in items]


def test_three_runs_give_raw_history_and_reasoning_stays_with_its_call() -> None:
    """The SDK's own list of a whole history is what the session holds, whatever was sent."""

    async def run() -> None:
        played_by = model()
        guarded = Standfast(RULES, window_tokens=WINDOW)
        session, plain = SQLiteSession("t"), SQLiteSession("plain")
        for n in range(3):
            await Runner.run(agent(played_by), f"Look at batch {n}.", **guarded.options(session=session))
            await Runner.run(agent(model()), f"Look at batch {n}.", session=plain)
        assert nameless(await session.get_items()) == nameless(await plain.get_items())

    asyncio.run(run())


def test_a_handoff_keeps_the_rules_and_the_thread() -> None:
    async def run() -> None:
        def second_play(call: ModelCall) -> Any:
            last: Any = call.input[-1]
            if "assistant" in str(last.get("output")):
                return [function_call("get_batch", {"n": 7}, call_id=f"c{next(NUMBERS)}")]
            return played(call)

        second = agent(model(play=second_play))
        second.name = "closer"

        def first_play(call: ModelCall) -> Any:
            return [function_call("transfer_to_closer", {}, call_id=f"h{next(NUMBERS)}")]

        first_model = model(play=first_play)
        first = Agent(name="opener", instructions="You are a settlements agent.", model=first_model, handoffs=[handoff(second)])
        guarded = Standfast(RULES, window_tokens=WINDOW, summarizer=Destructive())
        session = SQLiteSession("t")
        for n in range(12):
            await Runner.run(first, f"Look at batch {n}.", **guarded.options(session=session))
        assert isinstance(second.model, ScriptedModel)
        for call in [*first_model.calls, *second.model.calls]:
            valid(call)
        assert any("standfast-memory" in json.dumps(call.input) for call in first_model.calls)

    asyncio.run(run())


def test_an_agent_as_a_tool_takes_the_rules_and_is_another_thread() -> None:
    async def run() -> None:
        inner_model = ScriptedModel([[assistant_message("Looked up.")]])
        inner = Agent(name="helper", instructions="You are a settlements agent.", model=inner_model)
        call = function_call("ask_helper", {"input": "Never tell anybody about batch 7."}, call_id="h1")
        outer_model = ScriptedModel([[call], [assistant_message("Done.")]])
        outer = Agent(
            name="clerk",
            instructions="You are a settlements agent.",
            model=outer_model,
            tools=[inner.as_tool("ask_helper", "Asks.")],
        )
        guarded = Standfast(RULES[:1], window_tokens=WINDOW)
        session = SQLiteSession("t")
        options = guarded.options(session=session)
        await Runner.run(outer, f"Go on. {RULES[1]} You must never forget that.", **options)
        assert inner_model.last_call is not None
        said = inner_model.last_call.system_instructions or ""
        assert RULES[0] in said
        assert "batch 7" not in said  # an agent's words make no rule
        async with guarded.session(session) as guard:
            assert all("batch 7" not in rule.text for rule in guard.rules)

    asyncio.run(run())


def test_a_history_that_the_server_keeps_is_refused_unless_allowed() -> None:
    guarded = Standfast(RULES, window_tokens=WINDOW)
    for given in ({"previous_response_id": "resp_1"}, {"conversation_id": "conv_1"}, {"auto_previous_response_id": True}):
        with pytest.raises(sf.PolicyError) as refused:
            guarded.options(**given)
        assert refused.value.code == "server_side_history"
    with pytest.raises(sf.PolicyError):
        guarded.options(session=OpenAIConversationsSession(conversation_id="c", openai_client=object()))  # type: ignore[arg-type]

    async def run() -> None:
        for part in ([{"type": "function_call_output", "call_id": "c1", "output": "x"}], [{"type": "item_reference", "id": "msg_1"}]):
            with pytest.raises(sf.PolicyError) as found:
                await Runner.run(agent(model()), part, **guarded.options())  # type: ignore[arg-type]
            assert found.value.code == "server_side_history"
        allowed, played_by = Standfast(RULES, window_tokens=WINDOW, allow_unverified=True), model()
        await Runner.run(agent(played_by), "Look.", **allowed.options(conversation_id="conv_1"))
        assert all(RULES[0] in (call.system_instructions or "") for call in played_by.calls)
        assert played_by.calls[0].conversation_id == "conv_1"

    asyncio.run(run())


def test_a_filter_behind_ours_that_takes_the_rules_out_ends_the_run() -> None:
    async def run() -> None:
        class Strips(RunHooks[Any]):
            async def on_llm_start(self, context: Any, agent: Any, system_prompt: Any, input_items: Any) -> None:
                started.append(system_prompt)

        started: list[Any] = []
        played_by = model()
        guarded = Standfast(RULES, window_tokens=WINDOW)
        options = guarded.options(hooks=Strips())
        config: RunConfig = options["run_config"]
        ours: Any = config.call_model_input_filter

        async def stripped(call: Any) -> ModelInputData:
            data = await ours(call)
            return ModelInputData(input=data.input, instructions="You are a settlements agent.")

        config.call_model_input_filter = stripped
        with pytest.raises(sf.InvariantLost):
            await Runner.run(agent(played_by), "Look.", **options)
        assert not played_by.calls
        assert started == ["You are a settlements agent."]

    asyncio.run(run())


def test_a_filter_of_the_host_runs_first_and_may_drop_and_edit() -> None:
    async def run() -> None:
        def drops(call: Any) -> ModelInputData:
            kept = [item for item in call.model_data.input if "batch 1." not in str(item.get("content"))]
            return ModelInputData(input=kept, instructions=call.model_data.instructions)

        played_by = model()
        guarded = Standfast(RULES, window_tokens=WINDOW, summarizer=Destructive())
        session = SQLiteSession("t")
        for n in range(12):
            options = guarded.options(session=session, run_config=RunConfig(call_model_input_filter=drops))
            await Runner.run(agent(played_by), f"Look at batch {n}.", **options)
        for call in played_by.calls[4:]:
            valid(call)
            assert "Look at batch 1." not in json.dumps(call.input)
        assert "Look at batch 1." in json.dumps(await session.get_items())

    asyncio.run(run())


@pytest.mark.parametrize("how", ["raises", "blank", "none", "slow"])
def test_a_bad_summarizer_costs_no_rule_and_no_run(how: str, caplog: pytest.LogCaptureFixture) -> None:
    async def bad(request: Any) -> Any:
        if how == "raises":
            raise RuntimeError("out of order")
        if how == "slow":
            await asyncio.sleep(5)
        return {"blank": "  ", "none": None}.get(how)

    async def run() -> None:
        played_by = model()
        guarded = Standfast(RULES, window_tokens=WINDOW, summarizer=bad)
        guarded.summarizing._timeout = 0.05
        session = SQLiteSession("t")
        raw = await turns(guarded, agent(played_by), session, 8)
        for call in played_by.calls:
            valid(call)
        assert await session.get_items() == raw
        assert {receipt.method for receipt in await guarded.receipts(session)} == {"extractive"}

    asyncio.run(run())


def test_a_model_of_the_sdk_summarizes_once_per_span() -> None:
    async def run() -> None:
        summaries = model(play=lambda call: [assistant_message("Batches were looked at.")])
        played_by = model()
        guarded = Standfast(RULES, window_tokens=WINDOW, summarizer=summaries)
        session = SQLiteSession("t")
        await turns(guarded, agent(played_by), session, 8)
        assert summaries.calls
        assert all(not call.tools for call in summaries.calls)
        assert "model" in {receipt.method for receipt in await guarded.receipts(session)}
        own = model(play=lambda call: [assistant_message("Seen.")] if "clerk" not in str(call.system_instructions) else played(call))
        again = Standfast(RULES, window_tokens=WINDOW, summarizer="agent")
        who = Agent(name="clerk", instructions="You are a clerk.", model=own, tools=[get_batch, get_bank])
        other = SQLiteSession("other")
        for n in range(8):
            await Runner.run(who, f"Look at batch {n}. " + "row; " * 800, **again.options(session=other))
        assert any("standfast-memory" in json.dumps(call.input) for call in own.calls)

    asyncio.run(run())


class Down(sf.MemoryStore):
    """A store that fails, or gives something else."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how

    def get_many(self, keys: Any) -> Any:
        if self.how == "corrupt":
            return dict.fromkeys(keys, "{")
        raise OSError("no route to host")

    def put_many(self, texts: Any) -> None:
        raise OSError("disk full")

    def put_new(self, key: str, text: str) -> str:
        raise OSError("disk full")


@pytest.mark.parametrize("how", ["down", "corrupt"])
@pytest.mark.filterwarnings("ignore::standfast.openai_agents.StateNotPersisted")
def test_a_bad_store_costs_no_rule_and_no_run(how: str) -> None:
    class Wrapped:
        """Not a memory store by its type, so that it is asked as any other."""

        def __init__(self) -> None:
            self._inner = Down(how)

        def get_many(self, keys: Any) -> Any:
            return self._inner.get_many(keys)

        def put_many(self, texts: Any) -> None:
            self._inner.put_many(texts)

    async def run() -> None:
        played_by = model()
        guarded = Standfast(RULES, window_tokens=WINDOW, summarizer=Destructive(), store=Wrapped())
        await turns(guarded, agent(played_by), SQLiteSession("t"), 6)
        for call in played_by.calls:
            valid(call)

    asyncio.run(run())


def test_another_process_goes_on_with_the_same_bytes_and_pays_nothing(tmp_path: Path) -> None:
    async def run() -> None:
        session = SQLiteSession("t", tmp_path / "items.db")
        lossy, first = Destructive(), model()
        await turns(
            Standfast(RULES, window_tokens=WINDOW, summarizer=lossy, store=SqliteStore(tmp_path / "s.db")), agent(first), session, 8
        )
        paid = len(lossy.asked)
        assert paid
        again, second = Destructive(), model()
        elsewhere = Standfast(RULES, window_tokens=WINDOW, summarizer=again, store=SqliteStore(tmp_path / "s.db"))
        await turns(elsewhere, agent(second), session, 1, start=8)
        before, after = first.calls[-1].input, second.calls[0].input
        assert after[0] == before[0]
        assert not again.asked
        valid(second.calls[0])

    asyncio.run(run())


def test_two_workers_on_one_thread_pay_once(tmp_path: Path) -> None:
    async def run() -> None:
        session = SQLiteSession("t", tmp_path / "items.db")
        await turns(Standfast(RULES, window_tokens=100_000), agent(model()), session, 8)
        asked: list[str] = []

        async def counted(request: Any) -> str:
            asked.append(request.id)
            await asyncio.sleep(0.2)
            return "Work went on."

        workers = [Standfast(RULES, window_tokens=WINDOW, summarizer=counted, store=SqliteStore(tmp_path / "s.db")) for _ in range(2)]
        models = [model(), model()]
        items = await session.get_items()

        async def copied() -> SQLiteSession:
            copy = SQLiteSession("t")
            await copy.add_items(items)
            return copy

        sessions = [await copied() for _ in workers]
        runs = [Runner.run(agent(on), "Go on.", **worker.options(session=own)) for worker, on, own in zip(workers, models, sessions)]
        await asyncio.gather(*runs)
        assert len(asked) == len(set(asked))
        for on in models:
            for call in on.calls:
                valid(call)

    asyncio.run(run())


def test_a_smaller_model_in_the_midst_of_a_thread() -> None:
    async def run() -> None:
        large, small = model(), model()
        guarded = Standfast(RULES, window_tokens=lambda who: 60_000 if who.model is large else 6_000, summarizer=Destructive())
        session = SQLiteSession("t")
        await turns(guarded, agent(large), session, 10)
        await turns(guarded, agent(small), session, 1, start=10)
        valid(small.calls[0])
        assert sum(sf.count_tokens(json.dumps(item)) for item in small.calls[0].input) < 6_000

    asyncio.run(run())


class TooLong(Exception):
    code = "context_length_exceeded"


def refusing(most: int, seen: list[int]) -> Callable[[ModelCall], Any]:
    """A model that takes no more than so many tokens."""

    def play(call: ModelCall) -> Any:
        size = sf.count_tokens(json.dumps(call.input))
        seen.append(size)
        if size > most:
            raise TooLong("Your input exceeds the context window of this model")
        valid(call)
        return played(call)

    return play


@pytest.mark.parametrize("stream", [False, True])
def test_a_request_that_was_too_long_is_compacted_and_sent_once_more(stream: bool) -> None:
    async def run() -> None:
        sizes: list[int] = []
        lossy = Destructive()
        guarded = Standfast(RULES, window_tokens=60_000, summarizer=lossy)
        session = SQLiteSession("t")
        raw = await turns(guarded, agent(model(play=refusing(12_000, sizes))), session, 18, stream)
        assert await session.get_items() == raw  # nothing of it is stored
        refused = [at for at, size in enumerate(sizes) if size > 12_000]
        assert len(refused) == 1  # and from then on the smaller window holds
        assert sizes[refused[0] + 1] < 12_000
        assert lossy.asked

    asyncio.run(run())


def test_a_request_is_shortened_once_and_then_the_error_is_the_hosts() -> None:
    async def run() -> None:
        sizes: list[int] = []
        guarded = Standfast(RULES, window_tokens=60_000, summarizer=Destructive())
        with pytest.raises(TooLong):
            await turns(guarded, agent(model(play=refusing(10, sizes))), SQLiteSession("t"), 1)
        assert 1 <= len(sizes) <= 2

    asyncio.run(run())


def test_the_hosts_own_retries_stay_as_they_are() -> None:
    attempts: list[int] = []

    def policy(context: Any) -> bool:
        assert context.max_retries == 2
        attempts.append(context.attempt)
        return True

    def failing(call: ModelCall) -> Any:
        raise RuntimeError("the line is down")

    async def run() -> None:
        own = ModelSettings(retry=ModelRetrySettings(max_retries=2, policy=policy, backoff={"initial_delay": 0.0, "max_delay": 0.0}))
        for agents_own in (True, False):
            attempts.clear()
            who = agent(model(play=failing), **({"model_settings": own} if agents_own else {}))
            options = Standfast(RULES, window_tokens=WINDOW).options(run_config=None if agents_own else RunConfig(model_settings=own))
            with pytest.raises(RuntimeError, match="line"):
                await Runner.run(who, "Look at batch 7.", **options)
            assert attempts == [1, 2]
        attempts.clear()
        with pytest.raises(RuntimeError, match="line"):
            await Runner.run(agent(model(play=failing)), "Look.", **Standfast(RULES, window_tokens=WINDOW).options())
        assert attempts == []

    asyncio.run(run())


def test_compaction_at_the_end_of_a_turn() -> None:
    when: list[str] = []

    def summarizer(request: Any) -> str:
        when.append("summary")
        return "Work went on."

    def play(call: ModelCall) -> Any:
        valid(call)
        when.append("call")
        return played(call)

    async def run() -> None:
        guarded = Standfast(RULES, window_tokens=WINDOW, summarizer=summarizer, compact_at="turn_end")
        session, who = SQLiteSession("t"), agent(model(play=play))
        for n in range(20):
            when.append("asked")
            await Runner.run(who, f"Look at batch {n}.", **guarded.options(session=session))
        assert when.count("summary") >= 3
        for before, now in itertools.pairwise(when):
            assert now != "summary" or before in ("call", "summary")
        for at, what in enumerate(when):
            if what == "summary":
                assert when[at:].index("asked") < (when[at:].index("call") if "call" in when[at:] else len(when))

    asyncio.run(run())


def test_rules_are_changed_by_hand_and_the_next_version_of_the_rules_is_the_truth(tmp_path: Path) -> None:
    async def run() -> None:
        session, store = SQLiteSession("t"), SqliteStore(tmp_path / "s.db")
        played_by = model()
        guarded = Standfast(RULES, window_tokens=WINDOW, store=store)
        await turns(guarded, agent(played_by), session, 1)
        async with guarded.session(session) as guard:
            guard.declare("Never call the bank on a Sunday.", source="host")
        await turns(guarded, agent(played_by), session, 1, start=1)
        assert "on a Sunday" in (played_by.calls[-1].system_instructions or "")
        later = Standfast(["Escalate every refund."], window_tokens=WINDOW, store=store)
        await turns(later, agent(played_by), session, 1, start=2)
        said = played_by.calls[-1].system_instructions or ""
        assert "Escalate every refund." in said
        assert "on a Sunday" in said
        assert RULES[0] not in said

    asyncio.run(run())


def test_a_compaction_item_of_the_provider_is_no_source_of_rules_and_the_span_is_degraded() -> None:
    async def run() -> None:
        played_by = model()
        guarded = Standfast(RULES, window_tokens=WINDOW)
        sealed = {"type": "compaction", "id": "cmp_1", "encrypted_content": "gAAAAAB" * 40}
        session = SQLiteSession("t")
        await session.add_items([{"role": "user", "content": "Hello."}, sealed])  # type: ignore[list-item]
        await turns(guarded, agent(played_by), session, 1)
        valid(played_by.calls[0])
        async with guarded.session(session) as guard:
            assert guard.degraded
            assert [rule.text for rule in guard.rules] == RULES

    asyncio.run(run())


def test_the_recall_tool_gives_what_was_folded() -> None:
    async def run() -> None:
        played_by = model()
        guarded = Standfast(RULES, window_tokens=WINDOW, summarizer=Destructive())
        session = SQLiteSession("t")
        who = agent(played_by)
        await turns(guarded, who, session, 8)
        call = function_call("recall_conversation", {"first_turn": 0, "last_turn": 0, "containing": "batch"}, call_id="r1")
        asks = ScriptedModel([[call], [assistant_message("Ah.")]])
        reader = agent(asks)
        reader.tools = [*reader.tools, guarded.recall]
        await Runner.run(reader, "What was first?", **guarded.options(session=session))
        output = [item for item in await session.get_items() if item.get("type") == "function_call_output"][-1]
        assert "Look at batch 0." in str(output.get("output"))

    asyncio.run(run())


@pytest.mark.parametrize("arguments", ["not json", "[1]", '{"first_turn": "the first"}'])
def test_arguments_of_a_model_that_make_no_sense_are_told_to_it(arguments: str) -> None:
    async def run() -> None:
        guarded = Standfast(RULES, window_tokens=WINDOW, summarizer=Destructive())
        session = SQLiteSession("t")
        await turns(guarded, agent(model()), session, 8)
        call = function_call("recall_conversation", {}, call_id="r1")
        call.arguments = arguments
        reader = agent(ScriptedModel([[call], [assistant_message("Ah.")]]))
        reader.tools = [*reader.tools, guarded.recall]
        await Runner.run(reader, "What was first?", **guarded.options(session=session))
        output = [item for item in await session.get_items() if item.get("type") == "function_call_output"][-1]
        assert "as numbers" in str(output.get("output"))

    asyncio.run(run())


def test_a_history_without_its_state_warns() -> None:
    async def run() -> None:
        session = SQLiteSession("t")
        await turns(Standfast(RULES, window_tokens=WINDOW), agent(model()), session, 1)
        with pytest.warns(StateNotPersisted):
            await turns(Standfast(RULES, window_tokens=WINDOW), agent(model()), session, 1, start=1)

    asyncio.run(run())


def test_a_wrapped_session_is_a_session_and_hides_the_providers_compaction() -> None:
    class Compacting(SQLiteSession):
        async def run_compaction(self, args: Any = None) -> None:
            raise AssertionError("raw items would be replaced")

    async def run() -> None:
        wrapped = RawSession(Compacting("t"))
        await turns_of(wrapped)
        assert wrapped.session_id == "t"
        assert await wrapped.pop_item() == {"role": "user", "content": "Hi."}
        await wrapped.clear_session()
        assert await wrapped.get_items(limit=3) == []
        await Runner.run(agent(model()), "Look.", **Standfast(RULES, window_tokens=WINDOW).options(session=Compacting("u")))

    async def turns_of(session: Any) -> None:
        memory = {"role": "user", "content": "<standfast-memory>\n## MEMORY"}
        await session.add_items([memory, {"role": "user", "content": "Hi."}])

    asyncio.run(run())


def test_what_cannot_be_is_refused_at_once() -> None:
    with pytest.raises(sf.PolicyError) as unknown:
        Standfast(RULES)
    assert unknown.value.code == "window_unknown"
    for bad in ({"summarizer": 7}, {"store": 7}, {"trust": 7}, {"tools": {"x": "sometimes"}}, {"on_refusal": "perhaps"}):
        with pytest.raises(sf.PolicyError) as refused:
            Standfast(RULES, window_tokens=WINDOW, **bad)  # type: ignore[arg-type]
        assert refused.value.code == "invalid_argument"
