"""What the lines of a document are: constraint, procedure, belief, preference or episode. Without a model, microseconds a line.

import standfast as sf

for item in sf.triage(open("AGENTS.md").read(), source="file:AGENTS.md"):
    if item.knowledge == "constraint" or item.suspected:
        print(item.line, item.p_constraint, item.text)

The same call in every language gives the same types. `explain()` says why: its contributions sum to the scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from standfast import _core
from standfast.record import Record
from standfast.wire import Deontic, ItemKind, Knowledge, OperatingPoint, Tier, Trust

KNOWLEDGE_TYPES: Mapping[Knowledge, str] = {
    "constraint": "stands word for word",
    "procedural": "may be reworded if the same is executed",
    "belief": "may be shortened within a bounded distance in meaning",
    "preference": "may be merged and summarized",
    "episodic": "may be dropped",
}
"""The five types of knowledge, each with what a compaction may do to it."""


@dataclass(frozen=True, slots=True)
class Scores(Record):
    """One whole number for each type."""

    constraint: int
    """For a constraint."""
    procedural: int
    """For a procedure."""
    belief: int
    """For a belief."""
    preference: int
    """For a preference."""
    episodic: int
    """For an episode."""


@dataclass(frozen=True, slots=True, repr=False)
class Contribution(Record):
    """What one feature adds to the scores. `evidence` are the words it was found in."""

    name: str
    """The feature."""
    evidence: str
    """The words it was found in; empty where it is about the whole."""
    scores: Scores
    """What it adds."""
    _texts: ClassVar[tuple[str, ...]] = ("name", "evidence")
    _nested: ClassVar[Mapping[str, type[Record]]] = {"scores": Scores}


@dataclass(frozen=True, slots=True)
class Explanation(Record):
    """Why an item has its type: the contributions sum to the scores."""

    knowledge: Knowledge
    """The type."""
    p_constraint: int
    """How likely it is a constraint, per mille."""
    scores: Scores
    """The sums of all contributions."""
    contributions: tuple[Contribution, ...]
    """What each feature adds, the largest first."""
    _nested: ClassVar[Mapping[str, type[Record]]] = {"scores": Scores, "contributions": Contribution}


@dataclass(frozen=True, slots=True, repr=False)
class Item(Record):
    """A text with its type. `confidence` and `p_constraint` are per mille. `suspected` items may be constraints though they
    are not called so. `line` counts from 1 and is 0 where there is no document."""

    text: str
    """What it says: wrapped lines joined, without list mark."""
    knowledge: Knowledge
    """Its type."""
    tier: Tier
    """How long it is to be kept."""
    kind: ItemKind
    """What it is."""
    heading_path: tuple[str, ...]
    """The headings it stands under, the outermost first."""
    lead_in: str | None
    """The line that governs it."""
    line: int
    """Its first line in the document, from 1; 0 where there is none."""
    polarity: Deontic
    """How it binds."""
    confidence: int
    """How sure its type is, per mille."""
    p_constraint: int
    """How likely it is a constraint, per mille. Also the order in which rules are given up where not all fit."""
    suspected: bool
    """Whether it may be a constraint though it is not called one: to be kept after the rules, and reviewed."""
    declared: bool
    """Whether its source says by itself what it is, whatever the words."""
    scope: tuple[str, ...]
    """The paths it is about, as globs of the document's front matter."""
    source: str
    """Where it comes from."""
    trust: Trust
    """Whose words it is."""
    _texts: ClassVar[tuple[str, ...]] = ("text", "heading_path", "lead_in", "scope")

    def explain(self, *, point: OperatingPoint = "balanced") -> Explanation:
        """Which features made the scores, the largest first."""
        given = {"text": self.text, "heading_path": self.heading_path, "lead_in": self.lead_in, "kind": self.kind}
        return Explanation.of(_core.triaged("explain_item", {"item": given, "point": point}))


def classify_items(items: Iterable[Mapping[str, Any]], *, point: OperatingPoint = "balanced") -> list[Item]:
    """The types of texts that were cut by somebody else, in their order.

    An item is a mapping with `text` and perhaps `heading_path`, `lead_in` (the line that governs it) and `kind`: `item`, `step`,
    `row`, `fence` or `quote`, anything else being a paragraph. `point` weighs a missed rule against a false one: `strict`,
    `balanced` or `lean`.
    """
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise _core.error_of("invalid_argument", "`items` is a list of mappings")
    given = list(items)
    typed = []
    for one, (knowledge, tier, kind, polarity, confidence, p, suspected) in zip(given, _core.classify_items(given, point), strict=True):
        path = tuple(one.get("heading_path") or ())
        text, lead = one["text"], one.get("lead_in")
        typed.append(Item(text, knowledge, tier, kind, path, lead, 0, polarity, confidence, p, suspected, False, (), "", "external"))
    return typed


def triage(document: str, *, source: str, trust: Trust = "external", point: OperatingPoint = "balanced") -> list[Item]:
    """The items of a document with their types. `source` names where it comes from, `trust` whose words it is."""
    given = {"document": document, "source": source, "trust": trust, "point": point}
    return [Item.of(item) for item in _core.triaged("triage", given)]
