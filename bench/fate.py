"""What summaries did to rules, as standfast and compaction-guard (core tier) see it, on the same rows in the same run.

Needs `pip install compaction-guard` (Python 3.11 or newer) and STANDFAST_DATA (a folder with `summaries/`).

    STANDFAST_DATA=... python bench/fate.py [--half 0|1] [--wrong KIND]
"""

import argparse
import collections
import json
import os
import pathlib
import sys
import time

import standfast as sf

try:
    import compaction_guard
except ImportError:
    compaction_guard = None

GOOD = ("preserved", "paraphrased")
KINDS = ("preserved", "distractor", "paraphrased", "weakened", "mutated", "contradicted", "dropped")


def rows(name):
    folder = pathlib.Path(os.environ["STANDFAST_DATA"]) / "summaries"
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines() if line.strip()]


def ours(rule, text):
    return sf.audit([rule], text)[0].kind


def peer(rule, text):
    return str(compaction_guard.check(rule, text).findings[0].kind)


def cases(check, texts, wrong):
    table, micro = collections.Counter(), 0.0
    lost = certified = right = 0
    todo = [case for case in rows("cases") if case["rule_id"] in texts]
    for case in todo:
        start = time.perf_counter()
        found = check(texts[case["rule_id"]], case["summary"])
        micro += 1e6 * (time.perf_counter() - start)
        table[case["kind"], found] += 1
        right += found == case["label"]
        if case["label"] not in GOOD:
            lost += 1
            certified += found in GOOD
        if case["kind"] == wrong and found != case["label"]:
            print(f"  {case['id']}: {found}")
    for kind in KINDS:
        found = {b: n for (a, b), n in sorted(table.items()) if a == kind}
        print(f"  {kind:13}", found)

    def rate(kind, *good):
        n = sum(v for (a, _), v in table.items() if a == kind)
        return sum(v for (a, b), v in table.items() if a == kind and b in good) / max(n, 1)

    print(
        f"  false certificates {certified}/{lost}; preserved {rate('preserved', 'preserved'):.3f}, amid distractors "
        f"{rate('distractor', 'preserved'):.3f}; paraphrased {rate('paraphrased', *GOOD):.3f}; contradicted "
        f"{rate('contradicted', 'contradicted'):.3f}; six-way accuracy {right / max(len(todo), 1):.3f}; {micro / max(len(todo), 1):.0f} us"
    )


def digests(check):
    table = collections.defaultdict(collections.Counter)
    for row in rows("digests"):
        table[row["model"]][row["label"], check(row["rule"], row["summary"])] += 1
    for model, found in sorted(table.items()):
        n = {label: sum(v for (a, _), v in found.items() if a == label) for label in "WGDX"}
        good = {label: sum(v for (a, b), v in found.items() if a == label and b in GOOD) for label in "WGDX"}
        print(f"  digests {model}: certified", ", ".join(f"{label} {good[label]}/{n[label]}" for label in "WGDX"))


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--half", type=int, choices=(0, 1), help="every second rule only")
    arguments.add_argument("--wrong", choices=KINDS, help="names the rows of a kind that came out otherwise")
    asked = arguments.parse_args()
    all_rules = sorted(rows("rules"), key=lambda rule: rule["id"])
    texts = {rule["id"]: rule["text"] for at, rule in enumerate(all_rules) if asked.half is None or at % 2 == asked.half}
    checks = [("standfast", ours)] + ([("compaction-guard", peer)] if compaction_guard else [])
    for name, check in checks:
        print(name)
        cases(check, texts, asked.wrong)
        digests(check)
    return 0


if __name__ == "__main__":
    sys.exit(main())
