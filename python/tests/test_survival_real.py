"""The main job on real transcripts: every active rule stands byte for byte after 1, 5 and 50 rounds, whatever summarizes.

A conversation is fed as a host would, compacted where the guard asks for it, repeated with fresh call ids until that
has happened more than three times, and then compacted by force every few messages until fifty rounds are over.
"""

import copy
import hashlib
import json

import convert
import pytest

import standfast as sf

ROUNDS, CHUNK, MOST_MESSAGES = 50, 3, 20_000
DECLARED = (
    "Never issue a refund above GBP 500 without the approval of a human operator.",
    "Patient P-20418 is allergic to penicillin: anaphylaxis in 2011, treated in intensive care.",
    "Secrets must not be printed, logged or committed;\nthis holds for values from the vault, too.",
    "Zahlungen \u00fcber 1.000 \u20ac d\u00fcrfen nie ohne Freigabe durch zwei Personen ausgef\u00fchrt werden.",
)


class Summarizer:
    """Answers like a bad model and remembers what it was shown."""

    def __init__(self, answer):
        self.answer, self.shown = answer, []

    def __call__(self, request):
        self.shown.append(request)
        return self.answer(len(self.shown), request)


def one_character(_, request):
    return "."


def echo(_, request):
    return request.text


def raise_every_second(n, request):
    if n % 2 == 0:
        raise RuntimeError("the model is not available")
    return "Work went on."


SUMMARIZERS = {"one_character": one_character, "echo": echo, "raise_every_second": raise_every_second, "extractive": None}

# --- conversations: three written here, the others from the data folder -----------------------------------------------


def call(n, name, arguments, result):
    return [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}],
        },
        {"role": "tool", "tool_call_id": f"c{n}", "content": result},
    ]


def single_user_message():
    start = "Please sort the archive by year. Never delete a file, not even an empty one. Do not follow links out of the archive."
    work = [
        m
        for n in range(40)
        for m in call(n, "list_folder", {"path": f"archive/{1970 + n}"}, "\n".join(f"{n:02d}-{i:03d}.tif 18 MB" for i in range(30)))
    ]
    return [{"role": "user", "content": start}, *work]


def rule_rich_head():
    rules = "\n".join(f"- Never open valve {n} while pump {n + 1} is running above {n * 10 + 5} bar." for n in range(20))
    work = [
        m
        for n in range(30)
        for m in call(
            n,
            "read_pressure",
            {"pump": n},
            f"pump {n}: {n * 3} bar, steady for {n + 4} minutes, valve closed, last service 2025-{n % 12 + 1:02d}-14",
        )
    ]
    return [
        {"role": "system", "content": f"You watch a plant.\n{rules}"},
        {"role": "developer", "content": "Report in bar."},
        {"role": "user", "content": "Start the morning round."},
        *work,
    ]


def tool_output_in_user_messages():
    out = [
        {"role": "system", "content": "Answer with one command in a code block."},
        {"role": "user", "content": "Find the slow query. The replica must not be restarted."},
    ]
    for n in range(40):
        out.append(
            {"role": "assistant", "content": f"Looking at slice {n}.\n```\nexplain analyze select * from orders where slice = {n}\n```"}
        )
        plan = "\n".join(f"Seq Scan on orders_{n}_{i} (cost=0.00..{n * i}.31 rows={i * 97})" for i in range(12))
        out.append({"role": "user", "content": f"Observation:\n```\n{plan}\nHINT: this table must never be analyzed by hand\n```"})
    return out


def collected():
    made = [(f.__name__, "openai", f()) for f in (single_user_message, rule_rich_head, tool_output_in_user_messages)]
    return made + list(convert.conversations())


CONVERSATIONS = collected()

# A message of less is in no request on its own.
LEAST = 64


def test_the_data_folder_is_there():
    if convert.folder() is None:
        pytest.skip("STANDFAST_DATA is not set or not a folder: only the conversations written here are tested")
    assert len(CONVERSATIONS) > 3


def test_every_file_is_converted_or_explained():
    if convert.folder() is None:
        pytest.skip("STANDFAST_DATA is not set or not a folder")
    for path in convert.files():
        if path.name not in convert.NOT_CONVERTIBLE:
            assert convert.convert(path), path.name
        elif path.suffix != ".tsv":
            with pytest.raises(convert.NotConvertible):
                convert.convert(path)


@pytest.mark.parametrize(("name", "shape", "messages"), CONVERSATIONS, ids=[c[0] for c in CONVERSATIONS])
def test_converted_chat_is_valid(name, shape, messages):
    assert convert.problems(messages, shape) == []


# --- the run ----------------------------------------------------------------------------------------------------------


def is_result(message):
    return message["role"] == "tool" or bool(convert.blocks(message, "tool_result"))


def head_of(messages):
    count = 0
    while count < len(messages) and messages[count]["role"] in ("system", "developer"):
        count += 1
    return count


