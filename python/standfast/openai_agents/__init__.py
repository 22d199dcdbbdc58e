"""standfast for the OpenAI Agents SDK: an input filter and a session, as the options of a run.

    from agents import Agent, Runner, SQLiteSession
    from standfast.openai_agents import Standfast

    sf = Standfast(rules="AGENTS.md", window_tokens=200_000)
    result = await Runner.run(agent, "Refund order 7.", **sf.options(session=SQLiteSession("thread-1")))

It needs the Agents SDK 0.24 or newer: `pip install standfast[openai-agents]`.
"""

from standfast._thread.cycle import StateNotPersisted
from standfast._thread.options import AgentOptions
from standfast.openai_agents.running import Standfast
from standfast.openai_agents.sessions import RawSession

__all__ = ["AgentOptions", "RawSession", "Standfast", "StateNotPersisted"]
