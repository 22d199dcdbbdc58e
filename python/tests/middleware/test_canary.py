"""No text of a conversation in logs, errors, warnings, names or the agent's own state (O2)."""

from __future__ import annotations

import json
import logging
import warnings
from typing import Any

import pytest
from agents_fakes import WINDOW, Model, ask, get_batch, thread
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.memory import InMemorySaver

import standfast as sf
from standfast.langchain import Standfast

CANARY = "quokka-7731"
RULES = [f"Never tell anybody about the {CANARY} project."]


@pytest.mark.filterwarnings("ignore:.*state_not_persisted.*")
def test_no_sink_has_a_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    receipts: list[sf.Receipt] = []
    failures = iter([True, False] * 50)

    def summarizer(request: Any) -> str:
        if next(failures):
            raise RuntimeError(f"cannot sum up {CANARY}")
        return f"The {CANARY} work went on."

    class Full:
        def get_many(self, digests: Any, /) -> dict[str, str]:
            return {}

        def put_many(self, texts: Any, /) -> None:
            raise OSError(f"no room for {texts}")

    class Strip(AgentMiddleware):  # type: ignore[type-arg]
        on = False

        def wrap_model_call(self, request: Any, handler: Any) -> Any:
            return handler(request.override(system_message=None) if self.on else request)

    strip = Strip()
    mw = Standfast(rules=RULES, summarizer=summarizer, window_tokens=WINDOW, store=Full(), on_receipt=receipts.append)
    agent = create_agent(Model(), [get_batch], middleware=[mw, strip], checkpointer=InMemorySaver())
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        for n in range(14):
            agent.invoke(ask(f"{n} of {CANARY}"), thread())
        strip.on = True
        with pytest.raises(sf.InvariantLost) as caught:
            agent.invoke({"messages": [HumanMessage(f"Never say {CANARY}.")]}, thread())
    state = agent.get_state(thread()).values
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("standfast")]
    assert ours
    assert any(receipt.outcome == "compacted" for receipt in receipts)
    sinks = [*ours, str(caught.value), repr(caught.value), json.dumps(caught.value.details), json.dumps(state.get("_standfast"))]
    sinks += [str(warning.message) for warning in warned if "standfast" in str(warning.message)]
    sinks += [receipt.to_json() for receipt in receipts]
    sinks += [repr(mw), repr(mw._engine), repr(mw._engine._cache), repr(mw._engine._storing)]
    with mw.session(agent, thread()) as guard:
        sinks += [repr(guard), repr(guard.rules), repr(guard.window())]
    assert not [sink for sink in sinks if CANARY in sink]
