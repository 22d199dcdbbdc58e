"""Calls and results of a list of messages, in either shape."""


def parts(message):
    """`(kind, id)` of the calls and results of a message, in order."""
    out = [("call", call["id"]) for call in message.get("tool_calls") or []]
    if message.get("role") == "tool":
        out.append(("result", message.get("tool_call_id")))
    content = message.get("content")
    for block in content if isinstance(content, list) else []:
        if block.get("type") in ("tool_use", "server_tool_use"):
            out.append(("call", block["id"]))
        elif block.get("type", "").endswith("tool_result"):
            out.append(("result", block["tool_use_id"]))
    return out


def ordered(messages):
    """The ids of all calls, and of all results that stand behind their call."""
    calls, results = [], []
    for message in messages:
        for kind, one in parts(message):
            if kind == "call":
                calls.append(one)
            elif one in calls:
                results.append(one)
    return calls, results


def unpaired(messages, interim):
    """Results without their call, and calls passed over although others behind them were answered."""
    faults, open_calls, done = [], [], []
    for i, message in enumerate(messages):
        for kind, one in parts(message):
            if kind == "call":
                open_calls.append(one)
            elif one in open_calls:
                open_calls.remove(one)
                done.append(one)
            elif not (interim and one in done):
                faults.append(f"{i}: result without call")
    return faults


def dangling(messages, to):
    """Whether a block names `to` as its caller and no block is it."""
    blocks = [block for m in messages if isinstance(m.get("content"), list) for block in m["content"]]
    named = any((block.get("caller") or {}).get("tool_id") == to for block in blocks)
    return named and not any(block.get("id") == to for block in blocks)
