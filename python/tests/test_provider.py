"""A window as the arguments of a provider's SDK."""

from __future__ import annotations

import json
from typing import Any, cast

import pytest

import standfast as sf

RULE = "Never issue a refund above GBP 500 without a human approver."


def guard(**fields: Any) -> sf.Guard:
    made = sf.Guard(window_tokens=4_000, **fields)
    made.declare(RULE)
    return made


def chat(turns: int) -> list[dict[str, Any]]:
    return [
        message
        for n in range(turns)
        for message in (
            {"role": "user", "content": f"Look at batch {n}. " + "row; " * 150},
            {"role": "assistant", "content": f"Batch {n} was looked at, and nothing was found in it."},
        )
    ]


@pytest.mark.parametrize("provider", ["openai", "anthropic", "responses", "gemini"])
def test_a_request_has_the_rules_once_in_its_slot_and_the_hosts_own_objects(provider: sf.Provider) -> None:
    made, history = guard(), chat(10)
    made.overhead(system="You are a clerk.")
    made.sync(history)
    made.compact(lambda request: "Batches were looked at.")
    request = made.window().render(provider)
    system = request.get("system") or request.get("instructions") or request.get("config", {}).get("system_instruction")
    messages = cast("list[Any]", request.get("messages") or request.get("input") or request.get("contents"))
    made.assert_window(messages, system=system)
    assert json.dumps(request).count(RULE) == 1
    with pytest.raises(sf.InvariantLost):
        made.assert_window(messages[1:] if provider == "openai" else messages, system="You are a clerk.")
    own = {id(message) for message in history}
    assert provider == "gemini" or sum(id(message) in own for message in messages) >= 2
    markers = json.dumps(request).count("cache_control")
    assert markers == (1 if provider == "anthropic" else 0)


def test_the_marker_stands_on_the_last_segment_unless_the_host_set_four() -> None:
    made = guard(shape="anthropic")
    history = chat(10)
    made.sync(history)
    made.compact(lambda request: "Batches were looked at.")
    window = made.window()
    request = window.render("anthropic")
    assert all(mine is theirs for mine, theirs in zip(request["messages"], window.messages))
    assert request["messages"][0]["content"][0]["cache_control"] == {"type": "ephemeral"}
    for message in history:
        message["content"] = [{"type": "text", "text": message["content"], "cache_control": {"type": "ephemeral"}}]
    full = guard(shape="anthropic")
    full.sync(history)
    full.compact(lambda request: "Batches were looked at.")
    assert "cache_control" not in json.dumps(full.window().render("anthropic")["messages"][0]) or len(full.window().messages) < 5


def test_what_is_no_provider_or_no_list_is_refused() -> None:
    with pytest.raises(sf.PolicyError):
        guard().window().render(cast("sf.Provider", "bedrock"))
    with pytest.raises(sf.PolicyError):
        sf.render_request("openai", cast("Any", "text"))
    with pytest.raises(sf.ShapeError) as image:
        sf.render_request("gemini", [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://x.example/1.png"}}]}])
    assert image.value.code == "invalid_message"
