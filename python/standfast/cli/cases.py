"""`standfast case add`: an incident becomes a case, so that it does not happen twice."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer

import standfast as sf
from standfast.cli import console
from standfast.cli.files import rules_in, text_of
from standfast.testing import CheckFailed, RetentionCase, read_cases
from standfast.testing.cases import Kind

KINDS = get_args(Kind)


def add(
    receipt: Annotated[Path, typer.Argument(help="A receipt, or the JSON of `standfast audit`.")],
    cases: Annotated[Path, typer.Option(help="The file of cases; made where there is none.")] = Path("cases.yaml"),
    rules: Annotated[Path | None, typer.Option(help="The agent's rules: receipts name rules by fingerprint only.")] = None,
    kind: Annotated[str | None, typer.Option(help=f"For a case of your own: {', '.join(KINDS)}.")] = None,
    question: Annotated[str | None, typer.Option(help="For a case of your own.")] = None,
    expected: Annotated[str | None, typer.Option(help="For a case of your own.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the new cases as JSON.")] = False,
) -> None:
    """Adds cases for what a receipt or an audit says was lost. `must_survive` is set: the next loss blocks."""
    with console.told():
        found = list(_incidents(_record(receipt), rules))
        if question is not None or expected is not None:
            found = [_own(kind, question, expected)]
        if not found:
            console.fail(f"{receipt}: it names no loss that a case can be made of; give --question and --expected, or --rules")
        known = _known(cases)
        asked = {(case.question, case.expected) for case in known}
        new = [case for case in dict.fromkeys(found) if (case.question, case.expected) not in asked]
        _write(cases, [*known, *new])
    if as_json:
        console.emit([case.to_wire() for case in new])
    else:
        for case in new:
            console.say(f"{case.kind}: {console.short(case.question, 100)} → {console.short(case.expected, 60)}")
        console.say(f"{len(new)} new, {len(known) + len(new)} in {cases}")


def _own(kind: str | None, question: str | None, expected: str | None) -> RetentionCase:
    if kind not in KINDS or not question or not expected:
        console.fail(f"a case of your own needs --question, --expected and --kind: {', '.join(KINDS)}")
    return RetentionCase(cast("Kind", kind), question, expected, must_survive=True)


def _record(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(text_of(path))
    except (ValueError, RecursionError):
        console.fail(f"{path}: not JSON")
    if not isinstance(found, Mapping):
        console.fail(f"{path}: neither a receipt nor an audit")
    return found


def _incidents(record: Mapping[str, Any], rules: Path | None) -> Iterator[RetentionCase]:
    for report in _listed(record.get("compactions", [record])):
        yield from _audited(report)
    if "outcome" in record and rules is not None:
        named = {str(one.get("about")) for one in _listed(record.get("findings"))}
        told = rules_in(rules)
        yield from (
            _of_rule(text) for text, name in zip(told, _fingerprints(told)) if name in named or record["outcome"] == "invariant_lost"
        )


def _audited(report: Mapping[str, Any]) -> Iterator[RetentionCase]:
    for fate in _listed(report.get("fates")):
        if not fate.get("kept") and isinstance(fate.get("rule"), str):
            yield _of_rule(fate["rule"])
    for found in _listed(report.get("identifiers")):
        origins = found.get("origins")
        for origin in origins if isinstance(origins, list) else []:
            yield RetentionCase("identity", f"Which identifier like {found.get('text')} is meant, exactly?", str(origin), must_survive=True)
    for decision in _listed(report.get("decisions")):
        what, why = decision.get("decision"), decision.get("reason")
        if isinstance(why, str) and why.strip():
            yield RetentionCase("state", f"Why was this {decision.get('polarity')}: {what}", why, must_survive=True)


def _listed(value: Any) -> list[Mapping[str, Any]]:
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def _of_rule(text: str) -> RetentionCase:
    return RetentionCase("constraint", f"Which rule, word for word, is about this: {_topic(text)}?", text.strip(), must_survive=True)


def _topic(text: str) -> str:
    words = [word.strip(".,;:!?\"'") for word in text.split()]
    return " ".join(sorted({word for word in words if len(word) > 4}, key=words.index)[:6]) or text


def _fingerprints(rules: list[str]) -> list[str]:
    names = []
    reader = sf.Guard(window_tokens=4_000_000, pinned_tokens=1_000_000)
    for text in rules:
        try:
            names.append(reader.declare(text).fingerprint)
        except sf.StandfastError:
            names.append("")
    return names


def _known(path: Path) -> list[RetentionCase]:
    if not path.exists():
        return []
    try:
        return read_cases(path)
    except CheckFailed as error:
        console.fail(f"{path}: {error.args[0]}")


def _write(path: Path, cases: list[RetentionCase]) -> None:
    import yaml

    text = yaml.safe_dump({"cases": [case.to_wire() for case in cases]}, sort_keys=False, allow_unicode=True, width=120)
    path.write_text(text, encoding="utf-8")
