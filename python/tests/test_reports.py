"""The cases of public bug reports, as `bench/reports.py` runs them: none is wrong."""

import json
import os
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).parents[2] / "bench"
DATA = os.environ.get("STANDFAST_DATA")


@pytest.mark.skipif(DATA is None, reason="STANDFAST_DATA is not set")
def test_no_report_case_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(BENCH), *sys.path])
    import reports

    lines = (Path(str(DATA)) / "reports" / "cases.jsonl").read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines if line.strip()]
    found = {case["id"]: reports.judge(case) for case in cases}
    wrong = {name: why for name, (verdict, why) in found.items() if verdict in (reports.WRONG, reports.UNTRANSLATED)}
    assert not wrong
    assert len(cases) > 0
