"""The options of the middleware, checked once, and what they mean for one conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

from standfast import _core
from standfast._thread.reading import TrustHook
from standfast._thread.rules import INHERITED, SOURCE
from standfast.errors import StandfastError
from standfast.policy import Policy, fields_of
from standfast.records import Receipt
from standfast.wire import Trust

CompactAt = Literal["call", "turn_end"]
OnBadState = Literal["rebuild", "raise"]
OnRefusal = Literal["continue", "raise"] | Callable[[StandfastError], Literal["continue", "raise"] | None]
OnReceipt = Callable[[Receipt], Any]

_TRUSTED: Mapping[str, Trust] = {SOURCE: "operator", INHERITED: "operator"}


def one_of(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """Refuses a value that is not among the allowed ones."""
    if value not in allowed:
        raise _core.error_of("invalid_argument", f"`{name}` is one of {', '.join(map(repr, allowed))}")


def callable_or_none(name: str, value: object) -> None:
    """Refuses a value that cannot be called."""
    if value is not None and not callable(value):
        raise _core.error_of("invalid_argument", f"`{name}` is of type `{type(value).__name__}`, not a function")


def checked_trust(hook: TrustHook | None) -> TrustHook | None:
    """The hook with its answers checked: a word that is none of the four would be taken for no answer."""
    callable_or_none("trust", hook)
    if hook is None:
        return None

    def checked(message: Any) -> Trust | None:
        answer = hook(message)
        if answer is not None and answer not in get_args(Trust):
            raise _core.error_of("invalid_argument", "`trust` answers operator, user, agent, external or None")
        return answer

    return checked


def policy_fields(policy: Policy | Mapping[str, Any] | None) -> dict[str, Any]:
    """The fields of a policy that were given, with the sources of our own among the trusted ones."""
    fields = fields_of(policy)
    fields["trusted_sources"] = {**fields.get("trusted_sources", {}), **_TRUSTED}
    return fields


def policy_of(fields: Mapping[str, Any], window: int, *, multi: bool, refused: int | None = None) -> dict[str, Any]:
    """The policy of one conversation.

    Where several agents speak, what looks like a user's rule may be another agent's: it is put up for review, not in force.
    After a request of `refused` tokens was too long, the window evidently is smaller than believed: no larger than that
    request, and half the backstop from then on.
    """
    policy = {**fields, "window_tokens": window}
    if multi:
        policy["promoted_tokens"] = 0
    if refused is not None:
        smaller = max(1, min(window, refused))
        fraction = policy.get("quality_fraction") or 0.60
        policy["window_tokens"] = smaller
        policy["quality_fraction"] = fraction / 2
        policy["soft_floor_fraction"] = min(policy.get("soft_floor_fraction") or 0.30, fraction / 2)
        policy["pinned_tokens"] = min(policy.get("pinned_tokens") or window // 10, smaller // 4)
        for name in (
            "tail_tokens",
            "summary_tokens",
            "segments_tokens",
            "held_tokens",
            "summarizer_window_tokens",
            "max_tool_result_tokens",
        ):
            policy.pop(name, None)  # sizes that were chosen for the larger window
    return policy
