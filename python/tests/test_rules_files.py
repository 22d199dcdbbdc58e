"""What `rules=` and `standfast check` take from a file: with a fence, with headings about rules, and with neither."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import standfast as sf
from standfast._thread.rules import RuleSource, rules_of

PLAIN = """# Billing service

The service keeps invoices. Its tests take a minute.

## Layout

- `api/` has the routes.
- `jobs/` has the nightly runs.

## Working here

Use tabs. Never push to main without a review. The cache is warm after a minute.
Secrets must not be printed, logged or committed.

```sh
# never delete this line
make deploy
```
"""

HEADED = """# Agent

Be brief.

## Rules

- Use tabs.
- Ask before you
  touch `billing`.

Deploy on weekdays.

## Background

The team is small. Releases are on Fridays.
"""

FENCED = """# Agent

Never sing.

```constraints
- Use tabs.
# a comment
* Never push to main.
```
"""


def test_a_fence_holds_the_rules_alone() -> None:
    assert rules_of("AGENTS.md", FENCED) == ("Use tabs.", "Never push to main.")


def test_below_a_heading_about_rules_every_item_is_one() -> None:
    assert rules_of("AGENTS.md", HEADED) == ("Use tabs.", "Ask before you\n  touch `billing`.", "Deploy on weekdays.")


def test_elsewhere_a_rule_is_what_its_words_make_one_and_code_is_none() -> None:
    found = rules_of("CLAUDE.md", PLAIN)
    assert sorted(found) == ["Never push to main without a review.", "Secrets must not be printed, logged or committed."]


@pytest.mark.parametrize("text", ["# Notes\n\nThe server was moved in May.\n", "# Rules\n", "", "```constraints\n# none yet\n```\n"])
def test_a_file_without_a_rule_is_refused_and_the_message_says_what_to_do(tmp_path: Path, text: str) -> None:
    path = tmp_path / "AGENTS.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(sf.PolicyError, match=r"holds no rule.*heading.*constraints") as raised:
        RuleSource(path)
    assert raised.value.code == "invalid_argument"


@pytest.mark.parametrize("name", ["rules.json", "rules.yaml"])
def test_a_file_that_cannot_be_parsed_is_told(name: str) -> None:
    for text in ("[" * 100_000, "{"):
        with pytest.raises(sf.PolicyError, match="cannot be parsed"):
            rules_of(name, text)


def test_a_file_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    path = tmp_path / "AGENTS.md"
    path.write_text(FENCED, encoding="utf-8")
    source = RuleSource(str(path))
    assert source.texts(None) == ("Use tabs.", "Never push to main.")
    path.write_text(FENCED.replace("tabs", "blanks"), encoding="utf-8")
    os.utime(path, ns=(1, 1))
    assert source.texts(None) == ("Use blanks.", "Never push to main.")
    path.unlink()
    with pytest.raises(sf.PolicyError, match="FileNotFoundError"):
        source.texts(None)


def test_real_documents_give_rules_or_say_that_there_are_none() -> None:
    data = os.environ.get("STANDFAST_DATA")
    if data is None:
        pytest.skip("STANDFAST_DATA is not set")
    none = []
    for path in sorted((Path(data) / "configs").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        try:
            found = rules_of(path.name, text)
        except sf.PolicyError:
            none.append(path.name)
            continue
        assert found
        assert all(rule.strip() for rule in found)
    assert len(none) <= 6
