"""Trains the weights by which a restatement of a rule is told from what hurts it, and says how well they tell.

    STANDFAST_DATA=... python bench/fate_weights.py [FOLDER ...] [--write]

Rows: the cases of `core/tests/fates/` (own wording), `summaries/` of the data folder, and `summaries/` of each further FOLDER.
Every figure is of weights that never saw the rule. The engine itself reads the rows (`core/examples/fate.rs features`), so
features are written once. Only rows are weighed whose fate is not settled by the rule's own words. Needs scikit-learn. `--write`
fits on all and writes `core/src/check/fate/weights.bin`: signed bytes, a row of five fates for each feature.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

ROOT = pathlib.Path(__file__).resolve().parents[1]
SOURCE = ROOT / "core/src/check/fate"
FATES = ["paraphrased", "weakened", "mutated", "contradicted", "dropped"]
MARKS = {"~": "paraphrased", "-": "weakened", "=": "mutated", "!": "contradicted", ".": "dropped"}
DIGESTS = {"W": "paraphrased", "G": "weakened", "D": "weakened", "X": "dropped"}
# Whole summaries are nearer to what is judged than a sentence between two others.
SHARE = {"own": 2.0, "reworded": 3.0, "digests": 1.0, "given": 2.0, "further": 3.0}
STRENGTH = 0.2
SCALE = 16
# As in `evidence.rs`.
MARGIN, DOUBT = 20, 16


def own():
    for path in sorted((ROOT / "core/tests/fates").glob("*.txt")):
        rule = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            mark, _, text = line.partition(" ")
            if mark == "R":
                rule = text
            elif mark in MARKS:
                text = f"Three tickets were closed in the morning. {text} The printer works again."
                yield {"set": "reworded" if path.stem == "reworded" else "own", "rule": rule, "text": text, "fate": MARKS[mark]}


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def summaries(folder, name):
    rules = {rule["id"]: rule["text"] for rule in lines(folder / "rules.jsonl")}
    for case in lines(folder / "cases.jsonl"):
        fate = case["label"].replace("preserved", "paraphrased")
        yield {"set": name, "rule": rules[case["rule_id"]], "text": case["summary"], "fate": fate}
    if (folder / "digests.jsonl").exists():
        for row in lines(folder / "digests.jsonl"):
            yield {"set": "digests", "rule": row["rule"], "text": row["summary"], "fate": DIGESTS[row["label"]]}


def read(rows):
    """The rows that are weighed, with their features and what the words alone made of them."""
    command = ["cargo", "run", "--quiet", "--profile", "python", "-p", "standfast", "--example", "fate", "features"]
    asked = "\n".join(json.dumps({"rule": row["rule"], "text": row["text"]}) for row in rows)
    found = subprocess.run(command, input=asked, capture_output=True, text=True, check=True, cwd=ROOT).stdout.splitlines()
    out = []
    for row, line in zip(rows, found, strict=True):
        answer = json.loads(line)
        if answer and answer[0]:
            row["found"], row["detail"], row["on"] = answer[1]["kind"], answer[1]["detail"], answer[2]
            # a line of `-` is weakened or changed
            row["fate"] = "mutated" if row["set"] == "own" and (row["fate"], row["found"]) == ("weakened", "mutated") else row["fate"]
            out.append(row)
    return out


def names():
    source = (SOURCE / "evidence.rs").read_text(encoding="utf-8")
    named = re.search(r"features! \{(.*?)\}", source, re.DOTALL).group(1).split()
    cues = re.search(r'CUE_NAMES: &str = "(.*?)"', source).group(1).split()
    words = (SOURCE / "words.txt").read_text(encoding="utf-8").split()
    states = [f"{state}_{cue}" for cue in cues for state in ("both", "gone", "new")]
    return named + states + [f"{side}:{word}" for word in words for side in ("new", "gone")]


def guards():
    source = (SOURCE / "evidence.rs").read_text(encoding="utf-8")
    return set(re.findall(r"Feature::(\w+)", re.search(r"GUARDS: &\[Feature\] = &\[(.*?)\]", source, re.DOTALL).group(1)))


def fit(rows, matrix):
    model = LogisticRegression(C=STRENGTH, max_iter=3000, fit_intercept=False)
    model.fit(matrix, [row["fate"] for row in rows], sample_weight=[SHARE[row["set"]] for row in rows])
    weights = np.array([model.coef_[list(model.classes_).index(fate)] for fate in FATES])
    return np.clip(np.round(weights * SCALE), -127, 127).astype(int)


def decided(row, sums, stops):
    most = max(sums[1:])
    lead = sums[0] - most
    lost = row["detail"] == "part-lost" and "AllThere" not in row["on"]
    on = set(row["on"])
    frees = {"MayFree", "IsNeed"} <= on and not {"IsPermit", "GateBoth", "GateFresh"} & on
    frees = frees or {"TurnedOver60", "new_may"} <= on
    stopped = lost or stops & on or {"Permits", "PermitsAndForbids"} <= on or frees
    exchanged = {"Crossed", "OrderTurned"} & set(row["on"])
    if (row["found"] in ("preserved", "paraphrased") and lead > -DOUBT and not exchanged) or (lead > MARGIN and not stopped):
        return "paraphrased"
    return FATES[1 + list(sums[1:]).index(most)]


def told(table):
    """Counts by fate and verdict, in words."""

    def share(fate):
        return f"{table[fate, fate]}/{sum(n for (is_fate, _), n in table.items() if is_fate == fate)}"

    right = sum(n for (fate, found), n in table.items() if fate == found)
    wrong = sum(n for (fate, found), n in table.items() if fate != found == "paraphrased")
    restated, turned = share("paraphrased"), share("contradicted")
    return f"right {right}/{sum(table.values())}, restated {restated}, contradicted {turned}, certified wrongly {wrong}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folders", nargs="*", type=pathlib.Path)
    arguments.add_argument("--write", action="store_true")
    asked = arguments.parse_args()
    rows = [*own(), *summaries(pathlib.Path(os.environ["STANDFAST_DATA"]) / "summaries", "given")]
    for folder in asked.folders:
        rows += summaries(folder / "summaries", "further")
    rows = read(rows)
    places = {name: at for at, name in enumerate(names())}
    matrix = np.zeros((len(rows), len(places)))
    for at, row in enumerate(rows):
        matrix[at, [places[name] for name in row["on"]]] = 1
    sums = np.zeros((len(rows), len(FATES)), int)
    for train, test in GroupKFold(10, shuffle=True, random_state=1).split(rows, groups=[row["rule"] for row in rows]):
        sums[test] = matrix[test] @ fit([rows[at] for at in train], matrix[train]).T
    tables = collections.defaultdict(collections.Counter)
    for row, own_sums in zip(rows, sums, strict=True):
        tables[row["set"]][row["fate"], decided(row, own_sums, guards())] += 1
    for name, table in tables.items():
        print(f"{name}: {told(table)}")
    if asked.write:
        (SOURCE / "weights.bin").write_bytes(fit(rows, matrix).T.astype(np.int8).tobytes())


if __name__ == "__main__":
    main()
