"""The cases of public bug reports, as `bench/reports.py` runs them: none is wrong but those that wait."""

import json
import os
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"
DATA = os.environ.get("STANDFAST_DATA")
# each has a vector in tests/vectors/pending; take it out here when it is right
WAITING = {"sd-001", "sd-003", "sd-004", "id-005", "mm-004"}


@pytest.mark.skipif(DATA is None, reason="STANDFAST_DATA is not set")
def test_no_report_case_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(BENCH), *sys.path])
    import reports

    lines = (Path(str(DATA)) / "reports" / "cases.jsonl").read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines if line.strip()]
    found = {case["id"]: reports.judge(case) for case in cases}
    wrong = {name: why for name, (verdict, why) in found.items() if verdict in (reports.WRONG, reports.UNTRANSLATED)}
    assert wrong.keys() <= WAITING, {name: why for name, why in wrong.items() if name not in WAITING}
    assert len(cases) > 0
