"""What `import standfast` takes, beside a bare interpreter.

    python bench/importing.py            processor time of whole processes, the least of many
    python bench/importing.py --modules  and the modules that take the most of it

The exit code is 1 where the import takes more than 50 ms of processor time.
"""

import argparse
import resource
import subprocess
import sys

BAR = 50.0
CODES = ("import asyncio", "import dataclasses, json, re, threading", "import standfast")


def processor(code):
    """Milliseconds of processor time of one process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1_000


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
    took = {code: min(processor(code) for _ in range(given.repeats)) - bare for code in CODES}
    print(f"a bare interpreter: {bare:.0f} ms of processor time, user and system; on top of it")
    for code, milliseconds in took.items():
        print(f"{code:42} {milliseconds:6.1f} ms {milliseconds / bare:6.2f} x")
    if given.modules:
        for own, name in modules():
            print(f"  {own / 1_000:6.1f} ms  {name}")
    return 1 if took["import standfast"] > BAR else 0


if __name__ == "__main__":
    sys.exit(main())
