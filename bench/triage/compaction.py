"""How many constraints a compaction keeps: ours beside chance, a plain regex and the readers' labels, all with the same fill.

    STANDFAST_DATA=... python bench/triage/compaction.py [--scores FILE] [--files 60]

A base is about a hundred labelled lines of real files. Each arm only says how likely a line is a constraint; the text is
made by `compact_knowledge`, and a text over its budget scores 0 (strict). A constraint is kept if it stands in the text in full. Types of
ours come from the shipped weights, which have seen these lines; `--scores` takes likelihoods from a cross-validation, JSON lines
with `id` and `p` (per mille).
"""

import argparse
import json
import pathlib
import random
import re

import bases

import standfast as sf

RATIOS = (0.75, 0.5, 0.25, 0.1)
REGEX = re.compile(
    r"\b(never|always|must|shall|do not|don't|cannot|may not|should not|required?|mandatory|forbidden|prohibited|not allowed)\b"
    r"|\b(only|avoid|ensure)\b",
    re.IGNORECASE,
)
QUOTED = (
    ("TypeCompact (its own labels)", None, 1.0, 0.952, 0.802),
    ("paid line classifier + fill", None, 0.92, 0.75, 0.54),
    ("regex + fill", None, 0.66, 0.49, 0.40),
    ("oracle labels + fill", None, 0.99, 0.93, 0.69),
    ("a large model asked to compact", None, 0.45, 0.26, 0.17),
)


def kept(base, text, size, budget):
    """Which part of the readers' constraints stands in the text; nothing counts in a text that is too long."""
    rules = [line["text"] for line in base if line["type"] == "C"]
    if text is None or size > budget or not rules:
        return None if not rules else 0.0
    return sum(rule in text for rule in rules) / len(rules)


def arms(scores):
    def ours(base, _):
        return [bases.item(line) for line in base]

    def held_out(base, _):
        return [bases.item(line, p=scores[line["id"]], knowledge="constraint" if scores[line["id"]] >= 500 else "belief") for line in base]

    def likely(of):
        return lambda base, seed: [
            bases.item(line, "constraint" if p >= 500 else "belief", p) for line, p in zip(base, of(base, seed), strict=True)
        ]

    def chance(base, seed):
        rng = random.Random(seed)
        return [rng.randrange(1000) for _ in base]

    found = {
        "ours (shipped weights)": (ours, 1),
        "oracle labels": (likely(lambda base, _: [1000 if line["type"] == "C" else 0 for line in base]), 1),
        "plain regex": (likely(lambda base, _: [1000 if REGEX.search(line["text"]) else 0 for line in base]), 1),
        "chance": (likely(chance), 20),
    }
    return {"ours (cross-validated)": (held_out, 1), **found} if scores else found


def table(all_bases, scores):
    print(f"Constraints kept, strict, mean of {len(all_bases)} bases (95 % interval), mode rank, estimator's tokens")
    print(f"{'':32}" + "".join(f"{ratio:>20.0%}" for ratio in RATIOS))
    over = 0
    for name, (make, seeds) in arms(scores).items():
        cells = []
        for ratio in RATIOS:
            found = []
            for base in all_bases:
                each = []
                for seed in range(seeds):
                    result = sf.compact_knowledge(make(base, seed), ratio=ratio, mode="rank")
                    over += sf.count_tokens(result.text or "") > result.budget
                    each.append(kept(base, result.text, sf.count_tokens(result.text or ""), result.budget))
                if each[0] is not None:
                    found.append(sum(each) / len(each))
            cells.append(bases.shown(found))
        print(f"{name:32}" + "".join(f"{cell:>20}" for cell in cells))
    for name, *cells in QUOTED:
        print(f"{'quoted: ' + name:32}" + "".join(f"{'' if cell is None else f'{cell:.2f}':>20}" for cell in cells))
    print(f"texts over their budget: {over}")


def types_table(all_bases):
    """What is kept of each type where the types are right, in safe mode, and how often the rules alone do not fit."""
    print("\nKept of each type with the readers' types, safe results only; how often there is none")
    print(f"{'':8}" + "".join(f"{name:>8}" for name in "CPBFE") + f"{'unsafe':>10}{'required':>12}")
    for ratio in RATIOS:
        sums, counts, unsafe, needs = dict.fromkeys("CPBFE", 0), dict.fromkeys("CPBFE", 0), 0, []
        for base in all_bases:
            result = sf.compact_knowledge([bases.item(line, bases.TYPES[line["type"]]) for line in base], ratio=ratio)
            if not result.ok:
                unsafe += 1
                needs.append(result.unsafe.required / result.budget)
                continue
            for line in base:
                counts[line["type"]] += 1
            for one in result.kept:
                sums[base[one.index]["type"]] += 1
        cells = "".join(f"{sums[name] / max(1, counts[name]):>8.2f}" for name in "CPBFE")
        need = f"{sum(needs) / len(needs):.1f}x" if needs else "-"
        print(f"{ratio:>7.0%} {cells}{unsafe / len(all_bases):>10.0%}{need:>12}")


def rounds_table(all_bases, rounds=10):
    """Compacted again and again from the text alone, with new lines added each time; a round without a safe result changes nothing."""
    print("\nReaders' constraints still there after each round, from the text alone, half of the first size, five new lines a round")
    after = [[] for _ in range(rounds)]
    for base in all_bases:
        rules = [line["text"] for line in base if line["type"] == "C"]
        if not rules:
            continue
        text = "\n".join(f"- {line['text']}" for line in base)
        budget = sf.count_tokens(text) // 2
        for number in range(rounds):
            fresh = "\n".join(f"- Batch {number}-{extra} was read and filed without a remark." for extra in range(5))
            result = sf.compact_knowledge(f"{text}\n\n{fresh}\n", budget=budget)
            text = result.text if result.ok else text
            after[number].append(sum(rule in text for rule in rules) / len(rules))
    for number, found in enumerate(after, 1):
        print(f"round {number:>2}: {bases.shown(found)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scores", type=pathlib.Path)
    parser.add_argument("--files", type=int, default=60, help="how many bases at most")
    given = parser.parse_args()
    scores = None
    if given.scores:
        rows = [json.loads(line) for line in given.scores.read_text("utf-8").splitlines() if line.strip()]
        scores = {row["id"]: row["p"] for row in rows}
    found = bases.bases()[: given.files]
    table(found, scores)
    types_table(found)
    rounds_table(found)


if __name__ == "__main__":
    main()
