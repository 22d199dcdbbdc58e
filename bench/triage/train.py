"""Trains the weights of the classifier and writes its table; see README.md beside this file.

    cargo build --release -p standfast --example features
    python bench/triage/train.py --data "$STANDFAST_DATA/labels/lines.jsonl"          # report of the cross-validation
    python bench/triage/train.py --data … --write                                     # weights.tsv and the engine's table
    python bench/triage/train.py --check                                              # fails where the table is not that of weights.tsv

Features come from the engine itself (`core/examples/features.rs`), so training and typing cannot differ. Needs requirements.txt,
but for `--check`. Folds are whole owners of repositories (or whole files), features are chosen inside the fold.
"""

from __future__ import annotations

import argparse
import json
import os
import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TABLE = ROOT / "core/src/triage/classify/weights.bin"
RECORD = HERE / "weights.tsv"
TYPES = "CPBFE"
UNIT = 16  # a score of 16 is a factor of e
KEY = (1 << 18) - 1
LEXICAL = {
    "word": 180,
    "words": 290,
    "first word": 180,
    "first words": 180,
    "bound word": 180,
    "heading word": 180,
    "word of a heading above": 180,
    "lead-in word": 180,
    "part of a word": 180,
}
CLASS_PENALTY = 14.0
RESTRAINT = 2.0
HARD, CAREFUL, OWN, ALTERNATIVE = 0.5, 1.2, 1.0, 0.25


def table(record: list[list[int]]) -> bytes:
    """The engine's table: see core/src/triage/classify/table.rs."""
    (prior, thresholds), features = record[:2], record[2:]
    out = bytearray(struct.pack("<10h", *prior, *thresholds, len(features)))
    last = 0
    for key, *_ in features:
        gap, last = key - last, key
        while gap > 127:
            out.append(gap & 127 | 128)
            gap >>= 7
        out.append(gap)
    for at in range(1, 5):
        out += struct.pack(f"{len(features)}b", *(feature[at] for feature in features))
    return bytes(out)


def recorded() -> list[list[int]]:
    return [[int(n) for n in line.split("\t")] for line in RECORD.read_text().splitlines() if not line.startswith("#")]


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def features(rows: list[dict[str, Any]], names: bool = False) -> list[str]:
    """What the engine sees in each row."""
    given = "".join(json.dumps({k: row.get(k) for k in ("text", "heading_path", "lead_in", "kind")}) + "\n" for row in rows)
    command = [os.environ.get("FEATURES", str(ROOT / "target/release/examples/features")), *(["names"] if names else [])]
    return subprocess.run(command, input=given, capture_output=True, text=True, check=True).stdout.splitlines()


