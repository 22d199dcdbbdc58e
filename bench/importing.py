"""What `import standfast` takes, beside a bare interpreter.

    python bench/importing.py            processor time of whole processes, the least of many
    python bench/importing.py --modules  and the modules that take the most of it

The exit code is 1 where the import takes more than 50 ms of processor time.
"""

import argparse
import os
import subprocess
import sys

BAR = 50.0
CODES = ("pass", "import asyncio", "import dataclasses, json, re, threading", "import standfast")


def processor(code):
    """Milliseconds of processor time of one process, children of this one only."""
    before = os.times()
    subprocess.run([sys.executable, "-c", code], check=True)
    after = os.times()
    return (after.children_user + after.children_system - before.children_user - before.children_system) * 1_000


def precise(code):
    """The same from within, without the interpreter's own start; `os.times` counts hundredths only."""
    timed = f"import time; start = time.process_time(); {code}; print(time.process_time() - start)"
    done = subprocess.run([sys.executable, "-c", timed], check=True, capture_output=True, text=True)
    return float(done.stdout) * 1_000


def modules():
    """The modules that take the most, each without those it imports."""
    done = subprocess.run([sys.executable, "-X", "importtime", "-c", "import standfast"], check=True, capture_output=True, text=True)
    rows = [line.removeprefix("import time:").split("|") for line in done.stderr.splitlines() if line.startswith("import time:")]
    found = [(int(own), name.strip()) for own, _, name in rows if own.strip().isdigit()]
    return sorted(found, reverse=True)[:12]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--modules", action="store_true")
    given = parser.parse_args(arguments)
    bare = min(processor("pass") for _ in range(given.repeats))
    took = {code: min(precise(code) for _ in range(given.repeats)) for code in CODES}
    print(f"a bare interpreter: {bare:.0f} ms of processor time, user and system")
    for code, milliseconds in took.items():
        print(f"{code:42} {milliseconds:6.1f} ms {milliseconds / bare if bare else 0:6.2f} x")
    if given.modules:
        for own, name in modules():
            print(f"  {own / 1_000:6.1f} ms  {name}")
    return 1 if took["import standfast"] > BAR else 0


if __name__ == "__main__":
    sys.exit(main())
