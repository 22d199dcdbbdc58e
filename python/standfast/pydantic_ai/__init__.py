"""standfast for pydantic-ai: one capability.

    from pydantic_ai import Agent
    from standfast.pydantic_ai import Standfast

    agent = Agent("openai:gpt-5", capabilities=[Standfast(rules="AGENTS.md")])

It needs pydantic-ai 2.68 or newer: `pip install standfast[pydantic-ai]`.
"""

from standfast._thread.cycle import StateNotPersisted
from standfast._thread.options import AgentOptions
from standfast.pydantic_ai.capability import Standfast

__all__ = ["AgentOptions", "Standfast", "StateNotPersisted"]
