"""What is read off the requests of an arm: the rules that are alive, the prefix that did not change, and whether providers take them."""

import json
import sys
from itertools import pairwise
from pathlib import Path

from arms import common_prefix

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python" / "tests"))

from chat_validity import problems
from langchain_anthropic.chat_models import _format_messages as to_anthropic
from langchain_openai.chat_models.base import _convert_message_to_dict as to_openai

ROUNDS = (1, 5, 10)


def alive(played, number):
    """Share of the rules that stand in the request behind a compaction; None where it was not compacted so often."""
    found = next((one for one in played.rounds if one.number == number), None)
    return None if found is None or not found.due else found.alive / found.due


def data_of(request):
    """A request's bytes, one message a line."""
    return "\n".join(json.dumps(to_openai(message), ensure_ascii=False) for message in request).encode("utf-8", "surrogatepass")


def prefixes(played):
    """Shares of each request that the request before it began with: of all, and of those behind a compaction."""
    data = [data_of(request) for request in played.requests]
    shares = [common_prefix(before, after) / len(after) for before, after in pairwise(data)]
    return shares, [shares[at - 1] for at in played.compacted if at]


def beyond(played):
    """The shares behind a compaction of what stands behind the host's own system prompt, which nobody changes."""
    host = len(json.dumps(played.system or "", ensure_ascii=False).encode("utf-8", "surrogatepass"))
    for at in played.compacted:
        if at:
            before, after = data_of(played.requests[at - 1]), data_of(played.requests[at])
            yield max(0, common_prefix(before, after) - host) / (len(after) - host)


def paid(played, price=0.1):
    """What the input costs where an unchanged prefix costs a tenth, over what it costs without a cache."""
    data = [data_of(request) for request in played.requests]
    same = sum(common_prefix(before, after) for before, after in pairwise(data))
    total = sum(map(len, data))
    return (total - same * (1 - price)) / total


def faults(request):
    """What the converters of the two providers, or their endpoints, would not take."""
    found = [f"openai: {fault}" for fault in problems([to_openai(message) for message in request], "openai")]
    try:
        _, messages = to_anthropic(list(request), model="claude-sonnet-4-5")
    except Exception as error:
        return [*found, f"anthropic: {type(error).__name__}: {error}"]
    return found + [f"anthropic: {fault}" for fault in problems(messages, "anthropic")]


def valid(played):
    """How many requests both would take, and the first fault."""
    all_faults = [faults(request) for request in played.requests]
    return sum(not one for one in all_faults), next((one[0] for one in all_faults if one), None)
