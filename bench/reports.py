"""Cases distilled from public bug reports, run against standfast as they are written: right, explained, not applicable, wrong.

    STANDFAST_DATA=... python bench/reports.py [--id ID] [--wrong] [FILE]

Without STANDFAST_DATA (a folder with `reports/cases.jsonl`) and without FILE nothing is run. The exit code tells whether
a case is wrong or holds a word that is not translated.
"""

import argparse
import collections
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from report_claims import Claims
from report_probes import probe
from report_setup import Absent, Untranslated
from report_verdict import ABSENT, EXPLAINED, RIGHT, WRONG
from report_world import World

NOT_APPLICABLE, UNTRANSLATED = "not applicable", "untranslated"


def judge(case):
    """`(verdict, [reasons])` of a case."""
    setup = case["setup"]
    try:
        if not ("messages" in setup or "items" in setup or "policy" in setup):
            return probe(case)
        world = World(case).run()
        if wants_padding(world):
            world = World(case, padded=True).run()
        claims = Claims(world)
        found = [(e, *claims.judge(e)) for e in case["expect"] if e["assert"] != "note"]
        if world.crash is not None:
            found.append(({"assert": "no_crash"}, WRONG, repr(world.crash)))
    except Absent as absent:
        return NOT_APPLICABLE, [str(absent)]
    except Untranslated as unknown:
        return UNTRANSLATED, [str(unknown)]
    except (AttributeError, KeyError, IndexError, StopIteration, TypeError) as error:
        return UNTRANSLATED, [f"the case is of a form not seen before: {error!r}"]
    verdicts = [verdict for _, verdict, _ in found]
    reasons = [f"{e['assert']}: {why}" for e, verdict, why in found if why and (verdict != RIGHT)]
    if WRONG in verdicts:
        return WRONG, [f"{e['assert']}: {why}" for e, verdict, why in found if verdict == WRONG]
    if verdicts and all(verdict == ABSENT for verdict in verdicts):
        return NOT_APPLICABLE, sorted(set(reasons))
    return (EXPLAINED if {EXPLAINED, ABSENT} & set(verdicts) else RIGHT), reasons


def wants_padding(world):
    """A summary was to be held against the talk, and the talk is too short to be worth a request."""
    asking = [*world.others, *(step for step in world.steps if step.op in ("compact", "apply_plan") and step.outcome != "cancelled")]
    if any(not step.asked and step.outcome != "crash" for step in asking):
        return True
    return not world.requests and any(step.op in ("plan", "compact") or step.op.startswith("render_for") for step in world.steps)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("file", nargs="?")
    options.add_argument("--id")
    options.add_argument("--wrong", action="store_true", help="show only what is wrong or not translated")
    args = options.parse_args()
    folder = os.environ.get("STANDFAST_DATA")
    if args.file is None and folder is None:
        print("skipped: STANDFAST_DATA is not set")
        return 0
    path = pathlib.Path(args.file) if args.file else pathlib.Path(folder) / "reports" / "cases.jsonl"
    cases = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    counts = collections.Counter()
    for case in cases:
        if args.id and case["id"] != args.id:
            continue
        verdict, reasons = judge(case)
        counts[verdict] += 1
        if not args.wrong or verdict in (WRONG, UNTRANSLATED):
            print(f"{case['id']:8} {verdict:14} {' | '.join(reasons)}")
    print(f"{sum(counts.values())} cases: " + ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common()))
    return 1 if counts[WRONG] or counts[UNTRANSLATED] else 0


if __name__ == "__main__":
    sys.exit(main())
