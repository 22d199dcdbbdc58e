"""Trains the weights of standing directives and says how well they tell them.

    STANDFAST_DATA=... python bench/directives/train.py [--write] [--errors SET ...]

Turns: `tests/directives/turns.txt` (written before any error was looked at), `more.txt`, `everyday.txt`, `plain.txt`, `broad.txt`, and
`directives.jsonl` in the data folder. Of that file one half was looked at while the cues were chosen; the errors of the other
(`unseen`) were never read. Every figure is of weights that never saw the turn nor a variation of it. The engine itself reads the
turns (`core/examples/directives.rs`, a debug build), so features are written once. Needs scikit-learn. `--write` fits on all and writes
`core/src/triage/directive/weights.txt`.
"""

import collections
import hashlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCALE = 10
# The given turns are nearest to what users say; own ones are many and alike.
SHARE = {"seen": 20.0, "unseen": 20.0, "t": 1.0, "m": 1.0, "e": 0.5, "p": 10.0, "b": 1.0}
# A sentence's own features, those of the next, of the one before, of any other; what is farther away is trusted less.
ROLES = {"": 1.0, "next ": 0.6, "before ": 0.6, "other ": 0.5}
PAIRED = 0.35
MOST_PAIRS = 150
STRENGTH = 0.5
# One in so many of the given turns without a directive is taken for one.
FALSE = 0.045


def own(name):
    rows = []
    for line in (ROOT / "tests/directives" / name).read_text(encoding="utf-8").splitlines():
        lang, kind, text = line.split(" ", 2)
        span = re.search(r"\[\[(.*?)\]\]", text)
        plain = text.replace("[[", "").replace("]]", "")
        rows.append({"lang": lang, "kind": kind, "text": plain, "standing": bool(span), "span": span and span.group(1), "set": name[0]})
    return rows


def given():
    """The given turns in two halves, stratified by language and label."""
    path = pathlib.Path(os.environ["STANDFAST_DATA"]) / "directives.jsonl"
    groups = collections.defaultdict(list)
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        groups[row["lang"], row["standing"]].append(row)
    seen, unseen = [], []
    for rows in groups.values():
        rows.sort(key=lambda row: hashlib.sha256(row["id"].encode()).hexdigest())
        seen += rows[0::2]
        unseen += rows[1::2]
    return [dict(row, set="seen") for row in seen], [dict(row, set="unseen") for row in unseen]


def varied(rows, seed=5):
    """Own turns have few shapes: a directive alone or last, a request with talk around it. Neighbours come from other own turns."""
    dice, out = random.Random(seed), []
    asks, tells, spans = (collections.defaultdict(list) for _ in range(3))
    for row in rows:
        rest = row["text"].replace(row["span"], "").strip() if row["standing"] else ""
        if row["standing"]:
            spans[row["lang"]].append(row["span"])
        if rest:
            asks[row["lang"]].append(rest)
        elif row["kind"] == "info":
            tells[row["lang"]].append(row["text"])
    for row in rows:
        gap = "" if row["lang"] in ("zh", "ja") else " "
        text, lot = row["text"], dice.random()
        if row["standing"]:
            rest = text.replace(row["span"], "").strip()
            span = row["span"] + ("" if row["span"][-1] in ".!?。" else ".")
            other = dice.choice(spans[row["lang"]])
            if lot < 0.15:
                text = span
            elif lot < 0.35 and other != row["span"]:
                # one wish seldom comes alone
                text = span + gap + other + ("" if other[-1] in ".!?。" else ".") + gap + rest
                row = dict(row, also=other)
            elif lot < 0.6 and rest:
                text = rest + gap + span
        else:
            if lot < 0.3 and asks[row["lang"]]:
                text += gap + dice.choice(asks[row["lang"]])
            for _ in range(dice.randint(0, 2)):
                if tells[row["lang"]]:
                    text += gap + dice.choice(tells[row["lang"]])
        out.append(dict(row, text=text))
    return out


def read(rows):
    """What the engine makes of the turns."""
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl", encoding="utf-8") as file:
        for at, row in enumerate(rows):
            file.write(json.dumps({"id": at, "text": row["text"]}) + "\n")
        file.flush()
        program = os.environ.get("DIRECTIVES") or "target/debug/examples/directives"
        done = subprocess.run([str(ROOT / program), file.name], capture_output=True, text=True, check=True)
    return [dict(row, read=json.loads(line)) for row, line in zip(rows, done.stdout.splitlines(), strict=True)]


def matches(text, span):
    span, text = span.strip(" ."), text.strip(" .,;:")
    one, other = set(text.split()), set(span.split())
    return span in text or text in span or (len(one & other) >= 0.6 * min(len(one), len(other)) and len(one & other) > 1)


