"""What the benches of the knowledge operators share: knowledge bases made of labelled lines, and intervals.

A base is the labelled lines of some files, about a hundred lines, each with the type a reader gave it. The lines are a third
party's: they stay in the data folder.
"""

import json
import os
import pathlib
import random
import sys

TYPES = {"C": "constraint", "P": "procedural", "B": "belief", "F": "preference", "E": "episodic"}


def data():
    folder = os.environ.get("STANDFAST_DATA")
    if not folder:
        sys.exit("STANDFAST_DATA is not set: a folder with labels/, configs/ and policies/")
    return pathlib.Path(folder)


def lines():
    return [json.loads(line) for line in (data() / "labels" / "lines.jsonl").read_text("utf-8").splitlines() if line.strip()]


def bases(size=100, strata=("config", "pool", "policy", "memory")):
    """Bases of about `size` lines, whole files each, in an order that does not depend on anything but the files' names."""
    files = {}
    for line in lines():
        if line["stratum"] in strata:
            files.setdefault(line.get("file") or f"{line['repo']}/{line['path']}", []).append(line)
    names = sorted(files)
    random.Random(11).shuffle(names)
    made, base = [], []
    for name in names:
        base.extend({**line, "heading_path": [name, *line["heading_path"]]} for line in files[name])
        if len(base) >= size:
            made.append(base)
            base = []
    return made


def item(line, knowledge=None, p=None, title=True):
    """A line as an item: without a type, with a declared one, or with a likelihood as well."""
    path = line["heading_path"] if title else line["heading_path"][1:]
    made = {"text": line["text"], "heading_path": path, "lead_in": line["lead_in"], "kind": line["kind"]}
    if knowledge is not None:
        made["knowledge"] = knowledge
    if p is not None:
        made["p_constraint"] = p
    return made


def interval(scores, seed=5, rounds=1000):
    """The mean and its 95 % interval, bases drawn with replacement."""
    rng = random.Random(seed)
    means = sorted(sum(rng.choices(scores, k=len(scores))) / len(scores) for _ in range(rounds))
    return sum(scores) / len(scores), means[rounds * 25 // 1000], means[rounds * 975 // 1000 - 1]


def shown(scores):
    mean, low, high = interval(scores)
    return f"{mean:.2f} ({low:.2f}-{high:.2f})"
