"""The command `standfast`. Needs `pip install standfast[cli]`.

    standfast check AGENTS.md --window 200000        what would be pinned, and whether it fits
    standfast audit before.json after.json           what a compaction did to each rule
    standfast audit session.jsonl                    the same for the compactions of a Claude Code or Codex session
    standfast rounds chat.json -n 5                  which rules are left after five compactions

Exit codes: 0 all is well, 1 something was lost or does not fit, 2 the input cannot be used. `--json` prints the result as JSON.
"""

from __future__ import annotations

import io
import sys


def main() -> None:
    """Runs the command."""
    try:
        from standfast.cli.app import app
    except ImportError as missing:
        print(f"standfast: {missing.name} is missing: pip install 'standfast[cli]'", file=sys.stderr)
        sys.exit(2)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal without the letters of a text shows their numbers
            stream.reconfigure(errors="backslashreplace")
    app()
