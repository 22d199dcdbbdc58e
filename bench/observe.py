"""What a message costs from Python: observe, a warm sync, the first sync after a load.

    python bench/observe.py

Each figure stands beside `json.dumps` + SHA-256 of the same messages in the same run, so that it can be read on any machine.
"""

import argparse
import hashlib
import json
import statistics
import sys
import time

import standfast as sf

BARS = {"observe, 1 KB": 70.0, "sync, warm at 1,000": 1_000.0, "first sync of 1,000 after a load": 15_000.0}


def message(n):
    """About 1 KB of ordinary text."""
    words = f"batch {n}: row {n * 7} reconciled against the ledger of the day, the sum agrees, nothing unusual was seen; "
    return {"role": "assistant" if n % 2 else "user", "content": (words * 20)[:1_000]}


def microseconds(work, argument):
    start = time.perf_counter_ns()
    work(argument)
    return (time.perf_counter_ns() - start) / 1_000


def plain(messages):
    """What any library would have to do at least to know a message again."""
    for one in messages:
        hashlib.sha256(json.dumps(one).encode()).digest()


def observing(messages):
    guard = sf.Guard(window_tokens=10_000_000)
    return statistics.median(microseconds(guard.observe, one) for one in messages)


def syncing(messages, repeats):
    guard = sf.Guard(window_tokens=10_000_000)
    guard.sync(messages)
    same = statistics.median(microseconds(guard.sync, messages) for _ in range(repeats))
    rebuilt = [dict(one) for one in messages]
    equal = statistics.median(microseconds(guard.sync, rebuilt) for _ in range(repeats))
    return same, equal


def loading(messages, repeats):
    guard = sf.Guard(window_tokens=10_000_000)
    guard.sync(messages)
    text, times = guard.snapshot(), []
    for _ in range(repeats):
        restored = sf.Guard.restore(text)
        times.append(microseconds(restored.sync, messages))
    return statistics.median(times)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--messages", type=int, default=1_000)
    arguments.add_argument("--repeats", type=int, default=50)
    given = arguments.parse_args()
    messages = [message(n) for n in range(given.messages)]
    base = statistics.median(microseconds(plain, [one]) for one in messages)
    base_all = statistics.median(microseconds(plain, messages) for _ in range(5))
    same, equal = syncing(messages, given.repeats)
    rows = [
        ("observe, 1 KB", observing(messages), base),
        ("sync, warm at 1,000", same, base_all),
        ("sync, warm, objects built anew", equal, base_all),
        ("first sync of 1,000 after a load", loading(messages, min(given.repeats, 10)), base_all),
    ]
    print(f"{'what':34} {'µs':>10} {'bar':>10} {'x json+sha256':>14}")
    for name, took, plain_took in rows:
        bar = BARS.get(name)
        print(f"{name:34} {took:10.1f} {bar or '':>10} {took / plain_took:14.2f}")
    return 1 if any(took > BARS.get(name, took) for name, took, _ in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
