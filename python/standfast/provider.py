"""A window as the arguments of a provider's own SDK.

client.chat.completions.create(model=..., **window.render("openai"))
client.messages.create(model=..., max_tokens=..., **window.render("anthropic"))
client.responses.create(model=..., **window.render("responses"))
client.models.generate_content(model=..., **window.render("gemini"))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from standfast import _core

Provider: TypeAlias = Literal["openai", "anthropic", "responses", "gemini"]

# Where each SDK takes the messages, and where the system slot.
_PLACES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "openai": ("messages", ()),
    "anthropic": ("messages", ("system",)),
    "responses": ("input", ("instructions",)),
    "gemini": ("contents", ("config", "system_instruction")),
}


def render_request(provider: Provider, messages: Sequence[Any], *, system: Any = None) -> dict[str, Any]:
    """Messages and a system slot as the arguments of a provider's SDK.

    What is the provider's already stays the very object it was. From another shape texts, calls and results are carried
    over, reasoning is left out, and images, files and approvals are an error: `invalid_message`.
    """
    if isinstance(messages, str | bytes) or not isinstance(messages, Sequence):
        raise _core.error_of("invalid_argument", "`messages` is a list")
    given = list(messages)
    made = _core.published("render", {"provider": provider, "messages": given, "system": system})
    listed, (*holders, last) = _PLACES[provider][0], _PLACES[provider][1] or ("",)
    arguments: dict[str, Any] = {listed: [given[slot["host"]] if "host" in slot else slot["own"] for slot in made["slots"]]}
    place = arguments
    if made["system"] is not None:
        for holder in holders:
            place = place.setdefault(holder, {})
        place[last] = made["system"]
    return arguments
