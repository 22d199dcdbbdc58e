"""standfast beside the usual middleware of LangChain and compaction-guard: rules, prefix, cost of a call, valid requests.

    python bench/langchain                                  the three transcripts of the demo
    STANDFAST_DATA=... python bench/langchain               and the given real ones
    python bench/langchain --only demo                      or `real`, `time`

Needs langchain-openai, langchain-anthropic and compaction-guard (Python 3.11). The exit code is 1 where a bar is missed.
"""

import argparse
import json
import statistics
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import judging
import playing
import timing
from chat_files import Given, Transcript, read
from real_summarizer import BOOK
from survival import DEMO

import standfast as sf

WARM, RATIO, FLAT = 2.0, 1.5, 1.5
LEAST, REAL = 1_000, 16_000
"""Tokens that a real transcript has at least, and those of the window it is played in, the system prompt aside."""
SIZES = (1_000, 4_000)


def demo():
    """The demo's transcripts, each with both summarizers."""
    book = json.loads(BOOK.read_text(encoding="utf-8"))["summaries"]
    for path in DEMO:
        script = read(path)
        for name, recorded in (("destructive", None), ("SmolLM2", book[script.name])):
            yield script, name, recorded, script.window_tokens


def given():
    """The real transcripts as long sessions: every third begins one, and the others follow in turn, whatever they are about. The rules are
    what a user said in them and a guard takes for a rule."""
    import convert

    parts = [(name, shape, messages) for name, shape, messages in convert.conversations() if weight(messages) >= LEAST]
    for at in range(0, len(parts), 3):
        session = Transcript(parts[at][0], "openai", [])
        for name, shape, messages in parts[at:] + parts[:at]:
            part = Transcript(name, shape, messages)
            start, head = len(session.messages), part.head if session.messages else 0
            session.messages += [renamed(message, name) for message in messages[head:]]
            session.rules += [Given(text, "user", start + place - head, said=True) for place, text in said_in(part)]
        window = REAL + int(1.5 * sf.count_tokens(playing.system_of(session) or ""))
        yield session, "destructive", None, window


def weight(messages):
    """Tokens of some messages."""
    return sum(sf.count_tokens(playing.text_in(message.get("content"))) + 4 for message in messages)


def renamed(value, name):
    """A message whose calls are told from those of other transcripts."""
    if isinstance(value, list):
        return [renamed(item, name) for item in value]
    if not isinstance(value, dict):
        return value
    names = ("id", "tool_call_id", "tool_use_id")
    return {key: f"{name}-{item}" if key in names and isinstance(item, str) else renamed(item, name) for key, item in value.items()}


def said_in(script):
    """The rules that a guard finds in the user's own words, and where."""
    guard = sf.Guard(sf.Policy(window_tokens=10_000_000, promoted_tokens=3_000), shape=script.shape)
    found = []
    for at, message in enumerate(script.messages):
        known = {rule.text for rule in guard.rules}
        guard.observe(message)
        if at >= script.head:
            found += [(at, rule.text) for rule in guard.rules if rule.text not in known]
    return found


def compared(scripts, rounds):
    """Every arm on every transcript."""
    for script, summarizer, recorded, window in scripts:
        for arm in playing.ARMS:
            played = playing.play(arm, script, window, recorded, rounds)
            yield arm, script.name, summarizer, played


def figures(arm, rows):
    """The figures of an arm over some transcripts."""
    of_arm = [played for one, _, _, played in rows if one == arm]
    shares = [judging.prefixes(played) for played in of_arm]
    behind = [share for _, after in shares for share in after]
    checked = [judging.valid(played) for played in of_arm]
    requests = sum(len(played.requests) for played in of_arm)
    alive = {}
    for number in judging.ROUNDS:
        found = [one for played in of_arm for one in played.rounds if one.number == number]
        due = sum(one.due for one in found)
        alive[number] = (sum(one.alive for one in found), due)
    return {
        "alive": alive,
        "behind": mean(behind),
        "beyond": mean([share for played in of_arm for share in judging.beyond(played)]),
        "prefix": mean([share for all_, _ in shares for share in all_]),
        "paid": mean([judging.paid(played) for played in of_arm if played.requests]),
        "valid": (sum(number for number, _ in checked), requests),
        "fault": next((fault for _, fault in checked if fault), None),
        "stopped": [played.stopped for played in of_arm if played.stopped],
        "rounds": sum(len(played.rounds) for played in of_arm),
    }


