"""Writes the demo's three transcripts from their stories: `python bench/transcripts/make.py [--check]`.

The stories are invented; people, firms, patients and code in them are too. `--check` writes nothing and exits 1 where a
file on disk is not what its story gives.
"""

import sys
from pathlib import Path

import story_coding
import story_medical
import story_settlements

HERE = Path(__file__).resolve().parent
STORIES = (story_settlements.tell, story_medical.tell, story_coding.tell)


def main(arguments):
    check = arguments == ["--check"]
    if arguments and not check:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    stale = []
    for tell in STORIES:
        chat = tell()
        path, text = HERE / f"{chat.name}.json", chat.text()
        same = path.exists() and path.read_text(encoding="utf-8") == text
        if not check:
            path.write_text(text, encoding="utf-8", newline="\n")
        elif not same:
            stale.append(path.name)
        print(f"{path.name}: {len(chat.messages)} messages, {len(chat.rules)} rules, {len(text.encode()) // 1000} kB")
    if stale:
        print(f"stale: {', '.join(stale)}; run bench/transcripts/make.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
