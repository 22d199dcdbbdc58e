"""Once more after a request that was too long: a retry policy of the SDK's own, in front of the host's.

The SDK reads the request anew at each attempt from the very object that the input filter gave. What is compacted after the
refusal is therefore put into that object before the SDK tries again.
"""

from __future__ import annotations

import contextvars
import dataclasses
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

from agents import ModelRetrySettings, ModelSettings, RetryDecision
from agents.retry import RetryPolicyContext
from agents.run import ModelInputData

from standfast._thread import limits

_MOST = 1_000
"""More retries than any host allows itself: the policy decides."""

Again = Callable[[Exception], Awaitable[None]]


@dataclasses.dataclass
class Sent:
    """One request, from the filter until it is answered. `again` puts a shorter one into `data`, or raises."""

    data: ModelInputData
    again: Again | None
    settings: ModelRetrySettings | None
    """What the host wants to be tried again."""
    shortened: int = 0


_now: contextvars.ContextVar[Sent | None] = contextvars.ContextVar("standfast_sent", default=None)


def sending(sent: Sent) -> None:
    """This request goes out next in this task."""
    _now.set(sent)


def with_retry(settings: ModelSettings | None) -> ModelSettings:
    """The settings of a run with our policy in front of the host's."""
    host = settings.retry if settings is not None else None
    policy = _policy()
    if host is not None and host.policy is not None:
        policy.__dict__.update(getattr(host.policy, "__dict__", {}))  # the SDK marks what a policy can do
    ours = dataclasses.replace(host or ModelRetrySettings(), max_retries=_MOST, policy=policy)
    return dataclasses.replace(settings or ModelSettings(), retry=ours)


def merged(agent: ModelRetrySettings | None, run: ModelRetrySettings | None) -> ModelRetrySettings | None:
    """What the host wants to be tried again: the run's word before the agent's."""
    return ModelSettings(retry=agent).resolve(ModelSettings(retry=run)).retry


def _policy() -> Callable[[RetryPolicyContext], Awaitable[bool | RetryDecision]]:
    async def policy(context: RetryPolicyContext) -> bool | RetryDecision:
        sent = _now.get()
        if sent is None:
            return False
        if sent.again is not None and not sent.shortened and limits.overflowed(context.error):
            sent.shortened = 1
            try:
                await sent.again(context.error)
            except Exception as error:
                if error is context.error:
                    return False
                raise
            return RetryDecision(retry=True, delay=0.0, reason="too long: compacted once more")
        return await _hosts(sent, context)

    return policy


async def _hosts(sent: Sent, context: RetryPolicyContext) -> bool | RetryDecision:
    """What the host's policy says, which knows nothing of our attempt."""
    host = sent.settings
    attempt = context.attempt - sent.shortened
    most = max(host.max_retries or 0, 0) if host is not None else 0
    if host is None or host.policy is None or attempt > most:
        return False
    answer: Any = host.policy(dataclasses.replace(context, attempt=attempt, max_retries=most))
    decision: bool | RetryDecision = await answer if inspect.isawaitable(answer) else answer
    return decision
