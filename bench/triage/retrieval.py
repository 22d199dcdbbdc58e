"""Rules in scope among a thousand other lines: how many of them the first k items have, beside BM25 alone and the ceiling.

    STANDFAST_DATA=... python bench/triage/retrieval.py

The policies and questions are our own (`policy.json`), the other lines come from the data folder. `ceiling` is the most that k
items can have of so many rules.
"""

import json
import pathlib
import random

import bases

import standfast as sf

POLICY = json.loads((pathlib.Path(__file__).parent / "policy.json").read_text("utf-8"))
KS = (5, 10, 20, 50)
QUOTED = {"BM25": (32, 38, 43, 49), "dense": (34, 45, 67, 91), "TypeRetrieve": (40, 57, 96, 100)}


def policy_items(typed):
    for policy in POLICY["policies"]:
        for section in policy["sections"]:
            path = [policy["title"], section["name"]]
            for kind, name in (("rules", "constraint"), ("rest", "belief")):
                for text in section[kind]:
                    yield {"text": text, "heading_path": path, "kind": "item", **({"knowledge": name} if typed else {})}


def gold(items):
    for at, names, query in POLICY["queries"]:
        policy = POLICY["policies"][at]
        sections = {section["name"] for section in policy["sections"] if section.get("general") or section["name"] in names}
        rules = {text for section in policy["sections"] if section["name"] in sections for text in section["rules"]}
        yield query, {place for place, item in enumerate(items) if item["text"] in rules}


def table(typed, others):
    items = [*policy_items(typed), *others]
    random.Random(3).shuffle(items)
    index = sf.KnowledgeIndex(items)
    flat = sf.KnowledgeIndex([{**{k: v for k, v in item.items() if k != "knowledge"}, "knowledge": "belief"} for item in items])
    asked = list(gold(items))
    rows = {"ceiling": [], "ours": [], "BM25 alone": []}
    for k in KS:
        rows["ceiling"].append([min(1, k / len(rules)) for _, rules in asked])
        for name, one in (("ours", index), ("BM25 alone", flat)):
            rows[name].append(
                [len({found.index for found in one.retrieve(query, k=k).items} & rules) / len(rules) for query, rules in asked]
            )
    sizes = sum(len(rules) for _, rules in asked) / len(asked)
    print(f"{len(items)} items, {len(asked)} questions, {sizes:.1f} rules in scope each, types {'declared' if typed else 'by triage'}")
    for name, cells in rows.items():
        print(f"{name:12}" + "".join(f"{bases.shown(cell):>20}" for cell in cells))
    parts = [sum(a) / sum(b) for a, b in zip(rows["ours"], rows["ceiling"], strict=True)]
    print(f"{'of ceiling':12}" + "".join(f"{part:>20.1%}" for part in parts))


def main():
    print(f"{'recall at':12}" + "".join(f"{k:>20}" for k in KS))
    found = [line for line in bases.lines() if line["stratum"] in ("config", "pool", "memory")]
    random.Random(7).shuffle(found)
    plain = [line for line in found if line["type"] != "C"][:1000]
    mixed = found[:1000]
    for title, lines in (("no other rules", plain), ("other documents' rules among the lines", mixed)):
        print(f"\n{title}")
        named = [{**line, "heading_path": [line.get("file") or line["repo"], *line["heading_path"]]} for line in lines]
        table(True, [bases.item(line, bases.TYPES[line["type"]]) for line in named])
        table(False, [bases.item(line) for line in named])
    for name, cells in QUOTED.items():
        print(f"quoted, other data: {name:14}" + "".join(f"{cell:>6}" for cell in cells))


if __name__ == "__main__":
    main()