def mean(values):
    """The mean, of nothing 0."""
    return statistics.fmean(values) if values else 0.0


def shown(title, rows):
    """The table of some transcripts; the figures of each arm."""
    names = list(dict.fromkeys(name for _, name, _, _ in rows))
    print(f"\n{title}: {len(names)} transcripts, summarizers {', '.join(dict.fromkeys(one for _, _, one, _ in rows))}")
    head = f"{'rules alive after 1':>18}{'5':>12}{'10 rounds':>14}"
    print(f"{'':20}{head}{'prefix behind a':>17}{'without':>9}{'every':>8}{'input':>8}{'valid':>14}")
    print(f"{'':20}{'':{len(head)}}{'compaction':>17}{'prompt':>9}{'call':>8}{'paid':>8}")
    found = {}
    for arm in playing.ARMS:
        one = found[arm] = figures(arm, rows)
        shares = (f"{kept}/{due} {kept / due:4.0%}" if due else "-" for kept, due in one["alive"].values())
        cells = "".join(f"{share:>{size}}" for share, size in zip(shares, (18, 12, 14)))
        valid = f"{one['valid'][0]}/{one['valid'][1]}"
        print(f"{arm:20}{cells}{one['behind']:>17.1%}{one['beyond']:>9.1%}{one['prefix']:>8.1%}{one['paid']:>8.1%}{valid:>14}")
        for why in dict.fromkeys([*one["stopped"], *([one["fault"]] if one["fault"] else [])]):
            print(f"{'':18}{why[:110]}")
    return found


def missed(found):
    """The bars that an arm's figures miss."""
    ours = found["standfast"]
    for number, (kept, due) in ours["alive"].items():
        if kept < due:
            yield f"rules alive after {number} rounds: {kept} of {due}"
    for arm in playing.ARMS[:-1]:
        if ours["behind"] < RATIO * found[arm]["behind"]:
            yield f"prefix behind a compaction: {ours['behind']:.1%}, {arm} {found[arm]['behind']:.1%}"
    if ours["valid"][0] < ours["valid"][1] or ours["stopped"]:
        yield f"valid requests: {ours['valid'][0]} of {ours['valid'][1]}"


def timed():
    """The table of times; the bars that are missed."""
    print(f"\nmilliseconds of processor time that standfast adds to a model call, {timing.CALLS} calls a turn, {len(timing.RULES)} rules")
    print(f"{'history':>9}  {'window':24}{'sent':>6}{'first':>9}{'made anew':>11}{'warm':>8}{'paused':>8}{'list ==, same':>15}{'equal':>8}")
    costs = {}
    for title, share in (("compacted, 200 messages", None), ("never compacted", 0.3)):
        for count in SIZES:
            window = timing.window_of(200, 0.55) if share is None else timing.window_of(count, share)
            one = costs[title, count] = timing.cost(count, window)
            same, equal = timing.comparing(count)
            times = f"{one.first:>9.1f}{one.anew:>11.2f}{one.warm:>8.2f}{one.paused:>8.2f}{same:>15.3f}{equal:>8.2f}"
            print(f"{count:>9,}  {title:24}{one.sent:>6}{times}")
    few, many = (costs["compacted, 200 messages", count] for count in SIZES)
    known = [(title, one) for (title, count), one in costs.items() if count == SIZES[0]]
    bars = [f"warm at {SIZES[0]:,}: {one.warm:.2f} ms, {title}" for title, one in known if one.warm > WARM]
    if many.warm - few.warm > FLAT:
        bars.append(f"not flat: {few.warm:.2f} ms at {SIZES[0]:,} messages, {many.warm:.2f} at {SIZES[1]:,}")
    return bars


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python bench/langchain", description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=("demo", "real", "time"))
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--real", type=int, help="so many of the given real transcripts only")
    chosen = parser.parse_args(arguments)
    warnings.simplefilter("ignore")  # deprecations of the frameworks
    bars = []
    if chosen.only in (None, "demo"):
        bars += missed(shown("demo", list(compared(demo(), chosen.rounds))))
    if chosen.only in (None, "real") and (real := list(given())[: chosen.real]):
        bars += missed(shown("real", list(compared(real, chosen.rounds))))
    if chosen.only in (None, "time"):
        bars += timed()
    print("\n" + ("\n".join(f"missed: {bar}" for bar in bars) if bars else "every bar holds"))
    return 1 if bars else 0


if __name__ == "__main__":
    sys.exit(main())
