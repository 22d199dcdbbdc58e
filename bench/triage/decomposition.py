"""Parts of whole documents: does any part lack a rule that holds for it, and what does that cost. Beside two plain ways to cut.

    STANDFAST_DATA=... python bench/triage/decomposition.py [--part 0.25]

A part lacks a rule if it has an item of a section, and not all rules of that section (its first two headings), nor in the preamble.
This is checked here, on the texts, apart from the engine. Types come from triage.
"""

import argparse
import statistics

import bases

import standfast as sf

QUOTED = (
    ("tokens or paragraphs", "32 %", "93 %", "0 %"),
    ("by topic", "13 %", "40 %", "0 %"),
    ("TypeDecompose", "0 %", "0 %", "14.5 % (worst 219 %)"),
)


def documents():
    for folder in ("configs", "policies"):
        for path in sorted((bases.data() / folder).glob("*.md")):
            yield path.read_text("utf-8", errors="replace")


def violations(items, parts, shared=""):
    """How many parts lack a rule. A part is the places of its items and its text."""
    rules = {}
    for item in items:
        if item.knowledge == "constraint":
            rules.setdefault(item.heading_path[:2], []).append(item.text)
    lacking = 0
    for places, text in parts:
        sections = {items[at].heading_path[:2] for at in places}
        wanted = [rule for section in sections for rule in rules.get(section, ())]
        lacking += any(rule not in text and rule not in shared for rule in wanted)
    return lacking


def cut(items, cap, whole_sections):
    """Items in their order, a new part where the next item (or section) would not fit."""
    groups, last = [], None
    for at, item in enumerate(items):
        if whole_sections and groups and item.heading_path[:2] == last:
            groups[-1].append(at)
        else:
            groups.append([at])
        last = item.heading_path[:2]
    parts, here, size = [], [], 0
    for group in groups:
        for at in [group] if sum(sf.count_tokens(items[one].text) for one in group) <= cap else [[one] for one in group]:
            cost = sum(sf.count_tokens(items[one].text) for one in at)
            if here and size + cost > cap:
                parts.append(here)
                here, size = [], 0
            here, size = here + at, size + cost
    parts.append(here)
    return [(part, "\n".join(items[at].text for at in part)) for part in parts]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", type=float, default=0.25, help="the size of a part of the whole")
    share = parser.parse_args().part
    rows = {name: [] for name in ("tokens", "sections", "ours")}
    overheads, stored, unsafe, needs, over = [], [], 0, [], 0
    for document in documents():
        items, whole = sf.triage(document, source="file"), sf.count_tokens(document)
        cap = int(whole * share)
        for name in ("tokens", "sections"):
            parts = cut(items, cap, name == "sections")
            rows[name].append((violations(items, parts), len(parts)))
        found = sf.decompose_knowledge(document, max_tokens=cap)
        if not found.ok:
            unsafe += 1
            needs.append(found.unsafe.required / whole)
            continue
        parts = [(part.items, part.text) for part in found.parts]
        over += any(sf.count_tokens(part.text) + sf.count_tokens(found.preamble) > cap for part in found.parts)
        rows["ours"].append((violations(items, parts, found.preamble), len(parts)))
        total = sf.count_tokens(found.preamble) + sum(sf.count_tokens(part.text) for part in found.parts)
        overheads.append(total / whole - 1)
        stored.append(found.overhead)
    print(f"Parts of {share:.0%} of the whole, {len(rows['tokens'])} documents")
    for name, found in rows.items():
        mean = statistics.mean(lacking / max(1, count) for lacking, count in found)
        some = sum(lacking > 0 for lacking, _ in found) / len(found)
        print(f"{name:10} parts that lack a rule {mean:>5.0%}, documents with one {some:>5.0%}")
    for what, found in (("the documents' own tokens", overheads), ("the same text in one part", stored)):
        mean, median, worst = statistics.mean(found), statistics.median(found), max(found)
        print(f"ours: over {what} mean {mean:+.1%} median {median:+.1%} worst {worst:+.1%}")
    need = statistics.mean(needs) if needs else 0
    print(f"ours: parts over their size {over}; no safe parts for {unsafe} documents, which need {need:.0%} of the whole on average")
    for name, parts, documents_with, overhead in QUOTED:
        print(f"quoted: {name}: parts {parts}, documents {documents_with}, overhead {overhead}")


if __name__ == "__main__":
    main()
