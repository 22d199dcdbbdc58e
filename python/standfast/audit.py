"""Audits a compaction from the command line, in a pull request for example.

    python -m standfast.audit before.json after.json [--rules rules.txt] [--json]

A file holds a list of messages or a request as JSON; anything else is a plain text. The file of rules is a JSON list of texts, or
has one rule a line. Prints the report and ends with 0 where everything came through, 1 where not, 2 where a file cannot be
audited. In Python, `standfast.audit` is the function.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from standfast.auditing import audit, audit_compaction
from standfast.errors import StandfastError


def main(arguments: list[str] | None = None) -> int:
    """Runs the command and gives its exit code."""
    parser = argparse.ArgumentParser(prog="python -m standfast.audit", description="What a compaction did to rules and facts.")
    parser.add_argument("before", type=Path, help="messages before the compaction (JSON), or a text")
    parser.add_argument("after", type=Path, help="messages after it, or a summary")
    parser.add_argument("--rules", type=Path, help="rules to look for, as a JSON list or one a line; else those found in `before`")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    given = parser.parse_args(arguments)
    try:
        rules = None if given.rules is None else _rules(given.rules)
        report = audit_compaction(_read(given.before), _read(given.after), rules)
    except (OSError, UnicodeDecodeError, StandfastError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    print(report.to_json() if given.json else report.text, end="\n" if given.json else "")
    return 0 if report.ok else 1


def _read(path: Path) -> Any:
    text = path.read_text("utf-8-sig")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return found if isinstance(found, list | dict) else text


def _rules(path: Path) -> list[str]:
    found = _read(path)
    return found if isinstance(found, list) else [line.strip() for line in str(found).splitlines() if line.strip()]


if __name__ == "__main__":
    sys.exit(main())

# `import standfast.audit` must not put a module in the place of the function
sys.modules[__name__] = audit  # type: ignore[assignment]
