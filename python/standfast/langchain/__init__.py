"""standfast for LangChain: one middleware, put last.

    from langchain.agents import create_agent
    from standfast.langchain import Standfast

    agent = create_agent(model, tools, middleware=[Standfast(rules="AGENTS.md")])

It needs LangChain 1.5 or newer: `pip install standfast[langchain]`.
"""

from standfast._thread.cycle import StateNotPersisted
from standfast._thread.options import AgentOptions
from standfast.langchain.middleware import Standfast, StandfastMiddleware, StandfastState
from standfast.langchain.session import Session

__all__ = ["AgentOptions", "Session", "Standfast", "StandfastMiddleware", "StandfastState", "StateNotPersisted"]
