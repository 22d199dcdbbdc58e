"""The table of types: how well likelihoods meet labels, with intervals by whole groups, and the plain regex as an anchor."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from sklearn.metrics import roc_auc_score

PLAIN = re.compile(
    r"\b(never|must( not)?|shall( not)?|do not|don't|cannot|may not|forbidden|prohibited|required|mandatory|always|only|"
    r"not allowed|without (approval|permission|asking))\b",
    re.IGNORECASE,
)


def best_f1(is_c: Any, p: Any) -> tuple[float, float]:
    """The best F1 over all thresholds, and its threshold."""
    order = np.argsort(-p, kind="stable")
    hits = np.cumsum(is_c[order])
    f1 = 2 * hits / (np.arange(1, len(order) + 1) + is_c.sum())
    at = int(f1.argmax())
    return float(f1[at]), float(p[order[at]])


def near_best(is_c: Any, p: Any) -> float:
    """The lowest threshold with nearly the best F1: which one is the very best is chance, and a missed rule costs more."""
    order = np.argsort(-p, kind="stable")
    hits = np.cumsum(is_c[order])
    f1 = 2 * hits / (np.arange(1, len(order) + 1) + is_c.sum())
    return float(p[order[np.where(f1 >= f1.max() - 0.01)[0].max()]])


def recall_at(is_c: Any, p: Any, wanted: float) -> float:
    """The threshold with which this part of the constraints is found."""
    return float(np.sort(p[is_c])[int((1 - wanted) * is_c.sum())])


def thresholds(data: Any, p: Any) -> list[int]:
    """Strict, balanced, lean, suspected: per mille, from likelihoods out of fold."""
    base = ~data.own
    is_c, clear = (data.y == 0) & base, ~data.hard & base
    strict = recall_at(is_c, p[:, 0], 0.95)
    balanced = near_best(is_c[clear], p[clear, 0]) / 2 + near_best(is_c[base], p[base, 0]) / 2
    order = np.argsort(-p[clear, 0])
    precision = np.cumsum(is_c[clear][order]) / np.arange(1, clear.sum() + 1)
    lean = p[clear, 0][order][np.where(precision >= 0.93)[0].max()]
    return [max(1, int(1000 * level)) for level in (strict, balanced, max(lean, balanced), strict)]


def figures(data: Any, p: Any, rows: Any) -> list[float]:
    y, q, is_c = data.y[rows], p[rows], data.y[rows] == 0
    best = q.argmax(1)
    lenient = (best == y) | (best == data.other[rows])
    return [roc_auc_score(is_c, q[:, 0]), best_f1(is_c, q[:, 0])[0], (best == y).mean(), lenient.mean()]


def report(data: Any, p: Any, draws: int = 100) -> None:
    """Prints the table."""
    base = np.where(~data.own)[0]
    groups = sorted({data.group[at] for at in base})
    members = {group: [at for at in base if data.group[at] == group] for group in groups}
    random = np.random.default_rng(7)
    picks = [np.concatenate([members[groups[g]] for g in random.integers(0, len(groups), len(groups))]) for _ in range(draws)]
    print(f"{'':22}{'AUROC(C)':>20}{'best C-F1':>20}{'accuracy':>20}{'lenient':>20}")
    for name, keep in (("clear lines", ~data.hard), ("all lines", np.ones(len(data.y), bool))):
        rows = base[keep[base]]
        drawn = np.array([figures(data, p, pick[keep[pick]]) for pick in picks])
        low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
        cells = [f"{f:.3f} [{a:.3f}-{b:.3f}]" for f, a, b in zip(figures(data, p, rows), low, high, strict=True)]
        print(f"{name:22}" + "".join(f"{cell:>20}" for cell in cells))
        is_c, plain = data.y[rows] == 0, np.array([bool(PLAIN.search(data.rows[at]["text"])) for at in rows])
        print(f"{'  plain regex':22}{'':20}{2 * (is_c & plain).sum() / (is_c.sum() + plain.sum()):>20.3f}")
    is_c = data.y[base] == 0
    for wanted in (0.85, 0.90, 0.94):
        level = recall_at(is_c, p[base, 0], wanted)
        called = p[base, 0] >= level
        precision = (called & is_c).sum() / called.sum()
        print(f"recall {wanted}: threshold {level:.3f}, precision {precision:.3f}, called {called.mean():.3f} of all lines")
    for at, kind in enumerate("CPBFE"):
        called, true = p[base].argmax(1) == at, data.y[base] == at
        hit = (called & true).sum()
        print(f"{kind}: precision {hit / called.sum():.2f} recall {hit / true.sum():.2f}")
    level = thresholds(data, p)[1] / 1000
    for part in sorted({row["slice"] for row in data.rows if "slice" in row}):
        rows = [at for at, row in enumerate(data.rows) if row.get("slice") == part]
        is_c, called = data.y[rows] == 0, p[rows, 0] >= level
        recall = f"{called[is_c].mean():.2f}" if is_c.any() else "-"
        right = (p[rows].argmax(1) == data.y[rows]).mean()
        false = f"{called[~is_c].sum()} of {(~is_c).sum()}"
        print(f"own {part}: {len(rows)} lines, C-recall {recall}, false C {false}, accuracy {right:.2f}")
