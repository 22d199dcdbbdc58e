"""Writes `own_lines.jsonl` from the lines below: our own wording, for kinds of text that configuration files seldom hold.

    python3 bench/triage/own_lines.py

A line is `TYPE text`, under a head of `# slice | heading > heading | lead-in`. `C~P` names a second acceptable type.
"""

from __future__ import annotations

import json
from pathlib import Path

HERE = Path(__file__).parent


def rows() -> list[dict[str, object]]:
    """Every line with what stands above it."""
    found: list[dict[str, object]] = []
    part, path, lead = "", [], None
    for line in (HERE / "own_lines.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            part, heading, governs = (field.strip() for field in (line[2:] + " | | ").split("|")[:3])
            path, lead = [h.strip() for h in heading.split(">") if h.strip()], governs or None
        elif line.strip():
            kind, text = line.split(" ", 1)
            first, _, other = kind.partition("~")
            found.append(
                {
                    "id": f"own-{len(found):03}",
                    "slice": part,
                    "heading_path": path,
                    "lead_in": lead,
                    "kind": "item" if heading else "para",
                    "text": text,
                    "type": first,
                    "alt_type": other or None,
                    "hard": bool(other),
                }
            )
    return found


if __name__ == "__main__":
    with (HERE / "own_lines.jsonl").open("w", encoding="utf-8") as out:
        for row in rows():
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
