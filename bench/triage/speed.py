"""What typing costs from Python: 45,000 lines in one call; and how the operators on knowledge bases grow with the document.
Processor time of the thread, best of seven and of three.

STANDFAST_DATA=... python bench/triage/speed.py        # without the data folder, with our own lines
"""

import json
import math
import os
import pathlib
import time

import standfast as sf

COUNT = 45_000
BAR = 0.6
FIELDS = ("text", "heading_path", "lead_in", "kind")


def best_of(rounds, work, *given):
    best = float("inf")
    for _ in range(rounds):
        start = time.thread_time()
        work(*given)
        best = min(best, time.thread_time() - start)
    return best


def growth():
    """Prints what each operator costs on documents of different length, and the exponent from the shortest to the longest."""
    operators = {
        "compact_knowledge": lambda document, lines: sf.compact_knowledge(document, ratio=0.5, mode="rank"),
        "decompose_knowledge": lambda document, lines: sf.decompose_knowledge(document, max_tokens=max(2_000, lines)),
        "KnowledgeIndex, retrieve": lambda document, lines: sf.KnowledgeIndex(document).retrieve("which column?"),
    }
    sizes = (4_000, 16_000, 64_000)
    for name, work in operators.items():
        cost = []
        for lines in sizes:
            parts = (f"## Part {n}\n\n- Never touch table {n}.\n- Table {n} has a column." for n in range(lines // 4))
            document = "\n".join(parts)
            cost.append(best_of(3, work, document, lines))
        exponent = math.log(cost[-1] / cost[0]) / math.log(sizes[-1] / sizes[0])
        print(f"{name}, {sizes} lines: {', '.join(f'{1e3 * one:.0f}' for one in cost)} ms, exponent {exponent:.2f}")


def main():
    given = pathlib.Path(os.environ.get("STANDFAST_DATA", "")) / "labels/lines.jsonl"
    path = given if given.exists() else pathlib.Path(__file__).parent / "own_lines.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    items = [{name: rows[at % len(rows)].get(name) for name in FIELDS} for at in range(COUNT)]
    size = sum(len(item["text"].encode()) for item in items) / COUNT
    assert len(sf.classify_items(items)) == COUNT
    best = best_of(7, sf.classify_items, items)
    verdict = "" if best <= BAR else ": MISSED"
    print(f"{COUNT:,} lines of {size:.0f} bytes in one call: {best:.2f} s, {1e6 * best / COUNT:.1f} us a line (bar {BAR} s){verdict}")
    growth()


if __name__ == "__main__":
    main()