class Data:
    """The labelled lines as a matrix."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        import numpy as np
        import scipy.sparse as sp

        self.rows = rows
        self.y = np.array([TYPES.index(row["type"]) for row in rows])
        self.other = np.array([TYPES.index(row["alt_type"]) if row.get("alt_type") else -1 for row in rows])
        self.hard = np.array([bool(row["hard"]) for row in rows])
        self.own = np.array(["slice" in row for row in rows])
        self.group = [row["repo"].split("/")[0] if "repo" in row else row.get("file", row["id"]) for row in rows]
        self.soft = np.zeros((len(rows), 5))
        for at, row in enumerate(rows):
            self.soft[at, self.y[at]] = 1.0
            if row.get("alt_type"):
                self.soft[at, self.y[at]] -= ALTERNATIVE
                self.soft[at, self.other[at]] += ALTERNATIVE
        self.weight = np.where(self.hard, HARD, 1.0) * np.array([CAREFUL if row.get("annotator") == "A" else 1.0 for row in rows])
        self.weight[self.own] = OWN
        found = [sorted({int(n) & KEY for n in line.split()}) for line in features(rows)]
        tags = {}
        for line in features(rows, names=True):
            number, tag, _ = line.split("\t", 2)
            tags[int(number) & KEY] = tag
        owners: dict[int, set[str]] = {}
        for ids, group in zip(found, self.group, strict=True):
            for number in ids:
                owners.setdefault(number, set()).add(group)
        self.ids = np.array(sorted(number for number, groups in owners.items() if len(groups) > 1))
        place = {number: at for at, number in enumerate(self.ids.tolist())}
        cells = [[place[number] for number in ids if number in place] for ids in found]
        ends = np.cumsum([0, *map(len, cells)])
        flat = np.array([at for row in cells for at in row])
        self.x = sp.csr_matrix((np.ones(len(flat)), flat, ends), shape=(len(rows), len(self.ids)))
        self.tags = [tags[number] for number in self.ids.tolist()]

    def folds(self, count: int) -> list[tuple[Any, Any]]:
        """Whole groups, of about the same size together; own lines are dealt out one by one."""
        import numpy as np

        sizes, load, fold = Counter(self.group), [0] * count, {}
        for group, size in sorted(sizes.items(), key=lambda item: (-item[1], item[0])):
            fold[group] = load.index(min(load))
            load[fold[group]] += size
        at = np.array([fold[group] for group in self.group])
        return [(np.where(at != one)[0], np.where(at == one)[0]) for one in range(count)]


def fit(x: Any, soft: Any, weight: Any, penalty: Any, rounds: int = 45) -> tuple[Any, Any]:
    """Multinomial logistic regression with a penalty of its own for each feature."""
    import numpy as np
    import scipy.sparse as sp
    from scipy.optimize import minimize

    scale = 1 / np.sqrt(penalty)
    scaled = (x @ sp.diags(scale)).tocsr()
    back, wide = scaled.T.tocsr(), x.shape[1]

    def loss(flat: Any) -> tuple[float, Any]:
        v, bias = flat[: 5 * wide].reshape(wide, 5), flat[5 * wide :]
        s = scaled @ v + bias
        s -= s.max(1, keepdims=True)
        p = np.exp(s)
        p /= p.sum(1, keepdims=True)
        error = weight[:, None] * (p - soft)
        value = -(weight[:, None] * soft * np.log(p + 1e-12)).sum() + 0.5 * (v * v).sum()
        return value, np.concatenate([(back @ error + v).ravel(), error.sum(0)])

    found = minimize(loss, np.zeros(5 * wide + 5), jac=True, method="L-BFGS-B", options={"maxiter": rounds, "maxcor": 6}).x
    return found[: 5 * wide].reshape(wide, 5) * scale[:, None], found[5 * wide :]


def bound(x: Any, soft: Any, weight: Any, penalty: Any) -> tuple[Any, Any]:
    """Constraints against all the rest: a second opinion, held on a shorter rein."""
    import numpy as np
    import scipy.sparse as sp
    from sklearn.linear_model import LogisticRegression

    scale = 1 / np.sqrt(penalty * RESTRAINT)
    scaled, is_c = (x @ sp.diags(scale)).tocsr(), soft[:, 0]
    both = sp.vstack([scaled[is_c < 1], scaled[is_c > 0]]).tocsr()
    truth = np.r_[np.zeros((is_c < 1).sum()), np.ones((is_c > 0).sum())]
    share = np.r_[(weight * (1 - is_c))[is_c < 1], (weight * is_c)[is_c > 0]]
    found = LogisticRegression(C=1.0, max_iter=80).fit(both, truth, sample_weight=share)
    return found.coef_[0] * scale, found.intercept_[0]


def model(data: Data, rows: Any, most: int) -> tuple[Any, Any, Any]:
    """The chosen features with their whole-number weights, and the prior."""
    import numpy as np

    x = data.x[rows]
    count = np.asarray((x != 0).sum(0)).ravel()
    rarity = np.log(len(rows) / np.maximum(count, 1))
    penalty = np.array([LEXICAL.get(tag, 0) for tag in data.tags], float)
    penalty = np.where(penalty > 0, penalty / np.maximum(rarity, 0.5) ** 2, CLASS_PENALTY)
    seen = np.where(count > 1)[0]
    w, _ = fit(x[:, seen], data.soft[rows], data.weight[rows], penalty[seen])
    w -= w.mean(1, keepdims=True)
    worth = np.abs(w).max(1) * np.sqrt(count[seen])
    kept = np.sort(seen[np.argsort(-worth)[:most]])
    w, prior = fit(x[:, kept], data.soft[rows], data.weight[rows], penalty[kept], 60)
    w -= w.mean(1, keepdims=True)
    prior -= prior.mean()
    # the score of a constraint is the mean of both opinions; see `likely`
    second, bias = bound(x[:, kept], data.soft[rows], data.weight[rows], penalty[kept])
    w[:, 0], prior[0] = (w[:, 0] + second) / 2, (prior[0] + bias) / 2
    # a shift of the others by some number and of the constraint by half of it says the same: the five are to come to zero
    shift = -w.sum(1) / 4.5
    w[:, 0] += shift / 2
    w[:, 1:] += shift[:, None]
    whole = np.clip(np.rint(w * UNIT), -127, 127).astype(int)
    whole[:, 4] = -whole[:, :4].sum(1)  # the engine's table does not hold it
    return kept, whole, np.rint(prior * UNIT).astype(int)


def likely(sums: Any) -> Any:
    import numpy as np

    s = sums.copy()
    s[:, 0] += np.log(np.exp(s[:, 1:]).sum(1)) / 2
    p = np.exp(s - s.max(1, keepdims=True))
    return p / p.sum(1, keepdims=True)


def settled(sums: Any, data: Data, rows: Any) -> Any:
    """What the prior lacks: the shift with which the types of rows that the weights never saw are likeliest, in whole units."""
    import numpy as np
    from scipy.optimize import minimize

    rows = rows[~data.own[rows]]
    truth, weight = data.y[rows], data.weight[rows]

    def loss(v: Any) -> float:
        s = sums[rows] * np.exp(v[4]) + np.r_[-v[:4].sum(), v[:4]] * np.exp(v[4])
        s[:, 0] += np.log(np.exp(s[:, 1:]).sum(1)) / 2
        most = s.max(1)
        every = most + np.log(np.exp(s - most[:, None]).sum(1))
        return -(weight * (s[np.arange(len(rows)), truth] - every)).sum()

    v = minimize(loss, np.zeros(5)).x
    return np.rint(np.r_[-v[:4].sum(), v[:4]] * UNIT).astype(int)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="labelled lines")
    parser.add_argument("--most", type=int, default=3500, help="features that are kept")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--scores", type=Path, help="file for the likelihoods out of fold, per mille, one JSON line for each line")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--check", action="store_true")
    given = parser.parse_args()
    if given.check:
        if table(recorded()) != TABLE.read_bytes():
            sys.exit("weights.bin is not the table of weights.tsv: run bench/triage/train.py --write")
        return

    import numpy as np
    from report import report, thresholds

    data = Data(read(given.data) + read(HERE / "own_lines.jsonl"))
    print(f"{len(data.rows)} lines, {len(set(data.group))} groups, {len(data.ids)} features")
    sums = np.zeros((len(data.rows), 5))
    for inside, outside in data.folds(given.folds):
        kept, whole, prior = model(data, inside, given.most)
        sums[outside] = (data.x[outside][:, kept] @ whole + prior) / UNIT
    p = np.zeros((len(data.rows), 5))
    for inside, outside in data.folds(given.folds):
        p[outside] = likely(sums[outside] + settled(sums, data, inside) / UNIT)
    report(data, p)
    if given.scores:
        said = zip(data.rows, p, strict=True)
        lines = [json.dumps({"id": row.get("id"), "p": round(1000 * one[0]), "type": TYPES[one.argmax()]}) for row, one in said]
        given.scores.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if given.write:
        everything = np.arange(len(data.rows))
        kept, whole, prior = model(data, everything, given.most)
        prior = prior + settled(sums, data, everything)
        levels = thresholds(data, p)
        print("thresholds per mille: strict {}, balanced {}, lean {}, suspected {}".format(*levels))
        rows = [
            prior.tolist(),
            levels,
            *([int(data.ids[at]), *w.tolist()] for at, w in zip(kept, whole, strict=True) if w.any() and data.ids[at]),
        ]
        head = "# prior of the five types; thresholds; then features with their weights. Written by train.py.\n"
        RECORD.write_text(head + "".join("\t".join(map(str, row)) + "\n" for row in rows))
        TABLE.write_bytes(table(rows))
        print(f"{len(rows) - 2} features, {TABLE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
