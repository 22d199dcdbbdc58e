"""Audits many sessions at once, as a Dask job: on this machine, or on the cluster you have.

    pip install standfast distributed
    python dask_audit.py sessions/ --workers 2                      two processes of this machine
    python dask_audit.py sessions/ --scheduler tcp://10.0.0.7:8786  a cluster that reads the same folder

One line a file: how many compactions it has, and how many of the rules said in it came through. The engine needs no state between
files, so the job is a plain function over paths; a file that cannot be read is a result like any other.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from dask.distributed import Client, LocalCluster, as_completed

import standfast as sf

KINDS = ("*.json", "*.jsonl")


def audit(path: str) -> dict[str, Any]:
    """One session: counts by fate, and the rules that did not come through."""
    try:
        report = sf.audit_session(Path(path).read_text(encoding="utf-8"))
    except (sf.StandfastError, OSError, UnicodeDecodeError) as error:
        return {"file": path, "error": type(error).__name__}
    fates = Counter(fate.kind for one in report.rounds for fate in one.report.fates)
    lost = [rule.rule for rule in report.rules if rule.lost is not None]
    return {"file": path, "kind": report.format, "compactions": len(report.rounds), "fates": dict(fates), "lost": lost}


def audited(client: Client, paths: list[str]) -> Iterator[dict[str, Any]]:
    """The results, as they come."""
    for _, result in as_completed(client.map(audit, paths, pure=False), with_results=True):
        yield result


def main(arguments: list[str] | None = None) -> int:
    """Runs the job; 1 where a rule was lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--scheduler", help="of a running cluster; else processes of this machine")
    given = parser.parse_args(arguments)
    paths = sorted(str(path) for kind in KINDS for path in given.folder.rglob(kind))
    if given.scheduler:
        client = Client(given.scheduler)
    else:
        cluster = LocalCluster(n_workers=given.workers, threads_per_worker=1, processes=True, dashboard_address=None)
        client = Client(cluster)
    with client:
        results = list(audited(client, paths))
    for result in sorted(results, key=lambda one: one["file"]):
        print(json.dumps(result))
    total: Counter[str] = Counter()
    for result in results:
        total.update(result.get("fates", {}))
    print(f"{len(results)} files, {sum(one.get('compactions', 0) for one in results)} compactions: {dict(total)}", file=sys.stderr)
    return 1 if any(result.get("lost") for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