def endless(messages):
    """The conversation itself, then copies without the head and with call ids of their own, for ever."""
    yield from messages
    n = 0
    while True:
        n += 1
        for m in copy.deepcopy(messages[head_of(messages) :]):
            for c in m.get("tool_calls") or []:
                c["id"] = f"{c['id']}-r{n}"
            if "tool_call_id" in m:
                m["tool_call_id"] = f"{m['tool_call_id']}-r{n}"
            for b in m["content"] if isinstance(m.get("content"), list) else []:
                for key in ("id", "tool_use_id"):
                    if key in b:
                        b[key] = f"{b[key]}-r{n}"
            yield m


def size(message):
    return sf.count_tokens(json.dumps(message, ensure_ascii=False))


def window_for(messages):
    """Small, but with room for the head, the largest message and all promoted rules."""
    head = sum(size(m) for m in messages[: head_of(messages)])
    return max(8_000, 2 * head + 3 * max(size(m) for m in messages))


def active(guard):
    return [r.text.strip() for r in guard.rules if r.status in ("declared", "promoted")]


def entry(text):
    return f"- [{hashlib.sha256(text.encode()).hexdigest()[:16]}] {text}\n"


def texts_of(messages, *roles):
    for m in messages:
        if m["role"] in roles:
            content = m["content"]
            yield content if isinstance(content, str) else "\n".join(b.get("text", "") for b in content)


def check_block(pinned, rules):
    """The block is its two marks and each active rule as exactly one entry."""
    lines = pinned if pinned.endswith("\n") else pinned + "\n"
    first, rest = lines.split("\n", 1)
    assert first == "## NON-NEGOTIABLE CONSTRAINTS (verbatim, re-injected each round)"
    assert len(set(rules)) == len(rules)
    for text in sorted(rules, key=len, reverse=True):
        assert rest.count(entry(text)) == 1, f"not exactly one entry: {text[:60]!r}"
        rest = rest.replace(entry(text), "")
    assert rest == "## END CONSTRAINTS\n"


def check_window(window, shape, seen, head):
    assert convert.problems(window.messages, shape) == []
    at = {id(m): i for i, m in enumerate(seen)}
    places = [at.get(id(m)) for m in window.messages]
    hosts = [p for p in places if p is not None]
    assert hosts == sorted(set(hosts))
    assert places[:head] == list(range(head))
    assert window.messages[-1] is seen[-1]
    assert places.count(None) <= (2 if shape == "openai" else 1), "more than the pinned block and the memory message is not the host's"
    slot = [window.system or "", *texts_of(window.messages, "system", "developer")]
    assert sum(text.count(window.pinned) for text in slot) == 1


def check_requests(requests, rules):
    for request in requests:
        lines = [request.text]
        for line in request.text.splitlines():
            try:
                lines.append(json.dumps(json.loads(line), ensure_ascii=False))
                lines += [v for v in json.loads(line).values() if isinstance(v, str)]
            except (ValueError, AttributeError):
                pass
        for rule in rules:
            assert not any(rule in text for text in lines), f"the summarizer was shown a rule: {rule[:60]!r}"


@pytest.mark.parametrize("summarizer", SUMMARIZERS)
@pytest.mark.parametrize(("name", "shape", "messages"), CONVERSATIONS, ids=[c[0] for c in CONVERSATIONS])
def test_every_active_rule_survives(name, shape, messages, summarizer):
    answer = SUMMARIZERS[summarizer]
    summarize = Summarizer(answer) if answer else None
    guard = sf.Guard(sf.Policy(window_tokens=window_for(messages), pinned_tokens=2_600), shape=shape)
    for text in DECLARED:
        guard.declare(text, source="policy_loader")
    seen, rounds, asked_for, since = [], 0, 0, 0
    checked, own = set(), False
    for message in endless(messages):
        whole = len(seen) >= len(messages)
        if seen and not is_result(message):
            wanted = bool(guard.should_compact())
            if wanted or (whole and asked_for > 3 and since >= CHUNK):
                before, shown = active(guard), len(summarize.shown) if summarize else 0
                window = guard.compact(summarize)
                asked_for, rounds, since = asked_for + wanted, rounds + 1, 0
                rules = active(guard)
                assert set(DECLARED) | set(before) <= set(rules), "a compaction took a rule away"
                check_block(window.pinned, rules)
                check_window(window, shape, seen, head_of(messages))
                guard.assert_window(window.messages, system=window.system)
                if summarize:
                    check_requests(summarize.shown[shown:], before)
                checked.add(rounds)
                if rounds >= ROUNDS:
                    break
        observed = guard.observe(message)
        own |= "foreign_summary" not in observed.flags and sf.count_tokens(json.dumps(message)) > LEAST
        seen.append(message)
        since += 1
        assert len(seen) < MOST_MESSAGES, f"{rounds} rounds ({asked_for} asked for) in {len(seen)} messages"
    assert checked == set(range(1, ROUNDS + 1))
    assert asked_for > 3
    # another compactor's summary is in no request, nor is what a request would not make shorter
    assert summarize is None or summarize.shown or not own
