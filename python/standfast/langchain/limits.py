"""What a model can take: its window, how it says that a request was too long, and where it keeps the history itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_core.exceptions import ContextOverflowError

from standfast import _core
from standfast._thread import limits


def window_of(model: Any) -> int | None:
    """The model's window by its profile."""
    profile = getattr(model, "profile", None)
    tokens = profile.get("max_input_tokens") if isinstance(profile, Mapping) else None
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens > 0 else None


def overflowed(error: BaseException) -> bool:
    """Whether a provider refused a request for its length."""
    if isinstance(error, ContextOverflowError):
        return True
    return limits.overflowed(error)


def refuse_server_side_history(model: Any, settings: Mapping[str, Any]) -> None:
    """Raises where the provider keeps the history: then no system message is sent, and no rule is seen to be there."""
    places = [settings, getattr(model, "model_kwargs", None), settings.get("extra_body"), getattr(model, "extra_body", None)]
    if any(map(limits.kept_there, places)) or getattr(model, "use_previous_response_id", False) is True:
        raise _core.error_of("server_side_history", "the provider keeps the history: the rules cannot be seen in the request")
