"""Knowledge bases (agent configuration files, policies, memories): within a budget, in parts, and asked.

    import standfast as sf

    compacted = sf.compact_knowledge(document, ratio=0.5)
    if not compacted.ok:
        print(compacted.unsafe.required)          # the rules alone need so much

A document is read by triage; a list holds its items, whose types count as declared where they are given. `count` is any
function from a text to a number, `len` for example; without one the estimator's tokens count.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from standfast import _core
from standfast.record import Record
from standfast.wire import CompactMode, ItemForm, Knowledge

Knowledgeable: TypeAlias = "str | Iterable[str | Mapping[str, Any] | Record]"
"""A document, or its items: texts, mappings with at least `text`, or items as triage gives them."""


@dataclass(frozen=True, slots=True, repr=False)
class ItemOutcome(Record):
    """One item of a knowledge base and what became of it. `text` is what it says in this form."""

    index: int
    """Its place among the items."""
    line: int
    """Its first line in the document, from 1; 0 where there is none."""
    knowledge: Knowledge
    """Its type."""
    p_constraint: int
    """How likely it is a constraint, per mille."""
    form: ItemForm
    """How much of it there is."""
    text: str
    """What it says, in this form."""
    _texts: ClassVar[tuple[str, ...]] = ("text",)


@dataclass(frozen=True, slots=True)
class Unsafe(Record):
    """Why no safe result is possible. `required` is the smallest budget that holds the rules, `items` are the rules that do not
    fit beside the others, `lost` how many rules that is likely to be, in thousandths, `parts` in how many parts a decomposition
    might hold everything."""

    required: int
    """The smallest budget that holds the rules."""
    deficit: int
    """By how much the rules are over the budget."""
    items: tuple[ItemOutcome, ...]
    """The rules that do not fit beside the others, the least likely first."""
    lost: int
    """The sum of how likely each of them is a rule, in thousandths of a rule."""
    parts: int
    """In how many parts a decomposition might hold everything."""
    _nested: ClassVar[Mapping[str, type[Record]]] = {"items": ItemOutcome}


@dataclass(frozen=True, slots=True, repr=False)
class Compacted(Record):
    """A knowledge base within a budget; true where it is safe. `text` is None where it would not be and the mode refuses that.
    `kept` and `dropped` together have every item once."""

    ok: bool
    """Whether the text is within the budget and has every rule."""
    unsafe: Unsafe | None
    """What does not fit, where something does not."""
    text: str | None
    """The text; none where it would not be safe and the mode refuses that."""
    size: int
    """The size of the text by the counter."""
    budget: int
    """The budget by the counter."""
    kept: tuple[ItemOutcome, ...]
    """The items that stand in the text, in their order."""
    dropped: tuple[ItemOutcome, ...]
    """The items that do not. Both lists together have every item once."""
    _texts: ClassVar[tuple[str, ...]] = ("text", "kept", "dropped")
    _nested: ClassVar[Mapping[str, type[Record]]] = {"unsafe": Unsafe, "kept": ItemOutcome, "dropped": ItemOutcome}

    def __bool__(self) -> bool:
        return self.ok


@dataclass(frozen=True, slots=True, repr=False)
class KnowledgePart(Record):
    """One part, to be read behind the preamble. `items` have their place here, `copies` are rules and lead-ins of other parts."""

    text: str
    """Its text, to be read behind the preamble."""
    size: int
    """The size of the text by the counter."""
    items: tuple[int, ...]
    """The places of the items that have their place here."""
    copies: tuple[int, ...]
    """The places of rules and lead-ins that stand here as well."""
    _texts: ClassVar[tuple[str, ...]] = ("text", "items", "copies")


@dataclass(frozen=True, slots=True)
class PartTooLarge(Record):
    """Why there are no such parts: `required` would do, `item` is one that does not fit beside the rules it needs."""

    required: int
    """A size that would do."""
    deficit: int
    """By how much it is over the size that was asked for."""
    item: int | None
    """The place of an item that does not fit beside the rules it needs; none where the preamble alone does not."""


@dataclass(frozen=True, slots=True, repr=False)
class Decomposition(Record):
    """A knowledge base in parts; true where every part has every rule it needs. `overhead` is what all texts together are over the
    whole, with the preamble stored once; in `overhead_copied` it is in every part."""

    ok: bool
    """Whether every part with the preamble is within the size and has every rule it needs."""
    unsafe: PartTooLarge | None
    """What does not fit, where something does not. Then there are no parts."""
    preamble: str
    """The rules that hold everywhere."""
    preamble_size: int
    """The size of the preamble by the counter."""
    preamble_items: tuple[int, ...]
    """The places of its items."""
    parts: tuple[KnowledgePart, ...]
    """The parts in the order of the document."""
    overhead: float
    """What all texts together are over the whole, with the preamble stored once."""
    overhead_copied: float
    """The same with the preamble in every part."""
    _texts: ClassVar[tuple[str, ...]] = ("preamble", "preamble_items")
    _nested: ClassVar[Mapping[str, type[Record]]] = {"unsafe": PartTooLarge, "parts": KnowledgePart}

    def __bool__(self) -> bool:
        return self.ok


@dataclass(frozen=True, slots=True, repr=False)
class FoundItem(Record):
    """An item that was found; `in_scope` where it is a rule for the situation."""

    index: int
    """Its place in the index."""
    in_scope: bool
    """Whether it is a rule in scope, or may be one."""
    knowledge: Knowledge
    """Its type."""
    heading_path: tuple[str, ...]
    """The headings it stands under, the outermost first."""
    line: int
    """Its first line in the document, from 1; 0 where there is none."""
    source: str
    """Where it comes from."""
    text: str
    """What it says."""
    _texts: ClassVar[tuple[str, ...]] = ("heading_path", "source", "text")


@dataclass(frozen=True, slots=True)
class Retrieved(Record):
    """What a query found: rules in scope first. `overflow` has the rules in scope for which there was no room; `ok` if none."""

    ok: bool
    """Whether every rule in scope is among the items."""
    items: tuple[FoundItem, ...]
    """At most as many as were asked for: rules in scope, the nearest first, then what fits best."""
    overflow: tuple[FoundItem, ...]
    """The rules in scope for which there was no room."""
    _nested: ClassVar[Mapping[str, type[Record]]] = {"items": FoundItem, "overflow": FoundItem}

    def __bool__(self) -> bool:
        return self.ok


def compact_knowledge(
    document_or_items: Knowledgeable,
    *,
    budget: int | None = None,
    ratio: float | None = None,
    count: Callable[[str], int] | None = None,
    mode: CompactMode = "safe",
) -> Compacted:
    """A knowledge base within a budget, in units of `count`, or within a part of its size.

    Every rule stands word for word, first; then what is worth most of the rest, in its order. Where the rules alone do not fit,
    the result is `unsafe` and has no text; with `mode="over_budget"` it has all rules, with `mode="rank"` as many likely
    rules as fit, with `mode="paper"` procedures are pinned as well.
    """
    arguments = {"items": _items(document_or_items), "budget": budget, "ratio": ratio, "mode": mode}
    return Compacted.of(_worked("compact_knowledge", arguments, count))


def decompose_knowledge(document_or_items: Knowledgeable, *, max_tokens: int, count: Callable[[str], int] | None = None) -> Decomposition:
    """A knowledge base in parts of at most `max_tokens`, in units of `count`, each read behind the shared preamble, which counts in.

    Rules that hold everywhere are the preamble, others stand in every part that has something they hold for.
    """
    return Decomposition.of(_worked("decompose_knowledge", {"items": _items(document_or_items), "max_tokens": max_tokens}, count))


class KnowledgeIndex:
    """Rules and knowledge that can be asked: `KnowledgeIndex(items).retrieve("May I refund this?")`."""

    __slots__ = ("_core",)

    def __init__(self, items: Knowledgeable) -> None:
        self._core = _core.KnowledgeIndex(_items(items))

    def retrieve(
        self,
        query: str,
        *,
        k: int = 10,
        scope: str | Sequence[str] | Mapping[str, Any] | None = None,
        vectors: tuple[Sequence[float], Sequence[Sequence[float]]] | Mapping[str, Any] | None = None,
    ) -> Retrieved:
        """The `k` best items: rules in scope, the nearest first, then what fits the query.

        `scope` is what you know of the situation: paths, tools, sections, names. `vectors` are the query's and one for each item,
        from a model of your own; the two orders are then joined.
        """
        if isinstance(vectors, tuple | list) and len(vectors) == 2:
            vectors = {"query": list(vectors[0]), "items": [list(vector) for vector in vectors[1]]}
        arguments = {"query": query, "k": k, "scope": scope, "vectors": vectors}
        return Retrieved.of(self._core.retrieve({name: value for name, value in arguments.items() if value is not None}))


def _items(given: Knowledgeable) -> Any:
    if isinstance(given, str) or not isinstance(given, Iterable):
        return given
    return [{"text": item} if isinstance(item, str) else item.to_wire() if isinstance(item, Record) else item for item in given]


def _worked(name: str, arguments: Mapping[str, Any], count: Callable[[str], int] | None) -> Any:
    work = _core.KnowledgeWork(name, {key: value for key, value in arguments.items() if value is not None})
    while count is not None and (texts := work.asks()):
        work.answer([count(text) for text in texts])
    return work.finish()
