"""Conversations the tests run on. They stay valid OpenAI chat and fill a small window quickly."""

from __future__ import annotations

from typing import Any

WINDOW = 20_000
REFUND = "Never issue a refund above GBP 500 without a human approver."
ALLERGY = "The patient is allergic to penicillin; never propose it."
Message = dict[str, Any]


def conversation(turns: int, *, start: int = 0, words: str = "row reconciled against the ledger, nothing unusual; ") -> list[Message]:
    """A user who asks, an agent that calls a tool and answers."""
    messages: list[Message] = []
    for n in range(start, start + turns):
        call = {"id": f"call-{n}", "type": "function", "function": {"name": "get_batch", "arguments": f'{{"n": {n}}}'}}
        messages += [
            {"role": "user", "content": f"Please look at batch {n}."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call-{n}", "content": f"batch {n}: {words * 14}"},
            {"role": "assistant", "content": f"Batch {n} is fine. {words * 2}"},
        ]
    return messages
