"""The options that the integrations share, checked once, and what they mean for one conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypedDict, get_args

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


class Options(TypedDict, total=False):
    """What every integration takes beside `rules` and `window_tokens`."""

    summarizer: Any
    """A model of the framework, its name, a function, "agent" for the agent's own model, or None for the built-in extractive one."""
    policy: Policy | Mapping[str, Any] | None
    """Fields of `standfast.Policy`."""
    store: Any
    """A store of `standfast.stores`, a LangGraph store, or None for the graph's own store or this process."""
    trust: TrustHook | None
    """A message's trust, where the host knows better than its role."""
    tools: Mapping[str, str] | None
    """Which tools read, write, or stand for a boundary."""
    inherit: bool
    """Whether agents called by tools take the rules of their caller; they do."""
    on_refusal: OnRefusal
    """What happens where no compaction can be made: the uncompacted request goes out while it fits ("continue"), or "raise"."""
    on_receipt: OnReceipt | None
    """Is given the receipt of each decision."""
    on_bad_state: OnBadState | None
    """What happens where a thread's state cannot be read."""


class AgentOptions(Options, total=False):
    """What integrations take that see an agent's turns and requests."""

    compact_at: CompactAt
    """"turn_end" compacts when the answer is there; else before a call."""
    allow_unverified: bool
    """Lets requests out whose history the provider keeps."""


def checked(given: Options | AgentOptions, known: type[Options] | type[AgentOptions]) -> AgentOptions:
    """The options that were given, refused where one is not known or cannot be."""
    options: AgentOptions = {**given}
    unknown = next((name for name in options if name not in known.__annotations__), None)
    if unknown is not None:
        raise TypeError(f"unexpected option `{unknown}`; the options are {', '.join(known.__annotations__)}")
    one_of("compact_at", options.get("compact_at", "call"), ("call", "turn_end"))
    one_of("on_bad_state", options.get("on_bad_state"), ("rebuild", "raise", None))
    callable_or_none("on_receipt", options.get("on_receipt"))
    if not callable(options.get("on_refusal")):
        one_of("on_refusal", options.get("on_refusal", "continue"), ("continue", "raise"))
    if (hook := options.get("trust")) is not None:
        options["trust"] = _checked_trust(hook)
    return options


_TRUSTED: Mapping[str, Trust] = {SOURCE: "operator", INHERITED: "operator"}


def one_of(name: str, value: object, allowed: tuple[object, ...]) -> None:
    """Refuses a value that is not among the allowed ones."""
    if value not in allowed:
        raise _core.error_of("invalid_argument", f"`{name}` is one of {', '.join(map(repr, allowed))}")


def callable_or_none(name: str, value: object) -> None:
    """Refuses a value that cannot be called."""
    if value is not None and not callable(value):
        raise _core.error_of("invalid_argument", f"`{name}` is of type `{type(value).__name__}`, not a function")


def _checked_trust(hook: TrustHook) -> TrustHook:
    """The hook with its answers checked: a word that is none of the four would be taken for no answer."""
    callable_or_none("trust", hook)

    def answered(message: Any) -> Trust | None:
        answer = hook(message)
        if answer is not None and answer not in get_args(Trust):
            raise _core.error_of("invalid_argument", "`trust` answers operator, user, agent, external or None")
        return answer

    return answered


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
