"""Reads a report case: its shorthand for long texts, its shape, and its policy in the words of standfast."""

import json

import standfast as sf

SHAPES = {"openai": "openai", "openai_chat": "openai", "chat": "openai", "anthropic": "anthropic"}

# what a case may ask of a policy, and where it is in standfast if it is not a field
KNOWN = {
    "pins": "declared rules",
    "constraints": "declared rules",
    "auto_constraints": "a rule said by the user is promoted, always",
    "keep_latest_user": "the last user message is always kept",
    "keep": "tail_tokens",
    "trigger": "quality_fraction",
    "window_tokens": "window_tokens",
    "model": "standfast knows no models by name",
    "reserve_tokens": "max_tool_result_tokens",
    "counter": "the host counts and tells with usage()",
    "auto": "enabled",
    "enabled": "enabled",
    "max_part_bytes": "summarizer_window_tokens",
    "strict_alternation": "the shape decides",
    "on_verify_fail": "checks",
    "keep_identifiers": "identifiers are always kept",
    "identifier_budget_chars": "a quarter of summary_tokens",
    "keep_user_corrections": "no such switch",
    "summary_tag": "summaries are taken as text",
    "summary_budget_tokens": "summary_tokens",
    "hooks": "the host stands between plan() and commit()",
    "clear_tool_results": "results are folded with their calls, never cleared alone",
    "cooldown": "built in",
    "tail_tokens": "tail_tokens",
    "summary_tokens": "summary_tokens",
}

ON_FAIL = {
    "refuse": "refuse",
    "report": "report",
    "report_only": "report",
    "safe_fallback": "repair",
    "fallback": "repair",
    "repair": "repair",
}
CHECKS = ("fate", "authority", "identifiers", "decisions", "idempotence")


class Absent(Exception):
    """Standfast has no such operation; the message says what is there instead."""


class Untranslated(Exception):
    """A word of the case that this program does not know: to be added here."""


def long_texts(value):
    """`{"$repeat": [text, n]}` and `{"$concat": [...]}` written out."""
    if isinstance(value, list):
        return [long_texts(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"$repeat"}:
        what, n = value["$repeat"]
        what = long_texts(what)
        return what * n if isinstance(what, str) else [what] * n
    if value.keys() == {"$concat"}:
        return "".join(long_texts(part) for part in value["$concat"])
    if value.keys() == {"$join"}:
        return "\n".join(long_texts(part) for part in value["$join"])
    return {key: long_texts(item) for key, item in value.items()}


def texts_of(value):
    """All texts of a message that a model would read: its contents, arguments of its calls, results."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in texts_of(item)]
    if isinstance(value, dict):
        keys = ("role", "id", "type", "tool_call_id", "tool_use_id", "signature")
        return [text for key, item in value.items() if key not in keys for text in texts_of(item)]
    return []


def characters(messages, *more):
    """Characters by four, as a host counts that counts so."""
    fields = [message.get("content") for message in messages] + [message.get("tool_calls") for message in messages]
    return sum(len(text) for text in texts_of([*fields, *more])) // 4


def messages_of(setup):
    shape = setup.get("format", "openai")
    if shape not in SHAPES:
        raise Absent(f"the shape `{shape}` is not read yet; openai and anthropic are")
    if "items" in setup:
        raise Absent("items of the Responses API are not read yet")
    return SHAPES[shape], long_texts(setup.get("messages") or [])


def rules_of(policy):
    """`(id, text, scope)` of what the host declares. A finished procedure is none of its rules any more."""
    given = [*(policy.get("pins") or []), *(policy.get("constraints") or [])]
    rules = [rule if isinstance(rule, dict) else {"id": rule, "text": rule} for rule in given]
    return [(rule.get("id", rule["text"]), long_texts(rule["text"]), rule.get("scope")) for rule in rules]


def window_of(policy):
    trigger = policy.get("trigger") or {}
    tokens = trigger.get("tokens")
    if policy.get("window_tokens"):
        return policy["window_tokens"]
    if tokens:
        return max(1_000, 2 * tokens)
    return None if "model" in policy or "fraction" in trigger else 100_000


def fields_of(policy, tail):
    """The fields of a `Policy`. What is no word of the cases is passed on as it is."""
    window = window_of(policy)
    fields = {key: value for key, value in policy.items() if key not in KNOWN}
    if window is not None:
        fields["window_tokens"] = window
    trigger = policy.get("trigger") or {}
    unknown = trigger.keys() - {"tokens", "fraction", "messages"}
    if unknown:
        raise Untranslated(f"a trigger by {sorted(unknown)}")
    if window and ("tokens" in trigger or "fraction" in trigger):
        share = trigger["fraction"] if "fraction" in trigger else trigger["tokens"] / window
        small = max(64, window // 50)
        result = policy.get("reserve_tokens") or 1
        fields |= {"pinned_tokens": pinned(policy, small), "summary_tokens": small, "max_tool_result_tokens": result}
        room = window - fields["pinned_tokens"] - small - result
        fields["quality_fraction"] = max(0.001, min(1.0, int(share * 1000) / 1000))
        # nothing but the trigger of the case fires
        floor = min(room, fields["quality_fraction"] * window) / window
        fields["soft_floor_fraction"] = max(0.001, int(floor * 1000) / 1000 - 0.001)
    if policy.get("auto") is False or policy.get("enabled") is False:
        fields["enabled"] = False
    if "max_part_bytes" in policy:
        fields["summarizer_window_tokens"] = max(1, policy["max_part_bytes"] // 4)
    keep = policy.get("keep") or {}
    if tail is None and "tokens" in keep:
        tail = keep["tokens"]
    if tail is not None:
        fields["tail_tokens"] = max(1, min(tail, (window or 100_000) - 1))
    for name in ("tail_tokens", "summary_tokens"):
        if name in policy:
            fields[name] = policy[name]
    if "summary_budget_tokens" in policy:
        fields["summary_tokens"] = policy["summary_budget_tokens"]
    if "on_verify_fail" in policy:
        fields["checks"] = checks_of(policy["on_verify_fail"])
    return fields


def pinned(policy, small):
    return max(small, sum(sf.count_tokens(text) + 40 for _, text, _ in rules_of(policy)))


def checks_of(word):
    if word not in ON_FAIL:
        raise Untranslated(f"on_verify_fail `{word}`")
    return dict.fromkeys(CHECKS, ON_FAIL[word])


def usage_of(report):
    """The size of the context after a call, as a host adds it up from what its provider reports."""
    hidden = report.get("reasoning_tokens") or (report.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0
    if "prompt_tokens" in report:  # cached tokens are a part of it
        return report["prompt_tokens"] + max(0, (report.get("completion_tokens") or 0) - hidden)
    parts = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens")
    return sum(report.get(part) or 0 for part in parts) - hidden


def text_of_rule(text):
    return text.strip()


def canonical(value):
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
