"""What an agent's recall tool answers: earlier turns in the words they were said in."""

from __future__ import annotations

from collections.abc import Sequence

from standfast.records import Recalled

ABOUT = (
    'Reads earlier turns of this conversation in full, as they are numbered in the memory notes ("[turns 3-7]").\n\n'
    "Give `containing` to get only what has that word in it."
)
_CHARACTERS = 12_000
"""Most that one answer may hold."""


def recalled(events: Sequence[Recalled], first_turn: int, last_turn: int, containing: str) -> str:
    """The turns that were asked for."""
    wanted = [event for event in events if first_turn <= event.turn <= last_turn and containing.lower() in (event.text or "").lower()]
    text = "\n".join(f"[turn {event.turn}] {event.role}: {event.text}" for event in wanted if event.text)
    if len(text) > _CHARACTERS:
        text = f"{text[:_CHARACTERS]}\n[cut here; ask for fewer turns]"
    return text or "Nothing of these turns is left."