def sentences(rows):
    """One row a sentence: features, label, weight, turn. Sentences beside a directive count little."""
    out = []
    for turn, row in enumerate(rows):
        read = [set(sentence["features"]) for sentence in row["read"]["sentences"]]
        for at, sentence in enumerate(row["read"]["sentences"]):
            hit = row["standing"] and any(matches(sentence["text"], span) for span in (row["span"], row.get("also")) if span)
            around = [read[at], read[at + 1] if at + 1 < len(read) else (), read[at - 1] if at else ()]
            around.append({name for other, names in enumerate(read) if other != at for name in names})
            found = {role + name: scale for (role, scale), names in zip(ROLES.items(), around, strict=True) for name in names}
            own = sorted(name for name in read[at] if not name.startswith("c^"))
            for place, one in enumerate(own):
                found.update({f"{one}&{other}": PAIRED for other in own[place + 1 :]})
            out.append((found, int(hit), SHARE[row["set"]] * (1.0 if hit or not row["standing"] else 0.7), turn))
    return out


def fit(data):
    """Whole-number weights by feature: those that count, and the pairs that count most."""
    counts = collections.Counter(name for found, *_ in data for name in found)
    labels, shares = [d[1] for d in data], [d[2] for d in data]

    def solve(names):
        vector = DictVectorizer()
        matrix = vector.fit_transform([{n: x for n, x in found.items() if n in names} for found, *_ in data])
        model = LogisticRegression(C=STRENGTH, max_iter=400).fit(matrix, labels, sample_weight=shares)
        return dict(zip(vector.get_feature_names_out(), model.coef_[0], strict=True)), model.intercept_[0]

    names = {name for name, count in counts.items() if count >= 3}
    weights, _ = solve(names)
    pairs = sorted((n for n in names if "&" in n), key=lambda n: -abs(weights[n]) * counts[n] ** 0.5)
    weights, bias = solve(names - set(pairs[MOST_PAIRS:]))
    whole = {name: max(-127, min(127, round(SCALE * scale_of(name) * weight))) for name, weight in weights.items()}
    return {name: weight for name, weight in whole.items() if weight} | {"bias": round(SCALE * bias)}


def scale_of(name):
    return PAIRED if "&" in name else next(scale for role, scale in reversed(ROLES.items()) if name.startswith(role))


def scores(weights, data, rows):
    best = [-999] * len(rows)
    for found, _, _, turn in data:
        best[turn] = max(best[turn], weights["bias"] + sum(weights.get(name, 0) for name in found))
    return best


def report(name, rows, scores, at):
    standing = np.array([row["standing"] for row in rows])
    scores = np.array(scores)
    if standing.all() or not standing.any():
        return
    print(
        f"{name:8} recall {np.mean(scores[standing] >= at):.3f}  false {np.mean(scores[~standing] >= at):.3f}  AUC "
        f"{roc_auc_score(standing, scores):.3f}  ({standing.sum()} + {(~standing).sum()})"
    )


def cross(rows, folds=6):
    """Scores of each turn by weights that never saw it, nor its variation."""
    key = [int(hashlib.sha256(row.get("base", row["text"]).encode()).hexdigest(), 16) // 7 % folds for row in rows]
    data, out = sentences(rows), [0] * len(rows)
    for fold in range(folds):
        weights = fit([d for d in data if key[d[3]] != fold])
        for turn, score in enumerate(scores(weights, [d for d in data if key[d[3]] == fold], rows)):
            if key[turn] == fold:
                out[turn] = score
    return out


def threshold(rows, found, names):
    false = sorted((s for s, row in zip(found, rows, strict=True) if not row["standing"] and row["set"] in names), reverse=True)
    return false[int(FALSE * len(false))] + 1


def main():
    seen, unseen = given()
    mine = []
    for seed, name in ((5, "turns.txt"), (9, "more.txt"), (3, "everyday.txt"), (7, "plain.txt"), (11, "broad.txt")):
        rows = [dict(row, base=row["text"]) for row in own(name)]
        mine += rows + varied(rows, seed)
    rows = read(seen + unseen + mine)
    found = cross(rows)
    at = threshold(rows, found, ("seen", "unseen"))
    for names in (["seen"], ["unseen"], ["seen", "unseen"], ["t"], ["m"], ["e"], ["p"], ["b"]):
        chosen = [k for k, row in enumerate(rows) if row["set"] in names]
        report("+".join(names), [rows[k] for k in chosen], [found[k] for k in chosen], at)
    alone = [k for k, row in enumerate(rows) if len(row["read"]["sentences"]) == 1 and row["set"] in "tmepb"]
    report("alone", [rows[k] for k in alone], [found[k] for k in alone], at)
    if "--errors" in sys.argv:
        for k in sorted(range(len(rows)), key=lambda k: found[k]):
            if rows[k]["standing"] == (found[k] < at) and rows[k]["set"] in sys.argv:
                print("MISS " if rows[k]["standing"] else "FALSE", found[k] - at, rows[k]["lang"], rows[k]["kind"], rows[k]["text"][:200])
    if "--write" in sys.argv:
        weights = fit(sentences(rows))
        weights["bias"] -= at
        lines = [f"bias {weights.pop('bias')}"]
        for name in sorted({n if "&" in n else n.removeprefix("next ").removeprefix("before ").removeprefix("other ") for n in weights}):
            counts = [weights.get(role + name, 0) for role in ROLES] if "&" not in name else [weights[name]]
            while not counts[-1]:
                counts.pop()
            lines.append(" ".join([name, *map(str, counts)]))
        (ROOT / "core/src/triage/directive/weights.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{len(lines)} rows written")


if __name__ == "__main__":
    main()
