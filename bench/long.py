"""A long session through nine compactions: does an early decision stand, and do summaries become thinner?

    python bench/long.py
    python bench/long.py --seed 3 --window 50000 --json

About 340 turns of a coding agent, compacted at 70 % of a window of 200,000 tokens. In turn 11 the agent rejects sharded
writes because of cross-region latency; nobody records that as a decision. Five summarizers, the same session:

  built-in     extractive, no model
  steady       deterministic, writes a fortieth of what it is given, inside its budget
  drifting     what `steady` writes, 3 % less in each round, inside its budget as well
  dropping     `steady` without a word on sharded writes
  flipping     `steady`, and says in each round that sharded writes were adopted
"""

import argparse
import json
import re
import sys
from dataclasses import asdict, dataclass

import long_session

import standfast as sf

ROUNDS = 9
SHARE, FILL = 1 / 40, 0.9
TOPIC = re.compile(r"sharded writes", re.IGNORECASE)
REJECTING = re.compile(r"\breject(?:ed|s|ing)?\b", re.IGNORECASE)
FLIPPED = "Sharded writes were adopted because they are faster."


@dataclass
class Row:
    """One round. `tokens` are those of the summaries as they stand in the window."""

    round: int
    turn: int
    share: float
    events: int
    tokens: int
    budget: int
    rejected: bool
    reason: bool
    flipped: bool
    found: int
    alarms: tuple[str, ...]

    @property
    def per_event(self):
        return self.tokens / self.events if self.events else 0.0


def notes(request):
    """Sentences of what was said, the last and the first ones before the rest, then how the tools answered."""
    said, rest, tools = [], [], []
    for line in map(json.loads, request.text.splitlines()):
        turn, text = line["turn"], line["text"]
        if line["trust"] == "external":
            tools.append((line["seq"], f"Turn {turn}: {text.splitlines()[-1][:120]}"))
        elif not line.get("tool"):
            sentences = re.split(r"(?<=[.?]) ", text)
            said += [(line["seq"], f"Turn {turn}: {sentence}") for sentence in {0: sentences[0], 1: sentences[-1]}.values()]
            rest += [(line["seq"], sentence) for sentence in sentences[1:-1]]
    return [note for note in said + rest + tools if "[rule " not in note[1]]


def filled(lines, tokens):
    """The first lines that take so many tokens, in the order of their events."""
    taken, size = {}, 0
    for seq, line in lines:
        size += sf.count_tokens(line) + 1
        if size > tokens:
            break
        taken.setdefault((seq, line))
    return "\n".join(line for _, line in sorted(taken, key=lambda note: note[0]))


class Steady:
    """Writes a share of what it is given, the same in each round; less where the budget is small."""

    def __init__(self):
        self.round = 0

    def kept(self):
        return 1.0

    def lines(self, request):
        return notes(request)

    def __call__(self, request):
        share = min(SHARE, FILL * request.budget_tokens / sf.count_tokens(request.text))
        text = filled(self.lines(request), sf.count_tokens(request.text) * share * self.kept())
        assert sf.count_tokens(text) <= request.budget_tokens, f"round {self.round + 1}: over its budget"
        return text


class Drifting(Steady):
    """Three percent less in each round."""

    def kept(self):
        return 0.97**self.round


class Dropping(Steady):
    """Never speaks of the decision."""

    def lines(self, request):
        return [note for note in notes(request) if not TOPIC.search(note[1])]


class Flipping(Dropping):
    """Turns the decision round, every time."""

    def lines(self, request):
        return [(request.span[0], FLIPPED), *super().lines(request)]


SUMMARIZERS = {"built-in": None, "steady": Steady, "drifting": Drifting, "dropping": Dropping, "flipping": Flipping}


