"""How providers say that a request was too long, and where a request names a history that they keep."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_TOO_LONG = re.compile(
    r"context[_ ]length|context[_ ]window|maximum context|prompt is too long|input is too long|too many input tokens"
    r"|input token count .* exceeds|reduce the length of the (?:messages|prompt)|request_too_large",
    re.IGNORECASE,
)
_KEPT_THERE = ("previous_response_id", "conversation", "conversation_id", "use_previous_response_id")


def overflowed(error: BaseException) -> bool:
    """Whether a provider refused a request for its length."""
    code = getattr(error, "code", None)
    return code == "context_length_exceeded" or (type(error).__module__.split(".")[0] != "standfast" and bool(_TOO_LONG.search(str(error))))


def kept_there(settings: Any, prefix: str = "") -> bool:
    """Whether some settings name a history that the provider keeps."""
    return isinstance(settings, Mapping) and any(settings.get(f"{prefix}{name}") for name in _KEPT_THERE)
