"""The README's Python is run as it stands, and its error table is whole."""

import re
from pathlib import Path

import standfast as sf

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.DOTALL | re.MULTILINE)


def test_python_blocks_run() -> None:
    found = blocks("python")
    assert found
    for block in found:
        exec(compile(block, "README.md", "exec"), {})


def test_every_error_code_is_in_the_table() -> None:
    rows = set(re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE))
    assert rows == set(sf.ERROR_CODES)