def stands(memory):
    """Whether the memory says that sharded writes were rejected, why, and whether it says the contrary anywhere."""
    sentences = [s for s in re.split(r"(?<=[.!?])\s+|\n", memory) if TOPIC.search(s) and not s.endswith("?")]
    rejected = [s for s in sentences if REJECTING.search(s)]
    return bool(rejected), any("cross-region latency" in s for s in rejected), len(rejected) < len(sentences)


def run(name, *, seed=1, window=200_000, rounds=ROUNDS):
    """The session behind a guard, until so many rounds are done."""
    make = SUMMARIZERS[name]
    summarizer = make() if make else None
    guard = sf.Guard(sf.Policy(window_tokens=window, quality_fraction=0.72, soft_floor_fraction=0.7, tested_rounds=rounds))
    session = long_session.Session(seed, window / 200_000)
    for rule in long_session.RULES:
        guard.declare(rule)
    guard.observe_all(session.opening())
    rows = []
    while len(rows) < rounds:
        for message in session.next_turn():
            guard.observe(message)
            if guard.should_compact() and len(rows) < rounds:
                rows.append(compacted(guard, summarizer, session, window))
                if summarizer:
                    summarizer.round += 1
    return rows


def compacted(guard, summarizer, session, window):
    before = guard.receipt.tokens_in
    known = {segment.span[1] for segment in guard.segments}
    last = max(known, default=-1)
    plan = guard.plan()
    budget = sum(r.budget_tokens for r in plan.requests if r.span[0] > last)
    summaries = {r.id: summarizer(r) for r in plan.requests} if summarizer else None
    result = guard.commit(plan, summaries) if summarizer else guard.compact()
    new = [segment for segment in guard.segments if segment.span[0] > last]
    memory = "\n".join(segment.text for segment in guard.segments)
    rejected, reason, flipped = stands(memory)
    assert guard.assert_window(result.messages) is not None
    return Row(
        round=guard.receipt.round,
        turn=session.turn,
        share=before / window,
        events=sum(segment.span[1] + 1 - segment.span[0] for segment in new),
        tokens=sum(segment.tokens for segment in new),
        budget=budget,
        rejected=rejected,
        reason=reason,
        flipped=flipped,
        found=sum(f.count for f in guard.receipt.findings if f.kind.startswith("decision_")),
        alarms=tuple(f"{alarm.kind}: {alarm.detail}" for alarm in guard.receipt.alarms),
    )


def spread(rows):
    """How far tokens per covered event lie from their mean over rounds 2 to 9, in percent."""
    values = [row.per_event for row in rows[1:]]
    mean = sum(values) / len(values)
    return max(abs(value / mean - 1) for value in values) * 100


def table(name, rows):
    out = [
        f"{name}: {rows[-1].turn} turns",
        f"{'round':>6} {'turn':>5} {'full':>5} {'events':>7} {'tokens':>7} {'per event':>10}  decision",
    ]
    for row in rows:
        decision = "rejected" if row.rejected else "LOST"
        decision += ", with reason" if row.reason else ", NO REASON"
        decision += ", TURNED ROUND" if row.flipped else ""
        found = f"  ({row.found} repaired)" if row.found else ""
        alarms = "".join(f"  ! {alarm}" for alarm in row.alarms)
        out.append(
            f"{row.round:6} {row.turn:5} {row.share:5.0%} {row.events:7} {row.tokens:7} {row.per_event:10.2f}  {decision}{found}{alarms}"
        )
    out.append(f"tokens per covered event, rounds 2 to {len(rows)}: at most {spread(rows):.1f} % from their mean\n")
    return "\n".join(out)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--window", type=int, default=200_000, help="tokens; tool results are scaled with it (default: 200000)")
    arguments.add_argument("--summarizer", choices=SUMMARIZERS, action="append", help="only this one")
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    results = {name: run(name, seed=given.seed, window=given.window) for name in given.summarizer or SUMMARIZERS}
    if given.json:
        print(json.dumps({name: [asdict(row) | {"per_event": row.per_event} for row in rows] for name, rows in results.items()}))
    else:
        print("\n".join(table(name, rows) for name, rows in results.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
