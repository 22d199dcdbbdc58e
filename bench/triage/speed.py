"""What typing costs from Python: 45,000 lines in one call. Processor time of the thread, best of seven.

STANDFAST_DATA=... python bench/triage/speed.py        # without the data folder, with our own lines
"""

import json
import os
import pathlib
import time

import standfast as sf

COUNT = 45_000
BAR = 0.6
FIELDS = ("text", "heading_path", "lead_in", "kind")


def main():
    given = pathlib.Path(os.environ.get("STANDFAST_DATA", "")) / "labels/lines.jsonl"
    path = given if given.exists() else pathlib.Path(__file__).parent / "own_lines.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    items = [{name: rows[at % len(rows)].get(name) for name in FIELDS} for at in range(COUNT)]
    size = sum(len(item["text"].encode()) for item in items) / COUNT
    best = float("inf")
    for _ in range(7):
        start = time.thread_time()
        found = sf.classify_items(items)
        best = min(best, time.thread_time() - start)
    assert len(found) == COUNT
    verdict = "" if best <= BAR else ": MISSED"
    print(f"{COUNT:,} lines of {size:.0f} bytes in one call: {best:.2f} s, {1e6 * best / COUNT:.1f} us a line (bar {BAR} s){verdict}")


if __name__ == "__main__":
    main()
