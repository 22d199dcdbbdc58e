"""What a text did to rules: anybody's summary, memory file or prompt, without a guard and without a model.

import standfast as sf

for fate in sf.audit(["Never delete rows from `billing`."], summary):
    print(fate.kind, fate.detail, fate.evidence)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from standfast import _core
from standfast.records import Record, Rule
from standfast.wire import FateKind


@dataclass(frozen=True, slots=True, repr=False)
class Fate(Record):
    """One rule's fate. `detail` is the finer word (`softened`, `number-changed`), `evidence` the passage that decided."""

    kind: FateKind
    rule: str
    evidence: str
    detail: str | None
    message: str
    _texts: ClassVar[tuple[str, ...]] = ("rule", "evidence")


def audit(rules: Iterable[str | Rule], text: str) -> list[Fate]:
    """The fate of each rule in a text, in the order of the rules.

    `preserved` and `paraphrased` are certificates; `unverifiable` and all other kinds are none.
    """
    if isinstance(rules, str | bytes):
        raise _core.error_of("invalid_argument", "`rules` is one text, not a list of rules")
    texts = [rule.text if isinstance(rule, Rule) else rule for rule in rules]
    return [Fate.of(fate) for fate in _core.audit(texts, text)]
